//! Where the parts of a JSON-RPC message are that is never in memory as a whole.
//!
//! Only the outermost members are looked at; strings are skipped at the speed of a search for
//! quotes. What is inside is not checked here.

/// A member's text and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) start: u64,
    pub(crate) text: Vec<u8>,
}

/// The outermost members of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Envelope {
    pub(crate) id: Option<Found>,
    /// The offset of the first byte of the result.
    pub(crate) result: Option<u64>,
    pub(crate) has_error: bool,
    pub(crate) has_method: bool,
}

/// Longer keys and ids are none of ours.
const CAPTURE_BYTES_MAX: usize = 256;

/// What a long message is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LongMessage {
    Answer(u64),
    /// An answer, but nobody can say to which request.
    AnswerToWhom,
    /// A request, with the JSON text of its id.
    Request(String),
    Notification,
    /// A log line, for example.
    NoMessage,
}

impl LongMessage {
    pub(crate) fn of(envelope: &Envelope) -> LongMessage {
        let is_answer = envelope.result.is_some() || envelope.has_error;
        let id = envelope.id.as_ref().map(|id| String::from_utf8_lossy(&id.text).into_owned());
        match (id.filter(|id| id != "null"), envelope.has_method) {
            (Some(id), true) => LongMessage::Request(id),
            (None, true) => LongMessage::Notification,
            (Some(id), false) => match id.trim_matches('"').parse() {
                Ok(id) => LongMessage::Answer(id),
                Err(_) => LongMessage::AnswerToWhom,
            },
            (None, false) if is_answer => LongMessage::AnswerToWhom,
            (None, false) => LongMessage::NoMessage,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    /// Before a key of the outermost object.
    #[default]
    Key,
    /// Between a key and its value.
    Colon,
    /// In a value of the outermost object.
    Value,
}

/// Looks at the outermost members of a message as it comes.
#[derive(Clone, Debug, Default)]
pub(super) struct Walk {
    envelope: Envelope,
    offset: u64,
    depth: usize,
    is_in_string: bool,
    is_escaped: bool,
    place: Place,
    key: Vec<u8>,
    value: Vec<u8>,
    value_start: Option<u64>,
}

impl Walk {
    /// What is known while it still comes. A result that has begun counts.
    pub(super) fn beginning(&self) -> Envelope {
        let mut envelope = self.envelope.clone();
        if self.place == Place::Value && self.key == b"result" {
            envelope.result = self.value_start;
        }
        envelope
    }

    /// The message is over.
    pub(super) fn finish(mut self) -> Envelope {
        self.take_value();
        self.envelope
    }

    /// The next bytes.
    pub(super) fn feed(&mut self, chunk: &[u8]) {
        let mut at = 0;
        while at < chunk.len() {
            if self.is_in_string && !self.is_escaped && !self.is_captured() {
                // The bulk of a long message: on to the next quote or backslash.
                match memchr::memchr2(b'"', b'\\', &chunk[at..]) {
                    Some(0) => {}
                    found => {
                        let skipped = found.unwrap_or(chunk.len() - at);
                        at += skipped;
                        self.offset += skipped as u64;
                        continue;
                    }
                }
            }
            self.byte(chunk[at]);
            at += 1;
            self.offset += 1;
        }
    }

    fn is_captured(&self) -> bool {
        self.depth == 1 && (self.place == Place::Key || self.key == b"id")
    }

    fn byte(&mut self, byte: u8) {
        if self.depth == 1 && self.place == Place::Value && self.value_start.is_none() {
            if byte.is_ascii_whitespace() {
                return;
            }
            self.value_start = Some(self.offset);
        }
        if self.is_in_string {
            self.capture(byte);
            match (self.is_escaped, byte) {
                (true, _) => self.is_escaped = false,
                (false, b'\\') => self.is_escaped = true,
                (false, b'"') => {
                    self.is_in_string = false;
                    if self.depth == 1 && self.place == Place::Key {
                        self.place = Place::Colon;
                    }
                }
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => {
                if self.depth == 1 && self.place == Place::Key {
                    self.key.clear();
                }
                self.is_in_string = true;
                self.capture(byte);
            }
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                if self.depth == 1 {
                    self.take_value();
                }
                self.depth = self.depth.saturating_sub(1);
            }
            b':' if self.depth == 1 && self.place == Place::Colon => {
                self.place = Place::Value;
                self.value.clear();
                self.value_start = None;
            }
            b',' if self.depth == 1 => {
                self.take_value();
                self.place = Place::Key;
            }
            _ => self.capture(byte),
        }
    }

    fn capture(&mut self, byte: u8) {
        let target = match (self.depth, self.place) {
            (1, Place::Key) if byte != b'"' && self.is_in_string => &mut self.key,
            (1, Place::Value) if matches!(self.key.as_slice(), b"id" | b"error") => &mut self.value,
            _ => return,
        };
        if target.len() < CAPTURE_BYTES_MAX {
            target.push(byte);
        }
    }

    /// A value of the outermost object has ended.
    fn take_value(&mut self) {
        if self.place != Place::Value {
            return;
        }
        match self.key.as_slice() {
            b"id" => {
                let mut text = std::mem::take(&mut self.value);
                text.truncate(text.trim_ascii_end().len());
                self.envelope.id = self.value_start.map(|start| Found { start, text });
            }
            // Of equal keys the last counts, here as everywhere.
            b"result" => self.envelope.result = self.value_start,
            // Some servers write `"error":null` beside a result.
            b"error" => self.envelope.has_error = self.value.trim_ascii() != b"null",
            b"method" => self.envelope.has_method = true,
            _ => {}
        }
        self.place = Place::Key;
    }
}

#[cfg(test)]
mod tests {
    use super::{Envelope, Walk};

    fn scan(text: &str, chunk: usize) -> Envelope {
        let mut walk = Walk::default();
        for part in text.as_bytes().chunks(chunk) {
            walk.feed(part);
        }
        walk.finish()
    }

    #[test]
    fn the_outermost_members_are_found_however_the_message_is_cut() {
        let cases = [
            (r#"{"jsonrpc":"2.0","id":7,"result":{"id":1,"a":"\"}],"}}"#, Some("7"), Some('{')),
            (r#"{"result" : {"x":["id",{"id":2}]}, "id" : "a-9" }"#, Some("\"a-9\""), Some('{')),
            (r#"{"id":12}"#, Some("12"), None),
            (r#"{"result":[1,2],"error":null,"method":"m"}"#, None, Some('[')),
        ];
        for (text, id, first) in cases {
            for chunk in [1, 2, 3, 7, 1000] {
                let envelope = scan(text, chunk);
                let found = envelope.id.as_ref().map(|id| {
                    let start = usize::try_from(id.start).expect("small");
                    let text_there = &text.as_bytes()[start..start + id.text.len()];
                    assert_eq!(text_there, id.text, "{text}");
                    String::from_utf8_lossy(&id.text).into_owned()
                });
                assert_eq!(found.as_deref(), id, "{text}");
                let at = envelope.result.map(|at| usize::try_from(at).expect("small"));
                assert_eq!(at.map(|at| text.as_bytes()[at] as char), first, "{text}");
            }
        }
        assert!(scan(r#"{"error":{"code":1},"id":null}"#, 5).has_error);
        assert!(!scan(r#"{"error" : null ,"result":{},"id":1}"#, 5).has_error);
        assert!(scan(r#"{"id":1,"method":"ping"}"#, 5).has_method);
    }
}
