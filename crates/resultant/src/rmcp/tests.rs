//! What a `#[tool]` function may return, and what becomes of it.

use std::collections::{BTreeMap, HashMap};

use ::rmcp::{
    ErrorData,
    handler::server::tool::{IntoCallToolResult, schema_for_output},
    model::{CallToolResponse, CallToolResult, ReadResourceResult},
};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::{Return, SPEC, Typed, read};
use crate::{
    Block, Bytes, Contents, Failure, Json, Profile, ReadResult, Schema, ToolResult,
    envelope::Envelope, reply, reply_resource,
};

/// As a function's return type says it.
fn any<T>(value: T) -> Return<T> {
    Return(value)
}

fn typed<T>(value: T) -> Typed<T> {
    Typed(value)
}

fn result(returned: impl IntoCallToolResult) -> CallToolResult {
    match returned.into_call_tool_result() {
        Ok(CallToolResponse::Complete(result)) => result,
        other => panic!("{other:?}"),
    }
}

/// Compares the texts of a result, its structured content, and whether it is an error.
fn check(
    returned: impl IntoCallToolResult,
    texts: &[&str],
    structured: Option<&Value>,
    error: bool,
) {
    let result = result(returned);
    let found: Vec<_> =
        result.content.iter().map(|block| &*block.as_text().unwrap().text).collect();
    assert_eq!(found, texts);
    assert_eq!(result.structured_content.as_ref(), structured);
    assert_eq!(result.is_error.unwrap_or_default(), error);
}

/// A typed value, in both profiles: the advertised schema takes the structured content, and the
/// text is the structured content where the specification is followed.
fn check_typed<T>(value: T, texts: &[&str], structured: &Value)
where
    T: Serialize + JsonSchema + Clone + 'static,
{
    check(typed(value.clone()), texts, Some(structured), false);
    check(Typed::<_, SPEC>(value), &[&structured.to_string()], Some(structured), false);
    let schema = Value::Object((*schema_for_output::<Typed<T>>()).clone());
    assert_eq!(schema["type"], "object");
    let schema = Schema::compile(&Json::from(schema), &Default::default()).unwrap();
    assert!(schema.check(&Json::from(structured.clone())).is_valid());
    assert_eq!(schema.wraps_result(), structured.get("result").is_some());
}

#[derive(Clone, Serialize, JsonSchema)]
struct Point {
    x: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
}

#[derive(Clone, Serialize, JsonSchema)]
#[serde(untagged)]
enum Tree {
    Leaf(u8),
    Branch(Vec<Tree>),
}

#[derive(Clone, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Shape {
    Dot(Point),
    Circle { radius: f64 },
}

#[test]
fn typed_values_are_what_is_advertised() {
    let point = Point { x: 0.5, label: None };
    check_typed(point.clone(), &[r#"{"x": 0.5}"#], &json!({"x": 0.5}));
    check_typed(vec![point.clone()], &[r#"{"x": 0.5}"#], &json!({"result": [{"x": 0.5}]}));
    check_typed(Some(point.clone()), &[r#"{"x": 0.5}"#], &json!({"result": {"x": 0.5}}));
    check_typed(None::<Point>, &[], &json!({"result": null}));
    check_typed((), &[], &json!({"result": null}));
    check_typed(true, &["true"], &json!({"result": true}));
    check_typed('ß', &["ß"], &json!({"result": "ß"}));
    check_typed("7".to_owned(), &["7"], &json!({"result": "7"}));
    check_typed(u64::MAX, &["18446744073709551615"], &json!({"result": u64::MAX}));
    check_typed(Vec::<u8>::new(), &[], &json!({"result": []}));
    check_typed(
        Shape::Circle { radius: 1.0 },
        &[r#"{"kind": "circle", "radius": 1.0}"#],
        &json!({"kind": "circle", "radius": 1.0}),
    );
    check_typed(
        Shape::Dot(point),
        &[r#"{"kind": "dot", "x": 0.5}"#],
        &json!({"kind": "dot", "x": 0.5}),
    );
    check_typed(json!([1, null]), &["1"], &json!({"result": [1, null]}));
    let tree = Tree::Branch(vec![Tree::Leaf(1), Tree::Branch(vec![Tree::Leaf(2)])]);
    check_typed(tree, &["1", "2"], &json!({"result": [1, [2]]}));
}

/// Where a value without a type would be taken for something else.
#[test]
fn typed_values_are_only_data() {
    let page = BTreeMap::from([("content".to_owned(), Vec::<String>::new())]);
    check_typed(page, &[r#"{"content": []}"#], &json!({"content": []}));
    let pair = (1, BTreeMap::from([("a".to_owned(), 2)]));
    check_typed(pair, &["1", r#"{"a": 2}"#], &json!({"result": [1, {"a": 2}]}));
}

#[test]
fn a_value_that_its_schema_rejects_is_an_error_that_says_so() {
    const PROBLEM: &str = "the result does not match the tool's output schema: ";
    let message = |returned: CallToolResult| {
        assert_eq!((returned.is_error, returned.structured_content), (Some(true), None));
        let mut texts = returned.content.iter().map(|block| block.as_text().unwrap().text.clone());
        let message = texts.next().unwrap();
        (message.strip_prefix(PROBLEM).unwrap().to_owned(), texts.collect::<Vec<_>>())
    };
    let (problem, texts) = message(result(typed(vec![0.5, f64::NAN])));
    assert!(problem.starts_with("/1: "), "{problem}");
    assert_eq!(texts, ["0.5", "null"]);
    let (problem, texts) = message(result(typed(Point { x: f64::INFINITY, label: None })));
    assert!(problem.starts_with("/x: "), "{problem}");
    assert_eq!(texts, [r#"{"x": null}"#]);
    check_typed(Some(f64::NAN), &["null"], &json!({"result": null}));
}

/// A type whose serialization fails.
#[derive(JsonSchema)]
struct Broken;

impl Serialize for Broken {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom("the sensor is gone"))
    }
}

#[test]
fn a_failure_is_a_result_that_the_model_reads() {
    let broken = "the value could not be serialized: the sensor is gone";
    check(typed(Broken), &[broken], None, true);
    check(any(Broken), &[broken], None, true);
    check(Failure::new("no"), &["no"], None, true);
    check(any(Err::<u8, _>(Failure::new("no"))), &["no"], None, true);
    check(Err::<Typed<u8>, _>(Failure::new("no")), &["no"], None, true);
    check(Ok::<_, Failure>(typed(1_u8)), &["1"], Some(&json!({"result": 1})), false);
    let envelope = Envelope::error("no").to_json();
    let value = envelope.to_value();
    check(Envelope::error("no"), &[&envelope.to_string()], Some(&value), true);
}

#[test]
fn anything_can_be_returned() {
    check(any(()), &[], None, false);
    check(any(Bytes(b"hi")), &["aGk="], None, false);
    check(any(("text", json!({"a": 1}))), &["text"], Some(&json!({"a": 1})), false);
    check(
        Return::<_, SPEC>([1, 2]),
        &[r#"{"result":[1,2]}"#],
        Some(&json!({"result": [1, 2]})),
        false,
    );
    check(
        reply([1]).profile(Profile::Spec),
        &[r#"{"result":[1]}"#],
        Some(&json!({"result": [1]})),
        false,
    );
    check(Block::text("one"), &["one"], None, false);
    check(ToolResult::default().block(Block::text("no")).error(), &["no"], None, true);
}

#[test]
fn blocks_that_rmcp_has_no_type_for_stay_readable() {
    let video = Block::from_json(Json::from(json!({"type": "video", "data": "AA=="}))).unwrap();
    check(video, &[r#"{"type":"video","data":"AA=="}"#], None, false);
    let odd = Block::text("kept").with("annotations", Json::from(json!({"audience": ["robots"]})));
    check(odd, &["kept"], None, false);
}

#[test]
fn fields_that_rmcp_has_no_room_for_are_carried() {
    let whole = ToolResult::default()
        .with("_meta", Json::from(json!({"a": 1})))
        .with("tools", Json::from(json!([])));
    let meta = result(whole).meta.unwrap();
    assert_eq!(Value::Object(meta.0), json!({"a": 1, "resultant/carried": {"tools": []}}));
}

#[test]
fn what_is_no_result_becomes_the_value_of_one() {
    for (text, structured) in [("7", json!({"result": 7})), (r#"{"a":1}"#, json!({"a": 1}))] {
        let result = CallToolResult::from(&Json::parse(text).unwrap());
        assert_eq!(result.structured_content, Some(structured));
    }
    let result = CallToolResult::from(&Json::null());
    assert!(result.content.is_empty() && result.structured_content.is_none());
}

#[test]
fn results_come_back_as_they_went() {
    let sent = reply((Block::image(b"GIF89a", "image/gif"), HashMap::from([("n", 1)]))).to_json();
    let result = CallToolResult::from(&sent);
    assert_eq!(Json::from(&result).get("content"), sent.get("content"));
    let outcome = read(&result);
    assert_eq!(outcome.results.to_string(), r#"{"n":1}"#);
    assert_eq!(outcome.artifacts.len(), 1);
}

#[test]
fn resources_become_contents_or_an_error() -> Result<(), ErrorData> {
    let pages = ReadResult::default()
        .contents(Contents::text("dir:///a", "A"))
        .contents(Contents::blob("dir:///b", b"B"))
        .contents(Contents::from_json(Json::from(json!({"odd": 1}))).unwrap())
        .with("_meta", Json::from(json!({"page": 1})));
    let result = ReadResourceResult::try_from(reply_resource("dir:///", None, pages))?;
    let json = Json::from(&result).to_value();
    assert_eq!(json["contents"][0], json!({"uri": "dir:///a", "text": "A"}));
    assert_eq!(json["contents"][1], json!({"uri": "dir:///b", "blob": "Qg=="}));
    assert_eq!(json["contents"][2]["uri"], "dir:///");
    assert_eq!(json["_meta"], json!({"page": 1}));

    let failed = reply_resource("dir:///", None, Err::<(), _>(Failure::new("the disk is gone")));
    let error = ReadResourceResult::try_from(failed).unwrap_err();
    assert_eq!(error.message, "the disk is gone");
    Ok(())
}
