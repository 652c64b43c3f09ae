//! What the page's and the packages' sources may say.
//!
//! A script that runs in the page may call every tool of its user, so the few ways to turn text
//! into markup or code are not written at all, and the types have no holes. What is searched for
//! is words, not syntax: a check that is easy to fool by will, and never by mistake. Each word is
//! written in two parts here, for the same reason as in the file above.

use std::fs;

use crate::{
    step::{Steps, Verdict},
    workspace::Workspace,
};

/// Where such sources are.
const FOLDERS: [&str; 2] = ["web/", "packages/"];

/// Made by a program.
const GENERATED: &str = "web/src/api/schema.ts";

/// At this length a file is looked at again, and split. Tests may be lists.
const LINES_MAX: usize = 500;

/// The one file that knows colours; the others name them.
const COLOURS: &str = "web/src/ui/tokens.css";

/// A word, what it does, and whether tests may say it: what is shown to the page may be hostile.
struct Forbidden {
    word: &'static str,
    reason: &'static str,
    is_for_tests: bool,
}

const FORBIDDEN: [Forbidden; 12] = [
    markup(concat!("inner", "HTML")),
    markup(concat!("outer", "HTML =")),
    markup(concat!("dangerouslySet", "Inner")),
    markup(concat!("insertAdjacent", "HTML")),
    markup(concat!("document.", "write")),
    markup(concat!("ev", "al(")),
    markup(concat!("new ", "Function(")),
    hole(concat!(": a", "ny")),
    hole(concat!("as a", "ny")),
    hole(concat!("<a", "ny")),
    hole(concat!("@ts-", "ignore")),
    hole(concat!("@ts-", "nocheck")),
];

const fn markup(word: &'static str) -> Forbidden {
    Forbidden { word, reason: "text must not become markup or code", is_for_tests: true }
}

const fn hole(word: &'static str) -> Forbidden {
    Forbidden { word, reason: "take `unknown` and narrow it", is_for_tests: false }
}

pub(crate) fn run(workspace: &Workspace, steps: &mut Steps) {
    steps.run("files: sources of the page", || {
        let mut complaints = Vec::new();
        for file in super::files(workspace)?.iter().filter(|file| is_source(file)) {
            // Deleted but not committed yet: nothing to read.
            if let Ok(text) = fs::read_to_string(workspace.root.join(file)) {
                complaints.extend(wrongs(file, &text).map(|wrong| format!("{file}:{wrong}")));
            }
        }
        Ok(Verdict::of_complaints(&complaints))
    });
}

/// Packages whose licence is not ours.
pub(crate) fn badly_licensed(workspace: &Workspace, files: &[String]) -> Vec<String> {
    let ours = |file: &&String| {
        let folder = FOLDERS.iter().any(|folder| file.starts_with(folder));
        *file == "package.json" || (folder && file.ends_with("/package.json"))
    };
    let line = format!("\"license\": \"{}\"", super::LICENSE);
    let is_bad = |file: &&String| {
        let text = fs::read_to_string(workspace.root.join(file.as_str())).unwrap_or_default();
        !text.contains(&line)
    };
    let bad = files.iter().filter(ours).filter(is_bad);
    bad.map(|file| format!("{file} is not under '{}'", super::LICENSE)).collect()
}

fn is_source(file: &str) -> bool {
    let endings = [".ts", ".tsx", ".mjs", ".css", ".html"];
    let is_ours = FOLDERS.iter().any(|folder| file.starts_with(folder)) && file != GENERATED;
    is_ours && endings.iter().any(|ending| file.ends_with(ending))
}

/// What is wrong with a source, each as `line: what`.
fn wrongs(file: &str, text: &str) -> impl Iterator<Item = String> {
    let is_test = file.starts_with("web/browser/") || file.contains(".test.ts");
    let lines = text.lines().count();
    let length = (lines > LINES_MAX && !is_test)
        .then(|| format!("{LINES_MAX}: {lines} lines are more than a reader holds; split it"));
    let is_painted = file.ends_with(".css") && file.starts_with("web/src/") && file != COLOURS;
    let is_sandbox = file.starts_with("web/sandbox/");
    let code = text.lines().zip(1..).filter(|(line, _)| !is_comment(line));
    let found: Vec<String> = code
        .flat_map(|(line, number)| {
            let words = FORBIDDEN.iter().filter(|wrong| !(is_test && wrong.is_for_tests));
            let words = words.filter(|wrong| has_word(line, wrong.word));
            let mut found: Vec<String> = words
                .map(|wrong| format!("{number}: '{}': {}", wrong.word, wrong.reason))
                .collect();
            if is_painted && has_colour(line) {
                found.push(format!("{number}: a colour; name one of {COLOURS}"));
            }
            if is_sandbox && line.contains("/src/api/") {
                found.push(format!("{number}: the sandbox has no credentials and no API"));
            }
            found
        })
        .collect();
    length.into_iter().chain(found)
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    ["//", "/*", "*"].iter().any(|start| line.starts_with(start))
}

/// Whether the word stands there as it is, and not as the start or end of a longer one.
fn has_word(line: &str, word: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '$');
    let ends_open = word.ends_with(|c: char| c.is_alphanumeric());
    let starts_open = word.starts_with(|c: char| c.is_alphanumeric());
    line.match_indices(word).any(|(at, found)| {
        let before = starts_open && is_part(line[..at].chars().next_back());
        let after = ends_open && is_part(line[at + found.len()..].chars().next());
        !before && !after
    })
}

/// Whether a line of CSS sets a colour by its number.
fn has_colour(line: &str) -> bool {
    let hash = line.match_indices('#').any(|(at, _)| {
        let digits = line[at + 1..].chars().take_while(char::is_ascii_hexdigit).count();
        let end = line[at + 1..].chars().nth(digits);
        let is_whole = !end.is_some_and(|c| c.is_alphanumeric() || c == '-' || c == '_');
        matches!(digits, 3 | 4 | 6 | 8) && is_whole && !line[..at].ends_with('(')
    });
    hash || ["rgb(", "rgba(", "hsl("].iter().any(|function| has_word(line, function))
}

#[cfg(test)]
mod tests {
    use super::{LINES_MAX, is_source, wrongs};

    #[track_caller]
    fn check(file: &str, text: &str, expected: usize) {
        assert!(is_source(file), "{file}");
        let found: Vec<String> = wrongs(file, text).collect();
        assert_eq!(found.len(), expected, "{text}: {found:?}");
    }

    #[test]
    fn words() {
        check("web/src/a.ts", concat!("x.inner", "HTML = y;"), 1);
        check("web/src/a.ts", concat!("// never inner", "HTML"), 0);
        check("web/browser/a.ts", concat!("x.inner", "HTML = y;"), 0);
        check("packages/browser/src/a.ts", concat!("f(x: a", "ny, y as a", "ny)"), 2);
        check("web/src/a.test.ts", concat!("f(x: a", "ny)"), 1);
        check("web/src/a.ts", "company: anything; retrieval(x); medieval(y)", 0);
        check("web/src/a.ts", concat!("const x = ev", "al(y);"), 1);
        check("web/sandbox/stage.ts", "import { api } from \"../src/api/client\";", 1);
        check("web/sandbox/stage.ts", "import { pan } from \"./pan\";", 0);
    }

    #[test]
    fn colours() {
        check("web/src/ui/tokens.css", "--accent: #1f5f5b;", 0);
        check("web/src/left/left.css", "color: #1f5f5b;", 1);
        check("web/src/left/left.css", "color: rgb(0 0 0 / 50%);", 1);
        check("web/src/left/left.css", "color: var(--accent); fill: url(#add); #feed-list {}", 0);
    }

    #[test]
    fn length() {
        check("web/src/a.tsx", &"x\n".repeat(LINES_MAX), 0);
        check("web/src/a.tsx", &"x\n".repeat(LINES_MAX + 1), 1);
        assert!(!is_source("web/src/api/schema.ts"));
    }
}
