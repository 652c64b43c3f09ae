//! Tables in text: columns with what is in them, and the first and last rows.

use std::collections::VecDeque;

use super::{cut, tally::Tally};
use crate::{
    json::push_string,
    table::{Cell, Row, RowReader, TableKind},
};

/// Columns beyond these are only counted, and left out of the rows that are shown.
const COLUMNS_MAX: usize = 200;
const FIRST_ROWS: usize = 8;
const LAST_ROWS: usize = 3;
const CELL_BYTES_MAX: usize = 120;

/// The rows of a table that is written in text.
#[derive(Debug)]
pub(crate) struct Rows {
    /// Until all has come.
    reader: Option<RowReader>,
    seen: Seen,
    pub(crate) count: u64,
    pub(crate) columns: Vec<String>,
}

/// What was seen of them.
#[derive(Debug, Default)]
struct Seen {
    tallies: Vec<Tally>,
    /// The cells of a row as JSON.
    first: Vec<Vec<String>>,
    last: VecDeque<Vec<String>>,
}

impl Rows {
    pub(super) fn new(kind: TableKind) -> Rows {
        let reader = Some(RowReader::new(kind));
        Rows { reader, seen: Seen::default(), count: 0, columns: Vec::new() }
    }

    pub(super) fn feed(&mut self, text: &str) {
        let Rows { reader: Some(reader), seen, .. } = self else { return };
        reader.feed(text.as_bytes(), &mut |row| seen.row(row));
    }

    pub(super) fn finish(&mut self) {
        let Some(mut reader) = self.reader.take() else { return };
        reader.finish(&mut |row| self.seen.row(row));
        self.count = reader.rows();
        self.columns = reader.columns().to_vec();
    }

    /// What is in each of the first columns.
    pub(crate) fn tallies(&self) -> &[Tally] {
        &self.seen.tallies
    }

    pub(crate) fn first(&self) -> &[Vec<String>] {
        &self.seen.first
    }

    pub(crate) fn last(&self) -> impl Iterator<Item = &Vec<String>> {
        self.seen.last.iter()
    }
}

impl Seen {
    fn row(&mut self, row: &Row<'_>) {
        let cells = &row.cells[..row.cells.len().min(COLUMNS_MAX)];
        // A column that comes late was null before.
        let rows_before = self.tallies.first().map_or(0, |tally| tally.count);
        while self.tallies.len() < row.columns.len().min(COLUMNS_MAX) {
            self.tallies.push(Tally::of_nulls(rows_before));
        }
        for (at, tally) in self.tallies.iter_mut().enumerate() {
            tally_cell(tally, cells.get(at).unwrap_or(&Cell::Null));
        }
        if self.first.len() < FIRST_ROWS {
            self.first.push(cells.iter().map(cell_json).collect());
        } else {
            let mut shown = match self.last.len() {
                LAST_ROWS => self.last.pop_front().unwrap_or_default(),
                _ => Vec::new(),
            };
            shown.clear();
            shown.extend(cells.iter().map(cell_json));
            self.last.push_back(shown);
        }
    }
}

fn tally_cell(tally: &mut Tally, cell: &Cell) {
    match cell {
        Cell::Null => tally.null(),
        Cell::Bool(value) => tally.bool(*value),
        Cell::Int(value) => tally.number(itoa::Buffer::new().format(*value)),
        Cell::Float(_) => {
            let mut text = String::new();
            cell.push_json(&mut text);
            tally.number(&text);
        }
        Cell::Text(text) => tally.text(text),
        Cell::Json(json) if json.is_array() => tally.list(),
        Cell::Json(json) if json.is_object() => tally.object(),
        Cell::Json(json) => tally.number(json.as_text()),
    }
}

/// A cell as JSON, a long one cut.
fn cell_json(cell: &Cell) -> String {
    let mut out = String::new();
    match cell {
        Cell::Text(text) => push_string(&mut out, &cut(text, CELL_BYTES_MAX)),
        Cell::Json(json) if json.as_text().len() > CELL_BYTES_MAX => {
            push_string(&mut out, &cut(json.as_text(), CELL_BYTES_MAX));
        }
        cell => cell.push_json(&mut out),
    }
    out
}
