//! Files that nobody announced: base64 inside of strings. And errors that nobody flagged.

use std::borrow::Cow;

use super::{Builder, Fallback, FileBytes, FileDetails, Proposal};
use crate::{
    artifact::{measure_base64, signature},
    json::{Json, Object, push_string, rewrite_strings, unescape},
    note::{Note, Rule},
};

/// Shorter lines of base64 are not taken for one text that was wrapped.
const WRAPPED_LINE_BYTES_MIN: usize = 40;

/// What a text starts with that is most likely an error.
const ERROR_STARTS: [&str; 12] = [
    "error:",
    "error executing",
    "error calling",
    "traceback (most recent call last)",
    "panic:",
    "thread '",
    "exception in thread",
    "fatal:",
    "uncaught ",
    "unhandled exception",
    "internal server error",
    "[error]",
];

impl Builder<'_> {
    /// Makes files of long base64 in the strings of the result and of the texts beside it: nobody
    /// can read it there, and no budget has room for it.
    pub(super) fn take_base64(&mut self) {
        let results = self.results.clone();
        self.results = self.without_base64(&results, "/results");
        let meta_data = std::mem::take(&mut self.meta_data);
        self.meta_data = self.members_without_base64(&meta_data, "/meta_data");
        let extra = std::mem::take(&mut self.extra);
        self.extra = self.members_without_base64(&extra, "");
    }

    fn members_without_base64(&mut self, object: &Object, place: &str) -> Object {
        let members = object.iter().map(|(key, value)| {
            (key.to_owned(), self.without_base64(value, &format!("{place}/{key}")))
        });
        members.collect()
    }

    fn without_base64(&mut self, json: &Json, place: &str) -> Json {
        let inline_max = self.limits.inline_base64_bytes_max;
        if json.as_text().len() <= inline_max {
            return json.clone();
        }
        let mut out = String::new();
        let mut is_changed = false;
        let rewrite = |string: &str, out: &mut String| {
            if string.len() <= inline_max || string.contains('\0') {
                return false;
            }
            let Some(text) = self.text_without_base64(&unescape(string), place) else {
                return false;
            };
            is_changed = true;
            push_string(out, &text);
            true
        };
        rewrite_strings(json.as_text(), rewrite, &mut out);
        if !is_changed {
            return json.clone();
        }
        self.source.is_rewritten = true;
        Json::trusted(out)
    }

    /// The text with the names of files in place of their bytes; `None` where it has none.
    fn text_without_base64(&mut self, text: &str, place: &str) -> Option<String> {
        let inline_max = self.limits.inline_base64_bytes_max;
        let mut out = String::new();
        let (mut copied, mut at) = (0, 0);
        while at < text.len() {
            let (len, run) = base64_run(&text.as_bytes()[at..]);
            if run.len() <= inline_max {
                at += len.max(1);
                continue;
            }
            if let Some(name) = self.file_of_run(&run, mime_before(&text[..at]), place) {
                out.push_str(&text[copied..at]);
                out.push_str(&format!("[the file {name}]"));
                copied = at + len;
            }
            at += len;
        }
        (copied > 0).then(|| out + &text[copied..])
    }

    /// Makes a file of base64 whose bytes are of a kind that is known, or that says its type.
    fn file_of_run(&mut self, run: &str, declared: Option<&str>, place: &str) -> Option<String> {
        let measured = measure_base64(run).ok()?;
        if signature(&measured.head).is_none() && declared.is_none() {
            return None;
        }
        // The same bytes in two places are one file.
        let same = self.artifacts.iter().find(|file| file.sha256 == measured.sha256);
        if let Some(file) = same {
            return Some(file.name.clone());
        }
        self.found_files += 1;
        let proposal = Proposal {
            name: None,
            fallback: Fallback::Stem(format!("found-{}", self.found_files)),
            mime: declared.unwrap_or_default().to_owned(),
            bytes: FileBytes::Base64(Json::string(run)),
            details: FileDetails::default(),
            source: Json::null(),
        };
        let name = self.add_file(place, proposal)?;
        let message = format!("base64 inside of a string is the file `{name}`");
        self.note(Note::remark(Rule::R14, place, message));
        Some(name)
    }

    /// A text that looks like an error where none is flagged is hinted at, and left as it is.
    pub(super) fn note_error_text(&mut self) {
        if self.is_error {
            return;
        }
        let Some(text) = self.results.as_str() else { return };
        let start = text.trim_start();
        let start = start[..start.floor_char_boundary(64)].to_ascii_lowercase();
        let is_panic = |start: &str| !start.starts_with("thread '") || start.contains("panicked");
        let looks_like_error = ERROR_STARTS.iter().any(|word| start.starts_with(word));
        if looks_like_error && is_panic(&start) {
            let message = "the text looks like an error, but is not flagged as one";
            self.note(Note::remark(Rule::R9, "/results", message));
        }
    }
}

/// How many bytes at the beginning may be base64, and that base64 without its line ends: mail and
/// `base64` in a shell wrap it into lines of one length, of which only the last is shorter.
fn base64_run(bytes: &[u8]) -> (usize, Cow<'_, str>) {
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/-_=".contains(byte);
    let digits = |bytes: &[u8]| bytes.iter().take_while(|byte| is_digit(byte)).count();
    // Digits are ASCII.
    let text = |bytes| std::str::from_utf8(bytes).unwrap_or_default();
    let width = digits(bytes);
    let (mut end, mut last) = (width, width);
    let mut joined = String::new();
    while last == width && width >= WRAPPED_LINE_BYTES_MIN {
        let line_end = match &bytes[end..] {
            [b'\n', ..] => 1,
            [b'\r', b'\n', ..] => 2,
            _ => break,
        };
        let start = end + line_end;
        last = digits(&bytes[start..]);
        if last == 0 || last > width {
            break;
        }
        if joined.is_empty() {
            joined.push_str(text(&bytes[..width]));
        }
        end = start + last;
        joined.push_str(text(&bytes[start..end]));
    }
    match joined.is_empty() {
        true => (width, Cow::Borrowed(text(&bytes[..width]))),
        false => (end, Cow::Owned(joined)),
    }
}

/// The type that a data URI says, which ends here.
fn mime_before(text: &str) -> Option<&str> {
    let before = text.strip_suffix(";base64,")?;
    let start = before.rfind("data:")?;
    let mime = &before[start + 5..];
    (mime.len() <= 100 && !mime.contains(char::is_whitespace)).then_some(mime)
}
