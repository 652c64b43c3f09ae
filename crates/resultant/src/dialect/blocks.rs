//! Plain MCP content: rule R8. Files become artifacts, links stay links, texts are collected.

use crate::{
    artifact::{Origin, last_segment},
    json::{Json, Object},
    note::{Note, Rule},
    outcome::{Builder, Fallback, FileBytes, FileDetails, Link, Proposal, shown},
    wire::{Block, BlockKind, Text},
};

/// The texts of a result, in their order; empty ones are nothing.
#[derive(Default)]
pub(crate) struct Texts {
    pub(crate) all: Vec<Text>,
    /// Whether the first text is a text block, and not the text of an embedded resource.
    pub(crate) starts_with_block: bool,
}

/// Reads every block.
pub(crate) fn read_blocks(builder: &mut Builder<'_>, blocks: &[Block]) -> Texts {
    let mut texts = Texts::default();
    let mut counts = Counts::default();
    for (at, block) in blocks.iter().enumerate() {
        let place = format!("/content/{at}");
        read_block(builder, &place, at, block, &mut texts, &mut counts);
    }
    texts
}

#[derive(Default)]
struct Counts {
    images: usize,
    audio: usize,
    resources: usize,
}

fn read_block(
    builder: &mut Builder<'_>,
    place: &str,
    at: usize,
    block: &Block,
    texts: &mut Texts,
    counts: &mut Counts,
) {
    match &block.kind {
        BlockKind::Text(text) => {
            carry(builder, place, at, block);
            if !text.is_empty() {
                texts.starts_with_block |= texts.all.is_empty();
                texts.all.push(text.clone());
            }
        }
        BlockKind::Image { data, mime } => {
            counts.images += 1;
            let stem = format!("image-{}", counts.images);
            add_block_file(builder, place, block, "data", stem, mime, data);
        }
        BlockKind::Audio { data, mime } => {
            counts.audio += 1;
            let stem = format!("audio-{}", counts.audio);
            add_block_file(builder, place, block, "data", stem, mime, data);
        }
        BlockKind::EmbeddedBlob { mime, blob, .. } => {
            counts.resources += 1;
            let stem = format!("resource-{}", counts.resources);
            add_block_file(builder, place, block, "blob", stem, mime, blob);
        }
        BlockKind::EmbeddedText { mime, text, .. } => {
            counts.resources += 1;
            let blob = block.source.get("resource").and_then(|inner| inner.get("blob"));
            if let Some(blob) = blob.filter(|blob| !blob.is_null()) {
                let message = "an embedded resource has text and a blob; the text counts";
                builder.note(Note::changed(Rule::R8, place, message).with_left_out(blob));
            }
            let is_short = matches!(text, Text::Inline(text)
                if text.len() <= builder.limits.embedded_text_bytes_max);
            if is_short {
                carry(builder, place, at, block);
                if !text.is_empty() {
                    texts.all.push(text.clone());
                }
            } else {
                let stem = format!("resource-{}", counts.resources);
                let mime = if mime.is_empty() { "text/plain" } else { mime };
                let json = block.source.get("resource").and_then(|inner| inner.get("text"));
                let json = json.unwrap_or(Json::null());
                add_block_file(builder, place, block, "text", stem, mime, &json);
            }
        }
        BlockKind::Link { uri, name } => {
            let mut members = Object::of(&block.source);
            members.remove("type");
            builder.links.push(Link {
                uri: uri.clone(),
                name: name.clone(),
                json: members.to_json(),
            });
        }
        BlockKind::Unknown => keep_unknown(builder, place, at, block),
    }
}

/// The members of a block, and of its resource, that are not in the text or file that it becomes.
fn rest_of(block: &Block, content: &str, mime: Option<&str>) -> Object {
    let is_mime = |value: &Json| mime.is_some() && value.as_str().as_deref() == mime;
    let mut members = Object::of(&block.source);
    members.remove("type");
    let rest = |mut members: Object| {
        members.remove(content);
        if content == "text" {
            members.remove("blob");
        }
        if members.get("mimeType").is_some_and(is_mime) {
            members.remove("mimeType");
        }
        // A file has its annotations.
        let annotations = block.annotations.as_ref().map(Json::as_text);
        if mime.is_some() && members.get("annotations").map(Json::as_text) == annotations {
            members.remove("annotations");
        }
        members
    };
    if members.get("resource").is_none_or(|inner| !inner.is_object()) {
        return rest(members);
    }
    let inner = members.remove("resource").as_ref().map(Object::of).unwrap_or_default();
    let mut members = rest(members);
    let inner = rest(inner);
    if !inner.is_empty() {
        members.set("resource", inner.to_json());
    }
    members
}

/// Keeps what a block has beside its text, for clients.
fn carry(builder: &mut Builder<'_>, place: &str, at: usize, block: &Block) {
    let rest = rest_of(block, "text", None);
    if !rest.is_empty() {
        let json = builder.resolve_handles(&rest.to_json(), place);
        builder.carried.blocks.push((at, json));
    }
}

fn add_block_file(
    builder: &mut Builder<'_>,
    place: &str,
    block: &Block,
    content: &str,
    stem: String,
    mime: &str,
    data: &Json,
) {
    let uri = match &block.kind {
        BlockKind::EmbeddedBlob { uri, .. } | BlockKind::EmbeddedText { uri, .. } => uri.as_str(),
        _ => "",
    };
    let bytes = match (&block.kind, Text::of(data)) {
        (BlockKind::EmbeddedText { .. }, Some(text)) => FileBytes::Text(text),
        _ => FileBytes::Base64(data.clone()),
    };
    let mut extra = Object::default();
    let rest = rest_of(block, content, Some(mime));
    if !rest.is_empty() {
        let rest = builder.resolve_handles(&rest.to_json(), place);
        extra.set("block", rest);
    }
    let details = FileDetails {
        annotations: block.annotations.clone(),
        origin: match block.kind {
            BlockKind::Image { .. } => Origin::ImageBlock,
            _ => Origin::OtherBlock,
        },
        extra,
        ..Default::default()
    };
    let proposal = Proposal {
        name: name_of_uri(uri),
        fallback: Fallback::Stem(stem),
        mime: mime.to_owned(),
        bytes,
        details,
        source: block.source.clone(),
    };
    builder.add_file(place, proposal);
}

/// The last segment of a URI's path, its percent signs decoded.
fn name_of_uri(uri: &str) -> Option<String> {
    let path = uri.split(['?', '#']).next().unwrap_or_default();
    let path = path.split_once("://").map_or(path, |(_, rest)| rest.trim_start_matches('/'));
    let segment = last_segment(path.trim_end_matches('/'));
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.as_bytes();
    while let Some((&byte, more)) = rest.split_first() {
        let code = more.get(..2).and_then(|code| std::str::from_utf8(code).ok());
        let code = code.filter(|code| byte == b'%' && !code.starts_with('+'));
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(decoded) => {
                bytes.push(decoded);
                rest = &more[2..];
            }
            None => {
                bytes.push(byte);
                rest = more;
            }
        }
    }
    let name = String::from_utf8_lossy(&bytes).into_owned();
    (!name.is_empty()).then_some(name)
}

/// A block of a type that nobody knows yet is kept whole.
fn keep_unknown(builder: &mut Builder<'_>, place: &str, at: usize, block: &Block) {
    let name = format!("block-{}.json", at + 1);
    let source = builder.resolve_handles(&block.source, place);
    let name = builder.keep_text(&name, "application/json", &source);
    let kind = block.source.get("type").as_ref().and_then(Json::as_str).map(|kind| shown(&kind));
    let message = match kind {
        Some(kind) => format!("a block of type `{kind}` cannot be read; it is kept as `{name}`"),
        None => format!("a block without a type is kept as `{name}`"),
    };
    builder.note(Note::changed(Rule::R8, place, message));
}
