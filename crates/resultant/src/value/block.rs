//! The MCP types that a handler may return as they are.
//!
//! Each holds JSON, so fields that this crate does not know travel too.

use serde::{Serialize, Serializer};

use super::{recognize::is_block, wrapper::name};
use crate::{
    base64,
    json::{Json, Object, ObjectWriter, push_compact},
};

/// A content block: text, an image, audio, a link, an embedded resource, or one of a type that is
/// yet to be invented.
///
/// ```
/// use resultant::{Block, reply};
///
/// let result = reply([Block::text("Here it is:"), Block::image(b"GIF89a", "image/gif")]).to_json();
/// assert_eq!(
///     result.to_string(),
///     r#"{"content":[{"type":"text","text":"Here it is:"},{"type":"image","data":"R0lGODlh","mimeType":"image/gif"}]}"#,
/// );
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    json: Json,
}

impl Block {
    /// A text.
    pub fn text(text: &str) -> Block {
        Block::of("text", |writer| writer.text("text", text))
    }

    /// An image, from its bytes.
    pub fn image(bytes: impl AsRef<[u8]>, mime_type: &str) -> Block {
        Block::media("image", bytes.as_ref(), mime_type)
    }

    /// A sound, from its bytes.
    pub fn audio(bytes: impl AsRef<[u8]>, mime_type: &str) -> Block {
        Block::media("audio", bytes.as_ref(), mime_type)
    }

    /// A link to a resource.
    ///
    /// ```
    /// use resultant::{Block, Json};
    ///
    /// let link = Block::resource_link("file:///rows.csv", "rows.csv")
    ///     .with("mimeType", Json::string("text/csv"));
    /// assert_eq!(link.as_json().get("name"), Some(Json::string("rows.csv")));
    /// ```
    pub fn resource_link(uri: &str, name: &str) -> Block {
        Block::of("resource_link", |writer| {
            writer.text("uri", uri);
            writer.text("name", name);
        })
    }

    /// A resource inside the result.
    ///
    /// ```
    /// use resultant::{Block, Contents};
    ///
    /// let block = Block::embedded(&Contents::text("file:///a.md", "# A").mime_type("text/markdown"));
    /// assert!(block.as_json().get("resource").unwrap().get("text").is_some());
    /// ```
    pub fn embedded(contents: &Contents) -> Block {
        Block::of("resource", |writer| writer.json("resource", &contents.json))
    }

    /// A block that is JSON already: an object with a `type`.
    pub fn from_json(json: Json) -> Option<Block> {
        is_block(&json).then_some(Block { json })
    }

    /// Adds or replaces a field, such as `annotations` or `_meta`.
    #[must_use]
    pub fn with(self, key: &str, value: Json) -> Block {
        Block { json: with(&self.json, key, value) }
    }

    /// The block as JSON.
    pub fn as_json(&self) -> &Json {
        &self.json
    }

    fn media(kind: &str, bytes: &[u8], mime_type: &str) -> Block {
        Block::of(kind, |writer| {
            writer.text("data", &base64::encode(bytes));
            writer.text("mimeType", mime_type);
        })
    }

    fn of(kind: &str, fields: impl FnOnce(&mut ObjectWriter<'_>)) -> Block {
        let mut out = String::new();
        let mut writer = ObjectWriter::new(&mut out);
        writer.text("type", kind);
        fields(&mut writer);
        writer.end();
        Block { json: Json::trusted(out) }
    }
}

fn with(object: &Json, key: &str, value: Json) -> Json {
    let mut object = Object::of(object);
    object.set(key, value);
    object.to_json()
}

/// The contents of a resource: text or bytes, under a URI.
///
/// ```
/// use resultant::{Contents, reply_resource};
///
/// let contents = Contents::text("file:///a.md", "# A").mime_type("text/markdown");
/// let result = reply_resource("file:///a.md", None, contents).to_json();
/// assert_eq!(
///     result.to_string(),
///     r##"{"contents":[{"uri":"file:///a.md","text":"# A","mimeType":"text/markdown"}]}"##,
/// );
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Contents {
    json: Json,
}

impl Contents {
    /// Contents that are text.
    pub fn text(uri: &str, text: &str) -> Contents {
        Contents::of(uri, "text", text)
    }

    /// Contents that are bytes.
    pub fn blob(uri: &str, bytes: impl AsRef<[u8]>) -> Contents {
        Contents::of(uri, "blob", &base64::encode(bytes.as_ref()))
    }

    /// Contents that are JSON already: an object.
    pub fn from_json(json: Json) -> Option<Contents> {
        json.is_object().then_some(Contents { json })
    }

    /// Says what the text or the bytes are.
    #[must_use]
    pub fn mime_type(self, mime_type: &str) -> Contents {
        self.with("mimeType", Json::string(mime_type))
    }

    /// Adds or replaces a field, such as `_meta`.
    #[must_use]
    pub fn with(self, key: &str, value: Json) -> Contents {
        Contents { json: with(&self.json, key, value) }
    }

    /// The contents as JSON.
    pub fn as_json(&self) -> &Json {
        &self.json
    }

    fn of(uri: &str, key: &str, content: &str) -> Contents {
        let mut out = String::new();
        let mut writer = ObjectWriter::new(&mut out);
        writer.text("uri", uri);
        writer.text(key, content);
        writer.end();
        Contents { json: Json::trusted(out) }
    }
}

/// A whole tool result, for handlers that want every part of it in their own hands.
///
/// ```
/// use resultant::{Block, Json, ToolResult, reply};
///
/// let result = ToolResult::default()
///     .block(Block::text("2 rows"))
///     .structured(Json::parse(r#"{"rows": 2}"#)?)
///     .with("_meta", Json::parse(r#"{"trace": "t1"}"#)?);
/// assert_eq!(
///     reply(result).to_json().to_string(),
///     r#"{"content":[{"type":"text","text":"2 rows"}],"structuredContent":{"rows":2},"_meta":{"trace":"t1"}}"#,
/// );
/// # Ok::<(), resultant::SyntaxError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolResult {
    content: Vec<Json>,
    others: Object,
}

impl ToolResult {
    /// A result that is JSON already: an object whose `content` is a list.
    pub fn from_json(json: &Json) -> Option<ToolResult> {
        let mut others = Object::of(json);
        let content = others.remove("content").filter(Json::is_array)?;
        Some(ToolResult { content: content.items().collect(), others })
    }

    /// Adds a block.
    #[must_use]
    pub fn block(mut self, block: Block) -> ToolResult {
        self.content.push(block.json);
        self
    }

    /// Sets the structured content. Clients before 2026-07-28 take objects only; for them another
    /// value is wrapped in one, under `result`.
    #[must_use]
    pub fn structured(self, value: Json) -> ToolResult {
        self.with("structuredContent", value)
    }

    /// Marks the result as an error.
    #[must_use]
    pub fn error(self) -> ToolResult {
        self.with("isError", Json::bool(true))
    }

    /// Adds or replaces a field beside `content`, such as `_meta`.
    #[must_use]
    pub fn with(mut self, key: &str, value: Json) -> ToolResult {
        if key != "content" {
            self.others.set(key, value);
        }
        self
    }

    /// The result as JSON, before it is fitted to a protocol version.
    pub fn to_json(&self) -> Json {
        write_list("content", &self.content, &self.others)
    }
}

/// A whole answer to `resources/read`.
///
/// ```
/// use resultant::{Contents, ReadResult, reply_resource};
///
/// let both = ReadResult::default()
///     .contents(Contents::text("dir:///a", "A"))
///     .contents(Contents::text("dir:///b", "B"));
/// let result = reply_resource("dir:///", None, both).to_json();
/// assert_eq!(result.get("contents").unwrap().items().count(), 2);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadResult {
    contents: Vec<Json>,
    others: Object,
}

impl ReadResult {
    /// A result that is JSON already: an object whose `contents` is a list.
    pub fn from_json(json: &Json) -> Option<ReadResult> {
        let mut others = Object::of(json);
        let contents = others.remove("contents").filter(Json::is_array)?;
        Some(ReadResult { contents: contents.items().collect(), others })
    }

    /// Adds contents.
    #[must_use]
    pub fn contents(mut self, contents: Contents) -> ReadResult {
        self.contents.push(contents.json);
        self
    }

    /// Adds or replaces a field beside `contents`, such as `_meta`.
    #[must_use]
    pub fn with(mut self, key: &str, value: Json) -> ReadResult {
        if key != "contents" {
            self.others.set(key, value);
        }
        self
    }

    /// The result as JSON, before it is fitted to a protocol version.
    pub fn to_json(&self) -> Json {
        write_list("contents", &self.contents, &self.others)
    }
}

fn write_list(key: &str, items: &[Json], others: &Object) -> Json {
    let mut out = String::new();
    let mut writer = ObjectWriter::new(&mut out);
    writer.array(key, items, |out, item| push_compact(out, item.as_text()));
    for (key, value) in others.iter() {
        writer.json(key, value);
    }
    writer.end();
    Json::trusted(out)
}

impl Serialize for Block {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(name::BLOCK, &self.json)
    }
}

impl Serialize for Contents {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(name::CONTENTS, &self.json)
    }
}

impl Serialize for ToolResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(name::RESULT, &self.to_json())
    }
}

impl Serialize for ReadResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(name::READ_RESULT, &self.to_json())
    }
}
