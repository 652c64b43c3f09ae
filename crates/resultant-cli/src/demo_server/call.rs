//! One request on its way: its arguments, what it may tell the client meanwhile, and its answer.

use std::{
    io::{self, Write},
    ops::RangeInclusive,
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError},
    },
    time::Duration,
};

use resultant::{Failure, Json, Profile, Protocol, reply};
use serde::Serialize;
use serde_json::{Value, json};

use super::conversation::{Conversation, Event};

/// A request, and the line back to who sent it.
pub(super) struct Call {
    pub(super) id: Value,
    pub(super) method: String,
    pub(super) params: Value,
    /// The version that the answer is written in.
    pub(super) protocol: Protocol,
    /// What the client can do.
    pub(super) capabilities: Value,
    pub(super) events: Receiver<Event>,
    pub(super) conversation: Arc<Conversation>,
}

/// What a request comes to.
pub(super) enum Answer {
    Result(Json),
    Error(RpcError),
    /// The answer was written while it was made.
    Written,
    /// The client does not wait for one.
    Cancelled,
}

/// A JSON-RPC error.
#[derive(Debug)]
pub(super) struct RpcError {
    code: i64,
    message: String,
    data: Option<Value>,
}

impl RpcError {
    pub(super) fn new(code: i64, message: impl Into<String>) -> RpcError {
        RpcError { code, message: message.into(), data: None }
    }

    /// The parameters are not what the method takes.
    pub(super) fn invalid(message: impl Into<String>) -> RpcError {
        RpcError::new(-32602, message)
    }

    pub(super) fn unsupported_version(requested: &str) -> RpcError {
        let supported = Protocol::ALL.map(Protocol::as_str);
        RpcError::new(-32022, "unsupported protocol version")
            .with_data(json!({"requested": requested, "supported": supported}))
    }

    pub(super) fn with_data(self, data: Value) -> RpcError {
        RpcError { data: Some(data), ..self }
    }

    pub(super) fn to_value(&self) -> Value {
        let mut error = json!({"code": self.code, "message": self.message});
        if let Some(data) = &self.data {
            error["data"] = data.clone();
        }
        error
    }
}

impl Call {
    /// Sends the answer and ends the call.
    pub(super) fn finish(&self, answer: &Answer) {
        self.conversation.forget(&self.id);
        match answer {
            Answer::Result(result) => self.conversation.succeed(&self.id, result),
            Answer::Error(error) => self.conversation.fail(&self.id, error),
            Answer::Written | Answer::Cancelled => {}
        }
    }

    /// A value as this call's answer, the way `resultant` writes return values.
    pub(super) fn reply(&self, value: impl Serialize) -> Answer {
        Answer::Result(reply(value).protocol(self.protocol).to_json())
    }

    /// The same, with one text that equals the structured content.
    pub(super) fn reply_as_specified(&self, value: impl Serialize) -> Answer {
        let reply = reply(value).profile(Profile::Spec).protocol(self.protocol);
        Answer::Result(reply.to_json())
    }

    /// Writes the answer while it is made: `result` writes the result's JSON.
    pub(super) fn stream(&self, result: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Answer {
        self.conversation.write(|out| {
            write!(out, "{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":", self.id)?;
            result(out)?;
            out.write_all(b"}")
        });
        Answer::Written
    }

    fn argument(&self, name: &str) -> Option<&Value> {
        self.params["arguments"].get(name).filter(|value| !value.is_null())
    }

    /// An argument that is text.
    pub(super) fn text(&self, name: &str) -> Result<Option<&str>, Failure> {
        let wrong = || Failure::new(format_args!("`{name}` must be a string"));
        self.argument(name).map(|value| value.as_str().ok_or_else(wrong)).transpose()
    }

    /// A word out of a list; the first of the list without the argument.
    pub(super) fn word<'a>(&self, name: &str, words: &[&'a str]) -> Result<&'a str, Failure> {
        let Some(text) = self.text(name)? else { return Ok(words.first().copied().unwrap_or("")) };
        let found = words.iter().find(|word| **word == text);
        found.copied().ok_or_else(|| {
            Failure::new(format_args!("no {name} `{text}`; there are {}", words.join(", ")))
        })
    }

    /// Words out of a list; none without the argument.
    pub(super) fn words<'a>(&self, name: &str, words: &[&'a str]) -> Result<Vec<&'a str>, Failure> {
        let Some(value) = self.argument(name) else { return Ok(Vec::new()) };
        let wrong =
            || Failure::new(format_args!("`{name}` must be a list of {}", words.join(", ")));
        let items = value.as_array().ok_or_else(wrong)?;
        let known = |item: &Value| words.iter().copied().find(|word| *item == **word);
        items.iter().map(|item| known(item).ok_or_else(wrong)).collect()
    }

    /// An argument that is true or false.
    pub(super) fn flag(&self, name: &str, default: bool) -> Result<bool, Failure> {
        let Some(value) = self.argument(name) else { return Ok(default) };
        value.as_bool().ok_or_else(|| Failure::new(format_args!("`{name}` must be true or false")))
    }

    /// An argument that is a whole number within bounds.
    pub(super) fn number(
        &self,
        name: &str,
        default: u64,
        bounds: RangeInclusive<u64>,
    ) -> Result<u64, Failure> {
        let Some(value) = self.argument(name) else { return Ok(default) };
        // JSON has one kind of number, and some clients write 3 as 3.0.
        let whole = value.as_f64().filter(|number| number.fract() == 0.0 && *number >= 0.0);
        let number = value.as_u64().or_else(|| whole.map(|number| number as u64));
        number.filter(|number| bounds.contains(number)).ok_or_else(|| {
            let (low, high) = (bounds.start(), bounds.end());
            Failure::new(format_args!("`{name}` must be a whole number from {low} to {high}"))
        })
    }

    /// Tells the client how far the call is, if it wants to know.
    pub(super) fn progress(&self, progress: u64, total: u64, message: &str) {
        let Some(token) = self.params["_meta"].get("progressToken") else { return };
        let mut params = json!({"progressToken": token, "progress": progress, "total": total});
        if self.protocol >= Protocol::V2025_03_26 {
            params["message"] = json!(message);
        }
        self.conversation
            .send(&json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}));
    }

    /// Waits. `false` when the client does not want the answer any more, or is gone.
    pub(super) fn wait(&self, time: Duration) -> bool {
        matches!(self.events.recv_timeout(time), Err(RecvTimeoutError::Timeout))
    }

    /// Asks the client something and waits for the response, in versions that have such questions.
    pub(super) fn ask(&self, method: &str, params: &Value) -> Option<Value> {
        /// A person who has not answered by then is not there.
        const PATIENCE: Duration = Duration::from_secs(600);
        self.conversation.ask(&self.id, method, params);
        match self.events.recv_timeout(PATIENCE) {
            Ok(Event::Response(response)) => Some(response),
            Ok(Event::Cancelled) | Err(_) => None,
        }
    }
}
