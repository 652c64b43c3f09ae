//! One connection to a server: requests wait here for their answers, and what the server says of
//! its own accord finds its addressee.
//!
//! Over HTTP a server's request comes in the answer of the call it belongs to. Over a pipe it comes
//! between lines, and belongs to the only caller who waits; where several wait, nobody can tell
//! whose it is, and it is refused rather than shown to the wrong person.

mod incoming;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use bytes::Bytes;
use resultant::{Json, Protocol};
use tokio::sync::{mpsc, oneshot, watch};

use self::incoming::LinkInbox;
use super::wire::{Inbox, Outgoing, Wire, WireError};
use crate::{
    body::{Body, Entrance},
    bridge,
    client::Owner,
    rpc::{self, Kind, Message, RpcError},
};

/// More messages beside an answer than this wait for nobody: progress is dropped, requests are
/// refused.
const EVENTS_MAX: usize = 256;

/// Answers that the gateway itself needs, such as lists, may be this long.
const WHOLE_BYTES_MAX: u64 = 64 << 20;

/// What the handshake told.
#[derive(Clone, Debug)]
pub(crate) struct Peer {
    pub(crate) protocol: Protocol,
    pub(crate) capabilities: Json,
    /// `name`, `version` and what else the server says of itself.
    pub(crate) info: Json,
    pub(crate) instructions: Option<String>,
}

impl Peer {
    pub(crate) fn is_modern(&self) -> bool {
        self.protocol.is_modern()
    }

    /// Whether the server has this capability, such as `resources` or `resources.subscribe`.
    pub(crate) fn has(&self, path: &str) -> bool {
        let mut value = Some(self.capabilities.clone());
        for key in path.split('.') {
            value = value.and_then(|value| value.get(key));
        }
        value.is_some_and(|value| !value.is_null() && value.as_bool() != Some(false))
    }
}

/// What comes beside the answer of a call.
#[derive(Debug)]
pub(crate) enum Event {
    Notification { method: String, params: Option<Json> },
    Request(ServerRequest),
}

/// A request that a server makes of a client.
#[derive(Debug)]
pub(crate) struct ServerRequest {
    pub(crate) id: Json,
    pub(crate) method: String,
    pub(crate) params: Option<Json>,
    /// Whom to answer.
    pub(crate) link: Arc<Link>,
}

/// What a server says that belongs to no call.
#[derive(Debug)]
pub(crate) enum Unbound {
    Notification { method: String, params: Option<Json> },
    Request { request: ServerRequest, owner: Owner },
    Closed(WireError),
}

/// Takes a long answer while it comes, if it can.
pub(crate) trait TakesAnswer: Send + Sync {
    /// The answer to this request begins. Without an entrance it waits in a file until it is whole.
    fn take(&self, request: u64) -> Option<Entrance>;

    /// Whether one has begun.
    fn has_begun(&self) -> bool;
}

struct Waiting {
    owner: Owner,
    /// Who takes the answer while it comes; they may be gone, and the request go on.
    takes: Option<Weak<dyn TakesAnswer>>,
    events: mpsc::Sender<Event>,
    answer: oneshot::Sender<Result<Body, WireError>>,
}

/// One connection.
pub(crate) struct Link {
    pub(crate) server: Arc<str>,
    wire: OnceLock<Box<dyn Wire>>,
    peer: OnceLock<Peer>,
    next_id: AtomicU64,
    waiting: Mutex<BTreeMap<u64, Waiting>>,
    /// Whoever uses this connection.
    users: Mutex<BTreeSet<Owner>>,
    unbound: mpsc::UnboundedSender<Unbound>,
    /// The server has made a request of its own.
    pub(crate) asks: AtomicBool,
    closed: watch::Sender<Option<WireError>>,
    /// Nobody wants it any more: it is not to be made again.
    is_retired: AtomicBool,
    /// It has answered a client.
    has_served: AtomicBool,
    /// The level of log messages that the server was told.
    level: Mutex<Option<String>>,
    opened: Instant,
}

impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Link({})", self.server)
    }
}

impl Link {
    /// A connection over the wire that `connect` makes for it.
    pub(crate) fn open(
        server: Arc<str>,
        unbound: mpsc::UnboundedSender<Unbound>,
        connect: impl FnOnce(Arc<dyn Inbox>) -> Result<Box<dyn Wire>, WireError>,
    ) -> Result<Arc<Link>, WireError> {
        let link = Arc::new(Link {
            server,
            wire: OnceLock::new(),
            peer: OnceLock::new(),
            next_id: AtomicU64::new(1),
            waiting: Mutex::default(),
            users: Mutex::default(),
            unbound,
            asks: AtomicBool::new(false),
            closed: watch::Sender::new(None),
            is_retired: AtomicBool::new(false),
            has_served: AtomicBool::new(false),
            level: Mutex::default(),
            opened: Instant::now(),
        });
        let wire = connect(Arc::new(LinkInbox(Arc::downgrade(&link))))?;
        let _ = link.wire.set(wire);
        Ok(link)
    }

    /// What the handshake told; nothing before it.
    pub(crate) fn peer(&self) -> Option<&Peer> {
        self.peer.get()
    }

    pub(crate) fn set_peer(&self, peer: Peer) {
        if let Some(wire) = self.wire.get() {
            wire.negotiated(peer.protocol);
        }
        let _ = self.peer.set(peer);
    }

    pub(crate) fn is_modern(&self) -> bool {
        self.peer().is_some_and(Peer::is_modern)
    }

    /// Why the connection ended, when it has.
    pub(crate) fn closed(&self) -> Option<WireError> {
        self.closed.borrow().clone()
    }

    pub(crate) fn add_user(&self, owner: Owner) {
        lock(&self.users).insert(owner);
    }

    pub(crate) fn remove_user(&self, owner: Owner) {
        lock(&self.users).remove(&owner);
    }

    pub(crate) fn users(&self) -> Vec<Owner> {
        lock(&self.users).iter().copied().collect()
    }

    /// Whether no client waits for anything.
    pub(crate) fn is_idle(&self) -> bool {
        lock(&self.waiting).values().all(|waiting| waiting.owner == Owner::GATEWAY)
    }

    /// Makes a request. `params` is given the id, which is also the progress token.
    pub(crate) async fn start(
        self: &Arc<Link>,
        owner: Owner,
        method: &str,
        params: impl FnOnce(u64) -> Option<String>,
        headers: Vec<(String, String)>,
        takes: Option<Weak<dyn TakesAnswer>>,
    ) -> Result<Call, WireError> {
        if let Some(error) = self.closed() {
            return Err(WireError::Unreachable(error.to_string()));
        }
        let wire = self.wire.get().ok_or_else(not_connected)?;
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (events, events_in) = mpsc::channel(EVENTS_MAX);
        let (answer, answer_in) = oneshot::channel();
        lock(&self.waiting).insert(id, Waiting { owner, takes, events, answer });
        // Who came in while everybody was told of the end would wait for ever.
        if let Some(error) = self.closed() {
            lock(&self.waiting).remove(&id);
            return Err(WireError::Unreachable(error.to_string()));
        }
        let call = Call { link: self.clone(), id, events: events_in, answer: Some(answer_in) };
        let bytes = rpc::request(id, method, params(id).as_deref());
        let message = Outgoing { bytes, id: Some(id), method: Some(method.to_owned()), headers };
        if let Err(error) = wire.send(message).await {
            lock(&self.waiting).remove(&id);
            return Err(error);
        }
        Ok(call)
    }

    /// Makes a request and waits for its answer, which must be short.
    pub(crate) async fn request(
        self: &Arc<Link>,
        method: &str,
        params: Option<String>,
        headers: Vec<(String, String)>,
    ) -> Result<Result<Json, RpcError>, WireError> {
        let mut call = self.start(Owner::GATEWAY, method, |_| params, headers, None).await?;
        loop {
            match call.next().await {
                Step::Event(Event::Request(request)) => {
                    request.refuse("nobody is there to be asked").await;
                }
                Step::Event(Event::Notification { .. }) => {}
                Step::Answer(body) => {
                    let message = whole_message(body?)?;
                    return match message.kind {
                        Kind::Result { result, .. } => Ok(Ok(result)),
                        Kind::Error { error, .. } => Ok(Err(error)),
                        _ => Err(WireError::Broken("the answer is no response".to_owned())),
                    };
                }
            }
        }
    }

    /// Sends a notification.
    pub(crate) async fn notify(&self, method: &str, params: Option<&str>) -> Result<(), WireError> {
        let bytes = rpc::notification(method, params);
        self.send(bytes, Some(method.to_owned())).await
    }

    async fn send(&self, bytes: Bytes, method: Option<String>) -> Result<(), WireError> {
        let wire = self.wire.get().ok_or_else(not_connected)?;
        wire.send(Outgoing { bytes, id: None, method, headers: Vec::new() }).await
    }

    /// How long the connection has been there.
    pub(crate) fn age(&self) -> Duration {
        self.opened.elapsed()
    }

    /// Makes sure that a legacy server sends log messages of this level. Where several clients
    /// want different ones, the server sends the most, and each client gets its own.
    pub(crate) async fn want_level(self: &Arc<Link>, level: &str) -> Result<(), RpcError> {
        if self.is_modern() || !self.peer().is_some_and(|peer| peer.has("logging")) {
            return Ok(());
        }
        let is_known = {
            let mut told = lock(&self.level);
            let is_known = told
                .as_deref()
                .is_some_and(|told| bridge::level_rank(told) <= bridge::level_rank(level));
            if !is_known {
                *told = Some(level.to_owned());
            }
            is_known
        };
        if is_known {
            return Ok(());
        }
        let params = format!("{{\"level\":{}}}", Json::string(level));
        match self.request("logging/setLevel", Some(params), Vec::new()).await {
            Ok(Err(error)) => Err(error),
            Ok(Ok(_)) | Err(_) => Ok(()),
        }
    }

    /// Ends the connection for good.
    pub(crate) async fn retire(&self) {
        self.is_retired.store(true, Ordering::Relaxed);
        self.close().await;
    }

    /// Whether a client has had an answer over it.
    pub(crate) fn has_served(&self) -> bool {
        self.has_served.load(Ordering::Relaxed)
    }

    /// Whether it is to be made again when it ends.
    pub(crate) fn is_wanted(&self) -> bool {
        self.peer().is_some() && !self.is_retired.load(Ordering::Relaxed)
    }

    /// Ends the connection.
    pub(crate) async fn close(&self) {
        if let Some(wire) = self.wire.get() {
            wire.close().await;
        }
        self.end(&WireError::Unreachable("the connection was closed".to_owned()));
    }

    fn end(&self, error: &WireError) {
        self.closed.send_if_modified(|closed| {
            let is_first = closed.is_none();
            if is_first {
                *closed = Some(error.clone());
            }
            is_first
        });
        let waiting = std::mem::take(&mut *lock(&self.waiting));
        for (_, waiting) in waiting {
            let _ = waiting.answer.send(Err(error.clone()));
        }
    }

    /// Nobody waits for this call any more.
    fn abandon(self: &Arc<Link>, id: u64) {
        if lock(&self.waiting).remove(&id).is_none() {
            return;
        }
        let Some(wire) = self.wire.get() else { return };
        if wire.forget(id) {
            return;
        }
        let link = self.clone();
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                let params = format!("{{\"requestId\":{id},\"reason\":\"the client gave up\"}}");
                let _ = link.notify("notifications/cancelled", Some(&params)).await;
            });
        }
    }
}

/// A request that waits for its answer. Dropped before, it is cancelled.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) link: Arc<Link>,
    pub(crate) id: u64,
    events: mpsc::Receiver<Event>,
    answer: Option<oneshot::Receiver<Result<Body, WireError>>>,
}

/// What happens next in a call.
#[derive(Debug)]
pub(crate) enum Step {
    Event(Event),
    Answer(Result<Body, WireError>),
}

impl Call {
    /// The next event, or the answer. What came before the answer comes out before it.
    pub(crate) async fn next(&mut self) -> Step {
        let Some(answer) = &mut self.answer else {
            return Step::Answer(Err(WireError::Broken("the call has ended".to_owned())));
        };
        let answered = tokio::select! {
            biased;
            Some(event) = self.events.recv() => return Step::Event(event),
            answered = answer => answered,
        };
        self.answer = None;
        Step::Answer(
            answered.unwrap_or_else(|_| {
                Err(WireError::Broken("the connection was dropped".to_owned()))
            }),
        )
    }
}

impl Call {
    /// The next event before the answer; nothing once the answer is there.
    pub(crate) async fn next_event(&mut self) -> Option<Event> {
        self.events.recv().await
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if self.answer.is_some() {
            self.link.abandon(self.id);
        }
    }
}

impl ServerRequest {
    /// Answers the server.
    pub(crate) async fn answer(&self, answer: Result<Json, RpcError>) {
        let id = self.id.as_text();
        let bytes = match &answer {
            Ok(result) => rpc::result(id, result.as_text()),
            Err(error) => rpc::error(id, error),
        };
        if let Err(error) = self.link.send(bytes, None).await {
            tracing::debug!(server = &*self.link.server, %error, "an answer did not reach it");
        }
    }

    pub(crate) async fn refuse(&self, reason: &str) {
        let message = format!("{} is refused: {reason}", self.method);
        self.answer(Err(RpcError::new(rpc::INVALID_REQUEST, message))).await;
    }

    fn spawn_answer(self, answer: Result<Json, RpcError>) {
        tokio::spawn(async move { self.answer(answer).await });
    }

    fn spawn_refusal(self, reason: &'static str) {
        tracing::warn!(server = &*self.link.server, method = self.method, reason, "refused");
        tokio::spawn(async move { self.refuse(reason).await });
    }
}

/// A short answer as a message.
pub(crate) fn whole_message(body: Body) -> Result<Message, WireError> {
    let bytes = match body {
        Body::Whole(bytes) => bytes,
        Body::Spooled(spool) if spool.len() > WHOLE_BYTES_MAX => {
            let message = format!("the answer has more than {WHOLE_BYTES_MAX} bytes");
            return Err(WireError::Limit { limit: "WHOLE_BYTES_MAX", message });
        }
        Body::Spooled(spool) => match std::fs::read(spool.path()) {
            Ok(bytes) => bytes.into(),
            Err(error) => return Err(WireError::Broken(error.to_string())),
        },
        Body::Passed(_) | Body::Strayed(_) => {
            return Err(WireError::Broken("the answer went to somebody else".to_owned()));
        }
    };
    Message::read(bytes)
        .map_err(|error| WireError::Broken(format!("the server's answer is no JSON: {error}")))
}

fn not_connected() -> WireError {
    WireError::Unreachable("the server is not connected".to_owned())
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
