//! Tool lists in which something is broken.

use std::net::TcpListener;

use serde_json::{Value, json};

use crate::{
    hostile::{Bench, alive, wait_until},
    mcp::{Client, Identity, LEGACY, MODERN},
};

/// The gateway's own tools stand at the end of every list.
const OWN: [&str; 4] = ["files_list", "files_read", "files_search", "files_query"];

fn tools(client: &Client) -> Vec<Value> {
    let (mut tools, mut params) = (Vec::new(), json!({}));
    loop {
        let page = client.result("tools/list", params).expect("a list");
        tools.extend(page["tools"].as_array().expect("tools").iter().cloned());
        match &page["nextCursor"] {
            Value::Null => return tools,
            cursor => params = json!({"cursor": cursor}),
        }
    }
}

fn names(tools: &[Value]) -> Vec<&str> {
    tools.iter().map(|tool| tool["name"].as_str().expect("a name")).collect()
}

#[test]
fn one_broken_definition_takes_no_other_with_it() {
    // Whoever follows a reference in a schema comes by here.
    let canary = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}/schema.json", canary.local_addr().expect("an address"));
    let env: &[(&str, &str)] = &[("HOSTILE_CANARY", &address)];
    let bench = Bench::of(&[("hostile", &["--list=broken"])], &json!({}), env);
    for version in [LEGACY, MODERN] {
        for url in [bench.gateway.server("hostile"), bench.gateway.all()] {
            let client = Client::http(&url, &Identity::plain(version)).expect("a client");
            let tools = tools(&client);
            let names = names(&tools);
            let has = |name: &str| names.iter().any(|listed| listed.ends_with(name));
            for name in [
                "echo",
                "no_input",
                "input_null",
                "input_text",
                "annotations_text",
                "description_number",
                "output_array",
                "output_text",
                "output_invalid",
                "output_canary",
                "output_file",
                "output_deep",
                "long_description",
                "sound_at_the_end",
            ] {
                assert!(has(name), "{name} is missing in {names:?}");
            }
            let mut unique = names.clone();
            unique.sort_unstable();
            unique.dedup();
            assert_eq!(unique.len(), names.len(), "{names:?}");
            for tool in &tools {
                check_tool(tool, version);
            }
        }
    }
    alive(&bench.client());
    assert!(bench.gateway.log().contains("another tool has the same name"));
    canary.set_nonblocking(true).expect("set");
    assert!(canary.accept().is_err(), "the reference was followed");
    bench.finish();
}

/// What every client may rely on.
fn check_tool(tool: &Value, version: &str) {
    let name = tool["name"].as_str().expect("a name");
    assert!((1..=300).contains(&name.len()), "{name}");
    assert_eq!(tool["inputSchema"]["type"], json!("object"), "{name}");
    for (key, is_right) in [
        ("description", Value::is_string as fn(&Value) -> bool),
        ("title", Value::is_string),
        ("annotations", Value::is_object),
        ("_meta", Value::is_object),
    ] {
        assert!(tool.get(key).is_none_or(is_right), "{name}: {key}");
    }
    if let Some(schema) = tool.get("outputSchema") {
        assert!(version == MODERN || schema["type"] == json!("object"), "{name}: {schema}");
        assert!(!schema.to_string().contains("etc/passwd"), "{name}");
        assert!(!schema.to_string().contains("http://127"), "{name}");
    }
    assert!(tool.to_string().len() < 200_000, "{name} has {} bytes", tool.to_string().len());
}

#[test]
fn a_list_without_end_is_cut() {
    let settings = json!({"limits": {"tools_max": 50}, "timeouts": {"connect_seconds": 5.0}});
    let servers: &[(&str, &[&str])] = &[
        ("hostile", &["--list=pages"]),
        ("stuck", &["--list=stuck"]),
        ("empty", &["--list=empty_pages"]),
        ("none", &["--list=none"]),
        ("refused", &["--list=refused"]),
    ];
    let bench = Bench::of(servers, &settings, &[]);
    let client = bench.client();
    assert_eq!(tools(&client).len(), 50 + OWN.len());
    alive(&client);
    for server in ["stuck", "empty"] {
        let client = Client::http(&bench.gateway.server(server), &Identity::plain(LEGACY));
        let client = client.expect("a session");
        let expected: Vec<&str> = ["echo"].into_iter().chain(OWN).collect();
        assert_eq!(names(&tools(&client)), expected, "{server}");
        alive(&client);
    }
    // All of them together: those that have a list are there.
    let all = Client::http(&bench.gateway.all(), &Identity::plain(LEGACY)).expect("a session");
    assert_eq!(tools(&all).len(), 52 + OWN.len());
    bench.finish();
}

#[test]
fn a_storm_of_changes_is_told_a_few_times() {
    let bench = Bench::new(&[], &json!({}));
    let client = bench.client();
    client.listen().expect("a stream");
    let is_change = |message: &crate::mcp::Message| {
        message.method() == Some("notifications/tools/list_changed")
    };
    crate::hostile::succeed(&client, "list_changed_storm", &json!({}));
    // One or two, as they fall together with that of the start; then it is quiet.
    client.wait_for(is_change).expect("a change is told");
    alive(&client);
    let rest = client.take_inbox().iter().filter(|message| is_change(message)).count();
    assert!(rest < 50, "{rest} of 10000 changes were told");
    assert!(!tools(&client).is_empty());
    bench.finish();
}

#[test]
fn a_server_that_was_killed_comes_back_by_itself() {
    let bench = Bench::new(&[], &json!({}));
    let all = Client::http(&bench.gateway.all(), &Identity::plain(LEGACY)).expect("a session");
    assert!(!tools(&all).is_empty());
    for _ in 0..2 {
        let before = bench.notes("start");
        let running = before.iter().filter(|pid| crate::hostile::is_running(pid));
        for pid in running {
            let killed = std::process::Command::new("kill").args(["-9", pid]).status();
            assert!(killed.expect("kill").success());
        }
        // Nobody asks for it.
        wait_until("it was started again", || bench.notes("start").len() > before.len());
        wait_until("its tools are there", || !tools(&all).is_empty());
        alive(&bench.client());
    }
    bench.finish();
}
