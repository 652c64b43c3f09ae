//! Dashboards: what a result asked to be kept open.

use std::fmt;

use sqlx::{Row as _, any::AnyRow};

use super::{
    Records,
    database::{fits, is_conflict, strange, without_zero},
};
use crate::StoreError;

/// How often a dashboard that somebody else sets at the same time is tried.
const TRIES_MAX: u32 = 5;

/// How long a dashboard stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Persistence {
    /// While the page is open.
    Ephemeral,
    /// As long as its session.
    Session,
    /// Until the person closes it.
    Pinned,
}

/// The token that a result had for the frame of its dashboard: for that frame and nobody else.
/// `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct FrameToken(pub String);

impl fmt::Debug for FrameToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FrameToken([hidden])")
    }
}

/// A dashboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dashboard {
    /// Its name, unique in its session; for pinned ones among its owner's.
    pub id: String,
    /// Whose it is.
    pub owner: String,
    /// The session whose result opened it.
    pub session: String,
    /// What a person calls it.
    pub title: Option<String>,
    /// Where it is.
    pub url: Option<String>,
    /// How it wants to be placed.
    pub mode: Option<String>,
    /// How long it stays.
    pub persistence: Persistence,
    /// The server whose tool opened it.
    pub server: String,
    /// The tool.
    pub tool: Option<String>,
    /// The call.
    pub call: Option<String>,
    /// What its frame is to be given, where the result had something.
    pub token: Option<FrameToken>,
    /// Whether it is to be shown.
    pub is_open: bool,
    /// When it was last updated, in milliseconds since 1970.
    pub updated_ms: i64,
}

impl Persistence {
    fn spelled(self) -> &'static str {
        match self {
            Persistence::Ephemeral => "ephemeral",
            Persistence::Session => "session",
            Persistence::Pinned => "pinned",
        }
    }

    fn read(text: &str) -> Option<Persistence> {
        Some(match text {
            "ephemeral" => Persistence::Ephemeral,
            "session" => Persistence::Session,
            "pinned" => Persistence::Pinned,
            _ => return None,
        })
    }
}

impl Records {
    /// Records a dashboard, or updates the one of the same id: that of the session, and for a pinned one also the one pinned from another session.
    pub(crate) async fn set_dashboard(&self, dashboard: &Dashboard) -> Result<(), StoreError> {
        let names = [&dashboard.owner, &dashboard.session, &dashboard.id];
        if names.iter().any(|name| !fits(name)) {
            return Err(StoreError::NoSession);
        }
        let mut tries = 1;
        loop {
            match self.replace_dashboard(dashboard).await {
                Err(error) if tries < TRIES_MAX && is_conflict(&error) => tries += 1,
                done => return Ok(done?),
            }
        }
    }

    async fn replace_dashboard(&self, dashboard: &Dashboard) -> Result<(), sqlx::Error> {
        let is_pinned = dashboard.persistence == Persistence::Pinned;
        let mut write = self.database.write().await?;
        let sql = "DELETE FROM dashboards WHERE owner = $1 AND id = $2 \
                   AND (session = $3 OR ($4 = 1 AND persistence = 'pinned'))";
        let query = sqlx::query(sql).bind(&*dashboard.owner).bind(&*dashboard.id);
        let query = query.bind(&*dashboard.session).bind(i64::from(is_pinned));
        query.execute(write.on()).await?;
        let sql = "INSERT INTO dashboards (owner, session, id, title, url, mode, persistence, \
                   server, is_open, updated_ms, tool, call_id, token) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)";
        sqlx::query(sql)
            .bind(&*dashboard.owner)
            .bind(&*dashboard.session)
            .bind(&*dashboard.id)
            .bind(dashboard.title.as_deref().map(without_zero))
            .bind(dashboard.url.as_deref().map(without_zero))
            .bind(dashboard.mode.as_deref().map(without_zero))
            .bind(dashboard.persistence.spelled())
            .bind(without_zero(&dashboard.server))
            .bind(i64::from(dashboard.is_open))
            .bind(dashboard.updated_ms)
            .bind(dashboard.tool.as_deref().map(without_zero))
            .bind(dashboard.call.as_deref())
            .bind(dashboard.token.as_ref().map(|token| without_zero(&token.0)))
            .execute(write.on())
            .await?;
        write.commit().await
    }

    /// The dashboards of a session, and the owner's pinned ones; all of the owner's where no session is named. The most recently updated come first.
    pub(crate) async fn dashboards(
        &self,
        owner: &str,
        session: Option<&str>,
    ) -> Result<Vec<Dashboard>, StoreError> {
        if !fits(owner) || session.is_some_and(|session| !fits(session)) {
            return Ok(Vec::new());
        }
        let sql = "SELECT owner, session, id, title, url, mode, persistence, server, is_open, \
                   updated_ms, tool, call_id, token FROM dashboards \
                   WHERE owner = $1 AND ($3 = 1 OR session = $2 OR persistence = 'pinned') \
                   ORDER BY updated_ms DESC, id, session";
        let is_all = i64::from(session.is_none());
        let query = sqlx::query(sql).bind(owner).bind(session.unwrap_or_default()).bind(is_all);
        let rows = query.fetch_all(&self.database.pool).await?;
        Ok(rows.iter().map(read).collect::<Result<_, _>>()?)
    }

    /// Forgets one: that of the session, else the pinned one of this id. Says whether there was one.
    pub(crate) async fn delete_dashboard(
        &self,
        owner: &str,
        session: &str,
        id: &str,
    ) -> Result<bool, StoreError> {
        if [owner, session, id].iter().any(|name| !fits(name)) {
            return Ok(false);
        }
        let mut write = self.database.write().await?;
        let sql = "DELETE FROM dashboards WHERE owner = $1 AND session = $2 AND id = $3";
        let query = sqlx::query(sql).bind(owner).bind(session).bind(id);
        let mut count = query.execute(write.on()).await?.rows_affected();
        if count == 0 {
            let sql = "DELETE FROM dashboards \
                       WHERE owner = $1 AND id = $2 AND persistence = 'pinned'";
            let query = sqlx::query(sql).bind(owner).bind(id);
            count = query.execute(write.on()).await?.rows_affected();
        }
        write.commit().await?;
        Ok(count > 0)
    }
}

fn read(row: &AnyRow) -> Result<Dashboard, sqlx::Error> {
    let persistence = Persistence::read(row.try_get(6)?);
    Ok(Dashboard {
        owner: row.try_get(0)?,
        session: row.try_get(1)?,
        id: row.try_get(2)?,
        title: row.try_get(3)?,
        url: row.try_get(4)?,
        mode: row.try_get(5)?,
        persistence: persistence.ok_or_else(|| strange("how long a dashboard stays"))?,
        server: row.try_get(7)?,
        is_open: row.try_get::<i64, _>(8)? != 0,
        updated_ms: row.try_get(9)?,
        tool: row.try_get(10)?,
        call: row.try_get(11)?,
        token: row.try_get::<Option<String>, _>(12)?.map(FrameToken),
    })
}
