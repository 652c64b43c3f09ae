//! Return anything: a handler's value becomes a `CallToolResult` or a `ReadResourceResult`.
//!
//! A value passes through three rooms. [`Any`] is what serde tells about it, with everything JSON
//! forgets (bytes, tuples, the difference between a struct and a map); `tool` and `resource` decide
//! what it means; `write` turns data into text. The price of the detour over [`Any`] is one tree per
//! value, and it buys that text and structured content are written from the same thing, so they
//! cannot differ.
//!
//! Nothing here fails. A value that cannot be serialized becomes an error result, a value that is
//! too deep is kept as text, and a [`Note`](crate::Note) tells what was changed.

mod any;
mod block;
mod notes;
mod python;
mod recognize;
mod resource;
mod serializer;
mod tagged;
mod tool;
mod version;
mod wrapper;
mod write;

use std::{fmt, str::FromStr};

pub use self::{
    any::Any,
    block::{Block, Contents, ReadResult, ToolResult},
    resource::{ResourceReply, reply_resource},
    tool::{Reply, reply},
    wrapper::{Bytes, Data, Failure},
};

/// How values are written.
///
/// ```
/// use resultant::{Profile, reply};
///
/// let numbers = vec![1, 2];
/// let openmcp = reply(&numbers).to_json();
/// assert_eq!(openmcp.get("content").unwrap().items().count(), 2);
///
/// let spec = reply(&numbers).profile(Profile::Spec).to_json();
/// let block = spec.get("content").unwrap().items().next().unwrap();
/// assert_eq!(block.get("text").unwrap().as_str().unwrap(), r#"{"result":[1,2]}"#);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Profile {
    /// As OpenMCP does it: one block per item of a sequence, JSON text as Python writes it, and
    /// structured content that is always an object.
    #[default]
    Openmcp,
    /// As the specification of 2026-07-28 has it: one compact JSON text that equals the structured
    /// content. Arrays and scalars are wrapped for clients of older versions only.
    Spec,
}

/// A profile that is neither `openmcp` nor `spec`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown profile `{0}`")]
pub struct UnknownProfile(String);

impl Profile {
    /// The name of the profile.
    pub fn as_str(self) -> &'static str {
        match self {
            Profile::Openmcp => "openmcp",
            Profile::Spec => "spec",
        }
    }

    /// How JSON in a text block is written.
    fn style(self) -> write::Style {
        match self {
            Profile::Openmcp => write::Style::Python,
            Profile::Spec => write::Style::Compact,
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Profile {
    type Err = UnknownProfile;

    fn from_str(text: &str) -> Result<Profile, UnknownProfile> {
        match text {
            "openmcp" => Ok(Profile::Openmcp),
            "spec" => Ok(Profile::Spec),
            _ => Err(UnknownProfile(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests;
