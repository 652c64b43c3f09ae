//! The strings of a JSON text with their places, and values put in their stead; all other bytes
//! stay as they are.
//!
//! One pass over the text and no recursion, so neither depth nor size is a danger.

use std::{borrow::Cow, ops::Range};

use resultant::Json;

use super::places::Step;

/// A container on the way to a value.
#[derive(Debug)]
enum Level<'a> {
    /// The key as written, and whether its value comes next.
    Object {
        key: &'a str,
        is_value: bool,
    },
    Array {
        at: usize,
    },
}

/// The way to a value.
pub(super) struct Path<'p, 'a> {
    levels: &'p [Level<'a>],
}

impl Path<'_, '_> {
    pub(super) fn len(&self) -> usize {
        self.levels.len()
    }

    /// Whether the value is an item of a list.
    pub(super) fn ends_in_array(&self) -> bool {
        matches!(self.levels.last(), Some(Level::Array { .. }))
    }

    /// The steps from the outermost container.
    pub(super) fn steps(&self) -> Vec<Step> {
        let step = |level: &Level<'_>| match level {
            Level::Object { key, .. } => Step::Member(content(key).into_owned()),
            Level::Array { at } => Step::Item(*at),
        };
        self.levels.iter().map(step).collect()
    }

    /// The key of the outermost object.
    pub(super) fn first_key(&self) -> Option<Cow<'_, str>> {
        match self.levels.first()? {
            Level::Object { key, .. } => Some(content(key)),
            Level::Array { .. } => None,
        }
    }
}

/// A JSON pointer.
pub(super) fn pointer(steps: &[Step]) -> String {
    let mut out = String::new();
    for step in steps {
        out.push('/');
        match step {
            Step::Member(key) => out.push_str(&key.replace('~', "~0").replace('/', "~1")),
            Step::Item(at) => out.push_str(&at.to_string()),
        }
    }
    out
}

/// Hands out every string value of a checked text with its quotes. `visit` says whether to go on.
pub(super) fn each_string<'a>(
    text: &'a str,
    mut visit: impl FnMut(&Path<'_, 'a>, Range<usize>) -> bool,
) {
    let bytes = text.as_bytes();
    let mut levels: Vec<Level<'a>> = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                let end = string_end(bytes, at + 1);
                match levels.last_mut() {
                    Some(Level::Object { key, is_value: false }) => *key = &text[at..end],
                    _ => {
                        if !visit(&Path { levels: &levels }, at..end) {
                            return;
                        }
                    }
                }
                at = end;
                continue;
            }
            b'{' => levels.push(Level::Object { key: "", is_value: false }),
            b'[' => levels.push(Level::Array { at: 0 }),
            b'}' | b']' => {
                levels.pop();
            }
            b':' => {
                if let Some(Level::Object { is_value, .. }) = levels.last_mut() {
                    *is_value = true;
                }
            }
            b',' => match levels.last_mut() {
                Some(Level::Object { is_value, .. }) => *is_value = false,
                Some(Level::Array { at }) => *at += 1,
                None => {}
            },
            _ => {}
        }
        at += 1;
    }
}

/// Where in the text of an object the values of its members of this name are.
pub(super) fn member_ranges(object: &Json, name: &str) -> Vec<Range<usize>> {
    // A member is a part of the same text, so the addresses tell where it is.
    let start = object.as_text().as_ptr().addr();
    let range = |value: &Json| {
        let at = value.as_text().as_ptr().addr().checked_sub(start)?;
        let range = at..at + value.as_text().len();
        (object.as_text().get(range.clone()) == Some(value.as_text())).then_some(range)
    };
    let members = object.members().filter(|(key, _)| key == name);
    members.filter_map(|(_, value)| range(&value)).collect()
}

fn string_end(bytes: &[u8], mut at: usize) -> usize {
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        match memchr::memchr2(b'"', b'\\', rest) {
            Some(found) if rest[found] == b'"' => return at + found + 1,
            Some(found) => at += found + 2,
            None => return bytes.len(),
        }
    }
}

/// The content of a string that is given with its quotes.
pub(super) fn content(quoted: &str) -> Cow<'_, str> {
    let inner = quoted.strip_prefix('"').and_then(|inner| inner.strip_suffix('"'));
    match inner {
        Some(inner) if !inner.contains('\\') => Cow::Borrowed(inner),
        // What was checked can be read.
        _ => Cow::Owned(serde_json::from_str(quoted).unwrap_or_default()),
    }
}

/// A value that takes the place of some bytes.
#[derive(Clone, Debug)]
pub(super) struct Edit {
    pub(super) range: Range<usize>,
    /// JSON, or a part of it.
    pub(super) text: Cow<'static, str>,
}

/// The text with its edits, which do not overlap. Nothing where the result would not hold the same
/// values: it is nested too deep.
pub(super) fn splice(text: &str, mut edits: Vec<Edit>) -> Option<Json> {
    edits.sort_by_key(|edit| edit.range.start);
    let more: usize = edits.iter().map(|edit| edit.text.len()).sum();
    let mut out = String::with_capacity(text.len() + more);
    let mut copied = 0;
    for edit in &edits {
        out.push_str(&text[copied..edit.range.start]);
        out.push_str(&edit.text);
        copied = edit.range.end;
    }
    out.push_str(&text[copied..]);
    drop(edits);
    let len = out.trim().len();
    // Reading turns what is too deep into text, which is longer.
    Json::parse(out).ok().filter(|json| json.as_text().trim().len() == len)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(text: &str) -> Vec<(String, String)> {
        let mut found = Vec::new();
        each_string(text, |path, range| {
            found.push((pointer(&path.steps()), content(&text[range]).into_owned()));
            true
        });
        found
    }

    #[test]
    fn strings_have_their_places() {
        let text = r#" {"a" : "x", "b/~": [1, "y", {"c\u0041": "z\"\\", "n": null}, ["]"]], "e": {},
            "f": [[], [[], "last"]], "\"": true, "t": "\\"} "#;
        let expected = [
            ("/a", "x"),
            ("/b~1~0/1", "y"),
            ("/b~1~0/2/cA", "z\"\\"),
            ("/b~1~0/3/0", "]"),
            ("/f/1/1", "last"),
            ("/t", "\\"),
        ];
        let expected: Vec<_> =
            expected.iter().map(|(p, s)| ((*p).to_owned(), (*s).to_owned())).collect();
        assert_eq!(strings(text), expected);
        assert_eq!(strings("\"only\""), [(String::new(), "only".to_owned())]);
        assert_eq!(strings("[1, 2.5e3, true]"), []);
        // Not even what was never checked does harm.
        for broken in ["", "\"", "\"\\", "{\"a\"", "[", "]]}}", "{:,:}", "\\", "{\"a\":\"b\\\"}"] {
            strings(broken);
        }
        let deep = format!("{}\"x\"{}", "[".repeat(100_000), "]".repeat(100_000));
        let mut found = 0;
        each_string(&deep, |path, _| {
            found = path.len();
            true
        });
        assert_eq!(found, 100_000);
    }

    #[test]
    fn members_are_found_in_their_text() {
        let outer = Json::parse(r#"[0, {"a" : "x", "b":{"a":1},"\u0061b": [2] }]"#.to_owned());
        let outer = outer.unwrap();
        let object = outer.items().nth(1).unwrap();
        let part = |name: &str| {
            let ranges = member_ranges(&object, name);
            ranges.into_iter().map(|range| &object.as_text()[range]).collect::<Vec<_>>()
        };
        assert_eq!(part("a"), ["\"x\""]);
        assert_eq!(part("ab"), ["[2]"]);
        assert_eq!(part("c"), [""; 0]);
    }

    #[test]
    fn what_is_not_replaced_stays_to_the_byte() {
        let text = r#"{ "n" : 1.50, "a":"x" ,"é":"\u00e9\/" }"#;
        let at = text.find("\"x\"").unwrap();
        let edit = |range, text: &'static str| Edit { range, text: text.into() };
        let spliced = splice(text, vec![edit(at..at + 3, "[1, 2]")]).unwrap();
        assert_eq!(spliced.as_text(), r#"{ "n" : 1.50, "a":[1, 2] ,"é":"\u00e9\/" }"#);
        let deep: String = format!("{}{}", "[".repeat(200), "]".repeat(200));
        assert!(splice(text, vec![Edit { range: at..at + 3, text: deep.into() }]).is_none());
    }
}
