//! Lines of logs and texts: how many of each level and status, which ones repeat, which ones stand
//! out.
//!
//! Two lines are alike when they are the same but for their numbers. The first kinds of lines are
//! counted exactly; what comes after the last of them is counted as other lines, so that a text in
//! which every line is its own costs no more than one in which all are alike.

use std::{
    collections::{BTreeMap, HashMap, hash_map::DefaultHasher},
    hash::BuildHasherDefault,
};

use super::cut;

/// Kinds of lines that are told apart.
const TEMPLATES_MAX: usize = 512;
/// So much of a line makes its kind.
const TEMPLATE_BYTES: usize = 160;
/// So much of a line is shown.
const SHOWN_BYTES: usize = 240;
/// A level stands at the start of a line.
const LEVEL_WITHIN_BYTES: usize = 120;

const LEVELS: [(&str, &str); 14] = [
    ("FATAL", "FATAL"),
    ("PANIC", "FATAL"),
    ("CRITICAL", "CRITICAL"),
    ("CRIT", "CRITICAL"),
    ("ERROR", "ERROR"),
    ("ERR", "ERROR"),
    ("SEVERE", "ERROR"),
    ("WARNING", "WARN"),
    ("WARN", "WARN"),
    ("NOTICE", "NOTICE"),
    ("INFO", "INFO"),
    ("DEBUG", "DEBUG"),
    ("TRACE", "TRACE"),
    ("VERBOSE", "TRACE"),
];

/// Lines of one kind.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) count: u64,
    /// The first of them, counted from 1.
    pub(crate) line: u64,
    /// How it starts.
    pub(crate) text: String,
}

/// What was counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines {
    is_log: bool,
    count: u64,
    levels: BTreeMap<&'static str, u64>,
    /// HTTP status codes.
    pub(crate) statuses: BTreeMap<u16, u64>,
    /// They stand behind a quoted request.
    pub(crate) is_access_log: bool,
    templates: HashMap<String, Seen, BuildHasherDefault<DefaultHasher>>,
    others: u64,
    template: String,
}

impl Lines {
    pub(super) fn new(is_log: bool) -> Lines {
        Lines { is_log, ..Lines::default() }
    }

    pub(super) fn line(&mut self, number: u64, line: &str) {
        if line.trim().is_empty() {
            return;
        }
        self.count += 1;
        if self.is_log {
            if let Some(level) = level_of(line) {
                *self.levels.entry(level).or_default() += 1;
            }
            if let Some((status, is_behind_request)) = status_of(line) {
                *self.statuses.entry(status).or_default() += 1;
                self.is_access_log |= is_behind_request;
            }
        }
        self.template.clear();
        push_template(&mut self.template, line);
        if let Some(seen) = self.templates.get_mut(&self.template) {
            seen.count += 1;
        } else if self.templates.len() < TEMPLATES_MAX {
            let seen = Seen { count: 1, line: number, text: cut(line, SHOWN_BYTES) };
            self.templates.insert(self.template.clone(), seen);
        } else {
            self.others += 1;
        }
    }

    /// The levels that there are, the gravest first.
    pub(crate) fn levels(&self) -> Vec<(&'static str, u64)> {
        let mut names: Vec<&str> = LEVELS.iter().map(|(_, name)| *name).collect();
        names.dedup();
        names.iter().filter_map(|name| Some((*name, *self.levels.get(name)?))).collect()
    }

    /// The kinds of lines that repeat most, with what they have in common.
    pub(crate) fn repeated(&self, count_max: usize) -> Vec<(&str, &Seen)> {
        let mut found: Vec<(&str, &Seen)> = self
            .templates
            .iter()
            .filter(|(_, seen)| seen.count >= 3 && seen.count * 100 >= self.count)
            .map(|(template, seen)| (template.as_str(), seen))
            .collect();
        found.sort_by_key(|(_, seen)| (std::cmp::Reverse(seen.count), seen.line));
        found.truncate(count_max);
        found
    }

    /// Whether so much repeats that the rest is better seen without it.
    pub(crate) fn is_folded(&self) -> bool {
        let folded: u64 = self.repeated(6).iter().map(|(_, seen)| seen.count).sum();
        folded > 0 && folded * 5 >= self.count
    }

    /// Lines of kinds that hardly occur in a text where most lines repeat: what one looks for.
    pub(crate) fn rare(&self, count_max: usize) -> Vec<&Seen> {
        let folded: u64 =
            self.templates.values().map(|seen| seen.count).filter(|count| *count >= 3).sum();
        if self.count < 20 || folded * 2 < self.count {
            return Vec::new();
        }
        // Where many kinds of lines are rare, none of them stands out.
        const KINDS_MAX: usize = 40;
        let often = (self.count / 200).max(1);
        let mut found: Vec<&Seen> =
            self.templates.values().filter(|seen| seen.count <= often).collect();
        if found.len() > KINDS_MAX {
            return Vec::new();
        }
        found.sort_by_key(|seen| (seen.count, seen.line));
        found.truncate(count_max);
        found
    }
}

/// Whether a line looks like one of a log: it has a time or a level at its start.
pub(super) fn is_log_line(line: &str) -> bool {
    let start = &line.as_bytes()[..line.len().min(80)];
    let has_time = start.windows(5).any(|five| {
        matches!(five, [a, b, b':', c, d]
            if a.is_ascii_digit() && b.is_ascii_digit() && c.is_ascii_digit() && d.is_ascii_digit())
    });
    has_time || level_of(line).is_some()
}

/// The level that a line says: in capitals, or after a bracket or a sign of equality.
fn level_of(line: &str) -> Option<&'static str> {
    let bytes = &line.as_bytes()[..line.len().min(LEVEL_WITHIN_BYTES)];
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_alphabetic() {
            at += 1;
            continue;
        }
        let len = bytes[at..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let word = &bytes[at..at + len];
        let is_marked = at > 0 && b"[=\"<(|".contains(&bytes[at - 1]);
        // Most words are neither, and need not be compared with each level.
        let are_capitals = word.iter().take(2).all(u8::is_ascii_uppercase);
        if (3..=8).contains(&len) && (is_marked || are_capitals) {
            let is_level = |level: &str| match is_marked {
                true => word.eq_ignore_ascii_case(level.as_bytes()),
                false => word == level.as_bytes(),
            };
            if let Some((_, name)) = LEVELS.iter().find(|(level, _)| is_level(level)) {
                return Some(name);
            }
        }
        at += len;
    }
    None
}

/// The HTTP status of a line of an access log: after the quoted request, or after `status`.
fn status_of(line: &str) -> Option<(u16, bool)> {
    let after_request = line.find("HTTP/").and_then(|at| {
        let rest = &line[at..];
        rest.find('"').map(|quote| &rest[quote + 1..])
    });
    let after_name = || {
        let at = line.find("status")?;
        Some(line[at + 6..].trim_start_matches(|char: char| "_code".contains(char)))
    };
    let is_behind_request = after_request.is_some();
    let rest = after_request.or_else(after_name)?;
    let rest = rest.trim_start_matches([' ', '"', ':', '=', '\'']);
    let digits = rest.as_bytes().iter().take_while(|byte| byte.is_ascii_digit()).count();
    let status = rest.get(..digits).filter(|text| text.len() == 3)?.parse().ok()?;
    (100..600).contains(&status).then_some((status, is_behind_request))
}

/// What a line has in common with those that differ in numbers only.
fn push_template(out: &mut String, line: &str) {
    let line = &line[..line.floor_char_boundary(TEMPLATE_BYTES)];
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let len = bytes[at..]
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte >= 0x80)
            .count();
        if len == 0 {
            out.push(bytes[at] as char);
            at += 1;
            continue;
        }
        let word = &line[at..at + len];
        match word.bytes().any(|byte| byte.is_ascii_digit()) {
            true => push_number(out),
            false => out.push_str(word),
        }
        at += len;
    }
}

/// Numbers that only a sign keeps apart are one: a date, an address, a fraction.
fn push_number(out: &mut String) {
    let mut chars = out.chars().rev();
    if let (Some('.' | ':' | '-' | '/' | ',' | '_'), Some('#')) = (chars.next(), chars.next()) {
        out.pop();
        return;
    }
    out.push('#');
}
