//! Which tools of a server there are, and which our canvas draws: patterns with `*` and `?`, nothing more.
//!
//! A tool's name has no hierarchy, so the rest of what globs can do would only be misread.

/// Allow and deny lists of tools' names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolFilter {
    pub(super) allow: Option<Vec<Glob>>,
    pub(super) deny: Vec<Glob>,
    pub(super) canvas: Vec<Glob>,
}

impl ToolFilter {
    /// Whether a tool is there, by its name at the server.
    pub fn allows(&self, name: &str) -> bool {
        let is_in = |globs: &[Glob]| globs.iter().any(|glob| glob.matches(name));
        self.allow.as_deref().is_none_or(is_in) && !is_in(&self.deny)
    }

    /// Whether hosts that show apps draw its results with our canvas.
    pub fn draws(&self, name: &str) -> bool {
        self.canvas.iter().any(|glob| glob.matches(name))
    }
}

/// A pattern of names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Glob(String);

impl Glob {
    /// A pattern, or why it is none.
    pub(crate) fn new(pattern: &str) -> Result<Glob, &'static str> {
        if pattern.is_empty() {
            return Err("the pattern is empty and matches nothing");
        }
        // Whoever writes these expects more than there is.
        if pattern.starts_with('!') || pattern.contains(['[', ']', '{', '}', '\\']) {
            return Err("a pattern has no brackets, braces, backslashes and no leading `!`");
        }
        Ok(Glob(pattern.to_owned()))
    }

    /// Bytes of the pattern.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Goes back to the last star only, so the work is at most the product of the lengths.
    pub(crate) fn matches(&self, name: &str) -> bool {
        let (pattern, name): (Vec<char>, Vec<char>) =
            (self.0.chars().collect(), name.chars().collect());
        let (mut p, mut n) = (0, 0);
        let mut star: Option<(usize, usize)> = None;
        while n < name.len() {
            match pattern.get(p) {
                Some('*') => {
                    star = Some((p, n));
                    p += 1;
                }
                Some(&char) if char == '?' || char == name[n] => (p, n) = (p + 1, n + 1),
                _ => match star {
                    Some((at, taken)) => {
                        star = Some((at, taken + 1));
                        (p, n) = (at + 1, taken + 1);
                    }
                    None => return false,
                },
            }
        }
        pattern[p..].iter().all(|char| *char == '*')
    }
}

#[cfg(test)]
mod tests {
    use super::{Glob, ToolFilter};

    #[test]
    fn patterns() {
        for (pattern, name, expected) in [
            ("read", "read", true),
            ("read", "reader", false),
            ("read_*", "read_file", true),
            ("read_*", "read_", true),
            ("*", "", true),
            ("*_*e", "a_b_file", true),
            ("*_*f", "a_b_file", false),
            ("?et", "get", true),
            ("?et", "et", false),
            ("a*b*c", "aXbXbXc", true),
            ("a*b*c", "aXbXbX", false),
            ("**", "x", true),
        ] {
            let is_match = Glob::new(pattern).unwrap().matches(name);
            assert_eq!(is_match, expected, "{pattern} {name}");
        }
        let long = Glob::new(&"*a".repeat(200)).unwrap();
        assert!(!long.matches(&format!("{}b", "a".repeat(2000))));
    }

    #[test]
    fn lists() {
        let globs = |patterns: &[&str]| patterns.iter().map(|p| Glob::new(p).unwrap()).collect();
        let filter = ToolFilter {
            allow: Some(globs(&["get_*"])),
            deny: globs(&["get_secret"]),
            canvas: globs(&["*_report"]),
        };
        assert!(filter.draws("get_report") && !filter.draws("get_wind"));
        assert!(filter.allows("get_time"));
        assert!(!filter.allows("get_secret"));
        assert!(!filter.allows("set_time"));
        assert!(ToolFilter::default().allows("anything"));
        assert!(
            !ToolFilter { allow: Some(Vec::new()), ..ToolFilter::default() }.allows("anything")
        );
    }
}
