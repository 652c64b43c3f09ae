//! Telling MCP's own shapes by their JSON.

use crate::Json;

/// Whether this is a block of a known or an unknown type.
pub(super) fn is_block(json: &Json) -> bool {
    json.get("type").is_some_and(|kind| kind.as_str().is_some())
}

/// Whether an object, by the values of its members, is a `CallToolResult`.
pub(super) fn is_whole_result(json: &Json) -> bool {
    json.members().all(|(key, value)| match &*key {
        "content" => value.is_array() && value.items().all(|block| is_known_block(&block)),
        "structuredContent" | "_meta" => value.is_object() || value.is_null(),
        "isError" => value.as_bool().is_some(),
        _ => true,
    })
}

/// Whether this is a block of a type that is in the specification, with the fields it must have.
fn is_known_block(block: &Json) -> bool {
    let has_texts = |object: &Json, keys: &[&str]| {
        keys.iter().all(|key| object.get(key).is_some_and(|value| value.as_str().is_some()))
    };
    match block.get("type").as_ref().and_then(Json::as_str).as_deref() {
        Some("text") => has_texts(block, &["text"]),
        Some("image" | "audio") => has_texts(block, &["data", "mimeType"]),
        Some("resource_link") => has_texts(block, &["uri", "name"]),
        Some("resource") => block.get("resource").is_some_and(|resource| {
            has_texts(&resource, &["uri", "text"]) || has_texts(&resource, &["uri", "blob"])
        }),
        _ => false,
    }
}

/// Whether an object is contents, by the types of its members.
pub(super) fn is_contents(json: &Json) -> bool {
    let is_text = |value: &Json| value.as_str().is_some();
    let has_body = ["text", "blob"].iter().any(|key| json.get(key).as_ref().is_some_and(is_text));
    has_body
        && json.members().all(|(key, value)| match &*key {
            "uri" => is_text(&value),
            "mimeType" => is_text(&value) || value.is_null(),
            "_meta" => value.is_object() || value.is_null(),
            _ => true,
        })
}
