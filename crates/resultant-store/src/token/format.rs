//! How a token is written: 81 bytes as 108 characters that are safe in a URL.
//!
//! ```text
//!  0  version       5  key (4)     25  subject (16)   57  not before (4)   65  signature (16)
//!  1  kind          9  id (16)     41  caller (16)    61  expires (4)
//!  2  action
//!  3  audience
//!  4  flags
//! ```
//! Numbers are big endian, times are seconds since 1970. 81 is a multiple of three, so there is no
//! padding and no bit to spare: a row of bytes has one spelling. Every token begins with `rt`.

use data_encoding::BASE64URL_NOPAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use super::{Action, Audience, Key, Kind};
use crate::Id;

/// How many characters a token has.
pub const TOKEN_LENGTH: usize = 108;

const BYTES: usize = 81;
const SIGNED: usize = BYTES - SIGNATURE;
const SIGNATURE: usize = 16;

/// Together with the first half of the kind this is `rt`.
const VERSION: u8 = 0xAE;
const SINGLE_USE: u8 = 1;

/// What a token states. It is true where the signature is right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stated {
    pub(crate) kind: Kind,
    pub(crate) action: Action,
    pub(crate) audience: Audience,
    pub(crate) is_single_use: bool,
    pub(crate) id: Id,
    pub(crate) subject: Id,
    pub(crate) caller: [u8; 16],
    pub(crate) not_before_s: u32,
    pub(crate) expires_s: u32,
}

/// A user and a session in 16 bytes.
pub(crate) fn caller(owner: &str, session: &str) -> [u8; 16] {
    let mut hash = Sha256::new();
    hash.update(b"resultant caller\0");
    // The length keeps `a` + `bc` and `ab` + `c` apart.
    hash.update((owner.len() as u64).to_be_bytes());
    hash.update(owner);
    hash.update(session);
    let hash: [u8; 32] = hash.finalize().into();
    take(&hash, 0)
}

/// A text that has the form of a token, and of which nothing is known to be true.
pub(super) struct Unchecked([u8; BYTES]);

impl Unchecked {
    /// Strict: exactly this many characters of exactly this alphabet.
    pub(super) fn read(text: &[u8]) -> Option<Unchecked> {
        let mut bytes = [0; BYTES];
        if text.len() != TOKEN_LENGTH {
            return None;
        }
        BASE64URL_NOPAD.decode_mut(text, &mut bytes).ok()?;
        Some(Unchecked(bytes))
    }

    /// The key that it says signed it.
    pub(super) fn kid(&self) -> u32 {
        u32::from_be_bytes(take(&self.0, 5))
    }

    /// The id that it claims, for the log.
    pub(super) fn claimed_id(&self) -> Id {
        Id::from_bytes(take(&self.0, 9))
    }

    /// Whether this key signed it; takes as long whatever the answer.
    pub(super) fn is_signed_by(&self, key: &Signer) -> bool {
        let expected = key.sign(&self.0[..SIGNED]);
        expected.ct_eq(&self.0[SIGNED..]).into()
    }

    /// What it states. `None` for values that this version does not know.
    pub(super) fn stated(&self) -> Option<Stated> {
        let bytes = &self.0;
        if bytes[0] != VERSION || bytes[4] & !SINGLE_USE != 0 {
            return None;
        }
        Some(Stated {
            kind: match bytes[1] {
                0xD1 => Kind::File,
                0xD2 => Kind::Dashboard,
                _ => return None,
            },
            action: match bytes[2] {
                1 => Action::Read,
                2 => Action::Write,
                _ => return None,
            },
            audience: match bytes[3] {
                1 => Audience::Tool,
                2 => Audience::Person,
                _ => return None,
            },
            is_single_use: bytes[4] == SINGLE_USE,
            id: Id::from_bytes(take(bytes, 9)),
            subject: Id::from_bytes(take(bytes, 25)),
            caller: take(bytes, 41),
            not_before_s: u32::from_be_bytes(take(bytes, 57)),
            expires_s: u32::from_be_bytes(take(bytes, 61)),
        })
    }
}

impl Stated {
    /// Writes a token and signs it.
    pub(crate) fn write(&self, key: &Signer) -> String {
        let mut bytes = Vec::with_capacity(BYTES);
        bytes.push(VERSION);
        bytes.push(match self.kind {
            Kind::File => 0xD1,
            Kind::Dashboard => 0xD2,
        });
        bytes.push(match self.action {
            Action::Read => 1,
            Action::Write => 2,
        });
        bytes.push(match self.audience {
            Audience::Tool => 1,
            Audience::Person => 2,
        });
        bytes.push(if self.is_single_use { SINGLE_USE } else { 0 });
        bytes.extend_from_slice(&key.kid.to_be_bytes());
        bytes.extend_from_slice(&self.id.to_bytes());
        bytes.extend_from_slice(&self.subject.to_bytes());
        bytes.extend_from_slice(&self.caller);
        bytes.extend_from_slice(&self.not_before_s.to_be_bytes());
        bytes.extend_from_slice(&self.expires_s.to_be_bytes());
        let signature = key.sign(&bytes);
        bytes.extend_from_slice(&signature);
        BASE64URL_NOPAD.encode(&bytes)
    }
}

/// A key, ready to sign.
#[derive(Clone)]
pub(crate) struct Signer {
    pub(super) kid: u32,
    pub(super) created_s: i64,
    mac: Hmac<Sha256>,
}

impl Signer {
    pub(super) fn new(key: &Key) -> Signer {
        // Any length of key is one that HMAC takes.
        let mac = Hmac::new_from_slice(&key.secret).expect("HMAC takes keys of any length");
        Signer { kid: key.kid, created_s: key.created_s, mac }
    }

    fn sign(&self, bytes: &[u8]) -> [u8; SIGNATURE] {
        let mut mac = self.mac.clone();
        mac.update(bytes);
        let signature: [u8; 32] = mac.finalize().into_bytes().into();
        take(&signature, 0)
    }
}

impl std::fmt::Debug for Signer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Signer").field("kid", &self.kid).finish_non_exhaustive()
    }
}

/// So many bytes from a place on; zeros where there are too few, which no caller has.
fn take<const COUNT: usize>(bytes: &[u8], at: usize) -> [u8; COUNT] {
    let part = bytes.get(at..at + COUNT);
    part.and_then(|part| part.try_into().ok()).unwrap_or([0; COUNT])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::scan::find_token_ids;

    #[test]
    fn each_part_must_be_one_that_is_known() {
        let stated = Stated {
            kind: Kind::File,
            action: Action::Read,
            audience: Audience::Tool,
            is_single_use: true,
            id: Id::new(),
            subject: Id::new(),
            caller: caller("ann", "s"),
            not_before_s: 1,
            expires_s: 2,
        };
        let key = Signer::new(&Key { kid: 7, secret: [3; 32], created_s: 0 });
        assert_eq!(format!("{key:?}"), "Signer { kid: 7, .. }", "and no secret");
        let text = stated.write(&key);
        let read = || Unchecked::read(text.as_bytes()).expect("a token");
        assert_eq!((read().claimed_id(), read().kid()), (stated.id, 7));
        let told = format!("{text}, rt{text}");
        let ids: Vec<Id> = find_token_ids(told.as_bytes()).collect();
        assert_eq!(ids, [stated.id, stated.id], "wherever it stands");
        assert_eq!(read().stated(), Some(stated));
        // Version, kind, action, audience, flags: each by itself.
        for at in 0..5 {
            for strange in [0xFF, 0x82] {
                let mut token = read();
                token.0[at] = strange;
                assert_eq!(token.stated(), None, "{strange:#x} at {at}");
            }
        }
    }
}
