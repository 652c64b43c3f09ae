//! Events of a session, in an order that all who listen agree on.
//!
//! A number is taken from the session's row in the transaction that writes the event, so a higher number is never seen before a lower one. The table is the truth; that something is new there is only a hint, in the process and through PostgreSQL's notifications.

use std::{collections::VecDeque, fmt, sync::Arc, time::Duration};

use sqlx::{Row as _, any::AnyRow};
use tokio::sync::watch;

use super::{
    Records,
    database::{Database, fits},
    wake::{Topic, Wake, topic},
};
use crate::StoreError;

/// How long a feed trusts that nobody hinted.
const LOOK_AGAIN: Duration = Duration::from_secs(5);
/// How long a feed waits for the database before it says so.
const LOOK_SECONDS_MAX: u64 = 20;
/// Events that a feed reads at once.
const READ_COUNT: u32 = 256;

/// Something that happened, to be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEvent {
    /// Whose session.
    pub owner: String,
    /// Which.
    pub session: String,
    /// What kind of thing, such as `tool_start`.
    pub kind: String,
    /// What there is to say, as a JSON object.
    pub data: String,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its number in the session: one more than that of the event before.
    pub number: i64,
    /// What kind of thing.
    pub kind: String,
    /// What there is to say, as a JSON object.
    pub data: String,
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
}

/// The events of one session as they happen, each once and in order.
pub struct Feed {
    owner: String,
    session: String,
    topic: Topic,
    /// The number of the last event that was read.
    last: i64,
    /// When the session was made, once it was seen.
    created_ms: Option<i64>,
    read: VecDeque<Event>,
    hint: watch::Receiver<()>,
    wake: Arc<Wake>,
}

impl fmt::Debug for Feed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut formatter = formatter.debug_struct("Feed");
        formatter.field("session", &self.session).field("last", &self.last).finish_non_exhaustive()
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        self.wake.unsubscribe(self.topic);
    }
}

impl Feed {
    /// The next event, from wherever it was written. [`StoreError::NoSession`] when the session was deleted, also where one of the same id was made again. Another `Err` when the database fails; the feed can then be asked again. Nothing is lost when this is dropped while it waits.
    pub async fn next(&mut self) -> Result<Event, StoreError> {
        loop {
            if let Some(event) = self.read.pop_front() {
                return Ok(event);
            }
            // What comes from here on is hinted at again.
            self.hint.borrow_and_update();
            let patience = Duration::from_secs(LOOK_SECONDS_MAX);
            let looked = tokio::time::timeout(patience, self.look()).await;
            looked.map_err(|_| StoreError::Late { seconds: LOOK_SECONDS_MAX })??;
            if self.read.is_empty() {
                // Either way it is time to look; that nobody can hint any more is found out there.
                let _ = tokio::time::timeout(LOOK_AGAIN, self.hint.changed()).await;
            }
        }
    }

    /// Reads what is new. Where nothing is, this is one look at one row.
    async fn look(&mut self) -> Result<(), StoreError> {
        if !fits(&self.owner) || !fits(&self.session) {
            return Ok(());
        }
        let database = &self.wake.database;
        let found = newest(database, &self.owner, &self.session).await?;
        let newest = match (self.created_ms, found) {
            (None, None) => return Ok(()),
            (Some(known), Some((newest, created_ms))) if known == created_ms => newest,
            (Some(_), _) => return Err(StoreError::NoSession),
            (None, Some((newest, created_ms))) => {
                self.created_ms = Some(created_ms);
                newest
            }
        };
        if newest < self.last {
            // No event of this session has had that number.
            self.last = 0;
        }
        if newest > self.last {
            let events = after(database, &self.owner, &self.session, self.last, READ_COUNT).await?;
            // Where they were cleared away meanwhile, there is nothing to wait for.
            self.last = events.last().map_or(newest, |event| event.number);
            self.read.extend(events);
        }
        Ok(())
    }
}

impl Records {
    /// Events after this number, at most `count`.
    pub(crate) async fn events(
        &self,
        owner: &str,
        session: &str,
        number: i64,
        count: u32,
    ) -> Result<Vec<Event>, StoreError> {
        if !fits(owner) || !fits(session) {
            return Ok(Vec::new());
        }
        Ok(after(&self.database, owner, session, number, count).await?)
    }

    /// The number of the newest event.
    pub(crate) async fn newest_event(&self, owner: &str, session: &str) -> Result<i64, StoreError> {
        if !fits(owner) || !fits(session) {
            return Ok(0);
        }
        Ok(newest(&self.database, owner, session).await?.map_or(0, |(newest, _)| newest))
    }

    /// Events after this number, and those to come. Must be called in a runtime.
    pub(crate) fn feed(&self, owner: &str, session: &str, after: i64) -> Feed {
        let topic = topic(owner, session);
        Feed {
            owner: owner.to_owned(),
            session: session.to_owned(),
            topic,
            last: after.max(0),
            created_ms: None,
            read: VecDeque::new(),
            hint: self.wake.subscribe(topic),
            wake: Arc::clone(&self.wake),
        }
    }
}

/// The number of a session's newest event, and when the session was made.
async fn newest(
    database: &Database,
    owner: &str,
    session: &str,
) -> Result<Option<(i64, i64)>, sqlx::Error> {
    let sql = "SELECT event_number, created_ms FROM sessions WHERE owner = $1 AND id = $2";
    let row = sqlx::query(sql).bind(owner).bind(session).fetch_optional(&database.pool).await?;
    row.map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).transpose()
}

async fn after(
    database: &Database,
    owner: &str,
    session: &str,
    number: i64,
    count: u32,
) -> Result<Vec<Event>, sqlx::Error> {
    let sql = "SELECT number, kind, data, at_ms FROM events \
               WHERE owner = $1 AND session = $2 AND number > $3 ORDER BY number LIMIT $4";
    let query = sqlx::query(sql).bind(owner).bind(session).bind(number).bind(i64::from(count));
    query.fetch_all(&database.pool).await?.iter().map(read).collect()
}

fn read(row: &AnyRow) -> Result<Event, sqlx::Error> {
    Ok(Event {
        number: row.try_get(0)?,
        kind: row.try_get(1)?,
        data: row.try_get(2)?,
        at_ms: row.try_get(3)?,
    })
}
