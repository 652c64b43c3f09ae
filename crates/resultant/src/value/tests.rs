//! Golden cases as data, and real Rust types.

mod limits;
mod profiles;
mod rust_values;

use super::*;
use crate::{
    Note, Protocol,
    json::{Json, Object},
};

/// The result without what is not compared: `isError: false` is as good as none, and `resultType`
/// belongs to the version.
fn comparable(result: &Json) -> Json {
    let mut result = Object::of(result);
    result.remove("resultType");
    if result.get("isError") == Some(&Json::bool(false)) {
        result.remove("isError");
    }
    result.to_json()
}

/// Runs every line, and tells of all that differ.
fn check(lines: &str, write: impl Fn(&Json, Any) -> (Json, Vec<Note>)) {
    let mut failures = Vec::new();
    let mut count = 0;
    for line in lines.lines().filter(|line| !line.trim().is_empty()) {
        let case = Json::parse(line).unwrap();
        let (id, expect) = (case.get("id").unwrap(), case.get("expect").unwrap());
        let (result, notes) = write(&case, Any::from_tagged(&case.get("input").unwrap()));
        assert_eq!(Json::parse(result.as_text()).unwrap().as_text(), result.as_text());
        if comparable(&result) != comparable(&expect) {
            failures.push(format!("{id}\n  expected {expect}\n  found    {result}"));
        }
        let notes_min = case.get("notes_min").and_then(|count| count.as_u64()).unwrap_or(0);
        if (notes.len() as u64) < notes_min {
            failures.push(format!("{id}: {} notes, not {notes_min}", notes.len()));
        }
        count += 1;
    }
    assert!(failures.is_empty(), "{} of {count}:\n{}", failures.len(), failures.join("\n"));
    assert!(count > 0);
}

fn check_values(lines: &str) {
    check(lines, |_, value| Reply::from(value).to_json_and_notes());
}

fn check_resources(lines: &str) {
    check(lines, |case, value| {
        let uri = case.get("uri").unwrap().as_str().unwrap().into_owned();
        let mime_type = case.get("mime_type").and_then(|it| it.as_str().map(String::from));
        ResourceReply::of(&uri, mime_type.as_deref(), value).to_json_and_notes()
    });
}

#[test]
fn values_turn_into_results() {
    check_values(include_str!("../../../../corpus/vectors/value.jsonl"));
}

#[test]
fn more_values_turn_into_results() {
    check_values(include_str!("../../../../corpus/vectors/value_more.jsonl"));
}

#[test]
fn values_turn_into_resources() {
    check_resources(include_str!("../../../../corpus/vectors/resource.jsonl"));
}

#[test]
fn more_values_turn_into_resources() {
    check_resources(include_str!("../../../../corpus/vectors/resource_more.jsonl"));
}

/// A value's result, as text.
fn result<T: serde::Serialize>(value: T) -> String {
    reply(value).to_json().to_string()
}

/// The text of the first block of a value's result.
fn first_text<T: serde::Serialize>(value: T) -> String {
    let result = reply(value).to_json();
    let block = result.get("content").unwrap().items().next().unwrap();
    block.get("text").unwrap().as_str().unwrap().into_owned()
}

/// The structured content of a value's result, as text.
fn structured<T: serde::Serialize>(value: T) -> String {
    reply(value).to_json().get("structuredContent").unwrap().to_string()
}
