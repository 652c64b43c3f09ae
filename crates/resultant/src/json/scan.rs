//! Checks JSON text in one pass, whole or in chunks, without recursion.
//!
//! The scanner copies nothing it need not: a whole message that needs no repair comes out as the
//! bytes that went in. Where something has to change (a lone surrogate, a long string, nesting that
//! is too deep) the text is rewritten from there on, and a [`Finding`] says what and where.
//!
//! Between two chunks the scanner stands between tokens or inside a string, never inside an escape
//! or a number: such a tail is carried over, so every token is read from one slice.
//!
//! Duplicate keys are found by hashes that are compared when their object closes. A collision is
//! harmless: it only starts the exact pass, which then finds nothing to drop.

use bytestring::ByteString;

use super::{
    Json,
    duplicates::{has_equal, without_duplicates},
    scanned::{FindingKind, Findings, ScanError, ScanOptions, Scanned, SyntaxError},
    token::{escape_length, is_number},
    walk::{self, read_escape, special},
    write::push_escaped,
};
use crate::spill::{Hint, Spiller};

/// Checks a whole text.
pub(crate) fn scan(text: &ByteString, options: &ScanOptions) -> Result<Scanned, ScanError> {
    let mut scanner = Scanner::new(options.clone());
    let mut chunk = Chunk { text, at: 0, run: 0 };
    scanner.advance(&mut chunk, true, None)?;
    scanner.offset = chunk.at as u64;
    scanner.check_end()?;
    if chunk.run == 0 && scanner.out.is_empty() {
        // Nothing was rewritten: the checked text is the text.
        let json = Json::trusted(text.slice_ref(text.trim_matches(WHITESPACE)));
        return Ok(scanner.into_scanned(json));
    }
    let rest = &text[chunk.run..];
    scanner.emit(rest, None);
    Ok(scanner.take_scanned())
}

const WHITESPACE: [char; 4] = [' ', '\t', '\n', '\r'];

pub(crate) struct Scanner {
    options: ScanOptions,
    state: State,
    frames: Vec<Frame>,
    /// The containers open below the depth limit: whether each is an object.
    deep: Vec<bool>,
    out: String,
    key_hashes: Vec<u64>,
    key: Key,
    has_duplicates: bool,
    /// What the key of the value at hand says about it.
    hint: Hint,
    /// Where the content of the string at hand starts in `out`.
    string_start: usize,
    is_spilling: bool,
    carry: String,
    /// Bytes before the chunk at hand.
    offset: u64,
    line: u64,
    line_start: u64,
    findings: Findings,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Value,
    FirstItem,
    FirstKey,
    Key,
    Colon,
    After,
    InString,
    InKey,
    End,
}

struct Frame {
    is_object: bool,
    hint: Hint,
    /// How many key hashes were there before this container's.
    hashes_start: usize,
}

#[derive(Default)]
struct Key {
    hash: u64,
    /// The start of the key, enough to know the few that matter.
    head: String,
}

/// A chunk being read: the place, and the start of what is to be copied.
struct Chunk<'a> {
    text: &'a str,
    at: usize,
    run: usize,
}

impl<'a> Chunk<'a> {
    fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    /// What has been passed over since the last time, to be copied now.
    fn take_run(&mut self) -> &'a str {
        let run = &self.text[self.run..self.at];
        self.run = self.at;
        run
    }
}

/// Whether to go on, or to wait for the next chunk.
#[derive(PartialEq)]
enum Step {
    On,
    Wait,
}

impl Scanner {
    pub(crate) fn new(options: ScanOptions) -> Scanner {
        Scanner {
            options,
            state: State::Value,
            frames: Vec::new(),
            deep: Vec::new(),
            out: String::new(),
            key_hashes: Vec::new(),
            key: Key::default(),
            has_duplicates: false,
            hint: Hint::None,
            string_start: 0,
            is_spilling: false,
            carry: String::new(),
            offset: 0,
            line: 1,
            line_start: 0,
            findings: Findings::default(),
        }
    }

    /// Reads a chunk.
    pub(crate) fn feed(&mut self, chunk: &str, spiller: &mut Spiller<'_>) -> Result<(), ScanError> {
        self.feed_part(chunk, false, spiller)
    }

    /// Ends the text.
    pub(crate) fn finish(mut self, spiller: &mut Spiller<'_>) -> Result<Scanned, ScanError> {
        self.feed_part("", true, spiller)?;
        self.check_end()?;
        Ok(self.take_scanned())
    }

    fn feed_part(
        &mut self,
        text: &str,
        is_last: bool,
        spiller: &mut Spiller<'_>,
    ) -> Result<(), ScanError> {
        let joined;
        let text = if self.carry.is_empty() {
            text
        } else {
            let mut carry = std::mem::take(&mut self.carry);
            carry.push_str(text);
            joined = carry;
            &joined
        };
        let mut chunk = Chunk { text, at: 0, run: 0 };
        self.advance(&mut chunk, is_last, Some(spiller))?;
        let run = chunk.take_run();
        self.emit(run, Some(spiller));
        self.check_string_length(Some(spiller));
        self.carry.push_str(&text[chunk.at..]);
        self.offset += chunk.at as u64;
        if self.out.len() > self.options.message_bytes_max {
            return Err(ScanError::TooLarge { limit: self.options.message_bytes_max });
        }
        Ok(())
    }

    /// The state machine: reads tokens until the chunk ends.
    fn advance(
        &mut self,
        chunk: &mut Chunk<'_>,
        is_last: bool,
        mut spiller: Option<&mut Spiller<'_>>,
    ) -> Result<(), ScanError> {
        while let Some(&byte) = chunk.bytes().get(chunk.at) {
            let step = match self.state {
                State::InString | State::InKey => {
                    self.string(chunk, is_last, spiller.as_deref_mut())?
                }
                _ => match byte {
                    b' ' | b'\t' | b'\r' => {
                        chunk.at += 1;
                        Step::On
                    }
                    b'\n' => {
                        chunk.at += 1;
                        self.line += 1;
                        self.line_start = self.offset + chunk.at as u64;
                        Step::On
                    }
                    _ => self.token(byte, chunk, is_last, spiller.as_deref_mut())?,
                },
            };
            if step == Step::Wait {
                break;
            }
        }
        Ok(())
    }

    fn token(
        &mut self,
        byte: u8,
        chunk: &mut Chunk<'_>,
        is_last: bool,
        spiller: Option<&mut Spiller<'_>>,
    ) -> Result<Step, ScanError> {
        match (self.state, byte) {
            (State::Value | State::FirstItem, b'"') => {
                chunk.at += 1;
                self.string_start = self.out.len() + (chunk.at - chunk.run);
                self.state = State::InString;
            }
            (State::Value | State::FirstItem, b'{' | b'[') => self.open(byte == b'{', chunk),
            (State::FirstItem, b']') | (State::FirstKey, b'}') => {
                self.close(byte, chunk, spiller)?;
            }
            (State::Value | State::FirstItem, _) => return self.scalar(chunk, is_last),
            (State::FirstKey | State::Key, b'"') => {
                chunk.at += 1;
                self.key.hash = Key::SEED;
                self.key.head.clear();
                self.state = State::InKey;
            }
            (State::Colon, b':') => {
                chunk.at += 1;
                self.state = State::Value;
            }
            (State::After, b',') => {
                chunk.at += 1;
                self.state = if self.in_object() { State::Key } else { State::Value };
            }
            (State::After, b'}' | b']') => self.close(byte, chunk, spiller)?,
            _ => return Err(self.expected_here(chunk)),
        }
        Ok(Step::On)
    }

    fn in_object(&self) -> bool {
        match self.deep.last() {
            Some(&is_object) => is_object,
            None => self.frames.last().is_some_and(|frame| frame.is_object),
        }
    }

    fn open(&mut self, is_object: bool, chunk: &mut Chunk<'_>) {
        if !self.deep.is_empty() || self.frames.len() == self.options.depth_max {
            if self.deep.is_empty() {
                // From here on the text is the content of a string.
                self.findings.add(FindingKind::TooDeep, self.offset + chunk.at as u64);
                self.out.push_str(chunk.take_run());
                self.out.push('"');
                self.string_start = self.out.len();
            }
            self.deep.push(is_object);
        } else {
            let hint = std::mem::take(&mut self.hint);
            self.frames.push(Frame { is_object, hint, hashes_start: self.key_hashes.len() });
        }
        chunk.at += 1;
        self.state = if is_object { State::FirstKey } else { State::FirstItem };
    }

    fn close(
        &mut self,
        byte: u8,
        chunk: &mut Chunk<'_>,
        mut spiller: Option<&mut Spiller<'_>>,
    ) -> Result<(), ScanError> {
        if self.in_object() != (byte == b'}') {
            return Err(self.expected_here(chunk));
        }
        chunk.at += 1;
        if self.deep.pop().is_some() {
            if self.deep.is_empty() {
                let run = chunk.take_run();
                self.deep.push(false);
                self.emit(run, spiller.as_deref_mut());
                self.check_string_length(spiller.as_deref_mut());
                self.deep.pop();
                if !self.end_spill(spiller) {
                    self.out.push('"');
                }
            }
        } else if let Some(frame) = self.frames.pop()
            && frame.is_object
        {
            self.has_duplicates |= has_equal(&mut self.key_hashes[frame.hashes_start..]);
            self.key_hashes.truncate(frame.hashes_start);
        }
        self.value_ended();
        Ok(())
    }

    fn value_ended(&mut self) {
        let is_root = self.frames.is_empty() && self.deep.is_empty();
        self.state = if is_root { State::End } else { State::After };
    }

    /// A number or a literal.
    fn scalar(&mut self, chunk: &mut Chunk<'_>, is_last: bool) -> Result<Step, ScanError> {
        let rest = &chunk.bytes()[chunk.at..];
        let len = rest.iter().position(
            |byte| !matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'+' | b'-' | b'.'),
        );
        let len = match len {
            Some(len) => len,
            None if is_last => rest.len(),
            None => return Ok(Step::Wait),
        };
        let token = &chunk.text[chunk.at..chunk.at + len];
        match token {
            "true" | "false" | "null" => {}
            _ if is_number(token.as_bytes()) => {}
            "NaN" | "Infinity" | "-Infinity" if !self.options.strict => {
                self.findings.add(FindingKind::NotANumber, self.offset + chunk.at as u64);
                if self.deep.is_empty() {
                    self.out.push_str(chunk.take_run());
                    self.out.push_str("null");
                    chunk.run += len;
                }
            }
            _ => return Err(self.expected_here(chunk)),
        }
        chunk.at += len;
        self.value_ended();
        Ok(Step::On)
    }

    /// The content of a string or key, up to its end or the chunk's.
    fn string(
        &mut self,
        chunk: &mut Chunk<'_>,
        is_last: bool,
        mut spiller: Option<&mut Spiller<'_>>,
    ) -> Result<Step, ScanError> {
        let start = chunk.at;
        chunk.at += special(&chunk.bytes()[start..]);
        if self.state == State::InKey {
            self.key.add(&chunk.text[start..chunk.at]);
        }
        match chunk.bytes().get(chunk.at) {
            None => return Ok(Step::Wait),
            Some(b'"') => self.end_string(chunk, spiller),
            Some(b'\\') => return self.escape(chunk, is_last, spiller),
            Some(_) if self.options.strict => return Err(self.expected_here(chunk)),
            Some(&control) => {
                self.findings.add(FindingKind::ControlCharacter, self.offset + chunk.at as u64);
                if self.state == State::InKey {
                    self.key.add((control as char).encode_utf8(&mut [0; 4]));
                }
                if self.deep.is_empty() {
                    let run = chunk.take_run();
                    self.emit(run, spiller.as_deref_mut());
                    self.emit_char(control as char, spiller);
                    chunk.run += 1;
                }
                chunk.at += 1;
            }
        }
        Ok(Step::On)
    }

    fn escape(
        &mut self,
        chunk: &mut Chunk<'_>,
        is_last: bool,
        mut spiller: Option<&mut Spiller<'_>>,
    ) -> Result<Step, ScanError> {
        let rest = &chunk.bytes()[chunk.at..];
        let needed = match escape_length(rest) {
            Some(needed) => needed,
            None => return Err(self.expected_here(chunk)),
        };
        if rest.len() < needed {
            return if is_last { Err(self.expected_here(chunk)) } else { Ok(Step::Wait) };
        }
        let (char, len) = read_escape(rest);
        // A replacement character that was not written as one stands for a lone surrogate.
        let is_lone =
            char == char::REPLACEMENT_CHARACTER && !rest[2..6].eq_ignore_ascii_case(b"fffd");
        if is_lone {
            self.findings.add(FindingKind::LoneSurrogate, self.offset + chunk.at as u64);
        }
        if self.state == State::InKey {
            self.key.add(char.encode_utf8(&mut [0; 4]));
        }
        if self.deep.is_empty() && (is_lone || self.is_spilling) {
            let run = chunk.take_run();
            self.emit(run, spiller.as_deref_mut());
            self.emit_char(char, spiller);
            chunk.run += len;
        }
        chunk.at += len;
        Ok(Step::On)
    }

    fn end_string(&mut self, chunk: &mut Chunk<'_>, mut spiller: Option<&mut Spiller<'_>>) {
        if self.state == State::InKey {
            chunk.at += 1;
            self.state = State::Colon;
            if self.deep.is_empty() {
                self.key_hashes.push(self.key.hash);
                self.hint = Hint::of_key(&self.key.head);
            }
            return;
        }
        if self.deep.is_empty() && self.options.string_bytes_max.is_some() {
            let length = (self.out.len() + chunk.at - chunk.run).saturating_sub(self.string_start);
            if self.is_spilling || self.options.string_bytes_max.is_some_and(|max| length > max) {
                let run = chunk.take_run();
                self.emit(run, spiller.as_deref_mut());
                self.check_string_length(spiller.as_deref_mut());
            }
            if self.end_spill(spiller) {
                chunk.run += 1;
            }
        }
        chunk.at += 1;
        self.hint = Hint::None;
        self.value_ended();
    }

    /// Copies text on: to the output, into the string that a deep value became, or to the sink.
    fn emit(&mut self, run: &str, spiller: Option<&mut Spiller<'_>>) {
        match spiller {
            Some(spiller) if self.is_spilling => spiller.write(self.options.level, run),
            _ if self.deep.is_empty() => self.out.push_str(run),
            _ => push_escaped(&mut self.out, run),
        }
    }

    /// Copies one character of a string's content on.
    fn emit_char(&mut self, char: char, spiller: Option<&mut Spiller<'_>>) {
        let mut buffer = [0; 4];
        let char = char.encode_utf8(&mut buffer);
        match spiller {
            Some(spiller) if self.is_spilling => spiller.write(self.options.level, char),
            _ => push_escaped(&mut self.out, char),
        }
    }

    /// Moves the string at hand to the sink once it is too long to be kept.
    fn check_string_length(&mut self, spiller: Option<&mut Spiller<'_>>) {
        let is_string = self.state == State::InString || !self.deep.is_empty();
        let (Some(spiller), Some(max)) = (spiller, self.options.string_bytes_max) else { return };
        if !is_string || self.is_spilling || self.out.len().saturating_sub(self.string_start) <= max
        {
            return;
        }
        let hint = match self.frames.last() {
            Some(frame) if !frame.is_object => frame.hint.of_item(),
            _ => self.hint,
        };
        spiller.begin(self.options.level, if self.deep.is_empty() { hint } else { Hint::None });
        let content = self.out.split_off(self.string_start);
        self.out.pop();
        let mut plain = String::with_capacity(content.len());
        walk::push_unescaped(&mut plain, &content);
        spiller.write(self.options.level, &plain);
        self.is_spilling = true;
    }

    /// Puts the handle of a string that went to the sink in its place.
    fn end_spill(&mut self, spiller: Option<&mut Spiller<'_>>) -> bool {
        let Some(spiller) = spiller.filter(|_| self.is_spilling) else { return false };
        let handle = spiller.end(self.options.level);
        // A raw NUL cannot come from the input: it is not JSON inside a string, and is escaped or
        // refused wherever it occurs.
        self.out.push('"');
        self.out.push_str(&handle);
        self.out.push('"');
        self.is_spilling = false;
        true
    }

    fn check_end(&self) -> Result<(), ScanError> {
        if self.state == State::End && self.carry.is_empty() {
            return Ok(());
        }
        Err(self.error(self.offset, self.expected()))
    }

    fn expected(&self) -> &'static str {
        match self.state {
            State::Value => "a value",
            State::FirstItem => "a value or `]`",
            State::FirstKey => "a key or `}`",
            State::Key => "a key",
            State::Colon => "`:`",
            State::After if self.in_object() => "`,` or `}`",
            State::After => "`,` or `]`",
            State::InString | State::InKey => "the end of a string",
            State::End => "the end",
        }
    }

    fn expected_here(&self, chunk: &Chunk<'_>) -> ScanError {
        let expected = match (self.state, chunk.bytes().get(chunk.at)) {
            (State::InString | State::InKey, Some(b'\\')) => "an escape",
            (State::InString | State::InKey, Some(_)) => "an escaped control character",
            _ => self.expected(),
        };
        self.error(self.offset + chunk.at as u64, expected)
    }

    fn error(&self, offset: u64, expected: &'static str) -> ScanError {
        let column = offset - self.line_start.min(offset) + 1;
        ScanError::Syntax(SyntaxError { expected, offset, line: self.line, column })
    }

    fn take_scanned(mut self) -> Scanned {
        let out = std::mem::take(&mut self.out);
        let json = match out.trim_matches(WHITESPACE).len() {
            len if len == out.len() => Json::trusted(out),
            _ => Json::trusted(out.trim_matches(WHITESPACE)),
        };
        self.into_scanned(json)
    }

    fn into_scanned(mut self, mut json: Json) -> Scanned {
        if self.has_duplicates {
            (json, self.findings.duplicates) = without_duplicates(&json);
        }
        Scanned { json, findings: self.findings }
    }
}

impl Key {
    const SEED: u64 = 0xcbf2_9ce4_8422_2325;
    const HEAD_BYTES_MAX: usize = 32;

    fn add(&mut self, part: &str) {
        for byte in part.bytes() {
            self.hash = (self.hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        if self.head.len() + part.len() <= Self::HEAD_BYTES_MAX {
            self.head.push_str(part);
        }
    }
}
