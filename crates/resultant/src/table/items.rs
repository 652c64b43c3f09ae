//! The items of a list, in JSON or as Python prints it, each cut out of the bytes as they come.
//!
//! Where an item ends is told by brackets and quotes alone. Only the item is parsed then, so a list
//! of any length needs the memory of its longest item.

use std::borrow::Cow;

use super::{Cell, Out, RowReader, python};
use crate::{Json, Kind};

/// The name of the only column where items are neither objects nor lists.
const VALUE: &str = "value";

#[derive(Debug)]
pub(super) struct Items {
    is_python: bool,
    state: State,
    /// The quote of the string that is being read, and whether the next byte is escaped.
    quote: Option<u8>,
    is_escaped: bool,
    /// Brackets that are open inside the item, or inside the member that is passed over.
    depth: usize,
    item: Vec<u8>,
    is_too_long: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Start,
    /// In an object around the list, between or in members that are not it.
    Around,
    /// Behind the bracket of a list that may be it.
    MaybeList,
    Between,
    Item,
    Done,
}

impl Items {
    pub(super) fn new(is_python: bool) -> Items {
        Items {
            is_python,
            state: State::Start,
            quote: None,
            is_escaped: false,
            depth: 0,
            item: Vec::new(),
            is_too_long: false,
        }
    }

    pub(super) fn feed(&mut self, bytes: &[u8], out: &mut Out<'_>) {
        for &byte in bytes {
            match self.state {
                State::Start => match byte {
                    b'[' => self.state = State::Between,
                    b'{' => self.state = State::Around,
                    _ => {}
                },
                State::Around => self.pass_over(byte),
                State::MaybeList => self.enter_list(byte),
                State::Between => match byte {
                    b',' | b' ' | b'\t' | b'\r' | b'\n' => {}
                    b']' => self.state = State::Done,
                    _ => {
                        self.state = State::Item;
                        self.item_byte(byte, out);
                    }
                },
                State::Item => self.item_byte(byte, out),
                State::Done => return,
            }
        }
    }

    pub(super) fn finish(&mut self, out: &mut Out<'_>) {
        // The text ends within an item: it was cut.
        if self.state == State::Item && !self.item.is_empty() {
            self.end_item(out);
        }
        self.state = State::Done;
    }

    /// Members of an object around the list.
    fn pass_over(&mut self, byte: u8) {
        if self.is_in_string(byte) {
            return;
        }
        match byte {
            b'[' if self.depth == 0 => self.state = State::MaybeList,
            b'[' | b'{' => self.depth += 1,
            b']' | b'}' => match self.depth.checked_sub(1) {
                Some(depth) => self.depth = depth,
                None => self.state = State::Done,
            },
            _ => {}
        }
    }

    /// The first byte of a list in the object: it is the one if it is of objects.
    fn enter_list(&mut self, byte: u8) {
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => {}
            b'{' => {
                self.state = State::Item;
                self.item.push(byte);
                self.depth = 1;
            }
            b']' => self.state = State::Around,
            _ => {
                self.state = State::Around;
                self.depth = 1;
                self.pass_over(byte);
            }
        }
    }

    fn item_byte(&mut self, byte: u8, out: &mut Out<'_>) {
        if !self.is_in_string(byte) {
            match byte {
                b'[' | b'{' => self.depth += 1,
                b'(' if self.is_python => self.depth += 1,
                b',' if self.depth == 0 => {
                    self.state = State::Between;
                    return self.end_item(out);
                }
                b']' if self.depth == 0 => {
                    self.end_item(out);
                    self.state = State::Done;
                    return;
                }
                b']' | b'}' => self.depth = self.depth.saturating_sub(1),
                b')' if self.is_python => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
        match self.item.len() < RowReader::ROW_BYTES_MAX {
            true => self.item.push(byte),
            false => self.is_too_long = true,
        }
    }

    /// Whether this byte is part of a string, its quotes included.
    fn is_in_string(&mut self, byte: u8) -> bool {
        match self.quote {
            Some(_) if self.is_escaped => self.is_escaped = false,
            Some(_) if byte == b'\\' => self.is_escaped = true,
            Some(quote) if byte == quote => self.quote = None,
            Some(_) => {}
            None if byte == b'"' || byte == b'\'' && self.is_python => self.quote = Some(byte),
            None => return false,
        }
        true
    }

    fn end_item(&mut self, out: &mut Out<'_>) {
        self.depth = 0;
        self.quote = None;
        self.is_escaped = false;
        if std::mem::take(&mut self.is_too_long) {
            self.item.clear();
            return out.lose_row();
        }
        let item = std::mem::take(&mut self.item);
        match self.is_python {
            true => python_row(&item, out),
            false => row(&item, out),
        }
        // The room is used again for the next item.
        self.item = item;
        self.item.clear();
    }
}

/// A row of JSON; of Python where it is not JSON.
pub(super) fn row(text: &[u8], out: &mut Out<'_>) {
    let text = String::from_utf8_lossy(text);
    let Ok(json) = Json::parse(text.trim().to_owned()) else {
        return python_row(text.as_bytes(), out);
    };
    match json.kind() {
        Kind::Object => {
            for (key, value) in json.members() {
                let cell = fitted(Cell::of_json(value), out);
                out.named(&key, cell);
            }
        }
        Kind::Array => {
            for item in json.items() {
                let cell = fitted(Cell::of_json(item), out);
                out.cell(cell);
            }
        }
        _ => {
            let cell = fitted(Cell::of_json(json), out);
            out.named(VALUE, cell);
        }
    }
    out.end_row();
}

fn python_row(text: &[u8], out: &mut Out<'_>) {
    let text: Cow<'_, str> = String::from_utf8_lossy(text);
    let Some(value) = python::parse(text.trim()) else { return out.lose_row() };
    match value {
        python::Value::Dict(members) => {
            for (key, value) in members {
                let cell = fitted(value.into_cell(), out);
                out.named(&key, cell);
            }
        }
        python::Value::List(items) => {
            for item in items {
                let cell = fitted(item.into_cell(), out);
                out.cell(cell);
            }
        }
        python::Value::Cell(cell) => {
            let cell = fitted(cell, out);
            out.named(VALUE, cell);
        }
    }
    out.end_row();
}

/// A cell within its cap. A list or an object that is too long can only be shown as text.
fn fitted(cell: Cell, out: &mut Out<'_>) -> Cell {
    match &cell {
        Cell::Text(text) if text.len() > RowReader::CELL_BYTES_MAX => Cell::Text(out.text(text)),
        Cell::Json(json) if json.as_text().len() > RowReader::CELL_BYTES_MAX => {
            Cell::Text(out.text(json.as_text()))
        }
        _ => cell,
    }
}
