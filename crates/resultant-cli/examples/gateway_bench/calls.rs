//! `tools/call` of echo, one after the other and 32 at once.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, ensure};
use serde_json::json;

use crate::{
    Setup,
    mcp::Client,
    targets::{self, Upstream, Way},
};

const AT_ONCE: usize = 32;

/// Before measuring, so that connections and caches are there.
const WARM_UP: usize = 20;

struct Stats {
    median: Duration,
    p95: Duration,
    per_second: f64,
}

struct Row {
    way: Way,
    sequential: Stats,
    concurrent: Stats,
}

pub(crate) fn run(setup: &Setup) -> anyhow::Result<()> {
    for (upstream, title) in [(Upstream::Stdio, "stdio"), (Upstream::Http, "HTTP")] {
        let mut rows = Vec::new();
        let mut problems = Vec::new();
        for way in Way::ALL {
            match measure(setup, way, upstream) {
                Ok(Some(row)) => rows.push(row),
                Ok(None) => problems.push(format!("{}: not installed", way.title())),
                Err(error) => problems.push(format!("{}: {error:#}", way.title())),
            }
        }
        print(title, &rows);
        for problem in problems {
            println!("not measured: {problem}");
        }
    }
    Ok(())
}

fn measure(setup: &Setup, way: Way, upstream: Upstream) -> anyhow::Result<Option<Row>> {
    let folder = tempfile::tempdir()?;
    let http = targets::start_http(setup)?;
    let target = targets::connect(setup, way, upstream, &http, folder.path())?;
    let Some(target) = target else { return Ok(None) };
    for _ in 0..WARM_UP {
        call(&target.client)?;
    }
    let sequential = load(&target.client, 1, setup.duration)?;
    let concurrent = load(&target.client, AT_ONCE, setup.duration)?;
    Ok(Some(Row { way, sequential, concurrent }))
}

fn call(client: &Client) -> anyhow::Result<()> {
    let answer = client.call("echo", &json!({"message": "hello"}))?;
    let result = answer.result().context("an error instead of a result")?;
    ensure!(result.contains(r#""hello""#), "not an echo: {result}");
    Ok(())
}

/// Calls from so many threads until the time is over.
fn load(client: &Client, threads: usize, duration: Duration) -> anyhow::Result<Stats> {
    let over = AtomicBool::new(false);
    let start = Instant::now();
    let mut times = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    let mut times = Vec::new();
                    while !over.load(Ordering::Relaxed) {
                        let start = Instant::now();
                        call(client)?;
                        times.push(start.elapsed());
                    }
                    anyhow::Ok(times)
                })
            })
            .collect();
        thread::sleep(duration);
        over.store(true, Ordering::Relaxed);
        let mut times = Vec::new();
        for worker in workers {
            match worker.join() {
                Ok(own) => times.extend(own?),
                Err(_) => anyhow::bail!("a worker panicked"),
            }
        }
        Ok(times)
    })?;
    let took = start.elapsed();
    times.sort_unstable();
    let at = |part: usize| times.get(times.len() * part / 100).copied().context("no call ended");
    Ok(Stats { median: at(50)?, p95: at(95)?, per_second: times.len() as f64 / took.as_secs_f64() })
}

fn print(title: &str, rows: &[Row]) {
    println!("\ntools/call echo, in front of a server over {title}");
    println!(
        "{:24}{:>12}{:>10}{:>10}{:>8}   {:>12}{:>10}{:>10}{:>8}",
        "", "one: median", "p95", "calls/s", "times", "32: median", "p95", "calls/s", "times"
    );
    let ours = rows.iter().find(|row| row.way == Way::Resultant);
    for row in rows {
        print!("{:24}", row.way.title());
        for (stats, ours, gap) in [
            (&row.sequential, ours.map(|row| &row.sequential), "   "),
            (&row.concurrent, ours.map(|row| &row.concurrent), "\n"),
        ] {
            let times = ours.map_or_else(
                || "-".to_owned(),
                |ours| format!("{:.2}", stats.per_second / ours.per_second),
            );
            print!(
                "{:>9.3} ms{:>7.3} ms{:>10.0}{times:>8}{gap}",
                stats.median.as_secs_f64() * 1e3,
                stats.p95.as_secs_f64() * 1e3,
                stats.per_second
            );
        }
    }
    println!("(times: throughput as a multiple of resultant's)");
}
