//! What must hold before a change goes in.
//!
//! Ordered by how fast a step can say no, and by what needs what: the page is built before the
//! program that carries it, which the browser tests drive. Nothing here measures time.

use crate::{
    conformance, layers,
    peers::{self, TestPeer},
    postgres, rooms,
    step::{self, Steps},
    tidy, web,
    workspace::Workspace,
};

/// Peers of every run: one official client of each era and language pair, and servers that people
/// have.
pub(crate) const PEERS: [TestPeer; 4] = [
    TestPeer { name: "mcp", variable: "RESULTANT_TEST_PYTHON_MCP" },
    TestPeer { name: "mcp-server-git", variable: "RESULTANT_TEST_PYTHON_MCP_SERVER_GIT" },
    TestPeer { name: "reference-servers", variable: "RESULTANT_TEST_NODE_REFERENCE_SERVERS" },
    TestPeer { name: "typescript-sdk-1", variable: "RESULTANT_TEST_NODE_TYPESCRIPT_SDK_1" },
];

pub(crate) fn run(workspace: &Workspace, steps: &mut Steps) {
    steps.run("format", || step::run(workspace.cargo().args(["fmt", "--all", "--check"])));
    tidy::run(workspace, steps);
    layers::run(workspace, steps);
    rooms::run(workspace, steps);
    let has_page = web::before_the_program(workspace, steps);
    steps.run("lints", || {
        let lints = ["clippy", "--workspace", "--all-targets", "--all-features"];
        step::run(workspace.cargo().args(lints).args(["--", "-D", "warnings"]))
    });

    let mut tests = workspace.cargo();
    tests.env(peers::DIRECTORY_VARIABLE, peers::directory(workspace));
    for peer in &PEERS {
        peer.step(workspace, steps, &mut tests);
    }
    postgres::step(steps, &mut tests);
    steps.run("examples", || {
        // As programs, for the tests that start them.
        step::run(workspace.cargo().args(["build", "--workspace", "--all-features", "--examples"]))
    });
    steps.run("tests", || {
        // Benchmarks are left out by naming the others: run as tests, they would measure.
        tests.args(["test", "--workspace", "--all-features", "--no-fail-fast"]);
        step::run(tests.args(["--lib", "--bins", "--tests"]))
    });
    if has_page {
        web::in_a_browser(workspace, steps);
    }
    steps.run("tests in documentation", || {
        step::run(workspace.cargo().args(["test", "--workspace", "--all-features", "--doc"]))
    });
    steps.run("documentation", || {
        // Libraries only: the program and the library have one name, and so one page.
        let mut doc = workspace.cargo();
        doc.args(["doc", "--workspace", "--all-features", "--no-deps", "--lib"]);
        step::run(doc.env("RUSTDOCFLAGS", "-D warnings"))
    });
    conformance::run(workspace, steps, &conformance::Selection::default());
}
