//! Whatever the file and the question: an answer is JSON within its page, and there is no third
//! thing besides an answer and a sentence.

use proptest::{prelude::*, test_runner::RngSeed};

use super::*;

/// A process is started for each case.
fn cases(count: u32) -> ProptestConfig {
    let given = ProptestConfig::default();
    let cases = if given.cases == 256 { count } else { given.cases };
    let rng_seed = match given.rng_seed {
        RngSeed::Random => RngSeed::Fixed(20_261_115),
        fixed => fixed,
    };
    ProptestConfig { cases, rng_seed, failure_persistence: None, max_shrink_iters: 200, ..given }
}

fn files() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"id,name\n".to_vec()),
        Just(b"1,\"a\nb\"\n".to_vec()),
        Just(b"{\"a\": [1, {\"b\": null}]}\n".to_vec()),
        Just(b"[{'a': 1, 'b': None}, ".to_vec()),
        Just(b"| a | b |\n|---|---|\n| 1 | 2 |\n".to_vec()),
        Just("zażółć 🦀\r\n".as_bytes().to_vec()),
        Just(vec![b'x'; 9000]),
        Just("\u{202e}é\u{1}".repeat(3000).into_bytes()),
        proptest::collection::vec(any::<u8>(), 0..40),
    ];
    proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

fn asks() -> impl Strategy<Value = Ask> {
    let by = prop_oneof![
        Just(None),
        Just(Some(By::Lines)),
        Just(Some(By::Bytes)),
        Just(Some(By::Items)),
        Just(Some(By::Rows)),
    ];
    let number = prop_oneof![0_u64..20, any::<u64>()];
    let part = (by, number.clone(), proptest::option::of(number.clone()), number.clone())
        .prop_map(|(by, from, count, at)| Ask::Read(Part { by, from, count, at, path: None }));
    let pattern = prop_oneof![Just(".".to_owned()), Just("a|x".to_owned()), "[ -~é]{0,12}"];
    let search =
        (pattern, any::<bool>(), 0..9_usize, number).prop_map(|(pattern, words, context, from)| {
            Ask::Search(Search { pattern, words, context, from, count: None })
        });
    let filter = prop_oneof![
        Just(".".to_owned()),
        Just("..".to_owned()),
        Just(".[]?".to_owned()),
        Just("tojson".to_owned()),
        "[.a-z\\[\\]|{}\"0-9 ]{0,10}",
    ];
    let query = prop_oneof![
        Just("select * from t".to_owned()),
        Just("select *, 'é' from t limit 3".to_owned()),
        "select [ -~]{0,12} from t",
    ];
    prop_oneof![
        3 => part,
        2 => search,
        1 => filter.prop_map(|filter| Ask::Jq { filter }),
        1 => query.prop_map(|query| Ask::Sql { query }),
    ]
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn an_answer_is_json_within_its_page(
        bytes in files(),
        ask in asks(),
        mime in prop_oneof![Just("text/plain"), Just("application/json"), Just("text/csv")],
        page_bytes in 512_usize..9000,
        page_tokens in 256_usize..2500,
    ) {
        let limits = QueryLimits { page_bytes, page_tokens, ..QueryLimits::default() };
        match ask_within(&ask, &[file("file", mime, bytes)], &limits) {
            Ok(answer) => {
                let text = std::str::from_utf8(&answer).unwrap();
                prop_assert!(text.len() <= page_bytes, "{} bytes of {page_bytes}", text.len());
                let tokens = resultant::estimate_tokens(text);
                prop_assert!(tokens <= page_tokens, "{tokens} tokens of {page_tokens}: {text}");
                prop_assert!(serde_json::from_str::<Value>(text).is_ok(), "{text}");
            }
            Err(QueryError::Refused(text)) => {
                prop_assert!(!text.is_empty() && text.len() <= 500, "{text}");
            }
            Err(error) => prop_assert!(false, "{error:?}"),
        }
    }
}
