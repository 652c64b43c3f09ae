//! The Node workspace at the root: its packages, and the scripts that are run in it.
//!
//! `npm ci` empties `node_modules` before it fills it, which takes longer than most scripts. What
//! it was made from is therefore written into it last, and it is made anew only when that changes
//! or when the record is missing because the last run did not finish.

use std::{fs, path::Path, process::Command};

use anyhow::{Context, ensure};

use crate::{
    step::{self, Steps, Verdict},
    workspace::Workspace,
};

/// The oldest Node that the build works with, as in `package.json`.
const NODE_MIN: (u32, u32) = (20, 19);

/// What `node_modules` depends on.
const PINS: [&str; 4] =
    ["package.json", "package-lock.json", "web/package.json", "packages/browser/package.json"];

/// The workspace's packages are there.
pub(crate) struct Packages<'a> {
    workspace: &'a Workspace,
}

impl<'a> Packages<'a> {
    /// Installs the packages unless they are there already.
    pub(crate) fn install(workspace: &'a Workspace) -> anyhow::Result<Self> {
        let node = step::output(Command::new("node").arg("--version"))?;
        ensure!(
            is_new_enough(&node),
            "this needs Node {}.{} or newer, there is {}",
            NODE_MIN.0,
            NODE_MIN.1,
            node.trim()
        );
        // Two runs at once must not fill the same folder.
        fs::create_dir_all(&workspace.target).context("the target folder")?;
        let lock = fs::File::create(workspace.target.join("node-packages.lock"))?;
        lock.lock().context("lock of the packages")?;

        let made_from = made_from(&workspace.root, &node)?;
        let record = workspace.root.join("node_modules/made-from.txt");
        if !fs::read_to_string(&record).is_ok_and(|text| text == made_from) {
            let mut install = npm(workspace);
            step::output(install.args(["ci", "--no-audit", "--no-fund"]))?;
            fs::write(&record, made_from).with_context(|| record.display().to_string())?;
        }
        Ok(Self { workspace })
    }

    /// Installs the packages as a step. Without Node it is skipped, and so is what needs them.
    pub(crate) fn step(workspace: &'a Workspace, steps: &mut Steps) -> Option<Self> {
        let mut packages = None;
        steps.run("node packages", || {
            Ok(match Self::install(workspace) {
                Ok(installed) => {
                    packages = Some(installed);
                    Verdict::Passed
                }
                Err(error) => Verdict::Skipped(format!("{error:#}")),
            })
        });
        packages
    }

    /// A script of one of the workspace's folders.
    pub(crate) fn script(&self, folder: &str, script: &str) -> Command {
        let mut command = npm(self.workspace);
        command.args(["run", "--silent", script, "--workspace", folder]);
        command
    }

    /// A program that one of the packages brought, started in a folder of the workspace.
    pub(crate) fn program(&self, folder: &str, program: &str) -> Command {
        let mut command = Command::new(if cfg!(windows) { "npx.cmd" } else { "npx" });
        command.current_dir(self.workspace.root.join(folder)).args(["--no-install", program]);
        command
    }
}

fn npm(workspace: &Workspace) -> Command {
    let mut command = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
    command.current_dir(&workspace.root);
    command
}

fn made_from(root: &Path, node: &str) -> anyhow::Result<String> {
    let mut text = format!("{}\n", node.trim());
    for name in PINS {
        let content = fs::read_to_string(root.join(name)).with_context(|| name.to_owned())?;
        text.push_str(&format!("--- {name}\n{content}\n"));
    }
    Ok(text)
}

/// Whether `node --version` names one that will do.
fn is_new_enough(version: &str) -> bool {
    let mut numbers = version.trim().trim_start_matches('v').split('.').map(str::parse::<u32>);
    match (numbers.next(), numbers.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => (major, minor) >= NODE_MIN,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_new_enough;

    #[test]
    fn versions() {
        for version in ["v20.19.0\n", "v20.20.2", "v24.0.1"] {
            assert!(is_new_enough(version), "{version}");
        }
        for version in ["v20.18.9", "v18.99.0", "", "node"] {
            assert!(!is_new_enough(version), "{version}");
        }
    }
}
