//! Modern clients that listen for changes (`subscriptions/listen`).

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU64, Ordering},
};

use resultant::{Json, Object};
use tokio::sync::broadcast;

use crate::{
    client::{Exchange, Scope, lock},
    rpc,
    upstream::{ListKind, META_PREFIX},
};

/// How many changes of tools wait for one who is slow to take them.
const CHANGES_MAX: usize = 64;

/// What a listener wants to hear.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filter {
    pub(crate) tools: bool,
    pub(crate) prompts: bool,
    pub(crate) resources: bool,
    /// The server, the URI there, and the URI that the client named.
    pub(crate) uris: Vec<(Arc<str>, String, String)>,
}

struct Listener {
    number: u64,
    /// The id of the client's request, which names the subscription.
    id: Json,
    scope: Scope,
    filter: Filter,
    exchange: Exchange,
}

/// Who listens.
#[derive(Default)]
pub(crate) struct Listeners {
    all: Mutex<Vec<Listener>>,
    next: AtomicU64,
    /// Those who are told of tools alone, whichever server's.
    tools: Changes,
}

struct Changes(broadcast::Sender<Change>);

/// The tools of a server changed, for a user; of any server or for all users where nothing is said.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) server: Option<Arc<str>>,
    pub(crate) user: Option<Arc<str>>,
}

impl Default for Changes {
    fn default() -> Changes {
        Changes(broadcast::Sender::new(CHANGES_MAX))
    }
}

/// Takes a listener out when its request ends.
pub(crate) struct Listening<'a> {
    listeners: &'a Listeners,
    number: u64,
}

impl Drop for Listening<'_> {
    fn drop(&mut self) {
        lock(&self.listeners.all).retain(|listener| listener.number != self.number);
    }
}

impl Listeners {
    /// Adds a listener and tells it so.
    pub(crate) fn add(&self, id: &Json, exchange: &Exchange, filter: Filter) -> Listening<'_> {
        let mut accepted = Object::default();
        for (key, is_wanted) in [
            ("toolsListChanged", filter.tools),
            ("promptsListChanged", filter.prompts),
            ("resourcesListChanged", filter.resources),
        ] {
            if is_wanted {
                accepted.set(key, Json::bool(true));
            }
        }
        if !filter.uris.is_empty() {
            let uris: Vec<Json> = filter.uris.iter().map(|(.., uri)| Json::string(uri)).collect();
            accepted.set("resourceSubscriptions", Json::array(&uris));
        }
        let mut params = Object::default();
        params.set("notifications", accepted.to_json());
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let listener = Listener {
            number,
            id: id.clone(),
            scope: exchange.client.scope.clone(),
            filter,
            exchange: exchange.clone(),
        };
        listener.tell("notifications/subscriptions/acknowledged", params);
        lock(&self.all).push(listener);
        Listening { listeners: self, number }
    }

    /// The servers whose tools change from now on.
    pub(crate) fn tools(&self) -> broadcast::Receiver<Change> {
        self.tools.0.subscribe()
    }

    pub(crate) fn changed(
        &self,
        server: Option<&str>,
        user: Option<&str>,
        kind: ListKind,
        method: &str,
    ) {
        if kind == ListKind::Tools {
            // An error says that nobody listens.
            let _ = self
                .tools
                .0
                .send(Change { server: server.map(Arc::from), user: user.map(Arc::from) });
        }
        for listener in lock(&self.all).iter() {
            let wants = match kind {
                ListKind::Tools => listener.filter.tools,
                ListKind::Prompts => listener.filter.prompts,
                ListKind::Resources => listener.filter.resources,
            };
            let sees = match (&listener.scope, server) {
                (Scope::One(name), Some(server)) => &**name == server,
                _ => true,
            };
            let is_theirs = user.is_none_or(|user| user == listener.exchange.client.caller.owner());
            if wants && sees && is_theirs {
                listener.tell(method, Object::default());
            }
        }
    }

    pub(crate) fn updated(&self, server: &Arc<str>, uri: &str, params: &Json) {
        for listener in lock(&self.all).iter() {
            let named = listener
                .filter
                .uris
                .iter()
                .find(|(of, original, _)| of == server && original == uri);
            if let Some((.., exposed)) = named {
                let mut params = Object::of(params);
                params.set("uri", Json::string(exposed));
                listener.tell("notifications/resources/updated", params);
            }
        }
    }
}

impl Listener {
    fn tell(&self, method: &str, mut params: Object) {
        let mut meta = params.get("_meta").map(Object::of).unwrap_or_default();
        meta.set(&format!("{META_PREFIX}subscriptionId"), self.id.clone());
        params.set("_meta", meta.to_json());
        self.exchange.outlet.tell(rpc::notification(method, Some(params.to_json().as_text())));
    }
}
