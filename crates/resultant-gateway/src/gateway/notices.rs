//! What servers say that concerns more than one call: told to the clients that it is for.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::{Arc, Weak},
    time::Duration,
};

use resultant::{Json, Object};
use tokio::sync::mpsc;

use super::Gateway;
use crate::{
    bridge,
    client::{Owner, Scope, lock},
    rpc::{self, RpcError},
    upstream::{ListKind, Notice},
};

/// That a list changed is told at most twice in this time.
const CHANGES_INTERVAL: Duration = Duration::from_millis(200);

impl Gateway {
    /// A list of a server is another, or of all of them; for this user, or for all.
    pub(super) fn tell_changed(&self, server: Option<&str>, user: Option<&str>, kind: ListKind) {
        let method = match kind {
            ListKind::Tools => "notifications/tools/list_changed",
            ListKind::Prompts => "notifications/prompts/list_changed",
            ListKind::Resources => "notifications/resources/list_changed",
        };
        for client in self.sessions() {
            let sees = match (&client.scope, server) {
                (Scope::One(name), Some(server)) => &**name == server,
                _ => true,
            };
            let sees = sees && user.is_none_or(|user| user == client.caller.owner());
            if let Some(session) = client.session.as_ref().filter(|_| sees) {
                session.tell(rpc::notification(method, None));
            }
        }
        self.listeners.changed(server, user, kind, method);
    }

    fn tell_updated(&self, server: &Arc<str>, uri: &str, params: &Json) {
        let method = "notifications/resources/updated";
        for client in self.sessions() {
            let Some(session) = &client.session else { continue };
            let key = (server.clone(), uri.to_owned());
            if lock(&session.subscriptions).contains(&key) {
                let exposed = self.routes.exposed(&client.scope, server, uri);
                let mut params = Object::of(params);
                params.set("uri", Json::string(&exposed));
                session.tell(rpc::notification(method, Some(params.to_json().as_text())));
            }
        }
        self.listeners.updated(server, uri, params);
    }

    fn tell_said(&self, method: &str, params: Option<&Json>, users: &[Owner]) {
        let level = params.and_then(|params| params.get("level"));
        let level = level.as_ref().and_then(Json::as_str).unwrap_or_default();
        for client in self.sessions() {
            let Some(session) = &client.session else { continue };
            let wanted = lock(&session.level).clone();
            let is_wanted = method != "notifications/message"
                || wanted
                    .is_none_or(|wanted| bridge::level_rank(&level) >= bridge::level_rank(&wanted));
            if users.contains(&client.owner) && is_wanted {
                session.tell(rpc::notification(method, params.map(Json::as_text)));
            }
        }
    }
}

/// A list that changed, and for whom.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Changed {
    server: Arc<str>,
    user: Option<Arc<str>>,
    kind: ListKind,
}

/// Passes on what servers do that concerns more than one call.
pub(super) async fn hear(gateway: Weak<Gateway>, mut heard: mpsc::UnboundedReceiver<Notice>) {
    let (due, mut dues) = mpsc::unbounded_channel();
    // Lists that changed a moment ago: what changes again meanwhile is told once, at the end.
    let mut recent: HashMap<Changed, bool> = HashMap::new();
    loop {
        let notice = tokio::select! {
            Some(notice) = heard.recv() => notice,
            Some(key) = dues.recv() => {
                let Some(gateway) = gateway.upgrade() else { return };
                if recent.remove(&key) == Some(true) {
                    let Changed { server, user, kind } = key;
                    gateway.tell_changed(Some(&server), user.as_deref(), kind);
                }
                continue;
            }
            else => return,
        };
        let Some(gateway) = gateway.upgrade() else { return };
        match notice {
            Notice::Changed { server, user, kind } => {
                let changed = Changed { server, user, kind };
                match recent.entry(changed.clone()) {
                    Entry::Occupied(mut again) => {
                        again.insert(true);
                    }
                    Entry::Vacant(first) => {
                        let Changed { server, user, kind } = &changed;
                        gateway.tell_changed(Some(server), user.as_deref(), *kind);
                        first.insert(false);
                        let due = due.clone();
                        tokio::spawn(async move {
                            tokio::time::sleep(CHANGES_INTERVAL).await;
                            let _ = due.send(changed);
                        });
                    }
                }
            }
            Notice::ResourceUpdated { server, uri, params } => {
                gateway.tell_updated(&server, &uri, &params);
            }
            Notice::Said { method, params, users } => {
                gateway.tell_said(&method, params.as_ref(), &users);
            }
            Notice::Asked { owner, request } => {
                let client = gateway.sessions().into_iter().find(|client| client.owner == owner);
                let patience = gateway.config().timeouts.park;
                tokio::spawn(async move {
                    let client = client.filter(|client| client.can(&request.method));
                    let Some(session) = client.and_then(|client| client.session.clone()) else {
                        return request.refuse("the client cannot answer it").await;
                    };
                    let asking = session.ask(&request.method, request.params.as_ref());
                    let answer = tokio::time::timeout(patience, asking).await;
                    let answer = answer.unwrap_or_else(|_| {
                        let message = "the client did not answer in time (park_seconds)";
                        Err(RpcError::new(rpc::INTERNAL_ERROR, message))
                    });
                    request.answer(answer).await;
                });
            }
        }
    }
}
