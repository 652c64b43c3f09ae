//! The bytes of a message, and the text they are.

use bytes::Bytes;
use bytestring::ByteString;

use crate::{
    json::Json,
    note::{Note, Rule},
    outcome::Builder,
};

/// The bytes of a message. Owned ones are shared, not copied.
#[derive(Clone, Debug)]
pub struct Input(pub(super) Bytes);

impl From<Bytes> for Input {
    fn from(bytes: Bytes) -> Input {
        Input(bytes)
    }
}

impl From<Vec<u8>> for Input {
    fn from(bytes: Vec<u8>) -> Input {
        Input(bytes.into())
    }
}

impl From<String> for Input {
    fn from(text: String) -> Input {
        Input(text.into())
    }
}

impl From<&[u8]> for Input {
    fn from(bytes: &[u8]) -> Input {
        Input(Bytes::copy_from_slice(bytes))
    }
}

impl<const N: usize> From<&[u8; N]> for Input {
    fn from(bytes: &[u8; N]) -> Input {
        Input(Bytes::copy_from_slice(bytes))
    }
}

impl From<&str> for Input {
    fn from(text: &str) -> Input {
        Input(Bytes::copy_from_slice(text.as_bytes()))
    }
}

impl From<&Json> for Input {
    fn from(json: &Json) -> Input {
        Input(json.shared().as_bytes().clone())
    }
}

/// What had to be done to read a message as text.
#[derive(Default)]
pub(crate) struct Repairs {
    pub(super) replaced: usize,
    pub(super) had_bom: bool,
}

impl Repairs {
    pub(super) fn note(&self, builder: &mut Builder<'_>) {
        if self.replaced > 0 {
            let message =
                format!("{} places that are not UTF-8 were replaced by U+FFFD", self.replaced);
            builder.note(Note::changed(Rule::R14, "", message));
        }
        if self.had_bom {
            builder.note(Note::remark(
                Rule::R14,
                "byte 0",
                "the message starts with a byte order mark",
            ));
        }
        builder.source.is_rewritten |= self.replaced > 0 || self.had_bom;
    }
}

/// The message as text, without a byte order mark, and with U+FFFD for what is not UTF-8.
pub(crate) fn decode(bytes: &Bytes) -> (ByteString, Repairs) {
    let mut repairs = Repairs::default();
    let text = ByteString::try_from(bytes.clone()).unwrap_or_else(|_| {
        let mut text = String::with_capacity(bytes.len());
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            if !chunk.invalid().is_empty() {
                text.push(char::REPLACEMENT_CHARACTER);
                repairs.replaced += 1;
            }
        }
        text.into()
    });
    match text.strip_prefix('\u{feff}') {
        Some(rest) => {
            repairs.had_bom = true;
            (text.slice_ref(rest), repairs)
        }
        None => (text, repairs),
    }
}
