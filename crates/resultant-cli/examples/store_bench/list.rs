//! A session with ten thousand files, listed.

use std::{
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, bail, ensure};
use serde_json::json;

use crate::{
    Setup,
    target::{self, Target},
};

const FILES: u64 = 10_000;
const AT_ONCE: u64 = 16;
const ROUNDS: usize = 9;

pub(crate) fn run(setup: &Setup) -> anyhow::Result<()> {
    let folder = tempfile::tempdir_in(&setup.folder)?;
    let gateway = target::start_gateway(setup, folder.path(), &json!({}))?;
    let mut target = Target::new(&gateway.url);
    let session = target::session(&mut target)?;
    let start = Instant::now();
    thread::scope(|scope| {
        let fill = |worker: u64| {
            let mut target = Target::new(&gateway.url);
            for number in (worker..FILES).step_by(AT_ONCE as usize) {
                let path = format!("/api/sessions/{session}/files/file-{number}.txt");
                target.upload(&path, 100, number)?;
            }
            anyhow::Ok(())
        };
        let workers: Vec<_> = (0..AT_ONCE).map(|n| scope.spawn(move || fill(n))).collect();
        for worker in workers {
            match worker.join() {
                Ok(filled) => filled?,
                Err(_) => bail!("a worker panicked"),
            }
        }
        Ok(())
    })?;
    let filled = start.elapsed();
    println!("\na session with {FILES} files");
    println!(
        "  filled in {:.1} s by {AT_ONCE} at once, {:.0} files/s",
        filled.as_secs_f64(),
        FILES as f64 / filled.as_secs_f64()
    );
    for (count, what) in [(FILES, "all"), (100, "the first 100")] {
        let path = format!("/api/sessions/{session}/files?count={count}");
        let list = target.ask("GET", &path, None)?;
        let listed = list["items"].as_array().context("no items")?.len() as u64;
        ensure!(listed == count, "{listed} files are listed");
        // What a client does with the text is its own affair.
        let mut times = Vec::new();
        for _ in 0..ROUNDS {
            let start = Instant::now();
            target.download(&path, None)?;
            times.push(start.elapsed());
        }
        println!("  {what} listed in {:.1} ms (median)", median(times));
    }
    Ok(())
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1e3
}
