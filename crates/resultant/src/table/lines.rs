//! A JSON object a line.

use super::{Out, RowReader, items};

#[derive(Debug, Default)]
pub(super) struct JsonLines {
    line: Vec<u8>,
    is_too_long: bool,
}

impl JsonLines {
    pub(super) fn feed(&mut self, bytes: &[u8], out: &mut Out<'_>) {
        for part in bytes.split_inclusive(|&byte| byte == b'\n') {
            let (content, is_end) = match part.strip_suffix(b"\n") {
                Some(content) => (content, true),
                None => (part, false),
            };
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
