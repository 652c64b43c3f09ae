//! A user of the API: one request, one connection.

use std::{
    io::{BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpStream},
};

use anyhow::Context as _;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::{
    PATIENCE,
    mcp::response::{Body, read_head},
};

/// The users there are, with their keys.
pub(crate) const ADA: (&str, &str) = ("ada", "rk_a-key-of-ada-that-nobody-guesses-0001");
pub(crate) const BOB: (&str, &str) = ("bob", "rk_a-key-of-bob-that-nobody-guesses-0002");

/// A user at an address.
#[derive(Clone, Copy)]
pub(crate) struct User {
    pub(crate) key: &'static str,
    pub(crate) address: SocketAddr,
}

/// An answer.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) media_type: String,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or(Value::Null)
    }

    /// The document, of an answer that must be this.
    #[track_caller]
    pub(crate) fn expect(self, status: u16) -> Value {
        let text = String::from_utf8_lossy(&self.body);
        assert_eq!(self.status, status, "{text}");
        self.json()
    }
}

impl User {
    /// Sends a request and reads the whole answer. An error where the connection breaks.
    pub(crate) fn ask(
        self,
        method: &str,
        path: &str,
        media_type: &str,
        body: &[u8],
    ) -> anyhow::Result<Reply> {
        let stream = self.send(method, path, &[("Content-Type", media_type)], body)?;
        let mut stream = BufReader::new(stream);
        let head = read_head(&mut stream)?;
        let media_type = head.header("content-type").unwrap_or_default().to_owned();
        let mut body = Vec::new();
        Body::of(&head, stream)?.read_to_end(&mut body).context("the body broke off")?;
        Ok(Reply { status: head.status, media_type, body })
    }

    /// Sends a request; the answer is the caller's to read.
    pub(crate) fn send(
        self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> anyhow::Result<TcpStream> {
        let mut stream = TcpStream::connect(self.address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let User { key, address } = self;
        let mut head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {key}\r\n\
             Connection: close\r\nContent-Length: {}\r\n",
            body.len()
        );
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        stream.write_all(head.as_bytes())?;
        stream.write_all(body)?;
        Ok(stream)
    }

    pub(crate) fn get(self, path: &str) -> anyhow::Result<Reply> {
        self.ask("GET", path, "", b"")
    }

    pub(crate) fn post(self, path: &str, document: &Value) -> anyhow::Result<Reply> {
        self.ask("POST", path, "application/json", document.to_string().as_bytes())
    }

    /// Uploads a file.
    pub(crate) fn put(self, session: &str, name: &str, bytes: &[u8]) -> anyhow::Result<Reply> {
        let path = format!("/api/sessions/{session}/files/{name}");
        self.ask("PUT", &path, "application/octet-stream", bytes)
    }

    /// Makes a session where everything is well.
    #[track_caller]
    pub(crate) fn session(self) -> String {
        let session = self.post("/api/sessions", &json!({})).unwrap().expect(201);
        session["id"].as_str().unwrap().to_owned()
    }

    /// Calls a tool of the demo server.
    pub(crate) fn call(
        self,
        session: &str,
        tool: &str,
        arguments: &Value,
    ) -> anyhow::Result<Reply> {
        let call = json!({"server": "demo", "tool": tool, "arguments": arguments});
        self.post(&format!("/api/sessions/{session}/calls"), &call)
    }

    /// The files of a session, as they are listed.
    #[track_caller]
    pub(crate) fn files(self, session: &str) -> Vec<Value> {
        let path = format!("/api/sessions/{session}/files?count=10000");
        let mut list = self.get(&path).unwrap().expect(200);
        assert!(list.get("next").is_none(), "more files than one page holds");
        serde_json::from_value(list["items"].take()).unwrap()
    }

    /// Downloads a file and checks that it is what it is said to be.
    #[track_caller]
    pub(crate) fn check(self, key: &str, sha256: &str) {
        let reply = self.get(&format!("/api/files/download/{key}")).unwrap();
        assert_eq!(reply.status, 200, "{key}: {}", String::from_utf8_lossy(&reply.body));
        assert_eq!(digest(&reply.body), sha256, "{key}");
    }
}

pub(crate) fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
