//! What a small prompt costs in right answers: seven tasks with public servers, straight, through
//! Resultant, and through what hosts do today.
//!
//! The work is done by a program of its own; here the servers are installed, it is built, told
//! where everything is, and started. It fails when an answer is wrong or a goal is missed.

use std::{env::consts::EXE_SUFFIX, process::Command};

use crate::{
    peers,
    step::{self, Steps, Verdict},
    workspace::Workspace,
};

const BENCH: &str = "economy";
const REFERENCE_SERVERS: &str = "reference-servers";

/// The servers in Python, each with the argument that says which Python has it.
const GIT: (&str, &str) = ("mcp-server-git", "--git");
const SQLITE: (&str, &str) = ("mcp-server-sqlite", "--sqlite");

/// How much of it to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Two servers and four tasks, with what the tests have built already.
    Small,
    /// All of it, with the same.
    Whole,
    /// All of it, with the program as people have it.
    Measured,
}

/// What follows `bench --economy` on the command line goes to the program.
pub(crate) fn parse(words: &[&str]) -> Result<Vec<String>, String> {
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let is_known = match *word {
            "--json" | "--story" | "--small" => true,
            "--seed" | "--only" => rest.next().is_some(),
            _ => false,
        };
        if !is_known {
            return Err(format!("'bench --economy' does not take '{word}' so"));
        }
    }
    Ok(words.iter().map(ToString::to_string).collect())
}

pub(crate) fn run(workspace: &Workspace, steps: &mut Steps, scope: Scope, arguments: &[String]) {
    let Some(reference) = peers::step(workspace, steps, REFERENCE_SERVERS) else { return };
    let python: &[(&str, &str)] = if scope == Scope::Small { &[GIT] } else { &[GIT, SQLITE] };
    let mut places = Vec::new();
    for (name, argument) in python {
        // Without one of the servers some tasks are missing, which is not what was asked for.
        let Some(peer) = peers::step(workspace, steps, name) else { return };
        places.push((*argument, peer.python()));
    }
    let built = steps.run("economy: build", || {
        let mut build = workspace.cargo();
        build.arg("build");
        match scope {
            Scope::Measured => build.args(["--release", "--package", "resultant-cli"]),
            // As the tests are built, so that nothing is built twice.
            Scope::Small | Scope::Whole => build.args(["--workspace", "--all-features"]),
        };
        step::run(build.args(["--bin", "resultant", "--example", BENCH]))
    });
    if built != Verdict::Passed {
        return;
    }
    let profile = if scope == Scope::Measured { "release" } else { "debug" };
    let folder = workspace.target.join(profile);
    let mut bench = Command::new(folder.join("examples").join(format!("{BENCH}{EXE_SUFFIX}")));
    bench.current_dir(&workspace.root);
    bench.arg("--resultant").arg(folder.join(format!("resultant{EXE_SUFFIX}")));
    bench.arg("--reference-servers").arg(reference.folder());
    for (argument, place) in places {
        bench.arg(argument).arg(place);
    }
    if scope == Scope::Small {
        bench.arg("--small");
    }
    bench.args(arguments);
    steps.run("economy: tokens and right answers", || step::run(&mut bench));
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn arguments() {
        assert!(parse(&[]).is_ok_and(|words| words.is_empty()));
        assert!(parse(&["--seed", "7", "--json"]).is_ok_and(|words| words.len() == 3));
        assert!(parse(&["--seed"]).is_err());
        assert!(parse(&["--fast"]).is_err());
    }
}
