//! What calls came to, summed up by the database.

use sqlx::{AssertSqlSafe, Row as _, any::AnyRow};

use super::{
    Records,
    calls::CallFilter,
    database::{fits, from_db},
};
use crate::StoreError;

/// More rows than this are not given.
const ROWS_MAX: i64 = 1000;

/// What calls are summed up by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TotalsBy {
    /// Each server, in the order of their names.
    Server,
    /// Each session, the one that was called in last first.
    Session,
}

/// What some calls came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// The server or session.
    pub name: String,
    /// How many calls there were.
    pub calls: u64,
    /// How many of them ended otherwise than with a result.
    pub errors: u64,
    /// Bytes that servers answered with.
    pub bytes_in: u64,
    /// Bytes that the audience got.
    pub bytes_out: u64,
    /// Tokens that the answers would have been.
    pub tokens_in: u64,
    /// Tokens that the model got.
    pub tokens_out: u64,
}

impl Records {
    /// The totals of an owner's calls, or of everybody's.
    pub(crate) async fn totals(
        &self,
        owner: Option<&str>,
        filter: &CallFilter,
        by: TotalsBy,
    ) -> Result<Vec<Totals>, StoreError> {
        let filters = [
            ("owner", owner),
            ("session", filter.session.as_deref()),
            ("server", filter.server.as_deref()),
            ("tool", filter.tool.as_deref()),
        ];
        if filters.iter().any(|(_, value)| value.is_some_and(|value| !fits(value))) {
            return Ok(Vec::new());
        }
        let (column, order) = match by {
            TotalsBy::Server => ("server", "server"),
            TotalsBy::Session => ("session", "MAX(started_ms) DESC, session"),
        };
        // A sum is of another type in PostgreSQL than what it sums up.
        let sum = |what: &str| format!("CAST(SUM({what}) AS BIGINT)");
        let errors = sum("CASE WHEN ending = 'ok' THEN 0 ELSE 1 END");
        let sums = ["bytes_in", "bytes_out", "tokens_in", "tokens_out"].map(sum).join(", ");
        let mut sql = format!("SELECT {column}, COUNT(*), {errors}, {sums} FROM calls WHERE 1 = 1");
        let mut number = 1;
        for (column, value) in filters {
            if value.is_some() {
                number += 1;
                sql.push_str(&format!(" AND {column} = ${number}"));
            }
        }
        sql.push_str(&format!(" GROUP BY {column} ORDER BY {order} LIMIT $1"));
        let mut query = sqlx::query(AssertSqlSafe(sql)).bind(ROWS_MAX);
        for (_, value) in filters {
            if let Some(value) = value {
                query = query.bind(value);
            }
        }
        let rows = query.fetch_all(&self.database.pool).await?;
        Ok(rows.iter().map(read).collect::<Result<_, _>>()?)
    }
}

fn read(row: &AnyRow) -> Result<Totals, sqlx::Error> {
    Ok(Totals {
        name: row.try_get(0)?,
        calls: from_db(row.try_get(1)?),
        errors: from_db(row.try_get(2)?),
        bytes_in: from_db(row.try_get(3)?),
        bytes_out: from_db(row.try_get(4)?),
        tokens_in: from_db(row.try_get(5)?),
        tokens_out: from_db(row.try_get(6)?),
    })
}
