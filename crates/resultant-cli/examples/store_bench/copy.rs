//! Uploads, files in results, whole and ranged downloads.

use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde_json::json;

use crate::{
    Setup,
    mcp::{Client, Gateway, Identity, LEGACY, Server},
    target::{self, KEY, Target},
};

/// Each is done so often, in turn, and the best counts: the others had to share the machine.
const ROUNDS: u64 = 5;

/// Ranges that are asked for: how large, how many.
const RANGES: [(u64, u64); 2] = [(64 << 10, 400), (8 << 20, 24)];

struct Row {
    what: String,
    megabytes: f64,
    plain: Duration,
    synced: Option<Duration>,
    gateway: Duration,
}

struct Bench {
    size: u64,
    plain: Target,
    gateway: Target,
    session: String,
    rows: Vec<Row>,
    _processes: (Server, Gateway),
}

pub(crate) fn run(setup: &Setup) -> anyhow::Result<()> {
    let folder = tempfile::tempdir_in(&setup.folder)?;
    let process = target::start_plain(folder.path())?;
    let limits = json!({"limits": {"message_bytes_max": 8_u64 << 30}});
    let gateway = target::start_gateway(setup, folder.path(), &limits)?;
    let mut bench = Bench {
        size: setup.megabytes * 1_000_000,
        plain: Target::new(&process.url),
        gateway: Target::new(&gateway.url),
        session: String::new(),
        rows: Vec::new(),
        _processes: (process, gateway),
    };
    bench.session = target::session(&mut bench.gateway)?;
    let key = bench.uploads()?;
    bench.downloads(&key)?;
    bench.results(setup, true)?;
    bench.print();
    drop(bench);

    let folder = tempfile::tempdir_in(&setup.folder)?;
    let process = target::start_plain(folder.path())?;
    let mut settings = limits;
    settings["store"] = json!({"keep_raw": false});
    let gateway = target::start_gateway(setup, folder.path(), &settings)?;
    let mut bench = Bench {
        size: setup.megabytes * 1_000_000,
        plain: Target::new(&process.url),
        gateway: Target::new(&gateway.url),
        session: String::new(),
        rows: Vec::new(),
        _processes: (process, gateway),
    };
    bench.results(setup, false)?;
    for row in &bench.rows {
        println!("{}", row.line());
    }
    Ok(())
}

impl Bench {
    /// Uploads by each of them in turn; the key of the last file.
    fn uploads(&mut self) -> anyhow::Result<String> {
        let (mut plain, mut synced, mut gateway) = (Best::new(), Best::new(), Best::new());
        let mut key = String::new();
        for round in 0..ROUNDS {
            plain.take(|| self.plain.upload("/plain", self.size, round).map(drop))?;
            synced.take(|| self.plain.upload("/synced?sync", self.size, round).map(drop))?;
            let path = format!("/api/sessions/{}/files/upload-{round}.bin", self.session);
            gateway.take(|| {
                let file = self.gateway.upload(&path, self.size, round)?;
                file["key"].as_str().context("a file without a key")?.clone_into(&mut key);
                Ok(())
            })?;
        }
        self.row("upload", self.size, &plain, Some(&synced), &gateway);
        Ok(key)
    }

    fn downloads(&mut self, key: &str) -> anyhow::Result<()> {
        let path = format!("/api/files/download/{key}");
        let (mut plain, mut gateway) = (Best::new(), Best::new());
        let size = self.size;
        for _ in 0..ROUNDS {
            plain.take(|| whole(&mut self.plain, "/plain", size))?;
            gateway.take(|| whole(&mut self.gateway, &path, size))?;
        }
        self.row("download", size, &plain, None, &gateway);
        for (length, count) in RANGES {
            let count = count.min(size / length).max(1);
            let (mut plain, mut gateway) = (Best::new(), Best::new());
            for _ in 0..ROUNDS {
                plain.take(|| ranges(&mut self.plain, "/plain", size, length, count))?;
                gateway.take(|| ranges(&mut self.gateway, &path, size, length, count))?;
            }
            let what = format!("{count} ranges of {} KiB", length >> 10);
            self.row(&what, length * count, &plain, None, &gateway);
        }
        Ok(())
    }

    /// A tool's result whose file is kept, beside copying as many bytes as the result has.
    fn results(&mut self, setup: &Setup, keeps_raw: bool) -> anyhow::Result<()> {
        let url = format!("{}/mcp/echo", self._processes.1.url);
        let client = Client::http_as(&url, &Identity::plain(LEGACY), KEY)?;
        let (mut plain, mut synced, mut gateway) = (Best::new(), Best::new(), Best::new());
        for round in 0..ROUNDS {
            // Another size each time, so that the bytes are not there already.
            let size = setup.megabytes * 1_000_000 + round * 64;
            plain.take(|| self.plain.upload("/plain", size, round).map(drop))?;
            synced.take(|| self.plain.upload("/synced?sync", size, round).map(drop))?;
            gateway.take(|| {
                let answer = client.call("image", &json!({"bytes": size}))?;
                let result = answer.result().context("an error instead of a result")?;
                ensure!(!result.contains("persisted"), "the file was not kept: {result}");
                Ok(())
            })?;
        }
        let what = if keeps_raw { "file in a result, and raw" } else { "file in a result" };
        self.row(what, self.size, &plain, Some(&synced), &gateway);
        Ok(())
    }

    fn row(&mut self, what: &str, bytes: u64, plain: &Best, synced: Option<&Best>, own: &Best) {
        self.rows.push(Row {
            what: what.to_owned(),
            megabytes: bytes as f64 / 1e6,
            plain: plain.0,
            synced: synced.map(|best| best.0),
            gateway: own.0,
        });
    }

    fn print(&self) {
        println!("\nfiles of {} MB, best of {ROUNDS}, in MB/s", self.size / 1_000_000);
        println!(
            "{:28}{:>10}{:>10}{:>10}{:>12}{:>12}",
            "", "plain", "synced", "gateway", "to plain", "to synced"
        );
        for row in &self.rows {
            println!("{}", row.line());
        }
    }
}

impl Row {
    fn line(&self) -> String {
        let Row { what, megabytes, plain, synced, gateway } = self;
        let speed = |took: &Duration| megabytes / took.as_secs_f64();
        let ratio = |took: &Duration| speed(gateway) / speed(took);
        let text = |number: Option<f64>, digits: usize| {
            number.map_or("-".to_owned(), |number| format!("{number:.digits$}"))
        };
        format!(
            "{what:28}{:>10.0}{:>10}{:>10.0}{:>12.2}{:>12}",
            speed(plain),
            text(synced.as_ref().map(speed), 0),
            speed(gateway),
            ratio(plain),
            text(synced.as_ref().map(ratio), 2),
        )
    }
}

/// The shortest of several times.
struct Best(Duration);

impl Best {
    fn new() -> Best {
        Best(Duration::MAX)
    }

    fn take(&mut self, work: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<()> {
        let start = Instant::now();
        work()?;
        self.0 = self.0.min(start.elapsed());
        Ok(())
    }
}

fn whole(target: &mut Target, path: &str, size: u64) -> anyhow::Result<()> {
    let bytes = target.download(path, None)?;
    ensure!(bytes == size, "{bytes} bytes instead of {size}");
    Ok(())
}

fn ranges(
    target: &mut Target,
    path: &str,
    size: u64,
    length: u64,
    count: u64,
) -> anyhow::Result<()> {
    for number in 0..count {
        // All over the file, and not at the edges of anything.
        let start = number * 7_919_333 % (size - length);
        let bytes = target.download(path, Some((start, length)))?;
        ensure!(bytes == length, "{bytes} bytes instead of {length}");
    }
    Ok(())
}
