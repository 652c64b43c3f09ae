//! What kind a text is, by its start. Doubt speaks for plain text: it is shown as it is.

use super::{code, drawn, repeated};
use crate::table::{TableKind, table_kind};

/// What a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextKind {
    Text,
    Log,
    /// In this language, as far as it is known.
    Code(&'static str),
    Diff,
    Html,
    /// A tree drawn with lines, or a listing of a folder.
    Drawn,
    Table(TableKind),
}

impl TextKind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            TextKind::Text => "text",
            TextKind::Log => "log",
            TextKind::Code(language) => language,
            TextKind::Diff => "diff",
            TextKind::Html => "HTML",
            TextKind::Drawn => "tree",
            TextKind::Table(TableKind::Csv) => "CSV table",
            TextKind::Table(TableKind::Tsv) => "TSV table",
            TextKind::Table(TableKind::Markdown) => "Markdown table",
            TextKind::Table(TableKind::PythonRows) => "Python rows",
            TextKind::Table(TableKind::JsonRows) => "JSON rows",
            TextKind::Table(TableKind::JsonLines) => "JSON lines",
        }
    }
}

pub(super) fn kind_of_text(sample: &str) -> TextKind {
    if is_diff(sample) {
        return TextKind::Diff;
    }
    if is_html(sample) {
        return TextKind::Html;
    }
    // The last line may be cut.
    let lines: Vec<&str> = sample.lines().filter(|line| !line.trim().is_empty()).collect();
    let is_most = |count: usize, percent: usize| count >= 3 && count * 100 >= lines.len() * percent;
    if is_most(lines.iter().filter(|line| drawn::is_drawn(line)).count(), 50) {
        return TextKind::Drawn;
    }
    let is_log = is_most(lines.iter().filter(|line| repeated::is_log_line(line)).count(), 40);
    match table_kind(sample) {
        Some(kind) => TextKind::Table(kind),
        None if is_log => TextKind::Log,
        None => match code::language_of(&lines) {
            Some(language) => TextKind::Code(language),
            None => TextKind::Text,
        },
    }
}

fn is_diff(sample: &str) -> bool {
    let mut before = "";
    for line in sample.lines() {
        if line.starts_with("diff --git ") || line.starts_with("+++ ") && before.starts_with("--- ")
        {
            return true;
        }
        before = line;
    }
    false
}

fn is_html(sample: &str) -> bool {
    let start = sample.trim_start();
    let start = start[..start.floor_char_boundary(4096)].to_ascii_lowercase();
    start.starts_with("<!doctype html")
        || start.starts_with("<html")
        || start.starts_with('<')
            && ["<html", "<body", "<head>", "<div", "<p>", "<table"]
                .iter()
                .any(|tag| start.contains(tag))
}
