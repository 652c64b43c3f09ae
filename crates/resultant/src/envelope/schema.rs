//! The JSON Schema of an envelope, for a tool to announce as its `outputSchema`.
//!
//! It is rooted in an object, as every version of the protocol accepts. A schema for the payload
//! stands whole under `$defs/data`, its references to itself redirected there.

use serde_json::{Value, json};

use super::{
    Pagination, RateLimit, Telemetry, VERSION,
    meta::{ERROR_MEMBERS, Member},
};
use crate::json::{Json, Kind, Object, ObjectWriter, push_compact, push_string};

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Where the schema of the payload stands.
const DATA_POINTER: &str = "#/$defs/data";

/// The schema of an envelope with any payload.
///
/// ```
/// let schema = resultant::envelope::schema();
/// assert_eq!(schema.get("type").unwrap().as_str().unwrap(), "object");
/// ```
pub fn schema() -> Json {
    envelope_schema(Json::string(DIALECT), None).to_json()
}

/// The schema of an envelope whose payload has this schema when it is a success.
///
/// It accepts what the builders make of such a payload: a value that is not an object is wrapped as
/// `{"result": value}`, `null` is `{}`, and `_meta` and `_warnings` may stand beside members of a
/// schema that allows no others. The dialect that the payload's schema names is that of the whole.
///
/// ```
/// use resultant::{Json, envelope};
/// use serde_json::json;
///
/// let tasks = Json::from(json!({
///     "type": "object",
///     "properties": {"tasks": {"type": "array", "items": {"$ref": "#/$defs/task"}}},
///     "$defs": {"task": {"type": "string"}},
/// }));
/// let schema = envelope::schema_for(&tasks);
/// assert!(schema.to_string().contains(r##""$ref":"#/$defs/data/$defs/task""##));
/// ```
pub fn schema_for(data_schema: &Json) -> Json {
    if !data_schema.is_object() {
        return schema();
    }
    let dialect = data_schema.get("$schema").filter(|dialect| dialect.kind() == Kind::String);
    let dialect = dialect.unwrap_or_else(|| Json::string(DIALECT));
    let mut root = envelope_schema(dialect, Some(success_data(data_schema)));
    let mut defs = Object::default();
    defs.set("data", nested(data_schema));
    root.set("$defs", defs.to_json());
    root.to_json()
}

fn envelope_schema(dialect: Json, success_data: Option<Value>) -> Object {
    let mut success = json!({"success": {"const": true}, "error": {"type": "null"}});
    if let Some(data) = success_data {
        success["data"] = data;
    }
    let body = Json::from(json!({
        "title": VERSION,
        "description": "The answer of a tool: what it did, or why it could not.",
        "type": "object",
        "properties": {
            "success": {"type": "boolean", "description": "Whether the operation was done."},
            "data": {
                "description": "The payload; empty when there is none.",
                "type": "object",
                "properties": {
                    "_meta": {"type": "object", "description": "Facts about this operation."},
                    "_warnings": {
                        "type": "array",
                        "description": "What went wrong in the operation and did not stop it.",
                    },
                },
            },
            "error": {
                "type": ["string", "null"],
                "minLength": 1,
                "description": "What went wrong; null on success.",
            },
            "meta": meta_schema(),
        },
        "required": ["success", "data", "error", "meta"],
        "additionalProperties": false,
        "anyOf": [
            {"title": "success", "properties": success},
            {
                "title": "error",
                "properties": {
                    "success": {"const": false},
                    "error": {"type": "string"},
                    "data": {"properties": properties(ERROR_MEMBERS)},
                },
            },
        ],
    }));
    let mut root = Object::default();
    root.set("$schema", dialect);
    for (name, value) in body.members() {
        root.set(&name, value);
    }
    root
}

fn meta_schema() -> Value {
    let part = |members, description| json!({"type": "object", "description": description, "properties": properties(members)});
    json!({
        "description": "About the answer.",
        "type": "object",
        "properties": {
            "version": {"const": VERSION},
            "request_id": {
                "type": "string",
                "minLength": 1,
                "description": "The request that this answers.",
            },
            "warnings": {
                "type": "array",
                "items": {"type": "string"},
                "description": "What the caller should know.",
            },
            "pagination": part(Pagination::MEMBERS, "Where this page stands in a longer list."),
            "rate_limit": part(RateLimit::MEMBERS, "How many calls are left."),
            "telemetry": part(Telemetry::MEMBERS, "What the call cost."),
        },
        "required": ["version"],
    })
}

fn properties(members: &[Member]) -> Value {
    let schema =
        |member: &Member| json!({"type": member.shape.types(), "description": member.meaning});
    members.iter().map(|member| (member.name.to_owned(), schema(member))).collect()
}

/// What `data` may be in a success, given the schema of the payload.
fn success_data(data_schema: &Json) -> Value {
    let types = types(data_schema);
    let may_be = |name: &str| types.as_ref().is_none_or(|types| types.iter().any(|t| t == name));
    let may_be_wrapped =
        ["array", "string", "number", "integer", "boolean"].into_iter().any(may_be);
    let mut ways = Vec::new();
    if may_be("object") || !may_be_wrapped && !may_be("null") {
        ways.push(json!({"$ref": DATA_POINTER}));
        if !is_plain(data_schema) {
            ways.extend([json!({"required": ["_meta"]}), json!({"required": ["_warnings"]})]);
        }
    }
    if may_be_wrapped {
        let properties = json!({"result": {"$ref": DATA_POINTER}});
        ways.push(json!({"properties": properties, "required": ["result"]}));
    }
    if may_be("null") {
        let others = json!({"_meta": {}, "_warnings": {}});
        ways.push(json!({"properties": others, "additionalProperties": false}));
    }
    match ways.len() {
        1 => ways.remove(0),
        _ => json!({"anyOf": ways}),
    }
}

/// The types that a schema names; nothing when it names none.
fn types(schema: &Json) -> Option<Vec<String>> {
    let named = schema.get("type")?;
    match named.as_str() {
        Some(name) => Some(vec![name.into_owned()]),
        None => Some(named.items().filter_map(|name| Some(name.as_str()?.into_owned())).collect()),
    }
}

/// Whether it is enough to name `_meta` and `_warnings` among the properties for them to be allowed.
fn is_plain(schema: &Json) -> bool {
    const MAY_REFUSE_A_MEMBER: [&str; 15] = [
        "$ref",
        "$dynamicRef",
        "$recursiveRef",
        "allOf",
        "anyOf",
        "oneOf",
        "not",
        "if",
        "const",
        "enum",
        "propertyNames",
        "patternProperties",
        "maxProperties",
        "dependentSchemas",
        "dependencies",
    ];
    schema.members().all(|(keyword, _)| !MAY_REFUSE_A_MEMBER.contains(&&*keyword))
}

/// The schema of a payload as it stands under `$defs/data`.
fn nested(data_schema: &Json) -> Json {
    let id = data_schema.get("$id").and_then(|id| Some(id.as_str()?.into_owned()));
    let mut root = Object::default();
    for (keyword, value) in data_schema.members() {
        // Both speak of a whole document, which this no longer is.
        if keyword != "$schema" && keyword != "$id" {
            let mut out = String::new();
            push_keyword(&mut out, &keyword, &value, id.as_deref());
            root.set(&keyword, Json::trusted(out));
        }
    }
    let closed = ["additionalProperties", "unevaluatedProperties"];
    if closed.into_iter().any(|keyword| root.get(keyword).is_some()) {
        let mut properties = root.get("properties").map(Object::of).unwrap_or_default();
        for (name, kind) in [("_meta", "object"), ("_warnings", "array")] {
            if properties.get(name).is_none() {
                properties.set(name, Json::from(json!({"type": kind})));
            }
        }
        root.set("properties", properties.to_json());
    }
    root.to_json()
}

/// Appends the value of a keyword with its references redirected. What is data (a default, an
/// example) is left alone, even where it looks like a reference.
fn push_keyword(out: &mut String, keyword: &str, value: &Json, id: Option<&str>) {
    match keyword {
        "$ref" | "$dynamicRef" => match value.as_str() {
            Some(reference) => push_string(out, &redirected(&reference, id)),
            None => push_compact(out, value.as_text()),
        },
        "const" | "enum" | "default" | "example" | "examples" => push_compact(out, value.as_text()),
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas"
        | "dependencies"
            if value.is_object() =>
        {
            let mut writer = ObjectWriter::new(out);
            for (name, schema) in value.members() {
                push_schema(writer.key(&name), &schema, id);
            }
            writer.end();
        }
        _ => push_schema(out, value, id),
    }
}

/// Appends a schema, or a list of them. The depth of checked text is bounded, and so is this
/// recursion.
fn push_schema(out: &mut String, schema: &Json, id: Option<&str>) {
    match schema.kind() {
        // A schema with an id of its own is a document of its own: its references stay inside it.
        Kind::Object if is_document(schema) => push_compact(out, schema.as_text()),
        Kind::Object => {
            let mut writer = ObjectWriter::new(out);
            for (keyword, value) in schema.members() {
                push_keyword(writer.key(&keyword), &keyword, &value, id);
            }
            writer.end();
        }
        Kind::Array => {
            out.push('[');
            for (index, item) in schema.items().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                push_schema(out, &item, id);
            }
            out.push(']');
        }
        _ => push_compact(out, schema.as_text()),
    }
}

fn is_document(schema: &Json) -> bool {
    let id = schema.get("$id");
    id.is_some_and(|id| id.as_str().is_some_and(|id| !id.starts_with('#')))
}

/// A reference within the schema, as it reads when that stands under [`DATA_POINTER`]. Anchors and
/// references to other documents stay as they are.
fn redirected(reference: &str, id: Option<&str>) -> String {
    let id = id.map(|id| id.trim_end_matches('#')).filter(|id| !id.is_empty());
    let local = id.and_then(|id| reference.strip_prefix(id)).unwrap_or(reference);
    match local {
        "" | "#" => DATA_POINTER.to_owned(),
        _ => match local.strip_prefix("#/") {
            Some(rest) => format!("{DATA_POINTER}/{rest}"),
            None if local.starts_with('#') => local.to_owned(),
            None => reference.to_owned(),
        },
    }
}
