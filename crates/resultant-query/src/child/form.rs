//! What a file is, as far as its parts go: by its type, its name and its first bytes.

use resultant::{Json, RowReader, TableKind, table_kind};

use super::{Stop, incoming::Source};

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// JSON, if it is not broken.
    Json,
    /// Rows.
    Rows(TableKind),
    Text,
    Binary,
}

pub(super) fn of(name: &str, mime: &str, head: &[u8]) -> Form {
    let mime = mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if is_binary(head) && !(is_said_to_be_text(&mime) && is_utf8(head)) {
        return Form::Binary;
    }
    let text = String::from_utf8_lossy(head);
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
    match (mime.as_str(), ending.as_str()) {
        ("text/csv", _) | (_, "csv") => return Form::Rows(TableKind::Csv),
        ("text/tab-separated-values", _) | (_, "tsv") => return Form::Rows(TableKind::Tsv),
        ("application/x-ndjson" | "application/jsonl" | "application/x-jsonlines", _)
        | (_, "jsonl" | "ndjson") => return Form::Rows(TableKind::JsonLines),
        _ => {}
    }
    match table_kind(&text) {
        Some(kind) => Form::Rows(kind),
        None if starts_like_json(text.trim_start_matches('\u{feff}').trim_start()) => Form::Json,
        None if mime == "application/json" || mime.ends_with("+json") || ending == "json" => {
            Form::Json
        }
        None => Form::Text,
    }
}

impl Form {
    /// Whether lines of this file are those of its flattened form.
    pub(super) fn is_json(self) -> bool {
        matches!(self, Form::Json | Form::Rows(TableKind::JsonRows))
    }
}

/// Whether a text may be a JSON object or list. Lines of a log start with brackets too, and a log is
/// not read whole to find out.
fn starts_like_json(text: &str) -> bool {
    let Some(inner) = text.strip_prefix(['{', '[']).map(str::trim_start) else { return false };
    match (text.as_bytes()[0], inner.chars().next()) {
        (_, None) => true,
        (b'{', Some(first)) => matches!(first, '"' | '}'),
        (_, Some('{' | '[' | '"' | ']')) => true,
        (_, Some(_)) => {
            let end = inner.find([',', ']', ' ', '\t', '\r', '\n']).unwrap_or(inner.len());
            let (first, rest) = (&inner[..end], inner[end..].trim_start());
            let is_end = |rest: &str| rest.trim().is_empty();
            (is_end(rest) || rest.starts_with(',') || rest.strip_prefix(']').is_some_and(is_end))
                && Json::parse(first.to_owned()).is_ok()
        }
    }
}

/// Bytes that no text has, or too many that are not UTF-8.
fn is_binary(head: &[u8]) -> bool {
    if head.contains(&0) {
        return true;
    }
    // The last character may have been cut.
    let head = &head[..head.len() - head.len().min(3)];
    let odd: usize = head.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
    let controls = head.iter().filter(|byte| matches!(byte, 1..=8 | 14..=26 | 28..=31)).count();
    (odd + controls) * 10 > head.len()
}

/// Whether somebody says that it is text. Logs and captured output have control characters, and are
/// text all the same.
fn is_said_to_be_text(mime: &str) -> bool {
    mime.starts_with("text/")
        || ["json", "jsonl", "jsonlines"].iter().any(|ending| mime.ends_with(ending))
}

/// Whether the start of a file is UTF-8; its last character may have been cut.
fn is_utf8(head: &[u8]) -> bool {
    std::str::from_utf8(head).err().is_none_or(|error| error.error_len().is_none())
}

/// The whole of a source as JSON; rows of other kinds as a list of objects.
pub(super) fn json(source: Source<'_>) -> Result<Json, Stop> {
    let name = source.name.clone();
    match source.form {
        Form::Rows(TableKind::JsonRows) | Form::Json => {
            Json::read_lenient(source.all()?).map_err(|error| not_json(&name, &error.to_string()))
        }
        Form::Rows(TableKind::JsonLines) => Ok(json_lines(&source.all()?)),
        Form::Rows(kind) => {
            let mut text = String::from("[");
            let mut push = |row: &resultant::Row<'_>| {
                if text.len() > 1 {
                    text.push(',');
                }
                row.push_object(&mut text);
            };
            let mut reader = RowReader::new(kind);
            source.every(|bytes| reader.feed(bytes, &mut push))?;
            reader.finish(&mut push);
            text.push(']');
            Json::parse(text).map_err(|error| not_json(&name, &error.to_string()))
        }
        Form::Text => Err(not_json(&name, "it is text")),
        Form::Binary => Err(not_json(&name, "it is binary")),
    }
}

/// The values of the lines, as a list; a line that is broken is a string.
fn json_lines(bytes: &[u8]) -> Json {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let lines = bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let values = lines.filter(|line| !line.is_empty()).map(|line| {
        Json::read_lenient(line.to_vec())
            .unwrap_or_else(|_| Json::string(&String::from_utf8_lossy(line)))
    });
    Json::array(&values.collect::<Vec<_>>())
}

fn not_json(name: &str, why: &str) -> Stop {
    let name = super::page::cut(name, 100);
    Stop::Refused(format!(
        "{name} is not JSON ({why}); try files_search or files_read by lines instead"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_is() {
        let form = |name: &str, mime: &str, head: &str| of(name, mime, head.as_bytes());
        for (head, expected) in [
            ("{\"a\": 1}", Form::Json),
            ("\u{feff} [1, 2", Form::Json),
            ("[true]", Form::Json),
            ("[-1.5e3 ,", Form::Json),
            ("[]", Form::Json),
            ("[2026-05-01 12:00:00] started\n", Form::Text),
            ("[INFO] started\n", Form::Text),
            ("[1] a footnote\n", Form::Text),
            ("{% raw %}\n", Form::Text),
            ("[{\"a\": 1}]", Form::Rows(TableKind::JsonRows)),
            ("a\0b", Form::Text),
            ("\u{1}\u{2}\u{3}abcd", Form::Text),
            ("", Form::Text),
        ] {
            assert_eq!(form("output.txt", "text/plain", head), expected, "{head}");
        }
        for head in ["a\0b", "\u{1}\u{2}\u{3}abcd"] {
            assert_eq!(form("x", "application/octet-stream", head), Form::Binary, "{head}");
        }
        // What is said does not make text of bytes that are none; a cut character does not matter.
        assert_eq!(of("x", "text/plain", b"a\0\xff\xfebc"), Form::Binary);
        assert_eq!(of("x", "text/plain", b"a\0b\xc3"), Form::Text);
        assert_eq!(form("x", "application/json", "{\"a\": \"\0\"}"), Form::Json);
        assert_eq!(form("x", "text/csv; charset=utf-8", "a\n1\n"), Form::Rows(TableKind::Csv));
        assert_eq!(form("x.jsonl", "", "{}"), Form::Rows(TableKind::JsonLines));
        assert_eq!(form("x.json", "", "5"), Form::Json);
    }
}
