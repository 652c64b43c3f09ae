//! Tools are called over the API, and calls are looked at again.

use std::io::Write as _;

use serde_json::json;

use crate::client::{Bench, Events, text};

fn call_stream(bench: &Bench, session: &str, tool: &str, arguments: &serde_json::Value) -> Events {
    let body = json!({"server": "shop", "tool": tool, "arguments": arguments}).to_string();
    let headers = format!(
        "Accept: text/event-stream\r\nContent-Type: application/json\r\nContent-Length: {}\r\n",
        body.len()
    );
    let mut stream = bench.send(&format!("POST /api/sessions/{session}/calls"), &headers, true);
    stream.get_mut().write_all(body.as_bytes()).expect("sent");
    Events::open(stream)
}

#[test]
fn a_call_has_a_result_a_record_and_renderings() {
    let bench = Bench::new();
    let session = bench.session();
    let path = format!("/api/sessions/{session}/calls");
    let body = json!({"tool": "shop_echo", "arguments": {"message": "12345678901234567890.10"}});
    let response = bench.post(&path, &body);
    assert_eq!(response.status, 200, "{response}");
    let result = response.json();
    let id = text(&result["id"]);
    assert_eq!(response.header("location"), Some(format!("/api/calls/{id}").as_str()));
    assert_eq!(result["is_error"], false);
    assert!(text(&result["model"]["text"]).contains("12345678901234567890.10"), "{result}");
    assert!(result["contract"].get("results").is_some(), "{result}");
    assert!(result["model"]["tokens"].as_u64() > Some(0));

    let record = bench.get(&format!("/api/calls/{id}")).json();
    assert_eq!((&record["server"], &record["tool"]), (&json!("shop"), &json!("echo")));
    assert_eq!((&record["ending"], &record["session"]), (&json!("ok"), &json!(session)));
    assert_eq!(record["arguments"]["message"], "12345678901234567890.10");
    assert_eq!(record["has_raw"], true);

    let raw = bench.get(&format!("/api/calls/{id}/raw"));
    assert_eq!(raw.status, 200, "{raw}");
    assert_eq!(raw.body.len() as u64, record["bytes_in"].as_u64().expect("a number"));
    assert!(raw.json().to_string().contains("12345678901234567890.10"));

    for version in ["2024-11-05", "2025-06-18", "2026-07-28"] {
        let seen = bench.get(&format!("/api/calls/{id}/renderings?client={version}")).json();
        assert_eq!(seen["protocol"], version);
        assert_eq!(seen["model"]["text"], result["model"]["text"]);
        assert_eq!(seen["contract"]["json"], result["contract"]);
        assert!(seen["client"]["json"]["content"].is_array(), "{seen}");
        assert_eq!(seen["envelope"]["json"]["success"], true);
        assert!(seen["view"]["json"]["canvas"].is_object());
    }
    assert_eq!(bench.get(&format!("/api/calls/{id}/renderings?client=1999")).status, 400);

    bench.call(&session, "nothing", &json!({}));
    let all = bench.get("/api/calls").json();
    assert_eq!(all["items"].as_array().map(Vec::len), Some(2));
    let one = bench.get(&format!("/api/calls?session={session}&server=shop&tool=echo")).json();
    assert_eq!(one["items"][0]["id"], json!(id));
    assert_eq!(one["items"].as_array().map(Vec::len), Some(1));
    assert_eq!(bench.get("/api/calls?session=other").status, 404);
}

#[test]
fn what_cannot_be_called_says_why() {
    let bench = Bench::new();
    let session = bench.session();
    let path = format!("/api/sessions/{session}/calls");
    let failed = bench.call(&session, "fail", &json!({}));
    assert_eq!(failed["is_error"], true);
    assert!(failed["contract"]["results"].get("error").is_some(), "{failed}");
    for (body, status) in [
        (json!({"tool": "no_such_tool"}), 404),
        (json!({"server": "nobody", "tool": "echo"}), 404),
        (json!({"server": "shop", "tool": "echo", "arguments": [1]}), 400),
        (json!({"server": "shop"}), 400),
        (json!({"server": "shop", "tool": "fail_in_protocol"}), 502),
    ] {
        let response = bench.post(&path, &body);
        assert_eq!(response.status, status, "{body}: {response}");
        assert!(!text(&response.json()["hint"]).is_empty());
    }
    let elsewhere = bench.post("/api/sessions/nobodys/calls", &json!({"tool": "shop_echo"}));
    assert_eq!(elsewhere.status, 404);
}

#[test]
fn a_streamed_call_tells_its_progress_and_can_be_cancelled() {
    let bench = Bench::new();
    let session = bench.session();
    let mut events = call_stream(&bench, &session, "roast", &json!({"seconds": 0.2, "steps": 3}));
    let first = events.next().expect("the call");
    assert_eq!(first.kind, "call");
    assert!(events.next_of("progress").data["progress"].is_number());
    let result = events.next_of("result");
    assert_eq!((&result.data["id"], &result.data["is_error"]), (&first.data["id"], &json!(false)));
    assert!(events.next().is_none());

    let mut events = call_stream(&bench, &session, "roast", &json!({"seconds": 300, "steps": 500}));
    let id = text(&events.next().expect("the call").data["id"]);
    events.next_of("progress");
    let path = format!("/api/sessions/{session}/calls/{id}");
    assert_eq!(bench.delete(&path.replace(&session, "default")).status, 404, "another session");
    assert_eq!(bench.delete(&path).status, 204);
    let problem = events.next_of("problem");
    assert_eq!((&problem.data["status"], &problem.data["call"]), (&json!(409), &json!(id)));
    assert!(events.next().is_none());
    assert_eq!(bench.delete(&path).status, 404);
    assert_eq!(bench.get(&format!("/api/calls/{id}")).json()["ending"], "cancelled");
}

#[test]
fn a_client_that_goes_away_cancels_its_call() {
    let bench = Bench::new();
    let session = bench.session();
    let mut listening =
        Events::open(bench.send(&format!("GET /api/sessions/{session}/events"), "", true));
    let mut events = call_stream(&bench, &session, "roast", &json!({"seconds": 300, "steps": 500}));
    let id = text(&events.next().expect("the call").data["id"]);
    events.next_of("progress");
    drop(events);
    let ended = listening.next_of("tool_complete");
    assert_eq!((&ended.data["call"], &ended.data["ending"]), (&json!(id), &json!("cancelled")));
}

#[test]
fn a_call_in_the_background_ends_by_itself() {
    let bench = Bench::new();
    let session = bench.session();
    let mut listening =
        Events::open(bench.send(&format!("GET /api/sessions/{session}/events"), "", true));
    let body = json!({"server": "shop", "tool": "sales_export"}).to_string();
    let headers = "Prefer: respond-async\r\nContent-Type: application/json\r\n";
    let line = format!("POST /api/sessions/{session}/calls");
    let accepted = bench.request(&line, headers, body.as_bytes());
    assert_eq!(accepted.status, 202, "{accepted}");
    let id = accepted.json()["id"].clone();
    let ended = listening.next_of("tool_complete");
    assert_eq!((&ended.data["call"], &ended.data["ending"]), (&id, &json!("ok")));
    let record = bench.get(accepted.header("location").expect("where it is")).json();
    assert_eq!(record["files"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_question_of_the_server_is_answered() {
    let bench = Bench::new();
    let session = bench.session();
    let mut events = call_stream(&bench, &session, "sign_guest_book", &json!({}));
    let id = text(&events.next().expect("the call").data["id"]);
    let question = events.next_of("question");
    let schema = &question.data["params"]["requestedSchema"];
    let field = schema["properties"].as_object().and_then(|fields| fields.keys().next());
    let field = field.expect("a field").clone();
    let path = format!("/api/sessions/{session}/calls/{id}/answers");
    let wrong = json!({"question": 99, "action": "decline"});
    assert_eq!(bench.post(&path, &wrong).status, 404);
    let answer = json!({
        "question": question.data["question"], "action": "accept", "content": {field: "Ada"},
    });
    assert_eq!(bench.post(&path, &answer).status, 204);
    let result = events.next_of("result");
    assert!(result.data["contract"].to_string().contains("Ada"), "{}", result.data);
    // Where nobody can be asked, the call ends all the same.
    let alone = bench.call(&session, "sign_guest_book", &json!({}));
    assert!(!alone.to_string().contains("Ada"), "{alone}");
}

#[test]
fn a_long_result_is_a_file_and_its_renderings_are_bounded() {
    let bench = Bench::new();
    let session = bench.session();
    let result = bench.call(&session, "big", &json!({"megabytes": 20}));
    assert!(text(&result["model"]["text"]).len() <= 8 << 10);
    let file = &result["files"][0];
    assert!(file["size"].as_u64() >= Some(20_000_000), "{result}");
    let url = text(&file["url"]);
    let downloaded = bench.anonymous("GET", &url, "Range: bytes=0-99\r\n");
    assert_eq!((downloaded.status, downloaded.body.len()), (206, 100));
    let seen = bench.get(&format!("/api/calls/{}/renderings", text(&result["id"])));
    assert_eq!(seen.status, 200, "{seen}");
    assert!(seen.body.len() < 6 << 20, "{} bytes", seen.body.len());
    assert_eq!(seen.json()["model"]["text"], result["model"]["text"]);
}
