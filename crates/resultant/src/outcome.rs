//! The one value every result becomes; everything after reads only this.

mod builder;

pub(crate) use self::builder::{Builder, Fallback, FileBytes, FileDetails, Proposal, shown};
use crate::{
    artifact::{Artifact, Viewer},
    dialect::Dialect,
    json::{Json, Object, ObjectWriter},
    note::Note,
};

/// What a tool call came to, whatever convention it was written in.
///
/// ```
/// let outcome = resultant::read(r#"{"content": [{"type": "text", "text": "{\"n\": 2}"}]}"#);
/// assert_eq!(outcome.results.to_string(), r#"{"n":2}"#);
/// assert_eq!(outcome.to_contract().to_string(), r#"{"results":{"n":2}}"#);
/// ```
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The result; `null` when the tool produced nothing. Of an error: `{"error", "details"}`.
    pub results: Json,
    /// Whether the call failed.
    pub is_error: bool,
    /// Small facts beside the result.
    pub meta_data: Object,
    /// The files.
    pub artifacts: Vec<Artifact>,
    /// Resources that the result points to.
    pub links: Vec<Link>,
    /// How the files would like to be shown.
    pub display: Option<Display>,
    /// A live dashboard.
    pub canvas: Option<Canvas>,
    /// Top-level members that the contract does not know.
    pub extra: Object,
    /// What the protocol carries beside the result.
    pub carried: Carried,
    /// What was odd.
    pub notes: Vec<Note>,
    /// The convention it was written in, with the evidence.
    pub dialect: Dialect,
    pub(crate) source: Source,
    /// Files that nobody can look for, by their names.
    pub(crate) unkept: Vec<String>,
}

impl Outcome {
    /// Says that this file could not be kept, or could not be made: no text for the model sends
    /// anybody there.
    pub fn mark_not_kept(&mut self, name: &str) {
        self.unkept.push(name.to_owned());
    }
}

/// What the protocol carries beside the result: for clients, not for the model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Carried {
    /// The members of `_meta`.
    pub meta: Object,
    /// Every other top-level member of the result that is not understood here.
    pub fields: Object,
    /// What a text block has beside its text, by the block's place: annotations, `_meta`, the URI of
    /// an embedded resource, members that nobody knows yet.
    pub blocks: Vec<(usize, Json)>,
    /// How many blocks the result has.
    pub block_count: usize,
}

/// A pointer to a resource: a `resource_link` block as it was sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The resource.
    pub uri: String,
    /// Its name.
    pub name: String,
    /// The block's members, without its type.
    pub json: Json,
}

/// How the files of a result would like to be shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Display {
    /// Whether the canvas should open. Only an explicit `false` keeps it closed.
    pub open_canvas: Option<bool>,
    /// The artifact to show first; always the name of one.
    pub primary_file: Option<String>,
    /// How to place it beside what is open.
    pub mode: Option<Mode>,
    /// The viewer to use.
    pub viewer_hint: Option<Viewer>,
    /// Members that the contract does not know.
    pub extra: Object,
}

/// How something new is placed beside what is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the contract's words")]
pub enum Mode {
    Replace,
    Append,
    Split,
}

impl Mode {
    /// The contract's word.
    pub fn as_str(self) -> &'static str {
        match self {
            Mode::Replace => "replace",
            Mode::Append => "append",
            Mode::Split => "split",
        }
    }

    pub(crate) fn of(word: &str) -> Option<Mode> {
        [Mode::Replace, Mode::Append, Mode::Split].into_iter().find(|mode| mode.as_str() == word)
    }
}

/// A live dashboard in a frame: the contract's members, without the token.
#[derive(Clone, Debug, PartialEq)]
pub struct Canvas {
    /// `open`, `id`, `persistence`, `type`, `url`, `title`, `mode` and what else was sent.
    pub members: Object,
    /// The capability token: for the frame alone, never written for model, client or program.
    pub token: Option<String>,
}

/// Where an outcome comes from: what a client may get unchanged.
#[derive(Clone, Debug, Default)]
pub(crate) struct Source {
    /// The tool result as it was sent, if it was one.
    pub(crate) result: Option<Json>,
    /// Bytes were repaired, long strings cut out, or the result is no result by the protocol.
    pub(crate) is_rewritten: bool,
    /// The structured content, sent or found in text by the schema.
    pub(crate) structured: Option<Json>,
    /// The structured content is an explicit null that counts.
    pub(crate) has_null_structured: bool,
    /// Whether the structured content was found by the schema.
    pub(crate) is_upgraded: bool,
    /// What an older client is told about the schema: its values are wrapped in `result`.
    pub(crate) is_schema_wrapped: bool,
    /// The schema refuses the structured content, or needs one and there is none.
    pub(crate) has_schema_problem: bool,
    /// What names of ours end with.
    pub(crate) suffix: Option<String>,
}

/// What an error says that says nothing.
pub(crate) const FAILED_WITHOUT_MESSAGE: &str = "tool failed without a message";

/// The results of an error.
pub(crate) fn error_results(message: &str, details: Option<&Json>) -> Json {
    let mut out = String::new();
    let mut writer = ObjectWriter::new(&mut out);
    writer.text("error", message);
    if let Some(details) = details {
        writer.json("details", details);
    }
    writer.end();
    Json::trusted(out)
}
