//! Small results come through the gateway byte for byte.
//!
//! The same calls go to each server directly and through `resultant serve`; a raw client compares
//! the results' bytes. A modern client of a legacy server gets the members that its version adds,
//! and beside them the same bytes.

#[path = "support/mcp.rs"]
mod mcp;

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    process::{Command, Output},
};

use anyhow::{Context, ensure};
use mcp::{
    Client, Gateway, Identity, LEGACY, MODERN, Message, Sameness, check_era, compare, find_peer,
    members, node_folder,
};
use serde_json::{Map, Value, json, value::RawValue};

const PROGRAM: &str = env!("CARGO_BIN_EXE_resultant");

/// A request whose result must not change on the way.
struct Case {
    method: &'static str,
    params: Value,
}

fn call(tool: &str, arguments: &Value) -> Case {
    Case { method: "tools/call", params: json!({"name": tool, "arguments": arguments}) }
}

/// A server, how it is started, and what it is asked. It is asked in this order, because some
/// calls see what earlier ones did.
struct Fixture {
    name: &'static str,
    command: Vec<String>,
    /// Environment of the direct server and of the one behind the gateway.
    env: [BTreeMap<&'static str, String>; 2],
    /// Whether it speaks the modern era too, so that the gateway may.
    modern: bool,
    cases: Vec<Case>,
}

impl Fixture {
    fn direct(&self) -> Command {
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]).envs(&self.env[0]);
        command
    }

    fn config(&self) -> Value {
        json!({"command": self.command[0], "args": self.command[1..], "env": self.env[1]})
    }
}

fn everything_cases() -> Vec<Case> {
    let read = |uri: &str| Case { method: "resources/read", params: json!({"uri": uri}) };
    let prompt = |name: &str, arguments: Value| Case {
        method: "prompts/get",
        params: json!({"name": name, "arguments": arguments}),
    };
    vec![
        call("echo", &json!({"message": "hello"})),
        call("echo", &json!({"message": ""})),
        call("echo", &json!({"message": "ä € 😀 \u{2028} \u{7f} \" \\ / \t \r\n \u{1}"})),
        call("echo", &json!({"message": "{\"results\": 1, \"n\": 12345678901234567890123}"})),
        // An error of the server's own making.
        call("echo", &json!({})),
        call("get-sum", &json!({"a": 2, "b": 3})),
        call("get-sum", &json!({"a": 0.1, "b": 0.2})),
        call("get-tiny-image", &json!({})),
        call("get-annotated-message", &json!({"messageType": "error"})),
        call("get-annotated-message", &json!({"messageType": "success", "includeImage": true})),
        call("get-annotated-message", &json!({"messageType": "debug"})),
        call("get-structured-content", &json!({"location": "Chicago"})),
        call("get-structured-content", &json!({"location": "New York"})),
        call("get-resource-links", &json!({"count": 3})),
        call("trigger-long-running-operation", &json!({"duration": 0.1, "steps": 2})),
        read("demo://resource/static/document/startup.md"),
        prompt("simple-prompt", json!({})),
        prompt("args-prompt", json!({"city": "Bonn", "state": "NRW"})),
        Case {
            method: "completion/complete",
            params: json!({
                "ref": {"type": "ref/prompt", "name": "completable-prompt"},
                "argument": {"name": "department", "value": "E"},
            }),
        },
        Case { method: "prompts/list", params: json!({}) },
        Case { method: "resources/list", params: json!({}) },
        Case { method: "resources/templates/list", params: json!({}) },
    ]
}

fn filesystem_cases(folder: &Path) -> anyhow::Result<Vec<Case>> {
    let folder = folder.display().to_string();
    let file = |name: &str| format!("{folder}/{name}");
    fs::write(file("a.txt"), "first\nsecond ä\nthird\n")?;
    fs::write(file("b.json"), "{\"n\": 1.50, \"n2\": 12345678901234567890}\n")?;
    fs::write(file("p.png"), b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")?;
    fs::create_dir(file("sub"))?;
    fs::write(file("sub/c.txt"), "third file")?;
    let edit = json!([{"oldText": "second", "newText": "2nd"}]);
    Ok(vec![
        call("read_text_file", &json!({"path": file("a.txt")})),
        call("read_text_file", &json!({"path": file("a.txt"), "head": 1})),
        call("read_text_file", &json!({"path": file("b.json")})),
        call("read_text_file", &json!({"path": file("not-there.txt")})),
        call("read_media_file", &json!({"path": file("p.png")})),
        call("read_multiple_files", &json!({"paths": [file("a.txt"), file("sub/c.txt")]})),
        call("list_directory", &json!({"path": folder})),
        call("list_directory_with_sizes", &json!({"path": folder, "sortBy": "size"})),
        call("directory_tree", &json!({"path": folder})),
        call("search_files", &json!({"path": folder, "pattern": "**/*.txt"})),
        call("edit_file", &json!({"path": file("a.txt"), "edits": edit, "dryRun": true})),
        call("list_allowed_directories", &json!({})),
    ])
}

fn memory_cases() -> Vec<Case> {
    let entity = |name: &str, seen: &str| json!({"name": name, "entityType": "person", "observations": [seen]});
    let relation = json!({"from": "Ada", "to": "Grace", "relationType": "reads"});
    let more = json!([{"entityName": "Ada", "contents": ["writes notes", "ä"]}]);
    vec![
        call("create_entities", &json!({"entities": [entity("Ada", "a"), entity("Grace", "b")]})),
        call("create_relations", &json!({"relations": [relation]})),
        call("add_observations", &json!({"observations": more})),
        call("add_observations", &json!({"observations": [{"entityName": "?", "contents": []}]})),
        call("read_graph", &json!({})),
        call("search_nodes", &json!({"query": "notes"})),
        call("open_nodes", &json!({"names": ["Grace"]})),
        call("delete_entities", &json!({"entityNames": ["Grace"]})),
        call("read_graph", &json!({})),
    ]
}

fn git(folder: &Path, arguments: &[&str]) -> anyhow::Result<Output> {
    let mut command = Command::new("git");
    command.current_dir(folder).args(["-c", "user.name=Ada", "-c", "user.email=ada@example.com"]);
    command.args(["-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main"]);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    command.env("GIT_AUTHOR_DATE", "2026-01-02T03:04:05Z");
    command.env("GIT_COMMITTER_DATE", "2026-01-02T03:04:05Z");
    let output = command.args(arguments).output().context("git")?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(output)
}

fn git_cases(folder: &Path) -> anyhow::Result<Vec<Case>> {
    git(folder, &["init", "--quiet"])?;
    fs::write(folder.join("a.txt"), "one\ntwo\n")?;
    git(folder, &["add", "."])?;
    git(folder, &["commit", "--quiet", "--message", "First: ä"])?;
    fs::write(folder.join("a.txt"), "one\nzwei\n")?;
    git(folder, &["commit", "--quiet", "--all", "--message", "Second"])?;
    fs::write(folder.join("a.txt"), "one\ndrei\n")?;
    let path = folder.display().to_string();
    let with = |name: &str, value: Value| json!({"repo_path": path, name: value});
    Ok(vec![
        call("git_status", &json!({"repo_path": path})),
        call("git_log", &with("max_count", json!(2))),
        call("git_show", &with("revision", json!("HEAD"))),
        call("git_show", &with("revision", json!("not-there"))),
        call("git_diff", &with("target", json!("HEAD~1"))),
        call("git_diff_unstaged", &json!({"repo_path": path})),
        call("git_diff_staged", &json!({"repo_path": path})),
        call("git_branch", &with("branch_type", json!("local"))),
    ])
}

/// Tool definitions keep their bytes. An output schema may be widened, because what the gateway
/// puts in the place of a large result must conform too.
fn compare_tools(direct: &Client, through: &Client) -> anyhow::Result<()> {
    let list = |client: &Client| -> anyhow::Result<BTreeMap<String, Vec<(String, String)>>> {
        let answer = client.request("tools/list", json!({}))?;
        let result = members(answer.result().context("tools/list")?)?;
        let tools = result.iter().find(|(name, _)| name == "tools").context("no tools")?;
        let tools: Vec<&RawValue> = serde_json::from_str(&tools.1)?;
        let mut named = BTreeMap::new();
        for tool in tools {
            let mut parts = members(tool.get())?;
            parts.retain(|(name, _)| name != "outputSchema");
            let name = parts.iter().find(|(name, _)| name == "name").context("no name")?;
            named.insert(name.1.clone(), parts);
        }
        Ok(named)
    };
    let through = list(through)?;
    for (name, tool) in list(direct)? {
        ensure!(through.get(&name) == Some(&tool), "{name}: {tool:?}\n{:?}", through.get(&name));
    }
    Ok(())
}

fn run(fixtures: &[Fixture], version: &str) -> anyhow::Result<usize> {
    let folder = tempfile::tempdir()?;
    let servers: Map<String, Value> =
        fixtures.iter().map(|fixture| (fixture.name.to_owned(), fixture.config())).collect();
    let gateway = Gateway::start(PROGRAM, &json!({"mcpServers": servers}), folder.path())?;
    let (mut count, mut different) = (0, Vec::new());
    for fixture in fixtures {
        let direct = Client::stdio(&mut fixture.direct(), &Identity::plain(LEGACY))?;
        let through = Client::http(&gateway.server(fixture.name), &Identity::plain(version))?;
        let cases = run_cases(&direct, &through, fixture.modern, &fixture.cases, version);
        // A server may write its definitions otherwise in the other era.
        let tools = compare_tools(&direct, &through).or_else(|error| {
            ensure!(fixture.modern, error);
            let direct = Client::stdio(&mut fixture.direct(), &Identity::plain(MODERN))?;
            compare_tools(&direct, &through)
        });
        match cases.and_then(|compared| tools.map(|()| compared)) {
            Ok(compared) => count += compared,
            Err(error) => different.push(format!("{}: {error:#}", fixture.name)),
        }
    }
    let different = different.join("\n");
    ensure!(different.is_empty(), "{different}\nthe gateway said:\n{}", gateway.log());
    Ok(count)
}

/// A list of resources without the files that the gateway keeps, which stand at its end.
fn without_own_files(message: Message) -> anyhow::Result<Message> {
    let text = message.text();
    let Some(own) = text.find("{\"uri\":\"resultant://files/") else { return Ok(message) };
    let end = own + text[own..].find(']').context("the list has no end")?;
    let start = text[..own].strip_suffix(',').map_or(own, str::len);
    Message::parse([&text[..start], &text[end..]].concat().into_bytes())
}

/// All cases, so that one run shows every difference.
fn run_cases(
    direct: &Client,
    through: &Client,
    modern_server: bool,
    cases: &[Case],
    version: &str,
) -> anyhow::Result<usize> {
    let modern = version == MODERN;
    let sameness = match modern || modern_server {
        true => Sameness::ApartFromEra,
        false => Sameness::Whole,
    };
    let mut different = Vec::new();
    for Case { method, params } in cases {
        let expected = direct.request(method, params.clone())?;
        let got = through.request(method, params.clone()).and_then(without_own_files);
        let compared = got.and_then(|got| {
            compare(&expected, &got, sameness)?;
            check_era(&got, modern)
        });
        if let Err(error) = compared {
            different.push(format!("{method} {params}: {error:#}"));
        }
    }
    ensure!(different.is_empty(), "{} differ:\n{}", different.len(), different.join("\n"));
    Ok(cases.len())
}

fn check_stdio(version: &str) -> anyhow::Result<()> {
    let Some(node) = node_folder()? else { return Ok(()) };
    let Some(python) = find_peer("RESULTANT_TEST_PYTHON_MCP_SERVER_GIT", false)? else {
        return Ok(());
    };
    let folder = tempfile::tempdir()?;
    // Servers resolve links, and some temporary folders are links.
    let root = folder.path().canonicalize()?;
    let (files, repository) = (root.join("files"), root.join("repository"));
    fs::create_dir(&files)?;
    fs::create_dir(&repository)?;
    let none = || [BTreeMap::new(), BTreeMap::new()];
    let memory =
        |name: &str| BTreeMap::from([("MEMORY_FILE_PATH", root.join(name).display().to_string())]);
    let python = python.to_string_lossy().into_owned();
    let path = repository.display().to_string();
    let fixtures = [
        Fixture {
            name: "everything",
            command: node.command("server-everything", &["stdio"]),
            env: none(),
            modern: false,
            cases: everything_cases(),
        },
        Fixture {
            name: "filesystem",
            command: node.command("server-filesystem", &[&files.display().to_string()]),
            env: none(),
            modern: false,
            cases: filesystem_cases(&files)?,
        },
        Fixture {
            name: "memory",
            command: node.command("server-memory", &[]),
            env: [memory("direct.jsonl"), memory("through.jsonl")],
            modern: false,
            cases: memory_cases(),
        },
        Fixture {
            name: "git",
            command: [&python, "-m", "mcp_server_git", "--repository", &path]
                .map(str::to_owned)
                .into(),
            env: none(),
            modern: true,
            cases: git_cases(&repository)?,
        },
    ];
    let count = run(&fixtures, version)?;
    ensure!(count >= 30, "only {count} calls");
    Ok(())
}

#[test]
fn stdio_servers_for_a_legacy_client() -> anyhow::Result<()> {
    check_stdio(LEGACY)
}

#[test]
fn stdio_servers_for_a_modern_client() -> anyhow::Result<()> {
    check_stdio(MODERN)
}

#[test]
fn a_server_over_http() -> anyhow::Result<()> {
    let Some(node) = node_folder()? else { return Ok(()) };
    let server = node.everything_over_http()?;
    let folder = tempfile::tempdir()?;
    let config = json!({"mcpServers": {"everything": {"url": server.url}}});
    let gateway = Gateway::start(PROGRAM, &config, folder.path())?;
    for version in [LEGACY, MODERN] {
        let direct = Client::http(&server.url, &Identity::plain(LEGACY))?;
        let through = Client::http(&gateway.server("everything"), &Identity::plain(version))?;
        run_cases(&direct, &through, false, &everything_cases(), version)
            .and_then(|_| compare_tools(&direct, &through))
            .with_context(|| format!("{version}; the gateway said:\n{}", gateway.log()))?;
    }
    Ok(())
}

/// The comparison itself: what must count as different does.
#[test]
fn differences_are_noticed() -> anyhow::Result<()> {
    let message = |result: &str| {
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#);
        Message::parse(text.into_bytes())
    };
    let direct = message(r#"{"content":[],"structuredContent":{"n":1.50,"m":2}}"#)?;
    let modern = message(
        r#"{"content":[],"resultType":"complete","structuredContent":{"n":1.50,"m":2},"_meta":{"io.modelcontextprotocol/serverInfo":{}}}"#,
    )?;
    compare(&direct, &direct, Sameness::Whole)?;
    compare(&direct, &modern, Sameness::ApartFromEra)?;
    ensure!(compare(&direct, &modern, Sameness::Whole).is_err(), "an addition");
    ensure!(check_era(&modern, false).is_err() && check_era(&direct, true).is_err(), "the era");
    for changed in [
        r#"{"content":[],"structuredContent":{"n":1.5,"m":2}}"#,
        r#"{"content":[],"structuredContent":{"m":2,"n":1.50}}"#,
        r#"{"content":[],"structuredContent":{"n": 1.50,"m":2}}"#,
        r#"{"content":[]}"#,
        r#"{"content":[],"structuredContent":{"n":1.50,"m":2},"_meta":{"x":1}}"#,
    ] {
        let same = compare(&direct, &message(changed)?, Sameness::ApartFromEra);
        ensure!(same.is_err(), "{changed} passed as the same");
    }
    Ok(())
}
