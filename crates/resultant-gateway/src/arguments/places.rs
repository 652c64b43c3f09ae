//! What a tool's input schema says about a place in its arguments.
//!
//! This is no validator. All schemas that may apply to a place are gathered, those behind local
//! `$ref`s and in compositions too, and the first of them that is clear decides. Work is bounded by
//! steps for the whole call: a schema that wants more says nothing from there on.

use std::cell::Cell;

use serde_json::{Map, Value};

/// Schemas that are looked at for one call.
const STEPS_MAX: usize = 50_000;
/// Schemas that are gathered for one place.
const GATHERED_MAX: usize = 64;

/// In which form a file is handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// An address to download it from.
    Url,
    /// Its text.
    Text,
    /// Its bytes in base64.
    Base64,
    /// The same, in the alphabet for URLs and without padding.
    Base64Url,
    /// The value that its JSON stands for.
    Json,
}

impl Form {
    /// Its name in records.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Form::Url => "url",
            Form::Text => "text",
            Form::Base64 | Form::Base64Url => "base64",
            Form::Json => "json",
        }
    }
}

/// One step on the way to a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Member(String),
    Item(usize),
}

/// The schemas that may apply to one place, without their references and compositions.
pub(super) type Gathered<'a> = Vec<&'a Map<String, Value>>;

/// A whole input schema.
pub(super) struct Places<'a> {
    root: &'a Value,
    steps: Cell<usize>,
    is_partial: Cell<bool>,
}

impl<'a> Places<'a> {
    pub(super) fn of(root: &'a Value) -> Places<'a> {
        Places { root, steps: Cell::new(0), is_partial: Cell::new(false) }
    }

    /// Whether something could not be followed: a reference that leads elsewhere, or too much of
    /// everything.
    pub(super) fn is_partial(&self) -> bool {
        self.is_partial.get()
    }

    /// The schemas of the arguments themselves.
    pub(super) fn top(&self) -> Gathered<'a> {
        self.gather(vec![self.root])
    }

    /// What is wanted at the end of this path; nothing where the schema does not say.
    pub(super) fn form_at(&self, path: &[Step]) -> Option<Form> {
        let mut here = self.top();
        for step in path {
            if here.is_empty() {
                return None;
            }
            let next = here.iter().filter_map(|schema| match step {
                Step::Member(key) => member(schema, key),
                Step::Item(at) => item(schema, *at),
            });
            here = self.gather(next.collect());
        }
        form_of(&here)
    }

    /// Follows references and compositions.
    fn gather(&self, mut open: Vec<&'a Value>) -> Gathered<'a> {
        let mut found: Gathered<'a> = Vec::new();
        open.reverse();
        while let Some(schema) = open.pop() {
            let Value::Object(schema) = schema else { continue };
            if found.iter().any(|known| std::ptr::eq(*known, schema)) {
                continue;
            }
            self.steps.set(self.steps.get() + 1);
            if self.steps.get() > STEPS_MAX || found.len() == GATHERED_MAX {
                self.is_partial.set(true);
                break;
            }
            found.push(schema);
            for key in ["oneOf", "anyOf", "allOf"] {
                open.extend(schema.get(key).and_then(Value::as_array).into_iter().flatten().rev());
            }
            open.extend(["then", "else"].iter().filter_map(|key| schema.get(*key)));
            for key in ["$ref", "$dynamicRef", "$recursiveRef"] {
                let Some(reference) = schema.get(key) else { continue };
                match reference.as_str().and_then(|reference| self.resolve(reference)) {
                    Some(target) => open.push(target),
                    None => self.is_partial.set(true),
                }
            }
        }
        found
    }

    /// What a reference within the schema leads to.
    fn resolve(&self, reference: &str) -> Option<&'a Value> {
        let pointer = reference.strip_prefix('#')?;
        match pointer.contains('%') {
            true => self.root.pointer(&super::percent_decoded(pointer)?),
            false => self.root.pointer(pointer),
        }
    }
}

fn member<'a>(schema: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    let declared = schema.get("properties").and_then(|properties| properties.get(key));
    declared.or_else(|| schema.get("additionalProperties"))
}

fn item(schema: &Map<String, Value>, at: usize) -> Option<&Value> {
    let prefix = schema.get("prefixItems").and_then(|items| items.get(at));
    prefix.or_else(|| match schema.get("items") {
        // As schemas were written before 2020.
        Some(Value::Array(items)) => items.get(at).or_else(|| schema.get("additionalItems")),
        items => items,
    })
}

/// What is wanted where these schemas apply. A choice is decided in favour of the form that costs
/// the least.
fn form_of(gathered: &Gathered<'_>) -> Option<Form> {
    let texts = |key: &'static str| {
        gathered.iter().filter_map(move |schema| schema.get(key).and_then(Value::as_str))
    };
    if texts("format").any(is_uri_format) {
        return Some(Form::Url);
    }
    if texts("contentEncoding").any(|encoding| encoding.eq_ignore_ascii_case("base64url")) {
        return Some(Form::Base64Url);
    }
    if texts("contentEncoding").any(|encoding| encoding.eq_ignore_ascii_case("base64"))
        || texts("format").any(|format| matches!(format, "byte" | "binary" | "base64"))
    {
        return Some(Form::Base64);
    }
    let mut kinds = gathered.iter().filter_map(|schema| schema.get("type"));
    let names_string = |kind: &Value| match kind {
        Value::Array(kinds) => kinds.iter().any(|kind| kind == "string"),
        kind => kind == "string",
    };
    if kinds.clone().any(names_string) {
        return Some(Form::Text);
    }
    let has_kind = kinds.any(|kind| *kind != "null");
    let is_container = |schema: &&Map<String, Value>| {
        ["properties", "items", "prefixItems"].iter().any(|key| schema.contains_key(*key))
    };
    (has_kind || gathered.iter().any(is_container)).then_some(Form::Json)
}

pub(super) fn is_uri_format(format: &str) -> bool {
    matches!(format, "uri" | "uri-reference" | "iri" | "iri-reference" | "url")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(schema: &str, path: &str, expected: Option<Form>) {
        let schema: Value = serde_json::from_str(schema).unwrap();
        let path: Vec<Step> = path
            .split('.')
            .filter(|step| !step.is_empty())
            .map(|step| match step.parse() {
                Ok(at) => Step::Item(at),
                Err(_) => Step::Member(step.to_owned()),
            })
            .collect();
        assert_eq!(Places::of(&schema).form_at(&path), expected, "{schema} {path:?}");
    }

    #[test]
    fn one_schema() {
        let url = Some(Form::Url);
        for (schema, expected) in [
            (r#"{"type": "string", "format": "uri"}"#, url),
            (r#"{"format": "uri-reference"}"#, url),
            (r#"{"type": ["string", "null"], "format": "iri"}"#, url),
            (r#"{"anyOf": [{"type": "string", "format": "uri"}, {"type": "null"}]}"#, url),
            (r#"{"type": "string", "contentEncoding": "base64"}"#, Some(Form::Base64)),
            (r#"{"type": "string", "contentEncoding": "BASE64URL"}"#, Some(Form::Base64Url)),
            (r#"{"type": "string", "format": "byte"}"#, Some(Form::Base64)),
            (r#"{"type": "string", "format": "binary"}"#, Some(Form::Base64)),
            (r#"{"type": "string", "contentEncoding": "quoted-printable"}"#, Some(Form::Text)),
            (r#"{"type": "string", "format": "date"}"#, Some(Form::Text)),
            (r#"{"type": "string"}"#, Some(Form::Text)),
            (r#"{"type": ["null", "string"]}"#, Some(Form::Text)),
            (r#"{"oneOf": [{"type": "object"}, {"type": "string"}]}"#, Some(Form::Text)),
            (r#"{"type": "object"}"#, Some(Form::Json)),
            (r#"{"type": "array", "items": {"type": "string"}}"#, Some(Form::Json)),
            (r#"{"type": "number"}"#, Some(Form::Json)),
            (r#"{"type": ["integer", "boolean"]}"#, Some(Form::Json)),
            (r#"{"properties": {"a": {}}}"#, Some(Form::Json)),
            (r#"{"type": "null"}"#, None),
            (r#"{"enum": [1]}"#, None),
            (r#"{"type": 7, "format": [], "anyOf": {}, "properties": 3}"#, Some(Form::Json)),
            ("{}", None),
            ("true", None),
            ("false", None),
            ("null", None),
        ] {
            check(&format!(r#"{{"properties": {{"a": {schema}}}}}"#), "a", expected);
            check(&format!(r#"{{"additionalProperties": {schema}}}"#), "a", expected);
            check(&format!(r#"{{"items": {{"prefixItems": [true, {schema}]}}}}"#), "0.1", expected);
            check(&format!(r#"{{"items": {{"items": [{{}}, {schema}]}}}}"#), "7.1", expected);
            check(
                &format!(
                    r##"{{"$defs": {{"x y": {schema}}}, "items": {{"$ref": "#/$defs/x%20y"}}}}"##
                ),
                "5",
                expected,
            );
            check(
                &format!(
                    r##"{{"allOf": [{{"$ref": "#/definitions/A"}}],
                         "definitions": {{"A": {{"properties": {{"b": {{"$ref": "#/definitions/~0B~1"}}}}}},
                                          "~B/": {schema}}}}}"##
                ),
                "b",
                expected,
            );
        }
    }

    #[test]
    fn what_leads_nowhere_ends() {
        check(r##"{"$ref": "#"}"##, "a.b.c", None);
        check(r##"{"properties": {"a": {"$ref": "#/properties/a"}}}"##, "a", None);
        check(r##"{"properties": {"a": {"$ref": "#/nowhere"}}}"##, "a", None);
        check(r##"{"properties": {"a": {"$ref": "https://other.example/s.json"}}}"##, "a", None);
        check(r##"{"properties": {"a": {"$ref": "file:///etc/passwd"}}}"##, "a", None);
        check(r##"{"properties": {"a": {"$ref": "#name"}}}"##, "a", None);
        // A list of itself, as deep as one likes.
        let list = r##"{"properties": {"next": {"$ref": "#"}, "at": {"format": "uri"}}}"##;
        check(list, &format!("{}at", "next.".repeat(1000)), Some(Form::Url));
        // Each level has two ways to the next.
        let defs: Vec<String> = (0..60)
            .map(|at| {
                let next = at + 1;
                format!(
                    r##""d{at}": {{"anyOf": [{{"$ref": "#/$defs/d{next}"}}, {{"$ref": "#/$defs/d{next}"}}]}}"##
                )
            })
            .collect();
        let schema = format!(r##"{{"$ref": "#/$defs/d0", "$defs": {{{}}}}}"##, defs.join(","));
        let schema: Value = serde_json::from_str(&schema).unwrap();
        let places = Places::of(&schema);
        assert_eq!(places.form_at(&[]), None);
        assert!(places.is_partial() && places.steps.get() <= GATHERED_MAX + 1);
        let every = vec![Step::Item(0); STEPS_MAX * 2];
        let schema: Value = serde_json::from_str(r##"{"items": {"$ref": "#"}}"##).unwrap();
        let places = Places::of(&schema);
        assert_eq!(places.form_at(&every), None);
        assert!(places.is_partial());
    }
}
