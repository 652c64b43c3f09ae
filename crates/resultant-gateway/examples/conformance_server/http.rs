//! Streamable HTTP on a port of the loopback: who may come in, and which era a request is of.

use std::{
    collections::HashMap,
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::State,
    http::{HeaderMap, Method, StatusCode, header},
    response::{IntoResponse, Response},
    routing::any,
};
use serde_json::Value;

use crate::{
    http_legacy::{self, HttpSession},
    http_modern,
    message::{Failure, PARSE_ERROR},
    server::{Era, LEGACY, Server},
};

pub(crate) struct Front {
    pub(crate) server: Arc<Server>,
    sessions: Mutex<HashMap<String, Arc<HttpSession>>>,
}

impl Front {
    pub(crate) fn sessions(&self) -> MutexGuard<'_, HashMap<String, Arc<HttpSession>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Serves until the process is ended.
pub(crate) async fn run(server: Arc<Server>, port: u16) -> io::Result<()> {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    eprintln!("listening on http://{}/mcp", listener.local_addr()?);
    let front = Arc::new(Front { server, sessions: Mutex::default() });
    let router = Router::new().route("/mcp", any(handle)).with_state(front);
    axum::serve(listener, router).await
}

async fn handle(
    State(front): State<Arc<Front>>,
    method: Method,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if !is_local(&headers) {
        return StatusCode::FORBIDDEN.into_response();
    }
    let era = front.server.era;
    let version = text(&headers, "mcp-protocol-version");
    match method {
        Method::POST => {
            let message: Value = match serde_json::from_slice(&body) {
                Ok(message) => message,
                Err(error) => {
                    let failure = Failure::new(PARSE_ERROR, error.to_string());
                    return json(StatusCode::BAD_REQUEST, &failure.answer(&Value::Null));
                }
            };
            let is_newer = version.is_some_and(|version| !LEGACY.contains(&version));
            if era == Era::Modern || era == Era::Both && is_newer {
                http_modern::post(&front.server, &headers, message).await
            } else {
                http_legacy::post(&front, &headers, message).await
            }
        }
        Method::GET if era != Era::Modern => http_legacy::get(&front, &headers),
        Method::DELETE if era != Era::Modern => http_legacy::delete(&front, &headers),
        _ => StatusCode::METHOD_NOT_ALLOWED.into_response(),
    }
}

/// A page elsewhere can make a browser talk to us under its own name, so names count.
fn is_local(headers: &HeaderMap) -> bool {
    let local = |authority: &str| {
        let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
        matches!(host, "localhost" | "127.0.0.1" | "[::1]")
    };
    let host = text(headers, header::HOST.as_str());
    let origin = text(headers, header::ORIGIN.as_str());
    host.is_none_or(local)
        && origin.is_none_or(|origin| {
            origin.split_once("://").is_some_and(|(_, authority)| local(authority))
        })
}

/// A header's value; hyper has taken the white space off already.
pub(crate) fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

pub(crate) fn json(status: StatusCode, message: &Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], message.to_string()).into_response()
}

pub(crate) fn event_stream(body: Body) -> Response {
    let headers =
        [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-store")];
    (headers, body).into_response()
}
