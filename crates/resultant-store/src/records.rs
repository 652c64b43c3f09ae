//! Records of everything that is not bytes, in SQLite or PostgreSQL, one code path for both.
//!
//! What somebody waits for is written at once, each in its own transaction. What is only noted in
//! passing, calls and events, goes through one queue and is written many at a time.

pub(crate) mod blobs;
pub(crate) mod calls;
mod clearing;
pub(crate) mod dashboards;
mod database;
pub(crate) mod events;
pub(crate) mod files;
mod schema;
pub(crate) mod sessions;
pub(crate) mod slips;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod tokens;
pub(crate) mod totals;
mod wake;
mod writer;

use std::{fmt, sync::Arc};

use self::{calls::Call, database::Database, events::NewEvent, wake::Wake, writer::Writer};
use crate::StoreError;

/// A part of a long list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// At most so many.
    pub count: u32,
    /// What comes after this: the `created_ms`/`used_ms`/`started_ms` and id of the last one seen.
    pub after: Option<(i64, String)>,
}

impl Default for Page {
    fn default() -> Page {
        Page { count: 100, after: None }
    }
}

impl Page {
    /// What the list begins after. Nothing is later than the first of these.
    fn after(&self) -> (i64, &str) {
        match &self.after {
            Some((at, id)) if database::fits(id) => (*at, id),
            Some((at, _)) => (*at, ""),
            None => (i64::MAX, ""),
        }
    }
}

/// What is written in passing: in order, many at once, soon.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// A call has ended.
    Call(Box<Call>),
    /// Something happened in a session, which is made where there is none.
    Event(NewEvent),
}

/// The database.
pub(crate) struct Records {
    database: Arc<Database>,
    wake: Arc<Wake>,
    writer: Writer,
}

impl fmt::Debug for Records {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The address may hold a password.
        formatter.debug_struct("Records").field("dialect", &self.database.dialect).finish()
    }
}

impl Records {
    /// Opens a database by its address: `sqlite:PATH`, `sqlite::memory:`, `postgres://…`. Its tables are made or brought up to date, by one process at a time. `PATH` is taken as it is, without any encoding.
    pub(crate) async fn open(url: &str) -> Result<Records, StoreError> {
        let database = Arc::new(Database::connect(url).await?);
        schema::bring_up_to_date(&database).await?;
        let wake = Arc::new(Wake::new(Arc::clone(&database)));
        let writer = Writer::start(Arc::clone(&database), Arc::clone(&wake));
        Ok(Records { database, wake, writer })
    }

    /// Puts something in the queue of the writer. Waits only where the queue is full; what the writer cannot write within its tries is logged as an error.
    pub(crate) async fn record(&self, entry: Entry) {
        self.writer.record(entry).await;
    }

    /// The same for what may be left out: never waits, and says whether there was room.
    pub(crate) fn try_record(&self, entry: Entry) -> bool {
        self.writer.try_record(entry)
    }

    /// Waits until everything recorded before is on disk; the first failure since the last flush is returned.
    pub(crate) async fn flush(&self) -> Result<(), StoreError> {
        self.writer.flush().await
    }

    /// Whether other machines may have the same database.
    pub(crate) fn is_shared(&self) -> bool {
        self.database.dialect == database::Dialect::Postgres
    }

    /// How many entries could not be written since this was opened.
    pub(crate) fn lost(&self) -> u64 {
        self.writer.lost()
    }

    /// Finishes the queue and closes. Without this, what is queued is still written as long as the runtime lives.
    pub(crate) async fn close(&self) {
        if let Err(error) = self.flush().await {
            tracing::error!(%error, "records were lost");
        }
        self.wake.stop();
        self.writer.close();
        self.database.pool.close().await;
    }
}
