//! Answers that come as streams: how they are read, taken up again and left.

use std::io::Read as _;

use super::*;

#[tokio::test]
async fn everything_before_the_answer_comes_along_with_it() {
    let server = Server::start(|_| async {
        events([
            "\u{feff}: hello\r\nid: 1\r\ndata:\r\n\r\n",
            "event: ping\ndata: {}\n\n",
            "data: {\"method\":\"notifications/progress\",\ndata: \"params\":\"gr\u{fc}n\"}\n\n",
            "event: message\rdata: {\"id\":7,\r",
            "data: \"result\":{}}\r\r",
        ])
    })
    .await;
    let mut client = Client::of(&server.url);
    client.request(7, "tools/call").await.unwrap();
    let progress = "{\"method\":\"notifications/progress\",\n\"params\":\"gr\u{fc}n\"}";
    assert_eq!(client.arrived().await, (progress.to_owned(), Some(7)));
    assert_eq!(client.arrived().await, ("{\"id\":7,\n\"result\":{}}".to_owned(), Some(7)));
    client.wire.close().await;
    drop(client.wire);
    assert!(client.heard.recv().await.is_none());
}

#[tokio::test]
async fn a_character_cut_in_two_is_whole_again() {
    let server = Server::start(|_| async {
        let text = "data: {\"id\":7,\"result\":\"\u{1f600}\"}\n\n".as_bytes();
        let pieces = text.chunks(1).map(|byte| Ok::<_, Infallible>(Bytes::copy_from_slice(byte)));
        stream(futures_util::stream::iter(pieces.collect::<Vec<_>>()))
    })
    .await;
    let mut client = Client::of(&server.url);
    client.request(7, "tools/call").await.unwrap();
    assert_eq!(client.arrived().await.0, "{\"id\":7,\"result\":\"\u{1f600}\"}");
}

#[tokio::test]
async fn an_event_of_200_megabytes_goes_to_a_file() {
    const PIECE: usize = 64 * 1024;
    const PIECES: usize = 3200;
    let server = Server::start(|_| async {
        let head = Bytes::from_static(b"data: {\"result\":{\"content\":[{\"text\":\"");
        let tail = Bytes::from_static(b"\"}]},\"id\":7}\n\n");
        let piece = Bytes::from(vec![b'x'; PIECE]);
        let pieces = std::iter::repeat_n(piece, PIECES);
        let pieces = std::iter::once(head).chain(pieces).chain([tail]).map(Ok::<_, Infallible>);
        stream(futures_util::stream::iter(pieces))
    })
    .await;
    let mut client = Client::of(&server.url);
    client.request(7, "tools/call").await.unwrap();
    let Heard::Arrived(Body::Spooled(spool), Some(7)) = client.next().await else {
        panic!("a long message is in a file")
    };
    assert_eq!(spool.len(), (PIECE * PIECES + 43) as u64);
    let mut file = spool.open().unwrap();
    let mut head = [0; 31];
    file.read_exact(&mut head).unwrap();
    assert_eq!(&head, b"{\"result\":{\"content\":[{\"text\":\"");
    let (mut piece, expected) = (vec![0; PIECE], vec![b'x'; PIECE]);
    for _ in 0..PIECES {
        file.read_exact(&mut piece).unwrap();
        assert!(piece == expected);
    }
    let mut tail = String::new();
    file.read_to_string(&mut tail).unwrap();
    assert_eq!(tail, "\"}]},\"id\":7}");
    drop(spool);
    assert_eq!(std::fs::read_dir(client.folder.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn an_event_without_an_end_fails_at_the_limit() {
    let server = Server::start(|_| async {
        let piece = Ok::<_, Infallible>(Bytes::from_static(b"data: xxxxxxxxxxxxxxxxxxxxxx\n"));
        stream(futures_util::stream::repeat_with(move || piece.clone()))
    })
    .await;
    let mut client = Client::with(&server.url, |options| {
        let spool = SpoolOptions { message_bytes_max: 1 << 20, ..(*options.spool).clone() };
        options.spool = Arc::new(spool);
    });
    client.request(7, "tools/call").await.unwrap();
    let (id, error) = client.failed().await;
    assert_eq!(id, 7);
    assert!(matches!(error, WireError::Limit { limit: "message_bytes_max", .. }), "{error:?}");
}

/// A legacy server: the POST breaks behind event `a`, the stream from there on is `resumed`.
async fn breaking<F>(resumed: F) -> (Server, Client)
where
    F: Fn(&str) -> Response + Clone + Send + Sync + 'static,
{
    let mut server = Server::start(move |seen: Seen| {
        let resumed = resumed.clone();
        async move {
            match seen.header("last-event-id") {
                Some(id) => resumed(id),
                None if seen.body.contains("initialize") => initialized(),
                None if seen.is_get() => status(StatusCode::METHOD_NOT_ALLOWED),
                None => broken_events("id: a\nretry: 1\ndata:\n\nid: cut\ndata: {\"id\":7,"),
            }
        }
    })
    .await;
    let client = Client::negotiated(&mut server, Protocol::V2025_11_25).await;
    client.request(7, "tools/call").await.unwrap();
    (server, client)
}

#[tokio::test]
async fn a_legacy_stream_goes_on_where_it_broke() {
    let (mut server, mut client) = breaking(|id| match id {
        "a" => broken_events("id: b\ndata: {\"method\":\"notifications/progress\"}\n\n"),
        _ => events(["id: c\ndata: {\"id\":7,\"result\":{}}\n\n"]),
    })
    .await;
    assert_eq!(client.arrived().await.1, Some(7));
    assert_eq!(client.arrived().await, ("{\"id\":7,\"result\":{}}".to_owned(), Some(7)));
    let seen = [server.next().await, server.next().await, server.next().await];
    assert_eq!(seen[0].method, Method::POST);
    let ids = seen.each_ref().map(|seen| seen.header("last-event-id"));
    assert_eq!(ids, [None, Some("a"), Some("b")]);
    assert_eq!(seen[2].header("mcp-session-id"), Some("s1"));
    assert!(server.rest().is_empty());
}

#[tokio::test]
async fn a_legacy_stream_that_brings_nothing_is_given_up() {
    let (mut server, mut client) = breaking(|_| events([": nothing\n\n"])).await;
    let (id, error) = client.failed().await;
    assert_eq!(id, 7);
    assert!(matches!(error, WireError::Broken(_)), "{error:?}");
    let seen = server.rest();
    assert_eq!(seen.iter().filter(|seen| !seen.is_get()).count(), 1);
    assert_eq!(seen.iter().filter(|seen| seen.is_get()).count(), 3);
}

#[tokio::test]
async fn a_session_that_went_with_the_stream_is_gone() {
    let (_server, mut client) = breaking(|_| status(StatusCode::NOT_FOUND)).await;
    assert!(matches!(client.failed().await, (7, WireError::SessionGone)));
}

#[tokio::test]
async fn a_modern_stream_that_broke_is_not_taken_up_again() {
    let mut server = Server::start(|seen: Seen| async move {
        match seen.body.contains("initialize") {
            true => initialized(),
            false => broken_events("id: a\nretry: 1\ndata: {\"method\":\"x\"}\n\n"),
        }
    })
    .await;
    let mut client = Client::negotiated(&mut server, Protocol::V2026_07_28).await;
    client.request(7, "tools/call").await.unwrap();
    assert_eq!(client.arrived().await.1, Some(7));
    let (id, error) = client.failed().await;
    assert_eq!(id, 7);
    assert!(matches!(error, WireError::Broken(_)), "{error:?}");
    let seen = server.rest();
    assert_eq!(seen.len(), 1, "{seen:?}");
}

#[tokio::test]
async fn what_is_forgotten_has_its_stream_closed() {
    struct Gone(mpsc::UnboundedSender<()>);
    impl Drop for Gone {
        fn drop(&mut self) {
            self.0.send(()).ok();
        }
    }
    let (sender, mut gone) = mpsc::unbounded_channel();
    let server = Server::start(move |_| {
        let guard = Gone(sender.clone());
        async move {
            let progress = Bytes::from_static(b"data: {\"method\":\"notifications/progress\"}\n\n");
            // The server writes on until it notices that nobody reads.
            stream(futures_util::stream::repeat_with(move || {
                let _ = &guard;
                Ok::<_, Infallible>(progress.clone())
            }))
        }
    })
    .await;
    let mut client = Client::of(&server.url);
    client.wire.negotiated(Protocol::V2026_07_28);
    client.request(7, "tools/call").await.unwrap();
    client.arrived().await;
    client.wire.forget(7);
    tokio::time::timeout(PATIENCE, gone.recv()).await.unwrap().unwrap();
}
