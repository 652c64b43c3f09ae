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
mod read;
mod seen;
mod write;

use std::{
    sync::{Arc, Weak},
    time::{Duration, Instant},
};

use resultant::{Json, Object, Schema};
use resultant_store::Ending;

pub(crate) use self::account::ProgressEvents;
pub(crate) use self::seen::Seen;
pub(crate) use self::write::Written;
pub use self::write::{Audience, Text};
use self::{
    account::{Account, Closing},
    read::{Early, Read, Reading, Source},
};
use crate::{
    arguments::{self, Prepared, Preparing, Refused, Scrubber},
    bridge,
    catalog::Tool,
    clean,
    client::{Exchange, Scope},
    forward::{Answer, Errand, forward},
    gateway::Gateway,
    host_canvas,
    metrics::Step,
    rpc::{self, RpcError},
    upstream::{Link, TakesAnswer, Upstream, WireError},
};

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
    let made = (notes, scrubber.clone());
    let link = call.upstream.link(&exchange.client).await;
    let reading = Reading::new(gateway, exchange, &call, audience, account.sees(), made);
    let early = Early::new(reading);
    let answer = match link {
        Ok(link) => call_server(gateway, exchange, &call, &link, arguments, &early).await,
        Err(error) => Answer::Failed(WireError::Unreachable(error.to_string())),
    };
    let answered = Instant::now();
    gateway.metrics.step(&call.upstream.name, Step::Call, answered - found);
    let mut record = |(called, answer): Read| {
        answer.into_iter().for_each(|answer| account.answered(answer));
        called
    };
    let called = match answer {
        Answer::Result { result, message } => match bridge::unfinished(&result) {
            Some(_) => {
                gateway.routes.note_task(&call.upstream.name, &result);
                Ok(Called::Unfinished(scrubber.json(result)))
            }
            None => {
                let source = Source::Message(scrubber.message(message));
                Ok(record(early.reading().read(source).await))
            }
        },
        Answer::Spooled(spool) => Ok(record(early.reading().read(Source::Spool(spool)).await)),
        Answer::Taken => Ok(record(early.finish().await)),
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
            let called = called.with_routes(gateway, exchange, &call);
            let called = called.cleaned(gateway, call.schema(), audience);
            called.with_files(gateway, exchange, &call, audience)
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

    /// What our canvas needs to draw a result of this tool in the client's host.
    fn with_files(
        self,
        gateway: &Gateway,
        exchange: &Exchange,
        call: &ToolCall,
        audience: Audience,
    ) -> Called {
        let is_drawn = call.tool.as_ref().is_some_and(|tool| tool.is_drawn())
            && matches!(audience, Audience::Client(_))
            && gateway.shows_canvas(&exchange.client);
        match self {
            Called::Written(mut written) if is_drawn => {
                if let Text::Json(json) = &written.text {
                    let json = host_canvas::with_files(gateway, json, &written.files);
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
    link: &Arc<Link>,
    arguments: Option<Json>,
    early: &Arc<Early>,
) -> Answer {
    let takes: Weak<dyn TakesAnswer> = Arc::downgrade(&(early.clone() as Arc<dyn TakesAnswer>));
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
        takes: Some(takes),
    };
    forward(&gateway.parked, exchange, link, &errand).await
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

/// A server's error without what the model is not to have.
fn clean_error(gateway: &Gateway, error: RpcError) -> RpcError {
    let config = gateway.config();
    RpcError {
        message: clean::text(&config, &error.message).into_owned(),
        json: clean::value(&config, error.json),
        ..error
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
    let mut result = error_object(message);
    if exchange.client.is_modern() {
        result.set("resultType", Json::string("complete"));
    }
    result.to_json()
}

/// The same without what a protocol version adds.
fn error_object(message: &str) -> Object {
    let mut block = Object::default();
    block.set("type", Json::string("text"));
    block.set("text", Json::string(message));
    let mut result = Object::default();
    result.set("content", Json::array([&block.to_json()]));
    result.set("isError", Json::bool(true));
    result
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
        Ok(Called::Written(written)) => (written.is_error, written.text.as_str().len() as u64),
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
