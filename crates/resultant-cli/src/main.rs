//! The command `resultant`.

mod args;
mod check;
#[cfg_attr(not(test), expect(dead_code, reason = "the gateway's command reads this"))]
mod demo;
mod demo_server;
mod files;
mod input;
mod normalize;
mod server;

use std::{io, process::ExitCode};

use clap::Parser as _;

use crate::args::{Arguments, Command};

/// The input cannot be read, or is not what it is said to be.
const EXIT_INPUT: u8 = 2;

fn main() -> ExitCode {
    let Arguments { command } = Arguments::parse();
    let result = match command {
        Command::Normalize(arguments) => normalize::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::DemoServer => demo_server::run(),
    };
    match result {
        Ok(code) => code,
        // Whoever reads our output has seen enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("resultant: {error:#}");
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
