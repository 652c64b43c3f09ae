//! Finding tokens in a text, so that one that a tool repeats does not go on to anybody.
//!
//! A token may stand right after other letters (`%3D` before it, say), so no border is asked for.
//! Instead what its fixed bytes can be is checked, which a stretch of other data of that form meets
//! about once in 10¹¹ places.

use std::{borrow::Cow, ops::Range};

use super::format::{TOKEN_LENGTH, Unchecked};
use crate::Id;

/// What is put in the place of a token.
const REDACTED: &str = "[redacted]";

/// Where in a text something stands that looks like one of our tokens.
pub fn find_tokens(text: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let start = from + memchr::memmem::find(&text[from..], b"rt")?;
            let end = start + TOKEN_LENGTH;
            let found = text.get(start..end)?;
            if Unchecked::read(found).is_some_and(|token| token.stated().is_some()) {
                from = end;
                return Some(start..end);
            }
            from = start + 1;
        }
    })
}

/// The names of the tokens that stand in a text.
pub fn find_token_ids(text: &[u8]) -> impl Iterator<Item = Id> + '_ {
    find_tokens(text).filter_map(|place| Some(Unchecked::read(&text[place])?.claimed_id()))
}

/// The text without the tokens in it.
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    for token in find_tokens(text.as_bytes()) {
        // Tokens are ASCII, so they begin and end between characters.
        out.push_str(&text[copied..token.start]);
        out.push_str(REDACTED);
        copied = token.end;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}
