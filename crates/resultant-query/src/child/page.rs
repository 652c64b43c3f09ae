//! As much as fits on a page, in bytes and in tokens.

use resultant::{Json, estimate_tokens};

/// What an answer may have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Page {
    pub(super) bytes: usize,
    pub(super) tokens: usize,
}

impl Page {
    fn fits(&self, text: &str) -> bool {
        // No text has more tokens than bytes.
        text.len() <= self.bytes
            && (text.len() <= self.tokens || estimate_tokens(text) <= self.tokens)
    }

    /// The longest answer that fits, of those with up to `count` parts, and how many parts it has.
    /// An answer without parts is taken to fit.
    pub(super) fn most(&self, count: usize, write: impl Fn(usize) -> String) -> (usize, String) {
        let whole = write(count);
        if count == 0 || self.fits(&whole) {
            return (count, whole);
        }
        // More parts make a longer answer, but for a few bytes; what is returned was tried.
        let (mut low, mut high) = (0, count);
        let mut best = None;
        while low + 1 < high {
            let middle = low + (high - low) / 2;
            let text = write(middle);
            match self.fits(&text) {
                true => {
                    low = middle;
                    best = Some(text);
                }
                false => high = middle,
            }
        }
        (low, best.unwrap_or_else(|| write(0)))
    }

    /// Half of it.
    pub(super) fn half(&self) -> Page {
        Page { bytes: self.bytes / 2, tokens: self.tokens / 2 }
    }

    /// Bytes of a line that is shown among others.
    pub(super) fn line_bytes(&self) -> usize {
        (self.bytes.min(self.tokens * 3) / 8).clamp(40, 400)
    }
}

/// A JSON string.
pub(super) fn quoted(text: &str) -> String {
    Json::string(text).as_text().to_owned()
}

/// JSON texts as a list.
pub(super) fn list(items: &[String]) -> String {
    format!("[{}]", items.join(","))
}

/// The start of a text, with a mark where it is cut.
pub(super) fn cut(text: &str, bytes_max: usize) -> String {
    match text.len() <= bytes_max {
        true => text.to_owned(),
        false => format!("{}…", &text[..text.floor_char_boundary(bytes_max)]),
    }
}
