//! Where a schema holds further schemas.
//!
//! One table for every draft. A keyword that a draft does not know is read all the same: people
//! keep `definitions` when they move on, and refer to what is in it.

use serde_json::Value;

/// To what a subschema applies, seen from the schema that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Applies {
    /// To the same value.
    Same,
    /// To members or items of it.
    Inner,
    /// To nothing, until something refers to it.
    Nothing,
}

/// How a keyword's value holds its schemas.
enum Holds {
    Schema,
    List,
    Map,
    /// `items`: a list there is the older spelling of `prefixItems`.
    SchemaOrList,
}

fn keyword(name: &str) -> Option<(Holds, Applies)> {
    Some(match name {
        "$defs" | "definitions" => (Holds::Map, Applies::Nothing),
        "contentSchema" => (Holds::Schema, Applies::Nothing),
        "allOf" | "anyOf" | "oneOf" => (Holds::List, Applies::Same),
        "not" | "if" | "then" | "else" => (Holds::Schema, Applies::Same),
        "dependentSchemas" | "dependencies" => (Holds::Map, Applies::Same),
        "prefixItems" => (Holds::List, Applies::Inner),
        "items" => (Holds::SchemaOrList, Applies::Inner),
        "properties" | "patternProperties" => (Holds::Map, Applies::Inner),
        "additionalProperties"
        | "unevaluatedProperties"
        | "propertyNames"
        | "additionalItems"
        | "unevaluatedItems"
        | "contains" => (Holds::Schema, Applies::Inner),
        _ => return None,
    })
}

/// The schemas that a keyword's value holds: the way to each below the keyword, and to what
/// it applies.
pub(super) fn subschemas<'v>(name: &str, value: &'v Value) -> Vec<(String, &'v Value, Applies)> {
    let Some((holds, applies)) = keyword(name) else { return Vec::new() };
    match (holds, value) {
        (Holds::List | Holds::SchemaOrList, Value::Array(list)) => {
            let item = |(index, item)| (format!("/{index}"), item, applies);
            list.iter().enumerate().map(item).collect()
        }
        (Holds::Schema | Holds::SchemaOrList, Value::Object(_) | Value::Bool(_)) => {
            vec![(String::new(), value, applies)]
        }
        // In `dependencies` a list of names stands where a schema may stand.
        (Holds::Map, Value::Object(map)) => map
            .iter()
            .filter(|(_, item)| !item.is_array())
            .map(|(key, item)| (format!("/{}", escape(key)), item, applies))
            .collect(),
        _ => Vec::new(),
    }
}

/// A key as a segment of a JSON pointer.
pub(super) fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
