//! Streamable HTTP: every message is a POST, every answer a body or a stream of its own.
//!
//! The wire speaks all revisions. Until 2025-11-25 there is a session, a stream for messages that
//! belong to no request, and a stream that broke is taken up again where it was; from 2026-07-28
//! on every request stands alone and dropping its stream cancels it. A server that only knows
//! 2024-11-05, with its one stream and its endpoint for posts, is found out when `initialize` is
//! turned down. No answer is ever held as a whole: bytes go from the socket into a collector.
//!
//! A request is posted in a task of its own. `send` comes back when its bytes leave, or with an
//! error when there was no connection to leave by; everything later goes to the inbox, an
//! answer or a failure for each request unless it was forgotten. Other messages are waited for until
//! the server took them, because their order matters to it.

mod answer;
mod client;
mod events;
mod listen;
mod messages;
mod sse;
#[cfg(test)]
pub(in crate::upstream) mod tests;

use std::{
    collections::HashMap,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use reqwest::{Client, Response};
use resultant::Protocol;
use tokio::{sync::watch, task::AbortHandle, time::Instant};
use url::Url;

pub(crate) use self::client::install_crypto;
use self::{
    client::{Departure, Exchange},
    sse::Position,
};
use super::{
    oauth::TokenSource,
    wire::{Outgoing, SharedInbox, Wire, WireError},
};
use crate::body::SpoolOptions;

/// How long a server may take to accept what is no request.
const ACCEPT_TIME_MAX: Duration = Duration::from_secs(30);
/// How long the end of a session may take.
const DELETE_TIME_MAX: Duration = Duration::from_secs(2);

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// Where a server is and how to speak to it.
pub(crate) struct HttpOptions {
    pub(crate) url: Url,
    /// What the configuration adds to every request.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) spool: Arc<SpoolOptions>,
    pub(crate) connect_timeout: Duration,
    pub(crate) tokens: Option<Arc<dyn TokenSource>>,
    /// How long the first calls of a legacy session wait for the stream that belongs to no request.
    /// Many servers ask on it what they want to know during a call, and lose what they say before
    /// it is there.
    pub(crate) stream_wait: Duration,
}

/// One connection over HTTP.
pub(crate) struct HttpWire {
    shared: Arc<Shared>,
}

struct Shared {
    client: Client,
    options: HttpOptions,
    /// The configured headers, checked.
    headers: HeaderMap,
    inbox: SharedInbox,
    /// Never held while the inbox is called, nor over an await.
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    protocol: Option<Protocol>,
    session: Option<HeaderValue>,
    /// Where a server of 2024-11-05 takes its messages.
    endpoint: Option<Url>,
    answers: HashMap<u64, AbortHandle>,
    listener: Option<AbortHandle>,
    /// Ends when the stream of a legacy session is there or refused, and until when to wait.
    opening: Option<(watch::Receiver<()>, Instant)>,
    closed: bool,
}

impl HttpWire {
    pub(crate) fn new(mut options: HttpOptions, inbox: SharedInbox) -> Result<HttpWire, WireError> {
        if !matches!(options.url.scheme(), "http" | "https") {
            let scheme = options.url.scheme();
            return Err(WireError::Unreachable(format!("`{scheme}` is not spoken, only http(s)")));
        }
        let client = client::build(&options)?;
        let headers = client::headers(&options.headers)?;
        if headers.contains_key(header::AUTHORIZATION) {
            // What was configured is meant; a login for the same server is not asked.
            options.tokens = None;
        }
        let state = Mutex::new(State::default());
        Ok(HttpWire { shared: Arc::new(Shared { client, options, headers, inbox, state }) })
    }

    async fn ask(&self, id: u64, message: Outgoing) -> Result<(), WireError> {
        let (departure, departed) = Departure::new();
        {
            let mut state = self.shared.state();
            if state.closed {
                return Err(WireError::Unreachable("the connection was closed".to_owned()));
            }
            let task = answer::ask(Arc::clone(&self.shared), id, message, departure);
            state.answers.insert(id, tokio::spawn(task).abort_handle());
        }
        // Without a word the task has ended, which only `forget` and `close` bring about.
        departed.await.unwrap_or(Ok(()))
    }

    async fn tell(&self, message: &Outgoing) -> Result<(), WireError> {
        let accepted = tokio::time::timeout(ACCEPT_TIME_MAX, async {
            let response = self.shared.post(message, None).await?;
            if response.status().is_success() {
                return Ok(());
            }
            answer::refusal(&self.shared, response, None).await
        });
        accepted.await.unwrap_or_else(|_| {
            Err(WireError::Broken("the server did not accept the message in time".to_owned()))
        })
    }
}

impl Wire for HttpWire {
    fn send(
        &self,
        message: Outgoing,
    ) -> Pin<Box<dyn Future<Output = Result<(), WireError>> + Send + '_>> {
        Box::pin(async move {
            match message.id {
                Some(id) => {
                    if message.method.as_deref().is_some_and(leads_to_questions) {
                        self.shared.stream_tried().await;
                    }
                    self.ask(id, message).await
                }
                None => self.tell(&message).await,
            }
        })
    }

    fn forget(&self, id: u64) -> bool {
        let mut state = self.shared.state();
        let task = state.answers.remove(&id);
        let is_modern = state.protocol.is_some_and(Protocol::is_modern);
        drop(state);
        if let Some(task) = task {
            task.abort();
        }
        is_modern
    }

    fn negotiated(&self, protocol: Protocol) {
        let mut state = self.shared.state();
        state.protocol = Some(protocol);
        let listens = state.listener.is_some() || state.endpoint.is_some();
        if !protocol.is_modern() && !listens && !state.closed {
            let (opening, opened) = watch::channel(());
            let until = Instant::now() + self.shared.options.stream_wait;
            state.opening = Some((opened, until));
            let task = tokio::spawn(listen::listen(Arc::clone(&self.shared), opening));
            state.listener = Some(task.abort_handle());
        }
    }

    fn close(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async move {
            let session = self.shared.stop();
            if session.is_none() {
                return;
            }
            let mut headers = self.shared.base_headers();
            insert(&mut headers, SESSION, session);
            let url = self.shared.options.url.clone();
            let exchange =
                Exchange { method: Method::DELETE, url, headers, body: None, departure: None };
            let delete = exchange.run(&self.shared.client, &self.shared.options);
            // Many servers do not take it; the session then ends by itself.
            let _ = tokio::time::timeout(DELETE_TIME_MAX, delete).await;
        })
    }
}

impl Drop for HttpWire {
    fn drop(&mut self) {
        self.shared.stop();
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends all tasks; the session that is left.
    fn stop(&self) -> Option<HeaderValue> {
        let (session, tasks) = {
            let mut state = self.state();
            state.closed = true;
            let mut tasks: Vec<_> = state.answers.drain().map(|(_, task)| task).collect();
            tasks.extend(state.listener.take());
            (state.session.take(), tasks)
        };
        for task in tasks {
            task.abort();
        }
        session
    }

    /// The headers that every request has, with the version once it is known.
    fn base_headers(&self) -> HeaderMap {
        let mut headers = self.headers.clone();
        if let Some(protocol) = self.state().protocol {
            headers.insert(VERSION, HeaderValue::from_static(protocol.as_str()));
        }
        headers
    }

    /// Waits until the stream of a legacy session was tried to be opened, but not for long: some
    /// servers answer only when they have something to say.
    async fn stream_tried(&self) {
        let opening = self.state().opening.clone();
        if let Some((mut opened, until)) = opening {
            let _ = tokio::time::timeout_at(until, opened.changed()).await;
            self.state().opening = None;
        }
    }

    fn session(&self) -> Option<HeaderValue> {
        self.state().session.clone()
    }

    async fn post(
        &self,
        message: &Outgoing,
        departure: Option<&Departure>,
    ) -> Result<Response, WireError> {
        let mut headers = self.base_headers();
        let both = HeaderValue::from_static("application/json, text/event-stream");
        headers.insert(header::ACCEPT, both);
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        insert(&mut headers, SESSION, self.session());
        // The message's own ones take the place of ours.
        for (name, value) in &client::headers(&message.headers)? {
            headers.insert(name.clone(), value.clone());
        }
        let version = headers.get(VERSION).and_then(|version| version.to_str().ok());
        let modern = version.is_some_and(|version| {
            version.parse::<Protocol>().is_ok_and(|version| version.is_modern())
        });
        if modern && let Some(method) = &message.method {
            insert(&mut headers, METHOD, HeaderValue::try_from(method.as_str()).ok());
        }
        let endpoint = self.state().endpoint.clone();
        let url = endpoint.unwrap_or_else(|| self.options.url.clone());
        let body = Some(message.bytes.clone());
        let exchange = Exchange { method: Method::POST, url, headers, body, departure };
        exchange.run(&self.client, &self.options).await
    }

    /// Opens a stream; with the id of an event, behind that one.
    async fn get(&self, position: &Position) -> Result<Response, WireError> {
        let mut headers = self.base_headers();
        headers.insert(header::ACCEPT, HeaderValue::from_static("text/event-stream"));
        insert(&mut headers, SESSION, self.session());
        if let Some(id) = &position.last_id {
            let id = HeaderValue::from_bytes(id.as_bytes()).map_err(|_| {
                WireError::Broken("the server gave an event an id that cannot be sent".to_owned())
            })?;
            headers.insert(LAST_EVENT_ID, id);
        }
        let url = self.options.url.clone();
        let exchange = Exchange { method: Method::GET, url, headers, body: None, departure: None };
        exchange.run(&self.client, &self.options).await
    }

    /// This request is done with.
    fn finished(&self, id: u64) {
        self.state().answers.remove(&id);
    }
}

/// Whether a server may want to know something before it answers.
fn leads_to_questions(method: &str) -> bool {
    matches!(method, "tools/call" | "prompts/get" | "resources/read")
}

/// Sets a header, once: a server compares it with the message, and two are not the same as one.
fn insert(headers: &mut HeaderMap, name: HeaderName, value: Option<HeaderValue>) {
    if let Some(value) = value {
        headers.insert(name, value);
    }
}
