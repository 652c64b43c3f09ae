//! What a connection says beside its answers, and what happens when it ends.

use std::{
    future::Future,
    pin::Pin,
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use resultant::{Json, Object};
use tokio::sync::mpsc;

use super::{
    BACKOFF_MIN, ConnectError, Link, ListKind, Notice, STABLE_TIME, State, Unbound, Upstream,
    WireError, backoff,
};
use crate::client::Client;

impl Upstream {
    /// Boxed, because what it hears can lead to a new connection that is heard in turn.
    pub(super) fn hearing(
        self: Arc<Upstream>,
        said: mpsc::UnboundedReceiver<Unbound>,
        link: std::sync::Weak<Link>,
        client: Client,
    ) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(self.hear(said, link, client))
    }

    /// Takes what a connection says beside its answers.
    pub(super) async fn hear(
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
                    // It is for us, who listen, and means nothing to clients.
                    "notifications/subscriptions/acknowledged" => continue,
                    "notifications/tools/list_changed" => {
                        self.catalogs.forget();
                        self.change(ListKind::Tools)
                    }
                    "notifications/prompts/list_changed" => self.change(ListKind::Prompts),
                    "notifications/resources/list_changed" => self.change(ListKind::Resources),
                    "notifications/resources/updated" => {
                        let mut params = params.as_ref().map(Object::of).unwrap_or_default();
                        // It may name our own subscription, which is nobody else's.
                        params.remove("_meta");
                        let uri = params.get("uri").and_then(Json::as_str).unwrap_or_default();
                        let uri = uri.into_owned();
                        let params = params.to_json();
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
    pub(super) async fn lost(
        self: Arc<Upstream>,
        client: Client,
        error: &WireError,
        is_stable: bool,
    ) {
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
    pub(super) async fn revive(self: Arc<Upstream>, client: Client) {
        loop {
            if self.is_stopped.load(Ordering::Relaxed) {
                return;
            }
            match self.link(&client).await {
                Ok(link) => {
                    self.catalogs.forget();
                    if let Err(error) = self.catalog_of(&link, &self.fingerprint(&client)).await {
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

    pub(super) fn changed(&self) {
        for kind in [ListKind::Tools, ListKind::Prompts, ListKind::Resources] {
            let _ = self.notices.send(self.change(kind));
        }
    }

    pub(super) fn change(&self, kind: ListKind) -> Notice {
        Notice::Changed { server: self.name.clone(), user: self.user(), kind }
    }
}
