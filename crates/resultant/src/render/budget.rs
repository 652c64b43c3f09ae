//! How much a model is given, in bytes and in tokens.

/// The most that a text for the model may have. Whichever cap is met first counts.
///
/// ```
/// use resultant::Budget;
///
/// let budget = Budget { bytes: 1024, ..Budget::default() };
/// assert!(budget.fits("a short text"));
/// assert!(!budget.fits(&"x".repeat(2000)));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Bytes of text. Less than [`Budget::BYTES_MIN`] counts as that.
    pub bytes: usize,
    /// Tokens of text.
    pub tokens: usize,
    /// Counts tokens. The default estimates by kind of text, rather too many than too few.
    pub count_tokens: fn(&str) -> usize,
}

impl Budget {
    /// A text that says that something is missing, and where it is, needs this much.
    pub const BYTES_MIN: usize = 256;

    /// Whether a text is within both caps.
    pub fn fits(&self, text: &str) -> bool {
        // No text has more tokens than bytes, so most texts need no counting.
        text.len() <= self.bytes_max()
            && (text.len() <= self.tokens || (self.count_tokens)(text) <= self.tokens)
    }

    pub(crate) fn bytes_max(&self) -> usize {
        self.bytes.max(Budget::BYTES_MIN)
    }
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { bytes: 8 << 10, tokens: 2_000, count_tokens: estimate_tokens }
    }
}

/// An estimate of how many tokens a text has, by the kinds of characters in it.
///
/// Words cost a token for each six letters, numbers one for each three digits, signs one each, and
/// other scripts one a character. Base64 and prose come out right to about a fifth.
///
/// ```
/// assert!((8..=12).contains(&resultant::estimate_tokens("The quick brown fox jumps over the lazy dog.")));
/// ```
pub fn estimate_tokens(text: &str) -> usize {
    let mut tokens = 0;
    let mut run = 0;
    let mut last = Class::Space;
    for char in text.chars() {
        let class = Class::of(char);
        // A capital starts a word, a small letter continues one.
        let continues = class == last || last == Class::Upper && class == Class::Lower;
        if continues {
            run += 1;
        } else {
            tokens += last.tokens(run);
            run = 1;
        }
        last = class;
    }
    tokens + last.tokens(run)
}

#[derive(Clone, Copy, PartialEq)]
enum Class {
    Lower,
    Upper,
    Digit,
    Space,
    Sign,
    Other,
}

impl Class {
    fn of(char: char) -> Class {
        match char {
            'a'..='z' => Class::Lower,
            'A'..='Z' => Class::Upper,
            '0'..='9' => Class::Digit,
            ' ' | '\t' | '\n' | '\r' => Class::Space,
            '!'..='~' => Class::Sign,
            _ => Class::Other,
        }
    }

    fn tokens(self, run: usize) -> usize {
        match self {
            Class::Lower => run.div_ceil(6),
            Class::Upper => run.div_ceil(3),
            Class::Digit => run.div_ceil(3),
            // One space belongs to the word behind it.
            Class::Space => usize::from(run > 1),
            Class::Sign => run.div_ceil(2),
            Class::Other => run,
        }
    }
}
