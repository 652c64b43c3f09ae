//! What is there beside MCP: state and metrics.

use axum::{
    Json as JsonBody,
    extract::{Request, State},
    http::{HeaderMap, Method, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use serde_json::json;

use super::{Front, sign_in, web};
use crate::{auth::Surface, upstream::State as ServerState};

/// The first page: what this is and where to go.
pub(super) async fn home(State(front): State<Front>, headers: HeaderMap) -> Response {
    if sign_in::is_browser(&headers) {
        return web::page(&front, &headers).await.unwrap_or_else(sign_in::page);
    }
    let servers: Vec<String> = match front.may_see_servers(&headers).await {
        true => front.gateway.upstreams().iter().map(|server| server.name.to_string()).collect(),
        false => Vec::new(),
    };
    let mut page = String::from("Resultant gateway\n\nMCP, all servers:  POST /mcp\n");
    for server in servers {
        page.push_str(&format!("MCP, one server:   POST /mcp/{server}\n"));
    }
    page.push_str("State:             GET /healthz, /readyz, /metrics\n");
    page.into_response()
}

impl Front {
    /// Which servers there are, and why some fail, is for callers where callers are told apart.
    async fn may_see_servers(&self, headers: &HeaderMap) -> bool {
        let auth = self.gateway.auth();
        !auth.config().has_users() || auth.identify(headers, Surface::Api).await.is_ok()
    }
}

/// Every other path: the files of the page.
pub(super) async fn elsewhere(State(front): State<Front>, request: Request) -> Response {
    let (request, _) = request.into_parts();
    if matches!(request.method, Method::GET | Method::HEAD) {
        let (path, headers) = (request.uri.path(), &request.headers);
        let mut file = web::page_file(&front, path, headers).await;
        if file.is_none() {
            file = web::demo_file(&front, path, headers).await;
        }
        if let Some(file) = file {
            return file;
        }
    }
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
pub(super) async fn readyz(State(front): State<Front>, headers: HeaderMap) -> Response {
    let is_ready = front.gateway.is_settled();
    let status = if is_ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    if !front.may_see_servers(&headers).await {
        return (status, JsonBody(json!({"ready": is_ready}))).into_response();
    }
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
