//! A fast MCP server to measure against: it costs next to nothing, so that what is measured is
//! what stands in front of it.
//!
//! ```text
//! echo_server [--tools N] [--legacy] stdio
//! echo_server [--tools N] [--legacy] http [PORT]    says `listening on http://…` on stderr
//! ```
//!
//! Tools: `echo {message}`; `text {bytes}`, a text of that many bytes; `image {bytes}`, a PNG
//! whose base64 has that many characters. Both sizes are rounded up to a multiple of 64. Large
//! results are written as they are made, in constant memory. `--tools N` lists N tools in all.
//! It speaks both eras; with `--legacy` only the one with the handshake.
//!
//! The text repeats `TEXT_UNIT`. The image's base64 is `IMAGE_HEAD` and then repeats `IMAGE_UNIT`,
//! 48 bytes each, so that whoever receives it can compute the digest.

use std::{
    convert::Infallible,
    error::Error,
    io::{self, BufRead as _, Write as _},
    iter,
    sync::Arc,
};

use axum::{
    Router,
    body::Body,
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse as _, Response},
    routing::post,
};
use bytes::Bytes;
use futures_util::stream;
use serde::Deserialize;
use serde_json::value::RawValue;

const TEXT_UNIT: &str = "The quick brown fox jumps over the lazy dog, again and again 64.";

/// A PNG's signature and header of one grey pixel, then the start of its data.
const IMAGE_HEAD: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAA";
const IMAGE_UNIT: &str = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2";

const UNIT: u64 = 64;

/// Written at once.
const CHUNK: usize = 64 * 1024;

const BODY_BYTES_MAX: usize = 16 * 1024 * 1024;

const VERSIONS: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const MODERN: &str = "2026-07-28";

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: Option<&'a str>,
    #[serde(default, borrow)]
    params: Params<'a>,
}

#[derive(Default, Deserialize)]
struct Params<'a> {
    name: Option<&'a str>,
    #[serde(rename = "protocolVersion")]
    version: Option<&'a str>,
    #[serde(default, borrow)]
    arguments: Arguments<'a>,
    #[serde(default, rename = "_meta")]
    meta: Meta,
}

#[derive(Default, Deserialize)]
struct Arguments<'a> {
    /// As written: it goes back as it is.
    #[serde(borrow)]
    message: Option<&'a RawValue>,
    bytes: Option<u64>,
}

#[derive(Default, Deserialize)]
struct Meta {
    #[serde(rename = "io.modelcontextprotocol/protocolVersion")]
    version: Option<String>,
}

/// A reply in three parts, of which the middle one may be long: `unit` so many times.
struct Reply {
    head: Vec<u8>,
    unit: &'static str,
    times: u64,
    tail: &'static str,
}

impl Reply {
    fn whole(head: String) -> Self {
        Self { head: head.into_bytes(), unit: "", times: 0, tail: "" }
    }

    /// The middle part: a chunk and how often, then what is left.
    fn middle(&self) -> (Bytes, u64, Bytes) {
        let in_chunk = (CHUNK as u64 / UNIT).min(self.times).max(1);
        let chunk = self.unit.repeat(usize::try_from(in_chunk).unwrap_or(1));
        let rest = self.unit.repeat(usize::try_from(self.times % in_chunk).unwrap_or(0));
        (chunk.into(), self.times / in_chunk, rest.into())
    }
}

struct Server {
    /// The members `tools` of the list, written once.
    tools: String,
    legacy_only: bool,
}

impl Server {
    fn new(count: usize, legacy_only: bool) -> Self {
        let size = r#"{"type":"object","properties":{"bytes":{"type":"integer"}}}"#;
        let echo = r#"{"type":"object","properties":{"message":{}},"required":["message"]}"#;
        let mut tools = vec![
            format!(r#"{{"name":"echo","description":"Says it again.","inputSchema":{echo}}}"#),
            format!(r#"{{"name":"text","description":"A long text.","inputSchema":{size}}}"#),
            format!(r#"{{"name":"image","description":"A large PNG.","inputSchema":{size}}}"#),
        ];
        for number in tools.len()..count {
            tools.push(format!(
                r#"{{"name":"tool_{number:04}","title":"Tool {number}","description":"One of many tools, with a description of the length that descriptions have, number {number}.","inputSchema":{{"type":"object","properties":{{"path":{{"type":"string","description":"Where to look"}},"limit":{{"type":"integer","minimum":1,"default":10}},"deep":{{"type":"boolean"}}}},"required":["path"]}},"annotations":{{"readOnlyHint":true}}}}"#
            ));
        }
        Self { tools: tools.join(","), legacy_only }
    }

    /// The reply to a message, if it wants one.
    fn answer(&self, bytes: &[u8]) -> Option<Reply> {
        let error = |id: &str, code: i32, message: &str| {
            Some(Reply::whole(format!(
                r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"{message}"}}}}"#
            )))
        };
        let Ok(request) = serde_json::from_slice::<Request<'_>>(bytes) else {
            return error("null", -32700, "cannot be read");
        };
        let id = request.id?.get();
        let modern = request.params.meta.version.as_deref() == Some(MODERN) && !self.legacy_only;
        let (added, cached) = match modern {
            true => (r#","resultType":"complete""#, r#","ttlMs":0,"cacheScope":"private""#),
            false => ("", ""),
        };
        let result = |result: String| {
            Some(Reply::whole(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{{result}}}}}"#)))
        };
        match request.method? {
            "initialize" => {
                let asked = request.params.version.unwrap_or_default();
                let version = VERSIONS.into_iter().find(|version| *version == asked);
                let version = version.unwrap_or("2025-11-25");
                result(format!(
                    r#""protocolVersion":"{version}","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"echo","version":"1"}}"#
                ))
            }
            "server/discover" if !self.legacy_only => result(format!(
                r#""supportedVersions":["{MODERN}"],"capabilities":{{"tools":{{}}}}{added}{cached}"#
            )),
            "ping" => result(String::new()),
            "tools/list" => result(format!(r#""tools":[{}]{added}{cached}"#, self.tools)),
            "tools/call" => {
                let Params { name, arguments: Arguments { message, bytes }, .. } = request.params;
                let times = bytes.unwrap_or_default().div_ceil(UNIT).max(1);
                let start = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"#);
                match name.unwrap_or_default() {
                    "echo" => {
                        let text = message.map_or(r#""""#, RawValue::get);
                        result(format!(r#""content":[{{"type":"text","text":{text}}}]{added}"#))
                    }
                    "text" => Some(Reply {
                        head: format!(r#"{start}"content":[{{"type":"text","text":""#).into_bytes(),
                        unit: TEXT_UNIT,
                        times,
                        tail: if modern { TEXT_TAIL_MODERN } else { TEXT_TAIL },
                    }),
                    "image" => Some(Reply {
                        head: format!(r#"{start}"content":[{{"type":"image","data":"{IMAGE_HEAD}"#)
                            .into_bytes(),
                        unit: IMAGE_UNIT,
                        times: times - 1,
                        tail: if modern { IMAGE_TAIL_MODERN } else { IMAGE_TAIL },
                    }),
                    _ => error(id, -32602, "there is no such tool"),
                }
            }
            _ => error(id, -32601, "there is no such method"),
        }
    }
}

const TEXT_TAIL: &str = r#""}]}}"#;
const TEXT_TAIL_MODERN: &str = r#""}],"resultType":"complete"}}"#;
const IMAGE_TAIL: &str = r#"","mimeType":"image/png"}]}}"#;
const IMAGE_TAIL_MODERN: &str = r#"","mimeType":"image/png"}],"resultType":"complete"}}"#;

fn serve_stdio(server: &Server) -> io::Result<()> {
    let mut input = io::stdin().lock();
    let mut output = io::stdout().lock();
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        let Some(mut reply) = server.answer(&line) else { continue };
        if reply.times == 0 {
            reply.head.extend_from_slice(reply.tail.as_bytes());
            reply.head.push(b'\n');
            output.write_all(&reply.head)?;
        } else {
            output.write_all(&reply.head)?;
            let (chunk, times, rest) = reply.middle();
            for _ in 0..times {
                output.write_all(&chunk)?;
            }
            output.write_all(&rest)?;
            output.write_all(reply.tail.as_bytes())?;
            output.write_all(b"\n")?;
        }
        output.flush()?;
    }
}

async fn handle(State(server): State<Arc<Server>>, body: Body) -> Response {
    let Ok(bytes) = axum::body::to_bytes(body, BODY_BYTES_MAX).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    let Some(mut reply) = server.answer(&bytes) else {
        return StatusCode::ACCEPTED.into_response();
    };
    let json = [(header::CONTENT_TYPE, "application/json")];
    if reply.times == 0 {
        reply.head.extend_from_slice(reply.tail.as_bytes());
        return (json, reply.head).into_response();
    }
    let (chunk, times, rest) = reply.middle();
    let middle = (0..times).map(move |_| chunk.clone());
    let parts = iter::once(Bytes::from(reply.head))
        .chain(middle)
        .chain([rest, Bytes::from_static(reply.tail.as_bytes())])
        .map(Ok::<Bytes, Infallible>);
    (json, Body::from_stream(stream::iter(parts))).into_response()
}

async fn serve_http(server: Server, port: u16) -> io::Result<()> {
    let app = Router::new().route("/mcp", post(handle)).with_state(Arc::new(server));
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    eprintln!("listening on http://{}/mcp", listener.local_addr()?);
    axum::serve(listener, app).await
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let (mut tools, mut legacy_only) = (0, false);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--tools" => tools = words.next().unwrap_or_default().parse()?,
            "--legacy" => legacy_only = true,
            "stdio" => return Ok(serve_stdio(&Server::new(tools, legacy_only))?),
            "http" => {
                let port = words.next().map_or(Ok(0), |port| port.parse())?;
                let runtime = tokio::runtime::Runtime::new()?;
                return Ok(runtime.block_on(serve_http(Server::new(tools, legacy_only), port))?);
            }
            word => return Err(format!("unknown argument {word}").into()),
        }
    }
    Err("stdio or http?".into())
}
