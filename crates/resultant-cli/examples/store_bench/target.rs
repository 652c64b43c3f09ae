//! Where bytes are sent to and asked from, and the connection over which that happens.

use std::{
    io::{BufReader, Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::Command,
    time::Duration,
};

use anyhow::{Context, ensure};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::{
    Setup,
    mcp::{
        Gateway, Server,
        response::{Body, read_head},
    },
};

/// The key of the user whose files they are.
pub(crate) const KEY: &str = "rk_the-key-of-somebody-who-measures-00001";

/// Sent and read at once.
const CHUNK: usize = 1 << 20;

/// Somebody who takes and gives bytes.
pub(crate) struct Target {
    address: String,
    /// The connection, kept from request to request.
    stream: Option<BufReader<TcpStream>>,
}

impl Target {
    pub(crate) fn new(url: &str) -> Target {
        Target { address: url.trim_start_matches("http://").to_owned(), stream: None }
    }

    /// Sends a request; the body is `size` bytes that `seed` makes different from all others.
    pub(crate) fn upload(&mut self, path: &str, size: u64, seed: u64) -> anyhow::Result<Value> {
        let head = format!("PUT {path} HTTP/1.1\r\nContent-Length: {size}\r\n");
        let stream = self.stream()?;
        let mut chunk: Vec<u8> = (0..CHUNK).map(|at| (at * 31 % 251) as u8).collect();
        chunk[..8].copy_from_slice(&seed.to_le_bytes());
        send(stream, &head)?;
        let mut left = size;
        while left > 0 {
            let count = left.min(CHUNK as u64) as usize;
            stream.get_mut().write_all(&chunk[..count])?;
            left -= count as u64;
        }
        let (status, text) = self.answer()?;
        ensure!(status == 201, "status {status}: {text}");
        Ok(serde_json::from_str(&text).unwrap_or_default())
    }

    /// Downloads and counts the bytes, of a range or all.
    pub(crate) fn download(
        &mut self,
        path: &str,
        range: Option<(u64, u64)>,
    ) -> anyhow::Result<u64> {
        let mut head = format!("GET {path} HTTP/1.1\r\n");
        if let Some((start, length)) = range {
            head.push_str(&format!("Range: bytes={start}-{}\r\n", start + length - 1));
        }
        send(self.stream()?, &head)?;
        let mut stream = self.stream.take().context("no connection")?;
        let answer = read_head(&mut stream)?;
        ensure!(matches!(answer.status, 200 | 206), "status {}", answer.status);
        let mut body = Body::of(&answer, stream)?;
        let mut chunk = vec![0; CHUNK];
        let mut bytes = 0;
        loop {
            match body.read(&mut chunk)? {
                0 => break,
                count => bytes += count as u64,
            }
        }
        self.stream = body.into_idle();
        Ok(bytes)
    }

    /// A request with a JSON document, or without one.
    pub(crate) fn ask(
        &mut self,
        method: &str,
        path: &str,
        document: Option<&Value>,
    ) -> anyhow::Result<Value> {
        let body = document.map(Value::to_string).unwrap_or_default();
        let mut head = format!("{method} {path} HTTP/1.1\r\nContent-Length: {}\r\n", body.len());
        if document.is_some() {
            head.push_str("Content-Type: application/json\r\n");
        }
        let stream = self.stream()?;
        send(stream, &head)?;
        stream.get_mut().write_all(body.as_bytes())?;
        let (status, text) = self.answer()?;
        ensure!((200..300).contains(&status), "status {status}: {text}");
        Ok(serde_json::from_str(&text).unwrap_or_default())
    }

    fn stream(&mut self) -> anyhow::Result<&mut BufReader<TcpStream>> {
        if self.stream.is_none() {
            let stream = TcpStream::connect(&self.address)?;
            stream.set_nodelay(true)?;
            stream.set_read_timeout(Some(Duration::from_secs(300)))?;
            self.stream = Some(BufReader::with_capacity(CHUNK, stream));
        }
        self.stream.as_mut().context("no connection")
    }

    fn answer(&mut self) -> anyhow::Result<(u16, String)> {
        let mut stream = self.stream.take().context("no connection")?;
        let head = read_head(&mut stream)?;
        let mut body = Body::of(&head, stream)?;
        let mut text = String::new();
        body.read_to_string(&mut text)?;
        self.stream = body.into_idle();
        Ok((head.status, text))
    }
}

fn send(stream: &mut BufReader<TcpStream>, head: &str) -> anyhow::Result<()> {
    let rest = format!("Host: localhost\r\nAuthorization: Bearer {KEY}\r\n\r\n");
    stream.get_mut().write_all(head.as_bytes())?;
    stream.get_mut().write_all(rest.as_bytes()).context("sending the request")
}

/// The plain handler as a process, with its files in this folder.
pub(crate) fn start_plain(folder: &Path) -> anyhow::Result<Server> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("plain").arg(folder);
    Server::start_saying(&mut command, "listening on ")
}

/// A gateway with everything in this folder; `settings` go under `resultant`.
pub(crate) fn start_gateway(
    setup: &Setup,
    folder: &Path,
    settings: &Value,
) -> anyhow::Result<Gateway> {
    let sha256: String =
        Sha256::digest(KEY.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    let mut own = json!({"auth": {"mode": "token", "keys": [{"user": "ada", "sha256": sha256}]}});
    for (name, value) in settings.as_object().into_iter().flatten() {
        own[name] = value.clone();
    }
    let config = json!({
        "mcpServers": {"echo": {"command": setup.echo, "args": ["stdio"]}},
        "resultant": own,
    });
    Gateway::start(&setup.resultant, &config, folder)
}

/// A new session of the gateway's.
pub(crate) fn session(target: &mut Target) -> anyhow::Result<String> {
    let session = target.ask("POST", "/api/sessions", Some(&json!({})))?;
    Ok(session["id"].as_str().context("a session without an id")?.to_owned())
}
