//! Takes messages out of a body or an event while its bytes come: one message, or a batch of them.
//!
//! Beside the bytes, which go into a [`Collector`], only the top level of each message is looked
//! at: whether it has a `method`, and its `id`. That tells an answer from what comes along with
//! it, also when the answer has 200 MB and its `id` stands at the end. Everything else about a
//! message is for those who read it; what is no JSON at all is one message too.

use crate::body::{Addressees, Body, CollectError, Collector, SpoolOptions};

/// A message and what its top level says.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) body: Body,
    top: Top,
}

impl Frame {
    /// Whether this answers the request.
    pub(super) fn answers(&self, id: u64) -> Answers {
        match self.top.id() {
            _ if self.top.method => Answers::No,
            Some(other) if other == id => Answers::Yes,
            Some(_) => Answers::No,
            None => Answers::Perhaps,
        }
    }
}

/// Whether a message answers a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answers {
    Yes,
    /// It names no request, or not with a number: a server that answers with a null or a text
    /// where our number was, or with no JSON. It came in this request's answer, so it is meant.
    Perhaps,
    No,
}

/// What is known of a message that is not kept.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) error: CollectError,
    /// The request that it answers, where that was seen.
    pub(super) answers: Option<u64>,
}

#[derive(Debug, PartialEq, Eq)]
enum Mode {
    /// Nothing but white space so far.
    Start,
    Single,
    /// In a batch, before a message.
    Between,
    /// In a message of a batch.
    Item,
}

/// Takes the bytes of one body or event after the other.
pub(super) struct Messages<'a> {
    options: &'a SpoolOptions,
    addressees: Option<&'a dyn Addressees>,
    collector: Collector<'a>,
    refused: Option<CollectError>,
    top: Top,
    mode: Mode,
    total: u64,
}

impl<'a> Messages<'a> {
    pub(super) fn new(
        options: &'a SpoolOptions,
        addressees: Option<&'a dyn Addressees>,
    ) -> Messages<'a> {
        Messages {
            options,
            addressees,
            collector: Collector::new(options, addressees),
            refused: None,
            top: Top::default(),
            mode: Mode::Start,
            total: 0,
        }
    }

    /// The next bytes; messages of a batch that end in them are handed to `arrived`.
    pub(super) fn push(
        &mut self,
        mut bytes: &[u8],
        mut arrived: impl FnMut(Result<Frame, Refused>),
    ) {
        self.total = self.total.saturating_add(bytes.len() as u64);
        self.check_total();
        while let Some(&first) = bytes.first() {
            match self.mode {
                Mode::Single => {
                    self.top.feed(bytes);
                    self.keep(bytes);
                    return;
                }
                Mode::Item => {
                    let Some(end) = self.top.feed_item(bytes) else {
                        self.keep(bytes);
                        return;
                    };
                    self.keep(&bytes[..end]);
                    bytes = &bytes[end..];
                    self.mode = Mode::Between;
                    arrived(self.frame());
                }
                Mode::Start if first == b'[' => {
                    self.mode = Mode::Between;
                    bytes = &bytes[1..];
                }
                Mode::Between if matches!(first, b',' | b']') => bytes = &bytes[1..],
                Mode::Start | Mode::Between if first.is_ascii_whitespace() => bytes = &bytes[1..],
                Mode::Start => self.mode = Mode::Single,
                Mode::Between => self.mode = Mode::Item,
            }
        }
    }

    /// The body or event is over. A batch that was cut in a message hands that over as it is.
    pub(super) fn end(&mut self) -> Option<Result<Frame, Refused>> {
        let open = matches!(self.mode, Mode::Single | Mode::Item) || self.refused.is_some();
        let frame = open.then(|| self.frame());
        self.mode = Mode::Start;
        self.total = 0;
        self.refused = None;
        frame
    }

    /// Why the message that is being read will not be kept, as soon as that is known.
    pub(super) fn refused(&self) -> Option<&CollectError> {
        self.refused.as_ref()
    }

    /// Whether it is time to stop waiting for the end of what is not kept.
    pub(super) fn endless(&self) -> bool {
        self.total / 2 > self.options.message_bytes_max
    }

    /// A batch has no more bytes than one message may have.
    fn check_total(&mut self) {
        let limit = self.options.message_bytes_max;
        if self.total > limit && self.refused.is_none() {
            self.refuse(CollectError::TooLarge { limit });
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.check_total();
        if self.refused.is_none()
            && let Err(error) = self.collector.push(bytes)
        {
            self.refuse(error);
        }
    }

    /// What was kept of this message goes at once; its top level is still read, for the id.
    fn refuse(&mut self, error: CollectError) {
        self.collector = Collector::new(self.options, self.addressees);
        self.refused = Some(error);
    }

    fn frame(&mut self) -> Result<Frame, Refused> {
        let top = std::mem::take(&mut self.top);
        match self.refused.take() {
            None => match self.collector.take() {
                Ok(body) => Ok(Frame { body, top }),
                Err(error) => Err(Refused { error, answers: top.answers() }),
            },
            Some(error) => Err(Refused { error, answers: top.answers() }),
        }
    }
}

const KEY_BYTES_MAX: usize = 8;
const ID_BYTES_MAX: usize = 24;

/// Reads keys at the top level of one message, and passes over everything below.
#[derive(Debug, Default)]
struct Top {
    depth: u64,
    string: bool,
    escape: bool,
    /// A key or the colon comes next, at the top level.
    key_place: bool,
    key: Vec<u8>,
    id: Vec<u8>,
    method: bool,
}

impl Top {
    /// The id, where it is a number of the kind that we give.
    fn id(&self) -> Option<u64> {
        std::str::from_utf8(&self.id).ok()?.parse().ok()
    }

    /// The id of the request that it answers.
    fn answers(&self) -> Option<u64> {
        self.id().filter(|_| !self.method)
    }

    fn feed(&mut self, bytes: &[u8]) {
        self.scan(bytes, false);
    }

    /// Feeds a message of a batch: the place of the comma or bracket behind it, when it is there.
    fn feed_item(&mut self, bytes: &[u8]) -> Option<usize> {
        self.scan(bytes, true)
    }

    fn scan(&mut self, bytes: &[u8], item: bool) -> Option<usize> {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            if self.string {
                at += self.in_string(&bytes[at..]);
                continue;
            }
            match byte {
                b'"' => {
                    self.string = true;
                    if self.depth == 1 && self.key_place {
                        self.key.clear();
                    }
                }
                b'{' | b'[' => {
                    self.depth += 1;
                    self.key_place = self.depth == 1 && byte == b'{';
                }
                b',' | b']' if item && self.depth == 0 => return Some(at),
                b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                b',' if self.depth == 1 => self.key_place = true,
                b':' if self.depth == 1 => {
                    self.key_place = false;
                    match self.key.as_slice() {
                        b"method" => self.method = true,
                        b"id" => self.id.clear(),
                        _ => {}
                    }
                }
                b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'
                    if self.in_id() && self.id.len() < ID_BYTES_MAX =>
                {
                    self.id.push(byte);
                }
                _ => {}
            }
            at += 1;
        }
        None
    }

    fn in_id(&self) -> bool {
        self.depth == 1 && !self.key_place && self.key == b"id"
    }

    /// Goes through a string; how many bytes of it were there.
    fn in_string(&mut self, bytes: &[u8]) -> usize {
        if std::mem::take(&mut self.escape) {
            return 1;
        }
        let end = memchr::memchr2(b'"', b'\\', bytes).unwrap_or(bytes.len());
        if self.depth == 1 && self.key_place {
            let room = KEY_BYTES_MAX.saturating_sub(self.key.len()).min(end);
            self.key.extend_from_slice(&bytes[..room]);
        }
        match bytes.get(end) {
            Some(b'"') => {
                self.string = false;
                end + 1
            }
            Some(_) => {
                self.escape = true;
                end + 1
            }
            None => end,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Answers::*, *};

    /// What comes out of a body, however it is cut: the text, and whether it answers request 7.
    fn messages(body: &[u8], chunk_bytes: usize) -> Vec<(String, Answers)> {
        let options = SpoolOptions {
            folder: std::env::temp_dir(),
            inline_bytes_max: 1024,
            message_bytes_max: 1024,
        };
        let mut messages = Messages::new(&options, None);
        let mut frames = Vec::new();
        for chunk in body.chunks(chunk_bytes) {
            messages.push(chunk, |frame| frames.push(frame.unwrap()));
        }
        frames.extend(messages.end().map(Result::unwrap));
        let texts = frames.into_iter().map(|frame| {
            let answers = frame.answers(7);
            let Body::Whole(bytes) = frame.body else { panic!("short messages stay in memory") };
            (String::from_utf8(bytes.to_vec()).unwrap(), answers)
        });
        texts.collect()
    }

    #[track_caller]
    fn check(body: &str, expected: &[(&str, Answers)]) {
        for chunk_bytes in 1..=body.len().max(1) {
            let messages = messages(body.as_bytes(), chunk_bytes);
            let messages: Vec<_> = messages.iter().map(|(text, is)| (text.as_str(), *is)).collect();
            assert_eq!(messages, expected, "in chunks of {chunk_bytes}");
        }
    }

    #[test]
    fn one_message_is_kept_as_it_came() {
        let answer = r#"{"result":{"id":8,"method":"\"x"},"id": 7}"#;
        check(answer, &[(answer, Yes)]);
        check(r#"{"id":7,"error":{}}"#, &[(r#"{"id":7,"error":{}}"#, Yes)]);
    }

    #[test]
    fn what_has_a_method_or_another_id_answers_nothing() {
        for text in [
            r#"{"method":"ping","id":7}"#,
            r#"{"jsonrpc":"2.0","method":"notifications/x"}"#,
            r#"{"id":17,"result":{}}"#,
        ] {
            check(text, &[(text, No)]);
        }
    }

    #[test]
    fn a_null_or_a_text_as_id_may_be_the_answer() {
        for text in [r#"{"id":null,"error":{}}"#, r#"{"id":"7","result":{}}"#, "no json"] {
            check(text, &[(text, Perhaps)]);
        }
    }

    #[test]
    fn a_batch_is_split() {
        check(
            r#" [ {"id":7,"result":"],[{"} ,{"method":"m","params":[1,[2]]}, 3 ] "#,
            &[
                (r#"{"id":7,"result":"],[{"} "#, Yes),
                (r#"{"method":"m","params":[1,[2]]}"#, No),
                ("3 ", Perhaps),
            ],
        );
        check("[]", &[]);
    }

    #[test]
    fn nothing_is_no_message() {
        check("", &[]);
        check(" \r\n", &[]);
    }

    #[test]
    fn the_id_of_a_message_over_the_limit_is_still_found() {
        let options = SpoolOptions {
            folder: std::env::temp_dir(),
            inline_bytes_max: 16,
            message_bytes_max: 64,
        };
        let mut messages = Messages::new(&options, None);
        let text = format!(r#"{{"result":"{}","id":7}}"#, "x".repeat(100));
        messages.push(text.as_bytes(), |_| panic!("there is no batch"));
        let refused = messages.end().unwrap().unwrap_err();
        assert_eq!(refused.answers, Some(7));
        assert!(matches!(refused.error, CollectError::TooLarge { limit: 64 }));

        messages.push(b"{\"id\":8}", |_| panic!("there is no batch"));
        let Body::Whole(bytes) = messages.end().unwrap().unwrap().body else { panic!("short") };
        assert_eq!(bytes, "{\"id\":8}");
    }
}
