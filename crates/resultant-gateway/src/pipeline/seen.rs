//! What a model sees of a result, in tokens: of the one that came, and of the one that was written.
//!
//! Clients show their models the text of the content, the structured content, or both. The same
//! lanes are measured on both sides, so that what was saved is neither the base64 of an image, which
//! no client shows as text, nor a copy in a lane that is not looked at. A result is measured as its
//! bytes pass, in flat memory: all of it by length, its beginning by the tokenizer.

use std::borrow::Cow;

use memchr::memchr2;
use resultant::{Json, Sees};

use crate::tokens;

/// So much of a lane is counted exactly; the rest is taken to be like it.
const HEAD_BYTES_MAX: usize = 64 << 10;
/// Longer keys are none that mean something.
const KEY_BYTES_MAX: usize = 32;
/// A string that is cut within an escape has its beginning so near to its end.
const ESCAPE_BYTES_MAX: usize = 12;

/// One lane of a result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Lane {
    bytes: u64,
    /// Its beginning; of texts with the escapes of JSON.
    head: Vec<u8>,
}

impl Lane {
    fn push(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        let room = HEAD_BYTES_MAX - self.head.len();
        self.head.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn tokens(&self, is_escaped: bool) -> u64 {
        let head = match is_escaped {
            true => plain(&self.head),
            false => Cow::Borrowed(&*self.head),
        };
        // Of a text with many escapes less arrives than was sent.
        let share = head.len() as u128 * u128::from(self.bytes);
        let whole = share.checked_div(self.head.len() as u128).unwrap_or_default();
        tokens::of_head(&head, u64::try_from(whole).unwrap_or(u64::MAX))
    }
}

/// The beginning of a text without the escapes of JSON.
fn plain(head: &[u8]) -> Cow<'_, [u8]> {
    if !head.contains(&b'\\') {
        return Cow::Borrowed(head);
    }
    for cut in 0..=ESCAPE_BYTES_MAX.min(head.len()) {
        let Ok(text) = std::str::from_utf8(&head[..head.len() - cut]) else { continue };
        if let Ok(json) = Json::parse(format!("\"{text}\""))
            && let Some(text) = json.as_str()
        {
            // Half of a pair of escapes is read as a character that nobody sent.
            let text = text.trim_end_matches(char::REPLACEMENT_CHARACTER);
            return Cow::Owned(text.as_bytes().to_vec());
        }
    }
    Cow::Borrowed(head)
}

/// Where in a message something stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Outside of everything, and in the message around a result.
    Message,
    Result,
    Content,
    Block,
    Resource,
    Structured,
    Elsewhere,
}

impl Place {
    /// The place of the value under this key.
    fn within(self, key: &[u8]) -> Place {
        match (self, key) {
            (Place::Message, b"result") => Place::Result,
            (Place::Message | Place::Result, b"content") => Place::Content,
            (Place::Message | Place::Result, b"structuredContent") | (Place::Structured, _) => {
                Place::Structured
            }
            (Place::Content, _) => Place::Block,
            (Place::Block, b"resource") => Place::Resource,
            _ => Place::Elsewhere,
        }
    }
}

/// The lanes of one result, measured while its bytes pass. What is no JSON gives some number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    content: Lane,
    structured: Lane,
    /// Whether it has any lane.
    is_result: bool,
    /// The containers around, innermost last; whether each is an object.
    around: Vec<(Place, bool)>,
    /// Containers deeper than anything that matters.
    deeper: usize,
    string: Option<Text>,
    is_escaped: bool,
    key: Vec<u8>,
    is_key_next: bool,
}

/// A lane as a model sees it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SeenLane {
    pub(crate) name: &'static str,
    pub(crate) text: String,
    pub(crate) tokens: u64,
}

/// What a string is while it passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Text {
    Key,
    Content,
    Other,
}

/// Deeper containers are in a lane or not as the one around them is.
const DEPTH_MAX: usize = 16;

impl Seen {
    /// Of a whole.
    pub(crate) fn of(json: &[u8]) -> Seen {
        let mut seen = Seen::default();
        seen.feed(json);
        seen
    }

    /// A text that a model gets as it is.
    pub(super) fn of_text(text: &str) -> Seen {
        let mut seen = Seen { is_result: true, ..Seen::default() };
        seen.structured.push(text.as_bytes());
        seen
    }

    /// Takes the next bytes of the message.
    pub(crate) fn feed(&mut self, mut bytes: &[u8]) {
        while let Some(&first) = bytes.first() {
            let len = match self.string {
                Some(text) => self.in_string(text, bytes),
                None => {
                    self.outside(first);
                    1
                }
            };
            bytes = &bytes[len..];
        }
    }

    fn place(&self) -> Place {
        self.around.last().map_or(Place::Message, |(place, _)| *place)
    }

    /// Goes through a string as far as it is here.
    fn in_string(&mut self, text: Text, bytes: &[u8]) -> usize {
        let (len, is_end) = match self.is_escaped {
            true => {
                self.is_escaped = false;
                (1, false)
            }
            false => match memchr2(b'"', b'\\', bytes) {
                Some(at) if bytes[at] == b'\\' => {
                    self.is_escaped = true;
                    (at + 1, false)
                }
                Some(at) => (at + 1, true),
                None => (bytes.len(), false),
            },
        };
        let inner = &bytes[..len - usize::from(is_end)];
        match text {
            Text::Key => {
                let room = KEY_BYTES_MAX.saturating_sub(self.key.len());
                self.key.extend_from_slice(&inner[..inner.len().min(room)]);
            }
            Text::Content => self.content.push(inner),
            Text::Other => {}
        }
        if self.is_in_structured() {
            self.structured.push(&bytes[..len]);
        }
        if is_end {
            if text == Text::Content {
                self.content.push(b"\\n");
            }
            self.string = None;
        }
        len
    }

    fn is_in_structured(&self) -> bool {
        let is_value = !self.is_key_next && self.deeper == 0;
        self.place() == Place::Structured
            || is_value && self.place().within(&self.key) == Place::Structured
    }

    fn outside(&mut self, byte: u8) {
        let place = self.place();
        match byte {
            b'"' if self.is_key_next => {
                self.key.clear();
                self.string = Some(Text::Key);
            }
            b'"' => {
                let is_text = matches!(place, Place::Block | Place::Resource) && self.deeper == 0;
                let is_text = is_text && self.key == b"text";
                self.string = Some(if is_text { Text::Content } else { Text::Other });
            }
            b'{' | b'[' => {
                let inner = match self.around.is_empty() {
                    true => Place::Message,
                    false => place.within(&self.key),
                };
                self.is_result |= matches!(inner, Place::Content | Place::Structured);
                match self.around.len() < DEPTH_MAX {
                    true => self.around.push((inner, byte == b'{')),
                    false => self.deeper += 1,
                }
                self.is_key_next = byte == b'{' && self.deeper == 0;
                self.key.clear();
            }
            b'}' | b']' => {
                // The last brace belongs to what it ends.
                if place == Place::Structured {
                    self.structured.push(&[byte]);
                }
                match self.deeper {
                    0 => {
                        self.around.pop();
                    }
                    _ => self.deeper -= 1,
                }
                self.is_key_next = false;
                return;
            }
            b',' => {
                let is_object = self.around.last().is_some_and(|(_, is_object)| *is_object);
                self.is_key_next = is_object && self.deeper == 0;
            }
            b':' => self.is_key_next = false,
            b' ' | b'\t' | b'\r' | b'\n' => return,
            _ => {}
        }
        let is_between = matches!(byte, b',' | b':') && self.place() != Place::Structured;
        if !is_between && self.is_in_structured() {
            self.structured.push(&[byte]);
        }
    }

    /// The tokens that a model sees of it. Where nobody knows which lane that is, the longer one
    /// counts.
    pub(crate) fn tokens(&self, sees: Sees) -> u64 {
        let content = || self.content.tokens(true);
        let structured = || self.structured.tokens(false);
        match sees {
            Sees::Either => content().max(structured()),
            Sees::Structured if self.structured.bytes > 0 => structured(),
            Sees::Content | Sees::Structured => content(),
            Sees::Both => content() + structured(),
        }
    }

    /// The lanes of a result that a model sees. Where nobody knows which, that is each by itself.
    pub(crate) fn lanes(json: &Json, sees: Sees) -> Vec<SeenLane> {
        let seen = Seen::of(json.as_text().as_bytes());
        let content = || {
            let blocks = json.get("content");
            let blocks: Vec<Json> = blocks.iter().flat_map(Json::items).collect();
            let texts = blocks.iter().filter_map(|block| {
                let of_resource = || block.get("resource")?.get("text");
                block.get("text").or_else(of_resource)?.as_str().map(Cow::into_owned)
            });
            let text = texts.collect::<Vec<_>>().join("\n");
            SeenLane { name: "content", tokens: seen.content.tokens(true), text }
        };
        let structured = json.get("structuredContent").map(|value| SeenLane {
            name: "structured",
            tokens: seen.structured.tokens(false),
            text: value.as_text().to_owned(),
        });
        match (sees, structured) {
            (Sees::Structured, Some(structured)) => vec![structured],
            (Sees::Content | Sees::Structured, _) => vec![content()],
            (_, structured) => std::iter::once(content()).chain(structured).collect(),
        }
    }

    /// Whether it has lanes at all; a document for a program has none.
    pub(super) fn is_result(&self) -> bool {
        self.is_result
    }

    /// Whether a model sees the same of both, as far as it was looked at.
    pub(super) fn is_same(&self, other: &Seen) -> bool {
        self.content == other.content && self.structured == other.structured
    }
}

/// What the text of a result shows to a model: its lanes, or all of it where it has none.
pub(super) fn seen_of(json: &Json) -> Seen {
    let seen = Seen::of(json.as_text().as_bytes());
    match seen.is_result() {
        true => seen,
        false => Seen::of_text(json.as_text()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(message: &str, content: &str, structured: &str) {
        for size in [1, 3, message.len().max(1)] {
            let mut seen = Seen::default();
            message.as_bytes().chunks(size).for_each(|chunk| seen.feed(chunk));
            let text = |lane: &Lane| String::from_utf8(lane.head.clone()).unwrap();
            assert_eq!(text(&seen.content), content, "{message}");
            assert_eq!(text(&seen.structured), structured, "{message}");
        }
    }

    #[test]
    fn lanes_are_told_apart() {
        check(
            r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"a\"b"}]}}"#,
            r#"a\"b\n"#,
            "",
        );
        check(
            r#"{"content": [{"type": "image", "data": "AAAA", "mimeType": "image/png"},
                {"text": "x", "_meta": {"text": "no"}},
                {"type": "resource", "resource": {"uri": "u", "text": "y", "blob": "BBBB"}}],
               "structuredContent": {"a": [1, {"text": "]}"}], "b": null}, "_meta": {"text": 1}}"#,
            r"x\ny\n",
            r#"{"a":[1,{"text":"]}"}],"b":null}"#,
        );
        check(r#"{"structuredContent": "s", "content": []}"#, "", r#""s""#);
        check(r#"{"structuredContent": 12, "isError": false}"#, "", "12");
        check(r#"{"other": {"content": [{"text": "no"}]}}"#, "", "");
        let deep = format!(
            r#"{{"content":[{{"text":{}"in"{}}}],"structuredContent":{}1{}}}"#,
            "[".repeat(40),
            "]".repeat(40),
            "[".repeat(40),
            "]".repeat(40)
        );
        check(&deep, "", &format!("{}1{}", "[".repeat(40), "]".repeat(40)));
        check("]]}{\"", "", "");
    }

    #[test]
    fn the_longer_lane_counts_and_images_do_not() {
        let image = "iVBORw0KGgo".repeat(10_000);
        let result = format!(
            r#"{{"content":[{{"type":"image","data":"{image}"}},{{"type":"text","text":"one two"}}],
                "structuredContent":{{"n":1}}}}"#
        );
        let tokens = Seen::of(result.as_bytes()).tokens(Sees::Either);
        assert!((2..12).contains(&tokens), "{tokens}");
        let [content, structured, both] = [Sees::Content, Sees::Structured, Sees::Both]
            .map(|sees| Seen::of(result.as_bytes()).tokens(sees));
        assert!(content > 0 && structured > 0 && both == content + structured);
        let long = "word ".repeat(100_000);
        let result = format!(r#"{{"content":[{{"type":"text","text":"{long}"}}]}}"#);
        let tokens = Seen::of(result.as_bytes()).tokens(Sees::Either);
        assert!((95_000..105_000).contains(&tokens), "{tokens}");
        assert_eq!(Seen::of(result.as_bytes()).tokens(Sees::Structured), tokens);
    }

    #[test]
    fn a_model_is_shown_its_lanes() {
        let json = r#"{"content":[{"type":"text","text":"a"},{"type":"image","data":"AAAA"},
            {"type":"resource","resource":{"uri":"u","text":"b"}}],"structuredContent":{"n":1}}"#;
        let json = Json::parse(json).unwrap();
        let lanes = |sees| -> Vec<(&str, String)> {
            Seen::lanes(&json, sees).into_iter().map(|lane| (lane.name, lane.text)).collect()
        };
        let content = ("content", "a\nb".to_owned());
        let structured = ("structured", r#"{"n":1}"#.to_owned());
        assert_eq!(lanes(Sees::Both), [content, structured]);
        assert_eq!(lanes(Sees::Content), lanes(Sees::Both)[..1]);
        assert_eq!(lanes(Sees::Structured), lanes(Sees::Both)[1..]);
        let plain = Json::parse(r#"{"content":[{"type":"text","text":"a"}]}"#).unwrap();
        assert_eq!(Seen::lanes(&plain, Sees::Structured)[0].text, "a");
    }

    #[test]
    fn escapes_are_no_text() {
        assert_eq!(plain(br#"a\nb\u00e9"#), "a\nb\u{e9}".as_bytes());
        assert_eq!(plain(br"a\nb\u00e"), &b"a\nb"[..]);
        assert_eq!(plain(br"a\n\ud83d\ude0"), &b"a\n"[..]);
    }
}
