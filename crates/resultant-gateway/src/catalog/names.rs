//! Names of tools and prompts when the ones of several servers stand in one list.
//!
//! `prefix_name` within the protocol's rules. A name that is taken or too long ends in a digest of
//! where it comes from, so it is the same in every run and on every machine.

use std::collections::HashSet;

use sha2::{Digest as _, Sha256};

/// The protocol's limit on a name.
const NAME_BYTES_MAX: usize = 128;

/// The names that these pairs of prefix and name get, in their order.
pub(crate) fn exposed_names<'a>(
    pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Vec<String> {
    let mut taken = HashSet::new();
    let mut names = Vec::new();
    for (prefix, name) in pairs {
        let plain = plain_name(prefix, name);
        let exposed = match plain.len() <= NAME_BYTES_MAX && !taken.contains(&plain) {
            true => plain,
            false => with_digest(&plain, prefix, name),
        };
        taken.insert(exposed.clone());
        names.push(exposed);
    }
    names
}

fn plain_name(prefix: &str, name: &str) -> String {
    let joined = match prefix {
        "" => name.to_owned(),
        prefix => format!("{prefix}_{name}"),
    };
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    joined.chars().map(|c| if is_allowed(c) { c } else { '_' }).collect()
}

fn with_digest(plain: &str, prefix: &str, name: &str) -> String {
    let mut digest = Sha256::new();
    digest.update(prefix);
    digest.update([0]);
    digest.update(name);
    let digest = digest.finalize();
    let digest: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    let room = NAME_BYTES_MAX - digest.len() - 1;
    // All of it is ASCII by now.
    format!("{}-{digest}", &plain[..plain.len().min(room)])
}

#[cfg(test)]
mod tests {
    use super::exposed_names;

    #[test]
    fn names_are_prefixed_cleaned_and_unique() {
        let names = exposed_names([
            ("git", "log"),
            ("git_log", "all"),
            ("git", "log_all"),
            ("", "bare"),
            ("fs", "read file/ü"),
        ]);
        assert_eq!(names[..2], ["git_log", "git_log_all"]);
        assert!(names[2].starts_with("git_log_all-"), "{names:?}");
        assert_eq!(names[3..], ["bare", "fs_read_file__"]);
    }

    #[test]
    fn overlong_names_fit_and_stay_apart() {
        let (a, b) = ("x".repeat(200) + "a", "x".repeat(200) + "b");
        let names = exposed_names([("s", a.as_str()), ("s", b.as_str())]);
        assert!(names.iter().all(|name| name.len() <= 128), "{names:?}");
        assert_ne!(names[0], names[1]);
        let again = exposed_names([("s", b.as_str())]);
        assert_eq!(names[1], again[0], "the same name in another list");
    }
}
