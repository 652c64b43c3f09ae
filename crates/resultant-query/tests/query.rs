//! Questions to the real process: what it answers, and what it survives.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a panic is a test's report")]

#[path = "query/filters.rs"]
mod filters;
#[path = "query/hostile.rs"]
mod hostile;
#[path = "query/pages.rs"]
mod pages;
#[path = "query/parts.rs"]
mod parts;
#[path = "query/properties.rs"]
mod properties;
#[path = "query/searches.rs"]
mod searches;
#[path = "query/tables.rs"]
mod tables;

use std::{io, path::PathBuf, process::Command, sync::OnceLock};

use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use resultant_query::{Ask, By, Part, QueryError, QueryLimits, Search, Source, Take, Worker};
use serde_json::Value;

/// A file to ask about.
struct File {
    name: &'static str,
    mime: &'static str,
    bytes: Vec<u8>,
}

fn file(name: &'static str, mime: &'static str, bytes: impl Into<Vec<u8>>) -> File {
    File { name, mime, bytes: bytes.into() }
}

fn text(bytes: impl Into<Vec<u8>>) -> File {
    file("file.txt", "text/plain", bytes)
}

fn json(bytes: impl Into<Vec<u8>>) -> File {
    file("file.json", "application/json", bytes)
}

/// Asks the real process.
fn ask_within(ask: &Ask, files: &[File], limits: &QueryLimits) -> Result<Bytes, QueryError> {
    static RUNTIME: OnceLock<tokio::runtime::Runtime> = OnceLock::new();
    let runtime = RUNTIME.get_or_init(|| tokio::runtime::Runtime::new().unwrap());
    let sources = files.iter().map(|file| {
        // Pieces of an odd size, so that characters and lines are parted.
        let pieces: Vec<io::Result<Bytes>> =
            file.bytes.chunks(60_001).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
        Source {
            name: file.name.to_owned(),
            mime: file.mime.to_owned(),
            size: file.bytes.len() as u64,
            bytes: stream::iter(pieces).boxed(),
        }
    });
    let worker = Worker { program: program(), arguments: Vec::new() };
    runtime.block_on(worker.ask(ask, sources.collect(), limits))
}

/// The answer as JSON. It is within the page.
#[track_caller]
fn answer(ask: &Ask, files: &[File]) -> Value {
    let limits = QueryLimits::default();
    let answer = ask_within(ask, files, &limits).unwrap();
    assert!(answer.len() <= limits.page_bytes, "{} bytes", answer.len());
    let text = std::str::from_utf8(&answer).unwrap();
    assert!(resultant::estimate_tokens(text) <= limits.page_tokens);
    serde_json::from_str(text).unwrap()
}

/// What is said instead of an answer.
#[track_caller]
fn refusal(ask: &Ask, files: &[File]) -> String {
    match ask_within(ask, files, &QueryLimits::default()) {
        Err(QueryError::Refused(text)) => text,
        other => panic!("{other:?}"),
    }
}

fn jq(filter: &str) -> Ask {
    Ask::Jq { filter: filter.to_owned() }
}

fn sql(query: &str) -> Ask {
    Ask::Sql { query: query.to_owned() }
}

fn page(by: By, from: u64) -> Ask {
    Ask::Read(Part { by: Some(by), from, ..Part::default() })
}

fn search(pattern: &str) -> Ask {
    Ask::Search(Search { pattern: pattern.to_owned(), ..Search::default() })
}

fn take(by: By, from: u64, to: u64) -> Ask {
    Ask::Take(Take::Range { by, from, to })
}

/// Cargo builds examples with the tests, into the folder beside that of the tests; whoever runs a
/// single test has it built now.
fn program() -> PathBuf {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| {
        let test = std::env::current_exe().unwrap();
        let profile = test.ancestors().nth(2).unwrap();
        let program =
            profile.join("examples/query_worker").with_extension(std::env::consts::EXE_EXTENSION);
        if !program.exists() {
            let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
            let mut cargo = Command::new(cargo);
            cargo.args(["build", "--package", "resultant-query", "--example", "query_worker"]);
            cargo.arg("--target-dir").arg(profile.parent().unwrap());
            assert!(cargo.status().unwrap().success(), "the process does not compile");
        }
        program
    });
    program.clone()
}
