//! Who is not let in, what is too much, and who is cut off.

use std::thread;

use serde_json::{Value, json};

use crate::page::{Bench, Closed, ORIGIN, Page, TAB, call, names, signal, text};

#[test]
fn pages_of_foreign_origins_are_refused_unless_they_are_configured() {
    let bench = Bench::new(&json!({
        "allowed_origins": ["https://friend.example"],
        "pages": {"origins": ["https://app.example"]},
    }));
    for (origin, is_let_in) in [
        (Some("https://evil.example"), false),
        (Some("http://localhost.evil.example"), false),
        (Some("null"), false),
        (Some("https://app.example"), true),
        (Some("https://friend.example"), true),
        (Some("http://127.0.0.1:5173"), true),
        (None, true),
    ] {
        let mut page = Page::open(&bench.gateway, origin).expect("a connection");
        page.hello(&bench.secret);
        if is_let_in {
            assert_eq!(page.hear().expect("an answer")["type"], "welcome", "{origin:?}");
            continue;
        }
        // A browser shows a page no status, so it is told in words. Nothing else is done for it.
        page.tab(TAB);
        page.say(&json!({"type": "register", "id": 1, "tab": TAB, "tool": {"name": "never"}}));
        let refused = page.hear().expect("a reason");
        assert_eq!((&refused["type"], &refused["code"]), (&json!("refused"), &json!("origin")));
        let reason = refused["reason"].as_str().expect("a reason");
        let origin = origin.expect("an origin");
        assert!(reason.contains(origin) && reason.contains("pages.origins"), "{refused}");
        assert!(refused["hint"].as_str().is_some_and(|hint| hint.contains("configuration")));
        assert_eq!(page.hear(), Err(Closed(Some(4403))));
        assert_eq!(names(&bench.client("2026-07-28")), [] as [&str; 0], "{origin:?}");
        let (_, pages) = bench.api("GET /api/pages", "");
        assert!(!pages.to_string().contains(origin), "{pages}");
    }
    // Under a name that is not ours nobody is told anything.
    let rebound = [("host", "evil.example"), ("origin", "http://evil.example")];
    assert_eq!(Page::open_with(&bench.gateway, &rebound).err(), Some(403));
    let plain = "GET /api/page HTTP/1.1\r\nOrigin: https://evil.example\r\nX-Rest:";
    assert_eq!(bench.api(plain, "").0, 403, "no WebSocket, no words");
    // The origins of pages are for pages: they may not use the rest of the API.
    let line = "GET /api/tools HTTP/1.1\r\nOrigin: https://app.example\r\nX-Rest:";
    assert_eq!(bench.api(line, "").0, 403);
}

#[test]
fn only_who_shows_a_credential_is_let_in() {
    let bench = Bench::new(&json!({"pages": {"token_seconds": 60}}));
    let turned_away = |origin: &str, token: &str| {
        let mut page = Page::open(&bench.gateway, Some(origin)).expect("a page");
        page.hello(token);
        page.turned_away()
    };
    let here = ORIGIN;
    let credentials = ("credentials".to_owned(), Some(4401));
    for token in ["", "wrong", "rp_wrong", "rpt_wrong", &"x".repeat(100_000)] {
        assert_eq!(turned_away(here, token), credentials, "{token:.20}");
    }
    let mut page = Page::open(&bench.gateway, Some(here)).expect("a page");
    page.say(&json!({"type": "hello"}));
    assert_eq!(page.turned_away(), credentials, "none at all");

    let (status, token) = bench.api("POST /api/page-tokens", "{}");
    assert_eq!((status, &token["seconds"]), (201, &json!(60)), "{token}");
    let free = token["token"].as_str().expect("a token").to_owned();
    Page::connect(&bench.gateway, &free);
    let body = json!({"origin": "http://localhost:5173", "seconds": 100_000}).to_string();
    let (_, token) = bench.api("POST /api/page-tokens", &body);
    assert_eq!(token["seconds"], 60, "not longer than the configuration lets it");
    let bound = token["token"].as_str().expect("a token").to_owned();
    Page::connect(&bench.gateway, &bound);
    assert_eq!(turned_away("http://localhost:9999", &bound), credentials, "another origin");
    // It opens this and nothing else.
    assert_eq!(crate::page::api(&bench.gateway, &free, "GET /api/tools", "").0, 401);
    assert_eq!(crate::page::api(&bench.gateway, &free, "POST /api/page-tokens", "{}").0, 401);
    assert_eq!(bench.api("POST /api/page-tokens", r#"{"origin":"nonsense"}"#).0, 400);
    let (status, _) = crate::page::api(&bench.gateway, "wrong", "POST /api/page-tokens", "{}");
    assert_eq!(status, 401);

    // Another credential on the same connection.
    let mut page = bench.page();
    page.register("stays", &json!({}));
    let again = page.show(&free);
    assert_eq!(again["type"], "welcome");
    assert_eq!(again["user_id"], page.welcome["user_id"], "{again}");
    assert_eq!(names(&bench.client("2026-07-28")), ["page_stays"]);
    let refused = page.show("wrong");
    assert_eq!((&refused["type"], &refused["code"]), (&json!("refused"), &json!("credentials")));
    page.register("goes_on", &json!({}));
    assert_eq!(names(&bench.client("2026-07-28")), ["page_stays", "page_goes_on"]);
}

#[test]
fn a_credential_that_is_over_ends_the_connection_it_opened() {
    let bench = Bench::new(&json!({"pages": {"heartbeat_seconds": 0.2}}));
    let (_, token) = bench.api("POST /api/page-tokens", r#"{"seconds":2}"#);
    let token = token["token"].as_str().expect("a token");
    let (mut kept, ended) =
        (Page::connect(&bench.gateway, token), Page::connect(&bench.gateway, token));
    assert_eq!(kept.show(&bench.secret)["type"], "welcome");
    kept.register("still", &json!({}));
    let _kept = kept.serve(|_, _| {});
    assert_eq!(ended.turned_away(), ("expired".to_owned(), Some(4401)));
    assert_eq!(names(&bench.client("2026-07-28")), ["page_still"], "another came in time");
}

#[test]
fn what_is_no_message_ends_the_conversation() {
    let bench = Bench::new(&json!({}));
    let bad = ("message".to_owned(), Some(4400));
    let mut page = Page::open(&bench.gateway, None).expect("a page");
    page.say(&json!({"type": "register", "id": 1, "tab": "", "tool": {}}));
    assert_eq!(page.turned_away(), bad, "not before it said who it is");
    for text in ["no JSON", "[]", r#"{"type":"tab"}"#, r#"{"type":"hello","token":""}"#] {
        let mut page = bench.page();
        page.say_text(text);
        assert_eq!(page.turned_away(), bad, "{text}");
    }
    let mut page = bench.page();
    page.say_bytes(vec![1, 2]);
    assert_eq!(page.turned_away(), bad);
    // What it does not know it passes over, also of calls and streams that are none of its own.
    let mut page = bench.page();
    page.say(&json!({"type": "from the future"}));
    page.say(&json!({"type": "result", "call": "999", "result": {}}));
    page.say(&json!({"type": "result", "call": "999", "stream": 4}));
    page.say(&json!({"type": "failed", "call": "x", "message": "m"}));
    page.say(&json!({"type": "progress", "call": "999", "progress": 1}));
    page.say_bytes(vec![0, 0, 0, 4, 1, b'{', b'}']);
    page.register("alive", &json!({}));
}

#[test]
fn what_is_too_much_is_refused_and_named() {
    let bench = Bench::new(&json!({
        "limits": {"message_bytes_max": 1_000_000},
        "pages": {"tools_max": 2, "connections_max": 2, "calls_at_once_max": 1},
    }));
    let client = bench.client("2026-07-28");
    let mut page = bench.page();
    let limits = &page.welcome["limits"];
    assert_eq!((&limits["tools_max"], &limits["calls_max"]), (&json!(2), &json!(1)));
    assert_eq!(limits["result_bytes_max"], 1_000_000);
    let frame_bytes_max = limits["frame_bytes_max"].as_u64().expect("a number");
    for name in ["big", "slow"] {
        page.register(name, &json!({}));
    }
    let refused = |page: &mut Page, tool: Value, words: &str| {
        let refused = page.try_register(TAB, &tool).expect_err("refused");
        assert!(refused["reason"].as_str().is_some_and(|r| r.contains(words)), "{refused}");
        assert!(refused["hint"].is_string(), "{refused}");
    };
    refused(&mut page, json!({"name": "third"}), "2 tools");
    refused(&mut page, json!({"name": "no name"}), "name");
    refused(
        &mut page,
        json!({"name": "big", "outputSchema": {"$ref": "http://127.0.0.1:1/x"}}),
        "output schema",
    );
    refused(&mut page, json!({"name": "big", "description": "x".repeat(70_000)}), "bytes");

    let second = bench.page();
    let mut third = Page::open(&bench.gateway, None).expect("a page");
    third.hello(&bench.secret);
    assert_eq!(third.turned_away(), ("limits".to_owned(), Some(4429)), "connections_max");
    drop(second);

    let (tell, told) = signal();
    let (go, gone) = signal();
    let page = page.serve(move |page, call| match call["name"].as_str() {
        Some("slow") => {
            tell.send(json!(1)).expect("told");
            gone.recv().expect("told to go on");
            page.answer(call, r#"{"content":[]}"#);
        }
        _ => {
            let text = std::iter::once(br#"{"content":[{"type":"text","text":""#.to_vec());
            let more = std::iter::repeat_with(|| vec![b'x'; 64 << 10]).take(64);
            page.stream(call, text.chain(more));
        }
    });
    thread::scope(|scope| {
        scope.spawn(|| call(&client, "page_slow", &json!({})));
        told.recv().expect("the call is in the page");
        let busy = call(&client, "page_slow", &json!({}));
        assert_eq!(busy["isError"], true);
        assert!(text(&busy).contains("pages.calls_at_once_max"), "{busy}");
        go.send(json!(1)).expect("told");
    });
    let large = call(&client, "page_big", &json!({}));
    assert_eq!(large["isError"], true, "{large}");
    assert!(text(&large).contains("message_bytes_max"), "{large}");
    // The connection lives on.
    go.send(json!(1)).expect("told");
    assert_ne!(call(&client, "page_slow", &json!({}))["isError"], true);
    drop(page);

    // A frame over the limit is not even read.
    let mut page = bench.page();
    let long = usize::try_from(frame_bytes_max).expect("small");
    page.say_text(&json!({"type": "pong", "x": "x".repeat(long)}).to_string());
    assert_eq!(page.turned_away(), ("frame".to_owned(), Some(1009)));
}

#[test]
fn who_is_silent_is_cut_off() {
    let bench = Bench::new(&json!({"pages": {"heartbeat_seconds": 0.2}}));
    let mut page = bench.page();
    page.register("here", &json!({}));
    // Pongs keep it: many heartbeats pass while it only listens.
    let client = bench.client("2026-07-28");
    let (tell, told) = signal();
    let mut beats = 0;
    let stay = thread::spawn(move || {
        while let Ok(message) = page.hear() {
            if message["type"] == "call" {
                beats += 1;
                page.answer(&message, r#"{"content":[{"type":"text","text":"here"}]}"#);
                tell.send(json!(beats)).expect("told");
            }
            if beats == 2 {
                return page;
            }
        }
        panic!("cut off although it answered");
    });
    assert_eq!(text(&call(&client, "page_here", &json!({}))), "here");
    told.recv().expect("a call");
    thread::sleep(std::time::Duration::from_secs(1));
    assert_eq!(text(&call(&client, "page_here", &json!({}))), "here");
    let page = stay.join().expect("a page");
    // From here on nobody answers pings.
    let ended = thread::scope(|scope| {
        let silent = scope.spawn(|| call(&client, "page_here", &json!({})));
        silent.join().expect("a result")
    });
    assert_eq!(ended["isError"], true, "{ended}");
    assert!(text(&ended).contains("heartbeat_seconds"), "{ended}");
    drop(page);
}
