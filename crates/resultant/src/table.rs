//! Rows out of text: CSV, Markdown tables, what Python prints of rows, JSON rows and lines.
//!
//! Bytes are pushed in, as they come, and rows come out, so a file of any size is read in bounded
//! memory. Foreign input is not an error here: a row that is too short has nulls, one that is too
//! long gets columns of its own, and what could not be read or kept is counted.

mod cell;
mod columns;
mod items;
mod kind;
mod lines;
mod pipes;
mod python;
mod separated;

use crate::json::push_string;

pub use self::{cell::Cell, kind::table_kind};
use self::{columns::Columns, items::Items, lines::JsonLines, pipes::Pipes, separated::Separated};

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableKind {
    /// Values between commas, semicolons or bars; which, is found out from the first lines.
    Csv,
    /// Values between tabs.
    Tsv,
    /// A table of bars and dashes, as Markdown and database shells draw it.
    Markdown,
    /// A list of dictionaries or tuples as Python prints it.
    PythonRows,
    /// A JSON list of objects, or an object with such a list in it.
    JsonRows,
    /// A JSON object a line.
    JsonLines,
}

/// One row. A row may have fewer cells than there are columns; the others are null.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// The names of all columns that are known by now, each once.
    pub columns: &'a [String],
    /// The cells, in the order of the columns.
    pub cells: &'a [Cell],
}

impl Row<'_> {
    /// The row as a JSON object, without its nulls at the end.
    pub fn push_object(&self, out: &mut String) {
        out.push('{');
        for (at, (name, cell)) in self.columns.iter().zip(self.cells).enumerate() {
            if at > 0 {
                out.push(',');
            }
            push_string(out, name);
            out.push(':');
            cell.push_json(out);
        }
        out.push('}');
    }
}

/// What of a table could not be read or kept as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableLosses {
    /// Cells of columns beyond [`RowReader::COLUMNS_MAX`].
    pub cells_left_out: u64,
    /// Cells that were longer than [`RowReader::CELL_BYTES_MAX`] and are cut.
    pub cells_cut: u64,
    /// Rows that could not be understood, or were longer than [`RowReader::ROW_BYTES_MAX`].
    pub rows_left_out: u64,
}

/// Reads rows out of bytes that are pushed in.
///
/// ```
/// use resultant::{Cell, RowReader, TableKind};
///
/// let mut reader = RowReader::new(TableKind::Csv);
/// let mut sum = 0;
/// let mut add = |row: &resultant::Row<'_>| {
///     if let Some(Cell::Int(n)) = row.cells.get(1) {
///         sum += n;
///     }
/// };
/// reader.feed(b"name,n\n\"a, b\",", &mut add);
/// reader.feed(b"40\nc,2\n", &mut add);
/// reader.finish(&mut add);
/// assert_eq!(sum, 42);
/// assert_eq!(reader.columns(), ["name", "n"]);
/// assert_eq!(reader.rows(), 2);
/// ```
#[derive(Debug)]
pub struct RowReader {
    form: Form,
    table: Table,
}

#[derive(Debug)]
enum Form {
    Separated(Separated),
    Pipes(Pipes),
    Items(Items),
    Lines(JsonLines),
}

impl RowReader {
    /// Columns beyond these are left out of the rows and counted.
    pub const COLUMNS_MAX: usize = 1_000;
    /// Bytes of a cell; what is longer is cut and counted.
    pub const CELL_BYTES_MAX: usize = 1 << 20;
    /// Bytes of a row of JSON or Python text; what is longer is left out and counted.
    pub const ROW_BYTES_MAX: usize = 16 << 20;

    /// A reader of rows that are written like this.
    pub fn new(kind: TableKind) -> RowReader {
        let form = match kind {
            TableKind::Csv => Form::Separated(Separated::new(None)),
            TableKind::Tsv => Form::Separated(Separated::new(Some(b'\t'))),
            TableKind::Markdown => Form::Pipes(Pipes::default()),
            TableKind::PythonRows => Form::Items(Items::new(true)),
            TableKind::JsonRows => Form::Items(Items::new(false)),
            TableKind::JsonLines => Form::Lines(JsonLines::default()),
        };
        RowReader { form, table: Table::default() }
    }

    /// Reads on. Every row that ends in these bytes is handed out.
    pub fn feed(&mut self, bytes: &[u8], row: &mut dyn FnMut(&Row<'_>)) {
        let mut out = Out { table: &mut self.table, row };
        match &mut self.form {
            Form::Separated(form) => form.feed(bytes, &mut out),
            Form::Pipes(form) => form.feed(bytes, &mut out),
            Form::Items(form) => form.feed(bytes, &mut out),
            Form::Lines(form) => form.feed(bytes, &mut out),
        }
    }

    /// Hands out what the end of the text completes.
    pub fn finish(&mut self, row: &mut dyn FnMut(&Row<'_>)) {
        let mut out = Out { table: &mut self.table, row };
        match &mut self.form {
            Form::Separated(form) => form.finish(&mut out),
            Form::Pipes(form) => form.finish(&mut out),
            Form::Items(form) => form.finish(&mut out),
            Form::Lines(form) => form.finish(&mut out),
        }
    }

    /// The names of the columns that are known by now. No two are equal, also in another case of
    /// letters.
    pub fn columns(&self) -> &[String] {
        self.table.columns.names()
    }

    /// How many rows have come out.
    pub fn rows(&self) -> u64 {
        self.table.rows
    }

    /// What could not be read or kept.
    pub fn losses(&self) -> TableLosses {
        self.table.losses
    }
}

/// What all forms have in common while they are read.
#[derive(Debug, Default)]
struct Table {
    columns: Columns,
    cells: Vec<Cell>,
    rows: u64,
    losses: TableLosses,
}

/// Where a form puts what it reads: cell after cell, then the end of the row.
struct Out<'a> {
    table: &'a mut Table,
    row: &'a mut dyn FnMut(&Row<'_>),
}

impl Out<'_> {
    /// The next cell of the row, by its place.
    fn cell(&mut self, cell: Cell) {
        let at = self.table.cells.len();
        if at >= RowReader::COLUMNS_MAX {
            self.table.losses.cells_left_out += 1;
            return;
        }
        self.table.columns.reach(at + 1);
        self.table.cells.push(cell);
    }

    /// A cell of the row, by its name.
    fn named(&mut self, name: &str, cell: Cell) {
        let Some(at) = self.table.columns.place(name) else {
            self.table.losses.cells_left_out += 1;
            return;
        };
        if self.table.cells.len() <= at {
            self.table.cells.resize(at + 1, Cell::Null);
        }
        self.table.cells[at] = cell;
    }

    /// Text for a cell, cut to what a cell holds.
    fn text(&mut self, text: &str) -> String {
        if text.len() <= RowReader::CELL_BYTES_MAX {
            return text.to_owned();
        }
        self.table.losses.cells_cut += 1;
        text[..text.floor_char_boundary(RowReader::CELL_BYTES_MAX)].to_owned()
    }

    fn end_row(&mut self) {
        self.table.rows += 1;
        let Table { columns, cells, .. } = &*self.table;
        (self.row)(&Row { columns: columns.names(), cells });
        self.table.cells.clear();
    }

    /// A row that cannot be understood.
    fn lose_row(&mut self) {
        self.table.losses.rows_left_out += 1;
        self.table.cells.clear();
    }
}

#[cfg(test)]
mod tests;
