//! Measures the library, and the same work done by its Python peers.
//!
//! Numbers are printed, never judged: they depend on the machine. What is compared was measured
//! in one run on one machine, each package in its own process, one after the other.

use std::collections::BTreeMap;

use anyhow::Context;
use serde::Deserialize;

use crate::{
    gateway_bench,
    peers::{self, Peer},
    step::{self, Steps, Verdict},
    workspace::Workspace,
};

/// The library's own benchmarks, run in this order.
const BENCHES: [&str; 1] = ["read"];

/// Does in Rust what the peers' script does in Python, and prints the same JSON.
const REPLY_EXAMPLE: &str = "reply_bench";

const PEER_SCRIPT: &str = "bench/peer_bench.py";
const PEERS: [&str; 2] = ["dedalus", "fastmcp"];

/// Conversions of each value by a peer.
const PEER_TIMES: &str = "500";

pub(crate) fn run(workspace: &Workspace, steps: &mut Steps) {
    for bench in BENCHES {
        steps.run(format!("bench {bench}"), || {
            if !workspace.has_target("resultant", "bench", bench) {
                return Ok(Verdict::Skipped("there is no such benchmark yet".to_owned()));
            }
            step::run(workspace.cargo().args(["bench", "--package", "resultant", "--bench", bench]))
        });
    }
    replies(workspace, steps);
    gateway_bench::run(workspace, steps);
}

/// From a tool's return value to the result's JSON text: ours beside the peers'.
fn replies(workspace: &Workspace, steps: &mut Steps) {
    let mut columns = Vec::new();
    steps.run("replies: resultant", || {
        if !workspace.has_target("resultant", "example", REPLY_EXAMPLE) {
            return Ok(Verdict::Skipped(format!("there is no example {REPLY_EXAMPLE} yet")));
        }
        let mut ours = workspace.cargo();
        ours.args(["run", "--quiet", "--release", "--package", "resultant"]);
        let text = step::output(ours.args(["--example", REPLY_EXAMPLE]))?;
        columns.push(Column::read("resultant", &text)?);
        Ok(Verdict::Passed)
    });
    for name in PEERS {
        let Some(peer) = peers::step(workspace, steps, name) else { continue };
        steps.run(format!("replies: {name}"), || {
            columns.push(measure(workspace, name, &peer)?);
            Ok(Verdict::Passed)
        });
    }
    println!(
        "\nOne return value to the result's JSON text, in microseconds; in brackets, how many"
    );
    println!("times as long as the first column.\n\n{}", table(&columns));
}

fn measure(workspace: &Workspace, name: &str, peer: &Peer) -> anyhow::Result<Column> {
    let mut script = std::process::Command::new(peer.python());
    script.current_dir(&workspace.root).args([PEER_SCRIPT, name, PEER_TIMES]);
    Column::read(name, &step::output(&mut script)?)
}

/// What one package took, by the value's name.
struct Column {
    title: String,
    micros: BTreeMap<String, f64>,
}

impl Column {
    fn read(name: &str, text: &str) -> anyhow::Result<Self> {
        #[derive(Deserialize)]
        struct Measured {
            version: Option<String>,
            micros_per_value: BTreeMap<String, f64>,
        }
        let Measured { version, micros_per_value } =
            serde_json::from_str(text).with_context(|| format!("what {name} printed"))?;
        let title = version.map_or_else(|| name.to_owned(), |version| format!("{name} {version}"));
        Ok(Self { title, micros: micros_per_value })
    }
}

/// One line a value. The first column is what the others are compared with.
fn table(columns: &[Column]) -> String {
    const WIDTH: usize = 24;
    let mut names: Vec<&String> = columns.iter().flat_map(|column| column.micros.keys()).collect();
    names.sort();
    names.dedup();

    let mut text = format!("{:WIDTH$}", "value");
    for column in columns {
        text.push_str(&format!("{:>WIDTH$}", column.title));
    }
    text.push('\n');
    for name in names {
        text.push_str(&format!("{name:WIDTH$}"));
        let first = columns.first().and_then(|column| column.micros.get(name));
        for (number, column) in columns.iter().enumerate() {
            let cell = match (column.micros.get(name), first) {
                (None, _) => "-".to_owned(),
                (Some(micros), Some(first)) if number > 0 && *first > 0.0 => {
                    format!("{micros:.2} ({:.1}x)", micros / first)
                }
                (Some(micros), _) => format!("{micros:.2}"),
            };
            text.push_str(&format!("{cell:>WIDTH$}"));
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Column, table};

    #[test]
    fn values_are_compared_with_the_first_column() {
        let ours = r#"{"micros_per_value": {"int": 0.5, "record": 2.0}}"#;
        let peer = r#"{"package": "p", "version": "1.2", "micros_per_value": {"int": 10}}"#;
        let columns = [Column::read("ours", ours).unwrap(), Column::read("peer", peer).unwrap()];
        let lines: Vec<Vec<String>> = table(&columns)
            .lines()
            .map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()))
            .map(|cells| cells.map(str::to_owned).collect())
            .collect();
        let expected = [
            ["value", "ours", "peer 1.2"],
            ["int", "0.50", "10.00 (20.0x)"],
            ["record", "2.00", "-"],
        ];
        assert_eq!(lines, expected);
    }
}
