//! What a browser asks for before a page may read our responses (CORS).
//!
//! Only pages whose origin passed the guard get here, so the origin is named and never `*`, and a
//! page without an origin of its own (`null`) never is. No cookies are allowed: nothing here reads
//! them.

use axum::{
    extract::Request,
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    response::{IntoResponse as _, Response},
};

/// What a page may do; each path answers for itself what it does not know.
const METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD, POST, PUT, DELETE");
/// What a page may read of a response beside its body.
const EXPOSED: HeaderValue = HeaderValue::from_static(
    "Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, Content-Disposition, Content-Range, ETag, \
     Location, Accept-Ranges, Retry-After, Preference-Applied",
);
/// How long a browser need not ask again, in seconds.
const REMEMBERED: HeaderValue = HeaderValue::from_static("600");

/// The origin of the page that asks, which the guard has let through.
pub(super) fn origin(request: &Request) -> Option<HeaderValue> {
    request.headers().get(header::ORIGIN).cloned()
}

/// The answer to a browser that asks whether a page may send a request.
pub(super) fn preflight(request: &Request) -> Option<Response> {
    let headers = request.headers();
    let is_preflight = request.method() == Method::OPTIONS
        && headers.contains_key(header::ORIGIN)
        && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    if !is_preflight {
        return None;
    }
    let mut response = StatusCode::NO_CONTENT.into_response();
    let allowed = response.headers_mut();
    allowed.insert(header::ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    allowed.insert(header::ACCESS_CONTROL_MAX_AGE, REMEMBERED);
    // Which they are depends on the tool, whose arguments can be in headers (`Mcp-Param-…`).
    if let Some(asked) = headers.get(header::ACCESS_CONTROL_REQUEST_HEADERS) {
        allowed.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, asked.clone());
    }
    Some(response)
}

/// Lets the page of `origin` read the response. Caches keep it apart from that for other pages.
pub(super) fn allow(headers: &mut HeaderMap, origin: Option<HeaderValue>) {
    headers.append(header::VARY, HeaderValue::from_static("Origin"));
    if let Some(origin) = origin {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    }
}
