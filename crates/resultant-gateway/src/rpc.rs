//! JSON-RPC messages over bytes: the envelope is read, what is in it stays the text it came in.
//!
//! A proxy needs the id, the method and a few fields of the parameters. Everything else goes
//! through untouched, also what a later revision of the protocol adds.

use bytes::Bytes;
use resultant::{Json, SyntaxError};

/// A message as it was sent.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) kind: Kind,
    /// The whole message, for what is read by others.
    pub(crate) json: Json,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Request {
        id: Json,
        method: String,
        params: Option<Json>,
    },
    Notification {
        method: String,
        params: Option<Json>,
    },
    Result {
        id: Json,
        result: Json,
    },
    Error {
        id: Option<Json>,
        error: RpcError,
    },
    /// JSON, but no message.
    Other,
}

/// Messages come alone, or several in a batch (2025-03-26 alone has batches).
#[derive(Clone, Debug)]
pub(crate) enum Batch {
    One(Message),
    Many(Vec<Message>),
}

impl Message {
    /// Reads one message.
    pub(crate) fn read(bytes: Bytes) -> Result<Message, SyntaxError> {
        Json::read_lenient(bytes).map(Message::of)
    }

    /// Reads one message or a batch.
    pub(crate) fn read_batch(bytes: Bytes) -> Result<Batch, SyntaxError> {
        let json = Json::read_lenient(bytes)?;
        Ok(match json.is_array() {
            true => Batch::Many(json.items().map(Message::of).collect()),
            false => Batch::One(Message::of(json)),
        })
    }

    /// The message that a JSON value is.
    pub(crate) fn of(json: Json) -> Message {
        let (mut id, mut method, mut params, mut result, mut error) =
            (None, None, None, None, None);
        for (key, value) in json.members() {
            match &*key {
                "id" => id = Some(value),
                "method" => method = Some(value),
                "params" => params = Some(value),
                "result" => result = Some(value),
                "error" => error = Some(value),
                _ => {}
            }
        }
        let id = id.filter(|id| !id.is_null());
        let method = method.and_then(|method| method.as_str().map(|name| name.into_owned()));
        let kind = match (method, id, error, result) {
            (Some(method), Some(id), _, _) => Kind::Request { id, method, params },
            (Some(method), None, _, _) => Kind::Notification { method, params },
            (None, id, Some(error), _) if !error.is_null() => {
                Kind::Error { id, error: RpcError::of(&error) }
            }
            (None, Some(id), _, Some(result)) => Kind::Result { id, result },
            _ => Kind::Other,
        };
        Message { kind, json }
    }
}

/// An error of the protocol, not of a tool.
#[derive(Clone, Debug)]
pub(crate) struct RpcError {
    pub(crate) code: i64,
    pub(crate) message: String,
    /// The whole error object, as it came or as it will be sent.
    pub(crate) json: Json,
}

pub(crate) const PARSE_ERROR: i64 = -32700;
pub(crate) const INVALID_REQUEST: i64 = -32600;
pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
pub(crate) const INVALID_PARAMS: i64 = -32602;
pub(crate) const INTERNAL_ERROR: i64 = -32603;
pub(crate) const RESOURCE_NOT_FOUND: i64 = -32002;
pub(crate) const HEADER_MISMATCH: i64 = -32020;
pub(crate) const MISSING_CAPABILITY: i64 = -32021;
pub(crate) const UNSUPPORTED_VERSION: i64 = -32022;

impl RpcError {
    pub(crate) fn new(code: i64, message: impl Into<String>) -> RpcError {
        RpcError::with_data(code, message, None)
    }

    pub(crate) fn with_data(
        code: i64,
        message: impl Into<String>,
        data: Option<&Json>,
    ) -> RpcError {
        let message = message.into();
        let mut text = format!("{{\"code\":{code},\"message\":{}", Json::string(&message));
        if let Some(data) = data {
            text.push_str(",\"data\":");
            text.push_str(data.as_text());
        }
        text.push('}');
        let json = Json::parse(text).unwrap_or(Json::null());
        RpcError { code, message, json }
    }

    /// An error as an upstream sent it.
    pub(crate) fn of(json: &Json) -> RpcError {
        let code = json.get("code").and_then(|code| code.as_text().parse().ok());
        let message = json.get("message");
        let message = message.as_ref().and_then(Json::as_str).unwrap_or_default().into_owned();
        match code {
            Some(code) => RpcError { code, message, json: json.clone() },
            // No error of the protocol: its words are kept as data.
            None => RpcError::with_data(
                INTERNAL_ERROR,
                if message.is_empty() { "the server sent a malformed error" } else { &message },
                Some(json),
            ),
        }
    }
}

/// Writes a request. `params` is JSON text.
pub(crate) fn request(id: u64, method: &str, params: Option<&str>) -> Bytes {
    with_params(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":"), method, params)
}

/// Writes a notification. `params` is JSON text.
pub(crate) fn notification(method: &str, params: Option<&str>) -> Bytes {
    with_params("{\"jsonrpc\":\"2.0\",\"method\":".to_owned(), method, params)
}

fn with_params(mut out: String, method: &str, params: Option<&str>) -> Bytes {
    out.reserve(method.len() + params.map_or(0, str::len) + 16);
    out.push_str(Json::string(method).as_text());
    if let Some(params) = params {
        out.push_str(",\"params\":");
        out.push_str(params);
    }
    out.push('}');
    out.into()
}

/// Writes a response with a result. `id` and `result` are JSON text.
pub(crate) fn result(id: &str, result: &str) -> Bytes {
    let mut out = String::with_capacity(id.len() + result.len() + 40);
    out.push_str("{\"jsonrpc\":\"2.0\",\"id\":");
    out.push_str(id);
    out.push_str(",\"result\":");
    out.push_str(result);
    out.push('}');
    out.into()
}

/// Writes a response with an error. `id` is JSON text.
pub(crate) fn error(id: &str, error: &RpcError) -> Bytes {
    let error = error.json.as_text();
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{error}}}").into()
}
