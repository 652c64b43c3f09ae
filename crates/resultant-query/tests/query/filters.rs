//! jq filters.

use serde_json::json;

use super::*;

#[test]
fn filters_answer_with_all_results_that_fit() {
    let files = [json(r#"{"rows": [{"id": 1, "tag": "ab"}, {"id": 2, "tag": null}], "n": 1e3}"#)];
    assert_eq!(
        answer(&jq(".rows[] | select(.tag | strings | test(\"^a\")) | .id"), &files),
        json!({"results": [1], "count": 1, "complete": true})
    );
    assert_eq!(answer(&jq("[.rows[].id] | add"), &files)["results"], json!([3]));
    assert_eq!(
        answer(&jq(".rows | map([.id, \"=1\", .tag]) | .[0] | @csv"), &files)["results"],
        json!(["1,\"'=1\",\"ab\""])
    );
    let many = answer(&jq("range(100000)"), &files);
    assert_eq!((&many["count"], &many["complete"]), (&json!(100_000), &json!(false)));
    assert_eq!(many["results"][7], 7);
}

#[test]
fn large_numbers_keep_their_digits() {
    let files = [json(r#"[12345678901234567890123, 0.10, -0]"#)];
    let answer = ask_within(&jq(".[]"), &files, &QueryLimits::default()).unwrap();
    let text = String::from_utf8(answer.to_vec()).unwrap();
    assert!(text.contains("[12345678901234567890123,0.10,"), "{text}");
    let odd = super::answer(&jq("nan, infinite, {(\"é\"): 1}"), &files);
    assert_eq!(odd["results"], json!([null, f64::MAX, {"é": 1}]));
}

#[test]
fn rows_of_other_kinds_are_lists_of_objects() {
    let sum = jq("map(.n) | add");
    let csv = file("t.csv", "text/csv", "id,n\n1,40\n2,2\n");
    assert_eq!(answer(&sum, &[csv])["results"], json!([42]));
    let python = text("[{'id': 1, 'n': 40, 'x': None}, {'id': 2, 'n': 2, 'x': True}]");
    assert_eq!(answer(&sum, &[python])["results"], json!([42]));
    let lines = text("{\"n\": 40}\n{\"n\": 2}\n");
    assert_eq!(answer(&sum, &[lines])["results"], json!([42]));
    // Keys that a line does not have stay away, and a broken line is kept as it is.
    let lines = file("x.jsonl", "", "{\"a\": 1}\n{\"b\": 2}\n{broken\n");
    assert_eq!(answer(&jq("."), &[lines])["results"], json!([[{"a": 1}, {"b": 2}, "{broken"]]));
}

#[test]
fn mistakes_are_taught() {
    let files = [json(r#"{"rows": [1], "total": 1}"#)];
    let said = refusal(&jq(".rows | map("), &files);
    assert!(said.contains("the jq filter .rows | map( is wrong: expected"), "{said}");
    let said = refusal(&jq("frobnicate(1)"), &files);
    assert!(said.contains("no function frobnicate/1"), "{said}");
    for filter in ["import \"a\" as $x; $x", "import \"a\" as a; .", "include \"a\"; ."] {
        let said = refusal(&jq(filter), &files);
        assert!(said.contains("there is no import or include here (a)"), "{said}");
    }
    let said = refusal(&jq(".missing[]"), &files);
    assert!(said.contains("the input is an object with the keys rows, total"), "{said}");
    let said = refusal(&jq("."), &[text("just words\n")]);
    assert!(said.contains("file.txt is not JSON (it is text); try files_search"), "{said}");
    let partly = answer(&jq("1, 2, error(\"no\")"), &files);
    assert_eq!(partly["results"], json!([1, 2]));
    assert_eq!((&partly["error"], &partly["complete"]), (&json!("no"), &json!(false)));
}

#[test]
fn a_result_longer_than_a_page_is_cut() {
    let files = [json(format!("[{}1]", "[\"é\", 1], ".repeat(5000)))];
    let page = answer(&jq("."), &files);
    assert_eq!((&page["results"], &page["count"]), (&json!([]), &json!(1)));
    assert!(page["cut"]["start"].as_str().unwrap().starts_with("[[\"é\",1],"));
    assert_eq!(page["complete"], false);
}
