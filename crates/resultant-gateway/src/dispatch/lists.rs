//! Lists over one or all servers.

use std::{collections::HashMap, sync::Arc};

use futures_util::future::join_all;
use resultant::{Json, Object};

use crate::{
    bridge,
    catalog::{Edition, Origin, exposed_names},
    client::{Client, Exchange, Scope},
    gateway::Gateway,
    rpc::RpcError,
    upstream::{LIST_TIME_MIN, State, Upstream},
};

/// So many pages of one server are read.
const PAGES_MAX: usize = 100;

/// `tools/list`.
pub(super) async fn tools(gateway: &Arc<Gateway>, exchange: &Exchange) -> Result<Json, RpcError> {
    let client = &exchange.client;
    let edition = Edition::of(client).with_canvas(gateway.shows_canvas(client));
    let own_tools = gateway.offered_tools(client).unwrap_or_default();
    let (tools, own_names) = match &client.scope {
        Scope::All => {
            let merged = gateway.merged(client).await;
            (merged.write(edition), merged.own_names(own_tools))
        }
        Scope::One(name) => {
            let upstream = gateway.upstream_of(client.caller.owner(), name).ok_or_else(|| {
                RpcError::new(crate::rpc::INVALID_PARAMS, format!("no server `{name}`"))
            })?;
            let catalog = upstream.catalog(client).await;
            let catalog = catalog.map_err(|error| super::unavailable(&upstream, &error))?;
            (catalog.write(edition), catalog.own_names(own_tools))
        }
    };
    let tools = match own_names.filter(|_| !own_tools.is_empty()) {
        Some(names) => names.append(own_tools, &tools),
        None => tools.to_string(),
    };
    Ok(Json::parse(format!("{{\"tools\":{tools}}}")).unwrap_or(Json::null()))
}

/// Whether a server has resources at all.
pub(super) async fn has_resources(gateway: &Gateway, client: &Client, server: &str) -> bool {
    let upstream = gateway.upstream_of(client.caller.owner(), server);
    let Some(upstream) = upstream else { return false };
    let Ok(link) = upstream.link(client).await else { return true };
    link.peer().is_none_or(|peer| peer.has("resources"))
}

/// The list of a server that has none.
pub(super) fn no_resources() -> Json {
    let mut result = Object::default();
    result.set("resources", Json::array([]));
    result.to_json()
}

/// `resources/list`, `resources/templates/list` or `prompts/list` over all servers.
pub(super) async fn merged(
    gateway: &Arc<Gateway>,
    exchange: &Exchange,
    method: &str,
) -> Result<Json, RpcError> {
    let (key, capability) = match method {
        "resources/list" => ("resources", "resources"),
        "resources/templates/list" => ("resourceTemplates", "resources"),
        _ => ("prompts", "prompts"),
    };
    let upstreams = gateway.upstreams();
    let items = join_all(upstreams.iter().map(|upstream| {
        let listing = items_of(upstream, exchange, method, key, capability);
        let patience = match upstream.state() {
            State::Ready { .. } => upstream.patience(method).max(LIST_TIME_MIN),
            _ => upstream.patience(method) + LIST_TIME_MIN,
        };
        async move {
            let listed = tokio::time::timeout(patience, listing).await;
            if listed.is_ok() && matches!(upstream.state(), State::Ready { .. }) {
                upstream.was_in_time(method);
            }
            listed.unwrap_or_default()
        }
    }));
    let items = items.await;
    let all: Vec<(&Arc<Upstream>, Object)> = upstreams
        .iter()
        .zip(&items)
        .flat_map(|(upstream, items)| items.iter().map(move |item| (upstream, Object::of(item))))
        .collect();
    let written = match key {
        "prompts" => with_names(gateway, all),
        _ => with_uris(gateway, all, key),
    };
    let mut result = Object::default();
    result.set(key, Json::array(&written));
    Ok(result.to_json())
}

async fn items_of(
    upstream: &Arc<Upstream>,
    exchange: &Exchange,
    method: &str,
    key: &str,
    capability: &str,
) -> Vec<Json> {
    if let State::Failing { .. } | State::Connecting = upstream.settled(method).await {
        return Vec::new();
    }
    let Some(link) = upstream.link_for_list(&exchange.client).await else { return Vec::new() };
    if !link.peer().is_some_and(|peer| peer.has(capability)) {
        return Vec::new();
    }
    let mut items = Vec::new();
    let mut cursor: Option<Json> = None;
    for _ in 0..PAGES_MAX {
        let params = bridge::own_params(&link, "cursor", cursor.as_ref());
        let Ok(Ok(result)) = link.request(method, params, Vec::new()).await else { break };
        items.extend(result.get(key).iter().flat_map(Json::items));
        cursor = result.get("nextCursor").filter(|next| !next.is_null());
        if cursor.is_none() {
            break;
        }
    }
    items
}

fn with_names(gateway: &Gateway, all: Vec<(&Arc<Upstream>, Object)>) -> Vec<Json> {
    let names: Vec<String> = all
        .iter()
        .map(|(_, item)| item.get("name").and_then(Json::as_str).unwrap_or_default().into_owned())
        .collect();
    let origins = all.iter().zip(&names).map(|((upstream, _), name)| Origin {
        server: &upstream.name,
        prefix: &upstream.config.prefix,
        name,
    });
    let exposed = exposed_names(origins);
    let mut homes = HashMap::new();
    let mut written = Vec::new();
    for (((upstream, mut item), name), exposed) in all.into_iter().zip(names).zip(exposed) {
        item.set("name", Json::string(&exposed));
        homes.insert(exposed, (upstream.name.clone(), name));
        written.push(item.to_json());
    }
    gateway.routes.set_prompts(homes);
    written
}

fn with_uris(gateway: &Gateway, all: Vec<(&Arc<Upstream>, Object)>, key: &str) -> Vec<Json> {
    let is_template = key == "resourceTemplates";
    let member = if is_template { "uriTemplate" } else { "uri" };
    let write = |(upstream, mut item): (&Arc<Upstream>, Object)| {
        let uri = item.get(member).and_then(Json::as_str).map(|uri| uri.into_owned());
        let Some(uri) = uri else { return item.to_json() };
        let exposed = match is_template {
            true => gateway.routes.add_template(&upstream.name, &uri),
            false => gateway.routes.add_uri(&upstream.name, &uri),
        };
        if exposed != uri {
            item.set(member, Json::string(&exposed));
        }
        item.to_json()
    };
    all.into_iter().map(write).collect()
}
