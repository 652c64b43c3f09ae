//! What can be called, and how the servers are.

use std::sync::Arc;

use axum::{
    Json,
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Api,
    extract::{Asked, Place, Who},
    operation::Operation,
    problem::{BAD_REQUEST, BUSY, CALL_FAILED, NOT_FOUND, Problem, TOO_LARGE},
};
use crate::{
    caller::DEFAULT_SESSION,
    catalog::Edition,
    client::{Client, Scope},
    events::AnyJson,
    file_uri::FileUri,
    local::api_client,
    reply::Reply,
    retrieval::{SERVER, Tool, definitions},
    upstream::{State as ServerState, Upstream},
};

/// A longer resource is refused.
const RESOURCE_BYTES_MAX: usize = 16 << 20;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/api/tools", tools)
            .named("listTools", "List the tools of all servers")
            .described(
                "Each is given as a model sees it, under the name it has where all servers are one \
                 and with the server it belongs to. The tools for files are the gateway's own, and \
                 their server is `resultant`. Servers that do not answer are in `servers` with the \
                 reason.",
            )
            .gives::<ToolList>(200, "The tools, and how the servers are.")
            .fails(&[BUSY]),
        Operation::get("/api/servers", servers)
            .named("listServers", "List the servers")
            .gives::<ServerList>(200, "The servers, in the order of the configuration."),
        Operation::get("/api/servers/{server}/resource", resource)
            .named("readResource", "Read a resource of a server")
            .described(
                "Gives the server's `ReadResourceResult` as it is: `contents`, each with `uri` and \
                 `text` or `blob`. Of use for the views of tools (`ui://`), whose address is in the \
                 tool's definition.",
            )
            .query::<ResourceQuery>()
            .gives::<AnyJson>(200, "What the server answered.")
            .fails(&[BAD_REQUEST, NOT_FOUND, TOO_LARGE, CALL_FAILED, BUSY]),
    ]
}

/// Which resource.
#[derive(Debug, Deserialize, JsonSchema)]
struct ResourceQuery {
    /// Its URI.
    uri: String,
    /// The session to ask in, for servers that keep something for one.
    session: Option<String>,
}

/// A tool.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Tool")]
struct ToolInfo {
    /// Its name where all servers are one: what `tool` of a call without `server` takes.
    name: String,
    /// Its server.
    server: String,
    /// Its name there: what `tool` of a call with `server` takes.
    server_name: String,
    /// The definition as an MCP client gets it: `description`, `inputSchema`, `outputSchema`,
    /// `annotations` and what else the server says.
    #[schemars(with = "AnyJson")]
    definition: resultant::Json,
}

/// How a server is.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum StateWord {
    /// Nobody has needed it yet.
    Idle,
    /// It is being connected.
    Connecting,
    /// It can be called.
    Ready,
    /// It cannot be called, for the `reason` given.
    Failing,
}

/// A server.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Server")]
struct ServerInfo {
    /// Its name in the configuration.
    name: String,
    /// How it is.
    state: StateWord,
    /// The version of the protocol that it speaks.
    #[serde(skip_serializing_if = "Option::is_none")]
    protocol: Option<String>,
    /// What it says of itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<AnyJson>")]
    info: Option<resultant::Json>,
    /// How far it got before it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<String>,
    /// Why it is failing.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// All tools.
#[derive(Debug, Serialize, JsonSchema)]
struct ToolList {
    /// The tools.
    items: Vec<ToolInfo>,
    /// The servers.
    servers: Vec<ServerInfo>,
}

/// All servers.
#[derive(Debug, Serialize, JsonSchema)]
struct ServerList {
    /// The servers.
    items: Vec<ServerInfo>,
}

fn server_info(upstream: &Arc<Upstream>) -> ServerInfo {
    let mut server = ServerInfo {
        name: upstream.name.to_string(),
        state: StateWord::Idle,
        protocol: None,
        info: None,
        step: None,
        reason: None,
    };
    match upstream.state() {
        ServerState::Idle => {}
        ServerState::Connecting => server.state = StateWord::Connecting,
        ServerState::Ready { peer } => {
            server.state = StateWord::Ready;
            server.protocol = Some(peer.protocol.as_str().to_owned());
            server.info = Some(peer.info);
        }
        ServerState::Failing { error, .. } => {
            server.state = StateWord::Failing;
            server.step = Some(error.step.to_owned());
            server.reason = Some(error.reason);
        }
    }
    server
}

async fn servers(State(api): State<Api>, Who(user): Who) -> Result<impl IntoResponse, Problem> {
    let items = api.gateway.upstreams_of(&user.id).iter().map(server_info).collect();
    Ok(Json(ServerList { items }))
}

async fn tools(State(api): State<Api>, Who(user): Who) -> Result<impl IntoResponse, Problem> {
    let client: Client = api_client(crate::caller::Caller::of(user.clone()), Scope::All);
    let merged = api.gateway.merged(&client).await;
    let edition = Edition::of(&client);
    let items = merged
        .each(edition)
        .map(|(name, upstream, server_name, definition)| ToolInfo {
            name: name.to_owned(),
            server: upstream.name.to_string(),
            server_name: server_name.to_owned(),
            definition,
        })
        .collect();
    let mut items: Vec<ToolInfo> = items;
    if let Some(naming) = api.gateway.own_names(&client).await {
        items.extend(definitions(naming, &Tool::ALL).into_iter().map(|(tool, definition)| {
            ToolInfo {
                name: naming.name(tool).to_owned(),
                server: SERVER.to_owned(),
                server_name: tool.name().to_owned(),
                definition,
            }
        }));
    }
    let servers = api.gateway.upstreams_of(&user.id).iter().map(server_info).collect();
    Ok(Json(ToolList { items, servers }))
}

async fn resource(
    State(api): State<Api>,
    Who(user): Who,
    Place(server): Place<String>,
    Asked(query): Asked<ResourceQuery>,
) -> Result<Response, Problem> {
    let session = query.session.as_deref().unwrap_or(DEFAULT_SESSION);
    let caller = api.caller(&user, session).await?;
    let upstream = api.gateway.upstream(&server).ok_or_else(Problem::not_found)?;
    // A user's files are no server's, and an app that asks here is to get nothing else.
    if FileUri::parse(&query.uri).is_some() {
        return Err(Problem::not_found());
    }
    // Where two servers have the same URI, one of them is known by another here.
    let original = api.gateway.routes.uri(&query.uri);
    let original = original.filter(|(owner, _)| *owner == upstream.name).map(|(_, uri)| uri);
    let uri = original.unwrap_or(query.uri);
    let busy = |error: crate::local::CallError| Problem::new(BUSY, error.to_string());
    let seat = api.seats.of(&api.gateway, &caller).map_err(busy)?;
    let reading = seat.read_resource(upstream.name.clone(), &uri);
    let reply = reading.await.map_err(|error| Problem::new(CALL_FAILED, error.message))?;
    let text = match reply {
        Reply::Json(json) if json.as_text().len() > RESOURCE_BYTES_MAX => return Err(too_large()),
        Reply::Json(json) => json.as_text().to_owned(),
        Reply::File(file) => {
            let read = tokio::task::spawn_blocking(move || file.result(RESOURCE_BYTES_MAX)).await;
            let gone = || Problem::new(CALL_FAILED, "the answer could not be read");
            let read = read.map_err(|_| gone())?.map_err(|_| gone())?;
            read.ok_or_else(too_large)?
        }
    };
    let kind = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
    Ok((kind, text).into_response())
}

fn too_large() -> Problem {
    let detail = format!("the resource has more than {RESOURCE_BYTES_MAX} bytes");
    Problem::new(TOO_LARGE, detail)
}
