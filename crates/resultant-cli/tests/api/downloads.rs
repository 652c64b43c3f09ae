//! Downloads: ranges, conditions, links and everything that does not open a file.

use serde_json::json;

use crate::client::{Bench, Response, text};

struct Shelf {
    bench: Bench,
    key: String,
    bytes: Vec<u8>,
}

impl Shelf {
    fn new() -> Shelf {
        let bench = Bench::new();
        let bytes: Vec<u8> = (0..100_000_u32).map(|at| (at % 251) as u8).collect();
        let key = text(&bench.upload(&bench.session(), "data.bin", &bytes)["key"]);
        Shelf { bench, key, bytes }
    }

    fn link(&self, wishes: &serde_json::Value) -> String {
        let made = self.bench.post(&format!("/api/files/{}/links", self.key), wishes);
        assert_eq!(made.status, 201, "{made}");
        text(&made.json()["url"])
    }

    fn get(&self, headers: &str) -> Response {
        self.bench.request(&format!("GET /api/files/download/{}", self.key), headers, b"")
    }
}

#[test]
fn ranges_are_as_http_has_them() {
    let shelf = Shelf::new();
    let whole = shelf.get("");
    assert_eq!((whole.status, &whole.body), (200, &shelf.bytes));
    assert_eq!(whole.header("accept-ranges"), Some("bytes"));
    for (range, start, end) in
        [("0-", 0, 100_000), ("0-0", 0, 1), ("99990-", 99_990, 100_000), ("-10", 99_990, 100_000)]
    {
        let part = shelf.get(&format!("Range: bytes={range}\r\n"));
        assert_eq!((part.status, part.body.as_slice()), (206, &shelf.bytes[start..end]), "{range}");
        let expected = format!("bytes {start}-{}/100000", end - 1);
        assert_eq!(part.header("content-range"), Some(expected.as_str()));
    }
    let beyond = shelf.get("Range: bytes=100000-\r\n");
    assert_eq!(beyond.status, 416, "{beyond}");
    assert_eq!(beyond.header("content-range"), Some("bytes */100000"));
    let long_suffix = shelf.get("Range: bytes=-500000\r\n");
    assert_eq!((long_suffix.status, long_suffix.body.len()), (206, 100_000));
    for odd in ["bytes=9-3", "lines=1-2", "bytes=x"] {
        let response = shelf.get(&format!("Range: {odd}\r\n"));
        assert_eq!((response.status, response.body.len()), (200, 100_000), "{odd}");
    }
}

#[test]
fn several_ranges_come_in_parts_and_many_are_bounded() {
    let shelf = Shelf::new();
    let several = shelf.get("Range: bytes=0-9,50-59,99990-\r\n");
    assert_eq!(several.status, 206, "{several}");
    let kind = several.header("content-type").expect("a type");
    let boundary = kind.strip_prefix("multipart/byteranges; boundary=").expect("a boundary");
    let length: usize = several.header("content-length").expect("a length").parse().expect("one");
    assert_eq!(length, several.body.len());
    let mut expected = Vec::new();
    for (at, range) in [0..10, 50..60, 99_990..100_000].into_iter().enumerate() {
        let start = if at == 0 { "" } else { "\r\n" };
        let last = range.end - 1;
        expected.extend_from_slice(
            format!(
                "{start}--{boundary}\r\nContent-Type: application/octet-stream\r\n\
                 Content-Range: bytes {}-{last}/100000\r\n\r\n",
                range.start
            )
            .as_bytes(),
        );
        expected.extend_from_slice(&shelf.bytes[range]);
    }
    expected.extend_from_slice(format!("\r\n--{boundary}--\r\n").as_bytes());
    assert!(several.body == expected, "{several}");

    let overlapping = format!("Range: bytes={}\r\n", vec!["0-99"; 5000].join(","));
    let one = shelf.get(&overlapping);
    assert_eq!((one.status, one.body.len()), (206, 100));
    let apart: Vec<String> = (0..5000).map(|at| format!("{}-{}", at * 9, at * 9)).collect();
    let all = shelf.get(&format!("Range: bytes={}\r\n", apart.join(",")));
    assert_eq!((all.status, all.body.len()), (200, 100_000));
}

#[test]
fn conditions_are_kept() {
    let shelf = Shelf::new();
    let whole = shelf.get("");
    let etag = whole.header("etag").expect("an ETag").to_owned();
    let modified = whole.header("last-modified").expect("a time").to_owned();
    let status = |headers: &str| {
        let response = shelf.get(headers);
        (response.status, response.body.len())
    };
    assert_eq!(status(&format!("If-None-Match: \"x\", {etag}\r\n")).0, 304);
    assert_eq!(status("If-None-Match: \"x\"\r\n"), (200, 100_000));
    assert_eq!(status(&format!("If-Modified-Since: {modified}\r\n")).0, 304);
    assert_eq!(status(&format!("If-Match: {etag}\r\n")), (200, 100_000));
    assert_eq!(status("If-Match: \"x\"\r\n").0, 412);
    assert_eq!(status(&format!("If-Match: W/{etag}\r\n")).0, 412, "what is only like it");
    assert_eq!(status(&format!("If-None-Match: W/{etag}\r\n")).0, 304);
    let head = format!("HEAD /api/files/download/{}", shelf.key);
    for range in ["Range: bytes=0-9\r\n", "Range: bytes=100000-\r\n"] {
        let head = shelf.bench.request(&head, range, b"");
        assert_eq!((head.status, head.header("content-length")), (200, Some("100000")), "{range}");
    }
    let range = "Range: bytes=0-9\r\n";
    assert_eq!(status(&format!("{range}If-Range: {etag}\r\n")), (206, 10));
    assert_eq!(status(&format!("{range}If-Range: \"x\"\r\n")), (200, 100_000));
    assert_eq!(status(&format!("{range}If-Range: W/{etag}\r\n")), (200, 100_000));
    // The same bytes again are another file, and nothing tells that they are the same.
    let session = shelf.bench.session();
    let twin = text(&shelf.bench.upload(&session, "data.bin", &shelf.bytes)["key"]);
    let twin = shelf.bench.get(&format!("/api/files/download/{twin}"));
    assert_ne!(twin.header("etag"), Some(etag.as_str()));
}

#[test]
fn a_file_is_never_shown_in_our_origin() {
    let bench = Bench::new();
    let session = bench.session();
    let page = b"<script>alert(1)</script>";
    let key = text(&bench.upload(&session, "%E8%A1%A8%22x.html", page)["key"]);
    for method in ["GET", "HEAD"] {
        let line = format!("{method} /api/files/download/{key}");
        let response = bench.request(&line, "", b"");
        assert_eq!(response.status, 200, "{response}");
        for (name, value) in [
            (
                "content-disposition",
                "attachment; filename=\"__x.html\"; filename*=UTF-8''%E8%A1%A8%22x.html",
            ),
            ("content-security-policy", "sandbox; default-src 'none'"),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cache-control", "private, no-store"),
            ("cross-origin-resource-policy", "same-site"),
            ("content-length", "25"),
        ] {
            assert_eq!(response.header(name), Some(value), "{method} {name}");
        }
        assert!(response.header("set-cookie").is_none());
    }
}

#[test]
fn a_link_opens_its_file_and_nothing_else_does() {
    let shelf = Shelf::new();
    let bench = &shelf.bench;
    let url = shelf.link(&json!({}));
    assert!(
        url.starts_with(&format!("{}/api/files/download/{}?token=", bench.gateway.url, shelf.key))
    );
    assert_eq!(bench.anonymous("GET", &url, "").body, shelf.bytes);

    let session = bench.session();
    let other = text(&bench.upload(&session, "other.bin", b"other")["key"]);
    let (path, token) = url.split_once("?token=").expect("a token");
    let mut altered = token.to_owned();
    let last = altered.pop().expect("a character");
    altered.push(if last == 'A' { 'B' } else { 'A' });
    let mut refusals = Vec::new();
    for (what, url) in [
        ("altered", format!("{path}?token={altered}")),
        ("cut", format!("{path}?token={}", &token[..token.len() - 2])),
        ("longer", format!("{path}?token={token}A")),
        ("empty", format!("{path}?token=")),
        ("none", path.to_owned()),
        ("another file", url.replace(&shelf.key, &other)),
        ("no file", url.replace(&shelf.key, "AAAAAAAAAAAAAAAAAAAAAA")),
        ("no key", url.replace(&shelf.key, "x")),
        ("long", format!("{path}?token={}", "A".repeat(60_000))),
    ] {
        let response = bench.anonymous("GET", &url, "");
        assert_eq!(response.status, 404, "{what}: {response}");
        refusals.push((what, response));
    }
    let (_, first) = &refusals[0];
    for (what, response) in &refusals {
        assert_eq!(response.body, first.body, "{what}");
        let names = |response: &Response| -> Vec<String> {
            response.headers.iter().map(|(name, _)| name.clone()).collect()
        };
        assert_eq!(names(response), names(first), "{what}");
    }
    let log = bench.gateway.log();
    assert!(!log.contains(token), "the token is in the log");
}

#[test]
fn links_are_listed_and_taken_back() {
    let shelf = Shelf::new();
    let bench = &shelf.bench;
    let (first, second) = (shelf.link(&json!({})), shelf.link(&json!({"audience": "tool"})));
    assert_eq!(bench.anonymous("GET", &first, "Range: bytes=0-99\r\n").status, 206);
    let links_path = format!("/api/files/{}/links", shelf.key);
    let links = bench.get(&links_path).json()["items"].as_array().expect("items").clone();
    assert_eq!(links.len(), 2);
    let used = links.iter().find(|link| link["uses"] == 1).expect("the used one");
    assert_eq!((&used["audience"], &used["served_bytes"]), (&json!("person"), &json!(100)));
    assert!(!links.iter().any(|link| link.to_string().contains("token")));
    assert_eq!(bench.delete(&format!("{links_path}/{}", text(&used["id"]))).status, 204);
    assert_eq!(bench.anonymous("GET", &first, "").status, 404);
    assert_eq!(bench.anonymous("GET", &second, "").status, 200);
    assert_eq!(bench.delete(&links_path).json()["count"], 1);
    assert_eq!(bench.anonymous("GET", &second, "").status, 404);
    let third = shelf.link(&json!({"seconds": 30}));
    let info = bench.get(&format!("/api/files/{}/info", shelf.key)).json();
    let session = text(&info["session"]);
    assert_eq!(bench.delete(&format!("/api/sessions/{session}/links")).json()["count"], 1);
    assert_eq!(bench.anonymous("GET", &third, "").status, 404);
    let fourth = shelf.link(&json!({}));
    assert_eq!(bench.delete(&format!("/api/files/{}", shelf.key)).status, 204);
    assert_eq!(bench.anonymous("GET", &fourth, "").status, 404);
}

#[test]
fn a_single_use_lasts_for_one_whole_file() {
    let shelf = Shelf::new();
    let url = shelf.link(&json!({"single_use": true}));
    let get = |headers: &str| shelf.bench.anonymous("GET", &url, headers);
    // Who only looks, or previews a link, does not use it up.
    for _ in 0..3 {
        assert_eq!(shelf.bench.anonymous("HEAD", &url, "").status, 200);
    }
    assert_eq!(get("Range: bytes=0-49999\r\n").status, 206);
    assert_eq!(get("Range: bytes=50000-\r\n").status, 206);
    let refused = get("");
    assert_eq!(refused.status, 404);
    // Of one that is used up nothing is told any more, however it is asked.
    for headers in [
        "Range: bytes=0-0\r\n".to_owned(),
        "Range: bytes=100000-\r\n".to_owned(),
        format!("If-None-Match: \"{}\"\r\n", shelf.key),
        "If-Match: \"x\"\r\n".to_owned(),
    ] {
        let response = get(&headers);
        assert_eq!((response.status, &response.body), (404, &refused.body), "{headers}");
    }
    let head = shelf.bench.anonymous("HEAD", &url, "");
    assert_eq!((head.status, head.header("etag")), (404, None));
    let empty = text(&shelf.bench.upload(&shelf.bench.session(), "empty.txt", b"")["key"]);
    let made = shelf.bench.post(&format!("/api/files/{empty}/links"), &json!({"single_use": true}));
    let url = text(&made.json()["url"]);
    for (method, status) in [("HEAD", 200), ("GET", 200), ("GET", 404), ("HEAD", 404)] {
        assert_eq!(shelf.bench.anonymous(method, &url, "").status, status, "{method}");
    }
}
