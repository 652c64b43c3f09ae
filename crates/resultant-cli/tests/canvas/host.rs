//! The canvas as an MCP App: who is offered it, what its tool answers, and whose files it names.

use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    bench::{Bench, PROGRAM, request},
    mcp::{Client, Gateway, Identity, LEGACY, MODERN},
};

const VIEW: &str = "ui://resultant/canvas";
const MIME: &str = "text/html;profile=mcp-app";

/// A client that shows apps, or one that does not.
fn identity(version: &str, shows_apps: bool) -> Identity {
    let apps = json!({"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": [MIME]}}});
    Identity::answering(version, if shows_apps { apps } else { json!({}) }, |_| None)
}

fn connect(gateway: &Gateway, path: &str, version: &str, shows_apps: bool) -> Client {
    Client::http(&format!("{}{path}", gateway.url), &identity(version, shows_apps)).unwrap()
}

fn tools(client: &Client) -> Vec<Value> {
    let list = client.result("tools/list", json!({})).unwrap();
    list["tools"].as_array().unwrap().clone()
}

fn find(tools: &[Value], ending: &str) -> Option<Value> {
    tools.iter().find(|tool| tool["name"].as_str().unwrap().ends_with(ending)).cloned()
}

fn call(client: &Client, tool: &str, arguments: &Value) -> Value {
    client.result("tools/call", json!({"name": tool, "arguments": arguments})).unwrap()
}

/// Lays a file into the user's default session.
fn put(address: &str, credential: &str, name: &str, text: &str) {
    let headers = format!("Host: {address}\r\nAuthorization: Bearer {credential}\r\n");
    let line = format!("PUT /api/sessions/default/files/{name}");
    let response = request(address, &line, &headers, text);
    assert!(matches!(response.status, 200 | 201), "{}", response.body);
}

#[test]
fn the_canvas_is_for_clients_that_show_apps() {
    let bench = Bench::new(&json!({}));
    put(bench.address(), &bench.secret, "tea.csv", "name,price\nassam,3\n");
    for version in [LEGACY, MODERN] {
        for path in ["/mcp", "/mcp/shop"] {
            let plain = connect(&bench.gateway, path, version, false);
            let able = connect(&bench.gateway, path, version, true);
            let (listed, more) = (tools(&plain), tools(&able));
            assert!(find(&listed, "files_show").is_none(), "{version} {path}");
            let show = find(&more, "files_show").unwrap();
            assert_eq!(show["_meta"]["ui"]["resourceUri"], VIEW);
            assert_eq!(show["_meta"]["ui/resourceUri"], VIEW);
            // What both are told of, they are told in the same words.
            for tool in &listed {
                assert!(more.contains(tool), "{version} {path}: {tool}");
            }
            let params = json!({"name": "files_show", "arguments": {"file": "tea.csv"}});
            let refused = plain.result("tools/call", params);
            assert!(refused.is_err() || refused.is_ok_and(|result| result["isError"] == true));

            let has_view = |client: &Client| {
                let list = client.result("resources/list", json!({})).unwrap();
                list["resources"].as_array().unwrap().iter().any(|each| each["uri"] == VIEW)
            };
            assert!(has_view(&able) && !has_view(&plain), "{version} {path}");
            let read = able.result("resources/read", json!({"uri": VIEW})).unwrap();
            let content = &read["contents"][0];
            assert_eq!(
                (&content["mimeType"], &content["text"]),
                (&json!(MIME), &json!("the canvas"))
            );
            // It reaches nothing.
            for domains in content["_meta"]["ui"]["csp"].as_object().unwrap().values() {
                assert_eq!(*domains, json!([]));
            }
            assert!(
                plain.result("resources/read", json!({"uri": VIEW})).is_err(),
                "{version} {path}"
            );
        }
    }
}

#[test]
fn a_client_that_shows_other_documents_is_offered_none() {
    let bench = Bench::new(&json!({}));
    for ui in [json!({}), json!({"mimeTypes": ["text/plain"]}), json!(true)] {
        let capabilities = json!({"extensions": {"io.modelcontextprotocol/ui": ui}});
        let identity = Identity::answering(LEGACY, capabilities, |_| None);
        let client = Client::http(&format!("{}/mcp", bench.gateway.url), &identity).unwrap();
        assert!(find(&tools(&client), "files_show").is_none());
    }
}

#[test]
fn a_shown_file_costs_the_model_a_sentence() {
    let bench = Bench::new(&json!({}));
    let rows: String = (0..5000).map(|row| format!("{row},secret-content\n")).collect();
    put(bench.address(), &bench.secret, "rows.csv", &format!("id,word\n{rows}"));
    for version in [LEGACY, MODERN] {
        let client = connect(&bench.gateway, "/mcp", version, true);
        let result = call(&client, "files_show", &json!({"file": "rows.csv"}));
        assert!(result.get("isError").is_none(), "{result}");
        assert_eq!(result.get("structuredContent"), None);
        let said = result["content"][0]["text"].as_str().unwrap();
        assert!(said.len() < 250 && said.contains("rows.csv"), "{said}");
        assert!(!result.to_string().contains("secret-content"), "{result}");
        let file = &result["_meta"]["resultant/files"][0];
        assert_eq!((&file["name"], &file["mimeType"]), (&json!("rows.csv"), &json!("text/csv")));
        // The address is good for parts, over the same connection.
        let uri = format!("{}&rows=4999-5001", file["uri"].as_str().unwrap());
        let read = client.result("resources/read", json!({"uri": uri})).unwrap();
        let part: Value =
            serde_json::from_str(read["contents"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(part.as_array().unwrap().len(), 2);
        // A link to the page opens nothing by itself.
        let page = file["page"].as_str().unwrap_or_default();
        assert!(!page.contains('?') && !page.contains("token") && !page.contains("code"), "{page}");
        let missing = call(&client, "files_show", &json!({"file": "none.csv"}));
        assert_eq!(missing["isError"], true);
        let wrong = call(&client, "files_show", &json!({"name": "rows.csv"}));
        assert_eq!(wrong["isError"], true);
    }
}

#[test]
fn anothers_file_is_answered_like_a_missing_one() {
    let folder = TempDir::new().unwrap();
    let built = folder.path().join("dist");
    std::fs::create_dir_all(built.join("hostapp")).unwrap();
    std::fs::write(built.join("hostapp/canvas.html"), "the canvas").unwrap();
    let key = |user: &str| {
        let made = Command::new(PROGRAM).args(["key", "new", user, "--json"]).output().unwrap();
        let text = String::from_utf8(made.stdout).unwrap();
        let made: Value = serde_json::from_str(&text).unwrap();
        (made["key"].as_str().unwrap().to_owned(), made["entry"].clone())
    };
    let ((ada, ada_entry), (bob, bob_entry)) = (key("ada"), key("bob"));
    let auth = json!({"mode": "token", "keys": [ada_entry, bob_entry]});
    let config = json!({"mcpServers": {}, "resultant": {"auth": auth}});
    let gateway =
        Gateway::start_in(PROGRAM, &config, folder.path(), &[("RESULTANT_WEB_DIST", &built)])
            .unwrap();
    let address = gateway.url.trim_start_matches("http://");
    put(address, &ada, "diary.md", "# mine");
    let url = format!("{}/mcp", gateway.url);
    let client = |key: &str| Client::http_as(&url, &identity(LEGACY, true), key).unwrap();
    let (ada, bob) = (client(&ada), client(&bob));
    let shown = call(&ada, "files_show", &json!({"file": "diary.md"}));
    let uri = shown["_meta"]["resultant/files"][0]["uri"].clone();
    let words = |result: Value, name: &str| result.to_string().replace(name, "NAME");
    for (theirs, nobodys) in [
        ("diary.md".to_owned(), "nothing.md".to_owned()),
        (uri.as_str().unwrap().to_owned(), uri.as_str().unwrap().replace("diary", "nothing")),
    ] {
        let theirs = call(&bob, "files_show", &json!({"file": theirs}));
        let nobodys = call(&bob, "files_show", &json!({"file": nobodys}));
        assert_eq!(theirs["isError"], true, "{theirs}");
        assert_eq!(words(theirs, "diary"), words(nobodys, "nothing"));
    }
    assert!(bob.result("resources/read", json!({"uri": uri})).is_err());
    assert!(ada.result("resources/read", json!({"uri": uri})).is_ok());
}

#[test]
fn tools_of_a_server_are_drawn_where_the_configuration_says_so() {
    let canvas = json!({"servers": {"shop": {"tools": {"canvas": ["table", "tea_*", "echo"]}}}});
    let bench = Bench::new(&canvas);
    for path in ["/mcp", "/mcp/shop"] {
        let plain = tools(&connect(&bench.gateway, path, LEGACY, false));
        assert_eq!(find(&plain, "table").unwrap()["_meta"].get("ui"), None, "{path}");
        let client = connect(&bench.gateway, path, LEGACY, true);
        let listed = tools(&client);
        let view = |name: &str| find(&listed, name).unwrap()["_meta"]["ui"]["resourceUri"].clone();
        assert_eq!(view("table"), VIEW);
        assert_eq!(view("tea_timer"), "ui://shop/tea-timer.html", "its own view stays");
        assert_eq!(view("stock"), Value::Null, "{path}");
        let name = find(&listed, "table").unwrap()["name"].as_str().unwrap().to_owned();
        let drawn = call(&client, &name, &json!({"rows": 500}));
        let files = drawn["_meta"]["resultant/files"].as_array().unwrap_or_else(|| {
            crate::bench::stop(&drawn.to_string());
        });
        assert!(files[0]["uri"].as_str().unwrap().starts_with("resultant://files/"), "{drawn}");
        // What has no files is as it was.
        let echo = find(&listed, "echo").unwrap()["name"].as_str().unwrap().to_owned();
        let echoed = call(&client, &echo, &json!({"text": "hello"}));
        assert_eq!(echoed.get("_meta"), None, "{echoed}");
    }
}

#[test]
fn without_a_built_canvas_nothing_is_offered() {
    let folder = TempDir::new().unwrap();
    let config = json!({"mcpServers": {}, "resultant": {}});
    let built = folder.path().join("dist");
    let gateway =
        Gateway::start_in(PROGRAM, &config, folder.path(), &[("RESULTANT_WEB_DIST", &built)])
            .unwrap();
    let client = connect(&gateway, "/mcp", LEGACY, true);
    let listed = tools(&client);
    assert!(find(&listed, "files_read").is_some() && find(&listed, "files_show").is_none());
    assert!(client.result("resources/read", json!({"uri": VIEW})).is_err());
}

#[test]
fn without_the_tools_for_files_nothing_is_offered() {
    let bench = Bench::new(&json!({"retrieval": false}));
    let client = connect(&bench.gateway, "/mcp", LEGACY, true);
    assert!(find(&tools(&client), "files_show").is_none());
}
