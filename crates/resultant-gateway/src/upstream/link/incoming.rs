//! What comes over a connection finds whoever it is for.

use std::sync::{Arc, atomic::Ordering};

use bytes::Bytes;
use resultant::Json;
use tokio::sync::mpsc;

use super::{Event, Link, ServerRequest, Unbound, lock};
use crate::{
    body::{Body, Entrance, Envelope, LongMessage},
    client::Owner,
    rpc::{self, Kind, Message, RpcError},
    upstream::{
        stdio::id_in_head,
        wire::{Inbox, WireError},
    },
};

impl Link {
    fn arrived(self: &Arc<Link>, body: Body, during: Option<u64>) {
        let bytes = match body {
            // A byte order mark is none of the message's.
            Body::Whole(bytes) if bytes.starts_with(b"\xef\xbb\xbf") => bytes.slice(3..),
            Body::Whole(bytes) => bytes,
            Body::Spooled(spool) => {
                let message = LongMessage::of(spool.envelope());
                return self.long(message, Ok(Body::Spooled(spool)), during);
            }
            Body::Passed(id) => return self.answer(id, Ok(Body::Passed(id))),
            Body::Strayed(message) => {
                let lost = "a long answer of the server was taken for that to another request";
                return self.long(message, Err(WireError::Broken(lost.to_owned())), during);
            }
        };
        match Message::read_batch(bytes.clone()) {
            Ok(rpc::Batch::One(message)) => self.message(message, &bytes, during),
            Ok(rpc::Batch::Many(messages)) => {
                for message in messages {
                    let bytes = message.json.to_bytes();
                    self.message(message, &bytes, during);
                }
            }
            Err(error) => {
                if let Some((message, bytes)) = answer_after_log(&bytes) {
                    return self.message(message, &bytes, during);
                }
                // Tokens go before the line is cut: half of one is not known as one.
                let line = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]);
                let line: String = resultant_store::redact(&line).chars().take(200).collect();
                tracing::warn!(server = &*self.server, %error, line, "not a message");
                if let Some(id) = id_in_head(&bytes) {
                    let message = format!("the server's answer is no JSON: {error}");
                    self.answer(id, Err(WireError::Broken(message)));
                }
            }
        }
    }

    /// A long message. Only answers may be long.
    fn long(
        self: &Arc<Link>,
        message: LongMessage,
        body: Result<Body, WireError>,
        during: Option<u64>,
    ) {
        match message {
            LongMessage::Answer(id) => self.answer(id, body),
            LongMessage::Request(id) => {
                let message = "the request is too long";
                let refusal = rpc::error(&id, &RpcError::new(rpc::INVALID_REQUEST, message));
                let link = self.clone();
                tokio::spawn(async move { link.send(refusal, None).await });
            }
            LongMessage::Notification | LongMessage::NoMessage => {
                tracing::warn!(server = &*self.server, "a long line that is no answer");
            }
            LongMessage::AnswerToWhom => {
                let message = "a long answer of the server does not say to which request";
                self.lost(during, &WireError::Broken(message.to_owned()));
            }
        }
    }

    fn message(self: &Arc<Link>, message: Message, bytes: &Bytes, during: Option<u64>) {
        match message.kind {
            Kind::Result { id, .. } => self.answered(&id, bytes.clone()),
            Kind::Error { id: Some(id), .. } => self.answered(&id, bytes.clone()),
            // An error without an id, in the answer to a request, is the answer.
            Kind::Error { id: None, error } => match during {
                Some(id) => self.answer(id, Ok(Body::Whole(bytes.clone()))),
                None => tracing::warn!(server = &*self.server, error = error.message, "an error"),
            },
            Kind::Request { id, method, params } => {
                let link = self.clone();
                self.requested(ServerRequest { id, method, params, link }, during);
            }
            Kind::Notification { method, params } => self.notified(method, params, during),
            Kind::Other => {
                tracing::warn!(server = &*self.server, "JSON that is no message");
            }
        }
    }

    fn answered(&self, id: &Json, bytes: Bytes) {
        // Some servers send the id back as a string.
        let id = id.as_u64().or_else(|| id.as_str().and_then(|id| id.parse().ok()));
        match id {
            Some(id) => self.answer(id, Ok(Body::Whole(bytes))),
            None => tracing::warn!(server = &*self.server, "an answer to a request never made"),
        }
    }

    fn answer(&self, id: u64, answer: Result<Body, WireError>) {
        match lock(&self.waiting).remove(&id) {
            Some(waiting) => {
                if waiting.owner != Owner::GATEWAY && answer.is_ok() {
                    self.has_served.store(true, Ordering::Relaxed);
                }
                let _ = waiting.answer.send(answer);
            }
            // Cancelled, timed out, or answered before.
            None => tracing::debug!(server = &*self.server, id, "an answer nobody waits for"),
        }
    }

    /// Who waits for a long message that begins, if they take it as it comes. A server may say at
    /// the end only what it answers; then it is for the only one who waits.
    fn begins(&self, beginning: &Envelope, during: Option<u64>) -> Option<Entrance> {
        beginning.result?;
        let said = match LongMessage::of(beginning) {
            LongMessage::Answer(id) => Some(id),
            LongMessage::AnswerToWhom => during,
            _ => return None,
        };
        let (id, takes) = {
            let waiting = lock(&self.waiting);
            let (id, call) = match said {
                Some(id) => (id, waiting.get(&id)?),
                None if waiting.len() == 1 => {
                    waiting.first_key_value().map(|(id, call)| (*id, call))?
                }
                None => return None,
            };
            (id, call.takes.clone()?)
        };
        takes.upgrade()?.take(id)
    }

    fn lost(&self, id: Option<u64>, error: &WireError) {
        let id = id.filter(|id| lock(&self.waiting).contains_key(id));
        let ids: Vec<u64> = match id {
            Some(id) => vec![id],
            // Nobody knows whose it was: whoever waits might wait for ever.
            None => lock(&self.waiting).keys().copied().collect(),
        };
        for id in ids {
            self.answer(id, Err(error.clone()));
        }
    }

    fn notified(&self, method: String, params: Option<Json>, during: Option<u64>) {
        let token = match method.as_str() {
            "notifications/progress" => {
                let token = params.as_ref().and_then(|params| params.get("progressToken"));
                let Some(token) = token.and_then(|token| token.as_u64()) else { return };
                Some(token)
            }
            _ => None,
        };
        let events = match method.as_str() {
            "notifications/message" => match self.addressee(during) {
                Addressee::Call(events) => Some(events),
                Addressee::Owner(_) | Addressee::Nobody => None,
            },
            _ => token
                .and_then(|id| lock(&self.waiting).get(&id).map(|waiting| waiting.events.clone())),
        };
        match events {
            // A flood of progress is thinned out: what does not fit is dropped.
            Some(events) => {
                let _ = events.try_send(Event::Notification { method, params });
            }
            None if method == "notifications/progress" => {}
            None => {
                let _ = self.unbound.send(Unbound::Notification { method, params });
            }
        }
    }

    fn requested(self: &Arc<Link>, request: ServerRequest, during: Option<u64>) {
        if request.method == "ping" {
            request.spawn_answer(Ok(Json::parse("{}").unwrap_or(Json::null())));
            return;
        }
        self.asks.store(true, Ordering::Relaxed);
        let addressee = self.addressee(during);
        match addressee {
            Addressee::Call(events) => {
                if let Err(error) = events.try_send(Event::Request(request))
                    && let Event::Request(request) = error.into_inner()
                {
                    request.spawn_refusal("too many requests wait for the client");
                }
            }
            Addressee::Owner(owner) => {
                let _ = self.unbound.send(Unbound::Request { request, owner });
            }
            Addressee::Nobody => {
                request.spawn_refusal("several clients share this connection, or none");
            }
        }
    }

    fn addressee(&self, during: Option<u64>) -> Addressee {
        let waiting = lock(&self.waiting);
        if let Some(call) = during.and_then(|id| waiting.get(&id)) {
            return Addressee::Call(call.events.clone());
        }
        let mut of_clients = waiting.values().rev().filter(|call| call.owner != Owner::GATEWAY);
        if let Some(latest) = of_clients.next() {
            // Callers without a session are not told apart: one of them may be asked, not two.
            let is_alone =
                of_clients.all(|call| latest.owner.is_session() && call.owner == latest.owner);
            return match is_alone {
                true => Addressee::Call(latest.events.clone()),
                false => Addressee::Nobody,
            };
        }
        drop(waiting);
        match self.users().as_slice() {
            [owner] if owner.is_session() => Addressee::Owner(*owner),
            _ => Addressee::Nobody,
        }
    }
}

enum Addressee {
    Call(mpsc::Sender<Event>),
    Owner(Owner),
    Nobody,
}

pub(super) struct LinkInbox(pub(super) std::sync::Weak<Link>);

impl Inbox for LinkInbox {
    fn begins(&self, beginning: &Envelope, during: Option<u64>) -> Option<Entrance> {
        self.0.upgrade()?.begins(beginning, during)
    }

    fn arrived(&self, body: Body, during: Option<u64>) {
        if let Some(link) = self.0.upgrade() {
            link.arrived(body, during);
        }
    }

    fn failed(&self, id: u64, error: WireError) {
        if let Some(link) = self.0.upgrade() {
            link.answer(id, Err(error));
        }
    }

    fn lost(&self, id: Option<u64>, error: WireError) {
        if let Some(link) = self.0.upgrade() {
            link.lost(id, &error);
        }
    }

    fn closed(&self, error: WireError) {
        if let Some(link) = self.0.upgrade() {
            link.end(&error);
            let _ = link.unbound.send(Unbound::Closed(error));
        }
    }
}

/// The answer at the end of a line that begins with something else: programs print what has no
/// line end, such as a progress bar. Only whole answers are taken for such; a log line that quotes
/// a request is a log line.
fn answer_after_log(line: &Bytes) -> Option<(Message, Bytes)> {
    let at = memchr::memmem::rfind(line, b"{\"jsonrpc\"").filter(|at| *at > 0)?;
    let rest = line.slice(at..);
    let message = Message::read(rest.clone()).ok()?;
    let is_answer = matches!(message.kind, Kind::Result { .. } | Kind::Error { id: Some(_), .. });
    is_answer.then_some((message, rest))
}
