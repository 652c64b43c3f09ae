use super::{equal::same_number, *};
use crate::Limits;

fn lenient(text: &str) -> Result<Scanned, ScanError> {
    scan(&text.into(), &ScanOptions::lenient(&Limits::default()))
}

#[test]
fn a_clean_text_is_not_copied() {
    let text = ByteString::from(" {\"a\": [1, 2.50, \"x\\n\\ud83d\\ude00\"]} ");
    let scanned = scan(&text, &ScanOptions::lenient(&Limits::default())).unwrap();
    assert_eq!(scanned.json.as_text().as_ptr(), text[1..].as_ptr());
    assert_eq!(scanned.json.as_text(), text.trim());
}

#[test]
fn refuses_what_is_not_json() {
    for (text, line, column) in [
        ("", 1, 1),
        ("{", 1, 2),
        ("[1,]", 1, 4),
        ("{\"a\" 1}", 1, 6),
        ("{\n  \"a\": tru\n}", 2, 8),
        ("01", 1, 1),
        ("1.", 1, 1),
        ("\"\\x\"", 1, 2),
        ("\"\\u12g4\"", 1, 2),
        ("[1] 2", 1, 5),
        ("{\"a\":1]", 1, 7),
        ("\"abc", 1, 5),
    ] {
        let Err(ScanError::Syntax(error)) = lenient(text) else { panic!("{text} is not JSON") };
        assert_eq!((error.line, error.column), (line, column), "{text}: {error}");
    }
}

#[test]
fn repairs_what_servers_get_wrong() {
    for (text, expected, kind) in [
        (r#""a\ud800b""#, "\"a\u{fffd}b\"", FindingKind::LoneSurrogate),
        (r#""\udc00\ud83d\ude00""#, "\"\u{fffd}\\ud83d\\ude00\"", FindingKind::LoneSurrogate),
        (r#""\ud800\n""#, "\"\u{fffd}\\n\"", FindingKind::LoneSurrogate),
        (r#""\ud800\ud83d\ude00""#, "\"\u{fffd}\\ud83d\\ude00\"", FindingKind::LoneSurrogate),
        ("\"a\tb\"", "\"a\\tb\"", FindingKind::ControlCharacter),
        ("[NaN, -Infinity]", "[null, null]", FindingKind::NotANumber),
    ] {
        let scanned = lenient(text).unwrap();
        assert_eq!(scanned.json.as_text(), expected);
        assert_eq!(scanned.findings.first[0].kind, kind);
    }
}

#[test]
fn the_last_of_equal_keys_is_kept() {
    let scanned = lenient(r#"{"a": {"b": 1, "\u0062": 2}, "c": 0, "a/~": 1, "a/~": 2}"#).unwrap();
    assert_eq!(scanned.json.as_text(), r#"{"a":{"b":2},"c":0,"a/~":2}"#);
    let places: Vec<_> = scanned.findings.duplicates.iter().map(|(at, _)| at.as_str()).collect();
    assert_eq!(places, ["/a~1~0", "/a/b"]);
}

#[test]
fn deep_nesting_becomes_text() {
    let deep = "[".repeat(100_000) + "\"x\"" + &"]".repeat(100_000);
    let scanned = lenient(&deep).unwrap();
    assert_eq!(scanned.findings.first[0].kind, FindingKind::TooDeep);
    let text = scanned.json.as_text();
    assert!(text.starts_with(&("[".repeat(128) + "\"[[")));
    assert!(text.ends_with(&("]]\"".to_owned() + &"]".repeat(128))));
    assert_eq!(text.matches("\\\"x\\\"").count(), 1);
    assert!(Json::parse(text.to_owned()).is_ok());
}

#[test]
fn numbers_are_the_same_by_value() {
    for (left, right, same) in [
        ("100", "1e2", true),
        ("100.0", "1E+2", true),
        ("0", "-0.0", true),
        ("12345678901234567890123", "12345678901234567890124", false),
        ("1e400", "10e399", true),
        ("0.1", "1e-1", true),
        ("-1", "1", false),
    ] {
        assert_eq!(same_number(left, right), same, "{left} {right}");
    }
}

#[test]
fn values_are_the_same_whatever_their_spelling() {
    let one = Json::parse(r#"{"a": [1, "\u00e9"], "b": null, "c": {"x": 1, "y": 2}}"#).unwrap();
    let other = Json::parse(r#"{"b":null,"c":{"y":2,"x":1.0},"a":[1,"é"]}"#).unwrap();
    assert!(one.same_value(&other));
    assert!(!one.same_value(&Json::parse(r#"{"b":null}"#).unwrap()));
    assert!(!Json::parse("[1]").unwrap().same_value(&Json::parse("[1,2]").unwrap()));
}

#[test]
fn writes_compact_and_pretty() {
    let json = Json::parse("{ \"a\" : [ 1 , \"x y\" ] ,\n\"b\":{} }").unwrap();
    assert_eq!(json.to_string(), r#"{"a":[1,"x y"],"b":{}}"#);
    assert_eq!(json.to_pretty(), "{\n  \"a\": [\n    1,\n    \"x y\"\n  ],\n  \"b\": {}\n}");
    assert_eq!(Json::string("\u{1}\"\\é\n").as_text(), "\"\\u0001\\\"\\\\é\\n\"");
}
