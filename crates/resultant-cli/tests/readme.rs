//! What the README shows is what the command prints, what clients can read, and what works.
#![expect(clippy::unwrap_used, reason = "a panic is a test's report")]

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};

const README: &str = include_str!("../../../README.md");
const PROGRAM: &str = env!("CARGO_BIN_EXE_resultant");
/// Where the gateway listens by default, as clients are told.
const GATEWAY: &str = "http://127.0.0.1:8737/mcp";

/// The blocks of one language, and what follows each.
fn blocks(language: &str) -> Vec<(&'static str, &'static str)> {
    let start = format!("```{language}\n");
    let mut blocks = Vec::new();
    let mut rest = README;
    while let Some((_, after)) = rest.split_once(start.as_str()) {
        let (block, after) = after.split_once("```").unwrap();
        blocks.push((block, after));
        rest = after;
    }
    blocks
}

#[test]
fn the_tour_prints_what_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let sample = folder.path().join("corpus/demo/report.json");
    fs::create_dir_all(sample.parent().unwrap()).unwrap();
    fs::write(sample, include_str!("../../../corpus/demo/report.json")).unwrap();
    let programs = Path::new(PROGRAM).parent().unwrap();
    let path = std::env::join_paths([programs, Path::new("/usr/bin"), Path::new("/bin")]).unwrap();
    // Each shell block that is followed by the text it prints.
    let steps: Vec<(&str, &str)> = blocks("sh")
        .into_iter()
        .filter_map(|(command, after)| {
            let output = after.trim_start().strip_prefix("```text\n")?;
            Some((command, output.split_once("```")?.0))
        })
        .collect();
    assert!(steps.len() >= 5, "control: the tour has steps");
    for (command, expected) in steps {
        let output = Command::new("sh")
            .args(["-c", &format!("({command}) 2>&1")])
            .current_dir(folder.path())
            .env("PATH", &path)
            .env("XDG_DATA_HOME", folder.path().join("share"))
            .output()
            .unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected, "{command}");
    }
}

#[test]
fn every_command_exists() {
    let code = README.split('`').skip(1).step_by(2).filter(|code| !code.contains('\n'));
    let shell = blocks("sh").into_iter().flat_map(|(block, _)| block.lines());
    let named = |line: &'static str| {
        let command = line.trim_start().strip_prefix("resultant ")?;
        command.split_whitespace().next()
    };
    let mut commands: Vec<&str> = code.chain(shell).filter_map(named).collect();
    commands.sort_unstable();
    commands.dedup();
    assert!(commands.contains(&"serve") && commands.contains(&"proxy"), "{commands:?}");
    for command in commands {
        let output = Command::new(PROGRAM).args([command, "--help"]).output().unwrap();
        assert!(output.status.success(), "resultant {command}");
    }
}

/// The servers of the clients' JSON snippets.
fn snippets() -> Vec<(String, Value)> {
    let mut servers = Vec::new();
    for (block, _) in blocks("json") {
        let file: Value = serde_json::from_str(block).unwrap();
        let file = file.as_object().unwrap();
        let entries = file.get("mcpServers").or_else(|| file.get("servers")).unwrap();
        let entries = entries.as_object().unwrap();
        servers.extend(entries.iter().map(|(name, server)| (name.clone(), server.clone())));
    }
    servers
}

fn arguments(server: &Value) -> Vec<String> {
    let arguments = server["args"].as_array().unwrap();
    arguments.iter().map(|argument| argument.as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_snippets_name_the_gateway_or_a_proxy() {
    let servers = snippets();
    assert!(servers.len() >= 8, "control: there are snippets");
    for (name, server) in &servers {
        let url = ["url", "httpUrl"].iter().find_map(|key| server.get(key));
        match url {
            Some(url) => assert_eq!(url, GATEWAY, "{name}"),
            None => {
                assert_eq!(server["command"], "resultant", "{name}");
                assert_eq!(arguments(server)[0], "proxy", "{name}");
            }
        }
    }
    // The same in the languages that nothing here reads.
    let wrapped = servers.iter().find(|(name, _)| name == "memory").map(|(_, server)| server);
    let wrapped = arguments(wrapped.unwrap()).join("\", \"");
    for language in ["toml", "yaml"] {
        let (block, _) = blocks(language)[0];
        assert!(block.contains(GATEWAY), "{block}");
        assert!(block.contains(&format!("[\"{wrapped}\"]")), "{block}");
    }
}

/// Calls a tool over the standard input and output of `resultant proxy`, which ends with it.
fn call_through_proxy(arguments: &[String], tool: &str) -> Value {
    let data = tempfile::tempdir().unwrap();
    let mut command = Command::new(PROGRAM);
    command.arg(&arguments[0]).arg("--data").arg(data.path()).args(&arguments[1..]);
    let mut proxy =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let request = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {
        "name": tool,
        "arguments": {"message": "hello"},
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    }});
    // The input ends behind the request; what is under way is finished.
    writeln!(proxy.stdin.take().unwrap(), "{request}").unwrap();
    let output = proxy.wait_with_output().unwrap();
    let lines = String::from_utf8(output.stdout).unwrap();
    let mut answers = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let answer = answers.find(|answer| answer["id"] == 7);
    assert!(answer.is_some(), "{lines:?}");
    answer.unwrap()
}

#[test]
fn the_proxy_of_a_snippet_wraps_a_server() {
    let servers = snippets();
    let (_, server) = servers.iter().find(|(name, _)| name == "memory").unwrap();
    let printed = arguments(server);
    let end = printed.iter().position(|argument| argument == "--").unwrap();
    // Another server stands in for the printed one, which would have to be fetched.
    let mut arguments = printed[..=end].to_vec();
    arguments.extend([PROGRAM.to_owned(), "demo-server".to_owned()]);
    let answer = call_through_proxy(&arguments, "echo");
    assert_eq!(answer["result"]["content"][0]["text"], "hello", "{answer}");
}

/// `resultant demo`, ended with the test.
struct Demo(Child);

impl Drop for Demo {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_proxy_of_a_snippet_reaches_the_gateway() {
    let data = tempfile::tempdir().unwrap();
    let mut command = Command::new(PROGRAM);
    command.args(["demo", "--listen", "127.0.0.1:0", "--data"]).arg(data.path());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut demo = Demo(command.spawn().unwrap());
    let stderr = BufReader::new(demo.0.stderr.take().unwrap());
    let mut lines = stderr.lines().map_while(Result::ok);
    let address = lines.find_map(|line| line.strip_prefix("listening on ").map(str::to_owned));
    let address = format!("{}/mcp", address.unwrap());
    // What it says further goes nowhere, and must not hold it up.
    std::thread::spawn(move || lines.for_each(drop));

    let servers = snippets();
    let reaches = |(_, server): &&(String, Value)| {
        server.get("args").is_some_and(|arguments| arguments[1] == "--url")
    };
    let (_, server) = servers.iter().find(reaches).unwrap();
    let mut arguments = arguments(server);
    assert_eq!(arguments[2], GATEWAY);
    arguments[2] = address;
    let answer = call_through_proxy(&arguments, "demo_echo");
    assert_eq!(answer["result"]["content"][0]["text"], "hello", "{answer}");
}
