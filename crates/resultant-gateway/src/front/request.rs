//! What kind of request this is, and whether its headers say the same as its body.

use std::sync::Arc;

use http::HeaderMap;
use resultant::{Json, Object, Protocol};
use resultant_store::SessionKind;

use crate::{
    caller::{Caller, DEFAULT_SESSION},
    catalog::{Tool, read_header_value},
    client::{Client, Owner, Scope},
    dispatch::supported_versions,
    rpc::{self, RpcError},
    upstream::META_PREFIX,
};

/// The era of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestEra {
    Legacy,
    Modern,
}

fn version_in(params: Option<&Json>) -> Option<Json> {
    params?.get("_meta")?.get(&format!("{META_PREFIX}protocolVersion"))
}

/// The era, by the header and the parameters.
pub(super) fn era_of(version: Option<&str>, params: Option<&Json>) -> RequestEra {
    if version_in(params).is_some() {
        return RequestEra::Modern;
    }
    match version.map(str::parse::<Protocol>) {
        Some(Ok(protocol)) if protocol.is_modern() => RequestEra::Modern,
        _ => RequestEra::Legacy,
    }
}

/// Where a request that stands alone names its session, else it is in the user's default one.
const SESSION_HEADER: &str = "resultant-session";
const SESSION_META: &str = "resultant/session";
const SESSION_BYTES_MAX: usize = 128;

/// The caller in the session that a request names.
pub(super) fn with_session(
    caller: Caller,
    headers: &HeaderMap,
    params: Option<&Json>,
) -> Result<Caller, RpcError> {
    let wrong = |message: &str| Err(RpcError::new(rpc::INVALID_PARAMS, message));
    let mut headers = headers.get_all(SESSION_HEADER).iter();
    let in_header = match (headers.next(), headers.next()) {
        (None, _) => None,
        (Some(value), None) => Some(String::from_utf8_lossy(value.as_bytes()).into_owned()),
        (Some(_), Some(_)) => return wrong("the header Resultant-Session is there twice"),
    };
    let in_meta = params.and_then(|params| params.get("_meta")?.get(SESSION_META));
    let in_meta = match in_meta.as_ref().map(Json::as_str) {
        Some(Some(id)) => Some(id.into_owned()),
        Some(None) => return wrong("resultant/session in _meta is not a string"),
        None => None,
    };
    let id = match (in_header, in_meta) {
        (Some(header), Some(meta)) if header != meta => {
            return wrong("the header Resultant-Session is not what _meta says");
        }
        (Some(id), _) | (None, Some(id)) => id,
        (None, None) => return Ok(caller),
    };
    let is_plain = (1..=SESSION_BYTES_MAX).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_graphic());
    match (is_plain, id == DEFAULT_SESSION) {
        (false, _) => wrong("a session's id has 1 to 128 printable ASCII characters, no spaces"),
        (true, true) => Ok(caller),
        (true, false) => Ok(caller.within(&id, SessionKind::Api)),
    }
}

/// The client of a request that stands alone.
pub(super) fn modern_client(
    params: Option<&Json>,
    scope: Scope,
    caller: Caller,
) -> Result<Client, RpcError> {
    let missing = |what: &str| {
        RpcError::new(
            rpc::INVALID_PARAMS,
            format!("the request's _meta has no {META_PREFIX}{what}"),
        )
    };
    let meta = params.and_then(|params| params.get("_meta")).map(|meta| Object::of(&meta));
    let meta = meta.unwrap_or_default();
    let member = |key: &str| meta.get(&format!("{META_PREFIX}{key}")).cloned();
    let version = member("protocolVersion").ok_or_else(|| missing("protocolVersion"))?;
    let version = version.as_str().ok_or_else(|| missing("protocolVersion"))?;
    let capabilities = member("clientCapabilities").filter(Json::is_object);
    let protocol = version.parse::<Protocol>().ok().filter(|protocol| protocol.is_modern());
    let protocol = protocol.ok_or_else(|| unsupported(&version))?;
    Ok(Client {
        caller,
        owner: Owner::STATELESS,
        protocol,
        capabilities: capabilities.ok_or_else(|| missing("clientCapabilities"))?,
        info: member("clientInfo").unwrap_or_else(|| Object::default().to_json()),
        scope,
        session: None,
    })
}

/// A version that is not spoken here.
pub(super) fn unsupported(version: &str) -> RpcError {
    let versions: Vec<Json> =
        supported_versions().iter().map(|version| Json::string(version)).collect();
    let mut data = Object::default();
    data.set("supported", Json::array(&versions));
    data.set("requested", Json::string(version));
    let message = format!("unsupported protocol version: {version}");
    RpcError::with_data(rpc::UNSUPPORTED_VERSION, message, Some(&data.to_json()))
}

/// The client of an `initialize` request; its session comes later.
pub(super) fn legacy_client(params: Option<&Json>, scope: Scope, caller: Caller) -> Client {
    let params = params.map(Object::of).unwrap_or_default();
    let empty = || Object::default().to_json();
    let asked = params.get("protocolVersion").and_then(Json::as_str).unwrap_or_default();
    Client {
        caller,
        owner: Owner::session(),
        protocol: crate::gateway::agreed_version(&asked),
        capabilities: params
            .get("capabilities")
            .cloned()
            .filter(Json::is_object)
            .unwrap_or_else(empty),
        info: params.get("clientInfo").cloned().filter(Json::is_object).unwrap_or_else(empty),
        scope,
        session: None,
    }
}

/// Checks that a modern request's headers say what its body says.
pub(super) fn check_headers(
    headers: &HeaderMap,
    method: &str,
    params: Option<&Json>,
    tool: Option<&Arc<Tool>>,
) -> Result<(), RpcError> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let mismatch = |message: String| Err(RpcError::new(rpc::HEADER_MISMATCH, message));
    let version = version_in(params);
    let version = version.as_ref().and_then(Json::as_str).unwrap_or_default();
    if header("mcp-protocol-version").map(str::trim) != Some(&*version) && !version.is_empty() {
        return mismatch("the header MCP-Protocol-Version is not what _meta says".to_owned());
    }
    if header("mcp-method").map(str::trim) != Some(method) {
        return mismatch("the header Mcp-Method is not the method".to_owned());
    }
    let key = match method {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        _ => return Ok(()),
    };
    let named = params.and_then(|params| params.get(key));
    let named = named.as_ref().and_then(Json::as_str).unwrap_or_default();
    let said = header("mcp-name").and_then(read_header_value);
    if said.as_deref() != Some(&*named) {
        return mismatch(format!("the header Mcp-Name is not the {key}"));
    }
    let arguments = params.and_then(|params| params.get("arguments"));
    for param in tool.iter().flat_map(|tool| &tool.header_params) {
        let name = format!("mcp-param-{}", param.header);
        let value = arguments.as_ref().and_then(|arguments| param.value(arguments));
        let said = header(&name).map(read_header_value);
        let is_same = match (&value, &said) {
            (Some(value), Some(Some(said))) => value == said,
            (None, None) => true,
            _ => false,
        };
        if !is_same {
            return mismatch(format!("the header {name} is not the argument"));
        }
    }
    Ok(())
}
