//! Who waits for events of which session, and what tells them that there are some.
//!
//! A hint may be lost or come for nothing; the table is the truth. Within the process the writer
//! gives it. From other processes it comes through one listening connection with PostgreSQL, and by
//! watching one number with SQLite. Neither runs before somebody waits.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use sqlx::{Row as _, postgres::PgListener};
use tokio::{sync::watch, task::AbortHandle};

use super::database::{Database, Dialect};

/// The channel of PostgreSQL's that hints go through.
const CHANNEL: &str = "resultant_events";
/// How often a SQLite file is looked at for what other processes wrote.
const FILE_LOOK: Duration = Duration::from_millis(300);
/// How long the listener waits before it connects again.
const LISTEN_AGAIN: Duration = Duration::from_secs(1);

/// A session as hints name it: short, whatever its id is, and silent about it.
pub(super) type Topic = [u8; 16];

/// The topic of a session.
pub(super) fn topic(owner: &str, session: &str) -> Topic {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(owner.len() as u64).to_le_bytes());
    hasher.update(owner.as_bytes());
    hasher.update(session.as_bytes());
    let mut topic = Topic::default();
    hasher.finalize_xof().fill(&mut topic);
    topic
}

/// The statement that hints other processes, and what to bind to it.
pub(super) const NOTIFY: &str = "SELECT pg_notify('resultant_events', $1)";

/// A topic as PostgreSQL carries it.
pub(super) fn spelled(topic: Topic) -> String {
    data_encoding::HEXLOWER.encode(&topic)
}

/// Those who wait.
pub(super) struct Wake {
    pub(super) database: Arc<Database>,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    topics: HashMap<Topic, watch::Sender<()>>,
    task: Option<AbortHandle>,
    is_stopped: bool,
}

impl Wake {
    pub(super) fn new(database: Arc<Database>) -> Wake {
        Wake { database, waiting: Mutex::default() }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Somebody wants to know of this topic from now on.
    pub(super) fn subscribe(self: &Arc<Wake>, topic: Topic) -> watch::Receiver<()> {
        let mut waiting = self.waiting();
        if waiting.task.is_none() && !waiting.is_stopped && self.database.is_shared {
            let wake = Arc::downgrade(self);
            let task = match self.database.dialect {
                Dialect::Sqlite => tokio::spawn(watch_file(wake)),
                Dialect::Postgres => tokio::spawn(listen(wake, self.database.url.clone())),
            };
            waiting.task = Some(task.abort_handle());
        }
        waiting.topics.entry(topic).or_insert_with(|| watch::channel(()).0).subscribe()
    }

    /// Somebody, whose receiver is still there, does not want to know any more.
    pub(super) fn unsubscribe(&self, topic: Topic) {
        let mut waiting = self.waiting();
        if waiting.topics.get(&topic).is_some_and(|sender| sender.receiver_count() <= 1) {
            waiting.topics.remove(&topic);
        }
    }

    /// There is something new in one session.
    pub(super) fn one(&self, topic: Topic) {
        if let Some(sender) = self.waiting().topics.get(&topic) {
            sender.send_replace(());
        }
    }

    /// There may be something new in any session. Says whether somebody waits.
    fn all(&self) -> bool {
        let waiting = self.waiting();
        for sender in waiting.topics.values() {
            sender.send_replace(());
        }
        !waiting.topics.is_empty()
    }

    /// Nothing comes any more; those who wait find out when they look.
    pub(super) fn stop(&self) {
        let mut waiting = self.waiting();
        waiting.is_stopped = true;
        if let Some(task) = waiting.task.take() {
            task.abort();
        }
        drop(waiting);
        self.all();
    }
}

impl Drop for Wake {
    fn drop(&mut self) {
        if let Some(task) = self.waiting().task.take() {
            task.abort();
        }
    }
}

/// SQLite keeps a number that changes with every commit of another connection.
async fn watch_file(wake: Weak<Wake>) {
    let mut seen = None;
    loop {
        // The connection stays the same as long as it works: each counts for itself.
        let Some(strong) = wake.upgrade() else { return };
        let connection = strong.database.pool.acquire().await;
        drop(strong);
        if let Ok(mut connection) = connection {
            loop {
                let row = sqlx::query("PRAGMA data_version").fetch_one(&mut *connection).await;
                let Ok(version) = row.and_then(|row| row.try_get::<i64, _>(0)) else { break };
                let Some(wake) = wake.upgrade() else { return };
                if seen.replace(version) != Some(version) {
                    wake.all();
                }
                drop(wake);
                tokio::time::sleep(FILE_LOOK).await;
            }
        }
        tokio::time::sleep(FILE_LOOK).await;
    }
}

/// Passes on what other gateways say. Whenever the connection is new, something may have been missed.
async fn listen(wake: Weak<Wake>, url: String) {
    loop {
        if let Err(error) = listen_once(&wake, &url).await {
            tracing::warn!(%error, "listening for events of other gateways broke off");
        }
        if wake.strong_count() == 0 {
            return;
        }
        tokio::time::sleep(LISTEN_AGAIN).await;
    }
}

async fn listen_once(wake: &Weak<Wake>, url: &str) -> Result<(), sqlx::Error> {
    let mut listener = PgListener::connect(url).await?;
    listener.listen(CHANNEL).await?;
    loop {
        let Some(strong) = wake.upgrade() else { return Ok(()) };
        strong.all();
        drop(strong);
        while let Some(notification) = listener.try_recv().await? {
            let Some(wake) = wake.upgrade() else { return Ok(()) };
            let payload = data_encoding::HEXLOWER.decode(notification.payload().as_bytes());
            if let Some(topic) = payload.ok().and_then(|bytes| bytes.try_into().ok()) {
                wake.one(topic);
            }
        }
    }
}
