//! Our values as rmcp's types, and rmcp's types as our values.
//!
//! Nothing here fails either. A block that rmcp has no type for becomes text, and a field of a
//! result that it does not know goes under a key of ours in `_meta`.

use ::rmcp::{
    ErrorData,
    model::{CallToolResult, ContentBlock, MetaObject, ReadResourceResult, ResourceContents},
};
use serde_json::Value;

use crate::{Json, Object, Outcome, Protocol, Reply, ResourceReply, envelope::Envelope, reply};

/// Where fields travel that rmcp's type has no room for.
const CARRIED: &str = "resultant/carried";

/// Reads what rmcp's client got. [`ReadOptions::read`](crate::ReadOptions::read) does the same where
/// more is known about the server.
///
/// ```
/// use resultant::{Json, Protocol, ReadOptions};
/// use rmcp::model::CallToolResult;
///
/// let result = CallToolResult::structured(serde_json::json!({"results": 7}));
/// let outcome = resultant::rmcp::read(&result);
/// assert_eq!(outcome.results.to_string(), "7");
///
/// let options = ReadOptions { server: Some(Protocol::LATEST), ..Default::default() };
/// assert_eq!(options.read(&Json::from(&result)).results, outcome.results);
/// ```
pub fn read(result: &CallToolResult) -> Outcome {
    crate::read(&Json::from(result))
}

/// ```
/// use rmcp::model::CallToolResult;
///
/// let result = CallToolResult::from(resultant::reply("hello"));
/// assert_eq!(result.content[0].as_text().unwrap().text, "hello");
/// ```
impl From<Reply> for CallToolResult {
    fn from(reply: Reply) -> CallToolResult {
        CallToolResult::from(&reply.to_json())
    }
}

/// An envelope as text and as structured content; an error is one to the protocol too.
impl From<&Envelope> for CallToolResult {
    fn from(envelope: &Envelope) -> CallToolResult {
        CallToolResult::from(&envelope.to_result(Protocol::LATEST))
    }
}

/// A result that is JSON already. JSON that is no result becomes the value of one.
///
/// ```
/// use resultant::Json;
/// use rmcp::model::CallToolResult;
///
/// let json = Json::parse(r#"{"content": [{"type": "video", "data": ""}], "isError": true}"#).unwrap();
/// let result = CallToolResult::from(&json);
/// assert_eq!(result.is_error, Some(true));
/// assert_eq!(result.content[0].as_text().unwrap().text, r#"{"type":"video","data":""}"#);
/// ```
impl From<&Json> for CallToolResult {
    fn from(json: &Json) -> CallToolResult {
        let mut members = Object::of(json);
        let Some(content) = members.remove("content").filter(Json::is_array) else {
            return CallToolResult::from(reply(json));
        };
        // This says `resultType: "complete"`; rmcp takes it out for older clients.
        let mut result = CallToolResult::default();
        result.content = content.items().map(|block| content_block(&block)).collect();
        result.structured_content = members.remove("structuredContent").map(|json| json.to_value());
        result.is_error = members.remove("isError").and_then(|is_error| is_error.as_bool());
        members.remove("resultType");
        result.meta = meta(&mut members);
        result
    }
}

/// A result as rmcp's client got it, with what it has kept of it.
impl From<&CallToolResult> for Json {
    fn from(result: &CallToolResult) -> Json {
        Json::of(result)
    }
}

/// A handler that failed is a JSON-RPC error with its message: a `ReadResourceResult` cannot say so.
///
/// ```
/// use resultant::reply_resource;
/// use rmcp::model::ReadResourceResult;
///
/// let reply = reply_resource("app://config", Some("application/json"), [("debug", true)]);
/// let result = ReadResourceResult::try_from(reply)?;
/// assert_eq!(result.contents.len(), 1);
/// # Ok::<(), rmcp::ErrorData>(())
/// ```
impl TryFrom<ResourceReply> for ReadResourceResult {
    type Error = ErrorData;

    fn try_from(reply: ResourceReply) -> Result<ReadResourceResult, ErrorData> {
        match reply.failure() {
            Some(message) => Err(ErrorData::internal_error(message, None)),
            None => Ok(read_resource_result(&reply.to_json())),
        }
    }
}

/// A resource as rmcp's client got it, with what it has kept of it.
impl From<&ReadResourceResult> for Json {
    fn from(result: &ReadResourceResult) -> Json {
        Json::of(result)
    }
}

fn read_resource_result(json: &Json) -> ReadResourceResult {
    let mut members = Object::of(json);
    let contents = members.remove("contents").unwrap_or(Json::null());
    let mut result =
        ReadResourceResult::new(contents.items().map(|item| resource_contents(&item)).collect());
    members.remove("resultType");
    result.ttl_ms = members.remove("ttlMs").and_then(|ttl_ms| ttl_ms.as_u64());
    result.cache_scope = members.remove("cacheScope").and_then(|scope| scope.deserialize().ok());
    result.meta = meta(&mut members);
    result
}

fn content_block(json: &Json) -> ContentBlock {
    let known = serde_json::from_value(json.to_value());
    // An annotation that rmcp cannot read should not cost the block.
    let known = known.or_else(|_| {
        let mut members = Object::of(json);
        members.remove("annotations");
        serde_json::from_value(members.to_json().to_value())
    });
    known.unwrap_or_else(|_| ContentBlock::text(json.to_string()))
}

fn resource_contents(json: &Json) -> ResourceContents {
    serde_json::from_value(json.to_value()).unwrap_or_else(|_| {
        let uri = json.get("uri");
        let uri = uri.as_ref().and_then(Json::as_str).unwrap_or_default();
        ResourceContents::text(json.to_string(), uri).with_mime_type("application/json")
    })
}

/// `_meta`, with what is left of the members.
fn meta(members: &mut Object) -> Option<MetaObject> {
    let given = members.remove("_meta").filter(|meta| !meta.is_null());
    let mut meta = match given {
        Some(meta) if meta.is_object() => Object::of(&meta),
        Some(meta) => {
            members.set("_meta", meta);
            Object::default()
        }
        None => Object::default(),
    };
    if !members.is_empty() {
        meta.set(CARRIED, members.to_json());
    }
    match meta.to_json().to_value() {
        Value::Object(object) if !object.is_empty() => Some(MetaObject(object)),
        _ => None,
    }
}
