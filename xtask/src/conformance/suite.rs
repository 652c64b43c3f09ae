//! Runs the suite's command and reads what it found.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, ensure};
use serde::Deserialize;

use crate::{peers::Peer, step::Verdict, workspace::Workspace};

/// Where the suite is in the peer's environment.
const PACKAGE: &str = "@modelcontextprotocol/conformance";

/// The one version that has no list of required scenarios: there everything counts.
const UNLISTED_VERSION: &str = "2025-06-18";

/// Failures shown per run; the rest is in the run's folder.
const COMPLAINTS_MAX: usize = 20;

/// What is being tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Server,
    Client,
}

impl Side {
    fn name(self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Client => "client",
        }
    }
}

pub(super) struct Suite {
    node: PathBuf,
    package: PathBuf,
    /// Holds a file for each run that is known not to pass all.
    expectations: PathBuf,
    scenario: Option<String>,
}

/// How one run went. A scenario counts if the version requires it.
pub(super) struct Report {
    name: String,
    passed: usize,
    failed: usize,
    /// Of the failed ones, those with a reason written down; each entry once.
    expected: usize,
    beside_passed: usize,
    beside_failed: usize,
    /// The suite's own verdict, which knows of stale expectations too.
    is_good: bool,
    complaints: Vec<String>,
}

impl Suite {
    pub(super) fn new(workspace: &Workspace, peer: &Peer, scenario: Option<String>) -> Self {
        Self {
            node: peer.node(),
            package: peer.node_package(PACKAGE),
            expectations: workspace.root.join("xtask/peers/conformance"),
            scenario,
        }
    }

    /// One run against one subject, which the words name as the suite wants it.
    pub(super) fn run(
        &self,
        side: Side,
        name: &str,
        version: &str,
        subject: &[&str],
        folder: &Path,
    ) -> anyhow::Result<Report> {
        let mut command = Command::new(&self.node);
        command.arg(self.package.join("dist/index.js")).arg(side.name()).args(subject);
        match &self.scenario {
            Some(scenario) => command.args(["--scenario", scenario, "--spec-version", version]),
            None if version == UNLISTED_VERSION => {
                command.args(["--suite", "all", "--spec-version", version])
            }
            None => command.args(["--requirements", version]),
        };
        let expectations = self.expectations.join(format!("expected-failures-{name}.yml"));
        if expectations.exists() && self.scenario.is_none() {
            command.arg("--expected-failures").arg(&expectations);
        }
        let results = folder.join("results");
        command.arg("--output-dir").arg(&results);
        let output = command.stdin(Stdio::null()).output().context("node cannot be started")?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr);
        fs::write(folder.join("output.txt"), format!("{text}\n{errors}"))
            .with_context(|| folder.display().to_string())?;

        let found = read_results(&results)?;
        let said = text.lines().chain(errors.lines()).find(|line| !line.trim().is_empty());
        ensure!(!found.is_empty(), "the suite ran nothing: {}", said.unwrap_or_default());
        let required = self.required(side, version)?;
        let counts = |scenario: &str| {
            required.as_ref().is_none_or(|names| names.iter().any(|name| name == scenario))
        };
        let mut report = Report {
            name: name.to_owned(),
            passed: 0,
            failed: 0,
            expected: text.lines().filter(|line| line.starts_with("  ~ ")).count(),
            beside_passed: 0,
            beside_failed: 0,
            is_good: output.status.success(),
            complaints: Vec::new(),
        };
        for (scenario, failures) in &found {
            match (counts(scenario), failures.is_empty()) {
                (true, true) => report.passed += 1,
                (true, false) => report.failed += 1,
                (false, true) => report.beside_passed += 1,
                (false, false) => report.beside_failed += 1,
            }
            if counts(scenario) || self.scenario.is_some() {
                let lines = failures.iter().map(|failure| format!("{scenario}: {failure}"));
                report.complaints.extend(lines);
            }
        }
        let stale = text.lines().filter(|line| line.starts_with("  ✓ ") && !line.contains('('));
        report
            .complaints
            .extend(stale.map(|line| format!("passes, but is expected not to:{line}")));
        Ok(report)
    }

    /// The scenarios a version requires; `None` when that is all there are.
    fn required(&self, side: Side, version: &str) -> anyhow::Result<Option<Vec<String>>> {
        if version == UNLISTED_VERSION {
            return Ok(None);
        }
        let file = self.package.join(format!("requirements/{version}.yaml"));
        let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
        let names = list_in(&text, side.name());
        ensure!(!names.is_empty(), "no list of {} scenarios in {}", side.name(), file.display());
        Ok(Some(names))
    }
}

/// A top-level list of plain words in YAML; that much of it can be read without a parser.
fn list_in(text: &str, key: &str) -> Vec<String> {
    text.lines()
        .skip_while(|line| line.strip_suffix(':') != Some(key))
        .skip(1)
        .map_while(|line| line.strip_prefix("  - "))
        .map(str::to_owned)
        .collect()
}

/// The failures of each scenario, from the folders the suite wrote.
fn read_results(folder: &Path) -> anyhow::Result<BTreeMap<String, Vec<String>>> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Check {
        id: String,
        status: String,
        error_message: Option<String>,
    }
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(current) = folders.pop() {
        for entry in fs::read_dir(&current).with_context(|| current.display().to_string())? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.ends_with("checks.json") {
                let text = fs::read_to_string(&path)?;
                let checks: Vec<Check> =
                    serde_json::from_str(&text).with_context(|| path.display().to_string())?;
                let failed = checks.into_iter().filter(|check| check.status == "FAILURE");
                let failures = failed.map(|Check { id, error_message, .. }| {
                    format!("{id}: {}", error_message.unwrap_or_default())
                });
                let name = current.strip_prefix(folder).unwrap_or(&current);
                found.insert(scenario_of(&name.to_string_lossy()), failures.collect());
            }
        }
    }
    Ok(found)
}

/// The scenario in the name of its folder, which has the side before it when that is the server, and
/// always the time after it, as in `server-ping-2026-01-31T12-00-00-000Z`.
fn scenario_of(folder: &str) -> String {
    const TIME: &str = "-2026-01-31T12-00-00-000Z";
    let name = &folder[..folder.len().saturating_sub(TIME.len())];
    // `server-` is also how some scenarios begin, so it is taken off once.
    name.strip_prefix("server-").unwrap_or(name).to_owned()
}

/// Prints the table and what failed.
pub(super) fn conclude(reports: &[Report]) -> Verdict {
    println!("  {:24}{:>8}{:>8}{:>10}   not required", "run", "passed", "failed", "expected");
    for report in reports {
        let Report { name, passed, failed, expected, beside_passed, beside_failed, .. } = report;
        let beside = format!("{beside_passed} of {}", beside_passed + beside_failed);
        println!("  {name:24}{passed:>8}{failed:>8}{expected:>10}   {beside}");
    }
    let bad: Vec<&Report> = reports.iter().filter(|report| !report.is_good).collect();
    for report in &bad {
        println!("\n  {}", report.name);
        for complaint in report.complaints.iter().take(COMPLAINTS_MAX) {
            println!("    {complaint}");
        }
    }
    if bad.is_empty() {
        return Verdict::Passed;
    }
    let names: Vec<&str> = bad.iter().map(|report| report.name.as_str()).collect();
    Verdict::Failed(format!("{}, see target/conformance", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::{list_in, scenario_of};

    #[test]
    fn lists() {
        let text = "# server:\nserver:\n  - ping\n  - tools-list\n\nclient:\n  - initialize\n";
        assert_eq!(list_in(text, "server"), ["ping", "tools-list"]);
        assert_eq!(list_in(text, "client"), ["initialize"]);
        assert!(list_in(text, "none").is_empty());
    }

    #[test]
    fn scenarios() {
        assert_eq!(scenario_of("server-ping-2026-11-15T12-00-00-000Z"), "ping");
        assert_eq!(
            scenario_of("server-server-stateless-2026-11-15T12-00-00-000Z"),
            "server-stateless"
        );
        assert_eq!(
            scenario_of("auth/metadata-default-2026-11-15T12-00-00-000Z"),
            "auth/metadata-default"
        );
    }
}
