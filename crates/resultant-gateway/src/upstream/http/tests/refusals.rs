//! Servers that say no, cannot be reached, or want something else.

use std::sync::atomic::{AtomicU32, Ordering};

use super::*;
use crate::upstream::oauth::TokenSource;

/// The failure of one request to a server that always answers so.
async fn failure(respond: impl Fn() -> Response + Clone + Send + Sync + 'static) -> WireError {
    let server = Server::start(move |_| {
        let response = respond();
        async move { response }
    })
    .await;
    let mut client = Client::of(&server.url);
    client.request(7, "tools/call").await.unwrap();
    let (id, error) = client.failed().await;
    assert_eq!(id, 7);
    error
}

#[tokio::test]
async fn a_server_that_is_not_there_got_nothing() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap()).parse().unwrap();
    drop(listener);
    let mut client = Client::of(&url);
    let error = client.request(7, "tools/call").await.unwrap_err();
    assert!(matches!(error, WireError::Unreachable(_)), "{error:?}");
    let error = client.notify("notifications/initialized").await.unwrap_err();
    assert!(matches!(error, WireError::Unreachable(_)), "{error:?}");
    // Told once, not twice.
    assert!(client.heard.try_recv().is_err());
}

#[tokio::test]
async fn a_connection_that_ends_without_an_answer_is_ambiguous() {
    use tokio::io::AsyncReadExt as _;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap()).parse().unwrap();
    let server = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut seen = Vec::new();
        while !seen.ends_with(b"}") {
            socket.read_buf(&mut seen).await.unwrap();
        }
        listener.into_std().unwrap()
    });
    let mut client = Client::of(&url);
    client.request(7, "tools/call").await.unwrap();
    let (id, error) = client.failed().await;
    assert_eq!(id, 7);
    assert!(matches!(error, WireError::Broken(_)), "{error:?}");
    // A second try would have come before the failure was told.
    let again = server.await.unwrap().accept();
    assert_eq!(again.unwrap_err().kind(), io::ErrorKind::WouldBlock);
}

#[tokio::test]
async fn a_status_is_told_with_the_words_of_the_server() {
    let error = failure(|| answer(503, "text/plain", "try \u{1b}[31mlater\n")).await;
    let WireError::Status { status: 503, text } = error else { panic!("{error:?}") };
    assert_eq!(text, "try [31mlater");

    let error = failure(|| answer(200, "text/html", "<p>welcome</p>")).await;
    let WireError::Status { status: 200, text } = error else { panic!("{error:?}") };
    assert!(text.contains("text/html"), "{text}");
}

#[tokio::test]
async fn an_error_of_the_protocol_is_the_answer_whatever_the_status() {
    for id in ["7", "null"] {
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32020,"message":"headers"}}}}"#
        );
        let body = text.clone();
        let server = Server::start(move |_| {
            let response = answer(400, "application/json", body.clone());
            async move { response }
        })
        .await;
        let mut client = Client::of(&server.url);
        client.request(7, "tools/call").await.unwrap();
        assert_eq!(client.arrived().await, (text, Some(7)));
    }
    let error = failure(|| {
        answer(400, "application/json", r#"{"id":8,"error":{"code":1,"message":"other"}}"#)
    })
    .await;
    assert!(matches!(error, WireError::Status { status: 400, .. }), "{error:?}");
}

#[tokio::test]
async fn a_token_that_is_wanted_is_told_with_the_hint() {
    let error = failure(|| {
        let mut response = status(StatusCode::UNAUTHORIZED);
        let hint = "Bearer resource_metadata=\"http://x/.well-known\"";
        response.headers_mut().insert(header::WWW_AUTHENTICATE, hint.parse().unwrap());
        response
    })
    .await;
    let WireError::Unauthorized(text) = error else { panic!("{error:?}") };
    assert!(text.contains("resource_metadata"), "{text}");
}

/// Tokens `t0`, `t1`, …: the next one after each refusal, up to a number of them.
struct Numbered {
    at: AtomicU32,
    last: u32,
}

impl TokenSource for Numbered {
    fn access_token(&self) -> std::pin::Pin<Box<dyn Future<Output = Option<String>> + Send + '_>> {
        Box::pin(async { Some(format!("t{}", self.at.load(Ordering::Relaxed))) })
    }

    fn unauthorized<'a>(
        &'a self,
        _: Option<&'a str>,
        _: Option<&'a str>,
    ) -> std::pin::Pin<Box<dyn Future<Output = bool> + Send + 'a>> {
        Box::pin(async {
            let at = self.at.load(Ordering::Relaxed);
            self.at.store((at + 1).min(self.last), Ordering::Relaxed);
            at < self.last
        })
    }
}

#[tokio::test]
async fn a_token_that_was_turned_down_is_replaced_once() {
    let handler = |seen: Seen| async move {
        match seen.header("authorization") {
            Some("Bearer t1") => json(&result(7)),
            _ => status(StatusCode::UNAUTHORIZED),
        }
    };
    let mut server = Server::start(handler).await;
    let with = |last| {
        Client::with(&server.url, |options| {
            options.tokens = Some(Arc::new(Numbered { at: AtomicU32::new(0), last }));
        })
    };
    let (mut good, mut bad) = (with(1), with(0));
    good.request(7, "tools/call").await.unwrap();
    assert_eq!(good.arrived().await, (result(7), Some(7)));
    assert_eq!(server.next().await.header("authorization"), Some("Bearer t0"));
    assert_eq!(server.next().await.header("authorization"), Some("Bearer t1"));

    bad.request(7, "tools/call").await.unwrap();
    assert!(matches!(bad.failed().await, (7, WireError::Unauthorized(_))));
    server.next().await;
    assert!(server.rest().is_empty());
}

#[tokio::test]
async fn a_token_in_the_configuration_is_the_one() {
    let mut server = Server::start(|_| async { json(&result(7)) }).await;
    let mut client = Client::with(&server.url, |options| {
        options.headers = vec![("Authorization".to_owned(), "Bearer mine".to_owned())];
        options.tokens = Some(Arc::new(Numbered { at: AtomicU32::new(0), last: 1 }));
    });
    client.request(7, "tools/call").await.unwrap();
    client.arrived().await;
    assert_eq!(server.next().await.header("authorization"), Some("Bearer mine"));
}

#[tokio::test]
async fn a_redirect_is_followed_within_the_origin_only() {
    let mut other = Server::start(|_| async { json(&result(7)) }).await;
    let away = other.url.to_string();
    let mut server = Server::start(move |seen: Seen| {
        let away = away.clone();
        async move {
            let target = match seen.path.as_str() {
                "/mcp" => "/mcp/".to_owned(),
                "/away" => away,
                _ => return json(&result(7)),
            };
            let mut response = status(StatusCode::TEMPORARY_REDIRECT);
            response.headers_mut().insert(header::LOCATION, target.parse().unwrap());
            response
        }
    })
    .await;
    let mut client = Client::of(&server.url);
    client.request(7, "tools/call").await.unwrap();
    assert_eq!(client.arrived().await, (result(7), Some(7)));
    let (first, second) = (server.next().await, server.next().await);
    assert_eq!((second.method, second.body), (first.method, first.body));
    assert_eq!(second.path, "/mcp/");

    let mut client = Client::of(&server.url.join("/away").unwrap());
    client.request(7, "tools/call").await.unwrap();
    let (_, error) = client.failed().await;
    assert!(matches!(error, WireError::Status { status: 307, .. }), "{error:?}");
    assert!(other.rest().is_empty());
}
