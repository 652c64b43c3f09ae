//! Names nobody can guess: of files, calls and tokens.

use std::{fmt, str::FromStr};

use data_encoding::BASE64URL_NOPAD;

/// 128 random bits, written as 22 characters that are safe in a URL. One id has one spelling.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id([u8; 16]);

impl Id {
    /// A new one.
    pub fn new() -> Id {
        let mut bytes = [0; 16];
        // Without randomness there are no safe ids; going on would be worse than ending.
        getrandom::fill(&mut bytes).expect("the system has random numbers");
        Id(bytes)
    }

    /// The bits.
    pub fn to_bytes(self) -> [u8; 16] {
        self.0
    }

    /// An id of these bits.
    pub fn from_bytes(bytes: [u8; 16]) -> Id {
        Id(bytes)
    }
}

impl Default for Id {
    fn default() -> Id {
        Id::new()
    }
}

impl fmt::Display for Id {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&BASE64URL_NOPAD.encode(&self.0))
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

/// A text that is no id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an id")]
pub struct NoId;

impl FromStr for Id {
    type Err = NoId;

    fn from_str(text: &str) -> Result<Id, NoId> {
        let bytes = BASE64URL_NOPAD.decode(text.as_bytes()).map_err(|_| NoId)?;
        bytes.try_into().map(Id).map_err(|_| NoId)
    }
}
