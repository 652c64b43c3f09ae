//! Whether a text is a table, by its first lines.
//!
//! A table that is taken for text can still be searched, but a text that is taken for a table is
//! unreadable, so doubt speaks against: the first line has to look like names and the others like it.

use super::{TableKind, cell, pipes};
use crate::Json;

/// Members whose list is what an object is about.
const ROW_KEYS: [&str; 12] = [
    "rows",
    "result",
    "results",
    "data",
    "items",
    "records",
    "values",
    "entries",
    "hits",
    "objects",
    "list",
    "documents",
];

/// A header's name is not longer.
const NAME_BYTES_MAX: usize = 64;

/// Records to compare.
const RECORDS_MAX: usize = 40;

/// What kind of table a text is that starts like this, if it is one. A few lines are enough; more
/// than some kilobytes are not looked at.
///
/// ```
/// use resultant::{TableKind, table_kind};
///
/// assert_eq!(table_kind("id;name\n1;a\n2;b\n"), Some(TableKind::Csv));
/// assert_eq!(table_kind("[{'id': 1, 'name': None}, {'id'"), Some(TableKind::PythonRows));
/// assert_eq!(table_kind("Dear reader, hello\nthis is text, too\n"), None);
/// ```
pub fn table_kind(head: &str) -> Option<TableKind> {
    const LOOKED_AT_BYTES: usize = 16 << 10;
    let head = &head[..head.floor_char_boundary(LOOKED_AT_BYTES)];
    let text = head.trim_start_matches('\u{feff}').trim_start();
    match text.as_bytes().first()? {
        b'[' => list_kind(text),
        b'{' => object_kind(text),
        _ if pipes::is_table(text) => Some(TableKind::Markdown),
        _ => match separator(text)? {
            b'\t' => Some(TableKind::Tsv),
            _ => Some(TableKind::Csv),
        },
    }
}

/// A list of objects, or what Python prints of rows.
fn list_kind(text: &str) -> Option<TableKind> {
    let item = text[1..].trim_start();
    match item.as_bytes().first()? {
        b'(' => Some(TableKind::PythonRows),
        b'{' => {
            let key = item[1..].trim_start();
            match key.as_bytes().first()? {
                b'\'' => Some(TableKind::PythonRows),
                b'"' if has_python_words(item) => Some(TableKind::PythonRows),
                b'"' => Some(TableKind::JsonRows),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether there is a single quote, or a word of Python's, outside of strings.
fn has_python_words(text: &str) -> bool {
    let mut is_string = false;
    let mut is_escaped = false;
    let bytes = text.as_bytes();
    for (at, &byte) in bytes.iter().enumerate() {
        match (is_string, byte) {
            (true, _) if is_escaped => is_escaped = false,
            (true, b'\\') => is_escaped = true,
            (_, b'"') => is_string = !is_string,
            (false, b'\'') => return true,
            (false, b'N') if bytes[at..].starts_with(b"None") => return true,
            (false, b'T') if bytes[at..].starts_with(b"True") => return true,
            (false, b'F') if bytes[at..].starts_with(b"False") => return true,
            _ => {}
        }
    }
    false
}

/// An object a line, or an object around a list of objects.
fn object_kind(text: &str) -> Option<TableKind> {
    let mut lines = text.lines();
    let first = lines.next()?.trim();
    if let Some(second) = lines.find(|line| !line.trim().is_empty())
        && second.trim_start().starts_with('{')
        && Json::parse(first.to_owned()).is_ok_and(|json| json.is_object())
    {
        return Some(TableKind::JsonLines);
    }
    let mut rest = &text[1..];
    // The members in front of the list are values that end before it.
    for _ in 0..32 {
        rest = rest.trim_start_matches([' ', '\t', '\r', '\n', ',']);
        let end = string_end(rest)?;
        let key = Json::parse(rest[..end].to_owned()).ok()?;
        rest = rest[end..].trim_start().strip_prefix(':')?.trim_start();
        match rest.as_bytes().first()? {
            b'[' if rest[1..].trim_start().starts_with('{') => {
                let key = key.as_str()?;
                return ROW_KEYS.contains(&&*key).then_some(TableKind::JsonRows);
            }
            b'[' | b'{' => return None,
            b'"' => rest = &rest[string_end(rest)?..],
            _ => rest = &rest[rest.find(',')?..],
        }
    }
    None
}

fn string_end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    if bytes.first() != Some(&b'"') {
        return None;
    }
    let end = crate::json::value_end(bytes, 0);
    (end >= 2 && bytes[end - 1] == b'"').then_some(end)
}

/// The byte between the values of these lines, if they are rows of values.
pub(super) fn separator(text: &str) -> Option<u8> {
    [b'\t', b',', b';', b'|'].into_iter().filter(|&byte| is_separated(text, byte)).max_by_key(
        // Of two that would do, the one that makes more columns.
        |&byte| records(text, byte).first().map_or(0, Vec::len),
    )
}

fn is_separated(text: &str, separator: u8) -> bool {
    let records = records(text, separator);
    let Some((header, rows)) = records.split_first() else { return false };
    if header.len() < 2 || rows.is_empty() || !header.iter().all(|name| is_name(name)) {
        return false;
    }
    let alike = rows.iter().filter(|row| row.len() == header.len()).count();
    // Two columns are made by any comma: all lines have to have one, and it is not a sentence's.
    match header.len() {
        2 => alike == rows.len() && !header[1].starts_with(' '),
        _ => alike * 4 >= rows.len() * 3,
    }
}

/// Whether this may be the name of a column, and is no sentence, number or code.
fn is_name(text: &str) -> bool {
    let text = text.trim();
    text.len() <= NAME_BYTES_MAX
        && text.split_whitespace().count() <= 6
        && !text.contains(['{', '}', '<', '>', '=', ';', '\n'])
        && !text.starts_with(|c: char| c.is_ascii_digit() && text.contains([':', '/']))
        && cell::number(text).is_none_or(|_| text.len() == 4)
}

/// Whether the first row of a table that is known to be one has the names of its columns.
pub(super) fn is_header<'a>(cells: impl Iterator<Item = &'a str>) -> bool {
    let (mut names, mut numbers) = (0_usize, 0_usize);
    for cell in cells.map(str::trim).filter(|cell| !cell.is_empty()) {
        match cell::number(cell) {
            Some(_) => numbers += 1,
            None => names += 1,
        }
    }
    names >= numbers && names > 0
}

/// The first records of a text; the last one is left out, because it may have been cut.
fn records(text: &str, separator: u8) -> Vec<Vec<String>> {
    let mut records = Vec::new();
    let mut record: Vec<String> = Vec::new();
    let mut cell = String::new();
    let (mut is_quoted, mut is_empty) = (false, true);
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '"' if is_quoted && chars.peek() == Some(&'"') => {
                cell.push('"');
                chars.next();
            }
            '"' if is_quoted => is_quoted = false,
            '"' if cell.is_empty() => (is_quoted, is_empty) = (true, false),
            _ if is_quoted => cell.push(char),
            '\n' => {
                if !is_empty {
                    record.push(std::mem::take(&mut cell));
                    records.push(std::mem::take(&mut record));
                }
                is_empty = true;
                if records.len() >= RECORDS_MAX {
                    return records;
                }
            }
            '\r' => {}
            _ if char == separator as char => {
                is_empty = false;
                record.push(std::mem::take(&mut cell));
            }
            _ => {
                is_empty = false;
                cell.push(char);
            }
        }
    }
    // A short text that ends without an end of line is whole, as far as can be told.
    if !is_empty && !is_quoted && records.len() < 3 {
        record.push(cell);
        records.push(record);
    }
    records
}
