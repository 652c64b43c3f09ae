//! Base64 that is written as its bytes are made.

use std::io::{self, Write};

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Writes what it is given as base64; [`Encoder::finish`] writes the padding.
pub(crate) struct Encoder<'a> {
    out: &'a mut dyn Write,
    /// Bytes that do not fill a group of three yet.
    rest: Vec<u8>,
    encoded: Vec<u8>,
}

impl<'a> Encoder<'a> {
    pub(crate) fn new(out: &'a mut dyn Write) -> Encoder<'a> {
        Encoder { out, rest: Vec::with_capacity(3), encoded: Vec::new() }
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        let rest = std::mem::take(&mut self.rest);
        if rest.is_empty() {
            return Ok(());
        }
        let group = [rest[0], rest.get(1).copied().unwrap_or(0), 0];
        let mut quad = quad(group);
        quad[rest.len() + 1..].fill(b'=');
        self.out.write_all(&quad)
    }
}

impl Write for Encoder<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.encoded.clear();
        let mut bytes_left = bytes;
        while !self.rest.is_empty()
            && let Some((byte, others)) = bytes_left.split_first()
        {
            self.rest.push(*byte);
            bytes_left = others;
            if let [first, second, third] = self.rest[..] {
                self.encoded.extend_from_slice(&quad([first, second, third]));
                self.rest.clear();
            }
        }
        let (groups, rest) = bytes_left.as_chunks::<3>();
        for group in groups {
            self.encoded.extend_from_slice(&quad(*group));
        }
        self.rest.extend_from_slice(rest);
        self.out.write_all(&self.encoded)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn quad([first, second, third]: [u8; 3]) -> [u8; 4] {
    let bits = u32::from(first) << 16 | u32::from(second) << 8 | u32::from(third);
    [18, 12, 6, 0].map(|shift| ALPHABET[(bits >> shift) as usize & 63])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_split_gives_the_same_text() {
        for (text, expected) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foobar", "Zm9vYmFy")] {
            for cut in 0..=text.len() {
                let mut out = Vec::new();
                let mut encoder = Encoder::new(&mut out);
                let (head, tail) = text.as_bytes().split_at(cut);
                encoder.write_all(head).unwrap();
                encoder.write_all(tail).unwrap();
                encoder.finish().unwrap();
                assert_eq!(out, expected.as_bytes(), "{text} cut at {cut}");
            }
        }
    }
}
