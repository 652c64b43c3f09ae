use std::{fmt::Write as _, thread};

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn compile(schema: Value) -> Result<Schema, SchemaError> {
    Schema::compile(&Json::from(schema), &SchemaLimits::default())
}

fn schema(schema: Value) -> Schema {
    compile(schema).unwrap()
}

fn json(text: &str) -> Json {
    Json::parse(text.to_owned()).unwrap()
}

fn check(schema: &Schema, text: &str) -> Verdict {
    schema.check(&json(text))
}

/// A text that keeps an automaton from finding a rhythm.
fn coins(len: usize) -> String {
    let mut state = 1_u64;
    let coin = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        if state >> 63 == 0 { 'a' } else { 'b' }
    };
    (0..len).map(coin).collect()
}

/// Runs it where a tokio worker would: on a small stack.
fn on_small_stack<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let builder = thread::Builder::new().stack_size(1 << 20);
        builder.spawn_scoped(scope, run).unwrap().join().unwrap()
    })
}

#[test]
fn verdicts() {
    let cases = [
        (json!(true), "1", None),
        (json!(false), "1", Some(("", "falseSchema"))),
        (json!({}), "null", None),
        (json!({"type": "object", "required": ["a"]}), "{}", Some(("", "required"))),
        (
            json!({"properties": {"a/b": {"type": "null"}}}),
            r#"{"a/b": 1}"#,
            Some(("/a~1b", "type")),
        ),
        (json!({"items": {"enum": [1, 2]}}), "[1, 3]", Some(("/1", "enum"))),
        (json!({"format": "email"}), r#""no""#, None),
        (json!({"contentEncoding": "base64"}), r#""!""#, None),
        (json!({"pattern": "^a+$"}), r#""b""#, Some(("", "pattern"))),
        (json!({"$ref": "#/$defs/n", "$defs": {"n": {"type": "number"}}}), "1.5", None),
        (
            json!({"$ref": "#n", "$defs": {"x": {"$anchor": "n", "type": "null"}}}),
            "1",
            Some(("", "type")),
        ),
        // Draft 7: nothing counts beside `$ref`, and an anchor is spelled `$id`.
        (
            json!({"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "#/definitions/n",
                   "type": "string", "definitions": {"n": {"type": "number"}}}),
            "1",
            None,
        ),
        (
            json!({"$schema": "http://json-schema.org/draft-07/schema#",
                   "items": {"$ref": "#n"}, "definitions": {"x": {"$id": "#n", "type": "null"}}}),
            "[1]",
            Some(("/0", "type")),
        ),
        // A reference to a place that is no keyword.
        (
            json!({"items": {"$ref": "#/components/a%20b"}, "components": {"a b": {"type": "null"}}}),
            "[1]",
            Some(("/0", "type")),
        ),
        // Named resources refer to each other inside the document.
        (
            json!({"$id": "https://example.com/root", "items": {"$ref": "item#/$defs/n"},
                   "$defs": {"i": {"$id": "item", "$defs": {"n": {"type": "null"}}}}}),
            "[1]",
            Some(("/0", "type")),
        ),
        // Recursion that makes progress.
        (
            json!({"type": "object", "properties": {"next": {"$ref": "#"}}}),
            r#"{"next": {"next": 1}}"#,
            Some(("/next/next", "type")),
        ),
    ];
    for (schema_json, text, expected) in cases {
        let verdict = check(&schema(schema_json.clone()), text);
        let found = match &verdict {
            Verdict::Valid => None,
            Verdict::Invalid(problems) => {
                Some((problems[0].pointer.as_str(), problems[0].keyword.as_str()))
            }
            Verdict::Unchecked(reason) => panic!("{schema_json}: {reason}"),
        };
        assert_eq!(found, expected, "{schema_json} {text}");
    }
}

#[test]
fn problems_are_few_and_short() {
    let schema = schema(json!({"items": {"enum": (0..500).collect::<Vec<_>>()}}));
    let long = format!("[{}]", vec![format!("{:?}", "x".repeat(1_000)); 20].join(","));
    let Verdict::Invalid(problems) = check(&schema, &long) else { panic!() };
    assert_eq!(problems.len(), PROBLEMS_MAX);
    for problem in &problems {
        assert!(problem.message.len() <= MESSAGE_BYTES_MAX, "{problem}");
        assert!(!problem.message.contains('x'), "{problem}");
    }
}

#[test]
fn rejected_schemas() {
    let outside = |reference: &str| SchemaError::Outside {
        pointer: "/items".to_owned(),
        reference: reference.to_owned(),
    };
    let circle = |pointer: &str| SchemaError::Circle { pointer: pointer.to_owned() };
    let mut cases = vec![
        (json!({"$ref": "#"}), circle("")),
        (json!({"allOf": [{"not": {"$ref": "#"}}]}), circle("")),
        (
            json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}),
            circle("/$defs/a"),
        ),
        (json!({"$dynamicAnchor": "a", "anyOf": [{"$dynamicRef": "#a"}]}), circle("")),
        (
            json!({"$schema": "https://example.com/my-dialect"}),
            SchemaError::Dialect {
                pointer: String::new(),
                uri: "https://example.com/my-dialect".to_owned(),
            },
        ),
        (
            json!({"items": {"$schema": "http://127.0.0.1:1/"}}),
            SchemaError::Dialect {
                pointer: "/items".to_owned(),
                uri: "http://127.0.0.1:1/".to_owned(),
            },
        ),
        (
            json!({"items": {"$ref": "#/$defs/none"}}),
            SchemaError::Dangling {
                pointer: "/items".to_owned(),
                reference: "#/$defs/none".to_owned(),
            },
        ),
    ];
    for reference in [
        "http://127.0.0.1:1/schema.json",
        "https://example.com/x#/$defs/a",
        "file:///etc/passwd",
        "//127.0.0.1/x",
        "other.json",
        "https://json-schema.org/draft/2020-12/schema",
    ] {
        for keyword in ["$ref", "$dynamicRef"] {
            cases.push((json!({"items": {keyword: reference}}), outside(reference)));
        }
    }
    for (schema_json, expected) in cases {
        assert_eq!(compile(schema_json.clone()).unwrap_err(), expected, "{schema_json}");
    }
    for not_a_schema in [json!(1), json!([]), json!({"type": 7}), json!({"properties": []})] {
        let error = compile(not_a_schema.clone()).unwrap_err();
        assert!(matches!(error, SchemaError::Invalid { .. }), "{not_a_schema}: {error}");
    }
}

#[test]
fn a_reference_that_is_data_is_no_reference() {
    let reference = json!({"$ref": "http://127.0.0.1:1/"});
    let schema = schema(json!({
        "properties": {"$ref": {"type": "string"}},
        "const": reference, "enum": [reference], "default": reference, "examples": [reference],
    }));
    assert!(check(&schema, r#"{"$ref": "http://127.0.0.1:1/"}"#).is_valid());
}

#[test]
fn caps_on_schemas() {
    let nested =
        |depth: usize| json(&format!("{}true{}", r#"{"items":"#.repeat(depth), "}".repeat(depth)));
    let limits = SchemaLimits::default();
    on_small_stack(|| assert!(Schema::compile(&nested(64), &limits).is_ok()));
    assert_eq!(Schema::compile(&nested(65), &limits).unwrap_err(), SchemaError::Depth { max: 64 });

    let large = json!({"description": "x".repeat(256 << 10)});
    assert!(matches!(compile(large).unwrap_err(), SchemaError::Bytes { .. }));

    let many = json!({"anyOf": vec![json!({}); 10_000]});
    assert_eq!(compile(many).unwrap_err(), SchemaError::Subschemas { max: 10_000 });

    // Small to read, huge to follow.
    let double = |link: fn(Value) -> Value| {
        let mut defs = serde_json::Map::new();
        for level in 0..60 {
            let next = json!({"$ref": format!("#/$defs/{}", level + 1)});
            defs.insert(level.to_string(), link(next));
        }
        defs.insert("60".to_owned(), json!({"type": "null"}));
        json!({"$ref": "#/$defs/0", "$defs": defs})
    };
    let error = compile(double(|next| json!({"allOf": [next, next]}))).unwrap_err();
    assert!(matches!(error, SchemaError::Expands { .. }), "{error}");
    // Through members it is as deep as the value.
    on_small_stack(|| {
        let schema = schema(double(|next| json!({"properties": {"a": next, "b": next}})));
        assert!(check(&schema, r#"{"a": {"b": {"a": {}}}, "b": {}}"#).is_valid());
    });

    let chain = |len: usize| {
        let mut defs = serde_json::Map::new();
        for level in 0..len {
            defs.insert(level.to_string(), json!({"$ref": format!("#/$defs/{}", level + 1)}));
        }
        defs.insert(len.to_string(), json!({"type": "null"}));
        json!({"$ref": "#/$defs/0", "$defs": defs})
    };
    let error = on_small_stack(|| compile(chain(5_000)).unwrap_err());
    assert!(matches!(error, SchemaError::Chain { max: 128, .. }), "{error}");
    assert!(compile(chain(100)).is_ok());
}

#[test]
fn caps_on_values() {
    let any = schema(json!({"type": ["array", "string"]}));
    let long = Json::string(&"x".repeat(8 << 20));
    assert!(matches!(any.check(&long), Verdict::Unchecked(Unchecked::Bytes { .. })));

    let limits = SchemaLimits { instance_depth_max: 3, ..Default::default() };
    let shallow = Schema::compile(&Json::bool(true), &limits).unwrap();
    assert!(check(&shallow, "[[[]]]").is_valid());
    let verdict = check(&shallow, "[[[[]]]]");
    assert_eq!(verdict, Verdict::Unchecked(Unchecked::Depth { max: 3 }));
}

/// The deepest checks that the caps allow fit on a small stack.
#[test]
fn depth_times_chain_is_capped() {
    let mut link = json!({"$ref": "#"});
    for _ in 0..29 {
        link = json!({"allOf": [link]});
    }
    let deep = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    let by_items = schema(json!({"items": link, "type": ["array", "integer"]}));
    on_small_stack(|| {
        assert!(check(&by_items, &deep(30)).is_valid());
        let wrong = deep(30).replace('1', "null");
        assert!(matches!(check(&by_items, &wrong), Verdict::Invalid(_)));
    });
    let by_members = schema(json!({
        "type": ["object", "integer"],
        "properties": {"x": {"if": true, "then": {"$ref": "#/$defs/y"}, "unevaluatedProperties": false}},
        "unevaluatedProperties": false,
        "$defs": {"y": {"dependentSchemas": {"x": {"anyOf": [{"not": {"not": {"$ref": "#"}}}, {"oneOf": [{"$ref": "#"}]}]}}}},
    }));
    on_small_stack(|| {
        let deep = |end: &str| format!("{}{end}{}", r#"{"x":"#.repeat(100), "}".repeat(100));
        for end in ["1", "{}", "null", r#"{"y": 1}"#] {
            let verdict = check(&by_members, &deep(end));
            assert!(
                !matches!(verdict, Verdict::Unchecked(Unchecked::CheckDepth { .. })),
                "{verdict:?}"
            );
        }
    });
    let verdict = check(&by_items, &deep(40));
    assert_eq!(verdict, Verdict::Unchecked(Unchecked::CheckDepth { max: 1_024 }));
}

#[test]
fn hostile_patterns_end() {
    let long = format!("\"{}!\"", "a".repeat(100_000));
    for pattern in ["^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "^([a-zA-Z]+)*$", "(x+x+)+y"] {
        let schema = schema(json!({"pattern": pattern}));
        assert_eq!(schema.ignored_patterns().len(), 0, "{pattern}");
        assert!(matches!(check(&schema, &long), Verdict::Invalid(_)), "{pattern}");
    }
    // These cannot be run in linear time, or are too large.
    let too_long = "a".repeat(1_025);
    for pattern in [r"^(a+)\1$", "^(?=a)b", "(?<!a)b", "((a{99}){99}){99}", "(", &too_long] {
        let schema = schema(json!({"pattern": pattern}));
        assert_eq!(schema.ignored_patterns(), [pattern]);
        assert!(check(&schema, &long).is_valid(), "{pattern}");
    }
    let many: Vec<Value> = (0..300).map(|n| json!({"pattern": format!("^[ab]{n}")})).collect();
    assert_eq!(schema(json!({"allOf": many})).ignored_patterns().len(), 300 - 256);
}

#[test]
fn an_ignored_pattern_never_rejects() {
    let look = json!({"pattern": "^(?!x)"});
    let cases = [
        (json!({"not": look}), "\"y\""),
        (json!({"oneOf": [look, {"type": "string"}]}), "\"y\""),
        (json!({"if": look, "then": false}), "\"y\""),
        (
            json!({"patternProperties": {"^(?!x)": true}, "additionalProperties": false}),
            r#"{"y": 1}"#,
        ),
    ];
    for (schema_json, text) in cases {
        let verdict = check(&schema(schema_json.clone()), text);
        assert!(
            matches!(verdict, Verdict::Unchecked(Unchecked::Pattern { .. })),
            "{schema_json} {verdict:?}"
        );
    }
    let strict = schema(json!({"properties": {"a": look, "b": {"type": "null"}}}));
    assert!(matches!(check(&strict, r#"{"b": 1}"#), Verdict::Invalid(_)));
}

#[test]
fn hostile_work_is_given_up() {
    let limits = SchemaLimits { check_steps_max: 1_000_000, ..Default::default() };
    let schema = |json: Value| Schema::compile(&Json::from(json), &limits).unwrap();
    let gives_up = |schema_json: Value, text: &str| {
        let schema = schema(schema_json);
        let verdict = check(&schema, text);
        assert!(matches!(verdict, Verdict::Unchecked(Unchecked::Steps { .. })), "{verdict:?}");
    };
    // Every level doubles the work.
    let deep =
        |depth: usize, end: &str| format!("{}{end}{}", r#"{"x":"#.repeat(depth), "}".repeat(depth));
    let x = json!({"properties": {"x": {"$ref": "#/$defs/s"}}});
    let doubling =
        json!({"$ref": "#/$defs/s", "$defs": {"s": {"allOf": [x, x], "type": ["object", "null"]}}});
    assert_eq!(check(&schema(doubling.clone()), &deep(60, "null")), Verdict::Valid);
    assert!(matches!(check(&schema(doubling), &deep(60, "1")), Verdict::Invalid(_)));
    let branch =
        |n: u32| json!({"required": [format!("k{n}")], "properties": {"x": {"$ref": "#"}}});
    let choices = json!({"anyOf": (0..20).map(branch).collect::<Vec<_>>()});
    assert!(matches!(check(&schema(choices), &deep(60, "{}")), Verdict::Invalid(_)));
    // Each of many problems holds a copy of what is not to be.
    let not = json!({"items": {"not": {"enum": (0..20_000).collect::<Vec<_>>()}}});
    let items = format!("[{}]", vec!["1"; 100_000].join(","));
    let Verdict::Invalid(problems) = check(&schema(not), &items) else { panic!() };
    assert_eq!((problems.len(), problems[0].pointer.as_str()), (1, "/0"));

    let options: Vec<Value> = (0..20_000).map(|n| json!([n])).collect();
    let items = format!("[{}]", vec!["[19999]"; 100_000].join(","));
    gives_up(json!({"items": {"enum": options}}), &items);
    gives_up(json!({"not": {"items": {"enum": options}}}), &items);

    let text = format!("\"{}{}\"", coins(20_000), "a".repeat(200));
    let slow: Vec<Value> =
        (20..30).map(|n| json!({"pattern": format!("^(a|b)*a(a|b){{{n}}}$")})).collect();
    gives_up(json!({"allOf": slow}), &text);
}

#[test]
fn large_ordinary_values_are_checked() {
    let mut text = String::from("[");
    for n in 0..60_000 {
        let comma = if n > 0 { "," } else { "" };
        write!(
            text,
            r#"{comma}{{"id": {n}, "name": "row {n}", "day": "2026-07-28", "tags": ["a", "b"]}}"#
        )
        .unwrap();
    }
    text.push(']');
    let row = json!({
        "type": "object", "additionalProperties": false, "required": ["id", "name", "day"],
        "properties": {
            "id": {"type": "integer"}, "name": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "day": {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"},
            "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": true},
        },
    });
    let rows =
        schema(json!({"type": "array", "items": {"$ref": "#/$defs/row"}, "$defs": {"row": row}}));
    assert_eq!(check(&rows, &text), Verdict::Valid);
    let Verdict::Invalid(problems) = check(&rows, &text.replace("row 59999\"", "row\", \"x\": 1"))
    else {
        panic!()
    };
    assert_eq!(problems.len(), 1);
    assert_eq!(
        (problems[0].pointer.as_str(), problems[0].keyword.as_str()),
        ("/59999", "additionalProperties")
    );
}

#[test]
fn object_roots() {
    let object = json!({"type": "object"});
    let cases = [
        (object.clone(), true),
        (json!({"type": ["object"]}), true),
        (json!({"type": ["object", "null"]}), false),
        (json!({"properties": {}}), false),
        (json!(true), false),
        (json!({"$ref": "#/$defs/o", "$defs": {"o": object}}), true),
        (json!({"anyOf": [object, {"const": {}}]}), true),
        (json!({"anyOf": [object, {"type": "array"}]}), false),
        (json!({"allOf": [{"minProperties": 1}, object]}), true),
        (json!({"enum": [{}, {"a": 1}]}), true),
        (
            json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
                   "$ref": "#/definitions/a", "definitions": {"a": {"type": "array"}}}),
            false,
        ),
    ];
    for (schema_json, expected) in cases {
        let schema = schema(schema_json.clone());
        assert_eq!(schema.is_object_rooted(), expected, "{schema_json}");
        let wrapped = schema.wrapped_json();
        assert_eq!(wrapped.get("type"), Some(Json::string("object")), "{schema_json}");
    }
}

/// Schemas whose references must survive a move, and values that they accept and reject.
fn movable() -> Vec<(Value, Vec<&'static str>)> {
    let values = vec![
        "1",
        "null",
        "[]",
        "[1]",
        "[\"a\"]",
        "[[1]]",
        "[[\"a\"]]",
        r#"{"a": 1}"#,
        r#"{"$ref": 1}"#,
        r#"{"a": {"a": "x"}}"#,
        r##"{"$ref": "#/$defs/x"}"##,
    ];
    let schemas = vec![
        json!({"type": "array", "items": {"$ref": "#/$defs/n"}, "$defs": {"n": {"type": "integer"}}}),
        json!({"type": ["array", "integer"], "items": {"$ref": "#"}}),
        json!({"items": {"$ref": "#n"}, "$defs": {"x": {"$anchor": "n", "type": "integer"}}}),
        json!({"$dynamicAnchor": "t", "type": ["array", "integer"], "items": {"$dynamicRef": "#t"}}),
        json!({"type": ["array", "integer"], "items": {"$dynamicRef": "#"}}),
        json!({"properties": {"$ref": {"type": "integer"}, "a": {"$ref": "#/properties/$ref"}}}),
        json!({"enum": [1, [1], {"$ref": "#/$defs/x"}]}),
        json!({"const": {"$ref": "#/$defs/x"}, "default": {"$ref": "#"}, "examples": [{"$ref": "#"}]}),
        json!({"$id": "https://example.com/s", "items": {"$ref": "#/$defs/n"}, "$defs": {"n": {"type": "integer"}}}),
        json!({"$id": "https://example.com/s", "items": {"$ref": "https://example.com/s#/$defs/n"}, "$defs": {"n": {"type": "integer"}}}),
        json!({"items": {"$ref": "item"}, "$defs": {"i": {"$id": "item", "anyOf": [{"$ref": "#/$defs/n"}], "$defs": {"n": {"type": "integer"}}}}}),
        json!({"items": {"$ref": "#/x-own/a~1b%20c"}, "x-own": {"a/b c": {"items": {"$ref": "#/x-own/n"}, "type": "array"}, "n": {"type": "integer"}}}),
        json!({"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "#/definitions/t", "definitions": {"t": {"type": ["array", "integer"], "items": {"$ref": "#/definitions/t"}}}}),
        json!({"$schema": "https://json-schema.org/draft/2019-09/schema", "type": ["array", "integer"], "items": {"$recursiveRef": "#"}}),
        json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "dependentSchemas": {"a": {"$ref": "#/$defs/o"}}, "$defs": {"o": {"properties": {"a": {"type": "integer"}}}}}),
        json!({"$ref": "#/$defs/tree", "$defs": {"tree": {"type": "object", "properties": {"a": {"anyOf": [{"type": "integer"}, {"$ref": "#/$defs/tree"}]}}}}}),
        json!(true),
        json!(false),
    ];
    schemas.into_iter().map(|schema| (schema, values.clone())).collect()
}

#[test]
fn a_moved_schema_says_the_same() {
    for (schema_json, values) in movable() {
        let own = schema(schema_json.clone());
        let wrapped_json = own.wrapped_json();
        let wrapped = Schema::compile(&wrapped_json, &SchemaLimits::default())
            .unwrap_or_else(|error| panic!("{wrapped_json}: {error}"));
        assert!(wrapped.is_object_rooted(), "{wrapped_json}");
        for protocol in Protocol::ALL {
            let advertise = Advertise { may_strip_files: true, ..Default::default() };
            let advertised_json = own.advertised(protocol, advertise);
            let advertised = Schema::compile(&advertised_json, &SchemaLimits::default())
                .unwrap_or_else(|error| panic!("{advertised_json}: {error}"));
            for &text in &values {
                let value = json(text);
                let expected = own.check(&value).is_valid();
                let legacy = own.wrap_value(&value);
                assert_eq!(wrapped.check(&legacy).is_valid(), expected, "{wrapped_json} {text}");
                let sent = if protocol.is_modern() { &value } else { &legacy };
                assert_eq!(advertised.check(sent).is_valid(), expected, "{advertised_json} {text}");
            }
        }
    }
}

#[test]
fn a_moved_schema_keeps_digits_and_order() {
    let own = json(
        r##"{"title": "T", "maximum": 12345678901234567890123.50, "$ref": "#/$defs/a", "$defs": {"b": {"z": 1e400, "$ref": "#/$defs/c"}, "a": {}, "c": {}}}"##,
    );
    let own = Schema::compile(&own, &SchemaLimits::default()).unwrap();
    assert_eq!(
        own.wrapped_json().to_string(),
        r##"{"type":"object","properties":{"result":{"title":"T","maximum":12345678901234567890123.50,"$ref":"#/properties/result/$defs/a","$defs":{"b":{"z":1e400,"$ref":"#/properties/result/$defs/c"},"a":{},"c":{}}}},"required":["result"]}"##
    );
}

#[test]
fn advertised_schemas_accept_what_is_sent() {
    let files = r#"{"results": 1, "artifacts": [{"name": "a.png", "mime": "image/png", "size": 3, "sha256": "00"}]}"#;
    let digest = r#"{"complete": false, "preview": [1], "more": "read results.json"}"#;
    let problem = r#"{"complete": false, "note": "/a: value is not of type integer", "text": "x"}"#;
    let all = Advertise { may_digest: true, may_problem: true, may_strip_files: true };
    let only_digest = Advertise { may_digest: true, ..Default::default() };
    let only_problem = Advertise { may_problem: true, ..Default::default() };
    let object = schema(json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Answer", "description": "What it is.", "type": "object", "required": ["n"],
        "properties": {"n": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"type": "integer"}},
    }));
    let list = schema(json!({"type": "array", "items": {"type": "integer"}}));
    let wraps = schema(json!({
        "type": "object", "properties": {"result": {"type": "string"}}, "required": ["result"],
        "x-fastmcp-wrap-result": true,
    }));
    let wrapped_files = format!(r#"{{"result": {files}}}"#);
    let modern = Protocol::V2026_07_28;
    let legacy = Protocol::V2025_06_18;
    let cases = [
        (
            &object,
            modern,
            all,
            vec![r#"{"n": 1}"#, files, digest, problem],
            vec!["{}", "1", r#"{"complete": true}"#],
        ),
        (&object, legacy, all, vec![r#"{"n": 1}"#, files, digest, problem], vec!["{}", "[]"]),
        (&object, legacy, Advertise::default(), vec![r#"{"n": 1}"#], vec![files, digest, problem]),
        (&object, modern, only_digest, vec![r#"{"n": 1}"#, digest], vec![files]),
        (&object, modern, only_problem, vec![r#"{"n": 1}"#, problem], vec![files, digest]),
        (
            &list,
            modern,
            all,
            vec!["[1]", files, digest, problem],
            vec!["[true]", r#"{"result": [1]}"#],
        ),
        (
            &list,
            legacy,
            all,
            vec![r#"{"result": [1]}"#, files, &wrapped_files, digest, problem],
            vec!["[1]", r#"{"result": 1}"#],
        ),
        (
            &wraps,
            legacy,
            all,
            vec![r#"{"result": "x"}"#, &wrapped_files, digest],
            vec![r#"{"result": 1}"#],
        ),
    ];
    for (schema, protocol, advertise, accepted, rejected) in cases {
        let shown = schema.advertised(protocol, advertise);
        if protocol == legacy {
            assert_eq!(shown.get("type"), Some(Json::string("object")), "{shown}");
        }
        for key in ["$schema", "title", "description"] {
            assert_eq!(shown.get(key), schema.json().get(key), "{shown}");
        }
        let shown = Schema::compile(&shown, &SchemaLimits::default()).unwrap();
        for text in accepted {
            assert_eq!(check(&shown, text), Verdict::Valid, "{shown:?} {text}");
        }
        for text in rejected {
            assert!(matches!(check(&shown, text), Verdict::Invalid(_)), "{shown:?} {text}");
        }
    }
}

#[test]
fn upgrades() {
    let user =
        json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]});
    let wraps = |inner: &str| {
        json!({"type": "object", "properties": {"result": {"type": inner}}, "required": ["result"],
               "x-fastmcp-wrap-result": true})
    };
    let list = json!({"type": "array", "items": {"type": "object", "required": ["id"]}});
    /// The index and the JSON found, or the place and a part of the message of the note.
    type Expected = Result<(usize, &'static str), (&'static str, &'static str)>;
    let cases: [(Value, &[&str], Expected); 11] = [
        (user.clone(), &[r#"{"name":"John"}"#], Ok((0, r#"{"name":"John"}"#))),
        (user.clone(), &["ok", "{}", r#" {"name": "John"} "#], Ok((2, r#"{"name":"John"}"#))),
        (user.clone(), &["Some plain text"], Err(("", "no text of the result is JSON"))),
        (user.clone(), &[], Err(("", "no text of the result is JSON"))),
        (user, &["x", r#"{"name":1}"#, "{}"], Err(("/name", "text 2 does not validate"))),
        (list, &[r#"[{"id": "1"}]"#], Ok((0, r#"[{"id":"1"}]"#))),
        (wraps("integer"), &["42"], Ok((0, r#"{"result":42}"#))),
        (wraps("integer"), &[r#"{"result": 42}"#], Ok((0, r#"{"result":42}"#))),
        (wraps("string"), &["42"], Ok((0, r#"{"result":"42"}"#))),
        (wraps("string"), &["plain \"text\""], Ok((0, r#"{"result":"plain \"text\""}"#))),
        (wraps("array"), &["plain"], Err(("", "no text of the result is JSON"))),
    ];
    for (schema_json, texts, expected) in cases {
        match (schema(schema_json.clone()).upgrade(texts.iter().copied()), expected) {
            (Upgrade::Found { index, json }, Ok((at, text))) => {
                assert_eq!((index, json.to_string().as_str()), (at, text), "{schema_json}");
            }
            (Upgrade::Failed { note }, Err((place, message))) => {
                assert_eq!(note.place, place, "{schema_json}");
                assert!(note.message.contains(message), "{schema_json} {note}");
            }
            (found, _) => panic!("{schema_json} {texts:?} {found:?}"),
        }
    }
}

#[test]
fn types_have_schemas() {
    #[derive(schemars::JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Tree {
        name: String,
        children: Vec<Tree>,
    }

    let tree = Schema::of::<Tree>();
    assert!(tree.is_object_rooted());
    assert!(
        check(&tree, r#"{"name": "a", "children": [{"name": "b", "children": []}]}"#).is_valid()
    );
    let verdict = check(&tree, r#"{"name": "a", "children": [{"name": 1, "children": []}]}"#);
    let Verdict::Invalid(problems) = verdict else { panic!() };
    assert_eq!(problems[0].pointer, "/children/0/name");

    let forest = Schema::of::<Vec<Tree>>();
    let wrapped = Schema::compile(&forest.wrapped_json(), &SchemaLimits::default()).unwrap();
    assert!(check(&wrapped, r#"{"result": [{"name": "a", "children": []}]}"#).is_valid());
    assert!(!check(&wrapped, r#"{"result": [{"name": "a", "children": [1]}]}"#).is_valid());
    assert!(check(&Schema::of::<Option<u8>>(), "null").is_valid());
}

#[test]
fn schemas_are_shared_between_threads() {
    fn is_shared<T: Send + Sync + Clone>() {}
    is_shared::<Schema>();
}

#[test]
fn depths() {
    for (text, depth) in [("1", 0), ("[]", 1), (r#"{"a": [1, "],[\"{"]}"#, 2), ("[[],[[]]]", 3)] {
        assert_eq!(compile::depth(&json(text)), depth, "{text}");
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3..3_i64).prop_map(Value::from),
        "[a-c]{0,2}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::hash_map("[a-c]", inner, 0..4)
                .prop_map(|map| map.into_iter().collect::<serde_json::Map<_, _>>().into()),
        ]
    })
}

fn any_schema() -> impl Strategy<Value = Value> {
    let reference = prop_oneof![
        Just("#/$defs/a"),
        Just("#/$defs/b"),
        Just("#"),
        Just("#name"),
        Just("#/properties/a"),
        Just("urn:b"),
        Just("urn:b#/items"),
        Just("http://127.0.0.1:1/"),
    ];
    let kind = prop_oneof![Just("object"), Just("array"), Just("string"), Just("integer")];
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        kind.prop_map(|kind| json!({"type": kind})),
        reference.prop_map(|reference| json!({"$ref": reference})),
        "[a-c]{1}".prop_map(|text| json!({"pattern": text})),
        Just(json!({"const": {"$ref": "#/$defs/a"}})),
    ];
    let schema = leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|inner| json!({"items": inner})),
            inner.clone().prop_map(|inner| json!({"not": inner})),
            prop::collection::vec(inner.clone(), 1..3).prop_map(|list| json!({"anyOf": list})),
            prop::collection::vec(inner.clone(), 1..3).prop_map(|list| json!({"allOf": list})),
            prop::collection::hash_map("[a-c]", inner, 0..3)
                .prop_map(|map| json!({"properties": map})),
        ]
    });
    (schema.clone(), schema.clone(), schema).prop_map(|(root, a, b)| {
        let mut root = match root {
            Value::Object(map) => Value::Object(map),
            other => json!({"allOf": [other]}),
        };
        root["$defs"] =
            json!({"a": {"$anchor": "name", "allOf": [a]}, "b": {"$id": "urn:b", "items": b}});
        root
    })
}

proptest! {
    /// Whatever compiles says the same in every place, and nothing panics.
    #[test]
    fn any_moved_schema_says_the_same(schema_json in any_schema(), values in prop::collection::vec(any_value(), 4)) {
        let Ok(own) = compile(schema_json) else { return Ok(()) };
        let wrapped = Schema::compile(&own.wrapped_json(), &SchemaLimits::default());
        let wrapped = wrapped.map_err(|error| TestCaseError::fail(error.to_string()))?;
        let advertise = Advertise { may_problem: true, ..Default::default() };
        let shown = Schema::compile(&own.advertised(Protocol::LATEST, advertise), &SchemaLimits::default());
        let shown = shown.map_err(|error| TestCaseError::fail(error.to_string()))?;
        for value in values {
            let value = Json::from(value);
            let expected = own.check(&value).is_valid();
            prop_assert_eq!(wrapped.check(&own.wrap_value(&value)).is_valid(), expected);
            prop_assert_eq!(shown.check(&value).is_valid(), expected);
        }
    }

    /// Counting changes no verdict.
    #[test]
    fn verdicts_are_those_of_the_validator(schema_json in any_schema(), value in any_value()) {
        let Ok(own) = compile(schema_json.clone()) else { return Ok(()) };
        let plain = jsonschema::options().offline().build(&schema_json);
        let plain = plain.map_err(|error| TestCaseError::fail(error.to_string()))?;
        let expected = plain.is_valid(&value);
        match own.check(&Json::from(value)) {
            Verdict::Valid => prop_assert!(expected),
            Verdict::Invalid(problems) => {
                prop_assert!(!expected);
                prop_assert!(!problems.is_empty());
            }
            Verdict::Unchecked(reason) => return Err(TestCaseError::fail(reason.to_string())),
        }
    }
}
