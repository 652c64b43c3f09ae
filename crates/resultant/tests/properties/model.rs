//! What a model is given: within its budget, always the same, and nothing it must not see.

use proptest::{prelude::*, sample::select};
use resultant::{Budget, Content, Json, Outcome};

use crate::{
    cases,
    generate::{base64, file_bytes, message},
    tree::{Tree, spelling, tree, word},
};

fn budget() -> impl Strategy<Value = Budget> {
    (select(&[256_usize, 300, 512, 1024, 4096][..]), select(&[64_usize, 128, 500, 2000][..]))
        .prop_map(|(bytes, tokens)| Budget { bytes, tokens, ..Budget::default() })
}

/// The text says what it must, in the room it has.
fn check_text(outcome: &Outcome, budget: &Budget) -> Result<String, TestCaseError> {
    let model = outcome.to_model(budget);
    let text = model.text;
    prop_assert!(text.len() <= budget.bytes, "{} > {}: {text}", text.len(), budget.bytes);
    let tokens = (budget.count_tokens)(&text);
    prop_assert!(tokens <= budget.tokens, "{tokens} > {}: {text}", budget.tokens);
    let parsed = Json::parse(text.clone());
    prop_assert!(parsed.is_ok_and(|json| json.is_object()), "no object: {text}");
    prop_assert_eq!(model.is_complete, model.offloaded.is_empty());
    prop_assert_eq!(model.is_complete, !text.starts_with("{\"complete\":false"));
    Ok(text)
}

/// Values that are much larger than any budget.
fn large() -> impl Strategy<Value = Tree> {
    prop_oneof![
        (tree(), 1_usize..2000).prop_map(|(item, count)| Tree::Array(vec![item; count])),
        (word(), 1_usize..3000).prop_map(|(word, count)| Tree::Text(word.repeat(count))),
        (tree(), word(), 1_usize..500).prop_map(|(value, word, count)| {
            Tree::object((0..count).map(|at| (format!("{word} {at}"), value.clone())))
        }),
        "[1-9][0-9]{5000}".prop_map(Tree::Number),
    ]
}

fn wrapped(results: Tree, meta_data: Tree) -> Tree {
    let files = Tree::Array(
        (0..30)
            .map(|at| {
                let name = Tree::Text(format!("a file with a long name {at}.txt"));
                Tree::object([("name", name), ("b64", Tree::string("QUJD"))])
            })
            .collect(),
    );
    Tree::object([("results", results), ("meta_data", meta_data), ("artifacts", files)])
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn every_text_is_within_its_budget(message in message(), budget in budget()) {
        let outcome = resultant::read(message.to_text());
        let text = check_text(&outcome, &budget)?;
        let again = resultant::read(message.to_text()).to_model(&budget).text;
        prop_assert_eq!(text, again, "the same outcome gives the same text");
    }
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn large_results_become_digests_within_the_budget(
        results in large(),
        meta_data in large(),
        budget in budget(),
    ) {
        let outcome = resultant::read(results.to_text());
        check_text(&outcome, &budget)?;
        let outcome = resultant::read(wrapped(results, meta_data).to_text());
        check_text(&outcome, &budget)?;
    }
}

/// Puts a secret into strings all over a message.
fn sprinkle(tree: &mut Tree, secret: &str, every: usize, count: &mut usize) {
    match tree {
        Tree::Text(text) => {
            *count += 1;
            // The type of a block says what it is, and stays.
            let is_word = matches!(text.as_str(), "text" | "image" | "audio" | "resource")
                || matches!(text.as_str(), "resource_link" | "response-v2" | "complete");
            if count.is_multiple_of(every) && !is_word {
                text.push_str(" see ");
                text.push_str(secret);
            }
        }
        Tree::Array(items) => {
            items.iter_mut().for_each(|item| sprinkle(item, secret, every, count));
        }
        Tree::Object(members) => {
            let members = members.iter_mut().filter(|(key, _)| !key.contains("name"));
            members.for_each(|(_, value)| sprinkle(value, secret, every, count));
        }
        _ => {}
    }
}

/// A contract inside a result, with strings that hold a secret.
fn result_with(secret: &str, payload: Tree, beside: Tree, every: usize, is_error: bool) -> Tree {
    let (mut payload, mut beside) = (payload, beside);
    let mut count = 0;
    sprinkle(&mut payload, secret, every, &mut count);
    sprinkle(&mut beside, secret, every, &mut count);
    let members = match payload {
        Tree::Object(members) => members,
        other => vec![("results".to_owned(), other)],
    };
    let canvas = Tree::object([("id", Tree::string("d")), ("token", Tree::string("cap-3b1d6e0f"))]);
    let results = ("results".to_owned(), Tree::Null);
    let members = [results].into_iter().chain(members).chain([("canvas".to_owned(), canvas)]);
    let structured = Tree::object(members);
    Tree::object([
        ("content", Tree::Array(vec![beside])),
        ("structuredContent", structured),
        ("isError", Tree::Bool(is_error)),
    ])
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn no_capability_token_and_no_download_url_of_ours_reaches_the_model(
        secret in select(&[
            "cap-3b1d6e0f",
            "https://host/api/files/download/k9?token=t.3b1d6e0f",
        ][..]),
        payload in crate::generate::contract(),
        beside in crate::generate::block(),
        every in 1_usize..6,
        is_error in any::<bool>(),
        spelling in spelling(),
    ) {
        let message = result_with(secret, payload, beside, every, is_error);
        let outcome = resultant::read(message.spelled(&spelling));
        for bytes in [300, 1 << 20] {
            let budget = Budget { bytes, tokens: bytes, ..Budget::default() };
            let text = outcome.to_model(&budget).text;
            prop_assert!(!text.contains("3b1d6e0f"), "{text}\n{}", message.to_text());
            prop_assert!(!text.contains("/api/files/download/"), "{text}");
            let options = resultant::ClientOptions { budget, ..Default::default() };
            let client = outcome.to_client(&options).json;
            prop_assert!(!client.as_text().contains("cap-3b1d6e0f"), "{client}\n{}", message.to_text());
            for lane in ["content", "structuredContent"] {
                let lane = client.get(lane).map(|value| value.to_string()).unwrap_or_default();
                prop_assert!(!lane.contains("3b1d6e0f"), "{lane}\n{}", message.to_text());
            }
        }
    }

    #[test]
    fn no_base64_of_a_file_reaches_the_model(
        bytes in file_bytes().prop_filter("long enough to be told", |bytes| bytes.len() > 24),
        url_safe in any::<bool>(),
        payload in crate::generate::contract(),
        beside in crate::generate::block(),
        every in 1_usize..6,
        is_error in any::<bool>(),
    ) {
        let encoded = base64(&bytes, url_safe, false);
        let mut message = result_with(&encoded, payload, beside, every, is_error);
        let image = Tree::object([
            ("type", Tree::string("image")),
            ("data", Tree::Text(encoded)),
            ("mimeType", Tree::string("image/png")),
        ]);
        if let Tree::Object(members) = &mut message
            && let Tree::Array(blocks) = &mut members[0].1
        {
            blocks.push(image);
        }
        let outcome = resultant::read(message.to_text());
        let text = outcome.to_model(&Budget { bytes: 1 << 20, tokens: 1 << 20, ..Budget::default() }).text;
        // A file may have such a name; a name is what it is.
        let text = outcome.artifacts.iter().fold(text, |text, file| text.replace(&file.name, ""));
        for artifact in &outcome.artifacts {
            let Content::Base64(encoded) = &artifact.content else { continue };
            let encoded = encoded.trim_end_matches('=');
            prop_assert!(encoded.len() < 16 || !text.contains(encoded), "{encoded} in {text}");
        }
    }
}

#[test]
fn x27_characters_that_nobody_sees_are_escaped_for_the_model() {
    let text = "safe\u{202e}abc \u{e0041}\u{e0042} \u{1b}[31m \u{7f} 👩‍👩‍👧";
    let message = Tree::object([("results", Tree::string(text))]).to_text();
    let outcome = resultant::read(message);
    let model = outcome.to_model(&Budget::default()).text;
    assert!(model.is_ascii() || !model.contains(['\u{202e}', '\u{e0041}', '\u{1b}', '\u{7f}']));
    assert!(model.contains("\\u202e") && model.contains("\\udb40\\udc41"), "{model}");
    // It is the same text, and the whole of it.
    assert_eq!(Json::parse(model).unwrap().get("results").unwrap().as_str().unwrap(), text);
    assert_eq!(outcome.results.as_str().unwrap(), text);
    let long = Tree::object([("results", Tree::Text("\u{e0041}".repeat(9000)))]).to_text();
    let model = resultant::read(long).to_model(&Budget::default()).text;
    assert!(model.len() <= 8192 && model.contains("output.txt"), "{model}");
}
