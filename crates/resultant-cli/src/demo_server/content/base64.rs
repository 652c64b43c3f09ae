//! Base64 that is written as its bytes are made.

use std::io::{self, Write};

use base64_simd::STANDARD;

/// Writes what it is given as base64; [`Encoder::finish`] writes the padding.
pub(crate) struct Encoder<'a> {
    out: &'a mut dyn Write,
    /// Bytes that do not fill a group of three yet.
    rest: Vec<u8>,
}

impl<'a> Encoder<'a> {
    pub(crate) fn new(out: &'a mut dyn Write) -> Encoder<'a> {
        Encoder { out, rest: Vec::with_capacity(3) }
    }

    pub(crate) fn finish(self) -> io::Result<()> {
        self.out.write_all(STANDARD.encode_to_string(&self.rest).as_bytes())
    }
}

impl Write for Encoder<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let missing = (3 - self.rest.len()) % 3;
        let (head, others) = bytes.split_at(missing.min(bytes.len()));
        self.rest.extend_from_slice(head);
        if self.rest.len() == 3 {
            self.out.write_all(STANDARD.encode_to_string(&self.rest).as_bytes())?;
            self.rest.clear();
        }
        let (groups, rest) = others.split_at(others.len() / 3 * 3);
        self.out.write_all(STANDARD.encode_to_string(groups).as_bytes())?;
        self.rest.extend_from_slice(rest);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
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
