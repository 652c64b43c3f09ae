//! Names of tools and prompts when the ones of several servers stand in one list.
//!
//! `prefix_name` within the protocol's rules. A name that is taken or too long ends in a digest of
//! where it comes from, so it is the same in every run and on every machine.

use std::collections::HashSet;

use sha2::{Digest as _, Sha256};

/// The protocol's limit on a name.
const NAME_BYTES_MAX: usize = 128;

/// A name as its server has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin<'a> {
    pub(crate) server: &'a str,
    pub(crate) prefix: &'a str,
    pub(crate) name: &'a str,
}

/// The names that these get in one list, in their order.
pub(crate) fn exposed_names<'a>(origins: impl IntoIterator<Item = Origin<'a>>) -> Vec<String> {
    let mut taken = HashSet::new();
    let mut names = Vec::new();
    for origin in origins {
        let plain = plain_name(origin.prefix, origin.name);
        let mut exposed = match plain.len() <= NAME_BYTES_MAX {
            true => plain.clone(),
            false => with_digest(&plain, origin, 0),
        };
        // A server may even have the same name twice.
        let mut round = 0;
        while !taken.insert(exposed.clone()) {
            exposed = with_digest(&plain, origin, round);
            round += 1;
        }
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

fn with_digest(plain: &str, origin: Origin<'_>, round: u64) -> String {
    let mut digest = Sha256::new();
    for part in [origin.server, origin.prefix, origin.name] {
        digest.update(part);
        digest.update([0]);
    }
    if round > 0 {
        digest.update(round.to_le_bytes());
    }
    let digest = digest.finalize();
    let digest: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    let room = NAME_BYTES_MAX - digest.len() - 1;
    // All of it is ASCII by now.
    format!("{}-{digest}", &plain[..plain.len().min(room)])
}

#[cfg(test)]
mod tests {
    use super::{Origin, exposed_names};

    fn origin<'a>(server: &'a str, prefix: &'a str, name: &'a str) -> Origin<'a> {
        Origin { server, prefix, name }
    }

    #[test]
    fn names_are_prefixed_cleaned_and_unique() {
        let names = exposed_names([
            origin("git", "git", "log"),
            origin("git_log", "git_log", "all"),
            origin("git", "git", "log_all"),
            origin("x", "", "bare"),
            origin("fs", "fs", "read file/ü"),
        ]);
        assert_eq!(names[..2], ["git_log", "git_log_all"]);
        assert!(names[2].starts_with("git_log_all-"), "{names:?}");
        assert_eq!(names[3..], ["bare", "fs_read_file__"]);
    }

    #[test]
    fn overlong_names_fit_and_stay_apart() {
        let (a, b) = ("x".repeat(200) + "a", "x".repeat(200) + "b");
        let names = exposed_names([origin("s", "s", &a), origin("s", "s", &b)]);
        assert!(names.iter().all(|name| name.len() <= 128), "{names:?}");
        assert_ne!(names[0], names[1]);
        let again = exposed_names([origin("s", "s", &b)]);
        assert_eq!(names[1], again[0], "the same name in another list");
    }

    #[test]
    fn servers_without_a_prefix_stay_apart() {
        let long = "x".repeat(200);
        let own = [long.as_str(), "a b", "a/b", "a_b", "a_b"];
        let origins = ["one", "two", "three"]
            .iter()
            .flat_map(|server| own.iter().map(move |name| origin(server, "", name)));
        let names = exposed_names(origins);
        let different: std::collections::HashSet<&String> = names.iter().collect();
        assert_eq!(different.len(), names.len(), "{names:?}");
        assert!(names.iter().all(|name| name.len() <= 128), "{names:?}");
    }
}
