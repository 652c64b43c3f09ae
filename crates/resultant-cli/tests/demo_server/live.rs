//! The live dashboard: what the result says, and the page behind it.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    time::Duration,
};

use resultant::Protocol;
use serde_json::{Value, json};

use crate::client::Client;

/// Sends one request and returns the whole response.
fn ask(address: &str, request: &str, headers: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    write!(stream, "{request} HTTP/1.1\r\n{headers}\r\n").unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    response
}

#[test]
fn the_page_is_open_and_its_numbers_need_the_token() {
    let mut client = Client::new(Protocol::V2025_11_25, json!({}));
    let line = {
        let id = client.begin(
            "tools/call",
            json!({"name": "live_dashboard", "arguments": {"id": "d1", "persistence": "pinned"}}),
        );
        client.response_line(id)
    };
    let outcome = resultant::read(line);
    let canvas = outcome.canvas.as_ref().unwrap();
    let member = |key: &str| canvas.members.get(key).unwrap().to_value();
    assert_eq!(member("open"), json!(true));
    assert_eq!((member("id"), member("persistence")), (json!("d1"), json!("pinned")));
    assert_eq!((member("type"), member("mode")), (json!("iframe"), json!("split")));
    let token = canvas.token.clone().unwrap();
    assert!(!outcome.to_contract().to_string().contains(&token));

    let url = member("url").as_str().unwrap().to_owned();
    let address = url.strip_prefix("http://").unwrap().trim_end_matches('/');
    let host = format!("Host: {address}\r\n");
    let page = ask(address, "GET /", &host);
    assert!(page.starts_with("HTTP/1.1 200 OK\r\n"), "{page}");
    assert!(page.contains("default-src 'none'") && !page.contains("{{nonce}}"));
    assert!(!page.contains(&token));
    // Nothing is loaded from anywhere else.
    assert!(!page.contains("https://") && !page.contains(" src=") && !page.contains("<link"));

    let data = ask(address, "GET /data", &format!("{host}Authorization: Bearer {token}\r\n"));
    let (head, body) = data.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK"), "{head}");
    let data: Value = serde_json::from_str(body).unwrap();
    assert_eq!(data["orders_per_minute"].as_array().unwrap().len(), 60);

    for (request, headers, status) in [
        ("GET /data", host.clone(), "401"),
        (
            "GET /data",
            format!("{host}Authorization: Bearer {}\r\n", token.replace('a', "b") + "0"),
            "401",
        ),
        ("GET /data", format!("Host: evil.example\r\nAuthorization: Bearer {token}\r\n"), "421"),
        ("OPTIONS /data", host.clone(), "204"),
        ("GET /elsewhere", host, "404"),
    ] {
        let response = ask(address, request, &headers);
        assert!(response.starts_with(&format!("HTTP/1.1 {status} ")), "{request}: {response}");
    }
    assert!(client.hang_up());
}
