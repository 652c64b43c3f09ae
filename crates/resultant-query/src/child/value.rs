//! jq's values as JSON.
//!
//! jq knows values that JSON does not: numbers that are none, strings that are not text, keys that
//! are not strings. Each is written as the JSON that is nearest to it.

use std::fmt::Write as _;

use jaq_json::{Num, Val};
use resultant::Json;

/// What is nested deeper is left out, because few readers would follow.
const DEPTH_MAX: usize = 256;

/// Appends a value. Ends early, and says so, when the text is longer than allowed.
pub(super) fn push(out: &mut String, value: &Val, bytes_max: usize) -> bool {
    push_nested(out, value, bytes_max, 0)
}

fn push_nested(out: &mut String, value: &Val, bytes_max: usize, depth: usize) -> bool {
    match value {
        Val::Null => out.push_str("null"),
        Val::Bool(true) => out.push_str("true"),
        Val::Bool(false) => out.push_str("false"),
        Val::Num(number) => push_number(out, number),
        Val::TStr(bytes) | Val::BStr(bytes) => {
            out.push_str(Json::string(&String::from_utf8_lossy(bytes)).as_text());
        }
        Val::Arr(_) | Val::Obj(_) if depth >= DEPTH_MAX => out.push_str("\"…\""),
        Val::Arr(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                if !push_nested(out, item, bytes_max, depth + 1) {
                    return false;
                }
            }
            out.push(']');
        }
        Val::Obj(members) => {
            out.push('{');
            for (at, (key, value)) in members.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                push_key(out, key, bytes_max);
                out.push(':');
                if !push_nested(out, value, bytes_max, depth + 1) {
                    return false;
                }
            }
            out.push('}');
        }
    }
    out.len() <= bytes_max
}

fn push_key(out: &mut String, key: &Val, bytes_max: usize) {
    match key {
        Val::TStr(bytes) | Val::BStr(bytes) => {
            out.push_str(Json::string(&String::from_utf8_lossy(bytes)).as_text());
        }
        other => {
            let mut text = String::new();
            push_nested(&mut text, other, bytes_max, DEPTH_MAX - 1);
            out.push_str(Json::string(&text).as_text());
        }
    }
}

fn push_number(out: &mut String, number: &Num) {
    match number {
        Num::Float(value) if value.is_nan() => out.push_str("null"),
        Num::Float(value) if value.is_infinite() => {
            // The nearest number that is one.
            let _ = write!(out, "{}1.7976931348623157e308", if *value < 0.0 { "-" } else { "" });
        }
        number => {
            let text = number.to_string();
            // A decimal keeps the spelling of the filter it was written in.
            match Json::parse(text.clone()) {
                Ok(_) => out.push_str(&text),
                Err(_) => out.push_str(Json::string(&text).as_text()),
            }
        }
    }
}
