//! Lines that match: all are counted, a page of them is shown.
//!
//! Expressions are matched in time linear in the text, whatever they are, and an expression that
//! would need much memory is refused.

mod diff;
mod hits;
mod pattern;

use std::collections::VecDeque;

use self::{diff::DiffPlace, hits::Hits, pattern::Pattern};
use super::{Limits, Stop, form::Form, incoming::Incoming, page::cut};
use crate::Search;

/// Lines before and after a match.
const CONTEXT_MAX: usize = 5;

/// A line that is longer is searched in pieces.
const LINE_BYTES_MAX: usize = 64 << 20;

pub(super) fn answer(
    search: &Search,
    incoming: &mut Incoming<'_>,
    limits: &Limits,
) -> Result<String, Stop> {
    let pattern = Pattern::new(&search.pattern, search.words)?;
    let mut hits = Hits::new(search, incoming.count() > 1, limits);
    while let Some(source) = incoming.next()? {
        if source.form == Form::Binary {
            hits.skip_file(&source.name);
            source.every(|_| {})?;
            continue;
        }
        hits.start_file(&source.name);
        let mut scan = Scan {
            pattern: &pattern,
            context: search.context.min(CONTEXT_MAX),
            line: Vec::new(),
            number: 0,
            before: VecDeque::new(),
            place: DiffPlace::default(),
            line_bytes: limits.page.line_bytes(),
        };
        super::read::each_line_piece(source, |bytes| scan.push(bytes, &mut hits))?;
        scan.finish(&mut hits);
        hits.end_file();
    }
    hits.answer(limits)
}

/// One file while it is searched.
struct Scan<'a> {
    pattern: &'a Pattern,
    context: usize,
    /// The line as far as it has come, where it does not come in one piece.
    line: Vec<u8>,
    number: u64,
    before: VecDeque<String>,
    place: DiffPlace,
    line_bytes: usize,
}

impl Scan<'_> {
    fn push(&mut self, bytes: &[u8], hits: &mut Hits) {
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            match self.line.is_empty() {
                true => self.look_at(&rest[..end], hits),
                false => {
                    self.line.extend_from_slice(&rest[..end]);
                    self.end_line(hits);
                }
            }
            rest = &rest[end + 1..];
        }
        self.line.extend_from_slice(rest);
        if self.line.len() > LINE_BYTES_MAX {
            self.end_line(hits);
        }
    }

    fn finish(&mut self, hits: &mut Hits) {
        if !self.line.is_empty() {
            self.end_line(hits);
        }
    }

    fn end_line(&mut self, hits: &mut Hits) {
        let mut line = std::mem::take(&mut self.line);
        self.look_at(&line, hits);
        line.clear();
        self.line = line;
    }

    fn look_at(&mut self, line: &[u8], hits: &mut Hits) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        self.number += 1;
        self.place.pass(line);
        hits.line_after(|| self.shown(line));
        if let Some(found) = self.pattern.find(line) {
            hits.found(self.number, self.place.file(), self.context, || {
                (around(line, found, self.line_bytes), Vec::from(self.before.clone()))
            });
        }
        if self.context > 0 {
            if self.before.len() == self.context {
                self.before.pop_front();
            }
            let shown = self.shown(line);
            self.before.push_back(shown);
        }
    }

    /// A line of context.
    fn shown(&self, line: &[u8]) -> String {
        let start = &line[..line.len().min(self.line_bytes)];
        let text = String::from_utf8_lossy(start);
        match start.len() < line.len() {
            true => format!("{}…", text.trim_end_matches('\u{fffd}')),
            false => cut(&text, self.line_bytes),
        }
    }
}

/// The line, or what is around the place that was found.
fn around(line: &[u8], found: (usize, usize), bytes_max: usize) -> String {
    if line.len() <= bytes_max {
        return String::from_utf8_lossy(line).into_owned();
    }
    let length = (found.1 - found.0).min(bytes_max);
    // More of what is behind the match is shown than of what is before.
    let start = found.0.saturating_sub((bytes_max - length) / 3).min(line.len() - bytes_max);
    let text = String::from_utf8_lossy(&line[start..start + bytes_max]);
    let text = text.trim_matches('\u{fffd}');
    let before = if start > 0 { "…" } else { "" };
    let after = if start + bytes_max < line.len() { "…" } else { "" };
    format!("{before}{text}{after}")
}
