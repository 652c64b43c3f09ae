//! The same over streamable HTTP, by hand: what a response can have wrong with it.
//!
//! Prints `listening on URL` to standard error. Every response closes its connection, which keeps
//! the faults apart.

use std::{
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    time::Duration,
};

use crate::{
    INITIALIZED,
    wire::{Incoming, note, response, text_result},
};

const TOOLS: &[&str] = &[
    "echo",
    "event",
    "primed",
    "crlf_events",
    "cr_events",
    "lines_of_data",
    "split_everywhere",
    "cut_in_event",
    "cut_in_json",
    "no_response",
    "status_500",
    "status_502",
    "status_401",
    "status_404",
    "no_content_type",
    "html",
    "batch",
    "batch_events",
    "elsewhere",
    "endless_event",
    "endless_json",
    "big_json",
    "big_event",
    "answer_twice",
    "answer_other_id",
    "not_json",
];

/// Serves until it is killed.
pub(crate) fn serve() {
    let Ok(listener) = TcpListener::bind("127.0.0.1:0") else { return };
    let Ok(address) = listener.local_addr() else { return };
    eprintln!("listening on http://{address}/mcp");
    for stream in listener.incoming().flatten() {
        std::thread::spawn(move || {
            // Whoever hangs up on us may.
            let _ = take(stream);
        });
    }
}

fn take(stream: TcpStream) -> io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let (mut first, mut length) = (String::new(), 0);
    reader.read_line(&mut first)?;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let message = Incoming { text: String::from_utf8_lossy(&body).into_owned() };
    let mut out = Out(stream);
    match (first.starts_with("POST"), message.method().as_deref(), message.id()) {
        (true, Some("initialize"), Some(id)) => out.json(&response(&id, INITIALIZED)),
        (true, Some("tools/list"), Some(id)) => {
            let tool = |name: &&str| format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}}}"#);
            let tools: Vec<String> = TOOLS.iter().map(tool).collect();
            out.json(&response(&id, &format!(r#"{{"tools":[{}]}}"#, tools.join(","))))
        }
        (true, Some("tools/call"), Some(id)) => {
            let tool = message.text_of("name").unwrap_or_default();
            note("call", &tool);
            out.call(&tool, &id, &message)
        }
        (true, Some(_), Some(id)) => out.json(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"method not found"}}}}"#
        )),
        (true, _, None) => out.head("202 Accepted", &[]),
        _ => out.head("405 Method Not Allowed", &[]),
    }
}

struct Out(TcpStream);

impl Out {
    fn head(&mut self, status: &str, headers: &[&str]) -> io::Result<()> {
        let mut head = format!("HTTP/1.1 {status}\r\nConnection: close\r\n");
        for header in headers {
            head.push_str(header);
            head.push_str("\r\n");
        }
        self.0.write_all(format!("{head}\r\n").as_bytes())
    }

    fn json(&mut self, text: &str) -> io::Result<()> {
        self.head("200 OK", &["Content-Type: application/json"])?;
        self.0.write_all(text.as_bytes())
    }

    fn events(&mut self, text: &str) -> io::Result<()> {
        self.head("200 OK", &["Content-Type: text/event-stream"])?;
        self.0.write_all(text.as_bytes())
    }

    fn call(&mut self, tool: &str, id: &str, message: &Incoming) -> io::Result<()> {
        let answer = response(id, &text_result(&format!("from {tool}")));
        let megabytes = message.number_of("megabytes").unwrap_or(1);
        match tool {
            "echo" => {
                self.json(&response(id, &text_result(&message.text_of("say").unwrap_or_default())))
            }
            "event" => self.events(&format!("event: message\ndata: {answer}\n\n")),
            "primed" => self.events(&format!(
                "id: 1\ndata:\n\ndata: \n\n: a comment\n\nretry: 10\n\nevent: ping\ndata: {{}}\n\n\
                 data\n\n\n\n\u{feff}id: 2\ndata:{answer}\n\ndata:\n\n"
            )),
            "crlf_events" => self.events(&format!("id: 1\r\ndata: \r\n\r\ndata: {answer}\r\n\r\n")),
            "cr_events" => self.events(&format!("id: 1\rdata: \r\rdata: {answer}\r\r")),
            "lines_of_data" => {
                self.events(&format!("data: {}\n\n", answer.replace(',', ",\ndata: ")))
            }
            "split_everywhere" => {
                self.events("")?;
                let text = response(id, &text_result("é🙂é from split_everywhere"));
                for byte in format!("data: {text}\r\n\r\n").as_bytes() {
                    self.0.write_all(&[*byte])?;
                    self.0.flush()?;
                    std::thread::sleep(Duration::from_micros(200));
                }
                Ok(())
            }
            "cut_in_event" => self.events(&format!("data: {}", &answer[..answer.len() / 2])),
            "cut_in_json" => {
                let headers = ["Content-Type: application/json", "Content-Length: 100000"];
                self.head("200 OK", &headers)?;
                self.0.write_all(&answer.as_bytes()[..answer.len() / 2])
            }
            "no_response" => Ok(()),
            "status_500" => self.plain("500 Internal Server Error", "a stack trace"),
            "status_502" => self.plain("502 Bad Gateway", "<html><h1>502</h1></html>"),
            "status_401" => self.plain("401 Unauthorized", "who are you?"),
            "status_404" => self.plain("404 Not Found", "no such session"),
            "no_content_type" => {
                self.head("200 OK", &[])?;
                self.0.write_all(answer.as_bytes())
            }
            "html" => self.plain("200 OK", "<html>please log in</html>"),
            "batch" => self.json(&format!("[{answer}]")),
            "batch_events" => self.events(&format!("data: [{answer}]\n\n")),
            "elsewhere" => {
                let place = std::env::var("HOSTILE_CANARY").unwrap_or_default();
                self.head("307 Temporary Redirect", &[&format!("Location: {place}")])
            }
            "endless_event" | "endless_json" => {
                match tool {
                    "endless_event" => self.events("data: ")?,
                    _ => self.json("")?,
                }
                self.0.write_all(&answer.as_bytes()[..answer.len() - 5])?;
                loop {
                    self.0.write_all(&[b'x'; 8192])?;
                }
            }
            "big_json" | "big_event" => {
                match tool {
                    "big_event" => self.events("data: ")?,
                    _ => self.json("")?,
                }
                let mut out = io::BufWriter::with_capacity(1 << 16, &mut self.0);
                crate::payloads::big_text(&mut out, id, megabytes)?;
                out.write_all(b"\n")
            }
            "answer_twice" => {
                let other = response(id, &text_result("second"));
                self.events(&format!("data: {answer}\n\ndata: {other}\n\n"))
            }
            "answer_other_id" => self.json(&response("987654321", &text_result("not yours"))),
            "not_json" => self.json("surprise"),
            _ => self.plain("400 Bad Request", "unknown tool"),
        }
    }

    fn plain(&mut self, status: &str, text: &str) -> io::Result<()> {
        self.head(status, &["Content-Type: text/html"])?;
        self.0.write_all(text.as_bytes())
    }
}
