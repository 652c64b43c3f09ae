//! Base64 is decoded as a reference decodes it, whole and in pieces.
#![no_main]

use libfuzzer_sys::fuzz_target;
use resultant::{Limits, MemorySink, ReadOptions};

/// By the letter: both alphabets, but not mixed; padded or not; spare bits ignored.
fn reference(text: &str) -> Option<Vec<u8>> {
    let is_mixed = text.contains(['+', '/']) && text.contains(['-', '_']);
    let digits = text.trim_end_matches('=');
    let padding = text.len() - digits.len();
    let is_padded_wrong = padding > 2 || padding > 0 && text.len() % 4 != 0;
    if is_mixed || is_padded_wrong || digits.len() % 4 == 1 {
        return None;
    }
    let (mut out, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for byte in digits.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    Some(out)
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&size, rest)) = bytes.split_first() else { return };
    let text = String::from_utf8_lossy(rest);
    let quoted = serde_json::json!(text).to_string();
    let message = format!("{{\"results\":1,\"artifacts\":[{{\"name\":\"a\",\"b64\":{quoted}}}]}}");
    let expected = reference(&text);
    let whole = resultant::read(message.as_str());
    let decoded = whole.artifacts.first().and_then(|artifact| artifact.to_bytes());
    assert_eq!(decoded, expected, "{text:?}");
    assert_eq!(whole.notes.is_empty(), expected.is_some(), "{:?}", whole.notes);

    // In pieces, on the way to a sink.
    let limits = Limits { string_bytes_max: 8, ..Limits::default() };
    let options = ReadOptions { limits, ..Default::default() };
    let mut sink = MemorySink::default();
    let mut reader = options.reader(&mut sink);
    message.as_bytes().chunks(usize::from(size) + 1).for_each(|chunk| reader.feed(chunk));
    let outcome = reader.finish();
    let file = outcome.artifacts.iter().find(|artifact| artifact.name == "a");
    match (file, &expected) {
        (Some(file), Some(expected)) => {
            let here = file.to_bytes();
            let kept = sink.strings.into_values().next();
            assert_eq!(&here.or(kept).unwrap_or_default(), expected);
        }
        (None, None) => {}
        (file, expected) => panic!("{text:?}: {file:?} but {expected:?}"),
    }
});
