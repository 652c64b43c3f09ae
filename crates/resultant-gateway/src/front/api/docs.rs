//! The document, and a page that shows it: plain HTML without scripts.

mod page;

use std::sync::LazyLock;

use axum::{
    body::Body,
    http::{HeaderValue, header},
    response::Response,
};
use bytes::Bytes;
use serde_json::Value;

use super::{
    document::document,
    operation::{Access, Operation},
    problem::Problem,
};

const STYLE: &str = include_str!("docs/style.css");

/// What a browser may do with the page: use our style sheet, and nothing else.
const POLICY: &str = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

static DOCUMENT: LazyLock<Value> = LazyLock::new(|| document(&super::operations()));
static TEXT: LazyLock<Bytes> = LazyLock::new(|| text(&DOCUMENT).into());
static PAGE: LazyLock<Bytes> = LazyLock::new(|| page::page(&DOCUMENT).into());

/// The document as it is committed and served.
fn text(document: &Value) -> String {
    serde_json::to_string_pretty(document).unwrap_or_default() + "\n"
}

/// The document as text, for the copy in `docs`.
#[cfg(test)]
pub(super) fn current() -> String {
    text(&DOCUMENT)
}

#[cfg(test)]
pub(super) fn current_page() -> String {
    page::page(&DOCUMENT)
}

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/api/openapi.json", openapi)
            .named("getDocument", "Get this document")
            .open_to(Access::Everybody)
            .gives_bytes("application/json", 200, "The OpenAPI document."),
        Operation::get("/api/docs", docs)
            .named("getPage", "Read this document as a page")
            .open_to(Access::Everybody)
            .gives_bytes("text/html", 200, "The page."),
        Operation::get("/api/docs/style.css", style)
            .named("getStyle", "The style sheet of the page")
            .open_to(Access::Everybody)
            .gives_bytes("text/css", 200, "The style sheet."),
    ]
}

fn fixed(bytes: Bytes, kind: &'static str) -> Response {
    let mut response = Response::new(Body::from(bytes));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

async fn openapi() -> Result<Response, Problem> {
    Ok(fixed(TEXT.clone(), "application/json"))
}

async fn docs() -> Result<Response, Problem> {
    Ok(fixed(PAGE.clone(), "text/html; charset=utf-8"))
}

async fn style() -> Result<Response, Problem> {
    Ok(fixed(Bytes::from_static(STYLE.as_bytes()), "text/css; charset=utf-8"))
}
