//! Holds a file against the schema, and gives back what of it is right.
//!
//! A general validator speaks of keywords; this one speaks to whoever wrote the file, and knows the
//! few keywords that our schema has. What is wrong is left out of the returned value, so that the
//! rest can be looked at in the same run and all problems are told at once.

use serde_json::{Map, Value as Plain};

use super::{
    jsonc::{Document, Member, Node, Value},
    problem::{Problem, nearest, step},
};

pub(super) struct Checker<'a> {
    pub(super) document: &'a Document<'a>,
    pub(super) schema: &'a Plain,
    pub(super) problems: Vec<Problem>,
}

impl Checker<'_> {
    /// What is right of the whole file.
    pub(super) fn check_root(&mut self) -> Plain {
        let (root, schema) = (&self.document.root, self.schema);
        self.check(root, schema, "").unwrap_or_else(|| Map::new().into())
    }

    fn check(&mut self, node: &Node, schema: &Plain, pointer: &str) -> Option<Plain> {
        let schema = resolved(self.schema, schema);
        let words = words(schema);
        if !words.is_empty() {
            return self.check_word(node, &words, pointer);
        }
        match (schema["type"].as_str().unwrap_or_default(), &node.value) {
            ("object", Value::Object(members)) => {
                Some(self.check_object(members, schema, pointer).into())
            }
            ("array", Value::Array(items)) => {
                let checked = items.iter().enumerate().map(|(at, item)| {
                    self.check(item, &schema["items"], &step(pointer, &at.to_string()))
                });
                checked.collect::<Vec<_>>().into_iter().collect::<Option<Plain>>()
            }
            ("number" | "integer", Value::Number(_)) => self.check_number(node, schema, pointer),
            ("string", Value::String(_)) | ("boolean", Value::Bool(_)) => Some(node.to_value()),
            _ => self.mismatch(node, schema, pointer),
        }
    }

    fn check_object(
        &mut self,
        members: &[Member],
        schema: &Plain,
        pointer: &str,
    ) -> Map<String, Plain> {
        let mut out = Map::new();
        let properties = schema["properties"].as_object();
        let others = &schema["additionalProperties"];
        for (at, Member { key, key_start, node }) in members.iter().enumerate() {
            let pointer = step(pointer, key);
            let known = properties.and_then(|properties| properties.get(key));
            let Some(schema) = known.or(others.is_object().then_some(others)) else {
                if *others == Plain::Bool(false) {
                    let names = properties.into_iter().flatten().map(|(name, _)| name.as_str());
                    let hint = hint_of_names(key, &names.collect::<Vec<_>>());
                    self.problem_at(*key_start, &pointer, "unknown key".to_owned(), Some(hint));
                }
                continue;
            };
            if let Some(first) = members[..at].iter().find(|first| first.key == *key) {
                let line = self.document.place(first.key_start).line;
                let message = format!("the key is there twice, first in line {line}");
                self.problem_at(*key_start, &pointer, message, None);
            }
            if let Value::Null = node.value {
                continue;
            }
            if let Some(value) = self.check(node, schema, &pointer) {
                out.insert(key.clone(), value);
            }
        }
        out
    }

    fn check_word(&mut self, node: &Node, words: &[&str], pointer: &str) -> Option<Plain> {
        match node.as_str() {
            Some(word) if words.contains(&word) => Some(word.into()),
            found => {
                let found = found.map_or(kind(node).to_owned(), |word| format!("`{word}`"));
                let message = format!("expected {}, found {found}", any_of(words));
                let near = nearest(node.as_str().unwrap_or_default(), words.iter().copied());
                let hint = near.map(|near| format!("did you mean `{near}`?"));
                self.problem_at(node.start, pointer, message, hint);
                None
            }
        }
    }

    fn check_number(&mut self, node: &Node, schema: &Plain, pointer: &str) -> Option<Plain> {
        let value = node.to_value();
        if schema["type"] == "integer" && !value.is_u64() {
            return self.mismatch(node, schema, pointer);
        }
        let number = value.as_f64()?;
        let (minimum, maximum) = (schema["minimum"].as_f64(), schema["maximum"].as_f64());
        let message = match (minimum, maximum) {
            (Some(minimum), _) if number < minimum => format!("must be at least {minimum}"),
            (_, Some(maximum)) if number > maximum => format!("must be at most {maximum}"),
            _ => return Some(value),
        };
        self.problem_at(node.start, pointer, format!("{message}, is {value}"), None);
        None
    }

    fn mismatch(&mut self, node: &Node, schema: &Plain, pointer: &str) -> Option<Plain> {
        let message = format!("expected {}, found {}", expected(schema), kind(node));
        let hint = match (schema["type"].as_str().unwrap_or_default(), &node.value) {
            ("string", Value::Number(_) | Value::Bool(_)) => Some("write it in double quotes"),
            ("number" | "integer", Value::String(text)) if text.parse::<f64>().is_ok() => {
                Some("write it without quotes")
            }
            ("boolean", Value::String(text)) if text == "true" || text == "false" => {
                Some("write it without quotes")
            }
            ("array", Value::String(_)) => Some("write it in brackets: [\"…\"]"),
            ("array", Value::Number(_)) => Some("write it in brackets and double quotes: [\"…\"]"),
            _ => None,
        };
        self.problem_at(node.start, pointer, message, hint.map(str::to_owned));
        None
    }

    fn problem_at(&mut self, at: usize, pointer: &str, message: String, hint: Option<String>) {
        let place = Some(self.document.place(at));
        self.problems.push(Problem { place, pointer: pointer.to_owned(), message, hint });
    }
}

/// The nearest of some names, or all of them.
pub(super) fn hint_of_names(name: &str, names: &[&str]) -> String {
    match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known here: {}", quoted(names)),
    }
}

fn quoted(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

fn any_of(words: &[&str]) -> String {
    match words {
        [first @ .., last] if !first.is_empty() => format!("{} or `{last}`", quoted(first)),
        words => quoted(words),
    }
}

fn resolved<'a>(root: &'a Plain, schema: &'a Plain) -> &'a Plain {
    let reference = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
    reference.and_then(|pointer| root.pointer(pointer)).unwrap_or(schema)
}

/// The words that a schema allows, when it is one of words.
fn words(schema: &Plain) -> Vec<&str> {
    let constants = schema["oneOf"].as_array().into_iter().flatten().map(|word| &word["const"]);
    let listed = schema["enum"].as_array().into_iter().flatten();
    constants.chain(listed).filter_map(Plain::as_str).collect()
}

fn expected(schema: &Plain) -> &'static str {
    match schema["type"].as_str().unwrap_or_default() {
        "array" if schema["items"]["type"] == "string" => "a list of strings",
        "array" => "a list",
        "object" => "an object",
        "string" => "a string",
        "boolean" => "true or false",
        "integer" => "a whole number",
        _ => "a number",
    }
}

fn kind(node: &Node) -> &'static str {
    match &node.value {
        Value::Null => "null",
        Value::Bool(true) => "true",
        Value::Bool(false) => "false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
