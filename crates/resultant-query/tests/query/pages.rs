//! Pages by lines, bytes, items and rows.

use serde_json::json;

use super::*;

/// A log of so many lines.
fn log(lines: usize) -> String {
    (1..=lines).map(|line| format!("2026-05-01 12:00:00 INFO request {line} took 5 ms\n")).collect()
}

#[test]
fn lines_follow_each_other_to_the_last() {
    let log = log(500);
    let mut seen = String::new();
    let mut from = 1;
    loop {
        let page = answer(&page(By::Lines, from), &[text(log.as_str())]);
        assert_eq!(page["of"], 500);
        assert_eq!(page["from"], from);
        seen.push_str(page["text"].as_str().unwrap());
        seen.push('\n');
        match page["next"]["from"].as_u64() {
            Some(next) => {
                assert_eq!(page["to"], next - 1);
                from = next;
            }
            None => break,
        }
    }
    assert_eq!(seen, log);
}

#[test]
fn a_count_is_kept_and_a_large_one_is_cut() {
    let files = [text("a\r\nb\r\nc")];
    let part = |from, count| Ask::Read(Part { from, count, ..Part::default() });
    assert_eq!(
        answer(&part(2, Some(1)), &files),
        json!({"by": "lines", "from": 2, "to": 2, "of": 3, "next": {"from": 3}, "text": "b"})
    );
    assert_eq!(
        answer(&part(0, Some(1_000_000_000)), &files),
        json!({"by": "lines", "from": 1, "to": 3, "of": 3, "text": "a\nb\nc"})
    );
    let beyond = answer(&part(10, None), &files);
    assert_eq!((&beyond["of"], &beyond["text"]), (&json!(3), &json!("")));
    assert_eq!(answer(&part(1, None), &[text("")])["of"], 0);
}

#[test]
fn a_line_of_ten_megabytes_is_paged() {
    let line = "zażółć gęślą jaźń 🦀 ".repeat(10 << 20 >> 5);
    let files = [text(format!("first\n{line}\nlast\n"))];
    let (mut from, mut at, mut seen) = (2, 0, String::new());
    for _ in 0..3 {
        let part = Part { by: Some(By::Lines), from, at, ..Part::default() };
        let page = answer(&Ask::Read(part), &files);
        let text = page["text"].as_str().unwrap();
        assert!(text.len() > 1000);
        seen.push_str(text);
        (from, at) = (page["next"]["from"].as_u64().unwrap(), page["next"]["at"].as_u64().unwrap());
        assert_eq!((from, at), (2, seen.len() as u64));
    }
    assert!(line.starts_with(&seen));
    // Its end, and the line behind it.
    let at = line.len() as u64 - 5;
    let part = Part { by: Some(By::Lines), from: 2, at, ..Part::default() };
    let page = answer(&Ask::Read(part), &files);
    assert_eq!(page["text"], format!("{}\nlast", &line[line.len() - 5..]));
    assert_eq!(page.get("next"), None);
}

#[test]
fn a_place_inside_a_character_starts_with_the_next() {
    let files = [text("éé\n")];
    let part = Part { by: Some(By::Lines), from: 1, at: 1, ..Part::default() };
    assert_eq!(answer(&Ask::Read(part), &files)["text"], "é");
    let part = Part { by: Some(By::Bytes), from: 1, count: Some(1), ..Part::default() };
    let page = answer(&Ask::Read(part), &files);
    assert_eq!((&page["from"], &page["to"], &page["text"]), (&json!(2), &json!(3), &json!("é")));
    let part = Part { by: Some(By::Bytes), from: 99, ..Part::default() };
    assert_eq!(
        answer(&Ask::Read(part), &files),
        json!({"by": "bytes", "from": 5, "of": 5, "text": ""})
    );
}

#[test]
fn small_pages_of_bytes_lose_no_character() {
    let whole = "zażółć 🦀 \u{1}\0 gęś\n";
    for count in 1..=6 {
        let (mut from, mut seen) = (0, String::new());
        loop {
            let part = Part { by: Some(By::Bytes), from, count: Some(count), ..Part::default() };
            let page = answer(&Ask::Read(part), &[text(whole)]);
            seen.push_str(page["text"].as_str().unwrap());
            match page["next"]["from"].as_u64() {
                Some(next) => from = next,
                None => break,
            }
        }
        assert_eq!(seen, whole, "{count} bytes at once");
    }
}

#[test]
fn beyond_the_end_is_an_empty_page_at_it() {
    let files = [text("a\nb\n")];
    assert_eq!(
        answer(&page(By::Lines, u64::MAX), &files),
        json!({"by": "lines", "from": 3, "to": 2, "of": 2, "text": ""})
    );
    assert_eq!(
        answer(&page(By::Items, 1_000_000), &[json("[1]")]),
        json!({"by": "items", "from": 2, "to": 1, "of": 1, "items": []})
    );
}

#[test]
fn bytes_of_a_binary_file_are_a_short_dump() {
    let png = [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(), &[0; 5000]].concat();
    let page = answer(&Ask::Read(Part::default()), &[file("a.png", "image/png", png)]);
    assert_eq!((&page["by"], &page["of"]), (&json!("bytes"), &json!(5016)));
    let hex = page["hex"].as_str().unwrap();
    assert!(
        hex.starts_with(
            "00000000  89 50 4e 47 0d 0a 1a 0a 00 00 00 0d 49 48 44 52  .PNG........IHDR"
        ),
        "{hex}"
    );
    assert!(page["next"]["from"].as_u64().unwrap() <= 256);
}

#[test]
fn json_has_lines_that_are_paths() {
    let files = [json(r#"{"entities": [{"name": "x"}, {"name": "y", "a b": [1, {}]}], "n": 1.0}"#)];
    let page = answer(&page(By::Lines, 2), &files);
    assert_eq!(
        page["text"],
        ".entities[1].name = \"y\"\n.entities[1][\"a b\"][0] = 1\n\
         .entities[1][\"a b\"][1] = {}\n.n = 1.0"
    );
    assert_eq!(page["of"], 5);
    // What is broken is text.
    assert_eq!(answer(&super::page(By::Lines, 1), &[json("{\"a\": \n")])["text"], "{\"a\": ");
}

#[test]
fn items_are_those_of_a_list_or_of_the_list_at_a_path() {
    let files = [json(r#"{"a": {"b": [1, 2.50, "x"]}, "c": [12345678901234567890]}"#)];
    let items =
        |path: &str| Ask::Read(Part { path: Some(path.to_owned()), from: 2, ..Part::default() });
    let page = answer(&items(".a.b"), &files);
    assert_eq!(page["items"], json!([2.5, "x"]));
    assert_eq!((&page["by"], &page["to"], &page["of"]), (&json!("items"), &json!(3), &json!(3)));
    assert_eq!(answer(&items(".a | .b | map(.)"), &files)["items"], json!([2.5, "x"]));
    let said = refusal(&items(".a.x"), &files);
    assert!(said.contains("leads nowhere at x: there the keys are b"), "{said}");
    let said = refusal(&super::page(By::Items, 1), &[json(r#"{"a": [{}], "b": [{}]}"#)]);
    assert!(said.contains("its lists are a, b"), "{said}");
    let said = refusal(&super::page(By::Items, 1), &[text("words")]);
    assert!(said.contains("is not JSON (it is text); try files_search"), "{said}");
}

#[test]
fn an_item_longer_than_a_page_is_cut_and_the_next_can_be_reached() {
    let files = [json(format!(r#"[{{"a": "{}"}}, 2]"#, "é".repeat(20_000)))];
    let first = answer(&page(By::Items, 1), &files);
    assert_eq!(first["next"]["from"], 2);
    assert!(first["cut"]["start"].as_str().unwrap().starts_with("{\"a\":\"éé"));
    assert_eq!(answer(&page(By::Items, 2), &files)["items"], json!([2]));
}

#[test]
fn rows_of_a_table() {
    let rows: String = (1..=2000).map(|id| format!("{id},name {id},\n")).collect();
    let files = [file("t.csv", "text/csv", format!("id,name,note\n{rows}"))];
    let page = answer(&Ask::Read(Part { from: 1999, ..Part::default() }), &files);
    assert_eq!(
        page,
        json!({"by": "rows", "from": 1999, "to": 2000, "of": 2000,
            "columns": ["id", "name", "note"],
            "rows": [[1999, "name 1999", null], [2000, "name 2000", null]]})
    );
    let first = answer(&super::page(By::Rows, 1), &files);
    assert_eq!(first["next"]["from"].as_u64().unwrap(), first["to"].as_u64().unwrap() + 1);
    assert!(first["rows"].as_array().unwrap().len() > 50);
}
