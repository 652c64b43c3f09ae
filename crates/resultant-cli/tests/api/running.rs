//! Calls that go on in the background: looked at, cancelled, and finished at the gateway's end.

use serde_json::{Value, json};

use crate::client::{Bench, Events, text};

fn start(bench: &Bench, session: &str, arguments: &Value) -> String {
    let body = json!({"server": "shop", "tool": "roast", "arguments": arguments}).to_string();
    let headers = "Content-Type: application/json\r\nPrefer: respond-async\r\n";
    let line = format!("POST /api/sessions/{session}/calls");
    let accepted = bench.request(&line, headers, body.as_bytes());
    assert_eq!(accepted.status, 202, "{accepted}");
    text(&accepted.json()["id"])
}

fn listen(bench: &Bench, session: &str) -> Events {
    Events::open(bench.send(&format!("GET /api/sessions/{session}/events"), "", true))
}

#[test]
fn a_call_is_there_while_it_runs() {
    let bench = Bench::new();
    let session = bench.session();
    let mut events = listen(&bench, &session);
    let id = start(&bench, &session, &json!({"seconds": 300, "steps": 500}));
    let path = format!("/api/calls/{id}");
    let call = bench.get(&path);
    assert_eq!(call.status, 200, "{call}");
    let call = call.json();
    assert_eq!((&call["id"], &call["state"]), (&json!(id), &json!("running")));
    assert_eq!((&call["session"], &call["tool"]), (&json!(session), &json!("roast")));
    assert_eq!(call["arguments"]["seconds"], 300);
    assert!(call.get("ending").is_none(), "{call}");
    for part in ["raw", "renderings"] {
        let early = bench.get(&format!("{path}/{part}"));
        assert_eq!(early.status, 409, "{part}: {early}");
    }
    let cancel = format!("/api/sessions/{session}/calls/{id}");
    events.next_of("tool_progress");
    assert_eq!(bench.delete(&cancel).status, 204);
    assert_eq!(events.next_of("tool_complete").data["call"], json!(id));
    let call = bench.get(&path).json();
    assert_eq!((&call["state"], &call["ending"]), (&json!("over"), &json!("cancelled")));
    let again = bench.delete(&cancel);
    assert_eq!(again.status, 404);
    assert!(text(&again.json()["hint"]).contains("another gateway"), "{again}");
}

#[test]
fn calls_of_a_session_that_never_was_are_not_there() {
    let bench = Bench::new();
    assert_eq!(bench.get("/api/calls?session=other").status, 404);
    assert_eq!(bench.get("/api/dashboards?session=other").status, 404);
    // Those of one that was deleted are still on record.
    let session = bench.session();
    let path = format!("/api/calls?session={session}");
    assert_eq!(bench.get(&path).json()["items"], json!([]));
    bench.call(&session, "nothing", &json!({}));
    assert_eq!(bench.delete(&format!("/api/sessions/{session}")).status, 204);
    assert_eq!(bench.get(&path).json()["items"].as_array().map(Vec::len), Some(1));
}

#[test]
fn an_orderly_end_finishes_calls_in_the_background() {
    let mut bench = Bench::new();
    let session = bench.session();
    let mut events = listen(&bench, &session);
    let id = start(&bench, &session, &json!({"seconds": 2, "steps": 20}));
    events.next_of("tool_progress");
    assert!(bench.gateway.stop().is_ok_and(|status| status.success()));
    drop(events);
    bench.restart();
    let call = bench.get(&format!("/api/calls/{id}"));
    assert_eq!(call.status, 200, "{call}");
    assert_eq!(call.json()["ending"], "ok");
}
