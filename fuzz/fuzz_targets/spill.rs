//! A message in chunks is read as the whole is, and both agree with a reference parser.
#![no_main]

use libfuzzer_sys::fuzz_target;
use resultant::{Content, Limits, MemorySink, Outcome, ReadOptions, Sha256Digest};

/// The first bytes say how to cut the rest.
fn in_chunks(options: &ReadOptions, sink: &mut MemorySink, sizes: &[u8], bytes: &[u8]) -> Outcome {
    let mut reader = options.reader(sink);
    let mut rest = bytes;
    for &size in sizes.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (chunk, more) = rest.split_at((usize::from(size) + 1).min(rest.len()));
        reader.feed(chunk);
        rest = more;
    }
    reader.finish()
}

/// Strict JSON, and what a message may have beyond it: a byte order mark, bytes that are not UTF-8,
/// raw control characters in strings, and Python's words for what is no number.
fn is_strict(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes)
        .is_ok_and(|text| serde_json::from_str::<&serde_json::value::RawValue>(text).is_ok())
}

fn is_lenient(bytes: &[u8]) -> bool {
    let has = |word: &[u8]| bytes.windows(word.len()).any(|window| window == word);
    std::str::from_utf8(bytes).is_err()
        || bytes.starts_with(b"\xef\xbb\xbf")
        || bytes.iter().any(|byte| *byte < 0x20)
        || has(b"NaN")
        || has(b"Infinity")
}

fuzz_target!(|bytes: &[u8]| {
    let Some((sizes, message)) = bytes.split_at_checked(4) else { return };
    let options = ReadOptions::default();
    let whole = options.try_read(message);
    match (is_strict(message), is_lenient(message)) {
        (true, _) => assert!(whole.is_ok(), "{whole:?}"),
        (false, false) => assert!(whole.is_err(), "{whole:?}"),
        (false, true) => {}
    }
    let mut sink = MemorySink::default();
    let chunked = in_chunks(&options, &mut sink, sizes, message);
    assert!(sink.strings.is_empty());
    if let Ok(whole) = &whole {
        assert_eq!(whole.to_contract().to_string(), chunked.to_contract().to_string());
        assert_eq!(whole.notes, chunked.notes);
        assert_eq!(whole.dialect, chunked.dialect);
    } else {
        assert!(chunked.is_error);
    }

    // The same with strings cut out: what is referred to is in the sink, and nothing else is.
    let limits = Limits { string_bytes_max: usize::from(sizes[0]), ..Limits::default() };
    let options = ReadOptions { limits, ..Default::default() };
    let mut sink = MemorySink::default();
    let outcome = in_chunks(&options, &mut sink, &sizes[1..], message);
    let mut referred = Vec::new();
    for artifact in &outcome.artifacts {
        let Content::Spilled(id) = artifact.content else { continue };
        let bytes = sink.strings.get(&id).map(Vec::as_slice).unwrap_or_default();
        assert_eq!(Sha256Digest::of(bytes), artifact.sha256);
        referred.push(id);
    }
    referred.sort();
    // An empty string never reaches the sink.
    referred.retain(|id| sink.strings.contains_key(id));
    assert_eq!(referred, sink.strings.keys().copied().collect::<Vec<_>>());
    let contract = outcome.to_contract();
    assert!(serde_json::from_str::<serde::de::IgnoredAny>(contract.as_text()).is_ok());
});
