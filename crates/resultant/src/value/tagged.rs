//! Tagged JSON: a value of another language, with what plain JSON cannot say.
//!
//! A tag is an object whose only key is the tag's name (`$struct` has `fields` beside it). A tag
//! that is not as it should be is plain data, so every JSON is also tagged JSON.

use super::{any::Any, recognize::is_block};
use crate::{
    base64,
    json::{Json, Kind, Object},
};

impl Any {
    /// Reads tagged JSON: `$bytes`, `$tuple`, `$float`, `$dict`, `$struct`, `$block`, `$result`,
    /// `$contents`, `$read_result`. Numbers outside of blocks and results are numbers as Python has
    /// them: whole ones keep their digits, others are floats.
    ///
    /// ```
    /// use resultant::{Any, Json, Reply};
    ///
    /// let json = Json::parse(r#"{"$tuple": ["done", {"raw": {"$bytes": "AAE="}, "n": 1.50}]}"#)?;
    /// assert_eq!(
    ///     Reply::from(Any::from_tagged(&json)).to_json().to_string(),
    ///     r#"{"content":[{"type":"text","text":"done"}],"structuredContent":{"raw":"AAE=","n":1.5}}"#,
    /// );
    /// # Ok::<(), resultant::SyntaxError>(())
    /// ```
    pub fn from_tagged(json: &Json) -> Any {
        read(json, 0)
    }
}

fn read(json: &Json, depth: usize) -> Any {
    if depth == Any::DEPTH_MAX {
        return Any::Raw(json.clone());
    }
    let depth = depth + 1;
    match json.kind() {
        Kind::Null => Any::Null,
        Kind::Bool => Any::Bool(json.as_bool().unwrap_or_default()),
        Kind::Number => number(json),
        Kind::String => Any::Str(json.as_str().unwrap_or_default().into_owned()),
        Kind::Array => Any::Seq(items(json, depth)),
        Kind::Object => tag(&Object::of(json), depth).unwrap_or_else(|| {
            let members = json
                .members()
                .map(|(key, value)| (Any::Str(key.into_owned()), read(&value, depth)));
            Any::Map(members.collect())
        }),
    }
}

fn items(json: &Json, depth: usize) -> Vec<Any> {
    json.items().map(|item| read(&item, depth)).collect()
}

/// A whole number of any length, or a float.
fn number(json: &Json) -> Any {
    let text = json.as_text();
    if text.contains(['.', 'e', 'E']) {
        return text.parse().map_or_else(|_| Any::Raw(json.clone()), Any::Float);
    }
    text.parse().map_or_else(|_| Any::Raw(json.clone()), Any::Integer)
}

/// What a tag stands for; nothing for an object that is not one.
fn tag(object: &Object, depth: usize) -> Option<Any> {
    let mut members = object.iter();
    let (name, value) = members.next()?;
    match members.next() {
        None => {}
        // The two keys of a struct may come in either order.
        Some(_) if object.len() == 2 => {
            return structure(object.get("$struct")?, object.get("fields")?, depth);
        }
        Some(_) => return None,
    }
    match name {
        "$bytes" => bytes(value),
        "$float" => float(value),
        "$tuple" => value.is_array().then(|| Any::Tuple(items(value, depth))),
        "$dict" => dict(value, depth),
        "$block" => is_block(value).then(|| Any::Block(value.clone())),
        "$result" => has_list(value, "content").then(|| Any::Result(value.clone())),
        "$contents" => value.is_object().then(|| Any::Contents(value.clone())),
        "$read_result" => has_list(value, "contents").then(|| Any::ReadResult(value.clone())),
        _ => None,
    }
}

fn has_list(json: &Json, key: &str) -> bool {
    json.get(key).is_some_and(|value| value.is_array())
}

fn bytes(value: &Json) -> Option<Any> {
    let text = value.as_str()?;
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    base64::decode_in_parts(&text, |part| bytes.extend_from_slice(part)).ok()?;
    Some(Any::Bytes(bytes))
}

fn float(value: &Json) -> Option<Any> {
    let value = match &*value.as_str()? {
        "nan" => f64::NAN,
        "inf" => f64::INFINITY,
        "-inf" => f64::NEG_INFINITY,
        _ => return None,
    };
    Some(Any::Float(value))
}

fn dict(value: &Json, depth: usize) -> Option<Any> {
    if !value.is_array() {
        return None;
    }
    let entry = |entry: Json| {
        let mut parts = entry.items();
        match (parts.next(), parts.next(), parts.next()) {
            (Some(key), Some(value), None) => Some((read(&key, depth), read(&value, depth))),
            _ => None,
        }
    };
    value.items().map(entry).collect::<Option<Vec<_>>>().map(Any::Map)
}

fn structure(name: &Json, fields: &Json, depth: usize) -> Option<Any> {
    let name = name.as_str()?.into_owned().into();
    if !fields.is_object() {
        return None;
    }
    let field = |(key, value): (std::borrow::Cow<'_, str>, Json)| {
        (key.into_owned().into(), read(&value, depth))
    };
    Some(Any::Struct { name, fields: fields.members().map(field).collect() })
}
