//! Uploads, files in results, whole and ranged downloads.

use std::{
    io::Write as _,
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};
use serde_json::json;
use tempfile::TempDir;

use crate::{
    Setup,
    mcp::{Client, Gateway, Identity, LEGACY, Server},
    target::{self, KEY, Target},
};

/// Each is done so often, in turn, and the best counts: the others had to share the machine.
const ROUNDS: u64 = 5;

/// Ranges that are asked for: how large, how many.
const RANGES: [(u64, u64); 2] = [(64 << 10, 400), (8 << 20, 24)];

/// One of the files of the plain handler.
const PLAIN: &str = "/plain-0-0";

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
    keeps_raw: bool,
    processes: (Server, Gateway),
    /// Where both keep what they are given, deleted when they have ended.
    _folder: TempDir,
}

pub(crate) fn run(setup: &Setup) -> anyhow::Result<()> {
    warm_up(setup)?;
    let mut bench = Bench::start(setup, true)?;
    let key = bench.uploads()?;
    bench.downloads(&key)?;
    bench.results(setup)?;
    bench.print();
    drop(bench);
    let mut bench = Bench::start(setup, false)?;
    bench.results(setup)?;
    for row in &bench.rows {
        println!("{}", row.line());
    }
    Ok(())
}

/// Writes as much as all that follows, and deletes it again: memory that a machine has never used is
/// slower than other memory, and whoever comes first would pay for it.
fn warm_up(setup: &Setup) -> anyhow::Result<()> {
    let mut file = tempfile::tempfile_in(&setup.folder)?;
    let chunk = vec![1; 1 << 20];
    for _ in 0..setup.megabytes * ROUNDS * 9 {
        file.write_all(&chunk)?;
    }
    Ok(())
}

impl Bench {
    fn start(setup: &Setup, keeps_raw: bool) -> anyhow::Result<Bench> {
        let folder = tempfile::tempdir_in(&setup.folder)?;
        let process = target::start_plain(folder.path())?;
        let settings = json!({
            "limits": {"message_bytes_max": 8_u64 << 30},
            "store": {"keep_raw": keeps_raw},
        });
        let gateway = target::start_gateway(setup, folder.path(), &settings)?;
        let mut bench = Bench {
            size: setup.megabytes * 1_000_000,
            keeps_raw,
            plain: Target::new(&process.url),
            gateway: Target::new(&gateway.url),
            session: String::new(),
            rows: Vec::new(),
            processes: (process, gateway),
            _folder: folder,
        };
        bench.session = target::session(&mut bench.gateway)?;
        Ok(bench)
    }

    /// Uploads by each of them in turn; the key of the last file.
    fn uploads(&mut self) -> anyhow::Result<String> {
        let (mut plain, mut synced, mut gateway) = (Best::new(), Best::new(), Best::new());
        let mut key = String::new();
        for round in 0..ROUNDS {
            plain.take(|| self.copies("plain", "", &[self.size], round))?;
            synced.take(|| self.copies("synced", "?sync", &[self.size], round))?;
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
            plain.take(|| whole(&mut self.plain, PLAIN, size))?;
            gateway.take(|| whole(&mut self.gateway, &path, size))?;
        }
        self.row("download", size, &plain, None, &gateway);
        for (length, count) in RANGES {
            let count = count.min(size / length).max(1);
            let (mut plain, mut gateway) = (Best::new(), Best::new());
            for _ in 0..ROUNDS {
                plain.take(|| ranges(&mut self.plain, PLAIN, size, length, count))?;
                gateway.take(|| ranges(&mut self.gateway, &path, size, length, count))?;
            }
            let what = format!("{count} ranges of {} KiB", length >> 10);
            self.row(&what, length * count, &plain, None, &gateway);
        }
        Ok(())
    }

    /// A tool's result whose file is kept, beside copying as many bytes as the result has. Where the
    /// message is kept too, there are two files to copy: the message and what is in it.
    fn results(&mut self, setup: &Setup) -> anyhow::Result<()> {
        let url = format!("{}/mcp/echo", self.processes.1.url);
        let client = Client::http_as(&url, &Identity::plain(LEGACY), KEY)?;
        let (mut plain, mut synced, mut gateway) = (Best::new(), Best::new(), Best::new());
        for round in 0..ROUNDS {
            // Another size each time, so that the bytes are not there already.
            let size = setup.megabytes * 1_000_000 + round * 64;
            let sizes: &[u64] = if self.keeps_raw { &[size, size / 4 * 3] } else { &[size] };
            plain.take(|| self.copies("plain", "", sizes, ROUNDS + round))?;
            synced.take(|| self.copies("synced", "?sync", sizes, ROUNDS + round))?;
            gateway.take(|| {
                let answer = client.call("image", &json!({"bytes": size}))?;
                let result = answer.result().context("an error instead of a result")?;
                ensure!(!result.contains("persisted"), "the file was not kept: {result}");
                Ok(())
            })?;
        }
        let (what, bytes) = match self.keeps_raw {
            true => ("file in a result, and raw", self.size / 4 * 7),
            false => ("file in a result", self.size),
        };
        self.row(what, bytes, &plain, Some(&synced), &gateway);
        Ok(())
    }

    /// New files of these sizes, one after the other, by the plain handler. They are new because the
    /// gateway's are: memory that a file has just left is faster than other memory.
    fn copies(&mut self, name: &str, query: &str, sizes: &[u64], round: u64) -> anyhow::Result<()> {
        for (number, size) in sizes.iter().enumerate() {
            self.plain.upload(&format!("/{name}-{round}-{number}{query}"), *size, round)?;
        }
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

    /// Does it once. What others left to the system goes to the disk before: whoever waits for the
    /// disk would have to wait for that too.
    fn take(&mut self, work: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<()> {
        let _ = Command::new("sync").status();
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
