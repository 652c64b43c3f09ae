//! The command `resultant`.

mod args;
mod call;
mod check;
mod demo;
mod demo_server;
mod doctor;
mod files;
mod init;
mod input;
mod login;
mod nearest;
mod normalize;
mod page;
mod serve;
mod server;
mod source;
mod stats;
mod sweep;
mod terminal;
mod tools;

use std::{io, process::ExitCode};

use clap::Parser as _;
use resultant_gateway::config::ConfigErrors;

use crate::args::{Arguments, Command};

/// The input cannot be read, or is not what it is said to be.
const EXIT_INPUT: u8 = 2;

fn main() -> ExitCode {
    let Arguments { command } = Arguments::parse();
    let result = match command {
        Command::Normalize(arguments) => normalize::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Init(arguments) => init::run(&arguments),
        Command::Serve(arguments) => serve::serve(&arguments),
        Command::Proxy(arguments) => serve::proxy(&arguments),
        Command::Tools(arguments) => tools::run(&arguments),
        Command::Call(arguments) => call::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::Login(arguments) => login::run(&arguments),
        Command::Sweep(arguments) => sweep::run(&arguments),
        Command::Stats(arguments) => stats::run(&arguments),
        Command::Demo(arguments) => serve::demo(&arguments),
        Command::Open(arguments) => page::open(&arguments),
        Command::Key(arguments) => page::key(&arguments),
        Command::DemoServer => demo_server::run(),
        Command::EndOrphans => {
            resultant_gateway::end_orphans(io::stdin().lock());
            Ok(ExitCode::SUCCESS)
        }
        Command::QueryWorker => Ok(resultant_query::work()),
    };
    match result {
        Ok(code) => code,
        // Whoever reads our output has seen enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            match error.downcast_ref::<ConfigErrors>() {
                Some(errors) if errors.problems.len() > 1 => {
                    let count = errors.problems.len();
                    eprintln!("resultant: the configuration has {count} problems\n{errors}");
                }
                _ => eprintln!("resultant: {error:#}"),
            }
            ExitCode::from(EXIT_INPUT)
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}
