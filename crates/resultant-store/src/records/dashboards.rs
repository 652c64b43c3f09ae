//! Dashboards: what a result asked to be kept open.

use std::fmt;

use sqlx::{AssertSqlSafe, Row as _, any::AnyRow};

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
    /// Its name, unique among those of its server in its session; for pinned ones among its owner's.
    pub id: String,
    /// Whose it is.
    pub owner: String,
    /// The session whose result opened it, or changed it last.
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

/// What a result says of a dashboard. What it does not say stays as it was.
#[derive(Clone, Debug)]
pub struct DashboardUpdate {
    /// Its name.
    pub id: String,
    /// Whose it is.
    pub owner: String,
    /// The session of the call.
    pub session: String,
    /// The server whose result it is.
    pub server: String,
    /// The tool.
    pub tool: String,
    /// The call.
    pub call: String,
    /// What a person calls it.
    pub title: Option<String>,
    /// Where it is.
    pub url: Option<String>,
    /// How it wants to be placed.
    pub mode: Option<String>,
    /// How long it stays: as long as its session where nobody said it.
    pub persistence: Option<Persistence>,
    /// What its frame is to be given.
    pub token: Option<FrameToken>,
    /// Whether it is to be shown.
    pub is_open: bool,
    /// When that was, in milliseconds since 1970.
    pub updated_ms: i64,
}

impl DashboardUpdate {
    /// The dashboard that comes of it. A token is for the page that it came with: a result that says
    /// the address says the token too, or that there is none.
    fn onto(&self, before: Option<Dashboard>) -> Dashboard {
        let (mut title, mut url, mut mode, mut token) = (None, None, None, None);
        let mut persistence = Persistence::Session;
        if let Some(before) = before {
            token = before.token.filter(|_| self.url.is_none());
            (title, url, mode) = (before.title, before.url, before.mode);
            persistence = before.persistence;
        }
        Dashboard {
            id: self.id.clone(),
            owner: self.owner.clone(),
            session: self.session.clone(),
            title: self.title.clone().or(title),
            url: self.url.clone().or(url),
            mode: self.mode.clone().or(mode),
            persistence: self.persistence.unwrap_or(persistence),
            server: self.server.clone(),
            tool: Some(self.tool.clone()),
            call: Some(self.call.clone()),
            token: self.token.clone().or(token),
            is_open: self.is_open,
            updated_ms: self.updated_ms,
        }
    }
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

/// The columns that [`read`] reads, in its order.
const COLUMNS: &str = "owner, session, id, title, url, mode, persistence, server, is_open, \
                       updated_ms, tool, call_id, token";

impl Records {
    /// Records a dashboard, or updates the one of the same server and id: that of the session, else
    /// the one that is pinned.
    pub(crate) async fn update_dashboard(
        &self,
        update: &DashboardUpdate,
    ) -> Result<Dashboard, StoreError> {
        let names = [&update.owner, &update.session, &update.server, &update.id];
        if names.iter().any(|name| !fits(name)) {
            return Err(StoreError::NoSession);
        }
        let mut tries = 1;
        loop {
            match self.merge_dashboard(update).await {
                Err(error) if tries < TRIES_MAX && is_conflict(&error) => tries += 1,
                done => return Ok(done?),
            }
        }
    }

    async fn merge_dashboard(&self, update: &DashboardUpdate) -> Result<Dashboard, sqlx::Error> {
        let mut write = self.database.write().await?;
        let sql = format!(
            "SELECT {COLUMNS} FROM dashboards WHERE owner = $1 AND server = $2 AND id = $3 \
             AND (session = $4 OR persistence = 'pinned') \
             ORDER BY CASE WHEN session = $4 THEN 0 ELSE 1 END"
        );
        let query = sqlx::query(AssertSqlSafe(sql)).bind(&*update.owner).bind(&*update.server);
        let query = query.bind(&*update.id).bind(&*update.session);
        let before = query.fetch_all(write.on()).await?.first().map(read).transpose()?;
        let is_moved = before.as_ref().is_some_and(|before| before.session != update.session);
        let dashboard = update.onto(before);
        let is_pinned = is_moved || dashboard.persistence == Persistence::Pinned;
        let sql = "DELETE FROM dashboards WHERE owner = $1 AND server = $2 AND id = $3 \
                   AND (session = $4 OR ($5 = 1 AND persistence = 'pinned'))";
        let query = sqlx::query(sql).bind(&*dashboard.owner).bind(&*dashboard.server);
        let query = query.bind(&*dashboard.id).bind(&*dashboard.session).bind(i64::from(is_pinned));
        query.execute(write.on()).await?;
        let sql = format!(
            "INSERT INTO dashboards ({COLUMNS}) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"
        );
        sqlx::query(AssertSqlSafe(sql))
            .bind(&*dashboard.owner)
            .bind(&*dashboard.session)
            .bind(&*dashboard.id)
            .bind(dashboard.title.as_deref().map(without_zero))
            .bind(dashboard.url.as_deref().map(without_zero))
            .bind(dashboard.mode.as_deref().map(without_zero))
            .bind(dashboard.persistence.spelled())
            .bind(&*dashboard.server)
            .bind(i64::from(dashboard.is_open))
            .bind(dashboard.updated_ms)
            .bind(dashboard.tool.as_deref().map(without_zero))
            .bind(dashboard.call.as_deref())
            .bind(dashboard.token.as_ref().map(|token| without_zero(&token.0)))
            .execute(write.on())
            .await?;
        write.commit().await?;
        Ok(dashboard)
    }

    /// The dashboards of a session, and the owner's pinned ones; all of the owner's where no session
    /// is named. The most recently updated come first.
    pub(crate) async fn dashboards(
        &self,
        owner: &str,
        session: Option<&str>,
    ) -> Result<Vec<Dashboard>, StoreError> {
        if !fits(owner) || session.is_some_and(|session| !fits(session)) {
            return Ok(Vec::new());
        }
        let sql = format!(
            "SELECT {COLUMNS} FROM dashboards \
             WHERE owner = $1 AND ($3 = 1 OR session = $2 OR persistence = 'pinned') \
             ORDER BY updated_ms DESC, id, server, session"
        );
        let is_all = i64::from(session.is_none());
        let query = sqlx::query(AssertSqlSafe(sql)).bind(owner).bind(session.unwrap_or_default());
        let rows = query.bind(is_all).fetch_all(&self.database.pool).await?;
        Ok(rows.iter().map(read).collect::<Result<_, _>>()?)
    }

    /// Forgets one. Says whether there was one.
    pub(crate) async fn delete_dashboard(&self, place: &Dashboard) -> Result<bool, StoreError> {
        let sql = "DELETE FROM dashboards \
                   WHERE owner = $1 AND session = $2 AND server = $3 AND id = $4";
        let mut write = self.database.write().await?;
        let query = sqlx::query(sql).bind(&*place.owner).bind(&*place.session);
        let query = query.bind(&*place.server).bind(&*place.id);
        let count = query.execute(write.on()).await?.rows_affected();
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
