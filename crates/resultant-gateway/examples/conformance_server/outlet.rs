//! Where the messages of one request go: down a channel, or into a log that can be read again.
//!
//! The log is what a legacy stream over HTTP needs. The connection may end before the answer is
//! there, by the client's doing or by ours, and the client comes back with the last event it saw.

use std::sync::Arc;

use futures_util::{Stream, stream};
use serde_json::Value;
use tokio::sync::{mpsc, watch};

#[derive(Clone)]
pub(crate) enum Outlet {
    Channel(mpsc::UnboundedSender<Value>),
    Log(Arc<Log>),
}

impl Outlet {
    pub(crate) fn send(&self, message: Value) {
        match self {
            // The reader is gone, and with it whoever wanted to know.
            Self::Channel(channel) => drop(channel.send(message)),
            Self::Log(log) => log.state.send_modify(|state| state.messages.push(message)),
        }
    }

    /// Ends the connection, not the call, where that can be told apart.
    pub(crate) fn disconnect(&self) {
        if let Self::Log(log) = self {
            log.state.send_modify(|state| state.disconnects += 1);
        }
    }
}

/// The messages of one stream, kept.
pub(crate) struct Log {
    pub(crate) name: String,
    state: watch::Sender<State>,
}

#[derive(Default)]
struct State {
    messages: Vec<Value>,
    disconnects: usize,
    finished: bool,
}

impl Log {
    pub(crate) fn new(name: String) -> Arc<Self> {
        Arc::new(Self { name, state: watch::Sender::new(State::default()) })
    }

    /// Nothing more will come.
    pub(crate) fn finish(&self) {
        self.state.send_modify(|state| state.finished = true);
    }

    pub(crate) fn len(&self) -> usize {
        self.state.borrow().messages.len()
    }

    /// The messages from the given one on, with their numbers, until the stream is finished or
    /// disconnected.
    pub(crate) fn read(&self, from: usize) -> impl Stream<Item = (usize, Value)> + use<> {
        let receiver = self.state.subscribe();
        let disconnects = receiver.borrow().disconnects;
        stream::unfold((receiver, from), move |(mut receiver, next)| async move {
            let message = receiver
                .wait_for(|state| {
                    state.messages.len() > next || state.finished || state.disconnects > disconnects
                })
                .await
                .ok()?
                .messages
                .get(next)
                .cloned()?;
            Some(((next, message), (receiver, next + 1)))
        })
    }
}
