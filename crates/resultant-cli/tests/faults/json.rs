//! Results that are odd JSON, or odd results.

use serde_json::json;

use crate::{
    hostile::{Bench, alive, call, fail, head, notes, result, succeed, text},
    mcp::{Client, Identity, LEGACY, MODERN},
};

#[test]
fn two_readings_are_one() {
    let bench = Bench::new(&[], &json!({}));
    let client = bench.client();
    // Of equal keys the last counts, and the client is not left to choose.
    let answer = client.call("is_error_twice", &json!({})).expect("an answer");
    assert_eq!(result(&answer)["isError"], json!(true));
    assert_eq!(answer.text().matches("\"isError\":").count(), 1, "{}", head(&answer));
    assert!(answer.text().contains("more than once"), "it is said: {}", head(&answer));
    let second = succeed(&client, "two_results", &json!({}));
    assert!(second.contains("second") && second.contains("more than once"), "{second}");
    assert_eq!(succeed(&client, "error_null", &json!({})), "no error");
    assert!(succeed(&client, "long_error_null", &json!({})).contains("no error"));
    let both = client.call("result_and_error", &json!({})).expect("an answer");
    assert!(both.error().is_some_and(|error| error.contains("both")), "{}", head(&both));
    assert!(both.result().is_none());
    alive(&client);
    bench.finish();
}

#[test]
fn numbers_pass_through_with_all_their_digits() {
    let bench = Bench::new(&[], &json!({}));
    let expected = r#"{"a":12345678901234567890,"b":1e400,"c":-0.0,"d":0.123456789012345678901234567890,"e":1E+2}"#;
    for version in [LEGACY, MODERN] {
        let client = bench.client_as(&Identity::plain(version));
        let answer = client.call("numbers", &json!({})).expect("an answer");
        assert!(answer.text().contains(expected), "{}", head(&answer));
    }
    bench.finish();
}

#[test]
fn nesting_without_end_is_kept_as_text() {
    let bench = Bench::new(&[], &json!({}));
    let client = bench.client();
    for (tool, depth) in [("nesting", 1000), ("nesting", 100_000), ("long_nesting", 100_000)] {
        let answer = client.call(tool, &json!({"count": depth})).expect("an answer");
        let deepest = answer.text().bytes().scan((0_u32, false, false), |state, byte| {
            let (depth, in_string, escaped) = state;
            match (*in_string, *escaped, byte) {
                (true, true, _) => *escaped = false,
                (true, false, b'\\') => *escaped = true,
                (_, false, b'"') => *in_string = !*in_string,
                (false, _, b'[' | b'{') => *depth += 1,
                (false, _, b']' | b'}') => *depth -= 1,
                _ => {}
            }
            Some(*depth)
        });
        let deepest = deepest.max().unwrap_or_default();
        assert!(deepest < 150, "{tool}: nesting of {deepest} went out: {}", head(&answer));
        assert!(answer.text().contains("deep"), "{tool}: {}", head(&answer));
        assert!(answer.text().contains("depth"), "{tool} does not say why: {}", head(&answer));
        alive(&client);
    }
    bench.finish();
}

#[test]
fn results_that_are_none_are_told_as_what_they_are() {
    let bench = Bench::new(&[], &json!({}));
    for version in [LEGACY, MODERN] {
        let client = bench.client_as(&Identity::plain(version));
        let cases = [
            ("result_string", "just text"),
            ("result_array", "1"),
            ("content_missing", "n"),
            ("content_string", "plain"),
            ("content_of_odd_items", "the sound one"),
            ("unknown_blocks", "the sound one"),
        ];
        for (tool, words) in cases {
            let answer = client.call(tool, &json!({})).expect("an answer");
            let result = result(&answer);
            assert!(result["content"].is_array(), "{tool}: {}", head(&answer));
            assert!(answer.text().contains(words), "{tool}: {}", head(&answer));
            is_valid_content(tool, &result);
        }
        for tool in ["result_null", "content_null"] {
            let answer = client.call(tool, &json!({})).expect("an answer");
            is_valid_content(tool, &result(&answer));
        }
        alive(&client);
    }
    bench.finish();
}

/// Whether every block is one that any client knows, with what it must have.
fn is_valid_content(tool: &str, result: &serde_json::Value) {
    for block in result["content"].as_array().expect("content") {
        let sound = match block["type"].as_str() {
            Some("text") => block["text"].is_string(),
            Some("image" | "audio") => block["data"].is_string() && block["mimeType"].is_string(),
            Some("resource") => block["resource"]["uri"].is_string(),
            Some("resource_link") => block["uri"].is_string() && block["name"].is_string(),
            _ => false,
        };
        assert!(sound, "{tool}: {block}");
    }
}

#[test]
fn what_is_no_image_is_not_sent_as_one() {
    let bench = Bench::new(&[], &json!({}));
    let client = bench.client();
    let answer = call(&client, "wrong_images", &json!({}));
    for block in answer["content"].as_array().expect("content") {
        let is_image = block["type"] == "image";
        assert!(!is_image || block["mimeType"] == "image/jpeg", "{answer}");
    }
    is_valid_content("wrong_images", &answer);
    alive(&client);
    bench.finish();
}

#[test]
fn an_error_reaches_the_model_whatever_the_schema_says() {
    let bench = Bench::new(&[], &json!({}));
    for version in [LEGACY, MODERN] {
        let client = bench.client_as(&Identity::plain(version));
        fail(&client, "error_not_matching", &json!({}), &["the disk is full"]);
        let answer = call(&client, "result_not_matching", &json!({}));
        assert!(text(&answer).contains("not as promised"), "{answer}");
        alive(&client);
    }
    bench.finish();
}

#[test]
fn errors_of_every_shape_are_errors() {
    let bench = Bench::new(&[], &json!({}));
    let client = bench.client();
    let words = client.call("error_not_an_object", &json!({})).expect("an answer");
    assert!(words.error().is_some_and(|error| error.contains("just words")), "{}", head(&words));
    let unknown = client.call("no_such_tool", &json!({})).expect("an answer");
    assert!(unknown.error().is_some_and(|error| error.contains("unknown tool")));
    for megabytes in [1, 20] {
        let huge = client.call("huge_error", &json!({"megabytes": megabytes})).expect("an answer");
        assert!(huge.text().len() < 1 << 20, "an error of {} bytes went out", huge.text().len());
        let is_error = huge.error().is_some() || result(&huge)["isError"] == json!(true);
        assert!(is_error, "{}", head(&huge));
        assert!(huge.text().contains("eeee"), "{}", head(&huge));
        alive(&client);
    }
    bench.finish();
}

#[test]
fn the_same_holds_for_a_proxy_on_standard_input_and_output() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let mut command = std::process::Command::new(crate::hostile::PROGRAM);
    command.arg("proxy").arg("--data").arg(folder.path().join("data")).arg("--");
    command.arg(crate::hostile::hostile_server());
    command.env("HOSTILE_LOG", folder.path().join("hostile.log"));
    let client = Client::stdio(&mut command, &Identity::plain(LEGACY)).expect("a client");
    for (tool, expected) in [
        ("logs_around", "between logs"),
        ("crlf", "crlf"),
        ("invalid_utf8", "<\u{fffd}\u{fffd}(\u{fffd}>"),
        ("control_characters", "[31m"),
        ("exit_after_answer", "last words"),
    ] {
        let text = succeed(&client, tool, &json!({}));
        assert!(text.contains(expected), "{tool}: {text}");
        let restarts = tool.starts_with("exit");
        crate::hostile::wait_until("a server is there", || {
            !restarts || notes(folder.path(), "start").len() > 1
        });
        alive(&client);
    }
    fail(&client, "exit_mid_line", &json!({}), &["out of luck", "not repeated"]);
    alive(&client);
    let big = succeed(&client, "big_text", &json!({"megabytes": 20}));
    assert!(big.len() < 1 << 20);
    drop(client);
    for pid in notes(folder.path(), "start") {
        crate::hostile::wait_until("the servers are gone", || !crate::hostile::is_running(&pid));
    }
}
