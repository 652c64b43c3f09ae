//! What the protocol's schemas ask of a block, by version. An optional member that a version would
//! refuse is taken away; what it said is in the outcome or in a note.

use super::client::Edits;
use crate::{
    Protocol,
    json::{Json, Kind},
    wire::{Block, BlockKind},
};

/// The block as a version takes it, its bytes unchanged where it is valid; `None` where the version
/// has no such block.
pub(super) fn block_for(block: &Block, protocol: Protocol) -> Option<Json> {
    let source = &block.source;
    let mut edits = Edits::new(source);
    match &block.kind {
        BlockKind::Text(_) => {}
        BlockKind::Image { .. } => require_text(source.get("mimeType").as_ref())?,
        BlockKind::Audio { .. } if protocol.has_audio() => {
            require_text(source.get("mimeType").as_ref())?;
        }
        BlockKind::EmbeddedText { .. } | BlockKind::EmbeddedBlob { .. } => {
            let resource = source.get("resource")?;
            require_text(resource.get("uri").as_ref())?;
            let mut inner = Edits::new(&resource);
            inner.keep("mimeType", is_text);
            inner.keep("_meta", Json::is_object);
            edits.set("resource", Some(inner.finish()));
        }
        BlockKind::Link { uri, name } if protocol.has_resource_links() => {
            edits.set("uri", Some(same_or(source.get("uri"), uri)));
            edits.set("name", Some(same_or(source.get("name"), name)));
            keep_link_members(&mut edits, protocol);
        }
        BlockKind::Audio { .. } | BlockKind::Link { .. } | BlockKind::Unknown => return None,
    }
    edits.keep("annotations", |value| are_annotations(value, protocol));
    if protocol.has_structured_content() {
        edits.keep("_meta", Json::is_object);
    }
    Some(edits.finish())
}

/// A link as a block of its own.
pub(super) fn link_block(uri: &str, name: &str, members: &Json, protocol: Protocol) -> Json {
    let mut edits = Edits::new(members);
    edits.set("type", Some(Json::string("resource_link")));
    edits.set("uri", Some(same_or(members.get("uri"), uri)));
    edits.set("name", Some(same_or(members.get("name"), name)));
    keep_link_members(&mut edits, protocol);
    edits.keep("annotations", |value| are_annotations(value, protocol));
    edits.keep("_meta", Json::is_object);
    edits.finish()
}

fn keep_link_members(edits: &mut Edits<'_>, protocol: Protocol) {
    for key in ["title", "description", "mimeType"] {
        edits.keep(key, is_text);
    }
    edits.keep("size", is_integer);
    if protocol >= Protocol::V2025_11_25 {
        edits.keep("icons", are_icons);
    }
}

/// Whether annotations are what the version says they are.
pub(super) fn are_annotations(value: &Json, protocol: Protocol) -> bool {
    value.is_object()
        && value.members().all(|(key, value)| match &*key {
            "audience" => {
                let is_role = |role: &Json| matches!(role.as_text(), "\"user\"" | "\"assistant\"");
                value.is_array() && value.items().all(|role| is_role(&role))
            }
            "priority" => {
                let number = value.as_text().parse::<f64>();
                value.kind() == Kind::Number && number.is_ok_and(|n| (0.0..=1.0).contains(&n))
            }
            "lastModified" => is_text(&value) || !protocol.has_structured_content(),
            _ => true,
        })
}

/// Whether this member of a result's `_meta` is what the version says it is.
pub(super) fn is_meta_member(key: &str, value: &Json, protocol: Protocol) -> bool {
    if key != "io.modelcontextprotocol/serverInfo" || !protocol.is_modern() {
        return true;
    }
    let has_text = |key: &str| value.get(key).is_some_and(|value| is_text(&value));
    has_text("name")
        && has_text("version")
        && value.members().all(|(key, value)| match &*key {
            "title" | "description" | "websiteUrl" => is_text(&value),
            "icons" => are_icons(&value),
            _ => true,
        })
}

fn are_icons(value: &Json) -> bool {
    let is_icon = |icon: Json| {
        icon.get("src").is_some_and(|src| is_text(&src))
            && icon.members().all(|(key, value)| match &*key {
                "mimeType" => is_text(&value),
                "sizes" => value.is_array() && value.items().all(|size| is_text(&size)),
                "theme" => matches!(value.as_text(), "\"light\"" | "\"dark\""),
                _ => true,
            })
    };
    value.is_array() && value.items().all(is_icon)
}

fn is_integer(value: &Json) -> bool {
    let text = value.as_text();
    let digits = text.strip_prefix('-').unwrap_or(text);
    value.kind() == Kind::Number && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_text(value: &Json) -> bool {
    value.kind() == Kind::String
}

fn require_text(value: Option<&Json>) -> Option<()> {
    value.is_some_and(is_text).then_some(())
}

/// The member as it was sent, where it is this text.
fn same_or(sent: Option<Json>, text: &str) -> Json {
    sent.filter(|sent| sent.as_str().as_deref() == Some(text)).unwrap_or_else(|| Json::string(text))
}
