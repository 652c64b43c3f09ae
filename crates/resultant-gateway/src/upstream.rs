//! The servers behind the gateway: each with its connections, its state and what it offers.
//!
//! A modern server has one connection, because every request stands alone. A legacy one is told in
//! its handshake what the client can do, so clients that can do the same share a connection, until
//! the server makes a request of its own: from then on every session has one to itself.

mod catalogs;
mod handshake;
mod http;
mod link;
mod listen;
mod oauth;
mod stdio;
mod wire;

use std::{
    collections::{BTreeSet, HashMap},
    future::Future,
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use resultant::{Json, Object};
use tokio::sync::{Mutex as AsyncMutex, mpsc, watch};

pub use self::handshake::FailureKind;
pub use self::oauth::{FollowRedirects, Login, LoginError, LoginOptions, UserAgent, login, logout};
use self::{
    catalogs::Catalogs,
    handshake::{START, shake_hands},
    http::{HttpOptions, HttpWire},
    link::Unbound,
    oauth::OAuthTokens,
    stdio::{StdioOptions, StdioWire},
    wire::{Inbox, Wire},
};
pub(crate) use self::{
    handshake::{ConnectError, META_PREFIX},
    link::{Call, Event, Link, Peer, ServerRequest, Step},
    wire::WireError,
};
use crate::{
    body::SpoolOptions,
    catalog::ServerCatalog,
    client::{Client, Owner, lock},
    config::{Era, Isolate, ServerConfig, Start, Transport},
};

/// Stateless callers of a server that asks get a connection each, up to this many.
const SPARES_MAX: usize = 8;
/// A server that does not answer the request for its stream holds the first call up for so long.
const STREAM_WAIT: Duration = Duration::from_secs(1);
const BACKOFF_MIN: Duration = Duration::from_millis(500);
const BACKOFF_MAX: Duration = Duration::from_secs(30);
/// How long lists over several servers wait for one of them, all of them together.
const LIST_TIME: Duration = Duration::from_secs(4);
/// A server that is connected has at least this long to answer a list.
pub(crate) const LIST_TIME_MIN: Duration = Duration::from_secs(1);
/// The lists that may be over several servers.
const LISTS: [&str; 4] =
    ["tools/list", "prompts/list", "resources/list", "resources/templates/list"];
/// A connection that held this long did not fail at the start.
const STABLE_TIME: Duration = Duration::from_secs(30);

/// What a server is doing.
#[derive(Clone, Debug)]
pub(crate) enum State {
    /// Nobody has asked for it yet.
    Idle,
    Connecting,
    Ready {
        peer: Peer,
    },
    Failing {
        error: ConnectError,
        retry_at: Instant,
        tries: u32,
    },
}

/// Something a server did that concerns clients beyond one call.
#[derive(Debug)]
pub(crate) enum Notice {
    /// `tools`, `prompts` or `resources` changed.
    Changed {
        server: Arc<str>,
        kind: ListKind,
    },
    ResourceUpdated {
        server: Arc<str>,
        uri: String,
        params: Json,
    },
    /// A log message or another notification, for those who use the connection.
    Said {
        method: String,
        params: Option<Json>,
        users: Vec<Owner>,
    },
    Asked {
        owner: Owner,
        request: ServerRequest,
    },
}

/// What a server lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ListKind {
    Tools,
    Prompts,
    Resources,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    /// Clients with these capabilities.
    Shared(String),
    Session(Owner),
    Spare(String, usize),
}

#[derive(Debug, Default)]
struct Slot {
    /// Held while a connection is being made, so that it is made once.
    making: AsyncMutex<()>,
    link: Mutex<Option<Arc<Link>>>,
}

impl Slot {
    fn live(&self) -> Option<Arc<Link>> {
        lock(&self.link).clone().filter(|link| link.closed().is_none())
    }
}

/// One configured server.
pub(crate) struct Upstream {
    pub(crate) config: ServerConfig,
    pub(crate) name: Arc<str>,
    pub(crate) tools_max: usize,
    spool: Arc<SpoolOptions>,
    state: watch::Sender<State>,
    slots: Mutex<HashMap<Key, Arc<Slot>>>,
    /// What was found out about its version.
    era: Mutex<Era>,
    asks: AtomicBool,
    catalogs: Catalogs,
    notices: mpsc::UnboundedSender<Notice>,
    is_stopped: AtomicBool,
    /// How often in a row a connection ended early.
    crashes: AtomicU32,
    /// How often in a row no connection could be made.
    failures: AtomicU32,
    /// Since when lists wait for it, by their method.
    waited_since: Mutex<HashMap<String, Instant>>,
    /// For a remote server; its connections share them, so that one login does for all.
    tokens: Option<Arc<OAuthTokens>>,
    /// What is watched on a modern server.
    watched: watch::Sender<BTreeSet<String>>,
}

impl Upstream {
    pub(crate) fn new(
        config: ServerConfig,
        spool: &SpoolOptions,
        data: &std::path::Path,
        agent: Option<&Arc<dyn UserAgent>>,
        tools_max: usize,
        notices: mpsc::UnboundedSender<Notice>,
    ) -> Arc<Upstream> {
        let spool = SpoolOptions { message_bytes_max: config.message_bytes_max, ..spool.clone() };
        let upstream = Arc::new(Upstream {
            name: config.name.as_str().into(),
            tools_max,
            spool: Arc::new(spool),
            state: watch::Sender::new(State::Idle),
            slots: Mutex::default(),
            era: Mutex::new(config.era),
            asks: AtomicBool::new(false),
            catalogs: Catalogs::default(),
            notices,
            is_stopped: AtomicBool::new(false),
            crashes: AtomicU32::new(0),
            failures: AtomicU32::new(0),
            waited_since: Mutex::default(),
            tokens: tokens_for(&config, data, agent),
            watched: watch::Sender::default(),
            config,
        });
        if upstream.config.start == Start::Eager {
            let upstream = upstream.clone();
            upstream.state.send_replace(State::Connecting);
            // The time that lists wait begins with the server's start.
            for method in LISTS {
                upstream.patience(method);
            }
            tokio::spawn(async move { upstream.revive(nobody()).await });
        }
        upstream
    }

    pub(crate) fn state(&self) -> State {
        self.state.borrow().clone()
    }

    /// Waits while the server is being connected, but not longer than a list may.
    pub(crate) async fn settled(&self, method: &str) -> State {
        let mut state = self.state.subscribe();
        let settled = state.wait_for(|state| !matches!(state, State::Connecting));
        let _ = tokio::time::timeout(self.patience(method), settled).await;
        self.state()
    }

    /// How long a list over several servers still waits for this one. The time is counted from
    /// the first list that waited, so that a server that hangs does not hold up every list.
    pub(crate) fn patience(&self, method: &str) -> Duration {
        let mut waited_since = lock(&self.waited_since);
        let since = *waited_since.entry(method.to_owned()).or_insert_with(Instant::now);
        LIST_TIME.saturating_sub(since.elapsed())
    }

    /// The server has answered a list in time.
    pub(crate) fn was_in_time(&self, method: &str) {
        lock(&self.waited_since).remove(method);
    }

    /// What it offers, if that can be had in time. Otherwise the work goes on, and clients hear of
    /// it when it is done.
    pub(crate) async fn catalog_in_time(
        self: &Arc<Upstream>,
        client: &Client,
    ) -> Option<Arc<ServerCatalog>> {
        let method = "tools/list";
        let (upstream, client) = (self.clone(), client.clone());
        let mut work = tokio::spawn(async move { upstream.catalog(&client).await });
        let patience = self.patience(method).max(LIST_TIME_MIN);
        match tokio::time::timeout(patience, &mut work).await {
            Ok(catalog) => {
                self.was_in_time(method);
                catalog.ok()?.ok()
            }
            Err(_) => {
                let upstream = self.clone();
                tokio::spawn(async move {
                    if let Ok(Ok(_)) = work.await {
                        upstream.changed();
                    }
                });
                None
            }
        }
    }

    /// The connection for this client. It is made to the end, also when nobody waits for it.
    pub(crate) async fn link_for_list(
        self: &Arc<Upstream>,
        client: &Arc<Client>,
    ) -> Option<Arc<Link>> {
        let (upstream, client) = (self.clone(), client.clone());
        let work = tokio::spawn(async move { upstream.link(&client).await });
        work.await.ok()?.ok()
    }

    /// The connection for this client, made when there is none.
    pub(crate) async fn link(
        self: &Arc<Upstream>,
        client: &Client,
    ) -> Result<Arc<Link>, ConnectError> {
        if let Some(link) = self.modern_link() {
            return Ok(link);
        }
        let (key, slot) = self.slot(client);
        if let Some(link) = slot.live() {
            self.adopt(&link, client.owner);
            return Ok(link);
        }
        let _making = slot.making.lock().await;
        if let Some(link) = slot.live().or_else(|| self.modern_link()) {
            self.adopt(&link, client.owner);
            return Ok(link);
        }
        if let State::Failing { error, retry_at, .. } = self.state()
            && retry_at > Instant::now()
        {
            return Err(error);
        }
        self.fill(&key, &slot, client).await
    }

    fn adopt(&self, link: &Link, owner: Owner) {
        if owner.is_session() && !link.is_modern() {
            link.add_user(owner);
        }
    }

    fn modern_link(&self) -> Option<Arc<Link>> {
        let slots = lock(&self.slots);
        slots.values().filter_map(|slot| slot.live()).find(|link| link.is_modern())
    }

    /// Any connection that is there.
    pub(crate) fn any_link(&self) -> Option<Arc<Link>> {
        let slots = lock(&self.slots);
        slots.values().filter_map(|slot| slot.live()).find(|link| link.peer().is_some())
    }

    /// The place of this client's connection.
    fn slot(&self, client: &Client) -> (Key, Arc<Slot>) {
        let fingerprint = client.fingerprint();
        let owner = client.owner;
        let mut slots = lock(&self.slots);
        let has_asked =
            |slot: &Arc<Slot>| slot.live().is_some_and(|link| link.asks.load(Ordering::Relaxed));
        let asks = self.asks.load(Ordering::Relaxed) || slots.values().any(has_asked);
        self.asks.store(asks, Ordering::Relaxed);
        let key = match self.config.isolate {
            Isolate::Shared => Key::Shared("{}".to_owned()),
            Isolate::Session if owner.is_session() => Key::Session(owner),
            Isolate::Auto if asks && owner.is_session() => {
                let key = Key::Session(owner);
                let shared = Key::Shared(fingerprint);
                let is_alone =
                    |slot: &Arc<Slot>| slot.live().is_some_and(|link| link.users() == [owner]);
                // A session that had the shared connection to itself keeps it.
                if !slots.contains_key(&key)
                    && slots.get(&shared).is_some_and(is_alone)
                    && let Some(slot) = slots.remove(&shared)
                {
                    slots.insert(key.clone(), slot);
                }
                key
            }
            Isolate::Auto if asks => {
                let is_free = |key: &Key| {
                    let live = slots.get(key).and_then(|slot| slot.live());
                    live.is_none_or(|link| link.is_idle())
                };
                let spares = (1..SPARES_MAX).map(|n| Key::Spare(fingerprint.clone(), n));
                let shared = Key::Shared(fingerprint.clone());
                let mut keys = std::iter::once(shared.clone()).chain(spares);
                keys.find(is_free).unwrap_or(shared)
            }
            Isolate::Auto | Isolate::Session | Isolate::User => Key::Shared(fingerprint),
        };
        let slot = slots.entry(key.clone()).or_default().clone();
        (key, slot)
    }

    /// Connects, and notes how that went.
    async fn fill(
        self: &Arc<Upstream>,
        key: &Key,
        slot: &Arc<Slot>,
        client: &Client,
    ) -> Result<Arc<Link>, ConnectError> {
        // A server that failed is failing until it works: nobody waits for the next try.
        if let State::Idle = self.state() {
            self.state.send_replace(State::Connecting);
        }
        match self.connect(client).await {
            Ok(link) => {
                self.failures.store(0, Ordering::Relaxed);
                lock(&self.waited_since).clear();
                *lock(&slot.link) = Some(link.clone());
                if let Some(peer) = link.peer() {
                    tracing::info!(
                        server = &*self.name,
                        protocol = %peer.protocol,
                        "connected"
                    );
                    self.state.send_replace(State::Ready { peer: peer.clone() });
                }
                self.retire_unused(key);
                if !link.is_modern() {
                    tokio::spawn(watch_again(link.clone(), self.watched.borrow().clone()));
                }
                Ok(link)
            }
            Err(error) => {
                let tries = self.failures.fetch_add(1, Ordering::Relaxed).saturating_add(1);
                tracing::warn!(
                    server = &*self.name,
                    step = error.step,
                    reason = error.reason,
                    "not connected"
                );
                let retry_at = Instant::now() + backoff(tries);
                // Other connections of the same server may be well.
                if self.any_link().is_none() {
                    let failing = State::Failing { error: error.clone(), retry_at, tries };
                    self.state.send_replace(failing);
                }
                Err(error)
            }
        }
    }

    async fn connect(self: &Arc<Upstream>, client: &Client) -> Result<Arc<Link>, ConnectError> {
        let era = *lock(&self.era);
        let attempt = self.attempt(client, era).await;
        let attempt = match attempt {
            // Some servers end when the first message is one they do not know.
            Err(error) if era == Era::Auto && !error.is_unauthorized() && error.step != START => {
                self.attempt(client, Era::Legacy).await.map_err(|_| error)
            }
            attempt => attempt,
        };
        let link = attempt?;
        let found = if link.is_modern() { Era::Modern } else { Era::Legacy };
        *lock(&self.era) = found;
        Ok(link)
    }

    async fn attempt(
        self: &Arc<Upstream>,
        client: &Client,
        era: Era,
    ) -> Result<Arc<Link>, ConnectError> {
        let (unbound, said) = mpsc::unbounded_channel();
        let link = Link::open(self.name.clone(), unbound, |inbox| self.wire(inbox))
            .map_err(|error| ConnectError::of(START, &error))?;
        self.adopt(&link, client.owner);
        let capabilities = match self.config.isolate {
            Isolate::Shared => Object::default().to_json(),
            _ => client.capabilities.clone(),
        };
        let task = self.clone();
        let (heard, of) = (Arc::downgrade(&link), client.clone());
        tokio::spawn(task.hearing(said, heard, of));
        let info = own_info();
        let shaking = shake_hands(&link, era, &capabilities, &info);
        match tokio::time::timeout(self.config.connect_timeout, shaking).await {
            Ok(Ok(())) => {
                if link.is_modern() {
                    tokio::spawn(listen::listen(link.clone(), self.watched.subscribe()));
                }
                Ok(link)
            }
            Ok(Err(error)) => {
                // Why the process ended says more than that it did.
                let error = match link.closed() {
                    Some(reason) => ConnectError::of(error.step, &reason),
                    None => error,
                };
                link.close().await;
                Err(error)
            }
            Err(_) => {
                link.close().await;
                Err(ConnectError::timed_out("handshake", self.config.connect_timeout))
            }
        }
    }

    fn wire(&self, inbox: Arc<dyn Inbox>) -> Result<Box<dyn Wire>, WireError> {
        match &self.config.transport {
            Transport::Stdio { command, args, env, cwd } => {
                let options = StdioOptions {
                    server: self.name.clone(),
                    command: command.clone(),
                    args: args.clone(),
                    env: env.clone(),
                    cwd: cwd.clone(),
                    spool: self.spool.clone(),
                };
                Ok(Box::new(StdioWire::start(options, inbox)?))
            }
            Transport::Http { url, headers } => {
                let options = HttpOptions {
                    url: url.clone(),
                    headers: headers.clone(),
                    spool: self.spool.clone(),
                    connect_timeout: self.config.connect_timeout,
                    tokens: self.tokens.clone().map(|tokens| tokens as _),
                    stream_wait: STREAM_WAIT,
                };
                Ok(Box::new(HttpWire::new(options, inbox)?))
            }
        }
    }

    /// Boxed, because what it hears can lead to a new connection that is heard in turn.
    fn hearing(
        self: Arc<Upstream>,
        said: mpsc::UnboundedReceiver<Unbound>,
        link: std::sync::Weak<Link>,
        client: Client,
    ) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(self.hear(said, link, client))
    }

    /// Takes what a connection says beside its answers.
    async fn hear(
        self: Arc<Upstream>,
        mut said: mpsc::UnboundedReceiver<Unbound>,
        link: std::sync::Weak<Link>,
        client: Client,
    ) {
        let server = &self.name;
        while let Some(unbound) = said.recv().await {
            let notice = match unbound {
                Unbound::Closed(error) => {
                    tracing::info!(server = &**server, reason = %error, "connection ended");
                    let link = link.upgrade().filter(|link| link.is_wanted());
                    if let Some(link) = link.filter(|_| !self.is_stopped.load(Ordering::Relaxed)) {
                        let is_stable = link.has_served() || link.age() >= STABLE_TIME;
                        drop(link);
                        self.clone().lost(client, &error, is_stable).await;
                    }
                    return;
                }
                Unbound::Request { request, owner } => {
                    self.asks.store(true, Ordering::Relaxed);
                    Notice::Asked { owner, request }
                }
                Unbound::Notification { method, params } => match method.as_str() {
                    "notifications/tools/list_changed" => {
                        self.catalogs.forget();
                        Notice::Changed { server: server.clone(), kind: ListKind::Tools }
                    }
                    "notifications/prompts/list_changed" => {
                        Notice::Changed { server: server.clone(), kind: ListKind::Prompts }
                    }
                    "notifications/resources/list_changed" => {
                        Notice::Changed { server: server.clone(), kind: ListKind::Resources }
                    }
                    "notifications/resources/updated" => {
                        let params = params.unwrap_or(Json::null());
                        let uri = params.get("uri");
                        let uri = uri.as_ref().and_then(Json::as_str).unwrap_or_default();
                        let uri = uri.into_owned();
                        Notice::ResourceUpdated { server: server.clone(), uri, params }
                    }
                    _ => {
                        let users = link.upgrade().map(|link| link.users()).unwrap_or_default();
                        Notice::Said { method, params, users }
                    }
                },
            };
            let _ = self.notices.send(notice);
        }
    }

    /// A connection has ended by itself: it is made again, with pauses, while somebody wants it.
    async fn lost(self: Arc<Upstream>, client: Client, error: &WireError, is_stable: bool) {
        // A server that ends as soon as it is there waits longer each time.
        let crashes = match is_stable {
            true => {
                self.crashes.store(1, Ordering::Relaxed);
                1
            }
            false => self.crashes.fetch_add(1, Ordering::Relaxed) + 1,
        };
        let wait = backoff(crashes);
        if self.any_link().is_none() {
            let state = match crashes {
                0 | 1 => State::Connecting,
                // It greets and then ends, again and again: nobody waits for that.
                _ => State::Failing {
                    error: ConnectError::of("running", error),
                    retry_at: Instant::now() + wait,
                    tries: 1,
                },
            };
            self.state.send_replace(state);
        }
        tokio::time::sleep(wait).await;
        self.revive(client).await;
    }

    /// Connects until it works, telling everybody when tools come or go.
    async fn revive(self: Arc<Upstream>, client: Client) {
        loop {
            if self.is_stopped.load(Ordering::Relaxed) {
                return;
            }
            match self.link(&client).await {
                Ok(link) => {
                    self.catalogs.forget();
                    if let Err(error) = self.catalog_of(&link, &client.fingerprint()).await {
                        tracing::warn!(server = &*self.name, %error, "its tools cannot be listed");
                    }
                    self.changed();
                    return;
                }
                Err(_) => {
                    let had_tools = !self.catalogs.is_empty();
                    if self.any_link().is_none() && had_tools {
                        self.catalogs.forget();
                        self.changed();
                    }
                    let wait = match self.state() {
                        State::Failing { retry_at, .. } => {
                            retry_at.saturating_duration_since(Instant::now())
                        }
                        _ => BACKOFF_MIN,
                    };
                    tokio::time::sleep(wait + Duration::from_millis(1)).await;
                }
            }
        }
    }

    fn changed(&self) {
        for kind in [ListKind::Tools, ListKind::Prompts, ListKind::Resources] {
            let _ = self.notices.send(Notice::Changed { server: self.name.clone(), kind });
        }
    }

    /// What the server offers to this client, from memory where it is there.
    pub(crate) async fn catalog(
        self: &Arc<Upstream>,
        client: &Client,
    ) -> Result<Arc<ServerCatalog>, ConnectError> {
        let fingerprint = client.fingerprint();
        if let Some(catalog) = self.catalogs.known(&fingerprint) {
            return Ok(catalog);
        }
        let link = self.link(client).await?;
        self.catalog_of(&link, &fingerprint).await
    }

    /// What is known of the server's tools without asking it.
    pub(crate) fn known_catalog(&self, client: &Client) -> Option<Arc<ServerCatalog>> {
        self.catalogs.known(&client.fingerprint())
    }

    async fn catalog_of(
        self: &Arc<Upstream>,
        link: &Arc<Link>,
        fingerprint: &str,
    ) -> Result<Arc<ServerCatalog>, ConnectError> {
        self.catalogs.get(link, &self.config, self.tools_max, fingerprint).await
    }

    /// Closes the connection that was made at the start when nobody uses it.
    fn retire_unused(self: &Arc<Upstream>, made: &Key) {
        let first = Key::Shared("{}".to_owned());
        if *made == first {
            return;
        }
        let mut slots = lock(&self.slots);
        let is_unused = slots
            .get(&first)
            .and_then(|slot| slot.live())
            .is_some_and(|link| link.users().is_empty() && link.is_idle() && !link.is_modern());
        if is_unused && let Some(slot) = slots.remove(&first) {
            let link = slot.live();
            drop(slots);
            tokio::spawn(async move {
                if let Some(link) = link {
                    link.retire().await;
                }
            });
        }
    }

    /// Closes connections that were made for one call and are not used any more.
    pub(crate) fn retire_spares(&self) {
        let mut slots = lock(&self.slots);
        let is_spare = |key: &Key, slot: &Arc<Slot>| {
            matches!(key, Key::Spare(..)) && slot.live().is_some_and(|link| link.is_idle())
        };
        let retired: Vec<Arc<Slot>> =
            slots.extract_if(|key, slot| is_spare(key, slot)).map(|(_, slot)| slot).collect();
        drop(slots);
        for link in retired.into_iter().filter_map(|slot| slot.live()) {
            tokio::spawn(async move { link.retire().await });
        }
    }

    /// A session has ended.
    pub(crate) fn forget_session(self: &Arc<Upstream>, owner: Owner) {
        let mut slots = lock(&self.slots);
        let own = slots.remove(&Key::Session(owner));
        let links: Vec<Arc<Link>> = slots.values().filter_map(|slot| slot.live()).collect();
        drop(slots);
        links.iter().for_each(|link| link.remove_user(owner));
        if let Some(link) = own.and_then(|slot| slot.live()) {
            tokio::spawn(async move { link.retire().await });
        }
    }

    /// Changes what is watched on a modern server.
    pub(crate) fn watch(&self, uri: &str, is_wanted: bool) {
        self.watched.send_if_modified(|uris| match is_wanted {
            true => uris.insert(uri.to_owned()),
            false => uris.remove(uri),
        });
    }

    /// Ends all connections when no call is under way, or when this time has passed.
    pub(crate) async fn finish(&self, patience: Option<Duration>) {
        self.is_stopped.store(true, Ordering::Relaxed);
        let patience = patience.unwrap_or(Duration::from_secs(3600));
        let until = Instant::now() + patience;
        let is_idle = || {
            let slots = lock(&self.slots);
            slots.values().filter_map(|slot| slot.live()).all(|link| link.is_idle())
        };
        while !is_idle() && Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        self.stop().await;
    }

    /// Ends all connections.
    pub(crate) async fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
        let slots = std::mem::take(&mut *lock(&self.slots));
        let links = slots.into_values().filter_map(|slot| slot.live());
        let closing = links.map(|link| async move { link.retire().await });
        futures_util::future::join_all(closing).await;
    }
}

fn tokens_for(
    config: &ServerConfig,
    data: &std::path::Path,
    agent: Option<&Arc<dyn UserAgent>>,
) -> Option<Arc<OAuthTokens>> {
    let Transport::Http { url, .. } = &config.transport else { return None };
    let options = LoginOptions::from(&config.oauth);
    let tokens = OAuthTokens::new(config.name.as_str(), url, data, options);
    let tokens = tokens.with_grant(config.oauth.grant);
    Some(Arc::new(match agent {
        Some(agent) => tokens.with_user_agent(agent.clone()),
        None => tokens,
    }))
}

/// Tells a legacy server that was connected anew what its clients had subscribed to.
async fn watch_again(link: Arc<Link>, uris: BTreeSet<String>) {
    for uri in uris {
        let params = format!("{{\"uri\":{}}}", Json::string(&uri));
        let _ = link.request("resources/subscribe", Some(params), Vec::new()).await;
    }
}

/// The gateway itself as a client: it can do nothing that a server could ask for.
pub(crate) fn nobody() -> Client {
    Client {
        owner: Owner::GATEWAY,
        protocol: resultant::Protocol::LATEST,
        capabilities: Object::default().to_json(),
        info: own_info(),
        scope: crate::client::Scope::All,
        session: None,
    }
}

/// What the gateway says of itself.
pub(crate) fn own_info() -> Json {
    let mut info = Object::default();
    info.set("name", Json::string("resultant"));
    info.set("version", Json::string(env!("CARGO_PKG_VERSION")));
    info.to_json()
}

fn backoff(tries: u32) -> Duration {
    let wait = BACKOFF_MIN.saturating_mul(1 << tries.saturating_sub(1).min(10));
    wait.min(BACKOFF_MAX).mul_f64(0.75 + crate::random::fraction() / 2.0)
}
