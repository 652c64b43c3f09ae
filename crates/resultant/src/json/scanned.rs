//! What goes into a scan and what comes out of it.

use super::Json;
use crate::{Limits, spill::Level};

/// Text that is not JSON: what was expected, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected} at line {line} column {column}")]
pub struct SyntaxError {
    /// What would have been right here.
    pub expected: &'static str,
    /// Bytes before the place.
    pub offset: u64,
    /// The line, from 1.
    pub line: u64,
    /// The byte in the line, from 1.
    pub column: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ScanError {
    Syntax(SyntaxError),
    /// More than `message_bytes_max` beside the long strings.
    TooLarge {
        limit: usize,
    },
}

impl ScanError {
    pub(crate) fn into_syntax(self) -> SyntaxError {
        match self {
            ScanError::Syntax(error) => error,
            ScanError::TooLarge { .. } => {
                SyntaxError { expected: "a smaller message", offset: 0, line: 1, column: 1 }
            }
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct ScanOptions {
    pub(super) depth_max: usize,
    /// Strict text is JSON by the letter; otherwise raw control characters and Python's `NaN` are
    /// repaired.
    pub(super) strict: bool,
    /// Cut longer strings out; only in a message that comes in chunks.
    pub(super) string_bytes_max: Option<usize>,
    pub(super) message_bytes_max: usize,
    pub(super) level: Level,
}

impl ScanOptions {
    /// For text that claims to be JSON.
    pub(crate) fn strict(limits: &Limits) -> ScanOptions {
        ScanOptions {
            depth_max: limits.depth_max,
            strict: true,
            string_bytes_max: None,
            message_bytes_max: usize::MAX,
            level: Level::Message,
        }
    }

    /// For a message from a server.
    pub(crate) fn lenient(limits: &Limits) -> ScanOptions {
        ScanOptions { strict: false, ..ScanOptions::strict(limits) }
    }

    /// The same, for text in chunks whose long strings are cut out.
    pub(crate) fn spilling(self, limits: &Limits, level: Level) -> ScanOptions {
        ScanOptions {
            string_bytes_max: Some(limits.string_bytes_max),
            message_bytes_max: limits.message_bytes_max,
            level,
            ..self
        }
    }
}

/// What the scanner changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) kind: FindingKind,
    /// Bytes before the place.
    pub(crate) offset: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FindingKind {
    LoneSurrogate,
    ControlCharacter,
    NotANumber,
    TooDeep,
}

/// Findings, the first ones in full, and how many there were.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings {
    pub(crate) first: Vec<Finding>,
    pub(crate) count: usize,
    /// The places of members that were dropped because a later one has their key, and their values.
    pub(crate) duplicates: Vec<(String, Json)>,
}

impl Findings {
    const KEPT_MAX: usize = 32;

    pub(super) fn add(&mut self, kind: FindingKind, offset: u64) {
        self.count += 1;
        if self.first.len() < Self::KEPT_MAX {
            self.first.push(Finding { kind, offset });
        }
    }
}

/// A checked text.
#[derive(Clone, Debug)]
pub(crate) struct Scanned {
    pub(crate) json: Json,
    pub(crate) findings: Findings,
}
