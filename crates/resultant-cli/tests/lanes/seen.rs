//! The lanes, the blocks and the sizes, client by client.

use anyhow::{Context, ensure};
use resultant::{Json, Schema, SchemaLimits};
use serde_json::{Value, json};

use crate::mcp::{Client, Gateway, Identity, LEGACY, MODERN, find_peer, server_script};

const PROGRAM: &str = env!("CARGO_BIN_EXE_resultant");

/// What a client shows to its model.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shows {
    Content,
    /// Structured content alone where there is some.
    Structured,
    Both,
}

/// A client: the name it gives itself, what it shows, the blocks it takes beside text and images
/// (all where that is not known), and the most bytes of text.
struct Known {
    name: &'static str,
    shows: Shows,
    blocks: Option<&'static [&'static str]>,
    bytes_max: usize,
}

/// A client that nobody knows has to be right whichever way it shows results.
const CLIENTS: [Known; 10] = [
    Known {
        name: "claude-code",
        shows: Shows::Structured,
        blocks: Some(&["resource", "resource_link"]),
        bytes_max: 50_000,
    },
    Known {
        name: "claude-ai",
        shows: Shows::Content,
        blocks: Some(&["resource"]),
        bytes_max: 1_000_000,
    },
    Known {
        name: "codex-mcp-client",
        shows: Shows::Structured,
        blocks: Some(&[]),
        bytes_max: 40_000,
    },
    Known {
        name: "Visual Studio Code",
        shows: Shows::Both,
        blocks: Some(&["audio", "resource", "resource_link"]),
        bytes_max: 8_000,
    },
    Known { name: "cursor-vscode", shows: Shows::Content, blocks: Some(&[]), bytes_max: 8_192 },
    Known {
        name: "gemini-cli-mcp-client",
        shows: Shows::Content,
        blocks: Some(&["audio", "resource", "resource_link"]),
        bytes_max: 40_000,
    },
    Known { name: "Cline", shows: Shows::Content, blocks: Some(&[]), bytes_max: 8_000 },
    Known { name: "nobody knows it", shows: Shows::Content, blocks: None, bytes_max: 8_192 },
    Known { name: "nobody knows it", shows: Shows::Structured, blocks: None, bytes_max: 8_192 },
    Known { name: "nobody knows it", shows: Shows::Both, blocks: None, bytes_max: 16_384 + 512 },
];

/// The gateway in front of the marker server; nothing where the SDK is not there.
pub(crate) fn start(settings: &Value) -> anyhow::Result<Option<(Gateway, tempfile::TempDir)>> {
    let Some(python) = find_peer("RESULTANT_TEST_PYTHON_MCP", false)? else { return Ok(None) };
    let script = server_script("markers.py").display().to_string();
    let server = json!({"command": python.to_string_lossy(), "args": [script]});
    let config = json!({"mcpServers": {"markers": server}, "resultant": settings});
    let folder = tempfile::tempdir()?;
    Ok(Some((Gateway::start(PROGRAM, &config, folder.path())?, folder)))
}

pub(crate) fn client(gateway: &Gateway, version: &str, name: &str) -> anyhow::Result<Client> {
    Client::http(&gateway.server("markers"), &Identity::named(name, version))
}

pub(crate) fn call(client: &Client, tool: &str, arguments: &Value) -> anyhow::Result<Value> {
    let result = client.result("tools/call", json!({"name": tool, "arguments": arguments}))?;
    ensure!(result["isError"] != json!(true), "{tool}: {result}");
    Ok(result)
}

/// What a model is shown.
struct Seen {
    /// All text, also that of structured content.
    text: String,
    images: Vec<Value>,
}

impl Known {
    fn seen(&self, result: &Value) -> Seen {
        let structured = result.get("structuredContent");
        let has_content = self.shows != Shows::Structured || structured.is_none();
        let has_structured = self.shows != Shows::Content;
        let blocks = result["content"].as_array().map(Vec::as_slice).unwrap_or_default();
        let blocks: Vec<&Value> = blocks.iter().filter(|_| has_content).collect();
        let of = |kind: &'static str| {
            blocks.iter().filter(move |block| block["type"] == kind).copied().collect::<Vec<_>>()
        };
        let mut text: Vec<String> = of("text")
            .iter()
            .filter_map(|block| block["text"].as_str().map(str::to_owned))
            .collect();
        text.extend(of("resource").iter().map(|block| block.to_string()));
        text.extend(of("resource_link").iter().map(|block| block.to_string()));
        text.extend(structured.filter(|_| has_structured).map(Value::to_string));
        Seen { text: text.join("\n"), images: of("image").into_iter().cloned().collect() }
    }

    fn takes(&self, result: &Value) -> bool {
        let blocks = result["content"].as_array().map(Vec::as_slice).unwrap_or_default();
        blocks.iter().all(|block| {
            let kind = block["type"].as_str().unwrap_or_default();
            let is_taken = |blocks: &[&str]| blocks.contains(&kind);
            matches!(kind, "text" | "image") || self.blocks.is_none_or(is_taken)
        })
    }
}

/// Runs a check for each client, in either era.
fn for_each(check: impl Fn(&Known, &Client) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let Some((gateway, _folder)) = start(&json!({}))? else { return Ok(()) };
    for known in &CLIENTS {
        for version in [LEGACY, MODERN] {
            check(known, &client(&gateway, version, known.name)?)
                .with_context(|| format!("{} ({:?}), {version}", known.name, known.shows))
                .with_context(|| format!("the gateway said:\n{}", gateway.log()))?;
        }
    }
    Ok(())
}

#[test]
fn a_small_result_is_the_same_for_all() -> anyhow::Result<()> {
    for_each(|known, client| {
        let result = call(client, "small", &json!({}))?;
        ensure!(result["content"] == json!([{"type": "text", "text": "TEXT-MARK"}]), "{result}");
        ensure!(result["structuredContent"] == json!({"mark": "STRUCTURED-MARK"}), "{result}");
        ensure!(known.takes(&result));
        Ok(())
    })
}

#[test]
fn a_large_result_is_a_digest_wherever_the_model_looks() -> anyhow::Result<()> {
    for_each(|known, client| {
        let result = call(client, "large", &json!({}))?;
        let seen = known.seen(&result).text;
        ensure!(seen.starts_with(r#"{"complete":false,"#), "it says so first: {seen}");
        ensure!(seen.contains("ROW-00000"), "the beginning is shown: {seen}");
        ensure!(!seen.contains("ROW-02500"), "the bulk is not: {seen}");
        ensure!(seen.len() <= known.bytes_max, "{} bytes", seen.len());
        let structured = &result["structuredContent"];
        ensure!(structured["complete"] == json!(false), "{structured}");
        if known.name == "Visual Studio Code" {
            let len = structured.to_string().len();
            ensure!(len < 120, "the model does not pay twice: {structured}");
            let file = structured["file"].as_str().context("a file")?;
            ensure!(seen.matches(file).count() > 1, "the text names {file} too: {seen}");
        }
        check_schema(client, "large", structured)
    })
}

/// What was advertised allows what was sent.
fn check_schema(client: &Client, tool: &str, structured: &Value) -> anyhow::Result<()> {
    let tools = client.result("tools/list", json!({}))?;
    let tools = tools["tools"].as_array().context("tools")?;
    let tool = tools.iter().find(|listed| listed["name"] == tool).context("the tool")?;
    let schema = Json::parse(tool["outputSchema"].to_string())?;
    let schema = Schema::compile(&schema, &SchemaLimits::default())?;
    let structured = Json::parse(structured.to_string())?;
    ensure!(schema.check(&structured).is_valid(), "{structured} against {}", schema.json());
    Ok(())
}

#[test]
fn an_image_reaches_every_model_that_it_can_reach() -> anyhow::Result<()> {
    for_each(|known, client| {
        let result = call(client, "picture", &json!({}))?;
        let seen = known.seen(&result);
        ensure!(seen.images.len() == 1, "{result}");
        ensure!(seen.images[0]["mimeType"] == "image/png", "{result}");
        for mark in ["STRUCTURED-MARK", "TEXT-MARK"] {
            // A client that shows content and is known to has the result as it came.
            let is_lost =
                known.shows == Shows::Content && mark.starts_with('S') && known.blocks.is_some();
            ensure!(is_lost || seen.text.contains(mark), "{mark}: {result}");
        }
        // Where a schema was advertised, clients refuse a result without structured content.
        let declared = call(client, "picture_with_schema", &json!({}))?;
        ensure!(declared["structuredContent"]["mark"] == "STRUCTURED-MARK", "{declared}");
        check_schema(client, "picture_with_schema", &declared["structuredContent"])
    })
}

#[test]
fn only_blocks_that_a_client_takes_are_sent_and_nothing_is_lost() -> anyhow::Result<()> {
    for_each(|known, client| {
        let result = call(client, "blocks", &json!({}))?;
        ensure!(known.takes(&result), "{result}");
        let seen = known.seen(&result);
        for mark in ["TEXT-MARK", "LINK-MARK", "mark:link", "EMBEDDED-MARK"] {
            ensure!(seen.text.contains(mark), "{mark}: {result}");
        }
        ensure!(seen.images.len() == 1, "{result}");
        let said = result.to_string();
        let has_audio = known.blocks.is_none_or(|blocks| blocks.contains(&"audio"));
        ensure!(has_audio || !said.contains("UklGRiQ"), "no base64 of audio: {said}");
        ensure!(has_audio || said.contains("audio/wav"), "it is named: {said}");
        Ok(())
    })
}

#[test]
fn budgets_are_of_servers_tools_and_clients() -> anyhow::Result<()> {
    let settings = json!({
        "servers": {"markers": {
            "budget": {"bytes": 200_000, "tokens": 60_000},
            "tools": {"budgets": {"lar*": {"tokens": 300}}},
        }},
        "clients": {"mine": {"names": ["my agent"], "sees": "both", "limits": {"characters": 600}}},
    });
    let Some((gateway, _folder)) = start(&settings)? else { return Ok(()) };
    let plain = client(&gateway, LEGACY, "raw")?;
    let large = call(&plain, "large", &json!({}))?;
    let text = large["content"][0]["text"].as_str().context("text")?;
    ensure!(text.starts_with(r#"{"complete":false"#) && text.len() < 1500, "{text}");
    // The server's is larger than the gateway's, so this passes.
    let order = call(&plain, "imitation", &json!({"times": 500}))?;
    ensure!(order["content"][0]["text"].as_str().context("text")?.len() > 20_000, "{order}");
    let mine = client(&gateway, MODERN, "My Agent")?;
    let order = call(&mine, "imitation", &json!({"times": 500}))?;
    let text = order["content"][0]["text"].as_str().context("text")?;
    ensure!(text.chars().count() <= 600, "the client's limit counts: {text}");
    Ok(())
}
