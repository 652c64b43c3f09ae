//! Whatever files are called, their names are one path segment, readable and unique.
#![no_main]

use std::collections::HashSet;

use libfuzzer_sys::fuzz_target;
use resultant::{Limits, ReadOptions};

fuzz_target!(|bytes: &[u8]| {
    let Some((&limit, rest)) = bytes.split_first() else { return };
    let text = String::from_utf8_lossy(rest);
    let files: Vec<String> = text
        .split('\n')
        .map(|name| format!("{{\"name\":{},\"b64\":\"QQ==\"}}", serde_json::json!(name)))
        .collect();
    let message = format!("{{\"results\":1,\"artifacts\":[{}]}}", files.join(","));
    let name_bytes_max = usize::from(limit).max(24);
    let limits = Limits { name_bytes_max, notes_max: usize::MAX, ..Limits::default() };
    let options = ReadOptions { limits, ..Default::default() };
    let outcome = options.read(message);
    assert_eq!(outcome.artifacts.len(), files.len());
    let mut seen = HashSet::new();
    for artifact in &outcome.artifacts {
        let name = artifact.name.as_str();
        assert!(!name.is_empty() && name.len() <= name_bytes_max, "{name:?}");
        assert!(!name.contains(['/', '\\']) && name != "." && name != "..", "{name:?}");
        assert!(!name.chars().any(char::is_control), "{name:?}");
        assert_eq!(name.trim(), name);
        assert!(seen.insert(name), "{name:?} is there twice");
    }
    // Names that are clean stay as they are.
    let again = options.read(&outcome.to_contract());
    for (artifact, again) in outcome.artifacts.iter().zip(&again.artifacts) {
        assert_eq!(artifact.name, again.name);
    }
});
