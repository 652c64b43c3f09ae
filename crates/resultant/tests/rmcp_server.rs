//! Starts the example server and calls every tool of it: through the official Python client, which
//! checks each result against the advertised schema, and through rmcp's own, in every version.
#![cfg(feature = "rmcp")]
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    clippy::unwrap_used,
    reason = "a test starts real peers, and a panic is its report"
)]

use std::{
    collections::HashMap,
    io::Write as _,
    path::PathBuf,
    process::{Command, Stdio},
};

use resultant::{Protocol, rmcp::read};
use rmcp::{
    ClientHandler, ClientServiceExt as _, RoleClient,
    model::{CallToolRequestParams, CallToolResult, ClientConfig, ProtocolVersion},
    service::{ClientLifecycleMode, RunningService},
};
use serde_json::{Value, json};

/// One red pixel.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

/// A call and the result that every client gets.
struct Case {
    name: &'static str,
    arguments: Value,
    content: Value,
    structured: Option<Value>,
    is_error: bool,
}

impl Case {
    fn new(name: &'static str, content: Value, structured: Option<Value>) -> Case {
        Case { name, arguments: json!({}), content, structured, is_error: false }
    }

    fn with(self, arguments: Value) -> Case {
        Case { arguments, ..self }
    }

    fn error(self) -> Case {
        Case { is_error: true, ..self }
    }

    fn assert(&self, peer: &str, result: &Value) {
        let Case { name, arguments, .. } = self;
        let call = format!("{peer}: {name} {arguments}");
        assert_eq!(result["content"], self.content, "{call}");
        assert_eq!(result.get("structuredContent"), self.structured.as_ref(), "{call}");
        assert_eq!(result["isError"].as_bool().unwrap_or_default(), self.is_error, "{call}");
    }
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn cases() -> Vec<Case> {
    let image = json!({"type": "image", "data": PNG, "mimeType": "image/png"});
    let link = json!({"type": "resource_link", "uri": "https://example.org/more", "name": "more"});
    let day = |celsius| json!({"city": "Łódź", "celsius": celsius, "wind": null});
    let done = json!({"success": true, "data": {"tasks": ["take an umbrella"]}, "error": null, "meta": {"version": "response-v2"}});
    let failed = json!({"success": false, "data": {"error_code": "NOT_FOUND", "error_type": "not_found"}, "error": "no city `x`", "meta": {"version": "response-v2"}});
    let report = json!({"results": {"pixels": 1}, "artifacts": [{"name": "dot.png", "mime": "image/png", "b64": PNG}]});
    vec![
        Case::new(
            "weather",
            json!([text(r#"{"city": "Łódź", "celsius": 20.0, "wind": {"speed": 3.5}}"#)]),
            Some(json!({"city": "Łódź", "celsius": 20.0, "wind": {"speed": 3.5}})),
        )
        .with(json!({"city": "Łódź"})),
        Case::new("weather", json!([text("invalid float literal")]), None)
            .with(json!({"city": "Gdańsk"}))
            .error(),
        Case::new("weather", json!([text("no city `x`")]), None).with(json!({"city": "x"})).error(),
        Case::new(
            "weather",
            json!([text("failed to deserialize parameters: missing field `city`")]),
            None,
        )
        .error(),
        Case::new("count", json!([text("42")]), Some(json!({"result": 42}))),
        Case::new("greeting", json!([text("Dzień dobry")]), Some(json!({"result": "Dzień dobry"}))),
        Case::new(
            "forecast",
            json!([
                text(r#"{"city": "Łódź", "celsius": 20.0, "wind": null}"#),
                text(r#"{"city": "Łódź", "celsius": 21.5, "wind": null}"#)
            ]),
            Some(json!({"result": [day(20.0), day(21.5)]})),
        ),
        Case::new(
            "forecast_as_specified",
            json!([text(r#"{"result":[20.0,21.5]}"#)]),
            Some(json!({"result": [20.0, 21.5]})),
        ),
        Case::new(
            "warning",
            json!([text(r#"{"speed": 28.0}"#)]),
            Some(json!({"result": {"speed": 28.0}})),
        )
        .with(json!({"city": "Gdańsk"})),
        Case::new("warning", json!([]), Some(json!({"result": null})))
            .with(json!({"city": "Łódź"})),
        Case::new("tasks", json!([text(&done.to_string())]), Some(done))
            .with(json!({"city": "Łódź"})),
        Case::new("tasks", json!([text(&failed.to_string())]), Some(failed))
            .with(json!({"city": "x"}))
            .error(),
        Case::new("album", json!([text("a red dot"), image, link]), None),
        Case::new("picture", json!([image]), None),
        Case::new("summary", json!([text("It is warm in Łódź.")]), Some(day(20.0))),
        Case::new("bytes", json!([text("AAEC")]), None),
        Case::new("forget", json!([]), None),
        Case::new(
            "report",
            json!([text(&format!(
                r#"{{"results": {{"pixels": 1}}, "artifacts": [{{"name": "dot.png", "mime": "image/png", "b64": "{PNG}"}}]}}"#
            ))]),
            Some(report),
        ),
        Case::new("whole", json!([text("no such page")]), Some(json!({"page": 7}))).error(),
    ]
}

/// Cargo builds examples with the tests, into the folder beside that of the tests.
fn server() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(|deps| deps.parent()).unwrap().join("examples");
    let server = folder.join(format!("tool_server{}", std::env::consts::EXE_SUFFIX));
    assert!(
        server.exists(),
        "build the server first: cargo build -p resultant --features rmcp --example tool_server"
    );
    server
}

#[test]
fn the_python_client_accepts_every_result() {
    let Some(python) = std::env::var_os("RESULTANT_TEST_PYTHON_MCP") else {
        assert!(
            std::env::var("CI").as_deref() != Ok("true"),
            "RESULTANT_TEST_PYTHON_MCP is not set"
        );
        println!("skipped: RESULTANT_TEST_PYTHON_MCP names no Python that has the package `mcp`");
        return;
    };
    let cases = cases();
    let mut calls = String::new();
    for Case { name, arguments, .. } in &cases {
        calls.push_str(&format!("{}\n", json!({"name": name, "arguments": arguments})));
    }
    for mode in ["legacy", "auto"] {
        let lines = call_through_python(&python, mode, &calls);
        assert_eq!(lines.len(), cases.len(), "{mode}");
        for (case, line) in cases.iter().zip(&lines) {
            assert_eq!(line["name"], case.name);
            assert_eq!(line.get("exception"), None, "{mode}: {}", case.name);
            case.assert(mode, &line["result"]);
        }
        assert_schemas(&lines);
    }
}

fn call_through_python(python: &std::ffi::OsStr, mode: &str, calls: &str) -> Vec<Value> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/python/call_tools.py");
    let mut client = Command::new(python)
        .args([script, mode])
        .arg(server())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    client.stdin.take().unwrap().write_all(calls.as_bytes()).unwrap();
    let output = client.wait_with_output().unwrap();
    assert!(output.status.success(), "{mode}: the client failed with {}", output.status);
    let lines = String::from_utf8(output.stdout).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What is advertised: objects as they are, anything else wrapped, nothing for blocks.
fn assert_schemas(lines: &[Value]) {
    let schemas: HashMap<&str, &Value> =
        lines.iter().map(|line| (line["name"].as_str().unwrap(), &line["schema"])).collect();
    assert_eq!(schemas["weather"]["required"], json!(["city", "celsius", "wind"]));
    assert_eq!(schemas["tasks"]["required"], json!(["success", "data", "error", "meta"]));
    for (name, inner) in [("count", "integer"), ("greeting", "string"), ("forecast", "array")] {
        assert_eq!(schemas[name]["type"], "object");
        assert_eq!(schemas[name]["required"], json!(["result"]));
        assert_eq!(schemas[name]["properties"]["result"]["type"], inner);
    }
    for name in ["album", "picture", "summary", "bytes", "forget", "report", "whole"] {
        assert!(schemas[name].is_null(), "{name}");
    }
}

/// A client of one version.
struct OldClient(ProtocolVersion);

impl ClientHandler for OldClient {
    fn get_info(&self) -> ClientConfig {
        let mut info = ClientConfig::default();
        info.protocol_version = self.0.clone();
        info
    }
}

#[tokio::test]
async fn clients_of_every_version_get_the_same() {
    for version in ProtocolVersion::KNOWN_VERSIONS {
        let protocol: Protocol = version.as_str().parse().unwrap();
        let client = connect(version.clone(), protocol).await;
        for case in cases() {
            let mut call = CallToolRequestParams::new(case.name);
            call.arguments = case.arguments.as_object().cloned();
            let result = client.call_tool(call).await.unwrap();
            assert_eq!(result.result_type.is_some(), protocol.is_modern(), "{protocol}");
            let case = for_client_of(protocol, case);
            case.assert(protocol.as_str(), &serde_json::to_value(&result).unwrap());
            if case.name == "report" {
                assert_read(&result);
            }
        }
        client.cancel().await.unwrap();
    }
}

async fn connect(
    version: ProtocolVersion,
    protocol: Protocol,
) -> RunningService<RoleClient, OldClient> {
    let mut server = tokio::process::Command::new(server())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let transport = (server.stdout.take().unwrap(), server.stdin.take().unwrap());
    let lifecycle = match protocol.is_modern() {
        true => ClientLifecycleMode::Discover { preferred_versions: vec![version.clone()] },
        false => ClientLifecycleMode::Initialize,
    };
    OldClient(version).serve_with_lifecycle(transport, lifecycle).await.unwrap()
}

/// Before 2025-06-18 there were no links.
fn for_client_of(protocol: Protocol, mut case: Case) -> Case {
    if case.name == "album" && !protocol.has_resource_links() {
        case.content[2] = text("[link: more https://example.org/more]");
    }
    case
}

/// A host reads the contract in what it got.
fn assert_read(result: &CallToolResult) {
    let outcome = read(result);
    assert_eq!(outcome.results.to_string(), r#"{"pixels":1}"#);
    assert_eq!(outcome.artifacts[0].name, "dot.png");
    assert_eq!(outcome.notes, []);
}
