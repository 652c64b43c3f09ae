//! JSON as a generator makes it: numbers as text, and keys that may occur twice.

use std::fmt::Write as _;

use proptest::prelude::*;

/// A JSON value before it is text.
#[derive(Clone, Debug)]
pub(crate) enum Tree {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    Array(Vec<Tree>),
    Object(Vec<(String, Tree)>),
}

impl Tree {
    pub(crate) fn string(text: impl Into<String>) -> Tree {
        Tree::Text(text.into())
    }

    pub(crate) fn number(number: impl Into<String>) -> Tree {
        Tree::Number(number.into())
    }

    /// An object; of equal keys the last one is kept.
    pub(crate) fn object<K: Into<String>>(members: impl IntoIterator<Item = (K, Tree)>) -> Tree {
        let mut kept: Vec<(String, Tree)> = Vec::new();
        for (key, value) in members {
            let key = key.into();
            kept.retain(|(other, _)| *other != key);
            kept.push((key, value));
        }
        Tree::Object(kept)
    }

    /// The compact text.
    pub(crate) fn to_text(&self) -> String {
        let mut out = String::new();
        self.push(&mut out, &Spelling::default());
        out
    }

    /// The text in another spelling of the same value.
    pub(crate) fn spelled(&self, spelling: &Spelling) -> String {
        let mut out = String::new();
        self.push(&mut out, spelling);
        out
    }

    fn push(&self, out: &mut String, spelling: &Spelling) {
        let space = |out: &mut String| out.push_str(spelling.space);
        match self {
            Tree::Null => out.push_str("null"),
            Tree::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Tree::Number(text) => out.push_str(text),
            Tree::Text(text) => push_string(out, text, spelling),
            Tree::Array(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    space(out);
                    item.push(out, spelling);
                }
                space(out);
                out.push(']');
            }
            Tree::Object(members) => {
                out.push('{');
                for (at, (key, value)) in members.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    space(out);
                    push_string(out, key, spelling);
                    space(out);
                    out.push(':');
                    space(out);
                    value.push(out, spelling);
                }
                space(out);
                out.push('}');
            }
        }
    }
}

/// How a value is written: white space between tokens, and escapes that are not needed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spelling {
    space: &'static str,
    escapes: bool,
}

fn push_string(out: &mut String, text: &str, spelling: &Spelling) {
    if !spelling.escapes {
        out.push_str(&serde_json::to_string(text).unwrap());
        return;
    }
    out.push('"');
    for (at, unit) in text.encode_utf16().enumerate() {
        match char::from_u32(u32::from(unit)) {
            Some(char @ ('"' | '\\' | '/')) => {
                out.push('\\');
                out.push(char);
            }
            Some(char) if char >= ' ' && at % 3 != 0 => out.push(char),
            _ => write!(out, "\\u{unit:04X}").unwrap(),
        }
    }
    out.push('"');
}

pub(crate) fn spelling() -> impl Strategy<Value = Spelling> {
    (prop_oneof![3 => Just(""), 1 => Just(" "), 1 => Just("\n\t ")], any::<bool>())
        .prop_map(|(space, escapes)| Spelling { space, escapes })
}

/// A string. Most are long and rare enough to be told from all others.
pub(crate) fn word() -> BoxedStrategy<String> {
    prop_oneof![
        8 => "[a-z]{6,10}",
        2 => "[a-z]{4} [A-Z]{4} \\PC{1,8}",
        1 => "\\PC{0,12}",
        1 => proptest::sample::select(ODD_WORDS).prop_map(str::to_owned),
    ]
    .boxed()
}

/// Strings that look like something else.
const ODD_WORDS: &[&str] = &[
    "",
    " ",
    "null",
    "17",
    "[1, 2]",
    "{\"a\": 1}",
    "{\"results\": 1}",
    "\u{0}0:00",
    "\u{0}",
    "\\u00000:00",
    "a\nb\r\n\tc\u{7}\u{1b}[31m",
    "\u{feff}x",
    "\u{202e}abc",
    "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo=",
    "../../etc/passwd",
    "𝄞 ä 漢字",
    "\u{fffd}",
    "\"quoted\\\"",
    "http://127.0.0.1/api/files/download/key?token=abc",
];

pub(crate) fn number() -> BoxedStrategy<String> {
    prop_oneof![
        4 => (1_000_000_u64..).prop_map(|number| number.to_string()),
        1 => any::<i64>().prop_map(|number| number.to_string()),
        1 => "-?[1-9][0-9]{20,30}",
        1 => "-?[0-9]\\.[0-9]{1,30}",
        1 => "[1-9][0-9]{0,3}[eE][+-]?[0-9]{1,3}",
        1 => proptest::sample::select(&["0", "-0", "-0.0", "1", "1.0", "1e400", "0.1"][..])
            .prop_map(str::to_owned),
    ]
    .boxed()
}

pub(crate) fn scalar() -> BoxedStrategy<Tree> {
    prop_oneof![
        1 => Just(Tree::Null),
        1 => any::<bool>().prop_map(Tree::Bool),
        3 => number().prop_map(Tree::Number),
        5 => word().prop_map(Tree::Text),
    ]
    .boxed()
}

/// A key: any word, or one that some convention gives a meaning.
pub(crate) fn key() -> BoxedStrategy<String> {
    prop_oneof![4 => word(), 1 => proptest::sample::select(KNOWN_KEYS).prop_map(str::to_owned)]
        .boxed()
}

/// The keys that some convention gives a meaning.
pub(crate) const KNOWN_KEYS: &[&str] = &[
    "content",
    "structuredContent",
    "structured_content",
    "isError",
    "is_error",
    "data",
    "meta",
    "_meta",
    "type",
    "text",
    "mimeType",
    "blob",
    "uri",
    "url",
    "name",
    "annotations",
    "resource",
    "results",
    "result",
    "meta_data",
    "meta-data",
    "artifacts",
    "returned_file_names",
    "returned_file_contents",
    "display",
    "canvas",
    "links",
    "b64",
    "mime",
    "size",
    "sha256",
    "description",
    "viewer",
    "open_canvas",
    "primary_file",
    "mode",
    "viewer_hint",
    "token",
    "persistence",
    "success",
    "error",
    "version",
    "_warnings",
    "warnings",
    "resultant",
    "wrapped",
    "extra",
    "message",
    "code",
    "jsonrpc",
    "id",
    "resultType",
    "ttlMs",
    "cacheScope",
    "additional_text",
    "value",
    "icons",
    "title",
];

/// Any JSON, a few levels deep.
pub(crate) fn tree() -> BoxedStrategy<Tree> {
    scalar()
        .prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Tree::Array),
                proptest::collection::vec((key(), inner), 0..4).prop_map(Tree::object),
            ]
        })
        .boxed()
}

pub(crate) fn object() -> BoxedStrategy<Tree> {
    proptest::collection::vec((key(), tree()), 0..4).prop_map(Tree::object).boxed()
}

/// Any JSON whose objects may have a key twice.
pub(crate) fn tree_with_duplicates() -> BoxedStrategy<Tree> {
    let key = prop_oneof![Just("a".to_owned()), Just("b".to_owned()), key()];
    scalar()
        .prop_recursive(4, 24, 6, move |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Tree::Array),
                proptest::collection::vec((key.clone(), inner), 0..6).prop_map(Tree::Object),
            ]
        })
        .boxed()
}

/// Arrays and objects in each other, deeper than any limit.
pub(crate) fn deep() -> BoxedStrategy<Tree> {
    (1_usize..400, any::<bool>(), scalar())
        .prop_map(|(depth, is_array, leaf)| {
            (0..depth).fold(leaf, |inner, at| match is_array ^ (at % 7 == 0) {
                true => Tree::Array(vec![inner]),
                false => Tree::Object(vec![("deep".to_owned(), inner)]),
            })
        })
        .boxed()
}
