//! What `resultant demo` starts the gateway with, and what it tells the person to try.

use std::{env, path::Path};

use anyhow::Context as _;
use serde_json::{Value, json};

/// The name of the demo's server in the gateway.
pub(crate) const SERVER: &str = "demo";

/// What to call from a terminal, and what it shows.
const CALLS: [(&str, &str); 7] = [
    ("sales_report --files out", "files beside a small result"),
    (r#"weather '{"station": "gull-rock"}'"#, "structured content"),
    ("web_log --to model", "20,000 lines, and what the model gets"),
    ("broken_files --explain", "what is odd becomes a note"),
    ("roast seconds=5", "progress; Ctrl-C cancels"),
    ("sign_guest_book", "a server that asks you something"),
    ("big kind=base64 --to model", "200 MB, with memory flat"),
];

/// A config whose only server is this very program.
pub(crate) fn config() -> anyhow::Result<Value> {
    let program = env::current_exe().context("cannot find this program's own file")?;
    let program = program.to_str().context("this program's path is no UTF-8")?;
    Ok(config_for(Path::new(program)))
}

fn config_for(program: &Path) -> Value {
    json!({
        "mcpServers": {SERVER: {"command": program, "args": ["demo-server"]}},
        // Its dashboard is a page of the server's own, at a port that was free.
        "resultant": {"dashboards": {"origins": ["http://127.0.0.1:*"]}},
    })
}

/// The folder of this program, where a shell would not find it as `resultant`.
fn folder_to_add() -> Option<String> {
    let program = env::current_exe().ok()?;
    let search = env::var_os("PATH").unwrap_or_default();
    let is_found = env::split_paths(&search).any(|folder| folder.join("resultant").is_file());
    if is_found {
        return None;
    }
    Some(program.parent()?.to_str()?.replace('\'', "'\\''"))
}

/// What to try next, with the gateway's own address, such as `http://127.0.0.1:8642`, and the
/// options that let another `resultant` find the same servers, such as `--config FILE`.
pub(crate) fn next_steps(base_url: &str, options: &str) -> String {
    let url = base_url.trim_end_matches('/');
    let path = match folder_to_add() {
        Some(folder) => {
            format!("  export PATH='{folder}':\"$PATH\"   # so that `resultant` is found\n")
        }
        None => String::new(),
    };
    let tools = format!("resultant tools {options}");
    let tools = tools.trim_end();
    let call = format!("resultant call {options}");
    let call = call.trim_end();
    let mut calls = String::new();
    for (call_of, what) in CALLS {
        calls.push_str(&format!("  {call} {SERVER}.{call_of:36} # {what}\n"));
    }
    let doctor = format!("resultant doctor {options}");
    let doctor = doctor.trim_end();
    format!(
        r#"The demo shop is open: every kind of tool result, through the gateway.

Give it to an agent
  claude mcp add --transport http resultant-demo {url}/mcp
  then ask, for example: "make the sales report", "what went wrong in the web log?",
  "open the live dashboard"

Look around, in another terminal
{path}  {tools}
{calls}  {doctor}

Speak the protocol yourself
  curl -s {url}/mcp/{SERVER} \
    -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
    -H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/call' -H 'Mcp-Name: echo' \
    -d '{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo","arguments":{{"message":"hello"}},"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}'
"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_config_starts_this_program() {
        let server = &config_for(Path::new("/opt/resultant"))["mcpServers"]["demo"];
        assert_eq!(server["command"], "/opt/resultant");
        assert_eq!(server["args"], json!(["demo-server"]));
        let current = &config().unwrap()["mcpServers"]["demo"]["command"];
        assert!(Path::new(current.as_str().unwrap()).is_file());
    }

    #[test]
    fn the_examples_are_json_and_have_the_address() {
        let text = next_steps("http://127.0.0.1:9/", "--config demo.json");
        assert!(text.contains("  resultant tools --config demo.json\n"), "{text}");
        assert!(text.contains("  resultant call --config demo.json demo.big "), "{text}");
        assert!(text.contains("http://127.0.0.1:9/mcp\n"), "{text}");
        let quoted: Vec<&str> = text.split('\'').skip(1).step_by(2).collect();
        let examples: Vec<&&str> = quoted.iter().filter(|text| text.starts_with('{')).collect();
        assert_eq!(examples.len(), 2);
        for example in examples {
            serde_json::from_str::<Value>(example).unwrap();
        }
    }
}
