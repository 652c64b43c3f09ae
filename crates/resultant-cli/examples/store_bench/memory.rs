//! Memory of the gateway while a gibibyte goes in, comes out, and arrives in a result.
//!
//! Read from `/proc`, where the peak can be reset between cases; elsewhere nothing is printed.

use std::fs;

use anyhow::{Context, ensure};
use serde_json::json;

use crate::{
    Setup,
    mcp::{Client, Identity, LEGACY},
    target::{self, KEY, Target},
};

const SIZES: [u64; 2] = [16 << 20, 1 << 30];

pub(crate) fn run(setup: &Setup) -> anyhow::Result<()> {
    let folder = tempfile::tempdir_in(&setup.folder)?;
    let limits = json!({"limits": {"message_bytes_max": 8_u64 << 30}});
    let gateway = target::start_gateway(setup, folder.path(), &limits)?;
    let pid = gateway.pid();
    if read(pid, "VmRSS:").is_err() {
        println!("\nmemory: this system has no /proc to read it from");
        return Ok(());
    }
    let mut target = Target::new(&gateway.url);
    let session = target::session(&mut target)?;
    let url = format!("{}/mcp/echo", gateway.url);
    let client = Client::http_as(&url, &Identity::plain(LEGACY), KEY)?;
    println!("\npeak memory of the gateway, in MiB (at rest {:.1})", read(pid, "VmRSS:")?);
    for size in SIZES {
        let mut key = String::new();
        let path = format!("/api/sessions/{session}/files/{size}.bin");
        let upload = peak(pid, || {
            let file = target.upload(&path, size, size)?;
            file["key"].as_str().context("a file without a key")?.clone_into(&mut key);
            Ok(())
        })?;
        let path = format!("/api/files/download/{key}");
        let download = peak(pid, || {
            ensure!(target.download(&path, None)? == size, "not the whole file");
            Ok(())
        })?;
        let result = peak(pid, || {
            let answer = client.call("image", &json!({"bytes": size}))?;
            let result = answer.result().context("an error instead of a result")?;
            ensure!(!result.contains("persisted"), "the file was not kept: {result}");
            Ok(())
        })?;
        println!(
            "  {:4} MiB: upload {upload:.1}, download {download:.1}, in a result {result:.1}",
            size >> 20
        );
    }
    Ok(())
}

/// The most that the process had while this was done.
fn peak(pid: u32, work: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<f64> {
    fs::write(format!("/proc/{pid}/clear_refs"), "5").context("resetting the peak")?;
    work()?;
    read(pid, "VmHWM:")
}

/// A size of a process, in MiB.
fn read(pid: u32, name: &str) -> anyhow::Result<f64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)).context("no such size")?;
    let kib: f64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kib / 1024.0)
}
