//! Images that are more than a model takes, and what only says that it is an image.

use std::{fs, path::Path};

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use crate::{
    mcp::{Gateway, LEGACY},
    seen::{call, client, start},
};

fn blocks<'a>(result: &'a Value, kind: &'a str) -> Vec<&'a Value> {
    let blocks = result["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    blocks.iter().filter(|block| block["type"] == kind).collect()
}

fn bytes(image: &Value) -> anyhow::Result<Vec<u8>> {
    let data = image["data"].as_str().context("data")?;
    ensure!(data.len() <= 700_000, "{} bytes of base64", data.len());
    Ok(base64_simd::STANDARD.decode_to_vec(data)?)
}

/// Everything in the data folder, with its bytes.
fn kept(folder: &Path, is_wanted: &dyn Fn(&[u8]) -> bool) -> bool {
    fs::read_dir(folder).into_iter().flatten().flatten().any(|entry| {
        let path = entry.path();
        match path.is_dir() {
            true => kept(&path, is_wanted),
            false => fs::read(path).is_ok_and(|bytes| is_wanted(&bytes)),
        }
    })
}

fn size_of_png(bytes: &[u8]) -> (u32, u32) {
    let number = |at: usize| bytes[at..at + 4].iter().fold(0, |n, &b| n << 8 | u32::from(b));
    (number(16), number(20))
}

#[test]
fn a_large_image_is_shown_by_a_copy_and_kept_as_it_is() -> anyhow::Result<()> {
    let Some((gateway, _folder)) = start(&json!({}))? else { return Ok(()) };
    let client = client(&gateway, LEGACY, "claude-code")?;
    let result = call(&client, "large_picture", &json!({}))?;
    let [image] = blocks(&result, "image")[..] else { anyhow::bail!("one image: {result}") };
    ensure!(image["mimeType"] == "image/png", "{}", image["mimeType"]);
    ensure!(size_of_png(&bytes(image)?) == (1568, 1045));
    let has_original = kept(&gateway.folder.join("data/blobs"), &|bytes| {
        bytes.starts_with(b"\x89PNG") && size_of_png(bytes) == (2400, 1600)
    });
    ensure!(has_original, "the original is the file");
    // So long that it goes to the disk while it is read.
    let result = call(&client, "large_picture", &json!({"noise": true}))?;
    let [image] = blocks(&result, "image")[..] else { anyhow::bail!("one image: {result}") };
    let copy = bytes(image)?;
    ensure!(image["mimeType"] == "image/jpeg" && copy.starts_with(b"\xff\xd8\xff"));
    let text = blocks(&result, "text")[0]["text"].as_str().context("text")?;
    ensure!(text.contains("image/png"), "the original is named: {text}");
    alive(&gateway)
}

#[test]
fn what_is_no_image_is_never_sent_as_one() -> anyhow::Result<()> {
    let Some((gateway, _folder)) = start(&json!({}))? else { return Ok(()) };
    for name in ["claude-code", "claude-ai", "codex-mcp-client", "somebody"] {
        let client = client(&gateway, LEGACY, name)?;
        let result = call(&client, "not_pictures", &json!({}))?;
        ensure!(blocks(&result, "image").is_empty(), "{name}: {result}");
        let result = call(&client, "mislabelled", &json!({}))?;
        let [image] = blocks(&result, "image")[..] else { anyhow::bail!("{name}: {result}") };
        ensure!(image["mimeType"] == "image/png", "{name}: the bytes decide: {result}");
    }
    alive(&gateway)
}

fn alive(gateway: &Gateway) -> anyhow::Result<()> {
    call(&client(gateway, LEGACY, "raw")?, "small", &json!({})).map(drop)
}
