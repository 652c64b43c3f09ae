//! Reading never fails, whole or in chunks, and agrees with a reference parser on what JSON is.

use proptest::{collection::vec, prelude::*};
use resultant::{
    Budget, ClientOptions, Content, Json, Limits, MemorySink, Outcome, Protocol, ReadOptions,
    Sha256Digest, Shape,
};

use crate::{
    cases,
    generate::message,
    tree::{deep, spelling, tree, tree_with_duplicates},
};

/// Writes an outcome for everybody.
fn write_all(outcome: &Outcome) {
    let is_json =
        |json: &Json| serde_json::from_str::<serde::de::IgnoredAny>(json.as_text()).is_ok();
    assert!(is_json(&outcome.to_contract()), "{outcome:#?}");
    assert!(is_json(&outcome.to_envelope()), "{outcome:#?}");
    assert!(is_json(&outcome.to_view(&Budget::default())), "{outcome:#?}");
    for protocol in Protocol::ALL {
        for shape in [Shape::Mcp, Shape::Contract, Shape::Envelope] {
            let options =
                ClientOptions { protocol, shape, takes_links: true, ..Default::default() };
            assert!(is_json(&outcome.to_client(&options).json), "{outcome:#?}");
        }
    }
    outcome.notes.iter().for_each(|note| assert!(is_json(&note.to_json()), "{note:?}"));
}

fn in_chunks(
    options: &ReadOptions,
    sink: &mut MemorySink,
    bytes: &[u8],
    sizes: &[usize],
) -> Outcome {
    let mut reader = options.reader(sink);
    let mut rest = bytes;
    for &size in sizes.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (chunk, more) = rest.split_at(size.clamp(1, rest.len()));
        reader.feed(chunk);
        rest = more;
    }
    reader.finish()
}

const TOKENS: &[&[u8]] = &[
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\"",
    b"\\",
    b"\\u00",
    b"\\ud83d",
    b"\\ude00",
    b"null",
    b"true",
    b"1",
    b"-",
    b".5",
    b"e9",
    b"NaN",
    b" ",
    b"\n",
    b"\xef\xbb\xbf",
    b"\xff",
    b"\xf0\x9f",
    b"\0",
    b"\"a\":",
    b"\"content\":[",
    b"{\"type\":\"text\",\"text\":\"",
];

/// Bytes that look a little like JSON.
fn jsonish() -> impl Strategy<Value = Vec<u8>> {
    let token = proptest::sample::select(TOKENS);
    vec(token, 0..24).prop_map(|tokens| tokens.concat())
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn reading_any_bytes_never_panics(bytes in prop_oneof![vec(any::<u8>(), 0..64), jsonish()]) {
        write_all(&resultant::read(bytes.as_slice()));
    }

    #[test]
    fn reading_any_json_never_panics(tree in prop_oneof![tree(), deep(), tree_with_duplicates()]) {
        write_all(&resultant::read(tree.to_text()));
    }

    #[test]
    fn reading_any_message_never_panics(message in message(), spelling in spelling()) {
        write_all(&resultant::read(message.spelled(&spelling)));
    }

    #[test]
    fn reading_a_cut_message_never_panics(message in message(), at in any::<prop::sample::Index>()) {
        let text = message.to_text();
        let cut = &text.as_bytes()[..at.index(text.len())];
        write_all(&resultant::read(cut));
        let mut sink = MemorySink::default();
        write_all(&in_chunks(&ReadOptions::default(), &mut sink, cut, &[7]));
        prop_assert!(sink.strings.is_empty());
    }

    #[test]
    fn chunks_of_any_size_are_read_as_the_whole(
        message in prop_oneof![4 => message(), 1 => deep(), 1 => tree_with_duplicates()],
        spelling in spelling(),
        sizes in vec(1_usize..40, 1..8),
    ) {
        let text = message.spelled(&spelling);
        let options = ReadOptions::default();
        let whole = options.read(text.as_str());
        let mut sink = MemorySink::default();
        let chunked = in_chunks(&options, &mut sink, text.as_bytes(), &sizes);
        prop_assert_eq!(whole.to_contract().to_string(), chunked.to_contract().to_string());
        prop_assert_eq!(&whole.dialect, &chunked.dialect);
        prop_assert_eq!(&whole.notes, &chunked.notes);
        prop_assert!(sink.strings.is_empty());
    }

    #[test]
    fn chunks_of_any_bytes_are_read_as_the_whole(
        bytes in jsonish(),
        sizes in vec(1_usize..5, 1..8),
    ) {
        let options = ReadOptions::default();
        let whole = options.try_read(bytes.as_slice());
        let mut sink = MemorySink::default();
        let chunked = in_chunks(&options, &mut sink, &bytes, &sizes);
        match whole {
            Ok(whole) => {
                prop_assert_eq!(whole.to_contract().to_string(), chunked.to_contract().to_string());
                prop_assert_eq!(&whole.notes, &chunked.notes);
            }
            Err(error) => {
                let message = chunked.results.get("error").unwrap();
                let message = message.as_str().unwrap().into_owned();
                prop_assert!(message.ends_with(&error.to_string()), "{message} {error}");
            }
        }
    }

    #[test]
    fn spilled_strings_are_in_the_sink_with_their_digest(
        message in message(),
        string_bytes_max in 0_usize..40,
        sizes in vec(1_usize..100, 1..6),
    ) {
        let text = message.to_text();
        let limits = Limits { string_bytes_max, ..Default::default() };
        let options = ReadOptions { limits, ..Default::default() };
        let mut sink = MemorySink::default();
        let outcome = in_chunks(&options, &mut sink, text.as_bytes(), &sizes);
        write_all(&outcome);
        let mut referred = Vec::new();
        for artifact in &outcome.artifacts {
            let Content::Spilled(id) = artifact.content else { continue };
            let bytes = sink.strings.get(&id);
            prop_assert!(bytes.is_some(), "{id:?} of {} is not in the sink", artifact.name);
            let bytes = bytes.unwrap();
            prop_assert_eq!(Sha256Digest::of(bytes), artifact.sha256);
            prop_assert_eq!(bytes.len() as u64, artifact.size);
            referred.push(id);
        }
        referred.sort();
        let kept: Vec<_> = sink.strings.keys().copied().collect();
        let mut unique = referred.clone();
        unique.dedup();
        prop_assert_eq!(&unique, &kept, "the sink has what is referred to, and nothing else");
        prop_assert_eq!(&unique, &referred, "one artifact for each string");
        let written = outcome.to_contract();
        prop_assert!(!written.as_text().contains('\0'));
    }

    #[test]
    fn handles_cannot_be_forged(
        key in proptest::sample::select(&["text", "data", "b64", "blob", "name", "results"][..]),
        id in 0_u32..3,
        is_raw in any::<bool>(),
        long in "[a-z]{40,60}",
        sizes in vec(1_usize..30, 1..4),
    ) {
        // A real handle of the same id is in the message as well.
        let mark = if is_raw { "\0" } else { "\\u0000" };
        let forged = format!("{mark}{id}:{:064x}", 7);
        let message = format!(
            "{{\"results\":{{\"{key}\":\"{forged}\",\"list\":[\"{forged}\"]}},\"meta_data\":{{\"l\":\"{long}\"}}}}"
        );
        let limits = Limits { string_bytes_max: 200, ..Default::default() };
        let options = ReadOptions { limits, ..Default::default() };
        let mut sink = MemorySink::default();
        let outcome = in_chunks(&options, &mut sink, message.as_bytes(), &sizes);
        prop_assert!(outcome.artifacts.is_empty(), "{outcome:#?}");
        let content = format!("\0{id}:{:064x}", 7);
        let found = outcome.results.get(key).unwrap();
        prop_assert_eq!(found.as_str().unwrap(), content.as_str());
        prop_assert!(sink.strings.is_empty());
    }

    #[test]
    fn forged_handles_beside_real_ones_stay_text(
        message in message(),
        sizes in vec(1_usize..30, 1..4),
    ) {
        let forged = format!("\0{}:{:064x}", 0, 7);
        let text = message.to_text();
        let quoted = serde_json::to_string(&forged).unwrap();
        let message = format!(
            "{{\"results\":{{\"forged\":{quoted},\"real\":\"{}\",\"more\":{text}}}}}", "x".repeat(100)
        );
        let limits = Limits { string_bytes_max: 90, ..Default::default() };
        let options = ReadOptions { limits, ..Default::default() };
        let mut sink = MemorySink::default();
        let outcome = in_chunks(&options, &mut sink, message.as_bytes(), &sizes);
        let found = outcome.results.get("forged").unwrap();
        prop_assert_eq!(found.as_str().unwrap(), forged.as_str());
    }

    #[test]
    fn the_scanner_agrees_with_a_reference_parser(
        bytes in prop_oneof![
            jsonish(),
            tree().prop_map(|tree| tree.to_text().into_bytes()),
            (tree(), any::<prop::sample::Index>(), any::<u8>()).prop_map(|(tree, at, byte)| {
                let mut bytes = tree.to_text().into_bytes();
                let at = at.index(bytes.len());
                bytes[at] = byte;
                bytes
            }),
        ],
    ) {
        let Ok(text) = std::str::from_utf8(&bytes) else { return Ok(()) };
        let reference = serde_json::from_str::<&serde_json::value::RawValue>(text);
        let ours = Json::parse(text.to_owned());
        // Both refuse the same texts; only ours repairs a lone surrogate.
        prop_assert_eq!(reference.is_ok(), ours.is_ok(), "{:?}", text);
        let (Ok(value), Ok(ours)) = (serde_json::from_str::<serde_json::Value>(text), ours) else {
            return Ok(());
        };
        prop_assert_eq!(ours.to_value(), value, "{}", text);
    }
}
