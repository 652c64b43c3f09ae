//! The parts of `meta` that have a shape: pagination, rate limit, telemetry.
//!
//! They stay open to further members. A member that has a method of its own keeps its kind: given a
//! value of another kind, it is written as `x_NAME`, so that nothing is lost and no reader that
//! trusts the schema meets a number where a text should be. `null` is a value of every kind.

use crate::json::{Json, Kind, Object};

/// The kinds that a named member may have, beside `null`.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    Text,
    Flag,
    Count,
    Number,
    TextOrNumber,
}

impl Shape {
    fn fits(self, value: &Json) -> bool {
        match (self, value.kind()) {
            (_, Kind::Null) => true,
            (Shape::Text | Shape::TextOrNumber, Kind::String) => true,
            (Shape::Number | Shape::TextOrNumber, Kind::Number) => true,
            (Shape::Flag, Kind::Bool) => true,
            (Shape::Count, Kind::Number) => value.as_u64().is_some(),
            _ => false,
        }
    }

    /// The kinds as a JSON Schema names them.
    pub(super) fn types(self) -> &'static [&'static str] {
        match self {
            Shape::Text => &["string", "null"],
            Shape::Flag => &["boolean", "null"],
            Shape::Count => &["integer", "null"],
            Shape::Number => &["number", "null"],
            Shape::TextOrNumber => &["string", "number", "null"],
        }
    }
}

/// A member that has a name and a shape, and what it says to a reader of the schema.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    pub(super) meaning: &'static str,
}

const fn member(name: &'static str, shape: Shape, meaning: &'static str) -> Member {
    Member { name, shape, meaning }
}

/// The members of `data` that an error gives a meaning to.
pub(super) const ERROR_MEMBERS: &[Member] = &[
    member("error_code", Shape::Text, "The exact error, as a word for programs."),
    member("error_type", Shape::Text, "What sort of error it is, as a word for programs."),
    member("remediation", Shape::Text, "What to do about it."),
];

/// Sets a member; under `x_NAME` where the value does not fit the name.
fn set(members: &mut Object, named: &[Member], name: &str, value: Json) {
    let value = if value.is_object() || value.is_array() { bounded(value) } else { value };
    let fits = named.iter().find(|member| member.name == name).is_none_or(|m| m.shape.fits(&value));
    match fits {
        true => members.set(name, value),
        false => members.set(&set_aside(name), value),
    }
}

/// Moves every value that does not fit its name.
pub(super) fn set_misfits_aside(members: &mut Object, named: &[Member]) {
    for Member { name, shape, .. } in named {
        if members.get(name).is_some_and(|value| !shape.fits(value))
            && let Some(value) = members.remove(name)
        {
            members.set(&set_aside(name), value);
        }
    }
}

/// A value that fits into the envelope's depth. Its text was checked before, so this cannot fail.
fn bounded(value: Json) -> Json {
    super::bounded(value.as_text().to_owned()).unwrap_or(value)
}

/// The name for a value of the wrong kind.
pub(super) fn set_aside(name: &str) -> String {
    format!("x_{name}")
}

/// Where a page stands in a longer list.
///
/// ```
/// use resultant::envelope::{Envelope, Pagination};
///
/// let page = Pagination::new().cursor("b3Bh").has_more(true).total_count(100).page_size(10);
/// let envelope = Envelope::success().pagination(page);
/// assert_eq!(
///     envelope.to_json().get("meta").unwrap().to_string(),
///     r#"{"version":"response-v2","pagination":{"cursor":"b3Bh","has_more":true,"total_count":100,"page_size":10}}"#,
/// );
///
/// assert_eq!(Pagination::last().to_json().to_string(), r#"{"cursor":null,"has_more":false}"#);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pagination(Object);

impl Pagination {
    pub(super) const MEMBERS: &[Member] = &[
        member("cursor", Shape::Text, "Send it back to get the next page; opaque."),
        member("has_more", Shape::Flag, "Whether there is a next page."),
        member("total_count", Shape::Count, "How many items there are on all pages."),
        member("page_size", Shape::Count, "How many items a page has at most."),
    ];

    /// The last page: a `null` cursor, and no more.
    pub fn last() -> Pagination {
        Pagination::new().with("cursor", Json::null()).has_more(false)
    }

    /// The text that asks for the next page; see [`Cursor`](super::Cursor).
    #[must_use]
    pub fn cursor(self, cursor: impl AsRef<str>) -> Pagination {
        self.with("cursor", Json::string(cursor.as_ref()))
    }

    /// Whether there is a next page.
    #[must_use]
    pub fn has_more(self, has_more: bool) -> Pagination {
        self.with("has_more", Json::bool(has_more))
    }

    /// How many items there are on all pages.
    #[must_use]
    pub fn total_count(self, count: u64) -> Pagination {
        self.with("total_count", Json::number(count))
    }

    /// How many items a page has at most.
    #[must_use]
    pub fn page_size(self, size: u64) -> Pagination {
        self.with("page_size", Json::number(size))
    }
}

/// How many calls are left, and until when.
///
/// ```
/// use resultant::envelope::RateLimit;
///
/// let limit = RateLimit::new().limit(100).remaining(0).reset_at("2026-01-01T00:00:00Z");
/// assert_eq!(
///     limit.to_json().to_string(),
///     r#"{"limit":100,"remaining":0,"reset_at":"2026-01-01T00:00:00Z"}"#,
/// );
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RateLimit(Object);

impl RateLimit {
    pub(super) const MEMBERS: &[Member] = &[
        member("limit", Shape::Number, "How many calls are allowed in a period."),
        member("remaining", Shape::Number, "How many of them are left."),
        member("reset_at", Shape::TextOrNumber, "When the next period starts."),
        member("retry_after", Shape::Number, "After how many seconds to try again."),
    ];

    /// How many calls are allowed in a period.
    #[must_use]
    pub fn limit(self, calls: u64) -> RateLimit {
        self.with("limit", Json::number(calls))
    }

    /// How many calls are left.
    #[must_use]
    pub fn remaining(self, calls: u64) -> RateLimit {
        self.with("remaining", Json::number(calls))
    }

    /// When the next period starts, as a date and time.
    #[must_use]
    pub fn reset_at(self, time: impl AsRef<str>) -> RateLimit {
        self.with("reset_at", Json::string(time.as_ref()))
    }

    /// After how many seconds to try again.
    #[must_use]
    pub fn retry_after(self, seconds: u64) -> RateLimit {
        self.with("retry_after", Json::number(seconds))
    }
}

/// What the call cost.
///
/// ```
/// use resultant::{Json, envelope::Telemetry};
///
/// let telemetry = Telemetry::new().duration_ms(45.2).with("rows", Json::number(3));
/// assert_eq!(telemetry.to_json().to_string(), r#"{"duration_ms":45.2,"rows":3}"#);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Telemetry(Object);

impl Telemetry {
    pub(super) const MEMBERS: &[Member] =
        &[member("duration_ms", Shape::Number, "How long the call took, in milliseconds.")];

    /// How long the call took, in milliseconds.
    #[must_use]
    pub fn duration_ms(self, milliseconds: f64) -> Telemetry {
        self.with("duration_ms", Json::of(&milliseconds))
    }
}

/// What the three have in common.
macro_rules! open_members {
    ($($part:ident)*) => {$(
        impl $part {
            /// Nothing yet; an empty one is left out of the envelope.
            pub fn new() -> $part {
                $part::default()
            }

            /// Adds any member. A name that has a method takes what the method takes, or `null`;
            /// another value is written as `x_NAME`.
            #[must_use]
            pub fn with(mut self, name: &str, value: Json) -> $part {
                set(&mut self.0, $part::MEMBERS, name, value);
                self
            }

            /// The members of a JSON object, as [`with`](Self::with) takes them; of another value,
            /// none.
            pub fn from_json(json: &Json) -> $part {
                json.members().fold($part::new(), |part, (name, value)| part.with(&name, value))
            }

            /// Whether there is nothing in it.
            pub fn is_empty(&self) -> bool {
                self.0.is_empty()
            }

            /// The members as a JSON object.
            pub fn to_json(&self) -> Json {
                self.0.to_json()
            }
        }
    )*};
}

open_members! { Pagination RateLimit Telemetry }
