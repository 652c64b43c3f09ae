//! Which strings of the arguments stand for files.
//!
//! Three kinds: references in any place, `filename` and `file_names` at the top, and names where the
//! schema wants a URI. A reference must lead to a file; a name may be a name of something else.

use std::ops::Range;

use super::{
    Refused,
    places::{Form, Places},
    references::{self, Reference, SCHEME},
    splice::{Path, content, each_string, pointer},
};
use crate::file_uri::FilePart;

/// References in the arguments of one call.
const REFERENCES_MAX: usize = 64;
/// Names that are looked up for one call.
const NAMES_MAX: usize = 64;
/// A longer string is neither a reference nor a name.
const STRING_BYTES_MAX: usize = 8 << 10;
/// A file's name has no more bytes.
pub(super) const NAME_BYTES_MAX: usize = 1 << 10;

/// A string that stands for a file, or may.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wish {
    /// Where it stands, with its quotes.
    pub(super) range: Range<usize>,
    /// A JSON pointer to it.
    pub(super) argument: String,
    pub(super) what: What,
    /// What the schema wants there, where it says something.
    pub(super) form: Option<Form>,
}

impl Wish {
    /// The part of the file that is meant; all of it when absent.
    pub(super) fn part(&self) -> Option<&FilePart> {
        match &self.what {
            What::Reference(reference) => reference.part.as_ref(),
            What::Name(_) => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum What {
    /// It is a file, or the call is refused.
    Reference(Reference),
    /// It is the file of this name, or just a string.
    Name(String),
}

/// What is looked for.
pub(super) struct Search<'a> {
    pub(super) places: Option<&'a Places<'a>>,
    /// Whether the schema wants a URI anywhere.
    pub(super) takes_uris: bool,
    /// Arguments that are replaced anyway.
    pub(super) replaced: &'a [&'a str],
}

/// Whether there may be anything to find at all; most calls end here.
pub(super) fn may_have_files(text: &str, takes_uris: bool) -> bool {
    let has = |part: &str| memchr::memmem::find(text.as_bytes(), part.as_bytes()).is_some();
    takes_uris
        || has("resultant:")
        || has("\"filename\"")
        || has("\"file_names\"")
        // Any character may be written so.
        || has("\\u")
}

impl Search<'_> {
    /// The strings that stand for files, or may, in their order.
    pub(super) fn wishes(&self, text: &str) -> Result<Vec<Wish>, Refused> {
        let mut wishes = Vec::new();
        let (mut references, mut names) = (0, 0);
        let mut refused = None;
        each_string(text, |path, range| {
            let Some(wish) = self.wish(path, text, range) else { return true };
            match wish {
                Ok(wish) => {
                    let count = match wish.what {
                        What::Reference(_) => &mut references,
                        What::Name(_) => &mut names,
                    };
                    *count += 1;
                    let is_reference = matches!(wish.what, What::Reference(_));
                    if is_reference || *count <= NAMES_MAX {
                        wishes.push(wish);
                    }
                }
                Err(error) => refused = Some(error),
            }
            if references > REFERENCES_MAX {
                refused = Some(Refused::new(format!(
                    "the arguments refer to more than {REFERENCES_MAX} files"
                )));
            }
            refused.is_none()
        });
        refused.map_or(Ok(wishes), Err)
    }

    fn wish(
        &self,
        path: &Path<'_, '_>,
        text: &str,
        range: Range<usize>,
    ) -> Option<Result<Wish, Refused>> {
        let quoted = &text[range.clone()];
        if quoted.len() > STRING_BYTES_MAX || quoted.len() < 3 {
            return None;
        }
        let string = content(quoted);
        let is_reference = string.starts_with(SCHEME);
        // Other strings are looked at where they may be names.
        if !is_reference && !self.takes_uris && path.len() > 2 {
            return None;
        }
        let key = path.first_key()?;
        if self.replaced.contains(&&*key) {
            return None;
        }
        let is_named = match path.len() {
            1 => key == "filename",
            2 => key == "file_names" && path.ends_in_array(),
            _ => false,
        };
        let form = || self.places.and_then(|places| places.form_at(&path.steps()));
        let (what, form) = match references::parse(&string) {
            Some(Err(refused)) => return Some(Err(refused)),
            Some(Ok(reference)) => {
                let form = match form() {
                    // These have always been addresses, whatever type they say.
                    None | Some(Form::Text) if is_named => Some(Form::Url),
                    form => form,
                };
                (What::Reference(reference), form)
            }
            None => {
                let is_name = string.len() <= NAME_BYTES_MAX && !string.contains("://");
                let is_wanted = is_named || self.takes_uris && form() == Some(Form::Url);
                if !is_name || !is_wanted {
                    return None;
                }
                (What::Name(references::normalized(&string)), Some(Form::Url))
            }
        };
        Some(Ok(Wish { argument: pointer(&path.steps()), range, what, form }))
    }
}

#[cfg(test)]
mod tests {
    use resultant::Json;
    use serde_json::Value;

    use super::*;

    fn find(schema: &str, arguments: &str) -> Vec<(String, String, Option<Form>)> {
        let arguments = Json::parse(arguments.to_owned()).unwrap();
        let schema: Value = serde_json::from_str(schema).unwrap();
        let places = Places::of(&schema);
        let takes_uris = super::super::takes_uris(&schema.to_string());
        let search = Search { places: Some(&places), takes_uris, replaced: &["username"] };
        if !may_have_files(arguments.as_text(), takes_uris) {
            return Vec::new();
        }
        let wishes = search.wishes(arguments.as_text()).unwrap();
        wishes
            .into_iter()
            .map(|wish| {
                let what = match wish.what {
                    What::Reference(reference) => format!("@{}", reference.name),
                    What::Name(name) => name,
                };
                (wish.argument, what, wish.form)
            })
            .collect()
    }

    #[track_caller]
    fn check(schema: &str, arguments: &str, expected: &[(&str, &str, Option<Form>)]) {
        let found = find(schema, arguments);
        let found: Vec<_> = found.iter().map(|(a, w, f)| (a.as_str(), w.as_str(), *f)).collect();
        assert_eq!(found, expected, "{schema} {arguments}");
    }

    const URL: Option<Form> = Some(Form::Url);

    #[test]
    fn names_at_the_top() {
        for schema in ["{}", r#"{"properties": {"filename": {"type": "string"}}}"#] {
            check(schema, r#"{"filename": "a.txt"}"#, &[("/filename", "a.txt", URL)]);
            check(schema, r#"{"file\u006eame": "\u0061"}"#, &[("/filename", "a", URL)]);
            check(
                schema,
                r#"{"file_names": ["a", 1, null, ["b"], {"c": "d"}, "e"], "x": "y"}"#,
                &[("/file_names/0", "a", URL), ("/file_names/5", "e", URL)],
            );
            check(
                schema,
                r#"{"filename": "../../etc/passwd"}"#,
                &[("/filename", "../../etc/passwd", URL)],
            );
            check(schema, "{\"filename\": \"o\u{308}\"}", &[("/filename", "\u{f6}", URL)]);
            check(schema, r#"{"filename": "resultant://files/a"}"#, &[("/filename", "@a", URL)]);
        }
        for arguments in [
            r#"{"filename": ["a"]}"#,
            r#"{"filename": {"filename": "a"}}"#,
            r#"{"file_names": "a"}"#,
            r#"{"file_names": {"0": "a"}}"#,
            r#"{"filename": 7}"#,
            r#"{"filename": ""}"#,
            r#"{"Filename": "a"}"#,
            r#"{"a": {"filename": "a"}}"#,
            r#"{"a": "filename"}"#,
            r#"{"filename": "https://x.example/a"}"#,
            r#"{"filename": "file:///etc/passwd"}"#,
            r#"["filename", "a"]"#,
            r#""filename""#,
            "{}",
        ] {
            check("{}", arguments, &[]);
        }
        let huge = format!(r#"{{"filename": "{}"}}"#, "x".repeat(1 << 20));
        check("{}", &huge, &[]);
        let long = format!(r#"{{"filename": "{}"}}"#, "x".repeat(2000));
        check("{}", &long, &[]);
    }

    #[test]
    fn references_anywhere() {
        let schema = r##"{
            "properties": {
                "doc": {"type": "string"}, "raw": {"type": "string", "contentEncoding": "base64"},
                "rows": {"type": "array", "items": {"type": "object", "properties":
                    {"cell": {"$ref": "#/$defs/cell"}}}},
                "at": {"type": "string", "format": "uri"},
                "username": {"type": "string"}
            },
            "$defs": {"cell": {"type": "object"}}
        }"##;
        check(
            schema,
            r#"{"doc": "resultant://files/a", "raw": "resultant:\/\/files\/b",
                "rows": [{"cell": "resultant://files/c"}, "resultant://files/d"],
                "at": "resultant://files/e", "other": {"x": ["resultant://files/f"]},
                "username": "resultant://files/g", "text": "see resultant://files/h"}"#,
            &[
                ("/doc", "@a", Some(Form::Text)),
                ("/raw", "@b", Some(Form::Base64)),
                ("/rows/0/cell", "@c", Some(Form::Json)),
                ("/rows/1", "@d", Some(Form::Json)),
                ("/at", "@e", URL),
                ("/other/x/0", "@f", None),
            ],
        );
        check("{}", r#"{"resultant://files/a": 1}"#, &[]);
        let deep =
            format!(r#"{{"a": {}"resultant://files/x"{}}}"#, "[".repeat(100), "]".repeat(100));
        assert_eq!(find(r##"{"properties": {"a": {"$ref": "#"}}}"##, &deep).len(), 1);
        // What is nested too deep has become a text, and a text is no reference.
        let deep = format!(
            r#"{{"a": {}"resultant://files/x"{}}}"#,
            "[".repeat(100_000),
            "]".repeat(100_000)
        );
        check("{}", &deep, &[]);
    }

    #[test]
    fn names_where_a_uri_is_wanted() {
        let schema = r#"{"properties": {
            "image": {"type": "string", "format": "uri"},
            "pages": {"type": "array", "items": {"type": "object", "properties":
                {"source": {"anyOf": [{"format": "uri-reference"}, {"type": "null"}]}}}},
            "title": {"type": "string"}}}"#;
        check(
            schema,
            r#"{"image": "a.png", "title": "a.png",
                "pages": [{"source": "b.png"}, {"source": null}, {"source": "https://x/y"}]}"#,
            &[("/image", "a.png", URL), ("/pages/0/source", "b.png", URL)],
        );
    }

    #[test]
    fn there_are_bounds() {
        let many = |string: &str, count: usize| {
            let items = vec![format!("\"{string}\""); count].join(",");
            format!(r#"{{"file_names": [{items}]}}"#)
        };
        let search = Search { places: None, takes_uris: false, replaced: &[] };
        assert_eq!(search.wishes(&many("a", 5000)).unwrap().len(), NAMES_MAX);
        assert_eq!(search.wishes(&many("resultant://files/a", 64)).unwrap().len(), 64);
        let refused = search.wishes(&many("resultant://files/a", 65)).unwrap_err();
        assert!(refused.to_string().contains("more than 64 files"));
        let refused = search.wishes(r#"{"a": "resultant://files/a?offset=1"}"#).unwrap_err();
        assert!(refused.to_string().contains("?bytes=0-4095"));
    }
}
