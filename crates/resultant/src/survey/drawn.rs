//! Trees that are drawn with lines, and listings of folders.

use std::collections::BTreeMap;

use super::nodes::extension_of;

/// Extensions beyond these are counted as others.
const EXTENSIONS_MAX: usize = 64;

#[derive(Clone, Debug, Default)]
pub(crate) struct Drawn {
    pub(crate) entries: u64,
    pub(crate) depth: usize,
    pub(crate) extensions: BTreeMap<String, u64>,
}

const BRANCHES: [&str; 5] = ["├──", "└──", "|-- ", "`-- ", "+---"];
const LISTED: [&str; 2] = ["[FILE] ", "[DIR] "];

/// Whether a line is an entry.
pub(super) fn is_drawn(line: &str) -> bool {
    BRANCHES.iter().any(|branch| line.contains(branch))
        || LISTED.iter().any(|mark| line.starts_with(mark))
}

impl Drawn {
    pub(super) fn line(&mut self, line: &str) {
        let found = BRANCHES.iter().find_map(|branch| Some((line.find(branch)?, branch.len())));
        let (depth, name) = match found {
            // Each level is four characters wide.
            Some((at, len)) => (line[..at].chars().count() / 4 + 1, &line[at + len..]),
            None => match LISTED.iter().find_map(|mark| line.strip_prefix(mark)) {
                Some(name) => (1, name),
                None => return,
            },
        };
        self.entries += 1;
        self.depth = self.depth.max(depth);
        if let Some(extension) = extension_of(name.trim())
            && (self.extensions.len() < EXTENSIONS_MAX || self.extensions.contains_key(extension))
        {
            *self.extensions.entry(extension.to_owned()).or_default() += 1;
        }
    }
}
