//! What the documents say is checked: examples, schema, limits, rules.
#![expect(clippy::unwrap_used, reason = "a panic is a test's report")]

use std::path::Path;

use resultant::{Budget, Json, Limits, read};
use serde_json::{Value, json};

const CONTRACT: &str = include_str!("../../../docs/contract.md");
const CONTRACT_SCHEMA: &str = include_str!("../../../docs/schema/contract.schema.json");
const ENVELOPE_SCHEMA: &str = include_str!("../../../docs/schema/response-v2.schema.json");

/// A fenced block: the line it starts in, the words after the fence, its text.
struct Block<'a> {
    line: usize,
    words: Vec<&'a str>,
    text: String,
}

fn blocks(document: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut open: Option<Block<'_>> = None;
    for (at, line) in document.lines().enumerate() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(words), None) => {
                let words = words.split_whitespace().collect();
                open = Some(Block { line: at + 1, words, text: String::new() });
            }
            (None, Some(block)) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block is not closed");
    blocks
}

fn validator(schema: &str) -> jsonschema::Validator {
    let schema: Value = serde_json::from_str(schema).unwrap();
    jsonschema::meta::validate(&schema).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

#[track_caller]
fn assert_valid(validator: &jsonschema::Validator, value: &Value, what: &str) {
    let problems: Vec<String> = validator
        .iter_errors(value)
        .map(|problem| format!("{}: {problem}", problem.instance_path()))
        .collect();
    assert!(problems.is_empty(), "{what}: {problems:?}");
}

#[test]
fn examples_are_read_without_a_note_and_fit_their_schema() {
    let (contract, envelope) = (validator(CONTRACT_SCHEMA), validator(ENVELOPE_SCHEMA));
    let mut count = 0;
    for block in blocks(CONTRACT).iter().filter(|block| block.words == ["json"]) {
        let what = format!("line {}", block.line);
        let outcome = read(block.text.as_str());
        assert!(outcome.notes.is_empty(), "{what}: {:?}", outcome.notes);
        let value: Value = serde_json::from_str(&block.text).unwrap();
        if !value["results"].is_null() {
            assert_valid(&contract, &value, &what);
        } else if !value["success"].is_null() {
            assert_valid(&envelope, &value, &what);
        } else if !value["structuredContent"].is_null() {
            assert_valid(&contract, &value["structuredContent"], &what);
        } else {
            assert!(value["content"].is_array(), "{what} is no kind of example");
        }
        assert_valid(&contract, &outcome.to_contract().to_value(), &what);
        count += 1;
    }
    assert!(count >= 12, "only {count} examples were found");
}

#[test]
fn odd_examples_are_noted_under_the_rule_they_name() {
    let mut count = 0;
    for block in blocks(CONTRACT) {
        let &["json", "odd", rule] = block.words.as_slice() else {
            assert!(!block.words.contains(&"odd"), "line {} names no rule", block.line);
            continue;
        };
        let notes = read(block.text.as_str()).notes;
        let is_named = notes.iter().any(|note| note.rule.to_string().eq_ignore_ascii_case(rule));
        assert!(is_named, "line {}: {rule} is not in {notes:?}", block.line);
        count += 1;
    }
    assert!(count >= 10, "only {count} examples were found");
}

#[test]
fn the_shown_text_for_the_model_is_what_it_gets() {
    let blocks = blocks(CONTRACT);
    let at = blocks.iter().position(|block| block.words == ["text"]).unwrap();
    let model = read(blocks[at - 1].text.as_str()).to_model(&Budget::default());
    assert_eq!(model.text, blocks[at].text.trim_end());
}

#[test]
fn the_schema_accepts_what_is_written() {
    let contract = validator(CONTRACT_SCHEMA);
    let vectors = include_str!("../../../corpus/vectors/contract.jsonl");
    let more = include_str!("../../../corpus/vectors/contract_more.jsonl");
    for line in vectors.lines().chain(more.lines()) {
        let case: Value = serde_json::from_str(line).unwrap();
        let outcome = match case["raw_input"].as_str() {
            Some(raw) => read(raw),
            None => read(&Json::of(&case["input"])),
        };
        assert_valid(&contract, &outcome.to_contract().to_value(), case["id"].as_str().unwrap());
    }
}

#[test]
fn the_schema_refuses_what_is_broken() {
    let contract = validator(CONTRACT_SCHEMA);
    let with_file = |file: Value| json!({"results": 1, "artifacts": [file]});
    for (what, broken) in [
        ("no results", json!({"meta_data": {}})),
        ("a list at the top", json!([{"results": 1}])),
        ("facts that are no object", json!({"results": 1, "meta_data": [1]})),
        ("artifacts that are no list", json!({"results": 1, "artifacts": {"name": "a"}})),
        ("a file without a name", with_file(json!({"b64": "YQ=="}))),
        ("a file without bytes", with_file(json!({"name": "a.txt"}))),
        ("a digest without a size", with_file(json!({"name": "a", "sha256": "0".repeat(64)}))),
        ("a path as a name", with_file(json!({"name": "../a.txt", "b64": "YQ=="}))),
        ("a data URL", with_file(json!({"name": "a", "b64": "data:text/plain;base64,YQ=="}))),
        ("base64 with a line end", with_file(json!({"name": "a", "b64": "YWJj\nYWJj"}))),
        ("an unknown viewer", with_file(json!({"name": "a", "b64": "", "viewer": "hologram"}))),
        ("a negative size", with_file(json!({"name": "a", "b64": "", "size": -1}))),
        ("an unknown mode", json!({"results": 1, "display": {"mode": "float"}})),
        ("a flag that is a word", json!({"results": 1, "display": {"open_canvas": "yes"}})),
        ("an unknown persistence", json!({"results": 1, "canvas": {"persistence": "always"}})),
        ("a content that is no file", json!({"results": 1, "returned_file_contents": [7]})),
    ] {
        assert!(!contract.is_valid(&broken), "{what} is accepted");
    }
}

#[test]
fn the_limits_are_those_of_the_code() {
    // Without `..`: a new limit does not compile before it is here, and so in the document.
    let Limits {
        depth_max,
        string_bytes_max,
        message_bytes_max,
        meta_bytes_max,
        notes_max,
        name_bytes_max,
        embedded_text_bytes_max,
        inline_base64_bytes_max,
    } = Limits::default();
    let limits = [
        ("depth_max", depth_max),
        ("string_bytes_max", string_bytes_max),
        ("message_bytes_max", message_bytes_max),
        ("meta_bytes_max", meta_bytes_max),
        ("notes_max", notes_max),
        ("name_bytes_max", name_bytes_max),
        ("embedded_text_bytes_max", embedded_text_bytes_max),
        ("inline_base64_bytes_max", inline_base64_bytes_max),
    ];
    for (name, value) in limits {
        let row = format!("| `{name}` | {} |", grouped(value));
        assert!(CONTRACT.contains(&row), "{row} is not in the table");
    }
    assert_eq!(CONTRACT.matches("_max` | ").count(), limits.len());
    let Budget { bytes, tokens, .. } = Budget::default();
    let sentence = format!("{} bytes or {} tokens", grouped(bytes), grouped(tokens));
    assert!(CONTRACT.contains(&sentence), "{sentence}");
}

/// `1,048,576`.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[test]
fn every_rule_has_its_row_and_every_reference_its_rule() {
    for number in 1..=14 {
        let anchor = format!("| <a id=\"r{number}\"></a>R{number} | ");
        assert_eq!(CONTRACT.matches(&anchor).count(), 1, "{anchor}");
    }
    for reference in CONTRACT.split("(#r").skip(1) {
        let Some(number) = reference.split(')').next().and_then(|name| name.parse::<u8>().ok())
        else {
            continue;
        };
        assert!((1..=14).contains(&number), "R{number}");
    }
}

/// The folder of a crate, by the heading `### `crates/NAME`, …`.
fn crate_of(line: &str) -> Option<&str> {
    line.strip_prefix("### `")?.split('`').next()
}

#[test]
fn the_code_map_names_what_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (mut folder, mut count) = ("", 0);
    for line in include_str!("../../../ARCHITECTURE.md").lines() {
        if line.starts_with('#') {
            folder = crate_of(line).unwrap_or_default();
        }
        let Some(row) = line.strip_prefix("| `src/") else { continue };
        let names = row.split(" |").next().unwrap_or_default().replace('`', "");
        for name in names.split(", ") {
            let name = name.trim_start_matches("src/");
            let path = root.join(folder).join("src").join(name);
            assert!(path.exists(), "{folder}/src/{name} does not exist");
            count += 1;
        }
    }
    assert!(count > 40, "only {count} files were found");
}
