//! What is written can be read again: `read(write(outcome))` is the outcome.

use proptest::prelude::*;
use resultant::{Json, Limits, Outcome, ReadOptions};

use crate::{cases, generate::message};

/// An outcome without its token and notes; files by name, type, size and digest.
fn value_of(outcome: &Outcome) -> Json {
    outcome.to_contract()
}

/// The envelope says its version, and reading it keeps that among the facts.
fn without_version(outcome: &Outcome) -> Json {
    let mut outcome = outcome.clone();
    if outcome
        .meta_data
        .get("version")
        .is_some_and(|version| version.as_text() == "\"response-v2\"")
    {
        outcome.meta_data.remove("version");
    }
    outcome.to_contract()
}

/// Keys that make a whole message of what is beside the result.
fn is_ambiguous(outcome: &Outcome) -> bool {
    outcome.extra.get("content").is_some()
}

fn check(options: &ReadOptions, message: String) -> Result<(), TestCaseError> {
    let outcome = options.read(message);
    prop_assume!(!is_ambiguous(&outcome));
    let contract = outcome.to_contract();
    let again = options.read(&contract);
    prop_assert!(
        value_of(&again).same_value(&value_of(&outcome)),
        "{contract}\nis read as\n{}\n{:#?}",
        again.to_contract(),
        again.notes
    );
    prop_assert_eq!(again.is_error, outcome.is_error);
    let envelope = outcome.to_envelope();
    let again = options.read(&envelope);
    prop_assert!(
        without_version(&again).same_value(&without_version(&outcome)),
        "{contract}\nis written as\n{envelope}\nand read as\n{}\n{:#?}",
        again.to_contract(),
        again.notes
    );
    prop_assert_eq!(again.is_error, outcome.is_error);
    Ok(())
}

proptest! {
    #![proptest_config(cases(350))]

    #[test]
    fn contract_and_envelope_can_be_read_again(message in message()) {
        check(&ReadOptions::default(), message.to_text())?;
    }

    #[test]
    fn contract_and_envelope_can_be_read_again_within_small_limits(message in message()) {
        let limits = Limits {
            meta_bytes_max: 256,
            name_bytes_max: 24,
            embedded_text_bytes_max: 16,
            ..Default::default()
        };
        check(&ReadOptions { limits, ..Default::default() }, message.to_text())?;
    }
}
