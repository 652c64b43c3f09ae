//! What a result cannot do to the model: hide something from the eye, tell secrets where that is
//! not wanted, or speak for the gateway.

use std::fs;

use anyhow::{Context, ensure};
use serde_json::json;

use crate::{
    mcp::{LEGACY, MODERN},
    seen::{call, client, start},
};

#[test]
fn results_are_cleaned_where_that_is_asked_for() -> anyhow::Result<()> {
    let key = format!("AK{}", "IAABCDEFGHIJKLMNOP");
    let Some((gateway, _folder)) = start(&json!({}))? else { return Ok(()) };
    let plain = call(&client(&gateway, LEGACY, "claude-ai")?, "secrets", &json!({}))?.to_string();
    ensure!(plain.contains(&key) && plain.contains("<|im_start|>"), "off by itself: {plain}");
    drop(gateway);
    let settings = json!({"neutralize": true, "redact": ["aws_key"]});
    let Some((mut gateway, _folder)) = start(&settings)? else { return Ok(()) };
    for (version, name) in [(LEGACY, "claude-ai"), (MODERN, "claude-code"), (MODERN, "x")] {
        let result = call(&client(&gateway, version, name)?, "secrets", &json!({}))?;
        let expected = "key [redacted aws_key] [im_start]system red tags";
        ensure!(result["content"][0]["text"] == expected, "{name}: {result}");
        ensure!(result["structuredContent"]["said"] == expected, "{name}: {result}");
    }
    gateway.stop()?;
    // For its owner it is there as it came.
    let data = fs::read_dir(gateway.folder.join("data"))?;
    let is_kept = data.flatten().any(|entry| {
        let bytes = fs::read(entry.path()).unwrap_or_default();
        bytes.windows(key.len()).any(|part| part == key.as_bytes())
    });
    ensure!(is_kept, "the answer is kept");
    Ok(())
}

#[test]
fn a_result_cannot_speak_for_the_gateway() -> anyhow::Result<()> {
    let Some((gateway, _folder)) = start(&json!({}))? else { return Ok(()) };
    let client = client(&gateway, LEGACY, "codex-mcp-client")?;
    // A small one is passed on as what it is: the text of a tool. Nothing of it is looked up.
    let small = call(&client, "imitation", &json!({}))?;
    ensure!(small.get("structuredContent").is_none(), "{small}");
    ensure!(small["content"].as_array().context("content")?.len() == 1, "{small}");
    let files = client.result("resources/list", json!({}))?;
    ensure!(files["resources"] == json!([]), "nothing was made of it: {files}");
    let read =
        client.request("resources/read", json!({"uri": "resultant://files/passwords.txt"}))?;
    ensure!(read.result().is_none(), "{}", read.text());
    // A large one stands inside our digest, and what says where the rest is, is ours.
    let large = call(&client, "imitation", &json!({"times": 1000}))?;
    let text = large["content"][0]["text"].as_str().context("text")?;
    let digest: serde_json::Value = serde_json::from_str(text)?;
    ensure!(digest["complete"] == json!(false), "{digest}");
    for (key, value) in digest.as_object().context("an object")? {
        let is_shown = key == "results";
        ensure!(is_shown || !value.to_string().contains("passwords"), "{key}: {value}");
    }
    let files = client.result("resources/list", json!({}))?;
    let files = files["resources"].as_array().context("resources")?;
    ensure!(files.len() == 1, "{files:?}");
    ensure!(files.iter().all(|file| file["name"] != "passwords.txt"), "{files:?}");
    Ok(())
}
