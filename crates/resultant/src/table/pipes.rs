//! Tables of bars and dashes, as Markdown and database shells draw them.

use super::{Cell, Out, RowReader, lines::line_parts};

/// A line that is longer is cut; it would be no table for people.
const LINE_BYTES_MAX: usize = RowReader::CELL_BYTES_MAX;

#[derive(Debug, Default)]
pub(super) struct Pipes {
    line: Vec<u8>,
    is_too_long: bool,
    state: State,
}

#[derive(Debug, Default)]
enum State {
    /// Before the table; the last line may become the header.
    #[default]
    Before,
    Header(Vec<String>),
    Rows,
    After,
}

impl Pipes {
    pub(super) fn feed(&mut self, bytes: &[u8], out: &mut Out<'_>) {
        for (content, is_end) in line_parts(bytes) {
            let room = LINE_BYTES_MAX.saturating_sub(self.line.len());
            self.is_too_long |= content.len() > room;
            self.line.extend_from_slice(&content[..content.len().min(room)]);
            if is_end {
                self.end_line(out);
            }
        }
    }

    pub(super) fn finish(&mut self, out: &mut Out<'_>) {
        if !self.line.is_empty() {
            self.end_line(out);
        }
    }

    fn end_line(&mut self, out: &mut Out<'_>) {
        if std::mem::take(&mut self.is_too_long) {
            out.table.losses.cells_cut += 1;
        }
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_start_matches('\u{feff}').trim();
        let has_bar = line.contains('|');
        self.state = match std::mem::take(&mut self.state) {
            State::Header(header) if is_rule(line) => {
                header.iter().for_each(|name| out.table.columns.push(name));
                State::Rows
            }
            State::Before | State::Header(_) if has_bar && !is_rule(line) => {
                State::Header(split(line).collect())
            }
            State::Before | State::Header(_) => State::Before,
            State::Rows if is_rule(line) => State::Rows,
            State::Rows if has_bar => {
                for text in split(line) {
                    let cell = match Cell::of_text(&text) {
                        Cell::Text(text) => Cell::Text(out.text(&text)),
                        cell => cell,
                    };
                    out.cell(cell);
                }
                out.end_row();
                State::Rows
            }
            State::Rows | State::After => State::After,
        };
    }
}

/// Whether a text starts with a table, or has one behind a few lines.
pub(super) fn is_table(text: &str) -> bool {
    const LINES_BEFORE_MAX: usize = 4;
    let mut header = None;
    for line in text.lines().map(str::trim).take(LINES_BEFORE_MAX + 3) {
        match (is_rule(line), header) {
            (true, Some(columns)) => {
                // A rule of another width is a line in a text.
                return columns > 1
                    && line.split(['|', '+']).filter(|run| !run.is_empty()).count() == columns;
            }
            (true, None) => {}
            (false, _) => header = line.contains('|').then(|| split(line).count()),
        }
    }
    false
}

/// A line of dashes that is parted by bars or crosses.
fn is_rule(line: &str) -> bool {
    line.contains(['|', '+'])
        && line.contains("--")
        && line.bytes().all(|byte| matches!(byte, b'-' | b'|' | b'+' | b':' | b'=' | b' '))
}

/// The cells of a line, without the bars at its ends.
fn split(line: &str) -> impl Iterator<Item = String> {
    let line = line.strip_prefix('|').unwrap_or(line);
    let line = match line.strip_suffix('|') {
        Some(inner) if !inner.ends_with('\\') => inner,
        _ => line,
    };
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let text = rest?;
        let mut is_escaped = false;
        let end = text.bytes().position(|byte| {
            let is_end = byte == b'|' && !is_escaped;
            is_escaped = byte == b'\\' && !is_escaped;
            is_end
        });
        rest = end.map(|end| &text[end + 1..]);
        let cell = text[..end.unwrap_or(text.len())].trim();
        Some(cell.replace("\\|", "|"))
    })
}
