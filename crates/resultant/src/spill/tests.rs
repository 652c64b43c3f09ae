use std::io;

use crate::{Content, Limits, MemorySink, Outcome, ReadOptions, Sha256Digest, Sink, SpillId};

/// Reads in chunks of a size, with strings over sixteen bytes cut out.
fn read(message: &str, chunk: usize) -> (Outcome, MemorySink) {
    let limits = Limits { string_bytes_max: 16, ..Default::default() };
    let options = ReadOptions { limits, ..Default::default() };
    let mut sink = MemorySink::default();
    let mut reader = options.reader(&mut sink);
    message.as_bytes().chunks(chunk).for_each(|chunk| reader.feed(chunk));
    (reader.finish(), sink)
}

fn check(message: &str, contract: &str, files: &[(&str, &str)]) {
    for chunk in [1, 2, 3, 5, 7, 16, 64, 4096] {
        let (outcome, sink) = read(message, chunk);
        let shown = outcome.results.to_string();
        assert_eq!(shown, contract, "in chunks of {chunk}: {:?}", outcome.notes);
        let found: Vec<(&str, &[u8])> = outcome
            .artifacts
            .iter()
            .map(|artifact| match artifact.content {
                Content::Spilled(id) => (artifact.name.as_str(), sink.strings[&id].as_slice()),
                _ => panic!("{} is not in the sink", artifact.name),
            })
            .collect();
        let expected: Vec<(&str, &[u8])> =
            files.iter().map(|(name, bytes)| (*name, bytes.as_bytes())).collect();
        assert_eq!(found, expected, "in chunks of {chunk}");
        assert_eq!(sink.strings.len(), files.len(), "the sink keeps what is needed");
        for artifact in &outcome.artifacts {
            let Content::Spilled(id) = artifact.content else { continue };
            assert_eq!(artifact.sha256, Sha256Digest::of(&sink.strings[&id]));
            assert_eq!(artifact.size, sink.strings[&id].len() as u64);
        }
    }
}

#[test]
fn a_long_text_is_a_file() {
    check(
        r#"{"content": [{"type": "text", "text": "a text with \"escapes\" \u00e9\ud83d\ude00 \n end"}]}"#,
        "\"a text with \\\"escapes\\\" é😀 \\n end… [34 bytes in output.txt] …a text with \\\"escapes\\\" é😀 \\n end\"",
        &[("output.txt", "a text with \"escapes\" é😀 \n end")],
    );
}

#[test]
fn base64_is_decoded_on_the_way() {
    check(
        r#"{"content": [{"type": "image", "data": "aGVsbG8gd29ybGQsIGhlbGxv", "mimeType": "x/y"}, {"type": "text", "text": "short"}]}"#,
        "\"short\"",
        &[("image-1", "hello world, hello")],
    );
}

#[test]
fn a_contract_inside_a_text_is_found() {
    check(
        r#"{"content": [{"type": "text", "text": "{\"results\": \"ok\", \"artifacts\": [{\"name\": \"a.txt\", \"b64\": \"aGVsbG8gd29ybGQsIGhlbGxv\"}]}"}]}"#,
        "\"ok\"",
        &[("a.txt", "hello world, hello")],
    );
    check(
        r#"{"content": [{"type": "text", "text": "{\"results\": 1, \"returned_file_names\": [\"b.txt\"], \"returned_file_contents\": [\"aGVsbG8gd29ybGQsIGhlbGxv\"]}"}]}"#,
        "1",
        &[("b.txt", "hello world, hello")],
    );
}

#[test]
fn a_long_string_inside_a_value_is_a_file() {
    check(
        r#"{"content": [], "structuredContent": {"a": ["a string of some length"], "b": 1}}"#,
        r#"{"a":["a string of some length… [23 bytes in string.txt] …a string of some length"],"b":1}"#,
        &[("string.txt", "a string of some length")],
    );
}

#[test]
fn text_that_only_starts_like_json_is_text() {
    let (outcome, sink) = read(
        r#"{"content": [{"type": "text", "text": "{\"b64\": \"aGVsbG8gd29ybGQsIGhlbGxv\", oh no"}]}"#,
        9,
    );
    assert_eq!(outcome.artifacts[0].name, "output.txt");
    assert_eq!(sink.strings.len(), 1);
}

#[test]
fn base64_that_breaks_off_keeps_both_parts() {
    let (outcome, sink) = read(
        r#"{"content": [{"type": "image", "data": "aGVsbG8gd29ybGQsIGhlbGxv!!not base64", "mimeType": "x/y"}]}"#,
        7,
    );
    let all: Vec<u8> = sink.strings.values().flatten().copied().collect();
    let text = String::from_utf8(all).unwrap();
    assert!(text.starts_with("hello world") && text.ends_with("!!not base64"), "{text}");
    assert_eq!(outcome.artifacts.len(), sink.strings.len());
    assert!(outcome.notes.iter().any(|note| note.rule == crate::Rule::R6));
}

#[test]
fn handles_cannot_be_forged() {
    let message = r#"{"content": [{"type": "text", "text": "\u00000:abc"}, {"type": "image", "data": "\u00000:x", "mimeType": "a/b"}, {"type": "text", "text": "a long text that is cut out"}]}"#;
    let (outcome, _) = read(message, 11);
    let first = outcome.results.items().next().unwrap();
    assert_eq!(first.as_str().unwrap(), "\u{0}0:abc");
    assert_eq!(outcome.artifacts.len(), 1);
}

#[test]
fn a_mirror_in_the_sink_is_known_by_its_digest() {
    check(
        r#"{"content": [{"type": "text", "text": "{\"a\": \"a string of some length\"}"}], "structuredContent": {"a": "a string of some length"}}"#,
        r#"{"a":"a string of some length… [23 bytes in string.txt] …a string of some length"}"#,
        &[("string.txt", "a string of some length")],
    );
}

/// Computes digests itself, and has room for so many bytes of a string.
struct Digesting {
    kept: MemorySink,
    room: usize,
    ended: Vec<SpillId>,
}

impl Sink for Digesting {
    fn write(&mut self, id: SpillId, bytes: &[u8]) -> io::Result<()> {
        self.kept.write(id, bytes)?;
        match self.kept.strings[&id].len() > self.room {
            true => Err(io::Error::other("no room")),
            false => Ok(()),
        }
    }

    fn end(&mut self, id: SpillId) -> io::Result<()> {
        self.ended.push(id);
        Ok(())
    }

    fn discard(&mut self, id: SpillId) {
        self.kept.discard(id);
    }

    fn computes_sha256(&self) -> bool {
        true
    }

    fn sha256(&mut self, id: SpillId) -> [u8; 32] {
        Sha256Digest::of(&self.kept.strings[&id]).0
    }
}

#[test]
fn a_sink_may_compute_the_digests_and_has_to_do_so_to_the_end() {
    let message = r#"{"content": [
        {"type": "image", "data": "aGVsbG8gd29ybGQsIGhlbGxv", "mimeType": "x/y"},
        {"type": "image", "data": "!no base64 at all, not a bit", "mimeType": "x/y"},
        {"type": "text", "text": "a text that is longer than the room that there is"}
    ]}"#;
    for chunk in [1, 7, 64, 4096] {
        let (theirs, _) = read(message, chunk);
        for (room, ended) in [(1000, 3), (30, 2)] {
            let limits = Limits { string_bytes_max: 16, ..Default::default() };
            let options = ReadOptions { limits, ..Default::default() };
            let mut sink = Digesting { kept: MemorySink::default(), room, ended: Vec::new() };
            let mut reader = options.reader(&mut sink);
            message.as_bytes().chunks(chunk).for_each(|chunk| reader.feed(chunk));
            let ours = reader.finish();
            let digests = |outcome: &Outcome| -> Vec<Sha256Digest> {
                outcome.artifacts.iter().map(|artifact| artifact.sha256).collect()
            };
            assert_eq!(digests(&ours), digests(&theirs), "in chunks of {chunk}");
            assert!(sink.ended.len() >= ended, "in chunks of {chunk}: {:?}", sink.ended);
        }
    }
}
