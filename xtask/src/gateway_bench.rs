//! Measures the gateway beside the servers themselves, beside the Python proxies, and its files
//! beside a plain handler that copies the same bytes.
//!
//! The measuring is done by programs of their own, built like the gateway with all optimizations;
//! here they are only built, told where the proxies are, and started.

use std::{env::consts::EXE_SUFFIX, process::Command};

use crate::{
    peers,
    step::{self, Steps, Verdict},
    workspace::Workspace,
};

/// The programs that measure, examples of the command line's crate: calls, and files.
const BENCH: &str = "gateway_bench";
const STORE_BENCH: &str = "store_bench";

/// The server that is measured against, an example of the gateway's crate.
const ECHO: &str = "echo_server";

/// Proxies to compare with, each with the argument that says which Python has it.
const PROXIES: [(&str, &str); 2] = [("fastmcp", "--fastmcp"), ("mcp-proxy", "--mcp-proxy")];

pub(crate) fn run(workspace: &Workspace, steps: &mut Steps) {
    let built = steps.run("gateway: build", || {
        let mut build = workspace.cargo();
        build.args(["build", "--release", "--package", "resultant-cli", "--bin", "resultant"]);
        build.args(["--package", "resultant-gateway", "--example", BENCH]);
        build.args(["--example", STORE_BENCH, "--example", ECHO]);
        step::run(&mut build)
    });
    if built != Verdict::Passed {
        return;
    }
    let folder = workspace.target.join("release");
    let example = |name: &str| folder.join("examples").join(format!("{name}{EXE_SUFFIX}"));
    let mut bench = Command::new(example(BENCH));
    bench.current_dir(&workspace.root);
    bench.arg("--resultant").arg(folder.join(format!("resultant{EXE_SUFFIX}")));
    bench.arg("--echo").arg(example(ECHO));
    for (name, argument) in PROXIES {
        if let Some(peer) = peers::step(workspace, steps, name) {
            bench.arg(argument).arg(peer.python());
        }
    }
    steps.run("gateway: calls, listing, memory", || step::run(&mut bench));
    let mut bench = Command::new(example(STORE_BENCH));
    bench.arg("--resultant").arg(folder.join(format!("resultant{EXE_SUFFIX}")));
    // Where cargo builds there is room, and a disk rather than memory.
    bench.arg("--echo").arg(example(ECHO)).arg("--folder").arg(&workspace.target);
    steps.run("gateway: files, beside a plain handler", || step::run(&mut bench));
}
