//! File names from foreign input: one path segment, readable, unique.

use std::collections::{HashMap, HashSet};

use unicode_normalization::UnicodeNormalization as _;

/// The name cleaned, or `None` where nothing is left of it.
pub(crate) fn clean_name(name: &str, bytes_max: usize) -> Option<String> {
    // The name of a download of ours is not its token.
    let name = match name.find("/api/files/download/") {
        Some(at) => name[at..].split(['?', '#']).next().unwrap_or_default(),
        None => name,
    };
    // First the filter: what it takes away may have kept two characters from becoming one.
    let cleaned: String =
        last_segment(name).chars().filter(|char| !is_unseen(*char)).nfc().collect();
    let cleaned = cleaned.trim();
    if cleaned.is_empty() || cleaned.chars().all(|char| char == '.') {
        return None;
    }
    Some(shorten(cleaned, bytes_max))
}

/// What comes after the last slash, of either kind.
pub(crate) fn last_segment(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}

/// Characters that change how a name is read without being seen: control, bidirectional, and the
/// invisible copies of ASCII.
pub(crate) fn is_unseen(char: char) -> bool {
    char.is_control()
        || matches!(char,
            '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

/// At most this many bytes; the extension is kept.
fn shorten(name: &str, bytes_max: usize) -> String {
    if name.len() <= bytes_max {
        return name.to_owned();
    }
    let (_, extension) = split_extension(name, bytes_max);
    let mut end = bytes_max - extension.len();
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{extension}", name[..end].trim_end())
}

/// The name before its extension, and the extension with its dot. An extension that leaves no room
/// for a name is none.
fn split_extension(name: &str, bytes_max: usize) -> (&str, &str) {
    match name.rfind('.') {
        Some(dot) if dot > 0 && name.len() - dot < bytes_max / 2 => name.split_at(dot),
        _ => (name, ""),
    }
}

/// The names of one result, each used once.
#[derive(Default)]
pub(crate) struct Names {
    taken: HashSet<String>,
    /// The number to try next for a name that was taken, so that many equal names take no longer
    /// than as many different ones.
    next: HashMap<String, u64>,
}

impl Names {
    /// The name, if it is taken.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.taken.get(name).map(String::as_str)
    }

    /// A name that is not taken: ` (2)` and so on before the extension.
    pub(crate) fn take(&mut self, name: &str, bytes_max: usize) -> String {
        let name = shorten(name, bytes_max);
        if self.taken.insert(name.clone()) {
            return name;
        }
        let (stem, extension) = split_extension(&name, bytes_max);
        let mut number = self.next.get(&name).copied().unwrap_or(2);
        loop {
            let suffix = format!(" ({number}){extension}");
            let mut end = stem.len().min(bytes_max.saturating_sub(suffix.len()));
            while !stem.is_char_boundary(end) {
                end -= 1;
            }
            let candidate = format!("{}{suffix}", &stem[..end]);
            number += 1;
            if self.taken.insert(candidate.clone()) {
                self.next.insert(name, number);
                return candidate;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r6_names_become_one_readable_segment() {
        for (name, expected) in [
            ("report.html", Some("report.html")),
            ("../../etc/passwd.txt", Some("passwd.txt")),
            (r"C:\temp\x.txt", Some("x.txt")),
            ("a\u{0}b\u{1b}[31m.txt", Some("ab[31m.txt")),
            ("evil\u{202e}txt.exe", Some("eviltxt.exe")),
            ("e\u{301}.txt", Some("é.txt")),
            ("a\u{e0041}b", Some("ab")),
            ("  spaced  ", Some("spaced")),
            (".htaccess", Some(".htaccess")),
            ("", None),
            ("..", None),
            ("a/", None),
            ("\u{200b}", None),
        ] {
            assert_eq!(clean_name(name, 255).as_deref(), expected, "{name:?}");
        }
    }

    #[test]
    fn r6_long_names_keep_their_extension() {
        let long = "ä".repeat(4096) + ".json";
        let name = clean_name(&long, 255).unwrap();
        assert!(name.len() <= 255 && name.ends_with(".json"));
        let name = clean_name(&format!("a.{}", "x".repeat(4096)), 255).unwrap();
        assert_eq!(name.len(), 255);
    }

    #[test]
    fn r6_equal_names_are_numbered() {
        let mut names = Names::default();
        let mut next = |name: &str| names.take(name, 255);
        assert_eq!(next("a.txt"), "a.txt");
        assert_eq!(next("a (2).txt"), "a (2).txt");
        assert_eq!(next("a.txt"), "a (3).txt");
        assert_eq!(next("b"), "b");
        assert_eq!(next("b"), "b (2)");
        assert_eq!(next(".rc"), ".rc");
        assert_eq!(next(".rc"), ".rc (2)");
        let long = "x".repeat(255);
        assert_eq!(next(&long).len(), 255);
        assert_eq!(next(&long).len(), 255);
    }
}
