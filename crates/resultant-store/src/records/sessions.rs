//! Sessions: the workspaces of a user, which files, calls and events belong to.

use sqlx::{Row as _, any::AnyRow};

use super::{
    Page, Records,
    database::{Dialect, Write, fits, from_db, now_ms, strange, without_zero},
    wake,
};
use crate::StoreError;

/// A session that was used so recently is not marked as used again.
const USED_AGAIN_MS: i64 = 60_000;

/// How a session came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionKind {
    /// Made over the HTTP API.
    Api,
    /// An MCP client's.
    Mcp,
    /// The one a user has without asking.
    Default,
}

/// The id of the session that a user has without asking.
pub(super) const DEFAULT_ID: &str = "default";

/// A session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Its name, unique among its owner's.
    pub id: String,
    /// Whose it is.
    pub owner: String,
    /// What a person calls it.
    pub title: String,
    /// How it came to be.
    pub kind: SessionKind,
    /// When, in milliseconds since 1970.
    pub created_ms: i64,
    /// When something last happened in it.
    pub used_ms: i64,
    /// The bytes of its files.
    pub bytes: u64,
}

/// What is read of a session, in this order.
macro_rules! columns {
    () => {
        "owner, id, kind, title, created_ms, used_ms, bytes"
    };
}

impl SessionKind {
    pub(super) fn spelled(self) -> &'static str {
        match self {
            SessionKind::Api => "api",
            SessionKind::Mcp => "mcp",
            SessionKind::Default => "default",
        }
    }

    fn read(text: &str) -> Option<SessionKind> {
        Some(match text {
            "api" => SessionKind::Api,
            "mcp" => SessionKind::Mcp,
            "default" => SessionKind::Default,
            _ => return None,
        })
    }
}

impl Records {
    /// The session of this id; it is made where there is none. An owner or an id of more than 512 bytes has no session ([`StoreError::NoSession`]).
    pub(crate) async fn open_session(
        &self,
        owner: &str,
        id: &str,
        kind: SessionKind,
        title: &str,
    ) -> Result<Session, StoreError> {
        let now = now_ms();
        if let Some(session) = self.session(owner, id).await?
            && now - session.used_ms < USED_AGAIN_MS
        {
            return Ok(session);
        }
        if !fits(owner) || !fits(id) {
            return Err(StoreError::NoSession);
        }
        let mut write = self.database.write().await?;
        // Whoever is just deleting it has then said which numbers its events had.
        lock_user(&mut write, owner).await?;
        let sql = concat!(
            "INSERT INTO sessions (owner, id, kind, title, created_ms, used_ms, filed_ms, bytes, \
             event_number) VALUES ($1, $2, $3, $4, $5, $5, 0, 0, \
             COALESCE((SELECT events_floor FROM users WHERE id = $1), 0)) \
             ON CONFLICT (owner, id) DO UPDATE SET used_ms = CASE \
             WHEN sessions.used_ms < excluded.used_ms THEN excluded.used_ms \
             ELSE sessions.used_ms END RETURNING ",
            columns!()
        );
        let query = sqlx::query(sql).bind(owner).bind(id).bind(kind.spelled());
        let row = query.bind(without_zero(title)).bind(now).fetch_one(write.on()).await?;
        let session = read(&row)?;
        write.commit().await?;
        Ok(session)
    }

    /// One session of the owner's.
    pub(crate) async fn session(
        &self,
        owner: &str,
        id: &str,
    ) -> Result<Option<Session>, StoreError> {
        if !fits(owner) || !fits(id) {
            return Ok(None);
        }
        let sql = concat!("SELECT ", columns!(), " FROM sessions WHERE owner = $1 AND id = $2");
        let query = sqlx::query(sql).bind(owner).bind(id);
        let row = query.fetch_optional(&self.database.pool).await?;
        Ok(row.as_ref().map(read).transpose()?)
    }

    /// What the client of a session said of itself, as it was told to [`Records::set_client`].
    pub(crate) async fn client(&self, owner: &str, id: &str) -> Result<Option<String>, StoreError> {
        if !fits(owner) || !fits(id) {
            return Ok(None);
        }
        let sql = "SELECT client FROM sessions WHERE owner = $1 AND id = $2";
        let query = sqlx::query(sql).bind(owner).bind(id);
        let row = query.fetch_optional(&self.database.pool).await?;
        Ok(row.map(|row| row.try_get(0)).transpose()?.flatten())
    }

    /// Remembers what the client of a session said of itself, for whichever gateway it comes to
    /// next; with nothing, it is forgotten.
    pub(crate) async fn set_client(
        &self,
        owner: &str,
        id: &str,
        client: Option<&str>,
    ) -> Result<(), StoreError> {
        let sql = "UPDATE sessions SET client = $3 WHERE owner = $1 AND id = $2";
        let mut write = self.database.write().await?;
        let query = sqlx::query(sql).bind(owner).bind(id).bind(client.map(without_zero));
        query.execute(write.on()).await?;
        Ok(write.commit().await?)
    }

    /// The owner's sessions, the most recently used first.
    pub(crate) async fn sessions(
        &self,
        owner: &str,
        page: &Page,
    ) -> Result<Vec<Session>, StoreError> {
        if !fits(owner) {
            return Ok(Vec::new());
        }
        let sql = concat!(
            "SELECT ",
            columns!(),
            " FROM sessions WHERE owner = $1 AND (used_ms, id) < ($2, $3) \
             ORDER BY used_ms DESC, id DESC LIMIT $4"
        );
        let (at, id) = page.after();
        let query = sqlx::query(sql).bind(owner).bind(at).bind(id).bind(i64::from(page.count));
        let rows = query.fetch_all(&self.database.pool).await?;
        Ok(rows.iter().map(read).collect::<Result<_, _>>()?)
    }

    /// Deletes a session with its files, tokens, dashboards that are not pinned, events; its calls stay for the audit. Says whether there was one.
    pub(crate) async fn delete_session(&self, owner: &str, id: &str) -> Result<bool, StoreError> {
        self.delete_session_unused_since(owner, id, i64::MAX).await.map(|files| files.is_some())
    }

    /// The same, if nothing happened in it since; says how many files it had.
    pub(super) async fn delete_session_unused_since(
        &self,
        owner: &str,
        id: &str,
        before_ms: i64,
    ) -> Result<Option<u64>, StoreError> {
        if !fits(owner) || !fits(id) {
            return Ok(None);
        }
        let mut write = self.database.write().await?;
        // Everybody takes the user's row first and the session's second.
        lock_user(&mut write, owner).await?;
        let sql = "UPDATE sessions SET used_ms = used_ms \
                   WHERE owner = $1 AND id = $2 AND used_ms < $3 RETURNING bytes, event_number";
        let query = sqlx::query(sql).bind(owner).bind(id).bind(before_ms);
        let Some(row) = query.fetch_optional(write.on()).await? else { return Ok(None) };
        let (bytes, newest): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
        let sql = "DELETE FROM tokens WHERE owner = $1 AND kind = 'file' AND subject IN \
                   (SELECT key FROM files WHERE owner = $1 AND session = $2)";
        sqlx::query(sql).bind(owner).bind(id).execute(write.on()).await?;
        let sql = "DELETE FROM files WHERE owner = $1 AND session = $2";
        let files = sqlx::query(sql).bind(owner).bind(id).execute(write.on()).await?;
        for sql in [
            "DELETE FROM tokens WHERE owner = $1 AND session = $2",
            "DELETE FROM dashboards WHERE owner = $1 AND session = $2 AND persistence <> 'pinned'",
            "DELETE FROM events WHERE owner = $1 AND session = $2",
            "DELETE FROM sessions WHERE owner = $1 AND id = $2",
        ] {
            sqlx::query(sql).bind(owner).bind(id).execute(write.on()).await?;
        }
        let sql = "INSERT INTO users (id, bytes, events_floor) VALUES ($1, 0, $3) \
                   ON CONFLICT (id) DO UPDATE SET bytes = users.bytes - $2, events_floor = \
                   CASE WHEN users.events_floor < $3 THEN $3 ELSE users.events_floor END";
        sqlx::query(sql).bind(owner).bind(bytes).bind(newest).execute(write.on()).await?;
        // Those who listen to it are told that there is nothing more to come.
        let topic = wake::topic(owner, id);
        if self.database.dialect == Dialect::Postgres {
            sqlx::query(wake::NOTIFY).bind(wake::spelled(topic)).execute(write.on()).await?;
        }
        write.commit().await?;
        self.wake.one(topic);
        Ok(Some(files.rows_affected()))
    }
}

/// Keeps others from changing what a user has until the transaction ends.
pub(super) async fn lock_user(write: &mut Write, owner: &str) -> Result<(), sqlx::Error> {
    let sql = "UPDATE users SET bytes = bytes WHERE id = $1";
    sqlx::query(sql).bind(owner).execute(write.on()).await.map(drop)
}

fn read(row: &AnyRow) -> Result<Session, sqlx::Error> {
    Ok(Session {
        owner: row.try_get(0)?,
        id: row.try_get(1)?,
        kind: SessionKind::read(row.try_get(2)?).ok_or_else(|| strange("a kind of session"))?,
        title: row.try_get(3)?,
        created_ms: row.try_get(4)?,
        used_ms: row.try_get(5)?,
        bytes: from_db(row.try_get(6)?),
    })
}
