//! What takes too long for every change: supply chain, fuzzing, mutants, the rarer peers, the long
//! run of gateways that are killed.

use std::{
    fs,
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

use anyhow::ensure;

use crate::{
    peers::TestPeer,
    postgres,
    step::{self, Steps, Verdict},
    test,
    tools::{self, Tool},
    workspace::Workspace,
};

const DENY: Tool = Tool { package: "cargo-deny", version: "0.20.2" };
const FUZZ: Tool = Tool { package: "cargo-fuzz", version: "0.13.2" };
const MUTANTS: Tool = Tool { package: "cargo-mutants", version: "27.1.0" };

/// How long each fuzz target runs.
const FUZZ_SECONDS: u32 = 60;

/// Input on which a fuzz target takes longer hangs, for all we care. Far above what any takes.
const FUZZ_INPUT_SECONDS_MAX: u32 = 30;

/// Longer input is cut: small inputs find the same things, many times as fast.
const FUZZ_INPUT_BYTES_MAX: u32 = 4096;

/// How many cases each property gets.
const PROPERTY_CASES: u32 = 2000;

/// Mutants that no test notices and that we live with, because they change nothing a caller can
/// see. Lower it when they become fewer; a higher number needs a reason, written here.
const MUTANTS_MISSED_MAX: usize = 0;

/// Which files are mutated, and how long a mutant may take, is said in these.
const MUTANTS_CONFIGS: [(&str, &str); 2] = [
    ("mutants of the library", ".cargo/mutants.toml"),
    ("mutants of tokens", ".cargo/mutants-store.toml"),
];

/// Peers that the usual tests do without.
const RARE_PEERS: [TestPeer; 3] = [
    TestPeer { name: "fastmcp", variable: "RESULTANT_TEST_PYTHON_FASTMCP" },
    TestPeer { name: "mcp-1", variable: "RESULTANT_TEST_PYTHON_MCP_1" },
    TestPeer { name: "typescript-sdk-2", variable: "RESULTANT_TEST_NODE_TYPESCRIPT_SDK_2" },
];

/// Tells the tests that the rarer peers are to be there: without it they skip those quietly.
const FULL_VARIABLE: &str = "RESULTANT_TEST_FULL";

/// The tests that talk to the rarer peers.
const RARE_PEERS_TESTS: [&str; 2] = ["sdk_clients", "sdk_servers"];

pub(crate) fn run(workspace: &Workspace, steps: &mut Steps) {
    if DENY.step(workspace, steps) {
        deny(workspace, steps);
    }
    fuzz(workspace, steps);
    steps.run("properties: more cases, other ones", || properties(workspace));
    if MUTANTS.step(workspace, steps) {
        for (name, config) in MUTANTS_CONFIGS {
            steps.run(name, || mutants(workspace, config));
        }
    }
    rare_peers(workspace, steps);
    kills(workspace, steps);
}

/// Gateways killed while they write, a thousand times instead of ten.
fn kills(workspace: &Workspace, steps: &mut Steps) {
    let mut tests = workspace.cargo();
    tests.env(FULL_VARIABLE, "1");
    postgres::step(steps, &mut tests);
    steps.run("gateways killed a thousand times", || {
        tests.args(["test", "--package", "resultant-cli", "--test", "replicas", "--no-fail-fast"]);
        step::run(&mut tests)
    });
}

/// The usual peers are prepared again, which costs nothing: their servers are what the rarer
/// clients talk to.
fn rare_peers(workspace: &Workspace, steps: &mut Steps) {
    let mut tests = workspace.cargo();
    tests.env(FULL_VARIABLE, "1");
    for peer in RARE_PEERS.iter().chain(&test::PEERS) {
        peer.step(workspace, steps, &mut tests);
    }
    steps.run("tests with the rarer peers", || {
        tests.args(["test", "--package", "resultant-cli", "--no-fail-fast"]);
        step::run(tests.args(RARE_PEERS_TESTS.iter().flat_map(|name| ["--test", name])))
    });
}

fn deny(workspace: &Workspace, steps: &mut Steps) {
    steps.run("dependencies: licences, bans, sources", || {
        let checks = ["deny", "check", "--hide-inclusion-graph", "licenses", "bans", "sources"];
        step::run(tools::cargo(workspace)?.args(checks))
    });
    steps.run("dependencies: advisories", || {
        // The database is a repository of its own, which not every machine can reach.
        if let Err(error) = step::output(tools::cargo(workspace)?.args(["deny", "fetch", "db"])) {
            println!("  {error:#}");
            return Ok(Verdict::Skipped("the advisory database cannot be fetched".to_owned()));
        }
        let check = ["deny", "--offline", "check", "advisories"];
        step::run(tools::cargo(workspace)?.args(check))
    });
}

fn fuzz(workspace: &Workspace, steps: &mut Steps) {
    let folder = workspace.root.join("fuzz");
    if !folder.join("Cargo.toml").exists() {
        steps.run("fuzz", || Ok(Verdict::Skipped("there is no fuzz/ yet".to_owned())));
        return;
    }
    if !FUZZ.step(workspace, steps) {
        return;
    }
    let mut targets = Vec::new();
    steps.run("fuzz: targets", || {
        let list =
            step::output(tools::cargo(workspace)?.current_dir(&folder).args(["fuzz", "list"]))?;
        targets.extend(list.split_whitespace().map(str::to_owned));
        ensure!(!targets.is_empty(), "fuzz/ has no targets");
        Ok(Verdict::Passed)
    });
    for target in targets {
        steps.run(format!("fuzz: {target}"), || fuzz_target(workspace, &target));
    }
}

/// The properties with cases that no run had before. The seed is printed with the command, so that
/// what fails can be run again.
fn properties(workspace: &Workspace) -> anyhow::Result<Verdict> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
    let mut command = workspace.cargo();
    command.args(["test", "--package", "resultant", "--all-features", "--test", "properties"]);
    command.env("PROPTEST_CASES", PROPERTY_CASES.to_string());
    step::run(command.env("PROPTEST_RNG_SEED", now.as_secs().to_string()))
}

/// What is found goes to the first folder; the recorded results are only read, as seeds. Without
/// a sanitizer, for which the stable toolchain has no switch: the library has no unsafe code, so
/// that panics and hangs are what there is to find.
fn fuzz_target(workspace: &Workspace, target: &str) -> anyhow::Result<Verdict> {
    let found = format!("fuzz/corpus/{target}");
    fs::create_dir_all(workspace.root.join(&found))?;
    let mut command = tools::cargo(workspace)?;
    command.args(["fuzz", "run", "--sanitizer", "none", target, &found]);
    if workspace.root.join("corpus").exists() {
        command.arg("corpus");
    }
    command.arg("--").arg(format!("-max_total_time={FUZZ_SECONDS}"));
    command.arg(format!("-timeout={FUZZ_INPUT_SECONDS_MAX}"));
    command.arg(format!("-max_len={FUZZ_INPUT_BYTES_MAX}"));
    step::run(command.arg("-print_final_stats=1"))
}

/// The tool prints each mutant that was missed; the allowance decides.
fn mutants(workspace: &Workspace, config: &str) -> anyhow::Result<Verdict> {
    const ALL_CAUGHT: i32 = 0;
    const SOME_MISSED: i32 = 2;
    const SOME_TIMED_OUT: i32 = 3;

    let output = workspace.target.join("mutants");
    fs::create_dir_all(&output)?;
    let mut command = tools::cargo(workspace)?;
    command.args(["mutants", "--config", config, "--no-times", "--colors", "never", "--output"]);
    command.arg(&output);
    let code = step::status(&mut command)?;
    if !matches!(code, Some(ALL_CAUGHT | SOME_MISSED | SOME_TIMED_OUT)) {
        return Ok(Verdict::Failed(step::exit_text(code)));
    }
    let result = output.join("mutants.out");
    let caught = lines(&result.join("caught.txt"));
    let missed = lines(&result.join("missed.txt"));
    let endless = lines(&result.join("timeout.txt"));
    ensure!(!caught.is_empty(), "control: no mutant was caught");
    println!("  {} caught, {} endless, {} missed", caught.len(), endless.len(), missed.len());
    Ok(match missed.len() {
        0..=MUTANTS_MISSED_MAX => Verdict::Passed,
        count => Verdict::Failed(format!("{count} missed, {MUTANTS_MISSED_MAX} allowed")),
    })
}

fn lines(file: &Path) -> Vec<String> {
    fs::read_to_string(file).unwrap_or_default().lines().map(str::to_owned).collect()
}
