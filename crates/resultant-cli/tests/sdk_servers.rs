//! Servers made with the SDKs, behind the gateway: their results come through with their bytes,
//! and a modern server that needs input gets it from clients of either era.

#[path = "support/mcp.rs"]
mod mcp;

use std::{collections::BTreeMap, path::PathBuf, process::Command};

use anyhow::{Context, ensure};
use mcp::{
    Client, Gateway, Identity, LEGACY, MODERN, Sameness, check_era, compare, find_peer,
    server_script,
};
use serde_json::{Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_resultant");

/// A server's program and environment.
struct Server {
    command: Vec<String>,
    env: BTreeMap<&'static str, String>,
}

impl Server {
    fn find(variable: &str, rare: bool, script: &str) -> anyhow::Result<Option<Self>> {
        let Some(place) = find_peer(variable, rare)? else { return Ok(None) };
        let place = PathBuf::from(place);
        let script = server_script(script).display().to_string();
        Ok(Some(if script.ends_with(".cjs") {
            let modules = place.join("node_modules").display().to_string();
            let env = BTreeMap::from([("NODE_PATH", modules)]);
            Self { command: vec!["node".to_owned(), script], env }
        } else {
            Self { command: vec![place.display().to_string(), script], env: BTreeMap::new() }
        }))
    }

    fn direct(&self, version: &str) -> anyhow::Result<Client> {
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]).envs(&self.env);
        Client::stdio(&mut command, &Identity::plain(version))
    }

    fn behind_gateway(&self, folder: &tempfile::TempDir) -> anyhow::Result<Gateway> {
        let server =
            json!({"command": self.command[0], "args": self.command[1..], "env": self.env});
        Gateway::start(PROGRAM, &json!({"mcpServers": {"server": server}}), folder.path())
    }
}

/// The same calls directly and through the gateway, for a client of each era. Between a modern
/// client and a modern server nothing is changed at all, nor between legacy ones; a server of both
/// eras may be spoken to in either for a legacy client.
fn check(variable: &str, rare: bool, script: &str, modern_server: bool) -> anyhow::Result<()> {
    let Some(server) = Server::find(variable, rare, script)? else { return Ok(()) };
    let folder = tempfile::tempdir()?;
    let gateway = server.behind_gateway(&folder)?;
    let calls = [
        ("add", json!({"a": 1, "b": 2.5})),
        ("greet", json!({"name": "Ä 😀 \"\\\u{1}"})),
        ("greet", json!({})),
        ("fail", json!({})),
    ];
    for version in [LEGACY, MODERN] {
        let modern = version == MODERN;
        let spoken = if modern_server { version } else { LEGACY };
        let direct = server.direct(spoken)?;
        let sameness = match spoken == version && modern == modern_server {
            true => Sameness::Whole,
            false => Sameness::ApartFromEra,
        };
        let through = Client::http(&gateway.server("server"), &Identity::plain(version))?;
        for (tool, arguments) in &calls {
            let got = through.call(tool, arguments)?;
            compare(&direct.call(tool, arguments)?, &got, sameness)
                .and_then(|()| check_era(&got, modern))
                .with_context(|| format!("{version} {tool} {arguments}"))
                .with_context(|| format!("the gateway said:\n{}", gateway.log()))?;
        }
    }
    Ok(())
}

#[test]
fn python_sdk_2() -> anyhow::Result<()> {
    check("RESULTANT_TEST_PYTHON_MCP", false, "python_sdk_2.py", true)
}

#[test]
fn python_sdk_1() -> anyhow::Result<()> {
    check("RESULTANT_TEST_PYTHON_MCP_1", true, "python_sdk_1.py", false)
}

#[test]
fn fastmcp() -> anyhow::Result<()> {
    check("RESULTANT_TEST_PYTHON_FASTMCP", true, "fastmcp_server.py", true)
}

#[test]
fn typescript_sdk_2() -> anyhow::Result<()> {
    check("RESULTANT_TEST_NODE_TYPESCRIPT_SDK_2", true, "typescript_sdk_2.cjs", true)
}

const ELICITATION: &str = "elicitation/create";

fn find_asking_server() -> anyhow::Result<Option<Server>> {
    Server::find("RESULTANT_TEST_NODE_TYPESCRIPT_SDK_2", true, "typescript_sdk_2.cjs")
}

/// A legacy client is asked, and the call goes on with its answer.
#[test]
fn a_modern_server_asks_a_legacy_client() -> anyhow::Result<()> {
    let Some(server) = find_asking_server()? else { return Ok(()) };
    let folder = tempfile::tempdir()?;
    let gateway = server.behind_gateway(&folder)?;
    let identity = Identity::answering(LEGACY, json!({"elicitation": {"form": {}}}), |request| {
        let accepted = json!({"action": "accept", "content": {"confirm": true}});
        (request.method() == Some(ELICITATION)).then_some(accepted)
    });
    let client = Client::http(&gateway.server("server"), &identity)?;
    let answer = client.call("deploy", &json!({"where": "Bonn"}))?;
    ensure!(answer.text().contains("deployed to Bonn"), "{}\n{}", answer.text(), gateway.log());
    let asked =
        client.take_inbox().into_iter().find(|message| message.method() == Some(ELICITATION));
    let asked = asked.context("the client was not asked")?;
    ensure!(asked.params().is_some_and(|params| params.contains("Deploy to Bonn?")));
    Ok(())
}

/// A modern client gets the request for input, and sends the answer with the call again.
#[test]
fn a_modern_server_asks_a_modern_client() -> anyhow::Result<()> {
    let Some(server) = find_asking_server()? else { return Ok(()) };
    let folder = tempfile::tempdir()?;
    let gateway = server.behind_gateway(&folder)?;
    let able = json!({"elicitation": {"form": {}}});
    let identity = Identity::answering(MODERN, able, |_| None);
    let client = Client::http(&gateway.server("server"), &identity)?;
    let arguments = json!({"where": "Bonn"});
    let first = client.result("tools/call", json!({"name": "deploy", "arguments": arguments}))?;
    ensure!(first["resultType"] == "input_required", "{first}\n{}", gateway.log());
    ensure!(first["inputRequests"]["confirm"]["method"] == ELICITATION, "{first}");
    let mut again = json!({
        "name": "deploy",
        "arguments": arguments,
        "inputResponses": {"confirm": {"action": "accept", "content": {"confirm": true}}},
    });
    if let Some(state) = first.get("requestState") {
        again["requestState"] = state.clone();
    }
    let second: Value = client.result("tools/call", again)?;
    ensure!(second["content"][0]["text"] == "deployed to Bonn", "{second}\n{}", gateway.log());
    Ok(())
}
