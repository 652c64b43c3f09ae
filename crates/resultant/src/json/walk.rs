//! Walking over text that the scanner has checked.
//!
//! These functions trust the text to be well formed. Given text that is not, they end early; they
//! never panic and never loop.

use std::borrow::Cow;

use serde_json::{Map, Number, Value};

/// The members of an object: the key with its quotes, the value.
pub(crate) fn members(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut parts = Parts::new(text, b'{');
    std::iter::from_fn(move || {
        let key = parts.next_part()?;
        let value = parts.next_part()?;
        Some((key, value))
    })
}

/// The items of an array.
pub(crate) fn items(text: &str) -> impl Iterator<Item = &str> {
    let mut parts = Parts::new(text, b'[');
    std::iter::from_fn(move || parts.next_part())
}

/// The keys and values, or the items, of one container.
struct Parts<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parts<'a> {
    fn new(text: &'a str, open: u8) -> Parts<'a> {
        let found = text.as_bytes().first() == Some(&open);
        Parts { text, at: if found { 1 } else { text.len() } }
    }

    fn next_part(&mut self) -> Option<&'a str> {
        let bytes = self.text.as_bytes();
        while matches!(bytes.get(self.at)?, b' ' | b'\t' | b'\n' | b'\r' | b',' | b':') {
            self.at += 1;
        }
        if matches!(bytes[self.at], b'}' | b']') {
            self.at = bytes.len();
            return None;
        }
        let start = self.at;
        self.at = value_end(bytes, start);
        Some(&self.text[start..self.at])
    }
}

/// Where the value that starts here ends.
pub(crate) fn value_end(bytes: &[u8], start: usize) -> usize {
    match bytes[start] {
        b'"' => string_end(bytes, start + 1),
        b'{' | b'[' => container_end(bytes, start),
        _ => {
            let rest = &bytes[start + 1..];
            let len = rest
                .iter()
                .position(|byte| matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r'));
            start + 1 + len.unwrap_or(rest.len())
        }
    }
}

fn container_end(bytes: &[u8], start: usize) -> usize {
    let mut depth = 0_usize;
    let mut at = start;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at = string_end(bytes, at + 1);
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// The place after the closing quote of a string whose content starts here.
fn string_end(bytes: &[u8], mut at: usize) -> usize {
    loop {
        at += special(&bytes[at..]);
        match bytes.get(at) {
            Some(b'"') => return at + 1,
            Some(b'\\') => at = (at + 2).min(bytes.len()),
            Some(_) => at += 1,
            None => return bytes.len(),
        }
    }
}

/// How many bytes come before the next quote, backslash or control character. Most strings are
/// short; in what is left of a long one whole blocks are passed over first.
pub(super) fn special(bytes: &[u8]) -> usize {
    const NEAR: usize = 64;
    const BLOCK: usize = 64;
    let near = &bytes[..bytes.len().min(NEAR)];
    let mut at = special_by_words(near);
    if at == NEAR {
        // No way out of a block before its end, so that its bytes are looked at together.
        let has_none = |block: &&[u8]| {
            !block.iter().fold(false, |found, &byte| {
                found | (byte == b'"') | (byte == b'\\') | (byte < 0x20)
            })
        };
        at += bytes[NEAR..].chunks_exact(BLOCK).take_while(has_none).count() * BLOCK;
        at += special_by_words(&bytes[at..]);
    }
    at
}

/// The same, eight bytes at a time.
fn special_by_words(bytes: &[u8]) -> usize {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let mut at = 0;
    let mut words = bytes.chunks_exact(8);
    for word in &mut words {
        let word = u64::from_le_bytes([
            word[0], word[1], word[2], word[3], word[4], word[5], word[6], word[7],
        ]);
        let quote = word ^ (LOW * b'"' as u64);
        let backslash = word ^ (LOW * b'\\' as u64);
        // A byte of these is high where the subtraction borrowed: where the byte was below the
        // bound and not itself high. A false hit can only stand behind a true one.
        let found = (quote.wrapping_sub(LOW) & !quote
            | backslash.wrapping_sub(LOW) & !backslash
            | word.wrapping_sub(LOW * 0x20) & !word)
            & HIGH;
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let rest = words.remainder();
    at + rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20)).unwrap_or(rest.len())
}

/// The content of a string given with its quotes, if it has no escapes.
pub(crate) fn escape_free(string: &str) -> Option<&str> {
    let content = string.get(1..string.len().saturating_sub(1))?;
    (!content.as_bytes().contains(&b'\\')).then_some(content)
}

/// The content of a string given with its quotes.
pub(crate) fn unescape(string: &str) -> Cow<'_, str> {
    if let Some(content) = escape_free(string) {
        return Cow::Borrowed(content);
    }
    let content = string.get(1..string.len().saturating_sub(1)).unwrap_or_default();
    let mut out = String::with_capacity(content.len());
    push_unescaped(&mut out, content);
    Cow::Owned(out)
}

/// Appends what an escaped content means.
pub(super) fn push_unescaped(out: &mut String, content: &str) {
    let mut rest = content;
    while let Some(at) = rest.as_bytes().iter().position(|&byte| byte == b'\\') {
        out.push_str(&rest[..at]);
        let (char, len) = read_escape(&rest.as_bytes()[at..]);
        out.push(char);
        rest = rest.get(at + len..).unwrap_or_default();
    }
    out.push_str(rest);
}

/// The character of the escape that starts here, and how long the escape is. A lone surrogate is
/// U+FFFD.
pub(super) fn read_escape(bytes: &[u8]) -> (char, usize) {
    let simple = match bytes.get(1) {
        Some(b'n') => '\n',
        Some(b't') => '\t',
        Some(b'r') => '\r',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'u') => return read_unicode_escape(bytes),
        Some(&other) => other as char,
        None => return (char::REPLACEMENT_CHARACTER, 1),
    };
    (simple, 2)
}

fn read_unicode_escape(bytes: &[u8]) -> (char, usize) {
    let Some(first) = hex4(bytes, 2) else { return (char::REPLACEMENT_CHARACTER, bytes.len()) };
    if let Some(char) = char::from_u32(first) {
        return (char, 6);
    }
    if first < 0xDC00
        && bytes.get(6) == Some(&b'\\')
        && bytes.get(7) == Some(&b'u')
        && let Some(second @ 0xDC00..=0xDFFF) = hex4(bytes, 8)
    {
        let code = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
        return (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 12);
    }
    (char::REPLACEMENT_CHARACTER, 6)
}

fn hex4(bytes: &[u8], at: usize) -> Option<u32> {
    bytes
        .get(at..at + 4)?
        .iter()
        .try_fold(0, |code, &byte| Some(code << 4 | (byte as char).to_digit(16)?))
}

/// A tree. The depth of checked text is bounded, and so is this recursion.
pub(super) fn to_value(text: &str) -> Value {
    match super::kind_of(text) {
        super::Kind::Null => Value::Null,
        super::Kind::Bool => Value::Bool(text == "true"),
        super::Kind::Number => Value::Number(number(text)),
        super::Kind::String => Value::String(unescape(text).into_owned()),
        super::Kind::Array => Value::Array(items(text).map(to_value).collect()),
        super::Kind::Object => {
            let pairs =
                members(text).map(|(key, value)| (unescape(key).into_owned(), to_value(value)));
            Value::Object(pairs.collect::<Map<_, _>>())
        }
    }
}

/// The nearest number a tree can hold.
fn number(text: &str) -> Number {
    if text == "-0" {
        return Number::from_f64(-0.0).unwrap_or_else(|| Number::from(0));
    }
    let whole =
        text.parse::<u64>().map(Number::from).or_else(|_| text.parse::<i64>().map(Number::from));
    whole.unwrap_or_else(|_| {
        let float = text.parse::<f64>().unwrap_or(0.0).clamp(f64::MIN, f64::MAX);
        Number::from_f64(float).unwrap_or_else(|| Number::from(0))
    })
}

#[cfg(test)]
mod tests {
    use super::special;

    #[test]
    fn the_first_special_byte_is_found_wherever_it_stands() {
        for byte in [b'"', b'\\', 0, b'\n', 0x1f] {
            for at in (0..300).chain([1000, 4095]) {
                // What is nearly special is not, and what comes behind does not matter.
                let mut text: Vec<u8> = [b' ', b'!', b'#', b'[', b']', 0x7f, 0x80, 0xff, b'a']
                    .into_iter()
                    .cycle()
                    .take(at)
                    .collect();
                assert_eq!(special(&text), at);
                text.push(byte);
                assert_eq!(special(&text), at, "{byte} at {at}");
                text.extend(std::iter::repeat_n(b'"', 70));
                assert_eq!(special(&text), at, "{byte} at {at}, and more");
            }
        }
    }
}
