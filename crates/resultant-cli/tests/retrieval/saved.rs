//! What calls came to: recorded, summed up, and the same wherever it is asked for.

use std::process::Command;

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use crate::{
    PROGRAM, api, ask, call, exchange, gateway, has_python,
    mcp::{Client, Identity, LEGACY},
    refusal,
};

#[test]
fn what_was_saved_adds_up() -> anyhow::Result<()> {
    if !has_python()? {
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let mut gateway = gateway(folder.path(), &json!({}))?;
    let client = Client::http(&gateway.all(), &Identity::plain(LEGACY))?;
    call(&client, "data_read_log", &json!({"count": 10_000}))?;
    call(&client, "data_write", &json!({"content": "a few words, passed on as they are"}))?;
    ask(&client, "files_search", &json!({"pattern": "code="}))?;
    refusal(&client, "files_read", &json!({"file": "absent"}))?;

    let calls = api(&gateway, "GET /api/calls", &Value::Null)?;
    let calls = calls["items"].as_array().context("no calls")?.clone();
    ensure!(calls.len() == 4, "{calls:?}");
    let of = |tool: &str, key: &str| -> anyhow::Result<u64> {
        let call = calls.iter().find(|call| call["tool"] == tool).context("no such call")?;
        call[key].as_u64().with_context(|| call.to_string())
    };
    // About 30 tokens a line came, and a digest went on.
    ensure!(of("read_log", "tokens_in")? > 150_000, "{calls:?}");
    ensure!((1..=2000).contains(&of("read_log", "tokens_out")?), "{calls:?}");
    ensure!(of("write", "tokens_in")? == of("write", "tokens_out")?, "as it came: {calls:?}");
    ensure!(of("files_search", "tokens_in")? == 0 && of("files_search", "tokens_out")? > 0);
    let sum = |server: Option<&str>, key: &str| -> u64 {
        let calls = calls.iter().filter(|call| server.is_none_or(|name| call["server"] == name));
        calls.filter_map(|call| call[key].as_u64()).sum()
    };
    let stats = api(&gateway, "GET /api/stats", &Value::Null)?;
    for (row, server) in [
        (&stats["total"], None),
        (&stats["servers"][0], Some("data")),
        (&stats["servers"][1], Some("resultant")),
    ] {
        let (came, got) = (sum(server, "tokens_in"), sum(server, "tokens_out"));
        ensure!(row["tokens_received"] == came && row["tokens_given"] == got, "{stats}");
        ensure!(row["tokens_saved"].as_i64() == Some(came as i64 - got as i64), "{stats}");
    }
    ensure!(stats["total"]["calls"] == 4 && stats["total"]["errors"] == 1, "{stats}");
    let session = stats["sessions"][0]["name"].as_str().context("no session")?;
    ensure!(stats["sessions"][0]["tokens_given"] == stats["total"]["tokens_given"], "{stats}");
    let one = api(&gateway, &format!("GET /api/sessions/{session}/stats"), &Value::Null)?;
    ensure!(one["total"] == stats["total"], "{one}");
    let none = api(&gateway, "GET /api/stats?server=absent", &Value::Null)?;
    ensure!(none["total"]["calls"] == 0 && none["servers"] == json!([]), "{none}");

    let (_, metrics) = exchange(&gateway, "GET /metrics", "", "")?;
    for (name, key) in [("received", "tokens_in"), ("given", "tokens_out")] {
        let line = format!(
            "resultant_tokens_{name}_total{{server=\"data\"}} {}\n",
            sum(Some("data"), key)
        );
        ensure!(metrics.contains(&line), "{line}{metrics}");
    }
    gateway.stop()?;

    // Without a gateway, from what it left behind.
    let config = folder.path().join("resultant.json");
    let data = folder.path().join("data");
    let run = |more: &[&str]| -> anyhow::Result<String> {
        let mut command = Command::new(PROGRAM);
        command.arg("stats").arg("--config").arg(&config).arg("--data").arg(&data).args(more);
        let output = command.output()?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8(output.stdout)?)
    };
    let document: Value = serde_json::from_str(&run(&["--json"])?)?;
    ensure!(document["total"] == stats["total"], "{document} {stats}");
    ensure!(document["servers"] == stats["servers"], "{document} {stats}");
    let table = run(&["--by", "session"])?;
    ensure!(table.contains("saved %") && table.contains(session), "{table}");
    let table = run(&["--server", "data"])?;
    ensure!(table.contains("data") && !table.contains("resultant"), "{table}");
    Ok(())
}
