//! Keeps out of the model's text what must never be in it: the base64 of a file, and download
//! links of ours, which carry capability tokens.

use std::{borrow::Cow, collections::HashMap};

use crate::{
    artifact::{Artifact, Content},
    json::{Json, push_string, rewrite_strings, unescape},
};

/// The path of a download link. What stands around it, up to a space or quote, is the link.
const DOWNLOAD_PATH: &str = "/api/files/download/";

/// Base64 is known by its first characters; a shorter file by all of them.
const KNOWN_CHARACTERS: usize = 64;
/// Fewer characters than this are also ordinary words.
const BASE64_CHARACTERS_MIN: usize = 16;

type Start = [u8; BASE64_CHARACTERS_MIN];

/// Whether a text holds a download link of ours.
pub(super) fn has_download_link(text: &str) -> bool {
    text.contains(DOWNLOAD_PATH)
}

/// Whether a value holds one. JSON may escape any character of it.
pub(super) fn value_has_download_link(json: &Json) -> bool {
    let text = json.as_text();
    if has_download_link(text) {
        return true;
    }
    let mut is_found = false;
    if text.contains("\\/") || text.contains("\\u") {
        let find = |string: &str, _: &mut String| {
            is_found |= string.contains('\\') && has_download_link(&unescape(string));
            true
        };
        rewrite_strings(text, find, &mut String::new());
    }
    is_found
}

/// What to look for, of one outcome.
pub(super) struct Hidden<'a> {
    /// The files by the first characters of their base64, in the standard alphabet.
    files: HashMap<Start, Vec<Known<'a>>>,
    /// Which two characters any of them starts with: most places in a text are none.
    first_two: Vec<bool>,
}

struct Known<'a> {
    characters: Vec<u8>,
    /// There is no more of it.
    is_whole: bool,
    label: Cow<'a, str>,
}

impl<'a> Hidden<'a> {
    pub(super) fn of(artifacts: &'a [Artifact]) -> Hidden<'a> {
        Hidden::labelled(artifacts, |artifact| Cow::Borrowed(&artifact.name))
    }

    /// The same for a text that has no list of files beside it: what stands in the place of a file
    /// says what it is.
    pub(super) fn described(artifacts: &'a [Artifact]) -> Hidden<'a> {
        Hidden::labelled(artifacts, |artifact| Cow::Owned(artifact.label()))
    }

    fn labelled(
        artifacts: &'a [Artifact],
        label: impl Fn(&'a Artifact) -> Cow<'a, str>,
    ) -> Hidden<'a> {
        let mut files: HashMap<Start, Vec<Known<'a>>> = HashMap::new();
        let mut first_two = Vec::new();
        for artifact in artifacts {
            let Content::Base64(text) = &artifact.content else { continue };
            let text = text.trim_end_matches('=').as_bytes();
            let known = &text[..text.len().min(KNOWN_CHARACTERS)];
            let Some(start) = start_of(known) else { continue };
            let characters = known.iter().map(|&byte| standard(byte)).collect();
            let is_whole = known.len() == text.len();
            let known = Known { characters, is_whole, label: label(artifact) };
            files.entry(start).or_default().push(known);
            first_two.resize(1 << 16, false);
            first_two[two(start[0], start[1])] = true;
        }
        Hidden { files, first_two }
    }

    /// The value without them; the same value where there are none.
    pub(super) fn hide(&self, json: &Json) -> Json {
        let text = json.as_text();
        if self.files.is_empty() && !value_has_download_link(json) {
            return json.clone();
        }
        let mut is_changed = false;
        let mut out = String::new();
        rewrite_strings(
            text,
            |string, out| {
                let content = unescape(string);
                let Some(hidden) = self.hide_text(&content) else { return false };
                is_changed = true;
                push_string(out, &hidden);
                true
            },
            &mut out,
        );
        if is_changed { Json::trusted(out) } else { json.clone() }
    }

    /// A sentence without them.
    pub(super) fn hide_in(&self, text: &str) -> String {
        self.hide_text(text).unwrap_or_else(|| text.to_owned())
    }

    /// The text without them; `None` where there are none.
    fn hide_text(&self, text: &str) -> Option<String> {
        let without_files = self.hide_files(text);
        let text = without_files.as_deref().unwrap_or(text);
        match hide_links(text) {
            Some(hidden) => Some(hidden),
            None => without_files,
        }
    }

    /// Replaces the base64 of files, wherever in a run of its characters it starts.
    fn hide_files(&self, text: &str) -> Option<String> {
        if self.files.is_empty() || text.len() < BASE64_CHARACTERS_MIN {
            return None;
        }
        let bytes = text.as_bytes();
        let mut out = String::new();
        let (mut copied, mut at) = (0, 0);
        while at + BASE64_CHARACTERS_MIN <= bytes.len() {
            let Some((len, label)) = self.file_at(&bytes[at..]) else {
                at += 1;
                continue;
            };
            out.push_str(&text[copied..at]);
            out.push_str("[the file ");
            out.push_str(label);
            out.push(']');
            at += len;
            while bytes.get(at) == Some(&b'=') {
                at += 1;
            }
            copied = at;
        }
        if copied == 0 {
            return None;
        }
        out.push_str(&text[copied..]);
        Some(out)
    }

    /// How many characters from here on are a file, and which.
    fn file_at(&self, bytes: &[u8]) -> Option<(usize, &str)> {
        if !self.first_two[two(standard(bytes[0]), standard(bytes[1]))] {
            return None;
        }
        let candidates = self.files.get(&start_of(bytes)?)?;
        let matches = |known: &&Known<'_>| {
            bytes.len() >= known.characters.len()
                && known.characters.iter().zip(bytes).all(|(&known, &byte)| known == standard(byte))
        };
        let found = candidates.iter().filter(matches).max_by_key(|known| known.characters.len())?;
        let len = match found.is_whole {
            true => found.characters.len(),
            false => bytes.iter().position(|&byte| !is_base64(byte)).unwrap_or(bytes.len()),
        };
        Some((len, &found.label))
    }
}

/// The first characters of base64, in the standard alphabet.
fn start_of(bytes: &[u8]) -> Option<Start> {
    let start: Start = bytes.get(..BASE64_CHARACTERS_MIN)?.try_into().ok()?;
    start.iter().all(|&byte| is_base64(byte)).then(|| start.map(standard))
}

fn two(first: u8, second: u8) -> usize {
    usize::from(first) << 8 | usize::from(second)
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/-_".contains(&byte)
}

/// The character of the standard alphabet that means the same.
fn standard(byte: u8) -> u8 {
    match byte {
        b'-' => b'+',
        b'_' => b'/',
        _ => byte,
    }
}

/// Replaces download links of ours.
fn hide_links(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(DOWNLOAD_PATH) {
        let is_end = |char: char| char.is_whitespace() || "\"'<>()[]{}`\\,".contains(char);
        let start = rest[..at]
            .rfind(is_end)
            .map_or(0, |end| end + rest[end..].chars().next().map_or(1, char::len_utf8));
        let end = rest[at..].find(is_end).map_or(rest.len(), |len| at + len);
        out.push_str(&rest[..start]);
        out.push_str("[download link]");
        rest = &rest[end..];
    }
    if out.is_empty() {
        return None;
    }
    out.push_str(rest);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn download_links_are_hidden_whole() {
        for (text, expected) in [
            (
                "see http://127.0.0.1:80/api/files/download/k?token=t.u-v now",
                "see [download link] now",
            ),
            ("/api/files/download/a", "[download link]"),
            (
                "(/api/files/download/a)(/api/files/download/b)",
                "([download link])([download link])",
            ),
        ] {
            assert_eq!(hide_links(text).unwrap(), expected);
        }
        assert_eq!(hide_links("nothing here"), None);
    }
}
