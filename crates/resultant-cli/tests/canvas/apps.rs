//! Views of tools (MCP Apps): who is told of which tools, who may call them, and how a view is read.

use serde_json::{Value, json};

use crate::bench::{Bench, get, request, stop};

const VIEW: &str = "ui://shop/tea-timer.html";

/// A request of an MCP client that stands alone, with these capabilities.
fn mcp(bench: &Bench, path: &str, method: &str, params: &Value, capabilities: &Value) -> Value {
    let mut params = params.clone();
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": capabilities,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    });
    let name = params.get("name").or(params.get("uri")).and_then(Value::as_str);
    let name = name.map_or(String::new(), |name| format!("Mcp-Name: {name}\r\n"));
    let headers = format!(
        "Host: {}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
         MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n{name}",
        bench.address()
    );
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let response = request(bench.address(), &format!("POST {path}"), &headers, &body);
    let text = match response.body.split("data: ").last() {
        Some(last) if response.header("content-type").starts_with("text/event-stream") => last,
        _ => &response.body,
    };
    // A body of unknown length comes in chunks, with a line before and after.
    let start = text.find('{').unwrap_or_else(|| stop(&response.body));
    let end = text.rfind('}').unwrap() + 1;
    serde_json::from_str(&text[start..end]).unwrap_or_else(|_| stop(&response.body))
}

fn with_apps() -> Value {
    json!({"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}})
}

fn names(list: &Value) -> Vec<String> {
    let tools = list["result"]["tools"].as_array().unwrap_or_else(|| stop(&list.to_string()));
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn an_apps_tool_is_for_clients_that_show_apps() {
    let bench = Bench::new(&json!({}));
    for (path, prefix) in [("/mcp", "shop__"), ("/mcp/shop", "")] {
        let list = |capabilities: &Value| mcp(&bench, path, "tools/list", &json!({}), capabilities);
        let plain = names(&list(&json!({})));
        let (timer, ready) = (format!("{prefix}tea_timer"), format!("{prefix}tea_is_ready"));
        let has = |list: &[String], name: &str| list.iter().any(|known| known.ends_with(name));
        assert!(has(&plain, "tea_timer") && !has(&plain, "tea_is_ready"), "{path}: {plain:?}");
        let known = list(&with_apps());
        let listed = names(&known);
        assert!(has(&listed, "tea_is_ready"), "{path}: {listed:?}");
        let name = |of: &str| listed.iter().find(|known| known.ends_with(of)).cloned().unwrap();
        let (timer, ready) = match has(&listed, &timer) {
            true => (timer, ready),
            false => (name("tea_timer"), name("tea_is_ready")),
        };
        let tools = known["result"]["tools"].as_array().unwrap();
        let definition = tools.iter().find(|tool| tool["name"] == timer.as_str()).unwrap();
        assert_eq!(definition["_meta"]["ui"]["resourceUri"], VIEW);
        let call = |name: &str, capabilities: &Value| {
            let params = json!({"name": name, "arguments": {}});
            mcp(&bench, path, "tools/call", &params, capabilities)
        };
        assert_eq!(call(&ready, &json!({}))["error"]["code"], -32602, "{path}");
        assert_eq!(
            call(&ready, &with_apps())["result"]["content"][0]["text"],
            "Your assam is ready."
        );
        let shown = call(&timer, &with_apps());
        assert_eq!(shown["result"]["structuredContent"], json!({"tea": "assam", "seconds": 240}));
        let read = mcp(&bench, path, "resources/read", &json!({"uri": VIEW}), &with_apps());
        let content = &read["result"]["contents"][0];
        assert_eq!(content["mimeType"], "text/html;profile=mcp-app", "{path}: {read}");
    }
}

#[test]
fn the_page_may_call_all_and_an_app_what_is_for_apps() {
    let bench = Bench::new(&json!({}));
    let tools = bench.get("/api/tools").json();
    let tool = |name: &str| {
        let items = tools["items"].as_array().unwrap();
        items.iter().find(|tool| tool["server_name"] == name).unwrap().clone()
    };
    assert_eq!(tool("tea_is_ready")["definition"]["_meta"]["ui"]["visibility"], json!(["app"]));
    let call = |body: &Value| bench.api("POST /api/sessions/default/calls", body);
    let ready = json!({"server": "shop", "tool": "tea_is_ready", "arguments": {}});
    assert_eq!(call(&ready).status, 200, "the person may call anything");
    let as_app = |tool: &str| json!({"server": "shop", "tool": tool, "as": "app"});
    assert_eq!(call(&as_app("tea_is_ready")).status, 200);
    assert_eq!(call(&as_app("tea_timer")).status, 200);
    // What says nothing is for both.
    assert_eq!(call(&as_app("echo")).status, 200);
    assert_eq!(call(&as_app("no_such_tool")).status, 403);
    assert_eq!(call(&json!({"tool": "tea_timer", "as": "app"})).status, 400);
    assert_eq!(call(&json!({"server": "none", "tool": "tea_timer", "as": "app"})).status, 404);
}

#[test]
fn a_view_is_read_as_its_server_has_it() {
    let bench = Bench::new(&json!({}));
    let read =
        |server: &str, uri: &str| bench.get(&format!("/api/servers/{server}/resource?uri={uri}"));
    let view = read("shop", VIEW);
    assert_eq!((view.status, view.header("content-type")), (200, "application/json"));
    let view = view.json();
    assert_eq!(view["contents"][0]["uri"], VIEW);
    assert!(view["contents"][0]["text"].as_str().unwrap().contains("ui/initialize"));
    let catalog = read("shop", "shop://catalog.json").json();
    assert!(catalog["contents"][0]["text"].as_str().unwrap().contains("TEA-ASSAM"));
    assert_eq!(read("shop", "shop://nothing").status, 502);
    assert_eq!(read("none", VIEW).status, 404);
    // A user's files are no server's: an app of one must not get at them this way.
    assert_eq!(read("shop", "resultant://files/report.html").status, 404);
    assert_eq!(bench.get("/api/servers/shop/resource").status, 400);
    let address = bench.address().to_owned();
    let path = format!("/api/servers/shop/resource?uri={VIEW}");
    assert_eq!(get(&address, &address, &path, "").status, 401);
}
