//! Values that are too deep, too many or not what they say.

use proptest::prelude::*;
use serde::Serialize;
use serde_json::Value;

use super::*;

#[derive(Serialize)]
struct Node {
    next: Option<Box<Node>>,
}

fn chain(length: usize) -> Node {
    (1..length).fold(Node { next: None }, |node, _| Node { next: Some(Box::new(node)) })
}

#[test]
fn deep_values_become_strings() {
    let reply = reply(chain(200));
    let (json, notes) = reply.to_json_and_notes();
    assert!(is_checked(&json));
    assert_eq!(notes.len(), 1);
    let mut value = json.get("structuredContent").unwrap();
    let mut levels = 0;
    while let Some(next) = value.get("next") {
        value = next;
        levels += 1;
    }
    assert_eq!(levels, 126);
    let rest = Json::parse(value.as_str().unwrap().into_owned()).unwrap();
    assert_eq!(levels + rest.as_text().matches("next").count(), 200);
}

#[test]
fn a_value_without_an_end_is_an_error_result() {
    struct Endless;
    impl Serialize for Endless {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_seq([Endless])
        }
    }
    assert!(result(Endless).ends_with(r#""isError":true}"#));
    assert!(result(chain(10_000)).contains("nested more than 512 deep"));
}

#[test]
fn json_inside_a_deep_value_stays_within_the_depth() {
    let deep = |depth: usize| Json::parse("[".repeat(depth) + &"]".repeat(depth)).unwrap();
    for (around, inside) in [(126, 1), (100, 100), (1, 128), (0, 126), (0, 128)] {
        let value = (0..around).fold(Any::Raw(deep(inside)), |value, _| Any::Seq(vec![value]));
        let map = Any::Map(vec![(Any::Str("a".into()), value.clone())]);
        for value in [value, map] {
            let (json, notes) = Reply::from(value).to_json_and_notes();
            assert!(is_checked(&json));
            assert!(notes.len() <= 1);
        }
    }
}

#[test]
fn a_deep_tree_made_by_hand_is_written() {
    let value = (0..2_000).fold(Any::Null, |value, _| Any::Seq(vec![value]));
    let (json, notes) = Reply::from(value).to_json_and_notes();
    assert!(is_checked(&json));
    assert_eq!(notes.len(), 2);
}

#[test]
fn notes_are_counted_beyond_their_cap() {
    let notes = reply(vec![f64::NAN; 100]).notes();
    assert_eq!(notes.len(), 65);
    assert_eq!(notes[1].place, "/1");
    assert_eq!(notes[64].message, "36 more notes were not kept");
}

#[test]
fn malformed_tags_are_plain_data() {
    for text in [
        r#"{"$bytes":"not base64!"}"#,
        r#"{"$bytes":1}"#,
        r#"{"$bytes":"AAE=","more":1}"#,
        r#"{"$tuple":1}"#,
        r#"{"$float":"1.5"}"#,
        r#"{"$dict":[[1]]}"#,
        r#"{"$dict":[[1,2,3]]}"#,
        r#"{"$struct":"S"}"#,
        r#"{"$struct":"S","fields":[]}"#,
        r#"{"$struct":1,"fields":{}}"#,
        r#"{"$block":{"text":"no type"}}"#,
        r#"{"$result":{"isError":true}}"#,
        r#"{"$contents":"x"}"#,
        r#"{"$read_result":{}}"#,
        r#"{"$unknown":1}"#,
    ] {
        let json = Json::parse(text).unwrap();
        let result = Reply::from(Any::from_tagged(&json)).to_json();
        assert_eq!(result.get("structuredContent"), Some(json));
    }
    let swapped = Json::parse(r#"{"fields": {"a": 1}, "$struct": "S"}"#).unwrap();
    assert!(matches!(Any::from_tagged(&swapped), Any::Struct { .. }));
}

#[test]
fn parts_that_are_not_what_they_say_do_not_break_the_result() {
    for value in [
        Any::Block(Json::null()),
        Any::Result(Json::parse(r#"{"content": "x"}"#).unwrap()),
        Any::Result(Json::null()),
        Any::Contents(Json::null()),
        Any::ReadResult(Json::null()),
        Any::Failure(Box::new(Any::Result(Json::bool(true)))),
    ] {
        let result = Reply::from(value.clone()).to_json();
        assert!(result.get("content").unwrap().is_array(), "{result}");
        let resource = ResourceReply::of("a:b", None, value).to_json();
        assert!(resource.get("contents").unwrap().is_array(), "{resource}");
    }
}

/// Any JSON value, now and then with a key that means something to us.
fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".*".prop_map(Value::from),
    ];
    let key = prop_oneof!["content", "text", "type", "isError", "_meta", "[a-z]?"];
    leaf.prop_recursive(4, 64, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::hash_map(key.clone(), inner, 0..8)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Whether the scanner, which repairs what it can, finds nothing to repair.
fn is_checked(json: &Json) -> bool {
    Json::parse(json.as_text()).is_ok_and(|again| again.as_text() == json.as_text())
}

proptest! {
    #[test]
    fn text_and_structured_content_are_the_same_value(value in values()) {
        let object = serde_json::json!({ "value": value });
        let json = Json::of(&object);
        prop_assert_eq!(&Json::parse(first_text(&object)).unwrap(), &json);
        prop_assert_eq!(&Json::parse(structured(&object)).unwrap(), &json);
    }

    #[test]
    fn every_value_is_a_result_and_a_resource(value in values()) {
        for protocol in Protocol::ALL {
            for profile in [Profile::Openmcp, Profile::Spec] {
                let result = reply(&value).profile(profile).protocol(protocol).to_json();
                prop_assert!(is_checked(&result));
                let resource = reply_resource("a:b", None, &value).profile(profile).to_json();
                prop_assert!(is_checked(&resource));
            }
        }
    }
}
