//! What is written in passing: one queue, one task, many entries in one transaction.
//!
//! Whoever records something does not wait for the disk. While a transaction is on its way the queue
//! fills, and the next one takes all of it, so the busier it is the less an entry costs. The queue is
//! bounded in entries and in bytes. A database that fails is tried again for a while; then entries
//! are dropped, counted and logged, so that memory stays bounded and callers go on.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use sqlx::{AssertSqlSafe, Row as _};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};

use super::{
    Entry,
    calls::{self, Call},
    database::{Database, Dialect, Write, fits, is_passing, now_ms, without_zero},
    events::NewEvent,
    sessions::{DEFAULT_ID, SessionKind},
    wake::{self, Topic, Wake},
};
use crate::StoreError;

/// Entries that wait.
const QUEUE_COUNT_MAX: usize = 8192;
/// Bytes that wait, in units of a KiB.
const QUEUE_KIB_MAX: u32 = 32 * 1024;
/// Entries of one transaction.
const BATCH_COUNT_MAX: usize = 500;
/// Bytes of one transaction, about.
const BATCH_BYTES_MAX: usize = 4 << 20;
/// How long one transaction may take.
const TRY_MAX: Duration = Duration::from_secs(20);
/// How long a batch is tried again.
const TRIES_MAX: Duration = Duration::from_secs(30);
/// How long nothing is tried after a batch was given up.
const DOWN: Duration = Duration::from_secs(1);

enum Message {
    Entry { entry: Entry, bytes: usize, _room: OwnedSemaphorePermit },
    Flush(oneshot::Sender<Option<StoreError>>),
}

/// The way to the task that writes.
pub(super) struct Writer {
    queue: Mutex<Option<mpsc::Sender<Message>>>,
    room: Arc<Semaphore>,
    lost: Arc<AtomicU64>,
}

impl Writer {
    /// Starts the task; it ends when the writer is closed or dropped and the queue is written.
    pub(super) fn start(database: Arc<Database>, wake: Arc<Wake>) -> Writer {
        let (sender, receiver) = mpsc::channel(QUEUE_COUNT_MAX);
        let lost = Arc::new(AtomicU64::new(0));
        let task = Task { database, wake, lost: Arc::clone(&lost), failure: None, given_up: None };
        tokio::spawn(task.run(receiver));
        let room = Arc::new(Semaphore::new(QUEUE_KIB_MAX as usize));
        Writer { queue: Mutex::new(Some(sender)), room, lost }
    }

    fn queue(&self) -> Option<mpsc::Sender<Message>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) async fn record(&self, entry: Entry) {
        let (bytes, is_fit) = measure(&entry);
        if !is_fit {
            return self.lose("its owner or session cannot be kept");
        }
        let Some(queue) = self.queue() else {
            return self.lose("the database is closed");
        };
        let room = Arc::clone(&self.room).acquire_many_owned(kib(bytes)).await;
        let Ok(room) = room else { return };
        if queue.send(Message::Entry { entry, bytes, _room: room }).await.is_err() {
            self.lose("the writer has ended");
        }
    }

    /// The same without ever waiting. Says whether there was room.
    pub(super) fn try_record(&self, entry: Entry) -> bool {
        let (bytes, is_fit) = measure(&entry);
        let Some(queue) = self.queue().filter(|_| is_fit) else { return false };
        let Ok(room) = Arc::clone(&self.room).try_acquire_many_owned(kib(bytes)) else {
            return false;
        };
        queue.try_send(Message::Entry { entry, bytes, _room: room }).is_ok()
    }

    fn lose(&self, reason: &str) {
        self.lost.fetch_add(1, Ordering::Relaxed);
        tracing::error!(reason, "a record was lost");
    }

    pub(super) async fn flush(&self) -> Result<(), StoreError> {
        let closed = || StoreError::Records(sqlx::Error::PoolClosed);
        let queue = self.queue().ok_or_else(closed)?;
        let (sender, receiver) = oneshot::channel();
        queue.send(Message::Flush(sender)).await.map_err(|_| closed())?;
        match receiver.await.map_err(|_| closed())? {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    pub(super) fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Takes nothing more.
    pub(super) fn close(&self) {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

/// The room that an entry takes in the queue.
fn kib(bytes: usize) -> u32 {
    u32::try_from(bytes / 1024 + 1).unwrap_or(u32::MAX).min(QUEUE_KIB_MAX)
}

/// How much memory an entry takes, about, and whether the database can hold it.
fn measure(entry: &Entry) -> (usize, bool) {
    match entry {
        Entry::Event(event) => (
            event.owner.len() + event.session.len() + event.kind.len() + event.data.len() + 128,
            fits(&event.owner) && fits(&event.session),
        ),
        Entry::Call(call) => {
            let raw = match &call.raw {
                calls::Raw::Inline(bytes) => bytes.len(),
                _ => 0,
            };
            let texts = [&call.notes, &call.files, &call.handed, &call.server, &call.tool];
            let optional = [&call.arguments, &call.message].into_iter().flatten();
            let texts: usize = texts.into_iter().chain(optional).map(String::len).sum();
            (raw + texts + 1024, fits(&call.owner) && fits(&call.session))
        }
    }
}

struct Task {
    database: Arc<Database>,
    wake: Arc<Wake>,
    lost: Arc<AtomicU64>,
    /// The first failure since the last flush.
    failure: Option<StoreError>,
    /// When a batch was given up last, until one succeeds.
    given_up: Option<Instant>,
}

impl Task {
    async fn run(mut self, mut queue: mpsc::Receiver<Message>) {
        let mut next = queue.recv().await;
        while let Some(message) = next.take() {
            let (mut entries, mut rooms) = (Vec::new(), Vec::new());
            let (mut bytes, mut flush) = (0, None);
            let mut message = Some(message);
            while let Some(one) = message.take() {
                match one {
                    Message::Flush(sender) => flush = Some(sender),
                    Message::Entry { entry, bytes: more, _room: room } => {
                        bytes += more;
                        entries.push(entry);
                        rooms.push(room);
                    }
                }
                if flush.is_none() && entries.len() < BATCH_COUNT_MAX && bytes < BATCH_BYTES_MAX {
                    message = queue.try_recv().ok();
                }
            }
            self.write_all(&entries).await;
            drop(rooms);
            if let Some(flush) = flush {
                // Whoever asked may have gone; the failure is then for the next who asks.
                if let Err(failure) = flush.send(self.failure.take()) {
                    self.failure = failure;
                }
            }
            next = queue.recv().await;
        }
    }

    /// Writes entries in order; parts them where one of them is what the database does not take.
    async fn write_all(&mut self, entries: &[Entry]) {
        let mut parts = vec![entries];
        while let Some(part) = parts.pop() {
            if part.is_empty() {
                continue;
            }
            match self.write_patiently(part).await {
                Ok(()) => self.given_up = None,
                Err(error) if is_passing(&error) => {
                    self.given_up = Some(Instant::now());
                    self.lose(part.len(), error);
                }
                Err(error) if part.len() == 1 => self.lose(1, error),
                Err(_) => {
                    let (first, second) = part.split_at(part.len() / 2);
                    parts.extend([second, first]);
                }
            }
        }
    }

    fn lose(&mut self, count: usize, error: sqlx::Error) {
        self.lost.fetch_add(count as u64, Ordering::Relaxed);
        tracing::error!(count, %error, "records were lost: the database does not take them");
        self.failure.get_or_insert(StoreError::Records(error));
    }

    /// Tries as long as it may be worth it; not at all where it was not a moment ago.
    async fn write_patiently(&self, entries: &[Entry]) -> Result<(), sqlx::Error> {
        if self.given_up.is_some_and(|at| at.elapsed() < DOWN) {
            return Err(sqlx::Error::PoolTimedOut);
        }
        let patience = if self.given_up.is_some() { Duration::ZERO } else { TRIES_MAX };
        let start = Instant::now();
        let mut pause = Duration::from_millis(20);
        let mut perhaps = None;
        loop {
            let error = match self.write_once(entries, &mut perhaps).await {
                Ok(topics) => {
                    topics.into_iter().for_each(|topic| self.wake.one(topic));
                    return Ok(());
                }
                Err(error) => error,
            };
            if !is_passing(&error)
                || self.database.pool.is_closed()
                || start.elapsed() + pause > patience
            {
                return Err(error);
            }
            tracing::warn!(%error, "writing records failed and is tried again");
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(Duration::from_secs(2));
        }
    }

    async fn write_once(
        &self,
        entries: &[Entry],
        perhaps: &mut Option<i64>,
    ) -> Result<Vec<Topic>, sqlx::Error> {
        let attempt = async {
            if let Some(number) = *perhaps {
                if is_committed(&self.database, number).await? {
                    return Ok(topics(entries));
                }
                *perhaps = None;
            }
            write(&self.database, entries, perhaps).await.map(|()| topics(entries))
        };
        match self.database.dialect {
            // The file is here, and each step in it has its own bound.
            Dialect::Sqlite => attempt.await,
            Dialect::Postgres => {
                let attempt = tokio::time::timeout(TRY_MAX, attempt).await;
                attempt.unwrap_or(Err(sqlx::Error::PoolTimedOut))
            }
        }
    }
}

/// The sessions in which something happened.
fn topics(entries: &[Entry]) -> Vec<Topic> {
    let mut topics: Vec<Topic> = entries
        .iter()
        .filter_map(|entry| match entry {
            Entry::Event(event) => Some(wake::topic(&event.owner, &event.session)),
            Entry::Call(_) => None,
        })
        .collect();
    topics.sort_unstable();
    topics.dedup();
    topics
}

/// What became of a transaction whose commit was not answered.
async fn is_committed(database: &Database, number: i64) -> Result<bool, sqlx::Error> {
    let sql = "SELECT txid_status($1)";
    let row = sqlx::query(sql).bind(number).fetch_one(&database.pool).await?;
    match row.try_get::<Option<&str>, _>(0)? {
        Some("committed") => Ok(true),
        Some("in progress") => Err(sqlx::Error::PoolTimedOut),
        _ => Ok(false),
    }
}

/// Writes entries in one transaction. Where that fails with `perhaps` set, the connection broke while the transaction of that number was committed, and it may have been.
async fn write(
    database: &Database,
    entries: &[Entry],
    perhaps: &mut Option<i64>,
) -> Result<(), sqlx::Error> {
    let now = now_ms();
    // Every writer takes the rows of sessions in the same order, so none waits for another in a circle.
    let mut sessions: BTreeMap<(&str, &str), i64> = BTreeMap::new();
    let (mut calls, mut events) = (Vec::new(), Vec::new());
    for entry in entries {
        match entry {
            Entry::Call(call) => {
                sessions.entry((&call.owner, &call.session)).or_default();
                calls.push(&**call);
            }
            Entry::Event(event) => {
                *sessions.entry((&event.owner, &event.session)).or_default() += 1;
                events.push(event);
            }
        }
    }
    let mut write = database.write().await?;
    let mut number = None;
    if database.dialect == Dialect::Postgres {
        let row = sqlx::query("SELECT txid_current()").fetch_one(write.on()).await?;
        number = Some(row.try_get(0)?);
    }
    for ((owner, session), count) in &mut sessions {
        let newest = number_events(&mut write, owner, session, *count, now).await?;
        *count = newest - *count;
    }
    let mut numbered = Vec::with_capacity(events.len());
    for event in events {
        if let Some(last) = sessions.get_mut(&(&*event.owner, &*event.session)) {
            *last += 1;
            numbered.push((*last, event));
        }
    }
    insert_events(&mut write, &numbered, now).await?;
    insert_calls(&mut write, &calls).await?;
    if database.dialect == Dialect::Postgres {
        for topic in topics(entries) {
            sqlx::query(wake::NOTIFY).bind(wake::spelled(topic)).execute(write.on()).await?;
        }
    }
    *perhaps = number;
    write.commit().await
}

/// Takes numbers from a session's row, which nobody else can do until the transaction ends. Returns the newest number.
async fn number_events(
    write: &mut Write,
    owner: &str,
    session: &str,
    count: i64,
    now: i64,
) -> Result<i64, sqlx::Error> {
    let sql = "UPDATE sessions SET event_number = event_number + $3, \
               used_ms = CASE WHEN used_ms < $4 THEN $4 ELSE used_ms END \
               WHERE owner = $1 AND id = $2 RETURNING event_number";
    loop {
        let query = sqlx::query(sql).bind(owner).bind(session).bind(count).bind(now);
        if let Some(row) = query.fetch_optional(write.on()).await? {
            return row.try_get(0);
        }
        if count == 0 {
            return Ok(0);
        }
        let sql = "INSERT INTO sessions (owner, id, kind, title, created_ms, used_ms, filed_ms, \
                   bytes, event_number) VALUES ($1, $2, $3, '', $4, $4, 0, 0, \
                   COALESCE((SELECT events_floor FROM users WHERE id = $1), 0)) \
                   ON CONFLICT DO NOTHING";
        let kind = match session == DEFAULT_ID {
            true => SessionKind::Default,
            false => SessionKind::Mcp,
        };
        let query = sqlx::query(sql).bind(owner).bind(session).bind(kind.spelled());
        query.bind(now).execute(write.on()).await?;
    }
}

/// Rows that go in one statement: few sizes, so that the statements stay prepared.
fn in_sizes<T>(mut rows: &[T]) -> impl Iterator<Item = &[T]> {
    std::iter::from_fn(move || {
        let size = [64, 8, 1].into_iter().find(|size| *size <= rows.len())?;
        let (first, rest) = rows.split_at(size);
        rows = rest;
        Some(first)
    })
}

/// `($1, $2), ($3, $4)` and so on.
fn places(rows: usize, columns: usize) -> String {
    let mut places = String::new();
    for row in 0..rows {
        for column in 0..columns {
            places.push_str(match (row, column) {
                (0, 0) => "($",
                (_, 0) => "), ($",
                _ => ", $",
            });
            places.push_str(&(row * columns + column + 1).to_string());
        }
    }
    places.push(')');
    places
}

async fn insert_events(
    write: &mut Write,
    events: &[(i64, &NewEvent)],
    now: i64,
) -> Result<(), sqlx::Error> {
    for rows in in_sizes(events) {
        let places = places(rows.len(), 6);
        let sql = format!(
            "INSERT INTO events (owner, session, number, kind, data, at_ms) VALUES {places}"
        );
        let mut query = sqlx::query(AssertSqlSafe(sql));
        for (number, event) in rows {
            query = query.bind(&*event.owner).bind(&*event.session).bind(*number);
            query = query.bind(without_zero(&event.kind)).bind(without_zero(&event.data)).bind(now);
        }
        query.execute(write.on()).await?;
    }
    Ok(())
}

/// A call that is there already is the same call, written by a try that was not answered.
async fn insert_calls(write: &mut Write, calls: &[&Call]) -> Result<(), sqlx::Error> {
    for rows in in_sizes(calls) {
        let columns = calls::COLUMNS;
        let places = places(rows.len(), calls::COLUMN_COUNT);
        let sql =
            format!("INSERT INTO calls ({columns}) VALUES {places} ON CONFLICT (id) DO NOTHING");
        let mut query = sqlx::query(AssertSqlSafe(sql));
        for call in rows {
            query = calls::bind(query, call);
        }
        query.execute(write.on()).await?;
    }
    Ok(())
}
