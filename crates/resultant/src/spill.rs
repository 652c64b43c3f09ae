//! Cuts long strings out of a message while it is read, so that memory stays flat.
//!
//! The reader hands a string that grows over `string_bytes_max` to a [`Sink`] the caller gives, and
//! leaves a handle in its place. A handle starts with a raw NUL, which JSON does not allow in a
//! string and the scanner never lets through, so no input can forge one; a parser that does not
//! know handles refuses the text.
//!
//! A string under a key that holds a file (`data`, `blob`, `b64`) is decoded from base64 on the
//! way. Text that starts like JSON is scanned by a second scanner as it passes, so that a contract
//! inside a text block is found without the text ever being in memory.

mod chunks;

use std::{fmt::Write as _, io, sync::Arc};

use sha2::{Digest as _, Sha256};

pub(crate) use self::chunks::{Chunks, ChunksEnd};
use crate::{
    Limits,
    artifact::signature,
    base64::{self, Decoder},
    json::{ScanOptions, Scanned, Scanner},
    survey::{Survey, Surveyor},
};

/// Names one string that was handed to a sink.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SpillId(pub u32);

/// Takes the strings that are too long to keep. The library does no I/O of its own.
///
/// Strings come one after the other, except that a string inside JSON text is handed over while the
/// text is still coming, under an id of its own.
pub trait Sink {
    /// The next bytes of a string. The first call for an id starts it. An error stops this string
    /// alone; the outcome says so and keeps what is known of it. After an error no more of it comes,
    /// unless the sink computes digests.
    fn write(&mut self, id: SpillId, bytes: &[u8]) -> io::Result<()>;

    /// The string is whole.
    fn end(&mut self, id: SpillId) -> io::Result<()>;

    /// The string is not needed after all: its bytes are in another one.
    fn discard(&mut self, id: SpillId);

    /// Whether the sink computes the SHA-256 of each string, and says it by [`Sink::sha256`]. A sink
    /// with threads of its own does that faster than the reader, which needs it too.
    fn computes_sha256(&self) -> bool {
        false
    }

    /// The SHA-256 of all bytes of a string, those after an error included. It is asked for behind
    /// the last of them, before the end is told, and only of a sink that computes it.
    fn sha256(&mut self, _id: SpillId) -> [u8; 32] {
        [0; 32]
    }
}

/// A sink that keeps everything in memory, for tests and small tools.
///
/// ```
/// use resultant::{MemorySink, Limits, ReadOptions};
///
/// let limits = Limits { string_bytes_max: 16, ..Default::default() };
/// let mut sink = MemorySink::default();
/// let options = ReadOptions { limits, ..Default::default() };
/// let mut reader = options.reader(&mut sink);
/// reader.feed(br#"{"content": [{"type": "text", "text": "a text of more "#);
/// reader.feed(br#"than sixteen bytes"}]}"#);
/// let outcome = reader.finish();
/// assert_eq!(outcome.artifacts[0].name, "output.txt");
/// assert_eq!(sink.strings.len(), 1);
/// ```
#[derive(Debug, Default)]
pub struct MemorySink {
    /// What came, by id.
    pub strings: std::collections::BTreeMap<SpillId, Vec<u8>>,
}

impl Sink for MemorySink {
    fn write(&mut self, id: SpillId, bytes: &[u8]) -> io::Result<()> {
        self.strings.entry(id).or_default().extend_from_slice(bytes);
        Ok(())
    }

    fn end(&mut self, _: SpillId) -> io::Result<()> {
        Ok(())
    }

    fn discard(&mut self, id: SpillId) {
        self.strings.remove(&id);
    }
}

/// A string that went to the sink, and what was learned on the way.
#[derive(Clone, Debug)]
pub(crate) struct Spilled {
    pub(crate) id: SpillId,
    /// Whether the sink has decoded base64 rather than the string's own text.
    pub(crate) is_decoded: bool,
    pub(crate) size: u64,
    pub(crate) sha256: [u8; 32],
    /// The first bytes, to know the kind and to show a little.
    pub(crate) head: Vec<u8>,
    /// The last bytes, for the same.
    pub(crate) tail: Vec<u8>,
    /// The text as JSON, its own long strings cut out.
    pub(crate) inner: Option<Scanned>,
    /// What stands before the base64 that was decoded.
    pub(crate) prefix: String,
    /// What a text is.
    pub(crate) survey: Option<Arc<Survey>>,
    /// The rest of a string whose start was base64: it follows, as text, under this id.
    pub(crate) undecodable_rest: Option<SpillId>,
    /// The sink failed.
    pub(crate) failure: Option<String>,
}

impl Spilled {
    /// The first and last bytes of a text, at most so many each, cut between characters.
    pub(crate) fn ends(&self, bytes_max: usize) -> (String, String) {
        let head = String::from_utf8_lossy(&self.head[..bytes_max.min(self.head.len())]);
        let tail = String::from_utf8_lossy(&self.tail[self.tail.len().saturating_sub(bytes_max)..]);
        let whole = |text: &str| text.trim_matches(char::REPLACEMENT_CHARACTER).to_owned();
        (whole(&head), whole(&tail))
    }
}

/// What a key says about the string below it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Hint {
    #[default]
    None,
    /// A file in base64.
    Base64,
    /// Text that may be JSON.
    Text,
    /// A list of files in base64.
    Files,
}

impl Hint {
    pub(crate) fn of_key(key: &str) -> Hint {
        match key {
            "data" | "blob" | "b64" => Hint::Base64,
            "text" | "result" => Hint::Text,
            "returned_file_contents" => Hint::Files,
            _ => Hint::None,
        }
    }

    /// What it says about the items of an array.
    pub(crate) fn of_item(self) -> Hint {
        if self == Hint::Files { Hint::Base64 } else { Hint::None }
    }
}

/// The mark that starts a handle.
const HANDLE_MARK: char = '\0';

/// The spilled string that a JSON string, given as raw text with its quotes, stands for. An escaped
/// NUL is no mark: only the raw text tells.
pub(crate) fn handle_id(string: &str) -> Option<SpillId> {
    let (id, _) = handle_parts(string)?;
    id.parse().ok().map(SpillId)
}

/// The part of a handle that says what the string is, whatever its id.
pub(crate) fn handle_digest(string: &str) -> Option<&str> {
    Some(handle_parts(string)?.1)
}

fn handle_parts(string: &str) -> Option<(&str, &str)> {
    string.strip_prefix('"')?.strip_prefix(HANDLE_MARK)?.split_once(':')
}

/// Which of the two scanners a string comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// The message's.
    Message,
    /// The one that reads the JSON inside a text of the message.
    Text,
}

/// Hands strings to the sink and keeps account of them.
pub(crate) struct Spiller<'a> {
    sink: &'a mut dyn Sink,
    limits: Limits,
    spilled: Vec<Spilled>,
    /// The string that is open on each level.
    open: [Option<Open>; 2],
    /// The scanner of the text that is open.
    nested: Option<Box<Nested>>,
    next: u32,
    /// Room for what a part of base64 decodes to.
    decoded: Vec<u8>,
}

struct Open {
    id: SpillId,
    hint: Hint,
    mode: Mode,
    size: u64,
    /// Nothing where the sink computes it.
    digest: Option<Sha256>,
    head: Vec<u8>,
    tail: Vec<u8>,
    failure: Option<String>,
    /// Only white space came so far.
    is_blank: bool,
    /// The place of the decoded start, where the base64 turned out to be none.
    decoded_start: Option<SpillId>,
    /// What stands before the base64.
    prefix: String,
    /// Looks at a text as it passes.
    surveyor: Option<Box<Surveyor>>,
}

enum Mode {
    Text,
    Base64(Decoder),
}

/// The start of a text that is a file in base64: what stands before the bytes, where their type is
/// known by a `data:` URI or by their signature.
fn before_base64(text: &str) -> Option<&str> {
    const LOOKED_AT_CHARACTERS: usize = 256;
    const PREFIX_BYTES_MAX: usize = 120;
    let start = text.floor_char_boundary(PREFIX_BYTES_MAX);
    let uri = text[..start].find(";base64,").filter(|_| text.starts_with("data:"));
    let prefix = uri.map_or("", |at| &text[..at + ";base64,".len()]);
    let digits = text.get(prefix.len()..prefix.len() + LOOKED_AT_CHARACTERS)?;
    let mut bytes = Vec::new();
    base64::decode_in_parts(digits, |part| bytes.extend_from_slice(part)).ok()?;
    (uri.is_some() || signature(&bytes).is_some()).then_some(prefix)
}

/// A scanner for the text that passes.
struct Nested {
    scanner: Scanner,
    /// How many strings were there before its own.
    first: usize,
}

const HEAD_BYTES: usize = 4 << 10;
const TAIL_BYTES: usize = 1 << 10;

impl<'a> Spiller<'a> {
    pub(crate) fn new(sink: &'a mut dyn Sink, limits: Limits) -> Spiller<'a> {
        let (spilled, decoded) = (Vec::new(), Vec::new());
        Spiller { sink, limits, spilled, open: [None, None], nested: None, next: 0, decoded }
    }

    /// All strings that went to the sink, and the sink.
    fn finish(self) -> (Vec<Spilled>, &'a mut dyn Sink) {
        for open in self.open.into_iter().flatten() {
            self.sink.discard(open.id);
        }
        (self.spilled, self.sink)
    }

    pub(crate) fn begin(&mut self, level: Level, hint: Hint) {
        let mode = match hint {
            // A list of files may turn out to be one string.
            Hint::Base64 | Hint::Files => Mode::Base64(Decoder::default()),
            _ => Mode::Text,
        };
        self.open[level as usize] = Some(self.new_open(hint, mode));
    }

    fn new_open(&mut self, hint: Hint, mode: Mode) -> Open {
        let id = SpillId(self.next);
        self.next += 1;
        Open {
            id,
            hint,
            mode,
            size: 0,
            digest: (!self.sink.computes_sha256()).then(Sha256::new),
            head: Vec::new(),
            tail: Vec::new(),
            failure: None,
            is_blank: true,
            decoded_start: None,
            prefix: String::new(),
            surveyor: None,
        }
    }

    /// The next part of the open string.
    pub(crate) fn write(&mut self, level: Level, text: &str) {
        let Some(mut open) = self.open[level as usize].take() else { return };
        if level == Level::Message && open.is_blank && open.hint == Hint::Text {
            let start = text.trim_start();
            open.is_blank = start.is_empty();
            self.start_nested(start);
            if self.nested.is_some() {
                open.surveyor.get_or_insert_default().leave_json();
            }
        }
        let mut text = text;
        if open.size == 0
            && open.decoded_start.is_none()
            && let (Mode::Text, Some(prefix)) = (&open.mode, before_base64(text))
        {
            open.mode = Mode::Base64(Decoder::default());
            prefix.clone_into(&mut open.prefix);
            text = &text[prefix.len()..];
        }
        match &mut open.mode {
            Mode::Text => open.write_text(self.sink, text),
            Mode::Base64(decoder) => {
                let held = decoder.held();
                let mut decoded = std::mem::take(&mut self.decoded);
                decoded.clear();
                match decoder.feed(text.as_bytes(), &mut decoded) {
                    Ok(()) => open.write(self.sink, &decoded),
                    Err(_) => open = self.give_up_decoding(open, &held, text),
                }
                self.decoded = decoded;
            }
        }
        self.open[level as usize] = Some(open);
        if level == Level::Message {
            self.feed_nested(text);
        }
    }

    /// A scanner for a text that starts like JSON.
    fn start_nested(&mut self, start: &str) {
        let starts_like_json = start.starts_with(['{', '[']);
        self.nested = starts_like_json.then(|| {
            let options = ScanOptions::strict(&self.limits).spilling(&self.limits, Level::Text);
            Box::new(Nested { scanner: Scanner::new(options), first: self.spilled.len() })
        });
    }

    fn feed_nested(&mut self, text: &str) {
        let Some(mut nested) = self.nested.take() else { return };
        match nested.scanner.feed(text, self) {
            Ok(()) => self.nested = Some(nested),
            Err(_) => self.discard_from(nested.first),
        }
    }

    /// The string is not base64: what was decoded stays as it is, and the rest follows as text,
    /// first what the decoder held back because it was no whole group.
    fn give_up_decoding(&mut self, open: Open, held: &str, text: &str) -> Open {
        let start = open.id;
        self.spilled.push(open.end(self.sink, true));
        let mut rest = self.new_open(Hint::None, Mode::Text);
        rest.decoded_start = Some(start);
        rest.write_text(self.sink, held);
        rest.write_text(self.sink, text);
        rest
    }

    /// Ends the open string and returns its handle.
    pub(crate) fn end(&mut self, level: Level) -> String {
        let Some(mut open) = self.open[level as usize].take() else { return String::new() };
        if let Mode::Base64(decoder) = &mut open.mode {
            let held = decoder.held();
            let mut decoded = Vec::new();
            match decoder.finish(&mut decoded) {
                Ok(()) => open.write(self.sink, &decoded),
                Err(_) => open = self.give_up_decoding(open, &held, ""),
            }
        }
        let is_decoded = matches!(open.mode, Mode::Base64(_));
        let decoded_start = open.decoded_start;
        let mut spilled = open.end(self.sink, is_decoded);
        if level == Level::Message {
            spilled.inner = self.finish_nested();
        }
        // The handle names the whole string; where decoding broke off, that is its start.
        let start = self.spilled.iter_mut().find(|start| Some(start.id) == decoded_start);
        let handle = match start {
            Some(start) => {
                start.undecodable_rest = Some(spilled.id);
                handle(start)
            }
            None => handle(&spilled),
        };
        self.spilled.push(spilled);
        handle
    }

    fn finish_nested(&mut self) -> Option<Scanned> {
        let nested = self.nested.take()?;
        let first = nested.first;
        match nested.scanner.finish(self) {
            Ok(scanned) => Some(scanned),
            Err(_) => {
                self.discard_from(first);
                None
            }
        }
    }

    /// Forgets the strings of a text that is no JSON after all.
    fn discard_from(&mut self, first: usize) {
        let open = self.open[Level::Text as usize].take().map(|open| open.id);
        let ended = self.spilled.drain(first..).map(|spilled| spilled.id);
        ended.chain(open).for_each(|id| self.sink.discard(id));
    }
}

fn handle(spilled: &Spilled) -> String {
    let mut handle = String::new();
    let _ = write!(handle, "{HANDLE_MARK}{}:", spilled.id.0);
    for byte in spilled.sha256 {
        let _ = write!(handle, "{byte:02x}");
    }
    handle
}

impl Open {
    fn write_text(&mut self, sink: &mut dyn Sink, text: &str) {
        self.surveyor.get_or_insert_default().feed(text);
        self.write(sink, text.as_bytes());
    }

    fn write(&mut self, sink: &mut dyn Sink, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        self.size += bytes.len() as u64;
        if let Some(digest) = &mut self.digest {
            digest.update(bytes);
        }
        if self.head.len() < HEAD_BYTES {
            let room = HEAD_BYTES - self.head.len();
            self.head.extend_from_slice(&bytes[..bytes.len().min(room)]);
        }
        if bytes.len() >= TAIL_BYTES {
            self.tail.clear();
        }
        self.tail.extend_from_slice(&bytes[bytes.len().saturating_sub(TAIL_BYTES)..]);
        let excess = self.tail.len().saturating_sub(TAIL_BYTES);
        self.tail.drain(..excess);
        if self.failure.is_none() || self.digest.is_none() {
            let failure = sink.write(self.id, bytes).err().map(|error| error.to_string());
            self.failure = self.failure.take().or(failure);
        }
    }

    fn end(mut self, sink: &mut dyn Sink, is_decoded: bool) -> Spilled {
        let sha256 = match self.digest {
            Some(digest) => digest.finalize().into(),
            None if self.size == 0 => Sha256::digest(b"").into(),
            None => sink.sha256(self.id),
        };
        if self.failure.is_none() {
            self.failure = sink.end(self.id).err().map(|error| error.to_string());
        }
        Spilled {
            id: self.id,
            is_decoded,
            size: self.size,
            sha256,
            head: self.head,
            tail: self.tail,
            inner: None,
            prefix: self.prefix,
            survey: self.surveyor.map(|surveyor| Arc::new(surveyor.finish())),
            undecodable_rest: None,
            failure: self.failure,
        }
    }
}

#[cfg(test)]
mod tests;
