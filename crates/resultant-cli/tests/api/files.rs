//! Files come in, are looked at and go.

use std::{fs, io::Write as _};

use serde_json::{Value, json};

use crate::client::{Bench, read, text};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";

fn form(parts: &[(&str, &str, &[u8])]) -> Vec<u8> {
    let mut body = Vec::new();
    for (disposition, kind, bytes) in parts {
        let head =
            format!("--BOUND\r\nContent-Disposition: form-data; {disposition}\r\n{kind}\r\n");
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(bytes);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"--BOUND--\r\n");
    body
}

const FORM: &str = "Content-Type: multipart/form-data; boundary=BOUND\r\n";

#[test]
fn a_form_brings_files_with_clean_names_and_true_types() {
    let bench = Bench::new();
    let session = bench.session();
    let line = format!("POST /api/sessions/{session}/files");
    let body = form(&[
        ("name=\"a\"; filename=\"../../etc/passwd\"", "Content-Type: image/png\r\n", b"root:x"),
        ("name=\"b\"; filename=\"plot.txt\"", "", PNG),
        ("name=\"notes.md\"", "", b"# hi"),
        ("name=\"c\"; filename=\"C:\\x\\über.csv\"", "", b"a,b"),
    ]);
    let response = bench.request(&line, FORM, &body);
    assert_eq!(response.status, 201, "{response}");
    let items = response.json()["items"].as_array().expect("items").clone();
    let found: Vec<(&str, &str)> = items
        .iter()
        .map(|item| (item["name"].as_str().unwrap_or(""), item["mime"].as_str().unwrap_or("")))
        .collect();
    assert_eq!(
        found,
        [
            ("passwd", "text/plain"),
            ("plot.txt", "image/png"),
            ("notes.md", "text/markdown"),
            ("über.csv", "text/csv"),
        ]
    );
    let list = bench.get(&format!("/api/sessions/{session}/files")).json();
    assert_eq!(list["items"].as_array().map(Vec::len), Some(4));

    // One that cannot have a name takes the others with it.
    let body = form(&[
        ("name=\"a\"; filename=\"fine.txt\"", "", b"fine"),
        ("name=\"b\"; filename=\"..\"", "", b"no name"),
    ]);
    let refused = bench.request(&line, FORM, &body);
    assert_eq!(refused.status, 400, "{refused}");
    let list = bench.get(&format!("/api/sessions/{session}/files")).json();
    assert_eq!(list["items"].as_array().map(Vec::len), Some(4), "all or none");
    assert_eq!(bench.request(&line, FORM, b"--BOUND--\r\n").status, 400);
    assert_eq!(bench.request(&line, FORM, b"--BOUND\r\nbroken").status, 400);
}

#[test]
fn the_json_form_holds_the_bytes() {
    let bench = Bench::new();
    let session = bench.session();
    for bytes in [b"".as_slice(), b"a", b"ab", b"abc", &[0xff; 100_000]] {
        let file = bench.upload(&session, "data.bin", bytes);
        let key = text(&file["key"]);
        let whole = bench.get(&format!("/api/files/{key}")).json();
        assert_eq!(whole["size"], bytes.len());
        assert_eq!((&whole["filename"], &whole["name"]), (&json!("data.bin"), &json!("data.bin")));
        assert_eq!(whole["content_type"], file["mime"]);
        assert_eq!(decoded(&whole["content_base64"]), bytes);
        let info = bench.get(&format!("/api/files/{key}/info")).json();
        assert_eq!(info, file);
        assert_eq!(bench.delete(&format!("/api/files/{key}")).status, 204);
        assert_eq!(bench.get(&format!("/api/files/{key}")).status, 404);
    }
}

fn decoded(base64: &Value) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let text = text(base64);
    let mut bytes = Vec::new();
    for group in text.as_bytes().chunks(4) {
        let mut bits = 0_u32;
        for digit in group {
            let at = DIGITS.iter().position(|known| known == digit).unwrap_or(0);
            bits = bits << 6 | at as u32;
        }
        let padding = group.iter().filter(|digit| **digit == b'=').count();
        bytes.extend_from_slice(&bits.to_be_bytes()[1..4 - padding]);
    }
    bytes
}

#[test]
fn an_upload_over_the_limit_is_refused() {
    let bench = Bench::with(&json!({"limits": {"upload_bytes_max": 2048}}));
    let session = bench.session();
    let line = format!("PUT /api/sessions/{session}/files/a.bin");
    assert_eq!(bench.request(&line, "", &[0; 2048]).status, 201);
    let refused = bench.request(&line, "", &[0; 2049]);
    assert_eq!(refused.status, 413, "{refused}");
    assert!(text(&refused.json()["detail"]).contains("upload_bytes_max"));
    // The same where the length is not said.
    let chunked = "Transfer-Encoding: chunked\r\nConnection: close\r\n";
    let mut stream = bench.send(&line, chunked, true);
    for _ in 0..3 {
        stream.get_mut().write_all(b"400\r\n").expect("sent");
        stream.get_mut().write_all(&[0; 1024]).expect("sent");
        stream.get_mut().write_all(b"\r\n").expect("sent");
    }
    // Who was refused already need not be listened to until the end.
    let _ = stream.get_mut().write_all(b"0\r\n\r\n");
    assert_eq!(read(stream, false).status, 413);
    let list = bench.get(&format!("/api/sessions/{session}/files")).json();
    assert_eq!(list["items"].as_array().map(Vec::len), Some(1));
}

#[test]
fn an_upload_that_breaks_off_leaves_nothing() {
    let bench = Bench::new();
    let session = bench.session();
    let line = format!("PUT /api/sessions/{session}/files/half.bin");
    let mut stream = bench.send(&line, "Content-Length: 1000000\r\n", true);
    stream.get_mut().write_all(&[1; 500_000]).expect("sent");
    drop(stream);
    // A later upload on the same gateway shows that it goes on.
    bench.upload(&session, "whole.bin", &[2; 1000]);
    let list = bench.get(&format!("/api/sessions/{session}/files")).json();
    let names: Vec<String> =
        list["items"].as_array().expect("items").iter().map(|item| text(&item["name"])).collect();
    assert_eq!(names, ["whole.bin"]);
}

#[test]
fn a_quarter_of_a_gigabyte_comes_and_goes_with_flat_memory() {
    const MEGABYTES: usize = 256;
    /// How far the gateway's memory may grow over what it needs when idle.
    const GROWTH_KB_MAX: u64 = 48 * 1024;
    let bench = Bench::new();
    let session = bench.session();
    bench.upload(&session, "warm.bin", &[7; 1 << 20]);
    let idle = memory_kb(&bench, "VmRSS:");
    let megabyte: Vec<u8> = (0..1 << 20).map(|at: u32| at.wrapping_mul(31) as u8).collect();
    let length = MEGABYTES << 20;
    let line = format!("PUT /api/sessions/{session}/files/large.bin");
    let headers = format!("Content-Length: {length}\r\nConnection: close\r\n");
    let mut stream = bench.send(&line, &headers, true);
    for _ in 0..MEGABYTES {
        stream.get_mut().write_all(&megabyte).expect("sent");
    }
    let response = read(stream, false);
    assert_eq!(response.status, 201, "{response}");
    let key = text(&response.json()["key"]);
    let whole = bench.get(&format!("/api/files/download/{key}"));
    assert_eq!((whole.status, whole.body.len()), (200, length));
    assert!(whole.body.chunks(1 << 20).all(|part| part == megabyte));
    let refused = bench.get(&format!("/api/files/{key}"));
    assert_eq!(refused.status, 413, "{refused}");
    assert!(text(&refused.json()["hint"]).contains("/api/files/download/"));
    let peak = memory_kb(&bench, "VmHWM:");
    eprintln!("idle {idle} kB, peak {peak} kB");
    assert!(peak < idle + GROWTH_KB_MAX, "{idle} kB grew to {peak} kB");
}

fn memory_kb(bench: &Bench, line: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", bench.gateway.pid()));
    let status = status.expect("the process is there");
    let found = status.lines().find_map(|text| text.strip_prefix(line));
    let number = found.and_then(|text| text.trim().trim_end_matches(" kB").parse().ok());
    number.expect("a number")
}

#[test]
fn a_tool_can_put_a_file_through_a_link() {
    let bench = Bench::new();
    let session = bench.session();
    let path = format!("/api/sessions/{session}/upload-links");
    let link = bench.post(&path, &json!({"name": "../out/größe.csv"})).json();
    let url = text(&link["url"]);
    let put = |url: &str, body: &str| {
        let path = url.strip_prefix(&bench.gateway.url).expect("ours");
        let headers = format!("Content-Length: {}\r\nConnection: close\r\n", body.len());
        let mut stream = bench.send(&format!("PUT {path}"), &headers, false);
        stream.get_mut().write_all(body.as_bytes()).expect("sent");
        read(stream, false)
    };
    // Another name is another link, which does not exist.
    assert_eq!(put(&url.replace(".csv", ".exe"), "x").status, 404);
    assert_eq!(bench.anonymous("GET", &url, "").status, 405);
    let kept = put(&url, "a,b\n1,2\n");
    assert_eq!(kept.status, 201, "{kept}");
    assert_eq!(kept.json()["name"], "größe.csv");
    assert!(kept.json().get("key").is_none(), "the owner's key is not the tool's");
    assert_eq!(put(&url, "again").status, 404, "once");
    let list = bench.get(&format!("/api/sessions/{session}/files")).json();
    assert_eq!(list["items"][0]["name"], "größe.csv");
    assert_eq!(list["items"].as_array().map(Vec::len), Some(1));
    // A token to write reads nothing, and the other way round.
    let key = text(&list["items"][0]["key"]);
    let token = url.split("token=").nth(1).expect("a token");
    let read_with_it = format!("/api/files/download/{key}?token={token}");
    assert_eq!(bench.anonymous("GET", &read_with_it, "").status, 404);
}

#[test]
fn thousands_of_files_are_one_page() {
    let bench = Bench::new();
    let session = bench.session();
    let line = format!("POST /api/sessions/{session}/files");
    let parts: Vec<String> = (0..500).map(|at| format!("name=\"f{at}.txt\"")).collect();
    let parts: Vec<(&str, &str, &[u8])> =
        parts.iter().map(|name| (name.as_str(), "", b"same".as_slice())).collect();
    let body = form(&parts);
    for _ in 0..4 {
        assert_eq!(bench.request(&line, FORM, &body).status, 201);
    }
    let list = bench.get(&format!("/api/sessions/{session}/files?count=10000")).json();
    assert_eq!(list["items"].as_array().map(Vec::len), Some(2000));
    assert!(list.get("next").is_none());
    assert_eq!(bench.get("/api/files?count=10001").status, 400);
}
