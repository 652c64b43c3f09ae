//! Tokens as a real tokenizer counts them.

use bpe_openai::{Tokenizer, o200k_base};

fn tokenizer() -> &'static Tokenizer {
    o200k_base()
}

pub(crate) fn count(text: &str) -> usize {
    tokenizer().count(text)
}

/// The text without its middle: so many tokens of its beginning and of its end, and how many are
/// missing. `None` when it is not longer than that.
pub(crate) fn ends(text: &str, head: usize, tail: usize) -> Option<(String, usize, String)> {
    let tokens = tokenizer().encode(text);
    let missing = tokens.len().checked_sub(head + tail).filter(|missing| *missing > 0)?;
    // A cut may fall into a character; the last token of a piece is left out then.
    let decoded = |pieces: [&[u32]; 3]| {
        pieces.into_iter().find_map(|piece| tokenizer().decode(piece)).unwrap_or_default()
    };
    let (front, back) = (&tokens[..head], &tokens[tokens.len() - tail..]);
    let front = decoded([front, &front[..head - 1], &front[..head - 2]]);
    let back = decoded([back, &back[1..], &back[2..]]);
    Some((front, missing, back))
}
