//! What is taken out of the texts for the model, where the configuration asks for it.
//!
//! Two things, both off by themselves. *Neutralizing* makes harmless what a text can do to a model
//! or a terminal without being seen to: control tokens, characters that nobody sees, escapes.
//! *Redaction* replaces secrets. Either works on what goes out to a client: what a server answered
//! and the files stay as they were, for their owner. What is put in is never longer than what it
//! stands for, so that a text stays within its budget.
//!
//! A secret that is cut by a preview, or written in another way than its pattern knows, is not
//! found. This keeps secrets out of prompts that got there by accident; it does not keep a server
//! from telling them.

mod patterns;

use std::borrow::Cow;

use regex::Regex;
use resultant::{Json, Kind, Object, Schema};

use self::patterns::{ALL, BUILT_IN};
use crate::config::Config;

/// The program of a pattern has at most this many bytes, so that none takes all memory.
const PATTERN_BYTES_MAX: usize = 1 << 20;
/// The part of a pattern that is the secret, where not all of it is.
const SECRET: &str = "secret";

/// The text without what the model is not to have.
pub(crate) fn text<'a>(config: &Config, text: &'a str) -> Cow<'a, str> {
    config.cleaner.text(text)
}

/// A tool's result without it: in its texts and in its structured content.
pub(crate) fn result(config: &Config, json: Json, schema: Option<&Schema>) -> Json {
    config.cleaner.result(json, schema)
}

/// A value whose keys are the protocol's, without it.
pub(crate) fn value(config: &Config, json: Json) -> Json {
    config.cleaner.json(&json, Part::Protocol).unwrap_or(json)
}

/// What is taken out.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cleaner {
    neutralizes: bool,
    patterns: Vec<Pattern>,
}

#[derive(Clone, Debug)]
struct Pattern {
    /// What stands in the place of a secret.
    mark: String,
    regex: Regex,
}

impl PartialEq for Cleaner {
    fn eq(&self, other: &Cleaner) -> bool {
        let texts = |cleaner: &Cleaner| -> Vec<String> {
            cleaner.patterns.iter().map(|pattern| pattern.regex.as_str().to_owned()).collect()
        };
        self.neutralizes == other.neutralizes && texts(self) == texts(other)
    }
}

/// What is wrong with an entry: its place, why, and what to try.
type EntryProblem = (usize, String, String);

impl Cleaner {
    /// By the names of patterns that are known here, and patterns between slashes.
    pub(crate) fn new(neutralizes: bool, redact: &[String]) -> (Cleaner, Vec<EntryProblem>) {
        let mut patterns = Vec::new();
        let mut problems = Vec::new();
        for (at, entry) in redact.iter().enumerate() {
            let written = entry.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
            let found: Vec<(&str, &str)> = match written {
                Some(pattern) => vec![("", pattern)],
                None if entry == ALL => BUILT_IN.to_vec(),
                None => BUILT_IN.iter().filter(|(name, _)| name == entry).copied().collect(),
            };
            if found.is_empty() {
                let names: Vec<&str> = BUILT_IN.iter().map(|(name, _)| *name).collect();
                let hint = format!("one of {ALL}, {}, or /PATTERN/", names.join(", "));
                problems.push((at, format!("no pattern is called `{entry}`"), hint));
            }
            for (name, pattern) in found {
                let built = regex::RegexBuilder::new(pattern).size_limit(PATTERN_BYTES_MAX).build();
                match built {
                    Ok(regex) if regex.is_match("") => {
                        let hint = "it would be found everywhere".to_owned();
                        problems.push((at, "the pattern fits an empty text".to_owned(), hint));
                    }
                    Ok(regex) => {
                        let space = if name.is_empty() { "" } else { " " };
                        patterns.push(Pattern { mark: format!("[redacted{space}{name}]"), regex });
                    }
                    Err(error) => {
                        let error = error.to_string();
                        let last = error.lines().last().unwrap_or_default();
                        let message = last.trim_start_matches("error: ").to_owned();
                        let hint = "regular expressions as the Rust crate `regex` has them";
                        problems.push((at, message, hint.to_owned()));
                    }
                }
            }
        }
        (Cleaner { neutralizes, patterns }, problems)
    }

    fn is_idle(&self) -> bool {
        !self.neutralizes && self.patterns.is_empty()
    }

    fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut cleaned = Cow::Borrowed(text);
        for pattern in &self.patterns {
            if let Some(redacted) = redacted(pattern, &cleaned) {
                cleaned = Cow::Owned(redacted);
            }
        }
        if self.neutralizes
            && let Some(neutral) = neutralized(&cleaned)
        {
            cleaned = Cow::Owned(neutral);
        }
        cleaned
    }

    fn result(&self, json: Json, schema: Option<&Schema>) -> Json {
        if self.is_idle() {
            return json;
        }
        let Some(cleaned) = self.members(&json) else { return json };
        let structured = cleaned.get("structuredContent");
        let is_changed = structured.as_ref().map(Json::as_text)
            != json.get("structuredContent").as_ref().map(Json::as_text);
        // What was advertised allows this in the place of a value that does not fit any more.
        let is_refused = |structured: &Json| {
            let is_digest =
                structured.get("complete").is_some_and(|complete| complete.as_text() == "false");
            is_changed
                && !is_digest
                && schema.is_some_and(|schema| {
                    let unwrapped = schema.unwrap_value(structured);
                    !schema.check(structured).is_valid()
                        && !unwrapped.is_some_and(|value| schema.check(&value).is_valid())
                })
        };
        if !structured.as_ref().is_some_and(is_refused) {
            return cleaned;
        }
        let mut report = Object::default();
        report.set("complete", Json::bool(false));
        report.set("note", Json::string("parts of it were taken out; the text has the rest"));
        let mut members = Object::of(&cleaned);
        members.set("structuredContent", report.to_json());
        members.to_json()
    }

    /// The members of a result that hold what a server said.
    fn members(&self, json: &Json) -> Option<Json> {
        let mut members = Object::of(json);
        let mut is_changed = false;
        for (key, part) in [
            ("content", Part::Protocol),
            ("_meta", Part::Protocol),
            ("structuredContent", Part::Value),
        ] {
            if let Some(cleaned) = members.get(key).and_then(|value| self.json(value, part)) {
                members.set(key, cleaned);
                is_changed = true;
            }
        }
        is_changed.then(|| members.to_json())
    }

    /// The value with its strings cleaned; nothing where they are clean.
    fn json(&self, json: &Json, part: Part) -> Option<Json> {
        match json.kind() {
            Kind::String => match self.text(&json.as_str()?) {
                Cow::Borrowed(_) => None,
                Cow::Owned(cleaned) => Some(Json::string(&cleaned)),
            },
            Kind::Array => {
                let cleaned: Vec<(Json, bool)> = json
                    .items()
                    .map(|item| match self.json(&item, part) {
                        Some(cleaned) => (cleaned, true),
                        None => (item, false),
                    })
                    .collect();
                let is_changed = cleaned.iter().any(|(_, is_changed)| *is_changed);
                is_changed.then(|| Json::array(cleaned.iter().map(|(item, _)| item)))
            }
            Kind::Object => {
                let mut is_changed = false;
                let mut members = Object::default();
                for (key, value) in json.members() {
                    let clean_key = match part {
                        Part::Protocol => Cow::Borrowed(&*key),
                        Part::Value => self.text(&key),
                    };
                    let cleaned = match part == Part::Protocol && NOT_SAID.contains(&&*key) {
                        true => None,
                        false => self.json(&value, part),
                    };
                    is_changed |= cleaned.is_some() || clean_key != key;
                    members.set(&clean_key, cleaned.unwrap_or(value));
                }
                is_changed.then(|| members.to_json())
            }
            _ => None,
        }
    }
}

/// Whose words the keys of a value are.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Protocol,
    Value,
}

/// Members of blocks that are the protocol's words, or bytes.
const NOT_SAID: [&str; 4] = ["type", "mimeType", "data", "blob"];

/// The text without what the pattern finds; nothing where it finds none.
fn redacted(pattern: &Pattern, text: &str) -> Option<String> {
    let mut out = String::new();
    let mut copied = 0;
    for found in pattern.regex.captures_iter(text) {
        let Some(secret) = found.name(SECRET).or_else(|| found.get(0)) else { continue };
        out.push_str(&text[copied..secret.start()]);
        match secret.len() >= pattern.mark.len() {
            true => out.push_str(&pattern.mark),
            false => out.extend(secret.as_str().chars().map(|_| '*')),
        }
        copied = secret.end();
    }
    if copied == 0 {
        return None;
    }
    out.push_str(&text[copied..]);
    Some(out)
}

/// The text with control tokens that are none, and without what is not seen; nothing where it has
/// neither.
fn neutralized(text: &str) -> Option<String> {
    let plain = patterns::escapes().replace_all(text, "");
    let plain = patterns::control_tokens().replace_all(&plain, "[$name]");
    match plain.chars().any(is_unseen) {
        true => Some(plain.chars().filter(|char| !is_unseen(*char)).collect()),
        false if plain == text => None,
        false => Some(plain.into_owned()),
    }
}

/// Characters that nobody sees, or that change how others are read. What joins letters and emoji
/// (U+200C, U+200D) and chooses their look stays: texts in many languages need it.
fn is_unseen(char: char) -> bool {
    matches!(char,
        '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206f}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'
        | '\u{fe00}'..='\u{fe0d}')
}

#[cfg(test)]
mod tests;
