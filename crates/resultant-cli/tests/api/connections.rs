//! Connections that do not say what they want, and those that name their host elsewhere.

use std::{
    io::{BufRead as _, Read as _, Write as _},
    net::TcpStream,
};

use serde_json::json;

use crate::{
    client::{Bench, read, stop, text},
    mcp::PATIENCE,
};

fn impatient() -> Bench {
    Bench::with(&json!({"timeouts": {"request_idle_seconds": 0.4}}))
}

/// What comes over a connection until the other side closes it.
fn all(bench: &Bench, sent: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(bench.address()).expect("a connection");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    stream.write_all(sent).expect("sent");
    let mut came = Vec::new();
    match stream.read_to_end(&mut came) {
        Ok(_) => came,
        // What was sent and never read makes the end an abrupt one.
        Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => came,
        Err(error) => stop(&format!("the end of patience comes first: {error}")),
    }
}

#[test]
fn half_a_request_is_not_waited_for_without_end() {
    let bench = impatient();
    let starts: [&[u8]; 5] =
        [b"", b"G", b"PR", b"GET /healthz HTTP/1.1\r\nHo", b"PRI * HTTP/2.0\r\n"];
    for sent in starts {
        let came = all(&bench, sent);
        assert!(!came.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&came));
    }
    assert_eq!(bench.get("/api/sessions").status, 200);
}

#[test]
fn half_a_body_is_refused_and_leaves_nothing() {
    let bench = impatient();
    let session = bench.session();
    let path = format!("/api/sessions/{session}/files");
    let form = "Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 900\r\n";
    let part = "--b\r\nContent-Disposition: form-data; name=\"a\"; filename=\"a.txt\"\r\n\r\nhalf";
    let json = "Content-Type: application/json\r\nContent-Length: 900\r\n";
    for (line, headers, sent) in [
        (format!("PUT {path}/half.txt"), "Content-Length: 900\r\n", "half"),
        (format!("POST {path}"), form, part),
        (format!("POST /api/sessions/{session}/calls"), json, "{\"tool\":"),
        ("POST /mcp".to_owned(), json, "{\"jsonrpc\":"),
    ] {
        let mut stream = bench.send(&line, headers, true);
        stream.get_mut().write_all(sent.as_bytes()).expect("sent");
        let late = read(stream, false);
        assert_eq!(late.status, 408, "{line}: {late}");
        assert!(String::from_utf8_lossy(&late.body).contains("request_idle_seconds"), "{late}");
    }
    assert_eq!(bench.get(&path).json()["items"], json!([]));
}

#[test]
fn whoever_goes_on_is_waited_for() {
    let bench = impatient();
    let session = bench.session();
    let line = format!("PUT /api/sessions/{session}/files/slow.txt");
    let mut stream = bench.send(&line, "Content-Length: 6\r\nConnection: close\r\n", true);
    for byte in b"slowly".chunks(1) {
        stream.get_mut().write_all(byte).expect("sent");
        // Longer than is waited for in all, and shorter than for each.
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    assert_eq!(read(stream, false).status, 201);
}

/// A frame of HTTP/2.
fn frame(kind: u8, flags: u8, stream: u8, payload: &[u8]) -> Vec<u8> {
    let length = u8::try_from(payload.len()).expect("short");
    [&[0, 0, length, kind, flags, 0, 0, 0, stream], payload].concat()
}

/// The first byte of the headers that HTTP/2 answers a GET for `/healthz` with: 0x88 is status 200.
fn http2_status(bench: &Bench, authority: &str) -> u8 {
    let mut stream = TcpStream::connect(bench.address()).expect("a connection");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    let text = |name: u8, text: &str| {
        [&[name, u8::try_from(text.len()).expect("short")], text.as_bytes()].concat()
    };
    // GET and http, each by its number; then two texts under names with numbers.
    let headers = [vec![0x82, 0x86], text(0x04, "/healthz"), text(0x01, authority)].concat();
    let begin = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    let sent = [begin.to_vec(), frame(4, 0, 0, &[]), frame(1, 0x5, 1, &headers)].concat();
    stream.write_all(&sent).expect("sent");
    loop {
        let mut head = [0; 9];
        stream.read_exact(&mut head).expect("a frame");
        let length = usize::from(head[1]) << 8 | usize::from(head[2]);
        let mut payload = vec![0; length];
        stream.read_exact(&mut payload).expect("a payload");
        if head[3] == 1 {
            return payload[0];
        }
    }
}

#[test]
fn http2_says_its_host_in_its_own_way() {
    let bench = Bench::new();
    assert_eq!(http2_status(&bench, bench.address()), 0x88);
    assert_ne!(http2_status(&bench, "evil.example"), 0x88);
}

#[test]
fn an_address_that_names_another_host_is_refused() {
    let bench = Bench::new();
    let address = bench.address();
    let ours = bench.request(&format!("GET http://{address}/healthz"), "", b"");
    assert_eq!(ours.status, 200, "{ours}");
    let other = bench.request("GET http://evil.example/api/sessions", "", b"");
    assert_eq!(other.status, 403, "{other}");
    let problem = other.json();
    assert_eq!(problem["type"], "/api/docs#problem-forbidden");
    assert!(!text(&problem["hint"]).is_empty());
}

#[test]
fn an_upload_link_that_is_taken_back_meanwhile_takes_nothing() {
    let bench = Bench::new();
    let session = bench.session();
    let made =
        bench.post(&format!("/api/sessions/{session}/upload-links"), &json!({"name": "late.txt"}));
    assert_eq!(made.status, 201, "{made}");
    let url = text(&made.json()["url"]);
    let path = url.strip_prefix(&bench.gateway.url).expect("our address");
    let headers = "Content-Length: 4\r\nExpect: 100-continue\r\nConnection: close\r\n";
    let mut stream = bench.send(&format!("PUT {path}"), headers, false);
    // The gateway asks for the body when it has seen that the link is good.
    let mut line = String::new();
    stream.read_line(&mut line).expect("a line");
    assert!(line.contains("100"), "{line}");
    stream.read_line(&mut line).expect("an empty line");
    assert_eq!(bench.delete(&format!("/api/sessions/{session}/links")).json()["count"], 1);
    stream.get_mut().write_all(b"late").expect("sent");
    assert_eq!(read(stream, false).status, 404);
    assert_eq!(bench.get(&format!("/api/sessions/{session}/files")).json()["items"], json!([]));
}
