//! A JSON object a line.

use super::{Out, RowReader, items};

/// The lines of what came, each with whether its end is there too.
pub(super) fn line_parts(bytes: &[u8]) -> impl Iterator<Item = (&[u8], bool)> {
    bytes.split_inclusive(|&byte| byte == b'\n').map(|part| match part.strip_suffix(b"\n") {
        Some(content) => (content, true),
        None => (part, false),
    })
}

#[derive(Debug, Default)]
pub(super) struct JsonLines {
    line: Vec<u8>,
    is_too_long: bool,
}

impl JsonLines {
    pub(super) fn feed(&mut self, bytes: &[u8], out: &mut Out<'_>) {
        for (content, is_end) in line_parts(bytes) {
            match self.line.len() + content.len() <= RowReader::ROW_BYTES_MAX {
                true => self.line.extend_from_slice(content),
                false => self.is_too_long = true,
            }
            if is_end {
                self.end_line(out);
            }
        }
    }

    pub(super) fn finish(&mut self, out: &mut Out<'_>) {
        if !self.line.is_empty() {
            self.end_line(out);
        }
    }

    fn end_line(&mut self, out: &mut Out<'_>) {
        let line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.is_too_long) {
            return out.lose_row();
        }
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line).trim_ascii();
        if !line.is_empty() {
            items::row(line, out);
        }
    }
}
