//! `resultant://files/NAME`: the address of a file, and of a part of one.
//!
//! Clients read these as resources, and models write them where a tool wants a file. Both may say
//! which part they mean: `?lines=10-20`, `?bytes=0-4095`, `?items=1-50`, `?rows=1-50`, `?jq=.a.b`.
//! Models hardly ever escape anything, so a question mark that no key of ours follows belongs to the
//! name.

use std::hash::{Hash, Hasher};

use resultant_query::{By, Take};
use unicode_normalization::UnicodeNormalization as _;

/// What an address starts with.
pub(crate) const SCHEME: &str = "resultant://files/";

/// What may stand behind a question mark.
const KEYS: [&str; 8] = ["sha256", "lines", "bytes", "items", "rows", "jq", "offset", "length"];

/// How a part is written, for whoever wrote it otherwise.
pub(crate) const PART_HINT: &str = "a part is written as `?lines=10-20`, `?bytes=0-4095`, \
     `?items=1-50`, `?rows=1-50` or `?jq=.a.b`";

/// A file that is meant, and the part of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct FileUri {
    /// Its name after normalization, or its key.
    pub(crate) name: String,
    pub(crate) sha256: Option<String>,
    /// All of it when absent.
    pub(crate) part: Option<FilePart>,
    /// Of bytes, as clients ask for them that read a file piece by piece.
    pub(crate) offset: Option<u64>,
    pub(crate) length: Option<u64>,
}

/// A part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FilePart {
    /// As it is written: `lines=10-20`.
    pub(crate) written: String,
    pub(crate) take: Take,
}

impl Hash for FilePart {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.written.hash(state);
    }
}

impl FileUri {
    /// What an address means; nothing where the text is none. The error is what is wrong with it.
    pub(crate) fn parse(text: &str) -> Option<Result<FileUri, String>> {
        text.strip_prefix(SCHEME).map(FileUri::parse_rest)
    }

    fn parse_rest(rest: &str) -> Result<FileUri, String> {
        let (path, query) = split(rest);
        let name = percent_decoded(path).unwrap_or_else(|| path.to_owned());
        let mut uri = FileUri { name: normalized(&name), ..FileUri::default() };
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            uri.set(key, value)?;
        }
        match uri.part.is_some() && (uri.offset.is_some() || uri.length.is_some()) {
            true => Err("`?offset=` and `?length=` do not go with another part".to_owned()),
            false => Ok(uri),
        }
    }

    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let take = match key {
            "sha256" => {
                let is_digest = value.len() == 64 && value.bytes().all(|b| b.is_ascii_hexdigit());
                if !is_digest {
                    return Err(
                        "`?sha256=` in a file reference needs 64 hexadecimal digits".to_owned()
                    );
                }
                self.sha256 = Some(value.to_ascii_lowercase());
                return Ok(());
            }
            "offset" | "length" => {
                let number = value.parse();
                let number = number.map_err(|_| format!("`?{key}={value}` needs a number"))?;
                let place = if key == "offset" { &mut self.offset } else { &mut self.length };
                *place = Some(number);
                return Ok(());
            }
            "lines" => range(By::Lines, key, value)?,
            "bytes" => range(By::Bytes, key, value)?,
            "items" => range(By::Items, key, value)?,
            "rows" => range(By::Rows, key, value)?,
            "jq" => match percent_decoded(value).filter(|filter| !filter.trim().is_empty()) {
                Some(filter) => Take::Jq(filter),
                None => return Err(format!("`?jq=` needs a filter; {PART_HINT}")),
            },
            _ => return Err(format!("`{key}` means nothing in an address; {PART_HINT}")),
        };
        if self.part.is_some() {
            return Err("only one part of a file can be meant at once".to_owned());
        }
        self.part = Some(FilePart { written: format!("{key}={value}"), take });
        Ok(())
    }
}

/// The path and the query: behind the first question mark that a key of ours follows.
fn split(rest: &str) -> (&str, &str) {
    for (at, _) in rest.match_indices('?') {
        let query = &rest[at + 1..];
        let key = query.split('=').next().unwrap_or_default();
        if query.len() > key.len() && KEYS.contains(&key) {
            return (&rest[..at], query);
        }
    }
    (rest, "")
}

/// `10-20`, `10-` to the end, or `10` alone.
fn range(by: By, key: &str, value: &str) -> Result<Take, String> {
    let wrong = || format!("`?{key}={value}` is no range; {PART_HINT}");
    let number = |text: &str| text.parse::<u64>().map_err(|_| wrong());
    let (from, to) = match value.split_once('-') {
        Some((from, "")) => (number(from)?, u64::MAX),
        Some((from, to)) => (number(from)?, number(to)?),
        None => (number(value)?, number(value)?),
    };
    if from == 0 && by != By::Bytes {
        return Err(format!("`?{key}={value}`: {key} are counted from 1"));
    }
    match from <= to {
        true => Ok(Take::Range { by, from, to }),
        false => Err(wrong()),
    }
}

/// A name as files have it.
pub(crate) fn normalized(name: &str) -> String {
    name.nfc().collect()
}

/// A text with its percent escapes read; nothing where that is no text. What is no escape stays.
pub(crate) fn percent_decoded(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let escape = bytes.get(at + 1..at + 3).filter(|_| byte == b'%');
        let escape = escape.filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let escape = escape.and_then(|digits| std::str::from_utf8(digits).ok());
        match escape.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(escaped) => {
                out.push(escaped);
                at += 3;
            }
            None => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn part_of(text: &str) -> (String, Option<Take>) {
        let uri = FileUri::parse(text).unwrap().unwrap();
        (uri.name, uri.part.map(|part| part.take))
    }

    #[test]
    fn parts() {
        let lines = |from, to| Some(Take::Range { by: By::Lines, from, to });
        let name = |name: &str, take| (name.to_owned(), take);
        assert_eq!(part_of("resultant://files/a?lines=10-20"), name("a", lines(10, 20)));
        assert_eq!(part_of("resultant://files/a?lines=7"), name("a", lines(7, 7)));
        assert_eq!(part_of("resultant://files/a?lines=7-"), name("a", lines(7, u64::MAX)));
        assert_eq!(part_of("resultant://files/b?.txt?lines=1-2"), name("b?.txt", lines(1, 2)));
        assert_eq!(part_of("resultant://files/a?lines"), name("a?lines", None));
        assert_eq!(part_of("resultant://files/a?line=1"), name("a?line=1", None));
        let bytes = Take::Range { by: By::Bytes, from: 0, to: 4095 };
        assert_eq!(part_of("resultant://files/a?bytes=0-4095"), name("a", Some(bytes)));
        let filter = Take::Jq(".a[] | select(.b == \"x&y\") + 1".to_owned());
        let written = "resultant://files/a?jq=.a[]%20|%20select(.b == \"x%26y\") + 1";
        assert_eq!(part_of(written), name("a", Some(filter)));
        let optional = Take::Jq(".a?.b?".to_owned());
        assert_eq!(part_of("resultant://files/a?jq=.a?.b?"), name("a", Some(optional)));
        let digest = "0123456789abcdef".repeat(4);
        let uri = format!("resultant://files/a?sha256={digest}&rows=2-3");
        let uri = FileUri::parse(&uri).unwrap().unwrap();
        assert_eq!(uri.sha256, Some(digest));
        assert_eq!(uri.part.unwrap().written, "rows=2-3");
    }

    #[test]
    fn wrong_parts_are_told() {
        for (wrong, hint) in [
            ("?lines=", "?lines=10-20"),
            ("?lines=20-10", "no range"),
            ("?lines=0-3", "counted from 1"),
            ("?lines=-3", "no range"),
            ("?bytes=1-x", "no range"),
            ("?items=99999999999999999999", "no range"),
            ("?jq=", "needs a filter"),
            ("?jq=%20", "needs a filter"),
            ("?jq=.a&b", "means nothing"),
            ("?lines=1-2&rows=1-2", "only one part"),
            ("?lines=1-2&offset=3", "do not go with"),
            ("?sha256=12", "64 hexadecimal"),
            ("?offset=-1", "needs a number"),
        ] {
            let error = FileUri::parse(&format!("{SCHEME}a{wrong}")).unwrap().unwrap_err();
            assert!(error.contains(hint), "{wrong}: {error}");
        }
    }
}
