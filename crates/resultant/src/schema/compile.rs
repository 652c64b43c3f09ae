//! From checked JSON to a validator that asks nobody and always ends.

use std::{collections::HashMap, sync::Arc};

use jsonschema::{Draft, PatternOptions, Retrieve, Uri, ValidationOptions, Validator};
use serde_json::{Map, Value, json};

use super::{
    SchemaError, SchemaLimits, capped,
    counted::{Counted, Prices, count},
    graph::Graph,
};
use crate::json::{Json, Kind};

/// What a pattern costs for each byte it looks at, by the memory it needs when compiled. Its engine
/// is linear in the text, but a hostile text makes it visit every state for every byte.
const PATTERN_STEPS: [(usize, u64); 5] =
    [(1 << 10, 4), (4 << 10, 8), (16 << 10, 32), (64 << 10, 128), (usize::MAX, 256)];

/// What compiling a schema yields.
pub(super) struct Compiled {
    pub(super) validator: Validator<Counted>,
    pub(super) prices: Prices,
    pub(super) graph: Graph,
    pub(super) patterns: Patterns,
    pub(super) takes_only_objects: bool,
}

/// The patterns of a schema that are not checked.
#[derive(Default)]
pub(super) struct Patterns {
    pub(super) ignored: Vec<String>,
    /// Whether leaving them out may also make the schema reject more.
    pub(super) may_reject: bool,
}

pub(super) fn compile(json: &Json, limits: &SchemaLimits) -> Result<Compiled, SchemaError> {
    if json.as_text().len() > limits.schema_bytes_max {
        return Err(SchemaError::Bytes {
            bytes: json.as_text().len(),
            max: limits.schema_bytes_max,
        });
    }
    if depth(json) > limits.schema_depth_max {
        return Err(SchemaError::Depth { max: limits.schema_depth_max });
    }
    if !matches!(json.kind(), Kind::Object | Kind::Bool) {
        return Err(SchemaError::invalid("", &"a schema is an object, true or false"));
    }
    let mut document = json.to_value();
    let draft = draft_of(&document)?;
    let graph = Graph::build(&document, draft, limits)?;
    let takes_only_objects = takes_only_objects(&document, &graph, draft, "");
    let (patterns, prices) = take_patterns(&mut document, &graph, draft, limits);
    let validator = options(draft, limits.pattern_compiled_bytes_max)
        .build(&document)
        .map_err(|error| SchemaError::invalid(error.instance_path().as_str(), &error.masked()))?;
    Ok(Compiled { validator, prices, graph, patterns, takes_only_objects })
}

fn draft_of(document: &Value) -> Result<Draft, SchemaError> {
    let Some(dialect) = document.get("$schema").and_then(Value::as_str) else {
        return Ok(Draft::Draft202012);
    };
    match Draft::from_schema_uri(dialect) {
        Draft::Unknown => {
            Err(SchemaError::Dialect { pointer: String::new(), uri: capped(&dialect) })
        }
        draft => Ok(draft),
    }
}

/// Formats, encodings and media types are annotations here, as 2020-12 has it. Patterns run on the
/// engine whose time is linear in the text.
fn options(
    draft: Draft,
    compiled_bytes_max: usize,
) -> ValidationOptions<'static, Arc<dyn Retrieve>, Counted> {
    jsonschema::options_for::<Counted>()
        .with_draft(draft)
        .with_retriever(Refuse)
        .should_validate_formats(false)
        .without_content_encoding_support("base64")
        .without_content_media_type_support("application/json")
        .with_pattern_options(PatternOptions::regex().size_limit(compiled_bytes_max))
}

/// Asks nobody for anything. The walk before has rejected every reference that would come here.
struct Refuse;

#[derive(Debug, thiserror::Error)]
#[error("references out of the document are not followed")]
struct Refused;

impl Retrieve for Refuse {
    fn retrieve(&self, _: &Uri<String>) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        Err(Box::new(Refused))
    }
}

/// Takes out of the document what the linear engine cannot run, and prices the rest.
fn take_patterns(
    document: &mut Value,
    graph: &Graph,
    draft: Draft,
    limits: &SchemaLimits,
) -> (Patterns, Prices) {
    let mut patterns = Patterns::default();
    let mut prices = Prices::default();
    let mut known: HashMap<String, u64> = HashMap::new();
    let mut has_reversal = false;
    for pointer in graph.pointers() {
        let Some(Value::Object(schema)) = document.pointer_mut(pointer) else { continue };
        let reversals = ["not", "if", "oneOf", "contains"];
        has_reversal |= reversals.iter().any(|name| schema.contains_key(*name));
        prices.problem = prices.problem.max(schema.get("not").map_or(0, count));
        let mut price = |pattern: &str| {
            let price = match known.get(pattern) {
                Some(&price) => Some(price),
                None if known.len() >= limits.patterns_max => None,
                None => price(pattern, draft, limits),
            };
            match price {
                Some(price) => _ = known.insert(pattern.to_owned(), price),
                None => patterns.ignored.push(pattern.to_owned()),
            }
            price
        };
        if let Some(pattern) = schema.get("pattern").and_then(Value::as_str) {
            match price(pattern) {
                Some(price) => prices.text = prices.text.max(price),
                None => _ = schema.shift_remove("pattern"),
            }
        }
        if let Some(Value::Object(by_pattern)) = schema.get_mut("patternProperties") {
            let before = by_pattern.len();
            let mut sum = 0;
            by_pattern.retain(|pattern, _| price(pattern).map(|price| sum += price).is_some());
            prices.keys = prices.keys.max(sum);
            // The members such a pattern stood for now fall to `additionalProperties`.
            patterns.may_reject |= by_pattern.len() < before;
        }
    }
    patterns.may_reject |= has_reversal && !patterns.ignored.is_empty();
    (patterns, prices)
}

/// The steps for each byte this pattern looks at; nothing when it cannot be run.
fn price(pattern: &str, draft: Draft, limits: &SchemaLimits) -> Option<u64> {
    if pattern.len() > limits.pattern_bytes_max {
        return None;
    }
    let schema = json!({ "pattern": pattern });
    let fits = |bytes: usize| {
        let max = bytes.min(limits.pattern_compiled_bytes_max);
        options(draft, max).build(&schema).is_ok()
    };
    PATTERN_STEPS.into_iter().find(|&(bytes, _)| fits(bytes)).map(|(_, steps)| steps)
}

/// Whether the schema says so that it takes objects and nothing else. The walk has rejected long
/// chains and circles, and so bounded this recursion.
fn takes_only_objects(document: &Value, graph: &Graph, draft: Draft, pointer: &str) -> bool {
    let Some(Value::Object(schema)) = document.pointer(pointer) else { return false };
    let at = |pointer: &str| takes_only_objects(document, graph, draft, pointer);
    let inner = |way: String| at(&format!("{pointer}/{way}"));
    let list = |name: &str| schema.get(name).and_then(Value::as_array).map_or(0, Vec::len);
    let all = |name: &str| {
        let len = list(name);
        len > 0 && (0..len).all(|index| inner(format!("{name}/{index}")))
    };
    let by_target = graph.target(pointer).map(at);
    if by_target == Some(true) || by_target.is_some() && draft <= Draft::Draft7 {
        // Up to draft 7 nothing counts beside a `$ref`.
        return by_target == Some(true);
    }
    says_object(schema)
        || (0..list("allOf")).any(|index| inner(format!("allOf/{index}")))
        || all("anyOf")
        || all("oneOf")
}

fn says_object(schema: &Map<String, Value>) -> bool {
    let by_type = match schema.get("type") {
        Some(Value::String(name)) => name == "object",
        Some(Value::Array(names)) => names.len() == 1 && names[0] == "object",
        _ => false,
    };
    by_type
        || schema.get("const").is_some_and(Value::is_object)
        || match schema.get("enum") {
            Some(Value::Array(options)) => options.iter().all(Value::is_object),
            _ => false,
        }
}

/// How many containers are inside each other at the deepest place.
pub(super) fn depth(json: &Json) -> usize {
    let mut deepest = 0;
    let mut depth = 0_usize;
    let mut bytes = json.as_text().bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'{' | b'[' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                while let Some(byte) = bytes.next() {
                    match byte {
                        b'"' => break,
                        b'\\' => _ = bytes.next(),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    deepest
}
