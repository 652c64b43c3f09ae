//! Whose a page is where an issuer or a reverse proxy says so.

use serde_json::{Value, json};

use crate::{
    issuer::{Issuer, Signer, now},
    mcp::{Client, Gateway, Identity},
    page::{ORIGIN, PROGRAM, Page, api, names},
};

fn start(auth: &Value, folder: &tempfile::TempDir) -> Gateway {
    let settings = json!({"auth": auth, "pages": {"origins": [ORIGIN]}});
    let config = json!({"mcpServers": {}, "resultant": settings});
    Gateway::start(PROGRAM, &config, folder.path()).expect("a gateway")
}

fn page_token(gateway: &Gateway, credential: &str) -> String {
    let body = json!({"origin": ORIGIN}).to_string();
    let (status, made) = api(gateway, credential, "POST /api/page-tokens", &body);
    assert_eq!(status, 201, "{made}");
    made["token"].as_str().expect("a token").to_owned()
}

#[test]
fn an_issuer_says_whose_page_it_is_and_names_need_not_differ() {
    let folder = tempfile::tempdir().expect("a folder");
    let issuer = Issuer::start().expect("an issuer");
    let signer = Signer::ec("key").expect("a key");
    issuer.publish(&[&signer]).expect("published");
    let auth = json!({"mode": "oidc", "issuer": issuer.url, "audience": ["the-gateway"]});
    let gateway = start(&auth, &folder);
    let token = |subject: &str, audience: &str| {
        let claims = json!({
            "iss": issuer.url, "aud": audience, "sub": subject, "preferred_username": "ada",
            "exp": now() + 600, "iat": now(),
        });
        signer.sign(&claims).expect("a token")
    };
    let (one, two) = (token("1", "the-gateway"), token("2", "the-gateway"));
    let (mut first, second) = (Page::connect(&gateway, &one), Page::connect(&gateway, &two));
    assert_eq!((&first.welcome["user"], &second.welcome["user"]), (&json!("ada"), &json!("ada")));
    assert_ne!(first.welcome["user_id"], second.welcome["user_id"], "two users of one name");
    first.register("mine", &json!({}));
    let names_of = |credential: &str| {
        let client = Client::http_as(&gateway.all(), &Identity::plain("2026-07-28"), credential);
        names(&client.expect("a client"))
    };
    assert_eq!(names_of(&one), ["page_mine"]);
    assert_eq!(names_of(&two), [] as [&str; 0]);

    // A token of the gateway's own, for pages alone, is its user's.
    let own = page_token(&gateway, &one);
    assert_eq!(first.show(&own)["user_id"], first.welcome["user_id"]);
    let refused = first.show(&page_token(&gateway, &two));
    assert_eq!(refused["code"], "another_user", "{refused}");
    assert_eq!(first.show(&two)["code"], "another_user");
    assert_eq!(names_of(&two), [] as [&str; 0]);
    assert_eq!(names_of(&one), ["page_mine"]);

    let credentials = ("credentials".to_owned(), Some(4401));
    for wrong in [token("1", "another audience"), format!("{one}x"), String::new()] {
        let mut page = Page::open(&gateway, Some(ORIGIN)).expect("a page");
        page.hello(&wrong);
        assert_eq!(page.turned_away(), credentials, "{wrong}");
    }
    // What a page of one origin calls its user says nothing to a page of another.
    let mut elsewhere = Page::open(&gateway, None).expect("a page");
    elsewhere.hello(&one);
    assert_ne!(elsewhere.hear().expect("a welcome")["user_id"], first.welcome["user_id"]);
}

#[test]
fn a_proxy_says_whose_page_it_is_and_the_page_does_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let auth = json!({
        "mode": "header", "user_header": "X-Forwarded-User", "secret_header": "X-Resultant-Secret",
        "secret": "between-you-and-me",
    });
    let gateway = start(&auth, &folder);
    let secret = ("x-resultant-secret", "between-you-and-me");
    let open = |headers: &[(&'static str, &str)], hello: &Value| {
        let mut all = vec![("origin", ORIGIN)];
        all.extend_from_slice(headers);
        let mut page = Page::open_with(&gateway, &all).expect("a page");
        page.say(hello);
        page
    };
    let plain = json!({"type": "hello"});
    let ada = open(&[secret, ("x-forwarded-user", "ada")], &plain).let_in();
    assert_eq!(ada.welcome["user"], "ada");
    let bob = open(&[secret, ("x-forwarded-user", "bob")], &plain).let_in();
    assert_ne!(ada.welcome["user_id"], bob.welcome["user_id"]);
    let credentials = ("credentials".to_owned(), Some(4401));
    for headers in [
        &[][..],
        &[("x-forwarded-user", "ada")],
        &[secret],
        &[("x-resultant-secret", "between-you-and-mf"), ("x-forwarded-user", "ada")],
    ] {
        for token in [None, Some("ada"), Some("between-you-and-me"), Some("rpt_guessed")] {
            let hello = json!({"type": "hello", "token": token});
            assert_eq!(open(headers, &hello).turned_away(), credentials, "{headers:?} {token:?}");
        }
    }
    // A token of the application's own is not looked at: the proxy has said who it is.
    let hello = json!({"type": "hello", "token": "of the application"});
    let mut page = open(&[secret, ("x-forwarded-user", "bob")], &hello).let_in();
    assert_eq!(page.welcome["user_id"], bob.welcome["user_id"]);
    page.register("his", &json!({}));
    let _page = page.serve(|page, call| {
        page.answer(call, r#"{"content":[{"type":"text","text":"bob's"}]}"#);
    });
    let ask = |user: &str, line: &str, body: &str| {
        let headers = format!("X-Resultant-Secret: {}\r\nX-Forwarded-User: {user}", secret.1);
        api(&gateway, "", &format!("{line} HTTP/1.1\r\n{headers}\r\nX-Rest:"), body)
    };
    for (user, pages) in [("ada", json!([[]])), ("bob", json!([[], ["his"]]))] {
        let (_, found) = ask(user, "GET /api/pages", "");
        let items = found["items"].as_array().expect("pages").iter();
        let tools: Vec<&Value> = items.map(|page| &page["tools"]).collect();
        assert_eq!(json!(tools), pages, "{user}: {found}");
    }
    let body = json!({"server": "page", "tool": "his"}).to_string();
    let (status, called) = ask("bob", "POST /api/sessions/default/calls", &body);
    assert!(status == 200 && called.to_string().contains("bob's"), "{called}");
    let (status, called) = ask("ada", "POST /api/sessions/default/calls", &body);
    assert!(status == 200 && called.to_string().contains("no page of yours"), "{called}");
}
