//! Tables out of rows that pass by.
//!
//! Columns can turn up late, and what type a column has is known when its last row has been seen. So
//! rows go into a table without types that grows, and from there into the one that is asked, whose
//! columns of numbers know that they are: a number is then found by a text that looks like it too.

use resultant::{Cell, Row, RowReader, TableLosses};
use sqlx::{AssertSqlSafe, SqliteConnection};

use super::{Limits, Stop, execute, refused};
use crate::child::page::cut;

/// Values in one statement. SQLite takes about twice as many.
const VALUES_MAX: usize = 16_000;
/// Rows in one statement.
const BATCH_ROWS_MAX: usize = 250;
/// A larger table stays without types, to save the copy.
const TYPED_ROWS_MAX: u64 = 500_000;
/// Whole numbers beyond this are rounded by a float.
const EXACT_MAX: u64 = 1 << 53;

/// A table that can be asked.
pub(super) struct Table {
    pub(super) name: String,
    pub(super) other_names: Vec<String>,
    /// Whether it is the first of its file.
    pub(super) is_first: bool,
    columns: Vec<String>,
    /// What of it is not in the database.
    pub(super) losses: TableLosses,
}

impl Table {
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.name.as_str()).chain(self.other_names.iter().map(String::as_str))
    }

    pub(super) fn is_called(&self, name: &str) -> bool {
        self.names().any(|known| known.eq_ignore_ascii_case(name))
    }

    /// The names of the columns, for a sentence.
    pub(super) fn columns_shown(&self) -> String {
        cut(&self.columns.join(", "), 250)
    }
}

/// A name as SQL has it.
pub(super) fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\"").replace('\0', " "))
}

/// A table while its rows come.
pub(super) struct Load {
    name: String,
    rows: Vec<Vec<Cell>>,
    columns: Vec<Seen>,
    /// Columns that the table in the database has.
    made: usize,
    count: u64,
    rows_max: u64,
    rows_left_out: u64,
}

/// What the cells of a column were.
#[derive(Clone, Copy, Default)]
struct Seen {
    has_ints: bool,
    has_floats: bool,
    has_others: bool,
    is_large: bool,
}

impl Seen {
    fn see(&mut self, cell: &Cell) {
        match cell {
            Cell::Null => {}
            Cell::Int(value) => {
                self.has_ints = true;
                self.is_large |= value.unsigned_abs() > EXACT_MAX;
            }
            Cell::Float(_) => self.has_floats = true,
            _ => self.has_others = true,
        }
    }

    fn affinity(self) -> &'static str {
        match self {
            Seen { has_others: true, .. } => "",
            Seen { has_floats: true, is_large: false, .. } => " REAL",
            Seen { has_floats: false, has_ints: true, .. } => " INTEGER",
            _ => "",
        }
    }
}

/// Where rows are first. Nobody's column or table has such a name by accident.
const STAGE: &str = "\"rows being loaded\"";

fn stage_column(at: usize) -> String {
    format!("\"column being loaded {at}\"")
}

impl Load {
    pub(super) async fn start(
        name: &str,
        database: &mut SqliteConnection,
        limits: &Limits,
    ) -> Result<Load, Stop> {
        execute(database, "BEGIN".to_owned()).await?;
        Ok(Load {
            name: name.to_owned(),
            rows: Vec::new(),
            columns: Vec::new(),
            made: 0,
            count: 0,
            rows_max: limits.rows,
            rows_left_out: 0,
        })
    }

    pub(super) fn push(&mut self, row: &Row<'_>) {
        if self.count >= self.rows_max {
            self.rows_left_out += 1;
            return;
        }
        self.count += 1;
        let width = row.columns.len();
        if self.columns.len() < width {
            self.columns.resize(width, Seen::default());
        }
        for (seen, cell) in self.columns.iter_mut().zip(row.cells) {
            seen.see(cell);
        }
        self.rows.push(row.cells.to_vec());
    }

    /// Brings the rows so far into the database.
    pub(super) async fn flush(&mut self, database: &mut SqliteConnection) -> Result<(), Stop> {
        let width = self.columns.len();
        if width == 0 {
            return Ok(());
        }
        self.widen(width, database).await?;
        let batch = (VALUES_MAX / width).clamp(1, BATCH_ROWS_MAX);
        let marks = format!("({})", vec!["?"; width].join(","));
        let rows = std::mem::take(&mut self.rows);
        for rows in rows.chunks(batch) {
            let values = vec![marks.as_str(); rows.len()].join(",");
            let mut query =
                sqlx::query(AssertSqlSafe(format!("INSERT INTO {STAGE} VALUES {values}")));
            for row in rows {
                for at in 0..width {
                    query = match row.get(at).unwrap_or(&Cell::Null) {
                        Cell::Null => query.bind(None::<i64>),
                        Cell::Bool(value) => query.bind(i64::from(*value)),
                        Cell::Int(value) => query.bind(*value),
                        Cell::Float(value) => query.bind(*value),
                        Cell::Text(text) => query.bind(text.as_str()),
                        Cell::Json(json) => query.bind(json.to_string()),
                    };
                }
            }
            query.execute(&mut *database).await.map_err(|error| refused(&error, &[]))?;
        }
        Ok(())
    }

    async fn widen(&mut self, width: usize, database: &mut SqliteConnection) -> Result<(), Stop> {
        if self.made == 0 {
            let columns: Vec<String> = (0..width).map(stage_column).collect();
            execute(database, format!("CREATE TABLE {STAGE} ({})", columns.join(","))).await?;
            self.made = width;
        }
        while self.made < width {
            let sql = format!("ALTER TABLE {STAGE} ADD COLUMN {}", stage_column(self.made));
            execute(database, sql).await?;
            self.made += 1;
        }
        Ok(())
    }

    /// Makes the table that is asked.
    pub(super) async fn finish(
        mut self,
        reader: &RowReader,
        is_first: bool,
        database: &mut SqliteConnection,
    ) -> Result<Table, Stop> {
        // A header without rows is a table too; a table without columns is none.
        let names: Vec<String> = match reader.columns() {
            [] => vec!["value".to_owned()],
            names => names.to_vec(),
        };
        self.columns.resize(names.len(), Seen::default());
        self.widen(names.len(), database).await?;
        let is_typed = self.count <= TYPED_ROWS_MAX;
        let defined: Vec<String> = names
            .iter()
            .zip(&self.columns)
            .map(|(name, seen)| {
                let affinity = if is_typed { seen.affinity() } else { "" };
                format!("{}{affinity}", identifier(name))
            })
            .collect();
        let table = identifier(&self.name);
        match is_typed {
            true => {
                execute(database, format!("CREATE TABLE {table} ({})", defined.join(","))).await?;
                execute(database, format!("INSERT INTO {table} SELECT * FROM {STAGE}")).await?;
                execute(database, format!("DROP TABLE {STAGE}")).await?;
            }
            false => {
                for (at, name) in names.iter().enumerate() {
                    let (old, name) = (stage_column(at), identifier(name));
                    execute(database, format!("ALTER TABLE {STAGE} RENAME COLUMN {old} TO {name}"))
                        .await?;
                }
                execute(database, format!("ALTER TABLE {STAGE} RENAME TO {table}")).await?;
            }
        }
        execute(database, "COMMIT".to_owned()).await?;
        let losses = reader.losses();
        Ok(Table {
            name: self.name,
            other_names: Vec::new(),
            is_first,
            columns: names,
            losses: TableLosses {
                rows_left_out: losses.rows_left_out + self.rows_left_out,
                ..losses
            },
        })
    }
}
