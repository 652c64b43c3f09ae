//! Both ends of the connection: what came in and is still running, and what goes out, one whole
//! message after the other.
//!
//! A call waits on a channel of its own. A cancellation and the client's answer to a question both
//! come through it, so a waiting call needs no clock and no polling.

use std::{
    collections::HashMap,
    io::{self, BufWriter, Write},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{Sender, channel},
    },
};

use resultant::{Json, Protocol};
use serde_json::{Value, json};

use super::call::{Call, RpcError};

/// Where a modern request says which version it is written in.
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
/// Where a modern request says what its client can do.
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";

/// The connection to one client.
pub(super) struct Conversation {
    output: Mutex<BufWriter<io::Stdout>>,
    state: Mutex<State>,
}

struct State {
    /// What the handshake agreed on; a modern request does not need it.
    protocol: Protocol,
    capabilities: Value,
    /// The calls that run, by the text of their id.
    calls: HashMap<String, Sender<Event>>,
    /// Our own questions to the client, and who waits for the answer.
    questions: HashMap<String, Sender<Event>>,
    questions_asked: u64,
}

/// Something that a waiting call learns.
pub(super) enum Event {
    /// The client does not want the answer any more.
    Cancelled,
    /// The client's response to our question.
    Response(Value),
}

/// A line, understood.
pub(super) enum Incoming {
    /// A notification or a response: seen to already.
    Nothing,
    /// No message.
    Broken(RpcError),
    /// A request that wants an answer.
    Request(Box<Call>),
}

impl Default for Conversation {
    fn default() -> Conversation {
        let state = State {
            protocol: Protocol::V2025_11_25,
            capabilities: json!({}),
            calls: HashMap::new(),
            questions: HashMap::new(),
            questions_asked: 0,
        };
        Conversation {
            output: Mutex::new(BufWriter::with_capacity(64 << 10, io::stdout())),
            state: Mutex::new(state),
        }
    }
}

impl Conversation {
    /// Takes a line in. Notifications and responses are seen to at once.
    pub(super) fn receive(self: &Arc<Conversation>, line: &[u8]) -> Incoming {
        if line.is_empty() {
            return Incoming::Nothing;
        }
        let Ok(message) = serde_json::from_slice::<Value>(line) else {
            return Incoming::Broken(RpcError::new(-32700, "the line is no JSON"));
        };
        let id = message.get("id").filter(|id| id.is_string() || id.is_number());
        match (message["method"].as_str(), id) {
            (Some("notifications/cancelled"), _) => {
                let id = message["params"]["requestId"].to_string();
                self.tell(|state| state.calls.get(&id).cloned(), Event::Cancelled);
                Incoming::Nothing
            }
            (Some(_), None) => Incoming::Nothing,
            (Some(method), Some(id)) => self.begin(method, id, &message["params"]),
            (None, Some(id)) => {
                let id = id.to_string();
                self.tell(|state| state.questions.remove(&id), Event::Response(message));
                Incoming::Nothing
            }
            (None, None) => Incoming::Broken(RpcError::new(-32600, "the line is no message")),
        }
    }

    fn begin(self: &Arc<Conversation>, method: &str, id: &Value, params: &Value) -> Incoming {
        let mut state = self.state();
        let meta = &params["_meta"];
        let (mut protocol, mut capabilities) = (state.protocol, state.capabilities.clone());
        if let Some(requested) = meta[VERSION_KEY].as_str() {
            match requested.parse::<Protocol>() {
                Ok(version) => protocol = version,
                Err(_) => {
                    drop(state);
                    self.fail(id, &RpcError::unsupported_version(requested));
                    return Incoming::Nothing;
                }
            }
            capabilities = meta[CAPABILITIES_KEY].clone();
        } else if method == "initialize" {
            // The newest version has no handshake, so a client that greets gets the one before it.
            let wanted = params["protocolVersion"].as_str().and_then(|text| text.parse().ok());
            let wanted = wanted.filter(|version: &Protocol| !version.is_modern());
            protocol = wanted.unwrap_or(Protocol::V2025_11_25);
            capabilities = params["capabilities"].clone();
            (state.protocol, state.capabilities) = (protocol, capabilities.clone());
        }
        let (sender, events) = channel();
        state.calls.insert(id.to_string(), sender);
        Incoming::Request(Box::new(Call {
            id: id.clone(),
            method: method.to_owned(),
            params: params.clone(),
            protocol,
            capabilities,
            events,
            conversation: Arc::clone(self),
        }))
    }

    fn tell(&self, who: impl FnOnce(&mut State) -> Option<Sender<Event>>, event: Event) {
        let sender = who(&mut self.state());
        if let Some(sender) = sender {
            // Whoever waited may have ended in between.
            let _ = sender.send(event);
        }
    }

    /// Asks the client something on behalf of a call, which gets the response as an event.
    pub(super) fn ask(&self, call: &Value, method: &str, params: &Value) {
        let id = {
            let mut state = self.state();
            let Some(sender) = state.calls.get(&call.to_string()).cloned() else { return };
            state.questions_asked += 1;
            let id = json!(format!("demo-{}", state.questions_asked));
            state.questions.insert(id.to_string(), sender);
            id
        };
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
    }

    /// A call has ended: nobody waits for its events any more.
    pub(super) fn forget(&self, call: &Value) {
        self.state().calls.remove(&call.to_string());
    }

    /// The client is gone. Calls that wait for it learn so from their channel.
    pub(super) fn hang_up(&self) {
        let mut state = self.state();
        state.calls.clear();
        state.questions.clear();
    }

    pub(super) fn send(&self, message: &Value) {
        self.write(|out| out.write_all(message.to_string().as_bytes()));
    }

    pub(super) fn succeed(&self, id: &Value, result: &Json) {
        self.write(|out| {
            write!(out, "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":")?;
            out.write_all(result.as_text().as_bytes())?;
            out.write_all(b"}")
        });
    }

    pub(super) fn fail(&self, id: &Value, error: &RpcError) {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "error": error.to_value()}));
    }

    /// Writes one message. Nothing else is written until it is whole.
    pub(super) fn write(&self, message: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        let written = message(&mut *output).and_then(|()| output.write_all(b"\n"));
        // A client that does not read any more closes our input too, which ends the server.
        let _ = written.and_then(|()| output.flush());
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
