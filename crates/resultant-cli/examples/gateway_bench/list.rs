//! Listing 5,000 tools of 50 servers.

use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde_json::{Map, Value, json};

use crate::{
    Setup,
    mcp::{Client, Gateway, Identity, LEGACY, MODERN, PATIENCE},
};

const SERVERS: usize = 50;
const TOOLS_EACH: usize = 100;
const TIMES: usize = 50;

pub(crate) fn run(setup: &Setup) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let mut servers = Map::new();
    for number in 0..SERVERS {
        let server = json!({
            "command": setup.echo,
            "args": ["--tools", TOOLS_EACH.to_string(), "stdio"],
        });
        servers.insert(format!("s{number:02}"), server);
    }
    let start = Instant::now();
    let config = json!({"mcpServers": servers});
    let gateway = Gateway::start(&setup.resultant, &config, folder.path())?;
    println!("\ntools/list of {SERVERS} servers with {TOOLS_EACH} tools each");
    let client = Client::http(&gateway.all(), &Identity::plain(LEGACY))?;
    // Servers are started in parallel and their tools come as they are ready; the gateway has a
    // few of its own.
    let end = Instant::now() + PATIENCE;
    loop {
        let tools = list(&client)?;
        if tools >= SERVERS * TOOLS_EACH {
            break;
        }
        ensure!(Instant::now() < end, "only {tools} tools");
    }
    println!("  from the start until all are listed {:9.1} ms", ms(start.elapsed()));
    for version in [LEGACY, MODERN] {
        let client = Client::http(&gateway.all(), &Identity::plain(version))?;
        let mut times = Vec::new();
        for _ in 0..TIMES {
            let start = Instant::now();
            list(&client)?;
            times.push(start.elapsed());
        }
        times.sort_unstable();
        let median = times.get(TIMES / 2).context("no time")?;
        let most = times.last().context("no time")?;
        println!(
            "  {version}, from the cache: median {:9.1} ms, slowest of {TIMES} {:9.1} ms",
            ms(*median),
            ms(*most)
        );
    }
    Ok(())
}

/// Counts the tools, over as many pages as there are.
fn list(client: &Client) -> anyhow::Result<usize> {
    let mut count = 0;
    let mut params = json!({});
    loop {
        let answer = client.request("tools/list", params)?;
        let result = answer.result().context("an error instead of a list")?;
        // Each tool has one input schema; to parse them all would be most of the time measured.
        count += result.matches(r#""inputSchema":"#).count();
        let tail = result.rsplit(']').next().unwrap_or_default();
        if !tail.contains("nextCursor") && !result.starts_with(r#"{"nextCursor"#) {
            return Ok(count);
        }
        let page: Value = serde_json::from_str(result)?;
        params = json!({"cursor": page["nextCursor"]});
    }
}

fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}
