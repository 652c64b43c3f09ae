//! The gateway: its servers, its clients' sessions, and what concerns more than one of them.

mod notices;
mod own_tools;

use std::{
    collections::HashMap,
    io,
    net::SocketAddr,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError, RwLock},
    time::{Duration, Instant},
};

use futures_util::{StreamExt as _, future::join_all};
use resultant::Protocol;
use resultant_store::{File, SessionKind, Store, StoreError, StoreOptions};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};

use crate::{
    auth::Auth,
    body::SpoolOptions,
    caller::{Caller, User},
    catalog::{Merged, ServerCatalog, Tool, merge},
    client::{Client, Scope, Session, lock},
    config::{Config, Isolate},
    forward::ParkedCalls,
    listeners::Listeners,
    metrics::Metrics,
    page_tools::PageTools,
    random,
    retrieval::Places,
    routes::Routes,
    rpc::{self, RpcError},
    sandbox::Sandbox,
    upstream::{ListKind, Notice, State, Upstream, UserAgent},
};

/// So many kinds of clients have their merged list remembered.
const MERGED_MAX: usize = 64;
/// So many long results are read at the same time.
const LARGE_AT_ONCE: usize = 2;
/// So many are read while they come. Servers may take their time with them, so others wait in
/// files instead of for these.
const EARLY_AT_ONCE: usize = 8;

/// Why the gateway cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The place for files and records cannot be used.
    #[error("the store of {folder} cannot be used: {cause}")]
    Store {
        /// The data folder.
        folder: String,
        /// Why not.
        cause: StoreError,
    },
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {cause}")]
    Listen {
        /// The address.
        address: String,
        /// What the system says.
        cause: io::Error,
    },
    /// Other machines could connect, and nothing tells callers apart.
    #[error("{address}: listening beyond loopback needs auth mode token, header or oidc")]
    Exposed {
        /// The address.
        address: SocketAddr,
    },
}

/// One gateway.
pub struct Gateway {
    config: RwLock<Arc<Config>>,
    upstreams: RwLock<Arc<Vec<Arc<Upstream>>>>,
    sessions: Mutex<HashMap<String, Arc<Client>>>,
    pub(crate) parked: ParkedCalls,
    pub(crate) store: Arc<Store>,
    pub(crate) metrics: Metrics,
    pub(crate) large: Arc<Semaphore>,
    /// Places for long results that are read while they come.
    pub(crate) early: Arc<Semaphore>,
    /// Questions about files that may be under way.
    queries: Places,
    calls: Arc<Semaphore>,
    pub(crate) routes: Routes,
    pub(crate) listeners: Listeners,
    merged: Mutex<HashMap<String, Arc<Merged>>>,
    notices: mpsc::UnboundedSender<Notice>,
    /// The tools of web pages.
    pub(crate) page_tools: PageTools,
    agent: Option<Arc<dyn UserAgent>>,
    local_user: Arc<User>,
    auth: Auth,
    /// Where the HTTP front is.
    address: Mutex<Option<SocketAddr>>,
    /// And its other origin.
    sandbox: Mutex<Sandbox>,
    /// Counts how often it was decided anew who may call.
    auth_changes: watch::Sender<u64>,
    stopping: watch::Sender<bool>,
}

impl Gateway {
    /// Starts the gateway: servers are connected in the background.
    pub async fn start(config: Config) -> Result<Arc<Gateway>, StartError> {
        Gateway::start_with(config, None).await
    }

    /// The same, with somebody to show a login page to. A server that wants a token then leads to
    /// a login, for which its connection or call waits; otherwise that is an error.
    pub async fn start_with(
        config: Config,
        agent: Option<Arc<dyn UserAgent>>,
    ) -> Result<Arc<Gateway>, StartError> {
        let store = open_store(&config).await?;
        let local_user = Arc::new(User::local());
        let auth = Auth::open(&config, &local_user, &store).map_err(|cause| StartError::Store {
            folder: config.data.display().to_string(),
            cause: cause.into(),
        })?;
        let (notices, heard) = mpsc::unbounded_channel();
        let gateway = Arc::new(Gateway {
            parked: ParkedCalls::new(config.timeouts.park, config.limits.calls_in_flight_max),
            store,
            metrics: Metrics::default(),
            large: Arc::new(Semaphore::new(LARGE_AT_ONCE)),
            early: Arc::new(Semaphore::new(EARLY_AT_ONCE)),
            queries: Places::new(config.limits.queries_at_once_max),
            calls: Arc::new(Semaphore::new(config.limits.calls_in_flight_max)),
            routes: Routes::default(),
            listeners: Listeners::default(),
            merged: Mutex::default(),
            sessions: Mutex::default(),
            upstreams: RwLock::default(),
            page_tools: PageTools::new(notices.clone()),
            notices,
            agent,
            local_user,
            auth,
            address: Mutex::default(),
            sandbox: Mutex::default(),
            auth_changes: watch::Sender::new(0),
            stopping: watch::Sender::new(false),
            config: RwLock::new(Arc::new(config)),
        });
        gateway.apply();
        tokio::spawn(notices::hear(Arc::downgrade(&gateway), heard));
        tokio::spawn(sweep(Arc::downgrade(&gateway)));
        Ok(gateway)
    }

    pub(crate) fn config(&self) -> Arc<Config> {
        self.config.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes a new configuration. Servers whose entry is the same stay as they are; calls that are
    /// under way on the others are finished first.
    pub fn reload(self: &Arc<Gateway>, config: Config) {
        let old = self.config();
        if old.listen != config.listen || old.data != config.data {
            tracing::warn!("another address or data folder needs a restart");
        }
        let is_exposed = lock(&self.address).is_some_and(|address| !address.ip().is_loopback());
        let reloaded = match is_exposed && !config.auth.has_users() {
            true => Err(io::Error::other("auth mode local needs a start on loopback")),
            false => self.auth.reload(&config, &self.local_user),
        };
        match reloaded {
            // Nobody goes on under a name that the new configuration does not give them.
            Ok(true) => {
                self.auth_changes.send_modify(|count| *count += 1);
                self.sessions().iter().for_each(|client| {
                    if let Some(session) = &client.session {
                        self.close_session(&session.id);
                    }
                });
            }
            Ok(false) => {}
            Err(error) => tracing::error!(%error, "who may call stays as it was"),
        }
        let config = Arc::new(config);
        *self.config.write().unwrap_or_else(PoisonError::into_inner) = config.clone();
        self.apply();
        self.page_tools.reload(&old, &config);
        for kind in [ListKind::Tools, ListKind::Prompts, ListKind::Resources] {
            self.tell_changed(None, None, kind);
        }
    }

    /// Makes the servers what the configuration says.
    fn apply(self: &Arc<Gateway>) {
        let config = self.config();
        let spool = SpoolOptions {
            folder: self.store.incoming_folder().to_owned(),
            inline_bytes_max: config.limits.inline_bytes_max,
            message_bytes_max: config.limits.message_bytes_max,
        };
        let mut old: Vec<Arc<Upstream>> = self.upstreams().to_vec();
        let mut new = Vec::new();
        for server in config.servers.iter().filter(|server| !server.is_disabled) {
            match old.iter().position(|upstream| upstream.config == *server) {
                Some(at) => new.push(old.remove(at)),
                None => new.push(Upstream::new(
                    server.clone(),
                    &spool,
                    &config.data,
                    self.agent.as_ref(),
                    config.limits.tools_max,
                    !config.auth.has_users(),
                    self.notices.clone(),
                )),
            }
        }
        *self.upstreams.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(new);
        let patience = config.timeouts.call;
        for upstream in old {
            tokio::spawn(async move { upstream.finish(patience).await });
        }
    }

    pub(crate) fn upstreams(&self) -> Arc<Vec<Arc<Upstream>>> {
        self.upstreams.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn upstream(&self, name: &str) -> Option<Arc<Upstream>> {
        self.upstreams().iter().find(|upstream| &*upstream.name == name).cloned()
    }

    /// The servers of this user: those of the configuration, and their pages where they offer tools.
    pub(crate) fn upstreams_of(&self, user: &str) -> Vec<Arc<Upstream>> {
        let mut upstreams = self.upstreams().to_vec();
        upstreams.extend(self.page_tools.offered(user));
        upstreams
    }

    /// The server that this user has under a name.
    pub(crate) fn upstream_of(&self, user: &str, name: &str) -> Option<Arc<Upstream>> {
        let configured = self.upstream(name);
        let folder = self.store.incoming_folder();
        configured.or_else(|| self.page_tools.named(&self.config(), folder, user, name))
    }

    /// The name of a server that a user may have; pages may come later than their clients.
    pub(crate) fn server_name(&self, name: &str) -> Option<Arc<str>> {
        let configured = self.upstream(name).map(|upstream| upstream.name.clone());
        configured.or_else(|| {
            let config = self.config();
            let pages = config.pages.as_ref()?;
            (pages.server.name.as_str() == name).then(|| name.into())
        })
    }

    /// The servers that a client sees.
    pub(crate) fn visible(&self, client: &Client) -> Vec<Arc<Upstream>> {
        match &client.scope {
            Scope::All => self.upstreams_of(client.caller.owner()),
            Scope::One(name) => self.upstream_of(client.caller.owner(), name).into_iter().collect(),
        }
    }

    /// Says that the end is near: streams end, calls are finished.
    pub(crate) fn announce_stop(&self) {
        self.stopping.send_replace(true);
    }

    /// Ends: no new work, what is under way is finished, then the servers are let go.
    pub async fn stop(&self) {
        self.stopping.send_replace(true);
        // Calls that nobody's connection holds open are finished as well, and recorded.
        let config = self.config();
        let all = u32::try_from(config.limits.calls_in_flight_max).unwrap_or(u32::MAX);
        let finished = self.calls.acquire_many(all);
        if tokio::time::timeout(config.timeouts.shutdown, finished).await.is_err() {
            tracing::warn!("calls were under way when the time to finish them was over");
        }
        let upstreams = self.upstreams();
        join_all(upstreams.iter().map(|upstream| upstream.stop())).await;
        self.page_tools.stop().await;
        self.store.close().await;
    }

    /// Tells when it is decided anew who may call.
    pub(crate) fn auth_changes(&self) -> watch::Receiver<u64> {
        self.auth_changes.subscribe()
    }

    /// Waits until the gateway is told to end.
    pub(crate) async fn stopping(&self) {
        let mut stopping = self.stopping.subscribe();
        let _ = stopping.wait_for(|stopping| *stopping).await;
    }

    /// Whether every server has been tried.
    pub(crate) fn is_settled(&self) -> bool {
        let upstreams = self.upstreams();
        !upstreams.iter().any(|upstream| matches!(upstream.state(), State::Connecting))
    }

    /// A place among the calls that may be under way at the same time.
    pub(crate) fn place_for_call(&self) -> Option<OwnedSemaphorePermit> {
        self.calls.clone().try_acquire_owned().ok()
    }

    /// The one user of a local gateway, without a session.
    pub(crate) fn local_caller(&self) -> Caller {
        Caller::of(self.local_user.clone())
    }

    /// Waits until what was recorded so far is safe, as long as the store may take.
    pub(crate) async fn settle(&self) {
        let patience = self.config().timeouts.store;
        match tokio::time::timeout(patience, self.store.flush()).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::error!(%error, "records were lost"),
            Err(_) => tracing::error!("records are not written yet (store_seconds)"),
        }
    }

    /// Where the bytes of a file are, where that is a file of this machine.
    pub fn file_path(&self, file: &File) -> Option<PathBuf> {
        self.store.path(file)
    }

    /// Writes the bytes of a file to another.
    pub async fn copy_file(
        &self,
        file: &File,
        to: &mut (impl io::Write + Send),
    ) -> Result<(), StoreError> {
        let mut bytes = self.store.read(file, 0..file.size).await?;
        while let Some(part) = bytes.next().await {
            to.write_all(&part?)?;
        }
        Ok(to.flush()?)
    }

    /// Who is calling is decided here.
    pub(crate) fn auth(&self) -> &Auth {
        &self.auth
    }

    /// The HTTP front is here, and shows content of strangers there.
    pub(crate) fn listens_on(&self, address: SocketAddr, sandbox: Sandbox) {
        *lock(&self.address) = Some(address);
        *lock(&self.sandbox) = sandbox;
    }

    /// The origin of the sandbox for a page that was asked for at this host.
    pub(crate) fn sandbox_for(&self, host: &str) -> Option<String> {
        lock(&self.sandbox).origin_for(host)
    }

    /// The address that people and servers reach us by, without a slash at its end: as configured,
    /// else where the HTTP front is.
    pub(crate) fn public_url(&self) -> String {
        let config = self.config();
        if let Some(url) = &config.public_url {
            return url.as_str().trim_end_matches('/').to_owned();
        }
        match *lock(&self.address) {
            // All addresses are none that one could go to.
            Some(address) if address.ip().is_unspecified() => {
                format!("http://localhost:{}", address.port())
            }
            Some(address) => format!("http://{address}"),
            None => format!("http://{}", config.listen),
        }
    }

    /// A link that opens the page once, where the gateway is for one user.
    pub async fn page_link(&self) -> Option<String> {
        let code = self.auth.local_code().await?;
        Some(format!("{}/#code={code}", self.public_url()))
    }

    /// The same of the demo's page, where it is served.
    pub async fn demo_link(&self) -> Option<String> {
        if !self.config().has_demo_page || !crate::front::has_demo_page() {
            return None;
        }
        let code = self.auth.local_code().await?;
        Some(format!("{}/demo/#code={code}", self.public_url()))
    }

    // Sessions.

    /// Opens a session for a client that has said `initialize`.
    pub(crate) fn open_session(&self, client: Client) -> Result<Arc<Client>, RpcError> {
        self.add_session(client, Arc::new(Session::new(random::token())))
    }

    /// Adds a client with its session. One that came first stays.
    pub(crate) fn add_session(
        &self,
        mut client: Client,
        session: Arc<Session>,
    ) -> Result<Arc<Client>, RpcError> {
        let id = session.id.clone();
        client.owner = session.owner;
        client.caller = client.caller.within(&id, SessionKind::Mcp);
        client.session = Some(session);
        let client = Arc::new(client);
        let sessions_max = self.config().limits.sessions_max;
        let mut sessions = lock(&self.sessions);
        if sessions.len() >= sessions_max {
            let message = format!("there are {sessions_max} sessions already (sessions_max)");
            return Err(RpcError::new(rpc::INTERNAL_ERROR, message));
        }
        Ok(sessions.entry(id).or_insert(client).clone())
    }

    pub(crate) fn session(&self, id: &str) -> Option<Arc<Client>> {
        lock(&self.sessions).get(id).cloned()
    }

    pub(crate) fn sessions(&self) -> Vec<Arc<Client>> {
        lock(&self.sessions).values().cloned().collect()
    }

    /// Ends a session. Says whether there was one.
    pub(crate) fn close_session(&self, id: &str) -> bool {
        let Some(client) = lock(&self.sessions).remove(id) else { return false };
        if let Some(session) = &client.session {
            session.hang_up();
        }
        for upstream in self.upstreams().iter() {
            upstream.forget_session(client.owner);
        }
        true
    }

    // Tools.

    /// The server and tool behind a name that this client used.
    pub(crate) async fn find_tool(
        self: &Arc<Gateway>,
        client: &Client,
        name: &str,
    ) -> Result<(Arc<Upstream>, String, Option<Arc<Tool>>), RpcError> {
        let unknown = || RpcError::new(rpc::INVALID_PARAMS, format!("unknown tool: {name}"));
        match &client.scope {
            Scope::One(server) => {
                let upstream =
                    self.upstream_of(client.caller.owner(), server).ok_or_else(unknown)?;
                if !upstream.config.tools.allows(name) {
                    return Err(unknown());
                }
                // A server may know tools that it does not list; it will say so itself.
                let catalog = upstream.catalog(client).await.ok();
                let tool = catalog.and_then(|catalog| catalog.tool(name).cloned());
                if tool.as_ref().is_some_and(|tool| !client.may_call(tool)) {
                    return Err(unknown());
                }
                Ok((upstream, name.to_owned(), tool))
            }
            Scope::All => {
                let known = lock(&self.merged).get(&self.kind_of(client)).cloned();
                let find = |merged: &Merged| {
                    let (upstream, tool) = merged.tool(name)?;
                    client.may_call(tool).then_some(())?;
                    Some((upstream.clone(), tool.name.clone(), Some(tool.clone())))
                };
                let found = known.and_then(|merged| find(&merged));
                if let Some(found) = found.filter(|found| self.is_current(client, found)) {
                    return Ok(found);
                }
                find(&*self.merged(client).await).ok_or_else(unknown)
            }
        }
    }

    /// Whether what was found in a list that is known is still so. Pages change their tools with
    /// what they show, so of those the definition counts as well.
    fn is_current(
        &self,
        client: &Client,
        (upstream, _, tool): &(Arc<Upstream>, String, Option<Arc<Tool>>),
    ) -> bool {
        let current = self.upstreams_of(client.caller.owner());
        let is_there = current.iter().any(|current| Arc::ptr_eq(current, upstream));
        is_there
            && (!upstream.is_pages() || {
                let known = upstream.known_catalog(client);
                let known = known.as_ref().zip(tool.as_ref());
                known.is_some_and(|(catalog, tool)| {
                    catalog.tool(&tool.name).is_some_and(|known| Arc::ptr_eq(known, tool))
                })
            })
    }

    /// Whom the list of all tools is the same for: servers that keep users apart may offer each
    /// something else.
    fn kind_of(&self, client: &Client) -> String {
        let is_apart = |upstream: &Arc<Upstream>| {
            upstream.config.isolate == Isolate::User || upstream.is_pages()
        };
        match self.upstreams_of(client.caller.owner()).iter().any(is_apart) {
            true => format!("{} {}", client.fingerprint(), client.caller.user.id),
            false => client.fingerprint(),
        }
    }

    /// The tools of all servers, as far as they are there.
    pub(crate) async fn merged(self: &Arc<Gateway>, client: &Client) -> Arc<Merged> {
        let upstreams = self.upstreams_of(client.caller.owner());
        let catalogs = join_all(upstreams.iter().map(|upstream| async move {
            let catalog = match upstream.known_catalog(client) {
                Some(catalog) => catalog,
                None => match upstream.settled("tools/list").await {
                    State::Failing { .. } | State::Connecting => return None,
                    State::Idle | State::Ready { .. } => upstream.catalog_in_time(client).await?,
                },
            };
            Some((upstream.clone(), catalog))
        }));
        let catalogs: Vec<(Arc<Upstream>, Arc<ServerCatalog>)> =
            catalogs.await.into_iter().flatten().collect();
        let fingerprint = self.kind_of(client);
        if let Some(merged) = lock(&self.merged).get(&fingerprint)
            && merged.is_of(&catalogs)
        {
            return merged.clone();
        }
        let merged = Arc::new(merge(&catalogs, &self.routes));
        let mut known = lock(&self.merged);
        if known.len() >= MERGED_MAX {
            known.clear();
        }
        known.insert(fingerprint, merged.clone());
        drop(known);
        merged
    }
}

/// Lets go of what nobody came back for.
async fn sweep(gateway: std::sync::Weak<Gateway>) {
    let mut cleaned = None;
    loop {
        tokio::time::sleep(Duration::from_secs(5)).await;
        let Some(gateway) = gateway.upgrade() else { return };
        if let Some(interval) = gateway.config().store.sweep_every
            && cleaned.is_none_or(|cleaned: Instant| cleaned.elapsed() > interval)
        {
            cleaned = Some(Instant::now());
            tokio::spawn(clear_away(gateway.clone()));
        }
        gateway.parked.sweep();
        gateway.page_tools.sweep();
        gateway.upstreams().iter().for_each(|upstream| upstream.retire_spares());
        let idle_max = gateway.config().timeouts.session_idle;
        for client in gateway.sessions() {
            if let Some(session) = &client.session
                && session.idle() > idle_max
            {
                gateway.close_session(&session.id);
            }
        }
    }
}

/// Clears the store of what is too old, too much, or nobody's.
async fn clear_away(gateway: Arc<Gateway>) {
    let retention = gateway.config().store.retention;
    match gateway.store.sweep(&retention).await {
        Ok(swept) => tracing::debug!(?swept, "cleared away"),
        Err(error) => tracing::warn!(%error, "clearing away failed; it is tried again later"),
    }
}

/// Opens the store that a configuration names.
pub async fn open_store(config: &Config) -> Result<Arc<Store>, StartError> {
    let options = StoreOptions {
        folder: config.data.clone(),
        place: config.store.place.clone(),
        database: config.store.database.clone(),
        quotas: config.store.quotas,
        lifetimes: config.store.lifetimes,
        patience: config.timeouts.store,
        old_owner: User::local().id,
    };
    let folder = config.data.display().to_string();
    Store::open(options).await.map_err(|cause| StartError::Store { folder, cause })
}

/// The version spoken with a client that asks for this one.
pub(crate) fn agreed_version(asked: &str) -> Protocol {
    match asked.parse::<Protocol>() {
        Ok(protocol) if !protocol.is_modern() => protocol,
        _ => Protocol::V2025_11_25,
    }
}
