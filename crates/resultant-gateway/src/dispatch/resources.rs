//! Requests that name a prompt or a resource: to the server that has it.

use std::sync::Arc;

use resultant::{Json, Object};

use super::{lists, own_files, send, unknown_method};
use crate::{
    client::{Exchange, Scope},
    file_uri::FileUri,
    gateway::Gateway,
    host_canvas,
    reply::Reply,
    rpc::{self, RpcError},
    upstream::Upstream,
};

/// `resources/read`.
pub(super) async fn read(
    gateway: &Arc<Gateway>,
    exchange: &Exchange,
    params: Option<&Json>,
) -> Result<Reply, RpcError> {
    let uri = params.and_then(|params| params.get("uri"));
    let Some(uri) = uri.as_ref().and_then(Json::as_str) else {
        return Err(RpcError::new(rpc::INVALID_PARAMS, "the URI of a resource is missing"));
    };
    if let Some(parsed) = FileUri::parse(&uri) {
        let result = own_files::read(gateway, exchange, &uri, parsed).await?;
        let result = crate::bridge::result_for(exchange.client.protocol, "resources/read", &result);
        return Ok(Reply::Json(result));
    }
    if *uri == *host_canvas::URI
        && gateway.shows_canvas(&exchange.client)
        && let Some(result) = host_canvas::read().await
    {
        let result = crate::bridge::result_for(exchange.client.protocol, "resources/read", &result);
        return Ok(Reply::Json(result));
    }
    match &exchange.client.scope {
        Scope::One(name) => {
            let upstream = gateway.upstream_of(exchange.client.caller.owner(), name);
            let upstream = upstream.ok_or_else(|| not_found(exchange, &uri))?;
            send(gateway, exchange, &upstream, "resources/read", params, Vec::new()).await
        }
        Scope::All => read_from_any(gateway, exchange, params, &uri).await,
    }
}

/// Of all servers: the one that is known to have it, else whichever does.
async fn read_from_any(
    gateway: &Arc<Gateway>,
    exchange: &Exchange,
    params: Option<&Json>,
    uri: &str,
) -> Result<Reply, RpcError> {
    if gateway.routes.uri(uri).is_none() {
        for method in ["resources/list", "resources/templates/list"] {
            lists::merged(gateway, exchange, method).await?;
        }
    }
    if let Some((server, original)) = gateway.routes.uri(uri)
        && let Some(upstream) = gateway.upstream(&server)
    {
        let edits = vec![("uri", Some(Json::string(&original)))];
        let reply = send(gateway, exchange, &upstream, "resources/read", params, edits).await?;
        return Ok(match reply {
            Reply::Json(result) if original != uri => Reply::Json(under(&result, &original, uri)),
            reply => reply,
        });
    }
    for upstream in gateway.upstreams().iter().filter(|upstream| has_resources(upstream)) {
        let answer = send(gateway, exchange, upstream, "resources/read", params, Vec::new()).await;
        if answer.is_ok() {
            gateway.routes.add_uri(&upstream.name, uri);
            return answer;
        }
    }
    Err(not_found(exchange, uri))
}

/// The contents of a resource under the URI that the client knows it by.
fn under(result: &Json, original: &str, exposed: &str) -> Json {
    let Some(contents) = result.get("contents") else { return result.clone() };
    let renamed: Vec<Json> = contents
        .items()
        .map(|content| {
            let mut members = Object::of(&content);
            let is_named = members.get("uri").and_then(Json::as_str).as_deref() == Some(original);
            if is_named {
                members.set("uri", Json::string(exposed));
            }
            members.to_json()
        })
        .collect();
    let mut members = Object::of(result);
    members.set("contents", Json::array(&renamed));
    members.to_json()
}

fn has_resources(upstream: &Upstream) -> bool {
    let link = upstream.any_link();
    link.is_some_and(|link| link.peer().is_some_and(|peer| peer.has("resources")))
}

pub(super) fn not_found(exchange: &Exchange, uri: &str) -> RpcError {
    let mut data = Object::default();
    data.set("uri", Json::string(uri));
    let code = match exchange.client.is_modern() {
        true => rpc::INVALID_PARAMS,
        false => rpc::RESOURCE_NOT_FOUND,
    };
    RpcError::with_data(code, format!("resource not found: {uri}"), Some(&data.to_json()))
}

/// `prompts/get` and `completion/complete` over all servers.
pub(super) async fn routed(
    gateway: &Arc<Gateway>,
    exchange: &Exchange,
    method: &str,
    params: Option<&Json>,
) -> Result<Reply, RpcError> {
    let params_of = || params.map(Object::of).unwrap_or_default();
    let text = |json: Option<&Json>| json.and_then(Json::as_str).map(|text| text.into_owned());
    if method == "prompts/get" {
        let name = text(params_of().get("name")).unwrap_or_default();
        let (server, original) = prompt_home(gateway, exchange, &name).await?;
        let upstream = gateway.upstream(&server).ok_or_else(|| unknown_prompt(&name))?;
        let edits = vec![("name", Some(Json::string(&original)))];
        return send(gateway, exchange, &upstream, method, params, edits).await;
    }
    let reference = params_of().get("ref").map(Object::of).unwrap_or_default();
    let (server, key, original) = match text(reference.get("uri")) {
        Some(uri) => {
            let home = gateway.routes.template(&uri).or_else(|| gateway.routes.uri(&uri));
            let home = match home {
                Some(home) => home,
                None => {
                    lists::merged(gateway, exchange, "resources/templates/list").await?;
                    let home = gateway.routes.template(&uri);
                    home.ok_or_else(|| not_found(exchange, &uri))?
                }
            };
            (home.0, "uri", home.1)
        }
        None => {
            let name = text(reference.get("name")).unwrap_or_default();
            let home = prompt_home(gateway, exchange, &name).await?;
            (home.0, "name", home.1)
        }
    };
    let upstream = gateway.upstream(&server).ok_or_else(|| unknown_method(method))?;
    let mut edited = reference;
    edited.set(key, Json::string(&original));
    let edits = vec![("ref", Some(edited.to_json()))];
    send(gateway, exchange, &upstream, method, params, edits).await
}

async fn prompt_home(
    gateway: &Arc<Gateway>,
    exchange: &Exchange,
    name: &str,
) -> Result<(Arc<str>, String), RpcError> {
    if let Some(home) = gateway.routes.prompt(name) {
        return Ok(home);
    }
    lists::merged(gateway, exchange, "prompts/list").await?;
    gateway.routes.prompt(name).ok_or_else(|| unknown_prompt(name))
}

fn unknown_prompt(name: &str) -> RpcError {
    RpcError::new(rpc::INVALID_PARAMS, format!("unknown prompt: {name}"))
}
