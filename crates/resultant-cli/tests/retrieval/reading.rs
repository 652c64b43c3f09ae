//! The tools themselves: what they find, what they refuse, and what they are called.

use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use crate::{
    OWN, PROGRAM, api, ask, call, gateway, has_python,
    mcp::{Client, Gateway, Identity, LEGACY, MODERN, server_script},
    names, newest, refusal, server,
};

#[test]
fn a_long_log_is_searched_and_read() -> anyhow::Result<()> {
    if !has_python()? {
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let gateway = gateway(folder.path(), &json!({}))?;
    for version in [LEGACY, MODERN] {
        let client = Client::http(&gateway.server("data"), &Identity::plain(version))?;
        let (is_error, digest) = call(&client, "read_log", &json!({"count": 30_000}))?;
        ensure!(!is_error && digest.len() <= 8192, "{digest}");
        let digest: Value = serde_json::from_str(&digest)?;
        ensure!(digest["complete"] == false, "{digest}");
        let file = newest(&client)?;
        ensure!(digest.to_string().contains(&file), "{digest} {file}");

        let found = ask(&client, "files_search", &json!({"pattern": " 503$", "file": file}))?;
        ensure!(found["count"] == 30_000 / 97, "{found}");
        let found = ask(&client, "files_search", &json!({"pattern": "code=[a-z]+-[0-9]+"}))?;
        ensure!(found["count"] == 1, "{found}");
        ensure!(found.to_string().contains("heron-7141"), "{found}");
        let line = found["matches"][0]["line"].as_u64().context("no line")?;
        ensure!(line == 20_000, "{found}");

        let page = json!({"file": format!("resultant://files/{file}"), "from": line, "count": 2});
        let page = ask(&client, "files_read", &page)?;
        ensure!(page["file"] == *file && page["from"] == 20_000 && page["to"] == 20_001, "{page}");
        ensure!(page["of"] == 30_000, "{page}");
        let text = page["text"].as_str().context("no text")?;
        ensure!(text.lines().count() == 2 && text.contains("/item/20000 200 code="), "{page}");
        ensure!(page["next"]["from"] == 20_002, "{page}");
        // Whatever is asked for, a page is a page.
        let whole = json!({"file": file, "from": -3, "count": 1_000_000_000});
        let page = ask(&client, "files_read", &whole)?;
        ensure!(page["from"] == 1 && page["next"]["from"].as_u64() > Some(10), "{page}");
        let end = ask(&client, "files_read", &json!({"file": file, "from": 30_000}))?;
        ensure!(end.get("next").is_none() && end["to"] == 30_000, "{end}");
        let bytes = json!({"file": file, "by": "bytes", "from": 0, "count": 10});
        ensure!(ask(&client, "files_read", &bytes)?["text"] == "2026-05-01");
    }
    Ok(())
}

#[test]
fn rows_and_graphs_are_asked() -> anyhow::Result<()> {
    if !has_python()? {
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let gateway = gateway(folder.path(), &json!({}))?;
    let client = Client::http(&gateway.all(), &Identity::plain(LEGACY))?;
    call(&client, "data_read_rows", &json!({"count": 5000}))?;
    let rows = newest(&client)?;
    let sql = "SELECT status, sum(total) AS s FROM t GROUP BY status ORDER BY status";
    let answer = ask(&client, "files_query", &json!({"file": rows, "sql": sql}))?;
    let sum = |rest: u64| (1..=5000_u64).filter(|n| n % 3 == rest).map(|n| n * 2).sum::<u64>();
    let expected = json!([["open", sum(0)], ["paid", sum(1)], ["void", sum(2)]]);
    ensure!(answer["rows"] == expected, "{answer}");
    let filter = "map(select(.status == \"paid\")) | length";
    let answer = ask(&client, "files_query", &json!({"file": rows, "jq": filter}))?;
    ensure!(answer["results"] == json!([1667]), "{answer}");

    call(&client, "data_read_graph", &json!({"count": 1500}))?;
    let graph = newest(&client)?;
    ensure!(graph != rows, "{graph}");
    let filter = ".entities[] | select(.name == \"entity-1234\") | .observations[1]";
    let answer = ask(&client, "files_query", &json!({"file": graph, "jq": filter}))?;
    ensure!(answer["results"] == json!([format!("colour {}", 1234 * 31 % 7)]), "{answer}");
    // Its lines carry their paths.
    let found = ask(&client, "files_search", &json!({"pattern": "entity-1234", "file": graph}))?;
    ensure!(found["count"] == 1 && found.to_string().contains(".entities[1234].name"), "{found}");
    let items = json!({"file": graph, "by": "items", "path": ".entities", "from": 10, "count": 2});
    let items = ask(&client, "files_read", &items)?;
    ensure!(items["items"][0]["name"] == "entity-9" && items["of"] == 1500, "{items}");

    for (arguments, hint) in [
        (json!({"file": rows, "sql": "DELETE FROM t"}), "error"),
        (json!({"file": rows, "sql": "SELECT nothing FROM t"}), "nothing"),
        (json!({"file": graph, "jq": ".entities["}), "error"),
    ] {
        let refused = refusal(&client, "files_query", &arguments)?;
        ensure!(refused.to_string().contains(hint), "{arguments}: {refused}");
    }
    let pattern = json!({"pattern": "(", "file": rows});
    refusal(&client, "files_search", &pattern)?;
    Ok(())
}

#[test]
fn a_question_without_end_is_ended() -> anyhow::Result<()> {
    if !has_python()? {
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let limits = json!({"limits": {"query_seconds": 2, "queries_at_once_max": 2}});
    let gateway = gateway(folder.path(), &limits)?;
    let client = Client::http(&gateway.all(), &Identity::plain(LEGACY))?;
    call(&client, "data_read_rows", &json!({"count": 2000}))?;
    let rows = newest(&client)?;
    let endless = json!({"file": rows, "jq": "def f: f; f"});
    let wide = "SELECT count(*) FROM t a, t b, t c, t d";
    for arguments in [endless, json!({"file": rows, "sql": wide})] {
        let refused = refusal(&client, "files_query", &arguments)?;
        ensure!(refused["error"].is_string(), "{refused}");
    }
    // The others are as they were.
    ensure!(ask(&client, "files_query", &json!({"file": rows, "jq": "length"}))?["count"] == 1);
    Ok(())
}

#[test]
fn what_is_not_there_is_told_with_what_is_near() -> anyhow::Result<()> {
    if !has_python()? {
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let keys = [("ada", "ada-key-0123456789abcdef0123456789"), ("bob", "bob-key-0123456789abcdef")];
    let written: Vec<Value> = keys
        .iter()
        .map(|(user, key)| {
            let sha256 = resultant::Sha256Digest::of(key.as_bytes()).to_string();
            json!({"user": user, "sha256": sha256})
        })
        .collect();
    let settings = json!({"auth": {"mode": "token", "keys": written}});
    let gateway = gateway(folder.path(), &settings)?;
    let as_user = |key: &str| Client::http_as(&gateway.all(), &Identity::plain(LEGACY), key);
    let (ada, bob) = (as_user(keys[0].1)?, as_user(keys[1].1)?);
    call(&ada, "data_read_log", &json!({"count": 5000}))?;
    let file = newest(&ada)?;
    let listed = ask(&bob, "files_list", &json!({}))?;
    ensure!(listed == json!({"of": 0, "files": []}), "{listed}");

    // Another's file and one that nobody has: the same answer, by name and by key.
    let resources = ada.result("resources/list", json!({}))?;
    let uri = resources["resources"][0]["uri"].as_str().context("no uri")?.to_owned();
    let ask_bob = |file: &str| -> anyhow::Result<String> {
        let mut answers = String::new();
        for (tool, more) in [
            ("files_read", json!({})),
            ("files_search", json!({"pattern": "."})),
            ("files_query", json!({"jq": "."})),
        ] {
            let mut arguments = more;
            arguments["file"] = json!(file);
            answers.push_str(&refusal(&bob, tool, &arguments)?.to_string());
        }
        Ok(answers.replace(file.trim_start_matches("resultant://files/"), "NAME"))
    };
    let absent = ask_bob("absent.txt")?;
    ensure!(ask_bob(&file)? == absent, "{absent}");
    ensure!(ask_bob(&uri)? == absent, "{absent}");
    let nothing = refusal(&bob, "files_search", &json!({"pattern": "code"}))?;
    ensure!(nothing.to_string().contains("no files to search"), "{nothing}");

    let slip = file.replace("output", "outptu");
    let refused = refusal(&ada, "files_read", &json!({"file": slip}))?;
    ensure!(refused["near"] == json!([file]), "{refused}");
    ensure!(refused["hint"].as_str().is_some_and(|hint| hint.contains("files_list")), "{refused}");
    for (tool, arguments, hint) in [
        ("files_read", json!({"file": file, "limit": 5}), "it takes file"),
        ("files_read", json!({"file": format!("resultant://files/{file}?lines=1-2")}), "other arg"),
        ("files_read", json!({"file": "../../etc/passwd"}), "there is no file"),
        ("files_read", json!({"file": "/etc/passwd"}), "there is no file"),
        ("files_query", json!({"file": file}), "either `jq` or `sql`"),
    ] {
        let refused = refusal(&ada, tool, &arguments)?;
        ensure!(refused.to_string().contains(hint), "{arguments}: {refused}");
    }
    Ok(())
}

#[test]
fn a_deleted_file_is_gone() -> anyhow::Result<()> {
    if !has_python()? {
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let gateway = gateway(folder.path(), &json!({}))?;
    let session = api(&gateway, "POST /api/sessions", &json!({}))?["id"].clone();
    let session = session.as_str().context("no session")?;
    let calls = format!("POST /api/sessions/{session}/calls");
    let log = json!({"server": "data", "tool": "read_log", "arguments": {"count": 5000}});
    let called = api(&gateway, &calls, &log)?;
    let key = called["files"][0]["key"].as_str().with_context(|| called.to_string())?.to_owned();
    let read = json!({"server": "resultant", "tool": "files_read", "arguments": {"file": key}});
    let page = api(&gateway, &calls, &read)?;
    ensure!(page["contract"]["results"]["of"] == 5000, "{page}");
    ensure!(page["is_error"] == false, "{page}");
    api(&gateway, &format!("DELETE /api/files/{key}"), &Value::Null)?;
    let gone = api(&gateway, &calls, &read)?;
    ensure!(gone["is_error"] == true && gone.to_string().contains("there is no file"), "{gone}");
    Ok(())
}

#[test]
fn a_servers_tool_keeps_its_name() -> anyhow::Result<()> {
    if !has_python()? {
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let mut bare = server(&["files_read"]);
    bare["resultant"] = json!({"prefix": ""});
    let config = json!({"mcpServers": {"bare": bare, "data": server(&[])}});
    let gateway = Gateway::start(PROGRAM, &config, folder.path())?;
    for (url, is_taken) in
        [(gateway.all(), true), (gateway.server("bare"), true), (gateway.server("data"), false)]
    {
        let client = Client::http(&url, &Identity::plain(LEGACY))?;
        let names = names(&client)?;
        let ours = OWN.map(|name| match is_taken {
            true => format!("resultant_{name}"),
            false => name.to_owned(),
        });
        ensure!(names.ends_with(&ours), "{url}: {names:?}");
        let log = if is_taken { "read_log" } else { "data_read_log" };
        let log = if names.contains(&log.to_owned()) { log } else { "read_log" };
        let (_, digest) = call(&client, log, &json!({"count": 5000}))?;
        let next: Value = serde_json::from_str(&digest)?;
        if let Some(tool) = next["next"]["tool"].as_str() {
            ensure!(ours.contains(&tool.to_owned()), "{digest}");
        }
        let list = ask(&client, &ours[0], &json!({}))?;
        let file = &list["files"][0]["name"];
        let page = ask(&client, &ours[1], &json!({"file": file, "count": 1}))?;
        ensure!(page["from"] == 1, "{page}");
        if is_taken {
            let (_, text) = call(&client, "files_read", &json!({}))?;
            ensure!(text == "files_read of the server", "{text}");
            let unknown = client.call("files_list", &json!({}))?;
            ensure!(!unknown.text().contains("\\\"files\\\""), "{}", unknown.text());
        }
    }
    Ok(())
}

#[test]
fn they_can_be_switched_off() -> anyhow::Result<()> {
    if !has_python()? {
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let gateway = gateway(folder.path(), &json!({"retrieval": false}))?;
    let client = Client::http(&gateway.all(), &Identity::plain(LEGACY))?;
    let names = names(&client)?;
    ensure!(!names.iter().any(|name| name.contains("files_")), "{names:?}");
    let unknown = client.call("files_list", &json!({}))?;
    ensure!(unknown.text().contains("unknown tool"), "{}", unknown.text());
    let (_, digest) = call(&client, "data_read_log", &json!({"count": 5000}))?;
    ensure!(!digest.contains("files_"), "{digest}");
    Ok(())
}

#[test]
fn a_proxy_has_them_too() -> anyhow::Result<()> {
    if !has_python()? {
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let mut proxy = Command::new(PROGRAM);
    proxy.arg("proxy").arg("--data").arg(folder.path().join("data")).arg("--");
    proxy.arg("python3").arg(server_script("large_results.py")).stderr(Stdio::null());
    let client = Client::stdio(&mut proxy, &Identity::plain(LEGACY))?;
    ensure!(names(&client)?.ends_with(&OWN.map(str::to_owned)));
    call(&client, "read_log", &json!({"count": 5000}))?;
    let found = ask(&client, "files_search", &json!({"pattern": "code=", "context": 1}))?;
    ensure!(found["count"] == 1 && found.to_string().contains("/item/3334"), "{found}");
    Ok(())
}

#[test]
fn the_command_line_reaches_them() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let run = |arguments: &[&str]| -> anyhow::Result<(Option<i32>, String, String)> {
        let mut command = Command::new(PROGRAM);
        command.args(arguments).arg("--demo").arg("--data").arg(folder.path());
        let output = command.stdin(Stdio::null()).output()?;
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Ok((output.status.code(), text(output.stdout), text(output.stderr)))
    };
    let (code, tools, said) = run(&["tools", "--json"])?;
    ensure!(code == Some(0), "{said}");
    let tools: Value = serde_json::from_str(&tools)?;
    let own = &tools["servers"][1];
    ensure!(own["name"] == "resultant", "{own}");
    ensure!(own["tools"][1]["call"] == "resultant.files_read", "{own}");

    let (code, digest, said) = run(&["call", "demo.web_log", "--to", "model"])?;
    ensure!(code == Some(0) && digest.contains("complete"), "{digest} {said}");
    let name = said.split("file ").nth(1).and_then(|rest| rest.split(" (").next());
    let name = name.with_context(|| said.clone())?;
    let file = format!("file={name}");
    let (code, page, said) =
        run(&["call", "resultant.files_read", &file, "from=5", "count=3", "--to", "contract"])?;
    ensure!(code == Some(0), "{said}");
    let page: Value = serde_json::from_str(&page)?;
    ensure!(page["results"]["from"] == 5 && page["results"]["to"] == 7, "{page}");
    let (code, refused, said) = run(&["call", "resultant.files_read", "file=absent"])?;
    ensure!(code == Some(1) && refused.contains("there is no file"), "{refused} {said}");
    let (code, _, said) = run(&["call", "resultant.files_raed", "file=absent"])?;
    ensure!(code == Some(2) && said.contains("did you mean `files_read`"), "{said}");
    let (code, own, said) = run(&["tools", "resultant"])?;
    ensure!(code == Some(0) && own.contains("  resultant.files_query  "), "{own} {said}");
    ensure!(!own.contains("demo."), "{own}");
    Ok(())
}
