//! Cargo subcommands that only some steps need, installed below `target/tools`.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Context;

use crate::{
    step::{self, Steps, Verdict},
    workspace::Workspace,
};

/// A cargo subcommand at the version we use.
pub(crate) struct Tool {
    /// The package, as in `cargo-deny`.
    pub(crate) package: &'static str,
    pub(crate) version: &'static str,
}

impl Tool {
    /// Installs the tool unless it is there, as a step; whether it can be used now.
    pub(crate) fn step(&self, workspace: &Workspace, steps: &mut Steps) -> bool {
        let verdict = steps.run(format!("tool {} {}", self.package, self.version), || {
            Ok(match self.install(workspace) {
                Ok(()) => Verdict::Passed,
                Err(error) => Verdict::Skipped(format!("{error:#}")),
            })
        });
        verdict == Verdict::Passed
    }

    fn install(&self, workspace: &Workspace) -> anyhow::Result<()> {
        let folder = folder(workspace);
        if self.is_in(&folder) {
            return Ok(());
        }
        let mut command = workspace.cargo();
        command.args(["install", "--quiet", "--locked", "--force", "--root"]).arg(&folder);
        command.args(["--version", self.version, self.package]);
        // Built in a folder of its own: in ours it would hold the lock and evict nothing useful.
        command.env_remove("CARGO_TARGET_DIR");
        step::output(&mut command).map(drop)
    }

    /// Cargo keeps a list of what it installed into a root.
    fn is_in(&self, folder: &Path) -> bool {
        let entry = format!("\"{} {} (", self.package, self.version);
        fs::read_to_string(folder.join(".crates.toml")).is_ok_and(|list| list.contains(&entry))
    }
}

/// A cargo command at the workspace's root that finds the tools.
pub(crate) fn cargo(workspace: &Workspace) -> anyhow::Result<Command> {
    let mut folders = vec![folder(workspace).join("bin")];
    folders.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
    let mut command = workspace.cargo();
    command.env("PATH", env::join_paths(folders).context("PATH")?);
    Ok(command)
}

fn folder(workspace: &Workspace) -> PathBuf {
    workspace.target.join("tools")
}
