//! R14: every leaf of an input is in the outcome, in an artifact, or in a note.

use std::collections::HashSet;

use resultant::{Budget, ClientOptions, Json, Kind, ModelText, Outcome, Protocol, Sha256Digest};

use crate::tree::{KNOWN_KEYS, Tree};

/// Everything that can be found in an outcome and its files.
#[derive(Default)]
pub(crate) struct Haystack {
    /// The contents of strings, keys and files.
    texts: HashSet<String>,
    /// All texts in one, to look for parts.
    joined: String,
    numbers: HashSet<String>,
    digests: HashSet<Sha256Digest>,
}

impl Haystack {
    /// What an outcome holds for programs, what its notes say, and what is carried for clients
    /// beside the content, which is made anew.
    pub(crate) fn of(outcome: &Outcome) -> Haystack {
        let mut haystack = Haystack::default();
        haystack.add_json(&outcome.to_contract());
        haystack.add_text(outcome.canvas.as_ref().and_then(|canvas| canvas.token.as_deref()));
        for note in &outcome.notes {
            haystack.add_text([note.message.as_str(), note.place.as_str()]);
            note.left_out.iter().for_each(|value| haystack.add_json(value));
        }
        for artifact in &outcome.artifacts {
            haystack.digests.insert(artifact.sha256);
            artifact.to_bytes().iter().for_each(|bytes| haystack.add_file(bytes));
        }
        haystack.add_json(&outcome.carried.meta.to_json());
        haystack.add_json(&outcome.carried.fields.to_json());
        outcome.carried.blocks.iter().for_each(|(_, block)| haystack.add_json(block));
        let budget = Budget { bytes: 0, tokens: 0, ..Budget::default() };
        for protocol in [Protocol::V2025_11_25, Protocol::V2026_07_28] {
            let options = ClientOptions { protocol, budget, ..Default::default() };
            let client = outcome.to_client(&options);
            assert!(!client.is_passed_through, "no budget allows no passing through");
            haystack.add_json(&client.json);
        }
        haystack
    }

    /// What a model can see, and what it can read in files.
    pub(crate) fn of_model(outcome: &Outcome, model: &ModelText) -> Haystack {
        let mut haystack = Haystack::default();
        haystack.add_text([model.text.as_str()]);
        for artifact in outcome.artifacts.iter().chain(&model.offloaded) {
            haystack.digests.insert(artifact.sha256);
            artifact.to_bytes().iter().for_each(|bytes| haystack.add_file(bytes));
        }
        haystack
    }

    /// The bytes of a file.
    pub(crate) fn add_file(&mut self, bytes: &[u8]) {
        self.digests.insert(Sha256Digest::of(bytes));
        let Ok(text) = std::str::from_utf8(bytes) else { return };
        self.add_text([text]);
        // One value a line is JSON as well.
        text.lines().filter(|line| line.starts_with('{')).for_each(|line| self.add_text([line]));
    }

    fn add_text<'a>(&mut self, texts: impl IntoIterator<Item = &'a str>) {
        for text in texts {
            if !self.texts.insert(text.to_owned()) {
                continue;
            }
            self.joined.push_str(text);
            self.joined.push('\n');
            if let Ok(json) = Json::parse(text.to_owned()) {
                self.add_json(&json);
            }
        }
    }

    fn add_json(&mut self, json: &Json) {
        match json.kind() {
            Kind::Null | Kind::Bool => {}
            Kind::Number => drop(self.numbers.insert(json.as_text().to_owned())),
            Kind::String => self.add_text([&*json.as_str().unwrap()]),
            Kind::Array => json.items().for_each(|item| self.add_json(&item)),
            Kind::Object => {
                for (key, value) in json.members() {
                    self.add_text([&*key]);
                    self.add_json(&value);
                }
            }
        }
    }

    /// The first leaf that is not found.
    pub(crate) fn missing(&self, tree: &Tree) -> Option<String> {
        match tree {
            Tree::Null | Tree::Bool(_) => None,
            Tree::Number(text) => (!self.has_number(text)).then(|| text.clone()),
            Tree::Text(text) => (!self.has_text(text)).then(|| text.clone()),
            Tree::Array(items) => items.iter().find_map(|item| self.missing(item)),
            Tree::Object(members) => members.iter().find_map(|(key, value)| {
                let is_known = KNOWN_KEYS.contains(&key.as_str());
                let has_key = is_known || self.has_text(key);
                if has_key { self.missing(value) } else { Some(format!("the key {key:?}")) }
            }),
        }
    }

    fn has_number(&self, text: &str) -> bool {
        let json = Json::parse(text.to_owned()).unwrap();
        text == "7" // the id of a message
            || self.numbers.contains(text)
            || self.joined.contains(text)
            // A mirror may spell a number in another way.
            || self.numbers.iter().any(|other| Json::parse(other.clone()).unwrap().same_value(&json))
    }

    fn has_text(&self, text: &str) -> bool {
        if text.trim().is_empty() || STRUCTURE.contains(&text) || self.joined.contains(text) {
            return true;
        }
        if decoded(text).is_some_and(|bytes| self.digests.contains(&Sha256Digest::of(&bytes))) {
            return true;
        }
        // A long text that starts as base64 and goes on as something else is in two files.
        let is_in_two = |at: usize| {
            let (start, rest) = text.split_at(at);
            let start = decoded(start).map(|bytes| Sha256Digest::of(&bytes));
            start.is_some_and(|digest| self.digests.contains(&digest)) && self.texts.contains(rest)
        };
        if (4..text.len()).step_by(4).any(|at| text.is_char_boundary(at) && is_in_two(at)) {
            return true;
        }
        // A text that was read as JSON is found by its parts.
        Json::parse(text.to_owned()).is_ok_and(|json| self.missing(&tree_of(&json)).is_none())
    }
}

/// Words that say what something is, and are not kept once that is known.
const STRUCTURE: &[&str] =
    &["text", "image", "audio", "resource", "resource_link", "response-v2", "2.0", "complete"];

pub(crate) fn tree_of(json: &Json) -> Tree {
    match json.kind() {
        Kind::Null => Tree::Null,
        Kind::Bool => Tree::Bool(json.as_bool().unwrap()),
        Kind::Number => Tree::Number(json.as_text().to_owned()),
        Kind::String => Tree::Text(json.as_str().unwrap().into_owned()),
        Kind::Array => Tree::Array(json.items().map(|item| tree_of(&item)).collect()),
        Kind::Object => {
            let members = json.members().map(|(key, value)| (key.into_owned(), tree_of(&value)));
            Tree::Object(members.collect())
        }
    }
}

/// Base64 decoded by the letter, for comparison: both alphabets, but not mixed; padded or not.
pub(crate) fn decoded(text: &str) -> Option<Vec<u8>> {
    let is_mixed = text.contains(['+', '/']) && text.contains(['-', '_']);
    let digits = text.trim_end_matches('=');
    let padding = text.len() - digits.len();
    if is_mixed
        || digits.len() % 4 == 1
        || padding > 2
        || padding > 0 && !text.len().is_multiple_of(4)
    {
        return None;
    }
    let (mut out, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for char in digits.chars() {
        let value = match char {
            'A'..='Z' => char as u32 - 'A' as u32,
            'a'..='z' => char as u32 - 'a' as u32 + 26,
            '0'..='9' => char as u32 - '0' as u32 + 52,
            '+' | '-' => 62,
            '/' | '_' => 63,
            _ => return None,
        };
        bits = bits << 6 | value;
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    Some(out)
}
