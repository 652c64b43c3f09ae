//! Lines of a text that comes in parts. Of a long line only the start is kept.

/// More of a line is counted, not looked at.
const LINE_BYTES_MAX: usize = 2 << 10;

#[derive(Debug, Default)]
pub(super) struct Splitter {
    /// The start of the line that is not at its end.
    open: String,
    open_bytes: u64,
    pub(super) lines: u64,
    pub(super) longest: u64,
}

impl Splitter {
    /// Hands out the lines that end in this part, counted from 1, without what ends them.
    pub(super) fn feed(&mut self, text: &str, line: &mut dyn FnMut(u64, &str)) {
        for part in text.split_inclusive('\n') {
            match part.strip_suffix('\n') {
                Some(part) if self.open_bytes == 0 => {
                    self.lines += 1;
                    self.longest = self.longest.max(part.len() as u64);
                    line(self.lines, start_of(part));
                }
                Some(part) => {
                    self.hold(part);
                    self.end(line);
                }
                None => self.hold(part),
            }
        }
    }

    pub(super) fn finish(&mut self, line: &mut dyn FnMut(u64, &str)) {
        if self.open_bytes > 0 {
            self.end(line);
        }
    }

    fn hold(&mut self, part: &str) {
        let room = LINE_BYTES_MAX.saturating_sub(self.open.len());
        if self.open.len() as u64 == self.open_bytes {
            self.open.push_str(&part[..part.floor_char_boundary(room)]);
        }
        self.open_bytes += part.len() as u64;
    }

    fn end(&mut self, line: &mut dyn FnMut(u64, &str)) {
        self.lines += 1;
        self.longest = self.longest.max(self.open_bytes);
        line(self.lines, start_of(&self.open));
        self.open.clear();
        self.open_bytes = 0;
    }
}

fn start_of(line: &str) -> &str {
    let line = line.strip_suffix('\r').unwrap_or(line);
    &line[..line.floor_char_boundary(LINE_BYTES_MAX)]
}
