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

/// A tool may put an address into a file, where it is not taken out; then it opens nothing.
#[test]
fn an_address_that_a_tool_hides_in_a_file_opens_nothing() -> anyhow::Result<()> {
    if !has_python()? {
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let gateway = gateway(folder.path(), &[("tools", json!({}))])?;
    let client = Client::http(&gateway.all(), &Identity::plain(LEGACY))?;
    for times in [1, 40_000] {
        let arguments = json!({"name": "secret.txt", "text": "mine\n", "times": times});
        call(&client, "tools_make", &arguments)?;
        let (is_error, text, _) = call(&client, "tools_hide", &json!({"filename": "secret.txt"}))?;
        ensure!(!is_error, "{text}");
        let note = client.result("resources/read", json!({"uri": "resultant://files/note.txt"}))?;
        let note = note["contents"][0]["text"].as_str().context("a text")?;
        let url = note.strip_prefix("see ").context("an address")?;
        ensure!(url.contains("token="), "the file is what the tool returned: {note}");
        let answer = Command::new("python3")
            .args(["-c", "import sys,urllib.request as r; r.urlopen(sys.argv[1])", url])
            .output()?;
        let said = String::from_utf8_lossy(&answer.stderr);
        ensure!(!answer.status.success() && said.contains("404"), "{said}");
    }
    Ok(())
}

/// Whatever a result points at, the gateway does not go there.
#[test]
fn what_a_result_points_at_is_never_fetched() -> anyhow::Result<()> {
    if !has_python()? {
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let canary = std::net::TcpListener::bind("127.0.0.1:0")?;
    let port = canary.local_addr()?.port();
    let secret = folder.path().join("secret.txt");
    std::fs::write(&secret, "the canary sings")?;
    let gateway = gateway(folder.path(), &[("tools", json!({}))])?;
    let uris = json!([
        format!("http://127.0.0.1:{port}/x"),
        format!("http://localhost:{port}/redirect"),
        format!("http://2130706433:{port}/x"),
        format!("http://0x7f000001:{port}/x"),
        format!("http://[::ffff:127.0.0.1]:{port}/x"),
        format!("gopher://127.0.0.1:{port}/x"),
        format!("file://{}", secret.display()),
        format!("{}/metrics", gateway.url),
    ]);
    let local = std::fs::read_to_string(folder.path().join("data/secret"))?;
    let seen_before = gateway.log();
    for version in [LEGACY, mcp::MODERN] {
        for url in [gateway.all(), gateway.server("tools")] {
            let client = Client::http(&url, &Identity::plain(version))?;
            let tool = if url.ends_with("/mcp") { "tools_point" } else { "point" };
            let (_, _, whole) = call(&client, tool, &json!({"uris": uris}))?;
            ensure!(!whole.to_string().contains("canary sings"), "{whole}");
            for uri in uris.as_array().into_iter().flatten() {
                let read = client.request("resources/read", json!({"uri": uri}))?;
                ensure!(!read.text().contains("canary sings"), "{uri}: {}", read.text());
            }
        }
    }
    // The same over the API, seen by every audience.
    let body = json!({"tool": "tools_point", "arguments": {"uris": uris}});
    let script = "import sys,json,urllib.request as r\n\
        base,key,body=sys.argv[1:]\n\
        head={'Authorization':'Bearer '+key,'Content-Type':'application/json'}\n\
        ask=lambda path,data=None: r.urlopen(r.Request(base+path,data,head)).read()\n\
        made=ask('/api/sessions/default/calls',body.encode())\n\
        print(made,ask('/api/calls/'+json.loads(made)['id']+'/renderings'))";
    let seen = Command::new("python3")
        .args(["-c", script, &gateway.url, local.trim(), &body.to_string()])
        .output()?;
    ensure!(seen.status.success(), "{}", String::from_utf8_lossy(&seen.stderr));
    ensure!(!String::from_utf8_lossy(&seen.stdout).contains("canary sings"));
    ensure!(seen_before.len() <= gateway.log().len());
    canary.set_nonblocking(true)?;
    let visitor = canary.accept();
    ensure!(visitor.is_err(), "somebody followed an address: {visitor:?}");
    Ok(())
}

/// What a server says when it dies may be about one user, and is for the log alone where there are
/// several.
#[test]
fn the_last_words_of_a_shared_server_reach_no_user() -> anyhow::Result<()> {
    if !has_python()? {
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let keys = [("ada", "ada-key-0123456789abcdef0123456789"), ("bob", "bob-key-0123456789abcdef")];
    let written = keys.map(|(user, key)| {
        json!({"user": user, "sha256": resultant::Sha256Digest::of(key.as_bytes()).to_string()})
    });
    let config = json!({
        "mcpServers": {"tools": file_tools(&json!({"inject": {}}))?},
        "resultant": {"auth": {"mode": "token", "keys": written}},
    });
    let gateway = Gateway::start(PROGRAM, &config, folder.path())?;
    let [ada, bob] =
        keys.map(|(_, key)| Client::http_as(&gateway.all(), &Identity::plain(LEGACY), key));
    let (ada, bob) = (ada?, bob?);
    let marker = folder.path().join("dying");
    let words = "the password of ada is swordfish";
    let texts = std::thread::scope(|scope| {
        let arguments = json!({"words": words, "marker": marker});
        let dying = scope.spawn(move || call(&ada, "tools_die", &arguments));
        let end = std::time::Instant::now() + mcp::PATIENCE;
        while !marker.exists() && std::time::Instant::now() < end {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        let waited = call(&bob, "tools_whoami", &json!({"greeting": "hi"}));
        let died = dying.join().map_err(|_| anyhow::anyhow!("the call panicked"))?;
        anyhow::Ok([waited?, died?])
    })?;
    for (is_error, text, whole) in texts {
        ensure!(is_error, "{text}");
        ensure!(!whole.to_string().contains("swordfish"), "{whole}");
    }
    ensure!(gateway.log().contains("swordfish"), "who runs the gateway can read it");
    Ok(())
}
