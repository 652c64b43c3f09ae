//! A page of lines.
//!
//! All lines are counted, and only those of the page are kept. A line that is longer than a page is
//! continued on the next one, from a byte inside of it.

use super::super::{Limits, Stop, incoming::Source, page::quoted};
use crate::Part;

pub(super) fn answer(part: &Part, source: Source<'_>, limits: &Limits) -> Result<String, Stop> {
    let mut window = Window::new(part, limits.page.bytes);
    super::each_line_piece(source, |bytes| window.push(bytes))?;
    window.finish();
    Ok(window.page(limits))
}

/// The lines that a page may show, out of all that pass by.
pub(in crate::child) struct Window {
    from: u64,
    /// The line behind the last that is wanted.
    until: u64,
    /// Bytes of the first line that are passed over, and those that still are to be.
    at: u64,
    skip: u64,
    bytes_max: usize,
    bytes: Vec<u8>,
    /// Where the whole lines in `bytes` end.
    ends: Vec<usize>,
    is_full: bool,
    /// The line that is passing by, and whether it has any bytes yet.
    line: u64,
    has_bytes: bool,
}

impl Window {
    pub(in crate::child) fn new(part: &Part, bytes_max: usize) -> Window {
        let from = part.from.max(1);
        Window {
            from,
            until: from.saturating_add(part.count.unwrap_or(u64::MAX).max(1)),
            at: part.at,
            skip: part.at,
            bytes_max,
            bytes: Vec::new(),
            ends: Vec::new(),
            is_full: false,
            line: 1,
            has_bytes: false,
        }
    }

    pub(in crate::child) fn push(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            self.keep(&rest[..end]);
            self.end_line();
            rest = &rest[end + 1..];
        }
        self.keep(rest);
        self.has_bytes |= !rest.is_empty();
    }

    pub(in crate::child) fn finish(&mut self) {
        if self.has_bytes {
            let is_wanted = self.is_wanted();
            self.end_line();
            if is_wanted {
                // The last line had no end of its own.
                self.bytes.pop();
            }
        }
    }

    fn is_wanted(&self) -> bool {
        !self.is_full && self.line >= self.from && self.line < self.until
    }

    fn keep(&mut self, mut bytes: &[u8]) {
        if !self.is_wanted() {
            return;
        }
        if self.line == self.from {
            let skipped = self.skip.min(bytes.len() as u64);
            self.skip -= skipped;
            bytes = &bytes[skipped as usize..];
        }
        let room = self.bytes_max - self.bytes.len();
        self.bytes.extend_from_slice(&bytes[..bytes.len().min(room)]);
        self.is_full = bytes.len() > room;
    }

    fn end_line(&mut self) {
        if self.is_wanted() {
            self.ends.push(self.bytes.len());
            self.bytes.push(b'\n');
            self.is_full = self.bytes.len() >= self.bytes_max;
        }
        self.line += 1;
        self.has_bytes = false;
    }

    /// All the wanted lines, as they are; nothing if they are too much.
    pub(in crate::child) fn whole(self) -> Option<Vec<u8>> {
        (!self.is_full).then_some(self.bytes)
    }

    fn page(mut self, limits: &Limits) -> String {
        self.start_at_a_character();
        let of = self.line - 1;
        // Whoever asks beyond the end is told where it is.
        let (from, at) = match self.from <= of {
            true => (self.from, self.at),
            false => (of + 1, 0),
        };
        let (count, text) = limits.page.most(self.ends.len(), |count| {
            let end = count.checked_sub(1).map_or(0, |last| self.ends[last]);
            let next = match from + count as u64 {
                next if next <= of => format!("\"next\":{{\"from\":{next}}},"),
                _ => String::new(),
            };
            write(from, at, from + count as u64 - 1, of, &next, &self.bytes[..end])
        });
        if count > 0 || self.bytes.is_empty() {
            return text;
        }
        self.part_of_line(limits, of)
    }

    /// The first line is longer than a page.
    fn part_of_line(&self, limits: &Limits, of: u64) -> String {
        let line = &self.bytes[..self.ends.first().copied().unwrap_or(self.bytes.len())];
        let (from, at) = (self.from, self.at);
        let (_, text) = limits.page.most(line.len(), |count| {
            // Some progress has to be made, or the next page would be this one.
            let end = floor_boundary(line, count.max(1));
            let next = format!("\"next\":{{\"from\":{from},\"at\":{}}},", at + end as u64);
            write(from, at, from, of, &next, &line[..end])
        });
        text
    }

    /// A page that starts within a character starts with the next one.
    fn start_at_a_character(&mut self) {
        if self.at == 0 {
            return;
        }
        let inside = self.bytes.iter().take(3).take_while(|&&byte| is_inside(byte)).count();
        self.bytes.drain(..inside);
        self.ends.iter_mut().for_each(|end| *end = end.saturating_sub(inside));
        self.at += inside as u64;
    }
}

fn write(from: u64, at: u64, to: u64, of: u64, next: &str, bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
    let at = if at > 0 { format!("\"at\":{at},") } else { String::new() };
    let text = quoted(text.strip_suffix('\r').unwrap_or(&text));
    format!(
        "{{\"by\":\"lines\",\"from\":{from},{at}\"to\":{to},\"of\":{of},{next}\"text\":{text}}}"
    )
}

/// Whether a byte is one of a character's, but not its first.
fn is_inside(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

/// The end of the last whole character within so many bytes; but at least one character, or what is
/// there instead of one.
fn floor_boundary(bytes: &[u8], most: usize) -> usize {
    if most >= bytes.len() {
        return bytes.len();
    }
    let back = (0..most.min(4)).find(|back| !is_inside(bytes[most - back]));
    match back.map(|back| most - back) {
        Some(end) if end > 0 => end,
        // A character of four bytes is the longest.
        _ => (1..bytes.len().min(4))
            .find(|&end| !is_inside(bytes[end]))
            .unwrap_or(bytes.len().min(4)),
    }
}
