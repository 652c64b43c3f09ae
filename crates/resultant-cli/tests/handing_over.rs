//! Files and the caller on their way into tools, through the real program and a real tool server.

#[path = "support/mcp.rs"]
mod mcp;

use std::{path::Path, process::Command};

use anyhow::{Context as _, ensure};
use mcp::{Client, Gateway, Identity, LEGACY, server_script};
use serde_json::{Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_resultant");

/// The tool server as an entry of a configuration, with settings of ours.
fn file_tools(settings: &Value) -> anyhow::Result<Value> {
    let script = server_script("file_tools.py");
    Ok(json!({"command": "python3", "args": [script], "resultant": settings}))
}

fn gateway(folder: &Path, servers: &[(&str, Value)]) -> anyhow::Result<Gateway> {
    let mut entries = serde_json::Map::new();
    for (name, settings) in servers {
        entries.insert((*name).to_owned(), file_tools(settings)?);
    }
    Gateway::start(PROGRAM, &json!({"mcpServers": entries}), folder)
}

fn has_python() -> anyhow::Result<bool> {
    let found = Command::new("python3").arg("--version").output();
    let is_there = found.is_ok_and(|output| output.status.success());
    ensure!(is_there || std::env::var("CI").as_deref() != Ok("true"), "there is no python3");
    if !is_there {
        println!("skipped: there is no python3");
    }
    Ok(is_there)
}

/// A call's result: whether it is an error, its text, and all of it.
fn call(client: &Client, tool: &str, arguments: &Value) -> anyhow::Result<(bool, String, Value)> {
    let result = client.result("tools/call", json!({"name": tool, "arguments": arguments}))?;
    let text = result["content"][0]["text"].as_str().context("no text")?.to_owned();
    Ok((result["isError"] == true, text, result))
}

#[test]
fn a_long_document_goes_from_one_tool_to_another() -> anyhow::Result<()> {
    if !has_python()? {
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let gateway = gateway(folder.path(), &[("one", json!({})), ("two", json!({}))])?;
    let client = Client::http(&gateway.all(), &Identity::plain(LEGACY))?;
    let line = "a \"quoted\" line, and grün\n";
    let (_, made, _) =
        call(&client, "one_make", &json!({"name": "long.txt", "text": line, "times": 12_000}))?;
    ensure!(made.contains("long.txt") && made.len() < 2000, "{made}");
    let expected: Value = serde_json::from_str::<Value>(&made)?["results"].clone();
    ensure!(expected["size"].as_u64() > Some(300_000), "{made}");
    let (_, taken, _) =
        call(&client, "two_take", &json!({"doc": "resultant://files/long.txt", "n": [1.5]}))?;
    let taken: Value = serde_json::from_str(&taken)?;
    ensure!(taken["doc"] == expected, "{taken} {expected}");
    let (_, taken, _) = call(&client, "two_take", &json!({"raw": "resultant://files/long.txt"}))?;
    let taken: Value = serde_json::from_str(&taken)?;
    ensure!(taken["raw"] == expected, "{taken} {expected}");

    call(&client, "one_make", &json!({"name": "v.json", "text": "{\"n\": [1, {\"x\": null}]}"}))?;
    let (_, taken, _) = call(&client, "two_take", &json!({"value": "resultant://files/v.json"}))?;
    ensure!(serde_json::from_str::<Value>(&taken)?["value"] == json!({"n": [1, {"x": null}]}));

    for (arguments, reason) in [
        (json!({"doc": "resultant://files/lonng.txt"}), "near names: `long.txt`"),
        (json!({"value": "resultant://files/long.txt"}), "no JSON"),
        (json!({"doc": "resultant://files/..%2F..%2Fetc%2Fpasswd"}), "there is no file"),
    ] {
        let (is_error, text, _) = call(&client, "two_take", &arguments)?;
        ensure!(is_error && text.contains(reason), "{arguments}: {text}");
    }
    // Only a whole string is a reference.
    let text = "see resultant://files/long.txt";
    let (_, taken, _) = call(&client, "two_take", &json!({"nested": [{"at": text}]}))?;
    ensure!(taken.contains(text), "{taken}");
    Ok(())
}

#[test]
fn a_server_that_may_not_have_files_gets_none() -> anyhow::Result<()> {
    if !has_python()? {
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let settings = [
        ("open", json!({})),
        ("own", json!({"handover": "same-server"})),
        ("shut", json!({"handover": "deny"})),
    ];
    let gateway = gateway(folder.path(), &settings)?;
    let client = Client::http(&gateway.all(), &Identity::plain(LEGACY))?;
    for server in ["open", "own"] {
        let arguments = json!({"name": format!("{server}.txt"), "text": server});
        call(&client, &format!("{server}_make"), &arguments)?;
    }
    for (server, file, is_allowed) in [
        ("open", "own.txt", true),
        ("own", "own.txt", true),
        ("own", "open.txt", false),
        ("shut", "open.txt", false),
    ] {
        let arguments = json!({"doc": format!("resultant://files/{file}")});
        let (is_error, text, _) = call(&client, &format!("{server}_take"), &arguments)?;
        ensure!(is_error != is_allowed, "{server} {file}: {text}");
        ensure!(is_allowed || text.contains("`handover: allow`"), "{text}");
    }
    let (is_error, text, _) = call(&client, "shut_fetch", &json!({"filename": "open.txt"}))?;
    // The tool was given the name as it is, and no address.
    ensure!(is_error && text.contains("unknown url type: 'open.txt'"), "{text}");
    Ok(())
}

#[test]
fn who_is_calling_is_said_by_the_gateway_where_it_is_told_to() -> anyhow::Result<()> {
    if !has_python()? {
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let settings = [("plain", json!({})), ("told", json!({"inject": {"username": "username"}}))];
    let gateway = gateway(folder.path(), &settings)?;
    let client = Client::http(&gateway.all(), &Identity::plain(LEGACY))?;
    let tools = client.result("tools/list", json!({}))?;
    let schema = |name: &str| {
        let tools = tools["tools"].as_array().cloned().unwrap_or_default();
        let tool = tools.into_iter().find(|tool| tool["name"] == name);
        tool.map(|tool| tool["inputSchema"].clone()).unwrap_or_default()
    };
    ensure!(schema("plain_whoami")["required"] == json!(["username"]));
    let told = schema("told_whoami");
    ensure!(told["properties"] == json!({"greeting": {"type": "string"}}), "{told}");
    ensure!(told.get("required").is_none(), "{told}");
    let forged = json!({"username": "somebody-else", "greeting": "hi"});
    let (_, text, _) = call(&client, "plain_whoami", &forged)?;
    ensure!(serde_json::from_str::<Value>(&text)? == forged, "{text}");
    for arguments in [&forged, &json!({"greeting": "hi"})] {
        let (_, text, _) = call(&client, "told_whoami", arguments)?;
        let seen: Value = serde_json::from_str(&text)?;
        ensure!(seen["greeting"] == "hi" && seen["username"] != "somebody-else", "{text}");
        ensure!(seen["username"].as_str().is_some_and(|name| !name.is_empty()), "{text}");
    }
    Ok(())
}

/// The document's main case: the model names a file, the tool downloads it without any cookie, and
/// the address goes nowhere else.
#[test]
fn a_tool_downloads_the_file_that_the_model_names() -> anyhow::Result<()> {
    if !has_python()? {
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let gateway = gateway(folder.path(), &[("tools", json!({}))])?;
    let client = Client::http(&gateway.all(), &Identity::plain(LEGACY))?;
    let names = ["données ü.txt", "日本語 (1).csv", "plain.txt"];
    let mut expected = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let arguments = json!({"name": name, "text": format!("{name}\n"), "times": 40_000 + at});
        let (_, made, _) = call(&client, "tools_make", &arguments)?;
        expected.push(serde_json::from_str::<Value>(&made)?["results"].clone());
    }
    for (arguments, wanted) in [
        (json!({"filename": names[0]}), &expected[..1]),
        (json!({"file_names": names}), &expected[..]),
        // The same name in the other Unicode form is the same name.
        (json!({"filename": "donne\u{301}es u\u{308}.txt"}), &expected[..1]),
        (json!({"filename": "resultant://files/plain.txt"}), &expected[2..]),
    ] {
        let (is_error, text, whole) = call(&client, "tools_fetch", &arguments)?;
        ensure!(!is_error, "{arguments}: {text}");
        let seen: Value = serde_json::from_str(&text)?;
        ensure!(seen["got"] == json!(wanted), "{arguments}: {text}");
        // The tool repeats its addresses; nobody gets them.
        for place in [text, whole.to_string()] {
            ensure!(!place.contains("token=") && !place.contains("/api/files/"), "{place}");
            ensure!(place.contains("resultant://files/"), "{place}");
        }
    }
    for message in client.take_inbox() {
        let text = message.text();
        ensure!(!text.contains("token=rt"), "{text}");
    }
    let log = gateway.log();
    ensure!(!log.contains("token=rt"), "{log}");
    // What matches nothing goes on as it is, and the note says what is near.
    let (is_error, text, _) = call(&client, "tools_fetch", &json!({"filename": "plane.txt"}))?;
    ensure!(is_error && text.contains("unknown url type: 'plane.txt'"), "{text}");
    Ok(())
}

/// Two users with keys of their own before the same server.
#[test]
fn users_are_who_they_are_and_see_their_own_files_only() -> anyhow::Result<()> {
    if !has_python()? {
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let keys = [("ada", "ada-key-0123456789abcdef0123456789"), ("bob", "bob-key-0123456789abcdef")];
    let written: Vec<Value> = keys
        .iter()
        .map(|(user, key)| {
            let sha256 = resultant::Sha256Digest::of(key.as_bytes()).to_string();
            json!({"user": user, "email": format!("{user}@example.com"), "sha256": sha256})
        })
        .collect();
    let config = json!({
        "mcpServers": {
            "tools": file_tools(&json!({}))?,
            "plain": file_tools(&json!({"inject": {}}))?,
        },
        "resultant": {"auth": {"mode": "token", "keys": written}},
    });
    let gateway = Gateway::start(PROGRAM, &config, folder.path())?;
    let url = gateway.all();
    ensure!(Client::http(&url, &Identity::plain(LEGACY)).is_err(), "nobody is let in");
    let [ada, bob] = keys.map(|(_, key)| Client::http_as(&url, &Identity::plain(LEGACY), key));
    let (ada, bob) = (ada?, bob?);
    let forged = json!({"username": "somebody-else", "greeting": "hi"});
    for (client, email) in [(&ada, "ada@example.com"), (&bob, "bob@example.com")] {
        let (_, text, _) = call(client, "tools_whoami", &forged)?;
        ensure!(serde_json::from_str::<Value>(&text)?["username"] == email, "{text}");
        // Where the configuration says that `username` means somebody else, it is left alone.
        let (_, text, _) = call(client, "plain_whoami", &forged)?;
        ensure!(serde_json::from_str::<Value>(&text)? == forged, "{text}");
        let tools = client.result("tools/list", json!({}))?.to_string();
        ensure!(tools.matches("\"username\"").count() == 2, "one property, once required: {tools}");
    }
    // The same name for both, and a file that only one of them has.
    for (client, text) in [(&ada, "ada's"), (&bob, "bob's")] {
        call(client, "tools_make", &json!({"name": "same.txt", "text": text}))?;
    }
    call(&ada, "tools_make", &json!({"name": "secret.txt", "text": "ada only"}))?;
    let size = |client: &Client, name: &str| -> anyhow::Result<Value> {
        let (_, text, _) = call(client, "tools_fetch", &json!({"filename": name}))?;
        Ok(serde_json::from_str::<Value>(&text)?["got"][0]["sha256"].clone())
    };
    let digest = |text: &str| json!(resultant::Sha256Digest::of(text.as_bytes()).to_string());
    ensure!(size(&ada, "same.txt")? == digest("ada's"));
    ensure!(size(&bob, "same.txt")? == digest("bob's"));
    // Another's file and one that does not exist: the same answer.
    let mut answers = Vec::new();
    for name in ["secret.txt", "absent.txt"] {
        let (is_error, text, _) = call(&bob, "tools_fetch", &json!({"filename": name}))?;
        ensure!(is_error, "{text}");
        let reference = json!({"doc": format!("resultant://files/{name}")});
        let (is_error, refused, _) = call(&bob, "tools_take", &reference)?;
        ensure!(is_error, "{refused}");
        let read = json!({"uri": format!("resultant://files/{name}")});
        let read = bob.request("resources/read", read)?;
        let answer = format!("{text} {refused} {:?}", read.error());
        answers.push(answer.replace(name, "NAME"));
    }
    ensure!(answers[0] == answers[1], "{answers:#?}");
    let listed = bob.result("resources/list", json!({}))?.to_string();
    ensure!(listed.contains("same.txt") && !listed.contains("secret.txt"), "{listed}");
    let listed = ada.result("resources/list", json!({}))?;
    let names: Vec<&str> = listed["resources"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|resource| resource["name"].as_str())
        .collect();
    ensure!(names == ["secret.txt", "same.txt"], "{listed}");
    ensure!(listed["resources"][0]["size"] == 8, "{listed}");
    Ok(())
}
