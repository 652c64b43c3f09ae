//! Sessions, tools and everything that is not there.

use serde_json::json;

use crate::client::{Bench, text};

#[test]
fn sessions_are_made_listed_and_deleted() {
    let bench = Bench::new();
    let made = bench.post("/api/sessions", &json!({"title": "  Quarterly numbers "}));
    assert_eq!(made.status, 201, "{made}");
    let session = made.json();
    assert_eq!((&session["title"], &session["kind"]), (&json!("Quarterly numbers"), &json!("api")));
    let path = format!("/api/sessions/{}", text(&session["id"]));
    assert_eq!(made.header("location"), Some(path.as_str()));
    assert_eq!(bench.get(&path).json()["id"], session["id"]);

    let others: Vec<String> = (0..4).map(|_| bench.session()).collect();
    let mut seen = Vec::new();
    let mut cursor = String::new();
    loop {
        let part = bench.get(&format!("/api/sessions?count=2{cursor}")).json();
        let items = part["items"].as_array().expect("items").clone();
        assert!(items.len() <= 2);
        seen.extend(items.iter().map(|item| text(&item["id"])));
        match part["next"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    for id in others.iter().chain([&text(&session["id"])]) {
        assert_eq!(seen.iter().filter(|seen| *seen == id).count(), 1, "{id} in {seen:?}");
    }

    assert_eq!(bench.delete(&path).status, 204);
    assert_eq!(bench.get(&path).status, 404);
    assert_eq!(bench.delete(&path).status, 404);
}

#[test]
fn tools_are_listed_with_their_server() {
    let bench = Bench::new();
    let list = bench.get("/api/tools").json();
    let tools = list["items"].as_array().expect("tools");
    let roast = tools.iter().find(|tool| tool["server_name"] == "roast").expect("roast");
    assert_eq!((&roast["server"], &roast["name"]), (&json!("shop"), &json!("shop_roast")));
    assert_eq!(roast["definition"]["inputSchema"]["type"], "object");
    assert_eq!(roast["definition"]["annotations"]["readOnlyHint"], false);
    assert_eq!(list["servers"][0]["state"], "ready");
    let servers = bench.get("/api/servers").json();
    assert_eq!(servers["items"][0]["name"], "shop");
}

#[test]
fn what_is_not_there_is_always_the_same() {
    let bench = Bench::new();
    let other = "AAAAAAAAAAAAAAAAAAAAAA";
    let mut bodies = Vec::new();
    for path in [
        "/api/sessions/nobodys".to_owned(),
        format!("/api/sessions/{other}/files"),
        format!("/api/sessions/{other}/events"),
        format!("/api/calls/{other}"),
        format!("/api/calls/{other}/raw"),
        format!("/api/files/{other}"),
        format!("/api/files/{other}/info"),
        format!("/api/files/{other}/links"),
        format!("/api/files/download/{other}"),
        "/api/files/not%20an%20id".to_owned(),
        "/api/nothing/here".to_owned(),
    ] {
        let response = bench.get(&path);
        assert_eq!(response.status, 404, "{path}: {response}");
        assert_eq!(response.header("content-type"), Some("application/problem+json"));
        bodies.push(response.json());
    }
    assert!(bodies.iter().all(|body| *body == bodies[0]), "{bodies:?}");
    let wrong = bench.request("PATCH /api/sessions", "", b"");
    assert_eq!(wrong.status, 405, "{wrong}");
}

#[test]
fn what_cannot_be_read_is_a_problem_with_a_hint() {
    let bench = Bench::new();
    let json = "Content-Type: application/json\r\n";
    let cases: [(&str, &str, &[u8], u16); 6] = [
        ("POST /api/sessions", json, b"{", 400),
        ("POST /api/sessions", json, b"{\"titel\": \"x\"}", 400),
        ("POST /api/sessions", "Content-Type: text/plain\r\n", b"{}", 415),
        ("GET /api/sessions?count=0", "", b"", 400),
        ("GET /api/sessions?cursor=zzz", "", b"", 400),
        ("POST /api/sessions/default/files", "Content-Type: text/csv\r\n", b"a,b", 415),
    ];
    for (line, headers, body, status) in cases {
        let response = bench.request(line, headers, body);
        assert_eq!(response.status, status, "{line}: {response}");
        let problem = response.json();
        assert_eq!(problem["status"], status);
        assert!(text(&problem["type"]).starts_with("/api/docs#problem-"), "{problem}");
        assert!(!text(&problem["hint"]).is_empty());
    }
}

#[test]
fn the_document_and_its_page_need_nobody() {
    let bench = Bench::new();
    let document = bench.anonymous("GET", "/api/openapi.json", "");
    assert_eq!(document.status, 200, "{document}");
    assert_eq!(document.json()["openapi"], "3.1.0");
    let page = bench.anonymous("GET", "/api/docs", "");
    assert_eq!(page.status, 200, "{page}");
    let policy = page.header("content-security-policy").unwrap_or_default();
    assert!(policy.contains("default-src 'none'"), "{policy}");
    assert_eq!(bench.anonymous("GET", "/api/docs/style.css", "").status, 200);
}

#[test]
fn other_hosts_and_pages_are_refused() {
    let bench = Bench::new();
    for header in [
        "Origin: null\r\n",
        "Origin: https://evil.example\r\n",
        "Host: evil.example\r\n",
        "Origin: http://localhost.evil.example\r\n",
    ] {
        let response = bench.anonymous("GET", "/api/openapi.json", header);
        assert!(matches!(response.status, 400 | 403), "{header}: {response}");
    }
    // What a proxy would say is not believed: the address is as it was asked for.
    let session = bench.session();
    let key = text(&bench.upload(&session, "a.txt", b"a")["key"]);
    let spoofed = "X-Forwarded-Host: evil.example\r\nX-Forwarded-Proto: https\r\n\
                   Forwarded: host=evil.example\r\nContent-Type: application/json\r\n";
    let link = bench.request(&format!("POST /api/files/{key}/links"), spoofed, b"{}").json();
    assert!(text(&link["url"]).starts_with(&bench.gateway.url), "{link}");
}
