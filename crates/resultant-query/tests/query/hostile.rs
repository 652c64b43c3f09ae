//! Questions that never end, want all memory, or want out; and arguments that make no sense.
//!
//! None may harm anybody but itself: each has an answer or an error that says which limit was met,
//! and the process is gone.

use super::*;

/// Little time and memory, because all of it will be used.
fn tight() -> QueryLimits {
    QueryLimits { seconds: 2, memory_bytes: 256 << 20, rows: 100_000, ..QueryLimits::default() }
}

#[track_caller]
fn limit_met(ask: &Ask, files: &[File]) -> String {
    match ask_within(ask, files, &tight()) {
        Err(QueryError::Limit(text)) => text,
        other => panic!("{ask:?}: {other:?}"),
    }
}

/// What there is of an answer that would be endless.
#[track_caller]
fn stopped(ask: &Ask, files: &[File]) -> Value {
    let answer = ask_within(ask, files, &tight()).unwrap();
    let answer: Value = serde_json::from_slice(&answer).unwrap();
    assert_eq!(answer["complete"], false);
    assert!(answer["stopped"].is_string(), "{answer}");
    answer
}

#[test]
fn filters_without_end() {
    let files = [json("[1]")];
    for filter in ["def f: f; f", "last(range(1e12))", "[limit(0; 1)] | until(false; .)"] {
        let said = limit_met(&jq(filter), &files);
        assert!(said.contains("stopped after 2 s"), "{filter}: {said}");
    }
    for filter in ["range(1e12)", "repeat(1)", "recurse(. + 1; true)", "def f: 1, f; f"] {
        let filter = if filter.starts_with("recurse") { ".[0] | recurse(. + 1)" } else { filter };
        assert!(stopped(&jq(filter), &files)["count"].as_u64().unwrap() > 1000, "{filter}");
    }
}

#[test]
fn filters_that_want_all_memory() {
    let files = [json("[1]")];
    for filter in [
        "[range(1e12)]",
        "[\"x\" * 1000000 * 100000]",
        "reduce range(100) as $i (\"xxxxxxxx\"; . + .)",
        "def f: [f, f]; f",
        "def f: 1 + f; f",
        "[1] | until(false; [., .])",
    ] {
        limit_met(&jq(filter), &files);
    }
    let said = limit_met(&jq("reduce range(100) as $i (\"xxxxxxxx\"; . + .)"), &files);
    assert!(said.contains("256 MiB of memory"), "{said}");
    let said = limit_met(&jq("def f: 1 + f; f"), &files);
    assert!(said.contains("nests too deeply"), "{said}");
}

#[test]
fn patterns_that_explode() {
    let files = [text(format!("{}b\n", "a".repeat(50_000)))];
    // Exponential elsewhere, linear here.
    for pattern in ["(a+)+$", "^(a|a)*$", "(.*)*x", "^(([a-z])+.)+[A-Z]([a-z])+$"] {
        assert_eq!(answer(&search(pattern), &files)["count"], 0, "{pattern}");
    }
    for pattern in ["(a{1000}){1000}", "((a{100}){100}){100}", "\\pL{1000000}"] {
        let said = refusal(&search(pattern), &files);
        assert!(said.contains("too large when compiled"), "{pattern}: {said}");
    }
    let said = refusal(&search("(a)\\1"), &files);
    assert!(said.contains("not supported"), "{said}");
    refusal(&search(&"(".repeat(100_000)), &files);
    refusal(&search(&"(a".repeat(50_000)), &files);
}

#[test]
fn queries_without_end() {
    let rows: String = (0..5000).map(|id| format!("{id},x\n")).collect();
    let files = [file("t.csv", "text/csv", format!("id,name\n{rows}"))];
    let said = limit_met(&sql("select count(*) from t a, t b, t c, t d"), &files);
    assert!(said.contains("stopped after 2 s"), "{said}");
    stopped(&sql("select * from t a, t b, t c"), &files);
    stopped(
        &sql("with recursive n(i) as (select 1 union all select i + 1 from n) select i from n"),
        &files,
    );
    let said = limit_met(
        &sql(
            "with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n",
        ),
        &files,
    );
    assert!(said.contains("stopped after 2 s"), "{said}");
}

#[test]
fn queries_that_want_all_memory() {
    let files = [file("t.csv", "text/csv", "id,name\n1,x\n")];
    for query in [
        "select zeroblob(900000000)",
        "select hex(zeroblob(400000000))",
        "with recursive n(i, s) as (select 1, 'x' union all select i + 1, s || s from n) select max(length(s)) from n",
        "select group_concat(a) from (with recursive n(a) as (select hex(zeroblob(1000000)) union all select a from n) select a from n)",
    ] {
        let result = ask_within(&sql(query), &files, &tight());
        let is_bounded = match &result {
            Err(QueryError::Limit(_) | QueryError::Refused(_)) => true,
            Ok(answer) => answer.len() <= tight().page_bytes,
            Err(_) => false,
        };
        assert!(is_bounded, "{query}: {result:?}");
    }
}

#[test]
fn nobody_reads_a_file() {
    let files = [json("[1]"), json("[{\"a\": 1}]")];
    for filter in [
        "import \"/etc/passwd\" as $x; $x",
        "include \"/etc/passwd\"; .",
        "input",
        "[inputs]",
        "env",
        "$ENV",
        "input_filename",
        "getpath([\"/etc/passwd\"])",
        "\"/etc/passwd\" | ltrimstr(\"x\") | @sh | halt_error",
    ] {
        if let Ok(answer) = ask_within(&jq(filter), &files[..1], &tight()) {
            let text = String::from_utf8_lossy(&answer).into_owned();
            assert!(!text.contains("root:"), "{filter}: {text}");
            assert!(!text.contains("PATH"), "{filter}: {text}");
        }
    }
    for query in [
        "select readfile('/etc/passwd')",
        "select load_extension('/etc/passwd')",
        "select * from pragma_database_list, fsdir('/etc')",
        "with x as (select 1) attach '/etc/passwd' as p",
        "select * from \"/etc/passwd\"",
        "select edit('x')",
        "select writefile('/tmp/resultant-query', 'x')",
    ] {
        let said = refusal(&sql(query), &files[1..]);
        assert!(!said.contains("root:"), "{query}: {said}");
    }
}

#[test]
fn a_table_of_a_million_columns() {
    let header = (0..1_000_000).map(|n| format!("c{n}")).collect::<Vec<_>>().join(",");
    let row = vec!["1"; 1_000_000].join(",");
    let files = [file("wide.csv", "text/csv", format!("{header}\n{row}\n{row}\n"))];
    let page = answer(&page(By::Rows, 1), &files);
    assert_eq!(page["of"], 2);
    assert_eq!(page["cells_left_out"], 2 * 999_000);
    let count = answer(&sql("select count(*), sum(c999) from t"), &files);
    assert_eq!(count["rows"], serde_json::json!([[2, 2]]));
    assert_eq!(count["not_loaded"]["cells_left_out"], 2 * 999_000);
    answer(&sql("select * from t"), &files);
    answer(&jq(".[0] | length"), &files);
    answer(&search("c999999"), &files);
}

#[test]
fn arguments_without_sense_are_cut_to_size() {
    let files = [text("é\n".repeat(30_000))];
    let most = u64::MAX;
    for by in [None, Some(By::Lines), Some(By::Bytes)] {
        for from in [0, 1, 30_000, 1_000_000_000, most] {
            for (count, at) in
                [(None, 0), (Some(0), most), (Some(1_000_000_000), 1), (Some(most), 0)]
            {
                answer(&Ask::Read(Part { by, from, count, at, path: None }), &files);
            }
        }
    }
    let all =
        Search { pattern: "é".into(), context: usize::MAX, from: most, words: false, count: None };
    assert_eq!(answer(&Ask::Search(all), &files)["count"], 30_000);
    for by in [By::Items, By::Rows] {
        let list = [json("[{\"a\": 1}, {\"a\": 2}]")];
        answer(
            &Ask::Read(Part { by: Some(by), from: most, count: Some(most), ..Part::default() }),
            &list,
        );
    }
    let take = take(By::Lines, most, most);
    assert_eq!(ask_within(&take, &files, &tight()).unwrap().len(), 0);
}

#[test]
fn a_tiny_page_is_still_a_page() {
    let limits = QueryLimits { page_bytes: 1, page_tokens: 1, ..QueryLimits::default() };
    let name = "n".repeat(300);
    let long =
        format!("{{\"{name}\": [\"{}\"]}}", "\u{1}é".repeat(3000).replace('\u{1}', "\\u0001"));
    for ask in [
        Ask::Read(Part::default()),
        page(By::Bytes, 0),
        Ask::Read(Part { path: Some(format!(".{name}")), ..Part::default() }),
        search("n"),
        jq("."),
        jq("keys"),
    ] {
        let answer = ask_within(&ask, &[json(long.as_str())], &limits).unwrap();
        assert!(answer.len() <= QueryLimits::PAGE_BYTES_MIN, "{ask:?}: {} bytes", answer.len());
        assert!(serde_json::from_slice::<Value>(&answer).is_ok());
    }
}

#[test]
fn a_file_that_cannot_be_read_and_a_program_that_is_not_there_are_told() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let broken = Source {
        name: "a".into(),
        mime: "text/plain".into(),
        size: 5,
        bytes: stream::iter([Ok(Bytes::from_static(b"ab")), Err(io::Error::other("gone"))]).boxed(),
    };
    let worker = Worker { program: program(), arguments: Vec::new() };
    let limits = QueryLimits::default();
    let result = runtime.block_on(worker.ask(&page(By::Lines, 1), vec![broken], &limits));
    assert!(matches!(result, Err(QueryError::Source(_))), "{result:?}");
    let worker = Worker { program: "/nonexistent/program".into(), arguments: Vec::new() };
    let result = runtime.block_on(worker.ask(&page(By::Lines, 1), Vec::new(), &limits));
    assert!(matches!(result, Err(QueryError::Failed(_))), "{result:?}");
    assert!(refusal(&page(By::Lines, 1), &[]).contains("no file"));
}

#[test]
fn what_is_not_needed_is_not_read() {
    let endless = stream::repeat_with(|| Ok(Bytes::from(vec![b'x'; 1 << 16])));
    let source = Source {
        name: "a".into(),
        mime: "text/plain".into(),
        size: u64::MAX,
        bytes: endless.boxed(),
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let worker = Worker { program: program(), arguments: Vec::new() };
    let result =
        runtime.block_on(worker.ask(&page(By::Bytes, 0), vec![source], &QueryLimits::default()));
    let answer: Value = serde_json::from_slice(&result.unwrap()).unwrap();
    assert!(answer["text"].as_str().unwrap().starts_with("xxx"));
}
