//! A message in chunks: bytes to text, repaired where it is not UTF-8, and on to the scanner.

use super::{HEAD_BYTES, Level, Sink, Spilled, Spiller};
use crate::{
    Limits,
    json::{ScanError, ScanOptions, Scanned, Scanner},
};

/// A message that comes in chunks.
pub(crate) struct Chunks<'a> {
    scanner: Scanner,
    spiller: Spiller<'a>,
    error: Option<ScanError>,
    /// The start of a character whose rest is in the next chunk.
    split: Vec<u8>,
    is_started: bool,
    repaired_bytes: usize,
    had_bom: bool,
    /// What came so far, as long as it is little: a message that is no JSON is shown by it.
    head: Vec<u8>,
    total: u64,
}

/// What became of a message that came in chunks.
pub(crate) struct ChunksEnd<'a> {
    pub(crate) scanned: Result<Scanned, ScanError>,
    pub(crate) spilled: Vec<Spilled>,
    pub(crate) sink: &'a mut dyn Sink,
    pub(crate) repaired_bytes: usize,
    pub(crate) had_bom: bool,
    pub(crate) head: Vec<u8>,
    pub(crate) total: u64,
}

impl<'a> Chunks<'a> {
    pub(crate) fn new(limits: &Limits, sink: &'a mut dyn Sink) -> Chunks<'a> {
        let options = ScanOptions::lenient(limits).spilling(limits, Level::Message);
        Chunks {
            scanner: Scanner::new(options),
            spiller: Spiller::new(sink, limits.clone()),
            error: None,
            split: Vec::new(),
            is_started: false,
            repaired_bytes: 0,
            had_bom: false,
            head: Vec::new(),
            total: 0,
        }
    }

    pub(crate) fn feed(&mut self, chunk: &[u8]) {
        self.total += chunk.len() as u64;
        let room = HEAD_BYTES - self.head.len().min(HEAD_BYTES);
        self.head.extend_from_slice(&chunk[..chunk.len().min(room)]);
        let mut rest = chunk;
        // A character that was split is completed first, byte by byte.
        while !self.split.is_empty() {
            let Some((&byte, more)) = rest.split_first() else { return };
            let mut bytes = std::mem::take(&mut self.split);
            bytes.push(byte);
            rest = more;
            self.text_or_split(&bytes, false);
        }
        self.text_or_split(rest, false);
    }

    /// Scans what is UTF-8, repairs what is not, and keeps the start of a split character.
    fn text_or_split(&mut self, bytes: &[u8], is_last: bool) {
        let mut rest = bytes;
        loop {
            match std::str::from_utf8(rest) {
                Ok(text) => return self.text(text),
                Err(error) => {
                    let (valid, invalid) = rest.split_at(error.valid_up_to());
                    if let Ok(text) = std::str::from_utf8(valid) {
                        self.text(text);
                    }
                    match error.error_len() {
                        None if !is_last => {
                            self.split = invalid.to_vec();
                            return;
                        }
                        len => {
                            self.repaired_bytes += 1;
                            self.text("\u{fffd}");
                            rest = &invalid[len.unwrap_or(invalid.len())..];
                        }
                    }
                }
            }
        }
    }

    fn text(&mut self, mut text: &str) {
        if !self.is_started && !text.is_empty() {
            self.is_started = true;
            if let Some(rest) = text.strip_prefix('\u{feff}') {
                self.had_bom = true;
                text = rest;
            }
        }
        if self.error.is_some() || text.is_empty() {
            return;
        }
        self.error = self.scanner.feed(text, &mut self.spiller).err();
    }

    pub(crate) fn finish(mut self) -> ChunksEnd<'a> {
        let split = std::mem::take(&mut self.split);
        self.text_or_split(&split, true);
        let scanned = match self.error {
            Some(error) => Err(error),
            None => self.scanner.finish(&mut self.spiller),
        };
        let (spilled, sink) = self.spiller.finish();
        ChunksEnd {
            scanned,
            spilled,
            sink,
            repaired_bytes: self.repaired_bytes,
            had_bom: self.had_bom,
            head: self.head,
            total: self.total,
        }
    }
}
