//! Reading to contract JSON, side by side with `serde_json` parsing and writing the same bytes.
//!
//! Prints ratios measured in one run; asserts nothing, because machines differ.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_types,
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a benchmark has a clock and prints"
)]

use std::{hint::black_box, io, time::Instant};

use bytes::Bytes;
use peak_alloc::PeakAlloc;
use resultant::{Budget, ClientOptions, ReadOptions, Sink, SpillId};

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

fn main() {
    println!(
        "{:<34} {:>10} {:>12} {:>7} {:>11}",
        "reading to contract JSON", "ours", "serde_json", "ratio", "heap/input"
    );
    for (name, message) in [
        ("structured JSON, 1 KiB", structured(1 << 10)),
        ("structured JSON, 64 KiB", structured(64 << 10)),
        ("structured JSON, 8 MiB", structured(8 << 20)),
        ("structured and mirror, 8 MiB", mirrored(4 << 20)),
        ("base64 of a file, 64 MiB", base64(64 << 20)),
    ] {
        compare(name, &message);
    }
    println!();
    println!(
        "{:<34} {:>10} {:>12} {:>7} {:>11}",
        "passing through to a client", "ours", "serde_json", "ratio", "heap/input"
    );
    pass_through("structured JSON, 64 KiB", &structured(64 << 10));
    pass_through("structured JSON, 8 MiB", &structured(8 << 20));
    println!();
    println!("{:<34} {:>10} {:>12}", "a string cut out while reading", "time", "peak heap");
    spill("text of 2 MiB", 2 << 20, "text", "a line of text, ");
    spill("text of 1 GiB", 1 << 30, "text", "a line of text, ");
    spill("base64 of 1 GiB", 1 << 30, "data", "QUFBQUFBQUFBQUFB");
    spill("text of 1 GiB that is a contract", 1 << 30, "inner", "QUFBQUFBQUFBQUFB");
}

/// Rows as an API returns them.
fn rows(bytes: usize) -> String {
    let mut rows = String::from("[");
    let mut number = 0_u64;
    while rows.len() < bytes {
        if number > 0 {
            rows.push(',');
        }
        rows.push_str(&format!(
            "{{\"id\":{number},\"name\":\"customer {number}\",\"email\":\"c{number}@example.com\",\
             \"balance\":{}.{:02},\"active\":{},\"tags\":[\"new\",\"gold\"],\"note\":null}}",
            number * 37 % 10_000,
            number % 100,
            number.is_multiple_of(3)
        ));
        number += 1;
    }
    rows.push(']');
    rows
}

fn structured(bytes: usize) -> Bytes {
    format!("{{\"content\":[],\"structuredContent\":{{\"results\":{},\"meta_data\":{{\"took_ms\":3}}}}}}", rows(bytes)).into()
}

fn mirrored(bytes: usize) -> Bytes {
    let value = format!("{{\"rows\":{}}}", rows(bytes));
    let text = serde_json::to_string(&value).unwrap();
    format!("{{\"content\":[{{\"type\":\"text\",\"text\":{text}}}],\"structuredContent\":{value}}}")
        .into()
}

fn base64(bytes: usize) -> Bytes {
    format!("{{\"content\":[{{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"iVBORw0KGgo{}\"}}]}}", "A".repeat(bytes / 4 * 4 + 1)).into()
}

/// The least time of a few runs, in milliseconds, and the most heap beyond what there was.
fn measure<T>(input: usize, mut run: impl FnMut() -> T) -> (f64, f64) {
    let rounds = ((64 << 20) / input.max(1)).clamp(5, 2000);
    let before = HEAP.current_usage();
    HEAP.reset_peak_usage();
    drop(black_box(run()));
    let heap = HEAP.peak_usage().saturating_sub(before) as f64;
    let mut least = f64::MAX;
    for _ in 0..rounds {
        let start = Instant::now();
        let value = black_box(run());
        least = least.min(start.elapsed().as_secs_f64() * 1e3);
        drop(value);
    }
    (least, heap / input as f64)
}

fn compare(name: &str, message: &Bytes) {
    let (ours, heap) = measure(message.len(), || resultant::read(message.clone()).to_contract());
    let (theirs, _) = measure(message.len(), || {
        serde_json::to_string(&serde_json::from_slice::<serde_json::Value>(message).unwrap())
            .unwrap()
    });
    print_row(name, ours, theirs, heap);
}

fn pass_through(name: &str, message: &Bytes) {
    let budget = Budget { bytes: usize::MAX, tokens: usize::MAX, ..Default::default() };
    let options = ClientOptions { budget, ..Default::default() };
    // The message has a contract inside; what passes is the result as it was sent.
    let (ours, heap) = measure(message.len(), || {
        let client = resultant::read(message.clone()).to_client(&options);
        assert!(client.is_passed_through);
        client.json
    });
    let (theirs, _) = measure(message.len(), || {
        serde_json::to_string(&serde_json::from_slice::<serde_json::Value>(message).unwrap())
            .unwrap()
    });
    print_row(name, ours, theirs, heap);
}

fn print_row(name: &str, ours: f64, theirs: f64, heap: f64) {
    println!("{name:<34} {ours:>7.3} ms {theirs:>9.3} ms {:>7.2} {heap:>11.2}", ours / theirs);
}

/// Takes everything and keeps nothing.
struct Nowhere;

impl Sink for Nowhere {
    fn write(&mut self, _: SpillId, bytes: &[u8]) -> io::Result<()> {
        black_box(bytes);
        Ok(())
    }

    fn end(&mut self, _: SpillId) -> io::Result<()> {
        Ok(())
    }

    fn discard(&mut self, _: SpillId) {}
}

fn spill(name: &str, bytes: usize, kind: &str, unit: &str) {
    let part = unit.repeat((64 << 10) / unit.len());
    let (start, end) = match kind {
        "data" => {
            ("{\"content\":[{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"", "\"}]}")
        }
        "inner" => (
            "{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"results\\\":1,\\\"artifacts\\\":[{\\\"name\\\":\\\"a.bin\\\",\\\"b64\\\":\\\"",
            "\\\"}]}\"}]}",
        ),
        _ => ("{\"content\":[{\"type\":\"text\",\"text\":\"", "\"}]}"),
    };
    let before = HEAP.current_usage();
    HEAP.reset_peak_usage();
    let clock = Instant::now();
    let mut sink = Nowhere;
    let options = ReadOptions::default();
    let mut reader = options.reader(&mut sink);
    reader.feed(start.as_bytes());
    for _ in 0..bytes / part.len() {
        reader.feed(part.as_bytes());
    }
    reader.feed(end.as_bytes());
    let contract = reader.finish().to_contract();
    let seconds = clock.elapsed().as_secs_f64();
    assert!(contract.get("artifacts").is_some());
    let heap = HEAP.peak_usage().saturating_sub(before) as f64 / (1 << 20) as f64;
    println!("{name:<34} {seconds:>8.2} s {heap:>8.2} MiB");
}
