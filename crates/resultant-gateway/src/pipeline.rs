//! A tool call from the request to the result, top to bottom, whoever calls.
//!
//! ```text
//! request → tool found → arguments prepared → server called
//!   bytes → read → artifacts kept → written for the audience → counted
//! ```
//!
//! Clients and the command line go the same way. What differs is the audience that a result is
//! written for, and that is known from the start, so that a long result is read, kept and written
//! on one thread without being held in between.

mod write;

use std::{
    io::Read as _,
    sync::Arc,
    time::{Duration, Instant},
};

use bytes::Bytes;
use resultant::{ClientOptions, Json, Limits, Object, Outcome, ReadOptions, Shape};

use self::write::Writer;
pub(crate) use self::write::Written;
pub use self::write::{Audience, Text};
use crate::{
    body::Spool,
    bridge,
    catalog::Tool,
    client::{Exchange, Scope},
    files::FileSink,
    forward::{Answer, Errand, forward},
    gateway::Gateway,
    metrics::Step,
    rpc::{self, RpcError},
    upstream::{Upstream, WireError},
};

/// Short results are read where they arrive; longer ones on a thread that may take its time.
const QUICK_BYTES_MAX: usize = 64 * 1024;
/// How much of a long message is read at once.
const CHUNK_BYTES: usize = 256 * 1024;

/// What a call comes to.
#[derive(Debug)]
pub(crate) enum Called {
    Written(Written),
    /// Not a result yet: a question, or a task. It is none of ours to change.
    Unfinished(Json),
    /// No result came, for this reason.
    Failed(String),
}

/// Calls a tool for whoever is on the other side of the exchange.
pub(crate) async fn call_tool(
    gateway: &Arc<Gateway>,
    exchange: &Exchange,
    params: Option<&Json>,
    audience: Audience,
) -> Result<Called, RpcError> {
    let started = Instant::now();
    let call = find_tool(gateway, exchange, params).await?;
    let found = Instant::now();
    gateway.metrics.step(&call.upstream.name, Step::Find, found - started);
    let Some(_place) = gateway.place_for_call() else {
        let calls_max = gateway.config().limits.calls_in_flight_max;
        let reason = format!("{calls_max} calls are under way already (calls_in_flight_max)");
        return Ok(Called::Failed(reason));
    };
    let answer = call_server(gateway, exchange, &call).await;
    let answered = Instant::now();
    gateway.metrics.step(&call.upstream.name, Step::Call, answered - found);
    let called = match answer {
        Answer::Result { result, message } => match bridge::unfinished(&result) {
            Some(_) => {
                gateway.routes.note_task(&call.upstream.name, &result);
                Ok(Called::Unfinished(result))
            }
            None => {
                Ok(normalize(gateway, exchange, &call, Source::Message(message), audience).await)
            }
        },
        Answer::Spooled(spool) => {
            Ok(normalize(gateway, exchange, &call, Source::Spool(spool), audience).await)
        }
        Answer::Error(error) => {
            Err(bridge::error_for(exchange.client.protocol, "tools/call", error))
        }
        Answer::Failed(error) => Ok(Called::Failed(reason_of(&error, &call))),
        Answer::TimedOut(after) => Ok(Called::Failed(late(&call, after))),
    };
    let called = called.map(|called| called.with_routes(gateway, exchange, &call));
    record(gateway, exchange, &call, &called, [started, answered, Instant::now()]);
    called
}

impl Called {
    /// The URIs in a result lead back to its server.
    fn with_routes(self, gateway: &Gateway, exchange: &Exchange, call: &ToolCall) -> Called {
        match self {
            Called::Written(Written { text: Text::Json(json), is_error, notes, files })
                if exchange.client.scope == Scope::All =>
            {
                let json = gateway.routes.in_result(&call.upstream.name, json);
                Called::Written(Written { text: Text::Json(json), is_error, notes, files })
            }
            called => called,
        }
    }

    /// The `CallToolResult` for an MCP client: also what failed is one.
    pub(crate) fn for_client(self, exchange: &Exchange) -> Json {
        match self {
            Called::Written(Written { text: Text::Json(json), .. }) | Called::Unfinished(json) => {
                json
            }
            Called::Written(Written { text: Text::Exact(text), .. }) => Json::string(&text),
            Called::Failed(reason) => error_result(exchange, &reason),
        }
    }
}

/// A call whose tool is known.
pub(crate) struct ToolCall {
    pub(crate) upstream: Arc<Upstream>,
    /// The tool's name on its server.
    pub(crate) name: String,
    /// Its definition, where it is listed.
    pub(crate) tool: Option<Arc<Tool>>,
    params: Json,
}

async fn find_tool(
    gateway: &Arc<Gateway>,
    exchange: &Exchange,
    params: Option<&Json>,
) -> Result<ToolCall, RpcError> {
    let name = params.and_then(|params| params.get("name"));
    let name = name.as_ref().and_then(Json::as_str).filter(|name| !name.is_empty());
    let (Some(params), Some(name)) = (params, name) else {
        return Err(RpcError::new(rpc::INVALID_PARAMS, "tools/call needs the name of a tool"));
    };
    let (upstream, name, tool) = gateway.find_tool(&exchange.client, &name).await?;
    Ok(ToolCall { upstream, name, tool, params: params.clone() })
}

async fn call_server(gateway: &Arc<Gateway>, exchange: &Exchange, call: &ToolCall) -> Answer {
    let link = match call.upstream.link(&exchange.client).await {
        Ok(link) => link,
        Err(error) => return Answer::Failed(WireError::Unreachable(error.to_string())),
    };
    let errand = Errand {
        method: "tools/call".to_owned(),
        params: Some(call.params.clone()),
        edits: vec![("name", Some(Json::string(&call.name)))],
        headers: headers_of(call),
        timeout: call.upstream.config.call_timeout,
        heartbeat: gateway.config().timeouts.heartbeat,
    };
    forward(&gateway.parked, exchange, &link, &errand).await
}

fn headers_of(call: &ToolCall) -> Vec<(String, String)> {
    let arguments = call.params.get("arguments");
    let mut headers = vec![("Mcp-Name".to_owned(), crate::catalog::header_value(&call.name))];
    let params = call.tool.iter().flat_map(|tool| &tool.header_params);
    for param in params {
        if let Some(value) = arguments.as_ref().and_then(|arguments| param.value(arguments)) {
            let header = format!("Mcp-Param-{}", param.header);
            headers.push((header, crate::catalog::header_value(&value)));
        }
    }
    headers
}

/// Where the bytes of a result are.
enum Source {
    Message(Bytes),
    Spool(Spool),
}

/// Reads a result, keeps its files and writes it for the audience.
async fn normalize(
    gateway: &Arc<Gateway>,
    exchange: &Exchange,
    call: &ToolCall,
    source: Source,
    audience: Audience,
) -> Called {
    let options = read_options(gateway, call);
    let writer = Writer {
        audience,
        client: client_options(gateway, exchange, call, audience),
        server: call.upstream.name.clone(),
        tool: call.name.clone(),
    };
    let blocks_max = gateway.config().limits.blocks_max;
    let started = Instant::now();
    match source {
        Source::Message(message) if message.len() <= QUICK_BYTES_MAX => {
            gateway.metrics.bytes_in(message.len() as u64);
            let outcome = options.read(message);
            gateway.metrics.step(&call.upstream.name, Step::Read, started.elapsed());
            if outcome.carried.block_count > blocks_max {
                return too_many_blocks(&outcome, blocks_max);
            }
            // Only what has files waits for the disk.
            let is_quick = outcome.artifacts.is_empty();
            let write = || writer.keep_and_write(gateway, outcome, gateway.files.sink());
            Called::Written(if is_quick { write() } else { tokio::task::block_in_place(write) })
        }
        source => {
            let permit = gateway.large.clone().acquire_owned().await;
            let gateway = gateway.clone();
            let work = move || {
                let _permit = permit;
                let mut sink = gateway.files.sink();
                let outcome = match source {
                    Source::Message(message) => {
                        gateway.metrics.bytes_in(message.len() as u64);
                        options.read(message)
                    }
                    Source::Spool(spool) => {
                        gateway.metrics.bytes_in(spool.len());
                        read_spool(&options, &spool, &mut sink)
                    }
                };
                gateway.metrics.step(&writer.server, Step::Read, started.elapsed());
                match outcome.carried.block_count > blocks_max {
                    true => too_many_blocks(&outcome, blocks_max),
                    false => Called::Written(writer.keep_and_write(&gateway, outcome, sink)),
                }
            };
            match tokio::task::spawn_blocking(work).await {
                Ok(called) => called,
                Err(error) => {
                    tracing::error!(%error, "reading a result failed");
                    Called::Failed("the gateway failed to read the result".to_owned())
                }
            }
        }
    }
}

fn too_many_blocks(outcome: &Outcome, blocks_max: usize) -> Called {
    let count = outcome.carried.block_count;
    Called::Failed(format!(
        "the result has {count} content blocks, more than {blocks_max} (blocks_max); ask for less"
    ))
}

fn read_options(gateway: &Gateway, call: &ToolCall) -> ReadOptions {
    let limits = &gateway.config().limits;
    let peer = call.upstream.any_link().and_then(|link| link.peer().map(|peer| peer.protocol));
    ReadOptions {
        limits: Limits {
            depth_max: limits.depth_max,
            string_bytes_max: limits.string_bytes_max,
            ..Limits::default()
        },
        server: peer,
        schema: call.tool.as_ref().and_then(|tool| tool.schema.clone()),
        schema_policy: call.upstream.config.schema_policy,
    }
}

fn client_options(
    gateway: &Gateway,
    exchange: &Exchange,
    call: &ToolCall,
    audience: Audience,
) -> ClientOptions {
    let client = &exchange.client;
    let shape = match call.upstream.config.shape {
        Shape::Mcp if client.asks_envelope() => Shape::Envelope,
        shape => shape,
    };
    ClientOptions {
        protocol: match audience {
            Audience::Client(protocol) => protocol,
            _ => client.protocol,
        },
        shape,
        budget: gateway.config().budget,
        takes_links: false,
        takes_unknown_blocks: false,
        keeps_small_blocks: true,
        is_advertised: call.tool.as_ref().is_some_and(|tool| tool.schema.is_some()),
    }
}

fn read_spool(options: &ReadOptions, spool: &Spool, sink: &mut FileSink) -> Outcome {
    read_chunks(options, spool, sink).unwrap_or_else(|error| {
        let message = format!("the result came but could not be read back: {error}");
        let mut result = Object::default();
        result.set("isError", Json::bool(true));
        let mut block = Object::default();
        block.set("type", Json::string("text"));
        block.set("text", Json::string(&message));
        result.set("content", Json::array([&block.to_json()]));
        options.read(&result.to_json())
    })
}

fn read_chunks(
    options: &ReadOptions,
    spool: &Spool,
    sink: &mut FileSink,
) -> std::io::Result<Outcome> {
    let mut file = spool.open()?;
    let mut reader = options.reader(sink);
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        match file.read(&mut chunk)? {
            0 => return Ok(reader.finish()),
            len => reader.feed(&chunk[..len]),
        }
    }
}

fn late(call: &ToolCall, after: Duration) -> String {
    let server = &call.upstream.name;
    let seconds = after.as_secs_f64();
    format!(
        "the server `{server}` did not answer within {seconds} seconds (call_seconds); \
         whether it did the work is not known"
    )
}

fn reason_of(error: &WireError, call: &ToolCall) -> String {
    let server = &call.upstream.name;
    match error {
        WireError::Unreachable(reason) => format!(
            "the server `{server}` is not available: {reason}; nothing was sent; \
             `resultant doctor` says more"
        ),
        WireError::Broken(reason) => format!(
            "the connection to `{server}` broke during the call: {reason}; whether it did the \
             work is not known, so the call was not repeated"
        ),
        WireError::Limit { .. } => {
            format!("the result of `{server}` is over a limit: {error}; ask for less of it")
        }
        WireError::Unauthorized(reason) => format!(
            "the server `{server}` wants to know who is asking: {reason}; \
             try `resultant login {server}`, or `resultant login --url URL` where it is behind \
             `resultant proxy`"
        ),
        WireError::SessionGone | WireError::Status { .. } => {
            format!("the server `{server}` refused the call: {error}")
        }
    }
}

/// A result that says that the tool failed.
pub(crate) fn error_result(exchange: &Exchange, message: &str) -> Json {
    let mut block = Object::default();
    block.set("type", Json::string("text"));
    block.set("text", Json::string(message));
    let mut result = Object::default();
    if exchange.client.is_modern() {
        result.set("resultType", Json::string("complete"));
    }
    result.set("content", Json::array([&block.to_json()]));
    result.set("isError", Json::bool(true));
    result.to_json()
}

/// The steps of a call for the log and the metrics.
fn record(
    gateway: &Gateway,
    exchange: &Exchange,
    call: &ToolCall,
    called: &Result<Called, RpcError>,
    [started, answered, written]: [Instant; 3],
) {
    let (is_error, bytes_out) = match called {
        Ok(Called::Written(written)) => {
            let text = match &written.text {
                Text::Json(json) => json.as_text(),
                Text::Exact(text) => text,
            };
            (written.is_error, text.len() as u64)
        }
        Ok(Called::Unfinished(json)) => (false, json.as_text().len() as u64),
        Ok(Called::Failed(reason)) => {
            gateway.metrics.failed();
            tracing::warn!(
                server = &*call.upstream.name,
                tool = call.name,
                reason,
                "a call failed"
            );
            (true, 0)
        }
        Err(_) => (true, 0),
    };
    let server_time = answered - started;
    let own_time = written - answered;
    gateway.metrics.called(&call.upstream.name, is_error, bytes_out);
    let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    tracing::debug!(
        server = &*call.upstream.name,
        tool = call.name,
        client = exchange.client.name(),
        protocol = %exchange.client.protocol,
        is_error,
        bytes_out,
        server_us = micros(server_time),
        own_us = micros(own_time),
        "called"
    );
}
