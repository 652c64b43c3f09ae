//! A page's connection among those of its user: what it says, it says through this. When it is
//! dropped, the connection's own tools go, and its calls have failed.

use std::sync::Arc;

use resultant::{Json, Object};

use super::{Incoming, Refusal, Roster, Tab};
use crate::{
    body::{Body, SpoolOptions},
    config::PagesConfig,
    rpc,
    upstream::{Upstream, WireError},
};

/// A connection's place.
pub(crate) struct Seat {
    roster: Arc<Roster>,
    upstream: Arc<Upstream>,
    number: u64,
    /// Why it ends, for those whose calls end with it.
    farewell: String,
}

impl Seat {
    pub(super) fn new(roster: Arc<Roster>, upstream: Arc<Upstream>, number: u64) -> Seat {
        let farewell = "the page's connection ended".to_owned();
        Seat { roster, upstream, number, farewell }
    }

    /// What the connection is known by.
    pub(crate) fn id(&self) -> String {
        self.number.to_string()
    }

    pub(crate) fn pages(&self) -> &PagesConfig {
        &self.roster.pages
    }

    pub(crate) fn spool(&self) -> &Arc<SpoolOptions> {
        &self.roster.spool
    }

    /// Says why the connection is about to end.
    pub(crate) fn ends(&mut self, reason: &str) {
        self.farewell = format!("the page's connection ended: {reason}");
    }

    fn refresh(&self, is_changed: bool) {
        if is_changed {
            self.upstream.offers_others();
        }
    }

    pub(crate) fn set_tab(&self, id: &str, tab: Tab) -> Result<(), Refusal> {
        self.roster.set_tab(self.number, id, tab)
    }

    pub(crate) fn close_tab(&self, id: &str) {
        self.refresh(self.roster.close_tab(self.number, id));
    }

    /// Offers a tool. Who is told so lists it.
    pub(crate) fn register(&self, tab: &str, tool: &Json) -> Result<(), Refusal> {
        self.roster.register(self.number, tab, tool).map(|is_changed| self.refresh(is_changed))
    }

    pub(crate) fn unregister(&self, tab: &str, name: &str) {
        self.refresh(self.roster.unregister(self.number, tab, name));
    }

    /// Whether this call of its is under way.
    pub(crate) fn is_waiting(&self, call: u64) -> bool {
        self.roster.is_waiting(self.number, call)
    }

    /// Whether any call of its is under way.
    pub(crate) fn is_busy(&self) -> bool {
        self.roster.is_busy(self.number)
    }

    /// A call has come further. `progress` has `progress`, `total` and `message`.
    pub(crate) fn progress(&self, call: u64, progress: &Json) {
        let Some(inbox) = self.roster.inbox(self.number, call) else { return };
        let mut params = Object::default();
        params.set("progressToken", Json::number(call));
        for key in ["progress", "total", "message"] {
            if let Some(value) = progress.get(key).filter(|value| !value.is_null()) {
                params.set(key, value);
            }
        }
        let params = params.to_json();
        let message = rpc::notification("notifications/progress", Some(params.as_text()));
        inbox.arrived(Body::Whole(message), Some(call));
    }

    /// A call has its result.
    pub(crate) fn result(&self, call: u64, result: &Json) {
        let Some(inbox) = self.roster.end(self.number, call) else { return };
        if !result.is_object() {
            let reason = "the page sent something that is no result".to_owned();
            return inbox.failed(call, WireError::Broken(reason));
        }
        // Whether there are questions before a result is not a page's to say.
        let mut members = Object::of(result);
        let message = match members.remove("resultType") {
            Some(_) => rpc::result(&call.to_string(), members.to_json().as_text()),
            None => rpc::result(&call.to_string(), result.as_text()),
        };
        inbox.arrived(Body::Whole(message), Some(call));
    }

    /// A call has a result that came in pieces.
    pub(crate) fn streamed(&self, incoming: Incoming<'_>) {
        let call = incoming.call();
        let Some(inbox) = self.roster.end(self.number, call) else { return };
        match incoming.finish() {
            Ok(body) => inbox.arrived(body, Some(call)),
            Err(error) => inbox.failed(call, error),
        }
    }

    /// A call failed for this reason.
    pub(crate) fn failed(&self, call: u64, error: WireError) {
        if let Some(inbox) = self.roster.end(self.number, call) {
            inbox.failed(call, error);
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.refresh(self.roster.leave(self.number, &self.farewell));
    }
}
