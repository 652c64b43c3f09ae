//! Sessions over HTTP, as servers up to 2025-11-25 have them.
//!
//! Every request is answered by a stream. Streams are logs, so a client that lost one, or that was
//! told to come back, goes on where it was.

use std::{
    collections::HashMap,
    convert::Infallible,
    sync::{Arc, Mutex, PoisonError},
};

use axum::{
    body::Body,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use futures_util::{StreamExt, stream};
use serde_json::Value;
use tokio::task::JoinHandle;

use crate::{
    dispatch,
    http::{self, Front},
    message::{Failure, INVALID_REQUEST, Incoming, SERVER_ERROR},
    outlet::{Log, Outlet},
    server::LEGACY,
    session::Session,
};

/// When a client that was disconnected should come back.
const RETRY_MS: u32 = 50;

pub(crate) struct HttpSession {
    session: Arc<Session>,
    general: Arc<Log>,
    logs: Mutex<HashMap<String, Arc<Log>>>,
    teller: JoinHandle<()>,
}

impl Drop for HttpSession {
    fn drop(&mut self) {
        self.teller.abort();
    }
}

impl HttpSession {
    fn log(&self, name: &str) -> Option<Arc<Log>> {
        self.logs.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    fn new_log(&self) -> Arc<Log> {
        let mut logs = self.logs.lock().unwrap_or_else(PoisonError::into_inner);
        let log = Log::new(logs.len().to_string());
        logs.insert(log.name.clone(), Arc::clone(&log));
        log
    }
}

pub(crate) async fn post(front: &Arc<Front>, headers: &HeaderMap, message: Value) -> Response {
    let id = message.get("id").cloned().unwrap_or_default();
    match Incoming::read(message) {
        Ok(Incoming::Request { id, method, params }) if method == "initialize" => {
            begin(front, &id, params).await
        }
        Ok(incoming) => match find(front, headers) {
            Ok(session) => accept(front, &session, incoming),
            Err((status, failure)) => http::json(status, &failure.answer(&id)),
        },
        Err(failure) => http::json(StatusCode::BAD_REQUEST, &failure.answer(&id)),
    }
}

async fn begin(front: &Arc<Front>, id: &Value, params: crate::message::Object) -> Response {
    let mut random = [0; 16];
    if getrandom::fill(&mut random).is_err() {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    }
    let name: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    let general = Log::new("general".to_owned());
    let out = Outlet::Log(Arc::clone(&general));
    let session = Arc::new(Session::new(out.clone()));
    let answer =
        dispatch::answer(&front.server, &session, id.clone(), "initialize", params, &out).await;
    let (server, told) = (Arc::clone(&front.server), Arc::clone(&session));
    let teller = tokio::spawn(async move { told.tell_changes(&server).await });
    let logs = Mutex::new(HashMap::from([(general.name.clone(), Arc::clone(&general))]));
    let opened = HttpSession { session, general, logs, teller };
    front.sessions().insert(name.clone(), Arc::new(opened));
    let mut response = http::json(StatusCode::OK, &answer);
    if let Ok(value) = name.parse() {
        response.headers_mut().insert("mcp-session-id", value);
    }
    response
}

/// The session of a request, or what to say to whoever has none.
fn find(front: &Front, headers: &HeaderMap) -> Result<Arc<HttpSession>, (StatusCode, Failure)> {
    let refuse = |status, message: &str| Err((status, Failure::new(SERVER_ERROR, message)));
    if let Some(version) = http::text(headers, "mcp-protocol-version")
        && !LEGACY.contains(&version)
    {
        let message = format!("Bad Request: Unsupported protocol version: {version}");
        return refuse(StatusCode::BAD_REQUEST, &message);
    }
    match http::text(headers, "mcp-session-id") {
        None => refuse(StatusCode::BAD_REQUEST, "Bad Request: Mcp-Session-Id header is required"),
        Some(name) => match front.sessions().get(name) {
            Some(session) => Ok(Arc::clone(session)),
            None => refuse(StatusCode::NOT_FOUND, "Session not found"),
        },
    }
}

fn accept(front: &Arc<Front>, opened: &Arc<HttpSession>, incoming: Incoming) -> Response {
    match incoming {
        Incoming::Request { id, method, params } => {
            let log = opened.new_log();
            let (server, session) = (Arc::clone(&front.server), Arc::clone(&opened.session));
            let (out, written) = (Outlet::Log(Arc::clone(&log)), Arc::clone(&log));
            let name = id.clone();
            let task = tokio::spawn(async move {
                let answer = dispatch::answer(&server, &session, id, &method, params, &out).await;
                out.send(answer);
                written.finish();
            });
            opened.session.started(&name, task.abort_handle());
            stream_of(&opened.session, &log, None)
        }
        Incoming::Notification { method, params } => {
            if method == "notifications/cancelled"
                && let Some(id) = params.get("requestId")
            {
                opened.session.cancel(id);
            }
            StatusCode::ACCEPTED.into_response()
        }
        Incoming::Response { id, outcome } => {
            opened.session.resolve(&id, outcome);
            StatusCode::ACCEPTED.into_response()
        }
    }
}

pub(crate) fn get(front: &Front, headers: &HeaderMap) -> Response {
    let opened = match find(front, headers) {
        Ok(opened) => opened,
        Err((status, failure)) => return http::json(status, &failure.answer(&Value::Null)),
    };
    let Some(last) = http::text(headers, "last-event-id") else {
        return stream_of(&opened.session, &opened.general, Some(opened.general.len()));
    };
    // An event's id is its log and the number of messages up to and with it.
    let seen = last
        .split_once('/')
        .and_then(|(name, count)| Some((opened.log(name)?, count.parse().ok()?)));
    match seen {
        Some((log, count)) => stream_of(&opened.session, &log, Some(count)),
        None => {
            let failure = Failure::new(INVALID_REQUEST, "unknown event");
            http::json(StatusCode::BAD_REQUEST, &failure.answer(&Value::Null))
        }
    }
}

pub(crate) fn delete(front: &Front, headers: &HeaderMap) -> Response {
    let ended =
        http::text(headers, "mcp-session-id").and_then(|name| front.sessions().remove(name));
    if ended.is_some() { StatusCode::OK } else { StatusCode::NOT_FOUND }.into_response()
}

/// The log as server-sent events. One that is read from the start begins with an event without data,
/// so that there is an id to come back with; older clients do not know such events.
fn stream_of(session: &Session, log: &Arc<Log>, from: Option<usize>) -> Response {
    let name = log.name.clone();
    let first = (from.is_none() && session.version() == LEGACY[0])
        .then(|| format!("id: {name}/0\nretry: {RETRY_MS}\ndata: \n\n"));
    let events = log
        .read(from.unwrap_or(0))
        .map(move |(index, message)| format!("id: {name}/{}\ndata: {message}\n\n", index + 1));
    let text = stream::iter(first).chain(events).map(Ok::<_, Infallible>);
    http::event_stream(Body::from_stream(text))
}
