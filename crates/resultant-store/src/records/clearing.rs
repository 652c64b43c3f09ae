//! Clearing away records: what is too old, and what is too much.
//!
//! Everything goes in small transactions, so that nobody waits long behind a sweep, and a sweep that
//! is broken off has done a part of the work and no harm.

use sqlx::Row as _;

use super::{Records, database::to_db};
use crate::StoreError;

/// How many rows go in one transaction.
const BATCH: i64 = 500;

impl Records {
    /// Deletes files that were kept before this, with their tokens; gives their bytes back to the quotas. Says how many.
    pub(crate) async fn delete_files_before(&self, before_ms: i64) -> Result<u64, StoreError> {
        let sql = "SELECT owner, key FROM files WHERE created_ms < $1 ORDER BY created_ms LIMIT $2";
        let mut count = 0;
        loop {
            let query = sqlx::query(sql).bind(before_ms).bind(BATCH);
            let rows = query.fetch_all(&self.database.pool).await?;
            if rows.is_empty() {
                return Ok(count);
            }
            let mut old: Vec<(String, String)> = Vec::with_capacity(rows.len());
            for row in rows {
                old.push((row.try_get(0)?, row.try_get(1)?));
            }
            old.sort();
            for files in old.chunk_by(|one, other| one.0 == other.0) {
                let keys: Vec<String> = files.iter().map(|(_, key)| key.clone()).collect();
                count += self.delete_files(&files[0].0, &keys).await?;
            }
        }
    }

    /// Deletes the oldest files of every user who has more bytes than this, until it is no more. Says how many.
    pub(crate) async fn delete_files_beyond(&self, user_bytes: u64) -> Result<u64, StoreError> {
        let limit = to_db(user_bytes);
        let sql = "SELECT id FROM users WHERE bytes > $1";
        let rows = sqlx::query(sql).bind(limit).fetch_all(&self.database.pool).await?;
        let mut count = 0;
        for row in rows {
            let owner: String = row.try_get(0)?;
            while let deleted = self.delete_oldest(&owner, limit).await?
                && deleted > 0
            {
                count += deleted;
            }
        }
        Ok(count)
    }

    /// One batch of an owner's oldest files, no more of them than needed.
    async fn delete_oldest(&self, owner: &str, limit: i64) -> Result<u64, StoreError> {
        let sql = "SELECT bytes FROM users WHERE id = $1";
        let row = sqlx::query(sql).bind(owner).fetch_optional(&self.database.pool).await?;
        let mut bytes: i64 = row.map_or(Ok(0), |row| row.try_get(0))?;
        if bytes <= limit {
            return Ok(0);
        }
        let sql = "SELECT key, size FROM files WHERE owner = $1 ORDER BY created_ms, key LIMIT $2";
        let rows = sqlx::query(sql).bind(owner).bind(BATCH).fetch_all(&self.database.pool).await?;
        let mut keys = Vec::new();
        for row in rows {
            if bytes <= limit {
                break;
            }
            bytes -= row.try_get::<i64, _>(1)?;
            keys.push(row.try_get::<String, _>(0)?);
        }
        self.delete_files(owner, &keys).await
    }

    /// Deletes records of calls that began before this; says how many.
    pub(crate) async fn delete_calls_before(&self, before_ms: i64) -> Result<u64, StoreError> {
        let sql = "DELETE FROM calls WHERE id IN \
                   (SELECT id FROM calls WHERE started_ms < $1 LIMIT $2)";
        self.delete_batches(sql, before_ms).await
    }

    /// Deletes events from before this; says how many. Their numbers are not given out again.
    pub(crate) async fn delete_events_before(&self, before_ms: i64) -> Result<u64, StoreError> {
        let sql = "DELETE FROM events WHERE (owner, session, number) IN \
                   (SELECT owner, session, number FROM events WHERE at_ms < $1 LIMIT $2)";
        self.delete_batches(sql, before_ms).await
    }

    /// Deletes tokens that ended before this, in seconds since 1970; says how many.
    pub(crate) async fn delete_tokens_before(&self, before_s: i64) -> Result<u64, StoreError> {
        let sql = "DELETE FROM tokens WHERE id IN \
                   (SELECT id FROM tokens WHERE expires_s < $1 LIMIT $2)";
        self.delete_batches(sql, before_s).await
    }

    /// Deletes keys that were made before this, in seconds since 1970, except the newest; says how many. Only for times so long ago that no token of them can still be valid.
    pub(crate) async fn delete_keys_before(&self, before_s: i64) -> Result<u64, StoreError> {
        let sql = "DELETE FROM keys WHERE kid IN (SELECT kid FROM keys WHERE created_s < $1 \
                   AND kid <> (SELECT kid FROM keys ORDER BY created_s DESC, kid DESC LIMIT 1) \
                   LIMIT $2)";
        self.delete_batches(sql, before_s).await
    }

    /// Deletes sessions in which nothing happened since, with all they have. Says how many sessions, and how many files they had.
    pub(crate) async fn delete_sessions_before(
        &self,
        before_ms: i64,
    ) -> Result<(u64, u64), StoreError> {
        let sql = "SELECT owner, id FROM sessions WHERE used_ms < $1 ORDER BY used_ms LIMIT $2";
        let (mut sessions, mut files) = (0, 0);
        loop {
            let query = sqlx::query(sql).bind(before_ms).bind(BATCH);
            let rows = query.fetch_all(&self.database.pool).await?;
            if rows.is_empty() {
                return Ok((sessions, files));
            }
            for row in rows {
                let (owner, id): (&str, &str) = (row.try_get(0)?, row.try_get(1)?);
                let deleted = self.delete_session_unused_since(owner, id, before_ms).await?;
                sessions += u64::from(deleted.is_some());
                files += deleted.unwrap_or(0);
            }
        }
    }

    /// Runs a statement that deletes some until there are none.
    async fn delete_batches(&self, sql: &'static str, before: i64) -> Result<u64, StoreError> {
        let mut count = 0;
        loop {
            let mut write = self.database.write().await?;
            let query = sqlx::query(sql).bind(before).bind(BATCH);
            let deleted = query.execute(write.on()).await?.rows_affected();
            write.commit().await?;
            count += deleted;
            if deleted == 0 {
                return Ok(count);
            }
        }
    }
}
