//! Which object holds an owner's bytes, and what their pieces are, for those that were read lately.
//!
//! Whoever reads a file in many small parts would else ask the database for the same long row each
//! time. What is remembered here can be out of date, where the bytes were swept away and came back
//! under another name; then they are not there, and the database is asked again.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

/// All that is remembered has at most so many bytes.
const BYTES_MAX: usize = 8 << 20;
/// One blob at most so many: a larger one would drive out all others.
const BLOB_BYTES_MAX: usize = 1 << 20;
/// A row has about so many bytes beside its digests.
const ROW_BYTES: usize = 512;

/// Where the bytes of a blob are.
#[derive(Clone, Debug)]
pub(super) struct Location {
    pub(super) object: Arc<str>,
    pub(super) pieces: Arc<[u8]>,
}

impl Location {
    fn bytes(&self) -> usize {
        self.pieces.len() + ROW_BYTES
    }
}

/// What is remembered.
#[derive(Debug, Default)]
pub(super) struct Known(Mutex<Rows>);

#[derive(Debug, Default)]
struct Rows {
    rows: HashMap<String, (u64, Location)>,
    bytes: usize,
    clock: u64,
}

impl Known {
    pub(super) fn get(&self, owner: &str, sha256: &str) -> Option<Location> {
        let mut rows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        rows.clock += 1;
        let now = rows.clock;
        let (used, location) = rows.rows.get_mut(&name(owner, sha256))?;
        *used = now;
        Some(location.clone())
    }

    pub(super) fn put(&self, owner: &str, sha256: &str, location: &Location) {
        if location.bytes() > BLOB_BYTES_MAX {
            return;
        }
        let mut rows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        rows.clock += 1;
        let row = (rows.clock, location.clone());
        rows.bytes += location.bytes();
        if let Some((_, old)) = rows.rows.insert(name(owner, sha256), row) {
            rows.bytes -= old.bytes();
        }
        while rows.bytes > BYTES_MAX {
            let oldest = rows.rows.iter().min_by_key(|(_, (used, _))| *used);
            let Some(oldest) = oldest.map(|(name, _)| name.clone()) else { return };
            rows.remove(&oldest);
        }
    }

    pub(super) fn forget(&self, owner: &str, sha256: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&name(owner, sha256));
    }
}

impl Rows {
    fn remove(&mut self, name: &str) {
        if let Some((_, row)) = self.rows.remove(name) {
            self.bytes -= row.bytes();
        }
    }
}

fn name(owner: &str, sha256: &str) -> String {
    format!("{sha256} {owner}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_used_for_longest_is_forgotten_first() {
        let known = Known::default();
        let location = Location { object: "o".into(), pieces: vec![0; 900 << 10].into() };
        for number in 0..9 {
            known.put("ada", &number.to_string(), &location);
            assert!(known.get("ada", "0").is_some(), "{number}");
        }
        known.put("ada", "9", &location);
        assert!(known.get("ada", "0").is_some());
        assert!(known.get("ada", "1").is_none());
        assert!(known.get("bob", "0").is_none());
        known.forget("ada", "0");
        assert!(known.get("ada", "0").is_none());
        let large = Location { pieces: vec![0; 2 << 20].into(), ..location };
        known.put("ada", "large", &large);
        assert!(known.get("ada", "large").is_none());
        assert!(known.get("ada", "9").is_some());
    }
}
