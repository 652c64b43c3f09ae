//! What the servers are and offer, for people who want to know: each is connected and asked.

use std::sync::Arc;

use futures_util::future::join_all;
use resultant::{Json, Protocol};

use crate::{
    catalog::{Oddity, ServerCatalog, Tool},
    client::Client,
    gateway::Gateway,
    retrieval::{self, Naming},
    upstream::{ConnectError, FailureKind, Upstream, nobody, own_info},
};

/// What is known of a server.
#[derive(Clone, Debug)]
pub struct ServerReport {
    /// Its name in addresses and before tools.
    pub server: String,
    /// The version it speaks, once it is connected.
    pub protocol: Option<Protocol>,
    /// What it says of itself: `name`, `version` and more.
    pub info: Option<Json>,
    /// Its tools.
    pub tools: Vec<ToolReport>,
    /// Tools that were repaired or left out.
    pub oddities: Vec<ToolOddity>,
    /// Why it is not connected, or has no list of tools.
    pub failure: Option<Failure>,
}

/// A tool.
#[derive(Clone, Debug)]
pub struct ToolReport {
    /// As its server names it.
    pub name: String,
    /// The definition as its server sent it, apart from repairs.
    pub definition: Json,
}

/// A tool with a definition that is not right.
#[derive(Clone, Debug)]
pub struct ToolOddity {
    /// The tool, as its server names it.
    pub tool: String,
    /// What is wrong with it.
    pub reason: String,
    /// Whether nobody can use it; otherwise it was repaired.
    pub is_left_out: bool,
}

/// Why a server cannot be used.
#[derive(Clone, Debug)]
pub struct Failure {
    /// How far it got: `start`, `server/discover`, `initialize`, `handshake` or `tools/list`.
    pub step: &'static str,
    /// What kind of failure it is.
    pub kind: FailureKind,
    /// What was said; foreign text may be in it.
    pub reason: String,
}

impl From<ConnectError> for Failure {
    fn from(error: ConnectError) -> Failure {
        Failure { step: error.step, kind: error.kind, reason: error.reason }
    }
}

impl Gateway {
    /// The tools for files that stand beside those of the servers, where there are some.
    pub fn own_tools(&self) -> Option<ServerReport> {
        own_report(self)
    }

    /// Connects to all servers at the same time, and reports on each in the order of the
    /// configuration.
    pub async fn survey(self: &Arc<Gateway>) -> Vec<ServerReport> {
        let client = nobody();
        let upstreams = self.upstreams();
        join_all(upstreams.iter().map(|upstream| report(upstream, &client))).await
    }
}

/// Our own tools, as if they were a server's; nothing where there are none, or where a server has
/// their name.
pub(crate) fn own_report(gateway: &Gateway) -> Option<ServerReport> {
    if !gateway.has_own_tools() || gateway.upstream(retrieval::SERVER).is_some() {
        return None;
    }
    let definitions = retrieval::definitions(Naming::Plain, &retrieval::Tool::ALL).into_iter();
    let report = |(tool, definition): (retrieval::Tool, Json)| ToolReport {
        name: tool.name().to_owned(),
        definition,
    };
    Some(ServerReport {
        server: retrieval::SERVER.to_owned(),
        protocol: None,
        info: Some(own_info()),
        tools: definitions.map(report).collect(),
        oddities: Vec::new(),
        failure: None,
    })
}

/// Connects to a server, where it is not connected, and says what it found.
pub(crate) async fn report(upstream: &Arc<Upstream>, client: &Client) -> ServerReport {
    let catalog = upstream.catalog(client).await;
    let link = upstream.any_link();
    let peer = link.as_ref().and_then(|link| link.peer());
    let (tools, oddities, failure) = match catalog {
        Ok(catalog) => (tools_of(&catalog), oddities_of(&catalog), None),
        Err(error) => (Vec::new(), Vec::new(), Some(error.into())),
    };
    ServerReport {
        server: upstream.name.to_string(),
        protocol: peer.map(|peer| peer.protocol),
        info: peer.map(|peer| peer.info.clone()),
        tools,
        oddities,
        failure,
    }
}

fn tools_of(catalog: &ServerCatalog) -> Vec<ToolReport> {
    let report =
        |tool: &Arc<Tool>| ToolReport { name: tool.name.clone(), definition: tool.definition() };
    catalog.tools.iter().map(report).collect()
}

fn oddities_of(catalog: &ServerCatalog) -> Vec<ToolOddity> {
    let report = |oddity: &Oddity| {
        let Oddity { tool, reason, is_left_out } = oddity.clone();
        ToolOddity { tool, reason, is_left_out }
    };
    catalog.oddities.iter().map(report).collect()
}
