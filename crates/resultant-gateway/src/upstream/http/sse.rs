//! Server-sent events, read from chunks as they come.
//!
//! The parser keeps no data: the bytes of `data:` lines are handed on as slices of the chunk they
//! came in, so the length of an event costs no memory here. Only the event's name, its id and the
//! numbers are kept, each cut at a small cap. What a server writes beyond the format (unknown
//! fields, comments, an id with a NUL) is passed over, as browsers do.

use std::time::Duration;

const FIELD_BYTES_MAX: usize = 16;
const EVENT_BYTES_MAX: usize = 64;
const ID_BYTES_MAX: usize = 1024;
const RETRY_DIGITS_MAX: usize = 9;

/// What the parser found next in a chunk.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// More of the current event's data.
    Data(&'a [u8]),
    /// The event is over. Its data may be empty; then it was sent for its id alone.
    End,
}

/// Where a stream was when it ended, for going on there.
#[derive(Clone, Debug, Default)]
pub(super) struct Position {
    /// The id of the last whole event that had one.
    pub(super) last_id: Option<String>,
    /// How long the server wants us to wait before we come back.
    pub(super) retry: Option<Duration>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Data,
    Event,
    Id,
    Retry,
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    /// In the name of the field, or at the start of the line when the name is empty.
    Name,
    /// Right behind the colon, where one space is left out.
    Space(Field),
    Value(Field),
}

/// Reads one stream.
#[derive(Debug)]
pub(super) struct Parser {
    line: Line,
    name: Vec<u8>,
    value: Vec<u8>,
    event: Vec<u8>,
    id: Option<Vec<u8>>,
    position: Position,
    has_data: bool,
    /// The end of an event was handed out; its name goes with the next call.
    ended: bool,
    after_cr: bool,
    /// How many bytes of a byte order mark may still come.
    bom: usize,
}

const BOM: [u8; 3] = [0xEF, 0xBB, 0xBF];

impl Parser {
    /// A parser for a stream that goes on where another ended.
    pub(super) fn new(position: Position) -> Parser {
        Parser {
            line: Line::Name,
            name: Vec::new(),
            value: Vec::new(),
            event: Vec::new(),
            id: None,
            position,
            has_data: false,
            ended: false,
            after_cr: false,
            bom: 0,
        }
    }

    /// The name of the event that just ended; it stays until the next token is asked for.
    pub(super) fn event(&self) -> &[u8] {
        match self.event.as_slice() {
            b"" => b"message",
            name => name,
        }
    }

    pub(super) fn position(&self) -> &Position {
        &self.position
    }

    /// The next thing in the chunk, which is moved past it. `None` when the chunk is used up.
    pub(super) fn next<'a>(&mut self, chunk: &mut &'a [u8]) -> Option<Token<'a>> {
        if std::mem::take(&mut self.ended) {
            self.event.clear();
        }
        loop {
            let (&byte, rest) = chunk.split_first()?;
            if std::mem::take(&mut self.after_cr) && byte == b'\n' {
                *chunk = rest;
                continue;
            }
            if self.bom < BOM.len() {
                if byte == BOM[self.bom] {
                    self.bom += 1;
                    *chunk = rest;
                    continue;
                }
                self.bom = BOM.len();
            }
            match self.line {
                Line::Space(field) => {
                    self.line = Line::Value(field);
                    if byte == b' ' {
                        *chunk = rest;
                    }
                }
                Line::Name => match byte {
                    b'\r' | b'\n' => {
                        *chunk = rest;
                        self.after_cr = byte == b'\r';
                        let token = self.end_of_line();
                        if token.is_some() {
                            return token;
                        }
                    }
                    b':' => {
                        *chunk = rest;
                        let field = self.field();
                        let token = self.start_value(field);
                        if token.is_some() {
                            return token;
                        }
                    }
                    _ => {
                        *chunk = rest;
                        if self.name.len() < FIELD_BYTES_MAX {
                            self.name.push(byte);
                        }
                    }
                },
                Line::Value(field) => {
                    let end = memchr::memchr2(b'\r', b'\n', chunk).unwrap_or(chunk.len());
                    if end == 0 {
                        *chunk = rest;
                        self.after_cr = byte == b'\r';
                        self.end_of_value(field);
                        continue;
                    }
                    let (value, rest) = chunk.split_at(end);
                    *chunk = rest;
                    if field == Field::Data {
                        return Some(Token::Data(value));
                    }
                    let room = ID_BYTES_MAX.saturating_sub(self.value.len()).min(value.len());
                    self.value.extend_from_slice(&value[..room]);
                }
            }
        }
    }

    fn field(&mut self) -> Field {
        let field = match self.name.as_slice() {
            b"data" => Field::Data,
            b"event" => Field::Event,
            b"id" => Field::Id,
            b"retry" => Field::Retry,
            _ => Field::Other,
        };
        self.name.clear();
        field
    }

    /// Lines of data are joined, so each but the first begins with the line end before it.
    fn start_value(&mut self, field: Field) -> Option<Token<'static>> {
        self.value.clear();
        self.line = Line::Space(field);
        let joined = field == Field::Data && std::mem::replace(&mut self.has_data, true);
        joined.then_some(Token::Data(b"\n"))
    }

    /// A line without a colon ends: a field without a value, or the end of an event.
    fn end_of_line(&mut self) -> Option<Token<'static>> {
        if !self.name.is_empty() {
            let field = self.field();
            let token = self.start_value(field);
            self.end_of_value(field);
            return token;
        }
        if let Some(id) = self.id.take() {
            self.position.last_id = String::from_utf8(id).ok().filter(|id| !id.is_empty());
        }
        if std::mem::take(&mut self.has_data) {
            self.ended = true;
            return Some(Token::End);
        }
        // An event without data is none, and its name is not that of the next one.
        self.event.clear();
        None
    }

    fn end_of_value(&mut self, field: Field) {
        self.line = Line::Name;
        match field {
            Field::Event => {
                self.value.truncate(EVENT_BYTES_MAX);
                self.event = std::mem::take(&mut self.value);
            }
            Field::Id if self.value.len() < ID_BYTES_MAX && !self.value.contains(&0) => {
                self.id = Some(std::mem::take(&mut self.value));
            }
            Field::Retry if self.value.len() <= RETRY_DIGITS_MAX => {
                let text = std::str::from_utf8(&self.value).unwrap_or_default();
                if let Ok(milliseconds) = text.parse::<u32>() {
                    self.position.retry = Some(Duration::from_millis(milliseconds.into()));
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Everything that a stream holds, however it is cut: (event, data, last id) per event.
    fn events(stream: &[u8], chunk_bytes: usize) -> Vec<(String, String, Option<String>)> {
        let mut parser = Parser::new(Position::default());
        let (mut events, mut data) = (Vec::new(), Vec::new());
        for mut chunk in stream.chunks(chunk_bytes) {
            while let Some(token) = parser.next(&mut chunk) {
                match token {
                    Token::Data(bytes) => data.extend_from_slice(bytes),
                    Token::End => events.push((
                        String::from_utf8(parser.event().to_vec()).unwrap(),
                        String::from_utf8(std::mem::take(&mut data)).unwrap(),
                        parser.position().last_id.clone(),
                    )),
                }
            }
        }
        events
    }

    #[track_caller]
    fn check(stream: &[u8], expected: &[(&str, &str, Option<&str>)]) {
        for chunk_bytes in 1..=stream.len() {
            let events = events(stream, chunk_bytes);
            let events: Vec<_> = events
                .iter()
                .map(|(event, data, id)| (event.as_str(), data.as_str(), id.as_deref()))
                .collect();
            assert_eq!(events, expected, "in chunks of {chunk_bytes}");
        }
    }

    #[test]
    fn line_ends_of_every_kind() {
        check(
            b"data: a\n\ndata: b\r\n\r\ndata: c\r\r",
            &[("message", "a", None), ("message", "b", None), ("message", "c", None)],
        );
    }

    #[test]
    fn a_byte_order_mark_is_left_out_once() {
        check(b"\xEF\xBB\xBFdata: a\n\n", &[("message", "a", None)]);
    }

    #[test]
    fn lines_of_data_are_joined() {
        check(
            "data: {\ndata:\ndata:  \u{fc}\ndata\n\n".as_bytes(),
            &[("message", "{\n\n \u{fc}\n", None)],
        );
    }

    #[test]
    fn comments_and_unknown_fields_are_passed_over() {
        check(
            b": hello\nfoo: bar\na-very-long-field-name-indeed: x\ndata: 1\n:\n\n:\n\n",
            &[("message", "1", None)],
        );
    }

    #[test]
    fn names_and_ids_belong_to_their_event_and_the_id_stays() {
        check(
            b"event: endpoint\nid: 7\ndata: /x\n\ndata: y\n\nid: 8\n\ndata: z\n\n",
            &[
                ("endpoint", "/x", Some("7")),
                ("message", "y", Some("7")),
                ("message", "z", Some("8")),
            ],
        );
    }

    #[test]
    fn the_name_of_an_event_without_data_goes_with_it() {
        check(b"retry: 10\n\nevent: ping\ndata: {}\n\n", &[("ping", "{}", None)]);
        check(b"event: ping\n\ndata: {}\n\n", &[("message", "{}", None)]);
    }

    #[test]
    fn a_priming_event_has_no_data() {
        check(b"id: 1\nretry: 20\ndata:\n\n", &[("message", "", Some("1"))]);
    }

    #[test]
    fn the_id_of_an_event_that_never_ended_does_not_count() {
        check(b"id: 1\ndata: a\n\nid: 2\ndata: b", &[("message", "a", Some("1"))]);
    }

    #[test]
    fn an_id_with_a_nul_and_a_retry_that_is_no_number_are_passed_over() {
        let mut parser = Parser::new(Position::default());
        let mut chunk: &[u8] = b"id: 1\0\nretry: 5x\n\nretry: 30\n\n";
        while parser.next(&mut chunk).is_some() {}
        assert_eq!(parser.position().last_id, None);
        assert_eq!(parser.position().retry, Some(Duration::from_millis(30)));
    }
}
