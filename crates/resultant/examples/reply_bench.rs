//! Times return values on their way to a result's JSON text: the counterpart of
//! `bench/peer_bench.py`, with the same values under the same names.
//!
//! Prints one JSON object: version, micros_per_value.
#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a benchmark has a clock and prints"
)]

use std::{collections::BTreeMap, hint::black_box, time::Instant};

use resultant::{Bytes, reply};
use serde::Serialize;
use serde_json::{Map, Value, json};

const ROUNDS: usize = 5;
const TIMES: usize = 500;

#[derive(Serialize)]
struct Record {
    id: u32,
    name: &'static str,
    email: &'static str,
    active: bool,
    score: f64,
    tags: [&'static str; 2],
    note: Option<String>,
    city: &'static str,
    visits: u32,
    ratio: f64,
}

#[derive(Serialize)]
struct Row {
    id: u32,
    name: String,
    value: f64,
}

fn main() {
    let record = Record {
        id: 42,
        name: "Ada Lovelace",
        email: "ada@example.com",
        active: true,
        score: 98.6,
        tags: ["math", "engines"],
        note: None,
        city: "London",
        visits: 1815,
        ratio: 0.1,
    };
    let rows: Vec<Row> = (0..1000)
        .map(|id| Row { id, name: format!("row {id}"), value: f64::from(id) * 0.5 })
        .collect();
    let text = "The quick brown fox, 0123456789. ".repeat(124) + "four";
    let bytes: Vec<u8> = (0..=255).cycle().take(64 << 10).collect();
    let lines: Vec<String> = (0..100).map(|number| format!("line number {number}")).collect();
    let took = BTreeMap::from([
        ("record_10_fields", micros(&record)),
        ("list_1000_dicts", micros(&rows)),
        ("string_4_kib", micros(&text)),
        ("int", micros(&1_234_567)),
        ("bytes_64_kib", micros(&Bytes(&bytes))),
        ("tuple_payload_dict", micros(&("done", json!({"status": "ok", "count": 3})))),
        ("list_100_strings", micros(&lines)),
        ("nested_3_levels", micros(&nested())),
    ]);
    let version = env!("CARGO_PKG_VERSION");
    println!("{}", json!({"package": "resultant", "version": version, "micros_per_value": took}));
}

/// Three levels of maps with five keys each.
fn nested() -> Map<String, Value> {
    let site = |a: u32, b: u32| -> Value {
        (0..5)
            .map(|c| (format!("sensor-{c}"), Value::from(a * b * c)))
            .collect::<Map<_, _>>()
            .into()
    };
    let region = |a: u32| -> Value {
        (0..5).map(|b| (format!("site-{b}"), site(a, b))).collect::<Map<_, _>>().into()
    };
    (0..5).map(|a| (format!("region-{a}"), region(a))).collect()
}

/// Microseconds for one conversion: the best round's mean.
fn micros(value: &impl Serialize) -> f64 {
    let mut best = f64::MAX;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for _ in 0..TIMES / ROUNDS {
            black_box(reply(black_box(value)).to_json());
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e6 / (TIMES / ROUNDS) as f64);
    }
    (best * 1000.0).round() / 1000.0
}
