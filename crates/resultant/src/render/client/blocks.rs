//! Content blocks as they are written for a client.

use std::borrow::Cow;

use super::{ClientOptions, lanes::ShownImage};
use crate::{
    artifact::{Artifact, Content, sniff_image},
    base64,
    json::{ObjectWriter, push_compact, push_string},
    render::{hide::Hidden, valid::are_annotations},
    wire::{Block, BlockKind, Text},
};

/// A larger image, in base64, is only named: models refuse it.
const IMAGE_BASE64_BYTES_MAX: usize = 700_000;

/// A line of text for a block that a client does not know.
pub(super) fn name_block(block: &Block) -> String {
    match &block.kind {
        BlockKind::Link { uri, name } if name == uri => format!("[resource {uri}]"),
        BlockKind::Link { uri, name } => format!("[resource {name}: {uri}]"),
        BlockKind::Audio { mime, .. } => format!("[audio of type {mime}]"),
        BlockKind::EmbeddedText { text: Text::Inline(text), .. } => text.to_string(),
        _ => block.source.to_string(),
    }
}

pub(super) fn push_text_block(out: &mut String, text: &str) {
    out.push_str("{\"type\":\"text\",\"text\":");
    push_string(out, text);
    out.push('}');
}

/// An image that a model can take, as the block it came in, or as a smaller copy.
pub(super) fn image_block(
    artifact: &Artifact,
    hidden: &Hidden<'_>,
    options: &ClientOptions,
) -> Option<String> {
    if !artifact.is_for_the_eye() {
        return None;
    }
    let (mime, data) = match options.images.get(&artifact.sha256) {
        Some(ShownImage::Copy { mime, base64 }) => (*mime, Cow::Borrowed(base64.as_str())),
        Some(ShownImage::Name) => return None,
        None => {
            let Content::Base64(text) = &artifact.content else { return None };
            if text.len() > IMAGE_BASE64_BYTES_MAX {
                return None;
            }
            let bytes = artifact.to_bytes()?;
            (sniff_image(&bytes)?, Cow::Owned(base64::encode(&bytes)))
        }
    };
    let mut out = String::from("{\"type\":\"image\",\"data\":");
    push_string(&mut out, &data);
    out.push_str(",\"mimeType\":");
    push_string(&mut out, mime);
    let annotations = artifact.annotations.as_ref();
    if let Some(annotations) = annotations.filter(|value| are_annotations(value, options.protocol))
    {
        out.push_str(",\"annotations\":");
        push_compact(&mut out, hidden.hide(annotations).as_text());
    }
    out.push('}');
    Some(out)
}

pub(super) fn push_artifact_link(out: &mut String, artifact: &Artifact, hidden: &Hidden<'_>) {
    let mut writer = ObjectWriter::new(out);
    writer.text("type", "resource_link");
    writer.text("uri", &format!("resultant://files/{}", percent_encoded(&artifact.name)));
    writer.text("name", &artifact.name);
    writer.text("mimeType", &artifact.mime);
    writer.number("size", artifact.size);
    if let Some(description) = &artifact.description {
        writer.text("description", &hidden.hide_in(description));
    }
    let mut meta = ObjectWriter::new(writer.key("_meta"));
    meta.text("resultant/sha256", &artifact.sha256.to_string());
    meta.end();
    writer.end();
}

pub(super) fn push_description(out: &mut String, artifact: &Artifact) {
    let mut writer = ObjectWriter::new(out);
    writer.text("name", &artifact.name);
    writer.text("mime", &artifact.mime);
    writer.number("size", artifact.size);
    writer.text("sha256", &artifact.sha256.to_string());
    writer.end();
}

/// A name as a path segment of a URI.
fn percent_encoded(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                out.push(byte as char);
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
