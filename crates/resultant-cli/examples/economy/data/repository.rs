//! A git repository: 300 commits, one of them 1 MB of sources over many files.
//!
//! The name that is asked for is defined in one file and used in several.

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context as _, ensure};

use super::Rng;

const COMMITS: usize = 300;
const FILES: usize = 64;
const FILE_BYTES: usize = 17_000;
/// The tag of the large commit.
pub(crate) const TAG: &str = "import";

pub(crate) struct Repository {
    pub(crate) path: String,
    /// A function, and the file that defines it.
    pub(crate) name: String,
    pub(crate) defined_in: String,
    /// A ticket, and the commits whose messages name it.
    pub(crate) ticket: String,
    pub(crate) commits: BTreeSet<String>,
}

impl Repository {
    pub(super) fn make(rng: &mut Rng, folder: &Path) -> anyhow::Result<Self> {
        let path = folder.join("repository");
        let number = rng.between(1000, 8999);
        let ticket = format!("OPS-{number}");
        let matching: BTreeSet<usize> = {
            let wanted = rng.between(3, 5);
            let mut places = BTreeSet::new();
            while places.len() < wanted {
                places.insert(rng.between(20, COMMITS - 20));
            }
            places
        };
        let large_at = loop {
            let at = rng.between(50, COMMITS - 50);
            if !matching.contains(&at) {
                break at;
            }
        };
        let name = format!("reconcile_{}_{}", rng.word(), rng.between(10, 99));
        let (sources, defined_in) = sources(rng, &name);
        let mut stream = String::new();
        for at in 1..=COMMITS {
            let date = 1_750_000_000 + at * 3571;
            let who = rng.pick(&["Ada Poe", "Lin Wu", "Sam Roe"]);
            let mail = format!("{}@example.com", &who[..3].to_lowercase());
            let subject = match at {
                at if at == large_at => "Import the settlement sources".to_owned(),
                at if matching.contains(&at) => format!("{} ({ticket})", subject(rng)),
                // A ticket that begins with the other's number.
                _ if rng.below(40) == 0 => format!("{} ({ticket}7)", subject(rng)),
                _ => {
                    let other = rng.between(10_000, 99_999);
                    format!("{} (OPS-{other})", subject(rng))
                }
            };
            let _ = write!(
                stream,
                "commit refs/heads/main\nmark :{at}\nauthor {who} <{mail}> {date} +0000\n\
                 committer {who} <{mail}> {date} +0000\ndata {}\n{subject}\n",
                subject.len()
            );
            if at == large_at {
                for (path, text) in &sources {
                    file(&mut stream, path, text);
                }
                let _ = write!(stream, "\nreset refs/tags/{TAG}\nfrom :{at}\n");
            } else {
                let text = format!("{} {} {at}\n", rng.word(), rng.word());
                file(&mut stream, &format!("notes/{}.txt", at % 37), &text);
            }
            stream.push('\n');
        }
        git(&[&"init", &"--quiet", &"--initial-branch=main", &path], None)?;
        git(&[&"-C", &path, &"fast-import", &"--quiet"], Some(&stream))?;
        git(&[&"-C", &path, &"reset", &"--quiet", &"--hard", &"main"], None)?;
        let log = git(&[&"-C", &path, &"log", &"--format=%H %s", &"main"], None)?;
        let wanted = format!("({ticket})");
        let commits: BTreeSet<String> = log
            .lines()
            .filter(|line| line.contains(&wanted))
            .filter_map(|line| line.split_once(' ').map(|(hash, _)| hash.to_owned()))
            .collect();
        ensure!(commits.len() == matching.len(), "{} commits match", commits.len());
        let path = path.display().to_string();
        Ok(Self { path, name, defined_in, ticket, commits })
    }
}

fn subject(rng: &mut Rng) -> String {
    let verb = rng.pick(&["Fix", "Add", "Rename", "Drop", "Speed up", "Document"]);
    format!("{verb} the {} of {}", rng.word(), rng.word())
}

/// Sources in Python, and the path of the one that defines the name.
fn sources(rng: &mut Rng, name: &str) -> (Vec<(String, String)>, String) {
    let defining = rng.below(FILES);
    let mut sources = Vec::new();
    for at in 0..FILES {
        let path = format!("src/{}/{}_{at}.py", rng.word(), rng.word());
        let mut text = format!("\"\"\"The {} of {}.\"\"\"\n", rng.word(), rng.word());
        let mut is_defined = at != defining;
        while text.len() < FILE_BYTES {
            let (a, b) = (rng.word(), rng.word());
            if !is_defined && text.len() > FILE_BYTES / 3 {
                is_defined = true;
                let _ = write!(text, "\n\ndef {name}({a}, {b}):\n    return {a} - {b}\n");
            }
            let _ = write!(text, "\n\ndef {}_{}({a}, {b}):\n", rng.word(), rng.between(100, 999));
            for _ in 0..rng.between(3, 9) {
                let (operator, factor) = (rng.pick(&["+", "-", "*", "//"]), rng.between(2, 999));
                let _ = writeln!(text, "    {a} = {b} {operator} {factor}  # {}", rng.word());
            }
            if at != defining && rng.below(60) == 0 {
                let _ = writeln!(text, "    {b} = {name}({a}, {b})");
            }
            let _ = writeln!(text, "    return {a}");
        }
        sources.push((path, text));
    }
    let path = sources[defining].0.clone();
    (sources, path)
}

fn file(stream: &mut String, path: &str, text: &str) {
    let _ = write!(stream, "M 100644 inline {path}\ndata {}\n{text}\n", text.len());
}

/// Runs git apart from the user's settings; what it printed.
fn git(arguments: &[&dyn AsRef<std::ffi::OsStr>], input: Option<&str>) -> anyhow::Result<String> {
    let mut command = Command::new("git");
    command.args(arguments.iter().map(|argument| argument.as_ref()));
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    let mut child = command.spawn().context("git")?;
    if let (Some(mut stdin), Some(input)) = (child.stdin.take(), input) {
        stdin.write_all(input.as_bytes()).context("git takes no more input")?;
    }
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "git failed: {}", output.status);
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
