//! One value of a table, and what a text in one means.

use std::fmt::Write as _;

use crate::{
    Json, Kind,
    json::{push_compact, push_string},
};

/// One value of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Nothing, or not there.
    Null,
    /// `true` or `false`, of JSON and Python; in other tables it is text.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number with a point. It is finite.
    Float(f64),
    /// Text, and numbers that a float would round.
    Text(String),
    /// A list or an object, and numbers of JSON that a float would round.
    Json(Json),
}

/// Digits that a float keeps.
const FLOAT_DIGITS_MAX: usize = 17;

impl Cell {
    /// What the text of a cell means: a number if it is written as one usually is, so that neither
    /// `007` nor `1e5` nor a number of thirty digits is changed.
    pub(super) fn of_text(text: &str) -> Cell {
        if text.is_empty() {
            return Cell::Null;
        }
        number(text.trim()).unwrap_or_else(|| Cell::Text(text.to_owned()))
    }

    pub(super) fn of_json(json: Json) -> Cell {
        match json.kind() {
            Kind::Null => Cell::Null,
            Kind::Bool => Cell::Bool(json.as_bool().unwrap_or_default()),
            Kind::Number => json_number(json),
            Kind::String => Cell::Text(json.as_str().unwrap_or_default().into_owned()),
            Kind::Array | Kind::Object => Cell::Json(json),
        }
    }

    /// The cell as JSON.
    pub fn push_json(&self, out: &mut String) {
        match self {
            Cell::Null => out.push_str("null"),
            Cell::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Cell::Int(value) => {
                let _ = write!(out, "{value}");
            }
            Cell::Float(value) if value.is_finite() => {
                out.push_str(zmij::Buffer::new().format_finite(*value));
            }
            Cell::Float(_) => out.push_str("null"),
            Cell::Text(text) => push_string(out, text),
            Cell::Json(json) => push_compact(out, json.as_text()),
        }
    }
}

/// A number as JSON has it. An exponent is no accident here.
fn json_number(json: Json) -> Cell {
    let text = json.as_text();
    if let Some(cell) = number(text) {
        return cell;
    }
    let digits = text.split(['e', 'E']).next().unwrap_or_default();
    let significant = digits.bytes().filter(u8::is_ascii_digit).count();
    match text.parse::<f64>() {
        Ok(value)
            if text.contains(['e', 'E'])
                && value.is_finite()
                && significant <= FLOAT_DIGITS_MAX =>
        {
            Cell::Float(value)
        }
        _ => Cell::Json(json),
    }
}

/// A number that is written as one: no leading zeros, no plus, no exponent, no more digits than it
/// keeps.
pub(super) fn number(text: &str) -> Option<Cell> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = match digits.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (digits, None),
    };
    let all_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !all_digits(whole) || whole.len() > 1 && whole.starts_with('0') {
        return None;
    }
    match fraction {
        None => text.parse().ok().map(Cell::Int),
        Some(fraction)
            if all_digits(fraction) && whole.len() + fraction.len() <= FLOAT_DIGITS_MAX =>
        {
            text.parse().ok().map(Cell::Float)
        }
        Some(_) => None,
    }
}
