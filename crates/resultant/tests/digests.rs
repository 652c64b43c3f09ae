//! What a model gets of each kind of result that is too large for it, with the file that holds the
//! whole and the call that gets more.
#![expect(clippy::unwrap_used, reason = "a panic is a test's report")]

use std::fmt::Write as _;

use resultant::{
    Artifact, Budget, Json, Limits, MemorySink, ModelText, More, Outcome, ReadOptions,
};

const TOOLS: More =
    More::Tools { read: "files_read", search: "files_search", query: "files_query" };

fn budget() -> Budget {
    Budget { more: TOOLS, ..Budget::default() }
}

/// A result with one text.
fn of_text(text: &str) -> String {
    let text = Json::string(text);
    format!(r#"{{"content":[{{"type":"text","text":{}}}]}}"#, text.as_text())
}

/// A result as `server-filesystem` writes it: the text, and once more in an object.
fn in_both_lanes(text: &str) -> String {
    let text = Json::string(text);
    let text = text.as_text();
    format!(
        r#"{{"content":[{{"type":"text","text":{text}}}],"structuredContent":{{"content":{text}}}}}"#
    )
}

fn in_chunks(message: &str, string_bytes_max: usize) -> (Outcome, MemorySink) {
    let limits = Limits { string_bytes_max, ..Limits::default() };
    let options = ReadOptions { limits, suffix: Some("k3v9tq".to_owned()), ..Default::default() };
    let mut sink = MemorySink::default();
    let mut reader = options.reader(&mut sink);
    message.as_bytes().chunks(1000).for_each(|chunk| reader.feed(chunk));
    (reader.finish(), sink)
}

/// What must hold for each digest: it starts as one, is JSON, and is about as small as it aims at.
fn digest(outcome: &Outcome) -> ModelText {
    let budget = budget();
    let model = outcome.to_model(&budget);
    assert!(model.text.starts_with(r#"{"complete":false,"is":""#), "{}", model.text);
    assert!(!model.is_complete);
    let tokens = (budget.count_tokens)(&model.text);
    assert!(tokens <= budget.digest_tokens, "{tokens} tokens: {}", model.text);
    assert!(Json::parse(model.text.clone()).is_ok(), "{}", model.text);
    assert_eq!(outcome.to_model(&budget).text, model.text);
    model
}

fn shown(model: &ModelText) -> String {
    let mut out = Json::parse(model.text.clone()).unwrap().to_pretty();
    let _ = write!(
        out,
        "\n\n{} bytes, about {} tokens",
        model.text.len(),
        resultant::estimate_tokens(&model.text)
    );
    for file in &model.offloaded {
        let Artifact { name, mime, size, .. } = file;
        let _ = write!(out, "\n{name}: {mime}, {size} bytes");
    }
    out
}

fn check(name: &str, message: &str) -> ModelText {
    let model = digest(&resultant::read(message));
    insta::with_settings!({omit_expression => true, prepend_module_to_snapshot => false}, {
        insta::assert_snapshot!(name, shown(&model));
    });
    model
}

fn access_log() -> String {
    let mut text = String::new();
    for at in 0..6000 {
        let status = match at % 97 {
            0 => 503,
            1..=4 => 404,
            _ => 200,
        };
        let _ = writeln!(
            text,
            "10.0.{}.{} - - [15/Nov/2026:10:{:02}:{:02} +0000] \"GET /shop/item/{at} HTTP/1.1\" {status} {}",
            at % 7,
            at % 250,
            at / 60 % 60,
            at % 60,
            at * 37 % 5000
        );
        if at == 4321 {
            text += "15/Nov/2026:10:00:00 audit: the release code is QX-77\n";
        }
    }
    text
}

#[test]
fn log() {
    let model = check("access_log", &in_both_lanes(&access_log()));
    assert_eq!(model.offloaded.len(), 1, "the same text in both lanes is one file");
    assert_eq!(model.offloaded[0].to_bytes().unwrap(), access_log().as_bytes());
    let mut text = String::new();
    for at in 0..3000 {
        let level = ["INFO", "INFO", "DEBUG", "WARN", "INFO"][at % 5];
        let _ = writeln!(
            text,
            "2026-11-15T10:00:{:02}Z {level} worker {}: job {at} done",
            at % 60,
            at % 4
        );
        if at % 500 == 250 {
            let _ = writeln!(
                text,
                "2026-11-15T10:00:{:02}Z ERROR worker: job {at} failed: disk full",
                at % 60
            );
        }
    }
    check("service_log", &of_text(&text));
}

#[test]
fn text() {
    let mut prose = String::new();
    for at in 0..400 {
        let words = ["rain", "wind", "snow", "sun", "fog", "hail", "dew"];
        let word = |by: usize| words[(at * by + at / 7) % words.len()];
        let _ = writeln!(
            prose,
            "On that day there was {} and then {}, said {} people of {}.",
            word(3),
            word(5),
            at,
            word(2)
        );
        if at % 3 == 0 {
            let _ = writeln!(prose, "{} {}", word(1).repeat(1 + at % 5), word(6));
        }
    }
    check("prose", &of_text(&prose));
    check("one_long_line", &of_text(&"all in one line, ".repeat(3000)));
    check("cjk", &of_text(&"天地玄黃宇宙洪荒日月盈昃辰宿列張。\n".repeat(600)));
}

fn csv() -> String {
    let mut text = "id,day,customer,status,amount,note\n".to_owned();
    for at in 1..=2000 {
        let status = ["paid", "open", "void", "paid", "late"][at % 5];
        let note = if at % 10 == 0 { "" } else { "\"a, b\"" };
        let _ = writeln!(
            text,
            "{at},2026-{:02}-{:02},customer {},{status},{}.{:02},{note}",
            1 + at % 12,
            1 + at % 28,
            at % 40,
            at % 900,
            at % 100
        );
    }
    text
}

#[test]
fn tables() {
    let model = check("csv", &of_text(&csv()));
    assert_eq!(model.offloaded[0].name, "table.csv");
    check("tsv", &of_text(&csv().replace("\"a, b\"", "a").replace(',', "\t")));
    let mut markdown = "| id | name | status |\n|---|---|---|\n".to_owned();
    let mut python = String::from("[");
    let mut lines = String::new();
    let mut rows = String::from("[");
    for at in 0..1500 {
        let status = ["active", "gone"][at % 2];
        let _ = writeln!(markdown, "| {at} | name {at} | {status} |");
        let comma = if at > 0 { ", " } else { "" };
        let _ = write!(
            python,
            "{comma}{{'id': {at}, 'name': 'it''s {at}', 'status': '{status}', 'total': {}.5, 'x': None}}",
            at * 3
        );
        let _ = writeln!(lines, r#"{{"id":{at},"status":"{status}","ok":true}}"#);
        let _ = write!(
            rows,
            r#"{comma}{{"order_id":{at},"status":"{status}","total":{}.25,"tags":["a","b"],"to":{{"city":"Ulm","zip":{}}}}}"#,
            at * 3,
            1000 + at
        );
    }
    check("markdown", &of_text(&markdown));
    check("python_rows", &of_text(&(python.replace("it''s", "its") + "]")));
    check("json_lines", &of_text(&lines));
    check("json_rows", &of_text(&(rows + "]")));
}

#[test]
fn five_thousand_columns() {
    let names: Vec<String> = (0..5000).map(|at| format!("column {at}")).collect();
    let row: Vec<String> = (0..5000).map(|at| at.to_string()).collect();
    let text = format!("{}\n{}\n{}\n", names.join(","), row.join(","), row.join(","));
    digest(&resultant::read(of_text(&text)));
    let object: Vec<String> = (0..5000).map(|at| format!("\"column {at}\":{at}")).collect();
    let rows = format!("[{}]", vec![format!("{{{}}}", object.join(",")); 3].join(","));
    check("wide_json", &of_text(&rows));
}

#[test]
fn values() {
    let entities: Vec<String> = (0..800)
        .map(|at| {
            let kind = ["person", "place", "thing"][at % 3];
            format!(r#"{{"name":"entity {at}","entityType":"{kind}","observations":["seen on day {at}","colour {}"]}}"#, at % 9)
        })
        .collect();
    let relations: Vec<String> = (0..900)
        .map(|at| {
            format!(r#"{{"from":"entity {at}","to":"entity {}","relationType":"knows"}}"#, at / 2)
        })
        .collect();
    let graph =
        format!(r#"{{"entities":[{}],"relations":[{}]}}"#, entities.join(","), relations.join(","));
    let text = Json::string(&graph);
    let message = format!(
        r#"{{"content":[{{"type":"text","text":{}}}],"structuredContent":{graph}}}"#,
        text.as_text()
    );
    let model = check("graph", &message);
    assert_eq!(model.offloaded.len(), 1, "the mirror is no second file");

    let files: Vec<String> = (0..300)
        .map(|at| {
            let extension = ["md", "rs", "md", "toml"][at % 4];
            format!(r#"{{"name":"file {at}.{extension}","type":"file"}}"#)
        })
        .collect();
    let folder = |name: &str, inside: &str| {
        format!(r#"{{"name":"{name}","type":"directory","children":[{inside}]}}"#)
    };
    let tree = format!(
        "[{},{}]",
        folder("docs", &files[..200].join(",")),
        folder("src", &folder("deep", &files[200..].join(",")))
    );
    check("tree", &in_both_lanes(&tree));

    let settings: Vec<String> =
        (0..400).map(|at| format!(r#""setting.{at}":{{"value":{at},"default":null}}"#)).collect();
    check("object", &of_text(&format!("{{{}}}", settings.join(","))));
    let numbers: Vec<String> = (0..4000).map(|at| (at * at).to_string()).collect();
    check("numbers", &of_text(&format!("[{}]", numbers.join(","))));
}

#[test]
fn code_diff_page_and_drawing() {
    let mut code = "import os\nfrom sys import path\n\n".to_owned();
    let mut diff =
        "commit 1f2e3d\nAuthor: A <a@example.org>\nDate: today\n\n    Split the parser\n\n"
            .to_owned();
    let mut page =
        "<!doctype html><html><head><title>The handbook</title><style>p{}</style></head><body>\n"
            .to_owned();
    let mut drawing = ".\n".to_owned();
    for at in 0..120 {
        let _ = writeln!(
            code,
            "def function_{at}(first, second):\n    \"\"\"Does it.\"\"\"\n    return first + second * {at}\n"
        );
        let _ = writeln!(
            diff,
            "diff --git a/src/module_{at}.py b/src/module_{at}.py\nindex 1..2 100644\n--- a/src/module_{at}.py\n+++ b/src/module_{at}.py\n@@ -1,2 +1,3 @@\n import os\n-old = {at}\n+def new_{at}():\n+    return {at}"
        );
        let _ = writeln!(
            page,
            "<h2>Chapter {at}</h2><p>It is about <a href=\"#{at}\">{at}</a> &amp; more.</p><script>let x = {at};</script>"
        );
        let _ = writeln!(drawing, "├── folder_{at}\n│   ├── readme_{at}.md\n│   └── main_{at}.rs");
    }
    check("code", &of_text(&code));
    check("diff", &of_text(&diff));
    check("page", &of_text(&page));
    check("drawing", &of_text(&drawing));
}

#[test]
fn errors_keep_their_flag_and_both_ends() {
    let trace: String = (0..800).map(|at| format!("  File \"x.py\", line {at}, in f\n")).collect();
    let text = format!("Traceback (most recent call last):\n{trace}ValueError: the disk is full\n");
    let message = of_text(&text).replacen('{', r#"{"isError":true,"#, 1);
    let model = check("error", &message);
    assert!(model.text.contains("ValueError: the disk is full"), "{}", model.text);
    assert!(model.text.contains(r#""is_error":true"#), "{}", model.text);
    let small = of_text("Error: no such file").replacen('{', r#"{"isError":true,"#, 1);
    let model = resultant::read(small).to_model(&budget());
    assert!(model.is_complete && model.offloaded.is_empty());
    // What only looks like one is hinted at, and stays what it is.
    let outcome = resultant::read(of_text("Error: no such file"));
    assert!(!outcome.is_error);
    assert!(outcome.notes.iter().any(|note| note.message.contains("looks like an error")));
    assert!(outcome.to_client(&Default::default()).is_passed_through);
}

#[test]
fn what_was_cut_out_is_surveyed_on_the_way_and_kept_once() {
    let text = access_log();
    for message in [of_text(&text), in_both_lanes(&text)] {
        let (outcome, sink) = in_chunks(&message, 4096);
        assert_eq!((outcome.artifacts.len(), sink.strings.len()), (1, 1));
        let model = digest(&outcome);
        assert!(model.offloaded.is_empty(), "it is in a file already");
        assert!(model.text.contains(r#""503":62"#), "{}", model.text);
        assert!(model.text.contains("QX-77"), "{}", model.text);
        assert!(outcome.artifacts[0].name.ends_with("-k3v9tq.txt"));
        assert_eq!(sink.strings.values().next().unwrap(), text.as_bytes());
    }
    let tree: Vec<String> =
        (0..500).map(|at| format!(r#"{{"name":"{at}.md","type":"file"}}"#)).collect();
    let tree = format!(r#"[{{"name":"a","type":"directory","children":[{}]}}]"#, tree.join(","));
    let (outcome, sink) = in_chunks(&in_both_lanes(&tree), 4096);
    assert_eq!((outcome.artifacts.len(), sink.strings.len()), (1, 1));
    let model = digest(&outcome);
    assert!(
        model.text.contains("JSON tree, 501 nodes") && model.text.contains(r#""md":500"#),
        "{}",
        model.text
    );
}

#[test]
fn several_long_texts_leave_the_rest_as_it_is() {
    let (one, other) = ("one of them\n".repeat(500), "the other\n".repeat(500));
    let texts = Json::of(&serde_json::json!({"texts": [one, other], "count": 2}));
    let message = format!(r#"{{"content":[],"structuredContent":{}}}"#, texts.as_text());
    let (outcome, sink) = in_chunks(&message, 1024);
    assert_eq!((outcome.artifacts.len(), sink.strings.len()), (2, 2));
    let model = digest(&outcome);
    assert!(model.offloaded.is_empty(), "{}", model.text);
    assert!(model.text.contains(r#""count":2"#), "{}", model.text);
    assert!(model.text.contains(r#""about":"text, 500 lines, 5,000 bytes""#), "{}", model.text);
}

#[test]
fn pictures_say_their_size() {
    let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x03\xe8\0\0\x03\x20\x08\x02\0\0\0".to_vec();
    png.extend((0..6000_u32).map(|at| ((at * 7919) >> 3) as u8));
    let base64 = encoded(&png);
    let message =
        format!(r#"{{"content":[{{"type":"image","mimeType":"image/png","data":"{base64}"}}]}}"#);
    let model = resultant::read(message).to_model(&budget());
    assert!(model.text.contains(r#""about":"1000 × 800 px""#), "{}", model.text);
    // In a string, nobody said that it is a file.
    let lines: Vec<&str> =
        (0..base64.len()).step_by(76).map(|at| &base64[at..base64.len().min(at + 76)]).collect();
    for text in [
        format!("the chart: {base64} as PNG"),
        format!("![chart](data:image/png;base64,{base64})"),
        format!("Content-Transfer-Encoding: base64\n\n{}\n\nthe end", lines.join("\n")),
        format!("{}\r\n", lines.join("\r\n")),
    ] {
        let outcome = resultant::read(of_text(&text));
        assert_eq!(outcome.artifacts[0].to_bytes().unwrap(), png);
        let model = outcome.to_model(&budget());
        assert!(
            model.is_complete && model.text.contains("[the file found-1.png]"),
            "{}",
            model.text
        );
        assert!(model.text.contains("1000 × 800 px"), "{}", model.text);
    }
    let message = format!(
        r#"{{"content":[],"structuredContent":{{"charts":[{{"png":"{base64}"}},{{"png":"{base64}"}}]}}}}"#
    );
    let outcome = resultant::read(message);
    assert_eq!(outcome.artifacts.len(), 1, "the same bytes are one file");
    let client = outcome.to_client(&Default::default()).json.to_string();
    assert!(!client.contains(&base64[..64]), "{client}");
    // One that is too long to be read whole is decoded on its way.
    let uri = format!("data:image/png;base64,{base64}");
    let message = format!(r#"{{"content":[],"structuredContent":{{"chart":"{uri}"}}}}"#);
    let (outcome, sink) = in_chunks(&message, 1024);
    assert_eq!(outcome.artifacts[0].name, "string-k3v9tq.png");
    assert_eq!(sink.strings.values().collect::<Vec<_>>(), [&png]);
    let model = outcome.to_model(&budget());
    assert!(model.text.contains("data:image/png;base64,["), "{}", model.text);
    assert!(model.text.contains("1000 × 800 px"), "{}", model.text);
    // A short one is left where it is.
    let outcome = resultant::read(of_text(&encoded(&png[..600])));
    assert!(
        outcome.artifacts.is_empty() && outcome.to_client(&Default::default()).is_passed_through
    );
}

fn encoded(bytes: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte));
        let bits = bits << (8 * (3 - group.len()));
        for at in 0..=group.len() {
            out.push(DIGITS[(bits >> (18 - 6 * at)) as usize & 63] as char);
        }
        out.extend(std::iter::repeat_n('=', 3 - group.len()));
    }
    out
}

/// Values that were made to be too much. Each is a digest within the budget.
#[test]
fn nothing_is_too_much() {
    let keys: String = (0..200_000).map(|at| format!(",\"{at}\":1")).collect();
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    let blocks = vec![r#"{"type":"text","text":"0123456789"}"#; 100_000].join(",");
    let cases = [
        of_text(&format!("{{\"a\":1{keys}}}")),
        of_text(&format!("{{\"{}\":1}}", "k".repeat(1 << 20))),
        format!(r#"{{"content":[],"structuredContent":{{"a":{deep}}}}}"#),
        format!(r#"{{"content":[{blocks}]}}"#),
        of_text(&"\u{0}\u{1b}[31m\u{202e}\u{e0041}".repeat(9000)),
        of_text(&"1".repeat(100_000)),
        of_text(&format!("[{}]", vec!["9".repeat(2000); 90].join(","))),
        of_text(&format!("{}\n", "\"\\\n".repeat(20_000))),
        format!(r#"{{"results":1,"meta_data":{{"additional_text":"{}"}}}}"#, "x ".repeat(20_000)),
    ];
    for message in cases {
        let outcome = resultant::read(message.as_str());
        for budget in [
            budget(),
            Budget { bytes: 256, tokens: 100, ..budget() },
            Budget { bytes: 8 << 10, tokens: 40, ..budget() },
            Budget { digest_tokens: 2_000, ..budget() },
        ] {
            let model = outcome.to_model(&budget);
            assert!(budget.fits(&model.text), "{}", model.text);
            assert!(model.text.starts_with(r#"{"complete":false"#), "{}", model.text);
            assert!(Json::parse(model.text.clone()).is_ok(), "{}", model.text);
        }
    }
}

#[test]
fn an_error_that_fits_is_said_to_its_end() {
    let reason = format!("the reason is at the end: {}REASON42", "z ".repeat(900));
    let frames = vec!["\"frame\""; 5000].join(",");
    let message = format!(
        r#"{{"isError":true,"content":[{{"type":"text","text":"{reason}"}}],
            "structuredContent":{{"trace":[{frames}]}}}}"#
    );
    let model = resultant::read(message).to_model(&budget());
    let digest = Json::parse(model.text.clone()).unwrap();
    let error = digest.get("results").and_then(|results| results.get("error")).unwrap();
    assert_eq!(error.as_str().unwrap(), reason);
    assert!(budget().fits(&model.text));
}

#[test]
fn a_long_text_beside_a_short_result_is_what_it_is_about() {
    let log: String =
        (0..2000).map(|n| format!("2026-11-15 10:00:00 INFO request {n} served\\n")).collect();
    let message = format!(
        r#"{{"content":[{{"type":"text","text":"{log}"}}],"structuredContent":{{"ok":true}}}}"#
    );
    let outcome = resultant::read(message);
    let model = digest(&outcome);
    let written = Json::parse(model.text.clone()).unwrap();
    assert_eq!(written.get("results").unwrap().to_string(), r#"{"ok":true}"#);
    assert_eq!(written.get("file").unwrap().as_str().unwrap(), "output.txt");
    assert!(written.get("next").is_some() && written.get("text").is_some(), "{}", model.text);
    assert_eq!(model.offloaded[0].to_bytes().unwrap(), log.replace("\\n", "\n").as_bytes());
}

#[test]
fn dense_text_has_its_call_and_a_preview() {
    let numbers: Vec<String> = (0..1500_u64).map(|n| format!("0.{}", n * 7_777_777_777)).collect();
    let broken = format!("[1,2,3{}", ",4".repeat(5000));
    for text in [numbers.join(" "), broken, "漢字仮名".repeat(900)] {
        let model = resultant::read(of_text(&text)).to_model(&budget());
        assert!(resultant::estimate_tokens(&model.text) < 600, "{}", model.text);
        let written = Json::parse(model.text.clone()).unwrap();
        assert!(written.get("next").is_some(), "{}", model.text);
        assert!(written.get("results").unwrap().to_string().len() > 60, "{}", model.text);
    }
}

#[test]
fn a_text_that_looks_like_an_error_is_hinted_at() {
    let text = format!("Error: permission denied\n{}", "x y\n".repeat(5000));
    let outcome = resultant::read(of_text(&text));
    assert!(!outcome.is_error);
    let model = digest(&outcome);
    assert!(model.text.contains("looks like an error"), "{}", model.text);
}

#[test]
fn what_the_model_sees_counts_and_not_the_json_around_it() {
    let client = |message: &str| resultant::read(message.to_owned()).to_client(&Default::default());
    assert!(client(&of_text(&"x".repeat(8192))).is_passed_through);
    assert!(!client(&of_text(&"x".repeat(8193))).is_passed_through);
    let quotes = format!("{}{}", "\"".repeat(200), "x".repeat(7900));
    assert!(client(&of_text(&quotes)).is_passed_through);
}
