//! A tool call from the request to the result, top to bottom, whoever calls.
//!
//! ```text
//! request → tool found → arguments prepared → server called
//!   bytes → read → artifacts kept → written for the audience → counted, recorded
//! ```
//!
//! Clients and the command line go the same way. What differs is the audience that a result is
//! written for, and that is known from the start, so that a long result is read, kept and written
//! on one thread without being held in between.

mod account;
pub(crate) mod again;
mod own;
mod seen;
mod write;

use std::{
    io::Read as _,
    sync::Arc,
    time::{Duration, Instant},
};

use bytes::Bytes;
use resultant::{
    ClientOptions, Json, Limits, More, Note, Object, Outcome, ReadOptions, Schema, Shape,
};
use resultant_store::{Ending, Id};

pub(crate) use self::account::ProgressEvents;
pub(crate) use self::write::Written;
pub use self::write::{Audience, Text};
use self::{
    account::{Account, Answered, Closing},
    write::Writer,
};
use crate::{
    arguments::{self, Prepared, Preparing, Refused, Scrubber},
    body::Spool,
    bridge,
    catalog::Tool,
    clean,
    client::{Client, Exchange, Scope},
    files::FileSink,
    forward::{Answer, Errand, forward},
    gateway::Gateway,
    metrics::Step,
    retrieval::Naming,
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
    if let Some(own) = own::find(gateway, exchange, params).await {
        let called = own::call(gateway, exchange, own, audience).await;
        return Ok(called.cleaned(gateway, None, audience));
    }
    let call = find_tool(gateway, exchange, params).await?;
    let found = Instant::now();
    gateway.metrics.step(&call.upstream.name, Step::Find, found - started);
    let target = (&*call.upstream.name, call.name.as_str());
    let mut account = Account::open(gateway, exchange, target, call.arguments()).await;
    let Some(_place) = gateway.place_for_call() else {
        let calls_max = gateway.config().limits.calls_in_flight_max;
        let reason = format!("{calls_max} calls are under way already (calls_in_flight_max)");
        refuse(gateway, account, &call.upstream.name, &reason).await;
        return Ok(Called::Failed(reason));
    };
    let prepared = match prepare(gateway, exchange, &call).await {
        Ok(prepared) => prepared,
        Err(refused) => {
            let reason = refused.to_string();
            refuse(gateway, account, &call.upstream.name, &reason).await;
            return Ok(Called::Failed(reason));
        }
    };
    if !prepared.handed.is_empty() {
        account.handed(prepared.handed_json());
    }
    let Prepared { arguments, notes, minted, .. } = prepared;
    let scrubber = Scrubber::new(minted);
    let answer = call_server(gateway, exchange, &call, arguments).await;
    let answered = Instant::now();
    gateway.metrics.step(&call.upstream.name, Step::Call, answered - found);
    let called = match answer {
        Answer::Result { result, message } => match bridge::unfinished(&result) {
            Some(_) => {
                gateway.routes.note_task(&call.upstream.name, &result);
                Ok(Called::Unfinished(scrubber.json(result)))
            }
            None => {
                let source = Source::Message(scrubber.message(message));
                let context = Context { audience, notes, scrubber };
                Ok(normalize(gateway, exchange, &call, source, context, &mut account).await)
            }
        },
        Answer::Spooled(spool) => {
            let source = Source::Spool(spool);
            let context = Context { audience, notes, scrubber };
            Ok(normalize(gateway, exchange, &call, source, context, &mut account).await)
        }
        Answer::Error(error) => {
            let message = scrubber.text(&error.message).into_owned();
            let error = RpcError { message, json: scrubber.json(error.json), ..error };
            Err(bridge::error_for(exchange.client.protocol, "tools/call", error))
        }
        Answer::Failed(error) => {
            Ok(Called::Failed(scrubber.text(&reason_of(&error, &call)).into_owned()))
        }
        Answer::TimedOut(after) => Ok(Called::Failed(late(&call, after))),
    };
    let called = called
        .map(|called| {
            called.with_routes(gateway, exchange, &call).cleaned(gateway, call.schema(), audience)
        })
        .map_err(|error| clean_error(gateway, error));
    count(gateway, exchange, &call, &called, [started, answered, Instant::now()]);
    close(gateway, account, &call.upstream.name, &called).await;
    called
}

/// The end of a call that is not made.
async fn refuse(gateway: &Gateway, account: Account, server: &str, reason: &str) {
    gateway.metrics.called(server, true, 0);
    let tokens = account.close(Closing::without_result(Ending::Refused, reason)).await;
    gateway.metrics.tokens(server, tokens.received, tokens.given);
}

impl Called {
    /// The URIs in a result lead back to its server.
    fn with_routes(self, gateway: &Gateway, exchange: &Exchange, call: &ToolCall) -> Called {
        match self {
            Called::Written(mut written) if exchange.client.scope == Scope::All => {
                if let Text::Json(json) = written.text {
                    let json = gateway.routes.in_result(&call.upstream.name, json);
                    written.text = Text::Json(json);
                }
                Called::Written(written)
            }
            called => called,
        }
    }

    /// What the model gets of it, without what it is not to have.
    fn cleaned(self, gateway: &Gateway, schema: Option<&Schema>, audience: Audience) -> Called {
        let config = gateway.config();
        let clean = |text: String| clean::text(&config, &text).into_owned();
        match self {
            Called::Written(mut written) => {
                written.text = match written.text {
                    Text::Json(json) if matches!(audience, Audience::Client(_)) => {
                        Text::Json(clean::result(&config, json, schema))
                    }
                    Text::Exact(text) => Text::Exact(clean(text)),
                    Text::Whole { contract, model, is_complete } => {
                        Text::Whole { contract, model: clean(model), is_complete }
                    }
                    text => text,
                };
                Called::Written(written)
            }
            Called::Failed(reason) => Called::Failed(clean(reason)),
            called => called,
        }
    }

    /// The `CallToolResult` for an MCP client: also what failed is one.
    pub(crate) fn for_client(self, exchange: &Exchange) -> Json {
        match self {
            Called::Written(Written { text: Text::Json(json), .. }) | Called::Unfinished(json) => {
                json
            }
            Called::Written(Written { text: Text::Whole { contract, .. }, .. }) => contract,
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

impl ToolCall {
    /// The schema of its results, where it has one.
    fn schema(&self) -> Option<&Schema> {
        self.tool.as_ref().and_then(|tool| tool.schema.as_ref())
    }

    /// The arguments as the client wrote them.
    pub(crate) fn arguments(&self) -> Option<Json> {
        self.params.get("arguments")
    }
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

/// The arguments as the tool is to get them.
async fn prepare(
    gateway: &Gateway,
    exchange: &Exchange,
    call: &ToolCall,
) -> Result<Prepared, Refused> {
    let config = gateway.config();
    let preparing = Preparing {
        store: &gateway.store,
        caller: &exchange.client.caller,
        users_authenticate: gateway.auth().config().has_users(),
        public_url: &gateway.public_url(),
        server: &call.upstream.config,
        handover_bytes_max: config.limits.handover_bytes_max,
        asking: gateway.asking(&config, &exchange.client.caller),
    };
    let input = call.tool.as_ref().map(|tool| &tool.input);
    arguments::prepare(&preparing, input, call.arguments().as_ref()).await
}

/// Calls the server; with other arguments than the client's where there are some.
async fn call_server(
    gateway: &Arc<Gateway>,
    exchange: &Exchange,
    call: &ToolCall,
    arguments: Option<Json>,
) -> Answer {
    let link = match call.upstream.link(&exchange.client).await {
        Ok(link) => link,
        Err(error) => return Answer::Failed(WireError::Unreachable(error.to_string())),
    };
    let headers = headers_of(call, arguments.as_ref());
    let mut edits = vec![("name", Some(Json::string(&call.name)))];
    if let Some(arguments) = arguments {
        edits.push(("arguments", Some(arguments)));
    }
    let errand = Errand {
        method: "tools/call".to_owned(),
        params: Some(call.params.clone()),
        edits,
        headers,
        timeout: call.upstream.config.call_timeout,
        heartbeat: gateway.config().timeouts.heartbeat,
        progress: Some(Arc::new(ProgressEvents::new(gateway, exchange))),
    };
    forward(&gateway.parked, exchange, &link, &errand).await
}

fn headers_of(call: &ToolCall, prepared: Option<&Json>) -> Vec<(String, String)> {
    let arguments = prepared.cloned().or_else(|| call.arguments());
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

/// What a result is read and written with, beside what everybody's is.
struct Context {
    audience: Audience,
    /// What was odd about the arguments.
    notes: Vec<Note>,
    scrubber: Scrubber,
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
    context: Context,
    account: &mut Account,
) -> Called {
    let Context { audience, notes, scrubber } = context;
    let options = read_options(gateway, exchange, call);
    let writer = Writer {
        audience,
        client: client_options(gateway, exchange, call, audience),
        caller: exchange.client.caller.clone(),
        call: exchange.call,
        server: call.upstream.name.clone(),
        tool: call.name.clone(),
    };
    let keeps_raw = gateway.config().store.keeps_raw;
    let blocks_max = gateway.config().limits.blocks_max;
    let started = Instant::now();
    match source {
        Source::Message(message) if message.len() <= QUICK_BYTES_MAX => {
            gateway.metrics.bytes_in(message.len() as u64);
            account.answered(Answered::short(&message, account.sees(), keeps_raw));
            let message_len = message.len();
            let mut outcome = options.read(message);
            outcome.notes.extend(notes);
            gateway.metrics.step(&call.upstream.name, Step::Read, started.elapsed());
            if outcome.carried.block_count > blocks_max {
                return too_many_blocks(&outcome, blocks_max);
            }
            // Only what has files waits for the disk, and what is short enough has none: no text
            // has more tokens than bytes.
            let budget = writer.client.budget;
            let is_small = message_len <= budget.bytes.min(budget.tokens);
            let is_quick = outcome.artifacts.is_empty() && is_small;
            let sink = FileSink::new(&gateway.store);
            let write = || writer.keep_and_write(gateway, outcome, sink);
            Called::Written(if is_quick { write() } else { tokio::task::block_in_place(write) })
        }
        source => {
            let permit = gateway.large.clone().acquire_owned().await;
            let gateway = gateway.clone();
            let sees = account.sees();
            let work = move || {
                let _permit = permit;
                let mut sink = FileSink::new(&gateway.store);
                let owner = writer.caller.owner();
                let (answered, mut outcome) = match source {
                    Source::Message(message) => {
                        gateway.metrics.bytes_in(message.len() as u64);
                        let answered =
                            Answered::long(&gateway.store, owner, &message, sees, keeps_raw);
                        (answered, options.read(message))
                    }
                    Source::Spool(spool) => {
                        gateway.metrics.bytes_in(spool.len());
                        let store = &gateway.store;
                        let read = || read_spool(&options, &spool, &scrubber, &mut sink);
                        let parts = (&spool, &scrubber);
                        Answered::of_spool(store, owner, parts, sees, keeps_raw, read)
                    }
                };
                outcome.notes.extend(notes);
                gateway.metrics.step(&writer.server, Step::Read, started.elapsed());
                let called = match outcome.carried.block_count > blocks_max {
                    true => too_many_blocks(&outcome, blocks_max),
                    false => Called::Written(writer.keep_and_write(&gateway, outcome, sink)),
                };
                (called, answered)
            };
            match tokio::task::spawn_blocking(work).await {
                Ok((called, answered)) => {
                    account.answered(answered);
                    called
                }
                Err(error) => {
                    tracing::error!(%error, "reading a result failed");
                    Called::Failed("the gateway failed to read the result".to_owned())
                }
            }
        }
    }
}

/// A server's error without what the model is not to have.
fn clean_error(gateway: &Gateway, error: RpcError) -> RpcError {
    let config = gateway.config();
    RpcError {
        message: clean::text(&config, &error.message).into_owned(),
        json: clean::value(&config, error.json),
        ..error
    }
}

fn too_many_blocks(outcome: &Outcome, blocks_max: usize) -> Called {
    let count = outcome.carried.block_count;
    Called::Failed(format!(
        "the result has {count} content blocks, more than {blocks_max} (blocks_max); ask for less"
    ))
}

/// What the names of files that we make for a call end with, so that a name means one file of a
/// session for ever: letters and digits that are not taken for one another.
fn name_suffix(call: Id) -> String {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let bytes = call.to_bytes();
    bytes[..6].iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect()
}

fn read_options(gateway: &Gateway, exchange: &Exchange, call: &ToolCall) -> ReadOptions {
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
        suffix: Some(name_suffix(exchange.call)),
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
    let config = gateway.config();
    let options = ClientOptions {
        protocol: match audience {
            Audience::Client(protocol) => protocol,
            _ => client.protocol,
        },
        shape,
        budget: resultant::Budget {
            more: more(gateway, client),
            ..call.upstream.config.budgets.of(&call.name, config.budget)
        },
        keeps_small_blocks: true,
        is_advertised: call.tool.as_ref().is_some_and(|tool| tool.schema.is_some()),
        ..ClientOptions::default()
    };
    config.clients.profile(&client.name()).apply(options)
}

/// How the model of this client gets more of what it was not shown.
fn more(gateway: &Gateway, client: &Client) -> More {
    gateway.known_own_names(client).map_or(More::None, Naming::more)
}

fn read_spool(
    options: &ReadOptions,
    spool: &Spool,
    scrubber: &Scrubber,
    sink: &mut FileSink,
) -> Outcome {
    read_chunks(options, spool, scrubber, sink).unwrap_or_else(|error| {
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
    scrubber: &Scrubber,
    sink: &mut FileSink,
) -> std::io::Result<Outcome> {
    let mut file = scrubber.reader(spool.open()?);
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

/// Tells listeners of the files, and closes the account.
async fn close(
    gateway: &Gateway,
    account: Account,
    server: &str,
    called: &Result<Called, RpcError>,
) {
    let mut is_told = false;
    let closing = match called {
        Ok(Called::Unfinished(_)) => return account.forget(),
        Ok(Called::Failed(reason)) => Closing::without_result(Ending::Failed, reason),
        Err(error) => Closing::without_result(Ending::Failed, &error.message),
        Ok(Called::Written(written)) => {
            let (display, canvas) = (written.display.as_ref(), written.canvas.as_ref());
            account.shown(&written.files, display, canvas).await;
            is_told = !written.files.is_empty();
            Closing {
                ending: if written.is_error { Ending::ToolError } else { Ending::Ok },
                message: None,
                text: Some(&written.text),
                notes: &written.notes,
                files: &written.files,
            }
        }
    };
    let tokens = account.close(closing).await;
    gateway.metrics.tokens(server, tokens.received, tokens.given);
    if is_told {
        // Who is given files can count on their listeners being told; the disk was waited for
        // already.
        gateway.settle().await;
    }
}

/// The steps of a call for the log and the metrics.
fn count(
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
                Text::Exact(text) | Text::Whole { model: text, .. } => text,
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
