//! Base64 as servers write it: standard or URL-safe, padded or not. Anything else is invalid.
//!
//! [`Decoder`] takes the text in pieces, so a file never has to be in memory whole. Bits that the
//! last character has too many are ignored, as most decoders do.

use base64_simd::{Base64, STANDARD, STANDARD_NO_PAD, URL_SAFE_NO_PAD};

/// The text is not base64; the first byte that shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Invalid {
    pub(crate) at: u64,
}

/// Standard base64 with padding.
pub(crate) fn encode(bytes: &[u8]) -> String {
    STANDARD.encode_to_string(bytes)
}

/// Appends standard base64 with padding.
pub(crate) fn push_encoded(out: &mut String, bytes: &[u8]) {
    STANDARD.encode_append(bytes, out);
}

/// Decodes a whole text.
#[cfg(test)]
pub(crate) fn decode(text: &str) -> Result<Vec<u8>, Invalid> {
    let mut decoded = Vec::with_capacity(text.len() / 4 * 3 + 3);
    decode_in_parts(text, |part| decoded.extend_from_slice(part))?;
    Ok(decoded)
}

/// Decodes a whole text and hands it on in parts, in a buffer of fixed size.
pub(crate) fn decode_in_parts(text: &str, mut part: impl FnMut(&[u8])) -> Result<(), Invalid> {
    const PART_BYTES: usize = 64 << 10;
    let mut decoder = Decoder::default();
    let mut buffer = Vec::with_capacity(PART_BYTES);
    for chunk in text.as_bytes().chunks(PART_BYTES) {
        decoder.feed(chunk, &mut buffer)?;
        part(&buffer);
        buffer.clear();
    }
    decoder.finish(&mut buffer)?;
    part(&buffer);
    Ok(())
}

/// Decodes text that comes in pieces.
#[derive(Clone, Debug, Default)]
pub(crate) struct Decoder {
    alphabet: Alphabet,
    /// Characters of a group of four that is not whole yet.
    group: [u8; 4],
    group_len: usize,
    /// How many `=` came.
    padding: usize,
    /// Characters read before the group.
    consumed: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Alphabet {
    /// Nothing but letters and digits so far.
    #[default]
    Either,
    Standard,
    UrlSafe,
}

impl Alphabet {
    fn codec(self) -> Base64 {
        match self {
            Alphabet::UrlSafe => URL_SAFE_NO_PAD,
            Alphabet::Either | Alphabet::Standard => STANDARD_NO_PAD,
        }
    }
}

impl Decoder {
    /// Reads a piece and appends what it decodes to.
    pub(crate) fn feed(&mut self, mut piece: &[u8], out: &mut Vec<u8>) -> Result<(), Invalid> {
        while self.group_len > 0 {
            let Some((&byte, rest)) = piece.split_first() else { return Ok(()) };
            self.push(byte, out)?;
            piece = rest;
        }
        let mut whole = piece.len() / 4 * 4;
        if piece[..whole].ends_with(b"=") {
            whole -= 4;
        }
        self.bulk(&piece[..whole], out)?;
        piece[whole..].iter().try_for_each(|&byte| self.push(byte, out))
    }

    /// Ends the text.
    pub(crate) fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), Invalid> {
        let total = self.group_len + self.padding;
        if self.group_len == 1 || (self.padding > 0 && total != 4) {
            return Err(Invalid { at: self.consumed + total as u64 });
        }
        let mut bits = 0_u32;
        for at in 0..4 {
            bits = bits << 6 | value(self.group[at]).filter(|_| at < self.group_len).unwrap_or(0);
        }
        let decoded = bits.to_be_bytes();
        out.extend_from_slice(&decoded[1..1 + self.group_len * 3 / 4]);
        self.group_len = 0;
        Ok(())
    }

    /// What has been read and not decoded yet.
    pub(crate) fn held(&self) -> String {
        let group = self.group[..self.group_len].iter().map(|&byte| byte as char);
        group.chain(std::iter::repeat_n('=', self.padding)).collect()
    }

    /// Groups of four without padding, many at a time.
    fn bulk(&mut self, groups: &[u8], out: &mut Vec<u8>) -> Result<(), Invalid> {
        if groups.is_empty() {
            return Ok(());
        }
        let start = out.len();
        let mut decoded = self.alphabet.codec().decode_append(groups, out).is_ok();
        if self.alphabet == Alphabet::Either {
            if decoded {
                if has_standard(groups) {
                    self.alphabet = Alphabet::Standard;
                }
            } else {
                out.truncate(start);
                decoded = URL_SAFE_NO_PAD.decode_append(groups, out).is_ok();
                self.alphabet = Alphabet::UrlSafe;
            }
        }
        if !decoded {
            out.truncate(start);
            return Err(Invalid { at: self.consumed + first_invalid(groups) });
        }
        self.consumed += groups.len() as u64;
        Ok(())
    }

    fn push(&mut self, byte: u8, out: &mut Vec<u8>) -> Result<(), Invalid> {
        let at = self.consumed + (self.group_len + self.padding) as u64;
        if byte == b'=' {
            self.padding += 1;
            let fits = self.group_len >= 2 && self.group_len + self.padding <= 4;
            return if fits { Ok(()) } else { Err(Invalid { at }) };
        }
        if self.padding > 0 || value(byte).is_none() || self.is_other_alphabet(byte) {
            return Err(Invalid { at });
        }
        match byte {
            b'+' | b'/' => self.alphabet = Alphabet::Standard,
            b'-' | b'_' => self.alphabet = Alphabet::UrlSafe,
            _ => {}
        }
        self.group[self.group_len] = byte;
        self.group_len += 1;
        if self.group_len == 4 {
            let group = self.group;
            self.group_len = 0;
            self.bulk(&group, out)?;
        }
        Ok(())
    }

    fn is_other_alphabet(&self, byte: u8) -> bool {
        match self.alphabet {
            Alphabet::Either => false,
            Alphabet::Standard => matches!(byte, b'-' | b'_'),
            Alphabet::UrlSafe => matches!(byte, b'+' | b'/'),
        }
    }
}

/// Whether there is a character that only the standard alphabet has. There is no way out of the loop
/// before the end of a block, so that many bytes are looked at together.
fn has_standard(text: &[u8]) -> bool {
    const BLOCK: usize = 256;
    text.chunks(BLOCK).any(|block| {
        block.iter().fold(false, |found, &byte| found | (byte == b'+') | (byte == b'/'))
    })
}

/// Where text that is known to be invalid shows it: a character of no alphabet, or of the one that
/// the text did not start with.
fn first_invalid(text: &[u8]) -> u64 {
    let is_special = |byte: &&u8| matches!(byte, b'+' | b'/' | b'-' | b'_');
    let is_standard = text.iter().find(is_special).is_none_or(|byte| matches!(byte, b'+' | b'/'));
    let other: [u8; 2] = if is_standard { *b"-_" } else { *b"+/" };
    let at = text.iter().position(|byte| value(*byte).is_none() || other.contains(byte));
    at.unwrap_or(0) as u64
}

fn value(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&[u8], u64>) {
        let decoded = decode(text);
        assert_eq!(decoded.as_deref().map_err(|invalid| invalid.at), expected, "{text}");
        // The same in pieces of every size.
        for size in 1..text.len().max(1) {
            let mut decoder = Decoder::default();
            let mut out = Vec::new();
            let fed =
                text.as_bytes().chunks(size).try_for_each(|piece| decoder.feed(piece, &mut out));
            let result = fed.and_then(|()| decoder.finish(&mut out)).map(|()| out);
            assert_eq!(result.is_ok(), expected.is_ok(), "{text} by {size}");
            if let Ok(out) = result {
                assert_eq!(out, expected.unwrap(), "{text} by {size}");
            }
        }
    }

    #[test]
    fn r6_accepts_both_alphabets_padded_or_not() {
        check("", Ok(b""));
        check("QQ==", Ok(b"A"));
        check("QQ", Ok(b"A"));
        check("QUI=", Ok(b"AB"));
        check("QUI", Ok(b"AB"));
        check("+/+/", Ok(&[0xfb, 0xff, 0xbf]));
        check("-_-_", Ok(&[0xfb, 0xff, 0xbf]));
        check("AAAAAAAA-_-_AAAA", Ok(&[0, 0, 0, 0, 0, 0, 0xfb, 0xff, 0xbf, 0, 0, 0]));
        check("QR==", Ok(b"A"));
    }

    #[test]
    fn what_is_written_is_read_again() {
        for len in 0..70_usize {
            let bytes: Vec<u8> = (0..len).map(|at| (at * 37 + len) as u8).collect();
            let text = encode(&bytes);
            assert_eq!(text.len(), len.div_ceil(3) * 4);
            assert_eq!(decode(&text), Ok(bytes.clone()));
            let mut appended = "x".to_owned();
            push_encoded(&mut appended, &bytes);
            assert_eq!(appended, format!("x{text}"));
        }
    }

    #[test]
    fn what_is_held_back_is_told() {
        let mut decoder = Decoder::default();
        let mut out = Vec::new();
        decoder.feed(b"QUFBQU", &mut out).unwrap();
        assert_eq!((decoder.held().as_str(), out.as_slice()), ("QU", b"AAA".as_slice()));
        decoder.feed(b"E=", &mut out).unwrap();
        assert_eq!(decoder.held(), "QUE=");
    }

    #[test]
    fn r6_refuses_everything_else() {
        check("Q", Err(1));
        check("QQ=", Err(3));
        check("QQ===", Err(4));
        check("=", Err(0));
        check("QQ==QQ==", Err(2));
        check("QU I=", Err(2));
        check("QUFB\n", Err(4));
        check("+-AA", Err(1));
        check("-_-_AAAA+AAA", Err(8));
        check("+AAA-AAA", Err(4));
        check("/AAA_AAA", Err(4));
        check("!!!not base64!!!", Err(0));
        check("data:text/plain;base64,QQ==", Err(4));
    }
}
