//! What can go wrong, in terms a caller can act on.

use std::io;

/// Why the store did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The user or the session has no room left.
    #[error("{who} may keep {limit} bytes ({name}), and this would be more")]
    Quota {
        /// Whose room it is: `this user` or `this session`.
        who: &'static str,
        /// The name of the limit.
        name: &'static str,
        /// The limit.
        limit: u64,
    },
    /// The session is not there, or not this user's.
    #[error("there is no such session")]
    NoSession,
    /// The bytes that came back are not those that were kept.
    #[error("the stored bytes of {digest} are damaged")]
    Damaged {
        /// The digest they should have.
        digest: String,
    },
    /// There is a record of the bytes, and the place for files does not have them.
    #[error("the stored bytes of {digest} are not there")]
    Missing {
        /// The digest they would have.
        digest: String,
    },
    /// Bytes that were there were swept away meanwhile; they can be kept again.
    #[error("the bytes were cleared away meanwhile")]
    BlobGone,
    /// The place for bytes failed.
    #[error("the place for files failed: {0}")]
    Blobs(#[from] object_store::Error),
    /// The local folder failed.
    #[error("the data folder failed: {0}")]
    Folder(#[from] io::Error),
    /// The database failed.
    #[error("the database failed: {0}")]
    Records(#[from] sqlx::Error),
    /// The database or the folder is of a version that this program does not know.
    #[error("{what} has version {found}, and this program knows up to {known}; use a newer one")]
    Version {
        /// `the database` or `the data folder`.
        what: &'static str,
        /// Its version.
        found: i64,
        /// The newest known here.
        known: i64,
    },
    /// It took longer than it may.
    #[error("the store did not answer within {seconds} seconds (store_seconds)")]
    Late {
        /// The time that was given.
        seconds: u64,
    },
    /// An address of a store that cannot be used.
    #[error("{url} cannot be used as a store: {reason}")]
    Address {
        /// The address, without its secrets.
        url: String,
        /// Why.
        reason: String,
    },
}
