//! Types as people write them.

use std::collections::{BTreeMap, HashMap};

use serde::{Serialize, Serializer};
use serde_json::{json, value::RawValue};

use super::*;

#[derive(Serialize)]
struct Page {
    content: Vec<HashMap<&'static str, &'static str>>,
}

fn page() -> Page {
    Page { content: vec![HashMap::from([("type", "text")])] }
}

#[test]
fn a_struct_with_a_field_named_content_is_data() {
    assert_eq!(structured(page()), r#"{"content":[{"type":"text"}]}"#);
    assert_eq!(structured(Page { content: vec![] }), r#"{"content":[]}"#);
}

#[test]
fn a_map_with_a_list_named_content_is_a_result() {
    let map = json!({"content": [{"type": "text", "text": "x"}], "isError": true});
    assert_eq!(result(&map), r#"{"content":[{"type":"text","text":"x"}],"isError":true}"#);
    assert_eq!(structured(Data(&map)), map.to_string());

    #[derive(Serialize)]
    struct Image {
        r#type: &'static str,
        data: Bytes<[u8; 2]>,
        #[serde(rename = "mimeType")]
        mime_type: &'static str,
    }
    let image = Image { r#type: "image", data: Bytes([0, 1]), mime_type: "image/png" };
    assert_eq!(
        result(BTreeMap::from([("content", [image])])),
        r#"{"content":[{"type":"image","data":"AAE=","mimeType":"image/png"}]}"#,
    );
}

#[test]
fn a_flattened_struct_looks_like_a_map_unless_it_is_named_data() {
    #[derive(Serialize)]
    struct Flat {
        #[serde(flatten)]
        page: Page,
    }
    let flat = || Flat { page: Page { content: vec![] } };
    assert_eq!(result(flat()), r#"{"content":[]}"#);
    assert_eq!(structured(Data(flat())), r#"{"content":[]}"#);
}

#[test]
fn the_last_of_flattened_keys_is_kept() {
    #[derive(Serialize)]
    struct Flat {
        a: u8,
        b: u8,
        #[serde(flatten)]
        rest: BTreeMap<&'static str, Vec<u8>>,
    }
    let reply = reply(Flat { a: 1, b: 2, rest: BTreeMap::from([("a", vec![3])]) });
    let structured = reply.to_json().get("structuredContent").unwrap();
    assert_eq!(structured.to_string(), r#"{"a":[3],"b":2}"#);
    let notes = reply.notes();
    assert_eq!(notes.len(), 1);
    assert_eq!((notes[0].place.as_str(), notes[0].left_out.clone()), ("/a", Some(Json::number(1))));
}

#[test]
fn enums_of_all_four_representations() {
    #[derive(Serialize)]
    enum External {
        Unit,
        Newtype(u8),
        Tuple(u8, &'static str),
        Struct { content: [u8; 0] },
    }
    assert_eq!(first_text(External::Unit), "Unit");
    assert_eq!(structured(External::Newtype(1)), r#"{"Newtype":1}"#);
    assert_eq!(structured(External::Tuple(1, "a")), r#"{"Tuple":[1,"a"]}"#);
    assert_eq!(structured(External::Struct { content: [] }), r#"{"Struct":{"content":[]}}"#);

    #[derive(Serialize)]
    #[serde(tag = "content")]
    enum Internal {
        Unit,
        Struct { a: u8 },
        Map(BTreeMap<u8, u8>),
        Number(u8),
    }
    assert_eq!(structured(Internal::Unit), r#"{"content":"Unit"}"#);
    assert_eq!(structured(Internal::Struct { a: 1 }), r#"{"content":"Struct","a":1}"#);
    let map = Internal::Map(BTreeMap::from([(1, 2)]));
    assert_eq!(structured(map), r#"{"content":"Map","1":2}"#);
    // serde has no way to write this one.
    assert!(result(Internal::Number(1)).contains(r#""isError":true"#));

    #[derive(Serialize)]
    #[serde(tag = "type", content = "text")]
    enum Adjacent {
        Unit,
        Newtype(u8),
        Tuple(u8, u8),
    }
    assert_eq!(structured(Adjacent::Unit), r#"{"type":"Unit"}"#);
    assert_eq!(structured(Adjacent::Newtype(1)), r#"{"type":"Newtype","text":1}"#);
    assert_eq!(structured(Adjacent::Tuple(1, 2)), r#"{"type":"Tuple","text":[1,2]}"#);

    #[derive(Serialize)]
    #[serde(untagged)]
    enum Untagged {
        Unit,
        Number(u8),
        Struct { a: u8 },
    }
    assert_eq!(result(Untagged::Unit), r#"{"content":[]}"#);
    assert_eq!(first_text(Untagged::Number(1)), "1");
    assert_eq!(structured(Untagged::Struct { a: 1 }), r#"{"a":1}"#);
}

#[test]
fn keys_of_any_type_become_strings() {
    assert_eq!(first_text(HashMap::from([(-7_i64, "a")])), r#"{"-7": "a"}"#);
    assert_eq!(first_text(BTreeMap::from([(true, 1)])), r#"{"true": 1}"#);
    assert_eq!(first_text(BTreeMap::from([(None::<u8>, 1)])), r#"{"null": 1}"#);
    assert_eq!(first_text(BTreeMap::from([('x', 1)])), r#"{"x": 1}"#);
    assert_eq!(first_text(BTreeMap::from([((1, "a"), 1)])), r#"{"[1,\"a\"]": 1}"#);
    assert_eq!(structured(BTreeMap::from([((1, "a"), 1)])), r#"{"[1,\"a\"]":1}"#);
}

#[test]
fn options_are_what_is_in_them() {
    assert_eq!(result(None::<u8>), r#"{"content":[]}"#);
    assert_eq!(result(()), r#"{"content":[]}"#);
    assert_eq!(first_text(Some(Some(5))), "5");
    assert_eq!(structured(vec![Some(1), None]), r#"{"result":[1,null]}"#);
}

#[test]
fn tuples_are_pairs_or_sequences() {
    let pair = result(("done", json!({"rows": 2})));
    assert_eq!(
        pair,
        r#"{"content":[{"type":"text","text":"done"}],"structuredContent":{"rows":2}}"#
    );
    assert!(pair == result(("done", HashMap::from([("rows", 2)]))));
    assert_eq!(structured(("a", (1, ("b", 2.5)))), r#"{"result":["a",[1,["b",2.5]]]}"#);
    assert_eq!(
        structured(Data(("a", page()))),
        r#"{"result":["a",{"content":[{"type":"text"}]}]}"#
    );
    assert_eq!(
        structured(vec![("a", page())]),
        r#"{"result":[["a",{"content":[{"type":"text"}]}]]}"#
    );

    #[derive(Serialize)]
    struct Named(&'static str, BTreeMap<u8, u8>);
    assert_eq!(structured(Named("a", BTreeMap::new())), r#"{"result":["a",{}]}"#);
}

#[test]
fn numbers_keep_their_digits() {
    assert_eq!(first_text(i128::MIN), i128::MIN.to_string());
    assert_eq!(structured(u128::MAX), format!(r#"{{"result":{}}}"#, u128::MAX));
    assert_eq!(first_text(0.1_f32), "0.1");
    assert_eq!(first_text(1e16_f64), "1e+16");
    assert_eq!(first_text(f64::NAN), "null");
    assert_eq!(first_text([f32::INFINITY]), "null");

    let raw = RawValue::from_string(r#"{"n": 1.50, "big": 123456789012345678901234567890}"#.into());
    let raw = raw.unwrap();
    assert_eq!(first_text(&raw), r#"{"n": 1.50, "big": 123456789012345678901234567890}"#);
    assert_eq!(structured(&raw), r#"{"n":1.50,"big":123456789012345678901234567890}"#);
    let json = Json::parse(r#"[1.0, "\u00e9", null]"#).unwrap();
    assert_eq!(structured(&json), r#"{"result":[1.0,"\u00e9",null]}"#);
    assert_eq!(reply(&json).to_json().get("content").unwrap().items().count(), 2);
    assert_eq!(first_text(json!({"a": json})), r#"{"a": [1.0, "é", null]}"#);
}

#[test]
fn bytes_are_bytes_only_by_name() {
    assert_eq!(first_text(Bytes(&[0, 1])), "AAE=");
    assert_eq!(reply(vec![0_u8, 1]).to_json().get("content").unwrap().items().count(), 2);
    #[derive(Serialize)]
    struct File {
        data: Bytes<Vec<u8>>,
    }
    assert_eq!(first_text(File { data: Bytes(vec![255]) }), r#"{"data": "/w=="}"#);
    assert_eq!(structured(File { data: Bytes(vec![255]) }), r#"{"data":"/w=="}"#);
}

#[test]
fn errors_are_error_results() {
    fn parse(text: &str) -> Result<u8, Failure> {
        let number: u8 = text.parse()?;
        if number == 0 {
            return Err(Failure::new("zero is too small"));
        }
        Ok(number)
    }
    assert_eq!(first_text(parse("5")), "5");
    let error =
        |text: &str| format!(r#"{{"content":[{{"type":"text","text":"{text}"}}],"isError":true}}"#);
    assert_eq!(result(parse("x")), error("invalid digit found in string"));
    assert_eq!(result(parse("0")), error("zero is too small"));
    assert_eq!(result(Err::<(), _>("as it is")), error("as it is"));
    assert_eq!(result(Err::<(), _>(json!({"code": 5}))), error(r#"{\"code\": 5}"#));
    assert_eq!(result(Err::<(), _>([1, 2])), error("[1, 2]"));
    assert_eq!(result(Err::<(), _>("")), error("tool failed without a message"));
    assert_eq!(result(Err::<(), _>(())), error("tool failed without a message"));
    assert_eq!(result(Some(Err::<(), _>("inside"))), error("inside"));
    let whole = ToolResult::default().block(Block::text("whole"));
    assert_eq!(result(Err::<(), _>(whole)), error("whole"));
    // Inside of data it is an enum like any other.
    assert_eq!(structured(vec![Ok(1), Err("x")]), r#"{"result":[{"Ok":1},{"Err":"x"}]}"#);
}

#[test]
fn an_error_tells_its_causes_once() {
    #[derive(Debug, thiserror::Error)]
    #[error("outer")]
    struct Outer(#[source] std::num::ParseIntError);
    #[derive(Debug, thiserror::Error)]
    #[error("outer: {0}")]
    struct Told(#[source] std::num::ParseIntError);
    let inner = "x".parse::<u8>().unwrap_err();
    assert_eq!(
        Failure::from(Outer(inner.clone())).message(),
        "outer: invalid digit found in string"
    );
    assert_eq!(Failure::from(Told(inner)).message(), "outer: invalid digit found in string");
}

#[test]
fn an_error_while_serializing_is_an_error_result() {
    struct Broken;
    impl Serialize for Broken {
        fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("the lock is poisoned"))
        }
    }
    let text = "the value could not be serialized: the lock is poisoned";
    assert_eq!(first_text(vec![Broken]), text);
    assert!(result(json!({"a": 1}).as_object().map(|_| Broken)).ends_with(r#""isError":true}"#));
    let resource = reply_resource("a://b", None, Broken);
    assert_eq!(resource.failure().as_deref(), Some(text));
    assert_eq!(resource.notes().len(), 1);
}

#[test]
fn our_types_are_themselves_in_other_serializers() {
    let block = Block::text("hi").with("n", Json::parse("1.50").unwrap());
    assert_eq!(serde_json::to_string(&block).unwrap(), r#"{"type":"text","text":"hi","n":1.50}"#);
    assert_eq!(serde_json::to_string(&Data(5)).unwrap(), "5");
    assert_eq!(serde_json::to_string(&Failure::new("no")).unwrap(), "\"no\"");
}
