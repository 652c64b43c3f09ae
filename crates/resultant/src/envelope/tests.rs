mod cursor;
mod schema;
mod vectors;

use std::collections::BTreeMap;

use serde_json::json;

use super::*;
use crate::Protocol;

/// Checks the parts of an envelope, and that the published schema accepts it.
fn check(envelope: &Envelope, data: &str, error: Option<&str>, meta: &str) {
    let json = envelope.to_json();
    let keys: Vec<_> = json.members().map(|(key, _)| key.into_owned()).collect();
    assert_eq!(keys, ["success", "data", "error", "meta"]);
    assert_eq!(json.get("success").unwrap().as_bool(), Some(error.is_none()));
    assert_eq!(json.get("data").unwrap().as_text(), data);
    assert_eq!(json.get("error").unwrap().as_str().as_deref(), error);
    assert_eq!(json.get("error").unwrap().is_null(), error.is_none());
    let version = r#"{"version":"response-v2""#;
    let rest = if meta.is_empty() { "}".to_owned() } else { format!(",{meta}}}") };
    assert_eq!(json.get("meta").unwrap().as_text(), format!("{version}{rest}"));
    schema::accepts(&schema(), &json);
}

fn data_of(envelope: &Envelope) -> String {
    envelope.to_json().get("data").unwrap().to_string()
}

fn meta_of(envelope: &Envelope) -> String {
    envelope.to_json().get("meta").unwrap().to_string()
}

/// What serde cannot write: a key that is no string.
fn unwritable() -> BTreeMap<Vec<u8>, u8> {
    BTreeMap::from([(vec![1], 2)])
}

#[test]
fn an_empty_success_says_that_it_is_empty() {
    let envelope = Envelope::success().field("tasks", [0_u8; 0]).field("count", 0);
    check(&envelope, r#"{"tasks":[],"count":0}"#, None, "");
    check(&Envelope::success(), "{}", None, "");
}

#[test]
fn blocked_or_partial_work_is_a_success_with_warnings() {
    let envelope = Envelope::success()
        .data(json!({"blocked": true, "reason": "waiting for t1"}))
        .data_warning("t1 is not done")
        .warning("nothing was changed");
    check(
        &envelope,
        r#"{"blocked":true,"reason":"waiting for t1","_warnings":["t1 is not done"]}"#,
        None,
        r#""warnings":["nothing was changed"]"#,
    );
}

#[test]
fn several_payloads_stand_under_their_names() {
    let envelope = Envelope::success().field("spec", json!({"id": "s"})).field("tasks", ["t"]);
    check(&envelope, r#"{"spec":{"id":"s"},"tasks":["t"]}"#, None, "");
}

#[test]
fn a_plain_error_has_empty_data() {
    check(&Envelope::error("no such spec"), "{}", Some("no such spec"), "");
}

#[test]
fn an_error_always_has_a_message() {
    for blank in ["", " ", "\n\t", "\u{3000}"] {
        check(&Envelope::error(blank), "{}", Some(BLANK_MESSAGE), "");
    }
}

#[test]
fn a_display_that_fails_does_not_panic() {
    struct Broken;
    impl fmt::Display for Broken {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("half a")?;
            Err(fmt::Error)
        }
    }
    assert_eq!(Envelope::error(Broken).message(), Some("half a"));
}

#[test]
fn a_field_wins_over_data_whichever_came_first() {
    let data = json!({"a": 1, "b": 2});
    let before = Envelope::success().field("b", 3).data(&data);
    let after = Envelope::success().data(&data).field("b", 3);
    assert_eq!(data_of(&before), r#"{"a":1,"b":3}"#);
    assert_eq!(before.to_json().as_text(), after.to_json().as_text());
}

#[test]
fn a_value_that_is_not_an_object_is_wrapped() {
    assert_eq!(data_of(&Envelope::success().data("text")), r#"{"result":"text"}"#);
    assert_eq!(data_of(&Envelope::success().data(false)), r#"{"result":false}"#);
    assert_eq!(data_of(&Envelope::success().data(None::<u8>)), "{}");
}

#[test]
fn digits_and_key_order_survive() {
    let text = r#"{"z":12345678901234567890123,"a":1.50}"#;
    let envelope = Envelope::success().data(Json::parse(text).unwrap());
    assert_eq!(data_of(&envelope), text);
    assert_eq!(serde_json::to_string(&envelope).unwrap(), envelope.to_json().as_text());
    assert_eq!(serde_json::to_value(&envelope).unwrap(), envelope.to_json().to_value());
}

#[test]
fn meta_is_written_in_one_order() {
    let envelope = Envelope::success()
        .meta("trace", "t")
        .telemetry(Telemetry::new().duration_ms(1.5))
        .rate_limit(RateLimit::new().limit(3).retry_after(4))
        .pagination(Pagination::last())
        .warnings(["w1", "w2"])
        .request_id("r");
    assert_eq!(
        meta_of(&envelope),
        r#"{"version":"response-v2","request_id":"r","warnings":["w1","w2"],"pagination":{"cursor":null,"has_more":false},"rate_limit":{"limit":3,"retry_after":4},"telemetry":{"duration_ms":1.5},"trace":"t"}"#,
    );
}

#[test]
fn a_code_implies_its_type() {
    let of = |envelope: Envelope| data_of(&envelope);
    let error = || Envelope::error("m");
    assert_eq!(
        of(error().code(ErrorCode::NOT_FOUND).kind("validation")),
        r#"{"error_code":"NOT_FOUND","error_type":"validation"}"#
    );
    assert_eq!(of(error().code("MY_CODE")), r#"{"error_code":"MY_CODE"}"#);
    assert_eq!(
        of(error().code(ErrorCode::custom("MY_CODE", "mine"))),
        r#"{"error_code":"MY_CODE","error_type":"mine"}"#
    );
    assert_eq!(of(error().code("").kind("")), "{}");
    // The type follows the code that is written, not the one that the payload outranked.
    assert_eq!(
        of(error().code(ErrorCode::NOT_FOUND).field("error_code", "CONFLICT")),
        r#"{"error_code":"CONFLICT","error_type":"conflict"}"#
    );
    assert_eq!(
        of(error().code(ErrorCode::NOT_FOUND).field("error_code", "MINE")),
        r#"{"error_code":"MINE"}"#
    );
}

#[test]
fn every_known_code_is_listed_once() {
    let mut names: Vec<_> = ErrorCode::ALL.iter().map(ErrorCode::as_str).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 55);
    assert_eq!(names.len(), ErrorCode::ALL.len());
}

#[test]
fn a_success_says_nothing_about_an_error() {
    let envelope = Envelope::success()
        .code(ErrorCode::NOT_FOUND)
        .remediation("r")
        .details(json!({"a": 1}))
        .field("error", "of the payload");
    check(&envelope, r#"{"error":"of the payload"}"#, None, "");
}

#[test]
fn values_of_the_wrong_kind_are_set_aside() {
    let envelope = Envelope::error("m")
        .data(json!({"error_code": 404, "error_type": null, "_meta": 5, "_warnings": "w"}))
        .code(ErrorCode::NOT_FOUND)
        .data_warning("v")
        .meta("warnings", [1])
        .meta("pagination", "p")
        .meta("rate_limit", json!({"limit": "many"}));
    check(
        &envelope,
        r#"{"error_type":null,"_meta":{"value":5},"_warnings":["w","v"],"x_error_code":404,"error_code":"NOT_FOUND"}"#,
        Some("m"),
        r#""rate_limit":{"x_limit":"many"},"x_warnings":[1],"x_pagination":"p""#,
    );
    let nothing = Envelope::success().data(json!({"_meta": null, "_warnings": null}));
    check(&nothing, "{}", None, "");
}

#[test]
fn what_serde_cannot_write_becomes_an_error() {
    let envelope = Envelope::success().field("a", 1).field("table", unwritable());
    assert!(!envelope.is_success());
    check(
        &envelope,
        r#"{"a":1,"error_code":"INTERNAL_ERROR","error_type":"internal"}"#,
        Some("`table` could not be written as JSON: key must be a string"),
        "",
    );
}

#[test]
fn what_serde_cannot_write_does_not_hide_an_error() {
    let envelope = Envelope::error("disk is full").details(unwritable());
    check(
        &envelope,
        "{}",
        Some("disk is full"),
        r#""warnings":["`details` could not be written as JSON: key must be a string"]"#,
    );
}

#[test]
fn nesting_is_bounded_wherever_it_comes_in() {
    let deep = format!("{}1{}", "[".repeat(127), "]".repeat(127));
    let deep = Json::parse(deep).unwrap();
    let envelope = Envelope::success()
        .field("deep", &deep)
        .data_meta("deep", &deep)
        .meta("deep", &deep)
        .telemetry(Telemetry::new().with("deep", deep));
    let result = envelope.to_result(Protocol::LATEST);
    assert!(serde_json::from_str::<serde_json::Value>(result.as_text()).is_ok());
}

#[test]
fn results_fit_the_protocol() {
    let error = Envelope::error("no");
    let text = error.to_json().to_string();
    for protocol in Protocol::ALL {
        let result = error.to_result(protocol);
        let block = result.get("content").unwrap().items().next().unwrap();
        assert_eq!(block.get("text").unwrap().as_str().unwrap(), text);
        assert_eq!(result.get("isError").unwrap().as_bool(), Some(true));
        assert_eq!(result.get("structuredContent").is_some(), protocol.has_structured_content());
        assert_eq!(result.get("resultType").is_some(), protocol.is_modern());
        assert!(Envelope::success().to_result(protocol).get("isError").is_none());
    }
}
