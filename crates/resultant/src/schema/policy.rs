//! What happens to a result that its output schema rejects.

use std::{fmt, str::FromStr};

/// What happens to structured content that does not validate against the tool's output schema.
///
/// ```
/// use resultant::SchemaPolicy;
///
/// assert_eq!(SchemaPolicy::default(), SchemaPolicy::Note);
/// assert_eq!("error".parse(), Ok(SchemaPolicy::Error));
/// assert_eq!(SchemaPolicy::Off.to_string(), "off");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SchemaPolicy {
    /// It is passed on, with a note that names the place.
    #[default]
    Note,
    /// The result becomes an error that names the place.
    Error,
    /// Nothing is checked.
    Off,
}

/// A word that is none of `note`, `error` and `off`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown schema policy `{0}`: expected `note`, `error` or `off`")]
pub struct UnknownSchemaPolicy(String);

impl SchemaPolicy {
    /// Every policy.
    pub const ALL: [SchemaPolicy; 3] = [SchemaPolicy::Note, SchemaPolicy::Error, SchemaPolicy::Off];

    /// The word for it in a configuration.
    pub fn as_str(self) -> &'static str {
        match self {
            SchemaPolicy::Note => "note",
            SchemaPolicy::Error => "error",
            SchemaPolicy::Off => "off",
        }
    }
}

impl fmt::Display for SchemaPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for SchemaPolicy {
    type Err = UnknownSchemaPolicy;

    fn from_str(text: &str) -> Result<SchemaPolicy, UnknownSchemaPolicy> {
        let found = SchemaPolicy::ALL.into_iter().find(|policy| policy.as_str() == text);
        found.ok_or_else(|| UnknownSchemaPolicy(text.to_owned()))
    }
}
