//! Requests that name a prompt or a resource: to the server that has it.

use std::sync::Arc;

use resultant::{Json, Object};

use super::{lists, send, unknown_method};
use crate::{
    client::{Exchange, Scope},
    gateway::Gateway,
    reply::Reply,
    rpc::{self, RpcError},
    upstream::Upstream,
};

/// The scheme of our own files.
const OWN_FILES: &str = "resultant://files/";
/// A client gets at most this much of a file at once; the rest by `?offset=`.
const READ_BYTES_MAX: u64 = 1 << 20;

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
    if let Some(name) = uri.strip_prefix(OWN_FILES) {
        let result = tokio::task::block_in_place(|| read_own(gateway, exchange, &uri, name))?;
        let result = crate::bridge::result_for(exchange.client.protocol, "resources/read", &result);
        return Ok(Reply::Json(result));
    }
    match &exchange.client.scope {
        Scope::One(name) => {
            let upstream = gateway.upstream(name).ok_or_else(|| not_found(exchange, &uri))?;
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

fn not_found(exchange: &Exchange, uri: &str) -> RpcError {
    let mut data = Object::default();
    data.set("uri", Json::string(uri));
    let code = match exchange.client.is_modern() {
        true => rpc::INVALID_PARAMS,
        false => rpc::RESOURCE_NOT_FOUND,
    };
    RpcError::with_data(code, format!("resource not found: {uri}"), Some(&data.to_json()))
}

/// A file that a result left behind.
fn read_own(
    gateway: &Gateway,
    exchange: &Exchange,
    uri: &str,
    rest: &str,
) -> Result<Json, RpcError> {
    let (name, query) = rest.split_once('?').unwrap_or((rest, ""));
    let query: Vec<(String, String)> =
        url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    let value = |key: &str| query.iter().find(|(name, _)| name == key).map(|(_, v)| v.as_str());
    let number = |key: &str, or: u64| value(key).and_then(|v| v.parse().ok()).unwrap_or(or);
    let name = percent_decoded(name);
    let record = gateway.files.named(&name, value("sha256"));
    let record = record.ok_or_else(|| not_found(exchange, uri))?;
    let start = number("offset", 0).min(record.size);
    let wanted = number("length", READ_BYTES_MAX).min(READ_BYTES_MAX);
    let bytes = gateway.files.read(&record, start, wanted);
    let bytes = bytes.map_err(|error| {
        RpcError::new(rpc::INTERNAL_ERROR, format!("`{name}` cannot be read: {error}"))
    })?;
    let end = start + bytes.len() as u64;
    let mut content = Object::default();
    content.set("uri", Json::string(uri));
    content.set("mimeType", Json::string(&record.mime));
    let is_text = record.mime.starts_with("text/") || record.mime.ends_with("json");
    match String::from_utf8(bytes) {
        Ok(text) if is_text => content.set("text", Json::string(&text)),
        Ok(text) => content.set("blob", Json::string(&encoded(text.as_bytes()))),
        Err(error) => content.set("blob", Json::string(&encoded(error.as_bytes()))),
    }
    let mut meta = Object::default();
    meta.set("resultant/size", Json::number(record.size));
    meta.set("resultant/sha256", Json::string(&record.sha256));
    if end < record.size || start > 0 {
        meta.set("resultant/complete", Json::bool(false));
        meta.set("resultant/range", Json::string(&format!("{start}-{end}/{}", record.size)));
    }
    content.set("_meta", meta.to_json());
    let mut result = Object::default();
    result.set("contents", Json::array([&content.to_json()]));
    Ok(result.to_json())
}

fn encoded(bytes: &[u8]) -> String {
    base64_simd::STANDARD.encode_to_string(bytes)
}

fn percent_decoded(name: &str) -> String {
    // A plus is a plus in a path.
    let name = name.replace('+', "%2B");
    let decoded = url::form_urlencoded::parse(name.as_bytes()).next();
    decoded.map(|(name, _)| name.into_owned()).unwrap_or_default()
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
