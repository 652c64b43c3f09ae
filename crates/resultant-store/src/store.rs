//! The store: bytes and records together, in the order that a crash cannot harm.
//!
//! Bytes are safe before a record names them, and a record is gone before its bytes are. What is
//! asked for is asked for with its owner. Nothing here waits for longer than `patience` in one step.

mod files;
mod known;
mod layout;
mod tokens;

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::Duration,
};

use crate::{
    Call, CallFilter, Dashboard, DashboardUpdate, Entry, Event, Feed, Id, Incoming, Lifetimes,
    Page, Place, Session, SessionKind, SlipKind, StoreError, Totals, TotalsBy,
    blobs::{Blobs, within},
    records::Records,
    token::KeyRing,
};

/// How much may be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quotas {
    /// Bytes of one user's files (`user_bytes_max`).
    pub user_bytes_max: u64,
    /// Bytes of one session's files (`session_bytes_max`).
    pub session_bytes_max: u64,
}

/// What a store is opened with.
#[derive(Clone, Debug)]
pub struct StoreOptions {
    /// The data folder: incoming bytes, and everything else that is not somewhere else.
    pub folder: PathBuf,
    /// Where bytes are kept; `blobs` in the data folder when absent.
    pub place: Option<Place>,
    /// The database; `resultant.db` in the data folder when absent.
    pub database: Option<String>,
    /// How much may be kept.
    pub quotas: Quotas,
    /// How long tokens are valid.
    pub lifetimes: Lifetimes,
    /// How long the store may take for one thing.
    pub patience: Duration,
    /// Whose the files become that a data folder without users holds; `local` as a rule.
    pub old_owner: String,
}

/// Files, records and tokens.
#[derive(Debug)]
pub struct Store {
    incoming: PathBuf,
    blobs: Blobs,
    records: Records,
    ring: KeyRing,
    quotas: Quotas,
    patience: Duration,
    known: known::Known,
    /// Objects that are being uploaded, or are uploaded and about to be recorded.
    under_way: Mutex<HashSet<String>>,
}

impl Store {
    /// Opens a store; what is not there is made, for its owner only. A data folder of an older
    /// version is brought up to date, by one process at a time.
    pub async fn open(options: StoreOptions) -> Result<Arc<Store>, StoreError> {
        let StoreOptions { folder, place, database, quotas, lifetimes, patience, old_owner } =
            options;
        let layout = layout::Layout::open(&folder).await?;
        let place = place.unwrap_or_else(|| Place::Folder(folder.join("blobs")));
        let database = match database {
            Some(database) => database,
            None => match folder.join("resultant.db").to_str() {
                Some(path) => format!("sqlite:{path}"),
                None => {
                    return Err(StoreError::Address {
                        url: folder.display().to_string(),
                        reason: "its name is not Unicode".to_owned(),
                    });
                }
            },
        };
        let store = Store {
            incoming: layout.incoming(),
            blobs: Blobs::open(&place, patience).await?,
            records: Records::open(&database).await?,
            ring: KeyRing::new(lifetimes),
            quotas,
            patience,
            known: known::Known::default(),
            under_way: Mutex::default(),
        };
        layout.bring_up_to_date(&store, &old_owner).await?;
        Ok(Arc::new(store))
    }

    /// Where bytes are while they come in.
    pub fn incoming_folder(&self) -> &Path {
        &self.incoming
    }

    /// A new file that nobody knows yet. It blocks, and so does writing to it.
    pub fn incoming(&self) -> Result<Incoming, StoreError> {
        Ok(Incoming::new(&self.incoming, true)?)
    }

    /// The same for whoever computes the SHA-256 of the bytes anyway, and tells it in the end by
    /// [`Incoming::finish_known`].
    pub fn incoming_known(&self) -> Result<Incoming, StoreError> {
        Ok(Incoming::new(&self.incoming, false)?)
    }

    /// Finishes what is queued and closes.
    pub async fn close(&self) {
        self.records.close().await;
    }

    /// The bytes, to the sweep.
    pub(crate) fn blobs(&self) -> &Blobs {
        &self.blobs
    }

    /// The records, to the sweep.
    pub(crate) fn records(&self) -> &Records {
        &self.records
    }

    /// Whether somebody is about to record this object.
    pub(crate) fn is_under_way(&self, object: &str) -> bool {
        self.lock_under_way().contains(object)
    }

    /// For how many seconds a token is valid at most.
    pub(crate) fn lifetimes(&self) -> &Lifetimes {
        self.ring.lifetimes()
    }

    fn lock_under_way(&self) -> std::sync::MutexGuard<'_, HashSet<String>> {
        self.under_way.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Does something that must not take longer than the store may.
    async fn soon<T>(
        &self,
        work: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        within(self.patience, work).await
    }
}

/// Sessions.
impl Store {
    /// The session of this id; it is made where there is none.
    pub async fn open_session(
        &self,
        owner: &str,
        id: &str,
        kind: SessionKind,
        title: &str,
    ) -> Result<Session, StoreError> {
        self.soon(self.records.open_session(owner, id, kind, title)).await
    }

    /// One session of the owner's.
    pub async fn session(&self, owner: &str, id: &str) -> Result<Option<Session>, StoreError> {
        self.soon(self.records.session(owner, id)).await
    }

    /// The owner's sessions, the most recently used first.
    pub async fn sessions(&self, owner: &str, page: &Page) -> Result<Vec<Session>, StoreError> {
        self.soon(self.records.sessions(owner, page)).await
    }

    /// Opens a client's session and remembers what the client said of itself, for whichever gateway
    /// it comes to next.
    pub async fn open_client_session(
        &self,
        owner: &str,
        id: &str,
        client: &str,
    ) -> Result<(), StoreError> {
        self.open_session(owner, id, SessionKind::Mcp, "").await?;
        self.soon(self.records.set_client(owner, id, Some(client))).await
    }

    /// What the client of this session said of itself, while the session is open.
    pub async fn session_client(
        &self,
        owner: &str,
        id: &str,
    ) -> Result<Option<String>, StoreError> {
        self.soon(self.records.client(owner, id)).await
    }

    /// The client has closed its session: what is in it stays, and no gateway takes it up again.
    pub async fn close_client_session(&self, owner: &str, id: &str) -> Result<(), StoreError> {
        self.soon(self.records.set_client(owner, id, None)).await
    }

    /// Remembers something under the digest of a secret, for so long.
    pub async fn put_slip(
        &self,
        kind: SlipKind,
        digest: &str,
        data: &str,
        time: Duration,
    ) -> Result<(), StoreError> {
        self.soon(self.records.put_slip(kind, digest, data, millis(time))).await
    }

    /// What is remembered under this digest, for the one who asks first.
    pub async fn take_slip(
        &self,
        kind: SlipKind,
        digest: &str,
    ) -> Result<Option<String>, StoreError> {
        self.soon(self.records.take_slip(kind, digest)).await
    }

    /// What is remembered under this digest; its time starts again.
    pub async fn slip(
        &self,
        kind: SlipKind,
        digest: &str,
        time: Duration,
    ) -> Result<Option<String>, StoreError> {
        self.soon(self.records.slip(kind, digest, millis(time))).await
    }

    /// Whether other machines may have the same records.
    pub fn is_shared(&self) -> bool {
        self.records.is_shared()
    }

    /// Deletes a session with its files, tokens, dashboards and events; its calls stay for the
    /// audit. Says whether there was one.
    pub async fn delete_session(&self, owner: &str, id: &str) -> Result<bool, StoreError> {
        self.soon(self.records.delete_session(owner, id)).await
    }
}

/// Calls, events and dashboards.
impl Store {
    /// Writes something down in passing: in order, soon. Waits only where very much is queued.
    pub async fn record(&self, entry: Entry) {
        self.records.record(entry).await;
    }

    /// The same for what may be left out: never waits, and says whether there was room.
    pub fn try_record(&self, entry: Entry) -> bool {
        self.records.try_record(entry)
    }

    /// Waits until everything recorded before is on disk.
    pub async fn flush(&self) -> Result<(), StoreError> {
        self.records.flush().await
    }

    /// How many entries could not be written since this was opened.
    pub fn lost(&self) -> u64 {
        self.records.lost()
    }

    /// One call of the owner's, whole.
    pub async fn call(&self, owner: &str, id: Id) -> Result<Option<Call>, StoreError> {
        self.soon(self.records.call(owner, id)).await
    }

    /// Calls, newest first, without their arguments and raw answers.
    pub async fn calls(
        &self,
        owner: &str,
        filter: &CallFilter,
        page: &Page,
    ) -> Result<Vec<Call>, StoreError> {
        self.soon(self.records.calls(owner, filter, page)).await
    }

    /// What the calls of an owner came to, or those of everybody: at most a thousand rows.
    pub async fn totals(
        &self,
        owner: Option<&str>,
        filter: &CallFilter,
        by: TotalsBy,
    ) -> Result<Vec<Totals>, StoreError> {
        self.soon(self.records.totals(owner, filter, by)).await
    }

    /// Events of a session after this number, at most `count`.
    pub async fn events(
        &self,
        owner: &str,
        session: &str,
        after: i64,
        count: u32,
    ) -> Result<Vec<Event>, StoreError> {
        self.soon(self.records.events(owner, session, after, count)).await
    }

    /// The number of a session's newest event.
    pub async fn newest_event(&self, owner: &str, session: &str) -> Result<i64, StoreError> {
        self.soon(self.records.newest_event(owner, session)).await
    }

    /// Events after this number, and those to come.
    pub fn feed(&self, owner: &str, session: &str, after: i64) -> Feed {
        self.records.feed(owner, session, after)
    }

    /// Records a dashboard, or updates the one of the same server and id: what is not said stays.
    pub async fn update_dashboard(
        &self,
        update: &DashboardUpdate,
    ) -> Result<Dashboard, StoreError> {
        self.soon(self.records.update_dashboard(update)).await
    }

    /// The dashboards of a session, and the owner's pinned ones.
    pub async fn dashboards(
        &self,
        owner: &str,
        session: Option<&str>,
    ) -> Result<Vec<Dashboard>, StoreError> {
        self.soon(self.records.dashboards(owner, session)).await
    }

    /// Forgets a dashboard. Says whether there was one.
    pub async fn delete_dashboard(&self, dashboard: &Dashboard) -> Result<bool, StoreError> {
        self.soon(self.records.delete_dashboard(dashboard)).await
    }
}

#[cfg(test)]
mod tests;

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}
