//! The page for people: its document with a policy of its own for each response, and its files.
//!
//! A script that runs on this origin can call every tool of its user. So the policy lets nothing
//! run but the page's own files, and lets nothing be shown from here that a stranger wrote; that is
//! shown by the sandbox, in a frame (`sandbox.rs`).

mod app;
mod files;
mod policy;

use axum::{
    body::Body,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};

pub(super) use self::{
    app::AppDomains,
    files::{File, Files, Part, has_demo},
    policy::{app, run, sources, stage},
};
use super::Front;
use crate::random;

/// What stands in the document where the nonce of a response goes.
const NONCE: &str = "%NONCE%";
const CROSS_ORIGIN_OPENER: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const CROSS_ORIGIN_RESOURCE: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// The document of the page, where there is one.
pub(super) async fn page(front: &Front, headers: &HeaderMap) -> Option<Response> {
    let file = front.files.find(Part::Page, "index.html").await?;
    let text = String::from_utf8_lossy(&file.plain);
    let nonce = random::token();
    let host = super::text(headers, "host").unwrap_or_default().to_ascii_lowercase();
    let sandbox = front.sandbox.origin_for(&host);
    let config = front.gateway.config();
    let policy = policy::page(&nonce, sandbox.as_deref(), &config.dashboard_origins);
    let mut response = Response::new(Body::from(text.replace(NONCE, &nonce)));
    for (name, value) in [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CACHE_CONTROL, "no-cache"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::VARY, "Accept"),
        (CROSS_ORIGIN_OPENER, "same-origin"),
        (CROSS_ORIGIN_RESOURCE, "same-origin"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    Some(with_policy(response, &policy))
}

/// A file of the page by its path.
pub(super) async fn page_file(front: &Front, path: &str, headers: &HeaderMap) -> Option<Response> {
    let path = path.strip_prefix('/').filter(|path| *path != "index.html")?;
    let file = front.files.find(Part::Page, path).await?;
    let mut response = answer(file, headers);
    let same_origin = HeaderValue::from_static("same-origin");
    response.headers_mut().insert(CROSS_ORIGIN_RESOURCE, same_origin);
    // A worker has the policy of its own file.
    Some(with_policy(response, policy::WORKER))
}

/// A file of the demo's page by its path, where this is a demo.
pub(super) async fn demo_file(front: &Front, path: &str, headers: &HeaderMap) -> Option<Response> {
    front.gateway.config().has_demo_page.then_some(())?;
    let path = match path.strip_prefix("/demo")? {
        "" => {
            let mut response = StatusCode::PERMANENT_REDIRECT.into_response();
            let there = HeaderValue::from_static("demo/");
            response.headers_mut().insert(header::LOCATION, there);
            return Some(response);
        }
        "/" => "index.html",
        path => path.strip_prefix('/')?,
    };
    let file = front.files.find(Part::Demo, path).await?;
    let mut response = answer(file, headers);
    let same_origin = HeaderValue::from_static("same-origin");
    response.headers_mut().insert(CROSS_ORIGIN_RESOURCE, same_origin);
    Some(with_policy(response, policy::DEMO))
}

/// A file, as short as the browser takes it; nothing of it where the browser has it already.
pub(super) fn answer(file: File, headers: &HeaderMap) -> Response {
    let packed = file.brotli.filter(|_| takes_brotli(headers));
    let (tag, is_packed) = match packed {
        Some(_) => (format!("\"{}-br\"", file.tag), true),
        None => (format!("\"{}\"", file.tag), false),
    };
    let mut response = match has_already(headers, &tag) {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => {
            let mut response = Response::new(Body::from(packed.unwrap_or(file.plain)));
            let kind = HeaderValue::from_static(file.kind);
            response.headers_mut().insert(header::CONTENT_TYPE, kind);
            if is_packed {
                let brotli = HeaderValue::from_static("br");
                response.headers_mut().insert(header::CONTENT_ENCODING, brotli);
            }
            response
        }
    };
    let lasting = match file.is_immutable {
        true => "public, max-age=31536000, immutable",
        false => "no-cache",
    };
    let out = response.headers_mut();
    out.insert(header::CACHE_CONTROL, HeaderValue::from_static(lasting));
    out.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    out.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        out.insert(header::ETAG, tag);
    }
    response
}

/// Without its policy a document is not given out at all.
pub(super) fn with_policy(mut response: Response, policy: &str) -> Response {
    match HeaderValue::from_str(policy) {
        Ok(policy) => {
            response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
            response
        }
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

fn takes_brotli(headers: &HeaderMap) -> bool {
    let listed = headers.get_all(header::ACCEPT_ENCODING).iter();
    let listed = listed.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
    listed.map(|coding| coding.split_once(';').unwrap_or((coding, ""))).any(|(name, weight)| {
        let is_none =
            matches!(weight.replace(' ', "").as_str(), "q=0" | "q=0.0" | "q=0.00" | "q=0.000");
        name.trim().eq_ignore_ascii_case("br") && !is_none
    })
}

fn has_already(headers: &HeaderMap, tag: &str) -> bool {
    let listed = headers.get_all(header::IF_NONE_MATCH).iter();
    let listed = listed.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
    listed.map(str::trim).any(|known| known == "*" || known.trim_start_matches("W/") == tag)
}
