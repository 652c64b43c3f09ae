//! Keeps out of the model's text what must never be in it: the base64 of a file, and download
//! links of ours, which carry capability tokens.

use std::collections::HashMap;

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

/// Whether a text holds a download link of ours.
pub(super) fn has_download_link(text: &str) -> bool {
    // JSON may escape the slashes.
    text.contains(DOWNLOAD_PATH) || text.contains("\\/api\\/files\\/download\\/")
}

/// What to look for, of one outcome.
pub(super) struct Hidden<'a> {
    files: HashMap<&'a str, &'a str>,
}

impl<'a> Hidden<'a> {
    pub(super) fn of(artifacts: &'a [Artifact]) -> Hidden<'a> {
        let known = artifacts.iter().filter_map(|artifact| match &artifact.content {
            Content::Base64(text) => {
                let text = text.trim_end_matches('=');
                let known = text.get(..KNOWN_CHARACTERS).unwrap_or(text);
                (known.len() >= BASE64_CHARACTERS_MIN).then_some((known, artifact.name.as_str()))
            }
            _ => None,
        });
        Hidden { files: known.collect() }
    }

    /// The value without them; the same value where there are none.
    pub(super) fn hide(&self, json: &Json) -> Json {
        let text = json.as_text();
        if self.files.is_empty() && !has_download_link(text) {
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

    /// The text without them; `None` where there are none.
    fn hide_text(&self, text: &str) -> Option<String> {
        let without_files = self.hide_files(text);
        let text = without_files.as_deref().unwrap_or(text);
        match hide_links(text) {
            Some(hidden) => Some(hidden),
            None => without_files,
        }
    }

    /// Replaces runs of base64 that are a file.
    fn hide_files(&self, text: &str) -> Option<String> {
        if self.files.is_empty() || text.len() < BASE64_CHARACTERS_MIN {
            return None;
        }
        let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/-_".contains(&byte);
        let bytes = text.as_bytes();
        let mut out = String::new();
        let (mut copied, mut at) = (0, 0);
        while at < bytes.len() {
            let start = at;
            while at < bytes.len() && is_base64(bytes[at]) {
                at += 1;
            }
            let run = &text[start..at];
            let known = run.get(..KNOWN_CHARACTERS).unwrap_or(run);
            if let Some(name) = self.files.get(known) {
                out.push_str(&text[copied..start]);
                out.push_str("[the file ");
                out.push_str(name);
                out.push(']');
                while at < bytes.len() && bytes[at] == b'=' {
                    at += 1;
                }
                copied = at;
            }
            at += usize::from(at < bytes.len() && !is_base64(bytes[at]));
        }
        if copied == 0 {
            return None;
        }
        out.push_str(&text[copied..]);
        Some(out)
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
