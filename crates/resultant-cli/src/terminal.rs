//! Text on a terminal: how wide it is, and what may be shown there.

use std::{
    io::{self, IsTerminal as _, Stderr, Write, stderr, stdout},
    os::fd::AsFd,
};

use terminal_size::{Width, terminal_size_of};

/// Text is not broken into lines narrower than this.
const COLUMNS_MIN: usize = 30;

/// Of a terminal that does not say how wide it is.
const COLUMNS: usize = 80;

/// How many columns standard output has; nothing where it is no terminal.
pub(crate) fn columns() -> Option<usize> {
    stdout().is_terminal().then(|| columns_of(stdout()))
}

/// How many columns this terminal has.
pub(crate) fn columns_of(terminal: impl AsFd) -> usize {
    terminal_size_of(terminal).map_or(COLUMNS, |(Width(columns), _)| usize::from(columns))
}

/// What a terminal obeys instead of showing it.
fn is_unseen(char: char) -> bool {
    char.is_control() || is_deceptive(char)
}

/// What changes how its neighbours are shown, or hides what is written.
fn is_deceptive(char: char) -> bool {
    matches!(char, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || matches!(char, '\u{e0000}'..='\u{e007f}')
}

/// Standard error for the log, which quotes servers. Control characters are the log's own: its
/// formatter escapes those of others.
pub(crate) struct LogOutput(Stderr);

impl LogOutput {
    pub(crate) fn new() -> LogOutput {
        LogOutput(stderr())
    }
}

impl Write for LogOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match std::str::from_utf8(bytes) {
            Ok(text) if text.contains(is_deceptive) => {
                self.0.write_all(text.replace(is_deceptive, "\u{fffd}").as_bytes())?;
            }
            _ => self.0.write_all(bytes)?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Foreign text on a terminal: without what a terminal would obey.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|char| if is_unseen(char) { '\u{fffd}' } else { char }).collect()
}

/// JSON with the characters that nobody sees as escapes. It is the same value: they can only stand
/// in strings, apart from white space, which stays.
pub(crate) fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for char in json.chars() {
        match char {
            '\n' | '\t' => out.push(char),
            // White space here, and the way back over the line on a terminal.
            '\r' => out.push(' '),
            char if is_unseen(char) => {
                for unit in char.encode_utf16(&mut [0; 2]) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
            char => out.push(char),
        }
    }
    out
}

/// Foreign text as one line: line ends and other white space are a space.
pub(crate) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    printable(&words.join(" "))
}

/// Breaks a line between words so that it fits beside an indent; without columns it stays whole.
pub(crate) fn wrap(text: &str, indent: usize, columns: Option<usize>) -> Vec<String> {
    let Some(columns) = columns else { return vec![text.to_owned()] };
    let room = columns.saturating_sub(indent).max(COLUMNS_MIN);
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split(' ') {
        let len = word.chars().count();
        if used > 0 && used + 1 + len > room {
            lines.push(String::new());
            used = 0;
        }
        if let Some(line) = lines.last_mut() {
            if used > 0 {
                line.push(' ');
                used += 1;
            }
            line.push_str(word);
            used += len;
        }
    }
    lines
}

/// A number of bytes, for people.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if bytes < 1000 {
        return format!("{bytes} bytes");
    }
    let mut value = bytes as f64;
    let mut unit = "";
    for next in UNITS {
        if value < 999.95 {
            break;
        }
        value /= 1000.0;
        unit = next;
    }
    format!("{value:.1} {unit}")
}

#[cfg(test)]
mod tests {
    use super::{escaped, one_line, size, wrap};

    #[test]
    fn lines_are_broken_between_words() {
        let text = "a tool that does a great many things, one after the other";
        let lines = wrap(text, 10, Some(40));
        assert_eq!(lines, ["a tool that does a great many", "things, one after the other"]);
        assert_eq!(wrap(text, 10, None), [text]);
    }

    #[test]
    fn a_terminal_is_given_nothing_to_obey() {
        assert_eq!(one_line("red \u{1b}[31m\n\t now\u{7}"), "red \u{fffd}[31m now\u{fffd}");
    }

    #[test]
    fn json_is_the_same_value_with_nothing_to_obey() {
        let json = "{\n  \"a\": \"\u{9b}31m \u{202e}x \u{e0041} é\"\n}";
        let shown = escaped(json);
        assert_eq!(shown, "{\n  \"a\": \"\\u009b31m \\u202ex \\udb40\\udc41 é\"\n}");
        let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(value(&shown), value(json));
    }

    #[test]
    fn sizes_are_short() {
        let cases = [(0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (999_999, "1.0 MB")];
        for (bytes, expected) in cases {
            assert_eq!(size(bytes), expected);
        }
        assert_eq!(size(209_715_200), "209.7 MB");
    }
}
