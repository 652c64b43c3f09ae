//! A raw MCP client: bytes in, bytes out, in either era, over stdio and streamable HTTP.
//!
//! The SDKs read results into types of their own, so they cannot show whether a result came
//! through byte for byte. This client keeps every message as it was on the wire and looks only at
//! what it must: `id`, `method`, `result`, `error`. It is blocking and uses threads, which keeps
//! tests readable and costs a load generator next to nothing. All waits are bounded.
#![expect(clippy::allow_attributes, reason = "which parts are dead differs from test to test")]
#![allow(dead_code, reason = "each test uses its own part of the client")]

mod gateway;
mod http;
mod message;
mod peer;
pub(crate) mod response;
mod same_bytes;
mod stdio;

use std::{
    process::Command,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use serde_json::{Value, json};

#[allow(unused_imports, reason = "each test uses its own part of the client")]
pub(crate) use self::{
    gateway::Gateway,
    message::Message,
    peer::{Node, Server, client_script, find_peer, free_port, node_folder, server_script},
    same_bytes::{Sameness, check_era, compare, members},
};
use self::{http::Http, stdio::Stdio};

/// Longer than anything here takes, so that a hang ends as a failure that says where.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) const LEGACY: &str = "2025-11-25";
pub(crate) const MODERN: &str = "2026-07-28";

const META_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const META_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const META_CLIENT: &str = "io.modelcontextprotocol/clientInfo";

/// Answers a server's own request with a result, or refuses it.
pub(crate) type Answer = dyn Fn(&Message) -> Option<Value> + Send + Sync;

/// Who the client says it is, and what it does when asked.
#[derive(Clone)]
pub(crate) struct Identity {
    /// The name in `clientInfo`.
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) capabilities: Value,
    answer: Arc<Answer>,
}

impl Identity {
    /// A client that has no capabilities and refuses every request.
    pub(crate) fn plain(version: &str) -> Self {
        Self::named("raw", version)
    }

    /// The same under another name: what a client is known to show its model goes by the name.
    pub(crate) fn named(name: &str, version: &str) -> Self {
        Self {
            name: name.to_owned(),
            version: version.to_owned(),
            capabilities: json!({}),
            answer: Arc::new(|_: &Message| None),
        }
    }

    pub(crate) fn answering(
        version: &str,
        capabilities: Value,
        answer: impl Fn(&Message) -> Option<Value> + Send + Sync + 'static,
    ) -> Self {
        Self { capabilities, answer: Arc::new(answer), ..Self::plain(version) }
    }

    fn is_modern(&self) -> bool {
        self.version.as_str() >= MODERN
    }
}

/// What came that answers no request of ours, in order.
#[derive(Default)]
struct Inbox {
    messages: Mutex<Vec<Message>>,
    arrived: Condvar,
}

impl Inbox {
    fn put(&self, message: Message) {
        lock(&self.messages).push(message);
        self.arrived.notify_all();
    }
}

enum Wire {
    Stdio(Stdio),
    Http(Http),
}

/// A connected client. Its methods may be called from several threads at once.
pub(crate) struct Client {
    wire: Wire,
    identity: Identity,
    inbox: Arc<Inbox>,
    next_id: AtomicU64,
    /// The result of `initialize` or `server/discover`.
    pub(crate) server: Value,
}

impl Client {
    /// Starts a server as a child process and connects to it over stdio.
    pub(crate) fn stdio(command: &mut Command, identity: &Identity) -> anyhow::Result<Self> {
        let inbox = Arc::new(Inbox::default());
        let stdio = Stdio::start(command, Arc::clone(&inbox), Arc::clone(&identity.answer))?;
        Self::connect(Wire::Stdio(stdio), identity, inbox)
    }

    /// Connects over streamable HTTP.
    pub(crate) fn http(url: &str, identity: &Identity) -> anyhow::Result<Self> {
        let inbox = Arc::new(Inbox::default());
        let http = Http::new(url, None, Arc::clone(&inbox), Arc::clone(&identity.answer))?;
        Self::connect(Wire::Http(http), identity, inbox)
    }

    /// The same as a user with a key, and through a load balancer: no connection is used twice.
    pub(crate) fn http_as(url: &str, identity: &Identity, key: &str) -> anyhow::Result<Self> {
        let inbox = Arc::new(Inbox::default());
        let http = Http::new(url, Some(key), Arc::clone(&inbox), Arc::clone(&identity.answer))?;
        Self::connect(Wire::Http(http), identity, inbox)
    }

    fn connect(wire: Wire, identity: &Identity, inbox: Arc<Inbox>) -> anyhow::Result<Self> {
        let mut client = Self {
            wire,
            identity: identity.clone(),
            inbox,
            next_id: AtomicU64::new(1),
            server: Value::Null,
        };
        if identity.is_modern() {
            client.server = client.result("server/discover", json!({}))?;
            return Ok(client);
        }
        let params = json!({
            "protocolVersion": identity.version,
            "capabilities": identity.capabilities,
            "clientInfo": {"name": identity.name, "version": "1"},
        });
        client.server = client.result("initialize", params)?;
        if let Wire::Http(http) = &mut client.wire {
            let version = client.server["protocolVersion"].as_str();
            http.set_version(version.context("initialize without a protocolVersion")?);
        }
        client.notify("notifications/initialized", &json!({}))?;
        Ok(client)
    }

    /// Sends a request and waits for its answer, whatever it is.
    pub(crate) fn request(&self, method: &str, params: Value) -> anyhow::Result<Message> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        self.request_as(id, method, params)
    }

    /// The same under an id of the caller's choice, for requests that are to be cancelled.
    pub(crate) fn request_as(
        &self,
        id: u64,
        method: &str,
        params: Value,
    ) -> anyhow::Result<Message> {
        let params = self.with_meta(params);
        let name = params.get("name").or_else(|| params.get("uri")).and_then(Value::as_str);
        let body = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        let body = body.to_string();
        let answer = match &self.wire {
            Wire::Stdio(stdio) => stdio.request(id, &body),
            Wire::Http(http) if self.identity.is_modern() => {
                http.request(id, &body, Some((&self.identity.version, method, name)))
            }
            Wire::Http(http) => http.request(id, &body, None),
        };
        answer.with_context(|| format!("{method} (id {id})"))
    }

    /// An id that no other request of this client has.
    pub(crate) fn reserve_id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// The result of a request that must succeed, as a value.
    pub(crate) fn result(&self, method: &str, params: Value) -> anyhow::Result<Value> {
        let answer = self.request(method, params)?;
        let Some(result) = answer.result() else { bail!("{method}: {}", answer.text()) };
        Ok(serde_json::from_str(result)?)
    }

    /// `tools/call`; the answer as it came.
    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> anyhow::Result<Message> {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    pub(crate) fn notify(&self, method: &str, params: &Value) -> anyhow::Result<()> {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string())
    }

    /// Sends a message that has no answer, as it is.
    pub(crate) fn send(&self, body: &str) -> anyhow::Result<()> {
        match &self.wire {
            Wire::Stdio(stdio) => stdio.send(body),
            Wire::Http(http) => http.notify(body),
        }
    }

    /// Opens the legacy stream of what a server says unasked. Over stdio there is nothing to open.
    pub(crate) fn listen(&self) -> anyhow::Result<()> {
        match &self.wire {
            Wire::Stdio(_) => Ok(()),
            Wire::Http(http) => http.listen(),
        }
    }

    /// What came beside the answers since the last time.
    pub(crate) fn take_inbox(&self) -> Vec<Message> {
        std::mem::take(&mut *lock(&self.inbox.messages))
    }

    /// Waits for a message that answers no request and removes it from the inbox.
    pub(crate) fn wait_for(&self, wanted: impl Fn(&Message) -> bool) -> anyhow::Result<Message> {
        let end = Instant::now() + PATIENCE;
        let mut messages = lock(&self.inbox.messages);
        loop {
            if let Some(at) = messages.iter().position(&wanted) {
                return Ok(messages.remove(at));
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                bail!("the awaited message did not come");
            }
            let waited = self.inbox.arrived.wait_timeout(messages, left);
            messages = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn with_meta(&self, mut params: Value) -> Value {
        if self.identity.is_modern()
            && let Some(params) = params.as_object_mut()
            && let Some(meta) = params.entry("_meta").or_insert_with(|| json!({})).as_object_mut()
        {
            meta.insert(META_VERSION.to_owned(), json!(self.identity.version));
            meta.insert(META_CAPABILITIES.to_owned(), self.identity.capabilities.clone());
            let client = json!({"name": self.identity.name, "version": "1"});
            meta.insert(META_CLIENT.to_owned(), client);
        }
        params
    }
}

/// A thread that panicked while it held a lock has reported that already.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What to send back for a server's request.
fn reply(request: &Message, answer: &Answer) -> Option<String> {
    let id = request.id()?;
    Some(match answer(request) {
        Some(result) => format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#),
        None => format!(
            r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"refused"}}}}"#
        ),
    })
}
