//! A value as the contents of a resource.

use serde::Serialize;

use super::{
    Profile,
    any::Any,
    recognize::is_contents,
    version::without_nulls,
    write::{DEPTH_IN_RESULT, Style, Writer},
};
use crate::{
    Note, Protocol, Rule, base64,
    json::{Json, Object, ObjectWriter, push_compact},
};

/// What reading a resource answers when its handler returns this value.
///
/// Text is text, [`Bytes`](crate::Bytes) are a blob, anything else is JSON in a text. Without a
/// declared type text is `text/plain` and a blob `application/octet-stream`; JSON is `text/plain` in
/// the profile `openmcp` and `application/json` in `spec`. [`Contents`](crate::Contents), lists of
/// them and a whole [`ReadResult`](crate::ReadResult) stay as they are, and a map with a `text` or a
/// `blob` is contents too, unless it is in [`Data`](crate::Data).
///
/// ```
/// use resultant::{Bytes, reply_resource};
///
/// let result = reply_resource("disk://logo", Some("image/gif"), Bytes(b"GIF89a")).to_json();
/// assert_eq!(
///     result.to_string(),
///     r#"{"contents":[{"uri":"disk://logo","mimeType":"image/gif","blob":"R0lGODlh"}]}"#,
/// );
/// ```
pub fn reply_resource<T: Serialize>(uri: &str, mime_type: Option<&str>, value: T) -> ResourceReply {
    ResourceReply::of(uri, mime_type, Any::of(&value))
}

/// A resource on its way to a client.
///
/// ```
/// use resultant::{Profile, Protocol, reply_resource};
///
/// let reply = reply_resource("app://config", None, [1, 2])
///     .profile(Profile::Spec)
///     .protocol(Protocol::V2026_07_28);
/// assert_eq!(
///     reply.to_json().to_string(),
///     r#"{"contents":[{"uri":"app://config","mimeType":"application/json","text":"[1,2]"}],"resultType":"complete","ttlMs":0,"cacheScope":"private"}"#,
/// );
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceReply {
    uri: String,
    mime_type: Option<String>,
    value: Any,
    profile: Profile,
    protocol: Protocol,
}

impl ResourceReply {
    /// The same as [`reply_resource`], for a value that was read before.
    pub fn of(uri: &str, mime_type: Option<&str>, value: Any) -> ResourceReply {
        let mime_type = mime_type.filter(|mime_type| !mime_type.is_empty());
        ResourceReply {
            uri: uri.to_owned(),
            mime_type: mime_type.map(str::to_owned),
            value,
            profile: Profile::default(),
            protocol: Protocol::V2025_11_25,
        }
    }

    /// Chooses how the value is written.
    #[must_use]
    pub fn profile(self, profile: Profile) -> ResourceReply {
        ResourceReply { profile, ..self }
    }

    /// Chooses the version that the client speaks.
    #[must_use]
    pub fn protocol(self, protocol: Protocol) -> ResourceReply {
        ResourceReply { protocol, ..self }
    }

    /// What was returned.
    pub fn value(&self) -> &Any {
        &self.value
    }

    /// The message of a handler that failed. A `ReadResourceResult` cannot say so: the answer to the
    /// client should be a JSON-RPC error with this message.
    ///
    /// ```
    /// use resultant::{Failure, reply_resource};
    ///
    /// let reply = reply_resource("a://b", None, Err::<(), _>(Failure::new("the disk is gone")));
    /// assert_eq!(reply.failure().as_deref(), Some("the disk is gone"));
    /// ```
    pub fn failure(&self) -> Option<String> {
        let Any::Failure(payload) = &self.value else { return None };
        Some(match &**payload {
            Any::Str(message) => message.clone(),
            other => Writer::new().quiet_text(self.profile.style(), other, DEPTH_IN_RESULT),
        })
    }

    /// The `ReadResourceResult`.
    pub fn to_json(&self) -> Json {
        self.to_json_and_notes().0
    }

    /// What had to be changed to write it.
    pub fn notes(&self) -> Vec<Note> {
        self.to_json_and_notes().1
    }

    /// Both, for the price of one.
    pub fn to_json_and_notes(&self) -> (Json, Vec<Note>) {
        let mut writer = Writer::new();
        let result = match &self.value {
            Any::ReadResult(json) if json.is_object() => self.whole_result(json),
            value => self.result(&self.contents(value, &mut writer), &Object::default()),
        };
        (result, writer.notes.into_vec())
    }

    /// The contents that a value is.
    fn contents(&self, value: &Any, writer: &mut Writer) -> Vec<Json> {
        match &*value.unfold() {
            Any::Contents(json) if json.is_object() => vec![self.given(json)],
            Any::Block(json) => vec![self.block(json, writer)],
            Any::Seq(items) if self.is_list_of_contents(items) => self.all_given(items),
            Any::Tuple(items) if !items.is_empty() && self.is_list_of_contents(items) => {
                self.all_given(items)
            }
            Any::Map(entries) if let Some(json) = self.as_contents(value, entries, writer) => {
                vec![json]
            }
            Any::Bytes(bytes) => {
                let mime_type = self.mime_type.as_deref().unwrap_or("application/octet-stream");
                vec![self.made(mime_type, "blob", &base64::encode(bytes))]
            }
            Any::Str(text) => {
                vec![self.made(self.mime_type.as_deref().unwrap_or("text/plain"), "text", text)]
            }
            Any::Failure(payload) => {
                writer.changed(Rule::R9, "the handler failed, and its message became the contents");
                self.contents(payload, writer)
            }
            Any::Data(inner) => match &*inner.unfold() {
                map @ Any::Map(_) => vec![self.json(map, writer)],
                other => self.contents(other, writer),
            },
            other => vec![self.json(other, writer)],
        }
    }

    /// A value as JSON in a text.
    fn json(&self, value: &Any, writer: &mut Writer) -> Json {
        let text = writer.text(self.profile.style(), value, DEPTH_IN_RESULT);
        let default = match self.profile {
            Profile::Openmcp => "text/plain",
            Profile::Spec => "application/json",
        };
        self.made(self.mime_type.as_deref().unwrap_or(default), "text", &text)
    }

    /// A block's own text or bytes; a link as JSON.
    fn block(&self, block: &Json, writer: &mut Writer) -> Json {
        let text = |key: &str| block.get(key).as_ref().and_then(Json::as_str).map(String::from);
        let mime_type = self.mime_type.clone().or_else(|| text("mimeType"));
        match (text("type").as_deref(), text("text"), text("data"), block.get("resource")) {
            (Some("text"), Some(text), _, _) => {
                self.made(mime_type.as_deref().unwrap_or("text/plain"), "text", &text)
            }
            (Some("image" | "audio"), _, Some(data), _) => {
                self.made(mime_type.as_deref().unwrap_or("application/octet-stream"), "blob", &data)
            }
            (Some("resource"), _, _, Some(resource)) if resource.is_object() => {
                self.given(&resource)
            }
            _ => self.json(&Any::Raw(block.clone()), writer),
        }
    }

    /// Whether there is nothing but contents. An empty list counts for OpenMCP; where clients may
    /// not be sent an empty list, it is JSON.
    fn is_list_of_contents(&self, items: &[Any]) -> bool {
        let is_empty_allowed = self.profile == Profile::Openmcp && !self.protocol.is_modern();
        let is_contents = |item: &Any| matches!(item, Any::Contents(json) if json.is_object());
        items.iter().all(is_contents) && (is_empty_allowed || !items.is_empty())
    }

    fn all_given(&self, items: &[Any]) -> Vec<Json> {
        let contents = items.iter().filter_map(|item| match item {
            Any::Contents(json) => Some(self.given(json)),
            _ => None,
        });
        contents.collect()
    }

    /// Contents as the handler gave them. Only a URI is added where there is none.
    fn given(&self, json: &Json) -> Json {
        let contents = without_nulls(json);
        if contents.get("uri").is_some() { contents.to_json() } else { self.with_uri(&contents) }
    }

    /// A map that, with our URI, is contents: it has a text or a blob, and no field of another type.
    fn as_contents(
        &self,
        value: &Any,
        entries: &[(Any, Any)],
        writer: &mut Writer,
    ) -> Option<Json> {
        let has_names = entries.iter().all(|(key, _)| matches!(key, Any::Str(_)));
        let has_text =
            Any::member(entries, "text").is_some_and(|text| !matches!(text, Any::Bytes(_)));
        if !has_names || !has_text && Any::member(entries, "blob").is_none() {
            return None;
        }
        let looked_at = writer.quiet_text(Style::Compact, value, DEPTH_IN_RESULT);
        if !is_contents(&Json::trusted(looked_at)) {
            return None;
        }
        let json = Json::trusted(writer.text(Style::Compact, value, DEPTH_IN_RESULT));
        let mut contents = Object::default();
        for (key, value) in json.members().filter(|(_, value)| !value.is_null()) {
            contents.set(&key, value);
        }
        // The source system leaves the type out here, whatever was declared.
        if self.profile == Profile::Spec && contents.get("mimeType").is_none() {
            let is_text = contents.get("text").is_some_and(|text| text.as_str().is_some());
            let default = if is_text { "text/plain" } else { "application/octet-stream" };
            let mime_type = self.mime_type.as_deref().unwrap_or(default);
            contents.set("mimeType", Json::string(mime_type));
        }
        Some(if contents.get("uri").is_some() {
            contents.to_json()
        } else {
            self.with_uri(&contents)
        })
    }

    fn with_uri(&self, contents: &Object) -> Json {
        let mut out = String::new();
        let mut writer = ObjectWriter::new(&mut out);
        writer.text("uri", &self.uri);
        for (key, value) in contents.iter() {
            writer.json(key, value);
        }
        writer.end();
        Json::trusted(out)
    }

    fn made(&self, mime_type: &str, key: &str, content: &str) -> Json {
        let mut out = String::new();
        let mut writer = ObjectWriter::new(&mut out);
        writer.text("uri", &self.uri);
        writer.text("mimeType", mime_type);
        writer.text(key, content);
        writer.end();
        Json::trusted(out)
    }

    /// A result that is JSON already, for a client of this version.
    fn whole_result(&self, json: &Json) -> Json {
        let mut others = Object::of(json);
        let contents = others.remove("contents").unwrap_or(Json::null());
        if others.get("_meta").is_some_and(Json::is_null) {
            others.remove("_meta");
        }
        let items = contents.items().map(|item| match item.is_object() {
            true => self.given(&item),
            false => self.made("application/json", "text", item.as_text()),
        });
        self.result(&items.collect::<Vec<_>>(), &others)
    }

    fn result(&self, contents: &[Json], others: &Object) -> Json {
        let mut others = others.clone();
        let modern_fields = [
            ("resultType", Json::string("complete")),
            ("ttlMs", Json::number(0)),
            ("cacheScope", Json::string("private")),
        ];
        for (key, value) in modern_fields {
            match (self.protocol.is_modern(), others.get(key).is_some()) {
                (true, false) => others.set(key, value),
                (false, true) => drop(others.remove(key)),
                _ => {}
            }
        }
        let mut out = String::new();
        let mut writer = ObjectWriter::new(&mut out);
        writer.array("contents", contents, |out, item| push_compact(out, item.as_text()));
        for (key, value) in others.iter() {
            writer.json(key, value);
        }
        writer.end();
        Json::trusted(out)
    }
}
