//! What is said about the API is what it is.

use std::{collections::HashSet, fs, path::Path};

use serde_json::Value;

use super::{docs, is_open, operations};

#[test]
fn the_document_is_the_committed_one() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");
    let current = docs::current();
    if std::env::var_os("RESULTANT_UPDATE").is_some() {
        fs::write(&path, &current).expect("the document can be written");
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == current, "run this test with RESULTANT_UPDATE=1 to write the document");
}

#[test]
fn the_document_is_whole() {
    let document: Value = serde_json::from_str(&docs::current()).expect("JSON");
    let mut ids = HashSet::new();
    for operation in operations() {
        assert!(!operation.id.is_empty() && !operation.summary.is_empty(), "{}", operation.path);
        assert!(ids.insert(operation.id), "{} is there twice", operation.id);
        assert!(!operation.answers.is_empty(), "{} answers nothing", operation.id);
        let method = operation.method.as_str().to_ascii_lowercase();
        let described = &document["paths"][operation.path][&method];
        assert_eq!(described["operationId"], operation.id);
    }
    // Every reference leads somewhere.
    let mut references = Vec::new();
    collect(&document, &mut references);
    assert!(references.len() > 30, "{references:?}");
    for reference in references {
        let pointer = reference.trim_start_matches('#');
        assert!(document.pointer(pointer).is_some(), "{reference} leads nowhere");
    }
    for event in ["ToolStart", "ToolProgress", "ToolComplete", "FilesUpdate", "CanvasOpen"] {
        assert!(document["components"]["schemas"].get(event).is_some(), "{event}");
    }
}

fn collect(value: &Value, references: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            if let Some(Value::String(reference)) = members.get("$ref") {
                references.push(reference.clone());
            }
            members.values().for_each(|member| collect(member, references));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, references)),
        _ => {}
    }
}

#[test]
fn every_schema_is_a_schema() {
    let document: Value = serde_json::from_str(&docs::current()).expect("JSON");
    let schemas = document["components"]["schemas"].as_object().expect("schemas");
    for (name, schema) in schemas {
        assert!(jsonschema::meta::is_valid(schema), "{name}: {schema}");
    }
}

#[test]
fn the_page_shows_every_operation_and_runs_nothing() {
    let page = docs::current_page();
    for operation in operations() {
        assert!(page.contains(&format!("id=\"{}\"", operation.id)), "{}", operation.id);
    }
    assert!(
        !page.contains("<script") && !page.contains(" style=") && !page.contains("javascript:")
    );
    // No attribute that is a handler: none that starts with `on`.
    let is_handler = |rest: &str| {
        let name = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        rest[name..].starts_with('=')
    };
    assert!(!page.split(" on").skip(1).any(is_handler));
}

#[test]
fn what_is_open_is_open_and_nothing_else() {
    let open: Vec<&str> =
        operations().iter().map(|operation| operation.path).filter(|path| is_open(path)).collect();
    assert_eq!(
        open,
        [
            "/api/files/upload/{key}",
            "/api/files/download/{key}",
            "/api/dashboards/introspect",
            "/api/page",
            "/api/openapi.json",
            "/api/docs",
            "/api/docs/style.css",
        ]
    );
    assert!(!is_open("/api/{*rest}") && !is_open("/api/me"));
}
