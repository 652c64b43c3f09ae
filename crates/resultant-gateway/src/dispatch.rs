//! One request of a client, by its method.

mod lists;
pub(crate) mod own_files;
mod resources;
mod subscriptions;

use std::{sync::Arc, time::Duration};

use resultant::{Json, Object, Protocol};

use crate::{
    bridge,
    client::{Client, Exchange, Scope, lock},
    forward::{Answer, Errand, forward},
    gateway::Gateway,
    host_canvas,
    pipeline::{self, Audience},
    reply::{PassedFile, Reply},
    rpc::{self, RpcError},
    upstream::{META_PREFIX, Peer, Upstream, own_info},
};

/// How long a handshake waits for the one server it is about.
const PEER_TIME: Duration = Duration::from_secs(15);

/// Answers a request.
pub(crate) async fn dispatch(
    gateway: &Arc<Gateway>,
    exchange: &Exchange,
    id: &Json,
    method: &str,
    params: Option<&Json>,
) -> Result<Reply, RpcError> {
    let client = &exchange.client;
    let is_modern = client.is_modern();
    let result = match method {
        "tools/call" => {
            let audience = Audience::Client(client.protocol);
            let called = pipeline::call_tool(gateway, exchange, params, audience).await?;
            called.for_client(exchange)
        }
        "tools/list" => lists::tools(gateway, exchange).await?,
        "ping" if !is_modern => Object::default().to_json(),
        "logging/setLevel" if !is_modern => set_level(gateway, exchange, params).await?,
        "resources/subscribe" if !is_modern => {
            subscriptions::subscribe(gateway, exchange, params).await?
        }
        "resources/unsubscribe" if !is_modern => {
            subscriptions::unsubscribe(gateway, exchange, params).await?
        }
        "initialize"
        | "ping"
        | "logging/setLevel"
        | "resources/subscribe"
        | "resources/unsubscribe" => return Err(unknown_method(method)),
        "server/discover" if is_modern => discover(gateway, client).await,
        "subscriptions/listen" if is_modern => {
            subscriptions::listen(gateway, exchange, id, params).await?
        }
        "resources/list" => {
            let list = match &client.scope {
                _ if own_files::is_cursor(params) => Object::default().to_json(),
                Scope::All => lists::merged(gateway, exchange, method).await?,
                Scope::One(name) if !lists::has_resources(gateway, client, name).await => {
                    lists::no_resources()
                }
                Scope::One(_) => match pass(gateway, exchange, method, params).await? {
                    Reply::Json(list) => list,
                    reply => return Ok(reply),
                },
            };
            let list = own_files::add_to(gateway, exchange, params, &list).await;
            match gateway.shows_canvas(client) {
                true => host_canvas::add_to(&list),
                false => list,
            }
        }
        "resources/templates/list" | "prompts/list" if client.scope == Scope::All => {
            lists::merged(gateway, exchange, method).await?
        }
        "resources/read" => return resources::read(gateway, exchange, params).await,
        "prompts/get" | "completion/complete" if client.scope == Scope::All => {
            return resources::routed(gateway, exchange, method, params).await;
        }
        _ => return pass(gateway, exchange, method, params).await,
    };
    Ok(Reply::Json(result_of(client.protocol, method, result)))
}

/// The results of tools are written for the version already.
fn result_of(protocol: Protocol, method: &str, result: Json) -> Json {
    match method {
        "tools/call" => result,
        _ => bridge::result_for(protocol, method, &result),
    }
}

pub(crate) fn unknown_method(method: &str) -> RpcError {
    RpcError::new(rpc::METHOD_NOT_FOUND, format!("unknown method: {method}"))
}

/// A request that is one server's: it goes there as it is.
async fn pass(
    gateway: &Arc<Gateway>,
    exchange: &Exchange,
    method: &str,
    params: Option<&Json>,
) -> Result<Reply, RpcError> {
    let upstream = match &exchange.client.scope {
        Scope::One(name) => gateway.upstream_of(exchange.client.caller.owner(), name),
        Scope::All => {
            let task = params.and_then(|params| params.get("taskId"));
            let task = task.as_ref().and_then(Json::as_str).unwrap_or_default();
            gateway.routes.task(&task).and_then(|server| gateway.upstream(&server))
        }
    };
    let upstream = upstream.ok_or_else(|| unknown_method(method))?;
    send(gateway, exchange, &upstream, method, params, Vec::new()).await
}

/// Sends a request to a server and writes its answer for the client.
async fn send(
    gateway: &Arc<Gateway>,
    exchange: &Exchange,
    upstream: &Arc<Upstream>,
    method: &str,
    params: Option<&Json>,
    edits: Vec<(&'static str, Option<Json>)>,
) -> Result<Reply, RpcError> {
    let client = &exchange.client;
    let link = upstream.link(client).await.map_err(|error| unavailable(upstream, &error))?;
    let server = link.peer().map_or(Protocol::LATEST, |peer| peer.protocol);
    let headers = name_header(method, params, &edits);
    let errand = Errand {
        method: method.to_owned(),
        params: params.cloned(),
        edits,
        headers,
        timeout: upstream.config.call_timeout,
        heartbeat: gateway.config().timeouts.heartbeat,
        progress: None,
        takes: None,
    };
    match forward(&gateway.parked, exchange, &link, &errand).await {
        Answer::Result { result, .. } => {
            Ok(Reply::Json(bridge::result_for(client.protocol, method, &result)))
        }
        Answer::Spooled(spool) => {
            let work = {
                let (method, protocol) = (method.to_owned(), client.protocol);
                move || PassedFile::new(spool, &method, protocol, server)
            };
            let file = tokio::task::spawn_blocking(work).await;
            let lost = || RpcError::new(rpc::INTERNAL_ERROR, "the answer was lost");
            Ok(Reply::File(file.map_err(|_| lost())??))
        }
        Answer::Taken => Err(RpcError::new(rpc::INTERNAL_ERROR, "the answer was lost")),
        Answer::Error(error) => Err(bridge::error_for(client.protocol, method, error)),
        Answer::Failed(error) => {
            let message = format!("the server `{}` did not answer: {error}", upstream.name);
            Err(RpcError::new(rpc::INTERNAL_ERROR, message))
        }
        Answer::TimedOut(after) => {
            let message = format!(
                "the server `{}` did not answer within {} seconds (call_seconds)",
                upstream.name,
                after.as_secs_f64()
            );
            Err(RpcError::new(rpc::INTERNAL_ERROR, message))
        }
    }
}

/// The header that names what a request is about.
fn name_header(
    method: &str,
    params: Option<&Json>,
    edits: &[(&'static str, Option<Json>)],
) -> Vec<(String, String)> {
    let key = match method {
        "tools/call" | "prompts/get" => "name",
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" => "uri",
        "tasks/get" | "tasks/update" | "tasks/cancel" => "taskId",
        _ => return Vec::new(),
    };
    let edited = edits.iter().find(|(edited, _)| *edited == key).and_then(|(_, to)| to.clone());
    let value = edited.or_else(|| params.and_then(|params| params.get(key)));
    let value = value.as_ref().and_then(Json::as_str);
    let header = |value| ("Mcp-Name".to_owned(), crate::catalog::header_value(value));
    value.iter().map(|value| header(value)).collect()
}

fn unavailable(upstream: &Upstream, error: &crate::upstream::ConnectError) -> RpcError {
    let message = format!(
        "the server `{}` is not available: {error}; `resultant doctor` says more",
        upstream.name
    );
    RpcError::new(rpc::INTERNAL_ERROR, message)
}

/// The answer to `initialize`: the client's session is open already.
pub(crate) async fn initialize(gateway: &Arc<Gateway>, client: &Client) -> Json {
    let about = about(gateway, client).await;
    let mut result = Object::default();
    result.set("protocolVersion", Json::string(client.protocol.as_str()));
    result.set("capabilities", about.capabilities);
    result.set("serverInfo", about.info);
    if let Some(instructions) = about.instructions {
        result.set("instructions", Json::string(&instructions));
    }
    result.to_json()
}

async fn discover(gateway: &Arc<Gateway>, client: &Client) -> Json {
    let about = about(gateway, client).await;
    let versions: Vec<Json> = supported_versions().iter().map(|v| Json::string(v)).collect();
    let mut meta = Object::default();
    meta.set(&format!("{META_PREFIX}serverInfo"), about.info);
    let mut result = Object::default();
    result.set("supportedVersions", Json::array(&versions));
    result.set("capabilities", about.capabilities);
    if let Some(instructions) = about.instructions {
        result.set("instructions", Json::string(&instructions));
    }
    result.set("_meta", meta.to_json());
    result.to_json()
}

/// The versions for which requests stand alone.
pub(crate) fn supported_versions() -> Vec<&'static str> {
    Protocol::ALL.iter().filter(|version| version.is_modern()).map(|v| v.as_str()).collect()
}

struct About {
    capabilities: Json,
    info: Json,
    instructions: Option<String>,
}

/// What the client is told about what it talks to.
async fn about(gateway: &Arc<Gateway>, client: &Client) -> About {
    match &client.scope {
        Scope::All => About {
            capabilities: everything(client.is_modern()),
            info: own_info(),
            instructions: instructions_of_all(gateway),
        },
        Scope::One(name) => {
            let upstream = gateway.upstream_of(client.caller.owner(), name);
            let link = match &upstream {
                Some(upstream) => {
                    let link = tokio::time::timeout(PEER_TIME, upstream.link(client)).await;
                    link.ok().and_then(Result::ok)
                }
                None => None,
            };
            match link.as_ref().and_then(|link| link.peer()) {
                Some(peer) => About {
                    capabilities: capabilities_for(client, peer, gateway.has_own_tools()),
                    info: peer.info.clone(),
                    instructions: peer.instructions.clone(),
                },
                // It may come back: the client is told of everything it could have.
                None => About {
                    capabilities: everything(client.is_modern()),
                    info: own_info(),
                    instructions: None,
                },
            }
        }
    }
}

fn everything(is_modern: bool) -> Json {
    let text = match is_modern {
        true => {
            r#"{"tools":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},"prompts":{"listChanged":true},"completions":{}}"#
        }
        false => {
            r#"{"tools":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},"prompts":{"listChanged":true},"completions":{},"logging":{}}"#
        }
    };
    Json::parse(text).unwrap_or(Json::null())
}

/// A server's capabilities as a client of another era has them.
fn capabilities_for(client: &Client, peer: &Peer, has_own_tools: bool) -> Json {
    let mut capabilities = Object::of(&peer.capabilities);
    if capabilities.get("resources").is_none() {
        // The files of its results are resources.
        capabilities.set("resources", Object::default().to_json());
    }
    if has_own_tools && capabilities.get("tools").is_none() {
        capabilities.set("tools", Object::default().to_json());
    }
    if client.is_modern() == peer.is_modern() {
        return capabilities.to_json();
    }
    if !client.is_modern() && capabilities.get("logging").is_none() {
        // Modern servers take the level with each request.
        capabilities.set("logging", Object::default().to_json());
    }
    capabilities.to_json()
}

fn instructions_of_all(gateway: &Gateway) -> Option<String> {
    let mut out = String::new();
    for upstream in gateway.upstreams().iter() {
        let link = upstream.any_link();
        let instructions =
            link.as_ref().and_then(|link| link.peer()?.instructions.as_deref().map(str::trim));
        if let Some(instructions) = instructions.filter(|text| !text.is_empty()) {
            if !out.is_empty() {
                out.push_str("\n\n");
            }
            out.push_str(&format!("# {}\n\n{instructions}", upstream.name));
        }
    }
    (!out.is_empty()).then_some(out)
}

async fn set_level(
    gateway: &Arc<Gateway>,
    exchange: &Exchange,
    params: Option<&Json>,
) -> Result<Json, RpcError> {
    let level = params.and_then(|params| params.get("level"));
    let level = level.as_ref().and_then(Json::as_str);
    let Some(level) = level else {
        return Err(RpcError::new(rpc::INVALID_PARAMS, "logging/setLevel needs a level"));
    };
    if let Some(session) = &exchange.client.session {
        *lock(&session.level) = Some(level.clone().into_owned());
    }
    for upstream in gateway.visible(&exchange.client) {
        // The servers that are connected; others are told when they are asked something.
        if upstream.any_link().is_none() {
            continue;
        }
        let Ok(link) = upstream.link(&exchange.client).await else { continue };
        if let Err(error) = link.want_level(&level).await
            && matches!(exchange.client.scope, Scope::One(_))
        {
            return Err(error);
        }
    }
    Ok(Object::default().to_json())
}

/// A notification of a client.
pub(crate) async fn notified(
    gateway: &Arc<Gateway>,
    client: &Client,
    method: &str,
    params: Option<&Json>,
) {
    let is_own = matches!(
        method,
        "notifications/initialized" | "notifications/cancelled" | "notifications/progress"
    );
    // What we do not know is for the one server that the client talks to.
    let is_known = method == "notifications/roots/list_changed";
    if is_own || (!is_known && client.scope == Scope::All) {
        return;
    }
    for upstream in gateway.visible(client) {
        let link = upstream.any_link().filter(|link| !link.is_modern());
        if link.is_some()
            && let Ok(link) = upstream.link(client).await
        {
            let _ = link.notify(method, params.map(Json::as_text)).await;
        }
    }
}
