//! Environments of the programs we test and measure against.
//!
//! A peer is a folder `xtask/peers/NAME` with its pins: `requirements.txt` (and
//! `constraints.txt` for what those pull in) makes a Python environment, `package.json` (and
//! `package-lock.json`) a Node one. It is prepared in `target/peers/NAME`, or below the folder
//! that `RESULTANT_PEERS_DIR` names, and kept as long as the pins stay the same. What made it is
//! written into it last, so an environment that was not finished is made anew.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, bail};

use crate::{
    step::{self, Steps, Verdict},
    workspace::Workspace,
};

/// Names the folder of all environments, for this program and for the tests it starts.
pub(crate) const DIRECTORY_VARIABLE: &str = "RESULTANT_PEERS_DIR";

/// The files that make an environment. Others may lie beside them and mean something else.
const PIN_FILES: [&str; 4] =
    ["constraints.txt", "package-lock.json", "package.json", "requirements.txt"];

/// A peer whose environment is ready.
pub(crate) struct Peer {
    kind: Kind,
    folder: PathBuf,
}

impl Peer {
    /// The interpreter of a Python environment.
    pub(crate) fn python(&self) -> PathBuf {
        python_of(&self.folder)
    }

    /// The Node that a Node environment pins, or this machine's if it pins none for it.
    pub(crate) fn node(&self) -> PathBuf {
        let pinned = self.folder.join("node_modules/.bin/node");
        if pinned.exists() { pinned } else { PathBuf::from("node") }
    }

    /// The folder of the environment.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder of a package in a Node environment.
    pub(crate) fn node_package(&self, name: &str) -> PathBuf {
        self.folder.join("node_modules").join(name)
    }

    /// What a test is told to find the peer by: the interpreter of a Python environment, the
    /// folder of a Node one.
    fn address(&self) -> PathBuf {
        match self.kind {
            Kind::Python => self.python(),
            Kind::Node => self.folder.clone(),
        }
    }
}

/// A peer that tests talk to, with the variable that tells them where it is. A test that finds
/// the variable missing skips with a line that says so, and fails when `CI` is set.
pub(crate) struct TestPeer {
    pub(crate) name: &'static str,
    pub(crate) variable: &'static str,
}

impl TestPeer {
    /// Prepares the peer as a step and tells the command where it is.
    pub(crate) fn step(&self, workspace: &Workspace, steps: &mut Steps, tests: &mut Command) {
        match step(workspace, steps, self.name) {
            Some(peer) => tests.env(self.variable, peer.address()),
            None => tests.env_remove(self.variable),
        };
    }
}

/// The folder of all environments.
pub(crate) fn directory(workspace: &Workspace) -> PathBuf {
    match env::var_os(DIRECTORY_VARIABLE) {
        Some(folder) if !folder.is_empty() => workspace.root.join(folder),
        _ => workspace.target.join("peers"),
    }
}

/// Prepares the named peers, or all.
pub(crate) fn run(
    workspace: &Workspace,
    steps: &mut Steps,
    names: &[String],
) -> anyhow::Result<()> {
    let known = known(workspace)?;
    if let Some(unknown) = names.iter().find(|name| !known.contains(name)) {
        bail!("there is no peer '{unknown}'; the peers are {}", known.join(", "));
    }
    for name in if names.is_empty() { &known } else { names } {
        step(workspace, steps, name);
    }
    Ok(())
}

/// Prepares one peer as a step. A peer that cannot be had is skipped, not failed: the registry or
/// the interpreter may be missing on this machine, which says nothing about our code.
pub(crate) fn step(workspace: &Workspace, steps: &mut Steps, name: &str) -> Option<Peer> {
    let mut peer = None;
    steps.run(format!("peer {name}"), || {
        Ok(match prepare(workspace, name) {
            Ok(prepared) => {
                println!("  in {}", prepared.folder.display());
                peer = Some(prepared);
                Verdict::Passed
            }
            Err(error) => Verdict::Skipped(format!("{error:#}")),
        })
    });
    peer
}

fn known(workspace: &Workspace) -> anyhow::Result<Vec<String>> {
    let folder = pins_folder(workspace);
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

fn pins_folder(workspace: &Workspace) -> PathBuf {
    workspace.root.join("xtask/peers")
}

fn prepare(workspace: &Workspace, name: &str) -> anyhow::Result<Peer> {
    let pins = Pins::read(&pins_folder(workspace).join(name))?;
    let directory = directory(workspace);
    let folder = directory.join(name);
    fs::create_dir_all(&directory).with_context(|| directory.display().to_string())?;

    // Two runs at once must not build the same environment.
    let lock = fs::File::create(directory.join(format!("{name}.lock")))?;
    lock.lock().context("lock of the environment")?;

    let made_from = pins.made_from(&folder)?;
    let record = folder.join("made-from.txt");
    if fs::read_to_string(&record).is_ok_and(|text| text == made_from) {
        return Ok(Peer { kind: pins.kind, folder });
    }
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
    }
    match pins.kind {
        Kind::Python => make_python(&folder, &pins)?,
        Kind::Node => make_node(&folder, &pins)?,
    }
    fs::write(&record, made_from).with_context(|| record.display().to_string())?;
    Ok(Peer { kind: pins.kind, folder })
}

/// A peer's pins, as committed.
struct Pins {
    folder: PathBuf,
    kind: Kind,
    /// Name and text of each file, sorted by name.
    files: Vec<(String, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Python,
    Node,
}

impl Pins {
    fn read(folder: &Path) -> anyhow::Result<Self> {
        let mut files = Vec::new();
        for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if PIN_FILES.contains(&name.as_str()) {
                let text = fs::read_to_string(entry.path())
                    .with_context(|| entry.path().display().to_string())?;
                files.push((name, text));
            }
        }
        files.sort();
        let has = |name: &str| files.iter().any(|(file, _)| file == name);
        let kind = match (has("requirements.txt"), has("package.json")) {
            (true, false) => Kind::Python,
            (false, true) => Kind::Node,
            _ => bail!("{} needs one of requirements.txt, package.json", folder.display()),
        };
        Ok(Self { folder: folder.to_owned(), kind, files })
    }

    fn has(&self, name: &str) -> bool {
        self.files.iter().any(|(file, _)| file == name)
    }

    /// All that an environment depends on: the interpreter, the place (a Python environment
    /// cannot be moved) and the pins.
    fn made_from(&self, folder: &Path) -> anyhow::Result<String> {
        let interpreter = match self.kind {
            Kind::Python => "python3",
            Kind::Node => "node",
        };
        let version = step::output(Command::new(interpreter).arg("--version"))?;
        let mut text = format!("{}\n{}\n", version.trim(), folder.display());
        for (name, content) in &self.files {
            text.push_str(&format!("--- {name}\n{content}\n"));
        }
        Ok(text)
    }
}

fn make_python(folder: &Path, pins: &Pins) -> anyhow::Result<()> {
    step::output(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
    let mut install = Command::new(python_of(folder));
    install.args(["-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"]);
    install.arg("--requirement").arg(pins.folder.join("requirements.txt"));
    if pins.has("constraints.txt") {
        install.arg("--constraint").arg(pins.folder.join("constraints.txt"));
    }
    step::output(&mut install).map(drop)
}

fn make_node(folder: &Path, pins: &Pins) -> anyhow::Result<()> {
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    for (name, content) in &pins.files {
        fs::write(folder.join(name), content).with_context(|| name.clone())?;
    }
    let how = if pins.has("package-lock.json") { "ci" } else { "install" };
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let mut install = Command::new(npm);
    install.current_dir(folder).args([how, "--omit=dev", "--no-audit", "--no-fund"]);
    step::output(&mut install).map(drop)
}

fn python_of(folder: &Path) -> PathBuf {
    folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" })
}
