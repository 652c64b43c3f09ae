//! The tables, and how a database of an older version becomes one of this.
//!
//! All steps that are missing run in one transaction under one lock, so a database is of the old
//! version or of the new one, however many gateways start at once and whichever of them ends early.

use sqlx::AssertSqlSafe;
use sqlx::Row as _;

use super::database::{Database, Dialect};
use crate::StoreError;

/// Whoever changes tables or makes a key holds this lock of PostgreSQL's.
pub(super) const LOCK: &str = "SELECT pg_advisory_xact_lock(7310868735422)";

/// What each version added, oldest first. A step that was released is never changed.
const STEPS: &[&str] = &[TABLES, EVENTS_FLOOR, DASHBOARD_TOKENS, DASHBOARD_SERVERS];

/// The highest number that an event of a session had which is deleted: numbers of its user's
/// sessions that are made later go on from there. Blobs have more and smaller pieces from here on,
/// which a gateway of the version before would take for damage.
const EVENTS_FLOOR: &str = "ALTER TABLE users ADD COLUMN events_floor BIGINT NOT NULL DEFAULT 0;";

/// What opened a dashboard, and the token that its frame is to be given.
const DASHBOARD_TOKENS: &str = "ALTER TABLE dashboards ADD COLUMN tool {text};
ALTER TABLE dashboards ADD COLUMN call_id {text};
ALTER TABLE dashboards ADD COLUMN token {text};";

/// Two servers may call a dashboard the same.
const DASHBOARD_SERVERS: &str = "ALTER TABLE dashboards RENAME TO dashboards_before;
CREATE TABLE dashboards (
    owner {text} NOT NULL,
    session {text} NOT NULL,
    server {text} NOT NULL,
    id {text} NOT NULL,
    title {text},
    url {text},
    mode {text},
    persistence {text} NOT NULL,
    is_open BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL,
    tool {text},
    call_id {text},
    token {text},
    PRIMARY KEY (owner, session, server, id)
);
INSERT INTO dashboards SELECT owner, session, server, id, title, url, mode, persistence, is_open,
    updated_ms, tool, call_id, token FROM dashboards_before;
DROP TABLE dashboards_before;
CREATE UNIQUE INDEX dashboards_pinned ON dashboards (owner, server, id)
    WHERE persistence = 'pinned';";

/// `{text}` and `{bytes}` differ between the two databases; everything else is the same.
const TABLES: &str = r"
CREATE TABLE users (
    id {text} NOT NULL PRIMARY KEY,
    bytes BIGINT NOT NULL
);
CREATE TABLE sessions (
    owner {text} NOT NULL,
    id {text} NOT NULL,
    kind {text} NOT NULL,
    title {text} NOT NULL,
    created_ms BIGINT NOT NULL,
    used_ms BIGINT NOT NULL,
    filed_ms BIGINT NOT NULL,
    bytes BIGINT NOT NULL,
    event_number BIGINT NOT NULL,
    client {text},
    PRIMARY KEY (owner, id)
);
CREATE INDEX sessions_used ON sessions (owner, used_ms, id);
CREATE INDEX sessions_age ON sessions (used_ms);
CREATE TABLE blobs (
    owner {text} NOT NULL,
    sha256 {text} NOT NULL,
    size BIGINT NOT NULL,
    object {text} NOT NULL UNIQUE,
    pieces {bytes} NOT NULL,
    stored_ms BIGINT NOT NULL,
    PRIMARY KEY (owner, sha256)
);
CREATE INDEX blobs_age ON blobs (stored_ms);
CREATE TABLE files (
    key {text} NOT NULL PRIMARY KEY,
    owner {text} NOT NULL,
    session {text} NOT NULL,
    name {text} NOT NULL,
    mime {text} NOT NULL,
    size BIGINT NOT NULL,
    sha256 {text} NOT NULL,
    object {text} NOT NULL,
    description {text},
    viewer {text},
    server {text},
    tool {text},
    call {text},
    created_ms BIGINT NOT NULL,
    FOREIGN KEY (owner, sha256) REFERENCES blobs (owner, sha256) ON DELETE RESTRICT,
    FOREIGN KEY (owner, session) REFERENCES sessions (owner, id) ON DELETE RESTRICT
);
CREATE INDEX files_session ON files (owner, session, created_ms, key);
CREATE INDEX files_owner ON files (owner, created_ms, key);
CREATE INDEX files_session_name ON files (owner, session, name, created_ms);
CREATE INDEX files_name ON files (owner, name, created_ms);
CREATE INDEX files_blob ON files (owner, sha256);
CREATE INDEX files_age ON files (created_ms);
CREATE TABLE calls (
    id {text} NOT NULL PRIMARY KEY,
    owner {text} NOT NULL,
    session {text} NOT NULL,
    server {text} NOT NULL,
    tool {text} NOT NULL,
    client {text} NOT NULL,
    arguments_sha256 {text} NOT NULL,
    arguments {text},
    ending {text} NOT NULL,
    message {text},
    started_ms BIGINT NOT NULL,
    duration_us BIGINT NOT NULL,
    bytes_in BIGINT NOT NULL,
    bytes_out BIGINT NOT NULL,
    tokens_in BIGINT NOT NULL,
    tokens_out BIGINT NOT NULL,
    notes {text} NOT NULL,
    files {text} NOT NULL,
    handed {text} NOT NULL,
    raw {bytes},
    raw_sha256 {text},
    raw_size BIGINT
);
CREATE INDEX calls_owner ON calls (owner, started_ms, id);
CREATE INDEX calls_session ON calls (owner, session, started_ms, id);
CREATE INDEX calls_raw ON calls (owner, raw_sha256) WHERE raw_sha256 IS NOT NULL;
CREATE INDEX calls_age ON calls (started_ms);
CREATE TABLE tokens (
    id {text} NOT NULL PRIMARY KEY,
    kind {text} NOT NULL,
    subject {text} NOT NULL,
    action {text} NOT NULL,
    audience {text} NOT NULL,
    owner {text} NOT NULL,
    session {text} NOT NULL,
    is_single_use BIGINT NOT NULL,
    minted_s BIGINT NOT NULL,
    expires_s BIGINT NOT NULL,
    uses BIGINT NOT NULL,
    used_ms BIGINT NOT NULL,
    is_revoked BIGINT NOT NULL,
    served_bytes BIGINT NOT NULL
);
CREATE INDEX tokens_subject ON tokens (owner, subject, minted_s);
CREATE INDEX tokens_session ON tokens (owner, session);
CREATE INDEX tokens_age ON tokens (expires_s);
CREATE TABLE keys (
    kid BIGINT NOT NULL PRIMARY KEY,
    secret {bytes} NOT NULL,
    created_s BIGINT NOT NULL
);
CREATE TABLE slips (
    digest {text} NOT NULL PRIMARY KEY,
    kind {text} NOT NULL,
    data {text} NOT NULL,
    expires_ms BIGINT NOT NULL
);
CREATE INDEX slips_age ON slips (kind, expires_ms);
CREATE TABLE dashboards (
    owner {text} NOT NULL,
    session {text} NOT NULL,
    id {text} NOT NULL,
    title {text},
    url {text},
    mode {text},
    persistence {text} NOT NULL,
    server {text} NOT NULL,
    is_open BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL,
    PRIMARY KEY (owner, session, id)
);
CREATE UNIQUE INDEX dashboards_pinned ON dashboards (owner, id) WHERE persistence = 'pinned';
CREATE TABLE events (
    owner {text} NOT NULL,
    session {text} NOT NULL,
    number BIGINT NOT NULL,
    kind {text} NOT NULL,
    data {text} NOT NULL,
    at_ms BIGINT NOT NULL,
    PRIMARY KEY (owner, session, number)
);
CREATE INDEX events_age ON events (at_ms);
";

/// Makes the tables, or brings them up to date.
pub(super) async fn bring_up_to_date(database: &Database) -> Result<(), StoreError> {
    let mut write = database.write().await?;
    if database.dialect == Dialect::Postgres {
        // However long another gateway takes to bring them up to date, this one waits for it.
        for sql in ["SET LOCAL lock_timeout = 0", "SET LOCAL statement_timeout = 0", LOCK] {
            sqlx::query(sql).execute(write.on()).await?;
        }
    }
    let table = "CREATE TABLE IF NOT EXISTS resultant_version (version BIGINT NOT NULL)";
    sqlx::query(table).execute(write.on()).await?;
    let found = sqlx::query("SELECT version FROM resultant_version").fetch_optional(write.on());
    let found: i64 = found.await?.map_or(Ok(0), |row| row.try_get(0))?;
    let known = i64::try_from(STEPS.len()).unwrap_or(i64::MAX);
    if found > known {
        return Err(StoreError::Version { what: "the database", found, known });
    }
    let done = usize::try_from(found).unwrap_or(0);
    for step in STEPS.iter().skip(done) {
        sqlx::raw_sql(AssertSqlSafe(spelled(step, database.dialect))).execute(write.on()).await?;
    }
    if found < known {
        sqlx::query("DELETE FROM resultant_version").execute(write.on()).await?;
        let insert = sqlx::query("INSERT INTO resultant_version (version) VALUES ($1)");
        insert.bind(known).execute(write.on()).await?;
    }
    Ok(write.commit().await?)
}

/// A step in the words of one database.
fn spelled(step: &str, dialect: Dialect) -> String {
    let (text, bytes) = match dialect {
        Dialect::Sqlite => ("TEXT", "BLOB"),
        // Ids compare by their bytes, the same in every database, whatever its language is.
        Dialect::Postgres => ("TEXT COLLATE \"C\"", "BYTEA"),
    };
    step.replace("{text}", text).replace("{bytes}", bytes)
}
