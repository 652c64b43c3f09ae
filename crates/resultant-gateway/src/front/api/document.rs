//! The OpenAPI document, made of the operations.

use std::collections::BTreeSet;

use axum::http::Method;
use schemars::{SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

use super::{
    operation::{Access, Answer, Content, Operation, SchemaOf},
    problem::{
        BAD_REQUEST, FORBIDDEN, KINDS, Kind, LATE, MEDIA_TYPE, METHOD, ProblemDocument, STORE,
        TOO_LARGE, UNAUTHENTICATED,
    },
};

/// What a variable part of a path is.
fn part_description(name: &str) -> &'static str {
    match name {
        "session" => "The id of a session; `default` is always there.",
        "call" => "The id of a call.",
        "key" => "The key of a file; of an upload link, its own.",
        "name" => "The name of a file.",
        "link" => "The id of a link.",
        "dashboard" => "The id of a dashboard.",
        _ => "",
    }
}

const DESCRIPTION: &str = "Sessions, tools, calls, files and events of a Resultant gateway. \
    Every id is its owner's: another's answers exactly like one that does not exist. Errors are \
    problem details (RFC 9457) with a `hint`. Lists come in parts: `next` of one is the `cursor` \
    of the following.";

/// The document of these operations.
pub(super) fn document(operations: &[Operation]) -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let mut generator = SchemaGenerator::new(settings);
    let problem: SchemaOf = |generator| generator.subschema_for::<ProblemDocument>();
    let problem = problem(&mut generator).to_value();
    let mut paths = Map::new();
    let mut tags = Vec::new();
    for operation in operations {
        let entry = paths.entry(operation.path).or_insert_with(|| json!({}));
        let described = describe(operation, &mut generator, &problem);
        if !tags.contains(&operation.tag()) {
            tags.push(operation.tag());
        }
        if operation.has_head {
            entry["head"] = headless(&described);
        }
        entry[operation.method.as_str().to_ascii_lowercase()] = described;
    }
    let schemas: Map<String, Value> = generator.take_definitions(true).into_iter().collect();
    let tags: Vec<Value> = tags.into_iter().map(|tag| json!({"name": tag})).collect();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Resultant",
            "version": env!("CARGO_PKG_VERSION"),
            "description": DESCRIPTION,
            "license": {"name": env!("CARGO_PKG_LICENSE")},
        },
        "tags": tags,
        "security": [{"bearer": []}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "bearer": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "What this gateway takes is said by its configuration: the \
                                    local secret, an API key, or a token of the identity provider.",
                },
                "capability": {
                    "type": "apiKey",
                    "in": "query",
                    "name": "token",
                    "description": "The token of a link, which opens one file or takes one.",
                },
            },
        },
        "x-problems": KINDS.iter().map(describe_kind).collect::<Vec<_>>(),
    })
}

fn describe_kind(kind: &Kind) -> Value {
    json!({
        "type": format!("/api/docs#problem-{}", kind.name),
        "status": kind.status.as_u16(),
        "title": kind.title,
        "hint": kind.hint,
    })
}

fn describe(operation: &Operation, generator: &mut SchemaGenerator, problem: &Value) -> Value {
    let mut parameters = path_parameters(operation.path);
    if let Some(query) = operation.query {
        parameters.extend(query_parameters(query, generator));
    }
    for (name, description) in &operation.headers {
        // `Accept` may not be described as a parameter; the contents of responses stand for it.
        if *name != "Accept" {
            parameters.push(json!({
                "name": name, "in": "header", "description": description,
                "schema": {"type": "string"},
            }));
        }
    }
    let mut described = json!({
        "operationId": operation.id,
        "tags": [operation.tag()],
        "summary": operation.summary,
    });
    if !operation.description.is_empty() {
        described["description"] = json!(operation.description);
    }
    if !parameters.is_empty() {
        described["parameters"] = json!(parameters);
    }
    if !operation.bodies.is_empty() {
        let is_required = operation.method == Method::PUT;
        let contents = contents(&operation.bodies, generator);
        described["requestBody"] = json!({"content": contents, "required": is_required});
    }
    described["responses"] = responses(operation, generator, problem);
    match operation.access {
        Access::User => {}
        Access::Token => described["security"] = json!([{"capability": []}, {"bearer": []}]),
        Access::TokenOnly => described["security"] = json!([{"capability": []}]),
        Access::Everybody => described["security"] = json!([]),
    }
    described
}

fn path_parameters(path: &str) -> Vec<Value> {
    let parts = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let describe = |name| {
        json!({
            "name": name, "in": "path", "required": true, "description": part_description(name),
            "schema": {"type": "string"},
        })
    };
    parts.map(describe).collect()
}

/// The members of the query's type, each a parameter.
fn query_parameters(query: SchemaOf, generator: &mut SchemaGenerator) -> Vec<Value> {
    let reference = query(generator).to_value();
    let name = reference.get("$ref").and_then(Value::as_str).unwrap_or_default();
    let name = name.rsplit('/').next().unwrap_or_default().to_owned();
    let schema = generator.definitions().get(&name).cloned().unwrap_or(reference);
    generator.definitions_mut().remove(&name);
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return Vec::new();
    };
    let describe = |(name, schema): (&String, &Value)| {
        let mut schema = schema.clone();
        let description = schema.as_object_mut().and_then(|schema| schema.remove("description"));
        without_null(&mut schema);
        json!({"name": name, "in": "query", "description": description, "schema": schema})
    };
    properties.iter().map(describe).collect()
}

/// What may be absent from a query is never null there.
fn without_null(schema: &mut Value) {
    let Some(schema) = schema.as_object_mut() else { return };
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
    }
    if schema.get("default").is_some_and(Value::is_null) {
        schema.remove("default");
    }
}

fn contents(contents: &[Content], generator: &mut SchemaGenerator) -> Value {
    let mut out = Map::new();
    for content in contents {
        let value = match content.schema {
            Some(schema) => json!({"schema": schema(generator).to_value()}),
            None if content.media_type == "multipart/form-data" => json!({"schema": {
                "type": "object",
                "additionalProperties": {"type": "string", "format": "binary"},
            }}),
            None => json!({}),
        };
        out.insert(content.media_type.to_owned(), value);
    }
    Value::Object(out)
}

fn responses(operation: &Operation, generator: &mut SchemaGenerator, problem: &Value) -> Value {
    let mut out = Map::new();
    for Answer { status, description, contents: bodies } in &operation.answers {
        let mut answer = json!({"description": description});
        if !bodies.is_empty() {
            answer["content"] = contents(bodies, generator);
        }
        out.insert(status.to_string(), answer);
    }
    let always = [UNAUTHENTICATED, FORBIDDEN, METHOD, STORE];
    let always = always
        .iter()
        .filter(|kind| operation.access == Access::User || kind.status != UNAUTHENTICATED.status);
    // A document in a request can be none, too long, or another kind of thing.
    let unreadable = [BAD_REQUEST, LATE, MEDIA_TYPE, TOO_LARGE];
    let reads = operation.bodies.iter().any(|body| body.schema.is_some());
    let unreadable = unreadable.iter().filter(|_| reads);
    let kinds: Vec<&Kind> = operation.problems.iter().chain(unreadable).chain(always).collect();
    let statuses: BTreeSet<u16> = kinds.iter().map(|kind| kind.status.as_u16()).collect();
    for status in statuses {
        let same = kinds.iter().filter(|kind| kind.status.as_u16() == status);
        let mut titles: Vec<&str> = same.map(|kind| kind.title).collect();
        titles.sort_unstable();
        titles.dedup();
        let description = format!("{}.", titles.join(", or: "));
        out.insert(
            status.to_string(),
            json!({
                "description": description,
                "content": {"application/problem+json": {"schema": problem}},
            }),
        );
    }
    Value::Object(out)
}

/// The same operation, answered without bodies.
fn headless(described: &Value) -> Value {
    let mut described = described.clone();
    let id = described["operationId"].as_str().unwrap_or_default();
    described["operationId"] = json!(format!("{id}Head"));
    described["summary"] = json!("The same without the bytes");
    if let Some(responses) = described["responses"].as_object_mut() {
        for response in responses.values_mut() {
            if let Some(response) = response.as_object_mut() {
                response.remove("content");
            }
        }
    }
    described
}
