//! Calls of our own tools: accounted for like every other, and answered here.
//!
//! Nothing came from a server, so what the model gets of them is a cost and no saving; an account
//! that says otherwise would count every page twice. An answer is within the budget already and is
//! never put aside again.

use std::{sync::Arc, time::Instant};

use resultant::{Budget, ClientOptions, Json, Object, ReadOptions, Shape};
use resultant_store::{Ending, File};

use super::{
    Called, Text, Written,
    account::{Account, Closing},
    error_result, refuse,
    write::{Audience, Writer},
};
use crate::{
    client::Exchange,
    gateway::Gateway,
    host_canvas,
    metrics::Step,
    retrieval::{self, Answer, Naming, SERVER, Tool},
};

/// A call of one of our tools.
pub(super) struct OwnCall {
    naming: Naming,
    tool: Tool,
    arguments: Option<Json>,
}

/// The tool of ours that is called, if it is one.
pub(super) async fn find(
    gateway: &Arc<Gateway>,
    exchange: &Exchange,
    params: Option<&Json>,
) -> Option<OwnCall> {
    let name = params?.get("name")?;
    let name = name.as_str().filter(|name| retrieval::may_be_ours(name))?;
    let naming = gateway.own_names(&exchange.client).await?;
    let tool = naming.tool(&name)?;
    gateway.offered_tools(&exchange.client)?.contains(&tool).then_some(())?;
    Some(OwnCall { naming, tool, arguments: params?.get("arguments") })
}

/// Calls it.
pub(super) async fn call(
    gateway: &Arc<Gateway>,
    exchange: &Exchange,
    call: OwnCall,
    audience: Audience,
) -> Called {
    let OwnCall { naming, tool, arguments } = call;
    let started = Instant::now();
    let target = (SERVER, tool.name());
    let account = Account::open(gateway, exchange, target, arguments.clone()).await;
    let Some(_place) = gateway.place_for_call() else {
        let calls_max = gateway.config().limits.calls_in_flight_max;
        let reason = format!("{calls_max} calls are under way already (calls_in_flight_max)");
        refuse(gateway, account, SERVER, &reason).await;
        return Called::Failed(reason);
    };
    let answer = retrieval::answer(gateway, exchange, naming, tool, arguments.as_ref()).await;
    gateway.metrics.step(SERVER, Step::Call, started.elapsed());
    let shown: Vec<File> = answer.shown.iter().cloned().collect();
    // A page that is open on the session shows it as well.
    account.shown(&shown, None, None).await;
    let text = match written(exchange, &answer, audience) {
        Text::Json(json) if matches!(audience, Audience::Client(_)) => {
            Text::Json(host_canvas::with_files(gateway, &json, &shown))
        }
        text => text,
    };
    let is_error = answer.error.is_some();
    gateway.metrics.called(SERVER, is_error, text.as_str().len() as u64);
    let ending = if is_error { Ending::ToolError } else { Ending::Ok };
    let closing = Closing { ending, message: None, text: Some(&text), notes: &[], files: &[] };
    let tokens = account.close(closing).await;
    gateway.metrics.tokens(SERVER, tokens.received, tokens.given);
    Called::Written(Written {
        text,
        is_error,
        notes: Vec::new(),
        files: Vec::new(),
        display: None,
        canvas: None,
    })
}

/// An answer for its audience. For an MCP client it is one text block, to the byte.
fn written(exchange: &Exchange, answer: &Answer, audience: Audience) -> Text {
    let asks_envelope = exchange.client.asks_envelope();
    if matches!(audience, Audience::Client(_)) && !asks_envelope {
        let result = error_result(exchange, &answer.text);
        let mut result = Object::of(&result);
        if answer.error.is_none() {
            result.remove("isError");
        }
        return Text::Json(result.to_json());
    }
    // For everybody else an answer is a result like any other, all of it.
    let payload = match &answer.error {
        Some(error) => error.clone(),
        None => format!("{{\"results\":{}}}", answer.text),
    };
    let result = error_result(exchange, &payload);
    let mut result = Object::of(&result);
    result.set("isError", Json::bool(answer.error.is_some()));
    let outcome = ReadOptions::default().read(&result.to_json());
    let client = ClientOptions {
        protocol: match audience {
            Audience::Client(protocol) => protocol,
            _ => exchange.client.protocol,
        },
        shape: if asks_envelope { Shape::Envelope } else { Shape::Mcp },
        budget: Budget { bytes: usize::MAX, tokens: usize::MAX, ..Budget::default() },
        ..ClientOptions::default()
    };
    let writer = Writer {
        audience,
        client,
        caller: exchange.client.caller.clone(),
        call: exchange.call,
        server: SERVER.into(),
        tool: String::new(),
    };
    writer.write(&outcome, &writer.client).0
}
