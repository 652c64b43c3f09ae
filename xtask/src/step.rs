//! Named steps, their verdicts, and the commands they run.
//!
//! A step never ends the run: whoever looks at a red build wants every failure of it. Output of
//! the commands goes straight to the terminal, so that a long step can be watched.

use std::{
    env,
    ffi::OsStr,
    path::Path,
    process::{Command, ExitCode, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, bail};

/// How a step ended. The text says why, for the summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    Passed,
    Failed(String),
    Skipped(String),
}

impl Verdict {
    /// Passed when there is nothing to complain about; the complaints are printed.
    pub(crate) fn of_complaints(complaints: &[String]) -> Self {
        for complaint in complaints {
            println!("  {complaint}");
        }
        match complaints.len() {
            0 => Self::Passed,
            1 => Self::Failed("1 complaint".to_owned()),
            count => Self::Failed(format!("{count} complaints")),
        }
    }
}

/// The steps of one run, in order.
#[derive(Default)]
pub(crate) struct Steps {
    done: Vec<Done>,
}

struct Done {
    name: String,
    took: Duration,
    verdict: Verdict,
}

impl Steps {
    /// Runs one step and says how it went. A step that cannot even be tried has failed.
    pub(crate) fn run(
        &mut self,
        name: impl Into<String>,
        act: impl FnOnce() -> anyhow::Result<Verdict>,
    ) -> Verdict {
        let name = name.into();
        println!("\n=== {name}");
        let start = Instant::now();
        let verdict = act().unwrap_or_else(|error| Verdict::Failed(format!("{error:#}")));
        let done = Done { name, took: start.elapsed(), verdict: verdict.clone() };
        println!("{}", done.line());
        self.done.push(done);
        verdict
    }

    /// Prints the summary and turns it into the exit code.
    pub(crate) fn finish(self) -> ExitCode {
        let count = Count::of(self.done.iter().map(|done| &done.verdict));
        println!("\n=== summary");
        for done in &self.done {
            println!("{}", done.line());
        }
        if count.skipped > 0 && in_ci() {
            println!("\nCI is set, and there a skip is a failure");
        }
        println!("\n{}", count.line());
        if count.is_good(in_ci()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

impl Done {
    fn line(&self) -> String {
        let Self { name, took, verdict } = self;
        let seconds = took.as_secs_f64();
        match verdict {
            Verdict::Passed => format!("passed   {seconds:7.1} s  {name}"),
            Verdict::Failed(why) => format!("FAILED   {seconds:7.1} s  {name}: {why}"),
            Verdict::Skipped(why) => format!("skipped  {seconds:7.1} s  {name}: {why}"),
        }
    }
}

#[derive(Default)]
struct Count {
    passed: usize,
    failed: usize,
    skipped: usize,
}

impl Count {
    fn of<'a>(verdicts: impl Iterator<Item = &'a Verdict>) -> Self {
        let mut count = Self::default();
        for verdict in verdicts {
            match verdict {
                Verdict::Passed => count.passed += 1,
                Verdict::Failed(_) => count.failed += 1,
                Verdict::Skipped(_) => count.skipped += 1,
            }
        }
        count
    }

    /// The closing line; other programs read it, so nothing else may stand on it.
    fn line(&self) -> String {
        format!("{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }

    fn is_good(&self, in_ci: bool) -> bool {
        self.failed == 0 && !(in_ci && self.skipped > 0)
    }
}

/// Whether this runs in CI, where nothing may be left out.
pub(crate) fn in_ci() -> bool {
    env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false" && value != "0")
}

/// Runs a command in the terminal; anything but success is a failed step.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<Verdict> {
    let status = status(command)?;
    Ok(if status == Some(0) { Verdict::Passed } else { Verdict::Failed(exit_text(status)) })
}

/// Runs a command in the terminal and hands back its exit code, `None` when a signal ended it.
pub(crate) fn status(command: &mut Command) -> anyhow::Result<Option<i32>> {
    println!("  $ {}", line(command));
    let status = command.stdin(Stdio::null()).status().with_context(|| cannot_start(command))?;
    Ok(status.code())
}

/// Runs a command quietly and hands back what it printed.
pub(crate) fn output(command: &mut Command) -> anyhow::Result<String> {
    let output = command.stdin(Stdio::null()).output().with_context(|| cannot_start(command))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("'{}' {}: {}", line(command), exit_text(output.status.code()), tail(&said));
    }
    String::from_utf8(output.stdout).with_context(|| format!("output of '{}'", line(command)))
}

pub(crate) fn exit_text(code: Option<i32>) -> String {
    match code {
        Some(code) => format!("ended with exit code {code}"),
        None => "was ended by a signal".to_owned(),
    }
}

fn cannot_start(command: &Command) -> String {
    format!("'{}' cannot be started", command.get_program().to_string_lossy())
}

/// The last lines of a program's complaint: the cause is usually there, the rest is its story.
fn tail(text: &str) -> String {
    const LINES_MAX: usize = 4;
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines[lines.len().saturating_sub(LINES_MAX)..].join(" / ")
}

/// The command as one would type it: set variables, the program's bare name, its arguments.
pub(crate) fn line(command: &Command) -> String {
    let mut words: Vec<String> = command
        .get_envs()
        .filter(|(key, _)| *key != OsStr::new("PATH"))
        .filter_map(|(key, value)| {
            let value = value?.to_string_lossy();
            Some(format!("{}={}", key.to_string_lossy(), quoted(&value)))
        })
        .collect();
    let program = Path::new(command.get_program());
    words.push(program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned());
    words.extend(command.get_args().map(|argument| quoted(&argument.to_string_lossy())));
    words.join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_=./,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.to_owned() } else { format!("'{word}'") }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::{Count, Verdict, line, tail};

    #[test]
    fn a_skip_is_a_failure_in_ci_only() {
        let skipped = Verdict::Skipped("no python3".to_owned());
        let count = Count::of([&Verdict::Passed, &skipped].into_iter());
        assert_eq!(count.line(), "1 passed, 0 failed, 1 skipped");
        assert!(count.is_good(false));
        assert!(!count.is_good(true));
    }

    #[test]
    fn a_failure_is_a_failure_everywhere() {
        let count = Count::of([&Verdict::Failed("x".to_owned())].into_iter());
        assert!(!count.is_good(false));
        assert!(!count.is_good(true));
    }

    #[test]
    fn commands_are_shown_as_one_would_type_them() {
        let mut command = Command::new("/opt/bin/cargo");
        command.args(["doc", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings").env("PATH", "/x");
        assert_eq!(line(&command), "RUSTDOCFLAGS='-D warnings' cargo doc --no-deps");
    }

    #[test]
    fn complaints_are_cut_to_their_end() {
        assert_eq!(tail("a\n\nb\nc\nd\n e \n"), "b / c / d / e");
        assert_eq!(tail(""), "");
    }
}
