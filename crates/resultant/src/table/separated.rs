//! Values between separators, as RFC 4180 has them and as they come.
//!
//! A quoted value may hold separators and ends of lines. A quote that is never closed would swallow
//! the rest of the file; it is taken as a character then, and what came behind it is read again.

use super::{Cell, Out, RowReader, kind};

/// So much is looked at to find the separator.
const SNIFFED_BYTES: usize = 16 << 10;

#[derive(Debug)]
pub(super) struct Separated {
    separator: Option<u8>,
    /// The start of the text, until the separator is known.
    head: Vec<u8>,
    is_started: bool,
    cell: Vec<u8>,
    quote: Quote,
    is_quoted: bool,
    is_too_long: bool,
    /// Cells of the row so far; the first row is kept until it is known to be a header or not.
    count: usize,
    first: Option<Vec<(String, bool)>>,
    first_left_out: u64,
    /// Quotes that were never closed. After some of them no quote means anything.
    unclosed: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quote {
    /// A quote here would open a value.
    None,
    /// Inside quotes.
    Open,
    /// Behind a quote that either closes the value or stands for itself.
    Closing,
    /// A quote here is a character.
    Literal,
}

const UNCLOSED_MAX: usize = 4;

impl Separated {
    pub(super) fn new(separator: Option<u8>) -> Separated {
        Separated {
            separator,
            head: Vec::new(),
            is_started: false,
            cell: Vec::new(),
            quote: Quote::None,
            is_quoted: false,
            is_too_long: false,
            count: 0,
            first: Some(Vec::new()),
            first_left_out: 0,
            unclosed: 0,
        }
    }

    pub(super) fn feed(&mut self, bytes: &[u8], out: &mut Out<'_>) {
        if self.is_started {
            return self.read(bytes, out);
        }
        self.head.extend_from_slice(bytes);
        if self.head.len() >= SNIFFED_BYTES {
            self.start(out);
        }
    }

    pub(super) fn finish(&mut self, out: &mut Out<'_>) {
        if !self.is_started {
            self.start(out);
        }
        while self.quote == Quote::Open {
            self.unquote(out);
        }
        if !self.cell.is_empty() || self.is_quoted || self.count > 0 {
            self.end_cell(out);
            self.end_row(out);
        }
        // A header alone is a table without rows.
        self.settle_first(out);
    }

    fn start(&mut self, out: &mut Out<'_>) {
        self.is_started = true;
        let head = std::mem::take(&mut self.head);
        let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head);
        if self.separator.is_none() {
            let text = String::from_utf8_lossy(&text[..text.len().min(SNIFFED_BYTES)]);
            self.separator = Some(kind::separator(&text).unwrap_or(b','));
        }
        self.read(text, out);
    }

    fn read(&mut self, bytes: &[u8], out: &mut Out<'_>) {
        let separator = self.separator.unwrap_or(b',');
        for &byte in bytes {
            match (self.quote, byte) {
                (Quote::Open, b'"') => self.quote = Quote::Closing,
                (Quote::Open, _) => {
                    self.cell.push(byte);
                    if self.cell.len() > RowReader::CELL_BYTES_MAX {
                        self.unquote(out);
                    }
                }
                (Quote::Closing, b'"') => {
                    self.cell.push(b'"');
                    self.quote = Quote::Open;
                }
                (Quote::None, b'"') if self.cell.is_empty() && self.unclosed < UNCLOSED_MAX => {
                    self.quote = Quote::Open;
                    self.is_quoted = true;
                }
                (_, b'\n') => {
                    if self.cell.last() == Some(&b'\r') {
                        self.cell.pop();
                    }
                    self.end_cell(out);
                    self.end_row(out);
                }
                (_, byte) if byte == separator => self.end_cell(out),
                // Behind a value's closing quote, space and an end of line in two bytes are no part
                // of it.
                (Quote::Closing, b'\r' | b' ') => {}
                (Quote::Closing, byte) => self.reopen(byte, out),
                (_, byte) => {
                    if self.cell.len() < RowReader::CELL_BYTES_MAX {
                        self.cell.push(byte);
                    } else {
                        self.is_too_long = true;
                    }
                }
            }
        }
    }

    /// Something stands behind a closing quote, so the quotes were characters; and if they hold an
    /// end of line, they were not even a pair.
    fn reopen(&mut self, byte: u8, out: &mut Out<'_>) {
        let has_lines = self.cell.contains(&b'\n');
        self.cell.extend([b'"', byte]);
        match has_lines {
            true => self.unquote(out),
            false => {
                self.cell.insert(0, b'"');
                self.is_quoted = false;
                self.quote = Quote::Literal;
            }
        }
    }

    /// Takes the quote that was never closed as a character and reads what came behind it again.
    fn unquote(&mut self, out: &mut Out<'_>) {
        self.unclosed += 1;
        self.quote = Quote::Literal;
        self.is_quoted = false;
        let again = std::mem::replace(&mut self.cell, vec![b'"']);
        self.read(&again, out);
    }

    fn end_cell(&mut self, out: &mut Out<'_>) {
        let is_quoted = std::mem::take(&mut self.is_quoted);
        self.quote = Quote::None;
        self.count += 1;
        if std::mem::take(&mut self.is_too_long) {
            out.table.losses.cells_cut += 1;
        }
        if self.count > RowReader::COLUMNS_MAX {
            match self.first {
                Some(_) => self.first_left_out += 1,
                None => out.table.losses.cells_left_out += 1,
            }
            return self.cell.clear();
        }
        let text = String::from_utf8_lossy(&self.cell);
        match &mut self.first {
            Some(first) => first.push((text.into_owned(), is_quoted)),
            None => out.cell(cell(&text, is_quoted)),
        }
        self.cell.clear();
    }

    fn end_row(&mut self, out: &mut Out<'_>) {
        let count = std::mem::take(&mut self.count);
        match &mut self.first {
            Some(first) => {
                let is_empty = first.iter().all(|(text, quoted)| text.trim().is_empty() && !quoted);
                match is_empty {
                    true => first.clear(),
                    false => self.settle_first(out),
                }
            }
            // An empty line.
            None if count == 1 && out.table.cells == [Cell::Null] => out.table.cells.clear(),
            None => out.end_row(),
        }
    }

    /// The first row is the header, unless it is mostly numbers.
    fn settle_first(&mut self, out: &mut Out<'_>) {
        let Some(first) = self.first.take().filter(|first| !first.is_empty()) else { return };
        if kind::is_header(first.iter().map(|(text, _)| text.as_str())) {
            first.iter().for_each(|(text, _)| out.table.columns.push(text));
            return;
        }
        for (text, is_quoted) in &first {
            out.cell(cell(text, *is_quoted));
        }
        out.table.losses.cells_left_out += self.first_left_out;
        out.end_row();
    }
}

/// An empty value in quotes is a text; without, there is none.
fn cell(text: &str, is_quoted: bool) -> Cell {
    match text.is_empty() && is_quoted {
        true => Cell::Text(String::new()),
        false => Cell::of_text(text),
    }
}
