//! Takes capability tokens out of what a tool answers.
//!
//! A tool was given addresses with tokens and may say them again, in a result, an error or a
//! message on the way. An address of this call becomes the reference to its file; any other token of
//! ours is taken out. It is done on the bytes, before anything is read or kept, so that there is one
//! place that can be wrong. Characters of a token need no escape, so a token is found whatever
//! encoding stands around it. A tool that hides a token on purpose is not stopped by this; a token
//! is bound to one file and a few minutes.

use std::{
    borrow::Cow,
    io::{self, Read},
    sync::Arc,
};

use bytes::Bytes;
use resultant::Json;
use resultant_store::{TOKEN_LENGTH, find_tokens};

use super::Minted;

/// An address up to its token has at most so many bytes, its escapes included.
const ADDRESS_BYTES_MAX: usize = 4096;

/// So much of a long message is read at once.
const PART_BYTES: usize = 256 << 10;

const REMOVED: &str = "[token removed]";

/// Takes tokens out of the answers to one call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scrubber {
    minted: Arc<[Minted]>,
}

/// Bytes that are replaced.
struct Hit {
    start: usize,
    end: usize,
    by: String,
}

impl Scrubber {
    /// For a call for which these were made.
    pub(crate) fn new(minted: Vec<Minted>) -> Scrubber {
        Scrubber { minted: minted.into() }
    }

    /// A whole message without tokens: the same bytes where it has none.
    pub(crate) fn message(&self, message: Bytes) -> Bytes {
        let hits = self.hits(&message);
        if hits.is_empty() {
            return message;
        }
        let mut out = Vec::with_capacity(message.len());
        write(&message, &hits, message.len(), &mut out);
        out.into()
    }

    /// A text without tokens.
    pub(crate) fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let hits = self.hits(text.as_bytes());
        if hits.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut out = Vec::with_capacity(text.len());
        write(text.as_bytes(), &hits, text.len(), &mut out);
        Cow::Owned(String::from_utf8_lossy(&out).into_owned())
    }

    /// A value without tokens.
    pub(crate) fn json(&self, json: Json) -> Json {
        match self.text(json.as_text()) {
            Cow::Borrowed(_) => json,
            // What is put in needs no escapes.
            Cow::Owned(text) => Json::parse(text).unwrap_or(Json::null()),
        }
    }

    /// A long message without tokens, as it is read.
    pub(crate) fn reader<R: Read>(&self, source: R) -> Scrubbed<R> {
        let (held, ready) = (Vec::new(), Vec::new());
        let scrubber = self.clone();
        Scrubbed { scrubber, source, held, ready, given: 0, is_at_end: false, is_same: true }
    }

    /// What is to be replaced, in order.
    fn hits(&self, bytes: &[u8]) -> Vec<Hit> {
        let hit = |range: std::ops::Range<usize>| {
            let token = &bytes[range.clone()];
            let minted = self.minted.iter().find(|minted| minted.token.as_bytes() == token);
            let address = minted.and_then(|minted| {
                let prefix = minted.url.strip_suffix(&minted.token)?;
                Some((address_start(bytes, range.start, prefix)?, minted))
            });
            match address {
                Some((start, minted)) => Hit { start, end: range.end, by: reference(&minted.name) },
                None => Hit { start: range.start, end: range.end, by: REMOVED.to_owned() },
            }
        };
        find_tokens(bytes).map(hit).collect()
    }
}

/// Reads something without the tokens in it.
pub(crate) struct Scrubbed<R> {
    scrubber: Scrubber,
    source: R,
    /// What may be the beginning of a token, or of the address before one.
    held: Vec<u8>,
    ready: Vec<u8>,
    given: usize,
    is_at_end: bool,
    is_same: bool,
}

impl<R> Scrubbed<R> {
    /// Whether nothing was taken out of what was read so far.
    pub(crate) fn is_same(&self) -> bool {
        self.is_same
    }
}

impl<R: Read> Scrubbed<R> {
    fn fill(&mut self) -> io::Result<()> {
        self.ready.clear();
        self.given = 0;
        let start = self.held.len();
        self.held.resize(start + PART_BYTES, 0);
        let read = self.source.read(&mut self.held[start..]);
        self.held.truncate(start + read.as_ref().map_or(0, |read| *read));
        self.is_at_end = read? == 0;
        let hits = self.scrubber.hits(&self.held);
        self.is_same &= hits.is_empty();
        let len = self.held.len();
        let cut = match self.is_at_end {
            true => len,
            false => {
                let end = hits.last().map_or(0, |hit| hit.end);
                end.max(len.saturating_sub(TOKEN_LENGTH + ADDRESS_BYTES_MAX))
            }
        };
        write(&self.held, &hits, cut, &mut self.ready);
        self.held.drain(..cut);
        Ok(())
    }
}

impl<R: Read> Read for Scrubbed<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.given == self.ready.len() && !self.is_at_end {
            self.fill()?;
        }
        let ready = &self.ready[self.given..];
        let len = ready.len().min(out.len());
        out[..len].copy_from_slice(&ready[..len]);
        self.given += len;
        Ok(len)
    }
}

/// Writes the bytes up to `cut`, which is in no hit.
fn write(bytes: &[u8], hits: &[Hit], cut: usize, out: &mut Vec<u8>) {
    let mut copied = 0;
    for hit in hits {
        out.extend_from_slice(&bytes[copied..hit.start]);
        out.extend_from_slice(hit.by.as_bytes());
        copied = hit.end;
    }
    if copied < cut {
        out.extend_from_slice(&bytes[copied..cut]);
    }
}

/// Where an address starts whose token starts here, however JSON escapes it.
fn address_start(bytes: &[u8], token: usize, prefix: &str) -> Option<usize> {
    let mut at = token;
    for char in prefix.bytes().rev() {
        let before = &bytes[..at];
        at = match char {
            _ if before.last() == Some(&char) => {
                let is_escaped = char == b'/' && before[..at - 1].last() == Some(&b'\\');
                at - 1 - usize::from(is_escaped)
            }
            _ => {
                let escape = format!("\\u{char:04x}");
                let found = before.get(at.checked_sub(escape.len())?..)?;
                if !found.eq_ignore_ascii_case(escape.as_bytes()) {
                    return None;
                }
                at - escape.len()
            }
        };
    }
    Some(at)
}

/// The reference to a file, of characters that need no escape anywhere.
fn reference(name: &str) -> String {
    let mut out = String::from(super::references::SCHEME);
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use resultant_store::Store;

    use super::*;
    use crate::arguments::tests::{open_store, token_of};

    async fn minted(store: &Store, name: &str) -> Minted {
        let (token, id, key) = token_of(store).await;
        let url = format!("https://gate.example:8/x/api/files/download/{key}?token={token}");
        Minted { token, id, key, url, name: name.to_owned() }
    }

    /// Gives so many bytes at once.
    struct InParts<'a>(&'a [u8], usize);

    impl Read for InParts<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let len = self.1.min(out.len()).min(self.0.len());
            out[..len].copy_from_slice(&self.0[..len]);
            self.0 = &self.0[len..];
            Ok(len)
        }
    }

    #[track_caller]
    fn check(minted: &[Minted], text: &str, expected: &str) {
        let scrubber = Scrubber::new(minted.to_vec());
        let whole = scrubber.message(Bytes::copy_from_slice(text.as_bytes()));
        assert_eq!(std::str::from_utf8(&whole).unwrap(), expected);
        assert_eq!(scrubber.text(text), expected);
        // Byte by byte is slow, and of use only where something is held back.
        let sizes = if text.len() < 1000 { [1, 7, 113] } else { [509, 4099, 5000] };
        for size in sizes {
            let mut out = String::new();
            let mut reader = scrubber.reader(InParts(text.as_bytes(), size));
            reader.read_to_string(&mut out).unwrap();
            assert_eq!(out, expected, "in parts of {size}");
        }
    }

    #[tokio::test]
    async fn an_address_of_this_call_becomes_a_reference() {
        let (_folder, store) = open_store().await;
        let minted = [minted(&store, "my \"report\".csv").await, minted(&store, "Größe.txt").await];
        let [first, second] = &minted;
        let reference = "resultant://files/my%20%22report%22.csv";
        let elsewhere = first.url.replace("gate", "date");
        for (text, expected) in [
            (format!("got {}", first.url), format!("got {reference}")),
            (format!("{}&x=1", first.url), format!("{reference}&x=1")),
            (first.url.replace('/', "\\/"), reference.to_owned()),
            (first.url.replace('=', "\\u003d"), reference.to_owned()),
            (first.url.replace('=', "\\u003D").replace('?', "\\u003f"), reference.to_owned()),
            (second.url.clone(), "resultant://files/Gr%C3%B6%C3%9Fe.txt".to_owned()),
            (first.token.clone(), REMOVED.to_owned()),
            (format!("{}{}", first.token, second.token), format!("{REMOVED}{REMOVED}")),
            (elsewhere.clone(), elsewhere.replace(&first.token, REMOVED)),
            (format!("{}\n{}", first.url, first.url), format!("{reference}\n{reference}")),
            (format!("{}{}", first.url, second.url), {
                format!("{reference}resultant://files/Gr%C3%B6%C3%9Fe.txt")
            }),
        ] {
            check(&minted, &text, &expected);
            let (x, y) = ("x".repeat(6000), "y".repeat(6000));
            let far = |text: &str| format!("{{\"a\":\"{x}{text}{y}\"}}");
            check(&minted, &far(&text), &far(&expected));
        }
    }

    #[tokio::test]
    async fn a_token_of_another_call_is_taken_out() {
        let (_folder, store) = open_store().await;
        let own = [minted(&store, "own").await];
        let (token, ..) = token_of(&store).await;
        for before in [
            "",
            "token=",
            "/api/files/download/k?token=",
            "token\\u003d",
            "token%3D",
            "token%253D",
            "\"token\":\"",
            "\\\"token\\\": \\\"",
            "rtrtr",
            "abc",
        ] {
            for after in ["", "\"", "&x=1", " ", "\\n", "=", "abc", "rt"] {
                let text = |token: &str| format!("{before}{token}{after}");
                check(&[], &text(&token), &text(REMOVED));
                check(&own, &text(&token), &text(REMOVED));
            }
        }
        let json = Json::string(&token);
        let scrubbed = Scrubber::default().json(json);
        assert_eq!(scrubbed.as_str().unwrap(), REMOVED);
    }

    #[tokio::test]
    async fn other_things_stay_to_the_byte() {
        let (_folder, store) = open_store().await;
        let own = [minted(&store, "own").await];
        let token = &own[0].token;
        for text in [
            String::new(),
            "rt".to_owned(),
            "token=".to_owned(),
            format!("token={}", &token[1..]),
            format!("token={}", &token[..TOKEN_LENGTH - 1]),
            token.to_uppercase(),
            "A".repeat(TOKEN_LENGTH),
            "rt".repeat(5000),
            "\u{fffd}é".repeat(4000),
        ] {
            check(&[], &text, &text);
            check(&own, &text, &text);
        }
        let message = Bytes::from_static(b"{\"a\":1}");
        let same = Scrubber::default().message(message.clone());
        assert_eq!(same.as_ptr(), message.as_ptr());
    }
}
