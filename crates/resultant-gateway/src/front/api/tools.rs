//! What can be called, and how the servers are.

use std::sync::Arc;

use axum::{Json, extract::State, response::IntoResponse};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Api,
    extract::Who,
    operation::Operation,
    problem::{BUSY, Problem},
};
use crate::{
    catalog::Edition,
    client::{Client, Scope},
    events::AnyJson,
    local::api_client,
    retrieval::{SERVER, definitions},
    upstream::{State as ServerState, Upstream},
};

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
    ]
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

async fn servers(State(api): State<Api>, Who(_): Who) -> Result<impl IntoResponse, Problem> {
    let items = api.gateway.upstreams().iter().map(server_info).collect();
    Ok(Json(ServerList { items }))
}

async fn tools(State(api): State<Api>, Who(user): Who) -> Result<impl IntoResponse, Problem> {
    let client: Client = api_client(crate::caller::Caller::of(user), Scope::All);
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
        items.extend(definitions(naming).into_iter().map(|(tool, definition)| ToolInfo {
            name: naming.name(tool).to_owned(),
            server: SERVER.to_owned(),
            server_name: tool.name().to_owned(),
            definition,
        }));
    }
    let servers = api.gateway.upstreams().iter().map(server_info).collect();
    Ok(Json(ToolList { items, servers }))
}
