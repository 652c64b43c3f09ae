//! The workspace as cargo describes it: where it is, what is in it.

use std::{env, path::PathBuf, process::Command};

use anyhow::Context;
use serde::Deserialize;

use crate::step;

/// The workspace this program was started in.
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    /// Where cargo builds; what we install goes beside it.
    pub(crate) target: PathBuf,
    pub(crate) packages: Vec<Package>,
}

/// A crate of the workspace.
#[derive(Debug, Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) license: Option<String>,
    pub(crate) dependencies: Vec<Dependency>,
    targets: Vec<Target>,
}

/// What a crate depends on, for whatever purpose.
#[derive(Debug, Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// Only dependencies inside the workspace have one.
    pub(crate) path: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

#[derive(Deserialize)]
struct Metadata {
    workspace_root: PathBuf,
    target_directory: PathBuf,
    packages: Vec<Package>,
}

impl Workspace {
    pub(crate) fn load() -> anyhow::Result<Self> {
        // Set by `cargo run`; without it the current directory is somewhere in the workspace.
        let mut command = cargo();
        if let Some(folder) = env::var_os("CARGO_MANIFEST_DIR") {
            command.current_dir(folder);
        }
        let text = step::output(command.args(["metadata", "--no-deps", "--format-version", "1"]))?;
        let Metadata { workspace_root, target_directory, packages } =
            serde_json::from_str(&text).context("cargo metadata")?;
        Ok(Self { root: workspace_root, target: target_directory, packages })
    }

    /// A cargo command at the workspace's root.
    pub(crate) fn cargo(&self) -> Command {
        let mut command = cargo();
        command.current_dir(&self.root);
        command
    }

    /// Whether the package has such a target; `kind` is cargo's word, as in `bench`, `example`.
    pub(crate) fn has_target(&self, package: &str, kind: &str, name: &str) -> bool {
        self.packages.iter().filter(|candidate| candidate.name == package).any(|package| {
            package.targets.iter().any(|target| {
                target.name == name && target.kind.iter().any(|candidate| candidate == kind)
            })
        })
    }
}

fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    // What cargo says about this program would make build scripts run anew that look at it, and
    // with them half of the dependencies, whenever cargo is also called by hand.
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}
