//! Blobs: which object holds the bytes of a digest, for each owner apart.
//!
//! A row is what makes an object known. It is taken away before its object is, and only where no
//! file and no call names it.

use std::collections::HashSet;

use sqlx::{AssertSqlSafe, Row as _, any::AnyRow};

use super::{
    Records,
    database::{Write, fits, from_db, is_conflict, now_ms, to_db},
};
use crate::StoreError;

/// How often a sweep tries again when somebody named a blob at the same moment.
const TRIES_MAX: u32 = 5;
/// Names that are asked for in one statement.
const NAMES_MAX: usize = 500;

/// A blob as the database knows it: the bytes of a digest, for one owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Blob {
    pub(crate) owner: String,
    pub(crate) sha256: String,
    pub(crate) size: u64,
    /// The name of the object: unique for every upload, so that removing an old one can never hit a new one.
    pub(crate) object: String,
    /// BLAKE3 digests of its pieces, 32 bytes each.
    pub(crate) pieces: Vec<u8>,
}

/// How the bytes of a blob come to be where its object says.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Held<'a> {
    /// They were uploaded for this.
    Uploaded,
    /// The same, and the object of this name, which the owner's blob has, is gone.
    Instead(&'a str),
    /// [`Records::blob`] found them. [`StoreError::BlobGone`] where a sweep took them away since: they are then to be uploaded after all.
    Already,
}

impl Records {
    /// The owner's blob of this digest.
    pub(crate) async fn blob(&self, owner: &str, sha256: &str) -> Result<Option<Blob>, StoreError> {
        if !fits(owner) || !fits(sha256) {
            return Ok(None);
        }
        let sql = "SELECT owner, sha256, size, object, pieces FROM blobs \
                   WHERE owner = $1 AND sha256 = $2";
        let query = sqlx::query(sql).bind(owner).bind(sha256);
        let row = query.fetch_optional(&self.database.pool).await?;
        Ok(row.as_ref().map(read).transpose()?)
    }

    /// Records a blob that no file names, the raw answer of a call; says which object holds its bytes: another than `blob.object` where the owner had them. The call that names it has to be recorded before the sweep's grace is over.
    pub(crate) async fn add_raw_blob(
        &self,
        blob: &Blob,
        held: Held<'_>,
    ) -> Result<String, StoreError> {
        if !fits(&blob.owner) {
            return Err(StoreError::NoSession);
        }
        let mut write = self.database.write().await?;
        let object = record_blob(&mut write, blob, held).await?;
        write.commit().await?;
        Ok(object)
    }

    /// Forgets at most `count` blobs that no file and no call names and that nobody stored again since `before_ms`, and returns them: their objects can be deleted now, and only now.
    pub(crate) async fn take_unnamed_blobs(
        &self,
        before_ms: i64,
        count: u32,
    ) -> Result<Vec<Blob>, StoreError> {
        let mut tries = 1;
        loop {
            match self.take_blobs(before_ms, count).await {
                Err(error) if tries < TRIES_MAX && is_conflict(&error) => tries += 1,
                taken => return Ok(taken?),
            }
        }
    }

    async fn take_blobs(&self, before_ms: i64, count: u32) -> Result<Vec<Blob>, sqlx::Error> {
        // The age is asked for twice: the outer one is looked at again, by PostgreSQL, when the row was touched by somebody who is about to name it.
        let sql = "DELETE FROM blobs WHERE stored_ms < $1 AND object IN (\
                   SELECT b.object FROM blobs b WHERE b.stored_ms < $1 \
                   AND NOT EXISTS (SELECT 1 FROM files f \
                   WHERE f.owner = b.owner AND f.sha256 = b.sha256) \
                   AND NOT EXISTS (SELECT 1 FROM calls c \
                   WHERE c.owner = b.owner AND c.raw_sha256 = b.sha256) LIMIT $2) \
                   RETURNING owner, sha256, size, object, pieces";
        let mut write = self.database.write().await?;
        let query = sqlx::query(sql).bind(before_ms).bind(i64::from(count));
        let rows = query.fetch_all(write.on()).await?;
        let blobs = rows.iter().map(read).collect::<Result<_, _>>()?;
        write.commit().await?;
        Ok(blobs)
    }

    /// Which of these objects a blob names. Others were uploaded and never recorded, or forgotten and not deleted.
    pub(crate) async fn objects_known(
        &self,
        objects: &[String],
    ) -> Result<HashSet<String>, StoreError> {
        let mut known = HashSet::new();
        for names in objects.chunks(NAMES_MAX) {
            let places: Vec<String> = (1..=names.len()).map(|n| format!("${n}")).collect();
            let places = places.join(", ");
            let sql = format!("SELECT object FROM blobs WHERE object IN ({places})");
            let mut query = sqlx::query(AssertSqlSafe(sql)).persistent(false);
            for name in names {
                query = query.bind(&**name);
            }
            for row in query.fetch_all(&self.database.pool).await? {
                known.insert(row.try_get(0)?);
            }
        }
        Ok(known)
    }
}

/// Records a blob, or marks the one that is there as stored just now, which also keeps it from being deleted until the transaction ends. Says which object holds its bytes.
pub(super) async fn record_blob(
    write: &mut Write,
    blob: &Blob,
    held: Held<'_>,
) -> Result<String, StoreError> {
    if let Held::Already = held {
        let sql = "UPDATE blobs SET stored_ms = $4 \
                   WHERE owner = $1 AND sha256 = $2 AND object = $3 RETURNING object";
        let query = sqlx::query(sql).bind(&*blob.owner).bind(&*blob.sha256).bind(&*blob.object);
        let row = query.bind(now_ms()).fetch_optional(write.on()).await?;
        return Ok(row.ok_or(StoreError::BlobGone)?.try_get(0)?);
    }
    if let Held::Instead(lost) = held {
        // Whoever comes second finds another object than the one that was lost, and keeps that.
        let sql = "UPDATE blobs SET object = $4, pieces = $5 \
                   WHERE owner = $1 AND sha256 = $2 AND object = $3";
        let query = sqlx::query(sql).bind(&*blob.owner).bind(&*blob.sha256).bind(lost);
        query.bind(&*blob.object).bind(&*blob.pieces).execute(write.on()).await?;
        let sql = "UPDATE files SET object = $4 \
                   WHERE owner = $1 AND sha256 = $2 AND object = $3";
        let query = sqlx::query(sql).bind(&*blob.owner).bind(&*blob.sha256).bind(lost);
        query.bind(&*blob.object).execute(write.on()).await?;
    }
    let sql = "INSERT INTO blobs (owner, sha256, size, object, pieces, stored_ms) \
               VALUES ($1, $2, $3, $4, $5, $6) \
               ON CONFLICT (owner, sha256) DO UPDATE SET stored_ms = excluded.stored_ms \
               RETURNING object";
    let query = sqlx::query(sql).bind(&*blob.owner).bind(&*blob.sha256).bind(to_db(blob.size));
    let query = query.bind(&*blob.object).bind(&*blob.pieces).bind(now_ms());
    Ok(query.fetch_one(write.on()).await?.try_get(0)?)
}

fn read(row: &AnyRow) -> Result<Blob, sqlx::Error> {
    Ok(Blob {
        owner: row.try_get(0)?,
        sha256: row.try_get(1)?,
        size: from_db(row.try_get(2)?),
        object: row.try_get(3)?,
        pieces: row.try_get(4)?,
    })
}
