//! Much of it: many calls, many at once, and results that are not held in memory.

use std::thread;

use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::page::{Bench, call, memory_kb, text};

#[test]
fn a_thousand_calls_in_a_row_and_a_hundred_at_once() {
    let bench = Bench::new(&json!({}));
    let mut page = bench.page();
    page.register("echo", &json!({}));
    let (mut held, mut hundred) = (Vec::new(), false);
    let _page = page.serve(move |page, call| {
        let answer = |page: &mut crate::page::Page, call: &serde_json::Value| {
            let words = call["arguments"]["n"].to_string();
            let result = json!({"content": [{"type": "text", "text": words}]});
            page.answer(call, &result.to_string());
        };
        if call["arguments"]["together"] != true || hundred {
            return answer(page, call);
        }
        // A hundred are under way before the first is answered, and the last is answered first.
        held.push(call.clone());
        if held.len() == 100 {
            hundred = true;
            while let Some(call) = held.pop() {
                answer(page, &call);
            }
        }
    });
    let client = bench.client("2026-07-28");
    for n in 0..1000 {
        assert_eq!(text(&call(&client, "page_echo", &json!({"n": n}))), n.to_string());
    }
    thread::scope(|scope| {
        let client = &client;
        let calls: Vec<_> = (0..100)
            .map(|n| {
                let arguments = json!({"n": n, "together": true});
                (n, scope.spawn(move || call(client, "page_echo", &arguments)))
            })
            .collect();
        for (n, call) in calls {
            assert_eq!(text(&call.join().expect("a result")), n.to_string());
        }
    });
}

#[test]
fn fifty_megabytes_become_a_file_and_memory_stays() {
    const MEGABYTES: usize = 50;
    let bench = Bench::new(&json!({}));
    let client = bench.client("2026-07-28");
    let mut page = bench.page();
    page.register("big", &json!({}));
    let line: Vec<u8> = (0..64 << 10).map(|n: u32| b'a' + (n % 23) as u8).collect();
    let mut expected = Sha256::new();
    for _ in 0..MEGABYTES * 16 {
        expected.update(&line);
    }
    let expected: String = expected.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    let _page = page.serve(move |page, call| {
        let times = call["arguments"]["times"].as_u64().expect("a number");
        let times = usize::try_from(times).expect("small");
        let head = br#"{"content":[{"type":"text","text":""#.to_vec();
        let line = line.clone();
        let middle = std::iter::repeat_with(move || line.clone()).take(times);
        let tail = br#""}]}"#.to_vec();
        page.stream(call, std::iter::once(head).chain(middle).chain(std::iter::once(tail)));
    });
    // Everything was used once before it is measured.
    call(&client, "page_big", &json!({"times": 16}));
    let pid = bench.gateway.pid();
    let idle = memory_kb(pid, "VmRSS:");
    let result = call(&client, "page_big", &json!({"times": MEGABYTES * 16}));
    let peak = memory_kb(pid, "VmHWM:");
    eprintln!("50 MB of a page: idle {idle} kB, peak {peak} kB");
    assert!(peak < idle + 32 * 1024, "{idle} kB grew to {peak} kB");
    assert_ne!(result["isError"], true, "{result}");
    assert!(result.to_string().len() < 1 << 20, "a digest stands for it");
    let (_, files) = bench.api("GET /api/files", "");
    let files = files["items"].as_array().expect("files").clone();
    let is_it = |file: &&serde_json::Value| file["sha256"] == expected.as_str();
    assert!(files.iter().any(|file| is_it(&file)), "{files:?}");
}
