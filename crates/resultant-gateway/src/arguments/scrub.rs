//! Takes capability tokens out of what a tool answers.
//!
//! A tool was given addresses with tokens and may say them again, in a result, an error or a
//! message on the way. An address of this call becomes the reference to its file; any other token of
//! ours is taken out. It is done on the bytes, before anything is read or kept, so that there is one
//! place that can be wrong. Characters of a token need no escape, so a token is found whatever
//! encoding stands around it. A tool that hides a token on purpose is not stopped by this; a token
//! is bound to one file and a few minutes.

use std::{borrow::Cow, sync::Arc};

use bytes::Bytes;
use resultant::Json;
use resultant_store::{TOKEN_LENGTH, find_tokens};

use super::Minted;

/// An address up to its token has at most so many bytes, its escapes included.
const ADDRESS_BYTES_MAX: usize = 4096;

/// So many bytes at the end of a part may be the beginning of a token or of its address.
const HELD_BYTES_MAX: usize = TOKEN_LENGTH + ADDRESS_BYTES_MAX;

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

    /// For a long message that comes in parts.
    pub(crate) fn scrubbing(&self) -> Scrubbing {
        Scrubbing { scrubber: self.clone(), held: Vec::new() }
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

/// Takes the tokens out of a long message as it passes.
pub(crate) struct Scrubbing {
    scrubber: Scrubber,
    /// What may be the beginning of a token, or of the address before one.
    held: Vec<u8>,
}

impl Scrubbing {
    /// The next bytes; what is sure of them and of those before goes to `give`.
    pub(crate) fn feed(&mut self, part: &Bytes, give: &mut impl FnMut(Bytes)) {
        if part.len() >= 2 * HELD_BYTES_MAX && !self.has_hits(part) {
            // Nearly always: nothing in it, and nothing that begins before it.
            let (sure, held) = part.split_at(part.len() - HELD_BYTES_MAX);
            give(std::mem::replace(&mut self.held, held.to_vec()).into());
            give(part.slice_ref(sure));
            return;
        }
        self.held.extend_from_slice(part);
        let hits = self.scrubber.hits(&self.held);
        let end = hits.last().map_or(0, |hit| hit.end);
        self.give(&hits, end.max(self.held.len().saturating_sub(HELD_BYTES_MAX)), give);
    }

    /// There is no more.
    pub(crate) fn end(mut self, give: &mut impl FnMut(Bytes)) {
        let hits = self.scrubber.hits(&self.held);
        self.give(&hits, self.held.len(), give);
    }

    fn has_hits(&self, part: &[u8]) -> bool {
        let seam = [&self.held, &part[..HELD_BYTES_MAX]].concat();
        find_tokens(&seam).next().is_some() || find_tokens(part).next().is_some()
    }

    fn give(&mut self, hits: &[Hit], cut: usize, give: &mut impl FnMut(Bytes)) {
        let mut ready = Vec::with_capacity(cut);
        write(&self.held, hits, cut, &mut ready);
        self.held.drain(..cut);
        give(ready.into());
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

    #[track_caller]
    fn check(minted: &[Minted], text: &str, expected: &str) {
        let scrubber = Scrubber::new(minted.to_vec());
        let whole = scrubber.message(Bytes::copy_from_slice(text.as_bytes()));
        assert_eq!(std::str::from_utf8(&whole).unwrap(), expected);
        assert_eq!(scrubber.text(text), expected);
        // Byte by byte is slow, and of use only where something is held back.
        let sizes: &[usize] = match text.len() < 1000 {
            true => &[1, 7, 113],
            false => &[509, 4099, 5000, 2 * HELD_BYTES_MAX, 2 * HELD_BYTES_MAX + 11, 30_000],
        };
        for size in sizes {
            let (mut out, mut scrubbing) = (Vec::new(), scrubber.scrubbing());
            let mut give = |part: Bytes| out.extend_from_slice(&part);
            for part in text.as_bytes().chunks(*size) {
                scrubbing.feed(&Bytes::copy_from_slice(part), &mut give);
            }
            scrubbing.end(&mut give);
            assert_eq!(String::from_utf8(out).unwrap(), expected, "in parts of {size}");
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
            for (before, after) in [(6000, 6000), (8300, 9000), (8400, 20_000), (29_990, 40_000)] {
                let (x, y) = ("x".repeat(before), "y".repeat(after));
                let far = |text: &str| format!("{{\"a\":\"{x}{text}{y}\"}}");
                check(&minted, &far(&text), &far(&expected));
            }
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
