//! Names for what serde cannot tell apart.
//!
//! A wrapper travels through serde as a newtype struct whose name only this crate uses. Such a name
//! is part of the program, so no data can carry one. Other serializers see what is inside.

use std::fmt;

use serde::{Serialize, Serializer};

/// The names under which our types travel.
pub(super) mod name {
    pub(in super::super) const DATA: &str = "$resultant::Data";
    pub(in super::super) const BLOCK: &str = "$resultant::Block";
    pub(in super::super) const RESULT: &str = "$resultant::ToolResult";
    pub(in super::super) const CONTENTS: &str = "$resultant::Contents";
    pub(in super::super) const READ_RESULT: &str = "$resultant::ReadResult";
    pub(in super::super) const FAILURE: &str = "$resultant::Failure";
}

/// Bytes. Without this name a `Vec<u8>` is a sequence of numbers.
///
/// ```
/// use resultant::{Bytes, reply};
///
/// let result = reply(Bytes(vec![0x89, b'P', b'N', b'G'])).to_json();
/// assert_eq!(result.to_string(), r#"{"content":[{"type":"text","text":"iVBORw=="}]}"#);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bytes<T>(pub T);

impl<T: AsRef<[u8]>> Serialize for Bytes<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0.as_ref())
    }
}

/// A value that is data, whatever its keys look like.
///
/// A map with a `content` list and nothing strange beside it is read as a whole tool result, one
/// with a `text` as resource contents, and a pair whose second item is an object as payload and
/// structured content. Structs are never read so, but a struct with `#[serde(flatten)]` looks like
/// a map, and an array of two like a pair. In `Data` they are only data.
///
/// ```
/// use resultant::{Data, reply};
/// use std::collections::BTreeMap;
///
/// let page = BTreeMap::from([("content", Vec::<String>::new())]);
/// assert_eq!(reply(&page).to_json().to_string(), r#"{"content":[]}"#);
/// assert_eq!(
///     reply(Data(&page)).to_json().get("structuredContent").unwrap().to_string(),
///     r#"{"content":[]}"#,
/// );
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Data<T>(pub T);

impl<T: Serialize> Serialize for Data<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(name::DATA, &self.0)
    }
}

/// Why a handler failed, in words for the model. Every error turns into one with `?`.
///
/// ```
/// use resultant::{Failure, reply};
///
/// fn double(text: &str) -> Result<i64, Failure> {
///     let number: i64 = text.parse()?;
///     number.checked_mul(2).ok_or_else(|| Failure::new(format_args!("{number} is too large")))
/// }
///
/// assert_eq!(reply(double("21")).to_json().get("isError"), None);
/// assert_eq!(
///     reply(double("x")).to_json().to_string(),
///     r#"{"content":[{"type":"text","text":"invalid digit found in string"}],"isError":true}"#,
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Failure {
    message: String,
}

impl Failure {
    /// A failure with this message.
    pub fn new(message: impl fmt::Display) -> Failure {
        Failure { message: message.to_string() }
    }

    /// What it says.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// The error and what caused it, each after a colon, unless the error says so itself.
impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Failure {
        // A chain that does not end is a bug of the error's, and no reason to hang.
        const CAUSES_MAX: usize = 32;
        let mut message = error.to_string();
        let causes = std::iter::successors(error.source(), |cause| cause.source());
        for cause in causes.take(CAUSES_MAX) {
            let cause = cause.to_string();
            if !message.ends_with(&cause) {
                message.push_str(": ");
                message.push_str(&cause);
            }
        }
        Failure { message }
    }
}

impl Serialize for Failure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(name::FAILURE, &self.message)
    }
}
