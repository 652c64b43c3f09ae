//! Searches.

use serde_json::json;

use super::*;

#[test]
fn all_are_counted_and_a_page_is_shown() {
    let log: String = (1..=12_000)
        .map(|line| {
            let status = if line % 100 == 0 { 503 } else { 200 };
            format!("10.0.0.{} - - \"GET /item/{line} HTTP/1.1\" {status} 512\n", line % 250)
        })
        .collect();
    let files = [text(log)];
    let first = answer(&search(r#"" 503 "#), &files);
    assert_eq!(first["count"], 120);
    assert_eq!(first["matches"][0]["line"], 100);
    assert!(first["matches"][0]["text"].as_str().unwrap().contains("/item/100 "));
    let next = first["next"]["from"].as_u64().unwrap();
    let search_for = |pattern: &str| Search { pattern: pattern.to_owned(), ..Search::default() };
    let page = Search { from: next, ..search_for(r#"" 503 "#) };
    assert_eq!(answer(&Ask::Search(page), &files)["matches"][0]["line"], next * 100);
    assert_eq!(answer(&search("nowhere"), &files), json!({"count": 0, "matches": []}));
    let counted = |count| Search { count: Some(count), ..search_for(r#"" 503 "#) };
    assert_eq!(answer(&Ask::Search(counted(0)), &files), json!({"count": first["count"]}));
    let two = answer(&Ask::Search(counted(2)), &files);
    assert_eq!(two["matches"].as_array().unwrap().len(), 2);
    assert_eq!(two["next"]["from"], 3);
}

#[test]
fn words_are_whole_and_in_any_order_and_case() {
    let files = [text("an Error of the disk\nerrors of disk\ndisk: ERROR 7\n")];
    let words = |pattern: &str| {
        answer(
            &Ask::Search(Search { pattern: pattern.into(), words: true, ..Search::default() }),
            &files,
        )
    };
    let lines = |page: &Value| {
        page["matches"]
            .as_array()
            .unwrap()
            .iter()
            .map(|hit| hit["line"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(lines(&words("disk error")), [1, 3]);
    assert_eq!(lines(&words("errors")), [2]);
    assert_eq!(lines(&words("disk:")), [3]);
}

#[test]
fn context_is_shown_around_a_match() {
    let files = [text("a\nb\nc x\nd\ne x\nf\n")];
    let around = Search { pattern: "x".into(), context: 2, ..Search::default() };
    assert_eq!(
        answer(&Ask::Search(around), &files),
        json!({"count": 2, "matches": [
            {"line": 3, "text": "c x", "before": ["a", "b"], "after": ["d", "e x"]},
            {"line": 5, "text": "e x", "before": ["c x", "d"], "after": ["f"]},
        ]})
    );
}

#[test]
fn a_long_line_is_cut_around_the_match() {
    let line = format!("{}NEEDLE{}", "é".repeat(1 << 20), "ü".repeat(1 << 20));
    let page = answer(&search("NEEDLE"), &[text(line)]);
    let shown = page["matches"][0]["text"].as_str().unwrap();
    assert!(shown.contains("éNEEDLEü") && shown.starts_with('…') && shown.ends_with('…'));
    assert!(shown.len() < 500);
}

#[test]
fn a_match_in_a_diff_says_its_file() {
    let diff = "commit 1\n\n    a message\n\ndiff --git a/src/x.py b/src/x.py\n--- a/src/x.py\n\
                +++ b/src/x.py\n@@ -1 +1,2 @@\n+def found():\ndiff --git a/y b/y\n+found\n";
    let page = answer(&search("found"), &[text(diff)]);
    assert_eq!(page["matches"][0]["in"], "src/x.py");
    assert_eq!(page["matches"][1]["in"], "y");
    assert_eq!(answer(&search("message"), &[text(diff)])["matches"][0].get("in"), None);
}

#[test]
fn matches_in_json_carry_their_path() {
    let files = [json(r#"{"entities":[{"name":"a"},{"name":"needle","o":["x"]}]}"#)];
    let page = answer(&search("needle"), &files);
    assert_eq!(page["matches"], json!([{"line": 2, "text": ".entities[1].name = \"needle\""}]));
}

#[test]
fn rows_that_python_printed_are_lines() {
    let files = [text("[{'id': 1, 's': 'open'}, {'id': 2, 's': 'paid'}, {'id': 3, 's': 'paid'}]")];
    let page = answer(&search("'paid'"), &files);
    assert_eq!(page["count"], 2);
    assert_eq!(page["matches"][0], json!({"line": 2, "text": "{'id': 2, 's': 'paid'},"}));
    assert_eq!(answer(&super::page(By::Lines, 3), &files)["text"], "{'id': 3, 's': 'paid'}]");
}

#[test]
fn several_files_are_counted_each() {
    let files = [
        file("a.txt", "text/plain", "x\nx\n"),
        file("b.png", "image/png", "\0x"),
        file("c.txt", "text/plain", "y"),
        file("d.json", "application/json", "[\"x\"]"),
    ];
    assert_eq!(
        answer(&search("x"), &files),
        json!({"count": 3, "files": {"a.txt": 2, "d.json": 1}, "skipped_binary": 1, "matches": [
            {"file": "a.txt", "line": 1, "text": "x"},
            {"file": "a.txt", "line": 2, "text": "x"},
            {"file": "d.json", "line": 1, "text": ".[0] = \"x\""},
        ]})
    );
    let said = refusal(&search("x"), &files[1..2]);
    assert!(said.contains("b.png is binary"), "{said}");
}

#[test]
fn a_broken_pattern_is_shown_with_the_place() {
    let said = refusal(&search("a(b"), &[text("x")]);
    assert!(said.contains("a(b\n") && said.contains("unclosed group"), "{said}");
    assert!(refusal(&search(" "), &[text("x")]).contains("empty"));
}
