//! How many tokens a text has, by a real tokenizer.
//!
//! The vocabulary is o200k, a public one; those of other models differ from it by a few percent
//! either way. Up to 64 KiB the count is exact. Of longer texts sixteen samples, spread over the
//! whole, are counted exactly, and the rest is taken to be like them: base64 and other scripts cost
//! several times what prose does, so a fixed number of characters for each token would be wrong by
//! as much.
//!
//! The tables are a part of the program's file (the build script writes them), so that nothing is
//! loaded and memory does not grow. The time to count grows with the text as sorting does, whatever
//! is in it.

mod place;
mod vocabulary;

use std::borrow::Cow;

/// Longer texts are estimated from samples.
const EXACT_BYTES_MAX: usize = 64 << 10;
/// How many samples of a longer text are counted.
const SAMPLES: usize = 16;
/// Bytes of one.
const SAMPLE_BYTES: usize = 4 << 10;

/// The tokens of a text.
pub(crate) fn count(text: &str) -> usize {
    if text.len() <= EXACT_BYTES_MAX {
        return vocabulary::count(text);
    }
    let mut tokens = 0;
    let mut counted = 0;
    for at in 0..SAMPLES {
        let sample = sample(text, at);
        tokens += vocabulary::count(sample);
        counted += sample.len();
    }
    let tokens = scaled(tokens, counted, text.len() as u64);
    usize::try_from(tokens).unwrap_or(usize::MAX)
}

/// The tokens of a whole of which only the beginning is here.
pub(crate) fn of_head(head: &[u8], whole_len: u64) -> u64 {
    // What is cut within a character at the end, or was no text, counts as a character each.
    let text = match std::str::from_utf8(head) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(&head[..head.len().min(EXACT_BYTES_MAX)]),
    };
    scaled(count(&text), text.len(), whole_len)
}

/// One of the samples, the first at the beginning and the last at the end.
fn sample(text: &str, at: usize) -> &str {
    let last = text.len() - SAMPLE_BYTES;
    let start = text.floor_char_boundary(last / (SAMPLES - 1) * at);
    &text[start..text.floor_char_boundary(start + SAMPLE_BYTES)]
}

/// The tokens of a whole of which a part was counted.
fn scaled(tokens: usize, counted: usize, whole: u64) -> u64 {
    match counted {
        0 => 0,
        counted => {
            let tokens = tokens as u128 * u128::from(whole) / counted as u128;
            u64::try_from(tokens).unwrap_or(u64::MAX)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_the_vocabulary() {
        for (text, expected) in [
            ("", 0),
            ("a", 1),
            ("hello world", 2),
            ("The quick brown fox jumps over the lazy dog.", 10),
            ("<|endoftext|>", 7),
        ] {
            assert_eq!(count(text), expected, "{text}");
        }
    }

    #[test]
    fn a_long_text_is_estimated_by_what_is_in_it() {
        let prose = "The quick brown fox jumps over the lazy dog. ";
        let base64 = "iVBORw0KGgoAAAANSUhEUgAAAAUA7xQ2fL9kTzP1";
        let script = "統計によると、人口は増えています。";
        let mixed = [prose.repeat(3000), base64.repeat(3000), script.repeat(2000)].concat();
        for text in [prose.repeat(8000), base64.repeat(8000), script.repeat(4000), mixed] {
            assert!(text.len() > EXACT_BYTES_MAX);
            let (estimated, exact) = (count(&text) as f64, vocabulary::count(&text) as f64);
            let off = (estimated - exact).abs() / exact;
            assert!(off < 0.1, "{estimated} for {exact}");
        }
    }

    #[test]
    fn a_head_stands_for_its_whole() {
        let text = "one two three four five six seven eight ".repeat(100);
        let tokens = count(&text) as u64;
        assert_eq!(of_head(text.as_bytes(), text.len() as u64), tokens);
        assert_eq!(of_head(text.as_bytes(), text.len() as u64 * 50), tokens * 50);
        assert_eq!(of_head(b"", 1000), 0);
        // Cut within a character, and no text at all.
        assert!(of_head("ää".as_bytes().split_last().unwrap().1, 3) > 0);
        assert!(of_head(&[0xff; 1000], 1 << 30) > 1 << 20);
        // A whole that no machine has is no overflow.
        assert!(of_head(b"a b c", u64::MAX) > u64::MAX / 4);
    }

    /// Only whether it ends: some tokenizers need minutes for this.
    #[test]
    fn what_never_ends_in_a_word_is_counted_too() {
        for text in
            ["a".repeat(EXACT_BYTES_MAX), " ".repeat(EXACT_BYTES_MAX), "\u{300}".repeat(30_000)]
        {
            assert!(count(&text) > 0);
        }
    }
}
