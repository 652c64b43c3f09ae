//! Requests that stand alone, over HTTP, with the headers that repeat what the body says.

use std::{convert::Infallible, sync::Arc};

use axum::{
    body::Body,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use futures_util::stream;
use serde_json::Value;
use tokio::{sync::mpsc, task::JoinHandle};

use crate::{
    asking::META_VERSION,
    dispatch, http,
    message::{
        Failure, HEADER_MISMATCH, INVALID_PARAMS, INVALID_REQUEST, Incoming, METHOD_NOT_FOUND,
        MISSING_CAPABILITY, Object, UNSUPPORTED_VERSION,
    },
    outlet::Outlet,
    server::Server,
    session::Session,
    tools,
};

/// A request's work, which ends when nobody reads its answer any more.
struct Work(JoinHandle<()>);

impl Drop for Work {
    fn drop(&mut self) {
        self.0.abort();
    }
}

pub(crate) async fn post(server: &Arc<Server>, headers: &HeaderMap, message: Value) -> Response {
    let id = message.get("id").cloned().unwrap_or_default();
    let (id, method, params) = match Incoming::read(message) {
        Ok(Incoming::Request { id, method, params }) => (id, method, params),
        Ok(_) => return StatusCode::ACCEPTED.into_response(),
        Err(failure) => return http::json(StatusCode::BAD_REQUEST, &failure.answer(&id)),
    };
    if let Err(problem) = check_headers(server, headers, &method, &params) {
        let failure = Failure::new(HEADER_MISMATCH, problem);
        return http::json(StatusCode::BAD_REQUEST, &failure.answer(&id));
    }
    let (sender, mut receiver) = mpsc::unbounded_channel::<Value>();
    let out = Outlet::Channel(sender);
    let session = Arc::new(Session::new(out.clone()));
    let server = Arc::clone(server);
    let work = Work(tokio::spawn(async move {
        let answer = dispatch::answer(&server, &session, id, &method, params, &out).await;
        out.send(answer);
    }));
    match receiver.recv().await {
        None => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        // Nothing came before the answer, so there is nothing to stream.
        Some(answer) if answer.get("method").is_none() => http::json(status(&answer), &answer),
        Some(first) => {
            let state = (Some(first), receiver, work);
            let events = stream::unfold(state, |(next, mut receiver, work)| async move {
                let message = match next {
                    Some(message) => message,
                    None => receiver.recv().await?,
                };
                let event = format!("data: {message}\n\n");
                Some((Ok::<_, Infallible>(event), (None, receiver, work)))
            });
            http::event_stream(Body::from_stream(events))
        }
    }
}

/// Which status an answer goes with, while there is still a choice.
fn status(answer: &Value) -> StatusCode {
    match answer["error"]["code"].as_i64() {
        Some(METHOD_NOT_FOUND) => StatusCode::NOT_FOUND,
        Some(INVALID_PARAMS | INVALID_REQUEST | MISSING_CAPABILITY | UNSUPPORTED_VERSION) => {
            StatusCode::BAD_REQUEST
        }
        _ => StatusCode::OK,
    }
}

fn check_headers(
    server: &Server,
    headers: &HeaderMap,
    method: &str,
    params: &Object,
) -> Result<(), String> {
    let version = params.get("_meta").and_then(|meta| meta.get(META_VERSION));
    if let Some(version) = version.and_then(Value::as_str) {
        must_be(headers, "mcp-protocol-version", version)?;
        must_be(headers, "mcp-method", method)?;
    }
    let name = match method {
        "tools/call" | "prompts/get" => params.get("name"),
        "resources/read" => params.get("uri"),
        _ => None,
    };
    if let Some(name) = name.and_then(Value::as_str) {
        must_be(headers, "mcp-name", name)?;
    }
    if method == "tools/call"
        && let (Some(name), Some(arguments)) = (name, params.get("arguments"))
    {
        check_parameters(server, headers, name, arguments)?;
    }
    Ok(())
}

fn must_be(headers: &HeaderMap, name: &str, value: &str) -> Result<(), String> {
    match http::text(headers, name) {
        Some(found) if found == value => Ok(()),
        Some(found) => Err(format!("{name} is '{found}', but the body says '{value}'")),
        None => Err(format!("{name} is missing, the body says '{value}'")),
    }
}

/// Arguments that the tool's schema wants in a header too.
fn check_parameters(
    server: &Server,
    headers: &HeaderMap,
    tool: &Value,
    arguments: &Value,
) -> Result<(), String> {
    let list = tools::list(server);
    let tool = list["tools"]
        .as_array()
        .and_then(|tools| tools.iter().find(|candidate| candidate["name"] == *tool));
    let properties = tool.and_then(|tool| tool["inputSchema"]["properties"].as_object());
    for (property, schema) in properties.into_iter().flatten() {
        let (Some(suffix), Some(value)) =
            (schema["x-mcp-header"].as_str(), arguments.get(property))
        else {
            continue;
        };
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let header = format!("mcp-param-{}", suffix.to_lowercase());
        let found = http::text(headers, &header).ok_or_else(|| format!("{header} is missing"))?;
        if decode(found).as_deref() != Some(value.as_bytes()) {
            return Err(format!("{header} is not what the body says"));
        }
    }
    Ok(())
}

/// The bytes a header's value stands for; `None` if it is marked as base64 and is none.
fn decode(value: &str) -> Option<Vec<u8>> {
    match value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) {
        Some(encoded) => base64_simd::STANDARD.decode_to_vec(encoded).ok(),
        None => Some(value.as_bytes().to_vec()),
    }
}
