//! Files: what an owner's bytes are called, what they are, and where they came from.

use std::borrow::Cow;

use sqlx::{AssertSqlSafe, Row as _, any::AnyRow};

use super::{
    Page, Records,
    blobs::{Held, record_blob},
    database::{Dialect, Write, fits, from_db, now_ms, strange, to_db, without_zero},
    sessions::lock_user,
};
use crate::{Id, Quotas, StoreError};

/// Files that are listed in one go.
const LIST_COUNT_MAX: u32 = 5000;

/// Where a file came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A tool returned it.
    Tool {
        /// The server.
        server: String,
        /// The tool.
        tool: String,
        /// The call, where one is recorded.
        call: Option<Id>,
    },
    /// A person or a program brought it.
    Upload,
}

/// A file to be.
#[derive(Clone, Debug)]
pub struct NewFile {
    /// Its name: one path segment, clean.
    pub name: String,
    /// Its media type.
    pub mime: String,
    /// What it is, for a person.
    pub description: Option<String>,
    /// How it is best shown.
    pub viewer: Option<String>,
    /// Where it came from.
    pub origin: Origin,
}

/// A file that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// What it is asked for by; nobody can guess it.
    pub key: Id,
    /// Whose it is.
    pub owner: String,
    /// The session it belongs to.
    pub session: String,
    /// Its name. The newest file of a name is the one the name means.
    pub name: String,
    /// Its media type.
    pub mime: String,
    /// Its bytes.
    pub size: u64,
    /// Their digest, as lower case hexadecimal digits.
    pub sha256: String,
    /// What it is, for a person.
    pub description: Option<String>,
    /// How it is best shown.
    pub viewer: Option<String>,
    /// Where it came from.
    pub origin: Origin,
    /// When it was kept, in milliseconds since 1970.
    pub created_ms: i64,
    /// Which object holds the bytes.
    pub(crate) object: String,
}

pub(crate) use super::blobs::Blob;

/// What is kept of a file, in this order.
macro_rules! columns {
    () => {
        "key, owner, session, name, mime, size, sha256, description, viewer, server, tool, call, \
         created_ms, object"
    };
}

impl Records {
    /// In one transaction: the blob is recorded unless the owner has it already, the file is recorded, user's and session's bytes are counted against the quotas.
    /// The file that is returned says which object holds the bytes: another than `blob.object` where the owner had them.
    /// The session must be there ([`StoreError::NoSession`]).
    pub(crate) async fn add_file(
        &self,
        session: &str,
        new: &NewFile,
        blob: &Blob,
        quotas: &Quotas,
        held: Held<'_>,
    ) -> Result<File, StoreError> {
        if !fits(&blob.owner) || !fits(session) {
            return Err(StoreError::NoSession);
        }
        let mut write = self.database.write().await?;
        count_for_user(&mut write, blob, quotas).await?;
        let created_ms = count_for_session(&mut write, session, blob, quotas).await?;
        let object = record_blob(&mut write, blob, held).await?;
        let file = File {
            key: Id::new(),
            owner: blob.owner.clone(),
            session: session.to_owned(),
            name: without_zero(&new.name),
            mime: without_zero(&new.mime),
            size: blob.size,
            sha256: blob.sha256.clone(),
            description: new.description.as_deref().map(without_zero),
            viewer: new.viewer.as_deref().map(without_zero),
            origin: new.origin.clone(),
            created_ms,
            object,
        };
        insert(&mut write, &file).await?;
        write.commit().await?;
        Ok(file)
    }

    /// One file of the owner's.
    pub(crate) async fn file(&self, owner: &str, key: Id) -> Result<Option<File>, StoreError> {
        Ok(self.file_of_token(key).await?.filter(|file| file.owner == owner))
    }

    /// One file whoever owns it: for a token, which says who.
    pub(crate) async fn file_of_token(&self, key: Id) -> Result<Option<File>, StoreError> {
        let sql = concat!("SELECT ", columns!(), " FROM files WHERE key = $1");
        let query = sqlx::query(sql).bind(key.to_string());
        let row = query.fetch_optional(&self.database.pool).await?;
        Ok(row.as_ref().map(read).transpose()?)
    }

    /// The newest file of this exact name (and digest) in the session; with `session` absent, in all of the owner's.
    pub(crate) async fn file_named(
        &self,
        owner: &str,
        session: Option<&str>,
        name: &str,
        sha256: Option<&str>,
    ) -> Result<Option<File>, StoreError> {
        let names = [Some(owner), session, Some(name), sha256];
        if names.iter().flatten().any(|name| !fits(name)) {
            return Ok(None);
        }
        let mut sql =
            concat!("SELECT ", columns!(), " FROM files WHERE owner = $1 AND name = $2").to_owned();
        let mut number = 2;
        for (condition, value) in [(" AND session = $", session), (" AND sha256 = $", sha256)] {
            if value.is_some() {
                number += 1;
                sql.push_str(condition);
                sql.push_str(&number.to_string());
            }
        }
        sql.push_str(" ORDER BY created_ms DESC, key DESC LIMIT 1");
        let mut query = sqlx::query(AssertSqlSafe(sql)).bind(owner).bind(name);
        for value in [session, sha256].into_iter().flatten() {
            query = query.bind(value);
        }
        let row = query.fetch_optional(&self.database.pool).await?;
        Ok(row.as_ref().map(read).transpose()?)
    }

    /// Files, newest first; of one session or of all.
    pub(crate) async fn files(
        &self,
        owner: &str,
        session: Option<&str>,
        page: &Page,
    ) -> Result<Vec<File>, StoreError> {
        if !fits(owner) || session.is_some_and(|session| !fits(session)) {
            return Ok(Vec::new());
        }
        let mut files: Vec<File> = Vec::new();
        let mut page = page.clone();
        loop {
            let count = page.count.min(LIST_COUNT_MAX);
            let part = self.files_part(owner, session, &page, count).await?;
            let is_last = part.len() < count as usize || page.count == count;
            page.count -= count;
            page.after = part.last().map(|file| (file.created_ms, file.key.to_string()));
            files.extend(part);
            if is_last {
                return Ok(files);
            }
        }
    }

    /// A part of a list as one value: ten thousand rows of fourteen columns take the driver many times as long as the database.
    async fn files_part(
        &self,
        owner: &str,
        session: Option<&str>,
        page: &Page,
        count: u32,
    ) -> Result<Vec<File>, StoreError> {
        let all = match self.database.dialect {
            Dialect::Sqlite => "json_group_array(json_array(",
            Dialect::Postgres => "CAST(json_agg(json_build_array(",
        };
        let end = match self.database.dialect {
            Dialect::Sqlite => "))",
            Dialect::Postgres => ")) AS TEXT)",
        };
        let columns = "key, session, name, mime, size, sha256, description, viewer, server, tool, \
                       call, created_ms, object";
        let of_session = if session.is_some() { " AND session = $5" } else { "" };
        let sql = format!(
            "SELECT {all}{columns}{end} FROM (SELECT {columns} FROM files \
             WHERE owner = $1{of_session} AND (created_ms, key) < ($2, $3) \
             ORDER BY created_ms DESC, key DESC LIMIT $4) AS part"
        );
        let (at, key) = page.after();
        let mut query = sqlx::query(AssertSqlSafe(sql)).bind(owner).bind(at).bind(key);
        query = query.bind(i64::from(count));
        if let Some(session) = session {
            query = query.bind(session);
        }
        let row = query.fetch_one(&self.database.pool).await?;
        let Some(list) = row.try_get::<Option<&str>, _>(0)? else { return Ok(Vec::new()) };
        let mut list: Vec<Listed<'_>> =
            serde_json::from_str(list).map_err(|_| strange("a list"))?;
        // Neither database promises to gather in the order of what it gathers from. Where it does, this is one look at each.
        list.sort_by(Listed::order);
        Ok(list.into_iter().map(|file| file.read(owner)).collect::<Result<_, _>>()?)
    }

    /// Deletes a file and its tokens, and gives its bytes back to the quotas. Its blob stays until a sweep finds that nobody names it.
    pub(crate) async fn delete_file(&self, owner: &str, key: Id) -> Result<bool, StoreError> {
        Ok(self.delete_files(owner, &[key.to_string()]).await? > 0)
    }

    /// Deletes some files of one owner, all or none; says how many were there.
    pub(super) async fn delete_files(
        &self,
        owner: &str,
        keys: &[String],
    ) -> Result<u64, StoreError> {
        if !fits(owner) {
            return Ok(0);
        }
        let mut write = self.database.write().await?;
        lock_user(&mut write, owner).await?;
        let mut found = Vec::new();
        for key in keys {
            let sql = "SELECT session, size FROM files WHERE key = $1 AND owner = $2";
            let query = sqlx::query(sql).bind(&**key).bind(owner);
            if let Some(row) = query.fetch_optional(write.on()).await? {
                found.push((row.try_get::<String, _>(0)?, key, row.try_get::<i64, _>(1)?));
            }
        }
        // Whoever takes the rows of several sessions takes them in this order.
        found.sort();
        for (session, key, size) in &found {
            let sql = "UPDATE sessions SET bytes = bytes - $3 WHERE owner = $1 AND id = $2";
            let query = sqlx::query(sql).bind(owner).bind(&**session).bind(*size);
            query.execute(write.on()).await?;
            let sql = "UPDATE users SET bytes = bytes - $2 WHERE id = $1";
            sqlx::query(sql).bind(owner).bind(*size).execute(write.on()).await?;
            let sql = "DELETE FROM tokens WHERE owner = $1 AND kind = 'file' AND subject = $2";
            sqlx::query(sql).bind(owner).bind(&***key).execute(write.on()).await?;
            let sql = "DELETE FROM files WHERE key = $1";
            sqlx::query(sql).bind(&***key).execute(write.on()).await?;
        }
        write.commit().await?;
        Ok(found.len() as u64)
    }
}

/// Counts bytes for the user, whose row is made where there is none.
async fn count_for_user(write: &mut Write, blob: &Blob, quotas: &Quotas) -> Result<(), StoreError> {
    let (size, limit) = (to_db(blob.size), to_db(quotas.user_bytes_max));
    let sql = "UPDATE users SET bytes = bytes + $2 WHERE id = $1 AND bytes <= $3 - $2";
    for is_first in [true, false] {
        let query = sqlx::query(sql).bind(&*blob.owner).bind(size).bind(limit);
        if query.execute(write.on()).await?.rows_affected() > 0 {
            return Ok(());
        }
        if is_first {
            let sql = "INSERT INTO users (id, bytes) VALUES ($1, 0) ON CONFLICT DO NOTHING";
            sqlx::query(sql).bind(&*blob.owner).execute(write.on()).await?;
        }
    }
    let limit = quotas.user_bytes_max;
    Err(StoreError::Quota { who: "this user", name: "user_bytes_max", limit })
}

/// Counts bytes for the session, and says when the file is made: later than any other of the session, so that the newest is never in doubt.
async fn count_for_session(
    write: &mut Write,
    session: &str,
    blob: &Blob,
    quotas: &Quotas,
) -> Result<i64, StoreError> {
    let (size, limit) = (to_db(blob.size), to_db(quotas.session_bytes_max));
    let sql = "UPDATE sessions SET bytes = bytes + $3, \
               used_ms = CASE WHEN used_ms < $5 THEN $5 ELSE used_ms END, \
               filed_ms = CASE WHEN filed_ms < $5 THEN $5 ELSE filed_ms + 1 END \
               WHERE owner = $1 AND id = $2 AND bytes <= $4 - $3 RETURNING filed_ms";
    let query = sqlx::query(sql).bind(&*blob.owner).bind(session).bind(size).bind(limit);
    if let Some(row) = query.bind(now_ms()).fetch_optional(write.on()).await? {
        return Ok(row.try_get(0)?);
    }
    let sql = "SELECT bytes FROM sessions WHERE owner = $1 AND id = $2";
    let query = sqlx::query(sql).bind(&*blob.owner).bind(session);
    if query.fetch_optional(write.on()).await?.is_none() {
        return Err(StoreError::NoSession);
    }
    let limit = quotas.session_bytes_max;
    Err(StoreError::Quota { who: "this session", name: "session_bytes_max", limit })
}

async fn insert(write: &mut Write, file: &File) -> Result<(), sqlx::Error> {
    let (server, tool, call) = match &file.origin {
        Origin::Upload => (None, None, None),
        Origin::Tool { server, tool, call } => {
            (Some(without_zero(server)), Some(without_zero(tool)), call.map(|id| id.to_string()))
        }
    };
    let sql = concat!(
        "INSERT INTO files (",
        columns!(),
        ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)"
    );
    sqlx::query(sql)
        .bind(file.key.to_string())
        .bind(&*file.owner)
        .bind(&*file.session)
        .bind(&*file.name)
        .bind(&*file.mime)
        .bind(to_db(file.size))
        .bind(&*file.sha256)
        .bind(file.description.as_deref())
        .bind(file.viewer.as_deref())
        .bind(server)
        .bind(tool)
        .bind(call)
        .bind(file.created_ms)
        .bind(&*file.object)
        .execute(write.on())
        .await
        .map(drop)
}

fn read(row: &AnyRow) -> Result<File, sqlx::Error> {
    let key: &str = row.try_get(0)?;
    Ok(File {
        key: key.parse().map_err(|_| strange("the key of a file"))?,
        owner: row.try_get(1)?,
        session: row.try_get(2)?,
        name: row.try_get(3)?,
        mime: row.try_get(4)?,
        size: from_db(row.try_get(5)?),
        sha256: row.try_get(6)?,
        description: row.try_get(7)?,
        viewer: row.try_get(8)?,
        origin: read_origin(row.try_get(9)?, row.try_get(10)?, row.try_get(11)?)?,
        created_ms: row.try_get(12)?,
        object: row.try_get(13)?,
    })
}

/// The columns of a file in a list. The owner is known.
#[derive(serde::Deserialize)]
struct Listed<'a>(
    #[serde(borrow)] Cow<'a, str>,
    String,
    String,
    String,
    i64,
    String,
    Option<String>,
    Option<String>,
    Option<String>,
    Option<String>,
    #[serde(borrow)] Option<Cow<'a, str>>,
    i64,
    String,
);

impl Listed<'_> {
    /// Newest first.
    fn order(&self, other: &Listed<'_>) -> std::cmp::Ordering {
        (other.11, &other.0).cmp(&(self.11, &self.0))
    }

    fn read(self, owner: &str) -> Result<File, sqlx::Error> {
        let Listed(key, session, name, mime, size, sha256, description, viewer, ..) = self;
        let (server, tool, call, created_ms, object) = (self.8, self.9, self.10, self.11, self.12);
        Ok(File {
            key: key.parse().map_err(|_| strange("the key of a file"))?,
            owner: owner.to_owned(),
            session,
            name,
            mime,
            size: from_db(size),
            sha256,
            description,
            viewer,
            origin: read_origin(server, tool, call.as_deref())?,
            created_ms,
            object,
        })
    }
}

fn read_origin(
    server: Option<String>,
    tool: Option<String>,
    call: Option<&str>,
) -> Result<Origin, sqlx::Error> {
    let Some(server) = server else { return Ok(Origin::Upload) };
    let call = call.map(|id| id.parse().map_err(|_| strange("the id of a call"))).transpose()?;
    Ok(Origin::Tool { server, tool: tool.unwrap_or_default(), call })
}
