//! The huge result, read while it comes.

use std::{
    collections::BTreeMap,
    io::{self, Read as _, Write as _},
};

use resultant::{Outcome, ReadOptions, Rule, Sha256Digest, Sink, SpillId};
use sha2::{Digest as _, Sha256};

use crate::client::start;

/// Digests what passes and keeps none of it but the first bytes.
#[derive(Default)]
struct Digests(BTreeMap<SpillId, (Sha256, u64, Vec<u8>)>);

impl Sink for Digests {
    fn write(&mut self, id: SpillId, bytes: &[u8]) -> io::Result<()> {
        let (digest, size, head) = self.0.entry(id).or_default();
        digest.update(bytes);
        *size += bytes.len() as u64;
        if head.len() < 8 {
            head.extend_from_slice(&bytes[..bytes.len().min(8)]);
        }
        Ok(())
    }

    fn end(&mut self, _: SpillId) -> io::Result<()> {
        Ok(())
    }

    fn discard(&mut self, id: SpillId) {
        self.0.remove(&id);
    }
}

/// Calls `big` and reads the answer in pieces, as a gateway does.
fn big(megabytes: u64, kind: &str) -> (Outcome, Digests) {
    let (mut child, mut input, mut output) = start();
    writeln!(
        input,
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"big","arguments":{{"megabytes":{megabytes},"kind":"{kind}"}}}}}}"#
    )
    .unwrap();
    // Its input ends, so its output does too, after the answer.
    drop(input);
    let options = ReadOptions::default();
    let mut sink = Digests::default();
    let mut reader = options.reader(&mut sink);
    let mut chunk = vec![0; 64 << 10];
    loop {
        match output.read(&mut chunk).unwrap() {
            0 => break,
            read => reader.feed(&chunk[..read]),
        }
    }
    let outcome = reader.finish();
    assert!(child.wait().unwrap().success());
    (outcome, sink)
}

#[test]
fn a_large_result_arrives_whole() {
    for (kind, megabytes, mime) in [("text", 3, "text/plain"), ("base64", 3, "image/png")] {
        let (outcome, Digests(mut strings)) = big(megabytes, kind);
        let [file] = &outcome.artifacts[..] else { panic!("{kind}: {:?}", outcome.artifacts) };
        assert_eq!(file.mime, mime);
        let (_, (digest, size, head)) = strings.pop_first().unwrap();
        let digest = Sha256Digest(digest.finalize().into());
        assert_eq!((file.sha256, file.size), (digest, size));
        let meta = |key: &str| outcome.carried.meta.get(key).unwrap().clone();
        assert_eq!(meta("resultant.demo/sha256").as_str().unwrap(), digest.to_string());
        assert_eq!(meta("resultant.demo/bytes").as_u64(), Some(size));
        match kind {
            "text" => assert_eq!(size, megabytes * 1_000_000),
            _ => {
                assert!(size >= megabytes * 1_000_000 && size < megabytes * 1_010_000 + 100_000);
                assert_eq!(head, b"\x89PNG\r\n\x1a\n");
            }
        }
        // That a text is in a file is said; that an image is one goes without saying.
        let notes: Vec<_> = outcome.notes.iter().map(|note| note.rule).collect();
        assert_eq!(notes, if kind == "text" { vec![Rule::R14] } else { vec![] });
    }
}
