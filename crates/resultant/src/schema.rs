//! Output schemas: what a tool says its structured content looks like.
//!
//! A [`Schema`] is compiled once and then checks values, writes itself for clients of every
//! protocol version, and finds the structured content in a text. Schemas and values both come from
//! strangers, so everything has a cap ([`SchemaLimits`]), nothing is ever fetched, and a check that
//! would take too long is given up with a verdict that says so, because a wrong `Invalid` would
//! cost a good result.
//!
//! What is not checked: formats, encodings and media types, which are annotations, and patterns
//! that need backtracking ([`Schema::ignored_patterns`]).

mod compile;
mod counted;
mod graph;
mod keywords;
mod limits;
mod place;
mod policy;
mod upgrade;

use std::{
    fmt::{self, Write as _},
    sync::Arc,
};

use serde_json::Value;

use self::{compile::Compiled, counted::CountedValue};
pub use self::{
    limits::SchemaLimits,
    policy::{SchemaPolicy, UnknownSchemaPolicy},
    upgrade::Upgrade,
};
use crate::{json::Json, protocol::Protocol};

/// How many problems a verdict names.
const PROBLEMS_MAX: usize = 8;
/// The longest message of a problem or an error.
const MESSAGE_BYTES_MAX: usize = 200;

/// A compiled output schema: JSON Schema 2020-12, or the draft its `$schema` names (from draft 4).
/// Cheap to clone.
///
/// ```
/// use resultant::{Json, Schema, SchemaLimits, Verdict};
///
/// let json = Json::parse(r#"{"type": "array", "items": {"type": "integer"}}"#).unwrap();
/// let schema = Schema::compile(&json, &SchemaLimits::default())?;
/// assert_eq!(schema.check(&Json::parse("[1, 2]").unwrap()), Verdict::Valid);
///
/// let Verdict::Invalid(problems) = schema.check(&Json::parse(r#"[1, "two"]"#).unwrap()) else {
///     panic!("a string is no integer");
/// };
/// assert_eq!((problems[0].pointer.as_str(), problems[0].keyword.as_str()), ("/1", "type"));
/// # Ok::<(), resultant::SchemaError>(())
/// ```
#[derive(Clone)]
pub struct Schema {
    inner: Arc<Inner>,
}

struct Inner {
    json: Json,
    limits: SchemaLimits,
    compiled: Compiled,
}

/// Why a schema is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    /// The text is over `schema_bytes_max`.
    #[error("the schema has {bytes} bytes, more than {max}")]
    #[expect(missing_docs, reason = "the message says it")]
    Bytes { bytes: usize, max: usize },
    /// It is over `schema_depth_max`.
    #[error("the schema is nested deeper than {max}")]
    #[expect(missing_docs, reason = "the message says it")]
    Depth { max: usize },
    /// It is over `subschemas_max`.
    #[error("the schema has more than {max} subschemas")]
    #[expect(missing_docs, reason = "the message says it")]
    Subschemas { max: usize },
    /// It is over `subschemas_max` once references are followed.
    #[error("more than {max} subschemas apply to one value at `{pointer}`")]
    #[expect(missing_docs, reason = "the message says it")]
    Expands { pointer: String, max: usize },
    /// It is over `chain_max`.
    #[error("more than {max} subschemas apply one through the other at `{pointer}`")]
    #[expect(missing_docs, reason = "the message says it")]
    Chain { pointer: String, max: usize },
    /// References lead in a circle that never comes to a member or an item.
    #[error("the references at `{pointer}` lead in a circle")]
    #[expect(missing_docs, reason = "the message says it")]
    Circle { pointer: String },
    /// A reference leaves the document. Nothing is fetched.
    #[error("the reference `{reference}` at `{pointer}` leaves the schema, and nothing is fetched")]
    #[expect(missing_docs, reason = "the message says it")]
    Outside { pointer: String, reference: String },
    /// A reference leads to nothing.
    #[error("the reference `{reference}` at `{pointer}` leads to no schema")]
    #[expect(missing_docs, reason = "the message says it")]
    Dangling { pointer: String, reference: String },
    /// `$schema` names no known draft, or another one than the root. Nothing is fetched.
    #[error("the dialect `{uri}` at `{pointer}` is unknown or differs from the one of the root")]
    #[expect(missing_docs, reason = "the message says it")]
    Dialect { pointer: String, uri: String },
    /// It is not a valid schema.
    #[error("the schema is invalid at `{pointer}`: {message}")]
    #[expect(missing_docs, reason = "the message says it")]
    Invalid { pointer: String, message: String },
}

impl SchemaError {
    fn invalid(pointer: &str, message: &dyn fmt::Display) -> SchemaError {
        SchemaError::Invalid { pointer: pointer.to_owned(), message: capped(message) }
    }
}

/// What a schema says to a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It validates, as far as this library checks.
    Valid,
    /// It does not: the first problems.
    Invalid(Vec<Problem>),
    /// Nobody knows.
    Unchecked(Unchecked),
}

impl Verdict {
    /// Whether the value validates.
    pub fn is_valid(&self) -> bool {
        matches!(self, Verdict::Valid)
    }
}

/// Why a value was not checked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unchecked {
    /// The value is over `instance_bytes_max`.
    #[error("it has {bytes} bytes, more than {max}")]
    #[expect(missing_docs, reason = "the message says it")]
    Bytes { bytes: usize, max: usize },
    /// The value is over `instance_depth_max`.
    #[error("it is nested deeper than {max}")]
    #[expect(missing_docs, reason = "the message says it")]
    Depth { max: usize },
    /// Value and schema together are over `check_depth_max`.
    #[error("it and its schema together are nested deeper than {max}")]
    #[expect(missing_docs, reason = "the message says it")]
    CheckDepth { max: usize },
    /// The check is over `check_steps_max`.
    #[error("checking it takes more than {max} steps")]
    #[expect(missing_docs, reason = "the message says it")]
    Steps { max: u64 },
    /// It does not validate, but maybe only because a pattern is ignored.
    #[error("the schema needs the pattern `{pattern}`, which cannot be run")]
    #[expect(missing_docs, reason = "the message says it")]
    Pattern { pattern: String },
}

/// One reason why a value does not validate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// A JSON pointer to the part of the value that is meant.
    pub pointer: String,
    /// What is wrong, in at most 200 bytes. The value itself is not in it.
    pub message: String,
    /// The keyword of the schema that says so.
    pub keyword: String,
}

impl Problem {
    /// Said when looking for the place is too much work.
    fn unplaced() -> Problem {
        let message = "value does not match the schema".to_owned();
        Problem { pointer: String::new(), message, keyword: String::new() }
    }
}

/// `/items/0: message`.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Problem { pointer, message, .. } = self;
        match pointer.is_empty() {
            true => f.write_str(message),
            false => write!(f, "{pointer}: {message}"),
        }
    }
}

/// What a client may get instead of what the tool declares: see [`Schema::advertised`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Advertise {
    /// A digest, where the result is too large: `{"complete": false, …}`.
    pub may_digest: bool,
    /// A note, where the result does not validate: `{"complete": false, "note": …, "text": …}`.
    pub may_problem: bool,
    /// The same value with its files described instead of contained.
    pub may_strip_files: bool,
}

impl Schema {
    /// Compiles a schema. It is rejected when it is invalid or over a cap, and when a reference or
    /// `$schema` leads out of it: nothing is fetched, from no scheme.
    ///
    /// ```
    /// use resultant::{Json, Schema, SchemaError};
    ///
    /// let json = Json::parse(r#"{"$ref": "file:///etc/passwd"}"#).unwrap();
    /// let error = Schema::compile(&json, &Default::default()).unwrap_err();
    /// assert!(matches!(error, SchemaError::Outside { .. }));
    /// ```
    pub fn compile(json: &Json, limits: &SchemaLimits) -> Result<Schema, SchemaError> {
        let compiled = compile::compile(json, limits)?;
        let inner = Inner { json: json.clone(), limits: limits.clone(), compiled };
        Ok(Schema { inner: Arc::new(inner) })
    }

    /// The schema of what a Rust type is serialized to. A type whose own implementation of
    /// `JsonSchema` yields something [`Schema::compile`] rejects has the schema `true`.
    ///
    /// ```
    /// use resultant::{Json, Schema};
    ///
    /// #[derive(schemars::JsonSchema)]
    /// struct Weather {
    ///     celsius: f64,
    /// }
    ///
    /// let schema = Schema::of::<Weather>();
    /// assert!(schema.is_object_rooted());
    /// assert!(schema.check(&Json::parse(r#"{"celsius": 21.5}"#).unwrap()).is_valid());
    /// ```
    pub fn of<T: schemars::JsonSchema>() -> Schema {
        let settings = schemars::generate::SchemaSettings::draft2020_12().for_serialize();
        let json = Json::of(&settings.into_generator().into_root_schema_for::<T>());
        let limits = SchemaLimits::default();
        Schema::compile(&json, &limits)
            .or_else(|_| Schema::compile(&Json::bool(true), &limits))
            .expect("the schema `true` is valid")
    }

    /// The schema as it came.
    pub fn json(&self) -> &Json {
        &self.inner.json
    }

    /// The patterns that are not checked: they need backtracking, which a hostile text can make
    /// endless, or are over a cap. Where leaving one out could make the schema reject more (below
    /// `not`, say), a value that does not validate is [`Unchecked`].
    ///
    /// ```
    /// use resultant::{Json, Schema};
    ///
    /// let json = Json::parse(r#"{"type": "string", "pattern": "^(?!x)"}"#).unwrap();
    /// let schema = Schema::compile(&json, &Default::default())?;
    /// assert_eq!(schema.ignored_patterns(), ["^(?!x)"]);
    /// assert!(schema.check(&Json::string("x")).is_valid());
    /// # Ok::<(), resultant::SchemaError>(())
    /// ```
    pub fn ignored_patterns(&self) -> &[String] {
        &self.compiled().patterns.ignored
    }

    /// Checks a value. Never fails, and ends after a bounded amount of work.
    pub fn check(&self, json: &Json) -> Verdict {
        let Inner { limits, compiled, .. } = &*self.inner;
        let bytes = json.as_text().len();
        if bytes > limits.instance_bytes_max {
            let max = limits.instance_bytes_max;
            return Verdict::Unchecked(Unchecked::Bytes { bytes, max });
        }
        let depth = compile::depth(json);
        if depth > limits.instance_depth_max {
            let max = limits.instance_depth_max;
            return Verdict::Unchecked(Unchecked::Depth { max });
        }
        if (depth + 1).saturating_mul(compiled.graph.chain) > limits.check_depth_max {
            let max = limits.check_depth_max;
            return Verdict::Unchecked(Unchecked::CheckDepth { max });
        }
        let value = json.to_value();
        match self.within_steps(|| compiled.validator.is_valid(CountedValue(&value))) {
            Some(true) => Verdict::Valid,
            Some(false) => match compiled.patterns.ignored.first() {
                Some(pattern) if compiled.patterns.may_reject => {
                    Verdict::Unchecked(Unchecked::Pattern { pattern: capped(pattern) })
                }
                _ => Verdict::Invalid(self.problems(&value)),
            },
            None => Verdict::Unchecked(Unchecked::Steps { max: limits.check_steps_max }),
        }
    }

    /// Whether every value that validates is an object, so that clients of every version can take
    /// it as it is: the root says so by `type`, `const` or `enum`, or all that the root refers to
    /// or chooses from does.
    ///
    /// ```
    /// use resultant::{Json, Schema};
    ///
    /// let json = Json::parse(r#"{"anyOf": [{"type": "object"}, {"type": "array"}]}"#).unwrap();
    /// assert!(!Schema::compile(&json, &Default::default())?.is_object_rooted());
    /// # Ok::<(), resultant::SchemaError>(())
    /// ```
    pub fn is_object_rooted(&self) -> bool {
        self.compiled().takes_only_objects
    }

    /// The schema for versions up to 2025-11-25, which want `type: "object"` at the root.
    ///
    /// A schema that [takes only objects](Schema::is_object_rooted) gets that `type` if it lacks
    /// it. Any other becomes that of an object whose only member is `result`, and its references
    /// are counted from their new place.
    ///
    /// ```
    /// use resultant::{Json, Schema};
    ///
    /// let json = r##"{"items": {"$ref": "#/$defs/id"}, "$defs": {"id": true}}"##;
    /// let schema = Schema::compile(&Json::parse(json).unwrap(), &Default::default())?;
    /// let wrapped = schema.wrapped_json();
    /// assert_eq!(wrapped.get("required").unwrap().to_string(), r#"["result"]"#);
    /// let inner = wrapped.get("properties").unwrap().get("result").unwrap();
    /// assert_eq!(
    ///     inner.get("items").unwrap().to_string(),
    ///     r##"{"$ref":"#/properties/result/$defs/id"}"##,
    /// );
    /// # Ok::<(), resultant::SchemaError>(())
    /// ```
    pub fn wrapped_json(&self) -> Json {
        place::wrapped(self)
    }

    /// Whether the server says that it wrapped the value itself (`x-fastmcp-wrap-result`).
    ///
    /// ```
    /// use resultant::{Json, Schema};
    ///
    /// let json = Json::parse(r#"{"type": "object", "x-fastmcp-wrap-result": true}"#).unwrap();
    /// assert!(Schema::compile(&json, &Default::default())?.wraps_result());
    /// # Ok::<(), resultant::SchemaError>(())
    /// ```
    pub fn wraps_result(&self) -> bool {
        self.json().get("x-fastmcp-wrap-result").and_then(|flag| flag.as_bool()) == Some(true)
    }

    /// A value as [`Schema::wrapped_json`] has it: `{"result": value}`, or the value itself where
    /// the schema takes only objects.
    ///
    /// ```
    /// use resultant::{Json, Schema};
    ///
    /// let schema = Schema::of::<Vec<u8>>();
    /// let wrapped = schema.wrap_value(&Json::parse("[1]").unwrap());
    /// assert_eq!(wrapped.to_string(), r#"{"result":[1]}"#);
    /// assert_eq!(schema.unwrap_value(&wrapped).unwrap().to_string(), "[1]");
    /// ```
    pub fn wrap_value(&self, json: &Json) -> Json {
        if self.is_object_rooted() { json.clone() } else { place::wrap_value(json) }
    }

    /// What is in a wrapped value: that of the only member `result`, where
    /// [`Schema::wrap_value`] or the [server](Schema::wraps_result) wraps.
    pub fn unwrap_value(&self, json: &Json) -> Option<Json> {
        let wraps = self.wraps_result() || !self.is_object_rooted();
        if wraps { place::unwrap_value(json) } else { None }
    }

    /// The schema that `tools/list` shows a client of this version: one that accepts everything the
    /// client may get. Title and description stay at the root.
    ///
    /// ```
    /// use resultant::{Advertise, Json, Protocol, Schema};
    ///
    /// let schema = Schema::of::<Vec<u8>>();
    /// let advertise = Advertise { may_digest: true, ..Default::default() };
    /// let shown = schema.advertised(Protocol::V2025_06_18, advertise);
    /// let shown = Schema::compile(&shown, &Default::default())?;
    /// for text in [r#"{"result": [1]}"#, r#"{"complete": false, "preview": "1, 2, …"}"#] {
    ///     assert!(shown.check(&Json::parse(text).unwrap()).is_valid());
    /// }
    /// # Ok::<(), resultant::SchemaError>(())
    /// ```
    pub fn advertised(&self, protocol: Protocol, advertise: Advertise) -> Json {
        place::advertised(self, protocol, advertise)
    }

    /// Finds the structured content in the texts of a result that has none (R12): the first text
    /// that is JSON and validates. Where the server [wraps](Schema::wraps_result), also the first
    /// whose JSON, or whose own text, validates when wrapped.
    ///
    /// ```
    /// use resultant::{Json, Schema, SchemaLimits, Upgrade};
    ///
    /// let json = Json::parse(r#"{"type": "object", "required": ["name"]}"#).unwrap();
    /// let schema = Schema::compile(&json, &SchemaLimits::default())?;
    /// let found = schema.upgrade(["Here you are:", r#"{"name": "John"}"#].into_iter());
    /// assert!(matches!(found, Upgrade::Found { index: 1, .. }));
    ///
    /// let Upgrade::Failed { note } = schema.upgrade(["{}"].into_iter()) else { panic!() };
    /// assert!(note.message.contains("\"name\" is a required property"));
    /// # Ok::<(), resultant::SchemaError>(())
    /// ```
    pub fn upgrade<'a>(&self, texts: impl Iterator<Item = &'a str>) -> Upgrade {
        upgrade::upgrade(self, texts)
    }

    fn compiled(&self) -> &Compiled {
        &self.inner.compiled
    }

    /// Names the problems of a value that does not validate: the first ones, or the first one where
    /// finding all is too much work.
    fn problems(&self, value: &Value) -> Vec<Problem> {
        let validator = &self.compiled().validator;
        let all = || {
            let errors = validator.iter_errors(CountedValue(value)).take(PROBLEMS_MAX);
            errors.map(|error| problem(&error)).collect::<Vec<_>>()
        };
        let first = || validator.validate(CountedValue(value)).err().iter().map(problem).collect();
        let found = self.within_steps(all).or_else(|| self.within_steps(first));
        found.filter(|problems| !problems.is_empty()).unwrap_or_else(|| vec![Problem::unplaced()])
    }

    fn within_steps<T>(&self, check: impl FnOnce() -> T) -> Option<T> {
        counted::within(self.inner.limits.check_steps_max, self.compiled().prices, check)
    }
}

/// The schema's JSON.
impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Schema({})", self.json().as_text())
    }
}

fn problem(error: &jsonschema::ValidationError<'_>) -> Problem {
    Problem {
        pointer: error.instance_path().as_str().to_owned(),
        message: capped(&error.masked()),
        keyword: error.kind().keyword().to_owned(),
    }
}

/// The beginning of a message, up to a whole character.
fn capped(message: &dyn fmt::Display) -> String {
    struct Capped(String);

    impl fmt::Write for Capped {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            let room = MESSAGE_BYTES_MAX - self.0.len();
            let fits = text.floor_char_boundary(room);
            self.0.push_str(&text[..fits]);
            if fits < text.len() { Err(fmt::Error) } else { Ok(()) }
        }
    }

    let mut out = Capped(String::new());
    // The only error is the one that says it is full.
    let _ = write!(out, "{message}");
    out.0
}

#[cfg(test)]
mod tests;
