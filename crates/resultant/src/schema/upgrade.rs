//! From text to structured content (R12).

use super::{Problem, Schema, Verdict, place};
use crate::{
    json::Json,
    note::{Note, Rule},
};

/// What came of looking for structured content in the texts of a result.
#[derive(Clone, Debug, PartialEq)]
pub enum Upgrade {
    /// A text is JSON that validates.
    Found {
        /// Which text it is, counted from 0.
        index: usize,
        /// What becomes the structured content.
        json: Json,
    },
    /// No text is.
    Failed {
        /// Why not: a note of R12.
        note: Note,
    },
}

pub(super) fn upgrade<'a>(schema: &Schema, texts: impl Iterator<Item = &'a str>) -> Upgrade {
    let mut first = None;
    for (index, text) in texts.enumerate() {
        match structured(schema, text) {
            Ok(json) => return Upgrade::Found { index, json },
            Err(verdict) => first = first.or(verdict.map(|verdict| (index, verdict))),
        }
    }
    let note = match first {
        Some((index, verdict)) => failure(index, &verdict),
        None => Note::remark(
            Rule::R12,
            "",
            "the tool declares an output schema, and no text of the result is JSON",
        ),
    };
    Upgrade::Failed { note }
}

/// The structured content that a text is, or what the schema says to its JSON if it is JSON.
fn structured(schema: &Schema, text: &str) -> Result<Json, Option<Verdict>> {
    let parsed = Json::parse(text.to_owned()).ok();
    let verdict = parsed.as_ref().map(|json| schema.check(json));
    if let (Some(json), Some(Verdict::Valid)) = (&parsed, &verdict) {
        return Ok(json.clone());
    }
    if schema.wraps_result() {
        // A tool that returns a string may return one that happens to be JSON.
        for value in parsed.into_iter().chain([Json::string(text)]) {
            let wrapped = place::wrap_value(&value);
            if schema.check(&wrapped).is_valid() {
                return Ok(wrapped);
            }
        }
    }
    Err(verdict)
}

fn failure(index: usize, verdict: &Verdict) -> Note {
    let text = index + 1;
    match verdict {
        Verdict::Invalid(problems) => {
            let nowhere = Problem::unplaced();
            let Problem { pointer, message, .. } = problems.first().unwrap_or(&nowhere);
            Note::remark(
                Rule::R12,
                pointer,
                format!("text {text} does not validate against the output schema: {message}"),
            )
        }
        Verdict::Unchecked(reason) => Note::remark(
            Rule::R12,
            "",
            format!("text {text} was not checked against the output schema: {reason}"),
        ),
        Verdict::Valid => Note::remark(Rule::R12, "", format!("text {text} validates")),
    }
}
