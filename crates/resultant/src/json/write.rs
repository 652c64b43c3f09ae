//! Writing JSON text.

use std::fmt::Write as _;

use super::{Json, kind_of, walk};

/// Appends a JSON string with this content. Only what must be escaped is.
pub(crate) fn push_string(out: &mut String, content: &str) {
    out.push('"');
    push_escaped(out, content);
    out.push('"');
}

/// Appends a content with its escapes, without quotes.
pub(super) fn push_escaped(out: &mut String, content: &str) {
    // Specials often stand close together, so the bytes behind one are looked at one by one.
    const NEAR: usize = 16;
    let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
    let bytes = content.as_bytes();
    let (mut start, mut at) = (0, 0);
    loop {
        let near = &bytes[at..bytes.len().min(at + NEAR)];
        at += match near.iter().position(is_special) {
            Some(found) => found,
            None => near.len() + walk::special(&bytes[at + near.len()..]),
        };
        out.push_str(&content[start..at]);
        let Some(&byte) = bytes.get(at) else { return };
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            0x08 => out.push_str("\\b"),
            0x0c => out.push_str("\\f"),
            _ => {
                let _ = write!(out, "\\u{byte:04x}");
            }
        }
        at += 1;
        start = at;
    }
}

/// Appends a checked text without the white space between its tokens.
pub(crate) fn push_compact(out: &mut String, text: &str) {
    compact_runs(text, |run| out.push_str(run));
}

/// Hands out the runs of a text that are left when white space between tokens is taken away.
pub(super) fn compact_runs<'a>(text: &'a str, mut run: impl FnMut(&'a str)) {
    let bytes = text.as_bytes();
    let mut start = 0;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => at = walk::value_end(bytes, at),
            b' ' | b'\t' | b'\n' | b'\r' => {
                run(&text[start..at]);
                while matches!(bytes.get(at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
                    at += 1;
                }
                start = at;
            }
            _ => at += 1,
        }
    }
    run(&text[start..]);
}

/// Appends a text, asking for each of its strings, given with its quotes, whether it has been
/// written already.
pub(crate) fn rewrite_strings(
    text: &str,
    mut rewrite: impl FnMut(&str, &mut String) -> bool,
    out: &mut String,
) {
    let bytes = text.as_bytes();
    let mut start = 0;
    while let Some(quote) = bytes[start..].iter().position(|&byte| byte == b'"') {
        let quote = start + quote;
        let end = walk::value_end(bytes, quote);
        out.push_str(&text[start..quote]);
        if !rewrite(&text[quote..end], out) {
            out.push_str(&text[quote..end]);
        }
        start = end;
    }
    out.push_str(&text[start..]);
}

/// Appends a checked text with two spaces of indentation a level.
pub(crate) fn push_pretty(out: &mut String, text: &str) {
    pretty(out, text, 0);
}

/// The depth of checked text is bounded, and so is this recursion.
fn pretty(out: &mut String, text: &str, depth: usize) {
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth));
    };
    match kind_of(text) {
        super::Kind::Array => {
            let mut empty = true;
            out.push('[');
            for item in walk::items(text) {
                if !empty {
                    out.push(',');
                }
                empty = false;
                line(out, depth + 1);
                pretty(out, item, depth + 1);
            }
            if !empty {
                line(out, depth);
            }
            out.push(']');
        }
        super::Kind::Object => {
            let mut empty = true;
            out.push('{');
            for (key, value) in walk::members(text) {
                if !empty {
                    out.push(',');
                }
                empty = false;
                line(out, depth + 1);
                out.push_str(key);
                out.push_str(": ");
                pretty(out, value, depth + 1);
            }
            if !empty {
                line(out, depth);
            }
            out.push('}');
        }
        _ => out.push_str(text),
    }
}

/// Writes an object member by member.
pub(crate) struct ObjectWriter<'a> {
    out: &'a mut String,
    empty: bool,
}

impl<'a> ObjectWriter<'a> {
    pub(crate) fn new(out: &'a mut String) -> ObjectWriter<'a> {
        out.push('{');
        ObjectWriter { out, empty: true }
    }

    /// Starts a member and hands out the text to append its value to.
    pub(crate) fn key(&mut self, key: &str) -> &mut String {
        if !self.empty {
            self.out.push(',');
        }
        self.empty = false;
        push_string(self.out, key);
        self.out.push(':');
        self.out
    }

    pub(crate) fn json(&mut self, key: &str, value: &Json) {
        push_compact(self.key(key), value.as_text());
    }

    pub(crate) fn text(&mut self, key: &str, content: &str) {
        push_string(self.key(key), content);
    }

    pub(crate) fn number(&mut self, key: &str, value: u64) {
        let _ = write!(self.key(key), "{value}");
    }

    pub(crate) fn bool(&mut self, key: &str, value: bool) {
        self.key(key).push_str(if value { "true" } else { "false" });
    }

    /// A member that is an array, one call of `item` for each of its items.
    pub(crate) fn array<T>(
        &mut self,
        key: &str,
        values: impl IntoIterator<Item = T>,
        mut item: impl FnMut(&mut String, T),
    ) {
        let out = self.key(key);
        out.push('[');
        for (index, value) in values.into_iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            item(out, value);
        }
        out.push(']');
    }

    pub(crate) fn end(self) {
        self.out.push('}');
    }
}
