//! Something odd that was seen, kept beside the value.

use std::fmt;

use crate::json::{Json, ObjectWriter};

/// The rule of the contract that a note belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the contract's text says what each rule is")]
pub enum Rule {
    R1,
    R2,
    R3,
    R4,
    R5,
    R6,
    R7,
    R8,
    R9,
    R10,
    R11,
    R12,
    R13,
    R14,
    /// What a gateway did to the arguments of a call.
    Arguments,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// Whom a note concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// For the person and the log.
    Remark,
    /// Data was changed or left out: the model is told as well.
    Changed,
}

/// Something odd that was seen: a rule, a place, a sentence, and what was left out, if anything was.
///
/// ```
/// let outcome = resultant::read(r#"{"content": [], "structuredContent": {"results": 1, "meta_data": 7}}"#);
/// let note = &outcome.notes[0];
/// assert_eq!((note.rule, note.place.as_str()), (resultant::Rule::R4, "/meta_data"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// The rule it belongs to.
    pub rule: Rule,
    /// A JSON pointer into the payload, or `byte N` of the message.
    pub place: String,
    /// What was seen and what was done, in one sentence.
    pub message: String,
    /// Whom it concerns.
    pub weight: Weight,
    /// What is not found anywhere else in the outcome.
    pub left_out: Option<Json>,
}

impl Note {
    /// A note for the person and the log.
    pub fn remark(rule: Rule, place: impl Into<String>, message: impl Into<String>) -> Note {
        let (place, message) = (place.into(), message.into());
        Note { rule, place, message, weight: Weight::Remark, left_out: None }
    }

    /// A note about data that was changed or left out.
    pub fn changed(rule: Rule, place: impl Into<String>, message: impl Into<String>) -> Note {
        Note { weight: Weight::Changed, ..Note::remark(rule, place, message) }
    }

    /// Adds what was left out.
    #[must_use]
    pub fn with_left_out(self, value: Json) -> Note {
        Note { left_out: Some(value), ..self }
    }

    /// The note as one JSON object. What was left out is in it up to 1 KiB; a longer value is
    /// described by its size.
    pub fn to_json(&self) -> Json {
        const LEFT_OUT_BYTES_MAX: usize = 1 << 10;
        self.json_with(LEFT_OUT_BYTES_MAX)
    }

    /// The note with all that was left out.
    pub(crate) fn to_whole_json(&self) -> Json {
        self.json_with(usize::MAX)
    }

    fn json_with(&self, left_out_bytes_max: usize) -> Json {
        let mut out = String::new();
        let mut writer = ObjectWriter::new(&mut out);
        writer.text("rule", &self.rule.to_string());
        writer.text("place", &self.place);
        writer.text("message", &self.message);
        writer.text(
            "weight",
            match self.weight {
                Weight::Remark => "remark",
                Weight::Changed => "changed",
            },
        );
        if let Some(value) = &self.left_out {
            if value.as_text().len() <= left_out_bytes_max {
                writer.json("left_out", value);
            } else {
                writer.number("left_out_bytes", value.as_text().len() as u64);
            }
        }
        writer.end();
        Json::trusted(out)
    }
}

/// `R6 /artifacts/0: message`.
impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Note { rule, place, message, .. } = self;
        match place.is_empty() {
            true => write!(f, "{rule}: {message}"),
            false => write!(f, "{rule} {place}: {message}"),
        }
    }
}
