//! What an outcome that does not fit mainly is, and the file that holds it.
//!
//! Many servers wrap the one text they have to say in an object. That text is what the model asks
//! about, so it is what the file holds: as lines, rows or JSON, not as one long string.

use std::sync::Arc;

use bytestring::ByteString;

use super::{super::hide::Hidden, value::Value};
use crate::{
    artifact::{Artifact, Cut, own_name},
    json::{Json, Kind, members, unescape},
    outcome::Outcome,
    survey::{Survey, TextKind, grouped},
    table::TableKind,
};

/// A shorter string is not what an object is about.
const LEAD_BYTES_MIN: usize = 1 << 10;
/// Where texts are that stand beside the result.
pub(super) const ADDITIONAL_TEXT: &str = "additional_text";

pub(super) struct Lead<'a> {
    /// The member of the result that it is, as it is written; the result itself, where there is none.
    pub(super) key: Option<&'a str>,
    /// It is this one of the texts beside the result, not a part of the result.
    pub(super) beside: Option<usize>,
    pub(super) view: View,
    pub(super) file: Place<'a>,
}

/// What it looks like.
pub(super) enum View {
    Text(Arc<Survey>),
    Value(Box<Value>),
}

/// Where it is.
pub(super) enum Place<'a> {
    /// In a file of the outcome.
    Kept(&'a Artifact),
    /// In a file that is made now.
    Made(Box<Artifact>),
}

impl<'a> Lead<'a> {
    /// `shown` is the result without what a model must not see.
    pub(super) fn of(outcome: &'a Outcome, shown: &Json) -> Lead<'a> {
        if let Some(lead) = Lead::in_a_file(outcome) {
            return lead;
        }
        if let Some(lead) = Lead::beside(outcome) {
            return lead;
        }
        let text = outcome.results.as_text();
        let key = match outcome.results.kind() {
            Kind::String => Some(None),
            Kind::Object => longest_string(text).map(Some),
            _ => None,
        };
        let Some(key) = key else {
            let name = free_name(outcome, "results.json");
            let text = outcome.results.shared().clone();
            let file = Artifact::of_text(&name, "application/json", text);
            let view = View::Value(Box::new(Value::of(shown.clone())));
            return Lead { key: None, beside: None, view, file: Place::Made(Box::new(file)) };
        };
        let whole = member(&outcome.results, key).as_shared().unwrap_or_default();
        let shown = member(shown, key).as_shared().unwrap_or_default();
        let (view, file) = made_of(outcome, &shown, whole);
        Lead { key, beside: None, view, file }
    }

    /// A long text beside a short result is what the outcome is about.
    fn beside(outcome: &'a Outcome) -> Option<Lead<'a>> {
        let texts = outcome.meta_data.get(ADDITIONAL_TEXT).filter(|texts| texts.is_array())?;
        let (at, text) = texts.items().enumerate().max_by_key(|(_, text)| text.as_text().len())?;
        let text = text.as_shared()?;
        let results_len = outcome.results.as_text().len();
        if text.len() < LEAD_BYTES_MIN || text.len() / 4 < results_len {
            return None;
        }
        let hidden = Hidden::of(&outcome.artifacts).hide_in(&text);
        let (view, file) = made_of(outcome, &hidden.into(), text);
        Some(Lead { key: None, beside: Some(at), view, file })
    }

    /// A result whose text was cut out while it was read is in a file already.
    fn in_a_file(outcome: &'a Outcome) -> Option<Lead<'a>> {
        let text = outcome.results.as_text();
        let strings: Vec<(Option<&str>, &str)> = match outcome.results.kind() {
            Kind::String => vec![(None, text)],
            Kind::Object => members(text).map(|(key, value)| (Some(key), value)).collect(),
            _ => Vec::new(),
        };
        let is_main = |file: &&Artifact| file.size / 4 >= text.len() as u64;
        let cut_out = outcome.artifacts.iter().filter(|file| file.cut.is_some()).filter(is_main);
        let file = cut_out.max_by_key(|file| file.size)?;
        let cut: &Cut = file.cut.as_deref()?;
        let stands_for =
            |value: &str| value.starts_with('"') && unescape(value) == cut.stand_in.as_str();
        let (key, _) = strings.into_iter().find(|(_, value)| stands_for(value))?;
        let view = match &cut.json {
            Some(json) => View::Value(Box::new(Value::of(json.clone()))),
            None => View::Text(cut.survey.clone()),
        };
        Some(Lead { key, beside: None, view, file: Place::Kept(file) })
    }

    pub(super) fn file_name(&self) -> &str {
        match &self.file {
            Place::Kept(file) => &file.name,
            Place::Made(file) => &file.name,
        }
    }

    /// What it is, in a few words.
    pub(super) fn describe(&self, is_error: bool) -> String {
        let error = if is_error { "error, " } else { "" };
        let size = match &self.file {
            Place::Kept(file) => file.size,
            Place::Made(file) => file.size,
        };
        match &self.view {
            View::Text(survey) => format!("{error}{}", survey.describe()),
            View::Value(value) => format!("{error}{}, {} bytes", value.describe(), grouped(size)),
        }
    }
}

/// What a text looks like, and the file that holds it.
fn made_of<'a>(outcome: &Outcome, shown: &ByteString, whole: ByteString) -> (View, Place<'a>) {
    let view = match parsed(shown) {
        Some(json) => View::Value(Box::new(Value::of(json))),
        None => View::Text(Arc::new(Survey::of(shown))),
    };
    let (name, mime) = name_for(&view, outcome.is_error);
    let name = free_name(outcome, name);
    (view, Place::Made(Box::new(Artifact::of_text(&name, mime, whole))))
}

/// The key of the string that most of an object is.
fn longest_string(text: &str) -> Option<&str> {
    let (key, value) = members(text)
        .filter(|(_, value)| value.starts_with('"'))
        .max_by_key(|(_, value)| value.len())?;
    (value.len() >= LEAD_BYTES_MIN && value.len() / 4 * 5 >= text.len()).then_some(key)
}

/// The member with this key, as it is written, or the value itself.
fn member(json: &Json, key: Option<&str>) -> Json {
    match key {
        None => json.clone(),
        Some(key) => {
            let found = members(json.as_text()).find(|(name, _)| *name == key);
            found.map_or(Json::null(), |(_, value)| json.slice(value))
        }
    }
}

/// The list or object that a text is.
fn parsed(text: &ByteString) -> Option<Json> {
    let is_likely = text.trim_start().starts_with(['{', '[']);
    let json = is_likely.then(|| Json::parse(text.clone()).ok()).flatten()?;
    (json.is_object() || json.is_array()).then_some(json)
}

fn name_for(view: &View, is_error: bool) -> (&'static str, &'static str) {
    match view {
        _ if is_error => ("error.txt", "text/plain"),
        View::Value(_) => ("results.json", "application/json"),
        View::Text(survey) => file_of_kind(survey.kind).unwrap_or(("output.txt", "text/plain")),
    }
}

/// The name and type of a text that has one of its own.
pub(crate) fn file_of_kind(kind: TextKind) -> Option<(&'static str, &'static str)> {
    match kind {
        TextKind::Table(TableKind::Csv) => Some(("table.csv", "text/csv")),
        TextKind::Table(TableKind::Tsv) => Some(("table.tsv", "text/tab-separated-values")),
        TextKind::Table(TableKind::JsonLines) => Some(("rows.jsonl", "application/x-ndjson")),
        _ => None,
    }
}

/// A name that no artifact has.
pub(super) fn free_name(outcome: &Outcome, name: &str) -> String {
    let name = own_name(name, outcome.source.suffix.as_deref());
    let is_taken = |name: &str| outcome.artifacts.iter().any(|artifact| artifact.name == name);
    let (stem, extension) = name.split_once('.').unwrap_or((&name, ""));
    let numbered = (2..).map(|number| format!("{stem} ({number}).{extension}"));
    let mut names = std::iter::once(name.clone()).chain(numbered);
    names.find(|name| !is_taken(name)).unwrap_or_default()
}
