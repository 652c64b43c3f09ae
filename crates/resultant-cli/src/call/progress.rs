//! How far a call has come: one line that changes on a terminal, a line each where there is none.

use std::io::{IsTerminal as _, Write as _, stderr};

use resultant::Json;

use crate::terminal::{columns_of, one_line};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Line,
    Lines,
    Nothing,
}

/// Shows progress on standard error.
pub(super) struct Progress {
    style: Style,
    is_shown: bool,
}

impl Progress {
    pub(super) fn new(is_quiet: bool) -> Progress {
        let style = match (is_quiet, stderr().is_terminal()) {
            (true, _) => Style::Nothing,
            (false, true) => Style::Line,
            (false, false) => Style::Lines,
        };
        Progress { style, is_shown: false }
    }

    pub(super) fn show(&mut self, done: f64, total: Option<f64>, message: Option<&str>) {
        let line = line_of(done, total, message);
        match self.style {
            Style::Nothing => {}
            Style::Lines => eprintln!("progress {line}"),
            Style::Line => {
                let columns = columns_of(stderr());
                let line: String = line.chars().take(columns.saturating_sub(1)).collect();
                let _ = write!(stderr(), "\r\x1b[2K{line}");
                self.is_shown = true;
            }
        }
    }

    pub(super) fn log(&mut self, level: &str, data: &Json) {
        if self.style == Style::Nothing {
            return;
        }
        self.clear();
        let text = data.as_str().unwrap_or_else(|| data.as_text().into());
        eprintln!("log {}: {}", one_line(level), one_line(&text));
    }

    /// Takes the line away, so that something else can be said.
    pub(super) fn clear(&mut self) {
        if std::mem::take(&mut self.is_shown) {
            let _ = write!(stderr(), "\r\x1b[2K");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}

fn line_of(done: f64, total: Option<f64>, message: Option<&str>) -> String {
    let count = match total {
        Some(total) => format!("{done}/{total}"),
        None => done.to_string(),
    };
    match message.map(one_line).filter(|message| !message.is_empty()) {
        Some(message) => format!("{count} {message}"),
        None => count,
    }
}

#[cfg(test)]
mod tests {
    use super::line_of;

    #[test]
    fn a_line_has_what_the_server_said() {
        assert_eq!(line_of(3.0, Some(10.0), Some("dry\u{1b}ing\n")), "3/10 dry\u{fffd}ing");
        assert_eq!(line_of(0.5, None, None), "0.5");
    }
}
