//! Parts that are handed on as they are.

use super::*;

#[track_caller]
fn taken(ask: &Ask, file: File) -> String {
    let bytes = ask_within(ask, &[file], &QueryLimits::default()).unwrap();
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn ranges() {
    assert_eq!(taken(&take(By::Lines, 2, 3), text("a\r\nb\r\nc\r\nd")), "b\r\nc\r\n");
    assert_eq!(taken(&take(By::Lines, 3, 99), text("a\nb\nc")), "c");
    assert_eq!(taken(&take(By::Bytes, 1, 2), text("abcd")), "bc");
    assert_eq!(taken(&take(By::Items, 2, 3), json("[1, 2.50, {\"a\": 1}, 4]")), "[2.50,{\"a\":1}]");
    let csv = file("t.csv", "text/csv", "id,n\n1,a\n2,b\n");
    assert_eq!(taken(&take(By::Rows, 2, 2), csv), "[{\"id\":2,\"n\":\"b\"}]");
    let long: String = "line of the file\n".repeat(100_000);
    assert_eq!(taken(&take(By::Lines, 1, u64::MAX), text(long.as_str())), long);
}

#[test]
fn filters() {
    let file = || json(r#"{"text": "line 1\nline 2 \"x\"", "list": [1, 2]}"#);
    let taken = |filter: &str| taken(&Ask::Take(Take::Jq(filter.to_owned())), file());
    assert_eq!(taken(".text"), "line 1\nline 2 \"x\"");
    assert_eq!(taken(".list"), "[1,2]");
    assert_eq!(taken(".list[]"), "[1,2]");
    assert_eq!(taken(".list[], .text"), "[1,2,\"line 1\\nline 2 \\\"x\\\"\"]");
    assert_eq!(taken(".list | length"), "2");
    let nothing = Ask::Take(Take::Jq("empty".to_owned()));
    assert!(refusal(&nothing, &[file()]).contains("no result"));
}

#[test]
fn too_much_is_an_error() {
    let limits = QueryLimits { take_bytes: 10, ..QueryLimits::default() };
    for ask in [
        take(By::Lines, 1, 5),
        take(By::Bytes, 0, 10),
        take(By::Items, 1, 100),
        Ask::Take(Take::Jq(".".to_owned())),
    ] {
        let files = [json(format!("[{}1]", "1,\n".repeat(100)))];
        let result = ask_within(&ask, &files, &limits);
        assert!(
            matches!(&result, Err(QueryError::Limit(text)) if text.contains("too much")),
            "{ask:?}: {result:?}"
        );
    }
    assert!(refusal(&take(By::Bytes, 5, 1), &[text("abc")]).contains("ends before"));
}
