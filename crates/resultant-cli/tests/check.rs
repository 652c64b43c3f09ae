//! `resultant check` on files and on a real process that speaks MCP.
#![expect(clippy::unwrap_used, reason = "a panic is a test's report")]

use std::{fs, process::Command};

fn check(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_resultant"))
        .arg("check")
        .args(arguments)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn files_with_and_without_notes() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let good =
        write("good.json", r#"{"results": 1, "artifacts": [{"name": "a.txt", "b64": "QQ=="}]}"#);
    let odd = write("odd.json", r#"{"results": 1, "artifacts": [{"name": "a.txt", "b64": "!!"}]}"#);
    let broken = write("broken.json", "{");
    let (code, out, _) = check(&[&good]);
    assert_eq!(code, Some(0));
    assert!(out.starts_with("ok ") && out.contains("contract-v2, 1 file"), "{out}");
    let (code, out, _) = check(&[&good, &odd]);
    assert_eq!(code, Some(1));
    assert!(out.contains("  R6 /artifacts/0: "), "{out}");
    let (code, out, _) = check(&["--json", &odd]);
    assert_eq!(code, Some(1));
    let line: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(line["notes"][0]["rule"], "R6");
    let (code, _, error) = check(&[&broken]);
    assert_eq!(code, Some(2));
    assert!(error.contains("line 1 column 2"), "{error}");
}

/// A server in a few lines of Python: noisy on standard output, two tools, one with a schema.
const SERVER: &str = r#"
import json, sys
print("starting up")
tools = [
    {"name": "good", "inputSchema": {"type": "object"}},
    {"name": "odd", "inputSchema": {"type": "object", "required": ["n"]},
     "outputSchema": {"type": "object", "required": ["a"]}},
]
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    method, params = message["method"], message.get("params", {})
    if method == "initialize":
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                  "serverInfo": {"name": "t", "version": "1"}}
    elif method == "tools/list":
        first = "cursor" not in params
        result = {"tools": tools[:1], "nextCursor": "2"} if first else {"tools": tools[1:]}
    else:
        n = params["arguments"].get("n")
        result = {"content": [{"type": "text", "text": f"n is {n}"}]}
    print(json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {}}))
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"#;

#[test]
fn tools_of_a_server() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("server.py");
    fs::write(&path, SERVER).unwrap();
    let server = ["--", "python3", path.to_str().unwrap()];
    let (code, out, error) = check(&server);
    assert_eq!(code, Some(0), "{error}");
    assert_eq!(out, "ok good: blocks\n");
    let arguments = ["--tool", "odd", "--arguments", r#"{"n": 7}"#];
    let (code, out, _) = check(&[&arguments, &server[..]].concat());
    assert_eq!(code, Some(1));
    assert!(out.starts_with("odd odd: blocks\n  R12"), "{out}");
    let (code, _, error) = check(&[&["--tool", "none"], &server[..]].concat());
    assert_eq!(code, Some(2));
    assert!(error.contains("it has good, odd"), "{error}");
    let (code, _, error) = check(&["--", "no-such-program-anywhere"]);
    assert_eq!(code, Some(2));
    assert!(error.contains("cannot start"), "{error}");
}
