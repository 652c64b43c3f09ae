//! Capability tokens: what opens a file, or proves a dashboard's viewer, without anything else.
//!
//! A token is a fixed row of bytes and a signature over them. There is one algorithm, one encoding
//! and one spelling; whatever differs is refused, and every refusal looks the same. Being signed is
//! not enough: a token must also be on record, so that it can be taken back. The signature keeps
//! guesses away from the database, and the record keeps a stolen key from opening anything.

mod format;
mod ring;
mod scan;

pub use self::{
    format::TOKEN_LENGTH,
    scan::{find_token_ids, find_tokens, redact},
};
pub(crate) use self::{
    format::{Stated, caller},
    ring::{KeyRing, SKEW_S, Unfit},
};
use crate::Id;

/// What a token is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A file.
    File,
    /// A dashboard.
    Dashboard,
}

/// What may be done with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// To read.
    Read,
    /// To write.
    Write,
}

/// Who is to use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// A tool.
    Tool,
    /// A person.
    Person,
}

/// What is granted, by whom, to whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// What it is for.
    pub kind: Kind,
    /// The file's key, or the id that stands for the dashboard.
    pub subject: Id,
    /// What may be done.
    pub action: Action,
    /// Who is to use it.
    pub audience: Audience,
    /// The user on whose behalf.
    pub owner: String,
    /// The user's session.
    pub session: String,
    /// Whether it serves the bytes once only.
    pub is_single_use: bool,
}

/// How long tokens are valid by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifetimes {
    /// For tools, in seconds.
    pub tool_s: u32,
    /// For people, in seconds.
    pub person_s: u32,
    /// After how many seconds another key signs.
    pub rotate_s: u32,
}

/// What somebody who shows a token wants.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// What it must be for.
    pub kind: Kind,
    /// The file's key, or the dashboard's id, when the place says which.
    pub subject: Option<Id>,
    /// What is to be done.
    pub action: Action,
}

/// A token that is not accepted. Nothing says why, but the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the token is not valid here")]
pub struct Refused;

/// A key that signs.
#[derive(Clone)]
pub(crate) struct Key {
    pub(crate) kid: u32,
    pub(crate) secret: [u8; 32],
    pub(crate) created_s: i64,
}

impl std::fmt::Debug for Key {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Key").field("kid", &self.kid).finish_non_exhaustive()
    }
}
