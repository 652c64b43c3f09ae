//! What is given away: the starter, imported files, the schema and the document.

use std::{fs, path::Path};

use super::{FULL, base, env, parse, parsed};
use crate::config::{
    Client, Config, GatewayLimits, Loaded, Timeouts, Transport, import, jsonc::Document, schema,
    starter,
};

const CLAUDE_DESKTOP: &str = include_str!("../fixtures/claude_desktop.json");
const CURSOR: &str = include_str!("../fixtures/cursor.json");
const VS_CODE: &str = include_str!("../fixtures/vscode.json");
const DOCUMENT: &str = include_str!("../../../../../docs/config.md");

/// What is in comments of the starter, as if somebody took the slashes away.
fn uncommented(text: &str) -> String {
    let lines = text.lines().map(|line| match line.trim_start().strip_prefix("// ") {
        Some(rest) if rest.trim_start().starts_with(['"', '}']) => rest,
        _ => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn the_starter_is_right_with_and_without_its_comments() {
    let Loaded { config, warnings } = parsed(&starter());
    assert_eq!(warnings, []);
    assert_eq!(config, parsed("{}").config);
    let Loaded { config, warnings } = parsed(&uncommented(&starter()));
    assert_eq!(warnings, []);
    assert_eq!(config.servers.len(), 2);
    assert_eq!(config.allowed_hosts, ["gateway.example"]);
    assert_eq!(config.limits, GatewayLimits::default());
    assert_eq!(config.timeouts, Timeouts::default());
}

#[test]
fn imports() {
    let text = import(Client::ClaudeDesktop, CLAUDE_DESKTOP).unwrap();
    let config = parsed(&text).config;
    let args = ["-c", "exec server --home ${HOME}"].map(str::to_owned);
    let Transport::Stdio { args: found, env: variables, .. } = &config.servers[1].transport else {
        panic!("{config:?}")
    };
    assert_eq!(found, &args);
    assert_eq!(variables, &[("KEY".to_owned(), "s3cret".to_owned())]);

    let text = import(Client::Cursor, CURSOR).unwrap();
    assert!(text.contains("// The folder that Cursor had open: set WORKSPACE_FOLDER"), "{text}");
    assert!(text.contains("// Cursor reads `envFile`, Resultant does not."), "{text}");
    assert!(parse(&text).unwrap_err().to_string().contains("the variable `SEARCH_KEY` is not set"));
    let with_key = |name: &str| match name {
        "SEARCH_KEY" => Some("k".to_owned()),
        name => env(name),
    };
    let config = Config::parse(&text, base(), &with_key).unwrap().config;
    #[cfg(unix)]
    assert_eq!(
        config.servers[0].transport,
        Transport::Stdio {
            command: "python".to_owned(),
            args: ["./tools/search.py", "--cache", "/var/ada/.cache"].map(str::to_owned).into(),
            env: vec![("API_KEY".to_owned(), "k".to_owned())],
            cwd: None,
        }
    );
    assert_eq!(config.servers.len(), 2);

    let text = import(Client::VsCode, VS_CODE).unwrap();
    assert!(
        text.contains(
            "// VS Code asks for `notes-key` (Key for Notes): set the variable NOTES_KEY"
        )
    );
    let with_key = |name: &str| match name {
        "NOTES_KEY" => Some("k".to_owned()),
        name => env(name),
    };
    let config = Config::parse(&text, base(), &with_key).unwrap().config;
    let header = ("Authorization".to_owned(), "Bearer k".to_owned());
    let expected = Transport::http("https://eu.notes.example/mcp", &[header]).unwrap();
    assert_eq!(config.servers[0].transport, expected);

    let settings = format!("{{\"editor.tabSize\": 2, \"mcp\": {VS_CODE}}}");
    assert_eq!(import(Client::VsCode, &settings).unwrap(), text);
    let none = import(Client::Cursor, "{}").unwrap_err().to_string();
    assert!(none.starts_with("1:1: no servers of Cursor were found"), "{none}");
    assert!(import(Client::Cursor, "{").is_err());
}

#[test]
fn clients_files_are_where_they_keep_them() {
    for client in [Client::ClaudeDesktop, Client::Cursor, Client::VsCode] {
        let paths = client.default_paths(&env);
        assert!(!paths.is_empty() && paths.iter().all(|path| path.extension().is_some()));
    }
    #[cfg(target_os = "linux")]
    assert_eq!(
        Client::ClaudeDesktop.default_paths(&env),
        [Path::new("/var/ada/.config/Claude/claude_desktop_config.json")]
    );
}

#[test]
fn the_committed_schema_is_the_one_of_the_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/config.json");
    let current = format!("{:#}\n", schema());
    if std::env::var_os("RESULTANT_UPDATE").is_some() {
        fs::write(&path, &current).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == current, "run this test with RESULTANT_UPDATE=1 to write the schema");
}

#[test]
fn files_fit_the_schema_and_broken_ones_do_not() {
    let schema = schema();
    jsonschema::meta::validate(&schema).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let imported = [
        import(Client::ClaudeDesktop, CLAUDE_DESKTOP).unwrap(),
        import(Client::Cursor, CURSOR).unwrap(),
        import(Client::VsCode, VS_CODE).unwrap(),
        starter(),
        uncommented(&starter()),
    ];
    let fixtures = [FULL, CLAUDE_DESKTOP, CURSOR, VS_CODE];
    for text in imported.iter().map(String::as_str).chain(fixtures) {
        let value = Document::read(text).unwrap().root.to_value();
        let problems: Vec<_> = validator.iter_errors(&value).map(|e| e.to_string()).collect();
        assert!(problems.is_empty(), "{text}: {problems:?}");
    }
    for text in [
        r#"{"mcpServers": {"a": {"command": 1}}}"#,
        r#"{"resultant": {"listn": "x"}}"#,
        r#"{"resultant": {"servers": {"a": {"shape": "xml"}}}}"#,
        r#"{"resultant": {"timeouts": {"call_seconds": -1}}}"#,
    ] {
        let value = Document::read(text).unwrap().root.to_value();
        assert!(!validator.is_valid(&value), "{text}");
    }
}

/// Each key of the schema with its default, where it has one of its own.
fn keys(schema: &serde_json::Value, out: &mut Vec<(String, serde_json::Value)>) {
    match schema {
        serde_json::Value::Object(members) => {
            for (name, value) in members {
                if name == "properties" {
                    let properties = value.as_object().into_iter().flatten();
                    out.extend(properties.map(|(k, v)| (k.clone(), v["default"].clone())));
                }
                keys(value, out);
            }
        }
        serde_json::Value::Array(items) => items.iter().for_each(|item| keys(item, out)),
        _ => {}
    }
}

#[test]
fn the_document_names_every_key_and_its_default() {
    let mut found = Vec::new();
    keys(&schema(), &mut found);
    assert!(found.len() > 50, "{found:?}");
    let mut numbers = 0;
    for (key, default) in found {
        let row = format!("| `{key}` | ");
        assert!(DOCUMENT.contains(&row), "{row} is in no table");
        if default.is_number() {
            let default = default.to_string();
            let row = format!("| `{key}` | {} |", default.trim_end_matches(".0"));
            assert!(DOCUMENT.contains(&row), "{row} is in no table");
            numbers += 1;
        }
    }
    assert!(numbers >= 17, "{numbers}");
}

/// Examples of the document are read without a word.
#[test]
fn the_documents_examples_are_right() {
    let examples: Vec<&str> = DOCUMENT
        .split("```jsonc\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap_or_default())
        .collect();
    assert!(examples.len() >= 2);
    for example in examples {
        assert_eq!(parsed(example).warnings, [], "{example}");
    }
}
