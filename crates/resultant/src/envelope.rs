//! The response-v2 envelope: builders that cannot make an invalid one.
//!
//! An envelope is `{success, data, error, meta}`. [`Envelope`] holds the parts and writes them in one
//! place, so what must hold of the whole (a message on every error and on nothing else, an object
//! as `data`, the version) is not left to its users. The price is that a wish that cannot be met is
//! met otherwise: a blank message becomes a default one, a value that is not an object is wrapped,
//! and what serde cannot write turns a success into an error. Each method says so.
//!
//! The library has no globals: a request id that is in scope comes in a [`Context`]. Lists that come
//! in pages use a signed [`Cursor`]. [`schema`] and [`schema_for`] give the JSON Schema to announce
//! as a tool's `outputSchema`.

mod code;
mod cursor;
mod meta;
mod schema;
mod write;

use std::fmt::{self, Write as _};

use serde::Serialize;

pub use self::{
    code::{ErrorCode, ErrorType},
    cursor::{
        Cursor, CursorError, CursorFault, CursorKey, CursorKeys, PositionTooLong, QueryDigest,
        SecretTooShort,
    },
    meta::{Pagination, RateLimit, Telemetry},
    schema::{schema, schema_for},
};
use crate::{
    Limits,
    json::{Json, Kind, Object, ScanError, ScanOptions, scan},
};

/// What `meta.version` says.
pub const VERSION: &str = "response-v2";

/// The message of an error that was given none.
pub const BLANK_MESSAGE: &str = "tool failed without a message";

/// Deeper nesting becomes a string that holds its JSON. Common parsers stop at 128 levels, and the
/// envelope, the result around it and the message around that need some of them.
pub const DEPTH_MAX: usize = 120;

/// What is in scope while a request is handled.
///
/// ```
/// use resultant::envelope::{Context, Envelope};
///
/// let context = Context { request_id: Some("req_1".into()) };
/// let meta = Envelope::success().context(&context).to_json().get("meta").unwrap();
/// assert_eq!(meta.to_string(), r#"{"version":"response-v2","request_id":"req_1"}"#);
///
/// // An explicit id wins, and an explicit empty one means none.
/// let meta = Envelope::success().context(&context).request_id("").to_json().get("meta").unwrap();
/// assert_eq!(meta.to_string(), r#"{"version":"response-v2"}"#);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// The id that envelopes carry when they are given no other.
    pub request_id: Option<String>,
}

/// A response-v2 envelope that is being put together, and is valid at every moment.
///
/// ```
/// use resultant::envelope::{Envelope, ErrorCode};
/// use serde_json::json;
///
/// let found = Envelope::success().data(json!({"tasks": []})).field("count", 0);
/// assert_eq!(
///     found.to_json().to_string(),
///     r#"{"success":true,"data":{"tasks":[],"count":0},"error":null,"meta":{"version":"response-v2"}}"#,
/// );
///
/// let missing = Envelope::error("no task `t7`").code(ErrorCode::NOT_FOUND).remediation("list the tasks");
/// assert_eq!(
///     missing.to_json().get("data").unwrap().to_string(),
///     r#"{"error_code":"NOT_FOUND","error_type":"not_found","remediation":"list the tasks"}"#,
/// );
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use = "an envelope does nothing until it is written"]
pub struct Envelope {
    /// The message of an error. A success has none.
    error: Option<String>,
    data: Object,
    fields: Object,
    data_meta: Object,
    data_warnings: Vec<String>,
    code: Option<ErrorCode>,
    kind: Option<ErrorType>,
    remediation: Option<String>,
    details: Option<Json>,
    context: Context,
    request_id: Option<String>,
    warnings: Vec<String>,
    pagination: Pagination,
    rate_limit: RateLimit,
    telemetry: Telemetry,
    meta: Object,
}

impl Envelope {
    /// The operation was done. Empty and partial results are successes as well.
    pub fn success() -> Envelope {
        Envelope::default()
    }

    /// The operation failed, and why. A blank message becomes [`BLANK_MESSAGE`].
    ///
    /// ```
    /// use resultant::envelope::{BLANK_MESSAGE, Envelope};
    ///
    /// let error = "x".parse::<u8>().unwrap_err();
    /// assert_eq!(Envelope::error(error).message(), Some("invalid digit found in string"));
    /// assert_eq!(Envelope::error(" ").message(), Some(BLANK_MESSAGE));
    /// ```
    pub fn error(message: impl fmt::Display) -> Envelope {
        let mut text = String::new();
        // `to_string` panics where a `Display` fails; what was written until then is good enough.
        let _ = write!(text, "{message}");
        if text.trim().is_empty() {
            text = BLANK_MESSAGE.to_owned();
        }
        Envelope { error: Some(text), ..Envelope::default() }
    }

    /// Whether `success` will be true.
    pub fn is_success(&self) -> bool {
        self.error.is_none()
    }

    /// The message of an error.
    pub fn message(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// The payload, in place of an earlier one. `null` is no payload, and what is not an object
    /// becomes `{"result": value}`. As serde does it, NaN and infinities are `null`. What serde cannot write makes the envelope an error; on an error
    /// it is left out with a warning.
    ///
    /// ```
    /// use resultant::envelope::Envelope;
    ///
    /// let data = |envelope: Envelope| envelope.to_json().get("data").unwrap().to_string();
    /// assert_eq!(data(Envelope::success().data([1, 2])), r#"{"result":[1,2]}"#);
    /// assert_eq!(data(Envelope::success().data(())), "{}");
    /// ```
    pub fn data(mut self, value: impl Serialize) -> Envelope {
        if let Some(value) = self.read("data", &value) {
            self.data = match value.kind() {
                Kind::Object => Object::of(&value),
                Kind::Null => Object::default(),
                _ => single("result", value),
            };
        }
        self
    }

    /// A member of `data`. It wins over the same key of the payload, whichever came first. Every
    /// name is allowed: `error` and `success` too are only members of `data`.
    pub fn field(mut self, name: &str, value: impl Serialize) -> Envelope {
        if let Some(value) = self.read(name, &value) {
            self.fields.set(name, value);
        }
        self
    }

    /// A member of `data._meta`: a fact about this operation.
    ///
    /// ```
    /// use resultant::envelope::Envelope;
    ///
    /// let envelope = Envelope::success().field("rows", [1]).data_meta("source", "cache").data_warning("stale");
    /// assert_eq!(
    ///     envelope.to_json().get("data").unwrap().to_string(),
    ///     r#"{"rows":[1],"_meta":{"source":"cache"},"_warnings":["stale"]}"#,
    /// );
    /// ```
    pub fn data_meta(mut self, name: &str, value: impl Serialize) -> Envelope {
        if let Some(value) = self.read(name, &value) {
            self.data_meta.set(name, value);
        }
        self
    }

    /// An item of `data._warnings`: something went wrong in the operation and did not stop it.
    pub fn data_warning(mut self, warning: impl Into<String>) -> Envelope {
        self.data_warnings.push(warning.into());
        self
    }

    /// The exact error. It is written with the type it implies, unless [`kind`](Self::kind) says
    /// otherwise. An empty code is none. As all that is said about an error, it is left out of a
    /// success, and a member of the payload with its name wins.
    pub fn code(mut self, code: impl Into<ErrorCode>) -> Envelope {
        self.code = Some(code.into()).filter(|code| !code.as_str().is_empty());
        self
    }

    /// What sort of error it is. An empty type is none.
    pub fn kind(mut self, kind: impl Into<ErrorType>) -> Envelope {
        self.kind = Some(kind.into()).filter(|kind| !kind.as_str().is_empty());
        self
    }

    /// What to do about the error.
    pub fn remediation(mut self, remediation: impl Into<String>) -> Envelope {
        self.remediation = Some(remediation.into());
        self
    }

    /// Facts about the error. `null` and an empty object are left out.
    ///
    /// ```
    /// use resultant::envelope::{Envelope, ErrorCode};
    /// use serde_json::json;
    ///
    /// let envelope = Envelope::error("id is missing")
    ///     .code(ErrorCode::MISSING_REQUIRED)
    ///     .details(json!({"field": "id"}));
    /// let details = envelope.to_json().get("data").unwrap().get("details").unwrap();
    /// assert_eq!(details.to_string(), r#"{"field":"id"}"#);
    /// ```
    pub fn details(mut self, details: impl Serialize) -> Envelope {
        if let Some(value) = self.read("details", &details) {
            let empty = value.is_null() || value.is_object() && value.members().next().is_none();
            self.details = (!empty).then_some(value);
        }
        self
    }

    /// Something the caller should know, in `meta.warnings`.
    pub fn warning(self, warning: impl Into<String>) -> Envelope {
        self.warnings([warning])
    }

    /// Further warnings. None at all are left out.
    pub fn warnings(mut self, warnings: impl IntoIterator<Item = impl Into<String>>) -> Envelope {
        self.warnings.extend(warnings.into_iter().map(Into::into));
        self
    }

    /// Where this page stands; an empty one is left out.
    pub fn pagination(mut self, pagination: Pagination) -> Envelope {
        self.pagination = pagination;
        self
    }

    /// How many calls are left; an empty one is left out.
    pub fn rate_limit(mut self, rate_limit: RateLimit) -> Envelope {
        self.rate_limit = rate_limit;
        self
    }

    /// What the call cost; an empty one is left out.
    pub fn telemetry(mut self, telemetry: Telemetry) -> Envelope {
        self.telemetry = telemetry;
        self
    }

    /// The id of the request. An empty one means none, also when the context has one.
    pub fn request_id(mut self, request_id: impl Into<String>) -> Envelope {
        self.request_id = Some(request_id.into());
        self
    }

    /// What is in scope.
    pub fn context(mut self, context: &Context) -> Envelope {
        self.context = context.clone();
        self
    }

    /// Any other member of `meta`. `version` cannot be set. The names that have a method do what
    /// the method does, with `null` for nothing; a value that the method could not take is written
    /// as `x_NAME`.
    ///
    /// ```
    /// use resultant::envelope::Envelope;
    ///
    /// let envelope = Envelope::success()
    ///     .meta("version", "response-v9")
    ///     .meta("warnings", ["slow"])
    ///     .meta("request_id", 7)
    ///     .meta("trace", "t1");
    /// assert_eq!(
    ///     envelope.to_json().get("meta").unwrap().to_string(),
    ///     r#"{"version":"response-v2","warnings":["slow"],"x_request_id":7,"trace":"t1"}"#,
    /// );
    /// ```
    pub fn meta(mut self, name: &str, value: impl Serialize) -> Envelope {
        let Some(value) = self.read(name, &value) else { return self };
        match (name, value.kind()) {
            ("version", _) => self,
            ("request_id" | "warnings" | "pagination" | "rate_limit" | "telemetry", Kind::Null) => {
                self
            }
            ("request_id", Kind::String) => self.request_id(value.as_str().unwrap_or_default()),
            ("warnings", Kind::Array) if value.items().all(|item| item.as_str().is_some()) => {
                self.warnings(value.items().filter_map(|item| Some(item.as_str()?.into_owned())))
            }
            ("pagination", Kind::Object) => self.pagination(Pagination::from_json(&value)),
            ("rate_limit", Kind::Object) => self.rate_limit(RateLimit::from_json(&value)),
            ("telemetry", Kind::Object) => self.telemetry(Telemetry::from_json(&value)),
            ("request_id" | "warnings" | "pagination" | "rate_limit" | "telemetry", _) => {
                self.meta.set(&meta::set_aside(name), value);
                self
            }
            _ => {
                self.meta.set(name, value);
                self
            }
        }
    }

    /// A value as JSON. Failing that, nothing, and the envelope says so.
    fn read(&mut self, place: &str, value: &(impl Serialize + ?Sized)) -> Option<Json> {
        let problem = match serde_json::to_string(value) {
            Ok(text) => match bounded(text) {
                Ok(json) => return Some(json),
                Err(error) => error.into_syntax().to_string(),
            },
            Err(error) => error.to_string(),
        };
        let problem = format!("`{place}` could not be written as JSON: {problem}");
        if self.is_success() {
            self.error = Some(problem);
            self.code = Some(ErrorCode::INTERNAL_ERROR);
        } else {
            self.warnings.push(problem);
        }
        None
    }
}

/// A value is a success, an error its message.
///
/// ```
/// use resultant::envelope::Envelope;
///
/// assert!(Envelope::from(Ok::<_, std::fmt::Error>(7)).is_success());
/// assert_eq!(Envelope::from("x".parse::<u8>()).message(), Some("invalid digit found in string"));
/// ```
impl<T: Serialize, E: fmt::Display> From<Result<T, E>> for Envelope {
    fn from(result: Result<T, E>) -> Envelope {
        match result {
            Ok(value) => Envelope::success().data(value),
            Err(error) => Envelope::error(error),
        }
    }
}

/// Checks a text and bounds its depth.
fn bounded(text: String) -> Result<Json, ScanError> {
    let limits = Limits { depth_max: DEPTH_MAX, ..Limits::default() };
    scan(&text.into(), &ScanOptions::strict(&limits)).map(|scanned| scanned.json)
}

/// An object of one member.
fn single(name: &str, value: Json) -> Object {
    let mut object = Object::default();
    object.set(name, value);
    object
}

#[cfg(test)]
mod tests;
