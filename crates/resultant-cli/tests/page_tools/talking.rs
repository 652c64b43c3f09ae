//! What is said: tools come and go, calls find their page, and what happens on the way.

use std::{io::BufRead as _, sync::Arc, thread};

use serde_json::{Value, json};

use crate::{
    mcp::{Client, Identity},
    page::{Bench, Page, TAB, VERSIONS, call, names, reconfigure, signal, text, wait_until},
};

fn said(words: &str) -> String {
    json!({"content": [{"type": "text", "text": words}]}).to_string()
}

#[test]
fn a_page_registers_a_tool_and_every_client_calls_it() {
    let bench = Bench::new(&json!({}));
    for version in VERSIONS {
        let client = bench.client(version);
        assert_eq!(names(&client), [] as [&str; 0], "nothing before there is a page");
        let (_, servers) = bench.api("GET /api/servers", "");
        assert_eq!(servers["items"], json!([]));
        let mut page = bench.page();
        assert_eq!(names(&client), [] as [&str; 0], "nothing before it offers something");
        let schema = json!({"type": "object", "properties": {"n": {"type": "number"}}});
        page.register("echo", &json!({"title": "Echo", "inputSchema": schema}));
        assert_eq!(names(&client), ["page_echo"], "who was told so lists it");
        let page = page.serve(|page, call| {
            assert_eq!(call["name"], "echo");
            assert!(call["deadline_ms"].as_u64() > Some(0), "{call}");
            let words = call["arguments"].to_string();
            page.answer(call, &said(&words));
        });
        // Digits are the client's own.
        let answer =
            client.request("tools/call", json!({"name": "page_echo", "arguments": {"n": 7.50}}));
        let answer = answer.expect("an answer");
        let result: Value = serde_json::from_str(answer.result().expect("a result")).expect("JSON");
        assert_eq!(text(&result), r#"{"n":7.5}"#);
        assert!(result.get("structuredContent").is_none(), "{result}");

        let alone = Client::http(&bench.gateway.server("page"), &Identity::plain(version));
        let alone = alone.expect("a client of the pages alone");
        assert_eq!(names(&alone), ["echo"]);
        assert_eq!(text(&call(&alone, "echo", &json!({}))), "{}");

        let (_, tools) = bench.api("GET /api/tools", "");
        let tool = tools["items"].as_array().expect("tools").iter().find(|t| t["server"] == "page");
        assert_eq!(tool.expect("the tool")["definition"]["title"], "Echo");
        assert_eq!(tools["servers"][0]["name"], "page");
        assert_eq!(tools["servers"][0]["state"], "ready");
        let body = json!({"server": "page", "tool": "echo", "arguments": {"a": 1}}).to_string();
        let (status, called) = bench.api("POST /api/sessions/default/calls", &body);
        assert_eq!(status, 200, "{called}");
        assert!(called.to_string().contains(r#"{\"a\":1}"#), "{called}");
        let (_, pages) = bench.api("GET /api/pages", "");
        let about = &pages["items"][0];
        assert_eq!(about["tools"], json!(["echo"]), "{pages}");
        assert_eq!(about["origin"], "http://localhost:5173");
        assert_eq!(
            (&about["tabs"][0]["tab"], &about["tabs"][0]["active"]),
            (&json!(TAB), &json!(true))
        );
        drop(page);
        wait_until(|| names(&client), Vec::is_empty);
        let (_, servers) = bench.api("GET /api/servers", "");
        assert_eq!(servers["items"], json!([]), "with its tools the server goes");
    }
}

#[test]
fn clients_are_told_when_tools_come_change_and_go() {
    let bench = Bench::new(&json!({}));
    let legacy = bench.client("2025-06-18");
    legacy.listen().expect("a stream");
    let changed = || {
        let is_it = |message: &crate::mcp::Message| {
            message.method() == Some("notifications/tools/list_changed")
        };
        legacy.wait_for(is_it).expect("told");
    };
    let mut page = bench.page();
    page.register("one", &json!({}));
    changed();
    assert_eq!(names(&legacy), ["page_one"]);
    page.register("one", &json!({"description": "another"}));
    changed();
    let list = legacy.result("tools/list", json!({})).expect("a list");
    assert!(list.to_string().contains("another"), "{list}");
    page.say(&json!({"type": "unregister", "tab": "other", "name": "one"}));
    page.register("two", &json!({}));
    changed();
    assert_eq!(names(&legacy), ["page_one", "page_two"], "another tab's is not its own");
    page.say(&json!({"type": "unregister", "tab": TAB, "name": "one"}));
    wait_until(|| names(&legacy), |names| names == &["page_two"]);
    changed();
    page.say(&json!({"type": "tab_closed", "tab": TAB}));
    wait_until(|| names(&legacy), Vec::is_empty);
    page.vanish();
}

#[test]
fn clients_that_listen_are_told_too() {
    let bench = Bench::new(&json!({}));
    let modern = Arc::new(bench.client("2026-07-28"));
    let listener = Arc::clone(&modern);
    // It stays open as long as the gateway is.
    thread::spawn(move || {
        let wanted = json!({"notifications": {"toolsListChanged": true}});
        let _ = listener.request("subscriptions/listen", wanted);
    });
    let told = |method: &'static str| {
        modern.wait_for(|message| message.method() == Some(method)).expect("told")
    };
    told("notifications/subscriptions/acknowledged");
    let mut events = bench.events();
    let mut page = bench.page();
    page.register("one", &json!({}));
    told("notifications/tools/list_changed");
    assert_eq!(names(&modern), ["page_one"]);
    let mut line = String::new();
    while !line.contains("tools_changed") {
        line.clear();
        assert_ne!(events.read_line(&mut line).expect("an event"), 0, "the stream ended");
    }
    line.clear();
    events.read_line(&mut line).expect("its data");
    assert!(line.contains(r#""server":"page""#), "{line}");
}

#[test]
fn a_changed_schema_counts_from_the_next_call_on() {
    let bench = Bench::new(&json!({}));
    let client = bench.client("2026-07-28");
    let mut page = bench.page();
    page.register("get", &json!({}));
    assert_eq!(names(&client), ["page_get"]);
    page.register("get", &json!({"outputSchema": {"type": "object"}}));
    let _page = page.serve(|page, call| page.answer(call, &said(r#"{"value":42}"#)));
    let result = call(&client, "page_get", &json!({}));
    assert_eq!(result["structuredContent"], json!({"value": 42}), "{result}");
}

#[test]
fn progress_and_cancel_go_both_ways() {
    let bench = Bench::new(&json!({}));
    let client = bench.client("2025-06-18");
    let mut page = bench.page();
    page.register("slow", &json!({}));
    let (tell, told) = signal();
    let _page = page.serve(move |page, call| {
        for n in 1..=3 {
            page.say(&json!({
                "type": "progress", "call": call["call"], "progress": n, "total": 3, "message": "on",
            }));
        }
        tell.send(call.clone()).expect("told");
        if call["arguments"]["wait"] == true {
            let cancel = page.hear().expect("a message");
            assert_eq!((&cancel["type"], &cancel["call"]), (&json!("cancel"), &call["call"]));
            tell.send(cancel).expect("told");
            // What comes after is nobody's.
            page.answer(call, &said("too late"));
        } else {
            page.answer(call, &said("done"));
        }
    });
    let params = json!({"name": "page_slow", "arguments": {}, "_meta": {"progressToken": "p"}});
    let result = client.result("tools/call", params).expect("a result");
    assert_eq!(text(&result), "done");
    let progress: Vec<Value> = client
        .take_inbox()
        .iter()
        .filter(|message| message.method() == Some("notifications/progress"))
        .map(|message| serde_json::from_str(message.params().expect("params")).expect("JSON"))
        .collect();
    assert_eq!(progress.len(), 3, "{progress:?}");
    assert_eq!(progress[2]["progressToken"], "p");
    assert_eq!((&progress[2]["progress"], &progress[2]["message"]), (&json!(3), &json!("on")));
    told.recv().expect("the first call");
    thread::scope(|scope| {
        let id = client.reserve_id();
        let params = json!({"name": "page_slow", "arguments": {"wait": true}});
        let client = &client;
        scope.spawn(move || client.request_as(id, "tools/call", params).err());
        told.recv().expect("the call is in the page");
        client.notify("notifications/cancelled", &json!({"requestId": id})).expect("sent");
        let cancel = told.recv().expect("cancelled");
        assert!(cancel["reason"].is_string(), "{cancel}");
    });
    let result = call(&client, "page_slow", &json!({}));
    assert_eq!(text(&result), "done", "the page goes on");
}

#[test]
fn a_call_ends_at_once_when_its_page_does() {
    let bench = Bench::new(&json!({}));
    for version in VERSIONS {
        let client = bench.client(version);
        let mut page = bench.page();
        page.register("work", &json!({}));
        let calling = thread::scope(|scope| {
            let calling = scope.spawn(|| call(&client, "page_work", &json!({})));
            assert_eq!(page.hear().expect("a call")["type"], "call");
            page.vanish();
            calling.join().expect("a result")
        });
        assert_eq!(calling["isError"], true, "{calling}");
        let words = text(&calling);
        assert!(words.contains("the page's connection ended"), "{words}");
        assert!(words.contains("not known"), "whether it was done: {words}");

        // The page's side may say so of a tab.
        let mut page = bench.page();
        page.register("work", &json!({}));
        let _page = page.serve(|page, call| {
            let message = "the tab was closed during the call";
            page.say(&json!({"type": "failed", "call": call["call"], "message": message}));
        });
        let failed = call(&client, "page_work", &json!({}));
        assert_eq!(failed["isError"], true);
        assert!(text(&failed).contains("the tab was closed"), "{failed}");
    }
}

#[test]
fn two_connections_may_have_the_same_tool() {
    let bench = Bench::new(&json!({}));
    let client = bench.client("2026-07-28");
    let serve = |description: &str, tab: &'static str| {
        let mut page = bench.page();
        let active = move |active: bool| json!({"type": "tab", "tab": tab, "title": tab, "url": "", "active": active, "visible": active});
        page.say(&active(true));
        page.register("where", &json!({"description": description}));
        let words = said(description);
        page.serve(move |page, call| {
            if call["arguments"]["focus"] == true {
                page.say(&active(true));
            }
            let tab = call["tab"].as_str().unwrap_or_default().to_owned();
            match tab.is_empty() {
                true => page.answer(call, &words),
                false => page.answer(call, &said(&tab)),
            }
        })
    };
    let first = serve("first", "tab-a");
    let second = serve("second", "tab-b");
    assert_eq!(names(&client), ["page_where"], "one name, one tool");
    let list = client.result("tools/list", json!({})).expect("a list");
    let described = |list: &str, word: &str| list.contains(&format!(r#""description":"{word}""#));
    assert!(described(&list.to_string(), "first"), "the definition that came first: {list}");
    let here = || text(&call(&client, "page_where", &json!({})));
    assert_eq!(here(), "second", "the one that was in use last");
    let named = |tab: &str| {
        let meta = json!({"resultant/tab": tab});
        let params = json!({"name": "page_where", "arguments": {"focus": true}, "_meta": meta});
        client.result("tools/call", params).expect("a result")
    };
    assert_eq!(text(&named("tab-a")), "tab-a");
    assert_eq!(here(), "first", "it is in use now");
    // The API names a tab as well.
    let called = |tab: &str| {
        let body = json!({"server": "page", "tool": "where", "tab": tab}).to_string();
        let (status, called) = bench.api("POST /api/sessions/default/calls", &body);
        assert_eq!(status, 200, "{called}");
        called
    };
    assert_eq!(called("tab-b")["contract"]["results"], "tab-b");
    let nowhere = called("tab-z").to_string();
    assert!(nowhere.contains("there is no tab `tab-z`"), "{nowhere}");
    let nowhere = named("tab-z");
    assert_eq!(nowhere["isError"], true);
    assert!(text(&nowhere).contains("`tab-a`"), "{nowhere}");
    drop(first);
    wait_until(
        || client.result("tools/list", json!({})).expect("a list").to_string(),
        |list| described(list, "second") && !described(list, "first"),
    );
    assert_eq!(here(), "second", "each takes its own with it");
    drop(second);
    wait_until(|| names(&client), Vec::is_empty);
    let gone = client.request("tools/call", json!({"name": "page_where", "arguments": {}}));
    assert!(gone.expect("an answer").text().contains("unknown tool"), "nobody has it");
}

#[test]
fn a_page_outlives_settings_that_are_not_about_pages() {
    let bench = Bench::new(&json!({"pages": {"tools_max": 1}}));
    let client = bench.client("2026-07-28");
    let mut page = bench.page();
    page.register("one", &json!({}));
    let two = json!({"name": "two", "description": "", "inputSchema": {"type": "object"}});
    assert!(page.try_register(TAB, &two).is_err(), "tools_max");
    reconfigure(
        bench.folder.path(),
        &json!({"pages": {"tools_max": 1}, "budget": {"tokens": 4000}}),
    );
    wait_until(|| bench.gateway.log(), |log| log.contains("read again"));
    page.register("one", &json!({"description": "still here"}));
    assert_eq!(names(&client), ["page_one"]);
    // What is about them makes them come again, and the new settings count.
    reconfigure(bench.folder.path(), &json!({"pages": {"tools_max": 2, "name": "web"}}));
    assert_eq!(page.turned_away(), ("come_again".to_owned(), Some(1012)));
    let mut page = bench.page();
    assert_eq!(page.welcome["server"], "web");
    page.register("one", &json!({}));
    page.try_register(TAB, &two).expect("there is room now");
    assert_eq!(names(&client), ["web_one", "web_two"]);
    reconfigure(bench.folder.path(), &json!({"pages": {"enabled": false}}));
    assert_eq!(page.turned_away(), ("come_again".to_owned(), Some(1012)));
    wait_until(|| Page::open(&bench.gateway, None).err(), |status| *status == Some(404));
    assert_eq!(names(&client), [] as [&str; 0]);
}
