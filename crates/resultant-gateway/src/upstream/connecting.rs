//! Making a connection: the wire, the handshake, and what is noted about how it went.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Instant,
};

use resultant::Object;
use tokio::sync::mpsc;

use super::{
    ConnectError, HttpOptions, HttpWire, Inbox, Key, Link, START, STREAM_WAIT, Slot, State,
    StdioOptions, StdioWire, Upstream, Wire, WireError, backoff, listen, own_info, shake_hands,
    watch_again,
};
use crate::{
    client::{Client, lock},
    config::{Era, Transport},
};

impl Upstream {
    /// Connects, and notes how that went.
    pub(super) async fn fill(
        self: &Arc<Upstream>,
        key: &Key,
        slot: &Arc<Slot>,
        client: &Client,
    ) -> Result<Arc<Link>, ConnectError> {
        // A server that failed stays so until it is there: nobody waits for its next try.
        self.state.send_if_modified(|state| {
            let is_first = matches!(state, State::Idle);
            if is_first {
                *state = State::Connecting;
            }
            is_first
        });
        let connected = match key.is_incapable() {
            true => {
                let capabilities = Object::default().to_json();
                self.connect(&Client { capabilities, ..client.clone() }).await
            }
            false => self.connect(client).await,
        };
        match connected {
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

    pub(super) async fn connect(
        self: &Arc<Upstream>,
        client: &Client,
    ) -> Result<Arc<Link>, ConnectError> {
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

    pub(super) async fn attempt(
        self: &Arc<Upstream>,
        client: &Client,
        era: Era,
    ) -> Result<Arc<Link>, ConnectError> {
        let (unbound, said) = mpsc::unbounded_channel();
        let link = Link::open(self.name.clone(), unbound, |inbox| self.wire(inbox))
            .map_err(|error| ConnectError::of(START, &error))?;
        self.adopt(&link, client.owner);
        let task = self.clone();
        let (heard, of) = (Arc::downgrade(&link), client.clone());
        tokio::spawn(task.hearing(said, heard, of));
        let info = own_info();
        let shaking = shake_hands(&link, era, &client.capabilities, &info);
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

    pub(super) fn wire(&self, inbox: Arc<dyn Inbox>) -> Result<Box<dyn Wire>, WireError> {
        match &self.config.transport {
            Transport::Stdio { command, args, env, cwd } => {
                let options = StdioOptions {
                    server: self.name.clone(),
                    command: command.clone(),
                    args: args.clone(),
                    env: env.clone(),
                    cwd: cwd.clone(),
                    spool: self.spool.clone(),
                    tells_last_words: self.tells_last_words,
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
            Transport::Pages => self.page_wire(inbox),
        }
    }
}
