//! The server behind `resultant demo`: a small shop whose tools answer in every convention there is,
//! with every kind of file, with errors, slowly, and far too much.
//!
//! It speaks MCP over standard input and output, each message a line: the versions with a handshake
//! and the one without. The JSON-RPC loop is its own, because some answers have to be wrong or too
//! large for any library; what a well-behaved tool would send is written by `resultant`.
//!
//! Every request has a thread of its own, so that a slow one holds nobody up. A message is written
//! whole before the next one starts, and the largest ones are never in memory.

mod answers;
mod apps;
mod big;
mod call;
mod content;
mod conversation;
mod dashboard;
mod failures;
mod files;
mod forms;
mod gallery;
mod prompts;
mod resources;
mod slow;
mod tools;

use std::{
    io::{self, BufRead as _, BufReader, Read as _},
    process::ExitCode,
    sync::Arc,
    thread,
};

use anyhow::Context as _;
use resultant::{Json, Object, Protocol};
use serde_json::{Value, json};

use self::{
    call::{Answer, Call, RpcError},
    conversation::{Conversation, Incoming},
};

/// A longer line is no request that any of these tools could want.
const LINE_BYTES_MAX: u64 = 64 << 20;
/// More calls at once than this are refused.
const CALLS_MAX: usize = 256;

/// What a client reads about the server before it uses it.
const INSTRUCTIONS: &str = "A small fictional tea and coffee shop. Its tools show every kind of \
    tool result: conventions, files, errors, progress, a huge answer and a live dashboard. All \
    data are made up and the same on every run.";

/// Serves until standard input ends, and then until the last call has ended.
pub(crate) fn run() -> anyhow::Result<ExitCode> {
    let conversation = Arc::new(Conversation::default());
    let mut input = BufReader::new(io::stdin().lock());
    let mut threads = Vec::new();
    loop {
        let mut line = Vec::new();
        let read = input.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line);
        if read.context("cannot read standard input")? == 0 {
            break;
        }
        threads.retain(|thread: &thread::JoinHandle<()>| !thread.is_finished());
        match conversation.receive(line.trim_ascii()) {
            Incoming::Nothing => {}
            Incoming::Broken(error) => conversation.fail(&Value::Null, &error),
            Incoming::Request(call) if threads.len() >= CALLS_MAX => {
                let message = format!("more than {CALLS_MAX} calls at once");
                conversation.fail(&call.id, &RpcError::new(-32000, message));
            }
            Incoming::Request(call) => {
                threads.push(thread::spawn(move || call.finish(&answer(&call))));
            }
        }
    }
    conversation.hang_up();
    for thread in threads {
        // A call that panicked has said so on standard error.
        let _ = thread.join();
    }
    Ok(ExitCode::SUCCESS)
}

/// The answer to a request, by its method.
fn answer(call: &Call) -> Answer {
    let result = match call.method.as_str() {
        "initialize" => initialize(call),
        "ping" if !call.protocol.is_modern() => Ok(json!({})),
        "server/discover" => Ok(discover()),
        "tools/list" => Ok(json!({"tools": tools::list(call.protocol)})),
        "tools/call" => return tools::call(call),
        "resources/list" => Ok(resources::list()),
        "resources/templates/list" => Ok(resources::templates()),
        "resources/read" => return resources::read(call),
        "prompts/list" => Ok(prompts::list()),
        "prompts/get" => prompts::get(call),
        "completion/complete" => prompts::complete(call),
        method => Err(RpcError::new(-32601, format!("method not found: {method}"))),
    };
    match result {
        Ok(result) => Answer::Result(for_version(&Json::of(&result), call)),
        Err(error) => Answer::Error(error),
    }
}

/// What the version of the request asks of a result that is no tool's.
fn for_version(result: &Json, call: &Call) -> Json {
    const CACHEABLE: [&str; 5] = [
        "server/discover",
        "tools/list",
        "resources/list",
        "resources/templates/list",
        "prompts/list",
    ];
    if !call.protocol.is_modern() && call.method != "server/discover" {
        return result.clone();
    }
    let mut result = Object::of(result);
    result.set("resultType", Json::string("complete"));
    if CACHEABLE.contains(&call.method.as_str()) {
        result.set("ttlMs", Json::number(3_600_000));
        result.set("cacheScope", Json::string("public"));
    }
    result.to_json()
}

fn initialize(call: &Call) -> Result<Value, RpcError> {
    if call.params["protocolVersion"].as_str().is_none() {
        return Err(RpcError::invalid("`protocolVersion` is missing"));
    }
    // The conversation has agreed on a version when it took the request in.
    Ok(json!({
        "protocolVersion": call.protocol.as_str(),
        "capabilities": capabilities(),
        "serverInfo": server_info(),
        "instructions": INSTRUCTIONS,
    }))
}

fn discover() -> Value {
    json!({
        "supportedVersions": Protocol::ALL.map(Protocol::as_str),
        "capabilities": capabilities(),
        "instructions": INSTRUCTIONS,
        "_meta": {"io.modelcontextprotocol/serverInfo": server_info()},
    })
}

fn capabilities() -> Value {
    json!({"tools": {}, "resources": {}, "prompts": {}, "completions": {}})
}

fn server_info() -> Value {
    json!({
        "name": "resultant-demo",
        "title": "Resultant demo shop",
        "version": env!("CARGO_PKG_VERSION"),
    })
}
