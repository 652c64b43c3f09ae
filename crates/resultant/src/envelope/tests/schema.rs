//! The schema accepts what the builders make, and refuses what they cannot.

use serde_json::{Value, json};

use super::*;
use crate::envelope;

fn is_valid(schema: &Json, value: &Json) -> bool {
    jsonschema::validator_for(&schema.to_value()).unwrap().is_valid(&value.to_value())
}

#[track_caller]
pub(super) fn accepts(schema: &Json, value: &Json) {
    let validator = jsonschema::validator_for(&schema.to_value()).unwrap();
    if let Err(error) = validator.validate(&value.to_value()) {
        panic!("{error} at {}: {value}", error.instance_path());
    }
}

fn schema_for(data: Value) -> Json {
    envelope::schema_for(&Json::from(data))
}

fn with(data: Value) -> Json {
    Envelope::success().data(data).to_json()
}

#[test]
fn the_committed_schema_is_the_generated_one() {
    let committed = include_str!("../../../../../docs/schema/response-v2.schema.json");
    let generated = schema().to_pretty();
    assert!(committed.trim_end() == generated, "the committed schema should be:\n{generated}");
}

#[test]
fn is_itself_a_valid_schema_rooted_in_an_object() {
    let any = schema();
    let tasks = schema_for(json!({"type": "object"}));
    for schema in [any, tasks] {
        assert!(jsonschema::meta::is_valid(&schema.to_value()));
        assert_eq!(schema.get("type").unwrap().as_str().unwrap(), "object");
    }
}

#[test]
fn refuses_what_the_builders_cannot_make() {
    let schema = schema();
    let meta = json!({"version": "response-v2"});
    accepts(
        &schema,
        &Json::from(json!({"success": true, "data": {}, "error": null, "meta": meta})),
    );
    for wrong in [
        json!({"success": true, "data": {}, "error": "m", "meta": meta}),
        json!({"success": false, "data": {}, "error": null, "meta": meta}),
        json!({"success": false, "data": {}, "error": "", "meta": meta}),
        json!({"success": true, "data": [], "error": null, "meta": meta}),
        json!({"success": true, "data": null, "error": null, "meta": meta}),
        json!({"success": true, "data": {}, "meta": meta}),
        json!({"success": true, "data": {}, "error": null, "meta": {}}),
        json!({"success": true, "data": {}, "error": null, "meta": {"version": "response-v1"}}),
        json!({"success": true, "data": {}, "error": null, "meta": meta, "found": true}),
        json!({"success": true, "data": {"_meta": 1}, "error": null, "meta": meta}),
        json!({"success": false, "data": {"error_code": 1}, "error": "m", "meta": meta}),
    ] {
        assert!(!is_valid(&schema, &Json::from(wrong.clone())), "{wrong}");
    }
}

#[test]
fn the_payload_has_its_schema_and_an_error_has_not() {
    let schema = schema_for(json!({
        "type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"],
    }));
    accepts(&schema, &with(json!({"n": 1})));
    accepts(&schema, &Envelope::error("m").to_json());
    assert!(!is_valid(&schema, &with(json!({"n": "1"}))));
    assert!(!is_valid(&schema, &with(json!({}))));
}

#[test]
fn references_follow_the_schema_to_its_new_place() {
    let schema = schema_for(json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "https://example.com/tree",
        "type": "object",
        "properties": {
            "name": {"$ref": "#/$defs/name"},
            "other": {"$ref": "https://example.com/tree#/$defs/name"},
            "anchored": {"$ref": "#short"},
            "children": {"type": "array", "items": {"$ref": "#"}},
            "default": {"$ref": "#/$defs/name"},
            "fixed": {"const": {"$ref": "#/$defs/name"}},
        },
        "$defs": {"name": {"type": "string"}, "brief": {"$anchor": "short", "maxLength": 2}},
    }));
    accepts(
        &schema,
        &with(json!({
            "name": "a", "other": "b", "anchored": "ab", "default": "c",
            "children": [{"name": "d", "children": []}],
            "fixed": {"$ref": "#/$defs/name"},
        })),
    );
    for wrong in [
        json!({"name": 1}),
        json!({"other": 1}),
        json!({"anchored": "abc"}),
        json!({"default": 1}),
        json!({"children": [{"name": 1}]}),
        json!({"children": [1]}),
    ] {
        assert!(!is_valid(&schema, &with(wrong.clone())), "{wrong}");
    }
}

#[test]
fn a_document_within_the_schema_is_left_alone() {
    let inner = json!({
        "$id": "https://example.com/inner", "$ref": "#/$defs/n", "$defs": {"n": {"type": "number"}},
    });
    let schema = schema_for(json!({"type": "object", "properties": {"inner": inner}}));
    accepts(&schema, &with(json!({"inner": 1})));
    assert!(!is_valid(&schema, &with(json!({"inner": "1"}))));
}

#[test]
fn reserved_members_are_allowed_beside_a_closed_payload() {
    let noted = |data: Value| Envelope::success().data(data).data_meta("a", 1).data_warning("w");
    let closed = json!({
        "type": "object", "properties": {"n": {"type": "integer"}}, "additionalProperties": false,
    });
    let composed = json!({"$ref": "#/$defs/closed", "$defs": {"closed": closed}});
    for schema in [schema_for(closed), schema_for(composed)] {
        accepts(&schema, &with(json!({"n": 1})));
        accepts(&schema, &noted(json!({"n": 1})).to_json());
        assert!(!is_valid(&schema, &with(json!({"m": 1}))));
    }
}

#[test]
fn payloads_that_are_no_objects_are_wrapped() {
    let list = schema_for(json!({"type": "array", "items": {"type": "string"}}));
    accepts(&list, &with(json!(["a"])));
    accepts(&list, &with(json!([])));
    assert!(!is_valid(&list, &with(json!([1]))));
    assert!(!is_valid(&list, &with(json!({}))));

    let option = schema_for(json!({"type": ["object", "null"], "required": ["n"]}));
    accepts(&option, &with(json!({"n": 1})));
    accepts(&option, &with(Value::Null));
    assert!(!is_valid(&option, &with(json!({"m": 1}))));

    let either =
        schema_for(json!({"anyOf": [{"type": "integer"}, {"type": "object", "required": ["n"]}]}));
    accepts(&either, &with(json!(7)));
    accepts(&either, &with(json!({"n": 1})));
    assert!(!is_valid(&either, &with(json!("7"))));
}

#[test]
fn a_schema_that_says_nothing_gives_the_general_one() {
    let any = envelope::schema_for(&Json::bool(true));
    assert_eq!(any.as_text(), schema().as_text());
    accepts(&schema_for(json!({})), &with(json!({"any": "thing"})));
}

#[test]
fn an_older_dialect_stays_the_dialect() {
    let schema = schema_for(json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {"n": {"$ref": "#/definitions/n"}},
        "definitions": {"n": {"type": "array", "items": [{"type": "string"}]}},
    }));
    accepts(&schema, &with(json!({"n": ["a", 1]})));
    assert!(!is_valid(&schema, &with(json!({"n": [1]}))));
}

#[test]
fn digits_of_the_schema_survive() {
    let data = r#"{"type":"object","properties":{"n":{"maximum":12345678901234567890123}}}"#;
    let schema = envelope::schema_for(&Json::parse(data).unwrap());
    assert!(schema.as_text().contains("12345678901234567890123"));
}
