//! What is there beside MCP: state, metrics and downloads.

use std::io::{Read as _, Seek as _, SeekFrom};

use axum::{
    Json as JsonBody,
    extract::{Path, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use serde_json::json;

use super::{Front, file_body, text};
use crate::upstream::State as ServerState;

/// The first page: what this is and where to go.
pub(super) async fn home(State(front): State<Front>) -> Response {
    let servers: Vec<String> =
        front.gateway.upstreams().iter().map(|upstream| upstream.name.to_string()).collect();
    let mut page = String::from("Resultant gateway\n\nMCP, all servers:  POST /mcp\n");
    for server in servers {
        page.push_str(&format!("MCP, one server:   POST /mcp/{server}\n"));
    }
    page.push_str("State:             GET /healthz, /readyz, /metrics\n");
    page.into_response()
}

/// Every other path.
pub(super) async fn nowhere() -> Response {
    (
        StatusCode::NOT_FOUND,
        "there is nothing here; MCP is at /mcp, and / says what else there is\n",
    )
        .into_response()
}

/// The process is alive.
pub(super) async fn healthz() -> Response {
    "ok\n".into_response()
}

/// Every server has been tried; which of them answer is in the body.
pub(super) async fn readyz(State(front): State<Front>) -> Response {
    let servers: serde_json::Map<String, serde_json::Value> = front
        .gateway
        .upstreams()
        .iter()
        .map(|upstream| {
            let state = match upstream.state() {
                ServerState::Idle => json!({"state": "idle"}),
                ServerState::Connecting => json!({"state": "connecting"}),
                ServerState::Ready { peer } => {
                    json!({"state": "ready", "protocol": peer.protocol.as_str()})
                }
                ServerState::Failing { error, tries, .. } => json!({
                    "state": "failing", "step": error.step, "reason": error.reason, "tries": tries,
                }),
            };
            (upstream.name.to_string(), state)
        })
        .collect();
    let is_ready = front.gateway.is_settled();
    let status = if is_ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, JsonBody(json!({"ready": is_ready, "servers": servers}))).into_response()
}

/// Counts and times.
pub(super) async fn metrics(State(front): State<Front>) -> Response {
    let servers: Vec<(String, bool)> = front
        .gateway
        .upstreams()
        .iter()
        .map(|upstream| {
            let is_ready = matches!(upstream.state(), ServerState::Ready { .. });
            (upstream.name.to_string(), is_ready)
        })
        .collect();
    let page = front.gateway.metrics.write(&servers, front.gateway.sessions().len());
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], page).into_response()
}

/// One file, or a part of it.
pub(super) async fn download(
    State(front): State<Front>,
    Path(key): Path<String>,
    headers: HeaderMap,
) -> Response {
    let Some(record) = tokio::task::block_in_place(|| front.gateway.files.by_key(&key)) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let Ok(mut file) = front.gateway.files.open_blob(&record) else {
        return StatusCode::GONE.into_response();
    };
    let range = text(&headers, "range").map(|range| parse_range(&range, record.size));
    let (status, start, len) = match range {
        None | Some(Range::Whole) => (StatusCode::OK, 0, record.size),
        Some(Range::Part { start, len }) => (StatusCode::PARTIAL_CONTENT, start, len),
        Some(Range::Unsatisfiable) => {
            let all = format!("bytes */{}", record.size);
            let headers = [(header::CONTENT_RANGE, all)];
            return (StatusCode::RANGE_NOT_SATISFIABLE, headers).into_response();
        }
    };
    if file.seek(SeekFrom::Start(start)).is_err() {
        return StatusCode::GONE.into_response();
    }
    let mut response = Response::new(file_body(Box::new(file.take(len))));
    *response.status_mut() = status;
    let mut set = |name, value: String| {
        if let Ok(value) = HeaderValue::from_str(&value) {
            response.headers_mut().insert(name, value);
        }
    };
    set(header::CONTENT_TYPE, safe_type(&record.mime));
    set(header::CONTENT_LENGTH, len.to_string());
    set(header::ACCEPT_RANGES, "bytes".to_owned());
    set(header::ETAG, format!("\"{}\"", record.sha256));
    set(header::REFERRER_POLICY, "no-referrer".to_owned());
    // Nothing in a file is ever run in our origin.
    set(header::CONTENT_SECURITY_POLICY, "sandbox; default-src 'none'".to_owned());
    set(header::CONTENT_DISPOSITION, disposition(&record.name));
    if status == StatusCode::PARTIAL_CONTENT {
        set(header::CONTENT_RANGE, format!("bytes {start}-{}/{}", start + len - 1, record.size));
    }
    response
}

fn safe_type(mime: &str) -> String {
    match mime.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
        true => mime.to_owned(),
        false => "application/octet-stream".to_owned(),
    }
}

fn disposition(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|c| if c.is_ascii_graphic() && !matches!(c, '"' | '\\') || c == ' ' { c } else { '_' })
        .collect();
    let encoded: String = url::form_urlencoded::byte_serialize(name.as_bytes()).collect();
    let encoded = encoded.replace('+', "%20");
    format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{encoded}")
}

#[derive(Debug, PartialEq, Eq)]
enum Range {
    Whole,
    Part { start: u64, len: u64 },
    Unsatisfiable,
}

/// One range is honoured; several, or a form that is not known, mean the whole file.
fn parse_range(text: &str, size: u64) -> Range {
    let Some(range) = text.strip_prefix("bytes=").filter(|range| !range.contains(',')) else {
        return Range::Whole;
    };
    let Some((first, last)) = range.trim().split_once('-') else { return Range::Whole };
    let (start, end) = match (first.parse::<u64>(), last.parse::<u64>()) {
        (Ok(first), Ok(last)) if first <= last => (first, last.min(size.saturating_sub(1))),
        (Ok(first), Err(_)) if last.is_empty() => (first, size.saturating_sub(1)),
        (Err(_), Ok(last)) if first.is_empty() && last > 0 => {
            (size.saturating_sub(last), size.saturating_sub(1))
        }
        _ => return Range::Whole,
    };
    match start < size {
        true => Range::Part { start, len: end - start + 1 },
        false => Range::Unsatisfiable,
    }
}

#[cfg(test)]
mod tests {
    use super::{Range, disposition, parse_range};

    #[test]
    fn ranges_are_read_as_http_has_them() {
        let part = |start, len| Range::Part { start, len };
        let cases = [
            ("bytes=0-4", 10, part(0, 5)),
            ("bytes=5-", 10, part(5, 5)),
            ("bytes=-3", 10, part(7, 3)),
            ("bytes=-30", 10, part(0, 10)),
            ("bytes=5-99", 10, part(5, 5)),
            ("bytes=10-", 10, Range::Unsatisfiable),
            ("bytes=0-1,3-4", 10, Range::Whole),
            ("bytes=9-3", 10, Range::Whole),
            ("lines=0-1", 10, Range::Whole),
            ("bytes=0-", 0, Range::Unsatisfiable),
        ];
        for (text, size, expected) in cases {
            assert_eq!(parse_range(text, size), expected, "{text} of {size}");
        }
    }

    #[test]
    fn a_name_cannot_break_the_header() {
        let header = disposition("a\"b\r\nx: ü.txt");
        assert!(!header.contains(['\r', '\n']));
        assert!(header.ends_with("filename*=UTF-8''a%22b%0D%0Ax%3A%20%C3%BC.txt"), "{header}");
    }
}
