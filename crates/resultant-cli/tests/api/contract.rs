//! The two contract documents, point by point, as a backend keeps them.

use serde_json::json;

use crate::client::{Bench, Events, text};

#[test]
fn artifacts_are_kept_out_of_the_prompt_and_shown() {
    let bench = Bench::new();
    let session = bench.session();
    let result = bench.call(&session, "sales_report", &json!({}));
    let model = text(&result["model"]["text"]);
    let contract = &result["contract"];
    // The names are in the prompt; the bytes, links and tokens are nowhere in it.
    for name in ["report.html", "takings.png", "sales.csv"] {
        assert!(model.contains(name), "{model}");
    }
    assert!(!model.contains("token=") && !model.contains("iVBOR"), "{model}");
    let artifacts = contract["artifacts"].as_array().expect("artifacts");
    assert_eq!(artifacts.len(), 3);
    assert!(artifacts.iter().all(|artifact| artifact.get("b64").is_none()), "{contract}");
    assert_eq!(contract["display"]["primary_file"], "report.html");
    // What is behind the links is what the artifacts say.
    for file in result["files"].as_array().expect("files") {
        let downloaded = bench.anonymous("GET", &text(&file["url"]), "");
        assert_eq!(downloaded.status, 200, "{downloaded}");
        assert_eq!(file["size"], downloaded.body.len());
        let artifact = artifacts.iter().find(|artifact| artifact["name"] == file["name"]);
        assert_eq!(artifact.expect("the same name")["sha256"], file["sha256"]);
        assert_eq!(file["origin"]["tool"], "sales_report");
    }
}

#[test]
fn legacy_arrays_become_files_too() {
    let bench = Bench::new();
    let session = bench.session();
    let result = bench.call(&session, "sales_export", &json!({}));
    let names: Vec<String> =
        result["files"].as_array().expect("files").iter().map(|f| text(&f["name"])).collect();
    assert_eq!(names, ["sales.csv", "catalog.json"]);
    assert!(result["contract"].get("returned_file_contents").is_none());
    // As front ends of the first document fetch them.
    let key = text(&result["files"][1]["key"]);
    let whole = bench.get(&format!("/api/files/{key}")).json();
    assert_eq!(whole["content_type"], "application/json");
    assert!(!text(&whole["content_base64"]).is_empty());
}

#[test]
fn errors_and_nothing_have_their_shapes() {
    let bench = Bench::new();
    let session = bench.session();
    let failed = bench.call(&session, "fail", &json!({}));
    assert_eq!(failed["contract"]["meta_data"]["is_error"], true);
    assert!(failed["contract"]["results"]["error"].is_string());
    let nothing = bench.call(&session, "nothing", &json!({}));
    assert_eq!(nothing["contract"]["results"], json!(null));
    assert!(nothing["contract"].as_object().expect("an object").contains_key("results"));
}

#[test]
fn a_dashboard_is_opened_listed_looked_into_and_closed() {
    let bench = Bench::new();
    let session = bench.session();
    let events = format!("GET /api/sessions/{session}/events");
    let mut events = Events::open(bench.send(&events, "", true));
    let result = bench.call(&session, "live_dashboard", &json!({"id": "floor", "token": false}));
    assert!(result["contract"]["canvas"].get("token").is_none(), "{result}");
    let opened = events.next_of("canvas_open");
    assert_eq!(opened.data["canvas"]["id"], "floor");
    assert_eq!(opened.data["has_token"], false);
    assert!(opened.data["canvas"].get("token").is_none());

    let list = bench.get(&format!("/api/dashboards?session={session}")).json();
    let dashboard = &list["items"][0];
    assert_eq!((&dashboard["id"], &dashboard["persistence"]), (&json!("floor"), &json!("session")));
    let path = format!("/api/sessions/{session}/dashboards/floor");
    let token = bench.post(&format!("{path}/token"), &json!({})).json();
    let token = text(&token["token"]);
    let ask = |token: &str| bench.post("/api/dashboards/introspect", &json!({"token": token}));
    let said = ask(&token).json();
    assert_eq!(said["active"], true, "{said}");
    assert_eq!((&said["dashboard"], &said["session"]), (&json!("floor"), &json!(session)));
    assert!(said["exp"].as_i64() > said["iat"].as_i64());
    let form = "Content-Type: application/x-www-form-urlencoded\r\n";
    let body = format!("token={token}");
    let said = bench.request("POST /api/dashboards/introspect", form, body.as_bytes());
    assert_eq!(said.json()["active"], true, "{said}");
    // Whatever is wrong, the answer is the same.
    let key = text(&bench.upload(&session, "a.txt", b"a")["key"]);
    let link = bench.post(&format!("/api/files/{key}/links"), &json!({})).json();
    let of_file = text(&link["url"]).split("token=").nth(1).expect("a token").to_owned();
    for wrong in [of_file.as_str(), "", "x", &token[..token.len() - 1], &"A".repeat(5000)] {
        assert_eq!(ask(wrong).json(), json!({"active": false}), "{wrong}");
    }
    let open = format!("/api/files/download/{key}?token={token}");
    assert_eq!(bench.anonymous("GET", &open, "").status, 404, "a dashboard's token opens no file");
    assert_eq!(bench.delete(&path).status, 204);
    let closed = events.next_of("canvas_open");
    assert_eq!(closed.data["canvas"], json!({"open": false, "id": "floor"}));
    assert_eq!(closed.data["server"], opened.data["server"]);
    assert_eq!(ask(&token).json(), json!({"active": false}));
    assert_eq!(bench.delete(&path).status, 404);
    assert_eq!(bench.post(&format!("{path}/token"), &json!({})).status, 404);
}
