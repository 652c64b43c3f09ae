//! Between protocol versions: what a request needs for the server's, and a result for the client's.
//!
//! Everything here is pure. Results of tools are the library's business; these are all the others.

use resultant::{Json, Object, Protocol};

use crate::{
    client::Exchange,
    rpc::{self, RpcError},
    upstream::{Link, META_PREFIX, own_info},
};

/// Members of a modern request's `_meta` that say who asks; a server is told anew.
const CLIENT_KEYS: [&str; 4] = ["protocolVersion", "clientInfo", "clientCapabilities", "logLevel"];

/// Members of modern results that older clients do not know.
const MODERN_MEMBERS: [&str; 3] = ["resultType", "ttlMs", "cacheScope"];

/// The parameters of a request of the gateway's own, with one member if it is there.
pub(crate) fn own_params(link: &Link, key: &str, value: Option<&Json>) -> Option<String> {
    let mut params = Object::default();
    if let Some(value) = value {
        params.set(key, value.clone());
    }
    if link.is_modern() {
        let mut meta = Object::default();
        set_client(&mut meta, &own_info(), &Object::default().to_json(), None);
        params.set("_meta", meta.to_json());
    }
    (!params.is_empty()).then(|| params.to_json().to_string())
}

/// The parameters of a client's request as the server behind `link` needs them.
pub(crate) fn params_for(
    link: &Link,
    exchange: &Exchange,
    params: Option<&Json>,
    edits: &[(&str, Option<Json>)],
    token: u64,
) -> String {
    let mut params = params.map(Object::of).unwrap_or_default();
    for (key, value) in edits {
        match value {
            Some(value) => params.set(key, value.clone()),
            None => {
                params.remove(key);
            }
        }
    }
    let mut meta = params.get("_meta").map(Object::of).unwrap_or_default();
    for key in CLIENT_KEYS {
        meta.remove(&format!("{META_PREFIX}{key}"));
    }
    if link.is_modern() {
        let client = &exchange.client;
        let level = exchange.log_level.as_deref();
        set_client(&mut meta, &client.info, &client.capabilities, level);
    }
    // Progress is always wanted: it shows that the server is alive.
    meta.set("progressToken", Json::number(token));
    params.set("_meta", meta.to_json());
    params.to_json().to_string()
}

fn set_client(meta: &mut Object, info: &Json, capabilities: &Json, level: Option<&str>) {
    let mut set = |key: &str, value: Json| meta.set(&format!("{META_PREFIX}{key}"), value);
    set("protocolVersion", Json::string(Protocol::LATEST.as_str()));
    set("clientInfo", info.clone());
    set("clientCapabilities", capabilities.clone());
    if let Some(level) = level {
        set("logLevel", Json::string(level));
    }
}

/// Whether results of this method say how long they may be kept.
fn is_cacheable(method: &str) -> bool {
    matches!(
        method,
        "tools/list"
            | "resources/list"
            | "resources/templates/list"
            | "resources/read"
            | "prompts/list"
            | "server/discover"
    )
}

/// A result that is not a tool's, for a client of this version.
pub(crate) fn result_for(protocol: Protocol, method: &str, result: &Json) -> Json {
    if !result.is_object() {
        return result.clone();
    }
    if !protocol.is_modern() {
        let mut members = Object::of(result);
        let was = members.len();
        MODERN_MEMBERS.iter().for_each(|key| {
            members.remove(key);
        });
        return if members.len() == was { result.clone() } else { members.to_json() };
    }
    let mut more = String::new();
    if result.get("resultType").is_none() {
        more.push_str(",\"resultType\":\"complete\"");
    }
    let is_final =
        result.get("resultType").is_none_or(|kind| kind.as_str().as_deref() == Some("complete"));
    if is_cacheable(method) && is_final {
        if result.get("ttlMs").is_none() {
            more.push_str(",\"ttlMs\":0");
        }
        if result.get("cacheScope").is_none() {
            more.push_str(",\"cacheScope\":\"private\"");
        }
    }
    with_members(result, &more)
}

/// An object with members added at its end; the rest stays the same to the byte.
fn with_members(object: &Json, more: &str) -> Json {
    let text = object.as_text().trim_end();
    let (Some(inner), false) = (text.strip_suffix('}'), more.is_empty()) else {
        return object.clone();
    };
    let is_empty = inner.trim_end().ends_with('{') && object.members().next().is_none();
    let more = if is_empty { more.trim_start_matches(',') } else { more };
    Json::parse(format!("{inner}{more}}}")).unwrap_or_else(|_| object.clone())
}

/// What stands in front of the members of a long result that is passed on from a file.
pub(crate) fn modern_members(method: &str) -> &'static str {
    match is_cacheable(method) {
        true => r#""resultType":"complete","ttlMs":0,"cacheScope":"private""#,
        false => r#""resultType":"complete""#,
    }
}

/// An error of a server, for a client of this version.
pub(crate) fn error_for(protocol: Protocol, method: &str, error: RpcError) -> RpcError {
    let code = match (protocol.is_modern(), method, error.code) {
        (true, _, rpc::RESOURCE_NOT_FOUND) => rpc::INVALID_PARAMS,
        (false, "resources/read", rpc::INVALID_PARAMS)
            if error.json.get("data").is_some_and(|data| data.get("uri").is_some()) =>
        {
            rpc::RESOURCE_NOT_FOUND
        }
        _ => return error,
    };
    let mut members = Object::of(&error.json);
    members.set("code", Json::parse(code.to_string()).unwrap_or(Json::null()));
    RpcError { code, json: members.to_json(), ..error }
}

/// What kind of result a modern server sent; nothing for a plain one.
pub(crate) fn unfinished(result: &Json) -> Option<String> {
    let kind = result.get("resultType")?;
    let kind = kind.as_str()?;
    (kind != "complete").then(|| kind.into_owned())
}

/// The order of log levels, from the least to the most important.
pub(crate) fn level_rank(level: &str) -> usize {
    const LEVELS: [&str; 8] =
        ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
    LEVELS.iter().position(|known| *known == level).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use resultant::{Json, Protocol};

    use super::{error_for, result_for};
    use crate::rpc::RpcError;

    #[test]
    fn results_get_what_the_version_needs_and_nothing_else() {
        let cases = [
            (
                Protocol::V2025_11_25,
                "prompts/get",
                r#"{"messages": [ ], "x":1}"#,
                r#"{"messages": [ ], "x":1}"#,
            ),
            (
                Protocol::V2025_06_18,
                "tools/list",
                r#"{"resultType":"complete","ttlMs":5,"tools":[]}"#,
                r#"{"tools":[]}"#,
            ),
            (
                Protocol::V2026_07_28,
                "resources/read",
                r#"{ "contents":[] , "ttlMs":9}"#,
                r#"{ "contents":[] , "ttlMs":9,"resultType":"complete","cacheScope":"private"}"#,
            ),
            (Protocol::V2026_07_28, "completion/complete", "{ }", r#"{ "resultType":"complete"}"#),
            (
                Protocol::V2026_07_28,
                "resources/read",
                r#"{"resultType":"input_required","requestState":"s"}"#,
                r#"{"resultType":"input_required","requestState":"s"}"#,
            ),
        ];
        for (protocol, method, sent, expected) in cases {
            let sent = Json::parse(sent).expect("JSON");
            assert_eq!(result_for(protocol, method, &sent).as_text(), expected);
        }
    }

    #[test]
    fn a_missing_resource_has_the_code_of_the_version() {
        let data = Json::parse(r#"{"uri":"x://y"}"#).expect("JSON");
        let legacy = RpcError::with_data(-32002, "no such resource", Some(&data));
        let modern = error_for(Protocol::V2026_07_28, "resources/read", legacy);
        assert_eq!(modern.code, -32602);
        let text = r#"{"code":-32602,"message":"no such resource","data":{"uri":"x://y"}}"#;
        assert_eq!(modern.json.to_string(), text);
        assert_eq!(error_for(Protocol::V2025_11_25, "resources/read", modern).code, -32002);
    }
}
