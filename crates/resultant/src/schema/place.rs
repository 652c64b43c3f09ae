//! A schema in another place: wrapped for older clients, or beside the other shapes a result has.
//!
//! A reference like `#/$defs/item` is counted from the root, so it changes when the schema moves.
//! What is below a `$id` of its own is counted from there and stays as it is. The text is
//! rewritten, not a tree: digits and order survive.

use std::collections::BTreeSet;

use super::{Advertise, Schema, keywords::escape};
use crate::{
    json::{Json, Object, ObjectWriter, items, members, push_compact, push_string, unescape},
    protocol::Protocol,
};

/// The name of the member that holds a wrapped value.
const RESULT: &str = "result";

/// The name that a schema with a `$recursiveRef` is given when it moves: such a reference is always
/// written `#`, so that its root must move with it.
const NAME: &str = "urn:resultant:output";

/// What a result looks like that was too large.
const DIGEST: &str =
    r#"{"type":"object","properties":{"complete":{"const":false}},"required":["complete"]}"#;

/// What a result looks like that its schema rejects.
const PROBLEM: &str = r#"{"type":"object","properties":{"complete":{"const":false},"note":{"type":"string"},"text":{"type":"string"}},"required":["complete","note"]}"#;

/// What a result looks like whose files were taken out.
const STRIPPED: &str = r#"{"type":"object","anyOf":[{"properties":{"artifacts":{"type":"array","items":{"type":"object","required":["name","sha256"]}}},"required":["artifacts"]},{"properties":{"returned_file_contents":{"type":"array","items":{"type":"object","required":["name","sha256"]}}},"required":["returned_file_contents"]}]}"#;

/// The schema for a version that wants `type: "object"` at the root.
pub(super) fn wrapped(schema: &Schema) -> Json {
    if !schema.is_object_rooted() {
        let mut object = Object::default();
        copy(&mut object, schema, &["$schema"]);
        wrap(&mut object, &moved(schema, "/properties/result", &["$schema"]));
        return object.to_json();
    }
    let json = schema.json();
    match json.get("type").and_then(|name| name.as_str().map(|name| name == "object")) {
        Some(true) => json.clone(),
        _ => {
            let mut object = Object::default();
            object.set("type", Json::string("object"));
            let rest = Object::of(json);
            rest.iter().filter(|(key, _)| *key != "type").for_each(|(key, value)| {
                object.set(key, value.clone());
            });
            object.to_json()
        }
    }
}

/// The schema that `tools/list` shows.
pub(super) fn advertised(schema: &Schema, protocol: Protocol, advertise: Advertise) -> Json {
    let is_legacy = !protocol.has_any_structured_content();
    let Advertise { may_digest, may_problem, may_strip_files } = advertise;
    if !(may_digest || may_problem || may_strip_files) {
        return if is_legacy { wrapped(schema) } else { schema.json().clone() };
    }
    let wraps = is_legacy && !schema.is_object_rooted();
    let (place, taken) = match wraps {
        true => ("/anyOf/0/properties/result", ["$schema"].as_slice()),
        false => ("/anyOf/0", ["$schema", "title", "description"].as_slice()),
    };
    let own = moved(schema, place, taken);
    let mut shapes = vec![if wraps { wrapped_shape(&own) } else { own }];
    let stripped = Json::trusted(STRIPPED);
    if may_strip_files {
        shapes.push(stripped.clone());
    }
    if may_strip_files && (wraps || schema.wraps_result()) {
        shapes.push(wrapped_shape(&stripped));
    }
    if may_problem {
        shapes.push(Json::trusted(PROBLEM));
    }
    if may_digest {
        shapes.push(Json::trusted(DIGEST));
    }
    let mut object = Object::default();
    copy(&mut object, schema, &["$schema", "title", "description"]);
    if is_legacy {
        object.set("type", Json::string("object"));
    }
    object.set("anyOf", Json::array(&shapes));
    object.to_json()
}

/// `{"result": value}`.
pub(super) fn wrap_value(value: &Json) -> Json {
    let mut object = Object::default();
    object.set(RESULT, value.clone());
    object.to_json()
}

/// The value of an object whose only member is `result`.
pub(super) fn unwrap_value(value: &Json) -> Option<Json> {
    let mut members = value.members();
    let (key, inner) = members.next()?;
    (key == RESULT && members.next().is_none()).then_some(inner)
}

fn wrapped_shape(inner: &Json) -> Json {
    let mut object = Object::default();
    wrap(&mut object, inner);
    object.to_json()
}

fn wrap(object: &mut Object, inner: &Json) {
    object.set("type", Json::string("object"));
    object.set("properties", wrap_value(inner));
    object.set("required", Json::array(&[Json::string(RESULT)]));
}

fn copy(object: &mut Object, schema: &Schema, keys: &[&str]) {
    for key in keys {
        if let Some(value) = schema.json().get(key) {
            object.set(key, value);
        }
    }
}

/// The schema without these members, for a place with this pointer.
fn moved(schema: &Schema, place: &str, without: &[&str]) -> Json {
    if !schema.json().is_object() {
        return schema.json().clone();
    }
    let graph = &schema.compiled().graph;
    let none = BTreeSet::new();
    let sites = if graph.has_recursive_ref { &none } else { &graph.sites };
    let rewrite = Rewrite { place, sites };
    let mut out = String::new();
    let mut writer = ObjectWriter::new(&mut out);
    if graph.has_recursive_ref {
        writer.text("$id", NAME);
    }
    for (key, value) in members(schema.json().as_text()) {
        let name = unescape(key);
        if !without.contains(&&*name) {
            rewrite.member(writer.key(&name), "", &name, value);
        }
    }
    writer.end();
    Json::trusted(out)
}

struct Rewrite<'a> {
    place: &'a str,
    sites: &'a BTreeSet<String>,
}

impl Rewrite<'_> {
    /// Appends one member of the object at this pointer.
    fn member(&self, out: &mut String, pointer: &str, name: &str, value: &str) {
        if matches!(name, "$ref" | "$dynamicRef") && self.sites.contains(pointer) {
            let text = unescape(value);
            match text.strip_prefix('#') {
                Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                    push_string(out, &format!("#{}{rest}", self.place));
                    return;
                }
                _ => {}
            }
        }
        self.value(out, &format!("{pointer}/{}", escape(name)), value);
    }

    /// Appends a value. The depth of a schema is bounded, and so is this recursion.
    fn value(&self, out: &mut String, pointer: &str, value: &str) {
        let next = self.sites.range(pointer.to_owned()..).next();
        if !next.is_some_and(|site| site.starts_with(pointer)) {
            push_compact(out, value);
        } else if value.starts_with('{') {
            let mut writer = ObjectWriter::new(out);
            for (key, inner) in members(value) {
                let name = unescape(key);
                self.member(writer.key(&name), pointer, &name, inner);
            }
            writer.end();
        } else if value.starts_with('[') {
            out.push('[');
            for (index, item) in items(value).enumerate() {
                if index > 0 {
                    out.push(',');
                }
                self.value(out, &format!("{pointer}/{index}"), item);
            }
            out.push(']');
        } else {
            push_compact(out, value);
        }
    }
}
