//! What is looked for, compiled.

use regex::bytes::{Regex, RegexBuilder};

use super::super::{Stop, page::cut};

/// Memory of a compiled expression; what needs more is refused.
const COMPILED_BYTES_MAX: usize = 8 << 20;
/// Words of a search.
const WORDS_MAX: usize = 16;

/// Everything that a line must have.
pub(super) struct Pattern {
    all: Vec<Regex>,
}

impl Pattern {
    pub(super) fn new(pattern: &str, is_words: bool) -> Result<Pattern, Stop> {
        if pattern.trim().is_empty() {
            return Err(Stop::refused("the pattern is empty"));
        }
        if !is_words {
            return Ok(Pattern { all: vec![compile(pattern, false)?] });
        }
        let words = pattern.split_whitespace().take(WORDS_MAX).map(|word| {
            let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
            let start = if is_letter(word.chars().next()) { r"\b" } else { "" };
            let end = if is_letter(word.chars().next_back()) { r"\b" } else { "" };
            compile(&format!("{start}{}{end}", regex::escape(word)), true)
        });
        Ok(Pattern { all: words.collect::<Result<_, _>>()? })
    }

    /// Where the first of them is, if the line has all.
    pub(super) fn find(&self, line: &[u8]) -> Option<(usize, usize)> {
        let (first, others) = self.all.split_first()?;
        let found = first.find(line)?;
        others.iter().all(|regex| regex.is_match(line)).then(|| (found.start(), found.end()))
    }
}

fn compile(pattern: &str, ignores_case: bool) -> Result<Regex, Stop> {
    let regex = RegexBuilder::new(pattern)
        .case_insensitive(ignores_case)
        .size_limit(COMPILED_BYTES_MAX)
        .dfa_size_limit(COMPILED_BYTES_MAX)
        .build();
    regex.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => Stop::Refused(format!(
            "the pattern is too large when compiled: {}; use smaller repetitions",
            cut(pattern, 100)
        )),
        // It shows the pattern with a mark below the place.
        error => Stop::Refused(format!(
            "the pattern is not a regular expression, or uses look-around or back-references, which \
             are not supported:\n{error}\nfor plain words use \"words\": true"
        )),
    })
}
