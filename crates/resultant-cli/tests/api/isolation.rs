//! Two users of one gateway, the same server and the same bytes.

use std::process::Command;

use serde_json::{Value, json};

use crate::client::{Bench, PROGRAM, Response, text};

fn new_key(user: &str) -> (String, Value) {
    let output = Command::new(PROGRAM).args(["key", "new", user, "--json"]).output();
    let new: Value = serde_json::from_slice(&output.expect("a key").stdout).expect("JSON");
    (format!("Authorization: Bearer {}\r\n", text(&new["key"])), new["entry"].clone())
}

/// Everything of a response that does not say when it was made.
fn seen(response: &Response) -> (u16, Vec<(String, String)>, Vec<u8>) {
    let headers = response.headers.iter().filter(|(name, _)| name != "date").cloned().collect();
    (response.status, headers, response.body.clone())
}

#[test]
fn nobody_finds_what_is_anothers() {
    let ((ada, ada_entry), (bob, bob_entry)) = (new_key("ada"), new_key("bob"));
    let auth = json!({"mode": "token", "keys": [ada_entry, bob_entry]});
    let mut bench = Bench::with(&json!({"auth": auth}));

    bench.credential.clone_from(&ada);
    let session = bench.session();
    let file = bench.upload(&session, "plan.txt", b"the same bytes");
    let key = text(&file["key"]);
    let call = bench.call(&session, "sales_report", &json!({}));
    let call = text(&call["id"]);
    let link = bench.post(&format!("/api/files/{key}/links"), &json!({})).json();
    bench.call(&session, "live_dashboard", &json!({"id": "floor"}));

    bench.credential.clone_from(&bob);
    let nothing = "AAAAAAAAAAAAAAAAAAAAAA";
    for (line, id) in [
        ("GET /api/sessions/ID", session.as_str()),
        ("DELETE /api/sessions/ID", &session),
        ("GET /api/sessions/ID/files", &session),
        ("GET /api/sessions/ID/events", &session),
        ("DELETE /api/sessions/ID/links", &session),
        ("PUT /api/sessions/ID/files/x.txt", &session),
        ("GET /api/dashboards?session=ID", &session),
        ("DELETE /api/sessions/ID/dashboards/floor", &session),
        ("POST /api/sessions/ID/dashboards/floor/token", &session),
        ("GET /api/files/ID", &key),
        ("GET /api/files/ID/info", &key),
        ("GET /api/files/ID/links", &key),
        ("POST /api/files/ID/links", &key),
        ("DELETE /api/files/ID", &key),
        ("GET /api/files/download/ID", &key),
        ("HEAD /api/files/download/ID", &key),
        ("GET /api/calls/ID", &call),
        ("GET /api/calls/ID/raw", &call),
        ("GET /api/calls/ID/renderings", &call),
    ] {
        let theirs = bench.request(&line.replace("ID", id), "", b"");
        let nobodys = bench.request(&line.replace("ID", nothing), "", b"");
        assert_eq!(theirs.status, 404, "{line}: {theirs}");
        assert_eq!(seen(&theirs), seen(&nobodys), "{line}");
    }
    for path in ["/api/files", "/api/calls", "/api/dashboards"] {
        assert_eq!(bench.get(path).json()["items"], json!([]), "{path}");
    }
    // The same bytes are a file of one's own, and nothing tells that somebody else has them.
    let own = bench.session();
    let twin = bench.upload(&own, "plan.txt", b"the same bytes");
    assert_ne!(twin["key"], file["key"]);
    assert_eq!(bench.get("/api/files").json()["items"].as_array().map(Vec::len), Some(1));
    let link_id = text(&link["id"]);
    let own_key = text(&twin["key"]);
    assert_eq!(bench.delete(&format!("/api/files/{own_key}/links/{link_id}")).status, 404);

    bench.credential.clone_from(&ada);
    assert_eq!(bench.anonymous("GET", &text(&link["url"]), "").status, 200);
    assert_eq!(bench.get(&format!("/api/files/{key}/info")).json(), file);
    bench.credential = String::new();
    assert_eq!(bench.get("/api/files").status, 401);
}
