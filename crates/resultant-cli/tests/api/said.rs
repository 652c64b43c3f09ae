//! Every response is what the committed document says of it.

use std::sync::LazyLock;

use serde_json::Value;

use crate::client::{Response, stop};

static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../../docs/openapi.json")).expect("JSON")
});

/// The described operation of a request line.
fn operation(line: &str) -> Option<&'static Value> {
    let (method, target) = line.split_once(' ')?;
    let path = target.split('?').next()?;
    let paths = DOCUMENT["paths"].as_object()?;
    let parts: Vec<&str> = path.split('/').collect();
    let fits = |pattern: &str| {
        let pattern: Vec<&str> = pattern.split('/').collect();
        let same = |(expected, part): (&&str, &&str)| expected == part || expected.starts_with('{');
        pattern.len() == parts.len() && pattern.iter().zip(&parts).all(same)
    };
    let mut found: Vec<_> = paths.iter().filter(|(pattern, _)| fits(pattern)).collect();
    // A literal part outranks a variable one.
    found.sort_by_key(|(pattern, _)| pattern.matches('{').count());
    found.first().and_then(|(_, methods)| methods.get(method.to_ascii_lowercase()))
}

/// Checks the status, the media type and, of JSON, the required members.
pub(crate) fn check(line: &str, response: &Response) {
    let Some(operation) = operation(line) else { return };
    let status = response.status.to_string();
    let described = operation["responses"].get(&status);
    let described =
        described.unwrap_or_else(|| stop(&format!("{line}: {status} is not described")));
    let kind = response.header("content-type").unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default();
    let Some(contents) = described["content"].as_object() else {
        assert!(response.body.is_empty(), "{line}: a body where none is described: {response}");
        return;
    };
    let is_any = contents.contains_key("*/*");
    assert!(is_any || contents.contains_key(kind), "{line}: {kind} is not described: {response}");
    if (kind == "application/json" || kind == "application/problem+json") && !is_any {
        let schema = &contents[kind]["schema"];
        if !schema.is_null() {
            fits(line, schema, &response.json());
        }
    }
}

/// A small part of JSON Schema: references, required members, members that are not known, types.
fn fits(place: &str, schema: &Value, value: &Value) {
    if let Some(reference) = schema["$ref"].as_str() {
        let schema = DOCUMENT.pointer(reference.trim_start_matches('#')).expect(reference);
        return fits(place, schema, value);
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind.as_str()],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let found = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    let is_known = types.is_empty()
        || types.contains(&found)
        || (found == "integer" && types.contains(&"number"));
    assert!(is_known, "{place}: {found} where {types:?} is described: {value}");
    for required in schema["required"].as_array().into_iter().flatten() {
        let key = required.as_str().expect("a name");
        assert!(value.get(key).is_some(), "{place}: `{key}` is missing: {value}");
    }
    if let (Some(members), Some(known)) = (value.as_object(), schema["properties"].as_object()) {
        for (key, member) in members {
            let schema = known.get(key);
            let schema =
                schema.unwrap_or_else(|| stop(&format!("{place}: `{key}` is not described")));
            fits(&format!("{place} {key}"), schema, member);
        }
    }
    if let Some(items) = value.as_array().filter(|_| schema["items"].is_object()) {
        items.iter().for_each(|item| fits(place, &schema["items"], item));
    }
}
