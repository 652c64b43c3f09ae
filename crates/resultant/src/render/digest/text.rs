//! A preview of a text by its kind, in the room there is.

use std::fmt::Write as _;

use super::fitted::{Fitted, quoted};
use crate::{
    render::preview::{cut_line_end, escaped_prefix},
    survey::{Definitions, Detail, Diff, Drawn, Html, LineCounts, Rows, Survey, cut, grouped},
};

/// JSON of at most `room` bytes; `null` where there is no room at all.
pub(super) fn text_preview(survey: &Survey, room: usize, is_error: bool) -> String {
    if room < 32 {
        return "null".to_owned();
    }
    match &survey.detail {
        _ if is_error => quoted(&ends(survey, room - 2)),
        Detail::Lines(lines) => lines_preview(survey, lines, room),
        Detail::Rows(rows) => rows_preview(rows, room),
        Detail::Diff(diff) => diff_preview(survey, diff, room),
        Detail::Code(code) => code_preview(survey, code, room),
        Detail::Html(html) => html_preview(html, room),
        Detail::Drawn(drawn) => drawn_preview(survey, drawn, room),
    }
}

fn lines_preview(survey: &Survey, lines: &LineCounts, room: usize) -> String {
    if survey.is_prose() {
        return quoted(&ends(survey, room - 2));
    }
    let repeated = lines.repeated(6);
    let mut out = Fitted::new(room);
    out.counts("levels", lines.levels().into_iter(), room / 4);
    let statuses = lines.statuses.iter().map(|(status, count)| (status.to_string(), *count));
    out.counts("statuses", statuses.collect::<Vec<_>>().into_iter(), room / 4);
    // How often, and what such lines have in common: `#` is a number.
    let count = repeated.len() as u64;
    let texts = repeated.iter().map(|(like, seen)| format!("{}× {}", seen.count, cut(like, 120)));
    out.texts("repeated", texts, count, room / 4);
    let rare = lines.rare(4);
    let count = rare.len() as u64;
    let texts =
        rare.into_iter().map(|seen| format!("line {}: {}", seen.line, cut(&seen.text, 160)));
    out.texts("rare", texts, count, room / 4);
    push_ends(&mut out, survey);
    out.end()
}

/// The head and the tail, as members.
fn push_ends(out: &mut Fitted, survey: &Survey) {
    let share = if survey.tail.is_empty() { out.left("head") } else { out.left("head") / 2 };
    let head = head_of(survey, share.saturating_sub(2));
    if !head.is_empty() {
        out.text("head", head.trim_end_matches('\n'));
    }
    let tail = tail_of(survey, out.left("tail").saturating_sub(2));
    if !tail.is_empty() {
        out.text("tail", tail.trim_end_matches('\n'));
    }
}

/// The first bytes, cut at a line where lines are short, whose JSON form has so many at most.
fn head_of(survey: &Survey, room: usize) -> &str {
    let len = escaped_prefix(survey.head.chars(), room);
    match len == survey.head.len() && survey.head.len() as u64 == survey.bytes {
        true => &survey.head,
        false => &survey.head[..cut_line_end(&survey.head, len)],
    }
}

fn tail_of(survey: &Survey, room: usize) -> &str {
    let len = escaped_prefix(survey.tail.chars().rev(), room);
    let start = survey.tail.len() - len;
    if start == 0 {
        return &survey.tail;
    }
    // From the start of a line, unless that is too much to leave out.
    let tail = &survey.tail[start..];
    if let Some(at) = tail.find('\n').filter(|at| at * 4 < tail.len() * 3) {
        return &tail[at + 1..];
    }
    // Not from the middle of a word: half a link could be half a secret.
    let is_end = |char: char| char.is_whitespace() || "\"'<>()[]{}`\\,".contains(char);
    tail.find(is_end).map_or("", |space| &tail[space..])
}

/// The head and the tail as one text, with what is left out between them.
fn ends(survey: &Survey, room: usize) -> String {
    const REMARK_BYTES: usize = 72;
    if survey.head.len() as u64 == survey.bytes
        && escaped_prefix(survey.head.chars(), room) == survey.head.len()
    {
        return survey.head.clone();
    }
    let Some(room) = room.checked_sub(REMARK_BYTES) else { return String::new() };
    let tail_room = if survey.tail.is_empty() { 0 } else { room * 2 / 5 };
    let head = head_of(survey, room - tail_room);
    let tail = tail_of(survey, tail_room);
    let bytes = survey.bytes - (head.len() + tail.len()) as u64;
    let count = |text: &str| text.bytes().filter(|byte| *byte == b'\n').count() as u64;
    let lines = survey.lines.saturating_sub(count(head) + tail.lines().count() as u64);
    let (bytes, remark) = (grouped(bytes), grouped(lines));
    match lines {
        0..=1 => format!("{head}… [{bytes} bytes left out] …{tail}"),
        _ => format!("{head}… [{remark} lines, {bytes} bytes left out] …\n{tail}"),
    }
}

fn rows_preview(rows: &Rows, room: usize) -> String {
    let mut out = Fitted::new(room);
    let share = room * 3 / 5;
    for values_max in [6, 3, 1, 0] {
        let columns = columns_of(rows, values_max, share.min(out.left("columns")));
        if columns.1 || values_max == 0 {
            out.json("columns", &columns.0);
            break;
        }
    }
    let last_share = room / 8;
    let first_share = out.left("first").saturating_sub(last_share + 10);
    let prefixes = (1..=rows.first().len()).rev().map(|to| rows_json(rows.first()[..to].iter()));
    if let Some(text) = prefixes.into_iter().find(|text| text.len() <= first_share) {
        out.json("first", &text);
    }
    // The very last row is the one that matters.
    let last: Vec<&Vec<String>> = rows.last().collect();
    let left = out.left("last");
    let suffixes = (0..last.len()).map(|at| rows_json(last[at..].iter().copied()));
    if let Some(text) = suffixes.into_iter().find(|text| text.len() <= left) {
        out.json("last", &text);
    }
    out.end()
}

/// What is in the columns, and whether all of them are there.
fn columns_of(rows: &Rows, values_max: usize, room: usize) -> (String, bool) {
    let mut out = Fitted::new(room);
    let count = rows.columns.len();
    for (at, name) in rows.columns.iter().enumerate() {
        let what = rows.tallies().get(at).map_or(String::new(), |tally| tally.describe(values_max));
        let keep = if at + 1 == count { 0 } else { 32 };
        let value = quoted(&cut(&what, 200));
        let name = cut(name, 64);
        if out.left(&name) < value.len() + keep || !out.json(&name, &value) {
            out.text("…", &format!("{} more columns", count - at));
            return (out.end(), false);
        }
    }
    (out.end(), true)
}

/// Rows as lists; of wide ones only the first cells.
fn rows_json<'a>(rows: impl Iterator<Item = &'a Vec<String>>) -> String {
    const CELLS_MAX: usize = 24;
    let mut out = String::from("[");
    for row in rows {
        if out.len() > 1 {
            out.push(',');
        }
        let (cells, more) = row.split_at(row.len().min(CELLS_MAX));
        out.push('[');
        out.push_str(&cells.join(","));
        if !more.is_empty() {
            let _ = write!(out, ",\"… {} more\"", more.len());
        }
        out.push(']');
    }
    out.push(']');
    out
}

fn diff_preview(survey: &Survey, diff: &Diff, room: usize) -> String {
    let mut out = Fitted::new(room);
    // What is said before the first file: of a commit, who and why.
    let end = ["\ndiff --git ", "\n--- "].iter().filter_map(|mark| survey.head.find(mark)).min();
    let before = survey.head[..end.unwrap_or(0)].trim();
    if !before.is_empty() {
        out.text("head", &cut(before, room / 4));
    }
    let files =
        diff.files.iter().map(|file| format!("{} +{} −{}", file.path, file.added, file.removed));
    let share = out.left("files");
    out.texts("files", files, diff.file_count, share);
    out.end()
}

fn code_preview(survey: &Survey, code: &Definitions, room: usize) -> String {
    let mut out = Fitted::new(room);
    let texts = code.first.iter().map(|(line, text)| format!("{line}: {text}"));
    out.texts("definitions", texts, code.count, room * 2 / 3);
    let left = out.left("head").saturating_sub(2);
    let head = head_of(survey, left);
    if !head.is_empty() {
        out.text("head", head);
    }
    out.end()
}

fn html_preview(html: &Html, room: usize) -> String {
    let mut out = Fitted::new(room);
    if !html.title.is_empty() {
        out.text("title", html.title.trim());
    }
    let headings = html.headings.iter().filter(|(_, text)| !text.trim().is_empty());
    let texts = headings
        .map(|(level, text)| format!("{} {}", "#".repeat(usize::from(*level)), text.trim()));
    out.texts("headings", texts, html.heading_count, room / 3);
    if html.links > 0 {
        out.json("links", &html.links.to_string());
    }
    if html.tables > 0 {
        out.json("tables", &html.tables.to_string());
    }
    let left = out.left("text").saturating_sub(8);
    let len = escaped_prefix(html.text.chars(), left);
    if len > 0 {
        out.text("text", &cut(&html.text, len));
    }
    out.end()
}

fn drawn_preview(survey: &Survey, drawn: &Drawn, room: usize) -> String {
    let mut out = Fitted::new(room);
    out.json("entries", &drawn.entries.to_string());
    out.json("depth", &drawn.depth.to_string());
    out.counts("extensions", by_count(&drawn.extensions).into_iter(), room / 3);
    push_ends(&mut out, survey);
    out.end()
}

/// The most frequent first.
pub(super) fn by_count(counts: &std::collections::BTreeMap<String, u64>) -> Vec<(&String, u64)> {
    let mut counts: Vec<(&String, u64)> =
        counts.iter().map(|(name, count)| (name, *count)).collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts
}
