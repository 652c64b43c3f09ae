//! The page, the browser package, and the tests of both.
//!
//! The page is built before the program, which carries it inside; the browser tests drive the
//! program that came of that. Without Node there is no page: the program builds all the same, and
//! these steps are skipped with a line that says so.

use std::{fs, path::Path, process::ExitCode};

use anyhow::{Context, bail};

use crate::{
    chromium, demo,
    node::Packages,
    peers::{self, TestPeer},
    step::{self, Steps, Verdict},
    workspace::Workspace,
};

/// The folders of the Node workspace.
const PAGE: &str = "web";
const PACKAGE: &str = "packages/browser";

/// Made from the API's document, and committed.
const TYPES: &str = "web/src/api/schema.ts";

/// Peers of the browser tests: public servers that bring an app for the canvas.
const PEERS: [TestPeer; 1] =
    [TestPeer { name: "mcp-apps", variable: "RESULTANT_TEST_NODE_MCP_APPS" }];

/// Tells the browser tests which program to start.
const BINARY_VARIABLE: &str = "RESULTANT_TEST_BINARY";

/// Builds the page and the browser package, for the next build of the program to carry.
pub(crate) fn run(workspace: &Workspace) -> anyhow::Result<ExitCode> {
    build(workspace)?;
    println!("the page is in web/dist; the next build of the program carries it");
    Ok(ExitCode::SUCCESS)
}

/// Builds the page for the demo. Without Node the demo has none, which one line says.
pub(crate) fn build_for_demo(workspace: &Workspace) {
    if let Err(error) = build(workspace) {
        println!("the page is not built anew ({error:#}); `cargo xtask web` builds it, with Node");
    }
}

fn build(workspace: &Workspace) -> anyhow::Result<()> {
    let packages = Packages::install(workspace)?;
    let package = step::run(&mut packages.script(PACKAGE, "build"))?;
    let page = step::run(&mut packages.script(PAGE, "build"))?;
    for (folder, verdict) in [(PAGE, page), (PACKAGE, package)] {
        if let Verdict::Failed(why) = verdict {
            bail!("the build of {folder} {why}");
        }
    }
    Ok(())
}

/// Checks, unit tests and builds: all that comes before the program is built.
pub(crate) fn before_the_program(workspace: &Workspace, steps: &mut Steps) -> bool {
    let Some(packages) = Packages::step(workspace, steps) else { return false };
    steps.run("types", || types_are_current(workspace, &packages));
    steps.run("browser package", || step::run(&mut packages.script(PACKAGE, "build")));
    steps.run("web check", || both(&packages, "check"));
    steps.run("web tests", || both(&packages, "test"));
    steps.run("web build", || step::run(&mut packages.script(PAGE, "build"))) == Verdict::Passed
}

/// Drives the program in a browser. Left out when the page could not be built, which its own step
/// has told.
pub(crate) fn in_a_browser(workspace: &Workspace, steps: &mut Steps) {
    let Ok(packages) = Packages::install(workspace) else { return };
    let mut scripts = [PAGE, PACKAGE].map(|folder| (folder, packages.script(folder, "browser")));
    for (_, tests) in &mut scripts {
        tests.env(peers::DIRECTORY_VARIABLE, peers::directory(workspace));
        // Only the page has tests in a browser for certain.
        tests.arg("--if-present");
    }
    for peer in &PEERS {
        peer.step(workspace, steps, &mut scripts[0].1);
    }
    let mut browser = None;
    steps.run("Chromium", || Ok(chromium::find_or_install(&mut browser)));
    for (folder, mut tests) in scripts {
        steps.run(format!("browser tests: {folder}"), || {
            let Some(browser) = &browser else {
                return Ok(Verdict::Skipped("there is no Chromium".to_owned()));
            };
            tests.env(chromium::VARIABLE, browser);
            tests.env(BINARY_VARIABLE, demo::build_as_tested(workspace)?);
            step::run(&mut tests)
        });
    }
}

fn both(packages: &Packages<'_>, script: &str) -> anyhow::Result<Verdict> {
    let page = step::run(&mut packages.script(PAGE, script))?;
    let package = step::run(&mut packages.script(PACKAGE, script))?;
    Ok(if page == Verdict::Passed { package } else { page })
}

/// Makes the types anew and compares, or writes them where that is asked for.
fn types_are_current(workspace: &Workspace, packages: &Packages<'_>) -> anyhow::Result<Verdict> {
    let made = workspace.target.join("web-types.ts");
    let document = workspace.root.join("docs/openapi.json");
    let mut generator = packages.program(PAGE, "openapi-typescript");
    step::output(generator.arg(&document).arg("--output").arg(&made))?;
    let made = read(&made)?;
    let committed = workspace.root.join(TYPES);
    if read(&committed)? == made {
        return Ok(Verdict::Passed);
    }
    if std::env::var_os("RESULTANT_UPDATE").is_some_and(|value| value == "1") {
        fs::write(&committed, made).with_context(|| TYPES.to_owned())?;
        println!("  {TYPES} is written");
        return Ok(Verdict::Passed);
    }
    Ok(Verdict::Failed(format!(
        "{TYPES} is not what docs/openapi.json makes; run `npm run types -w web`"
    )))
}

fn read(path: &Path) -> anyhow::Result<String> {
    fs::read_to_string(path).with_context(|| path.display().to_string())
}
