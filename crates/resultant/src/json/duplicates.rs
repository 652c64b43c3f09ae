//! Equal keys: found while a text is scanned, dropped in a pass of its own, which few texts need.

use std::collections::{HashMap, hash_map::Entry};

use super::{
    Json, Kind, kind_of,
    walk::{items, members, unescape},
};

/// Whether two of the hashes are equal. Sorting keeps this fast whatever keys somebody chooses.
pub(super) fn has_equal(hashes: &mut [u64]) -> bool {
    if hashes.len() <= 8 {
        return (1..hashes.len()).any(|at| hashes[..at].contains(&hashes[at]));
    }
    hashes.sort_unstable();
    hashes.windows(2).any(|pair| pair[0] == pair[1])
}

/// The value with the last of each group of equal keys, in the place of the first: what the JSON
/// parsers of Python, JavaScript and serde do. With it the places and values that were dropped.
pub(super) fn without_duplicates(json: &Json) -> (Json, Vec<(String, Json)>) {
    let mut out = String::with_capacity(json.as_text().len());
    let mut dropped = Vec::new();
    push_without_duplicates(json, json.as_text(), &mut String::new(), &mut out, &mut dropped);
    match dropped.is_empty() {
        true => (json.clone(), dropped),
        false => (Json::trusted(out), dropped),
    }
}

/// The depth is bounded by the scanner, and so is this recursion.
fn push_without_duplicates(
    root: &Json,
    text: &str,
    place: &mut String,
    out: &mut String,
    dropped: &mut Vec<(String, Json)>,
) {
    match kind_of(text) {
        Kind::Object => {
            let mut kept: Vec<(&str, &str)> = Vec::new();
            let mut index = HashMap::new();
            for (key, value) in members(text) {
                match index.entry(unescape(key)) {
                    Entry::Vacant(entry) => {
                        entry.insert(kept.len());
                        kept.push((key, value));
                    }
                    Entry::Occupied(entry) => {
                        let old = std::mem::replace(&mut kept[*entry.get()].1, value);
                        dropped.push((
                            format!("{place}/{}", pointer_part(entry.key())),
                            root.slice(old),
                        ));
                    }
                }
            }
            out.push('{');
            for (at, (key, value)) in kept.into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                out.push_str(key);
                out.push(':');
                let len = place.len();
                place.push('/');
                place.push_str(&pointer_part(&unescape(key)));
                push_without_duplicates(root, value, place, out, dropped);
                place.truncate(len);
            }
            out.push('}');
        }
        Kind::Array => {
            out.push('[');
            for (at, item) in items(text).enumerate() {
                if at > 0 {
                    out.push(',');
                }
                let len = place.len();
                place.push_str(&format!("/{at}"));
                push_without_duplicates(root, item, place, out, dropped);
                place.truncate(len);
            }
            out.push(']');
        }
        _ => out.push_str(text),
    }
}

/// A key as part of a JSON pointer.
fn pointer_part(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
