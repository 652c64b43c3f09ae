//! Any bytes are read, and what was read is written for everybody.
#![no_main]

use libfuzzer_sys::fuzz_target;
use resultant::{Budget, ClientOptions, Json, Protocol, Shape};

fn assert_json(json: &Json) {
    let parsed = serde_json::from_str::<serde::de::IgnoredAny>(json.as_text());
    assert!(parsed.is_ok(), "no JSON: {json:?}");
}

fuzz_target!(|bytes: &[u8]| {
    let outcome = resultant::read(bytes);
    let contract = outcome.to_contract();
    for written in [&contract, &outcome.to_envelope(), &outcome.to_view(&Budget::default())] {
        assert_json(written);
    }
    outcome.notes.iter().for_each(|note| assert_json(&note.to_json()));
    for artifact in &outcome.artifacts {
        assert!(!artifact.name.is_empty() && !artifact.name.contains(['/', '\\']));
        let bytes = artifact.to_bytes();
        assert!(bytes.is_none_or(|bytes| bytes.len() as u64 == artifact.size));
    }
    for bytes in [256, 8192] {
        let budget = Budget { bytes, ..Budget::default() };
        let model = outcome.to_model(&budget);
        assert!(budget.fits(&model.text), "{} bytes: {}", model.text.len(), model.text);
        assert!(Json::parse(model.text).is_ok());
        for protocol in Protocol::ALL {
            for shape in [Shape::Mcp, Shape::Contract, Shape::Envelope] {
                let takes_links = true;
                let options =
                    ClientOptions { protocol, shape, budget, takes_links, ..Default::default() };
                let result = outcome.to_client(&options).json;
                assert_json(&result);
                assert!(result.get("content").is_some_and(|content| content.is_array()));
            }
        }
    }
    // A second reading finds the same.
    if outcome.extra.get("content").is_none() {
        let again = resultant::read(&contract).to_contract();
        assert!(again.same_value(&contract), "{contract}\n{again}");
    }
});
