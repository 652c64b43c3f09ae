//! A page as the gateway sees one: a WebSocket that registers tools and answers calls.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{Shutdown, TcpStream},
    path::Path,
    sync::mpsc,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tungstenite::{Message, WebSocket, client::IntoClientRequest as _, http::HeaderValue};

use crate::mcp::{Client, Gateway, Identity, PATIENCE};

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_resultant");
/// The versions that the examples are checked for.
pub(crate) const VERSIONS: [&str; 2] = ["2025-06-18", "2026-07-28"];
pub(crate) const TAB: &str = "tab-one";
/// Where the pages of these tests come from.
pub(crate) const ORIGIN: &str = "http://localhost:5173";

/// A gateway without servers, for its one user.
pub(crate) struct Bench {
    pub(crate) gateway: Gateway,
    pub(crate) secret: String,
    pub(crate) folder: tempfile::TempDir,
}

impl Bench {
    pub(crate) fn new(settings: &Value) -> Bench {
        let folder = tempfile::tempdir().expect("a folder");
        let config = json!({"mcpServers": {}, "resultant": settings});
        let gateway = Gateway::start(PROGRAM, &config, folder.path()).expect("a gateway");
        let secret = fs::read_to_string(folder.path().join("data/secret")).unwrap_or_default();
        Bench { gateway, secret: secret.trim().to_owned(), folder }
    }

    pub(crate) fn page(&self) -> Page {
        Page::connect(&self.gateway, &self.secret)
    }

    pub(crate) fn client(&self, version: &str) -> Client {
        Client::http(&self.gateway.all(), &Identity::plain(version)).expect("a client")
    }

    /// What happens in the user's session, as a stream.
    pub(crate) fn events(&self) -> BufReader<TcpStream> {
        let address = self.gateway.url.trim_start_matches("http://");
        let mut stream = TcpStream::connect(address).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time");
        let secret = &self.secret;
        let request = format!(
            "GET /api/sessions/default/events HTTP/1.1\r\nHost: {address}\r\n\
             Authorization: Bearer {secret}\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).expect("sent");
        let mut events = BufReader::new(stream);
        let mut line = String::new();
        while !line.contains(": listening") {
            line.clear();
            assert_ne!(events.read_line(&mut line).expect("a line"), 0, "no stream");
        }
        events
    }

    /// The answer of the API to a request of the user.
    pub(crate) fn api(&self, line: &str, body: &str) -> (u16, Value) {
        api(&self.gateway, &self.secret, line, body)
    }
}

pub(crate) fn api(gateway: &Gateway, key: &str, line: &str, body: &str) -> (u16, Value) {
    let address = gateway.url.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time");
    let length = body.len();
    let request = format!(
        "{line} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nAuthorization: Bearer {key}\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    (status, serde_json::from_str(body).unwrap_or(Value::Null))
}

/// The page's side of a connection.
pub(crate) struct Page {
    socket: WebSocket<TcpStream>,
    /// What the gateway said when it let it in.
    pub(crate) welcome: Value,
    next: u64,
}

/// How a connection ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Closed(pub(crate) Option<u16>);

impl Page {
    /// Opens a connection from a page of this origin; else the status it was refused with.
    pub(crate) fn open(gateway: &Gateway, origin: Option<&str>) -> Result<Page, u16> {
        let origin: Vec<(&'static str, &str)> =
            origin.iter().map(|origin| ("origin", *origin)).collect();
        Page::open_with(gateway, &origin)
    }

    /// The same with these headers.
    pub(crate) fn open_with(gateway: &Gateway, more: &[(&'static str, &str)]) -> Result<Page, u16> {
        let address = gateway.url.trim_start_matches("http://");
        let stream = TcpStream::connect(address).expect("a connection");
        stream.set_nodelay(true).expect("set");
        stream.set_read_timeout(Some(PATIENCE)).expect("set");
        let url = format!("ws://{address}/api/page");
        let mut request = url.into_client_request().expect("a request");
        let headers = request.headers_mut();
        let protocol = HeaderValue::from_static("resultant.page.v1");
        headers.insert("sec-websocket-protocol", protocol);
        for (name, value) in more {
            headers.insert(*name, value.parse().expect("a header"));
        }
        match tungstenite::client(request, stream) {
            Ok((socket, response)) => {
                let chosen = response.headers().get("sec-websocket-protocol");
                assert_eq!(chosen.and_then(|c| c.to_str().ok()), Some("resultant.page.v1"));
                Ok(Page { socket, welcome: Value::Null, next: 1 })
            }
            Err(tungstenite::HandshakeError::Failure(tungstenite::Error::Http(response))) => {
                Err(response.status().as_u16())
            }
            Err(error) => unreachable!("{error}"),
        }
    }

    /// One that was let in.
    pub(crate) fn connect(gateway: &Gateway, token: &str) -> Page {
        let mut page = Page::open(gateway, Some(ORIGIN)).expect("a page");
        page.hello(token);
        page.let_in()
    }

    /// After its `hello`: hears that it is let in, and has a tab.
    pub(crate) fn let_in(mut self) -> Page {
        self.welcome = self.hear().expect("an answer");
        assert_eq!(self.welcome["type"], "welcome", "{}", self.welcome);
        self.tab(TAB);
        self
    }

    /// Has a tab, in use.
    pub(crate) fn tab(&mut self, tab: &str) {
        self.say(&json!({
            "type": "tab", "tab": tab, "title": "Shop", "url": "http://localhost:5173/shop",
            "active": true, "visible": true,
        }));
    }

    /// Shows another credential, and hears the answer.
    pub(crate) fn show(&mut self, token: &str) -> Value {
        let id = self.next;
        self.next += 1;
        self.say(&json!({"type": "token", "id": id, "token": token}));
        let answer = self.hear().expect("an answer");
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// The socket, for what a page of ours would not do.
    pub(crate) fn socket(&mut self) -> &mut WebSocket<TcpStream> {
        &mut self.socket
    }

    pub(crate) fn hello(&mut self, token: &str) {
        let client = json!({"name": "test", "version": "1"});
        self.say(&json!({"type": "hello", "token": token, "client": client}));
    }

    pub(crate) fn say(&mut self, message: &Value) {
        self.say_text(&message.to_string());
    }

    pub(crate) fn say_text(&mut self, text: &str) {
        // Who was cut off hears of it when it listens.
        let _ = self.socket.send(Message::text(text));
    }

    pub(crate) fn say_bytes(&mut self, bytes: Vec<u8>) {
        let _ = self.socket.send(Message::binary(bytes));
    }

    /// The next message that is no sign of life, or how the connection ended.
    pub(crate) fn hear(&mut self) -> Result<Value, Closed> {
        loop {
            match self.socket.read() {
                Ok(Message::Text(text)) => {
                    let message: Value = serde_json::from_str(&text).expect("JSON");
                    match message["type"].as_str() {
                        Some("ping") => self.say(&json!({"type": "pong"})),
                        _ => return Ok(message),
                    }
                }
                Ok(Message::Close(frame)) => {
                    return Err(Closed(frame.map(|frame| frame.code.into())));
                }
                Ok(_) => {}
                Err(_) => return Err(Closed(None)),
            }
        }
    }

    /// Hears what it is refused with, and how it is let go.
    pub(crate) fn turned_away(mut self) -> (String, Option<u16>) {
        let refused = loop {
            match self.hear() {
                Ok(message) if message["type"] == "refused" && message["id"].is_null() => {
                    break message;
                }
                Ok(_) => {}
                Err(closed) => unreachable!("closed without a reason: {closed:?}"),
            }
        };
        assert!(refused["reason"].is_string() && refused["hint"].is_string(), "{refused}");
        let code = refused["code"].as_str().expect("a code").to_owned();
        match self.hear() {
            Err(Closed(close)) => (code, close),
            Ok(message) => unreachable!("{message}"),
        }
    }

    /// Offers a tool; what it is refused with otherwise.
    pub(crate) fn try_register(&mut self, tab: &str, tool: &Value) -> Result<(), Value> {
        let id = self.next;
        self.next += 1;
        self.say(&json!({"type": "register", "id": id, "tab": tab, "tool": tool}));
        let answer = self.hear().expect("an answer");
        assert_eq!(answer["id"], id, "{answer}");
        match answer["type"].as_str() {
            Some("registered") => Ok(()),
            _ => Err(answer),
        }
    }

    pub(crate) fn register(&mut self, name: &str, more: &Value) {
        let mut tool =
            json!({"name": name, "description": name, "inputSchema": {"type": "object"}});
        for (key, value) in more.as_object().expect("members") {
            tool[key] = value.clone();
        }
        self.try_register(TAB, &tool).expect("registered");
    }

    pub(crate) fn answer(&mut self, call: &Value, result: &str) {
        let id = call["call"].as_str().expect("an id");
        self.say_text(&format!(r#"{{"type":"result","call":"{id}","result":{result}}}"#));
    }

    /// A result that goes in pieces, as fast as the gateway takes them; each piece is what `next`
    /// gives.
    pub(crate) fn stream(&mut self, call: &Value, pieces: impl Iterator<Item = Vec<u8>>) {
        const WINDOW: u64 = 1 << 20;
        let (number, mut sent, mut acked) = (7_u32, 0_u64, 0_u64);
        self.say(&json!({"type": "result", "call": call["call"], "stream": number}));
        for piece in pieces {
            sent += piece.len() as u64;
            let mut frame = number.to_be_bytes().to_vec();
            frame.push(0);
            frame.extend(piece);
            self.say_bytes(frame);
            while sent - acked > WINDOW {
                match self.hear() {
                    Ok(message) if message["type"] == "ack" => {
                        assert_eq!(message["stream"], number);
                        acked = message["bytes"].as_u64().expect("a number");
                    }
                    Ok(message) if message["type"] == "cancel" => return,
                    other => unreachable!("{other:?}"),
                }
            }
        }
        let mut last = number.to_be_bytes().to_vec();
        last.push(1);
        self.say_bytes(last);
    }

    /// Answers calls on a thread of its own until it is dropped.
    pub(crate) fn serve(
        mut self,
        mut handler: impl FnMut(&mut Page, &Value) + Send + 'static,
    ) -> Served {
        let socket = self.socket.get_ref().try_clone().expect("a socket");
        let thread = thread::spawn(move || {
            while let Ok(message) = self.hear() {
                if message["type"] == "call" {
                    handler(&mut self, &message);
                }
            }
        });
        Served { socket, thread: Some(thread) }
    }

    /// Ends without a word, as a browser that is killed.
    pub(crate) fn vanish(self) {
        let _ = self.socket.get_ref().shutdown(Shutdown::Both);
    }
}

/// A page that answers.
pub(crate) struct Served {
    socket: TcpStream,
    thread: Option<JoinHandle<()>>,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.socket.shutdown(Shutdown::Both);
        if let Some(thread) = self.thread.take() {
            let is_well = thread.join().is_ok();
            assert!(is_well || thread::panicking(), "the page failed");
        }
    }
}

/// The names of the tools that a client sees, without those for files.
pub(crate) fn names(client: &Client) -> Vec<String> {
    let list = client.result("tools/list", json!({})).expect("a list");
    let tools = list["tools"].as_array().expect("tools").iter();
    let names = tools.map(|tool| tool["name"].as_str().expect("a name").to_owned());
    names.filter(|name| !name.starts_with("files_")).collect()
}

/// Waits until something is so; what it was last is told when it never is.
pub(crate) fn wait_until<T: std::fmt::Debug>(
    mut look: impl FnMut() -> T,
    is_so: impl Fn(&T) -> bool,
) -> T {
    let end = Instant::now() + PATIENCE / 4;
    loop {
        let seen = look();
        if is_so(&seen) {
            return seen;
        }
        assert!(Instant::now() < end, "still {seen:?}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// All text of a result.
pub(crate) fn text(result: &Value) -> String {
    let blocks = result["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    let texts: Vec<&str> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
    texts.join("\n")
}

pub(crate) fn call(client: &Client, tool: &str, arguments: &Value) -> Value {
    let params = json!({"name": tool, "arguments": arguments});
    client.result("tools/call", params).expect("a result")
}

/// A channel on which a handler says that it is where the test wants it.
pub(crate) fn signal() -> (mpsc::Sender<Value>, mpsc::Receiver<Value>) {
    mpsc::channel()
}

pub(crate) fn memory_kb(pid: u32, key: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("a status");
    let line = status.lines().find_map(|line| line.strip_prefix(key)).expect("the number");
    line.trim_matches(|c: char| !c.is_ascii_digit()).parse().expect("a number")
}

/// Writes another configuration into a running gateway's folder, which it takes by itself.
pub(crate) fn reconfigure(folder: &Path, settings: &Value) {
    let config = json!({"mcpServers": {}, "resultant": settings});
    fs::write(folder.join("resultant.json"), config.to_string()).expect("written");
}
