//! A value as the result of a tool.

use serde::Serialize;

use super::{
    Profile,
    any::Any,
    recognize::is_whole_result,
    version::{push_base64_block, push_block, push_text_block},
    write::{DEPTH_IN_RESULT, Style, Writer},
};
use crate::{
    Note, Protocol,
    json::{Json, ObjectWriter},
};

/// What a tool answers when its handler returns this value. Anything that serde can serialize is a
/// value; nothing that is returned can break the connection.
///
/// Two things serde cannot tell apart have a name: [`Bytes`](crate::Bytes) for bytes (a `Vec<u8>`
/// is a sequence of numbers), and [`Data`](crate::Data) for a value that is data whatever its keys
/// look like.
///
/// | returned | content | structured content |
/// |---|---|---|
/// | struct, map | its JSON as text | itself |
/// | text, number, boolean | its text | `{"result": v}` |
/// | `()`, `None` | nothing | none |
/// | [`Bytes`](crate::Bytes) | base64 | none |
/// | sequence | one block for each item, nested ones too | `{"result": […]}` |
/// | [`Block`](crate::Block), sequence with one in it | the blocks | none |
/// | pair whose second item is a struct or a map | that of the first item | the second item |
/// | [`ToolResult`](crate::ToolResult), map that is one | as given | as given |
/// | `Ok(v)` | that of `v` | that of `v` |
/// | `Err(e)`, [`Failure`](crate::Failure) | its text, with `isError` | none |
///
/// ```
/// #[derive(serde::Serialize)]
/// struct Weather {
///     city: &'static str,
///     degrees: f64,
/// }
///
/// let result = resultant::reply(Weather { city: "Łódź", degrees: 21.0 }).to_json();
/// assert_eq!(
///     result.to_string(),
///     r#"{"content":[{"type":"text","text":"{\"city\": \"Łódź\", \"degrees\": 21.0}"}],"structuredContent":{"city":"Łódź","degrees":21.0}}"#,
/// );
/// ```
pub fn reply<T: Serialize>(value: T) -> Reply {
    Reply::from(Any::of(&value))
}

/// A value on its way to a client.
///
/// ```
/// use resultant::{Profile, Protocol, reply};
///
/// let reply = reply(vec![0.5, f64::NAN]).profile(Profile::Spec).protocol(Protocol::V2026_07_28);
/// assert_eq!(
///     reply.to_json().to_string(),
///     r#"{"content":[{"type":"text","text":"[0.5,null]"}],"structuredContent":[0.5,null],"resultType":"complete"}"#,
/// );
/// assert_eq!(reply.notes()[0].place, "/1");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    value: Any,
    profile: Profile,
    protocol: Protocol,
}

/// For a client of 2025-11-25, in the profile [`Profile::Openmcp`].
impl From<Any> for Reply {
    fn from(value: Any) -> Reply {
        Reply { value, profile: Profile::default(), protocol: Protocol::V2025_11_25 }
    }
}

impl Reply {
    /// Chooses how the value is written.
    #[must_use]
    pub fn profile(self, profile: Profile) -> Reply {
        Reply { profile, ..self }
    }

    /// Chooses the version that the client speaks.
    #[must_use]
    pub fn protocol(self, protocol: Protocol) -> Reply {
        Reply { protocol, ..self }
    }

    /// What was returned.
    pub fn value(&self) -> &Any {
        &self.value
    }

    /// The `CallToolResult`.
    pub fn to_json(&self) -> Json {
        self.to_json_and_notes().0
    }

    /// What had to be changed to write it.
    pub fn notes(&self) -> Vec<Note> {
        self.to_json_and_notes().1
    }

    /// Both, for the price of one.
    pub fn to_json_and_notes(&self) -> (Json, Vec<Note>) {
        let mut draft = Draft::new(self.profile, self.protocol, Writer::without_places());
        draft.returned(&self.value);
        if draft.writer.wants_places {
            draft = Draft::new(self.profile, self.protocol, Writer::new());
            draft.returned(&self.value);
        }
        draft.finish()
    }
}

/// The keys of a map that may be a whole result.
const RESULT_KEYS: [&str; 5] = ["content", "structuredContent", "isError", "_meta", "meta"];

/// A result that is being put together.
struct Draft {
    profile: Profile,
    protocol: Protocol,
    writer: Writer,
    /// The blocks, with commas between them.
    content: String,
    /// The other members and their JSON.
    others: Vec<(String, String)>,
    /// Room for the text of one block.
    scratch: String,
}

impl Draft {
    fn new(profile: Profile, protocol: Protocol, writer: Writer) -> Draft {
        let (content, others, scratch) = (String::new(), Vec::new(), String::new());
        Draft { profile, protocol, writer, content, others, scratch }
    }

    /// A value as it was returned: it may be a whole result, an error or a pair.
    fn returned(&mut self, value: &Any) {
        match &*value.unfold() {
            Any::Result(json) if json.is_object() => self.whole_result(json),
            Any::Failure(payload) => self.failure(payload),
            Any::Data(inner) => self.data(inner),
            Any::Tuple(items) if let [payload, structured] = items.as_slice() => {
                if structured.is_object() {
                    self.pair(payload, structured);
                } else {
                    self.data(value);
                }
            }
            Any::Map(entries) if let Some(json) = self.as_whole_result(value, entries) => {
                self.whole_result(&json);
            }
            other => self.data(other),
        }
    }

    /// A value that is only data, blocks or bytes.
    fn data(&mut self, value: &Any) {
        match (self.profile, &*value.unfold()) {
            (_, Any::Data(inner)) => self.data(inner),
            (_, Any::Null | Any::Bytes(_) | Any::Block(_)) => self.blocks(value, DEPTH_IN_RESULT),
            (_, sequence @ (Any::Seq(_) | Any::Tuple(_))) if sequence.contains_block() => {
                self.blocks(sequence, DEPTH_IN_RESULT);
            }
            (Profile::Openmcp, value) => self.data_as_openmcp(value),
            (Profile::Spec, value) => self.data_as_spec(value),
        }
    }

    fn data_as_openmcp(&mut self, value: &Any) {
        let mut structured = self.writer.text(Style::Compact, value, DEPTH_IN_RESULT);
        if !structured.starts_with('{') {
            structured = format!("{{\"result\":{structured}}}");
        }
        // The same places were noted a moment ago.
        let was_muted = self.writer.notes.mute(true);
        self.blocks(value, DEPTH_IN_RESULT);
        self.writer.notes.mute(was_muted);
        self.other("structuredContent", structured);
    }

    fn data_as_spec(&mut self, value: &Any) {
        let mut structured = self.writer.text(Style::Compact, value, DEPTH_IN_RESULT);
        if !structured.starts_with('{') && !self.protocol.has_any_structured_content() {
            structured = format!("{{\"result\":{structured}}}");
        }
        self.text_block(&structured);
        self.other("structuredContent", structured);
    }

    fn pair(&mut self, payload: &Any, structured: &Any) {
        let outer = self.writer.enter_item(1);
        let value = self.writer.text(Style::Compact, structured, DEPTH_IN_RESULT);
        self.writer.leave(outer);
        self.item(0, payload, DEPTH_IN_RESULT);
        self.other("structuredContent", value);
    }

    /// The blocks of a value, those of its items one after the other.
    fn blocks(&mut self, value: &Any, depth: usize) {
        match &*value.unfold() {
            Any::Null => {}
            Any::Str(text) => self.text_block(text),
            Any::Bytes(bytes) => {
                self.comma();
                push_base64_block(&mut self.content, bytes);
            }
            Any::Block(json) => self.block(json),
            Any::Data(inner) | Any::Failure(inner) if depth < Any::DEPTH_MAX => {
                self.blocks(inner, depth + 1);
            }
            Any::Seq(items) | Any::Tuple(items) if depth < Any::DEPTH_MAX => {
                for (index, item) in items.iter().enumerate() {
                    self.item(index, item, depth + 1);
                }
            }
            other => {
                let mut text = std::mem::take(&mut self.scratch);
                text.clear();
                self.writer.push_text(&mut text, self.profile.style(), other, DEPTH_IN_RESULT);
                self.text_block(&text);
                self.scratch = text;
            }
        }
    }

    fn item(&mut self, index: usize, item: &Any, depth: usize) {
        let outer = self.writer.enter_item(index);
        self.blocks(item, depth);
        self.writer.leave(outer);
    }

    fn failure(&mut self, payload: &Any) {
        match &*payload.unfold() {
            Any::Result(json) if json.is_object() => self.whole_result(json),
            Any::Data(inner) | Any::Failure(inner) => return self.failure(inner),
            sequence @ (Any::Seq(_) | Any::Tuple(_)) if !sequence.contains_block() => {
                let text = self.writer.text(self.profile.style(), sequence, DEPTH_IN_RESULT);
                self.text_block(&text);
            }
            other => self.blocks(other, DEPTH_IN_RESULT),
        }
        if self.content.is_empty() || payload == &Any::Str(String::new()) {
            self.content.clear();
            self.text_block("tool failed without a message");
        }
        self.others.retain(|(key, _)| key != "isError");
        self.other("isError", "true".to_owned());
    }

    /// A result that is JSON already, for a client of this version.
    fn whole_result(&mut self, json: &Json) {
        let is_modern = self.protocol.is_modern();
        for (key, value) in json.members() {
            match &*key {
                "content" if value.is_array() => value.items().for_each(|block| self.block(&block)),
                "content" => self.block(&value),
                "structuredContent" if is_modern || value.is_object() => {
                    self.other(&key, value.to_string());
                }
                "structuredContent" if value.is_null() => {}
                "structuredContent" => self.other(&key, format!("{{\"result\":{value}}}")),
                "isError" | "_meta" | "meta" if value.is_null() => {}
                "resultType" if !is_modern && value == Json::string("complete") => {}
                _ => self.other(&key, value.to_string()),
            }
        }
    }

    /// A map that is a whole result and has no keys beyond those of one, as JSON.
    fn as_whole_result(&mut self, value: &Any, entries: &[(Any, Any)]) -> Option<Json> {
        let is_known = |key: &Any| matches!(key, Any::Str(key) if RESULT_KEYS.contains(&&**key));
        if Any::member(entries, "content").is_none()
            || !entries.iter().all(|(key, _)| is_known(key))
        {
            return None;
        }
        let looked_at = self.writer.quiet_text(Style::Compact, value, 0);
        if !is_whole_result(&Json::trusted(looked_at)) {
            return None;
        }
        Some(Json::trusted(self.writer.text(Style::Compact, value, 0)))
    }

    fn text_block(&mut self, text: &str) {
        self.comma();
        push_text_block(&mut self.content, text);
    }

    fn block(&mut self, block: &Json) {
        self.comma();
        push_block(&mut self.content, block, self.protocol, &mut self.writer);
    }

    fn comma(&mut self) {
        if !self.content.is_empty() {
            self.content.push(',');
        }
    }

    fn other(&mut self, key: &str, json: String) {
        self.others.push((key.to_owned(), json));
    }

    fn finish(mut self) -> (Json, Vec<Note>) {
        if self.protocol.is_modern() && !self.others.iter().any(|(key, _)| key == "resultType") {
            self.other("resultType", "\"complete\"".to_owned());
        }
        let others: usize = self.others.iter().map(|(key, json)| key.len() + json.len() + 4).sum();
        let mut out = String::with_capacity(self.content.len() + others + 16);
        let mut writer = ObjectWriter::new(&mut out);
        let content = writer.key("content");
        content.push('[');
        content.push_str(&self.content);
        content.push(']');
        for (key, json) in &self.others {
            writer.key(key).push_str(json);
        }
        writer.end();
        (Json::trusted(out), self.writer.notes.into_vec())
    }
}
