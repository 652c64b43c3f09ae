//! Who wants to hear of changes, in the words of both eras.

use std::sync::Arc;

use resultant::{Json, Object};

use crate::{
    client::{Exchange, Scope, lock},
    gateway::Gateway,
    listeners::Filter,
    rpc::{self, RpcError},
    upstream::Upstream,
};

/// `resources/subscribe` of a legacy client.
pub(super) async fn subscribe(
    gateway: &Arc<Gateway>,
    exchange: &Exchange,
    params: Option<&Json>,
) -> Result<Json, RpcError> {
    let (upstream, uri) = home(gateway, exchange, params).await?;
    watch(exchange, &upstream, &uri).await?;
    if let Some(session) = &exchange.client.session {
        lock(&session.subscriptions).insert((upstream.name.clone(), uri));
    }
    Ok(Object::default().to_json())
}

/// `resources/unsubscribe` of a legacy client.
pub(super) async fn unsubscribe(
    gateway: &Arc<Gateway>,
    exchange: &Exchange,
    params: Option<&Json>,
) -> Result<Json, RpcError> {
    let (upstream, uri) = home(gateway, exchange, params).await?;
    let key = (upstream.name.clone(), uri.clone());
    if let Some(session) = &exchange.client.session {
        lock(&session.subscriptions).remove(&key);
    }
    let is_wanted = gateway.sessions().iter().any(|client| {
        let session = client.session.as_ref();
        session.is_some_and(|session| lock(&session.subscriptions).contains(&key))
    });
    if !is_wanted {
        unwatch(exchange, &upstream, &uri).await?;
    }
    Ok(Object::default().to_json())
}

/// `subscriptions/listen` of a modern client: stays until the client goes.
pub(super) async fn listen(
    gateway: &Arc<Gateway>,
    exchange: &Exchange,
    id: &Json,
    params: Option<&Json>,
) -> Result<Json, RpcError> {
    let wanted = params.and_then(|params| params.get("notifications"));
    let wanted = wanted.as_ref().map(Object::of).unwrap_or_default();
    let wants = |key| wanted.get(key).and_then(Json::as_bool) == Some(true);
    let mut filter = Filter {
        tools: wants("toolsListChanged"),
        prompts: wants("promptsListChanged"),
        resources: wants("resourcesListChanged"),
        uris: Vec::new(),
    };
    for exposed in wanted.get("resourceSubscriptions").iter().flat_map(|uris| uris.items()) {
        let exposed = exposed.as_str().unwrap_or_default().into_owned();
        let (upstream, uri) = home_of(gateway, exchange, &exposed).await?;
        watch(exchange, &upstream, &uri).await?;
        filter.uris.push((upstream.name.clone(), uri, exposed));
    }
    // A server is connected by now, so that its changes are heard of.
    for upstream in gateway.visible(&exchange.client) {
        let _ = upstream.link(&exchange.client).await;
    }
    let listening = gateway.listeners.add(id, exchange, filter);
    gateway.stopping().await;
    drop(listening);
    let mut meta = Object::default();
    meta.set(&format!("{}subscriptionId", crate::upstream::META_PREFIX), id.clone());
    let mut result = Object::default();
    result.set("_meta", meta.to_json());
    Ok(result.to_json())
}

async fn home(
    gateway: &Arc<Gateway>,
    exchange: &Exchange,
    params: Option<&Json>,
) -> Result<(Arc<Upstream>, String), RpcError> {
    let uri = params.and_then(|params| params.get("uri"));
    let uri = uri.as_ref().and_then(Json::as_str);
    let Some(uri) = uri else {
        return Err(RpcError::new(rpc::INVALID_PARAMS, "the URI of a resource is missing"));
    };
    home_of(gateway, exchange, &uri).await
}

async fn home_of(
    gateway: &Arc<Gateway>,
    exchange: &Exchange,
    uri: &str,
) -> Result<(Arc<Upstream>, String), RpcError> {
    let unknown = || RpcError::new(rpc::INVALID_PARAMS, format!("no server has {uri}"));
    match &exchange.client.scope {
        Scope::One(name) => {
            let upstream = gateway.upstream_of(exchange.client.caller.owner(), name);
            Ok((upstream.ok_or_else(unknown)?, uri.to_owned()))
        }
        Scope::All => {
            if gateway.routes.uri(uri).is_none() {
                super::lists::merged(gateway, exchange, "resources/list").await?;
                super::lists::merged(gateway, exchange, "resources/templates/list").await?;
            }
            let (server, original) = gateway.routes.uri(uri).ok_or_else(unknown)?;
            Ok((gateway.upstream(&server).ok_or_else(unknown)?, original))
        }
    }
}

/// Asks a server to tell of changes to a resource.
async fn watch(exchange: &Exchange, upstream: &Arc<Upstream>, uri: &str) -> Result<(), RpcError> {
    change(exchange, upstream, uri, "resources/subscribe").await
}

async fn unwatch(exchange: &Exchange, upstream: &Arc<Upstream>, uri: &str) -> Result<(), RpcError> {
    change(exchange, upstream, uri, "resources/unsubscribe").await
}

async fn change(
    exchange: &Exchange,
    upstream: &Arc<Upstream>,
    uri: &str,
    method: &str,
) -> Result<(), RpcError> {
    let link = upstream.link(&exchange.client).await;
    let link = link.map_err(|error| super::unavailable(upstream, &error))?;
    let is_wanted = method == "resources/subscribe";
    if link.is_modern() {
        upstream.watch(uri, is_wanted);
        return Ok(());
    }
    let params = format!("{{\"uri\":{}}}", Json::string(uri));
    match link.request(method, Some(params), Vec::new()).await {
        Ok(Ok(_)) => {
            upstream.watch(uri, is_wanted);
            Ok(())
        }
        Ok(Err(error)) => Err(error),
        Err(error) => Err(RpcError::new(rpc::INTERNAL_ERROR, error.to_string())),
    }
}
