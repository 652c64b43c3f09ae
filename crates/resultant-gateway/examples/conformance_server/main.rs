//! A server with the fixtures of the MCP conformance suite, to put behind the gateway.
//!
//! It speaks as a server of one era would: `legacy` knows `initialize` and asks its client by
//! requests, `modern` knows 2026-07-28 only and asks by `input_required`, `both` decides for each
//! message. A fixture is written once and works in each, see `asking`. The protocol is spoken by
//! hand and not through an SDK: it takes exact control to refuse the other era, to choose the ids of
//! requests, and to close a stream in the middle of a call.

mod asking;
mod dispatch;
mod http;
mod http_legacy;
mod http_modern;
mod message;
mod outlet;
mod prompts;
mod resources;
mod server;
mod session;
mod stdio;
mod tools;
mod tools_asking;

use std::{process::ExitCode, sync::Arc};

use self::server::{Era, Server};

const HELP: &str = "\
A server with the fixtures of the MCP conformance suite.

Usage: conformance_server --era legacy|modern|both (--stdio | --http PORT)

With --http it prints 'listening on http://127.0.0.1:PORT/mcp' to standard error; PORT 0 takes a
free one.
";

enum Transport {
    Stdio,
    Http { port: u16 },
}

fn parse(arguments: &[String]) -> Option<(Era, Transport)> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (era, transport) = match arguments.as_slice() {
        ["--era", era, transport @ ..] => (era, transport),
        [transport @ .., "--era", era] => (era, transport),
        _ => return None,
    };
    let transport = match transport {
        ["--stdio"] => Transport::Stdio,
        ["--http", port] => Transport::Http { port: port.parse().ok()? },
        _ => return None,
    };
    Some((Era::parse(era)?, transport))
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((era, transport)) = parse(&arguments) else {
        eprint!("{HELP}");
        return ExitCode::from(2);
    };
    let ended = match Server::new(era) {
        Ok(server) => match transport {
            Transport::Stdio => stdio::run(Arc::new(server)).await,
            Transport::Http { port } => http::run(Arc::new(server), port).await,
        },
        Err(error) => Err(error),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
