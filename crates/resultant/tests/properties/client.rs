//! What a client gets is a valid result of its protocol version, and the server's own bytes where
//! nothing has to change.

use std::{collections::HashMap, sync::LazyLock};

use jsonschema::Validator;
use proptest::{collection::vec, prelude::*, sample::select};
use resultant::{BlockTypes, Budget, ClientOptions, Json, Outcome, Protocol, Sees, Shape};

use crate::{
    cases,
    generate::message,
    tree::{Tree, object, spelling, word},
};

static SCHEMAS: LazyLock<HashMap<Protocol, Validator>> = LazyLock::new(|| {
    let texts = [
        include_str!("../../../../corpus/protocol/2024-11-05.json"),
        include_str!("../../../../corpus/protocol/2025-03-26.json"),
        include_str!("../../../../corpus/protocol/2025-06-18.json"),
        include_str!("../../../../corpus/protocol/2025-11-25.json"),
        include_str!("../../../../corpus/protocol/2026-07-28.json"),
    ];
    let validators = texts.map(|text| {
        let schema: serde_json::Value = serde_json::from_str(text).unwrap();
        jsonschema::validator_for(&schema).unwrap()
    });
    Protocol::ALL.into_iter().zip(validators).collect()
});

/// Why a result is not valid by its version, if it is not.
pub(crate) fn problem(protocol: Protocol, result: &Json) -> Option<String> {
    if !is_json(result) {
        return Some("no JSON".to_owned());
    }
    let value = result.to_value();
    let error = SCHEMAS[&protocol].validate(&value).err()?;
    Some(format!("{error} at {}", error.instance_path()))
}

/// By a parser that is not ours, and that takes numbers of any size.
pub(crate) fn is_json(json: &Json) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(json.as_text()).is_ok()
}

pub(crate) fn has_duplicates(json: &Json) -> bool {
    let keys: Vec<_> = json.members().map(|(key, _)| key.into_owned()).collect();
    let mut sorted = keys.clone();
    sorted.sort();
    sorted.dedup();
    sorted.len() != keys.len()
        || json.members().any(|(_, value)| has_duplicates(&value))
        || json.items().any(|item| has_duplicates(&item))
}

fn check_all(outcome: &Outcome, options: &ClientOptions) -> Result<(), TestCaseError> {
    for protocol in Protocol::ALL {
        for shape in [Shape::Mcp, Shape::Contract, Shape::Envelope] {
            let options = ClientOptions { protocol, shape, ..options.clone() };
            let result = outcome.to_client(&options).json;
            let problem = problem(protocol, &result);
            prop_assert!(problem.is_none(), "{protocol} {shape:?}: {problem:?}\n{result}");
            prop_assert!(!has_duplicates(&result), "{protocol} {shape:?}: {result}");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(250))]

    #[test]
    fn every_result_is_valid_in_every_version(
        message in message(),
        bytes in select(&[256_usize, 1024, 1 << 20][..]),
        takes_links in any::<bool>(),
        sees in select(&[Sees::Either, Sees::Content, Sees::Structured, Sees::Both][..]),
        drops_images in any::<bool>(),
    ) {
        let outcome = resultant::read(message.to_text());
        let budget = Budget { bytes, tokens: bytes, ..Budget::default() };
        let options =
            ClientOptions { budget, takes_links, sees, drops_images, ..Default::default() };
        check_all(&outcome, &options)?;
    }

    #[test]
    fn a_client_gets_only_blocks_that_it_takes(
        message in message(),
        taken in any::<[bool; 4]>(),
        keeps_small_blocks in any::<bool>(),
    ) {
        let [image, audio, resource, resource_link] = taken;
        let blocks = BlockTypes { image, audio, resource, resource_link, unknown: false };
        let blocks = Some(blocks);
        let options = ClientOptions { blocks, keeps_small_blocks, ..Default::default() };
        let outcome = resultant::read(message.to_text());
        check_all(&outcome, &options)?;
        let result = outcome.to_client(&options).json;
        for block in result.get("content").iter().flat_map(Json::items) {
            let kind = block.get("type").and_then(|kind| kind.as_str().map(|kind| kind.into_owned()));
            let is_taken = match kind.as_deref() {
                Some("text") => true,
                Some("image") => image,
                Some("audio") => audio,
                Some("resource") => resource,
                Some("resource_link") => resource_link,
                _ => false,
            };
            prop_assert!(is_taken, "{result}");
        }
    }

    #[test]
    fn programs_get_json_without_duplicate_keys(message in message()) {
        let outcome = resultant::read(message.to_text());
        let view = outcome.to_view(&Budget::default());
        for written in [outcome.to_contract(), outcome.to_envelope(), view] {
            prop_assert!(is_json(&written), "{written}");
            prop_assert!(!has_duplicates(&written), "{written}");
        }
    }
}

fn is_plain(text: &str) -> bool {
    !text.contains("/api/files/download/")
}

/// A small result that every version has: texts, structured content, members nobody knows.
fn clean_result() -> impl Strategy<Value = Tree> {
    let text = word().prop_map(|text| {
        Tree::object([("type", Tree::string("text")), ("text", Tree::Text(text))])
    });
    let structured = object().prop_filter("no files, no download links", |tree| {
        let text = tree.to_text();
        is_plain(&text) && !["artifacts", "token", "returned"].iter().any(|key| text.contains(key))
    });
    (
        vec(text.prop_filter("no download links", |tree| is_plain(&tree.to_text())), 1..3),
        proptest::option::of(structured),
        any::<Option<bool>>(),
        proptest::option::of(word()),
    )
        .prop_map(|(content, structured, is_error, unknown)| {
            let mut members = vec![("content", Tree::Array(content))];
            members.extend(structured.map(|value| ("structuredContent", value)));
            members.extend(is_error.map(|flag| ("isError", Tree::Bool(flag))));
            members.extend(
                unknown.filter(|text| is_plain(text)).map(|text| ("x-own", Tree::Text(text))),
            );
            Tree::object(members)
        })
}

proptest! {
    #![proptest_config(cases(250))]

    #[test]
    fn a_small_result_passes_through_to_the_byte(
        result in clean_result(),
        spelling in spelling(),
        version in select(&Protocol::ALL[..4]),
    ) {
        let text = result.spelled(&spelling);
        let options = ClientOptions { protocol: version, ..Default::default() };
        let outcome = resultant::read(text.as_str());
        // An envelope that is an error is marked as one.
        prop_assume!(!outcome.is_error || text.contains("isError"));
        let client = outcome.to_client(&options);
        prop_assert!(client.is_passed_through, "{text}\n{outcome:#?}");
        prop_assert_eq!(client.json.as_text(), text.as_str());
    }

    #[test]
    fn a_modern_client_gets_the_same_members_to_the_byte(
        result in clean_result(),
        spelling in spelling(),
    ) {
        let text = result.spelled(&spelling);
        let options = ClientOptions { protocol: Protocol::V2026_07_28, ..Default::default() };
        let outcome = resultant::read(text.as_str());
        prop_assume!(!outcome.is_error || text.contains("isError"));
        let client = outcome.to_client(&options);
        let sent = Json::parse(text).unwrap();
        for (key, value) in sent.members() {
            let got = client.json.get(&key).unwrap();
            prop_assert_eq!(got.as_text(), value.as_text());
        }
        prop_assert_eq!(client.json.members().count(), sent.members().count() + 1);
        let result_type = client.json.get("resultType").unwrap();
        prop_assert_eq!(result_type.as_text(), "\"complete\"");
    }
}
