//! Slips: something to remember for a while under the digest of a secret, such as who signed in.
//!
//! The secret itself is never here, so who reads the database cannot act as anybody.

use sqlx::Row as _;

use super::{
    Records,
    database::{now_ms, without_zero},
};
use crate::StoreError;

/// So many of one kind are remembered; a further one takes the place of the one that ends first.
const SLIPS_MAX: i64 = 10_000;

/// What a slip is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlipKind {
    /// A code that opens the page, once.
    Code,
    /// A page's token.
    Page,
    /// A token with which a page offers tools.
    PageTools,
    /// A sign-in that was begun.
    SignIn,
}

impl SlipKind {
    fn spelled(self) -> &'static str {
        match self {
            SlipKind::Code => "code",
            SlipKind::Page => "page",
            SlipKind::PageTools => "page_tools",
            SlipKind::SignIn => "sign_in",
        }
    }
}

impl Records {
    /// Remembers something under a digest for so many milliseconds.
    pub(crate) async fn put_slip(
        &self,
        kind: SlipKind,
        digest: &str,
        data: &str,
        for_ms: i64,
    ) -> Result<(), StoreError> {
        let now = now_ms();
        let mut write = self.database.write().await?;
        let sql = "DELETE FROM slips WHERE kind = $1 AND (expires_ms <= $2 OR digest IN (SELECT \
                   digest FROM slips WHERE kind = $1 ORDER BY expires_ms DESC, digest \
                   LIMIT 1000000 OFFSET $3))";
        let query = sqlx::query(sql).bind(kind.spelled()).bind(now).bind(SLIPS_MAX - 1);
        query.execute(write.on()).await?;
        let sql = "INSERT INTO slips (digest, kind, data, expires_ms) VALUES ($1, $2, $3, $4)";
        let query = sqlx::query(sql).bind(digest).bind(kind.spelled()).bind(without_zero(data));
        query.bind(now.saturating_add(for_ms)).execute(write.on()).await?;
        Ok(write.commit().await?)
    }

    /// What is remembered under this digest, which is forgotten by that: only one who asks gets it.
    pub(crate) async fn take_slip(
        &self,
        kind: SlipKind,
        digest: &str,
    ) -> Result<Option<String>, StoreError> {
        let mut write = self.database.write().await?;
        let sql = "DELETE FROM slips WHERE digest = $1 AND kind = $2 RETURNING data, expires_ms";
        let query = sqlx::query(sql).bind(digest).bind(kind.spelled());
        let row = query.fetch_optional(write.on()).await?;
        write.commit().await?;
        let Some(row) = row else { return Ok(None) };
        let is_good = row.try_get::<i64, _>(1)? > now_ms();
        Ok(is_good.then(|| row.try_get(0)).transpose()?)
    }

    /// What is remembered under this digest. Its time starts again, to the nearest tenth.
    pub(crate) async fn slip(
        &self,
        kind: SlipKind,
        digest: &str,
        for_ms: i64,
    ) -> Result<Option<String>, StoreError> {
        let now = now_ms();
        let sql = "SELECT data, expires_ms FROM slips WHERE digest = $1 AND kind = $2";
        let query = sqlx::query(sql).bind(digest).bind(kind.spelled());
        let Some(row) = query.fetch_optional(&self.database.pool).await? else { return Ok(None) };
        let expires: i64 = row.try_get(1)?;
        if expires <= now {
            return Ok(None);
        }
        if expires - now < for_ms - for_ms / 10 {
            let mut write = self.database.write().await?;
            let sql = "UPDATE slips SET expires_ms = $3 WHERE digest = $1 AND kind = $2";
            let query = sqlx::query(sql).bind(digest).bind(kind.spelled());
            query.bind(now.saturating_add(for_ms)).execute(write.on()).await?;
            write.commit().await?;
        }
        Ok(Some(row.try_get(0)?))
    }
}
