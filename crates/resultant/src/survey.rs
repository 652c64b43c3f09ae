//! What a text or a value is: its kind, its counts, and what of it is worth a look.
//!
//! A text is looked at as it passes, in parts of any size, because a long one is never in memory as
//! a whole. So what is kept has a bound whatever comes, and the kind is decided by the first
//! kilobytes: a table that starts after pages of prose is prose.

mod code;
mod diff;
mod drawn;
mod html;
mod kind;
mod lines;
mod nodes;
mod outline;
mod repeated;
mod rows;
mod tally;
mod tokens;

use std::fmt::Write as _;

pub(crate) use self::{
    code::Definitions,
    diff::Diff,
    drawn::Drawn,
    html::Html,
    kind::TextKind,
    nodes::Nodes,
    outline::{Outline, Shape},
    repeated::Lines as LineCounts,
    rows::Rows,
    tally::Tally,
};
use self::{kind::kind_of_text, lines::Splitter};
use crate::table::TableKind;

/// The kind is decided when so much has come.
const SAMPLE_BYTES: usize = 16 << 10;
/// So much of the start and of the end is kept.
const HEAD_BYTES: usize = 6 << 10;
const TAIL_BYTES: usize = 3 << 10;

/// What a text is.
#[derive(Debug)]
pub(crate) struct Survey {
    pub(crate) kind: TextKind,
    pub(crate) bytes: u64,
    pub(crate) lines: u64,
    /// Bytes of the longest line.
    pub(crate) longest: u64,
    /// The start, and the end where it is another part of the text.
    pub(crate) head: String,
    pub(crate) tail: String,
    pub(crate) detail: Detail,
}

/// What is worth knowing about a text of a kind.
#[derive(Debug)]
pub(crate) enum Detail {
    /// Of logs and of plain text.
    Lines(LineCounts),
    Rows(Box<Rows>),
    Diff(Diff),
    Code(Definitions),
    Html(Html),
    Drawn(Drawn),
}

impl Survey {
    pub(crate) fn of(text: &str) -> Survey {
        let mut surveyor = Surveyor::default();
        surveyor.feed(text);
        surveyor.finish()
    }

    /// Whether nothing can be counted in it, and it can only be read.
    pub(crate) fn is_prose(&self) -> bool {
        let is_text = self.kind == TextKind::Text;
        is_text && matches!(&self.detail, Detail::Lines(lines) if !lines.is_folded())
    }

    /// Kind, counts and size in a few words.
    pub(crate) fn describe(&self) -> String {
        let lines = counted(self.lines, "line");
        let bytes = grouped(self.bytes);
        match &self.detail {
            Detail::Rows(rows) => format!(
                "{}, {} × {}, {bytes} bytes",
                self.kind.name(),
                counted(rows.count, "row"),
                counted(rows.columns.len() as u64, "column"),
            ),
            Detail::Diff(diff) => format!(
                "diff, {}, +{} −{}, {lines}, {bytes} bytes",
                counted(diff.file_count, "file"),
                grouped(diff.added),
                grouped(diff.removed),
            ),
            _ => {
                let mut out = format!("{}, {lines}, {bytes} bytes", self.kind.name());
                if self.longest > 2000 && self.lines > 1 {
                    let _ = write!(out, ", longest line {}", grouped(self.longest));
                }
                out
            }
        }
    }
}

/// Looks at a text that comes in parts.
#[derive(Debug, Default)]
pub(crate) struct Surveyor {
    /// What came before the kind was known.
    sample: String,
    kind: Option<TextKind>,
    /// Somebody else reads the text as JSON.
    is_read_as_json: bool,
    splitter: Splitter,
    detail: Option<Detail>,
    bytes: u64,
    head: String,
    tail: String,
}

impl Surveyor {
    /// Says that the text is read as JSON as well. What is asked about its rows is asked there, so
    /// they need not be read twice.
    pub(crate) fn leave_json(&mut self) {
        self.is_read_as_json = true;
    }

    /// The next part.
    pub(crate) fn feed(&mut self, text: &str) {
        // The head has no gap: once something was left out of it, it is complete.
        if self.head.len() as u64 == self.bytes {
            let room = HEAD_BYTES.saturating_sub(self.head.len());
            self.head.push_str(&text[..text.floor_char_boundary(room)]);
        }
        self.bytes += text.len() as u64;
        self.keep_tail(text);
        match self.kind {
            Some(_) => self.look(text),
            None => {
                let room = SAMPLE_BYTES.saturating_sub(self.sample.len());
                let (sample, rest) = text.split_at(text.floor_char_boundary(room));
                self.sample.push_str(sample);
                if !rest.is_empty() {
                    self.decide();
                    self.look(rest);
                }
            }
        }
    }

    fn keep_tail(&mut self, text: &str) {
        if text.len() >= TAIL_BYTES {
            self.tail.clear();
        }
        self.tail.push_str(&text[text.ceil_char_boundary(text.len().saturating_sub(TAIL_BYTES))..]);
        if self.tail.len() > 4 * TAIL_BYTES {
            let start = self.tail.ceil_char_boundary(self.tail.len() - TAIL_BYTES);
            self.tail.drain(..start);
        }
    }

    /// Decides what the text is, and looks at what came so far.
    fn decide(&mut self) {
        let kind = match kind_of_text(&self.sample) {
            TextKind::Table(TableKind::JsonRows) if self.is_read_as_json => TextKind::Text,
            kind => kind,
        };
        self.kind = Some(kind);
        self.detail = Some(match kind {
            TextKind::Log | TextKind::Text => Detail::Lines(LineCounts::new(kind == TextKind::Log)),
            TextKind::Table(kind) => Detail::Rows(Box::new(Rows::new(kind))),
            TextKind::Diff => Detail::Diff(Diff::default()),
            TextKind::Code(_) => Detail::Code(Definitions::default()),
            TextKind::Html => Detail::Html(Html::default()),
            TextKind::Drawn => Detail::Drawn(Drawn::default()),
        });
        let sample = std::mem::take(&mut self.sample);
        self.look(&sample);
    }

    fn look(&mut self, text: &str) {
        match &mut self.detail {
            Some(Detail::Rows(rows)) => rows.feed(text),
            Some(Detail::Html(html)) => html.feed(text),
            _ => {}
        }
        let detail = &mut self.detail;
        self.splitter.feed(text, &mut |number, line| look_at_line(detail, number, line));
    }

    pub(crate) fn finish(mut self) -> Survey {
        if self.kind.is_none() {
            self.decide();
        }
        let detail = &mut self.detail;
        self.splitter.finish(&mut |number, line| look_at_line(detail, number, line));
        let mut detail = self.detail.unwrap_or_else(|| Detail::Lines(LineCounts::new(false)));
        if let Detail::Rows(rows) = &mut detail {
            rows.finish();
        }
        let tail = tail_of(&self.tail, self.bytes - self.head.len() as u64);
        Survey {
            kind: self.kind.unwrap_or(TextKind::Text),
            bytes: self.bytes,
            lines: self.splitter.lines,
            longest: self.splitter.longest,
            tail,
            head: self.head,
            detail,
        }
    }
}

fn look_at_line(detail: &mut Option<Detail>, number: u64, line: &str) {
    match detail {
        Some(Detail::Lines(lines)) => lines.line(number, line),
        Some(Detail::Diff(diff)) => diff.line(line),
        Some(Detail::Code(code)) => code.line(number, line),
        Some(Detail::Drawn(drawn)) => drawn.line(line),
        Some(Detail::Rows(_) | Detail::Html(_)) | None => {}
    }
}

/// The end of a text, which starts at a word: half a link could be half a secret.
fn tail_of(kept: &str, beyond_head: u64) -> String {
    let room = TAIL_BYTES.min(usize::try_from(beyond_head).unwrap_or(usize::MAX));
    let start = kept.ceil_char_boundary(kept.len().saturating_sub(room));
    let tail = &kept[start..];
    let is_end = |char: char| char.is_whitespace() || "\"'<>()[]{}`\\,".contains(char);
    match tail.find('\n').filter(|at| at * 4 < tail.len()).or_else(|| tail.find(is_end)) {
        Some(at) => tail[at..].trim_start_matches(['\n', '\r']).to_owned(),
        None => String::new(),
    }
}

/// A number with a comma at each thousand.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// So many of something.
pub(crate) fn counted(number: u64, what: &str) -> String {
    format!("{} {what}{}", grouped(number), if number == 1 { "" } else { "s" })
}

/// The start of a text, at most so many bytes, with a mark where it was cut.
pub(crate) fn cut(text: &str, bytes_max: usize) -> String {
    match text.len() <= bytes_max {
        true => text.to_owned(),
        false => format!("{}…", &text[..text.floor_char_boundary(bytes_max)]),
    }
}

#[cfg(test)]
mod tests;
