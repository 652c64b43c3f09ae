//! Legacy sessions: their id, their stream, their end; and the one stream of 2024-11-05.

use super::*;

/// A server with the session "s1", whose own stream is `listen`.
async fn with_session<F>(listen: F) -> Server
where
    F: Fn(&Seen) -> Response + Clone + Send + Sync + 'static,
{
    Server::start(move |seen: Seen| {
        let listen = listen.clone();
        async move {
            match seen.method {
                Method::GET => listen(&seen),
                Method::DELETE => status(StatusCode::NO_CONTENT),
                _ if seen.body.contains("initialize\"") => initialized(),
                _ => status(StatusCode::ACCEPTED),
            }
        }
    })
    .await
}

#[tokio::test]
async fn the_session_is_named_until_it_is_deleted() {
    let mut server = with_session(|_| status(StatusCode::METHOD_NOT_ALLOWED)).await;
    let client = Client::negotiated(&mut server, Protocol::V2025_06_18).await;
    client.notify("notifications/roots").await.unwrap();
    let seen = server.next().await;
    assert_eq!(seen.header("mcp-session-id"), Some("s1"));
    assert_eq!(seen.header("mcp-protocol-version"), Some("2025-06-18"));
    client.wire.close().await;
    let seen = server.next().await;
    assert_eq!(seen.method, Method::DELETE);
    assert_eq!(seen.header("mcp-session-id"), Some("s1"));
    assert_eq!(seen.header("x-key"), Some("secret"));
    let error = client.request(7, "tools/list").await.unwrap_err();
    assert!(matches!(error, WireError::Unreachable(_)), "{error:?}");
}

#[tokio::test]
async fn the_servers_own_stream_is_read_and_opened_again_where_it_was() {
    let mut server = with_session(|seen| match seen.header("last-event-id") {
        None => events(["retry: 1\nid: a\ndata: {\"method\":\"one\"}\n\n"]),
        Some("a") => events(["id: b\ndata: {\"method\":\"two\",\"id\":1}\n\n"]),
        Some(_) => open_events("data: {\"method\":\"three\"}\n\n"),
    })
    .await;
    let mut client = Client::negotiated(&mut server, Protocol::V2025_11_25).await;
    assert_eq!(client.arrived().await, ("{\"method\":\"one\"}".to_owned(), None));
    assert_eq!(client.arrived().await, ("{\"method\":\"two\",\"id\":1}".to_owned(), None));
    assert_eq!(client.arrived().await, ("{\"method\":\"three\"}".to_owned(), None));
}

#[tokio::test]
async fn a_message_over_the_limit_is_passed_over_in_the_servers_own_stream() {
    let long = "x".repeat(1500);
    let server = with_session(move |_| {
        open_events(&format!("data: {{\"m\":\"{long}\"}}\n\ndata: {{\"method\":\"next\"}}\n\n"))
    })
    .await;
    let mut client = Client::with(&server.url, |options| {
        let spool = SpoolOptions { message_bytes_max: 1000, ..(*options.spool).clone() };
        options.spool = Arc::new(spool);
    });
    client.wire.negotiated(Protocol::V2025_11_25);
    assert_eq!(client.arrived().await, ("{\"method\":\"next\"}".to_owned(), None));
}

/// A server asks during a call on the stream of the session: it must be there before the call is.
#[tokio::test]
async fn a_call_waits_for_the_sessions_stream_and_a_list_does_not() {
    let release = Arc::new(tokio::sync::Notify::new());
    let gate = release.clone();
    let mut server = Server::start(move |seen: Seen| {
        let gate = gate.clone();
        async move {
            match seen.is_get() {
                true => {
                    gate.notified().await;
                    open_events("data: {\"method\":\"question\"}\n\n")
                }
                false if seen.body.contains("initialize") => initialized(),
                false if seen.body.contains("list") => json(&result(8)),
                false => json(&result(7)),
            }
        }
    })
    .await;
    let mut client = Client::negotiated(&mut server, Protocol::V2025_11_25).await;
    let seen_before = {
        let call = client.request(7, "tools/call");
        let list = async {
            client.request(8, "tools/list").await.unwrap();
            server.next().await.body
        };
        tokio::pin!(call);
        tokio::select! {
            biased;
            sent = &mut call => panic!("the call did not wait: {sent:?}"),
            seen = list => {
                release.notify_one();
                call.await.unwrap();
                seen
            }
        }
    };
    assert!(seen_before.contains("tools/list"), "{seen_before}");
    let mut heard = [client.arrived().await, client.arrived().await, client.arrived().await];
    heard.sort();
    let question = ("{\"method\":\"question\"}".to_owned(), None);
    assert_eq!(heard, [(result(7), Some(7)), (result(8), Some(8)), question]);
}

#[tokio::test]
async fn a_modern_server_is_asked_for_no_stream_and_no_end() {
    let mut server = Server::start(|_| async { json(&result(7)) }).await;
    let mut client = Client::of(&server.url);
    client.wire.negotiated(Protocol::V2026_07_28);
    client.request(7, "tools/list").await.unwrap();
    client.arrived().await;
    client.wire.close().await;
    let seen = server.rest();
    assert_eq!(seen.len(), 1, "{seen:?}");
}

#[tokio::test]
async fn a_session_that_is_lost_is_told_as_such() {
    let mut server = Server::start(|seen: Seen| async move {
        match (seen.body.contains("initialize"), seen.body.contains("unknown")) {
            (true, _) => initialized(),
            (_, true) => answer(
                404,
                "application/json",
                r#"{"id":8,"error":{"code":-32601,"message":"unknown"}}"#,
            ),
            _ => answer(
                404,
                "application/json",
                r#"{"id":null,"error":{"code":-32001,"message":"Session not found"}}"#,
            ),
        }
    })
    .await;
    let mut client = Client::negotiated(&mut server, Protocol::V2025_11_25).await;
    client.request(7, "tools/call").await.unwrap();
    assert!(matches!(client.failed().await, (7, WireError::SessionGone)));
    client.request(8, "unknown").await.unwrap();
    assert_eq!(client.arrived().await.1, Some(8));
    let error = client.notify("notifications/x").await.unwrap_err();
    assert!(matches!(error, WireError::SessionGone), "{error:?}");
}

#[tokio::test]
async fn a_stream_that_finds_its_session_gone_ends_the_connection() {
    let mut server = with_session(|seen| match seen.header("last-event-id") {
        None => events(["retry: 1\nid: a\ndata: {\"method\":\"one\"}\n\n"]),
        Some(_) => status(StatusCode::NOT_FOUND),
    })
    .await;
    let mut client = Client::negotiated(&mut server, Protocol::V2025_11_25).await;
    client.arrived().await;
    let heard = client.next().await;
    assert!(matches!(heard, Heard::Closed(WireError::SessionGone)), "{heard:?}");
}

/// A server of 2024-11-05: what is posted to `endpoint` is answered over the stream.
async fn old_server(endpoint: &'static str) -> Server {
    let (posted, _) = tokio::sync::broadcast::channel::<String>(16);
    Server::start(move |seen: Seen| {
        let posted = posted.clone();
        async move {
            if seen.is_get() {
                let head = format!("event: endpoint\r\ndata: {endpoint}\r\n\r\n");
                let head = futures_util::stream::iter([Ok(Bytes::from(head))]);
                let answers =
                    futures_util::stream::unfold(posted.subscribe(), |mut posted| async {
                        match posted.recv().await.ok()?.as_str() {
                            "end" => None,
                            id => {
                                Some((format!("data: {{\"id\":{id},\"result\":{{}}}}\n\n"), posted))
                            }
                        }
                    });
                return stream(head.chain(answers.map(|event| Ok::<_, Infallible>(event.into()))));
            }
            match seen.path.as_str() {
                "/messages?s=1" if seen.body.contains("\"id\":9") => posted.send("end".into()),
                "/messages?s=1" => {
                    posted.send(if seen.body.contains(":0,") { "0" } else { "7" }.into())
                }
                _ => return status(StatusCode::METHOD_NOT_ALLOWED),
            }
            .unwrap();
            status(StatusCode::ACCEPTED)
        }
    })
    .await
}

#[tokio::test]
async fn a_server_of_2024_11_05_is_found_out() {
    let mut server = old_server("/messages?s=1").await;
    let mut client = Client::of(&server.url);
    client.request(0, "initialize").await.unwrap();
    assert_eq!(client.arrived().await, ("{\"id\":0,\"result\":{}}".to_owned(), None));
    client.wire.negotiated(Protocol::V2024_11_05);
    client.request(7, "tools/call").await.unwrap();
    assert_eq!(client.arrived().await, ("{\"id\":7,\"result\":{}}".to_owned(), None));
    let seen = server.rest();
    let seen: Vec<_> = seen.iter().map(|seen| (seen.method.as_str(), &*seen.path)).collect();
    let (first, message) = (("POST", "/mcp"), ("POST", "/messages?s=1"));
    assert_eq!(seen, [first, ("GET", "/mcp"), message, message]);

    client.request(9, "tools/call").await.unwrap();
    let heard = client.next().await;
    assert!(matches!(heard, Heard::Closed(WireError::Broken(_))), "{heard:?}");
}

#[tokio::test]
async fn an_answer_over_the_limit_fails_its_request_in_the_one_stream() {
    let server = old_server("/messages?s=1").await;
    let mut client = Client::with(&server.url, |options| {
        let spool = SpoolOptions { message_bytes_max: 19, ..(*options.spool).clone() };
        options.spool = Arc::new(spool);
    });
    // The endpoint fits, the answer does not.
    client.request(0, "initialize").await.unwrap();
    let heard = client.next().await;
    assert!(matches!(heard, Heard::Lost(Some(0), WireError::Limit { .. })), "{heard:?}");
}

#[tokio::test]
async fn an_endpoint_elsewhere_is_not_used() {
    let server = old_server("http://127.0.0.1:1/messages?s=1").await;
    let mut client = Client::of(&server.url);
    client.request(0, "initialize").await.unwrap();
    let (id, error) = client.failed().await;
    assert_eq!(id, 0);
    assert!(matches!(error, WireError::Status { status: 405, .. }), "{error:?}");
}
