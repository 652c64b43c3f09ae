//! The official SDKs' clients, and FastMCP's, through the gateway: everything MCP has, against
//! the reference server that has everything, over HTTP and over stdio.
//!
//! The clients are the programs in `clients/`; what they print is what a user of that SDK sees.

#[path = "support/mcp.rs"]
mod mcp;

use std::{
    fs::File,
    io::{Read as _, Seek as _, Write as _},
    path::PathBuf,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, bail, ensure};
use mcp::{Gateway, LEGACY, MODERN, Node, PATIENCE, client_script, find_peer, node_folder};
use serde_json::{Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_resultant");

/// An SDK's client.
struct Sdk {
    variable: &'static str,
    rare: bool,
    script: &'static str,
}

const TYPESCRIPT_1: Sdk = Sdk {
    variable: "RESULTANT_TEST_NODE_TYPESCRIPT_SDK_1",
    rare: false,
    script: "typescript_sdk_1.cjs",
};
const TYPESCRIPT_2: Sdk = Sdk {
    variable: "RESULTANT_TEST_NODE_TYPESCRIPT_SDK_2",
    rare: true,
    script: "typescript_sdk_2.cjs",
};
const PYTHON_1: Sdk =
    Sdk { variable: "RESULTANT_TEST_PYTHON_MCP_1", rare: true, script: "python_sdk_1.py" };
const PYTHON_2: Sdk =
    Sdk { variable: "RESULTANT_TEST_PYTHON_MCP", rare: false, script: "python_sdk_2.py" };
const FASTMCP: Sdk =
    Sdk { variable: "RESULTANT_TEST_PYTHON_FASTMCP", rare: true, script: "fastmcp_client.py" };

/// What the client connects to.
enum Front<'a> {
    Url(&'a str),
    Command(Vec<String>),
}

impl Sdk {
    fn command(&self) -> anyhow::Result<Option<Command>> {
        let Some(place) = find_peer(self.variable, self.rare)? else { return Ok(None) };
        let mut command = if self.script.ends_with(".cjs") {
            let mut node = Command::new("node");
            node.env("NODE_PATH", PathBuf::from(place).join("node_modules"));
            node
        } else {
            Command::new(place)
        };
        command.arg(client_script(self.script));
        Ok(Some(command))
    }
}

/// Runs a client and returns its lines: the connection's, then one for each step.
fn run(
    mut command: Command,
    era: Option<&str>,
    front: &Front<'_>,
    steps: &Value,
) -> anyhow::Result<Vec<Value>> {
    if let Some(era) = era {
        command.args(["--era", era]);
    }
    match front {
        Front::Url(url) => command.args(["--url", url]),
        Front::Command(words) => command.arg("--").args(words),
    };
    // Files, so that neither side waits for the other to read.
    let (mut input, mut output, mut errors) = (file()?, file()?, file()?);
    input.write_all(steps.to_string().as_bytes())?;
    input.rewind()?;
    command.stdin(input).stdout(output.try_clone()?).stderr(errors.try_clone()?);
    let mut child = command.spawn().with_context(|| format!("{command:?}"))?;
    let end = Instant::now() + PATIENCE;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if Instant::now() > end {
            child.kill()?;
            child.wait()?;
            break None;
        }
        thread::sleep(Duration::from_millis(10));
    };
    let (output, errors) = (text(&mut output)?, text(&mut errors)?);
    if !status.is_some_and(|status| status.success()) {
        bail!("{command:?}\nended with {status:?}, printed:\n{output}\nand said:\n{errors}");
    }
    output.lines().map(|line| serde_json::from_str(line).context(line.to_owned())).collect()
}

fn file() -> anyhow::Result<File> {
    tempfile::tempfile().context("temporary file")
}

fn text(file: &mut File) -> anyhow::Result<String> {
    let mut text = String::new();
    file.rewind()?;
    file.read_to_string(&mut text)?;
    Ok(text)
}

/// What a line must have at a JSON pointer.
enum Must {
    /// A string that contains this, or a list that has an item whose name or URI is this.
    Have(&'static str, &'static str),
    /// Exactly this.
    Be(&'static str, Value),
}

fn step(op: Value, musts: Vec<Must>) -> (Value, Vec<Must>) {
    (op, musts)
}

fn call(name: &str, arguments: &Value) -> Value {
    json!({"op": "call", "name": name, "arguments": arguments})
}

/// The steps, each with what its line must have.
fn steps(version: &str) -> Vec<(Value, Vec<Must>)> {
    use Must::{Be, Have};
    const TEXT: &str = "/result/content/0/text";
    let slow = json!({"duration": 0.4, "steps": 2});
    let complete = json!({
        "op": "complete",
        "ref": {"type": "ref/prompt", "name": "completable-prompt"},
        "argument": {"name": "department", "value": "E"},
    });
    let document = "demo://resource/static/document/startup.md";
    let template = "Dynamic Text Resource";
    let mut steps = vec![
        step(json!({"op": "list_tools"}), vec![Have("/result/tools", "get-sum")]),
        step(call("echo", &json!({"message": "ä"})), vec![Be(TEXT, json!("Echo: ä"))]),
        step(
            call("get-structured-content", &json!({"location": "Chicago"})),
            vec![Be("/result/structuredContent/temperature", json!(36))],
        ),
        step(
            call("get-tiny-image", &json!({})),
            vec![Be("/result/content/1/type", json!("image"))],
        ),
        step(
            call("trigger-long-running-operation", &slow),
            vec![Have(TEXT, "completed"), Be("/progress/0/total", json!(2))],
        ),
        step(
            call("trigger-elicitation-request", &json!({})),
            vec![
                Have("/result/content/1/text", "Name: Ada"),
                Be("/asked/0/method", json!("elicitation/create")),
            ],
        ),
        step(
            call("trigger-sampling-request", &json!({"prompt": "p", "maxTokens": 10})),
            vec![
                Have(TEXT, "a fixed answer"),
                Be("/asked/0/method", json!("sampling/createMessage")),
            ],
        ),
        step(call("get-roots-list", &json!({})), vec![Have(TEXT, "file:///fixed/root")]),
        step(json!({"op": "list_resources"}), vec![Have("/result/resources", document)]),
        step(
            json!({"op": "list_resource_templates"}),
            vec![Have("/result/resourceTemplates", template)],
        ),
        step(
            json!({"op": "read_resource", "uri": document}),
            vec![Have("/result/contents/0/text", "Startup")],
        ),
        step(json!({"op": "list_prompts"}), vec![Have("/result/prompts", "args-prompt")]),
        step(
            json!({"op": "get_prompt", "name": "args-prompt", "arguments": {"city": "Bonn"}}),
            vec![Have("/result/messages/0/content/text", "Bonn")],
        ),
        step(complete, vec![Be("/result/completion/values/0", json!("Engineering"))]),
        // A tool that fails, seen as a result and not as a broken connection.
        step(call("get-sum", &json!({"a": "x"})), vec![Be("/result/isError", json!(true))]),
    ];
    // Gone in 2026-07-28.
    if version != MODERN {
        let uri = "demo://resource/dynamic/text/1";
        steps.push(step(json!({"op": "subscribe", "uri": uri}), vec![Be("/error", Value::Null)]));
        let level = json!({"op": "set_level", "level": "debug"});
        steps.push(step(level, vec![Be("/error", Value::Null)]));
    }
    steps
}

fn complaint(line: &Value, must: &Must) -> Option<String> {
    let found = |pointer: &str| line.pointer(pointer).unwrap_or(&Value::Null).clone();
    match must {
        Must::Be(pointer, expected) => {
            let found = found(pointer);
            // Numbers as numbers: some SDKs make 2 into 2.0.
            let same = found == *expected
                || found.as_f64().is_some_and(|number| expected.as_f64() == Some(number));
            (!same).then(|| format!("{pointer} is {found}, not {expected}"))
        }
        Must::Have(pointer, part) => {
            let found = found(pointer);
            let named = |item: &Value| item["name"] == *part || item["uri"] == *part;
            let has = match &found {
                Value::String(text) => text.contains(part),
                Value::Array(items) => items.iter().any(named),
                _ => false,
            };
            (!has).then(|| format!("{pointer} is {found} and has no {part}"))
        }
    }
}

/// Every complaint at once: which parts of MCP do not come through is what one wants to see.
fn check(lines: &[Value], version: &str, steps: &[(Value, Vec<Must>)]) -> anyhow::Result<()> {
    let first = lines.first().context("the client printed nothing")?;
    ensure!(first["protocolVersion"] == version, "negotiated {first}, not {version}");
    ensure!(lines.len() == steps.len() + 1, "{} lines for {} steps", lines.len(), steps.len());
    let mut complaints = Vec::new();
    for (line, (step, musts)) in lines[1..].iter().zip(steps) {
        for complaint in musts.iter().filter_map(|must| complaint(line, must)) {
            complaints.push(format!("{step}: {complaint}\n    {line}"));
        }
    }
    ensure!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
    Ok(())
}

/// A client against `resultant serve` and against `resultant proxy`, with the negotiation it is
/// told to do and the version that must come of it.
fn check_sdk(sdk: &Sdk, eras: &[(Option<&str>, &str)]) -> anyhow::Result<()> {
    let Some(node) = node_folder()? else { return Ok(()) };
    if sdk.command()?.is_none() {
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let words = node.command("server-everything", &["stdio"]);
    let config = json!({"mcpServers": {"everything": {"command": words[0], "args": words[1..]}}});
    let gateway = Gateway::start(PROGRAM, &config, folder.path())?;
    let url = gateway.server("everything");
    let proxy = proxy_command(&node, &folder.path().join("proxy-data").display().to_string());
    for (era, version) in eras {
        let steps = steps(version);
        let ops: Value = steps.iter().map(|(op, _)| op.clone()).collect();
        for front in [Front::Url(&url), Front::Command(proxy.clone())] {
            let way = if matches!(front, Front::Url(_)) { "serve" } else { "proxy" };
            let command = sdk.command()?.context("the client was there a moment ago")?;
            run(command, *era, &front, &ops)
                .and_then(|lines| check(&lines, version, &steps))
                .with_context(|| format!("{} through {way} in {version}", sdk.script))
                .with_context(|| format!("the gateway said:\n{}", gateway.log()))?;
        }
    }
    Ok(())
}

fn proxy_command(node: &Node, data: &str) -> Vec<String> {
    let mut words: Vec<String> = [PROGRAM, "proxy", "--data", data, "--"].map(str::to_owned).into();
    words.extend(node.command("server-everything", &["stdio"]));
    words
}

#[test]
fn typescript_sdk_1() -> anyhow::Result<()> {
    check_sdk(&TYPESCRIPT_1, &[(None, LEGACY)])
}

#[test]
fn typescript_sdk_2() -> anyhow::Result<()> {
    check_sdk(&TYPESCRIPT_2, &[(Some("legacy"), LEGACY), (Some("auto"), MODERN)])
}

#[test]
fn python_sdk_1() -> anyhow::Result<()> {
    check_sdk(&PYTHON_1, &[(None, LEGACY)])
}

#[test]
fn python_sdk_2() -> anyhow::Result<()> {
    check_sdk(&PYTHON_2, &[(Some("legacy"), LEGACY), (Some("auto"), MODERN)])
}

#[test]
fn fastmcp() -> anyhow::Result<()> {
    check_sdk(&FASTMCP, &[(Some("legacy"), LEGACY), (Some("auto"), MODERN)])
}
