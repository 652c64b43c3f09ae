//! The protocol versions there are, and what differs between them for a tool result.

use std::{fmt, str::FromStr};

/// A version of the Model Context Protocol. Versions are ordered.
///
/// ```
/// use resultant::Protocol;
///
/// let version: Protocol = "2025-06-18".parse()?;
/// assert!(version < Protocol::LATEST);
/// assert!(version.has_structured_content());
/// # Ok::<(), resultant::UnknownProtocol>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are the dates of the versions")]
pub enum Protocol {
    V2024_11_05,
    V2025_03_26,
    V2025_06_18,
    V2025_11_25,
    V2026_07_28,
}

/// A version that is none of [`Protocol::ALL`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown protocol version `{0}`")]
pub struct UnknownProtocol(String);

impl Protocol {
    /// Every version, the oldest first.
    pub const ALL: [Protocol; 5] = [
        Protocol::V2024_11_05,
        Protocol::V2025_03_26,
        Protocol::V2025_06_18,
        Protocol::V2025_11_25,
        Protocol::V2026_07_28,
    ];

    /// The newest version.
    pub const LATEST: Protocol = Protocol::V2026_07_28;

    /// The date that names the version.
    pub fn as_str(self) -> &'static str {
        match self {
            Protocol::V2024_11_05 => "2024-11-05",
            Protocol::V2025_03_26 => "2025-03-26",
            Protocol::V2025_06_18 => "2025-06-18",
            Protocol::V2025_11_25 => "2025-11-25",
            Protocol::V2026_07_28 => "2026-07-28",
        }
    }

    /// Whether requests stand alone and results say what they are (`resultType`).
    pub fn is_modern(self) -> bool {
        self >= Protocol::V2026_07_28
    }

    /// Whether structured content may be any JSON, and output schemas of any type.
    pub fn has_any_structured_content(self) -> bool {
        self.is_modern()
    }

    /// Whether structured content and output schemas exist.
    pub fn has_structured_content(self) -> bool {
        self >= Protocol::V2025_06_18
    }

    /// Whether a content block may be a resource link.
    pub fn has_resource_links(self) -> bool {
        self >= Protocol::V2025_06_18
    }

    /// Whether a content block may be audio.
    pub fn has_audio(self) -> bool {
        self >= Protocol::V2025_03_26
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Protocol {
    type Err = UnknownProtocol;

    fn from_str(text: &str) -> Result<Protocol, UnknownProtocol> {
        let found = Protocol::ALL.into_iter().find(|version| version.as_str() == text);
        found.ok_or_else(|| UnknownProtocol(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_version_has_what_it_has() {
        let rows: Vec<(&str, [bool; 5])> = Protocol::ALL
            .into_iter()
            .map(|version| {
                let has = [
                    version.has_audio(),
                    version.has_resource_links(),
                    version.has_structured_content(),
                    version.has_any_structured_content(),
                    version.is_modern(),
                ];
                (version.as_str(), has)
            })
            .collect();
        let expected = [
            ("2024-11-05", [false, false, false, false, false]),
            ("2025-03-26", [true, false, false, false, false]),
            ("2025-06-18", [true, true, true, false, false]),
            ("2025-11-25", [true, true, true, false, false]),
            ("2026-07-28", [true, true, true, true, true]),
        ];
        assert_eq!(rows, expected);
    }

    #[test]
    fn a_version_is_read_by_its_date() {
        for version in Protocol::ALL {
            assert_eq!(version.to_string().parse(), Ok(version));
        }
        let unknown = "2023-01-01".parse::<Protocol>().unwrap_err();
        assert_eq!(unknown.to_string(), "unknown protocol version `2023-01-01`");
    }
}
