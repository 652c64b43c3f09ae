//! A return value with everything JSON forgets.

use std::borrow::Cow;

use super::serializer;
use crate::json::{Json, Kind};

/// A handler's return value, as serde tells about it.
///
/// ```
/// use resultant::{Any, Bytes};
///
/// assert_eq!(Any::of(&Some(5_u8)), Any::Integer(5));
/// assert_eq!(Any::of(&Bytes(b"hi")), Any::Bytes(b"hi".to_vec()));
/// assert_eq!(
///     Any::of(&("a", [true])),
///     Any::Tuple(vec![Any::Str("a".into()), Any::Tuple(vec![Any::Bool(true)])]),
/// );
/// ```
///
/// A tree made by [`Any::of`] or [`Any::from_tagged`] is bounded in depth. One that is put together
/// by hand may be deeper; it is written with its deepest parts left out and a note, but dropping a
/// tree of many thousand levels takes as much stack as with any other tree in Rust.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Any {
    /// Nothing: `()`, a unit struct, `None`, the JSON `null`.
    Null,
    /// A boolean.
    Bool(bool),
    /// A whole number.
    Integer(i128),
    /// A whole number that is too large for the above.
    Unsigned(u128),
    /// A number with its shortest digits; it need not be finite.
    Float(f64),
    /// The same, with the shortest digits of an `f32`.
    Float32(f32),
    /// A string, a character, the name of a unit variant.
    Str(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A sequence.
    Seq(Vec<Any>),
    /// A tuple or an array of fixed length, which serde cannot tell apart.
    Tuple(Vec<Any>),
    /// A map, with keys of any type.
    Map(Vec<(Any, Any)>),
    /// A struct, or an enum's variant under its name.
    Struct {
        /// The type's name.
        name: Cow<'static, str>,
        /// The fields in their order.
        fields: Vec<(Cow<'static, str>, Any)>,
    },
    /// A value that is data, whatever its keys look like.
    Data(Box<Any>),
    /// A content block.
    Block(Json),
    /// A whole `CallToolResult`.
    Result(Json),
    /// Resource contents.
    Contents(Json),
    /// A whole `ReadResourceResult`.
    ReadResult(Json),
    /// JSON with its exact digits.
    Raw(Json),
    /// An error, and what it says.
    Failure(Box<Any>),
}

impl Any {
    /// The deepest tree that is built. Whoever nests deeper than this most likely nests for ever.
    pub(super) const DEPTH_MAX: usize = 512;

    /// What serde tells about a value. This cannot fail: an error in a `Serialize` implementation
    /// becomes a [`Any::Failure`], and so does a value nested more than 512 deep.
    ///
    /// ```
    /// use resultant::{Any, Failure};
    ///
    /// let result: Result<(), Failure> = Err(Failure::new("no such row"));
    /// assert_eq!(Any::of(&result), Any::Failure(Box::new(Any::Str("no such row".into()))));
    /// ```
    pub fn of<T: serde::Serialize + ?Sized>(value: &T) -> Any {
        serializer::read(value)
    }

    /// A JSON value one level apart, so that it is told by its variant. Numbers stay as they are,
    /// with their digits.
    pub(super) fn unfold(&self) -> Cow<'_, Any> {
        let Any::Raw(json) = self else { return Cow::Borrowed(self) };
        match json.kind() {
            Kind::Null => Cow::Owned(Any::Null),
            Kind::Bool => Cow::Owned(Any::Bool(json.as_bool().unwrap_or_default())),
            Kind::Number => Cow::Borrowed(self),
            Kind::String => Cow::Owned(Any::Str(json.as_str().unwrap_or_default().into_owned())),
            Kind::Array => Cow::Owned(Any::Seq(json.items().map(Any::Raw).collect())),
            Kind::Object => {
                let member = |(key, value): (Cow<'_, str>, Json)| {
                    (Any::Str(key.into_owned()), Any::Raw(value))
                };
                Cow::Owned(Any::Map(json.members().map(member).collect()))
            }
        }
    }

    /// Whether the value is written as a JSON object and is nothing but data.
    pub(super) fn is_object(&self) -> bool {
        match self {
            Any::Map(_) | Any::Struct { .. } => true,
            Any::Raw(json) => json.is_object(),
            Any::Data(inner) => inner.is_object(),
            _ => false,
        }
    }

    /// Whether a content block is anywhere inside.
    pub(super) fn contains_block(&self) -> bool {
        match self {
            Any::Block(_) => true,
            Any::Seq(items) | Any::Tuple(items) => items.iter().any(Any::contains_block),
            Any::Map(entries) => entries.iter().any(|(_, value)| value.contains_block()),
            Any::Struct { fields, .. } => fields.iter().any(|(_, value)| value.contains_block()),
            Any::Data(inner) | Any::Failure(inner) => inner.contains_block(),
            _ => false,
        }
    }

    /// The member of a map that has this string as its key; the last one where there are several.
    pub(super) fn member<'a>(entries: &'a [(Any, Any)], name: &str) -> Option<&'a Any> {
        let found = entries.iter().rfind(|(key, _)| matches!(key, Any::Str(key) if key == name));
        found.map(|(_, value)| value)
    }
}
