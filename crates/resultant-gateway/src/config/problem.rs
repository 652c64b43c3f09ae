//! What is wrong with a configuration, and where.

use std::{fmt, path::PathBuf};

/// A place in a file, counted from 1; columns are characters, as editors count them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The character in the line.
    pub column: usize,
}

/// One thing that is wrong, or odd.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where it is in the file; absent when there is no file, or it cannot be read.
    pub place: Option<Place>,
    /// What it is about, as a JSON pointer; empty for the whole file.
    pub pointer: String,
    /// What is wrong. Never holds the value of a variable, of `env` or of a header.
    pub message: String,
    /// What to try.
    pub hint: Option<String>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Problem { place, pointer, message, hint } = self;
        if let Some(Place { line, column }) = place {
            write!(f, "{line}:{column}: ")?;
        }
        if !pointer.is_empty() {
            write!(f, "{pointer}: ")?;
        }
        f.write_str(message)?;
        match hint {
            Some(hint) => write!(f, " — {hint}"),
            None => Ok(()),
        }
    }
}

/// Everything that is wrong with a configuration, in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigErrors {
    /// The file, when there is one.
    pub source: Option<PathBuf>,
    /// At least one.
    pub problems: Vec<Problem>,
}

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, problem) in self.problems.iter().enumerate() {
            if at > 0 {
                f.write_str("\n")?;
            }
            if let Some(source) = &self.source {
                let colon = if problem.place.is_some() { ":" } else { ": " };
                write!(f, "{}{colon}", source.display())?;
            }
            write!(f, "{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigErrors {}

/// One more step of a JSON pointer.
pub(super) fn step(pointer: &str, key: &str) -> String {
    format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// The name that a mistyped one is nearest to, when it is near at all.
pub(super) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = |name: &str| name.replace(['-', '_', ' '], "").to_lowercase();
    let name = folded(name);
    let distances = known.into_iter().map(|known| (distance(&name, &folded(known)), known));
    let (distance, known) = distances.min_by_key(|(distance, _)| *distance)?;
    (distance <= 1 + known.len() / 4).then_some(known)
}

/// How many characters have to be added, taken away, changed or swapped with the next.
fn distance(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=to.len()).collect()];
    for (i, a) in from.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in to.iter().enumerate() {
            let changed = rows[i][j] + usize::from(a != b);
            let mut least = changed.min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == to[j - 1] && from[i - 1] == *b {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[from.len()][to.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn near_names() {
        for (name, expected) in [
            ("sahpe", Some("shape")),
            ("Shape", Some("shape")),
            ("schemaPolicy", Some("schema_policy")),
            ("isolation", None),
            ("x", None),
        ] {
            assert_eq!(nearest(name, ["shape", "schema_policy", "isolate"]), expected, "{name}");
        }
    }
}
