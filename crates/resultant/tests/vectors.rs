//! The golden cases of reading: one JSON document a line.
#![expect(clippy::panic, reason = "a panic is a test's report")]

use resultant::{ClientOptions, Json, Outcome, ReadOptions, Schema, SchemaLimits};
use serde_json::Value;

/// Compares as the cases mean it: every artifact on the fields that are given.
fn assert_contract(id: &str, actual: &Value, expected: &Value, keys: Option<Vec<String>>) {
    let keys = keys.unwrap_or_else(|| {
        let both = actual.as_object().into_iter().chain(expected.as_object());
        both.flat_map(|object| object.keys().cloned()).collect()
    });
    for key in keys {
        let (actual, expected) = (&actual[&key], &expected[&key]);
        if key != "artifacts" {
            assert_eq!(actual, expected, "{id}: {key}");
            continue;
        }
        let (actual, expected) = (actual.as_array(), expected.as_array());
        assert_eq!(actual.map(Vec::len), expected.map(Vec::len), "{id}: artifacts");
        for (actual, expected) in actual.into_iter().flatten().zip(expected.into_iter().flatten()) {
            assert_contains(id, actual, expected);
        }
    }
}

/// Every member of the expectation is found in the value.
fn assert_contains(id: &str, actual: &Value, expected: &Value) {
    match expected {
        Value::Object(members) => {
            members.iter().for_each(|(key, value)| assert_contains(id, &actual[key], value));
        }
        _ => assert_eq!(actual, expected, "{id}"),
    }
}

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

fn check_raw(id: &str, case: &Value, text: &str, outcome: &Outcome) {
    for part in strings(&case["raw_contains"]) {
        assert!(text.contains(part), "{id}: {part} is not in {text}");
    }
    for part in strings(&case["raw_absent"]) {
        assert!(!text.contains(part), "{id}: {part} is in {text}");
    }
    let mut rest = text;
    for part in strings(&case["raw_order"]) {
        let at = rest.find(part).unwrap_or_else(|| panic!("{id}: {part} is not next in {rest}"));
        rest = &rest[at + part.len()..];
    }
    let notes_min = case["notes_min"].as_u64().unwrap_or(0);
    assert!(outcome.notes.len() as u64 >= notes_min, "{id}: {:?}", outcome.notes);
}

#[test]
fn contract() {
    let cases = include_str!("../../../corpus/vectors/contract.jsonl");
    let more = include_str!("../../../corpus/vectors/contract_more.jsonl");
    for line in cases.lines().chain(more.lines()) {
        let case: Value = serde_json::from_str(line).unwrap();
        let id = case["id"].as_str().unwrap();
        let input = Json::parse(line.to_owned()).unwrap();
        let outcome = match case["raw_input"].as_str() {
            Some(raw) => ReadOptions::default().read(raw),
            None => ReadOptions::default().read(&input.get("input").unwrap()),
        };
        let text = outcome.to_contract().to_string();
        let actual = outcome.to_contract().to_value();
        let keys = case["compare"].as_array().map(|_| strings(&case["compare"]));
        let keys = keys.map(|keys| keys.into_iter().map(str::to_owned).collect());
        assert_contract(id, &actual, &case["expect"], keys);
        if !case["contract_has"].is_null() {
            assert_contains(id, &actual, &case["contract_has"]);
        }
        check_raw(id, &case, &text, &outcome);
    }
}

#[test]
fn structured() {
    let cases = include_str!("../../../corpus/vectors/structured.jsonl");
    let more = include_str!("../../../corpus/vectors/structured_more.jsonl");
    for line in cases.lines().chain(more.lines()) {
        let case: Value = serde_json::from_str(line).unwrap();
        let id = case["id"].as_str().unwrap();
        let input = Json::parse(line.to_owned()).unwrap();
        let schema = input.get("output_schema").filter(|schema| !schema.is_null());
        let schema = schema.map(|json| Schema::compile(&json, &SchemaLimits::default()).unwrap());
        let options = ReadOptions { schema, ..Default::default() };
        let outcome = options.read(&input.get("input").unwrap());
        let protocol = case["protocol"].as_str().unwrap().parse().unwrap();
        let client = outcome.to_client(&ClientOptions { protocol, ..Default::default() });
        let mut actual = client.json.to_value();
        let members = actual.as_object_mut().unwrap();
        members.remove("resultType");
        if members.get("isError") == Some(&Value::Bool(false)) {
            members.remove("isError");
        }
        let keys = case["compare"].as_array().map(|_| strings(&case["compare"]));
        let keys = keys.map(|keys| keys.into_iter().map(str::to_owned).collect());
        assert_contract(id, &actual, &case["expect"], keys);
        check_raw(id, &case, &client.json.to_string(), &outcome);
    }
}

#[test]
fn r8_unknown_blocks_reach_clients_that_take_them() {
    let message =
        r#"{"content": [{"type": "text", "text": "x"}, {"type": "hologram", "data": [1]}]}"#;
    let outcome = resultant::read(message);
    let blocks = |takes_unknown_blocks: bool| {
        let options = ClientOptions { takes_unknown_blocks, ..Default::default() };
        let content = outcome.to_client(&options).json.get("content").unwrap();
        content.items().map(|block| block.get("type").unwrap().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(blocks(false), ["\"text\""]);
    assert_eq!(blocks(true), ["\"text\"", "\"hologram\""]);
}
