//! An MCP tool result as it was sent: lenient, lossless.
//!
//! This is the one place that knows the protocol's JSON for reading. Nothing is refused: what is
//! not understood is kept as it came, and the rest of the crate decides what to do with it.

use std::borrow::Cow;

use bytestring::ByteString;

use crate::{
    json::{Json, Kind, Object},
    spill::{SpillId, handle_id},
};

/// A whole message.
#[derive(Debug)]
pub(crate) enum Message {
    Result(Box<WireResult>),
    /// A JSON-RPC error.
    Failure {
        error: Json,
        /// What the message has beside it.
        beside: Object,
    },
    /// Neither: the value itself.
    Payload {
        payload: Json,
        beside: Object,
    },
}

/// A `CallToolResult`.
#[derive(Debug, Default)]
pub(crate) struct WireResult {
    pub(crate) blocks: Vec<Block>,
    pub(crate) structured: Structured,
    pub(crate) is_error: bool,
    /// The Python spelling of a dumped client object.
    pub(crate) is_python: bool,
    /// Structured content under other keys, where it differs.
    pub(crate) other_data: Vec<(&'static str, Json)>,
    /// `resultType` is there: the server speaks 2026-07-28.
    pub(crate) is_modern: bool,
    pub(crate) oddities: Vec<Oddity>,
    /// `_meta`, where it is an object.
    pub(crate) meta: Object,
    /// The members that the protocol does not have.
    pub(crate) carried: Object,
    /// There is neither content nor structured content.
    pub(crate) is_bare: bool,
    pub(crate) source: Option<Json>,
}

/// `structuredContent` has three states.
#[derive(Debug, Default)]
pub(crate) enum Structured {
    #[default]
    Absent,
    Null,
    Value(Json),
}

/// Something about the result that the protocol does not have, and what was made of it.
#[derive(Debug)]
pub(crate) struct Oddity {
    pub(crate) place: String,
    pub(crate) message: &'static str,
    /// What is not in the result any more.
    pub(crate) left_out: Option<Json>,
}

/// A content block.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) kind: BlockKind,
    /// Annotations on the block or inside its resource.
    pub(crate) annotations: Option<Json>,
    pub(crate) source: Json,
}

#[derive(Debug)]
pub(crate) enum BlockKind {
    Text(Text),
    Image { data: Json, mime: String },
    Audio { data: Json, mime: String },
    EmbeddedText { uri: String, mime: String, text: Text },
    EmbeddedBlob { uri: String, mime: String, blob: Json },
    Link { uri: String, name: String },
    Unknown,
}

/// A text, here or in the sink.
#[derive(Clone, Debug)]
pub(crate) enum Text {
    Inline(ByteString),
    Spilled(SpillId),
}

impl Text {
    /// The text of a JSON string; `None` for another value.
    pub(crate) fn of(json: &Json) -> Option<Text> {
        match handle_id(json.as_text()) {
            Some(id) => Some(Text::Spilled(id)),
            None => json.as_shared().map(Text::Inline),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Text::Inline(text) if text.is_empty())
    }
}

/// The content of a string that is not long.
pub(crate) fn short_string(json: &Json) -> Option<String> {
    match handle_id(json.as_text()) {
        Some(_) => None,
        None => json.as_str().map(Cow::into_owned),
    }
}

/// Takes a message apart.
pub(crate) fn read_message(message: &Json) -> Message {
    if !message.is_object() {
        return Message::Payload { payload: message.clone(), beside: Object::default() };
    }
    let mut members = Object::of(message);
    let is_response = members.get("jsonrpc").is_some_and(|version| version.as_text() == "\"2.0\"");
    if is_response && members.get("results").is_none() {
        let is_failure = members.get("error").is_some_and(|error| !error.is_null());
        let answer = members.remove(if is_failure { "error" } else { "result" });
        if let Some(answer) = answer {
            members.remove("jsonrpc");
            members.remove("id");
            if !is_failure {
                members.remove("error");
            }
            // An answer has one of both. Where a server sends both, the error is what happened.
            return match is_failure {
                true => Message::Failure { error: answer, beside: members },
                false => match read_result(&answer) {
                    Some(mut result) => {
                        result.note_beside(&members);
                        Message::Result(Box::new(result))
                    }
                    None => Message::Payload { payload: answer, beside: members },
                },
            };
        }
    }
    match read_result(message) {
        Some(result) => Message::Result(Box::new(result)),
        None => Message::Payload { payload: message.clone(), beside: Object::default() },
    }
}

/// Reads a tool result; `None` where the value does not look like one.
fn read_result(json: &Json) -> Option<WireResult> {
    let members = Object::of(json);
    let has = |key: &str| members.get(key).is_some();
    let is_result_key = |key: &str| {
        matches!(key, "content" | "structuredContent" | "isError" | "_meta" | "resultType")
    };
    // Nothing but members of a result: then `content` is the result's, whatever it is.
    let is_only_result = members.iter().all(|(key, _)| is_result_key(key));
    let has_blocks = members.get("content").is_some_and(|content| {
        looks_like_content(content)
            || is_only_result && matches!(content.kind(), Kind::Null | Kind::String)
    });
    let is_python = has("structured_content") || has("is_error");
    let has_structured = has("structuredContent") || is_python && has("content");
    let is_bare_error = members.get("isError").is_some_and(|flag| flag.as_bool().is_some());
    // A payload of the contract may have a member `content` of its own.
    let is_contract = has("results") || has("success") && has("meta");
    let looks_like_result = !is_contract && (has_blocks || is_bare_error);
    if !has_structured && !looks_like_result {
        return None;
    }
    let is_bare = !has("content") && !has_structured;
    // So may it have members with the names of the protocol.
    if has("results") && !has("content") || is_bare && is_payload_with_a_flag(&members) {
        return None;
    }
    let source = Some(json.clone());
    let mut result = WireResult { is_python, is_bare, source, ..Default::default() };
    result.is_modern = has("resultType");
    if let Some(content) = members.get("content") {
        result.read_content(content);
    }
    result.read_structured(&members);
    result.read_error_flag(&members);
    result.read_rest(&members);
    Some(result)
}

/// An object with nothing of a result but `isError: false`, and with members of its own.
fn is_payload_with_a_flag(members: &Object) -> bool {
    let is_own = |key: &str| !matches!(key, "isError" | "_meta" | "resultType");
    members.get("isError").and_then(Json::as_bool) == Some(false)
        && members.iter().any(|(key, _)| is_own(key))
}

/// A list of blocks, or one of the two things servers send instead.
fn looks_like_content(content: &Json) -> bool {
    match content.kind() {
        Kind::Array => content.items().next().is_none_or(|first| {
            first.as_str().is_some() || first.get("type").is_some() || first.get("text").is_some()
        }),
        _ => false,
    }
}

impl WireResult {
    fn odd(&mut self, place: impl Into<String>, message: &'static str, left_out: Option<Json>) {
        self.oddities.push(Oddity { place: place.into(), message, left_out });
    }

    fn read_content(&mut self, content: &Json) {
        match content.kind() {
            Kind::Array => {
                for (at, item) in content.items().enumerate() {
                    self.read_item(at, item);
                }
            }
            Kind::Null => self.odd("/content", "content is null and read as an empty list", None),
            Kind::Object => {
                self.odd("/content", "content is one block instead of a list", None);
                self.read_item(0, content.clone());
            }
            Kind::String => {
                self.odd("/content", "content is a string and read as one text block", None);
                self.read_item(0, content.clone());
            }
            Kind::Bool | Kind::Number => {
                self.odd("/content", "content is no list of blocks", None);
                let source = content.clone();
                self.blocks.push(Block { kind: BlockKind::Unknown, annotations: None, source });
            }
        }
    }

    fn read_item(&mut self, at: usize, item: Json) {
        if let Some(text) = Text::of(&item) {
            self.odd(format!("/content/{at}"), "a string instead of a block is read as text", None);
            let kind = BlockKind::Text(text);
            self.blocks.push(Block { kind, annotations: None, source: item });
            return;
        }
        self.blocks.push(read_block_of(item));
    }

    fn read_structured(&mut self, members: &Object) {
        let spelled = members.get("structuredContent");
        if let Some(value) = spelled {
            self.structured = match value.is_null() {
                true => Structured::Null,
                false => Structured::Value(value.clone()),
            };
        }
        if !self.is_python {
            return;
        }
        // In a Python dump `null` means absent.
        let dumped = members.get("structured_content").filter(|value| !value.is_null());
        let data = members.get("data").filter(|value| !value.is_null());
        let chosen = spelled.filter(|value| !value.is_null()).or(dumped).or(data);
        self.structured =
            chosen.map_or(Structured::Absent, |value| Structured::Value(value.clone()));
        for (key, other) in [("structured_content", dumped), ("data", data)] {
            let (Some(chosen), Some(other)) = (chosen, other) else { continue };
            // A client unwraps `{"result": v}` into `data`: that is no difference.
            let is_same = chosen.same_value(other)
                || only_result(chosen).is_some_and(|inner| inner.same_value(other));
            if !is_same {
                self.other_data.push((key, other.clone()));
            }
        }
    }

    /// `_meta`, and the members that the protocol does not have.
    fn read_rest(&mut self, members: &Object) {
        for (key, value) in members.iter() {
            match key {
                "content" | "structuredContent" | "isError" => {}
                "structured_content" | "is_error" | "data" if self.is_python => {}
                "meta" if self.is_python && value.is_object() && members.get("_meta").is_none() => {
                    self.meta = Object::of(value);
                }
                "_meta" if value.is_object() => self.meta = Object::of(value),
                "resultType" if value.as_str().is_none() => {
                    let message = "resultType is no text and is left out";
                    self.odd("/resultType", message, Some(value.clone()));
                }
                "_meta" if value.is_null() => {}
                "_meta" => {
                    self.odd("/_meta", "_meta is no object and is left out", Some(value.clone()));
                }
                _ => self.carried.set(key, value.clone()),
            }
        }
    }

    /// What a JSON-RPC message has beside its result.
    fn note_beside(&mut self, beside: &Object) {
        if !beside.is_empty() {
            let message = "the message has members that a response does not have";
            self.odd("", message, Some(beside.to_json()));
        }
    }

    fn read_error_flag(&mut self, members: &Object) {
        for key in ["isError", "is_error"] {
            let Some(flag) = members.get(key) else { continue };
            match flag.as_bool() {
                Some(flag) => self.is_error |= flag,
                None if flag.is_null() => {}
                None => {
                    let says_true = matches!(flag.as_text(), "1" | "\"true\"" | "\"True\"");
                    self.is_error |= says_true;
                    self.odd(
                        format!("/{key}"),
                        "the error flag is no boolean; only 1 and \"true\" are read as true",
                        Some(flag.clone()),
                    );
                }
            }
        }
    }
}

/// The value of an object whose only key is `result`.
pub(crate) fn only_result(json: &Json) -> Option<Json> {
    let mut members = json.members();
    let (key, value) = members.next()?;
    (key == "result" && members.next().is_none()).then_some(value)
}

/// Takes a block apart.
pub(crate) fn read_block_of(source: Json) -> Block {
    let members = Object::of(&source);
    let string = |key: &str| members.get(key).and_then(short_string);
    let is_string = |key: &str| members.get(key).filter(|value| value.kind() == Kind::String);
    let mut annotations = members.get("annotations").cloned();
    let kind = match string("type").as_deref() {
        Some("text") => members.get("text").and_then(Text::of).map(BlockKind::Text),
        Some("image") => is_string("data").map(|data| BlockKind::Image {
            data: data.clone(),
            mime: string("mimeType").unwrap_or_default(),
        }),
        Some("audio") => is_string("data").map(|data| BlockKind::Audio {
            data: data.clone(),
            mime: string("mimeType").unwrap_or_default(),
        }),
        Some("resource") => members.get("resource").and_then(|resource| {
            let inner = Object::of(resource);
            annotations = annotations.take().or_else(|| inner.get("annotations").cloned());
            read_resource(&inner)
        }),
        Some("resource_link") => string("uri").map(|uri| {
            let name = string("name").unwrap_or_else(|| uri.clone());
            BlockKind::Link { uri, name }
        }),
        _ => None,
    };
    Block { kind: kind.unwrap_or(BlockKind::Unknown), annotations, source }
}

fn read_resource(inner: &Object) -> Option<BlockKind> {
    let string = |key: &str| inner.get(key).and_then(short_string).unwrap_or_default();
    let (uri, mime) = (string("uri"), string("mimeType"));
    if let Some(text) = inner.get("text").and_then(Text::of) {
        return Some(BlockKind::EmbeddedText { uri, mime, text });
    }
    let blob = inner.get("blob").filter(|blob| blob.kind() == Kind::String)?.clone();
    Some(BlockKind::EmbeddedBlob { uri, mime, blob })
}
