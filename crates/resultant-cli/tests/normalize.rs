//! The real command on the golden cases, and on what people do wrong.
#![expect(clippy::unwrap_used, reason = "a panic is a test's report")]

use std::{
    fs,
    io::Write as _,
    process::{Command, Output, Stdio},
};

use serde_json::{Value, json};

fn resultant(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_resultant"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that refuses its arguments does not read its input.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

fn normalize(arguments: &[&str], input: &str) -> Value {
    let arguments: Vec<&str> =
        std::iter::once("normalize").chain(arguments.iter().copied()).collect();
    let output = resultant(&arguments, input.as_bytes());
    assert!(output.status.success(), "{arguments:?}: {}", stderr(&output));
    serde_json::from_str(stdout(&output)).unwrap()
}

/// The cases of a file of golden vectors, their numbers untouched.
fn cases(text: &str) -> Vec<(Value, resultant::Json)> {
    let case = |line: &str| {
        (serde_json::from_str(line).unwrap(), resultant::Json::parse(line.to_owned()).unwrap())
    };
    text.lines().map(case).collect()
}

#[test]
fn golden_values() {
    for (case, text) in cases(include_str!("../../../corpus/vectors/value.jsonl")) {
        let input = text.get("input").unwrap().to_string();
        let actual =
            normalize(&["--input", "value", "--profile", "openmcp", "--to", "client"], &input);
        assert_eq!(actual, case["expect"], "{}", case["id"]);
    }
}

#[test]
fn golden_resources() {
    for (case, text) in cases(include_str!("../../../corpus/vectors/resource.jsonl")) {
        let input = text.get("input").unwrap().to_string();
        let mut arguments = vec!["--input", "resource", "--uri", case["uri"].as_str().unwrap()];
        if let Some(mime) = case["mime_type"].as_str() {
            arguments.extend(["--mime-type", mime]);
        }
        assert_eq!(normalize(&arguments, &input), case["expect"], "{}", case["id"]);
    }
}

#[test]
fn golden_structured() {
    let folder = tempfile::tempdir().unwrap();
    for (case, text) in cases(include_str!("../../../corpus/vectors/structured.jsonl")) {
        let path = folder.path().join("schema.json");
        fs::write(&path, text.get("output_schema").unwrap().to_string()).unwrap();
        let protocol = case["protocol"].as_str().unwrap();
        let path = path.to_str().unwrap();
        let arguments = ["--to", "client", "--protocol", protocol, "--output-schema", path];
        let actual = normalize(&arguments, &text.get("input").unwrap().to_string());
        let expected = case["expect"]["structuredContent"].clone();
        assert_eq!(actual["structuredContent"], expected, "{}", case["id"]);
    }
}

#[test]
fn golden_contracts_a_line_each() {
    let all = cases(include_str!("../../../corpus/vectors/contract.jsonl"));
    let input: Vec<String> =
        all.iter().map(|(_, text)| text.get("input").unwrap().to_string()).collect();
    let output =
        resultant(&["normalize", "--jsonl", "--quiet"], (input.join("\n") + "\n").as_bytes());
    let lines: Vec<&str> = stdout(&output).lines().collect();
    assert_eq!(lines.len(), all.len());
    for ((case, _), line) in all.iter().zip(lines) {
        let actual: Value = serde_json::from_str(line).unwrap();
        if !case["expect"]["results"].is_null() {
            assert_eq!(actual["results"], case["expect"]["results"], "{}", case["id"]);
        }
    }
    assert!(output.stderr.is_empty());
}

#[test]
fn a_broken_line_stands_alone() {
    let input = "{\"content\": []}\n{broken\n\n{\"results\": 2}\n";
    let output = resultant(&["normalize", "--jsonl"], input.as_bytes());
    assert!(output.status.success());
    let lines: Vec<Value> =
        stdout(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0], json!({"results": null}));
    assert_eq!((&lines[1]["error"]["line"], &lines[1]["error"]["column"]), (&json!(2), &json!(2)));
    assert_eq!(lines[2]["error"]["line"], 3);
    assert_eq!(lines[3], json!({"results": 2}));
    assert_eq!(lines.len(), 4);
}

#[test]
fn input_that_is_not_json_ends_with_2_and_the_place() {
    let output = resultant(&["normalize"], b"{\n  \"content\": [}\n");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("line 2 column 15"), "{}", stderr(&output));
    assert!(output.stdout.is_empty());
    assert_eq!(resultant(&["normalize", "no-such-file.json"], b"").status.code(), Some(2));
    assert_eq!(resultant(&["normalize", "--to", "nobody"], b"{}").status.code(), Some(2));
    assert_eq!(resultant(&["normalize", "--input", "resource"], b"1").status.code(), Some(2));
}

#[test]
fn notes_are_json_lines_or_sentences_or_nothing() {
    let input = br#"{"content": [], "structuredContent": {"results": 1, "meta_data": 5}}"#;
    let lines = resultant(&["normalize"], input);
    let note: Value = serde_json::from_str(stderr(&lines).trim()).unwrap();
    assert_eq!(note["rule"], "R4");
    assert!(note["message"].as_str().unwrap().contains("meta_data"));
    let people = resultant(&["normalize", "--explain"], input);
    assert!(stderr(&people).starts_with("R4 /meta_data: "), "{}", stderr(&people));
    assert!(resultant(&["normalize", "--quiet"], input).stderr.is_empty());
}

#[test]
fn files_are_written_inside_and_never_over_another() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out");
    fs::create_dir(&target).unwrap();
    fs::write(target.join("passwd.txt"), "mine").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.path().join("elsewhere"), target.join("link.txt")).unwrap();
    let input = br#"{"results": 1, "artifacts": [
        {"name": "../../passwd.txt", "b64": "eW91cnM="},
        {"name": "link.txt", "b64": "eW91cnM="},
        {"name": "new.txt", "b64": "bmV3"}]}"#;
    let output = resultant(&["normalize", "--files", target.to_str().unwrap()], input);
    assert!(output.status.success());
    let read = |name: &str| fs::read_to_string(target.join(name)).unwrap();
    assert_eq!(read("passwd.txt"), "mine");
    assert_eq!(read("passwd (2).txt"), "yours");
    assert_eq!(read("new.txt"), "new");
    assert_eq!(read("link (2).txt"), "yours");
    assert!(!folder.path().join("elsewhere").exists());
    let mut outside: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    outside.sort();
    assert_eq!(outside, ["out"]);
}

#[test]
fn every_audience_gets_its_form() {
    let input = r#"{"content": [{"type": "text", "text": "a plot"},
        {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}]}"#;
    assert_eq!(normalize(&[], input)["artifacts"][0]["name"], "image-1.png");
    assert_eq!(normalize(&["--to", "envelope"], input)["data"]["result"], "a plot");
    assert_eq!(normalize(&["--to", "view"], input)["canvas"]["primary_file"], "image-1.png");
    let model = normalize(&["--to", "model"], input);
    assert_eq!(
        model,
        json!({"results": "a plot", "files": [{"name": "image-1.png", "type": "image/png", "size": 8}]})
    );
    let client = normalize(&["--to", "client"], input);
    assert_eq!(client["content"][1]["type"], "image");
}

#[test]
fn a_budget_is_kept_and_the_rest_is_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().to_str().unwrap();
    let rows = vec![r#"{"id": 1, "name": "abc"}"#; 2000].join(",");
    let input = format!(r#"{{"results": [{rows}]}}"#);
    let arguments = ["normalize", "--to", "model", "--budget-bytes", "500", "--files", target];
    let output = resultant(&arguments, input.as_bytes());
    assert!(stdout(&output).trim_end().len() <= 500);
    assert!(stdout(&output).starts_with("{\"complete\":false,"));
    let whole: Value =
        serde_json::from_slice(&fs::read(folder.path().join("results.json")).unwrap()).unwrap();
    assert_eq!(whole.as_array().unwrap().len(), 2000);
}

#[test]
fn a_large_file_is_read_in_parts() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("large.json");
    let mut file = fs::File::create(&input).unwrap();
    let part = "QUFB".repeat(1 << 18);
    file.write_all(br#"{"content": [{"type": "image", "mimeType": "image/png", "data": ""#)
        .unwrap();
    for _ in 0..66 {
        file.write_all(part.as_bytes()).unwrap();
    }
    file.write_all(br#""}, {"type": "text", "text": "big"}]}"#).unwrap();
    let target = folder.path().join("out");
    let output = resultant(
        &["normalize", "--files", target.to_str().unwrap(), input.to_str().unwrap()],
        b"",
    );
    let contract: Value = serde_json::from_str(stdout(&output)).unwrap();
    let size = 66 * (3 << 18);
    assert_eq!(contract["results"], "big");
    assert_eq!(contract["artifacts"][0]["size"], size);
    let name = contract["artifacts"][0]["name"].as_str().unwrap();
    assert_eq!(fs::metadata(target.join(name)).unwrap().len(), size);
    assert_eq!(fs::read_dir(&target).unwrap().count(), 1);
}

#[test]
fn help_teaches_with_examples() {
    let help = resultant(&["--help"], b"");
    assert!(stdout(&help).contains("Examples:"), "{}", stdout(&help));
    let help = resultant(&["normalize", "--help"], b"");
    for option in [
        "--input",
        "--to",
        "--profile",
        "--protocol",
        "--output-schema",
        "--uri",
        "--mime-type",
        "--files",
        "--budget-bytes",
        "--jsonl",
    ] {
        assert!(stdout(&help).contains(option), "{option}");
    }
}
