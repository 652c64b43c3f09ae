//! Streamable HTTP: a POST a message, answered by JSON or by an event stream.
//!
//! HTTP/1.1 by hand, with connections that are kept: small enough, and nothing between the test
//! and the bytes.

use std::{
    io::{BufRead as _, BufReader, Read, Write as _},
    net::TcpStream,
    sync::{Arc, Mutex},
    thread,
};

use anyhow::{Context, ensure};

use super::{
    Answer, Inbox, PATIENCE, lock,
    message::Message,
    reply,
    response::{Body, Head, read_head},
};

/// Shared with the thread that listens.
#[derive(Clone)]
pub(super) struct Http {
    address: String,
    path: String,
    shared: Arc<Shared>,
}

struct Shared {
    idle: Mutex<Vec<BufReader<TcpStream>>>,
    session: Mutex<Option<String>>,
    /// As negotiated by `initialize`.
    version: Mutex<Option<String>>,
    inbox: Arc<Inbox>,
    answer: Arc<Answer>,
    /// The key of a user, where the server has several.
    key: Option<String>,
}

/// Version, method and name that a modern request repeats in its headers.
type ModernHeaders<'a> = (&'a str, &'a str, Option<&'a str>);

impl Http {
    /// With a key, each request has a connection of its own, so that a load balancer can choose.
    pub(super) fn new(
        url: &str,
        key: Option<&str>,
        inbox: Arc<Inbox>,
        answer: Arc<Answer>,
    ) -> anyhow::Result<Self> {
        let rest = url.strip_prefix("http://").context("only http:// is spoken here")?;
        let (address, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let shared = Shared {
            idle: Mutex::default(),
            session: Mutex::default(),
            version: Mutex::default(),
            inbox,
            answer,
            key: key.map(str::to_owned),
        };
        let path = if path.is_empty() { "/" } else { path };
        Ok(Self { address: address.to_owned(), path: path.to_owned(), shared: Arc::new(shared) })
    }

    pub(super) fn set_version(&self, version: &str) {
        *lock(&self.shared.version) = Some(version.to_owned());
    }

    pub(super) fn request(
        &self,
        id: u64,
        body: &str,
        modern: Option<ModernHeaders<'_>>,
    ) -> anyhow::Result<Message> {
        let (head, stream) = self.exchange("POST", Some(body), modern)?;
        if let Some(session) = head.header("mcp-session-id") {
            *lock(&self.shared.session) = Some(session.to_owned());
        }
        let mut stream = Body::of(&head, stream)?;
        let answer = if is_events(&head) {
            self.events(&mut stream, Some(id))?.context("the stream ended without the answer")?
        } else {
            let mut bytes = Vec::new();
            stream.read_to_end(&mut bytes).context("body")?;
            Message::parse(bytes).with_context(|| format!("HTTP status {}", head.status))?
        };
        self.give_back(stream);
        Ok(answer)
    }

    pub(super) fn notify(&self, body: &str) -> anyhow::Result<()> {
        let (head, stream) = self.exchange("POST", Some(body), None)?;
        let mut stream = Body::of(&head, stream)?;
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        ensure!((200..300).contains(&head.status), "HTTP status {}: {text}", head.status);
        self.give_back(stream);
        Ok(())
    }

    /// Reads the stream of what the server says unasked, until it ends.
    pub(super) fn listen(&self) -> anyhow::Result<()> {
        let (head, stream) = self.exchange("GET", None, None)?;
        ensure!(head.status == 200 && is_events(&head), "HTTP status {}", head.status);
        let mut stream = Body::of(&head, stream)?;
        let http = self.clone();
        thread::spawn(move || http.events(&mut stream, None));
        Ok(())
    }

    /// Reads events until the answer to `wanted`, which is returned.
    fn events(&self, stream: &mut Body, wanted: Option<u64>) -> anyhow::Result<Option<Message>> {
        let mut data = Vec::new();
        let mut line = Vec::new();
        let mut reader = BufReader::new(stream);
        let mut answer = None;
        loop {
            line.clear();
            if reader.read_until(b'\n', &mut line).context("event stream")? == 0 {
                return Ok(answer);
            }
            while line.last().is_some_and(|byte| matches!(byte, b'\r' | b'\n')) {
                line.pop();
            }
            if let Some(value) = line.strip_prefix(b"data:") {
                if !data.is_empty() {
                    data.push(b'\n');
                }
                data.extend_from_slice(value.strip_prefix(b" ").unwrap_or(value));
            }
            if !line.is_empty() || data.is_empty() {
                continue;
            }
            let message = Message::parse(std::mem::take(&mut data))?;
            if wanted.is_some_and(|id| message.answers(id)) {
                answer = Some(message);
                continue;
            }
            if message.is_request()
                && let Some(body) = reply(&message, &*self.shared.answer)
            {
                self.notify(&body)?;
            }
            self.shared.inbox.put(message);
        }
    }

    fn exchange(
        &self,
        verb: &str,
        body: Option<&str>,
        modern: Option<ModernHeaders<'_>>,
    ) -> anyhow::Result<(Head, BufReader<TcpStream>)> {
        let text = self.head(verb, body, modern);
        let kept = lock(&self.shared.idle).pop();
        let mut stream = match kept.filter(is_open) {
            Some(stream) => stream,
            None => self.open()?,
        };
        let mut bytes = text.into_bytes();
        bytes.extend_from_slice(body.unwrap_or_default().as_bytes());
        stream.get_mut().write_all(&bytes).context("sending the request")?;
        let head = read_head(&mut stream)?;
        Ok((head, stream))
    }

    fn head(&self, verb: &str, body: Option<&str>, modern: Option<ModernHeaders<'_>>) -> String {
        let Self { address, path, shared } = self;
        let mut text = format!("{verb} {path} HTTP/1.1\r\nHost: {address}\r\n");
        let accept = if body.is_some() { "application/json, " } else { "" };
        text.push_str(&format!("Accept: {accept}text/event-stream\r\n"));
        if let Some(body) = body {
            let length = body.len();
            text.push_str("Content-Type: application/json\r\n");
            text.push_str(&format!("Content-Length: {length}\r\n"));
        }
        if let Some((version, method, name)) = modern {
            text.push_str(&format!("MCP-Protocol-Version: {version}\r\nMcp-Method: {method}\r\n"));
            if let Some(name) = name {
                text.push_str(&format!("Mcp-Name: {name}\r\n"));
            }
        }
        if let Some(version) = &*lock(&shared.version) {
            text.push_str(&format!("MCP-Protocol-Version: {version}\r\n"));
        }
        if let Some(session) = &*lock(&shared.session) {
            text.push_str(&format!("Mcp-Session-Id: {session}\r\n"));
        }
        if let Some(key) = &shared.key {
            text.push_str(&format!("Authorization: Bearer {key}\r\n"));
        }
        text.push_str("\r\n");
        text
    }

    fn open(&self) -> anyhow::Result<BufReader<TcpStream>> {
        let stream = TcpStream::connect(&self.address).with_context(|| self.address.clone())?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        Ok(BufReader::with_capacity(1 << 16, stream))
    }

    /// Keeps the connection for the next request, if it can take one.
    fn give_back(&self, body: Body) {
        if self.shared.key.is_none() {
            lock(&self.shared.idle).extend(body.into_idle());
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // Connections close with their sockets; a legacy session is left to the server's own
        // limits, as by clients that are killed.
        lock(&self.idle).clear();
    }
}

/// Whether the other side has not closed a kept connection. Asked before a request is sent,
/// because sending it a second time is not ours to decide.
fn is_open(stream: &BufReader<TcpStream>) -> bool {
    let socket = stream.get_ref();
    let peeked = socket.set_nonblocking(true).and_then(|()| socket.peek(&mut [0]));
    let blocking = socket.set_nonblocking(false);
    let quiet = peeked.is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock);
    quiet && blocking.is_ok() && stream.buffer().is_empty()
}

fn is_events(head: &Head) -> bool {
    head.header("content-type").is_some_and(|kind| kind.starts_with("text/event-stream"))
}
