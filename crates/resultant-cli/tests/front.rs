//! What clients meet at the gateway's front: endpoints, names, routes, files and refusals.
//!
//! The real program stands in front of two demo servers that have everything in common but their
//! names.

#[path = "support/mcp.rs"]
mod mcp;

use std::{
    collections::BTreeSet,
    fs,
    io::{Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context as _, ensure};
use mcp::{Client, Gateway, Identity, LEGACY, MODERN};
use serde_json::{Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_resultant");

fn demo() -> Value {
    json!({"command": PROGRAM, "args": ["demo-server"]})
}

fn two_demos(folder: &Path) -> anyhow::Result<Gateway> {
    Gateway::start(PROGRAM, &json!({"mcpServers": {"one": demo(), "two": demo()}}), folder)
}

fn names(list: &Value, key: &str, member: &str) -> Vec<String> {
    let items = list[key].as_array().cloned().unwrap_or_default();
    items.iter().filter_map(|item| item[member].as_str().map(str::to_owned)).collect()
}

/// One request on a connection of its own: the status, the head and the body.
fn exchange(gateway: &Gateway, request: &str) -> anyhow::Result<(u16, String, Vec<u8>)> {
    let address = gateway.url.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    stream.write_all(request.replace("ADDRESS", address).as_bytes())?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let end = answer.windows(4).position(|part| part == b"\r\n\r\n").context("no head")?;
    let head = String::from_utf8(answer[..end].to_vec())?;
    let status = head.split(' ').nth(1).context("no status")?.parse()?;
    Ok((status, head.to_ascii_lowercase(), answer[end + 4..].to_vec()))
}

fn get(gateway: &Gateway, path: &str, headers: &str) -> anyhow::Result<(u16, String, Vec<u8>)> {
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: ADDRESS\r\n{headers}Connection: close\r\n\r\n");
    exchange(gateway, &request)
}

fn post(gateway: &Gateway, headers: &str, body: &str) -> anyhow::Result<(u16, String, Vec<u8>)> {
    let length = body.len();
    let request = format!(
        "POST /mcp HTTP/1.1\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
    exchange(gateway, &request)
}

#[test]
fn tools_of_all_servers_have_prefixes_and_reach_their_server() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let gateway = two_demos(folder.path())?;
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", LEGACY, MODERN] {
        let client = Client::http(&gateway.all(), &Identity::plain(version))?;
        let listed = names(&client.result("tools/list", json!({}))?, "tools", "name");
        let again = names(&client.result("tools/list", json!({}))?, "tools", "name");
        ensure!(listed == again, "the order is stable");
        let unique: BTreeSet<&String> = listed.iter().collect();
        ensure!(unique.len() == listed.len(), "{version}: every name once");
        let of = |prefix: &str| listed.iter().filter(|name| name.starts_with(prefix)).count();
        ensure!(of("one_") > 20 && of("one_") == of("two_"), "{version}: {listed:?}");
        for name in ["one_echo", "two_echo"] {
            let answer = client.call(name, &json!({"message": name}))?;
            ensure!(answer.text().contains(name), "{version}: {}", answer.text());
        }
        let unknown = client.call("three_echo", &json!({}))?;
        ensure!(unknown.text().contains("-32602"), "{version}: {}", unknown.text());
    }
    Ok(())
}

#[test]
fn one_server_keeps_its_names_and_speaks_for_itself() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let gateway = two_demos(folder.path())?;
    let client = Client::http(&gateway.server("two"), &Identity::plain(LEGACY))?;
    let all = Client::http(&gateway.all(), &Identity::plain(LEGACY))?;
    ensure!(client.server["serverInfo"]["name"] != all.server["serverInfo"]["name"]);
    let listed = names(&client.result("tools/list", json!({}))?, "tools", "name");
    ensure!(listed.contains(&"echo".to_owned()), "{listed:?}");
    let (status, _, body) = post(
        &gateway,
        "Host: ADDRESS\r\nContent-Type: application/json\r\nMcp-Session-Id: none\r\n",
        r#"{"jsonrpc":"2.0","id":7,"method":"tools/list"}"#,
    )?;
    ensure!(status == 404, "an unknown session: {status}");
    ensure!(String::from_utf8_lossy(&body).contains("\"id\":7"));
    Ok(())
}

#[test]
fn a_uri_changes_only_where_both_servers_have_it() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let gateway = two_demos(folder.path())?;
    for version in [LEGACY, MODERN] {
        let one = Client::http(&gateway.server("one"), &Identity::plain(version))?;
        let all = Client::http(&gateway.all(), &Identity::plain(version))?;
        let own = names(&one.result("resources/list", json!({}))?, "resources", "uri");
        let both = names(&all.result("resources/list", json!({}))?, "resources", "uri");
        ensure!(!own.is_empty() && both.len() == 2 * own.len(), "{both:?}");
        ensure!(both[..own.len()] == own[..], "the first server's stay: {both:?}");
        for (uri, changed) in own.iter().zip(&both[own.len()..]) {
            ensure!(changed.contains("://two/"), "{changed}");
            let first = all.result("resources/read", json!({"uri": uri}))?;
            let second = all.result("resources/read", json!({"uri": changed}))?;
            let (first, second) = (&first["contents"][0], &second["contents"][0]);
            ensure!(first["uri"] == **uri && second["uri"] == **changed, "{changed}");
            for member in ["text", "blob", "mimeType"] {
                ensure!(first[member] == second[member], "{member} of {changed}");
            }
        }
        let missing = all.request("resources/read", json!({"uri": "nobody://has/this"}))?;
        let code = if version == MODERN { "-32602" } else { "-32002" };
        ensure!(missing.text().contains(code), "{}", missing.text());
    }
    Ok(())
}

#[test]
fn prompts_and_completions_reach_their_server() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let gateway = two_demos(folder.path())?;
    let one = Client::http(&gateway.server("one"), &Identity::plain(LEGACY))?;
    let all = Client::http(&gateway.all(), &Identity::plain(LEGACY))?;
    let prompts = one.result("prompts/list", json!({}))?;
    let own = names(&prompts, "prompts", "name");
    let both = names(&all.result("prompts/list", json!({}))?, "prompts", "name");
    let expected: Vec<String> =
        ["one", "two"].iter().flat_map(|of| own.iter().map(move |n| format!("{of}_{n}"))).collect();
    ensure!(both == expected, "{both:?}");
    let argument = prompts["prompts"][0]["arguments"][0]["name"].clone();
    let complete = |client: &Client, name: &str| {
        let reference = json!({"type": "ref/prompt", "name": name});
        let argument = json!({"name": argument, "value": ""});
        client.result("completion/complete", json!({"ref": reference, "argument": argument}))
    };
    let direct = complete(&one, &own[0])?;
    ensure!(direct == complete(&all, &both[own.len()])?, "{direct}");
    Ok(())
}

#[test]
fn files_can_be_read_again_whole_and_in_parts() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let gateway = two_demos(folder.path())?;
    let client = Client::http(&gateway.server("one"), &Identity::plain(MODERN))?;
    let answer = client.call("sales_report", &json!({}))?;
    let result: Value = serde_json::from_str(answer.result().context("no result")?)?;
    let files = result["structuredContent"]["artifacts"].as_array().context("no files")?.clone();
    ensure!(!answer.text().contains("b64"), "no bytes in the result");
    let csv = files.iter().find(|file| file["name"] == "sales.csv").context("no table")?;
    let size = csv["size"].as_u64().context("no size")?;
    let read = |uri: &str| client.result("resources/read", json!({"uri": uri}));
    let whole = read("resultant://files/sales.csv")?;
    let text = whole["contents"][0]["text"].as_str().context("no text")?;
    ensure!(text.len() as u64 == size, "{} of {size}", text.len());
    let part = read("resultant://files/sales.csv?offset=10&length=20")?;
    ensure!(part["contents"][0]["text"] == text[10..30], "{part}");
    ensure!(part["contents"][0]["_meta"]["resultant/complete"] == false, "{part}");
    ensure!(read("resultant://files/none.csv").is_err());

    let list = client.result("resources/list", json!({}))?;
    let listed = list["resources"].as_array().into_iter().flatten();
    let listed = listed.filter(|resource| resource["uri"] == "resultant://files/sales.csv");
    let listed = listed.collect::<Vec<_>>();
    ensure!(listed.len() == 1 && listed[0]["size"] == size, "{list}");
    ensure!(listed[0]["_meta"]["resultant/sha256"] == csv["sha256"], "{list}");

    let secret = fs::read_to_string(folder.path().join("data/secret"))?;
    let owner = format!("Authorization: Bearer {}\r\n", secret.trim());
    let (_, _, kept) = get(&gateway, "/api/files", &owner)?;
    let kept: Value = serde_json::from_slice(&kept)?;
    let kept = kept["items"].as_array().context("no list")?;
    let kept = kept.iter().find(|file| file["name"] == "sales.csv").context("not kept")?;
    let key = kept["key"].as_str().context("no key")?;
    let path = format!("/api/files/download/{key}");
    let (status, ..) = get(&gateway, &path, "")?;
    ensure!(status == 404, "{status} for a stranger");
    let range = |range: &str| format!("{owner}Range: bytes={range}\r\n");
    let (status, head, body) = get(&gateway, &path, &range("10-29"))?;
    ensure!(status == 206 && body == text.as_bytes()[10..30], "{status} {head}");
    ensure!(head.contains("content-security-policy: sandbox"), "{head}");
    ensure!(head.contains("attachment"), "{head}");
    let (status, ..) = get(&gateway, &path, &range("999999999-"))?;
    ensure!(status == 416, "{status}");
    let (status, ..) = get(&gateway, "/api/files/download/0123", &owner)?;
    ensure!(status == 404, "{status}");
    Ok(())
}

#[test]
fn the_state_of_the_gateway_can_be_asked_for() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let gateway = two_demos(folder.path())?;
    let client = Client::http(&gateway.all(), &Identity::plain(LEGACY))?;
    client.call("one_echo", &json!({}))?;
    client.call("one_fail", &json!({}))?;
    let (status, ..) = get(&gateway, "/healthz", "")?;
    ensure!(status == 200);
    let (status, _, body) = get(&gateway, "/readyz", "")?;
    let ready: Value = serde_json::from_slice(&body)?;
    ensure!(status == 200 && ready["servers"]["two"]["state"] == "ready", "{ready}");
    let (status, head, body) = get(&gateway, "/metrics", "")?;
    let metrics = String::from_utf8(body)?;
    ensure!(status == 200 && head.contains("application/openmetrics-text"), "{head}");
    ensure!(metrics.ends_with("# EOF\n"), "{metrics}");
    for line in [
        r#"resultant_calls_total{server="one",outcome="ok"} 1"#,
        r#"resultant_calls_total{server="one",outcome="error"} 1"#,
        r#"resultant_server_ready{server="two"} 1"#,
        r#"resultant_step_seconds_count{server="one",step="call"} 2"#,
        r#"resultant_step_seconds_count{server="one",step="write"} 2"#,
    ] {
        ensure!(metrics.lines().any(|found| found == line), "{line} in\n{metrics}");
    }
    Ok(())
}

#[test]
fn a_server_that_hangs_holds_up_no_list_and_one_that_fails_is_tried_less_often()
-> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let config = json!({"mcpServers": {
        "one": demo(),
        "silent": {"command": "sleep", "args": ["600"], "resultant": {"timeouts": {"connect_seconds": 30}}},
        "missing": {"command": "/nonexistent/server"},
    }});
    let gateway = Gateway::start(PROGRAM, &config, folder.path())?;
    let client = Client::http(&gateway.all(), &Identity::plain(LEGACY))?;
    for _ in 0..10 {
        let tools = names(&client.result("tools/list", json!({}))?, "tools", "name");
        ensure!(tools.contains(&"one_echo".to_owned()), "{tools:?}");
        for (method, key) in [("resources/list", "resources"), ("prompts/list", "prompts")] {
            let listed = client.result(method, json!({}))?;
            ensure!(listed[key].as_array().is_some_and(|items| !items.is_empty()), "{listed}");
        }
    }
    // All of these lists were there before the silent server was given up.
    let servers = || -> anyhow::Result<Value> {
        let (_, _, body) = get(&gateway, "/readyz", "")?;
        Ok(serde_json::from_slice::<Value>(&body)?["servers"].clone())
    };
    let seen = servers()?;
    ensure!(seen["silent"]["state"] == "connecting", "{seen}");
    let limit = Instant::now() + Duration::from_secs(60);
    while servers()?["missing"]["tries"].as_u64() < Some(3) {
        ensure!(Instant::now() < limit, "its tries are not counted: {}", servers()?);
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

#[test]
fn a_client_that_takes_envelopes_is_told_no_schema_that_they_break() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let gateway = two_demos(folder.path())?;
    for version in ["2025-06-18", LEGACY, MODERN] {
        for (url, prefix) in [(gateway.all(), "one_"), (gateway.server("one"), "")] {
            let plain = Client::http(&url, &Identity::plain(version))?;
            let has_schema = |list: &Value| -> bool {
                let tools = list["tools"].as_array().cloned().unwrap_or_default();
                tools.iter().any(|tool| tool.get("outputSchema").is_some())
            };
            ensure!(has_schema(&plain.result("tools/list", json!({}))?), "{version} {url}");
            let mut identity = Identity::plain(version);
            identity.capabilities = json!({"experimental": {"response_contract_v2": {}}});
            let client = Client::http(&url, &identity)?;
            ensure!(!has_schema(&client.result("tools/list", json!({}))?), "{version} {url}");
            let params = json!({"name": format!("{prefix}echo"), "arguments": {"message": "hi"}});
            let called = client.result("tools/call", params)?;
            let text = called["content"][0]["text"].as_str().unwrap_or_default();
            let envelope: Value = serde_json::from_str(text)?;
            ensure!(envelope["meta"]["version"] == "response-v2", "{envelope}");
        }
    }
    Ok(())
}

#[test]
fn a_read_without_a_uri_reaches_no_server() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let gateway = two_demos(folder.path())?;
    for url in [gateway.all(), gateway.server("one")] {
        let client = Client::http(&url, &Identity::plain(LEGACY))?;
        let answer = client.request("resources/read", json!({}))?;
        let answer: Value = serde_json::from_str(answer.text())?;
        ensure!(answer["error"]["code"] == -32602, "{answer}");
        ensure!(answer["error"]["message"] == "the URI of a resource is missing", "{answer}");
    }
    Ok(())
}

#[test]
fn a_session_that_ends_takes_its_stream_with_it() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let gateway = two_demos(folder.path())?;
    let json = "Host: ADDRESS\r\nContent-Type: application/json\r\n";
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#;
    let (_, head, _) = post(&gateway, json, initialize)?;
    let session = head.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
    let session = format!("Mcp-Session-Id: {}\r\n", session.context("no session")?);
    // A call binds the session to a server.
    let call = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"one_echo","arguments":{"message":"hi"}}}"#;
    ensure!(post(&gateway, &format!("{json}{session}"), call)?.0 == 200);
    let address = gateway.url.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    let listen = format!(
        "GET /mcp HTTP/1.1\r\nHost: {address}\r\nAccept: text/event-stream\r\n{session}Connection: close\r\n\r\n"
    );
    stream.write_all(listen.as_bytes())?;
    let mut first = [0; 16];
    stream.read_exact(&mut first)?;
    ensure!(first.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&first));
    let delete =
        format!("DELETE /mcp HTTP/1.1\r\nHost: ADDRESS\r\n{session}Connection: close\r\n\r\n");
    ensure!(exchange(&gateway, &delete)?.0 == 204);
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).context("the stream stays open")?;
    Ok(())
}

#[test]
fn what_does_not_belong_here_is_refused() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let gateway = two_demos(folder.path())?;
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#;
    let json = "Content-Type: application/json\r\n";
    let status =
        |headers: String, body: &str| Ok::<u16, anyhow::Error>(post(&gateway, &headers, body)?.0);
    ensure!(status(format!("Host: ADDRESS\r\n{json}"), initialize)? == 200);
    ensure!(status(format!("Host: evil.example\r\n{json}"), initialize)? == 403);
    let foreign = format!("Host: ADDRESS\r\nOrigin: http://evil.example\r\n{json}");
    ensure!(status(foreign, initialize)? == 403);
    let null = format!("Host: ADDRESS\r\nOrigin: null\r\n{json}");
    ensure!(status(null, initialize)? == 403);
    let text = "Host: ADDRESS\r\nContent-Type: text/plain\r\n".to_owned();
    ensure!(status(text, initialize)? == 415);
    ensure!(status(format!("Host: ADDRESS\r\n{json}"), "{nonsense")? == 400);
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    ensure!(status(format!("Host: ADDRESS\r\n{json}"), list)? == 400);
    ensure!(get(&gateway, "/mcp", "Accept: text/event-stream\r\n")?.0 == 405);
    ensure!(get(&gateway, "/mcp/three", "")?.0 == 404);
    Ok(())
}

#[test]
fn a_batch_is_answered_by_a_list() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let gateway = two_demos(folder.path())?;
    let json = "Host: ADDRESS\r\nContent-Type: application/json\r\n";
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#;
    let (_, head, _) = post(&gateway, json, initialize)?;
    let session = head.lines().find_map(|line| line.strip_prefix("mcp-session-id: "));
    let headers = format!("{json}Mcp-Session-Id: {}\r\n", session.context("no session")?);
    let batch = r#"[{"jsonrpc":"2.0","id":"a","method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"one_echo","arguments":{"message":"hi"}}}]"#;
    let (status, _, body) = post(&gateway, &headers, batch)?;
    let answers: Vec<Value> = serde_json::from_slice(&body)?;
    ensure!(status == 200 && answers.len() == 2, "{answers:?}");
    ensure!(answers[0] == json!({"jsonrpc": "2.0", "id": "a", "result": {}}), "{answers:?}");
    ensure!(answers[1]["result"]["content"][0]["text"] == "hi", "{answers:?}");
    let (status, _, body) = post(
        &gateway,
        &headers,
        r#"[{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}]"#,
    )?;
    ensure!(status == 202 && body.is_empty(), "{status}");
    Ok(())
}

#[test]
fn a_quiet_call_shows_that_it_is_alive_and_ends_in_time() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let mut slow = demo();
    slow["resultant"] = json!({"timeouts": {"call_seconds": 1.5}});
    let config = json!({
        "mcpServers": {"slow": slow},
        "resultant": {"timeouts": {"heartbeat_seconds": 0.2}},
    });
    let gateway = Gateway::start(PROGRAM, &config, folder.path())?;
    for version in [LEGACY, MODERN] {
        let client = Client::http(&gateway.server("slow"), &Identity::plain(version))?;
        let params = json!({
            "name": "roast", "arguments": {"seconds": 60, "steps": 1}, "_meta": {"progressToken": "p"},
        });
        let answer = client.request("tools/call", params)?;
        ensure!(answer.text().contains("call_seconds"), "{}", answer.text());
        ensure!(answer.text().contains("\"isError\":true"), "{}", answer.text());
        let alive = client.take_inbox();
        let alive = alive.iter().filter(|message| message.text().contains("still running"));
        ensure!(alive.count() >= 2, "{version}: signs of life");
        // The server was told, and does the next thing.
        let next = client.call("echo", &json!({"message": "next"}))?;
        ensure!(next.text().contains("next"), "{}", next.text());
    }
    Ok(())
}

#[test]
fn changes_reach_clients_of_both_eras() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let gateway = two_demos(folder.path())?;
    let client = Client::http(&gateway.all(), &Identity::plain(LEGACY))?;
    client.listen()?;
    client.result("tools/list", json!({}))?;
    let config = json!({"mcpServers": {"one": demo(), "three": demo()}});
    fs::write(folder.path().join("resultant.json"), config.to_string())?;
    let listed = loop {
        // The first ones may be about the start.
        client.wait_for(|message| message.text().contains("notifications/tools/list_changed"))?;
        let listed = names(&client.result("tools/list", json!({}))?, "tools", "name");
        if listed.contains(&"three_echo".to_owned()) {
            break listed;
        }
    };
    ensure!(!listed.contains(&"two_echo".to_owned()), "{listed:?}");
    // A broken file changes nothing.
    fs::write(folder.path().join("resultant.json"), "{\"mcpServers\": 7}")?;
    let limit = Instant::now() + Duration::from_secs(60);
    while !gateway.log().contains("the old one stays") {
        ensure!(Instant::now() < limit, "the problem is not reported");
        std::thread::sleep(Duration::from_millis(50));
    }
    let again = names(&client.result("tools/list", json!({}))?, "tools", "name");
    ensure!(again == listed, "{again:?}");
    Ok(())
}

#[test]
fn a_page_of_an_allowed_origin_can_use_the_gateway_and_no_other() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let config = json!({
        "mcpServers": {"one": demo()},
        "resultant": {"allowed_origins": ["https://app.example"]},
    });
    let gateway = Gateway::start(PROGRAM, &config, folder.path())?;
    let initialize = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "page", "version": "1"}},
    });
    let preflight = |origin: &str| {
        let asked = "Access-Control-Request-Method: POST\r\n\
                     Access-Control-Request-Headers: content-type, mcp-session-id, mcp-param-x\r\n";
        let request = format!(
            "OPTIONS /mcp HTTP/1.1\r\nHost: ADDRESS\r\nOrigin: {origin}\r\n{asked}Connection: close\r\n\r\n"
        );
        exchange(&gateway, &request)
    };
    let send = |origin: &str| {
        let headers =
            format!("Host: ADDRESS\r\nOrigin: {origin}\r\nContent-Type: application/json\r\n");
        post(&gateway, &headers, &initialize.to_string())
    };
    for origin in ["http://localhost:5173", "https://app.example"] {
        let allowed = format!("access-control-allow-origin: {origin}\r\n");
        let (status, head, _) = preflight(origin)?;
        ensure!(status == 204 && head.contains(&allowed), "{origin}: {head}");
        for part in [
            "methods: get, head, post, put, delete",
            "headers: content-type, mcp-session-id, mcp-p",
        ] {
            ensure!(head.contains(&format!("access-control-allow-{part}")), "{origin}: {head}");
        }
        let (status, head, body) = send(origin)?;
        let body = String::from_utf8_lossy(&body);
        ensure!(head.contains(&allowed), "{origin}: {head}");
        // Any page of this machine may speak, but needs more than that to call tools.
        match origin.starts_with("https:") {
            true => ensure!(status == 200, "{origin}: {head}"),
            false => ensure!(status == 401 && body.contains("allowed_origins"), "{head}{body}"),
        }
        let exposed = head.lines().find(|line| line.starts_with("access-control-expose-headers"));
        ensure!(exposed.is_some_and(|line| line.contains("mcp-session-id")), "{origin}: {head}");
        ensure!(head.contains("vary: origin"), "{origin}: {head}");
    }
    for origin in ["null", "https://evil.example", "http://localhost.evil.example"] {
        for (status, head, _) in [preflight(origin)?, send(origin)?] {
            ensure!(status == 403, "{origin}: {head}");
            ensure!(!head.contains("access-control-allow-origin"), "{origin}: {head}");
        }
    }
    let (_, head, _) = get(&gateway, "/healthz", "")?;
    ensure!(!head.contains("access-control-allow-origin"), "{head}");
    Ok(())
}

#[test]
fn a_server_that_fails_is_tried_less_and_less_and_nobody_waits_for_it() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let missing = folder.path().join("missing");
    let config = json!({"mcpServers": {"one": demo(), "gone": {"command": missing}}});
    let gateway = Gateway::start(PROGRAM, &config, folder.path())?;
    let end = Instant::now() + Duration::from_secs(60);
    let mut tries = 0;
    while tries < 3 {
        ensure!(Instant::now() < end, "it was tried {tries} times in a row, says the gateway");
        let (status, _, body) = get(&gateway, "/readyz", "")?;
        let state = serde_json::from_slice::<Value>(&body)?;
        let now = state["servers"]["gone"]["tries"].as_u64().unwrap_or_default();
        ensure!(now >= tries, "a new try does not hide how often it failed: {state}");
        if now > 0 && state["servers"]["one"]["state"] == "ready" {
            ensure!(status == 200, "every server has been tried: {state}");
        }
        tries = now;
        std::thread::yield_now();
    }
    let client = Client::http(&gateway.all(), &Identity::plain(LEGACY))?;
    let listed = names(&client.result("tools/list", json!({}))?, "tools", "name");
    ensure!(listed.iter().any(|name| name == "one_echo"), "{listed:?}");
    Ok(())
}

#[test]
fn a_client_hears_nothing_of_how_the_gateway_listens() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let gateway = two_demos(folder.path())?;
    let data = folder.path().join("proxy");
    let mut proxy = Command::new(PROGRAM)
        .args(["proxy", "--url", &gateway.all(), "--data"])
        .arg(data)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut input = proxy.stdin.take().context("no input")?;
    let who = json!({"name": "test", "version": "1"});
    let hello = json!({"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": who});
    for (id, method, params) in [(1, "initialize", hello), (2, "tools/list", json!({}))] {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        writeln!(input, "{request}")?;
    }
    drop(input);
    let said = String::from_utf8(proxy.wait_with_output()?.stdout)?;
    ensure!(said.contains("one_echo"), "{said}");
    ensure!(!said.contains("notifications/subscriptions"), "{said}");
    Ok(())
}

/// Where the demo server's own page is: each of its processes has another port.
fn dashboard(client: &Client) -> anyhow::Result<String> {
    let answer = client.call("live_dashboard", &json!({}))?;
    let result: Value = serde_json::from_str(answer.result().context("no result")?)?;
    let canvas = result["structuredContent"]["canvas"]["url"].as_str();
    Ok(canvas.with_context(|| answer.text().to_owned())?.to_owned())
}

#[test]
fn sessions_share_a_server_unless_they_are_to_be_apart() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let mut apart = demo();
    apart["resultant"] = json!({"isolate": "session"});
    let config = json!({"mcpServers": {"together": demo(), "apart": apart}});
    let gateway = Gateway::start(PROGRAM, &config, folder.path())?;
    for (server, is_one) in [("together", true), ("apart", false)] {
        let first = Client::http(&gateway.server(server), &Identity::plain(LEGACY))?;
        let second = Client::http(&gateway.server(server), &Identity::plain(LEGACY))?;
        let (mine, yours) = (dashboard(&first)?, dashboard(&second)?);
        ensure!(dashboard(&first)? == mine, "{server}: a session stays where it is");
        ensure!((mine == yours) == is_one, "{server}: {mine} and {yours}");
    }
    Ok(())
}

/// Texts that are short enough to be read at once and too long for the budget: around every border
/// there is an answer, and nothing of it is lost.
#[test]
fn texts_a_little_over_the_budget_become_files() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let gateway = two_demos(folder.path())?;
    for version in [LEGACY, MODERN] {
        let client = Client::http(&gateway.server("one"), &Identity::plain(version))?;
        for lines in [1, 100, 400, 700, 2000, 5000, 12_000, 40_000] {
            let text = "x y z\n".repeat(lines);
            let answer = client.call("echo", &json!({"message": text}))?;
            let result = answer.result().context("no result")?;
            ensure!(!result.contains("\"isError\":true"), "{lines}: {result}");
            let is_whole = result.matches("x y z").count() >= lines;
            ensure!(is_whole || result.contains("complete"), "{lines}: {result}");
            ensure!(is_whole || result.len() < 64 << 10, "{lines}: {}", result.len());
        }
    }
    Ok(())
}
