//! As much of HTTP as one page needs: a request a connection, without a body, within small bounds.

use std::{
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::Duration,
};

use serde_json::Value;

/// A longer head is none of our page's.
const HEAD_BYTES_MAX: u64 = 16 << 10;
/// More connections at once than this are closed.
const CONNECTIONS_MAX: usize = 32;
const PATIENCE: Duration = Duration::from_secs(10);

/// What is asked for.
pub(super) struct Request {
    pub(super) method: String,
    /// Without the query.
    pub(super) path: String,
    pub(super) host: String,
    pub(super) bearer: Option<String>,
}

/// A whole response, ready to be written.
pub(super) struct Response {
    status: &'static str,
    headers: String,
    body: String,
}

impl Response {
    pub(super) fn text(status: &'static str, body: &str) -> Response {
        let headers = "Content-Type: text/plain; charset=utf-8\r\n".to_owned() + ANY_ORIGIN;
        Response { status, headers, body: format!("{body}\n") }
    }

    pub(super) fn json(body: &Value) -> Response {
        let headers = "Content-Type: application/json\r\n".to_owned() + ANY_ORIGIN;
        Response { status: "200 OK", headers, body: body.to_string() }
    }

    pub(super) fn page(body: &str, nonce: &str) -> Response {
        let headers = format!(
            "Content-Type: text/html; charset=utf-8\r\nContent-Security-Policy: \
             default-src 'none'; connect-src 'self'; script-src 'nonce-{nonce}'; \
             style-src 'nonce-{nonce}'; base-uri 'none'; form-action 'none'\r\n"
        );
        Response { status: "200 OK", headers, body: body.to_owned() }
    }

    pub(super) fn preflight() -> Response {
        let headers = "Access-Control-Allow-Headers: authorization\r\n".to_owned() + ANY_ORIGIN;
        Response { status: "204 No Content", headers, body: String::new() }
    }

    fn write(&self, stream: &mut TcpStream, has_body: bool) -> io::Result<()> {
        let Response { status, headers, body } = self;
        let length = body.len();
        let head = format!(
            "HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\nCache-Control: no-store\r\n\
             X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
             Connection: close\r\n\r\n"
        );
        stream.write_all(head.as_bytes())?;
        if has_body { stream.write_all(body.as_bytes()) } else { Ok(()) }
    }
}

/// A sandboxed frame has no origin to name, and the token is what counts.
const ANY_ORIGIN: &str = "Access-Control-Allow-Origin: *\r\n";

/// Answers until the process ends.
pub(super) fn serve(
    listener: &TcpListener,
    answer: impl Fn(&Request) -> Response + Copy + Send + 'static,
) {
    static CONNECTIONS: AtomicUsize = AtomicUsize::new(0);
    for stream in listener.incoming() {
        let Ok(mut stream) = stream else { continue };
        if CONNECTIONS.fetch_add(1, Ordering::Relaxed) >= CONNECTIONS_MAX {
            CONNECTIONS.fetch_sub(1, Ordering::Relaxed);
            continue;
        }
        thread::spawn(move || {
            // Whoever hangs up in the middle has no use for an error.
            if let Ok(Some(request)) = read(&mut stream) {
                let _ = answer(&request).write(&mut stream, request.method != "HEAD");
            }
            CONNECTIONS.fetch_sub(1, Ordering::Relaxed);
        });
    }
}

/// The head of a request; nothing where it is none.
fn read(stream: &mut TcpStream) -> io::Result<Option<Request>> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut lines = BufReader::new(stream.take(HEAD_BYTES_MAX)).lines();
    let Some(first) = lines.next().transpose()? else { return Ok(None) };
    let mut words = first.split(' ');
    let (Some(method), Some(target)) = (words.next(), words.next()) else { return Ok(None) };
    let path = target.split('?').next().unwrap_or_default();
    let mut request = Request {
        method: method.to_owned(),
        path: path.to_owned(),
        host: String::new(),
        bearer: None,
    };
    for line in lines {
        let line = line?;
        if line.is_empty() {
            return Ok(Some(request));
        }
        let Some((name, value)) = line.split_once(':') else { continue };
        let value = value.trim();
        if name.eq_ignore_ascii_case("host") {
            request.host = value.to_ascii_lowercase();
        } else if name.eq_ignore_ascii_case("authorization") {
            request.bearer = value.strip_prefix("Bearer ").map(str::to_owned);
        }
    }
    Ok(None)
}
