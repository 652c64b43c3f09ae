//! Getting more of a result than the model was shown, through the real program and a real server.

#[path = "support/mcp.rs"]
mod mcp;
#[path = "retrieval/parts.rs"]
mod parts;
#[path = "retrieval/reading.rs"]
mod reading;
#[path = "retrieval/saved.rs"]
mod saved;

use std::{
    fs,
    io::{BufReader, Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::Command,
};

use anyhow::{Context as _, ensure};
use mcp::{
    Client, Gateway, PATIENCE,
    response::{Body, read_head},
    server_script,
};
use serde_json::{Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_resultant");
const OWN: [&str; 4] = ["files_list", "files_read", "files_search", "files_query"];

fn has_python() -> anyhow::Result<bool> {
    let found = Command::new("python3").arg("--version").output();
    let is_there = found.is_ok_and(|output| output.status.success());
    ensure!(is_there || std::env::var("CI").as_deref() != Ok("true"), "there is no python3");
    if !is_there {
        println!("skipped: there is no python3");
    }
    Ok(is_there)
}

/// A server whose results are long, with these tools beside its own.
fn server(extra: &[&str]) -> Value {
    let mut args = vec![json!(server_script("large_results.py"))];
    args.extend(extra.iter().map(|name| json!(name)));
    json!({"command": "python3", "args": args})
}

fn gateway(folder: &Path, settings: &Value) -> anyhow::Result<Gateway> {
    let config = json!({"mcpServers": {"data": server(&[])}, "resultant": settings});
    Gateway::start(PROGRAM, &config, folder)
}

/// A call's result: whether it is an error, and its text.
fn call(client: &Client, tool: &str, arguments: &Value) -> anyhow::Result<(bool, String)> {
    let result = client.result("tools/call", json!({"name": tool, "arguments": arguments}))?;
    let text = result["content"][0]["text"].as_str().context("no text")?.to_owned();
    Ok((result["isError"] == true, text))
}

/// The answer of one of our tools, which must be one and within the budget.
fn ask(client: &Client, tool: &str, arguments: &Value) -> anyhow::Result<Value> {
    let result = client.result("tools/call", json!({"name": tool, "arguments": arguments}))?;
    ensure!(result.get("isError").is_none(), "{tool} {arguments}: {result}");
    ensure!(result.get("structuredContent").is_none(), "{result}");
    let text = result["content"][0]["text"].as_str().context("no text")?;
    ensure!(text.len() <= 8192, "{tool} {arguments}: {} bytes", text.len());
    let answer: Value = serde_json::from_str(text).with_context(|| text.to_owned())?;
    ensure!(answer.is_object(), "{text}");
    Ok(answer)
}

fn refusal(client: &Client, tool: &str, arguments: &Value) -> anyhow::Result<Value> {
    let (is_error, text) = call(client, tool, arguments)?;
    ensure!(is_error, "{tool} {arguments}: {text}");
    serde_json::from_str(&text).context(text)
}

/// The name of the session's newest file.
fn newest(client: &Client) -> anyhow::Result<String> {
    let list = ask(client, "files_list", &json!({}))?;
    Ok(list["files"][0]["name"].as_str().with_context(|| list.to_string())?.to_owned())
}

fn names(client: &Client) -> anyhow::Result<Vec<String>> {
    let list = client.result("tools/list", json!({}))?;
    let tools = list["tools"].as_array().context("no tools")?.clone();
    Ok(tools.iter().filter_map(|tool| tool["name"].as_str()).map(str::to_owned).collect())
}

/// A request to the HTTP API as the user of this machine; its JSON answer.
fn api(gateway: &Gateway, line: &str, body: &Value) -> anyhow::Result<Value> {
    let secret = fs::read_to_string(gateway.folder.join("data/secret"))?;
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let headers = format!(
        "Authorization: Bearer {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n",
        secret.trim(),
        body.len()
    );
    let (status, text) = exchange(gateway, line, &headers, &body)?;
    ensure!((200..300).contains(&status), "{line}: {status} {text}");
    Ok(if text.is_empty() { Value::Null } else { serde_json::from_str(&text)? })
}

fn exchange(
    gateway: &Gateway,
    line: &str,
    headers: &str,
    body: &str,
) -> anyhow::Result<(u16, String)> {
    let address = gateway.url.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    write!(stream, "{line} HTTP/1.1\r\nHost: {address}\r\n{headers}\r\n{body}")?;
    let mut stream = BufReader::new(stream);
    let head = read_head(&mut stream)?;
    let mut text = String::new();
    Body::of(&head, stream)?.read_to_string(&mut text)?;
    Ok((head.status, text))
}
