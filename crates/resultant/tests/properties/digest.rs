//! What stands for a result that is too large: always within its budget, always the same, and never
//! the bytes of a file.

use proptest::{collection::vec, prelude::*, sample::select};
use resultant::{Budget, Content, Json, Limits, MemorySink, More, Outcome, ReadOptions};

use crate::{
    cases,
    generate::{base64, message},
    tree::{Tree, tree, word},
};

fn budget() -> impl Strategy<Value = Budget> {
    let tools = More::Tools { read: "files_read", search: "files_search", query: "files_query" };
    (
        select(&[256_usize, 400, 1024, 8192][..]),
        select(&[40_usize, 128, 500, 2000][..]),
        select(&[20_usize, 200, 450, 3000][..]),
        select(vec![More::None, tools]),
    )
        .prop_map(|(bytes, tokens, digest_tokens, more)| Budget {
            bytes,
            tokens,
            digest_tokens,
            more,
            ..Budget::default()
        })
}

fn check(outcome: &Outcome, budget: &Budget) -> Result<(), TestCaseError> {
    let model = outcome.to_model(budget);
    let text = &model.text;
    prop_assert!(budget.fits(text), "{} bytes: {text}", text.len());
    let parsed = Json::parse(text.clone());
    prop_assert!(parsed.is_ok_and(|json| json.is_object()), "no object: {text}");
    prop_assert_eq!(model.is_complete, !text.starts_with("{\"complete\":false"), "{}", text);
    prop_assert_eq!(&outcome.to_model(budget).text, text, "the same text every time");
    let names = |text: String, file: &resultant::Artifact| text.replace(&file.name, "");
    let text = outcome.artifacts.iter().fold(text.clone(), names);
    for artifact in &outcome.artifacts {
        let Content::Base64(encoded) = &artifact.content else { continue };
        let start = encoded.trim_end_matches('=').get(..64);
        prop_assert!(start.is_none_or(|start| !text.contains(start)), "{start:?} in {text}");
    }
    Ok(())
}

fn in_chunks(message: &str, string_bytes_max: usize) -> Outcome {
    let limits = Limits { string_bytes_max, ..Limits::default() };
    let options = ReadOptions { limits, suffix: Some("k3v9tq".to_owned()), ..Default::default() };
    let mut sink = MemorySink::default();
    let mut reader = options.reader(&mut sink);
    message.as_bytes().chunks(4096).for_each(|chunk| reader.feed(chunk));
    reader.finish()
}

/// A text made of lines of one of the kinds that are looked at.
fn kind() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("2026-11-15 10:00:00 ERROR it broke"),
        Just("GET /a HTTP/1.1\" 503 17"),
        Just("a,b,\"c\",,1.5,-3"),
        Just("| a | b |"),
        Just("|---|---|"),
        Just("{'a': 1, 'b': None}, "),
        Just("{\"a\":1,\"b\":[null]}"),
        Just("[{\"name\":\"x.md\",\"children\":["),
        Just("diff --git a/x b/x"),
        Just("@@ -1,3 +1,4 @@ fn x"),
        Just("--- a/x\n+++ b/x"),
        Just("+def added(self):"),
        Just("pub fn name(&self) -> &str {"),
        Just("<html><h1>t</h1><script>x<"),
        Just("│   ├── a.md"),
        Just("\u{202e}\u{0}\t\u{1b}[1m"),
        Just("天地玄黃 🎉"),
        Just(""),
    ];
    let line = prop_oneof![4 => line.prop_map(str::to_owned), 1 => word()];
    (vec(line, 1..12), 1_usize..400, select(&["\n", "\r\n", ", ", ""][..]))
        .prop_map(|(lines, count, between)| vec![lines.join(between); count].join(between))
}

fn in_a_result(text: &str) -> Tree {
    let block = Tree::object([("type", Tree::string("text")), ("text", Tree::string(text))]);
    Tree::object([("content", Tree::Array(vec![block]))])
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn a_digest_of_any_message_is_within_its_budget(
        message in message(),
        budget in budget(),
        string_bytes_max in 1_usize..64,
    ) {
        let text = message.to_text();
        check(&resultant::read(text.as_str()), &budget)?;
        check(&in_chunks(&text, string_bytes_max), &budget)?;
    }

    #[test]
    fn a_digest_of_any_kind_of_text_is_within_its_budget(
        text in kind(),
        budget in budget(),
        key in word(),
        beside in tree(),
    ) {
        let message = in_a_result(&text).to_text();
        check(&resultant::read(message.as_str()), &budget)?;
        check(&in_chunks(&message, 500), &budget)?;
        let structured = Tree::object([(key, Tree::Text(text)), ("beside".to_owned(), beside)]);
        check(&resultant::read(structured.to_text()), &budget)?;
        check(&in_chunks(&structured.to_text(), 500), &budget)?;
    }

    #[test]
    fn base64_in_a_string_is_a_file_and_not_in_the_digest(
        bytes in vec(any::<u8>(), 300..3000),
        before in select(&["", "see ", "data:image/png;base64,", "x=", "(data:text/plain;base64,"][..]),
        after in select(&["", " end", "\")", "\n"][..]),
        key in word(),
        budget in budget(),
    ) {
        let bytes = [b"\x89PNG\r\n\x1a\n".as_slice(), &bytes].concat();
        let encoded = base64(&bytes, false, true);
        let limits = Limits { inline_base64_bytes_max: 256, ..Limits::default() };
        let options = ReadOptions { limits, ..Default::default() };
        let text = format!("{before}{encoded}{after}");
        let structured = Tree::object([(key, Tree::Array(vec![Tree::Text(text); 3]))]).to_text();
        let outcome = options.read(structured);
        let is_file = before != "x=";
        prop_assert_eq!(outcome.artifacts.len(), usize::from(is_file));
        if is_file {
            prop_assert_eq!(outcome.artifacts[0].to_bytes(), Some(bytes));
            check(&outcome, &budget)?;
        }
    }
}
