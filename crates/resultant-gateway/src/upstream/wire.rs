//! The ways bytes go to a server and come back: what a connection asks of them.
//!
//! A wire knows frames, not meaning. It hands whole messages to the [`Inbox`] of the connection it
//! belongs to, says which request a message came along with where the transport knows that (over
//! HTTP, the answer's own stream), and says it when a request cannot be answered any more.

use std::{future::Future, pin::Pin, sync::Arc};

use bytes::Bytes;

use crate::body::{Addressees, Body, Entrance, Envelope};

/// A message for the server.
#[derive(Clone, Debug)]
pub(crate) struct Outgoing {
    /// The message, without a line end.
    pub(crate) bytes: Bytes,
    /// The id we gave it, when it is a request.
    pub(crate) id: Option<u64>,
    /// The method, for requests and notifications.
    pub(crate) method: Option<String>,
    /// What goes into headers where the transport has such (`Mcp-Name`, `Mcp-Param-*`); values
    /// are as they should be sent.
    pub(crate) headers: Vec<(String, String)>,
}

/// One connection to a server.
pub(crate) trait Wire: Send + Sync {
    /// Sends a message. It returns when the message is out; what comes back goes to the inbox. An
    /// error means that nothing reached the server.
    fn send(
        &self,
        message: Outgoing,
    ) -> Pin<Box<dyn Future<Output = Result<(), WireError>> + Send + '_>>;

    /// Nobody waits for the answer of this request any more. Says whether that tells the server so,
    /// as closing the stream of a modern HTTP request does.
    fn forget(&self, id: u64) -> bool;

    /// What was negotiated, once it is known: the version for the headers; with `listen` a legacy
    /// HTTP wire also opens the stream for messages that belong to no request.
    fn negotiated(&self, protocol: resultant::Protocol);

    /// Ends the connection: a child process gets time to leave, an HTTP session is deleted.
    fn close(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;
}

/// Takes what comes over a wire. The calls are quick and never wait.
pub(crate) trait Inbox: Send + Sync {
    /// A long message begins; whoever waits for it may want it as it comes.
    fn begins(&self, beginning: &Envelope, during: Option<u64>) -> Option<Entrance>;

    /// A whole message; `during` is the request in whose answer it came, where that is known.
    fn arrived(&self, body: Body, during: Option<u64>);

    /// This request will get no answer.
    fn failed(&self, id: u64, error: WireError);

    /// A message was lost on the way; `id` is what its beginning says it answers.
    fn lost(&self, id: Option<u64>, error: WireError);

    /// Nothing will come any more. Requests that wait get no answer.
    fn closed(&self, error: WireError);
}

pub(crate) type SharedInbox = Arc<dyn Inbox>;

/// Those who wait for what comes over a wire, or during the answer to one request.
pub(crate) struct Expected<'a> {
    pub(crate) inbox: &'a dyn Inbox,
    pub(crate) during: Option<u64>,
}

impl Addressees for Expected<'_> {
    fn begins(&self, beginning: &Envelope) -> Option<Entrance> {
        self.inbox.begins(beginning, self.during)
    }
}

/// What can go wrong on the way.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum WireError {
    /// The server could not be started or reached; nothing was sent.
    #[error("{0}")]
    Unreachable(String),
    /// The connection broke while an answer was waited for: nobody knows whether it was done.
    #[error("{0}")]
    Broken(String),
    /// The answer is over a limit.
    #[error("{message}")]
    Limit { limit: &'static str, message: String },
    /// The server wants a token that we have not, or not any more.
    #[error("{0}")]
    Unauthorized(String),
    /// The session is gone (404); a new connection is needed.
    #[error("the server has forgotten the session")]
    SessionGone,
    /// The server answered with a status that says no.
    #[error("the server answered {status}: {text}")]
    Status { status: u16, text: String },
}
