//! The vocabulary and how a text is cut by it: byte-pair encoding, counted and not kept.
//!
//! A text is cut into pieces (words with the space before them, up to three digits, signs), and in
//! each piece the neighbours that make the token of the lowest rank are joined, until none do. Long
//! pieces are joined by a queue, so that 64 KiB of one letter take milliseconds.

use std::{cmp::Reverse, collections::BinaryHeap, sync::LazyLock};

use regex::Regex;

use super::place::places;

/// The bytes of all tokens, by rank.
static BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/tokens"));
/// Where each ends, four bytes a number.
static ENDS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/token_ends"));
/// The rank of the token at each place, from one; zero where there is none.
static TABLE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/token_table"));

/// No token is longer.
const TOKEN_BYTES_MAX: usize = 128;
/// Pieces of up to so many bytes are joined without a queue.
const SHORT_BYTES_MAX: usize = 48;

/// The tokens of a text.
pub(super) fn count(text: &str) -> usize {
    let mut joiner = Joiner::default();
    pieces(text).map(|piece| joiner.count(piece.as_bytes())).sum()
}

/// The pieces of a text, as the vocabulary was made with.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    static PIECE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let ending = "(?i:'s|'t|'re|'ve|'m|'ll|'d)?";
        let upper = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]";
        let lower = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]";
        let alternatives = [
            format!(r"[^\r\n\p{{L}}\p{{N}}]?{upper}*{lower}+{ending}"),
            format!(r"[^\r\n\p{{L}}\p{{N}}]?{upper}+{lower}*{ending}"),
            r"\p{N}{1,3}".to_owned(),
            r" ?[^\s\p{L}\p{N}]+[\r\n/]*".to_owned(),
            r"\s*[\r\n]+".to_owned(),
            r"\s+".to_owned(),
        ];
        Regex::new(&alternatives.join("|")).ok()
    });
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let end = PIECE.as_ref().and_then(|piece| piece.find_at(text, at)).map(|found| found.end());
        let end = end.unwrap_or(at + rest.len());
        let piece = &text[at..end];
        // Of several spaces before a word the last belongs to the word.
        let is_before_more = end < text.len();
        let last = piece
            .chars()
            .next_back()
            .filter(|char| char.is_whitespace() && !matches!(char, '\r' | '\n') && is_before_more);
        let piece = match last {
            Some(last) if piece.len() > last.len_utf8() => &piece[..piece.len() - last.len_utf8()],
            _ => piece,
        };
        at += piece.len();
        Some(piece)
    })
}

/// The rank of a token; nothing where there is none of these bytes.
fn rank(token: &[u8]) -> Option<u32> {
    if token.len() > TOKEN_BYTES_MAX {
        return None;
    }
    for place in places(token) {
        let rank = number(TABLE, place)?.checked_sub(1)?;
        let start = if rank == 0 { 0 } else { number(ENDS, rank as usize - 1)? };
        let end = number(ENDS, rank as usize)?;
        if BYTES.get(start as usize..end as usize) == Some(token) {
            return Some(rank);
        }
    }
    None
}

fn number(numbers: &[u8], at: usize) -> Option<u32> {
    let bytes = numbers.get(at * 4..)?.first_chunk()?;
    Some(u32::from_le_bytes(*bytes))
}

/// Joins bytes to tokens. Its room is used again for the next piece.
#[derive(Default)]
struct Joiner {
    /// Where parts start, and the rank of each joined with the next.
    parts: Vec<(usize, Option<u32>)>,
    /// Of each byte where the next part starts; and where the one before did.
    next: Vec<usize>,
    before: Vec<usize>,
    /// Rank, start and end of what may be joined; it may be joined otherwise before its turn.
    queue: BinaryHeap<Reverse<(u32, usize, usize)>>,
}

impl Joiner {
    fn count(&mut self, piece: &[u8]) -> usize {
        match piece.len() {
            0 | 1 => piece.len(),
            _ if rank(piece).is_some() => 1,
            len if len <= SHORT_BYTES_MAX => self.count_short(piece),
            _ => self.count_long(piece),
        }
    }

    fn count_short(&mut self, piece: &[u8]) -> usize {
        let joined = |parts: &[(usize, Option<u32>)], at: usize| {
            let start = parts.get(at)?.0;
            // The last part has none behind it.
            let end = parts.get(at + 2).map(|part| part.0);
            let end = end.or_else(|| (at + 1 < parts.len()).then_some(piece.len()))?;
            rank(&piece[start..end])
        };
        let parts = &mut self.parts;
        parts.clear();
        parts.extend((0..piece.len()).map(|start| (start, None)));
        for at in 0..parts.len() {
            parts[at].1 = joined(parts, at);
        }
        loop {
            let ranks = parts.iter().enumerate();
            let lowest = ranks.filter_map(|(at, (_, rank))| Some(((*rank)?, at))).min();
            let Some((_, at)) = lowest else { return parts.len() };
            parts.remove(at + 1);
            parts[at].1 = joined(parts, at);
            if at > 0 {
                parts[at - 1].1 = joined(parts, at - 1);
            }
        }
    }

    fn count_long(&mut self, piece: &[u8]) -> usize {
        let Joiner { next, before, queue, .. } = self;
        let len = piece.len();
        next.clear();
        next.extend(1..=len);
        before.clear();
        before.extend((0..len).map(|at| at.saturating_sub(1)));
        queue.clear();
        let offer = |queue: &mut BinaryHeap<_>, start: usize, end: usize| {
            if let Some(rank) = rank(&piece[start..end]) {
                queue.push(Reverse((rank, start, end)));
            }
        };
        for start in 0..len - 1 {
            offer(queue, start, start + 2);
        }
        let mut parts = len;
        while let Some(Reverse((_, start, end))) = queue.pop() {
            let middle = next[start];
            // Either half was joined to something else since, or is no part any more.
            if middle >= len || middle >= end || next[middle] != end {
                continue;
            }
            next[start] = end;
            next[middle] = usize::MAX;
            parts -= 1;
            if end < len {
                before[end] = start;
                offer(queue, start, next[end]);
            }
            if start > 0 {
                offer(queue, before[start], end);
            }
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str) {
        let expected = bpe_openai::o200k_base();
        let cut: Vec<&str> = expected.split(text).collect();
        assert_eq!(pieces(text).collect::<Vec<_>>(), cut);
        assert_eq!(count(text), expected.count(text), "{text:?}");
    }

    #[test]
    fn the_count_is_the_tokenizers() {
        for text in [
            "",
            "a",
            "hello world",
            "  two  spaces,\ttabs\t\tand\r\n\r\n  lines \n",
            "I'll say WHAT'S camelCase HTTPServer and x2000000",
            "naïve façade ÅÄÖ 統計によると👩\u{200d}🚀 \u{2028}\u{85} \u{a0}\u{a0}x",
            "https://example.com/a?b=c&d=%20#frag//// \"quoted\\n\" {[(<>)]}",
            "trailing spaces   ",
        ] {
            check(text);
        }
        for source in [include_str!("vocabulary.rs"), include_str!("../../data/clients.json")] {
            check(source);
        }
    }

    #[test]
    fn long_pieces_are_joined_as_short_ones_are() {
        for piece in ["a", "ab", "=", "=-", "\u{300}", " ", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "\n"] {
            for times in [2, 40, 47, 48, 49, 50, 200, 5000] {
                check(&piece.repeat(times));
            }
        }
    }

    proptest! {
        #[test]
        fn any_text_is_cut_and_counted_alike(text in any::<String>(), words in "[a-zA-Z0-9+/ \n=_-]{0,300}") {
            check(&text);
            check(&words);
        }
    }
}
