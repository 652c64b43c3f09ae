//! What must hold before a change goes in.
//!
//! Ordered by how fast a step can say no. Nothing here measures time.

use crate::{
    layers, peers,
    step::{self, Steps},
    tidy,
    workspace::Workspace,
};

/// Peers the tests talk to, each with the variable that tells them its interpreter. A test that
/// finds the variable missing skips with a line that says so, and fails when `CI` is set.
const PYTHON_PEERS: [(&str, &str); 1] = [("mcp", "RESULTANT_TEST_PYTHON_MCP")];

pub(crate) fn run(workspace: &Workspace, steps: &mut Steps) {
    steps.run("format", || step::run(workspace.cargo().args(["fmt", "--all", "--check"])));
    tidy::run(workspace, steps);
    layers::run(workspace, steps);
    steps.run("lints", || {
        let lints = ["clippy", "--workspace", "--all-targets", "--all-features"];
        step::run(workspace.cargo().args(lints).args(["--", "-D", "warnings"]))
    });

    let mut tests = workspace.cargo();
    tests.env(peers::DIRECTORY_VARIABLE, peers::directory(workspace));
    for (name, variable) in PYTHON_PEERS {
        match peers::step(workspace, steps, name) {
            Some(peer) => tests.env(variable, peer.python()),
            None => tests.env_remove(variable),
        };
    }
    steps.run("examples", || {
        // As programs, for the tests that start them.
        step::run(workspace.cargo().args(["build", "--workspace", "--all-features", "--examples"]))
    });
    steps.run("tests", || {
        // Benchmarks are left out by naming the others: run as tests, they would measure.
        tests.args(["test", "--workspace", "--all-features", "--no-fail-fast"]);
        step::run(tests.args(["--lib", "--bins", "--tests"]))
    });
    steps.run("tests in documentation", || {
        step::run(workspace.cargo().args(["test", "--workspace", "--all-features", "--doc"]))
    });
    steps.run("documentation", || {
        // Libraries only: the program and the library have one name, and so one page.
        let mut doc = workspace.cargo();
        doc.args(["doc", "--workspace", "--all-features", "--no-deps", "--lib"]);
        step::run(doc.env("RUSTDOCFLAGS", "-D warnings"))
    });
}
