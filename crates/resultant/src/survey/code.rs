//! Source code: what it defines, and where.

use super::cut;

/// Definitions beyond these are only counted.
const DEFINITIONS_MAX: usize = 200;
const SHOWN_BYTES: usize = 100;

/// What starts a definition, once what is said about it is taken away.
const STARTS: [&str; 16] = [
    "fn ",
    "def ",
    "class ",
    "struct ",
    "enum ",
    "trait ",
    "impl ",
    "impl<",
    "interface ",
    "func ",
    "function ",
    "type ",
    "module ",
    "namespace ",
    "CREATE TABLE ",
    "sub ",
];
const WORDS_BEFORE: [&str; 14] = [
    "pub ",
    "pub(crate) ",
    "pub(super) ",
    "async ",
    "export ",
    "default ",
    "public ",
    "private ",
    "protected ",
    "static ",
    "abstract ",
    "final ",
    "unsafe ",
    "const ",
];

#[derive(Clone, Debug, Default)]
pub(crate) struct Definitions {
    /// The line, and how it starts.
    pub(crate) first: Vec<(u64, String)>,
    pub(crate) count: u64,
}

impl Definitions {
    pub(super) fn line(&mut self, number: u64, line: &str) {
        if is_definition(line) {
            self.count += 1;
            if self.first.len() < DEFINITIONS_MAX {
                let line = line.trim_end().trim_end_matches(['{', ':']).trim_end();
                self.first.push((number, cut(line, SHOWN_BYTES)));
            }
        }
    }
}

fn is_definition(line: &str) -> bool {
    let mut rest = line.trim_start();
    while let Some(word) = WORDS_BEFORE.iter().find(|word| rest.starts_with(**word)) {
        rest = &rest[word.len()..];
    }
    let Some(start) = STARTS.iter().find(|start| rest.starts_with(**start)) else { return false };
    // Prose has such words too: what is defined is a name, and something follows it.
    let name = &rest[start.len()..];
    let len = name.find(|char: char| !char.is_alphanumeric() && char != '_').unwrap_or(name.len());
    let follows = name[len..].trim_start();
    *start == "impl<"
        || len > 0
            && (follows.is_empty()
                || follows.starts_with(['(', '{', ':', '<', ';', '=', 'f', 'e', 'i']))
}

/// The language of lines of which enough look like code.
pub(super) fn language_of(lines: &[&str]) -> Option<&'static str> {
    let is_code = |line: &&&str| {
        let line = line.trim();
        line.ends_with(['{', '}', ';'])
            || line.ends_with("):")
            || line.starts_with("//")
            || line.starts_with("#include")
            || line.starts_with("import ")
            || line.starts_with("return ")
            || is_definition(line)
    };
    let count = lines.iter().filter(is_code).count();
    let has = |start: &str| lines.iter().any(|line| line.trim_start().starts_with(start));
    let definitions = lines.iter().filter(|line| is_definition(line)).count();
    if lines.len() < 5
        || count * 100 < lines.len() * 25
        || definitions == 0 && count * 2 < lines.len()
    {
        return None;
    }
    Some(match () {
        () if has("def ")
            || has("import ") && has("class ") && !has("export ") && !has("public ") =>
        {
            "Python code"
        }
        () if has("fn ") || has("pub fn ") || has("use ") && has("impl") => "Rust code",
        () if has("package ") && has("func ") => "Go code",
        () if has("#include") => "C code",
        () if has("function ") || has("export ") || has("const ") => "JavaScript code",
        () if has("public ") || has("package ") => "Java code",
        () => "code",
    })
}
