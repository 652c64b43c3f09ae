//! What each kind of client's model sees of a result.

use serde_json::json;

use crate::bench::Bench;

#[test]
fn each_client_sees_its_lanes() {
    let bench = Bench::new(&json!({}));
    let call = bench.call("weather", &json!({}));
    let call = call["id"].as_str().unwrap();
    let of = |profile: &str| {
        bench.get(&format!("/api/calls/{call}/renderings?profile={profile}")).json()
    };
    let lanes = |profile: &str| -> Vec<String> {
        let found = of(profile);
        assert_eq!(found["profile"], profile);
        let lanes = found["seen"]["lanes"].as_array().unwrap();
        lanes.iter().map(|lane| lane["lane"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(lanes("claude-code"), ["structured"]);
    assert_eq!(lanes("claude-desktop"), ["content"]);
    assert_eq!(lanes("vscode"), ["content", "structured"]);
    assert_eq!(lanes("unknown"), ["content", "structured"]);
    let seen = of("claude-code")["seen"].clone();
    assert_eq!(seen["tokens"], seen["tokens_before"], "a small result stays: {seen}");
    assert_eq!(seen["tokens_saved"], 0);
    assert!(seen["lanes"][0]["text"].as_str().unwrap().contains("heron-point"), "{seen}");
    let wrong = bench.get(&format!("/api/calls/{call}/renderings?profile=nobody"));
    assert_eq!(wrong.status, 400, "{}", wrong.body);
    assert!(wrong.json()["hint"].as_str().unwrap().contains("claude-code"), "{}", wrong.body);
}

#[test]
fn what_was_saved_is_what_a_model_does_not_see() {
    let bench = Bench::new(&json!({}));
    let call = bench.call("web_log", &json!({"lines": 5000}));
    let call = call["id"].as_str().unwrap();
    let found = bench.get(&format!("/api/calls/{call}/renderings?profile=claude-desktop")).json();
    let seen = &found["seen"];
    let number = |key: &str| seen[key].as_i64().unwrap();
    assert!(number("tokens_before") > 100_000, "{seen}");
    assert!(number("tokens") < 5000 && number("tokens") > 50, "{seen}");
    assert_eq!(number("tokens_saved"), number("tokens_before") - number("tokens"));
    let text = seen["lanes"][0]["text"].as_str().unwrap();
    assert_eq!(number("bytes"), text.len() as i64);
    // It is what such a client was given.
    let blocks = found["client"]["json"]["content"].as_array().unwrap();
    assert!(blocks.iter().any(|block| block["text"].as_str() == Some(text)), "{found}");
}
