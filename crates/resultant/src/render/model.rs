//! For the model: compact JSON within a budget. First the result, then facts, then what else there
//! is: names of files, never their bytes.

use std::fmt::Write as _;

use super::{budget::Budget, digest::digest, hide::Hidden};
use crate::{
    artifact::{Artifact, is_unseen},
    json::{Json, Object, ObjectWriter, push_string},
    note::Weight,
    outcome::{Link, Outcome},
};

/// What a model is given.
#[derive(Clone, Debug)]
pub struct ModelText {
    /// Compact JSON, within the budget.
    pub text: String,
    /// Whether everything is in it.
    pub is_complete: bool,
    /// The files that hold what is not.
    pub offloaded: Vec<Artifact>,
}

impl Outcome {
    /// The text for the model, within a budget.
    ///
    /// What does not fit is in a file, and leaves a preview that keeps its shape. The same outcome
    /// always gives the same text.
    ///
    /// ```
    /// use resultant::Budget;
    ///
    /// let rows = vec![r#"{"id": 1, "name": "abc"}"#; 5000].join(",");
    /// let outcome = resultant::read(format!(r#"{{"results": [{rows}]}}"#));
    /// let model = outcome.to_model(&Budget::default());
    /// assert!(model.text.starts_with(r#"{"complete":false,"#));
    /// assert!(model.text.len() <= 8192);
    /// assert_eq!(model.offloaded[0].name, "results.json");
    /// ```
    pub fn to_model(&self, budget: &Budget) -> ModelText {
        let parts = Parts::of(self);
        // What was cut out while it was read is not here, and a result that is larger than the
        // budget need not be written to know it.
        let is_here = self.artifacts.iter().all(|artifact| artifact.cut.is_none());
        if is_here && self.results.as_text().len() / 4 <= budget.bytes_max() {
            let text = with_unseen_escaped(parts.write());
            if budget.fits(&text) {
                return ModelText { text, is_complete: true, offloaded: Vec::new() };
            }
        }
        digest(self, &parts, budget)
    }
}

/// Characters that are not seen, or that change how others are read, are written as escapes: a model
/// must not be told what a person does not see.
pub(super) fn with_unseen_escaped(text: String) -> String {
    if !text.chars().any(is_unseen) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 64);
    for char in text.chars() {
        match is_unseen(char) {
            true => char.encode_utf16(&mut [0; 2]).iter().for_each(|unit| {
                let _ = write!(out, "\\u{unit:04x}");
            }),
            false => out.push(char),
        }
    }
    out
}

/// Members of the result that have the names of ours stand under `more`: what we say about a result
/// cannot be said by the result.
fn unforgeable(extra: &Object) -> Object {
    const OURS: [&str; 10] =
        ["complete", "is", "file", "persisted", "next", "parts", "files", "links", "notes", "more"];
    // A cursor is no call.
    let is_ours =
        |key: &str, value: &Json| OURS.contains(&key) && (key != "next" || value.is_object());
    let mut more = Object::default();
    let mut kept = Object::default();
    for (key, value) in extra.iter() {
        match is_ours(key, value) {
            true => more.set(key, value.clone()),
            false => kept.set(key, value.clone()),
        }
    }
    if !more.is_empty() {
        kept.set("more", more.to_json());
    }
    kept
}

/// What is written for the model, with nothing in it that must not be.
pub(super) struct Parts<'a> {
    pub(super) results: Json,
    pub(super) meta_data: Object,
    pub(super) extra: Object,
    pub(super) files: Vec<File<'a>>,
    pub(super) links: Vec<Link>,
    /// What was lost or changed.
    pub(super) notes: Vec<String>,
}

impl<'a> Parts<'a> {
    fn of(outcome: &'a Outcome) -> Parts<'a> {
        let hidden = Hidden::of(&outcome.artifacts);
        let members = |object: &Object| -> Object {
            object.iter().map(|(key, value)| (hidden.hide_in(key), hidden.hide(value))).collect()
        };
        let mut meta_data = members(&outcome.meta_data);
        if outcome.is_error {
            meta_data.set("is_error", Json::bool(true));
        }
        let changed = outcome.notes.iter().filter(|note| note.weight == Weight::Changed);
        Parts {
            results: hidden.hide(&outcome.results),
            meta_data,
            extra: unforgeable(&members(&outcome.extra)),
            files: outcome.artifacts.iter().map(|artifact| File::of(artifact, &hidden)).collect(),
            links: outcome
                .links
                .iter()
                .map(|link| Link {
                    uri: hidden.hide_in(&link.uri),
                    name: hidden.hide_in(&link.name),
                    json: Json::null(),
                })
                .collect(),
            notes: changed.map(|note| hidden.hide_in(&note.message)).collect(),
        }
    }

    fn write(&self) -> String {
        let mut out = String::with_capacity(self.results.as_text().len() + 256);
        let mut writer = ObjectWriter::new(&mut out);
        writer.json("results", &self.results);
        if !self.meta_data.is_empty() {
            writer.json("meta_data", &self.meta_data.to_json());
        }
        for (key, value) in self.extra.iter() {
            writer.json(key, value);
        }
        if !self.files.is_empty() {
            writer.array("files", &self.files, push_file);
        }
        if !self.links.is_empty() {
            writer.array("links", &self.links, push_link);
        }
        if !self.notes.is_empty() {
            writer.array("notes", &self.notes, |out, note| push_string(out, note));
        }
        writer.end();
        out
    }
}

/// What a model is told of a file.
pub(super) struct File<'a> {
    pub(super) name: &'a str,
    mime: String,
    size: u64,
    about: Option<String>,
    description: Option<String>,
}

impl<'a> File<'a> {
    fn of(artifact: &'a Artifact, hidden: &Hidden<'_>) -> File<'a> {
        File {
            name: &artifact.name,
            mime: hidden.hide_in(&artifact.mime),
            size: artifact.size,
            about: artifact.about(),
            description: artifact.description.as_ref().map(|text| hidden.hide_in(text)),
        }
    }
}

pub(super) fn push_file(out: &mut String, file: &File<'_>) {
    let mut writer = ObjectWriter::new(out);
    writer.text("name", file.name);
    writer.text("type", &file.mime);
    let _ = write!(writer.key("size"), "{}", file.size);
    if let Some(about) = &file.about {
        writer.text("about", about);
    }
    if let Some(description) = &file.description {
        writer.text("description", description);
    }
    writer.end();
}

pub(super) fn push_link(out: &mut String, link: &Link) {
    let mut writer = ObjectWriter::new(out);
    writer.text("name", &link.name);
    writer.text("uri", &link.uri);
    writer.end();
}
