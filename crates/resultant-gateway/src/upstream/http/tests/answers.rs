//! What a request goes out as, and answers that come as one body.

use std::io::Write as _;

use super::*;

#[tokio::test]
async fn a_request_carries_what_the_revision_wants() {
    let mut server = Server::start(|_| async { json(&result(7)) }).await;
    let mut client = Client::of(&server.url);
    client.request(7, "tools/list").await.unwrap();
    assert_eq!(client.arrived().await, (result(7), Some(7)));
    let seen = server.next().await;
    assert_eq!(seen.method, Method::POST);
    assert_eq!(seen.body, r#"{"jsonrpc":"2.0","id":7,"method":"tools/list"}"#);
    assert_eq!(seen.header("accept"), Some("application/json, text/event-stream"));
    assert_eq!(seen.header("content-type"), Some("application/json"));
    assert_eq!(seen.header("x-key"), Some("secret"));
    assert_eq!(seen.header("mcp-protocol-version"), None);
    assert_eq!(seen.header("mcp-method"), None);

    client.wire.negotiated(Protocol::V2026_07_28);
    let message = Outgoing {
        bytes: crate::rpc::request(7, "tools/call", Some("{}")),
        id: Some(7),
        method: Some("tools/call".to_owned()),
        headers: vec![
            ("MCP-Protocol-Version".to_owned(), "2026-07-28".to_owned()),
            ("Mcp-Name".to_owned(), "add".to_owned()),
        ],
    };
    client.wire.send(message).await.unwrap();
    client.arrived().await;
    let seen = server.next().await;
    assert_eq!(seen.header("mcp-protocol-version"), Some("2026-07-28"));
    assert_eq!(seen.header("mcp-method"), Some("tools/call"));
    assert_eq!(seen.header("mcp-name"), Some("add"));
}

#[tokio::test]
async fn a_probe_names_its_version_before_one_is_negotiated() {
    let mut server = Server::start(|_| async { json(&result(7)) }).await;
    let client = Client::of(&server.url);
    let message = Outgoing {
        bytes: crate::rpc::request(7, "server/discover", None),
        id: Some(7),
        method: Some("server/discover".to_owned()),
        headers: vec![
            ("MCP-Protocol-Version".to_owned(), "2026-07-28".to_owned()),
            ("Mcp-Method".to_owned(), "server/discover".to_owned()),
        ],
    };
    client.wire.send(message).await.unwrap();
    let seen = server.next().await;
    assert_eq!(seen.header("mcp-protocol-version"), Some("2026-07-28"));
    assert_eq!(seen.header("mcp-method"), Some("server/discover"));
}

#[tokio::test]
async fn a_batch_comes_as_its_messages() {
    let body = format!(r#"[{{"method":"notifications/message"}},{}]"#, result(7));
    let server = Server::start(move |_| {
        let body = body.clone();
        async move { json(&body) }
    });
    let server = server.await;
    let mut client = Client::of(&server.url);
    client.request(7, "tools/list").await.unwrap();
    assert_eq!(client.arrived().await.0, r#"{"method":"notifications/message"}"#);
    assert_eq!(client.arrived().await, (result(7), Some(7)));
}

#[tokio::test]
async fn a_compressed_body_is_decoded() {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let text = format!(r#"{{"id":7,"result":"{}"}}"#, "x".repeat(3_000_000));
    encoder.write_all(text.as_bytes()).unwrap();
    let packed = encoder.finish().unwrap();
    let mut server = Server::start(move |_| {
        let mut response = answer(200, "application/json", packed.clone());
        response.headers_mut().insert(header::CONTENT_ENCODING, "gzip".parse().unwrap());
        async move { response }
    })
    .await;
    let mut client = Client::of(&server.url);
    client.request(7, "tools/call").await.unwrap();
    let Heard::Arrived(Body::Spooled(spool), Some(7)) = client.next().await else {
        panic!("a long message is in a file")
    };
    assert_eq!(std::fs::read_to_string(spool.path()).unwrap(), text);
    let seen = server.next().await;
    assert!(seen.header("accept-encoding").unwrap().contains("gzip"));
}

#[tokio::test]
async fn a_message_over_the_limit_fails_alone() {
    let server = Server::start(|seen: Seen| async move {
        match seen.body.contains("\"id\":8") {
            true => json(&format!(r#"{{"id":8,"result":"{}"}}"#, "x".repeat(2000))),
            false => open_events("data: {\"method\":\"notifications/progress\"}\n\n"),
        }
    })
    .await;
    let mut client = Client::with(&server.url, |options| {
        let spool = SpoolOptions { message_bytes_max: 1000, ..(*options.spool).clone() };
        options.spool = Arc::new(spool);
    });
    client.request(7, "tools/call").await.unwrap();
    client.arrived().await;
    client.request(8, "tools/call").await.unwrap();
    let (id, error) = client.failed().await;
    assert_eq!(id, 8);
    assert!(matches!(error, WireError::Limit { limit: "message_bytes_max", .. }), "{error:?}");
    // The other request still waits: its stream was not touched.
    assert!(client.wire.shared.state().answers.contains_key(&7));
    assert_eq!(std::fs::read_dir(client.folder.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn two_requests_do_not_wait_for_each_other() {
    let (release, gate) = tokio::sync::watch::channel(false);
    let server = Server::start(move |seen: Seen| {
        let mut gate = gate.clone();
        async move {
            if seen.body.contains("\"id\":7") {
                gate.wait_for(|open| *open).await.unwrap();
                return json(&result(7));
            }
            json(&result(8))
        }
    })
    .await;
    let mut client = Client::of(&server.url);
    // The first one is out although no byte came back.
    client.request(7, "tools/call").await.unwrap();
    client.request(8, "tools/call").await.unwrap();
    assert_eq!(client.arrived().await.1, Some(8));
    release.send(true).unwrap();
    assert_eq!(client.arrived().await.1, Some(7));
}

#[tokio::test]
async fn what_is_no_request_needs_no_answer() {
    for accepted in [StatusCode::ACCEPTED, StatusCode::NO_CONTENT, StatusCode::OK] {
        let server = Server::start(move |_| async move { status(accepted) }).await;
        let mut client = Client::of(&server.url);
        client.notify("notifications/initialized").await.unwrap();
        // A request does need one.
        client.request(7, "tools/list").await.unwrap();
        let (id, error) = client.failed().await;
        assert_eq!(id, 7);
        assert!(matches!(error, WireError::Status { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn a_body_that_breaks_off_is_no_answer() {
    let server = Server::start(|_| async {
        let cut = io::Error::from(io::ErrorKind::ConnectionReset);
        let pieces = [Ok(Bytes::from_static(b"{\"id\":7,\"result\":")), Err(cut)];
        let body = AxumBody::from_stream(futures_util::stream::iter(pieces));
        answer(200, "application/json", body)
    })
    .await;
    let mut client = Client::of(&server.url);
    client.request(7, "tools/call").await.unwrap();
    let (id, error) = client.failed().await;
    assert_eq!(id, 7);
    assert!(matches!(error, WireError::Broken(_)), "{error:?}");
}

#[tokio::test]
async fn an_answer_that_names_no_request_fails_the_one_it_came_for() {
    let server = Server::start(|_| async { json("no json") }).await;
    let mut client = Client::of(&server.url);
    client.request(7, "tools/call").await.unwrap();
    assert_eq!(client.arrived().await, ("no json".to_owned(), Some(7)));
    let (id, error) = client.failed().await;
    assert_eq!(id, 7);
    assert!(matches!(error, WireError::Broken(_)), "{error:?}");
}
