//! Which of the two origins answers what, and what browsers are told.

use serde_json::json;

use crate::bench::{Bench, PACKED, SCRIPT, get, request};

const BROWSER: &str = "Accept: text/html,application/xhtml+xml\r\n";

#[test]
fn the_page_and_its_files() {
    let bench = Bench::new(&json!({"dashboards": {"origins": ["https://board.example"]}}));
    let address = bench.address().to_owned();
    let (_, sandbox) = bench.sandbox();
    let page = get(&address, &address, "/", BROWSER);
    assert_eq!(page.status, 200);
    assert!(page.body.ends_with("the page"), "{}", page.body);
    let nonce = page.body.split('"').nth(3).unwrap();
    assert!(nonce.len() >= 22 && nonce.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    for part in [
        "default-src 'none';",
        "script-src 'self';",
        &format!("style-src 'self' 'nonce-{nonce}';"),
        &format!("frame-src http://{sandbox} https://board.example;"),
        "frame-ancestors 'none';",
        "base-uri 'none';",
        "form-action 'none';",
        "require-trusted-types-for 'script';",
        "trusted-types resultant",
    ] {
        assert!(page.policy().contains(part), "{part}: {}", page.policy());
    }
    assert!(!page.policy().contains("unsafe"), "{}", page.policy());
    assert_eq!(page.header("cache-control"), "no-cache");
    assert_eq!(page.header("x-content-type-options"), "nosniff");
    assert_eq!(page.header("cross-origin-opener-policy"), "same-origin");
    assert_ne!(
        get(&address, &address, "/", BROWSER).policy(),
        page.policy(),
        "a nonce is used once"
    );
    // Who is no browser is told where MCP is, as ever.
    let plain = get(&address, &address, "/", "");
    assert!(plain.body.starts_with("Resultant gateway"), "{}", plain.body);

    let script = "/assets/index-BvAm7f-E.js";
    let whole = get(&address, &address, script, "");
    assert_eq!((whole.status, whole.body.as_str()), (200, SCRIPT));
    assert_eq!(whole.header("content-type"), "text/javascript; charset=utf-8");
    assert_eq!(whole.header("cache-control"), "public, max-age=31536000, immutable");
    let packed = get(&address, &address, script, "Accept-Encoding: gzip, br;q=0.9\r\n");
    assert_eq!((packed.header("content-encoding"), packed.body.as_str()), ("br", PACKED));
    assert!(packed.headers.iter().any(|(k, v)| k == "vary" && v == "Accept-Encoding"));
    assert_ne!(packed.header("etag"), whole.header("etag"));
    let refused = get(&address, &address, script, "Accept-Encoding: br;q=0\r\n");
    assert_eq!(refused.body, SCRIPT);
    let known = format!("If-None-Match: {}\r\n", whole.header("etag"));
    let known = get(&address, &address, script, &known);
    assert_eq!((known.status, known.body.as_str()), (304, ""));
    assert_eq!(get(&address, &address, "/icon.svg", "").header("cache-control"), "no-cache");
    for path in ["/assets/none.js", "/index.html", "/stage.html", "/assets/../../data/secret"] {
        assert_eq!(get(&address, &address, path, "").status, 404, "{path}");
    }
    for response in [&page, &whole, &packed, &known] {
        assert_eq!(response.header("set-cookie"), "");
    }
}

#[test]
fn the_sandbox_has_shells_and_nothing_else() {
    let bench = Bench::new(&json!({}));
    let (address, host) = bench.sandbox();
    assert!(host.starts_with("localhost:"), "the page is at 127.0.0.1");
    let page = bench.address().to_owned();
    let page_port = page.rsplit_once(':').unwrap().1;
    for (path, body, sandbox) in [
        ("/stage.html", "the stage", "sandbox allow-scripts"),
        ("/run.html", "the runner", "sandbox allow-scripts"),
        ("/app.html", "the app", "sandbox allow-scripts allow-same-origin allow-forms"),
    ] {
        let shell = get(&address, &host, path, "");
        assert_eq!((shell.status, shell.body.as_str()), (200, body));
        let policy = shell.policy();
        assert!(policy.starts_with("default-src 'none';"), "{policy}");
        assert!(policy.ends_with(sandbox), "{policy}");
        assert!(policy.contains(&format!("script-src http://{host} ")), "{policy}");
        let ancestors =
            format!("frame-ancestors http://localhost:{page_port} http://127.0.0.1:{page_port};");
        assert!(policy.contains(&ancestors), "{policy}");
        for part in
            ["frame-src 'none';", "base-uri 'none';", "form-action 'none';", "webrtc 'block';"]
        {
            assert!(policy.contains(part), "{path} {part}: {policy}");
        }
        assert_eq!(shell.header("set-cookie"), "");
        assert_eq!(shell.header("x-content-type-options"), "nosniff");
        let known = format!("If-None-Match: {}\r\n", shell.header("etag"));
        let known = get(&address, &host, path, &known);
        assert_eq!((known.status, known.policy()), (304, policy));
    }
    let stage = get(&address, &host, "/stage.html", "");
    let script_src = stage.policy().split("script-src ").nth(1).unwrap().split(';').next().unwrap();
    assert!(!script_src.contains("unsafe-inline") && !script_src.contains("'unsafe-eval'"));
    let asset = get(&address, &host, "/assets/stage-AAAAAAAA.js", "Origin: null\r\n");
    assert_eq!((asset.status, asset.header("access-control-allow-origin")), (200, "*"));
    assert!(asset.header("cache-control").contains("immutable"));
    // No API, no MCP, no page, also for who has the secret.
    let secret = format!("Authorization: Bearer {}\r\n", bench.secret);
    for path in [
        "/",
        "/api/settings",
        "/api/me",
        "/mcp",
        "/healthz",
        "/metrics",
        "/index.html",
        "/other.html",
    ] {
        let response = get(&address, &host, path, &secret);
        assert_eq!(response.status, 404, "{path}");
    }
    let posted = request(&address, "POST /mcp", &format!("Host: {host}\r\n{secret}"), "{}");
    assert_eq!(posted.status, 405);
}

#[test]
fn neither_answers_for_the_other() {
    let bench = Bench::new(&json!({}));
    let (address, host) = bench.sandbox();
    let page = bench.address().to_owned();
    let secret = format!("Authorization: Bearer {}\r\n", bench.secret);
    let other = format!("127.0.0.1:{}", host.rsplit_once(':').unwrap().1);
    for named in [&host, &other] {
        for path in ["/", "/api/settings", "/mcp", "/healthz", "/assets/index-BvAm7f-E.js"] {
            assert_eq!(get(&page, named, path, &secret).status, 403, "{named}{path}");
        }
    }
    for named in [page.as_str(), "localhost", "gateway.example", "localhost:1", "", "localhost:x"] {
        assert_eq!(get(&address, named, "/stage.html", "").status, 403, "{named}");
    }
    let twice = format!("GET /stage.html HTTP/1.1\r\nHost: {host}\r\nHost: {page}\r\n");
    let twice = twice.split_once(" HTTP/1.1\r\n").unwrap();
    assert_ne!(request(&address, twice.0, twice.1, "").status, 200);
    // What is shown there may not call, whatever it has.
    for origin in [format!("http://{host}"), format!("http://{other}"), "null".to_owned()] {
        let headers = format!("Origin: {origin}\r\n{secret}");
        assert_eq!(get(&page, &page, "/api/settings", &headers).status, 403, "{origin}");
        let posting = format!("Host: {page}\r\n{headers}Content-Type: application/json\r\n");
        assert_eq!(request(&page, "POST /mcp", &posting, "{}").status, 403, "{origin}");
    }
    // Asked by the other name, the page is told the other way round.
    let port = page.rsplit_once(':').unwrap().1;
    let by_name = get(&page, &format!("localhost:{port}"), "/api/settings", &secret).json();
    assert!(by_name["sandbox_url"].as_str().unwrap().starts_with("http://127.0.0.1:"), "{by_name}");
    let by_six = get(&page, &format!("[::1]:{port}"), "/api/settings", &secret).json();
    assert!(by_six["sandbox_url"].is_null(), "policies know no such address: {by_six}");
}

#[test]
fn one_listener_is_both_where_names_say_which() {
    let settings = json!({
        "public_url": "https://gateway.example",
        "sandbox_url": "https://box.example",
        "allowed_hosts": ["inner.example:8443", "plain.example"],
    });
    let bench = Bench::new(&settings);
    let address = bench.address().to_owned();
    let secret = format!("Authorization: Bearer {}\r\n", bench.secret);
    let settings = get(&address, "gateway.example", "/api/settings", &secret).json();
    assert_eq!(settings["sandbox_url"], "https://box.example");
    let page = get(&address, "gateway.example", "/", BROWSER);
    assert!(page.policy().contains("frame-src https://box.example;"), "{}", page.policy());
    let shell = get(&address, "box.example", "/stage.html", "");
    assert_eq!(shell.body, "the stage");
    assert!(shell.policy().contains("script-src https://box.example "), "{}", shell.policy());
    let port = address.rsplit_once(':').unwrap().1;
    let ancestors = format!(
        "frame-ancestors http://localhost:{port} http://127.0.0.1:{port} https://gateway.example \
         inner.example:8443 plain.example:*;"
    );
    assert!(shell.policy().contains(&ancestors), "{}", shell.policy());
    assert_eq!(get(&address, "box.example", "/api/settings", &secret).status, 404);
    assert_eq!(get(&address, "box.example:99", "/api/settings", &secret).status, 403);
    assert_eq!(get(&address, "box.example:99", "/stage.html", "").status, 403);
    let origin = format!("Origin: https://box.example\r\n{secret}");
    assert_eq!(get(&address, "gateway.example", "/api/settings", &origin).status, 403);
}

#[test]
fn what_an_app_declares_cannot_do_more_than_that() {
    let bench = Bench::new(&json!({}));
    let (address, host) = bench.sandbox();
    let escaped = |text: &str| -> String {
        text.bytes().map(|byte| format!("%{byte:02x}")).collect::<Vec<_>>().concat()
    };
    let asked = |csp: &str| get(&address, &host, &format!("/app.html?csp={}", escaped(csp)), "");
    let shell = asked(
        r#"{"connectDomains": ["https://api.example", "wss://live.example:8443"],
            "resourceDomains": ["https://*.tiles.example"], "frameDomains": ["https://f.example"],
            "baseUriDomains": ["https://b.example"]}"#,
    );
    for part in [
        "connect-src data: blob: https://api.example wss://live.example:8443;",
        "img-src data: blob: https://*.tiles.example;",
        "frame-src https://f.example;",
        "base-uri https://b.example;",
    ] {
        assert!(shell.policy().contains(part), "{part}: {}", shell.policy());
    }
    let nothing = asked("{}").policy().to_owned();
    assert_eq!(get(&address, &host, "/app.html", "").policy(), nothing);
    for entry in [
        "https://a.example; script-src *",
        "https://a.example\\r\\nSet-Cookie: a=b",
        "https://a.example\\nX-Odd: 1",
        "https://a.example https://b.example",
        "'unsafe-inline'",
        "*",
        "https:",
        "data:",
        "http://a.example",
        "http://127.0.0.1:1",
        "https://127.0.0.1",
        "https://localhost",
        &format!("http://{}", bench.address()),
        "https://a.example,https://b.example",
        "https://\u{430}.example",
    ] {
        let declared = format!(
            r#"{{"connectDomains": ["{entry}"], "resourceDomains": ["{entry}"],
                 "frameDomains": ["{entry}"], "baseUriDomains": ["{entry}"]}}"#
        );
        let shell = asked(&declared);
        assert_eq!((shell.status, shell.policy()), (200, nothing.as_str()), "{entry}");
        assert_eq!((shell.header("set-cookie"), shell.header("x-odd")), ("", ""), "{entry}");
    }
    for odd in ["[]", "x", "{", "\"{}\"", &format!("{{\"a\": \"{}\"}}", "x".repeat(9000))] {
        assert_eq!(asked(odd).status, 400, "{odd:.20}");
    }
    assert_eq!(get(&address, &host, "/app.html?csp={}&csp={}", "").status, 400);
}

#[test]
fn settings_say_who_is_here_and_what_is_known() {
    let bench = Bench::new(&json!({
        "dashboards": {"origins": ["http://127.0.0.1:*"]},
        "limits": {"upload_bytes_max": 4096},
    }));
    let address = bench.address().to_owned();
    assert_eq!(get(&address, &address, "/api/settings", "").status, 401);
    let settings = bench.get("/api/settings").json();
    assert_eq!(settings["user"], "local");
    assert_eq!(settings["mode"], "local");
    assert_eq!(settings["session"], "default");
    assert_eq!(settings["can_sign_out"], false);
    assert_eq!(settings["dashboards"]["origins"], json!(["http://127.0.0.1:*"]));
    assert_eq!(settings["limits"]["upload_bytes_max"], 4096);
    let clients = settings["clients"].as_array().unwrap();
    assert_eq!(clients.last().unwrap()["name"], "unknown");
    let claude = clients.iter().find(|client| client["name"] == "claude-code").unwrap();
    assert_eq!(
        (&claude["sees"], &claude["limits"]["tokens"]),
        (&json!("structured"), &json!(10000))
    );
    // A token of the page can be given up.
    let link = bench.api("POST /api/page-links", &json!({})).json();
    let code = link["url"].as_str().unwrap().split("#code=").nth(1).unwrap().to_owned();
    let token = bench.api("POST /api/page-session", &json!({"code": code})).json();
    let token = format!("Authorization: Bearer {}\r\n", token["token"].as_str().unwrap());
    let settings = get(&address, &address, "/api/settings", &token).json();
    assert_eq!(settings["can_sign_out"], true);
}

#[test]
fn there_need_be_no_sandbox() {
    let bench = Bench::new(&json!({"sandbox_listen": "off"}));
    assert!(bench.get("/api/settings").json()["sandbox_url"].is_null());
    let address = bench.address().to_owned();
    let page = get(&address, &address, "/", BROWSER);
    assert!(page.policy().contains("frame-src 'none';"), "{}", page.policy());
}
