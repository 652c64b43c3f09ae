//! What one tab or one call does wrong is its own: the others go on.

use std::{io::Write as _, thread, time::Duration};

use serde_json::{Value, json};
use tungstenite::Message;

use crate::page::{Bench, Page, TAB, call, names, signal, text, wait_until};

fn tool(name: &str) -> Value {
    json!({"name": name, "description": name, "inputSchema": {"type": "object"}})
}

#[test]
fn a_tab_too_many_is_refused_alone() {
    let bench = Bench::new(&json!({}));
    let mut page = bench.page();
    page.register("first", &json!({}));
    for number in 1..256 {
        page.tab(&format!("tab-{number}"));
    }
    page.tab("tab-256");
    let refused = page.hear().expect("an answer");
    assert_eq!(
        (&refused["type"], &refused["tab"], &refused["code"]),
        (&json!("refused"), &json!("tab-256"), &json!("limits"))
    );
    assert!(refused["reason"].as_str().is_some_and(|reason| reason.contains("256 tabs")));
    let refused = page.try_register("tab-256", &tool("second")).expect_err("no tab");
    assert!(refused["reason"].as_str().is_some_and(|reason| reason.contains("not known")));
    page.try_register("tab-255", &tool("last")).expect("one that is there");
    page.say(&json!({"type": "tab_closed", "tab": "tab-7"}));
    page.tab("tab-256");
    page.try_register("tab-256", &tool("second")).expect("there is room now");
    let client = bench.client("2026-07-28");
    assert_eq!(names(&client), ["page_first", "page_last", "page_second"]);
    // One that says nothing to know it by is none.
    for id in [String::new(), "x".repeat(129), "é".repeat(100)] {
        page.tab(&id);
        let refused = page.hear().expect("an answer");
        assert_eq!((&refused["type"], &refused["code"]), (&json!("refused"), &json!("limits")));
        let told = refused["tab"].as_str().expect("a tab");
        assert!(id.starts_with(told) && told.len() <= 128, "{refused}");
        page.try_register(&id, &tool("third")).expect_err("no tab");
    }
    page.try_register("tab-7", &tool("third")).expect_err("it was closed");
    assert_eq!(names(&client), ["page_first", "page_last", "page_second"]);
}

#[test]
fn only_the_page_that_was_called_answers() {
    let bench = Bench::new(&json!({}));
    let client = bench.client("2026-07-28");
    let (mut called, mut other) = (bench.page(), bench.page());
    called.register("work", &json!({}));
    other.register("idle", &json!({}));
    let result = thread::scope(|scope| {
        let calling = scope.spawn(|| call(&client, "page_work", &json!({})));
        let asked = called.hear().expect("a call");
        // Another connection knows the number, and a client of the page may remember an old one.
        other.answer(&asked, r#"{"content":[{"type":"text","text":"not mine to say"}]}"#);
        other.say(&json!({"type": "failed", "call": asked["call"], "message": "nor this"}));
        other.say(&json!({"type": "result", "call": asked["call"], "stream": 1}));
        other.say_bytes([&[0, 0, 0, 1, 1][..], br#"{"content":[]}"#].concat());
        other.register("still", &json!({}));
        called.say(&json!({"type": "failed", "call": "18446744073709551616", "message": "old"}));
        called.say(&json!({"type": "result", "call": "an old one", "result": {"content": []}}));
        called.answer(&asked, r#"{"content":[{"type":"text","text":"mine"}]}"#);
        // What comes after the result is nobody's.
        called.answer(&asked, r#"{"content":[{"type":"text","text":"again"}]}"#);
        calling.join().expect("a result")
    });
    assert_eq!(text(&result), "mine");
    called.register("after", &json!({}));
}

#[test]
fn a_call_has_one_stream_and_a_stream_one_call() {
    let bench = Bench::new(&json!({}));
    let client = bench.client("2026-07-28");
    for is_same_number in [true, false] {
        let (mut page, mut other) = (bench.page(), bench.page());
        page.register("work", &json!({}));
        other.register("other", &json!({}));
        let result = thread::scope(|scope| {
            let calling = scope.spawn(|| call(&client, "page_work", &json!({})));
            let asked = page.hear().expect("a call");
            page.say(&json!({"type": "result", "call": asked["call"], "stream": 1}));
            let stream = if is_same_number { 1 } else { 2 };
            page.say(&json!({"type": "result", "call": asked["call"], "stream": stream}));
            assert_eq!(page.turned_away(), ("message".to_owned(), Some(4400)));
            calling.join().expect("a result")
        });
        assert_eq!(result["isError"], true, "{result}");
        assert!(text(&result).contains("under way"), "{result}");
        assert_eq!(names(&client), ["page_other"], "another page's tools stay");
        drop(other);
        wait_until(|| names(&client), Vec::is_empty);
    }
}

#[test]
fn a_definition_that_is_too_long_harms_no_other() {
    let bench = Bench::new(&json!({}));
    let mut page = bench.page();
    page.tab("other");
    page.try_register("other", &tool("short")).expect("a tool");
    let mut long = tool("long");
    long["description"] = json!("x".repeat(200 << 10));
    let refused = page.try_register(TAB, &long).expect_err("too long");
    assert!(refused["reason"].as_str().is_some_and(|reason| reason.contains("bytes")));
    assert_eq!(names(&bench.client("2026-07-28")), ["page_short"]);
    page.register("next", &json!({}));
}

#[test]
fn a_page_that_takes_nothing_is_cut_off() {
    // It takes nothing and says `pong` all the same, so it is not for its silence.
    let bench = Bench::new(&json!({"pages": {"heartbeat_seconds": 0.3}}));
    let client = bench.client("2026-07-28");
    let mut page: Page = bench.page();
    page.register("work", &json!({}));
    let mut stream = page.socket().get_ref().try_clone().expect("a socket");
    let (stop, stopped) = signal();
    let ponging = thread::spawn(move || {
        let text = br#"{"type":"pong"}"#;
        let mut frame = vec![0x81, 0x80 | u8::try_from(text.len()).expect("short"), 0, 0, 0, 0];
        frame.extend_from_slice(text);
        while stopped.recv_timeout(Duration::from_millis(50)).is_err() {
            if stream.write_all(&frame).is_err() {
                return;
            }
        }
    });
    // More than the buffers between us hold.
    let words = "x".repeat(200 << 10);
    let ended: Vec<Value> = thread::scope(|scope| {
        let (client, words) = (&client, &words);
        let calls: Vec<_> = (0..100)
            .map(|_| scope.spawn(move || call(client, "page_work", &json!({"words": words}))))
            .collect();
        calls.into_iter().map(|call| call.join().expect("a result")).collect()
    });
    let said: Vec<String> = ended.iter().map(text).collect();
    assert!(ended.iter().all(|result| result["isError"] == true), "{said:?}");
    assert!(said.iter().any(|words| words.contains("takes no messages")), "{said:?}");
    assert_eq!(names(&client), [] as [&str; 0]);
    let (_, pages) = bench.api("GET /api/pages", "");
    assert_eq!(pages["items"], json!([]));
    // What is still in the buffers is read to the end, and there is one.
    while let Ok(message) = page.socket().read() {
        assert!(!matches!(message, Message::Close(_)), "it could not take this either");
    }
    let _ = stop.send(json!(1));
    ponging.join().expect("a thread");
}
