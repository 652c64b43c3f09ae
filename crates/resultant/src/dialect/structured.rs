//! Which part of a result is its payload: rule R2.

use crate::{
    json::{Findings, Json, Scanned, members},
    note::{Note, Rule},
    outcome::Builder,
    wire::{Structured, Text, WireResult, only_result},
};

/// The payload of a result, and the texts that are not part of it.
pub(crate) enum Payload {
    /// A value, from structured content or from JSON text.
    Value(Chosen),
    /// Plain texts only; none, where there is nothing.
    Texts(Vec<Text>),
}

/// A value that is the payload.
pub(crate) struct Chosen {
    pub(crate) json: Json,
    /// It is structured content.
    pub(crate) is_structured: bool,
    /// It was the only member, `result`, of structured content.
    pub(crate) was_wrapped: bool,
    /// The texts that are not it.
    pub(crate) beside: Vec<Text>,
    /// What was repaired in a text that holds it.
    pub(crate) findings: Findings,
}

impl Chosen {
    fn structured(json: Json, was_wrapped: bool, beside: Vec<Text>) -> Chosen {
        Chosen { json, is_structured: true, was_wrapped, beside, findings: Findings::default() }
    }

    /// A payload that stands alone.
    pub(crate) fn bare(json: Json) -> Chosen {
        Chosen { is_structured: false, ..Chosen::structured(json, false, Vec::new()) }
    }

    fn text(scanned: Scanned, beside: Vec<Text>) -> Chosen {
        let Scanned { json, findings } = scanned;
        Chosen { json, is_structured: false, was_wrapped: false, beside, findings }
    }
}

/// What the tool's schema and the server's version say about a result.
#[derive(Clone, Copy, Default)]
pub(crate) struct Knowledge {
    /// The schema carries `x-fastmcp-wrap-result`.
    pub(crate) schema_wraps: bool,
    /// The server speaks 2026-07-28, where a null is a value.
    pub(crate) is_modern: bool,
}

/// Chooses the payload: structured content when it is there, else the first text when it is JSON,
/// else the texts.
pub(crate) fn choose_payload(
    builder: &Builder<'_>,
    structured: &Structured,
    texts: Vec<Text>,
    first_block_text: Option<&Text>,
    knowledge: Knowledge,
) -> Payload {
    match structured {
        Structured::Value(value) => {
            of_structured(builder, value, texts, first_block_text, knowledge)
        }
        Structured::Null if texts.is_empty() || knowledge.is_modern => {
            let beside = without_mirror(builder, texts, &[&Json::null()]);
            Payload::Value(Chosen::structured(Json::null(), false, beside))
        }
        _ => of_texts(builder, texts, first_block_text),
    }
}

fn of_structured(
    builder: &Builder<'_>,
    value: &Json,
    texts: Vec<Text>,
    first_block_text: Option<&Text>,
    knowledge: Knowledge,
) -> Payload {
    let inner = only_result(value).filter(|inner| {
        knowledge.schema_wraps
            || first_block_text.is_some_and(|text| text_equals(builder, text, inner))
    });
    let Some(inner) = inner else {
        let beside = without_mirror(builder, texts, &[value]);
        return Payload::Value(Chosen::structured(value.clone(), false, beside));
    };
    let beside = without_mirror(builder, texts, &[value, &inner]);
    // A string found so is read like a text block.
    let mut chosen = Chosen::structured(inner, true, beside);
    if let Some(scanned) = Text::of(&chosen.json).and_then(|text| builder.json_of_text(&text)) {
        (chosen.json, chosen.findings) = (scanned.json, scanned.findings);
    }
    Payload::Value(chosen)
}

fn of_texts(
    builder: &Builder<'_>,
    mut texts: Vec<Text>,
    first_block_text: Option<&Text>,
) -> Payload {
    match first_block_text.and_then(|text| builder.json_of_text(text)) {
        Some(scanned) if scanned.json.is_object() || scanned.json.is_array() => {
            texts.remove(0);
            Payload::Value(Chosen::text(scanned, texts))
        }
        Some(scanned) if texts.len() == 1 => Payload::Value(Chosen::text(scanned, Vec::new())),
        _ => Payload::Texts(texts),
    }
}

/// The texts without those that are one of the values once more, or a long string in it.
fn without_mirror(builder: &Builder<'_>, mut texts: Vec<Text>, values: &[&Json]) -> Vec<Text> {
    // A mirror is one text among few. Looking for each of many would take the square of their size.
    const MIRRORS_AMONG_MAX: usize = 16;
    let are_few = texts.len() <= MIRRORS_AMONG_MAX;
    let is_mirror = |text: &Text, value: &Json| {
        text_equals(builder, text, value) || are_few && is_member(builder, text, value)
    };
    texts.retain(|text| !values.iter().any(|value| is_mirror(text, value)));
    texts
}

/// Whether a long text is a member of an object as well: it need not be kept twice.
fn is_member(builder: &Builder<'_>, text: &Text, value: &Json) -> bool {
    const MEMBER_BYTES_MIN: usize = 1 << 10;
    let is_long = !matches!(text, Text::Inline(text) if text.len() < MEMBER_BYTES_MIN);
    is_long
        && members(value.as_text()).any(|(_, member)| {
            match (text, Text::of(&value.slice(member))) {
                (Text::Inline(text), Some(Text::Inline(content))) => *text == content,
                (Text::Spilled(one), Some(Text::Spilled(other))) => {
                    builder.is_same_text(*one, other)
                }
                _ => false,
            }
        })
}

/// Whether a text is the value: its JSON, or its own words where it is a string.
fn text_equals(builder: &Builder<'_>, text: &Text, value: &Json) -> bool {
    match (text, Text::of(value)) {
        (Text::Inline(text), Some(Text::Inline(content))) if *text == content => return true,
        // Most mirrors are the same bytes.
        (Text::Inline(text), _) if text.trim() == value.as_text() => return true,
        (Text::Inline(text), _) if !may_equal(text, value) => return false,
        _ => {}
    }
    builder.json_of_text(text).is_some_and(|scanned| scanned.json.same_value(value))
}

/// A cheap look that saves parsing prose.
fn may_equal(text: &str, value: &Json) -> bool {
    // Escapes make a spelling at most six times as long.
    const SPELLING_FACTOR: usize = 8;
    if text.len() < value.as_text().len() / SPELLING_FACTOR {
        return false;
    }
    let text = text.trim_start();
    let first = |text: &str| {
        text.bytes().next().map(|byte| match byte {
            b'-' | b'0'..=b'9' => b'0',
            other => other,
        })
    };
    first(text) == first(value.as_text())
}

/// What a Python dump says twice in two ways.
pub(crate) fn note_other_data(builder: &mut Builder<'_>, wire: &WireResult) {
    for (key, data) in &wire.other_data {
        let message = match *key {
            "data" => "structured_content and data differ; structured_content counts",
            _ => "structuredContent and structured_content differ; structuredContent counts",
        };
        let note = Note::changed(Rule::R2, format!("/{key}"), message);
        builder.note(note.with_left_out(data.clone()));
    }
}
