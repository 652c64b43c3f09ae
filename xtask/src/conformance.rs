//! The official conformance suite, run against the gateway with a server of each era behind it.
//!
//! Every run has a gateway and a server of its own, so that none sees what another left behind. The
//! eras run side by side and the versions one after the other: some scenarios wait half a second
//! for an answer, and a machine that is busy with six runs at once would make them fail by chance.
//! What a run wrote is kept below `target/conformance`.

mod subject;
mod suite;

use std::{fs, path::PathBuf, thread};

use anyhow::Context;

use self::{
    subject::{Programs, Subject},
    suite::{Report, Side, Suite},
};
use crate::{
    peers,
    step::{Steps, Verdict},
    workspace::Workspace,
};

/// The versions the suite has scenarios for.
const VERSIONS: [&str; 3] = ["2025-06-18", "2025-11-25", "2026-07-28"];

/// The versions it has a list of required client scenarios for.
const CLIENT_VERSIONS: [&str; 2] = ["2025-11-25", "2026-07-28"];

/// What the server behind the gateway speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    Legacy,
    Modern,
}

impl Era {
    fn name(self) -> &'static str {
        match self {
            Self::Legacy => "legacy",
            Self::Modern => "modern",
        }
    }
}

/// Whether the suite talks to the server itself, to find out whose fault something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Route {
    #[default]
    Gateway,
    Direct,
}

/// Which of the runs are wanted; everything unless narrowed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Selection {
    route: Route,
    side: Option<Side>,
    era: Option<Era>,
    version: Option<String>,
    scenario: Option<String>,
}

impl Selection {
    /// From the words after `cargo xtask conformance`.
    pub(crate) fn parse(words: &[&str]) -> Result<Self, String> {
        let mut selection = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("'{word}' needs a value"));
            match *word {
                "--direct" => selection.route = Route::Direct,
                "--server" => selection.side = Some(Side::Server),
                "--client" => selection.side = Some(Side::Client),
                "--era" => {
                    selection.era = Some(match *value()? {
                        "legacy" => Era::Legacy,
                        "modern" => Era::Modern,
                        other => return Err(format!("there is no era '{other}'")),
                    });
                }
                "--version" => {
                    let version = *value()?;
                    if !VERSIONS.contains(&version) {
                        return Err(format!("the versions are {}", VERSIONS.join(", ")));
                    }
                    selection.version = Some(version.to_owned());
                }
                "--scenario" => selection.scenario = Some((*value()?).to_owned()),
                other => return Err(format!("'conformance' does not take '{other}'")),
            }
        }
        Ok(selection)
    }

    fn wants(&self, side: Side) -> bool {
        self.side.is_none_or(|wanted| wanted == side)
    }

    fn versions<'a>(&'a self, all: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
        all.iter().copied().filter(|version| self.version.as_deref().is_none_or(|v| v == *version))
    }

    /// A server of one era has nothing to say in the versions of the other, unless bridged.
    fn fits(&self, era: Era, version: &str) -> bool {
        let own = (version == "2026-07-28") == (era == Era::Modern);
        self.era.is_none_or(|wanted| wanted == era) && (own || self.route == Route::Gateway)
    }
}

pub(crate) fn run(workspace: &Workspace, steps: &mut Steps, selection: &Selection) {
    let Some(peer) = peers::step(workspace, steps, "conformance") else { return };
    let suite = Suite::new(workspace, &peer, selection.scenario.clone());
    if selection.wants(Side::Server) {
        steps.run("conformance as a server", || {
            let programs = Programs::build(workspace, selection.route)?;
            servers(workspace, &suite, &programs, selection)
        });
    }
    let has_client = workspace.has_target(subject::PACKAGE, "example", subject::CLIENT);
    if has_client && selection.wants(Side::Client) && selection.era.is_none() {
        steps.run("conformance as a client", || clients(workspace, &suite, selection));
    }
}

fn servers(
    workspace: &Workspace,
    suite: &Suite,
    programs: &Programs,
    selection: &Selection,
) -> anyhow::Result<Verdict> {
    let run_era = |era: Era| -> anyhow::Result<Vec<Report>> {
        let versions = selection.versions(&VERSIONS).filter(|version| selection.fits(era, version));
        versions
            .map(|version| {
                // What is expected of the gateway says nothing about the server alone.
                let name = match selection.route {
                    Route::Gateway => format!("{}-{version}", era.name()),
                    Route::Direct => format!("direct-{}-{version}", era.name()),
                };
                let folder = fresh_folder(workspace, &name)?;
                let subject = Subject::start(programs, era, &folder)?;
                suite.run(Side::Server, &name, version, &["--url", &subject.url], &folder)
            })
            .collect()
    };
    let (legacy, modern) = thread::scope(|scope| {
        let legacy = scope.spawn(|| run_era(Era::Legacy));
        let modern = run_era(Era::Modern);
        (legacy.join(), modern)
    });
    let legacy = legacy.map_err(|_| anyhow::anyhow!("a run panicked"))?;
    let mut reports = legacy?;
    reports.extend(modern?);
    Ok(suite::conclude(&reports))
}

fn clients(workspace: &Workspace, suite: &Suite, selection: &Selection) -> anyhow::Result<Verdict> {
    let programs = subject::build(workspace, &[("--example", subject::CLIENT)])?;
    let program = programs.first().and_then(|path| path.to_str());
    let program = program.context("a path that is not text")?;
    let mut reports = Vec::new();
    // The suite starts the scenarios of a version all at once, so one version at a time.
    for version in selection.versions(&CLIENT_VERSIONS) {
        let name = format!("client-{version}");
        let folder = fresh_folder(workspace, &name)?;
        reports.push(suite.run(Side::Client, &name, version, &["--command", program], &folder)?);
    }
    Ok(suite::conclude(&reports))
}

/// An empty folder for what one run writes.
fn fresh_folder(workspace: &Workspace, name: &str) -> anyhow::Result<PathBuf> {
    let folder = workspace.target.join("conformance").join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
    }
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::{Era, Route, Selection};

    #[test]
    fn arguments() {
        assert_eq!(Selection::parse(&[]), Ok(Selection::default()));
        let words = ["--direct", "--era", "modern", "--version", "2026-07-28"];
        let expected = Selection {
            route: Route::Direct,
            era: Some(Era::Modern),
            version: Some("2026-07-28".to_owned()),
            ..Selection::default()
        };
        assert_eq!(Selection::parse(&words), Ok(expected));
        assert!(Selection::parse(&["--era"]).is_err());
        assert!(Selection::parse(&["--era", "old"]).is_err());
        assert!(Selection::parse(&["--version", "2024-11-05"]).is_err());
        assert!(Selection::parse(&["--fast"]).is_err());
    }

    #[test]
    fn without_a_gateway_each_era_has_its_own_versions() {
        let direct = Selection { route: Route::Direct, ..Selection::default() };
        assert!(direct.fits(Era::Legacy, "2025-11-25"));
        assert!(!direct.fits(Era::Legacy, "2026-07-28"));
        assert!(direct.fits(Era::Modern, "2026-07-28"));
        assert!(Selection::default().fits(Era::Legacy, "2026-07-28"));
    }
}
