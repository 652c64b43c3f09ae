//! The names of columns: each once, none empty, of bounded length and number.

use std::collections::{HashMap, HashSet};

use super::RowReader;

/// A name is there to be written in a query; a longer one is cut.
const NAME_BYTES_MAX: usize = 128;

#[derive(Debug, Default)]
pub(super) struct Columns {
    names: Vec<String>,
    /// The names in small letters, because SQL does not tell them apart.
    taken: HashSet<String>,
    places: HashMap<String, usize>,
}

impl Columns {
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// Adds the column of a header. An empty name becomes that of its place, and one that is there
    /// already gets a number.
    pub(super) fn push(&mut self, header: &str) {
        if self.names.len() >= RowReader::COLUMNS_MAX {
            return;
        }
        let header = header.trim();
        let wanted = match header.is_empty() {
            true => format!("c{}", self.names.len() + 1),
            false => header[..header.floor_char_boundary(NAME_BYTES_MAX)].to_owned(),
        };
        let mut name = wanted.clone();
        let mut number = 2;
        while !self.taken.insert(name.to_lowercase()) {
            name = format!("{wanted}_{number}");
            number += 1;
        }
        self.names.push(name);
    }

    /// Names the columns that have none yet by their places.
    pub(super) fn reach(&mut self, count: usize) {
        while self.names.len() < count.min(RowReader::COLUMNS_MAX) {
            self.push("");
        }
    }

    /// The place of the column with this key, which is a new one if there was none; nothing if there
    /// are too many.
    pub(super) fn place(&mut self, key: &str) -> Option<usize> {
        if let Some(&at) = self.places.get(key) {
            return Some(at);
        }
        let at = self.names.len();
        if at >= RowReader::COLUMNS_MAX {
            return None;
        }
        self.push(key);
        // Long keys that start alike stay apart by their numbers; they are not kept whole twice.
        self.places.insert(key.to_owned(), at);
        Some(at)
    }
}
