//! Builds the page and the program, and runs its demo: the gateway in front of the bundled server.
//!
//! The demo takes this process's place where the system can do that, so that Ctrl-C reaches it
//! alone and its exit code is ours. What it keeps goes below `target`, and not where a user's own
//! gateway keeps its files.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
};

use anyhow::{Context, ensure};
use serde::Deserialize;

use crate::{step, web, workspace::Workspace};

pub(crate) fn run(workspace: &Workspace, arguments: &[String]) -> anyhow::Result<ExitCode> {
    web::build_for_demo(workspace);
    let program = build(workspace, &["--package", "resultant-cli"])?;
    let mut command = Command::new(program);
    command.current_dir(&workspace.root);
    command.args(demo_arguments(&workspace.target, arguments));
    println!("$ {}\n", step::line(&command));
    replace(&mut command)
}

/// The demo's arguments: those that were given, and a folder for its files unless one is named.
fn demo_arguments(target: &Path, given: &[String]) -> Vec<OsString> {
    let mut arguments = vec![OsString::from("demo")];
    let is_data = |argument: &String| argument == "--data" || argument.starts_with("--data=");
    if !given.iter().any(is_data) {
        arguments.push("--data".into());
        arguments.push(target.join("demo").into());
    }
    arguments.extend(given.iter().map(OsString::from));
    arguments
}

/// The program with the features of the tests, which have built it already. Examples are built with
/// what tests depend on, and named here for that: without them half of the tree has other features.
pub(crate) fn build_as_tested(workspace: &Workspace) -> anyhow::Result<PathBuf> {
    build(workspace, &["--workspace", "--all-features", "--examples"])
}

/// Builds the program and asks cargo where it is.
fn build(workspace: &Workspace, selection: &[&str]) -> anyhow::Result<PathBuf> {
    #[derive(Deserialize)]
    struct Message {
        target: Target,
        executable: Option<PathBuf>,
    }
    #[derive(Deserialize)]
    struct Target {
        kind: Vec<String>,
    }
    let mut cargo = workspace.cargo();
    cargo.arg("build").args(selection).args(["--bin", "resultant"]);
    cargo.arg("--message-format=json-render-diagnostics");
    let output = cargo.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let output = output.context("cargo cannot be started")?;
    ensure!(output.status.success(), "cargo {}", step::exit_text(output.status.code()));
    let messages = String::from_utf8_lossy(&output.stdout);
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Message>(line).ok());
    let programs = messages.filter(|message| message.target.kind == ["bin"]);
    programs.filter_map(|message| message.executable).next_back().context("cargo names no program")
}

#[cfg(unix)]
fn replace(command: &mut Command) -> anyhow::Result<ExitCode> {
    use std::os::unix::process::CommandExt as _;
    // It only comes back when it could not be done.
    Err(command.exec()).context("the demo cannot be started")
}

#[cfg(not(unix))]
fn replace(command: &mut Command) -> anyhow::Result<ExitCode> {
    let status = command.status().context("the demo cannot be started")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::demo_arguments;

    #[track_caller]
    fn check(given: &str, expected: &str) {
        let given: Vec<String> = given.split_whitespace().map(str::to_owned).collect();
        let arguments = demo_arguments(Path::new("t"), &given);
        let arguments: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
        assert_eq!(arguments.join(" "), expected);
    }

    #[test]
    fn files_go_below_target_unless_a_folder_is_named() {
        let data = format!("demo --data {}", Path::new("t").join("demo").display());
        check("", &data);
        check("--listen 127.0.0.1:0", &format!("{data} --listen 127.0.0.1:0"));
        check("--data d", "demo --data d");
        check("--data=d --listen x", "demo --data=d --listen x");
    }
}
