//! What the server remembers of one client: a pipe's, or a session's over HTTP.
//!
//! Modern requests stand alone; over HTTP each gets a session of its own that nobody sees.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Mutex, MutexGuard, PoisonError},
};

use serde_json::{Value, json};
use tokio::{sync::oneshot, task::AbortHandle};

use crate::{
    message::{Object, notification},
    outlet::Outlet,
    server::{Change, Server},
};

/// Log levels, least first.
const LEVELS: [&str; 8] =
    ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// How urgent a level is; `None` for a word that is none.
pub(crate) fn urgency(level: &str) -> Option<usize> {
    LEVELS.iter().position(|candidate| *candidate == level)
}

pub(crate) struct Session {
    /// For what belongs to no request.
    pub(crate) general: Outlet,
    memory: Mutex<Memory>,
}

#[derive(Default)]
struct Memory {
    version: String,
    capabilities: Object,
    level: Option<String>,
    watched: BTreeSet<String>,
    /// Requests of ours that wait for their answer, by id.
    waiting: HashMap<String, oneshot::Sender<Result<Value, Value>>>,
    /// How often an input was asked for.
    asked: HashMap<&'static str, usize>,
    /// Requests of the client that are being worked on, by the text of their id.
    running: HashMap<String, AbortHandle>,
}

impl Session {
    pub(crate) fn new(general: Outlet) -> Self {
        Self { general, memory: Mutex::default() }
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        // Nothing panics while holding it, and if it did the data would still be whole.
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn begin(&self, version: &str, capabilities: Object) {
        let mut memory = self.memory();
        version.clone_into(&mut memory.version);
        memory.capabilities = capabilities;
    }

    pub(crate) fn version(&self) -> String {
        self.memory().version.clone()
    }

    pub(crate) fn has_capability(&self, name: &str) -> bool {
        self.memory().capabilities.contains_key(name)
    }

    pub(crate) fn set_level(&self, level: String) {
        self.memory().level = Some(level);
    }

    pub(crate) fn level(&self) -> Option<String> {
        self.memory().level.clone()
    }

    pub(crate) fn watch(&self, uri: String) {
        self.memory().watched.insert(uri);
    }

    pub(crate) fn unwatch(&self, uri: &str) {
        self.memory().watched.remove(uri);
    }

    /// An id that was never used in this session. It is the input's name as long as that is free,
    /// because a name is all that somebody in the middle can show to a modern client.
    pub(crate) fn expect(
        &self,
        name: &'static str,
    ) -> (String, oneshot::Receiver<Result<Value, Value>>) {
        let (sender, receiver) = oneshot::channel();
        let mut memory = self.memory();
        let count = memory.asked.entry(name).or_default();
        *count += 1;
        let id = if *count == 1 { name.to_owned() } else { format!("{name}-{count}") };
        memory.waiting.insert(id.clone(), sender);
        (id, receiver)
    }

    /// The client's answer to a request of ours. One that nobody waits for is dropped.
    pub(crate) fn resolve(&self, id: &Value, outcome: Result<Value, Value>) {
        let waiting = id.as_str().and_then(|id| self.memory().waiting.remove(id));
        if let Some(waiting) = waiting {
            drop(waiting.send(outcome));
        }
    }

    pub(crate) fn started(&self, id: &Value, handle: AbortHandle) {
        let mut memory = self.memory();
        memory.running.retain(|_, handle| !handle.is_finished());
        memory.running.insert(id.to_string(), handle);
    }

    pub(crate) fn cancel(&self, id: &Value) {
        if let Some(handle) = self.memory().running.remove(&id.to_string()) {
            handle.abort();
        }
    }

    /// Tells a legacy client what changes, for as long as the task lives.
    pub(crate) async fn tell_changes(&self, server: &Server) {
        let mut changes = server.changes.subscribe();
        while let Ok(change) = changes.recv().await {
            // Whoever has not begun a session listens otherwise, or not at all.
            if self.version().is_empty() {
                continue;
            }
            let message = match change {
                Change::Tools => notification("notifications/tools/list_changed", &json!({})),
                Change::Prompts => notification("notifications/prompts/list_changed", &json!({})),
                Change::Resource(uri) if self.memory().watched.contains(uri) => {
                    notification("notifications/resources/updated", &json!({ "uri": uri }))
                }
                Change::Resource(_) => continue,
            };
            self.general.send(message);
        }
    }
}
