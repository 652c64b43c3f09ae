//! Cursors: where the next page starts, handed to a client that cannot be trusted with it.
//!
//! A cursor is bytes of fixed layout in URL-safe base64:
//!
//! | bytes | |
//! |---|---|
//! | 1 | version of the layout |
//! | 4 | id of the key |
//! | 8 | issued at, Unix seconds |
//! | 8 | expires at, Unix seconds |
//! | 16 | digest of the query |
//! | … | position, as JSON |
//! | 16 | HMAC-SHA-256 of all before, cut to its left half |
//!
//! It is signed, not encrypted: whoever holds it can read the position. A client is told only that
//! a cursor is not valid; the log is told why.

use std::fmt;

use base64_simd::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use super::{Envelope, ErrorCode};
use crate::json::{Json, Kind, push_string};

const VERSION: u8 = 1;
const HEAD_BYTES: usize = 1 + 4 + 8 + 8 + QueryDigest::BYTES;
const TAG_BYTES: usize = 16;

/// Keeps a signature for a cursor from being one for anything else under the same secret.
const SIGNATURE_PURPOSE: &[u8] = b"resultant cursor\0";
const QUERY_PURPOSE: &[u8] = b"resultant query\0";

/// A secret that signs cursors, and the id that says which one did.
#[derive(Clone)]
pub struct CursorKey {
    id: u32,
    mac: Hmac<Sha256>,
}

/// A secret of less than [`CursorKey::SECRET_BYTES_MIN`] bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("secret of cursor key {id} is too short, it needs {} bytes", CursorKey::SECRET_BYTES_MIN)]
pub struct SecretTooShort {
    id: u32,
}

impl CursorKey {
    /// A shorter secret is refused.
    pub const SECRET_BYTES_MIN: usize = 16;

    /// A key of random bytes; 32 are a good length.
    ///
    /// ```
    /// use resultant::envelope::CursorKey;
    ///
    /// assert!(CursorKey::new(1, &[7; 32]).is_ok());
    /// assert!(CursorKey::new(1, b"short").is_err());
    /// ```
    pub fn new(id: u32, secret: &[u8]) -> Result<CursorKey, SecretTooShort> {
        if secret.len() < CursorKey::SECRET_BYTES_MIN {
            return Err(SecretTooShort { id });
        }
        let mac = Hmac::new_from_slice(secret).map_err(|_| SecretTooShort { id })?;
        Ok(CursorKey { id, mac })
    }

    fn over(&self, bytes: &[u8]) -> Hmac<Sha256> {
        self.mac.clone().chain_update(SIGNATURE_PURPOSE).chain_update(bytes)
    }
}

/// The id alone.
impl fmt::Debug for CursorKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CursorKey").field("id", &self.id).finish_non_exhaustive()
    }
}

/// The key that signs, and those of before that are still accepted.
///
/// To change the key, let the new one sign and keep the old one until its cursors have expired:
///
/// ```
/// use resultant::envelope::{CursorKey, CursorKeys};
///
/// let old = CursorKey::new(1, &[7; 32])?;
/// let new = CursorKey::new(2, &[8; 32])?;
/// let keys = CursorKeys::new(new).accepting(old);
/// # Ok::<(), resultant::envelope::SecretTooShort>(())
/// ```
#[derive(Clone, Debug)]
pub struct CursorKeys {
    signing: CursorKey,
    accepted: Vec<CursorKey>,
}

impl CursorKeys {
    /// One key that signs.
    pub fn new(signing: CursorKey) -> CursorKeys {
        CursorKeys { signing, accepted: Vec::new() }
    }

    /// Accepts cursors of another key as well.
    #[must_use]
    pub fn accepting(mut self, key: CursorKey) -> CursorKeys {
        self.accepted.push(key);
        self
    }

    fn with_id(&self, id: u32) -> impl Iterator<Item = &CursorKey> {
        std::iter::once(&self.signing).chain(&self.accepted).filter(move |key| key.id == id)
    }
}

/// What a query asks for, in short: a cursor of one query is not valid for another.
///
/// The query is whatever decides which items there are and in which order: the tool's name, the
/// caller, the arguments without the cursor. White space and the order of keys do not count, and
/// numbers are compared as they are written.
///
/// ```
/// use resultant::{Json, envelope::QueryDigest};
/// use serde_json::json;
///
/// let query = QueryDigest::of(&Json::from(json!({"tool": "list", "status": "open"})));
/// assert_eq!(query, QueryDigest::of(&Json::from(json!({"status": "open", "tool": "list"}))));
/// assert_ne!(query, QueryDigest::of(&Json::from(json!({"tool": "list", "status": "closed"}))));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct QueryDigest([u8; QueryDigest::BYTES]);

impl QueryDigest {
    const BYTES: usize = 16;

    /// The digest of a query.
    pub fn of(query: &Json) -> QueryDigest {
        let mut text = String::new();
        push_canonical(&mut text, query);
        let digest = Sha256::new_with_prefix(QUERY_PURPOSE).chain_update(text).finalize();
        let mut left = [0; QueryDigest::BYTES];
        left.copy_from_slice(&digest[..QueryDigest::BYTES]);
        QueryDigest(left)
    }
}

/// Where the next page starts.
///
/// ```
/// use resultant::{Json, envelope::{Cursor, CursorKey, CursorKeys, QueryDigest}};
/// use serde_json::json;
///
/// let keys = CursorKeys::new(CursorKey::new(1, &[7; 32])?);
/// let query = QueryDigest::of(&Json::from(json!({"tool": "list", "status": "open"})));
/// let now = 1_767_225_600;
///
/// let cursor = Cursor::new(Json::from(json!({"after": 42})), query, now, now + 3600)?;
/// let text = cursor.encode(&keys);
/// assert_eq!(Cursor::decode(&text, &keys, query, now + 60)?, cursor);
///
/// let error = Cursor::decode(&text, &keys, query, now + 7200).unwrap_err();
/// assert_eq!(error.to_string(), "cursor is not valid for this query");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Cursor {
    position: Json,
    query: QueryDigest,
    issued_at: u64,
    expires_at: u64,
}

/// A position of more than [`Cursor::POSITION_BYTES_MAX`] bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("position of {bytes} bytes is too long for a cursor, {} fit", Cursor::POSITION_BYTES_MAX)]
pub struct PositionTooLong {
    bytes: usize,
}

impl Cursor {
    /// A longer position, as compact JSON, is refused.
    pub const POSITION_BYTES_MAX: usize = 1024;

    /// A longer text is refused before it is looked at.
    pub const TEXT_BYTES_MAX: usize =
        ((HEAD_BYTES + Cursor::POSITION_BYTES_MAX + TAG_BYTES) * 4).div_ceil(3);

    /// A cursor for the page of `query` that starts at `position`. Times are Unix seconds; the
    /// library has no clock.
    pub fn new(
        position: Json,
        query: QueryDigest,
        issued_at: u64,
        expires_at: u64,
    ) -> Result<Cursor, PositionTooLong> {
        match position.to_string().len() {
            bytes if bytes > Cursor::POSITION_BYTES_MAX => Err(PositionTooLong { bytes }),
            _ => Ok(Cursor { position, query, issued_at, expires_at }),
        }
    }

    /// Where the page starts.
    pub fn position(&self) -> &Json {
        &self.position
    }

    /// When it was made, in Unix seconds. It is not checked: clocks differ between machines.
    pub fn issued_at(&self) -> u64 {
        self.issued_at
    }

    /// From when on it is no longer valid, in Unix seconds.
    pub fn expires_at(&self) -> u64 {
        self.expires_at
    }

    /// The text for the client, at most [`Cursor::TEXT_BYTES_MAX`] bytes.
    pub fn encode(&self, keys: &CursorKeys) -> String {
        let mut bytes = Vec::with_capacity(HEAD_BYTES + 64 + TAG_BYTES);
        bytes.push(VERSION);
        bytes.extend(keys.signing.id.to_be_bytes());
        bytes.extend(self.issued_at.to_be_bytes());
        bytes.extend(self.expires_at.to_be_bytes());
        bytes.extend(self.query.0);
        bytes.extend(self.position.to_string().into_bytes());
        let tag = keys.signing.over(&bytes).finalize().into_bytes();
        bytes.extend_from_slice(&tag[..TAG_BYTES]);
        URL_SAFE_NO_PAD.encode_to_string(bytes)
    }

    /// Reads a text that came from a client, and checks it: that one of our keys signed it, that it
    /// belongs to this query, and that it has not expired at `now`.
    pub fn decode(
        text: &str,
        keys: &CursorKeys,
        query: QueryDigest,
        now: u64,
    ) -> Result<Cursor, CursorError> {
        let cursor = Cursor::read(text, keys)?;
        if cursor.query != query {
            return Err(CursorFault::OtherQuery.into());
        }
        if now >= cursor.expires_at {
            return Err(CursorFault::Expired.into());
        }
        Ok(cursor)
    }

    /// A cursor that one of the keys signed.
    fn read(text: &str, keys: &CursorKeys) -> Result<Cursor, CursorFault> {
        if text.len() > Cursor::TEXT_BYTES_MAX {
            return Err(CursorFault::TooLong);
        }
        let bytes = URL_SAFE_NO_PAD.decode_to_vec(text).map_err(|_| CursorFault::Malformed)?;
        let (signed, tag) = bytes.split_last_chunk::<TAG_BYTES>().ok_or(CursorFault::Malformed)?;
        let (version, rest) = take::<1>(signed)?;
        if version != [VERSION] {
            return Err(CursorFault::UnknownVersion);
        }
        let (id, rest) = take(rest)?;
        let mut keys = keys.with_id(u32::from_be_bytes(id)).peekable();
        if keys.peek().is_none() {
            return Err(CursorFault::UnknownKey);
        }
        // The comparison takes the same time wherever the first difference is.
        if !keys.any(|key| key.over(signed).verify_truncated_left(tag).is_ok()) {
            return Err(CursorFault::WrongSignature);
        }
        let (issued_at, rest) = take(rest)?;
        let (expires_at, rest) = take(rest)?;
        let (query, position) = take(rest)?;
        let position = std::str::from_utf8(position).map_err(|_| CursorFault::Malformed)?;
        Ok(Cursor {
            position: Json::parse(position.to_owned()).map_err(|_| CursorFault::Malformed)?,
            query: QueryDigest(query),
            issued_at: u64::from_be_bytes(issued_at),
            expires_at: u64::from_be_bytes(expires_at),
        })
    }
}

/// A cursor that is not accepted. What it displays is for the client and does not say why;
/// [`fault`](Self::fault) does, for the log.
///
/// ```
/// use resultant::{Json, envelope::{Cursor, CursorFault, CursorKey, CursorKeys, Envelope, QueryDigest}};
///
/// let keys = CursorKeys::new(CursorKey::new(1, &[7; 32])?);
/// let error = Cursor::decode("?", &keys, QueryDigest::of(&Json::null()), 0).unwrap_err();
/// assert_eq!(error.fault(), CursorFault::Malformed);
/// assert_eq!(
///     Envelope::from(error).to_json().get("data").unwrap().to_string(),
///     r#"{"error_code":"INVALID_CURSOR","error_type":"validation","remediation":"start again without a cursor"}"#,
/// );
/// # Ok::<(), resultant::envelope::SecretTooShort>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cursor is not valid for this query")]
pub struct CursorError {
    fault: CursorFault,
}

/// Why a cursor is not accepted. For the log: a client that is told could learn how to forge one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CursorFault {
    /// More than [`Cursor::TEXT_BYTES_MAX`] bytes.
    #[error("cursor is too long")]
    TooLong,
    /// Not base64, or not the layout.
    #[error("cursor is malformed")]
    Malformed,
    /// Of a layout that this version does not know.
    #[error("cursor has an unknown version")]
    UnknownVersion,
    /// Signed with a key that is no longer, or never was, accepted.
    #[error("cursor names an unknown key")]
    UnknownKey,
    /// Altered, or signed with another secret.
    #[error("cursor has a wrong signature")]
    WrongSignature,
    /// Ours, and of another query.
    #[error("cursor belongs to another query")]
    OtherQuery,
    /// Ours, and too old.
    #[error("cursor has expired")]
    Expired,
}

impl CursorError {
    /// Why, for the log.
    pub fn fault(&self) -> CursorFault {
        self.fault
    }
}

impl From<CursorFault> for CursorError {
    fn from(fault: CursorFault) -> CursorError {
        CursorError { fault }
    }
}

/// The error for the client.
impl From<CursorError> for Envelope {
    fn from(error: CursorError) -> Envelope {
        Envelope::error(error)
            .code(ErrorCode::INVALID_CURSOR)
            .remediation("start again without a cursor")
    }
}

fn take<const N: usize>(bytes: &[u8]) -> Result<([u8; N], &[u8]), CursorFault> {
    let (head, rest) = bytes.split_first_chunk().ok_or(CursorFault::Malformed)?;
    Ok((*head, rest))
}

/// Appends a value without what does not matter: keys sorted, strings in their shortest form.
fn push_canonical(out: &mut String, json: &Json) {
    match json.kind() {
        Kind::Object => {
            let mut members: Vec<_> = json.members().collect();
            members.sort_by(|one, other| one.0.cmp(&other.0));
            out.push('{');
            for (key, value) in members {
                push_string(out, &key);
                out.push(':');
                push_canonical(out, &value);
                out.push(',');
            }
            out.push('}');
        }
        Kind::Array => {
            out.push('[');
            for item in json.items() {
                push_canonical(out, &item);
                out.push(',');
            }
            out.push(']');
        }
        Kind::String => push_string(out, &json.as_str().unwrap_or_default()),
        Kind::Null | Kind::Bool | Kind::Number => out.push_str(json.as_text()),
    }
}
