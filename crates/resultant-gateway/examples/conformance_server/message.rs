//! JSON-RPC messages as this server writes them, and the ways a request can end.

use serde_json::{Map, Value, json};

pub(crate) const INVALID_REQUEST: i64 = -32600;
pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
pub(crate) const INVALID_PARAMS: i64 = -32602;
pub(crate) const INTERNAL_ERROR: i64 = -32603;
pub(crate) const PARSE_ERROR: i64 = -32700;
/// Up to 2025-11-25, a resource that is not there.
pub(crate) const RESOURCE_NOT_FOUND: i64 = -32002;
/// What legacy servers say about sessions and versions over HTTP.
pub(crate) const SERVER_ERROR: i64 = -32000;
pub(crate) const HEADER_MISMATCH: i64 = -32020;
pub(crate) const MISSING_CAPABILITY: i64 = -32021;
pub(crate) const UNSUPPORTED_VERSION: i64 = -32022;

pub(crate) type Object = Map<String, Value>;

/// A request that does not end with a complete result.
pub(crate) enum Halt {
    Error(Failure),
    /// The result that asks for input.
    InputRequired(Value),
}

pub(crate) struct Failure {
    pub(crate) code: i64,
    pub(crate) message: String,
    pub(crate) data: Option<Value>,
}

impl Failure {
    pub(crate) fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    pub(crate) fn with(code: i64, message: impl Into<String>, data: Value) -> Self {
        Self { code, message: message.into(), data: Some(data) }
    }

    /// The answer to the request of this id.
    pub(crate) fn answer(self, id: &Value) -> Value {
        let Self { code, message, data } = self;
        let mut error = json!({ "code": code, "message": message });
        if let Some(data) = data {
            error["data"] = data;
        }
        json!({ "jsonrpc": "2.0", "id": id, "error": error })
    }
}

impl From<Failure> for Halt {
    fn from(failure: Failure) -> Self {
        Self::Error(failure)
    }
}

pub(crate) fn result(id: &Value, result: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

pub(crate) fn notification(method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

/// What a message is, by the members it has.
pub(crate) enum Incoming {
    Request { id: Value, method: String, params: Object },
    Notification { method: String, params: Object },
    Response { id: Value, outcome: Result<Value, Value> },
}

impl Incoming {
    pub(crate) fn read(message: Value) -> Result<Self, Failure> {
        let Value::Object(mut message) = message else {
            return Err(Failure::new(INVALID_REQUEST, "a message is one object"));
        };
        let id = message.remove("id");
        let params = match message.remove("params") {
            Some(Value::Object(params)) => params,
            None => Object::new(),
            Some(_) => return Err(Failure::new(INVALID_REQUEST, "params is not an object")),
        };
        match (message.remove("method"), id) {
            (Some(Value::String(method)), Some(id)) => Ok(Self::Request { id, method, params }),
            (Some(Value::String(method)), None) => Ok(Self::Notification { method, params }),
            (None, Some(id)) => match (message.remove("result"), message.remove("error")) {
                (Some(result), None) => Ok(Self::Response { id, outcome: Ok(result) }),
                (None, Some(error)) => Ok(Self::Response { id, outcome: Err(error) }),
                _ => Err(Failure::new(INVALID_REQUEST, "neither request nor response")),
            },
            _ => Err(Failure::new(INVALID_REQUEST, "neither request nor response")),
        }
    }
}
