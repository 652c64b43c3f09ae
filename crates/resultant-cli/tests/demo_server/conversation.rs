//! What goes to and fro around a call: both greetings, progress, cancellation, questions, and what
//! there is beside tools.

use resultant::Protocol;
use serde_json::{Value, json};

use crate::client::Client;

const LEGACY: Protocol = Protocol::V2025_11_25;
const MODERN: Protocol = Protocol::V2026_07_28;

#[test]
fn a_modern_client_discovers() {
    let mut client = Client::new(MODERN, json!({}));
    let found = client.request("server/discover", json!({}))["result"].clone();
    assert_eq!(found["supportedVersions"].as_array().unwrap().len(), 5);
    assert_eq!(found["resultType"], "complete");
    assert!(found["ttlMs"].is_u64() && found["cacheScope"] == "public");
    let info = &found["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_eq!(info["name"], "resultant-demo");
    let list = client.request("tools/list", json!({}))["result"].clone();
    assert!(list["ttlMs"].is_u64() && list["resultType"] == "complete");
    assert_eq!(client.request("ping", json!({}))["error"]["code"], -32601);
}

#[test]
fn an_unknown_version_is_refused_and_a_greeting_gets_a_version() {
    let mut client = Client::new(LEGACY, json!({}));
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2031-01-01"});
    let error = client.request("tools/list", json!({"_meta": meta}))["error"].clone();
    assert_eq!(
        (&error["code"], &error["data"]["requested"]),
        (&json!(-32022), &json!("2031-01-01"))
    );
    let again = client.request("initialize", json!({"protocolVersion": "2026-07-28"}));
    assert_eq!(again["result"]["protocolVersion"], "2025-11-25");
    assert_eq!(client.request("ping", json!({}))["result"], json!({}));
    assert_eq!(client.call("no_such_tool", &json!({}))["error"]["code"], -32602);
    let refused = client.call("weather", &json!({"station": "moon"}))["result"].clone();
    assert_eq!(refused["isError"], true);
    assert!(refused["content"][0]["text"].as_str().unwrap().contains("heron-point"));
}

#[test]
fn lines_that_are_no_messages_end_nothing() {
    let mut client = Client::new(LEGACY, json!({}));
    client.send(&json!("a string"));
    assert_eq!(client.next()["error"]["code"], -32600);
    client.send(&json!({"jsonrpc": "2.0", "id": "nobody asked", "result": {}}));
    client.notify("notifications/unknown", &json!({}));
    assert_eq!(client.call("echo", &json!({"message": "ż"}))["result"]["content"][0]["text"], "ż");
}

fn roast(client: &mut Client, seconds: f64, steps: u64, token: &str) -> u64 {
    client.begin(
        "tools/call",
        json!({"name": "roast", "arguments": {"seconds": seconds, "steps": steps},
            "_meta": {"progressToken": token}}),
    )
}

#[test]
fn a_slow_call_reports_and_holds_nobody_up() {
    for protocol in [LEGACY, MODERN] {
        let mut client = Client::new(protocol, json!({}));
        roast(&mut client, 600.0, 1, "endless");
        // The quick call ends while the slow one has minutes to go.
        assert!(client.call("echo", &json!({})).get("result").is_some());
        let id = roast(&mut client, 0.01, 4, "short");
        client.response_line(id);
        let progress: Vec<&Value> = client.others.iter().map(|other| &other["params"]).collect();
        assert_eq!(progress.len(), 4);
        assert!(progress.iter().all(|progress| progress["progressToken"] == "short"));
        assert_eq!((&progress[3]["progress"], &progress[3]["total"]), (&json!(4), &json!(4)));
        assert_eq!(progress[0]["message"], "drying, step 1 of 4");
        // A client that is gone ends the calls that it waited for.
        assert!(client.hang_up());
    }
}

#[test]
fn a_cancelled_call_says_nothing_more() {
    for protocol in [LEGACY, MODERN] {
        let mut client = Client::new(protocol, json!({}));
        let cancelled = roast(&mut client, 0.4, 1, "cancelled");
        client.notify("notifications/cancelled", &json!({"requestId": cancelled, "reason": "t"}));
        // This one starts later and takes longer, so the other would be heard of before.
        let id = roast(&mut client, 1.0, 1, "heard");
        client.response_line(id);
        let heard: Vec<&Value> =
            client.others.iter().map(|other| &other["params"]["progressToken"]).collect();
        assert_eq!(heard, ["heard"]);
    }
}

#[test]
fn a_question_can_be_cancelled() {
    let mut client = Client::new(LEGACY, json!({"elicitation": {}}));
    let id = client.begin("tools/call", json!({"name": "sign_guest_book"}));
    let question = client.next();
    client.notify("notifications/cancelled", &json!({"requestId": id}));
    let late = json!({"jsonrpc": "2.0", "id": question["id"],
        "result": {"action": "accept", "content": {"name": "Ada"}}});
    client.send(&late);
    assert!(client.call("echo", &json!({})).get("result").is_some());
    assert!(client.hang_up());
    assert!(client.others.is_empty(), "{:?}", client.others);
}

#[test]
fn a_legacy_person_is_asked_by_a_request() {
    let answers = [
        (json!({"result": {"action": "accept", "content": {"name": "Ada"}}}), "Welcome, Ada!"),
        (json!({"result": {"action": "decline"}}), "would rather not say"),
        (json!({"error": {"code": -1, "message": "no window"}}), "could not ask: no window"),
    ];
    let mut client = Client::new(LEGACY, json!({"elicitation": {}}));
    for (mut answer, expected) in answers {
        let id = client.begin("tools/call", json!({"name": "sign_guest_book"}));
        let question = client.next();
        assert_eq!(question["method"], "elicitation/create");
        assert_eq!(question["params"]["requestedSchema"]["required"], json!(["name"]));
        answer["jsonrpc"] = json!("2.0");
        answer["id"] = question["id"].clone();
        client.send(&answer);
        let line = String::from_utf8(client.response_line(id)).unwrap();
        assert!(line.contains(expected), "{line}");
    }
}

#[test]
fn a_modern_person_is_asked_by_the_result() {
    let mut client = Client::new(MODERN, json!({"elicitation": {"form": {}}}));
    let first = client.call("sign_guest_book", &json!({}))["result"].clone();
    assert_eq!(first["resultType"], "input_required");
    assert_eq!(first["inputRequests"]["visitor"]["method"], "elicitation/create");
    let response = json!({"action": "accept", "content": {"name": "Ada"}});
    let second = client.request(
        "tools/call",
        json!({"name": "sign_guest_book", "requestState": first["requestState"],
            "inputResponses": {"visitor": response}}),
    );
    assert_eq!(second["result"]["resultType"], "complete");
    assert_eq!(second["result"]["content"][0]["text"], "Welcome, Ada! You are visitor number 418.");
    let mut mute = Client::new(MODERN, json!({}));
    assert_eq!(mute.call("sign_guest_book", &json!({}))["error"]["code"], -32021);
}

#[test]
fn resources_prompts_and_completion() {
    for protocol in [LEGACY, MODERN] {
        let mut client = Client::new(protocol, json!({}));
        let list = client.request("resources/list", json!({}))["result"]["resources"].clone();
        for resource in list.as_array().unwrap() {
            let read = client.request("resources/read", json!({"uri": resource["uri"]}));
            let contents = &read["result"]["contents"][0];
            assert_eq!(contents["uri"], resource["uri"]);
            assert_eq!(contents["mimeType"], resource["mimeType"]);
            assert!(contents["text"].is_string() != contents["blob"].is_string());
        }
        assert_eq!(list.as_array().unwrap().len(), 3);
        let templates = client.request("resources/templates/list", json!({}))["result"].clone();
        assert_eq!(templates["resourceTemplates"][0]["uriTemplate"], "shop://products/{sku}");
        let product = client.request("resources/read", json!({"uri": "shop://products/ACC-TIN"}));
        assert!(product["result"]["contents"][0]["text"].as_str().unwrap().contains("1350"));
        let missing = client.request("resources/read", json!({"uri": "shop://products/GOLD"}));
        let code = if protocol.is_modern() { -32602 } else { -32002 };
        assert_eq!(missing["error"]["code"], code);

        let prompts = client.request("prompts/list", json!({}))["result"]["prompts"].clone();
        assert_eq!(prompts.as_array().unwrap().len(), 2);
        let prompt = json!({"name": "monthly_review", "arguments": {"month": "Dec"}});
        let got = client.request("prompts/get", prompt)["result"].clone();
        assert!(got["messages"][0]["content"]["text"].as_str().unwrap().contains("In Dec 2025"));
        let missing = client.request("prompts/get", json!({"name": "monthly_review"}));
        assert_eq!(missing["error"]["code"], -32602);
        let completed = client.request(
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "monthly_review"},
                "argument": {"name": "month", "value": "j"}}),
        );
        assert_eq!(completed["result"]["completion"]["values"], json!(["Jan", "Jun", "Jul"]));
    }
}
