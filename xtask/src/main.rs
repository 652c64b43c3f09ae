//! The project's own commands, run as `cargo xtask`.
//!
//! Everything a developer or CI does to this repository has one name here, so that there is one
//! way to do it and nothing to set up by hand: what a command needs, it installs under `target`.
//! The program depends on no other crate of the workspace; it must build when they do not.

mod bench;
mod chromium;
mod conformance;
mod demo;
mod economy;
mod full;
mod gateway_bench;
mod layers;
mod node;
mod peers;
mod postgres;
mod rooms;
mod step;
mod test;
mod tidy;
mod tools;
mod web;
mod workspace;

use std::process::ExitCode;

use self::{conformance::Selection, economy::Scope, step::Steps, workspace::Workspace};

const HELP: &str = "\
The project's own commands.

Usage: cargo xtask COMMAND

Commands:
  demo [-- …]    Build the page and the program and run its demo, the gateway in front of a bundled
                 server, until Ctrl-C; what follows goes to `resultant demo`
  web            Build the page alone, for the next build of the program to carry
  test           Everything that must hold before a change goes in: format, lints, tests,
                 documentation, layers. This is what CI runs
  test --full    The same, and what takes long: licences and advisories, fuzzing, mutants,
                 the rarer peers
  bench          Measure the library and the gateway, and the same work done by Python peers
  bench --economy
                 Count tokens and right answers of seven tasks with public servers: straight,
                 through Resultant, and through what hosts do today. [--seed N] [--only B1,B2]
                 [--small] [--json] [--story]
  conformance    Run the official conformance suite against the gateway. To work on a failure:
                 [--server|--client] [--era legacy|modern] [--version V] [--scenario NAME],
                 and --direct to test the server behind the gateway by itself
  peers [NAME…]  Prepare the peers' environments (all of them unless named) and print where
                 they are

What a command needs beyond the Rust toolchain it installs under target/: Python and Node packages
into target/peers, cargo subcommands into target/tools. The page's own packages go into
node_modules. PostgreSQL and Chromium are the system's; root on Debian gets them installed, without
a server that runs. What cannot be had is skipped with a line that says so; with CI=true in the
environment a skip is a failure.

The others go on after a failure, so that one run shows all of them, and close with a line like
'12 passed, 0 failed, 1 skipped'.
";

/// What to do, as asked for on the command line.
#[derive(Debug, PartialEq, Eq)]
enum Task {
    Help,
    Demo { arguments: Vec<String> },
    Web,
    Test { extent: Extent },
    Bench,
    Economy { arguments: Vec<String> },
    Conformance(Selection),
    Peers { names: Vec<String> },
}

/// How much of the tests to run.
#[derive(Debug, PartialEq, Eq)]
enum Extent {
    Usual,
    Full,
}

impl Task {
    fn parse(arguments: &[String]) -> Result<Self, String> {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        match arguments.as_slice() {
            [] | ["help" | "-h" | "--help", ..] => Ok(Self::Help),
            ["demo", "--", words @ ..] | ["demo", words @ ..] => {
                Ok(Self::Demo { arguments: words.iter().map(ToString::to_string).collect() })
            }
            ["web"] => Ok(Self::Web),
            ["test"] => Ok(Self::Test { extent: Extent::Usual }),
            ["test", "--full"] => Ok(Self::Test { extent: Extent::Full }),
            ["bench"] => Ok(Self::Bench),
            ["bench", "--economy", words @ ..] => {
                economy::parse(words).map(|arguments| Self::Economy { arguments })
            }
            ["conformance", words @ ..] => Selection::parse(words).map(Self::Conformance),
            ["peers", names @ ..] if names.iter().all(|name| !name.starts_with('-')) => {
                Ok(Self::Peers { names: names.iter().map(ToString::to_string).collect() })
            }
            [command @ ("web" | "test" | "bench" | "peers"), rest @ ..] => {
                Err(format!("'{command}' does not take '{}'", rest.join(" ")))
            }
            [command, ..] => Err(format!("there is no command '{command}'")),
        }
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let task = match Task::parse(&arguments) {
        Ok(task) => task,
        Err(problem) => {
            eprintln!("error: {problem}\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    if task == Task::Help {
        print!("{HELP}");
        return ExitCode::SUCCESS;
    }
    match perform(&task) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn perform(task: &Task) -> anyhow::Result<ExitCode> {
    let workspace = Workspace::load()?;
    let mut steps = Steps::default();
    match task {
        Task::Help => {}
        Task::Demo { arguments } => return demo::run(&workspace, arguments),
        Task::Web => return web::run(&workspace),
        Task::Test { extent } => {
            test::run(&workspace, &mut steps);
            match extent {
                Extent::Usual => economy::run(&workspace, &mut steps, Scope::Small, &[]),
                Extent::Full => {
                    economy::run(&workspace, &mut steps, Scope::Whole, &[]);
                    full::run(&workspace, &mut steps);
                }
            }
        }
        Task::Bench => bench::run(&workspace, &mut steps),
        Task::Economy { arguments } => {
            economy::run(&workspace, &mut steps, Scope::Measured, arguments);
        }
        Task::Conformance(selection) => conformance::run(&workspace, &mut steps, selection),
        Task::Peers { names } => peers::run(&workspace, &mut steps, names)?,
    }
    Ok(steps.finish())
}

#[cfg(test)]
mod tests {
    use super::{Extent, Selection, Task};

    #[track_caller]
    fn check(line: &str, expected: Result<Task, &str>) {
        let arguments: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        assert_eq!(Task::parse(&arguments), expected.map_err(str::to_owned));
    }

    #[test]
    fn arguments() {
        check("", Ok(Task::Help));
        check("--help", Ok(Task::Help));
        let demo = |words: &[&str]| {
            Ok(Task::Demo { arguments: words.iter().map(ToString::to_string).collect() })
        };
        check("demo", demo(&[]));
        check("demo -- --listen 127.0.0.1:0", demo(&["--listen", "127.0.0.1:0"]));
        check("demo --data d", demo(&["--data", "d"]));
        check("web", Ok(Task::Web));
        check("web page", Err("'web' does not take 'page'"));
        check("test", Ok(Task::Test { extent: Extent::Usual }));
        check("test --full", Ok(Task::Test { extent: Extent::Full }));
        check("bench --economy", Ok(Task::Economy { arguments: vec![] }));
        check("bench --economies", Err("'bench' does not take '--economies'"));
        check("conformance", Ok(Task::Conformance(Selection::default())));
        check("peers", Ok(Task::Peers { names: vec![] }));
        check("peers mcp", Ok(Task::Peers { names: vec!["mcp".to_owned()] }));
        check("test --ful", Err("'test' does not take '--ful'"));
        check("peers --all", Err("'peers' does not take '--all'"));
        check("tset", Err("there is no command 'tset'"));
    }
}
