//! What is known of clients. The same rows are in the file of those that are known already.

use schemars::JsonSchema;
use serde::Deserialize;

/// What is known of a client: what of a result its model sees, and how much of it.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ClientRow {
    /// The names that it gives itself (`clientInfo.name`), in any case. `*` stands for any
    /// characters, `?` for one; the longest pattern that fits counts.
    pub(crate) names: Option<Vec<String>>,
    /// Which lanes of a result its model sees.
    pub(crate) sees: Option<Sees>,
    /// The types of blocks that it takes beside text. When absent, small results pass whatever
    /// their blocks are.
    pub(crate) blocks: Option<Vec<BlockType>>,
    /// Whether an image beside structured content does not reach the model.
    pub(crate) drops_images: Option<bool>,
    /// Whether files are also given as blocks that link to them.
    pub(crate) links: Option<bool>,
    /// The most that it takes of a result, whatever the budget is.
    pub(crate) limits: ClientLimits,
}

/// The most that a client takes of a result.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ClientLimits {
    /// Bytes of text.
    #[schemars(range(min = 256))]
    pub(crate) bytes: Option<usize>,
    /// Tokens of text.
    #[schemars(range(min = 64))]
    pub(crate) tokens: Option<usize>,
    /// Characters of text.
    #[schemars(range(min = 256))]
    pub(crate) characters: Option<usize>,
    /// Bytes of all images together, in base64; further ones are only named.
    pub(crate) image_bytes: Option<usize>,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Sees {
    /// Not known: each lane stands alone.
    Either,
    /// The content.
    Content,
    /// The structured content where there is some, else the content.
    Structured,
    /// Both.
    Both,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum BlockType {
    /// Images.
    Image,
    /// Audio.
    Audio,
    /// Embedded resources.
    Resource,
    /// Links to resources.
    ResourceLink,
    /// Types that this gateway does not know.
    Other,
}
