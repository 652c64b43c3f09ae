//! SQL over rows, in a database that is nowhere but in memory.

mod tables;

use futures_util::TryStreamExt as _;
use resultant::{Json, Kind, RowReader, TableKind, TableLosses};
use sqlx::{
    AssertSqlSafe, Column as _, ConnectOptions as _, Executor as _, Row as _, SqlSafeStr as _,
    SqliteConnection, Statement as _, TypeInfo as _, ValueRef as _,
    sqlite::{SqliteConnectOptions, SqliteRow},
};

use self::tables::{Load, Table};
use super::{
    Limits, Stop,
    form::{self, Form},
    incoming::{Incoming, Source},
    page::{cut, list, quoted},
    read::items::{lists_of, lost, no_rows},
    statement,
};

pub(super) fn answer(
    query: &str,
    incoming: &mut Incoming<'_>,
    limits: &Limits,
) -> Result<String, Stop> {
    let query = statement::check(query)?;
    // No files can be opened any more, and the runtime needs none: everything is in memory.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    runtime.block_on(async {
        let mut database = SqliteConnectOptions::new()
            .in_memory(true)
            .pragma("temp_store", "MEMORY")
            .pragma("trusted_schema", "OFF")
            .disable_statement_logging()
            .connect()
            .await
            .map_err(|error| refused(&error, &[]))?;
        let mut tables = Vec::new();
        while let Some(source) = incoming.next()? {
            load(source, &mut database, &mut tables, limits).await?;
        }
        execute(&mut database, "PRAGMA query_only = ON".to_owned()).await?;
        ask(query, &mut database, &tables, limits).await
    })
}

async fn execute(database: &mut SqliteConnection, sql: String) -> Result<(), Stop> {
    let done = database.execute(AssertSqlSafe(sql)).await;
    done.map(|_| ()).map_err(|error| refused(&error, &[]))
}

/// Makes tables of a source.
async fn load(
    source: Source<'_>,
    database: &mut SqliteConnection,
    tables: &mut Vec<Table>,
    limits: &Limits,
) -> Result<(), Stop> {
    let number = tables.iter().filter(|table| table.is_first).count() + 1;
    let name = if number == 1 { "t".to_owned() } else { format!("t{number}") };
    let lists = match source.form {
        Form::Rows(kind) => {
            let mut reader = RowReader::new(kind);
            let mut load = Load::start(&name, database, limits).await?;
            let mut chunks = source.chunks();
            while let Some(bytes) = chunks.next()? {
                reader.feed(bytes, &mut |row| load.push(row));
                load.flush(database).await?;
            }
            reader.finish(&mut |row| load.push(row));
            load.flush(database).await?;
            tables.push(load.finish(&reader, true, database).await?);
            Vec::new()
        }
        Form::Json => {
            let json = form::json(source)?;
            let lists = match json.kind() {
                Kind::Array => vec![(String::new(), json)],
                _ => lists_of(&json),
            };
            match lists.is_empty() {
                true => return Err(no_rows()),
                false => lists,
            }
        }
        Form::Text | Form::Binary => return Err(no_rows()),
    };
    for (at, (key, rows)) in lists.into_iter().enumerate() {
        let is_free = |name: &str| !tables.iter().any(|table| table.is_called(name));
        let is_first = at == 0;
        let table = if is_first { name.clone() } else { key.clone() };
        if !is_first && !is_free(&table) {
            continue;
        }
        let key_is_free = is_first && !key.is_empty() && is_free(&key);
        tables.push(load_json(&table, &rows, is_first, database, limits).await?);
        if key_is_free && key != name {
            view(&key, &name, database, tables).await?;
        }
    }
    if number == 1 {
        view("t1", "t", database, tables).await?;
    }
    Ok(())
}

async fn load_json(
    name: &str,
    rows: &Json,
    is_first: bool,
    database: &mut SqliteConnection,
    limits: &Limits,
) -> Result<Table, Stop> {
    let mut reader = RowReader::new(TableKind::JsonRows);
    let mut load = Load::start(name, database, limits).await?;
    for bytes in rows.as_text().as_bytes().chunks(1 << 20) {
        reader.feed(bytes, &mut |row| load.push(row));
        load.flush(database).await?;
    }
    reader.finish(&mut |row| load.push(row));
    load.flush(database).await?;
    load.finish(&reader, is_first, database).await
}

/// Another name for a table.
async fn view(
    name: &str,
    table: &str,
    database: &mut SqliteConnection,
    tables: &mut [Table],
) -> Result<(), Stop> {
    let (view, quoted) = (tables::identifier(name), tables::identifier(table));
    execute(database, format!("CREATE VIEW {view} AS SELECT * FROM {quoted}")).await?;
    if let Some(table) = tables.iter_mut().find(|known| known.name == table) {
        table.other_names.push(name.to_owned());
    }
    Ok(())
}

async fn ask(
    query: &str,
    database: &mut SqliteConnection,
    tables: &[Table],
    limits: &Limits,
) -> Result<String, Stop> {
    let query = AssertSqlSafe(query.to_owned()).into_sql_str();
    let statement =
        (&mut *database).prepare(query).await.map_err(|error| refused(&error, tables))?;
    let columns: Vec<String> =
        statement.columns().iter().map(|column| quoted(&cut(column.name(), 128))).collect();
    let mut kept = Vec::new();
    let (mut bytes, mut count, mut is_stopped) = (0, 0_u64, false);
    let mut rows = statement.query().fetch(&mut *database);
    while let Some(row) = rows.try_next().await.map_err(|error| refused(&error, tables))? {
        count += 1;
        if bytes <= limits.page.bytes {
            let row = write_row(&row, limits.page.bytes);
            bytes += row.len();
            kept.push(row);
        }
        if limits.is_enough(count) {
            is_stopped = true;
            break;
        }
    }
    let mut lost = TableLosses::default();
    for table in tables {
        lost.cells_left_out += table.losses.cells_left_out;
        lost.cells_cut += table.losses.cells_cut;
        lost.rows_left_out += table.losses.rows_left_out;
    }
    let answer = Answer { columns, rows: kept, count, is_stopped, lost };
    Ok(answer.page(limits))
}

/// A row as a JSON list. A cell that is longer than a page is cut.
fn write_row(row: &SqliteRow, cell_bytes_max: usize) -> String {
    let mut out = String::from("[");
    for at in 0..row.len() {
        if at > 0 {
            out.push(',');
        }
        let Ok(value) = row.try_get_raw(at) else {
            out.push_str("null");
            continue;
        };
        let kind = value.type_info().name().to_owned();
        match (value.is_null(), kind.as_str()) {
            (true, _) => out.push_str("null"),
            (_, "INTEGER") => match row.try_get_unchecked::<i64, _>(at) {
                Ok(number) => out.push_str(&number.to_string()),
                Err(_) => out.push_str("null"),
            },
            (_, "REAL") => match row.try_get_unchecked::<f64, _>(at) {
                Ok(number) => resultant::Cell::Float(number).push_json(&mut out),
                Err(_) => out.push_str("null"),
            },
            (_, "TEXT") => {
                let bytes: Vec<u8> = row.try_get_unchecked(at).unwrap_or_default();
                out.push_str(&quoted(&cut(&String::from_utf8_lossy(&bytes), cell_bytes_max)));
            }
            _ => {
                let bytes: Vec<u8> = row.try_get_unchecked(at).unwrap_or_default();
                out.push_str(&quoted(&format!("{} bytes", bytes.len())));
            }
        }
    }
    out.push(']');
    out
}

struct Answer {
    columns: Vec<String>,
    rows: Vec<String>,
    count: u64,
    is_stopped: bool,
    lost: TableLosses,
}

impl Answer {
    fn page(&self, limits: &Limits) -> String {
        let (named, _) =
            limits.page.half().most(self.columns.len(), |count| list(&self.columns[..count]));
        let columns = list(&self.columns[..named]);
        let closing = |shown: usize, is_cut: bool| {
            let is_complete = shown as u64 == self.count
                && !self.is_stopped
                && !is_cut
                && self.lost == TableLosses::default()
                && named == self.columns.len();
            let mut out = format!(",\"count\":{},\"complete\":{is_complete}", self.count);
            if self.is_stopped {
                out.push_str(",\"stopped\":\"there were more rows than are looked at\"");
            }
            if self.lost != TableLosses::default() {
                out.push_str(&format!(
                    ",\"not_loaded\":{{{}}}",
                    lost(self.lost).trim_end_matches(',')
                ));
            }
            if !is_complete {
                out.push_str(
                    ",\"hint\":\"use fewer columns, sums and counts, or LIMIT and OFFSET\"",
                );
            }
            out.push('}');
            out
        };
        let (shown, text) = limits.page.most(self.rows.len(), |shown| {
            let rows = list(&self.rows[..shown]);
            format!("{{\"columns\":{columns},\"rows\":{rows}{}", closing(shown, false))
        });
        let Some(first) = self.rows.first().filter(|_| shown == 0) else { return text };
        let (_, text) = limits.page.most(first.len(), |shown| {
            let start = quoted(&first[..first.floor_char_boundary(shown)]);
            let closing = closing(0, true);
            format!("{{\"columns\":{columns},\"rows\":[],\"cut\":{{\"start\":{start}}}{closing}")
        });
        text
    }
}

/// What SQLite says, and the names that there are.
fn refused(error: &sqlx::Error, tables: &[Table]) -> Stop {
    let message = match error {
        sqlx::Error::Database(error) => error.message().to_owned(),
        other => other.to_string(),
    };
    if message.contains("out of memory") {
        return Stop::Limit(
            "stopped, because it needs too much memory; ask for less at once".into(),
        );
    }
    let message = cut(&message, 200);
    let hint = match () {
        () if message.contains("no such column") => {
            let columns = tables.iter().map(|table| match tables.len() {
                1 => table.columns_shown(),
                _ => format!("{}: {}", table.name, table.columns_shown()),
            });
            format!("; the columns are {}", columns.collect::<Vec<_>>().join("; "))
        }
        () if message.contains("no such table") => {
            let names: Vec<&str> = tables.iter().flat_map(Table::names).collect();
            format!("; the tables are {}", cut(&names.join(", "), 200))
        }
        () => String::new(),
    };
    Stop::Refused(format!("{message}{hint}"))
}
