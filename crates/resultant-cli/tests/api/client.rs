//! A client of the API that hides nothing: HTTP/1.1 by hand, a connection a request.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write},
    net::TcpStream,
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    mcp::{Gateway, PATIENCE},
    said,
};

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_resultant");

/// A gateway before a demo server, and who uses it.
pub(crate) struct Bench {
    pub(crate) gateway: Gateway,
    /// What is sent with every request that is not told otherwise.
    pub(crate) credential: String,
    _folder: TempDir,
}

/// A response.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Response {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        headers.find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| stop(&format!("{error}: {self}")))
    }
}

impl std::fmt::Display for Response {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let body = String::from_utf8_lossy(&self.body[..self.body.len().min(2000)]);
        write!(f, "{} {:?}\n{body}", self.status, self.headers)
    }
}

impl Bench {
    pub(crate) fn new() -> Bench {
        Bench::with(&json!({}))
    }

    /// With these settings of the gateway.
    pub(crate) fn with(settings: &Value) -> Bench {
        let folder = TempDir::new().expect("a folder");
        let demo = json!({"command": PROGRAM, "args": ["demo-server"]});
        let config = json!({"mcpServers": {"shop": demo}, "resultant": settings});
        let gateway = Gateway::start(PROGRAM, &config, folder.path()).expect("a gateway");
        // The local secret is what a program of this user sends.
        let secret = fs::read_to_string(folder.path().join("data/secret")).unwrap_or_default();
        let credential = match secret.trim() {
            "" => String::new(),
            secret => format!("Authorization: Bearer {secret}\r\n"),
        };
        Bench { gateway, credential, _folder: folder }
    }

    /// Starts it again, where it was stopped, with what it had.
    pub(crate) fn restart(&mut self) {
        let folder = self.gateway.folder.clone();
        let config = fs::read_to_string(folder.join("resultant.json")).expect("a configuration");
        let config = serde_json::from_str(&config).expect("JSON");
        self.gateway = Gateway::start(PROGRAM, &config, &folder).expect("a gateway");
    }

    pub(crate) fn address(&self) -> &str {
        self.gateway.url.trim_start_matches("http://")
    }

    /// Opens a connection and sends a request without its body.
    pub(crate) fn send(&self, line: &str, headers: &str, is_known: bool) -> BufReader<TcpStream> {
        let mut stream = TcpStream::connect(self.address()).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        stream.set_write_timeout(Some(PATIENCE)).expect("a timeout");
        let credential = if is_known { self.credential.as_str() } else { "" };
        let address = self.address();
        let head = format!("{line} HTTP/1.1\r\nHost: {address}\r\n{credential}{headers}\r\n");
        stream.write_all(head.as_bytes()).expect("sent");
        BufReader::new(stream)
    }

    pub(crate) fn request(&self, line: &str, headers: &str, body: &[u8]) -> Response {
        let headers = match body.is_empty() {
            true => format!("{headers}Connection: close\r\n"),
            false => format!("{headers}Content-Length: {}\r\nConnection: close\r\n", body.len()),
        };
        let mut stream = self.send(line, &headers, true);
        stream.get_mut().write_all(body).expect("sent");
        let response = read(stream, line.starts_with("HEAD"));
        said::check(line, &response);
        response
    }

    pub(crate) fn get(&self, path: &str) -> Response {
        self.request(&format!("GET {path}"), "", b"")
    }

    pub(crate) fn delete(&self, path: &str) -> Response {
        self.request(&format!("DELETE {path}"), "", b"")
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Response {
        let json = "Content-Type: application/json\r\n";
        self.request(&format!("POST {path}"), json, body.to_string().as_bytes())
    }

    /// A request of somebody without credentials, to an address as a link has it.
    pub(crate) fn anonymous(&self, method: &str, url: &str, headers: &str) -> Response {
        let path = url.strip_prefix(&self.gateway.url).unwrap_or(url);
        let line = format!("{method} {path}");
        let stream = self.send(&line, &format!("{headers}Connection: close\r\n"), false);
        read(stream, method == "HEAD")
    }

    /// A new session.
    pub(crate) fn session(&self) -> String {
        let made = self.post("/api/sessions", &json!({"title": "a test"}));
        assert_eq!(made.status, 201, "{made}");
        text(&made.json()["id"])
    }

    /// Calls a tool of the shop and returns the answer.
    pub(crate) fn call(&self, session: &str, tool: &str, arguments: &Value) -> Value {
        let call = json!({"server": "shop", "tool": tool, "arguments": arguments});
        let response = self.post(&format!("/api/sessions/{session}/calls"), &call);
        assert_eq!(response.status, 200, "{response}");
        response.json()
    }

    /// Uploads a file and returns what is known of it.
    pub(crate) fn upload(&self, session: &str, name: &str, bytes: &[u8]) -> Value {
        let line = format!("PUT /api/sessions/{session}/files/{name}");
        let response = match bytes.is_empty() {
            true => self.request(&line, "Content-Length: 0\r\n", b""),
            false => self.request(&line, "", bytes),
        };
        assert_eq!(response.status, 201, "{response}");
        response.json()
    }
}

/// Ends a test that cannot go on.
#[expect(clippy::panic, reason = "that is how a test fails")]
pub(crate) fn stop(why: &str) -> ! {
    panic!("{why}")
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| stop(&format!("no text: {value}"))).to_owned()
}

/// The head of a response.
pub(crate) fn read_head(stream: &mut BufReader<TcpStream>) -> (u16, Vec<(String, String)>) {
    let mut line = String::new();
    stream.read_line(&mut line).expect("a status line");
    let status = line.split(' ').nth(1).and_then(|status| status.parse().ok());
    let status = status.unwrap_or_else(|| stop(&format!("no status: {line}")));
    let mut headers = Vec::new();
    loop {
        line.clear();
        stream.read_line(&mut line).expect("a header");
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    (status, headers)
}

pub(crate) fn read(mut stream: BufReader<TcpStream>, is_head: bool) -> Response {
    let (status, headers) = read_head(&mut stream);
    let mut response = Response { status, headers, body: Vec::new() };
    if is_head {
        return response;
    }
    if response.header("transfer-encoding") == Some("chunked") {
        while let Some(chunk) = read_chunk(&mut stream) {
            response.body.extend_from_slice(&chunk);
        }
    } else {
        stream.read_to_end(&mut response.body).expect("a body");
    }
    response
}

/// The next chunk of a chunked body; nothing at its end.
pub(crate) fn read_chunk(stream: &mut BufReader<TcpStream>) -> Option<Vec<u8>> {
    let mut line = String::new();
    stream.read_line(&mut line).expect("a chunk");
    let size =
        usize::from_str_radix(line.trim(), 16).unwrap_or_else(|_| stop(&format!("chunk {line:?}")));
    let mut chunk = vec![0; size + 2];
    stream.read_exact(&mut chunk).expect("a chunk");
    chunk.truncate(size);
    (size > 0).then_some(chunk)
}

/// A stream of events as it comes.
pub(crate) struct Events {
    stream: BufReader<TcpStream>,
    waiting: String,
}

/// An event of a stream.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) id: Option<u64>,
    pub(crate) kind: String,
    pub(crate) data: Value,
}

impl Events {
    pub(crate) fn open(mut stream: BufReader<TcpStream>) -> Events {
        let (status, headers) = read_head(&mut stream);
        let is_stream = headers.iter().any(|(_, value)| value == "text/event-stream");
        assert!(status == 200 && is_stream, "no stream of events: {status} {headers:?}");
        Events { stream, waiting: String::new() }
    }

    /// The next event; nothing at the end of the stream. That tools changed is told whenever a server
    /// was connected, and is heard by who asks for it.
    pub(crate) fn next(&mut self) -> Option<Event> {
        loop {
            let event = self.next_of_any()?;
            if event.kind != "tools_changed" {
                return Some(event);
            }
        }
    }

    fn next_of_any(&mut self) -> Option<Event> {
        loop {
            if let Some(end) = self.waiting.find("\n\n") {
                let text: String = self.waiting.drain(..end + 2).collect();
                let field = |name: &str| {
                    let mut lines = text.lines();
                    lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
                };
                // Comments are signs of life.
                let Some(data) = field("data") else { continue };
                return Some(Event {
                    id: field("id").map(|id| id.parse().expect("a number")),
                    kind: field("event").unwrap_or("message").to_owned(),
                    data: serde_json::from_str(data).expect("JSON"),
                });
            }
            let chunk = read_chunk(&mut self.stream)?;
            self.waiting.push_str(&String::from_utf8(chunk).expect("text"));
        }
    }

    /// The next event of a kind.
    pub(crate) fn next_of(&mut self, kind: &str) -> Event {
        loop {
            let event = self.next_of_any();
            let event = event.unwrap_or_else(|| stop(&format!("the stream ended before {kind}")));
            if event.kind == kind {
                return event;
            }
        }
    }
}
