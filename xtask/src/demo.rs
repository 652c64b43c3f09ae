//! Shows the product's main job on one bundled result: what each audience gets.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, ensure};
use serde::Deserialize;

use crate::{
    step::{self, Steps, Verdict},
    workspace::Workspace,
};

/// A tool's answer as sent: a contract with files inside, and prose beside it.
const SAMPLE: &str = "corpus/demo/report.json";

/// What is asked for, and what to see in the answer.
const AUDIENCES: [(&str, &str); 5] = [
    ("contract", "a program gets one shape from every tool, with files by name and digest"),
    ("model", "the model gets the result and the files' names, within its budget"),
    ("client", "an MCP client gets a result that is valid in its protocol version"),
    ("envelope", "a client that asks for response-v2 gets that"),
    ("view", "a person gets what the canvas opens"),
];

pub(crate) fn run(workspace: &Workspace, steps: &mut Steps) {
    let mut program = PathBuf::new();
    let built = steps.run("build the program", || {
        program = build(workspace)?;
        Ok(Verdict::Passed)
    });
    if built != Verdict::Passed {
        return;
    }
    println!("\nA tool answered with {SAMPLE}. This is what becomes of it.");
    for (audience, meaning) in AUDIENCES {
        steps.run(format!("{audience}: {meaning}"), || {
            show(workspace, &program, &["--quiet", "--to", audience])
        });
    }
    steps.run("notes: what was odd about it, and which rule says so", || {
        show(workspace, &program, &["--explain", "--to", "contract"])
    });
}

/// Builds the program and asks cargo where it is.
fn build(workspace: &Workspace) -> anyhow::Result<PathBuf> {
    #[derive(Deserialize)]
    struct Message {
        executable: Option<PathBuf>,
    }
    let mut cargo = workspace.cargo();
    cargo.args(["build", "--package", "resultant-cli", "--bin", "resultant"]);
    cargo.arg("--message-format=json-render-diagnostics");
    let output = cargo.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let output = output.context("cargo cannot be started")?;
    ensure!(output.status.success(), "cargo {}", step::exit_text(output.status.code()));
    let messages = String::from_utf8_lossy(&output.stdout);
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Message>(line).ok());
    messages.filter_map(|message| message.executable).next_back().context("cargo names no program")
}

/// Runs the program on the sample. Nothing printed is a failure: there is always an answer.
fn show(workspace: &Workspace, program: &Path, arguments: &[&str]) -> anyhow::Result<Verdict> {
    let mut command = Command::new(program);
    command.current_dir(&workspace.root).arg("normalize").args(arguments).arg(SAMPLE);
    println!("  $ {}\n", step::line(&command));
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let output = output.context("the program cannot be started")?;
    let text = String::from_utf8_lossy(&output.stdout);
    println!("{}\n", text.trim_end());
    Ok(match output.status.code() {
        Some(0) if text.trim().is_empty() => Verdict::Failed("printed nothing".to_owned()),
        Some(0) => Verdict::Passed,
        code => Verdict::Failed(step::exit_text(code)),
    })
}
