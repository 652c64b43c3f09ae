//! `resultant init`, as people run it.
#![expect(clippy::unwrap_used, reason = "a panic is a test's report")]

use std::{fs, path::Path, process::Command};

fn init(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_resultant"))
        .arg("init")
        .args(arguments)
        .current_dir(folder)
        .env("HOME", folder)
        .env("APPDATA", folder)
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("SEARCH_KEY")
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_starter_is_written_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("resultant.json");
    let (code, out, error) = init(folder.path(), &[]);
    assert_eq!((code, out.as_str()), (Some(0), ""), "{error}");
    assert!(error.contains("resultant serve "), "{error}");
    let written = fs::read_to_string(&path).unwrap();
    assert!(written.starts_with("// ") && written.contains("\"mcpServers\""), "{written}");
    fs::write(&path, "mine").unwrap();
    let (code, _, error) = init(folder.path(), &[]);
    assert_eq!(code, Some(2));
    assert!(error.contains("resultant.json exists already; write over it with `--force`"));
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    assert_eq!(init(folder.path(), &["--force"]).0, Some(0));
    assert_eq!(fs::read_to_string(&path).unwrap(), written);
    assert_eq!(init(folder.path(), &["--output", "-"]).1, written);
}

#[cfg(unix)]
#[test]
fn only_the_owner_reads_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    assert_eq!(init(folder.path(), &["--output", "a.json"]).0, Some(0));
    assert_eq!(mode(), 0o600);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(init(folder.path(), &["--output", "a.json", "--force"]).0, Some(0));
    assert_eq!(mode(), 0o600);
}

#[test]
fn servers_of_a_client_are_taken_over() {
    let folder = tempfile::tempdir().unwrap();
    let (code, _, error) = init(folder.path(), &["--from", "cursor"]);
    assert_eq!(code, Some(2));
    assert!(error.contains("no configuration of Cursor was found; looked for "), "{error}");
    fs::create_dir(folder.path().join(".cursor")).unwrap();
    let theirs = r#"{"mcpServers": {"a": {"command": "x", "env": {"K": "${env:SEARCH_KEY}"}}}}"#;
    fs::write(folder.path().join(".cursor/mcp.json"), theirs).unwrap();
    let (code, _, error) = init(folder.path(), &["--from", "cursor"]);
    assert_eq!(code, Some(0), "{error}");
    assert!(error.contains("/mcpServers/a/env/K: the variable `SEARCH_KEY` is not set"), "{error}");
    let ours = fs::read_to_string(folder.path().join("resultant.json")).unwrap();
    assert!(ours.contains("${SEARCH_KEY}"), "{ours}");

    let file = folder.path().join("other.json");
    fs::write(&file, r#"{"servers": {"b": {"url": "http://127.0.0.1:1/mcp"}}}"#).unwrap();
    let arguments = ["--from", "vscode", "other.json", "--output", "out.json"];
    let (code, _, error) = init(folder.path(), &arguments);
    assert_eq!(code, Some(0), "{error}");
    assert!(error.contains("It has 1 server.") && error.contains("--config out.json"), "{error}");
    fs::write(&file, "{\n  broken").unwrap();
    let (code, _, error) = init(folder.path(), &arguments);
    assert_eq!(code, Some(2));
    assert!(error.contains("other.json:2:3: expected a key"), "{error}");
    assert_eq!(init(folder.path(), &["other.json"]).0, Some(2));
}
