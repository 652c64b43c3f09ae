//! What was given out: a row for each capability token, so that it can be revoked and its use is known.

use sqlx::{Row as _, any::AnyRow};

use super::{
    Records,
    database::{Dialect, fits, from_db, strange, to_db},
    schema,
};
use crate::{
    Action, Audience, Id, Kind, StoreError,
    token::{Grant, Key},
};

/// A token as the database knows it. The token itself is not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRecord {
    /// Its name.
    pub id: Id,
    /// What it grants, and to whom.
    pub grant: Grant,
    /// When it was given out, in seconds since 1970.
    pub minted_s: i64,
    /// When it ends.
    pub expires_s: i64,
    /// How often it was used.
    pub uses: u64,
    /// When last, in milliseconds since 1970; 0 for never.
    pub used_ms: i64,
    /// Whether it was taken back.
    pub is_revoked: bool,
    /// Bytes that were served for it.
    pub served_bytes: u64,
}

impl TokenRecord {
    /// Whether a single use of a file of so many bytes is over.
    pub fn is_used_up(&self, size: u64) -> bool {
        // Nothing is served of an empty file, so there the first use is the only one.
        let is_served = if size == 0 { self.uses > 0 } else { self.served_bytes >= size };
        self.grant.is_single_use && is_served
    }
}

/// Which tokens are meant.
#[derive(Clone, Debug)]
pub enum TokenScope {
    /// One.
    Token(Id),
    /// Those of a file.
    File(Id),
    /// Those of a session.
    Session(String),
}

/// What is kept of a token, in this order.
macro_rules! columns {
    () => {
        "id, kind, subject, action, audience, owner, session, is_single_use, minted_s, expires_s, \
         uses, used_ms, is_revoked, served_bytes"
    };
}

impl Records {
    /// The keys that tokens are signed with, the newest first. Where the newest is older than `rotate_s` or there is none, a new one is made; two gateways that do so at once both go on with valid keys.
    pub(crate) async fn keys(&self, now_s: i64, rotate_s: i64) -> Result<Vec<Key>, StoreError> {
        let sql = "SELECT kid, secret, created_s FROM keys ORDER BY created_s DESC, kid DESC";
        let rows = sqlx::query(sql).fetch_all(&self.database.pool).await?;
        let keys = rows.iter().map(read_key).collect::<Result<Vec<_>, _>>()?;
        if is_fresh(&keys, now_s, rotate_s) {
            return Ok(keys);
        }
        let mut write = self.database.write().await?;
        if self.database.dialect == Dialect::Postgres {
            sqlx::query(schema::LOCK).execute(write.on()).await?;
        }
        // Somebody else may have made one while this waited.
        let rows = sqlx::query(sql).fetch_all(write.on()).await?;
        let mut keys = rows.iter().map(read_key).collect::<Result<Vec<_>, _>>()?;
        if !is_fresh(&keys, now_s, rotate_s) {
            let mut secret = [0; 32];
            getrandom::fill(&mut secret)
                .map_err(|error| StoreError::Folder(std::io::Error::other(error.to_string())))?;
            let kid = keys.iter().map(|key| key.kid).max().unwrap_or(0).wrapping_add(1);
            let sql = "INSERT INTO keys (kid, secret, created_s) VALUES ($1, $2, $3)";
            let query = sqlx::query(sql).bind(i64::from(kid)).bind(secret.to_vec()).bind(now_s);
            query.execute(write.on()).await?;
            keys.insert(0, Key { kid, secret, created_s: now_s });
        }
        write.commit().await?;
        Ok(keys)
    }

    /// Records a token.
    pub(crate) async fn add_token(&self, record: &TokenRecord) -> Result<(), StoreError> {
        let grant = &record.grant;
        if !fits(&grant.owner) || !fits(&grant.session) {
            return Err(StoreError::NoSession);
        }
        let mut write = self.database.write().await?;
        let sql = concat!(
            "INSERT INTO tokens (",
            columns!(),
            ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)"
        );
        sqlx::query(sql)
            .bind(record.id.to_string())
            .bind(spelled_kind(grant.kind))
            .bind(grant.subject.to_string())
            .bind(match grant.action {
                Action::Read => "read",
                Action::Write => "write",
            })
            .bind(match grant.audience {
                Audience::Tool => "tool",
                Audience::Person => "person",
            })
            .bind(&*grant.owner)
            .bind(&*grant.session)
            .bind(i64::from(grant.is_single_use))
            .bind(record.minted_s)
            .bind(record.expires_s)
            .bind(to_db(record.uses))
            .bind(record.used_ms)
            .bind(i64::from(record.is_revoked))
            .bind(to_db(record.served_bytes))
            .execute(write.on())
            .await?;
        Ok(write.commit().await?)
    }

    /// One token, whoever has it.
    pub(crate) async fn token(&self, id: Id) -> Result<Option<TokenRecord>, StoreError> {
        let sql = concat!("SELECT ", columns!(), " FROM tokens WHERE id = $1");
        let query = sqlx::query(sql).bind(id.to_string());
        let row = query.fetch_optional(&self.database.pool).await?;
        Ok(row.as_ref().map(read).transpose()?)
    }

    /// The tokens of a file that are neither revoked nor over, newest first.
    pub(crate) async fn tokens_of_file(
        &self,
        owner: &str,
        file: Id,
        now_s: i64,
    ) -> Result<Vec<TokenRecord>, StoreError> {
        if !fits(owner) {
            return Ok(Vec::new());
        }
        let sql = concat!(
            "SELECT ",
            columns!(),
            " FROM tokens WHERE owner = $1 AND subject = $2 AND kind = 'file' \
             AND is_revoked = 0 AND expires_s > $3 ORDER BY minted_s DESC, id DESC"
        );
        let query = sqlx::query(sql).bind(owner).bind(file.to_string()).bind(now_s);
        let rows = query.fetch_all(&self.database.pool).await?;
        Ok(rows.iter().map(read).collect::<Result<_, _>>()?)
    }

    /// Takes tokens of this owner back; says how many.
    pub(crate) async fn revoke(&self, owner: &str, scope: &TokenScope) -> Result<u64, StoreError> {
        let (sql, name) = match scope {
            TokenScope::Token(id) => (
                "UPDATE tokens SET is_revoked = 1 WHERE owner = $1 AND is_revoked = 0 AND id = $2",
                id.to_string(),
            ),
            TokenScope::File(key) => (
                "UPDATE tokens SET is_revoked = 1 \
                 WHERE owner = $1 AND is_revoked = 0 AND subject = $2 AND kind = 'file'",
                key.to_string(),
            ),
            TokenScope::Session(session) => (
                "UPDATE tokens SET is_revoked = 1 \
                 WHERE owner = $1 AND is_revoked = 0 AND session = $2",
                session.clone(),
            ),
        };
        if !fits(owner) || !fits(&name) {
            return Ok(0);
        }
        let mut write = self.database.write().await?;
        let query = sqlx::query(sql).bind(owner).bind(name);
        let count = query.execute(write.on()).await?.rows_affected();
        write.commit().await?;
        Ok(count)
    }

    /// Counts a use, if the token is not revoked; with `bytes_max`, only while what was served stays within it (single use). Says whether it may be used. Nothing can be served of an empty file, so there the first use is the only one.
    pub(crate) async fn use_token(
        &self,
        id: Id,
        bytes: u64,
        bytes_max: Option<u64>,
        now_ms: i64,
    ) -> Result<bool, StoreError> {
        let mut write = self.database.write().await?;
        let sql = "UPDATE tokens SET uses = uses + 1, used_ms = $2, \
                   served_bytes = served_bytes + $3 WHERE id = $1 AND is_revoked = 0 \
                   AND ($4 < 0 OR served_bytes <= $4 - $3) AND ($4 <> 0 OR uses = 0)";
        let query = sqlx::query(sql).bind(id.to_string()).bind(now_ms).bind(to_db(bytes));
        let query = query.bind(bytes_max.map_or(-1, to_db));
        let count = query.execute(write.on()).await?.rows_affected();
        write.commit().await?;
        Ok(count > 0)
    }

    /// Gives back bytes that were counted and not served.
    pub(crate) async fn give_back(&self, id: Id, bytes: u64) -> Result<(), StoreError> {
        let mut write = self.database.write().await?;
        let sql = "UPDATE tokens SET served_bytes = CASE WHEN served_bytes < $2 THEN 0 \
                   ELSE served_bytes - $2 END WHERE id = $1";
        let query = sqlx::query(sql).bind(id.to_string()).bind(to_db(bytes));
        query.execute(write.on()).await?;
        Ok(write.commit().await?)
    }
}

fn is_fresh(keys: &[Key], now_s: i64, rotate_s: i64) -> bool {
    keys.first().is_some_and(|key| now_s.saturating_sub(key.created_s) < rotate_s)
}

fn read_key(row: &AnyRow) -> Result<Key, sqlx::Error> {
    let kid: i64 = row.try_get(0)?;
    let secret: Vec<u8> = row.try_get(1)?;
    Ok(Key {
        kid: u32::try_from(kid).map_err(|_| strange("the number of a key"))?,
        secret: secret.try_into().map_err(|_| strange("a key"))?,
        created_s: row.try_get(2)?,
    })
}

pub(super) fn spelled_kind(kind: Kind) -> &'static str {
    match kind {
        Kind::File => "file",
        Kind::Dashboard => "dashboard",
    }
}

fn read(row: &AnyRow) -> Result<TokenRecord, sqlx::Error> {
    let (id, kind): (&str, &str) = (row.try_get(0)?, row.try_get(1)?);
    let (subject, action): (&str, &str) = (row.try_get(2)?, row.try_get(3)?);
    let grant = Grant {
        kind: match kind {
            "file" => Kind::File,
            "dashboard" => Kind::Dashboard,
            _ => return Err(strange("the kind of a token")),
        },
        subject: subject.parse().map_err(|_| strange("the subject of a token"))?,
        action: match action {
            "read" => Action::Read,
            "write" => Action::Write,
            _ => return Err(strange("the action of a token")),
        },
        audience: match row.try_get(4)? {
            "tool" => Audience::Tool,
            "person" => Audience::Person,
            _ => return Err(strange("the audience of a token")),
        },
        owner: row.try_get(5)?,
        session: row.try_get(6)?,
        is_single_use: row.try_get::<i64, _>(7)? != 0,
    };
    Ok(TokenRecord {
        id: id.parse().map_err(|_| strange("the id of a token"))?,
        grant,
        minted_s: row.try_get(8)?,
        expires_s: row.try_get(9)?,
        uses: from_db(row.try_get(10)?),
        used_ms: row.try_get(11)?,
        is_revoked: row.try_get::<i64, _>(12)? != 0,
        served_bytes: from_db(row.try_get(13)?),
    })
}
