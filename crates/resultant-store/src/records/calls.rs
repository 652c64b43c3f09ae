//! Calls: an audit record of every tool call, and what is needed to look at it again.

use sqlx::{Any, AssertSqlSafe, Row as _, any::AnyRow, query::Query};

use super::{
    Page, Records,
    database::{fits, from_db, strange, to_db, without_zero},
};
use crate::{Id, StoreError};

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With a result.
    Ok,
    /// With a result that says that the tool failed.
    ToolError,
    /// Without a result: the server was not there, was late, or broke off.
    Failed,
    /// It was not let through: the arguments or the caller were refused.
    Refused,
    /// The caller did not want it any more.
    Cancelled,
}

/// The bytes that the server answered with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Raw {
    /// They were not kept.
    None,
    /// Short ones, in the record.
    Inline(Vec<u8>),
    /// Longer ones, in an object.
    Blob {
        /// Their digest.
        sha256: String,
        /// How many there are.
        size: u64,
    },
}

/// A call.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Its name.
    pub id: Id,
    /// Who called.
    pub owner: String,
    /// In which session.
    pub session: String,
    /// The server.
    pub server: String,
    /// The tool's name on it.
    pub tool: String,
    /// The client's name for itself.
    pub client: String,
    /// The digest of the arguments as they were sent by the client.
    pub arguments_sha256: String,
    /// The arguments as JSON, where they are not too long.
    pub arguments: Option<String>,
    /// How it ended.
    pub ending: Ending,
    /// What went wrong, if something did.
    pub message: Option<String>,
    /// When it began, in milliseconds since 1970.
    pub started_ms: i64,
    /// How long it took.
    pub duration_us: i64,
    /// Bytes that the server answered with.
    pub bytes_in: u64,
    /// Bytes that the audience got.
    pub bytes_out: u64,
    /// Tokens that the server's answer would have been.
    pub tokens_in: u64,
    /// Tokens that the model got.
    pub tokens_out: u64,
    /// What was odd, as a JSON array of `{rule, place, text}`.
    pub notes: String,
    /// The files that it left, as a JSON array of keys.
    pub files: String,
    /// Files that were handed to the tool, as a JSON array of `{name, key, as}`.
    pub handed: String,
    /// What the server answered.
    pub raw: Raw,
}

/// Which calls are meant.
#[derive(Clone, Debug, Default)]
pub struct CallFilter {
    /// Those of one session.
    pub session: Option<String>,
    /// Those of one server.
    pub server: Option<String>,
    /// Those of one tool.
    pub tool: Option<String>,
}

impl Ending {
    fn spelled(self) -> &'static str {
        match self {
            Ending::Ok => "ok",
            Ending::ToolError => "tool_error",
            Ending::Failed => "failed",
            Ending::Refused => "refused",
            Ending::Cancelled => "cancelled",
        }
    }

    fn read(text: &str) -> Option<Ending> {
        Some(match text {
            "ok" => Ending::Ok,
            "tool_error" => Ending::ToolError,
            "failed" => Ending::Failed,
            "refused" => Ending::Refused,
            "cancelled" => Ending::Cancelled,
            _ => return None,
        })
    }
}

/// How a call is written: its columns, and how many there are.
pub(super) const COLUMNS: &str = "id, owner, session, server, tool, client, arguments_sha256, \
     ending, message, started_ms, duration_us, bytes_in, bytes_out, tokens_in, tokens_out, notes, \
     files, handed, arguments, raw, raw_sha256, raw_size";
pub(super) const COLUMN_COUNT: usize = 22;

/// Binds a call in the order of the columns.
pub(super) fn bind<'q>(
    query: Query<'q, Any, sqlx::any::AnyArguments>,
    call: &Call,
) -> Query<'q, Any, sqlx::any::AnyArguments> {
    let (raw, raw_sha256, raw_size) = match &call.raw {
        Raw::None => (None, None, None),
        Raw::Inline(bytes) => (Some(bytes.clone()), None, None),
        Raw::Blob { sha256, size } => (None, Some(sha256.clone()), Some(to_db(*size))),
    };
    query
        .bind(call.id.to_string())
        .bind(call.owner.clone())
        .bind(call.session.clone())
        .bind(without_zero(&call.server))
        .bind(without_zero(&call.tool))
        .bind(without_zero(&call.client))
        .bind(without_zero(&call.arguments_sha256))
        .bind(call.ending.spelled())
        .bind(call.message.as_deref().map(without_zero))
        .bind(call.started_ms)
        .bind(call.duration_us)
        .bind(to_db(call.bytes_in))
        .bind(to_db(call.bytes_out))
        .bind(to_db(call.tokens_in))
        .bind(to_db(call.tokens_out))
        .bind(without_zero(&call.notes))
        .bind(without_zero(&call.files))
        .bind(without_zero(&call.handed))
        .bind(call.arguments.as_deref().map(without_zero))
        .bind(raw)
        .bind(raw_sha256)
        .bind(raw_size)
}

impl Records {
    /// One call of the owner's, whole.
    pub(crate) async fn call(&self, owner: &str, id: Id) -> Result<Option<Call>, StoreError> {
        if !fits(owner) {
            return Ok(None);
        }
        let sql = format!("SELECT {COLUMNS} FROM calls WHERE id = $1 AND owner = $2");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(id.to_string()).bind(owner);
        let row = query.fetch_optional(&self.database.pool).await?;
        let Some(row) = row else { return Ok(None) };
        let mut call = read(&row)?;
        call.arguments = row.try_get(18)?;
        let raw: Option<Vec<u8>> = row.try_get(19)?;
        let raw_sha256: Option<String> = row.try_get(20)?;
        let raw_size: Option<i64> = row.try_get(21)?;
        call.raw = match (raw, raw_sha256, raw_size) {
            (Some(bytes), ..) => Raw::Inline(bytes),
            (None, Some(sha256), Some(size)) => Raw::Blob { sha256, size: from_db(size) },
            _ => Raw::None,
        };
        Ok(Some(call))
    }

    /// Calls, newest first, with `raw` and `arguments` left out.
    pub(crate) async fn calls(
        &self,
        owner: &str,
        filter: &CallFilter,
        page: &Page,
    ) -> Result<Vec<Call>, StoreError> {
        let filters =
            [("session", &filter.session), ("server", &filter.server), ("tool", &filter.tool)];
        let filters = filters.map(|(column, value)| (column, value.as_deref()));
        if !fits(owner) || filters.iter().any(|(_, value)| value.is_some_and(|v| !fits(v))) {
            return Ok(Vec::new());
        }
        let columns = COLUMNS.split(", arguments, ").next().unwrap_or(COLUMNS);
        let mut sql =
            format!("SELECT {columns} FROM calls WHERE owner = $1 AND (started_ms, id) < ($2, $3)");
        let mut number = 4;
        for (column, value) in filters {
            if value.is_some() {
                number += 1;
                sql.push_str(&format!(" AND {column} = ${number}"));
            }
        }
        sql.push_str(" ORDER BY started_ms DESC, id DESC LIMIT $4");
        let (at, id) = page.after();
        let mut query = sqlx::query(AssertSqlSafe(sql)).bind(owner).bind(at).bind(id);
        query = query.bind(i64::from(page.count));
        for (_, value) in filters {
            if let Some(value) = value {
                query = query.bind(value);
            }
        }
        let rows = query.fetch_all(&self.database.pool).await?;
        Ok(rows.iter().map(read).collect::<Result<_, _>>()?)
    }
}

/// A call without what can be long.
fn read(row: &AnyRow) -> Result<Call, sqlx::Error> {
    let id: &str = row.try_get(0)?;
    Ok(Call {
        id: id.parse().map_err(|_| strange("the id of a call"))?,
        owner: row.try_get(1)?,
        session: row.try_get(2)?,
        server: row.try_get(3)?,
        tool: row.try_get(4)?,
        client: row.try_get(5)?,
        arguments_sha256: row.try_get(6)?,
        arguments: None,
        ending: Ending::read(row.try_get(7)?).ok_or_else(|| strange("the ending of a call"))?,
        message: row.try_get(8)?,
        started_ms: row.try_get(9)?,
        duration_us: row.try_get(10)?,
        bytes_in: from_db(row.try_get(11)?),
        bytes_out: from_db(row.try_get(12)?),
        tokens_in: from_db(row.try_get(13)?),
        tokens_out: from_db(row.try_get(14)?),
        notes: row.try_get(15)?,
        files: row.try_get(16)?,
        handed: row.try_get(17)?,
        raw: Raw::None,
    })
}
