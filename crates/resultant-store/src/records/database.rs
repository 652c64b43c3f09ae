//! One way to SQLite and PostgreSQL: addresses, connections, and transactions that write.
//!
//! Both speak through the same driver interface and the same statements. What differs is known here
//! and in the schema only: SQLite has one writer at a time, so writers of this process stand in line
//! before they ask the file for its lock, instead of polling for it against each other.

use std::{path::Path, str::FromStr, sync::Arc, time::Duration};

use sqlx::{
    Any, AnyConnection, AnyPool, ConnectOptions as _, Connection as _, Transaction,
    any::{AnyConnectOptions, AnyPoolOptions},
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::StoreError;
pub(super) use crate::clock::now_ms;

/// How long somebody waits for a connection.
const ACQUIRE_MAX: Duration = Duration::from_secs(5);
/// How long somebody waits for the right to write in a SQLite file.
const WRITE_WAIT_MAX: Duration = Duration::from_secs(10);
/// Connections to one database. More would only wait inside of it.
const CONNECTIONS_MAX: u32 = 8;
/// Ids and owners longer than this are refused: an index entry has to fit a page.
const ID_BYTES_MAX: usize = 512;

/// Which database it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    Sqlite,
    Postgres,
}

/// Connections to a database.
pub(super) struct Database {
    pub(super) pool: AnyPool,
    pub(super) dialect: Dialect,
    /// Whether other processes can reach it.
    pub(super) is_shared: bool,
    /// Holds a password where there is one; nothing may print it.
    pub(super) url: String,
    writing: Arc<Semaphore>,
}

/// A transaction that may write. Dropped before its commit, nothing has happened.
pub(super) struct Write {
    transaction: Transaction<'static, Any>,
    _turn: OwnedSemaphorePermit,
}

impl Write {
    /// What statements run on.
    pub(super) fn on(&mut self) -> &mut AnyConnection {
        &mut self.transaction
    }

    /// Makes it last.
    pub(super) async fn commit(self) -> Result<(), sqlx::Error> {
        self.transaction.commit().await
    }
}

impl Database {
    /// Connects; a SQLite file that is not there is made, for its owner only.
    pub(super) async fn connect(address: &str) -> Result<Database, StoreError> {
        sqlx::any::install_default_drivers();
        let (dialect, url, is_shared) = read_address(address)?;
        let options = AnyConnectOptions::from_str(&url)
            .map_err(|_| refused(address, "it is not an address"))?
            .disable_statement_logging();
        let connections = if is_shared { CONNECTIONS_MAX } else { 1 };
        let mut pool = AnyPoolOptions::new()
            .max_connections(connections)
            .acquire_timeout(ACQUIRE_MAX)
            .test_before_acquire(dialect == Dialect::Postgres);
        if !is_shared {
            // What is in memory lives as long as its one connection.
            pool = pool.min_connections(1).idle_timeout(None).max_lifetime(None);
        }
        let pool = pool
            // SQLite ends a transaction by itself when the disk is full, and the driver does not
            // notice: such a connection is of no further use.
            .before_acquire(|connection, _| {
                let is_idle = !connection.is_in_transaction();
                Box::pin(std::future::ready(Ok(is_idle)))
            })
            .after_connect(move |connection, _| {
                Box::pin(async move {
                    let sql = match dialect {
                        Dialect::Sqlite => SQLITE_SETTINGS,
                        Dialect::Postgres => POSTGRES_SETTINGS,
                    };
                    sqlx::raw_sql(sql).execute(connection).await.map(drop)
                })
            })
            .connect_lazy_with(options);
        let writers = match dialect {
            Dialect::Sqlite => 1,
            Dialect::Postgres => CONNECTIONS_MAX as usize,
        };
        let database =
            Database { pool, dialect, is_shared, url, writing: Arc::new(Semaphore::new(writers)) };
        database.first_connection(address).await?;
        Ok(database)
    }

    /// Several processes that make one file at once may get in each other's way while it changes to its write-ahead log; that passes.
    async fn first_connection(&self, address: &str) -> Result<(), StoreError> {
        let mut tries = 0;
        loop {
            match self.pool.acquire().await {
                Ok(_) => return Ok(()),
                Err(error) if tries < 100 && is_busy(&error) => {
                    tries += 1;
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                Err(sqlx::Error::Configuration(error)) => {
                    return Err(refused(address, &error.to_string()));
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Begins a transaction that writes, after those of this process that came before.
    pub(super) async fn write(&self) -> Result<Write, sqlx::Error> {
        let turn = Arc::clone(&self.writing).acquire_owned();
        let turn = tokio::time::timeout(WRITE_WAIT_MAX, turn)
            .await
            .map_err(|_| sqlx::Error::PoolTimedOut)?
            .map_err(|_| sqlx::Error::PoolClosed)?;
        let transaction = match self.dialect {
            // The lock is taken at once: a transaction that reads first and writes later could find that somebody wrote in between.
            Dialect::Sqlite => self.pool.begin_with("BEGIN IMMEDIATE").await?,
            Dialect::Postgres => self.pool.begin().await?,
        };
        Ok(Write { transaction, _turn: turn })
    }
}

const SQLITE_SETTINGS: &str = "PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL; \
     PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;";
const POSTGRES_SETTINGS: &str = "SET statement_timeout = '15s'; SET lock_timeout = '10s'; \
     SET idle_in_transaction_session_timeout = '60s';";

/// Which database an address means, the address as the driver wants it, and whether others can reach it.
fn read_address(address: &str) -> Result<(Dialect, String, bool), StoreError> {
    if address.starts_with("postgres://") || address.starts_with("postgresql://") {
        return Ok((Dialect::Postgres, address.to_owned(), true));
    }
    let Some(path) = address.strip_prefix("sqlite:") else {
        return Err(refused(address, "it begins neither with sqlite: nor with postgres:"));
    };
    if path == ":memory:" || path == "//:memory:" {
        return Ok((Dialect::Sqlite, "sqlite::memory:".to_owned(), false));
    }
    let path = Path::new(path.strip_prefix("//").unwrap_or(path));
    let Some(name) = path.file_name() else {
        return Err(refused(address, "it names no file"));
    };
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let path = folder.canonicalize()?.join(name);
    make_private_file(&path)?;
    let mut url = "sqlite://".to_owned();
    for &byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.".contains(&byte) {
            url.push(char::from(byte));
        } else {
            url.push_str(&format!("%{byte:02X}"));
        }
    }
    Ok((Dialect::Sqlite, url, true))
}

/// Files that SQLite puts beside get the mode of this one.
fn make_private_file(path: &Path) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// The address without anything that could be a secret.
fn refused(address: &str, reason: &str) -> StoreError {
    let url = match url::Url::parse(address) {
        Ok(mut url) => {
            url.set_query(None);
            let _ = url.set_password(None);
            url.to_string()
        }
        Err(_) => address.split(':').next().unwrap_or_default().to_owned() + ":…",
    };
    StoreError::Address { url, reason: reason.to_owned() }
}

/// Whether something can be an id or an owner in both databases. What cannot is never there.
pub(super) fn fits(id: &str) -> bool {
    id.len() <= ID_BYTES_MAX && !id.contains('\0')
}

/// PostgreSQL has no place for the character zero in a text.
pub(super) fn without_zero(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}

/// A number of ours as the database takes it; no count of bytes gets that large.
pub(super) fn to_db(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A number of the database's that cannot be negative.
pub(super) fn from_db(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// A value in the database that this program did not write.
pub(super) fn strange(what: &'static str) -> sqlx::Error {
    sqlx::Error::Decode(format!("{what} is not what was written").into())
}

/// The code that the database gives for an error.
fn code(error: &sqlx::Error) -> Option<String> {
    error.as_database_error()?.code().map(|code| code.into_owned())
}

/// Whether SQLite says that somebody else is at it.
fn is_busy(error: &sqlx::Error) -> bool {
    code(error).and_then(|code| code.parse::<i32>().ok()).is_some_and(|n| matches!(n & 0xff, 5 | 6))
}

/// Whether another transaction that ran at the same time was in the way, so that the same again may succeed.
pub(super) fn is_conflict(error: &sqlx::Error) -> bool {
    error.as_database_error().is_some_and(|error| {
        error.is_unique_violation()
            || error.is_foreign_key_violation()
            || matches!(error.code().as_deref(), Some("40001" | "40P01"))
    })
}

/// Whether the same statement may succeed later, unchanged.
pub(super) fn is_passing(error: &sqlx::Error) -> bool {
    let Some(database) = error.as_database_error() else {
        return !matches!(error, sqlx::Error::Encode(_) | sqlx::Error::ColumnDecode { .. });
    };
    let code = database.code();
    let code = code.as_deref().unwrap_or_default();
    match code.parse::<i32>() {
        // SQLite's: busy, locked, no memory, read only, interrupted, input or output, full, cannot open, protocol.
        Ok(number) if code.len() < 5 => matches!(number & 0xff, 5 | 6 | 7 | 8 | 9 | 10 | 13..=15),
        // PostgreSQL's: connection, deadlock and serialization, resources, operator, system.
        _ => ["08", "25", "40", "53", "55", "57", "58"].iter().any(|class| code.starts_with(class)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_loses_its_secrets() {
        for address in [
            "postgre://me:hunter2@host/db",
            "mysql://me:hunter2@host/db?password=hunter2",
            "postgre://me:hunter2@ho st/db",
        ] {
            let error = read_address(address).unwrap_err().to_string();
            assert!(!error.contains("hunter2"), "{error}");
        }
    }
}
