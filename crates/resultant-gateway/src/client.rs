//! Who is on the other side of a front: what the client said of itself, its session, and the ways
//! to say something to it while a request is under way.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use bytes::Bytes;
use resultant::{Json, Protocol};
use resultant_store::Id;
use tokio::sync::{mpsc, oneshot};

use crate::{
    caller::Caller,
    catalog::{Tool, Viewer},
    host_canvas,
    rpc::{self, RpcError},
};

/// What a client calls the extension by which it shows views of tools.
const APPS: &str = "io.modelcontextprotocol/ui";

/// How many messages wait for a client that has no stream open.
const WAITING_MAX: usize = 256;

/// How many questions of servers wait for a client's answer.
const QUESTIONS_MAX: usize = 64;

/// Whose a call is: a session, or one of the callers without any.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Owner(u64);

impl Owner {
    /// The gateway itself.
    pub(crate) const GATEWAY: Owner = Owner(0);
    /// Clients whose requests stand alone.
    pub(crate) const STATELESS: Owner = Owner(1);

    /// A new session.
    pub(crate) fn session() -> Owner {
        static NEXT: AtomicU64 = AtomicU64::new(2);
        Owner(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    pub(crate) fn is_session(self) -> bool {
        self.0 > 1
    }
}

/// Which servers a client sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// All of them, with prefixed names.
    All,
    /// One, with its own names.
    One(Arc<str>),
}

/// What a client said of itself, in its handshake or with this request.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    /// Who is behind it.
    pub(crate) caller: Caller,
    pub(crate) owner: Owner,
    pub(crate) protocol: Protocol,
    pub(crate) capabilities: Json,
    pub(crate) info: Json,
    pub(crate) scope: Scope,
    pub(crate) session: Option<Arc<Session>>,
}

impl Client {
    /// Whether the client can be asked this by a server.
    pub(crate) fn can(&self, method: &str) -> bool {
        let capability = match method {
            "elicitation/create" => "elicitation",
            "sampling/createMessage" => "sampling",
            "roots/list" => "roots",
            _ => return true,
        };
        self.capabilities.get(capability).is_some_and(|value| value.is_object())
    }

    /// Whether the client wants results as envelopes.
    pub(crate) fn asks_envelope(&self) -> bool {
        ["experimental", "extensions"].iter().any(|place| {
            let place = self.capabilities.get(place);
            place.is_some_and(|place| place.get("response_contract_v2").is_some())
        })
    }

    /// Whether the client shows the views of tools (MCP Apps).
    pub(crate) fn shows_apps(&self) -> bool {
        let extensions = self.capabilities.get("extensions");
        extensions.is_some_and(|extensions| extensions.get(APPS).is_some_and(|ui| ui.is_object()))
    }

    /// Whether the client shows our canvas, which is a document of a kind that it has to name.
    pub(crate) fn shows_canvas(&self) -> bool {
        let ui = self.capabilities.get("extensions").and_then(|extensions| extensions.get(APPS));
        let kinds = ui.and_then(|ui| ui.get("mimeTypes"));
        let is_ours = |kind: Json| kind.as_str().as_deref() == Some(host_canvas::MIME);
        kinds.is_some_and(|kinds| kinds.items().any(is_ours)) && host_canvas::is_built()
    }

    /// Whether a tool is there for this client: what is an app's alone is not.
    pub(crate) fn may_call(&self, tool: &Tool) -> bool {
        self.shows_apps() || tool.is_for(Viewer::Model)
    }

    pub(crate) fn is_modern(&self) -> bool {
        self.protocol.is_modern()
    }

    /// What a shared connection depends on.
    pub(crate) fn fingerprint(&self) -> String {
        self.capabilities.to_string()
    }

    /// The name the client gives itself.
    pub(crate) fn name(&self) -> String {
        let name = self.info.get("name");
        name.as_ref().and_then(Json::as_str).unwrap_or_default().into_owned()
    }
}

/// A legacy client's session, from `initialize` to its end.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) id: String,
    pub(crate) owner: Owner,
    general: Mutex<General>,
    asked: Mutex<HashMap<u64, oneshot::Sender<Result<Json, RpcError>>>>,
    next_ask: AtomicU64,
    /// The level of log messages it wants, as it said it.
    pub(crate) level: Mutex<Option<String>>,
    /// Server and URI of what it subscribed to.
    pub(crate) subscriptions: Mutex<HashSet<(Arc<str>, String)>>,
    /// The requests that are under way, by their ids.
    running: Mutex<HashMap<String, oneshot::Sender<()>>>,
    used: Mutex<Instant>,
}

/// The stream for what belongs to no request.
#[derive(Debug, Default)]
struct General {
    stream: Option<mpsc::Sender<Bytes>>,
    waiting: VecDeque<Bytes>,
}

impl Session {
    pub(crate) fn new(id: String) -> Session {
        Session {
            id,
            owner: Owner::session(),
            general: Mutex::default(),
            asked: Mutex::default(),
            next_ask: AtomicU64::new(1),
            level: Mutex::default(),
            subscriptions: Mutex::default(),
            running: Mutex::default(),
            used: Mutex::new(Instant::now()),
        }
    }

    pub(crate) fn touch(&self) {
        *lock(&self.used) = Instant::now();
    }

    /// How long nothing was heard of it; a client that listens is there.
    pub(crate) fn idle(&self) -> Duration {
        let is_listening =
            lock(&self.general).stream.as_ref().is_some_and(|stream| !stream.is_closed());
        match is_listening || !lock(&self.running).is_empty() {
            true => Duration::ZERO,
            false => lock(&self.used).elapsed(),
        }
    }

    /// Opens the stream for what belongs to no request; it first gets what waited for it.
    pub(crate) fn listen(&self, stream: mpsc::Sender<Bytes>) {
        let mut general = lock(&self.general);
        while let Some(message) = general.waiting.pop_front() {
            if let Err(error) = stream.try_send(message) {
                general.waiting.push_front(error.into_inner());
                break;
            }
        }
        general.stream = Some(stream);
    }

    /// Ends the stream for what belongs to no request: the session is over.
    pub(crate) fn hang_up(&self) {
        lock(&self.general).stream = None;
    }

    /// Says something that belongs to no request.
    pub(crate) fn tell(&self, message: Bytes) {
        let mut general = lock(&self.general);
        let message = match &general.stream {
            Some(stream) => match stream.try_send(message) {
                Ok(()) => return,
                Err(error) => error.into_inner(),
            },
            None => message,
        };
        if general.waiting.len() == WAITING_MAX {
            general.waiting.pop_front();
        }
        general.waiting.push_back(message);
    }

    /// The client's answer to a request of ours. Says whether one was waited for.
    pub(crate) fn answered(&self, id: &Json, answer: Result<Json, RpcError>) -> bool {
        let waiting = id.as_u64().and_then(|id| lock(&self.asked).remove(&id));
        waiting.is_some_and(|waiting| waiting.send(answer).is_ok())
    }

    /// Notes that a request is under way; what is returned ends when it is cancelled.
    pub(crate) fn begin(&self, id: &Json) -> oneshot::Receiver<()> {
        let (cancel, cancelled) = oneshot::channel();
        lock(&self.running).insert(id.to_string(), cancel);
        cancelled
    }

    /// The request has ended.
    pub(crate) fn finish(&self, id: &Json) {
        lock(&self.running).remove(&id.to_string());
        self.touch();
    }

    /// The client has cancelled a request.
    pub(crate) fn cancel(&self, id: &Json) {
        if let Some(cancel) = lock(&self.running).remove(&id.to_string()) {
            let _ = cancel.send(());
        }
    }
}

/// The way to a client beside the answer of a request.
#[derive(Clone, Debug)]
pub(crate) struct Outlet {
    stream: mpsc::Sender<Bytes>,
    session: Option<Arc<Session>>,
}

impl Outlet {
    pub(crate) fn new(stream: mpsc::Sender<Bytes>, session: Option<Arc<Session>>) -> Outlet {
        Outlet { stream, session }
    }

    /// Says something. What a client does not take in time is dropped.
    pub(crate) fn tell(&self, message: Bytes) {
        let _ = self.stream.try_send(message);
    }

    /// Whether nobody takes what is said here any more.
    pub(crate) fn is_closed(&self) -> bool {
        self.stream.is_closed()
    }

    /// Shows the client that the call is alive, where the transport can say that.
    pub(crate) fn tick(&self) {
        let _ = self.stream.try_send(Bytes::new());
    }

    /// Asks the client and waits for its answer.
    pub(crate) async fn ask(&self, method: &str, params: Option<&Json>) -> Result<Json, RpcError> {
        let gone = || RpcError::new(rpc::INTERNAL_ERROR, "the client is gone");
        let session = self.session.as_ref().ok_or_else(gone)?;
        let id = session.next_ask.fetch_add(1, Ordering::Relaxed);
        let (answer, answered) = oneshot::channel();
        {
            let mut asked = lock(&session.asked);
            if asked.len() >= QUESTIONS_MAX {
                let message = format!("{QUESTIONS_MAX} questions wait for the client already");
                return Err(RpcError::new(rpc::INTERNAL_ERROR, message));
            }
            asked.insert(id, answer);
        }
        let _guard = Asked { session, id };
        let message = rpc::request(id, method, params.map(Json::as_text));
        if let Err(error) = self.stream.send(message).await {
            session.tell(error.0);
        }
        answered.await.map_err(|_| gone())?
    }
}

impl Session {
    /// Asks the client something that belongs to no request.
    pub(crate) async fn ask(
        self: &Arc<Session>,
        method: &str,
        params: Option<&Json>,
    ) -> Result<Json, RpcError> {
        let closed = mpsc::channel(1).0;
        Outlet::new(closed, Some(self.clone())).ask(method, params).await
    }
}

/// Forgets a question when nobody waits for the answer.
struct Asked<'a> {
    session: &'a Session,
    id: u64,
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        lock(&self.session.asked).remove(&self.id);
    }
}

/// One request of a client while it is handled.
#[derive(Clone, Debug)]
pub(crate) struct Exchange {
    /// What the request is known by, where it is a call.
    pub(crate) call: Id,
    pub(crate) client: Arc<Client>,
    pub(crate) outlet: Outlet,
    /// The token the client wants progress under.
    pub(crate) progress_token: Option<Json>,
    /// The level of log messages that the client wants with this request.
    pub(crate) log_level: Option<String>,
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
