//! Schemas as data: which arguments are found, and what is left without them.

use std::sync::Arc;

use resultant_store::SessionKind;

use super::*;
use crate::caller::User;

fn json(text: &str) -> Json {
    Json::parse(text.to_owned()).unwrap()
}

fn names(schema: &str, inject: &Inject) -> Vec<(String, bool)> {
    let params = params_of(Some(&json(schema)), inject);
    params.into_iter().map(|param| (param.name, param.is_declared)).collect()
}

#[test]
fn arguments_are_found_at_the_top_only() {
    let declared = vec![("username".to_owned(), true)];
    let unknown = vec![("username".to_owned(), false)];
    for (schema, expected) in [
        (r#"{"properties": {"username": {"type": "string"}}}"#, &declared),
        (r#"{"properties": {"user\u006eame": {}}}"#, &declared),
        (r#"{"properties": {"username": true}}"#, &declared),
        (r#"{"allOf": [{"properties": {"username": {}}}]}"#, &declared),
        (r#"{"anyOf": [{}, {"properties": {"username": {}}}]}"#, &declared),
        (r##"{"$ref": "#/$defs/A", "$defs": {"A": {"properties": {"username": {}}}}}"##, &declared),
        (
            r##"{"$ref": "#/$defs/%41", "$defs": {"A": {"properties": {"username": {}}}}}"##,
            &declared,
        ),
        (r#"{"$ref": "https://other.example/schema"}"#, &unknown),
        (r#"{"allOf": [{"$ref": "other.json"}], "properties": {"a": {}}}"#, &unknown),
        (r##"{"$dynamicRef": "#meta"}"##, &unknown),
        (r#"{"properties": {"user": {"properties": {"username": {}}}}}"#, &vec![]),
        (r#"{"properties": {"Username": {}, "user_name": {}, "usernames": {}}}"#, &vec![]),
        (r#"{"properties": {"a": {"description": "the username"}}}"#, &vec![]),
        (r##"{"properties": {"a": {"$ref": "https://other.example"}}}"##, &vec![]),
        (r#"{"description": "\"username\""}"#, &vec![]),
        (r#"{"type": "object"}"#, &vec![]),
        (r##"{"$ref": "#"}"##, &vec![]),
    ] {
        assert_eq!(names(schema, &Inject::ByMode), *expected, "{schema}");
        assert_eq!(names(schema, &Inject::Named(Vec::new())), [], "{schema}");
    }
    let unlisted = params_of(None, &Inject::ByMode);
    assert_eq!(unlisted.len(), 1);
    assert!(!unlisted[0].is_declared);
    let named = Inject::Named(vec![("who".to_owned(), Fact::Email)]);
    let both = r#"{"properties": {"username": {}, "who": {}}}"#;
    assert_eq!(names(both, &named), [("who".to_owned(), true)]);
}

#[track_caller]
fn check_hidden(schema: &str, expected: &str) {
    let schema = json(schema);
    let params = params_of(Some(&schema), &Inject::ByMode);
    assert_eq!(without(&schema, &params).to_string(), json(expected).to_string(), "{schema}");
}

#[test]
fn the_rest_of_the_schema_stays() {
    check_hidden(
        r#"{"type": "object", "properties": {"a": {"default": 1.50}, "username": {"type": "string"},
            "b": {"const": "\u00e9"}}, "required": ["a", "username"], "additionalProperties": false,
            "x-own": [1e400]}"#,
        r#"{"type": "object", "properties": {"a": {"default": 1.50}, "b": {"const": "\u00e9"}},
            "required": ["a"], "additionalProperties": false, "x-own": [1e400]}"#,
    );
    check_hidden(
        r#"{"type": "object", "properties": {"username": {}}, "required": ["username"]}"#,
        r#"{"type": "object", "properties": {}}"#,
    );
    check_hidden(
        r#"{"properties": {"username": {}, "a": {"properties": {"username": {}},
            "required": ["username"]}}}"#,
        r#"{"properties": {"a": {"properties": {"username": {}}, "required": ["username"]}}}"#,
    );
    check_hidden(
        r#"{"properties": {"username": {}, "a": {}, "b": {}}, "dependentRequired":
            {"a": ["username", "b"], "username": ["a"]}, "dependencies": {"b": ["username"]}}"#,
        r#"{"properties": {"a": {}, "b": {}}, "dependentRequired": {"a": ["b"]},
            "dependencies": {"b": []}}"#,
    );
    check_hidden(
        r#"{"allOf": [{"properties": {"username": {}}, "required": ["username"]}, {"title": "t"}],
            "anyOf": [{"required": ["username"]}, {"required": ["a"]}]}"#,
        r#"{"allOf": [{"properties": {}}, {"title": "t"}], "anyOf": [{}, {"required": ["a"]}]}"#,
    );
    let unchanged = r#"{"properties" : {"a": {}}}"#;
    let params = params_of(None, &Inject::ByMode);
    assert_eq!(without(&json(unchanged), &params).as_text(), unchanged);
}

#[test]
fn nothing_shows_through_a_reference() {
    check_hidden(
        r##"{"type": "object", "$ref": "#/$defs/P", "$defs": {"P": {"properties":
            {"username": {}, "a": {"$ref": "#/$defs/Q"}}, "required": ["username", "a"]}, "Q": {}}}"##,
        r##"{"type": "object", "$defs": {"Q": {}}, "allOf": [{"properties":
            {"a": {"$ref": "#/$defs/Q"}}, "required": ["a"]}]}"##,
    );
    // Elsewhere it is a user of the tool's own, and stays.
    check_hidden(
        r##"{"allOf": [{"$ref": "#/$defs/U"}], "properties": {"owner": {"$ref": "#/$defs/U"}},
            "$defs": {"U": {"properties": {"username": {}}}}}"##,
        r##"{"allOf": [{"allOf": [{"properties": {}}]}], "properties":
            {"owner": {"$ref": "#/$defs/U"}}, "$defs": {"U": {"properties": {"username": {}}}}}"##,
    );
    check_hidden(
        r##"{"$ref": "#/definitions/a~1b", "definitions": {"a/b": {"properties": {"username": {}}}}}"##,
        r##"{"allOf": [{"properties": {}}]}"##,
    );
    // A schema that is part of itself comes to an end.
    let params = params_of(None, &Inject::ByMode);
    let endless = json(
        r##"{"properties": {"username": {}}, "allOf": [{"$ref": "#/$defs/A"}],
             "$defs": {"A": {"properties": {"username": {}}, "allOf": [{"$ref": "#/$defs/A"}]}}}"##,
    );
    let hidden = without(&endless, &params);
    assert!(hidden.get("properties").unwrap().members().next().is_none());
    let itself = json(r##"{"properties": {"username": {}}, "anyOf": [{"$ref": "#"}]}"##);
    assert!(without(&itself, &params).get("properties").unwrap().members().next().is_none());
}

fn caller(email: Option<&str>, is_authenticated: bool) -> Caller {
    let user = User {
        id: "u1".to_owned(),
        name: "ada".to_owned(),
        email: email.map(str::to_owned),
        is_authenticated,
    };
    Caller::of(Arc::new(user)).within("s1", SessionKind::Api)
}

#[test]
fn values_are_the_callers_or_the_call_is_refused() {
    let params = |fact| vec![Param { name: "p".to_owned(), fact, is_declared: true }];
    let value = |fact, caller: &Caller, users_authenticate| {
        values(&params(fact), caller, users_authenticate, |_| false)
            .map(|values| values[0].1.clone())
            .map_err(|refused| refused.to_string())
    };
    let ada = caller(Some("ada@math.example"), true);
    assert_eq!(value(Fact::Username, &ada, true).unwrap(), "ada@math.example");
    assert_eq!(value(Fact::Email, &ada, true).unwrap(), "ada@math.example");
    assert_eq!(value(Fact::Session, &ada, true).unwrap(), "s1");
    let nameless = caller(None, true);
    assert_eq!(value(Fact::Username, &nameless, true).unwrap(), "ada");
    assert!(value(Fact::Email, &nameless, true).unwrap_err().contains("e-mail address"));
    for fact in [Fact::Username, Fact::Email, Fact::Session] {
        let refused = value(fact, &caller(Some("x@y"), false), true).unwrap_err();
        assert!(refused.contains("nobody is signed in"), "{refused}");
    }
    // Whoever runs a local gateway is who they are.
    assert_eq!(value(Fact::Username, &caller(None, false), false).unwrap(), "ada");
    assert!(value(Fact::Email, &caller(None, false), false).is_err());
}

#[test]
fn what_may_be_there_is_replaced_where_it_is() {
    let params = params_of(None, &Inject::ByMode);
    let ada = caller(None, true);
    assert_eq!(values(&params, &ada, true, |_| true).unwrap(), [("username", "ada".to_owned())]);
    assert_eq!(values(&params, &ada, true, |_| false).unwrap(), []);
    assert!(values(&params, &caller(None, false), true, |_| true).is_err());
    assert!(values(&params, &caller(None, false), true, |_| false).is_ok());
    assert!(is_on(&Inject::ByMode, true) && !is_on(&Inject::ByMode, false));
    assert!(is_on(&Inject::Named(Vec::new()), false));
}
