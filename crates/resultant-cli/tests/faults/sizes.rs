//! Results without measure.

use std::{
    fs,
    io::Read as _,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::{
    hostile::{Bench, alive, call, fail, memory_kb, succeed, text},
    mcp::{Client, Identity, LEGACY},
};

/// How far the gateway's memory may grow over what it needs when idle.
pub(crate) const GROWTH_KB_MAX: u64 = 32 * 1024;

/// What the tool `big_text` sends, unescaped.
pub(crate) fn big_text_digest(megabytes: usize) -> String {
    let piece = "0123456789 \n abcdef é".repeat(40_000);
    digest(&mut (0..megabytes).map(|_| piece.as_bytes()))
}

/// What the tool `big_image` sends, decoded.
fn big_image_digest(megabytes: usize) -> String {
    let piece = b"resultant".repeat(85_000);
    let head: &[u8] = b"\x89PNG\r\n\x1a\n\0";
    digest(&mut std::iter::once(head).chain((0..megabytes).map(|_| piece.as_slice())))
}

fn digest(parts: &mut dyn Iterator<Item = &[u8]>) -> String {
    let mut digest = Sha256::new();
    parts.for_each(|part| digest.update(part));
    hex(&digest.finalize())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Everything that is kept: a folder an owner, in it a folder for each beginning of a digest.
pub(crate) fn blobs(data: &Path) -> Vec<PathBuf> {
    let entries = |folder: PathBuf| {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path())
    };
    entries(data.join("blobs")).flat_map(entries).flat_map(entries).collect()
}

/// The file of this digest in the data folder, after its bytes were digested again.
pub(crate) fn kept(data: &Path, sha256: &str) -> PathBuf {
    let named =
        |path: &PathBuf| path.file_stem().is_some_and(|stem| stem.to_string_lossy() == sha256);
    let path = blobs(data).into_iter().find(named).expect(sha256);
    let mut file = fs::File::open(&path).expect(sha256);
    let (mut found, mut chunk) = (Sha256::new(), vec![0; 1 << 20]);
    loop {
        match file.read(&mut chunk).expect("readable") {
            0 => break,
            len => found.update(&chunk[..len]),
        }
    }
    assert_eq!(hex(&found.finalize()), sha256);
    path
}

#[test]
fn two_hundred_megabytes_become_a_file_and_memory_stays() {
    let bench = Bench::new(&[], &json!({}));
    let client = bench.client();
    alive(&client);
    let pid = bench.gateway.pid();
    let idle = memory_kb(pid, "VmRSS:");
    for (tool, sha256) in [("big_text", big_text_digest(200)), ("big_image", big_image_digest(200))]
    {
        std::thread::scope(|scope| {
            let big = scope.spawn(|| call(&client, tool, &json!({"megabytes": 200})));
            // Calls beside it go on, on another connection of the same session.
            alive(&client);
            let result = big.join().expect("an answer");
            assert_ne!(result["isError"], json!(true), "{tool}: {result}");
            assert!(result.to_string().len() < 1 << 20, "{tool}");
        });
        kept(&bench.data(), &sha256);
        let peak = memory_kb(pid, "VmHWM:");
        eprintln!("{tool}: idle {idle} kB, peak {peak} kB");
        assert!(peak < idle + GROWTH_KB_MAX, "{tool}: {idle} kB grew to {peak} kB");
    }
    alive(&client);
    bench.finish();
}

#[test]
fn many_large_results_at_once_end_well() {
    let bench = Bench::new(&[], &json!({}));
    let client = bench.client();
    alive(&client);
    let idle = memory_kb(bench.gateway.pid(), "VmRSS:");
    let sha256 = big_text_digest(10);
    std::thread::scope(|scope| {
        let calls: Vec<_> = (0..50)
            .map(|_| scope.spawn(|| call(&client, "big_text", &json!({"megabytes": 10}))))
            .collect();
        for call in calls {
            let result = call.join().expect("an answer");
            assert_ne!(result["isError"], json!(true), "{result}");
            assert!(text(&result).contains("8,800,000 bytes"), "{result}");
        }
    });
    kept(&bench.data(), &sha256);
    let peak = memory_kb(bench.gateway.pid(), "VmHWM:");
    eprintln!("fifty at once: idle {idle} kB, peak {peak} kB");
    assert!(peak < idle + 2 * GROWTH_KB_MAX, "{idle} kB grew to {peak} kB");
    bench.finish();
}

#[test]
fn a_line_over_the_limit_fails_its_call_and_names_the_limit() {
    let bench = Bench::new(&[], &json!({"limits": {"message_bytes_max": 4_000_000}}));
    let client = bench.client();
    // One that ends lets the connection live.
    let servers = bench.notes("start").len();
    std::thread::scope(|scope| {
        let other = scope.spawn(|| succeed(&client, "slow", &json!({"millis": 1000})));
        fail(&client, "big_text", &json!({"megabytes": 5}), &["4000000", "message_bytes_max"]);
        assert_eq!(other.join().expect("an answer"), "slow");
    });
    assert_eq!(bench.notes("start").len(), servers, "the connection lives on");
    // One without an end does not.
    fail(&client, "endless_line", &json!({}), &["4000000", "message_bytes_max"]);
    crate::hostile::wait_until("there is a new one", || bench.notes("start").len() > servers);
    alive(&client);
    assert_eq!(bench.calls("endless_line"), 1);
    assert_eq!(bench.calls("big_text"), 1);
    bench.finish();
}

#[test]
fn blocks_and_keys_without_number_are_bounded() {
    let bench = Bench::new(&[], &json!({}));
    let client = bench.client();
    let blocks = call(&client, "blocks", &json!({"count": 100_000}));
    let count = blocks["content"].as_array().expect("content").len();
    assert!(count <= 1000, "{count} blocks went out");
    assert!(blocks.to_string().len() < 1 << 20);
    assert!(text(&blocks).contains("b00000000"), "the beginning is shown");
    assert!(data_contains(&bench, b"b00099999"), "all bytes are kept");
    let keys = call(&client, "keys", &json!({"count": 1_000_000}));
    assert_ne!(keys["isError"], json!(true));
    assert!(keys.to_string().len() < 1 << 20);
    assert!(data_contains(&bench, b"\"k999999\":999999"), "all keys are kept");
    let equal = call(&client, "colliding_keys", &json!({"count": 100_000}));
    assert!(equal.to_string().len() < 1 << 20);
    alive(&client);
    bench.finish();
}

fn data_contains(bench: &Bench, needle: &[u8]) -> bool {
    let contains = |bytes: &[u8]| bytes.windows(needle.len()).any(|part| part == needle);
    let blobs = blobs(&bench.data());
    blobs.iter().any(|blob| contains(&fs::read(blob).unwrap_or_default()))
}

#[test]
fn a_data_folder_that_cannot_be_written_is_said() {
    let bench = Bench::new(&[], &json!({}));
    let client = bench.client();
    alive(&client);
    // Whoever the test runs as, into a file nothing can be put.
    let incoming = bench.data().join("incoming");
    fs::rename(&incoming, bench.data().join("away")).expect("renamed");
    fs::write(&incoming, "").expect("written");
    // Long or short, with a file in it: the result comes, without a promise.
    let long = call(&client, "big_text", &json!({"megabytes": 3}));
    assert!(text(&long).contains("\"persisted\":false"), "{long}");
    assert!(text(&long).contains("0123456789"), "what there is of it is shown: {long}");
    let image = call(&client, "wrong_images", &json!({}));
    assert!(text(&image).contains("\"persisted\":false"), "{image}");
    // One that has to wait until it is known whose it is: nothing of it can be kept, and that is
    // what is said to everybody whose it may be.
    std::thread::scope(|scope| {
        let other = scope.spawn(|| fail(&client, "never", &json!({}), &["data folder"]));
        crate::hostile::wait_until("it is called", || bench.calls("never") == 1);
        fail(&client, "long_id_last", &json!({"say": "whose?"}), &["data folder"]);
        other.join().expect("it fails");
    });
    alive(&client);
    fs::remove_file(&incoming).expect("removed");
    fs::rename(bench.data().join("away"), &incoming).expect("renamed");
    // And when there is room again all is well again.
    let text: Value = call(&client, "big_text", &json!({"megabytes": 3}));
    assert_ne!(text["isError"], json!(true), "{text}");
    kept(&bench.data(), &big_text_digest(3));
    bench.finish();
}

#[test]
fn calls_beyond_the_limit_are_refused_by_name() {
    let bench = Bench::new(&[], &json!({"limits": {"calls_in_flight_max": 2}}));
    let clients = [bench.client(), bench.client()];
    std::thread::scope(|scope| {
        for client in &clients {
            scope.spawn(|| succeed(client, "slow", &json!({"millis": 2000})));
        }
        crate::hostile::wait_until("two calls run", || bench.calls("slow") == 2);
        let third = Client::http(&bench.gateway.server("hostile"), &Identity::plain(LEGACY));
        fail(&third.expect("a session"), "echo", &json!({}), &["calls_in_flight_max", "2"]);
    });
    assert_eq!(bench.calls("echo"), 0, "it was not sent");
    alive(&clients[0]);
    bench.finish();
}
