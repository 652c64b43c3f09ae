//! Faults of lines, ids and time.

use serde_json::json;

use crate::{
    hostile::{Bench, alive, call, fail, result, succeed, text},
    mcp::{Identity, LEGACY, MODERN},
};

#[test]
fn what_can_be_understood_comes_through() {
    let bench = Bench::new(&[], &json!({}));
    let cases = [
        ("logs_around", "between logs"),
        ("log_on_the_same_line", "after the log"),
        ("long_log_line", "after a long log line"),
        ("long_notification", "after a long notification"),
        ("answer_twice", "first"),
        ("answer_string_id", "string id"),
        ("answer_in_batch", "in a batch"),
        ("progress_unknown", "unknown progress"),
        ("log_flood", "after a flood of logs"),
        ("white_space", "spaces"),
        ("crlf", "crlf"),
        ("byte_order_mark", "mark"),
        ("invalid_utf8", "<\u{fffd}\u{fffd}(\u{fffd}>"),
        ("control_characters", "[31m"),
        ("lone_surrogate", "<"),
        ("noisy_errors", "after the noise"),
    ];
    for version in [LEGACY, MODERN] {
        let client = bench.client_as(&Identity::plain(version));
        for (tool, expected) in cases {
            let text = succeed(&client, tool, &json!({}));
            assert!(text.contains(expected), "{tool}: {text}");
            alive(&client);
        }
        // What is whole is passed on as it is.
        for (tool, expected) in [("crlf", "crlf"), ("byte_order_mark", "mark")] {
            assert_eq!(succeed(&client, tool, &json!({})), expected, "{tool}");
        }
        let odd = call(&client, "not_a_number", &json!({}));
        assert_ne!(odd["isError"], json!(true), "{odd}");
    }
    for (tool, _) in cases {
        let expected = if matches!(tool, "crlf" | "byte_order_mark") { 4 } else { 2 };
        assert_eq!(bench.calls(tool), expected, "{tool} was sent once for each call");
    }
    bench.finish();
}

#[test]
fn an_answer_that_does_not_come_fails_the_call_alone() {
    let bench = Bench::new(&[], &json!({"timeouts": {"call_seconds": 2.0}}));
    let client = bench.client();
    for tool in ["never", "answer_other_id", "answer_null_id", "answer_after_cancel"] {
        std::thread::scope(|scope| {
            let other = scope.spawn(|| succeed(&client, "slow", &json!({"millis": 1500})));
            fail(&client, tool, &json!({}), &["2 seconds", "call_seconds"]);
            assert_eq!(other.join().expect("it succeeds"), "slow", "beside {tool}");
        });
        // The late answer of `answer_after_cancel` is on its way by now.
        alive(&client);
        assert_eq!(bench.calls(tool), 1, "{tool}");
    }
    bench.finish();
}

#[test]
fn a_cancelled_call_is_cancelled_and_its_late_answer_reaches_nobody() {
    let bench = Bench::new(&[], &json!({}));
    let client = bench.client();
    let id = client.reserve_id();
    std::thread::scope(|scope| {
        let cancelled = scope.spawn(|| {
            let params = json!({"name": "answer_after_cancel", "arguments": {}});
            client.request_as(id, "tools/call", params)
        });
        crate::hostile::wait_until("it is called", || bench.calls("answer_after_cancel") == 1);
        client.notify("notifications/cancelled", &json!({"requestId": id})).expect("sent");
        let answer = cancelled.join().expect("it ends");
        assert!(answer.is_err(), "a cancelled call is not answered: {answer:?}");
    });
    for _ in 0..20 {
        alive(&client);
    }
    bench.finish();
}

#[test]
fn a_flood_of_progress_is_thinned() {
    let bench = Bench::new(&[], &json!({}));
    let client = bench.client();
    let params =
        json!({"name": "progress_flood", "arguments": {}, "_meta": {"progressToken": "t"}});
    let answer = client.request("tools/call", params).expect("an answer");
    assert_eq!(text(&result(&answer)), "after the flood");
    let progress = client.take_inbox();
    let progress =
        progress.iter().filter(|message| message.method() == Some("notifications/progress"));
    let tokens: Vec<String> =
        progress.map(|message| message.params().unwrap_or_default().to_owned()).collect();
    assert!(tokens.iter().all(|params| params.contains(r#""progressToken":"t""#)), "{tokens:?}");
    let count = tokens.len();
    assert!((10..1000).contains(&count), "{count} of 20000 messages came through");
    alive(&client);
    bench.finish();
}
