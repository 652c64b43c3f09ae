//! Values whose type is advertised.
//!
//! Whether a value is wrapped is decided by its type's schema and not by the value, so that what is
//! advertised is what is returned: an `Option` is under `result` also when it holds an object. What
//! JSON or a `Serialize` implementation makes of a value may still not match, and most clients throw
//! such a result away with a message that nobody understands. So each result is checked first.

use std::{any::TypeId, borrow::Cow, cell::RefCell, collections::HashMap, sync::Arc};

use ::rmcp::{
    ErrorData,
    handler::server::tool::{IntoCallToolResult, schema_for_output},
    model::{CallToolResponse, CallToolResult, ContentBlock, JsonObject},
};
use schemars::{JsonSchema, SchemaGenerator};
use serde::Serialize;

use super::{OPENMCP, profile};
use crate::{Any, Json, Object, Profile, Reply, Schema, Verdict, envelope, envelope::Envelope};

/// Where clients look whether the value was wrapped; ours and FastMCP's then unwrap it.
const WRAPS: &str = "x-fastmcp-wrap-result";

/// A value whose type's schema is advertised, as what a `#[tool]` function returns. To be advertised,
/// it is written as [`Json<Typed<T>>`](super::Json).
///
/// The value is data, whatever its keys look like. An object is the structured content itself.
/// Values of any other type are wrapped, and so is their schema, because versions before 2026-07-28
/// take only objects:
///
/// | type | structured content | schema |
/// |---|---|---|
/// | struct, map, enum of such | itself | its own, S |
/// | anything else, `Option<struct>` too | `{"result": v}` | `{"type": "object", "properties": {"result": S}, "required": ["result"]}` |
///
/// A result that its schema rejects (NaN is `null`, say, which is no number) is sent as an error
/// that says so, with the value as text.
///
/// ```
/// use resultant::{Failure, rmcp::{Json, Typed}};
/// use rmcp::tool;
///
/// #[derive(serde::Serialize, schemars::JsonSchema)]
/// struct Weather {
///     celsius: f64,
/// }
///
/// struct Server;
///
/// impl Server {
///     #[tool]
///     fn weather(&self) -> Result<Json<Typed<Weather>>, Failure> {
///         Ok(Typed(Weather { celsius: "21.5".parse()? }))
///     }
/// }
///
/// let schema = Server::weather_tool_attr().output_schema.unwrap();
/// assert_eq!(schema["properties"]["celsius"]["type"], "number");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Typed<T, const PROFILE: bool = OPENMCP>(pub T);

/// The output schema of a tool that returns a [`Typed<T>`](Typed), for tools that are put together
/// by hand.
///
/// ```
/// use resultant::rmcp::output_schema;
/// use rmcp::model::Tool;
///
/// let tool = Tool::new("primes", "Some primes", rmcp::object!({"type": "object"}))
///     .with_raw_output_schema(output_schema::<Vec<u8>>());
/// assert_eq!(tool.output_schema.unwrap()["required"], serde_json::json!(["result"]));
/// ```
pub fn output_schema<T: JsonSchema + 'static>() -> Arc<JsonObject> {
    schema_for_output::<Typed<T>>()
}

/// What is advertised. It is whole, and makes sense as the root of a schema only.
impl<T: JsonSchema, const PROFILE: bool> JsonSchema for Typed<T, PROFILE> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(_: &mut SchemaGenerator) -> schemars::Schema {
        let schema = Schema::of::<T>();
        let mut advertised = Object::of(&schema.wrapped_json());
        if !schema.is_object_rooted() {
            advertised.set(WRAPS, Json::bool(true));
        }
        root(&advertised.to_json())
    }
}

/// What is advertised for a tool that answers in envelopes. It makes sense as the root of a schema
/// only.
impl JsonSchema for Envelope {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        envelope::VERSION.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> schemars::Schema {
        root(&envelope::schema())
    }
}

fn root(json: &Json) -> schemars::Schema {
    schemars::Schema::try_from(json.to_value()).unwrap_or_default()
}

impl<T, const PROFILE: bool> IntoCallToolResult for Typed<T, PROFILE>
where
    T: Serialize + JsonSchema + 'static,
{
    fn into_call_tool_result(self) -> Result<CallToolResponse, ErrorData> {
        Ok(result(Any::of(&self.0), &schema_of::<T>(), profile(PROFILE)).into())
    }
}

/// The schema of a type, compiled once in each thread.
fn schema_of<T: JsonSchema + 'static>() -> Schema {
    thread_local! {
        static SCHEMAS: RefCell<HashMap<TypeId, Schema>> = RefCell::default();
    }
    let type_id = TypeId::of::<T>();
    let known = SCHEMAS.with_borrow(|schemas| schemas.get(&type_id).cloned());
    known.unwrap_or_else(|| {
        let schema = Schema::of::<T>();
        SCHEMAS.with_borrow_mut(|schemas| schemas.insert(type_id, schema.clone()));
        schema
    })
}

fn result(value: Any, schema: &Schema, profile: Profile) -> CallToolResult {
    if matches!(value, Any::Failure(_)) {
        return Reply::from(value).profile(profile).into();
    }
    let reply = |value| Reply::from(Any::Data(Box::new(value))).profile(profile).to_json();
    let wraps = !schema.is_object_rooted();
    let (json, content) = match (wraps, profile) {
        (false, _) => (reply(value), None),
        (true, Profile::Spec) => (reply(wrapped(value)), None),
        // The text shows the value, not what it is wrapped in.
        (true, Profile::Openmcp) => (reply(wrapped(value.clone())), Some(reply(value))),
    };
    let problem = problem(schema, wraps, &json);
    let mut result = CallToolResult::from(&json);
    if let Some(content) = content {
        result.content = CallToolResult::from(&content).content;
    }
    if let Some(problem) = problem {
        let message = format!("the result does not match the tool's output schema: {problem}");
        result.content.insert(0, ContentBlock::text(message));
        result.structured_content = None;
        result.is_error = Some(true);
    }
    result
}

fn wrapped(value: Any) -> Any {
    Any::Struct { name: "Wrapped".into(), fields: vec![("result".into(), value)] }
}

/// Why the client would reject a result.
fn problem(schema: &Schema, wraps: bool, json: &Json) -> Option<String> {
    let structured = json.get("structuredContent");
    let value = if wraps { structured.and_then(|value| value.get("result")) } else { structured };
    match value.map(|value| schema.check(&value)) {
        None => Some("there is no structured content".to_owned()),
        Some(Verdict::Invalid(problems)) => {
            Some(problems.first().map(ToString::to_string).unwrap_or_default())
        }
        Some(Verdict::Valid | Verdict::Unchecked(_)) => None,
    }
}
