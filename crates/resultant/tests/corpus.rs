//! Recorded results, and what every audience gets of each: `case.json` beside `case.model.snap`.
//!
//! `INSTA_UPDATE=always cargo test -p resultant --test corpus` writes what it is now; the difference
//! is then looked at like any other.
#![expect(clippy::unwrap_used, reason = "a panic is a test's report")]
#![expect(clippy::disallowed_methods, reason = "the cases are files; the library reads none")]

use std::{
    fs,
    path::{Path, PathBuf},
};

use resultant::{Artifact, Budget, ClientOptions, Outcome, Protocol};

/// The cases of a folder, in the order of their names.
fn cases(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    files.sort();
    files
}

/// What a model gets, and what it does not get but can ask for.
fn model(outcome: &Outcome) -> String {
    let budget = Budget::default();
    let model = outcome.to_model(&budget);
    let files = |files: &[Artifact]| {
        let names = files.iter().map(|file| format!("\n{}: {} bytes", file.name, file.size));
        names.collect::<String>()
    };
    let tokens = (budget.count_tokens)(&model.text);
    let mut out = format!("{}\n\n{} bytes, about {tokens} tokens", model.text, model.text.len());
    if !model.is_complete {
        out += &format!("\n\nnot complete; offloaded:{}", files(&model.offloaded));
    }
    out
}

fn client(outcome: &Outcome, protocol: Protocol) -> String {
    let options = ClientOptions { protocol, ..Default::default() };
    let client = outcome.to_client(&options);
    let how = if client.is_passed_through { "passed through" } else { "written anew" };
    format!("{how}\n{}", client.json.to_pretty())
}

fn notes(outcome: &Outcome) -> String {
    let lines = outcome.notes.iter().map(|note| note.to_json().to_string());
    format!("{}\n{}", outcome.dialect.name(), lines.collect::<Vec<_>>().join("\n"))
}

fn check(folder: &str, count_min: usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/results").join(folder);
    let cases = cases(&folder);
    assert!(cases.len() >= count_min, "{} cases", cases.len());
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(&folder);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    for case in cases {
        let name = case.file_stem().unwrap().to_str().unwrap();
        let outcome = resultant::read(fs::read(&case).unwrap());
        let written = [
            ("contract", outcome.to_contract().to_pretty()),
            ("envelope", outcome.to_envelope().to_pretty()),
            ("model", model(&outcome)),
            ("client-2025-11-25", client(&outcome, Protocol::V2025_11_25)),
            ("client-2026-07-28", client(&outcome, Protocol::V2026_07_28)),
            ("view", outcome.to_view(&Budget::default()).to_pretty()),
            ("notes", notes(&outcome)),
        ];
        settings.bind(|| {
            for (audience, text) in written {
                insta::assert_snapshot!(format!("{name}.{audience}"), text);
            }
        });
    }
}

#[test]
fn contract_v1() {
    check("contract-v1", 6);
}

#[test]
fn contract_v2() {
    check("contract-v2", 6);
}

#[test]
fn response_v2() {
    check("response-v2", 6);
}

#[test]
fn structured() {
    check("structured", 6);
}

#[test]
fn blocks() {
    check("blocks", 6);
}

#[test]
fn broken() {
    check("broken", 6);
}
