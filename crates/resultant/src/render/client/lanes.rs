//! What of a result a client shows to its model, and which blocks it takes.
//!
//! Clients disagree, so an unknown one gets the same small text in each lane. Of a known one the
//! rest follows from four facts: which lanes it shows, which blocks it takes, whether an image
//! beside structured content is lost, and how much of images it can carry.

use super::ClientOptions;
use crate::{
    artifact::{Artifact, Origin},
    json::{Json, ObjectWriter},
    outcome::Outcome,
    render::model::ModelText,
    wire::{Block, BlockKind, read_block_of},
};

/// Which lanes of a result a client shows to its model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sees {
    /// Nobody knows: each lane stands alone.
    #[default]
    Either,
    /// The content.
    Content,
    /// The structured content where there is some, else the content.
    Structured,
    /// Both: what is in the text is not said again in the structured content.
    Both,
}

/// The types of blocks that a client takes, beside text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockTypes {
    /// Images.
    pub image: bool,
    /// Audio.
    pub audio: bool,
    /// Embedded resources.
    pub resource: bool,
    /// Links to resources.
    pub resource_link: bool,
    /// Types that are not known here.
    pub unknown: bool,
}

/// How an image of a result is shown to the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShownImage {
    /// By a smaller copy.
    Copy {
        /// The copy's type.
        mime: &'static str,
        /// Its bytes.
        base64: String,
    },
    /// By its name alone.
    Name,
}

impl BlockTypes {
    /// Whether a client takes this block as it is.
    pub(super) fn take(self, block: &Block) -> bool {
        match &block.kind {
            BlockKind::Text(_) => true,
            BlockKind::Image { .. } => self.image,
            BlockKind::Audio { .. } => self.audio,
            BlockKind::EmbeddedText { .. } | BlockKind::EmbeddedBlob { .. } => self.resource,
            BlockKind::Link { .. } => self.resource_link,
            BlockKind::Unknown => self.unknown,
        }
    }

    /// Whether it takes every block of a result, or a line of text in its place says as much.
    pub(super) fn pass(self, result: &Json) -> bool {
        let content = result.get("content").filter(Json::is_array);
        content.iter().flat_map(Json::items).all(|block| {
            let block = read_block_of(block);
            let has_line =
                matches!(block.kind, BlockKind::Link { .. } | BlockKind::EmbeddedText { .. });
            has_line || self.take(&block)
        })
    }
}

impl Artifact {
    /// Whether it came as an image block: the model should see it.
    pub fn is_for_the_eye(&self) -> bool {
        self.origin == Origin::ImageBlock
    }
}

impl Outcome {
    /// Whether a client that shows structured content alone would lose an image that it need not
    /// lose: where a schema was advertised, the structured content must stay.
    pub(super) fn loses_images(&self, options: &ClientOptions) -> bool {
        let has_structured = self.source.structured.is_some() || self.source.has_null_structured;
        let is_shown = |file: &Artifact| {
            let shown = options.images.get(&file.sha256);
            file.is_for_the_eye() && shown != Some(&ShownImage::Name)
        };
        options.drops_images
            && has_structured
            && !options.is_advertised
            && self.artifacts.iter().any(is_shown)
    }
}

/// What stands in the structured content where the text has the digest.
pub(super) fn pointer(model: &ModelText) -> Json {
    let digest = Json::parse(model.text.as_str()).ok();
    let is_kept = digest.as_ref().is_none_or(|digest| digest.get("persisted").is_none());
    let named =
        digest.and_then(|digest| digest.get("file")?.as_str().map(|name| name.into_owned()));
    let made = || model.offloaded.first().filter(|_| is_kept).map(|file| file.name.clone());
    let name = named.or_else(made);
    let mut out = String::new();
    let mut writer = ObjectWriter::new(&mut out);
    writer.bool("complete", false);
    match name.filter(|_| !model.is_complete) {
        Some(name) => writer.text("file", &name),
        None if is_kept => writer.text("note", "all of it is in the text"),
        None => writer.text("note", "what there is of it is in the text"),
    }
    writer.end();
    Json::trusted(out)
}
