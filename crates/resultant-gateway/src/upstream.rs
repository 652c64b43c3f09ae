//! The servers behind the gateway: each with its connections, its state and what it offers.
//!
//! A modern server has one connection, because every request stands alone. A legacy one is told in
//! its handshake what the client can do, so clients that can do the same share a connection, until
//! the server makes a request of its own: from then on every session has one to itself.

mod catalogs;
mod connecting;
mod handshake;
mod hearing;
mod http;
mod link;
mod listen;
mod oauth;
mod pages;
mod sharing;
mod stdio;
mod wire;

use std::{
    collections::{BTreeSet, HashMap},
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
    pages::PagesOf,
    stdio::{StdioOptions, StdioWire},
    wire::{Inbox, Wire},
};
pub(crate) use self::{
    handshake::{ConnectError, META_PREFIX},
    http::install_crypto,
    link::{Call, Event, Link, Peer, ServerRequest, Step, TakesAnswer},
    pages::META_TAB,
    wire::{SharedInbox, WireError},
};
use crate::{
    body::SpoolOptions,
    caller::{Caller, User},
    catalog::ServerCatalog,
    client::{Client, Owner, lock},
    config::{Era, ServerConfig, Start, Transport},
};

/// Stateless callers of a server that asks get a connection each, up to this many.
const SPARES_MAX: usize = 8;
/// A server that does not answer the request for its stream holds the first call up for so long.
const STREAM_WAIT: Duration = Duration::from_secs(1);
/// A server has connections for so many kinds of clients, beside those of sessions; further ones
/// share the one for clients that can do nothing.
const CONNECTIONS_MAX: usize = 64;
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
    /// `tools`, `prompts` or `resources` changed, of a server that is there for this user or for
    /// all.
    Changed {
        server: Arc<str>,
        user: Option<Arc<str>>,
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
    /// A user's clients with these capabilities.
    User(String, String),
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
    /// Whether callers are told what its process said last.
    tells_last_words: bool,
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
    /// Where it is a user's pages, these.
    pages: Option<PagesOf>,
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
        tells_last_words: bool,
        notices: mpsc::UnboundedSender<Notice>,
    ) -> Arc<Upstream> {
        let spool = SpoolOptions { message_bytes_max: config.message_bytes_max, ..spool.clone() };
        let tokens = tokens_for(&config, data, agent);
        let upstream = Upstream {
            tells_last_words,
            tokens,
            ..Upstream::idle(config, spool, tools_max, notices)
        };
        let upstream = Arc::new(upstream);
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

    /// One that nothing was done with yet.
    fn idle(
        config: ServerConfig,
        spool: SpoolOptions,
        tools_max: usize,
        notices: mpsc::UnboundedSender<Notice>,
    ) -> Upstream {
        Upstream {
            name: config.name.as_str().into(),
            tools_max,
            tells_last_words: false,
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
            tokens: None,
            pages: None,
            watched: watch::Sender::default(),
            config,
        }
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

    /// What the server offers to this client, from memory where it is there.
    pub(crate) async fn catalog(
        self: &Arc<Upstream>,
        client: &Client,
    ) -> Result<Arc<ServerCatalog>, ConnectError> {
        let fingerprint = self.fingerprint(client);
        if let Some(catalog) = self.catalogs.known(&fingerprint) {
            return Ok(catalog);
        }
        let link = self.link(client).await?;
        self.catalog_of(&link, &fingerprint).await
    }

    /// What is known of the server's tools without asking it.
    pub(crate) fn known_catalog(&self, client: &Client) -> Option<Arc<ServerCatalog>> {
        self.catalogs.known(&self.fingerprint(client))
    }

    async fn catalog_of(
        self: &Arc<Upstream>,
        link: &Arc<Link>,
        fingerprint: &str,
    ) -> Result<Arc<ServerCatalog>, ConnectError> {
        self.catalogs.get(link, &self.config, self.tools_max, fingerprint).await
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
        caller: Caller::of(Arc::new(User::local())),
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
