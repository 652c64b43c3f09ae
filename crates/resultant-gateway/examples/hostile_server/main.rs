//! An MCP server that misbehaves: every tool is one way to do it.
//!
//! It exists to be put behind the gateway. The tool `echo` behaves, so that a test can see whether
//! the rest of the connection is alive. Written with the standard library alone, and with text in
//! place of JSON types, because no library writes what it has to write. The file that `HOSTILE_LOG`
//! names gets a line for every start and every call, so that a test can count them.
//!
//! ```text
//! hostile_server [--list=KIND] [--unknown=crash|silent] [--deaf] [--stay] [--slow=SECONDS] [--http]
//! ```

mod http;
mod lines;
mod lists;
mod long;
mod payloads;
mod processes;
mod questions;
mod wire;

use std::{io::BufRead as _, sync::Arc, time::Duration};

use wire::{Incoming, Wire};

/// What the command line asks for.
#[derive(Clone, Debug, Default)]
struct Options {
    /// Which tool list to give.
    list: String,
    /// What happens when a method is not known: nothing, or the end.
    unknown: String,
    /// Stops reading after the handshake.
    is_deaf: bool,
    /// Does not leave when its input ends.
    stays: bool,
    slow: Duration,
    is_http: bool,
}

impl Options {
    fn read() -> Options {
        let mut options = Options::default();
        for argument in std::env::args().skip(1) {
            let (key, value) = argument.split_once('=').unwrap_or((&argument, ""));
            match key {
                "--list" => options.list = value.to_owned(),
                "--unknown" => options.unknown = value.to_owned(),
                "--deaf" => options.is_deaf = true,
                "--stay" => options.stays = true,
                "--slow" => options.slow = Duration::from_secs_f64(value.parse().unwrap_or(1.0)),
                "--http" => options.is_http = true,
                _ => eprintln!("unknown argument {argument}"),
            }
        }
        options
    }
}

fn main() {
    let options = Options::read();
    wire::note("start", &std::process::id().to_string());
    std::thread::sleep(options.slow);
    if options.is_http {
        return http::serve();
    }
    let wire = Wire::stdio();
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let message = Incoming { text: line };
        take(&wire, &options, message);
        if options.is_deaf && wire.is_initialized() {
            processes::wait_for_ever();
        }
    }
    if options.stays {
        processes::wait_for_ever();
    }
}

fn take(wire: &Arc<Wire>, options: &Options, message: Incoming) {
    let Some(method) = message.method() else {
        wire.answered(&message);
        return;
    };
    let Some(id) = message.id() else {
        match method.as_str() {
            "notifications/cancelled" => wire.cancelled(&message),
            "notifications/initialized" => wire.set_initialized(),
            _ => {}
        }
        return;
    };
    match method.as_str() {
        "initialize" => wire.result(&id, INITIALIZED),
        "ping" => wire.result(&id, "{}"),
        "tools/list" => lists::list(wire, &id, &options.list, &message),
        "tools/call" => {
            let tool = message.text_of("name").unwrap_or_default();
            wire::note("call", &tool);
            let wire = wire.clone();
            std::thread::spawn(move || call(&wire, &tool, &id, &message));
        }
        _ => match options.unknown.as_str() {
            "crash" => {
                eprintln!("KeyError: '{method}'");
                std::process::exit(1);
            }
            "silent" => {}
            _ => wire.error(&id, -32601, "method not found"),
        },
    }
}

const INITIALIZED: &str = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"logging":{}},"serverInfo":{"name":"hostile","version":"1"}}"#;

/// Misbehaves as the tool says.
fn call(wire: &Arc<Wire>, tool: &str, id: &str, message: &Incoming) {
    let is_done = lines::call(wire, tool, id, message)
        || payloads::call(wire, tool, id, message)
        || long::call(wire, tool, id, message)
        || questions::call(wire, tool, id)
        || processes::call(wire, tool, id)
        || lists::call(wire, tool, id);
    if !is_done {
        wire.error(id, -32602, "unknown tool");
    }
}
