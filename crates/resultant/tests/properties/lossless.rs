//! R14: nothing is lost silently.

use proptest::prelude::*;
use resultant::{Budget, Limits, MemorySink, Outcome, ReadOptions};

use crate::{
    cases,
    generate::message,
    leaves::{Haystack, tree_of},
    tree::{Tree, deep, spelling, tree_with_duplicates},
};

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn r14_every_leaf_of_a_message_is_found_again(message in message(), spelling in spelling()) {
        let outcome = resultant::read(message.spelled(&spelling));
        let missing = Haystack::of(&outcome).missing(&message);
        prop_assert!(missing.is_none(), "lost {missing:?} of {}\n{outcome:#?}", message.to_text());
    }

    #[test]
    fn r14_small_limits_lose_nothing(message in message()) {
        let limits = Limits {
            depth_max: 5,
            meta_bytes_max: 64,
            notes_max: 2,
            name_bytes_max: 24,
            embedded_text_bytes_max: 16,
            inline_base64_bytes_max: 16,
            ..Default::default()
        };
        let options = ReadOptions { limits, ..Default::default() };
        let outcome = options.read(message.to_text());
        let missing = Haystack::of(&outcome).missing(&message);
        prop_assert!(missing.is_none(), "lost {missing:?} of {}\n{outcome:#?}", message.to_text());
    }

    #[test]
    fn r14_long_strings_are_found_in_the_sink(
        message in message(),
        string_bytes_max in 1_usize..24,
        chunk in 1_usize..64,
    ) {
        let limits = Limits { string_bytes_max, ..Default::default() };
        let options = ReadOptions { limits, ..Default::default() };
        let mut sink = MemorySink::default();
        let mut reader = options.reader(&mut sink);
        let text = message.to_text();
        text.as_bytes().chunks(chunk).for_each(|chunk| reader.feed(chunk));
        let outcome = reader.finish();
        let mut haystack = Haystack::of(&outcome);
        sink.strings.values().for_each(|bytes| haystack.add_file(bytes));
        let missing = haystack.missing(&message);
        prop_assert!(missing.is_none(), "lost {missing:?} of {text}\n{outcome:#?}\n{sink:?}");
    }
}

/// The parts of an outcome that a model is told of.
fn told(outcome: &Outcome) -> Tree {
    let mut outcome = outcome.clone();
    outcome.artifacts.clear();
    outcome.links.clear();
    outcome.display = None;
    outcome.canvas = None;
    tree_of(&outcome.to_contract())
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn what_does_not_fit_a_budget_is_in_a_file(message in message(), bytes in 256_usize..600) {
        let outcome = resultant::read(message.to_text());
        // A download link of ours is not told.
        prop_assume!(!message.to_text().contains("/api/files/download/"));
        let model = outcome.to_model(&Budget { bytes, ..Budget::default() });
        // Nor is the base64 of a file, which the file itself says.
        prop_assume!(!model.text.contains("[the file "));
        let missing = Haystack::of_model(&outcome, &model).missing(&told(&outcome));
        prop_assert!(missing.is_none(), "lost {missing:?} of {}\n{model:#?}", outcome.to_contract());
        let names = outcome.artifacts.iter().chain(&model.offloaded).map(|file| &file.name);
        let count = names.clone().count();
        prop_assert_eq!(names.collect::<std::collections::HashSet<_>>().len(), count);
    }
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn r14_duplicate_keys_are_noted(tree in tree_with_duplicates()) {
        let outcome = resultant::read(tree.to_text());
        let missing = Haystack::of(&outcome).missing(&tree);
        prop_assert!(missing.is_none(), "lost {missing:?} of {}\n{outcome:#?}", tree.to_text());
    }

    #[test]
    fn r14_nesting_below_the_limit_is_kept(tree in deep()) {
        let outcome = resultant::read(tree.to_text());
        let missing = Haystack::of(&outcome).missing(&tree);
        prop_assert!(missing.is_none(), "lost {missing:?} of {}", tree.to_text());
    }
}
