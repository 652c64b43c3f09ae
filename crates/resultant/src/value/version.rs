//! A content block for a client of a given protocol version.

use super::{
    recognize::is_block,
    write::{Writer, push_base64},
};
use crate::{
    Protocol, Rule,
    json::{Json, Object, push_compact, push_string},
};

/// Fields that may be absent from a block but, by the schema, may not be null.
const OPTIONAL_FIELDS: [&str; 7] =
    ["_meta", "annotations", "description", "icons", "mimeType", "size", "title"];

/// Appends a text block.
pub(super) fn push_text_block(out: &mut String, text: &str) {
    out.push_str(TEXT_BLOCK);
    push_string(out, text);
    out.push('}');
}

/// Appends a text block that holds bytes.
pub(super) fn push_base64_block(out: &mut String, bytes: &[u8]) {
    out.push_str(TEXT_BLOCK);
    push_base64(out, bytes);
    out.push('}');
}

const TEXT_BLOCK: &str = "{\"type\":\"text\",\"text\":";

/// Appends a block that the client knows: one its version lacks becomes a line that names it.
pub(super) fn push_block(out: &mut String, block: &Json, protocol: Protocol, writer: &mut Writer) {
    if !is_block(block) {
        writer.changed(Rule::R8, "this is not a content block and became text");
        return push_text_block(out, &block.to_string());
    }
    let kind = block.get("type");
    let kind = kind.as_ref().and_then(Json::as_str).unwrap_or_default();
    match &*kind {
        "audio" if !protocol.has_audio() => {
            writer.changed(Rule::R8, format!("a client of {protocol} knows no audio"));
            push_text_block(out, &audio_line(block));
        }
        "resource_link" if !protocol.has_resource_links() => {
            writer.changed(Rule::R8, format!("a client of {protocol} knows no resource links"));
            push_text_block(out, &link_line(block));
        }
        "resource" if let Some(resource) = block.get("resource") => {
            let mut block = without_nulls(block);
            block.set("resource", without_nulls(&resource).to_json());
            push_compact(out, block.to_json().as_text());
        }
        _ if block.members().any(|(_, value)| value.is_null()) => {
            push_compact(out, without_nulls(block).to_json().as_text());
        }
        _ => push_compact(out, block.as_text()),
    }
}

/// An object without the optional fields that are null.
pub(super) fn without_nulls(object: &Json) -> Object {
    let mut object = Object::of(object);
    for key in OPTIONAL_FIELDS {
        if object.get(key).is_some_and(Json::is_null) {
            object.remove(key);
        }
    }
    object
}

fn audio_line(block: &Json) -> String {
    let data = block.get("data");
    let data = data.as_ref().and_then(Json::as_str).unwrap_or_default();
    let bytes = data.trim_end_matches('=').len() * 3 / 4;
    match text_of(block, "mimeType") {
        Some(mime_type) => format!("[audio: {mime_type}, {bytes} bytes]"),
        None => format!("[audio: {bytes} bytes]"),
    }
}

fn link_line(block: &Json) -> String {
    let mut line = "[link:".to_owned();
    for key in ["name", "uri", "mimeType", "description"] {
        if let Some(text) = text_of(block, key) {
            line.push(' ');
            line.push_str(&text);
        }
    }
    line.push(']');
    line
}

fn text_of(block: &Json, key: &str) -> Option<String> {
    let text = block.get(key)?.as_str()?.into_owned();
    (!text.is_empty()).then_some(text)
}
