//! Memory of the gateway: idle, and at its peak while large results pass.
//!
//! Read from `/proc`, where the peak can be reset between cases; elsewhere nothing is printed.

use std::{fs, thread, time::Instant};

use anyhow::{Context, bail, ensure};
use serde_json::json;

use crate::{
    Setup,
    mcp::{Client, Gateway, Identity, LEGACY},
    targets,
};

const MB: u64 = 1_000_000;

/// A large result is replaced by a small one, far below this.
const ANSWER_BYTES_MAX: usize = 1 << 20;

/// Tool, server, bytes of each result, calls at once.
const CASES: [(&str, &str, u64, usize); 8] = [
    ("text", "stdio", 200 * MB, 1),
    ("text", "http", 200 * MB, 1),
    ("image", "stdio", 200 * MB, 1),
    ("image", "http", 200 * MB, 1),
    ("text", "stdio", 10 * MB, 50),
    ("text", "http", 10 * MB, 50),
    ("text", "stdio", 200 * MB, 8),
    ("text", "http", 200 * MB, 8),
];

pub(crate) fn run(setup: &Setup) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let http = targets::start_http(setup)?;
    let config = json!({"mcpServers": {
        "stdio": {"command": setup.echo, "args": ["stdio"]},
        "http": {"url": http.url},
    }});
    let gateway = Gateway::start(&setup.resultant, &config, folder.path())?;
    let pid = gateway.pid();
    if read(pid, "VmRSS:").is_err() {
        println!("\nmemory: this system has no /proc to read it from");
        return Ok(());
    }
    println!("\nmemory of the gateway, in MiB");
    let before = read(pid, "VmRSS:")?;
    for server in ["stdio", "http"] {
        let client = Client::http(&gateway.server(server), &Identity::plain(LEGACY))?;
        client.call("echo", &json!({"message": "hello"}))?;
    }
    let idle = read(pid, "VmRSS:")?;
    println!("  started {before:.1}, idle after a call to each server {idle:.1}");
    for (tool, server, bytes, at_once) in CASES {
        match measure(&gateway, tool, server, bytes, at_once) {
            Ok(line) => println!("{line}"),
            Err(error) => println!("  {at_once} x {tool} over {server}: {error:#}"),
        }
    }
    println!("  at the end {:.1}", read(pid, "VmRSS:")?);
    Ok(())
}

fn measure(
    gateway: &Gateway,
    tool: &str,
    server: &str,
    bytes: u64,
    at_once: usize,
) -> anyhow::Result<String> {
    let pid = gateway.pid();
    let client = Client::http(&gateway.server(server), &Identity::plain(LEGACY))?;
    fs::write(format!("/proc/{pid}/clear_refs"), "5").context("resetting the peak")?;
    let before = read(pid, "VmRSS:")?;
    let start = Instant::now();
    thread::scope(|scope| {
        let call = || call(&client, tool, bytes);
        let workers: Vec<_> = (0..at_once).map(|_| scope.spawn(call)).collect();
        for worker in workers {
            match worker.join() {
                Ok(outcome) => outcome?,
                Err(_) => bail!("a worker panicked"),
            }
        }
        Ok(())
    })?;
    let took = start.elapsed();
    let peak = read(pid, "VmHWM:")?;
    let total = bytes as f64 * at_once as f64 / 1e6;
    Ok(format!(
        "  {at_once:2} x {:3} MB {tool:5} over {server:5}: before {before:6.1}, peak {peak:6.1} \
         (+{:.1}), {:6.2} s, {:5.0} MB/s",
        bytes / MB,
        peak - before,
        took.as_secs_f64(),
        total / took.as_secs_f64(),
    ))
}

fn call(client: &Client, tool: &str, bytes: u64) -> anyhow::Result<()> {
    let answer = client.call(tool, &json!({"bytes": bytes}))?;
    let result = answer.result().context("an error instead of a result")?;
    let size = result.len();
    ensure!(size < ANSWER_BYTES_MAX, "the answer has {size} bytes");
    ensure!(!result.contains(r#""isError":true"#), "{result}");
    Ok(())
}

/// A size of a process, in MiB.
fn read(pid: u32, name: &str) -> anyhow::Result<f64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)).context("no such size")?;
    let kib: f64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kib / 1024.0)
}
