//! Names of servers: as people write them, and as they stand in addresses and tool names.

use std::{collections::HashSet, fmt};

use sha2::{Digest as _, Sha256};

/// Characters of a name in addresses.
const NAME_CHARS_MAX: usize = 64;

/// The name of a server.
///
/// People call servers anything. The name that stands in addresses and before tools' names has 1 to
/// 64 of the characters `A-Z a-z 0-9 _ -`; a name that is already so stays as it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServerName {
    slug: String,
    written: String,
}

impl ServerName {
    /// The name for a server that has no others beside it.
    pub fn new(written: &str) -> ServerName {
        ServerName { slug: slug(written), written: written.to_owned() }
    }

    /// The name for addresses and tools.
    pub fn as_str(&self) -> &str {
        &self.slug
    }

    /// The name as it was written, for people.
    pub fn written(&self) -> &str {
        &self.written
    }

    /// Names for all servers of a file, each different. Names that need no change keep theirs
    /// whatever their order; of others that come to the same, the later ones get a digest of what
    /// was written, so that they do not depend on how many there are.
    pub(super) fn all(written: &[&str]) -> Vec<ServerName> {
        let mut taken: HashSet<String> =
            written.iter().filter(|name| is_slug(name)).map(|name| (*name).to_owned()).collect();
        let name = |written: &&str| {
            let mut name = ServerName::new(written);
            if !is_slug(written) && !taken.insert(name.slug.clone()) {
                name.slug = with_digest(&name.slug, written);
                taken.insert(name.slug.clone());
            }
            name
        };
        written.iter().map(name).collect()
    }
}

impl fmt::Display for ServerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.slug)
    }
}

/// Whether a character may stand in a name.
pub(super) fn is_name_char(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_' || char == '-'
}

fn is_slug(name: &str) -> bool {
    (1..=NAME_CHARS_MAX).contains(&name.len()) && name.chars().all(is_name_char)
}

fn slug(written: &str) -> String {
    if is_slug(written) {
        return written.to_owned();
    }
    let words = written.split(|char| !is_name_char(char)).filter(|word| !word.is_empty());
    let slug = words.collect::<Vec<_>>().join("-");
    match slug.len() {
        0 => with_digest("server", written),
        length if length > NAME_CHARS_MAX => with_digest(&slug, written),
        _ => slug,
    }
}

fn with_digest(slug: &str, written: &str) -> String {
    let digest = Sha256::digest(written.as_bytes());
    let digest: String = digest[..4].iter().map(|byte| format!("{byte:02x}")).collect();
    let head: String = slug.chars().take(NAME_CHARS_MAX - digest.len() - 1).collect();
    format!("{head}-{digest}")
}

#[cfg(test)]
mod tests {
    use super::{ServerName, is_slug};

    #[test]
    fn slugs() {
        let long = "n".repeat(70);
        let written = [
            "git",
            "My Server",
            "my.server",
            "@scope/pkg",
            "天気",
            "My-Server",
            "my/server",
            &long,
        ];
        let names = ServerName::all(&written);
        let slugs: Vec<&str> = names.iter().map(ServerName::as_str).collect();
        assert_eq!(slugs[0], "git");
        // The name that is one already has it, although it comes later.
        assert!(slugs[1].starts_with("My-Server-"), "{slugs:?}");
        assert_eq!(slugs[2], "my-server");
        assert_eq!(slugs[3], "scope-pkg");
        assert!(slugs[4].starts_with("server-"), "{slugs:?}");
        assert_eq!(slugs[5], "My-Server");
        assert!(slugs[6].starts_with("my-server-"), "{slugs:?}");
        assert_eq!(slugs[7].len(), 64);
        assert!(slugs.iter().all(|slug| is_slug(slug)), "{slugs:?}");
        let different: std::collections::HashSet<_> = slugs.iter().collect();
        assert_eq!(different.len(), slugs.len());
        assert!(names.iter().map(ServerName::written).eq(written));
        assert_eq!(names, ServerName::all(&written));
    }
}
