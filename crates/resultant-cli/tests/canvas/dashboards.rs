//! Dashboards as the page needs them: their tokens, what is done in them, and after a restart.

use serde_json::json;

use crate::bench::Bench;

#[test]
fn the_token_of_a_result_is_for_its_frame_alone() {
    let bench = Bench::new(&json!({}));
    let called = bench.call("live_dashboard", &json!({"id": "floor"}));
    let listed = bench.get("/api/dashboards").json();
    let dashboard = &listed["items"][0];
    assert_eq!(
        (&dashboard["has_token"], &dashboard["tool"]),
        (&json!(true), &json!("live_dashboard"))
    );
    assert_eq!((&dashboard["call"], &dashboard["mode"]), (&called["id"], &json!("split")));
    let made = bench.api("POST /api/sessions/default/dashboards/floor/token", &json!({}));
    assert_eq!((made.status, made.header("cache-control")), (201, "no-store"));
    let token = made.json();
    assert_eq!(token["issued_by"], "server");
    let token = token["token"].as_str().unwrap().to_owned();
    assert_eq!(token.len(), 48, "as the demo server makes them");
    // It is nowhere else.
    let call = called["id"].as_str().unwrap();
    for (what, text) in [
        ("result", called.to_string()),
        ("list", listed.to_string()),
        ("renderings", bench.get(&format!("/api/calls/{call}/renderings")).body),
        ("record", bench.get(&format!("/api/calls/{call}")).body),
        ("log", bench.gateway.log()),
    ] {
        assert!(!text.contains(&token), "{what}: {text}");
    }
    // Without one the gateway vouches for who is looking.
    bench.call("live_dashboard", &json!({"id": "floor", "token": false}));
    let made = bench.api("POST /api/sessions/default/dashboards/floor/token", &json!({})).json();
    assert_eq!(made["issued_by"], "gateway");
    let said =
        bench.api("POST /api/dashboards/introspect", &json!({"token": made["token"]})).json();
    assert_eq!(said["active"], true, "{said}");
}

#[test]
fn actions_are_lines_in_the_log() {
    let bench = Bench::new(&json!({}));
    bench.call("live_dashboard", &json!({"id": "floor"}));
    let act = |dashboard: &str, action: &serde_json::Value| {
        let line = format!("POST /api/sessions/default/dashboards/{dashboard}/actions");
        bench.api(&line, &json!({"action": action})).status
    };
    assert_eq!(act("floor", &json!({"name": "order-beans", "note": "two\nlines"})), 204);
    assert_eq!(act("floor", &json!("x".repeat(5000))), 413);
    assert_eq!(act("none", &json!("order-beans")), 404);
    let log = bench.gateway.log();
    let lines: Vec<&str> = log.lines().filter(|line| line.contains("in a dashboard")).collect();
    let [line] = lines.as_slice() else { panic!("{log}") };
    for part in ["local", "default", "shop", "floor", "order-beans"] {
        assert!(line.contains(part), "{part}: {line}");
    }
}

#[test]
fn what_is_pinned_is_there_after_a_restart() {
    let mut bench = Bench::new(&json!({}));
    for persistence in ["pinned", "session", "ephemeral"] {
        bench.call("live_dashboard", &json!({"id": persistence, "persistence": persistence}));
    }
    let session = bench.api("POST /api/sessions", &json!({})).json();
    let session = session["id"].as_str().unwrap().to_owned();
    let before = bench.get("/api/dashboards").json();
    let asking = "POST /api/sessions/default/dashboards/pinned/token";
    let token = bench.api(asking, &json!({})).json();
    bench.restart();
    let after = bench.get("/api/dashboards").json();
    let find = |list: &serde_json::Value| {
        let items = list["items"].as_array().unwrap();
        items.iter().find(|item| item["id"] == "pinned").cloned()
    };
    assert_eq!(find(&after), find(&before));
    assert!(find(&after).is_some());
    assert_eq!(bench.api(asking, &json!({})).json()["token"], token["token"]);
    // It is its owner's, in whichever session they are.
    let elsewhere = bench.get(&format!("/api/dashboards?session={session}")).json();
    let ids: Vec<&str> = elsewhere["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|item| item["id"].as_str())
        .collect();
    assert_eq!(ids, ["pinned"]);
}

#[test]
fn a_dashboard_that_outlived_its_session_does_not_bring_it_back() {
    let bench = Bench::new(&json!({}));
    let made = bench.api("POST /api/sessions", &json!({})).json();
    let session = made["id"].as_str().unwrap().to_owned();
    let call = json!({"server": "shop", "tool": "live_dashboard",
        "arguments": {"id": "stays", "persistence": "pinned"}});
    let called = bench.api(&format!("POST /api/sessions/{session}/calls"), &call);
    assert_eq!(called.status, 200, "{}", called.body);
    assert_eq!(bench.api(&format!("DELETE /api/sessions/{session}"), &json!({})).status, 204);
    let close = "DELETE /api/sessions/default/dashboards/stays";
    assert_eq!(bench.api(close, &json!({})).status, 204);
    assert_eq!(bench.api(close, &json!({})).status, 404);
    // Entries are written in their order: what was told then is there when this call is.
    let called = bench.call("echo", &json!({"text": "after it"}));
    let record = format!("/api/calls/{}", called["id"].as_str().unwrap());
    assert_eq!(bench.get(&record).status, 200);
    let sessions = bench.get("/api/sessions").body;
    assert!(!sessions.contains(&session), "{sessions}");
}
