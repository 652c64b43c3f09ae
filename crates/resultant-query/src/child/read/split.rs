//! Rows that Python printed, one on a line.
//!
//! They come in one line, however many they are, and a search that finds one line of a megabyte has
//! found nothing. The text stays as it is; only an end of line is put behind each row.

/// Puts ends of lines into text that comes in pieces.
#[derive(Debug, Default)]
pub(super) struct Split {
    quote: Option<u8>,
    is_escaped: bool,
    depth: usize,
    /// Space behind a row is left out.
    is_behind: bool,
}

impl Split {
    pub(super) fn push(&mut self, bytes: &[u8], mut take: impl FnMut(&[u8])) {
        let mut start = 0;
        for (at, &byte) in bytes.iter().enumerate() {
            if self.is_behind {
                if byte.is_ascii_whitespace() {
                    start = at + 1;
                    continue;
                }
                self.is_behind = false;
            }
            match (self.quote, byte) {
                (Some(_), _) if self.is_escaped => self.is_escaped = false,
                (Some(_), b'\\') => self.is_escaped = true,
                (Some(open), _) if byte == open => self.quote = None,
                (Some(_), _) => {}
                (None, b'\'' | b'"') => self.quote = Some(byte),
                (None, b'[' | b'{' | b'(') => self.depth += 1,
                (None, b']' | b'}' | b')') => self.depth = self.depth.saturating_sub(1),
                (None, b',') if self.depth == 1 => {
                    take(&bytes[start..=at]);
                    take(b"\n");
                    start = at + 1;
                    self.is_behind = true;
                }
                _ => {}
            }
        }
        take(&bytes[start..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_a_line_however_it_comes() {
        let text = b"[{'a': 1, 'b': '},\\', '}, {'a': (1, 2)},\n (3, 4)]";
        for piece in [1, 3, text.len()] {
            let (mut split, mut out) = (Split::default(), Vec::new());
            for piece in text.chunks(piece) {
                split.push(piece, |bytes| out.extend_from_slice(bytes));
            }
            assert_eq!(
                String::from_utf8(out).unwrap(),
                "[{'a': 1, 'b': '},\\', '},\n{'a': (1, 2)},\n(3, 4)]"
            );
        }
    }
}
