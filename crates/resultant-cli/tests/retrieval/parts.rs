//! Parts of files in addresses: handed to tools, and read as resources.

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use crate::{
    PROGRAM, api, call, has_python,
    mcp::{Client, Gateway, Identity, LEGACY},
    newest, server,
};

#[test]
fn parts_are_handed_on_and_read() -> anyhow::Result<()> {
    if !has_python()? {
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let config = json!({
        "mcpServers": {"data": server(&[]), "shut": server(&[])},
        "resultant": {
            "servers": {"shut": {"handover": "deny"}},
            "limits": {"handover_bytes_max": 100_000},
        },
    });
    let gateway = Gateway::start(PROGRAM, &config, folder.path())?;
    let client = Client::http(&gateway.all(), &Identity::plain(LEGACY))?;
    call(&client, "data_read_log", &json!({"count": 30_000}))?;
    let log = newest(&client)?;
    call(&client, "data_read_graph", &json!({"count": 1500}))?;
    let graph = newest(&client)?;
    let uri = |file: &str, part: &str| format!("resultant://files/{file}?{part}");
    let written = |key: &str, uri: &str| -> anyhow::Result<Value> {
        let (is_error, text) = call(&client, "data_write", &json!({key: uri}))?;
        ensure!(!is_error, "{uri}: {text}");
        Ok(serde_json::from_str::<Value>(&text)?[key].clone())
    };
    let lines = written("content", &uri(&log, "lines=97-98"))?;
    let lines = lines.as_str().context("no text")?;
    ensure!(lines.lines().count() == 2 && lines.contains("/item/97 503"), "{lines}");
    ensure!(written("content", &uri(&log, "bytes=0-9"))? == "2026-05-01");
    let name = written("content", &uri(&graph, "jq=.entities[7].name"))?;
    ensure!(name == "entity-7", "{name}");
    let seen = written("value", &uri(&graph, "jq=.entities[7].observations"))?;
    ensure!(seen == json!(["seen 7 times", "colour 0"]), "{seen}");

    for (tool, arguments, hint) in [
        ("shut_write", json!({"content": uri(&log, "lines=1-2")}), "handover: allow"),
        ("data_write", json!({"content": uri(&log, "lines=2-1")}), "no range"),
        ("data_write", json!({"content": uri(&log, "line=1")}), "?lines=10-20"),
        ("data_write", json!({"content": uri(&graph, "jq=.entities[")}), "cannot be handed over"),
        ("data_write", json!({"content": uri(&log, "lines=1-")}), "bytes"),
        ("data_write", json!({"place": uri(&log, "lines=1-2")}), "takes an address"),
        ("data_write", json!({"content": uri("absent", "lines=1-2")}), "there is no file"),
    ] {
        let (is_error, text) = call(&client, tool, &arguments)?;
        ensure!(is_error && text.contains(hint), "{arguments}: {text}");
    }

    let read = |uri: &str| client.request("resources/read", json!({"uri": uri}));
    let answer = read(&uri(&log, "lines=97-98"))?;
    let result: Value = serde_json::from_str(answer.result().context("no result")?)?;
    ensure!(result["contents"][0]["text"] == lines, "{result}");
    ensure!(result["contents"][0]["_meta"]["resultant/part"] == "lines=97-98", "{result}");
    let answer = read(&uri(&graph, "jq=.entities%5B7%5D"))?;
    let result: Value = serde_json::from_str(answer.result().context("no result")?)?;
    let entity = result["contents"][0]["text"].as_str().context("no text")?;
    ensure!(serde_json::from_str::<Value>(entity)?["name"] == "entity-7", "{result}");
    for wrong in ["lines=0-1", "rows=x", "jq=.["] {
        let answer = read(&uri(&graph, wrong))?;
        ensure!(answer.text().contains("-32602"), "{wrong}: {}", answer.text());
    }
    // What was handed over is recorded with its part.
    let calls = api(&gateway, "GET /api/calls?tool=write&count=100", &Value::Null)?;
    let handed: Vec<&Value> = calls["items"]
        .as_array()
        .context("no calls")?
        .iter()
        .filter_map(|call| call["handed"].get(0))
        .filter(|handed| handed["part"] == "lines=97-98" && handed["name"] == *log)
        .collect();
    ensure!(handed.len() == 1, "{calls}");
    Ok(())
}
