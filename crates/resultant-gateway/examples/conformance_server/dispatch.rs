//! From a message to its answer, as a server of the era gives it.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;

use crate::{
    asking::{Call, Dialect, META_CAPABILITIES, META_VERSION},
    message::{
        self, Failure, Halt, INVALID_PARAMS, Incoming, METHOD_NOT_FOUND, Object,
        UNSUPPORTED_VERSION, notification,
    },
    outlet::Outlet,
    prompts, resources,
    server::{Change, Era, LEGACY, MODERN, Server},
    session::{Session, urgency},
    tools,
};

const META_SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";
const META_SERVER: &str = "io.modelcontextprotocol/serverInfo";

/// How long a modern client may keep a list.
const LIST_TTL_MS: u32 = 1_000;

/// Takes one message in. The answer to a request, and all that comes before it, goes to `out`.
pub(crate) fn receive(server: &Arc<Server>, session: &Arc<Session>, message: Value, out: Outlet) {
    match Incoming::read(message) {
        Ok(Incoming::Request { id, method, params }) => {
            let (server, owner) = (Arc::clone(server), Arc::clone(session));
            let answered = id.clone();
            let task = tokio::spawn(async move {
                let answer = answer(&server, &owner, answered, &method, params, &out).await;
                out.send(answer);
            });
            session.started(&id, task.abort_handle());
        }
        Ok(Incoming::Notification { method, params }) => {
            if method == "notifications/cancelled"
                && let Some(id) = params.get("requestId")
            {
                session.cancel(id);
            }
        }
        Ok(Incoming::Response { id, outcome }) => session.resolve(&id, outcome),
        Err(failure) => out.send(failure.answer(&Value::Null)),
    }
}

/// The answer to one request.
pub(crate) async fn answer(
    server: &Arc<Server>,
    session: &Arc<Session>,
    id: Value,
    method: &str,
    params: Object,
    out: &Outlet,
) -> Value {
    let dialect = dialect(server.era, method, &params);
    let (server, session, out) = (Arc::clone(server), Arc::clone(session), out.clone());
    let call = Call { server, session, out, dialect, id: id.clone(), params };
    let ended = match dialect {
        Dialect::Legacy => legacy(&call, method).await,
        Dialect::Modern => match check_meta(&call, method) {
            Ok(()) => modern(&call, method).await,
            Err(failure) => Err(failure.into()),
        },
    };
    match ended {
        Ok(result) | Err(Halt::InputRequired(result)) => message::result(&id, &result),
        Err(Halt::Error(failure)) => failure.answer(&id),
    }
}

fn dialect(era: Era, method: &str, params: &Object) -> Dialect {
    let says_so = || params.get("_meta").is_some_and(|meta| meta.get(META_VERSION).is_some());
    match era {
        Era::Legacy => Dialect::Legacy,
        Era::Modern => Dialect::Modern,
        Era::Both if says_so() || method == "server/discover" => Dialect::Modern,
        Era::Both => Dialect::Legacy,
    }
}

/// Every modern request says what it is and what its client can do.
fn check_meta(call: &Call, method: &str) -> Result<(), Failure> {
    let unsupported = |requested: &Value| {
        let data = json!({ "supported": call.server.era.versions(), "requested": requested });
        Failure::with(UNSUPPORTED_VERSION, "unsupported protocol version", data)
    };
    let meta = call.params.get("_meta");
    let version = meta.and_then(|meta| meta.get(META_VERSION));
    let capabilities = meta.and_then(|meta| meta.get(META_CAPABILITIES));
    match (version, capabilities) {
        // Somebody from before tries to begin. That client can read a list of versions.
        (None, _) if method == "initialize" => {
            Err(unsupported(call.params.get("protocolVersion").unwrap_or(&Value::Null)))
        }
        (Some(Value::String(version)), Some(Value::Object(_))) if version == MODERN => Ok(()),
        (Some(Value::String(version)), _) if version != MODERN => Err(unsupported(&json!(version))),
        _ => {
            let message = format!("_meta needs {META_VERSION} and {META_CAPABILITIES}");
            Err(Failure::new(INVALID_PARAMS, message))
        }
    }
}

async fn legacy(call: &Call, method: &str) -> Result<Value, Halt> {
    match method {
        "initialize" => Ok(initialize(call)),
        "ping" => Ok(json!({})),
        "logging/setLevel" => {
            let level = call.text("level")?;
            if urgency(level).is_none() {
                return Err(Failure::new(INVALID_PARAMS, "unknown level").into());
            }
            call.session.set_level(level.to_owned());
            Ok(json!({}))
        }
        "resources/subscribe" => {
            call.session.watch(call.text("uri")?.to_owned());
            Ok(json!({}))
        }
        "resources/unsubscribe" => {
            call.session.unwatch(call.text("uri")?);
            Ok(json!({}))
        }
        _ => shared(call, method).await,
    }
}

async fn modern(call: &Call, method: &str) -> Result<Value, Halt> {
    let mut result = match method {
        "server/discover" => json!({
            "supportedVersions": call.server.era.versions(),
            "capabilities": capabilities(),
            "_meta": { META_SERVER: implementation() },
        }),
        "subscriptions/listen" => return listen(call).await,
        _ => shared(call, method).await?,
    };
    result["resultType"] = "complete".into();
    if method == "resources/read" {
        result["ttlMs"] = 0.into();
        result["cacheScope"] = "private".into();
    } else if method == "server/discover" || method.ends_with("/list") {
        result["ttlMs"] = LIST_TTL_MS.into();
        result["cacheScope"] = "public".into();
    }
    Ok(result)
}

async fn shared(call: &Call, method: &str) -> Result<Value, Halt> {
    match method {
        "tools/list" => Ok(tools::list(&call.server)),
        "tools/call" => tools::call(call).await,
        "resources/list" => Ok(resources::list()),
        "resources/templates/list" => Ok(resources::templates()),
        "resources/read" => resources::read(call),
        "prompts/list" => Ok(prompts::list(&call.server)),
        "prompts/get" => prompts::get(call).await,
        "completion/complete" => Ok(complete(call)),
        _ => Err(Failure::new(METHOD_NOT_FOUND, "Method not found").into()),
    }
}

fn initialize(call: &Call) -> Value {
    let requested = call.params.get("protocolVersion").and_then(Value::as_str);
    let version =
        requested.filter(|version| LEGACY.contains(version)).unwrap_or(LEGACY[0]).to_owned();
    let declared = call.params.get("capabilities").and_then(Value::as_object);
    call.session.begin(&version, declared.cloned().unwrap_or_default());
    let mut capabilities = capabilities();
    capabilities["logging"] = json!({});
    json!({
        "protocolVersion": version,
        "capabilities": capabilities,
        "serverInfo": implementation(),
    })
}

fn capabilities() -> Value {
    json!({
        "tools": { "listChanged": true },
        "prompts": { "listChanged": true },
        "resources": { "subscribe": true },
        "completions": {},
    })
}

fn implementation() -> Value {
    json!({ "name": "resultant-conformance-server", "version": env!("CARGO_PKG_VERSION") })
}

fn complete(call: &Call) -> Value {
    let typed = call.params.get("argument").and_then(|argument| argument["value"].as_str());
    let typed = typed.unwrap_or_default();
    let values: Vec<&str> = ["paris", "park", "party", "test"]
        .into_iter()
        .filter(|word| word.starts_with(typed))
        .collect();
    json!({ "completion": { "values": values, "total": values.len(), "hasMore": false } })
}

/// Tells what was asked for until the client hangs up.
async fn listen(call: &Call) -> Result<Value, Halt> {
    let mut changes = call.server.changes.subscribe();
    let Some(Value::Object(wanted)) = call.params.get("notifications") else {
        return Err(Failure::new(INVALID_PARAMS, "'notifications' is missing").into());
    };
    let wants = |name: &str| wanted.get(name) == Some(&Value::Bool(true));
    let watched = wanted.get("resourceSubscriptions").and_then(Value::as_array);
    let tell = |method: &str, mut params: Value| {
        params["_meta"] = json!({ META_SUBSCRIPTION: call.id });
        call.out.send(notification(method, &params));
    };
    let honoured: Object = wanted
        .iter()
        .filter(|(name, _)| *name != "resourcesListChanged")
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    tell("notifications/subscriptions/acknowledged", json!({ "notifications": honoured }));
    loop {
        match changes.recv().await {
            Ok(Change::Tools) if wants("toolsListChanged") => {
                tell("notifications/tools/list_changed", json!({}));
            }
            Ok(Change::Prompts) if wants("promptsListChanged") => {
                tell("notifications/prompts/list_changed", json!({}));
            }
            Ok(Change::Resource(uri))
                if watched.is_some_and(|watched| watched.contains(&json!(uri))) =>
            {
                tell("notifications/resources/updated", json!({ "uri": uri }));
            }
            Ok(_) | Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => {
                return Ok(json!({
                    "resultType": "complete",
                    "_meta": { META_SUBSCRIPTION: call.id },
                }));
            }
        }
    }
}
