//! The events of a session as they happen: as a stream (SSE) or over a WebSocket.
//!
//! The store has the events and their numbers, so a listener that comes back with the last number
//! it saw misses nothing, on whichever replica. A change of the servers' tools belongs to no session
//! and has no number; it is told to those who are there.

mod socket;

use std::{
    collections::HashMap,
    convert::Infallible,
    sync::{Arc, Mutex},
};

use axum::{
    body::Body,
    extract::{FromRequestParts as _, Request, State, WebSocketUpgrade},
    http::{HeaderMap, HeaderValue, header},
    response::Response,
};
use bytes::Bytes;
use futures_util::stream;
use resultant_store::{Event, StoreError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::{OwnedSemaphorePermit, broadcast, mpsc, watch};

use super::{
    Api,
    extract::{Asked, Place, Who},
    operation::Operation,
    problem::{BAD_REQUEST, BUSY, NOT_FOUND, Problem},
    when::rfc3339,
};
use crate::{
    caller::Caller,
    client::lock,
    events::{
        CanvasOpen, FilesUpdate, TOOLS_CHANGED, ToolComplete, ToolProgress, ToolStart,
        ToolsChanged, tools_changed,
    },
    listeners::Change,
};

/// Listeners of one user, so that nobody takes the places of all.
const LISTENERS_OF_USER_MAX: usize = 128;
/// So many listen at the same time, in one process.
pub(super) const LISTENERS_MAX: usize = 1024;
/// How many events wait for a listener that is slow to take them; the rest stays in the store.
const WAITING_MAX: usize = 32;
/// After the store failed, it is asked again after so long.
const STORE_PAUSE: std::time::Duration = std::time::Duration::from_secs(1);
pub(super) const HEARTBEAT: Bytes = Bytes::from_static(b": still here\n\n");

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/api/sessions/{session}/events", events)
            .named("listen", "Listen to what happens in a session")
            .described(
                "A stream of server-sent events: `event` is the kind, `id` the number, `data` what \
                 there is to say. It goes on where `Last-Event-ID` or `after` says; without either \
                 it starts with what happens next, with `after=0` at the beginning. Lines that \
                 start with a colon are signs of life. As a WebSocket (`Upgrade: websocket`, \
                 subprotocol `resultant.events.v1`) the same comes as messages `{id, type, at, \
                 data}`; browsers, which cannot send headers there, give their credentials as a \
                 second subprotocol, `resultant.token.TOKEN`. With `format=intermediate_update` \
                 each is `{\"type\": \"intermediate_update\", \"update_type\", \"data\"}`. \
                 Numbers grow by one and never go back, also where a session of the same id is \
                 made again; with its session a stream ends. \
                 `tools_changed` has no number and is not repeated.",
            )
            .query::<EventsQuery>()
            .header("Last-Event-ID", "The number of the last event that was seen.")
            .gives_events::<SessionEvent>("The events.")
            .gives_nothing(101, "The same over a WebSocket.")
            .fails(&[BAD_REQUEST, NOT_FOUND, BUSY]),
    ]
}

/// Where to start, and in which form.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
struct EventsQuery {
    /// The number of the last event that was seen; 0 for all that are kept.
    #[schemars(range(min = 0))]
    after: Option<i64>,
    /// The form of each event.
    format: Format,
}

/// The form of events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Format {
    /// As this document has them.
    #[default]
    Plain,
    /// As messages of the type `intermediate_update`.
    IntermediateUpdate,
}

/// What `data` of an event is, by its kind.
#[expect(dead_code, reason = "it stands for what is written elsewhere")]
#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
enum SessionEvent {
    /// A tool is being called.
    ToolStart(ToolStart),
    /// A call has come further.
    ToolProgress(ToolProgress),
    /// A call has ended.
    ToolComplete(ToolComplete),
    /// The session has new files.
    FilesUpdate(FilesUpdate),
    /// A dashboard wants to be open.
    CanvasOpen(CanvasOpen),
    /// The tools that can be called are others now.
    ToolsChanged(ToolsChanged),
}

/// Something to tell.
struct Told {
    number: Option<i64>,
    kind: String,
    data: String,
    at_ms: Option<i64>,
}

impl From<Event> for Told {
    fn from(event: Event) -> Told {
        let Event { number, kind, data, at_ms } = event;
        Told { number: Some(number), kind, data, at_ms: Some(at_ms) }
    }
}

#[derive(Serialize)]
struct Message<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<i64>,
    r#type: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    data: resultant::Json,
}

#[derive(Serialize)]
struct IntermediateUpdate<'a> {
    r#type: &'static str,
    update_type: &'a str,
    data: resultant::Json,
}

impl Told {
    fn json(&self) -> resultant::Json {
        resultant::Json::parse(self.data.clone()).unwrap_or(resultant::Json::null())
    }

    fn intermediate(&self) -> String {
        let (update_type, data) = (self.kind.as_str(), self.json());
        let update = IntermediateUpdate { r#type: "intermediate_update", update_type, data };
        resultant::Json::of(&update).to_string()
    }

    fn as_sse(&self, format: Format) -> Bytes {
        match format {
            Format::Plain => sse(self.number, Some(&self.kind), self.json().to_string().as_str()),
            // Without a kind, a browser's `onmessage` gets it.
            Format::IntermediateUpdate => sse(self.number, None, &self.intermediate()),
        }
    }

    fn as_message(&self, format: Format) -> String {
        match format {
            Format::Plain => {
                let at = self.at_ms.map(rfc3339);
                let message =
                    Message { id: self.number, r#type: &self.kind, at, data: self.json() };
                resultant::Json::of(&message).to_string()
            }
            Format::IntermediateUpdate => self.intermediate(),
        }
    }
}

/// An event of a stream. JSON on one line has no line ends to take care of.
pub(super) fn sse(number: Option<i64>, kind: Option<&str>, json: &str) -> Bytes {
    let mut out = String::with_capacity(json.len() + 64);
    if let Some(number) = number {
        out.push_str(&format!("id: {number}\n"));
    }
    if let Some(kind) = kind {
        out.push_str(&format!("event: {kind}\n"));
    }
    out.push_str("data: ");
    // White space between tokens may be a line end, which here is not.
    out.extend(json.chars().map(|c| if matches!(c, '\n' | '\r') { ' ' } else { c }));
    out.push_str("\n\n");
    out.into()
}

/// A stream of events as a response.
pub(super) fn response(body: Body) -> Response {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store, no-transform"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// Somebody who listens.
struct Listener {
    api: Api,
    format: Format,
    told: mpsc::Receiver<Told>,
    changes: broadcast::Receiver<Change>,
    /// Whose events they are.
    owner: String,
    callers: watch::Receiver<u64>,
    _place: OwnedSemaphorePermit,
    _share: Share,
}

/// One of the places that a user has.
struct Share {
    shares: Shares,
    owner: String,
}

/// How many listen, by their owner.
pub(super) type Shares = Arc<Mutex<HashMap<String, usize>>>;

impl Share {
    fn take(api: &Api, owner: &str) -> Option<Share> {
        let mut shares = lock(&api.shares);
        let count = shares.entry(owner.to_owned()).or_default();
        if *count >= LISTENERS_OF_USER_MAX {
            return None;
        }
        *count += 1;
        Some(Share { shares: api.shares.clone(), owner: owner.to_owned() })
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut shares = lock(&self.shares);
        if let Some(count) = shares.get_mut(&self.owner) {
            *count -= 1;
            if *count == 0 {
                shares.remove(&self.owner);
            }
        }
    }
}

/// What a listener gets next.
enum Next {
    Told(Told),
    Heartbeat,
}

impl Listener {
    async fn start(
        api: &Api,
        caller: &Caller,
        format: Format,
        after: Option<i64>,
    ) -> Result<Listener, Problem> {
        let busy = || Problem::new(BUSY, format!("{LISTENERS_MAX} listen already"));
        let place = api.listeners.clone().try_acquire_owned().map_err(|_| busy())?;
        let share = Share::take(api, caller.owner()).ok_or_else(|| {
            Problem::new(BUSY, format!("{LISTENERS_OF_USER_MAX} of this user's listen already"))
        })?;
        let store = &api.gateway.store;
        let changes = api.gateway.listeners.tools();
        let after = match after {
            Some(after) => after,
            None => store.newest_event(caller.owner(), &caller.session).await?,
        };
        let mut feed = store.feed(caller.owner(), &caller.session, after);
        let (sender, told) = mpsc::channel(WAITING_MAX);
        // A task of its own: what the feed was doing is never broken off in the middle.
        tokio::spawn(async move {
            loop {
                let next = tokio::select! {
                    next = feed.next() => next,
                    () = sender.closed() => return,
                };
                match next {
                    Ok(event) => {
                        if sender.send(event.into()).await.is_err() {
                            return;
                        }
                    }
                    // The session is gone, and with it those who listen to it.
                    Err(StoreError::NoSession) => return,
                    Err(error) => {
                        tracing::warn!(%error, "the events cannot be read; they are tried again");
                        tokio::time::sleep(STORE_PAUSE).await;
                    }
                }
            }
        });
        let callers = api.gateway.auth_changes();
        Ok(Listener {
            api: api.clone(),
            format,
            told,
            changes,
            owner: caller.owner().to_owned(),
            callers,
            _place: place,
            _share: share,
        })
    }

    /// What comes next; nothing when the gateway ends.
    async fn next(&mut self) -> Option<Next> {
        let heartbeat = self.api.gateway.config().timeouts.heartbeat;
        let changed = |server: Option<Arc<str>>| {
            Next::Told(Told {
                number: None,
                kind: TOOLS_CHANGED.to_owned(),
                data: tools_changed(server.as_deref()),
                at_ms: None,
            })
        };
        let still = tokio::time::sleep(heartbeat);
        tokio::pin!(still);
        loop {
            return tokio::select! {
                told = self.told.recv() => told.map(Next::Told),
                change = self.changes.recv() => match change {
                    // What another user's pages offer is none of this one's business.
                    Ok(Change { user: Some(user), .. }) if *user != *self.owner => continue,
                    Ok(change) => Some(changed(change.server)),
                    // Who was too slow for each of them is told that there were some.
                    Err(broadcast::error::RecvError::Lagged(_)) => Some(changed(None)),
                    Err(broadcast::error::RecvError::Closed) => None,
                },
                () = &mut still => Some(Next::Heartbeat),
                // Who may still listen comes back.
                _ = self.callers.changed() => None,
                () = self.api.gateway.stopping() => None,
            };
        }
    }
}

/// The number that a client saw last: of the address first, as the header is the browser's own.
fn last_seen(query: &EventsQuery, headers: &HeaderMap) -> Result<Option<i64>, Problem> {
    let bad = || Problem::bad("`Last-Event-ID` and `after` are numbers of events");
    let header = headers.get("last-event-id").map(|value| {
        let number = value.to_str().ok().and_then(|text| text.trim().parse::<i64>().ok());
        number.filter(|number| *number >= 0).ok_or_else(bad)
    });
    match (header, query.after) {
        (Some(header), _) => header.map(Some),
        (None, Some(after)) if after < 0 => Err(bad()),
        (None, after) => Ok(after),
    }
}

async fn events(
    State(api): State<Api>,
    Who(user): Who,
    Place(session): Place<String>,
    Asked(query): Asked<EventsQuery>,
    request: Request,
) -> Result<Response, Problem> {
    let (mut parts, _) = request.into_parts();
    let after = last_seen(&query, &parts.headers)?;
    let caller = api.caller(&user, &session).await?;
    let listener = Listener::start(&api, &caller, query.format, after).await?;
    if parts.headers.contains_key(header::SEC_WEBSOCKET_KEY) {
        let upgrade = WebSocketUpgrade::from_request_parts(&mut parts, &api).await;
        let upgrade = upgrade.map_err(|_| {
            Problem::bad("this is no request for a WebSocket").hint("version 13, by HTTP/1.1")
        })?;
        return Ok(socket::serve(upgrade, listener));
    }
    let first = Bytes::from_static(b": listening\n\n");
    let state = (listener, Some(first));
    let body = stream::unfold(state, |(mut listener, first)| async move {
        let bytes = match first {
            Some(first) => first,
            None => match listener.next().await? {
                Next::Told(told) => told.as_sse(listener.format),
                Next::Heartbeat => HEARTBEAT,
            },
        };
        Some((Ok::<Bytes, Infallible>(bytes), (listener, None)))
    });
    Ok(response(Body::from_stream(body)))
}

#[cfg(test)]
mod tests {
    use super::{Format, Told};

    #[test]
    fn an_event_has_its_forms() {
        let told = Told {
            number: Some(7),
            kind: "files_update".to_owned(),
            data: "{\"files\":\n[]}".to_owned(),
            at_ms: Some(0),
        };
        let sse = |format| String::from_utf8(told.as_sse(format).to_vec()).expect("text");
        assert_eq!(sse(Format::Plain), "id: 7\nevent: files_update\ndata: {\"files\":[]}\n\n");
        let update =
            r#"{"type":"intermediate_update","update_type":"files_update","data":{"files":[]}}"#;
        assert_eq!(sse(Format::IntermediateUpdate), format!("id: 7\ndata: {update}\n\n"));
        assert_eq!(
            told.as_message(Format::Plain),
            r#"{"id":7,"type":"files_update","at":"1970-01-01T00:00:00.000Z","data":{"files":[]}}"#
        );
        assert_eq!(told.as_message(Format::IntermediateUpdate), update);
    }
}
