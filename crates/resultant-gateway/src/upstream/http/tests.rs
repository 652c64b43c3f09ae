//! The wire against real servers on loopback, one small server per behaviour.

mod answers;
mod refusals;
mod sessions;
mod streams;

use std::{convert::Infallible, future::Future, io, sync::Arc, time::Duration};

use axum::{body::Body as AxumBody, response::Response};
use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};
use http::{HeaderMap, Method, StatusCode, header};
use resultant::Protocol;
use tempfile::TempDir;
use tokio::sync::mpsc;
use url::Url;

use super::{HttpOptions, HttpWire};
use crate::{
    body::{Body, Entrance, Envelope, SpoolOptions},
    upstream::wire::{Inbox, Outgoing, Wire as _, WireError},
};

/// Long enough for a slow machine; no test waits for it when it passes.
const PATIENCE: Duration = Duration::from_secs(60);

/// A request as a server saw it.
#[derive(Clone, Debug)]
pub(in crate::upstream) struct Seen {
    pub(in crate::upstream) method: Method,
    pub(in crate::upstream) path: String,
    pub(in crate::upstream) headers: HeaderMap,
    pub(in crate::upstream) body: String,
}

impl Seen {
    pub(in crate::upstream) fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.get_all(name).iter();
        let value = values.next();
        assert!(values.next().is_none(), "{name} is there twice");
        value.map(|value| value.to_str().unwrap())
    }

    fn is_get(&self) -> bool {
        self.method == Method::GET
    }
}

/// A server whose every request goes to one function.
pub(in crate::upstream) struct Server {
    pub(in crate::upstream) url: Url,
    seen: mpsc::UnboundedReceiver<Seen>,
}

impl Server {
    pub(in crate::upstream) async fn start<F, A>(handler: F) -> Server
    where
        F: Fn(Seen) -> A + Clone + Send + Sync + 'static,
        A: Future<Output = Response> + Send,
    {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap()).parse().unwrap();
        let (sender, seen) = mpsc::unbounded_channel();
        let app = axum::Router::new().fallback(move |request: axum::extract::Request| {
            let (handler, sender) = (handler.clone(), sender.clone());
            async move {
                let (parts, body) = request.into_parts();
                let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
                let body = String::from_utf8(body.to_vec()).unwrap();
                let path = parts.uri.path_and_query().unwrap().to_string();
                let seen = Seen { method: parts.method, path, headers: parts.headers, body };
                sender.send(seen.clone()).ok();
                handler(seen).await
            }
        });
        tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Server { url, seen }
    }

    /// The next request.
    pub(in crate::upstream) async fn next(&mut self) -> Seen {
        tokio::time::timeout(PATIENCE, self.seen.recv()).await.unwrap().unwrap()
    }

    /// The requests so far of which nobody asked.
    pub(in crate::upstream) fn rest(&mut self) -> Vec<Seen> {
        std::iter::from_fn(|| self.seen.try_recv().ok()).collect()
    }
}

pub(in crate::upstream) fn answer(
    status: u16,
    content_type: &str,
    body: impl Into<AxumBody>,
) -> Response {
    let response = Response::builder().status(status).header(header::CONTENT_TYPE, content_type);
    response.body(body.into()).unwrap()
}

pub(in crate::upstream) fn json(body: &str) -> Response {
    answer(200, "application/json", body.to_owned())
}

pub(in crate::upstream) fn status(status: StatusCode) -> Response {
    Response::builder().status(status).body(AxumBody::empty()).unwrap()
}

/// A stream of events, in these pieces.
fn events<const N: usize>(pieces: [&str; N]) -> Response {
    let pieces = pieces.map(|piece| Ok::<_, Infallible>(Bytes::from(piece.to_owned())));
    stream(futures_util::stream::iter(pieces))
}

/// A stream of events that breaks behind these bytes.
fn broken_events(piece: &str) -> Response {
    let cut = io::Error::from(io::ErrorKind::ConnectionReset);
    stream(futures_util::stream::iter([Ok(Bytes::from(piece.to_owned())), Err(cut)]))
}

/// A stream of events that stays open behind these bytes.
fn open_events(piece: &str) -> Response {
    let piece = Ok::<_, Infallible>(Bytes::from(piece.to_owned()));
    stream(futures_util::stream::iter([piece]).chain(futures_util::stream::pending()))
}

fn stream<E>(stream: impl Stream<Item = Result<Bytes, E>> + Send + 'static) -> Response
where
    E: Into<Box<dyn std::error::Error + Send + Sync>> + Send + 'static,
{
    // A breath between two pieces, so that they leave as pieces.
    let stream = stream.then(|piece| async {
        tokio::task::yield_now().await;
        piece
    });
    answer(200, "text/event-stream", AxumBody::from_stream(stream))
}

/// What an inbox heard.
#[derive(Debug)]
pub(in crate::upstream) enum Heard {
    Arrived(Body, Option<u64>),
    Failed(u64, WireError),
    Lost(Option<u64>, WireError),
    Closed(WireError),
}

struct Recorder(mpsc::UnboundedSender<Heard>);

impl Inbox for Recorder {
    fn begins(&self, _: &Envelope, _: Option<u64>) -> Option<Entrance> {
        None
    }

    fn arrived(&self, body: Body, during: Option<u64>) {
        self.0.send(Heard::Arrived(body, during)).ok();
    }

    fn failed(&self, id: u64, error: WireError) {
        self.0.send(Heard::Failed(id, error)).ok();
    }

    fn lost(&self, id: Option<u64>, error: WireError) {
        self.0.send(Heard::Lost(id, error)).ok();
    }

    fn closed(&self, error: WireError) {
        self.0.send(Heard::Closed(error)).ok();
    }
}

/// A wire and what its inbox heard.
pub(in crate::upstream) struct Client {
    pub(in crate::upstream) wire: HttpWire,
    heard: mpsc::UnboundedReceiver<Heard>,
    folder: TempDir,
}

impl Client {
    pub(in crate::upstream) fn of(url: &Url) -> Client {
        Client::with(url, |_| {})
    }

    pub(in crate::upstream) fn with(url: &Url, change: impl FnOnce(&mut HttpOptions)) -> Client {
        let folder = tempfile::tempdir().unwrap();
        let spool = SpoolOptions {
            folder: folder.path().to_owned(),
            inline_bytes_max: 64 * 1024,
            message_bytes_max: 1 << 30,
        };
        let mut options = HttpOptions {
            url: url.clone(),
            headers: vec![("x-key".to_owned(), "secret".to_owned())],
            spool: Arc::new(spool),
            connect_timeout: Duration::from_secs(10),
            tokens: None,
            stream_wait: PATIENCE,
        };
        change(&mut options);
        let (sender, heard) = mpsc::unbounded_channel();
        let wire = HttpWire::new(options, Arc::new(Recorder(sender))).unwrap();
        Client { wire, heard, folder }
    }

    /// A client with a negotiated version, and the session "s1" when it is a legacy one.
    async fn negotiated(server: &mut Server, protocol: Protocol) -> Client {
        let mut client = Client::of(&server.url);
        client.request(0, "initialize").await.unwrap();
        client.arrived().await;
        client.wire.negotiated(protocol);
        if !protocol.is_modern() {
            let mut seen = server.next().await;
            while seen.method != Method::GET {
                seen = server.next().await;
            }
        }
        server.rest();
        client
    }

    pub(in crate::upstream) async fn request(
        &self,
        id: u64,
        method: &str,
    ) -> Result<(), WireError> {
        let bytes = crate::rpc::request(id, method, None);
        let method = Some(method.to_owned());
        self.wire.send(Outgoing { bytes, id: Some(id), method, headers: Vec::new() }).await
    }

    async fn notify(&self, method: &str) -> Result<(), WireError> {
        let bytes = crate::rpc::notification(method, None);
        let method = Some(method.to_owned());
        self.wire.send(Outgoing { bytes, id: None, method, headers: Vec::new() }).await
    }

    pub(in crate::upstream) async fn next(&mut self) -> Heard {
        tokio::time::timeout(PATIENCE, self.heard.recv()).await.unwrap().unwrap()
    }

    /// The next message, as text, and the request that it came with.
    pub(in crate::upstream) async fn arrived(&mut self) -> (String, Option<u64>) {
        match self.next().await {
            Heard::Arrived(Body::Whole(bytes), during) => {
                (String::from_utf8(bytes.to_vec()).unwrap(), during)
            }
            heard => panic!("{heard:?}"),
        }
    }

    pub(in crate::upstream) async fn failed(&mut self) -> (u64, WireError) {
        match self.next().await {
            Heard::Failed(id, error) => (id, error),
            heard => panic!("{heard:?}"),
        }
    }
}

/// The answer of `initialize` with the session "s1", for the first request of a test.
pub(in crate::upstream) fn initialized() -> Response {
    let mut response = json(r#"{"jsonrpc":"2.0","id":0,"result":{}}"#);
    response.headers_mut().insert("mcp-session-id", "s1".parse().unwrap());
    response
}

/// The JSON of a result.
pub(in crate::upstream) fn result(id: u64) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)
}
