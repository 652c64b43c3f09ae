//! Users see nothing of each other's pages.

use std::process::Command;

use serde_json::{Value, json};

use crate::{
    mcp::{Client, Gateway, Identity},
    page::{ORIGIN, PROGRAM, Page, VERSIONS, api, call, names, reconfigure, text, wait_until},
};

/// A new key of this user, and its entry for the configuration.
fn key(user: &str) -> (String, Value) {
    let output = Command::new(PROGRAM).args(["key", "new", user, "--json"]).output();
    let output = output.expect("a key");
    let made: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    (made["key"].as_str().expect("a key").to_owned(), made["entry"].clone())
}

fn client(gateway: &Gateway, key: &str, version: &str) -> Client {
    Client::http_as(&gateway.all(), &Identity::plain(version), key).expect("a client")
}

#[test]
fn two_users_see_nothing_of_each_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let ((ada, ada_entry), (bob, bob_entry)) = (key("ada"), key("bob"));
    let auth = json!({"mode": "token", "keys": [ada_entry, bob_entry]});
    let settings = json!({"auth": auth, "pages": {"origins": [ORIGIN]}});
    let config = json!({"mcpServers": {}, "resultant": settings});
    let gateway = Gateway::start(PROGRAM, &config, folder.path()).expect("a gateway");
    let mut of_ada = Page::connect(&gateway, &ada);
    assert_eq!(of_ada.welcome["user"], "ada");
    of_ada.register("secret_of_ada", &json!({}));
    of_ada.register("both", &json!({"description": "ada's"}));
    let _of_ada = of_ada.serve(|page, call| {
        page.answer(call, r#"{"content":[{"type":"text","text":"ada"}]}"#);
    });
    for version in VERSIONS {
        let (for_ada, for_bob) = (client(&gateway, &ada, version), client(&gateway, &bob, version));
        assert_eq!(names(&for_ada), ["page_secret_of_ada", "page_both"]);
        assert_eq!(names(&for_bob), [] as [&str; 0]);
        let other = for_bob.call("page_both", &json!({})).expect("an answer");
        assert!(other.text().contains("unknown tool"), "{}", other.text());
        let alone = Client::http_as(&gateway.server("page"), &Identity::plain(version), &bob);
        let alone = alone.expect("a client");
        assert_eq!(names(&alone), [] as [&str; 0]);
        let direct = call(&alone, "both", &json!({}));
        assert_eq!(direct["isError"], true, "{direct}");

        let mut of_bob = Page::connect(&gateway, &bob);
        of_bob.register("both", &json!({"description": "bob's"}));
        let of_bob = of_bob.serve(|page, call| {
            page.answer(call, r#"{"content":[{"type":"text","text":"bob"}]}"#);
        });
        assert_eq!(names(&for_bob), ["page_both"]);
        assert_eq!(text(&call(&for_ada, "page_both", &json!({}))), "ada");
        assert_eq!(text(&call(&for_bob, "page_both", &json!({}))), "bob");
        let list = for_bob.result("tools/list", json!({})).expect("a list").to_string();
        assert!(list.contains("bob's") && !list.contains("ada"), "{list}");
        for line in ["GET /api/tools", "GET /api/servers", "GET /api/pages"] {
            let (status, of_bob) = api(&gateway, &bob, line, "");
            assert_eq!(status, 200);
            assert!(!of_bob.to_string().contains("ada"), "{line}: {of_bob}");
        }
        drop(of_bob);
        wait_until(|| names(&for_bob), Vec::is_empty);
        assert_eq!(names(&for_ada).len(), 2, "each connection takes its own tools with it");
    }
}

#[test]
fn a_change_is_told_to_its_user_alone_and_a_token_of_another_moves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let ((ada, ada_entry), (bob, bob_entry)) = (key("ada"), key("bob"));
    let pages = json!({"origins": [ORIGIN]});
    let settings =
        |keys: &[&Value]| json!({"auth": {"mode": "token", "keys": keys}, "pages": pages});
    let both = settings(&[&ada_entry, &bob_entry]);
    let config = json!({"mcpServers": {}, "resultant": both});
    let gateway = Gateway::start(PROGRAM, &config, folder.path()).expect("a gateway");
    let (for_ada, for_bob) =
        (client(&gateway, &ada, "2025-06-18"), client(&gateway, &bob, "2025-06-18"));
    for_ada.listen().expect("a stream");
    for_bob.listen().expect("a stream");
    let is_change = |message: &crate::mcp::Message| {
        message.method() == Some("notifications/tools/list_changed")
    };
    let mut page = Page::connect(&gateway, &ada);
    page.register("mine", &json!({}));
    for_ada.wait_for(is_change).expect("told");
    // A request of bob's that is answered after it: what he is told of it would be there.
    for_bob.result("tools/list", json!({})).expect("a list");
    assert!(!for_bob.take_inbox().iter().any(is_change), "it is none of bob's business");

    let refused = page.show(&bob);
    assert_eq!((&refused["type"], &refused["code"]), (&json!("refused"), &json!("another_user")));
    assert_eq!(names(&for_ada), ["page_mine"], "it goes on as it was");
    assert_eq!(names(&for_bob), [] as [&str; 0]);
    assert!(!for_bob.take_inbox().iter().any(is_change), "nor is bob told of anything");
    let mut his = Page::connect(&gateway, &bob);
    assert_eq!(his.welcome["user"], "bob");
    assert_ne!(his.welcome["user_id"], page.welcome["user_id"]);
    his.register("his", &json!({}));
    for_bob.wait_for(is_change).expect("told");
    assert_eq!(names(&for_bob), ["page_his"]);
    assert_eq!(names(&for_ada), ["page_mine"]);

    // Who is taken out of the configuration is out.
    reconfigure(folder.path(), &settings(&[&ada_entry]));
    assert_eq!(his.turned_away(), ("come_again".to_owned(), Some(1012)));
    let mut again = Page::open(&gateway, None).expect("a page");
    again.hello(&bob);
    assert_eq!(again.turned_away(), ("credentials".to_owned(), Some(4401)));
}
