//! A page's WebSocket from its first frame to its last: who it is, and what goes out.
//!
//! What goes out has a task and a queue of its own, so that a page that is slow to take something
//! does not keep us from hearing it, and one that takes nothing at all is cut off.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade},
    http::{HeaderMap, header},
    response::Response,
};
use futures_util::{
    SinkExt as _, StreamExt as _,
    stream::{SplitSink, SplitStream},
};
use tokio::sync::{OwnedSemaphorePermit, mpsc};

use super::{
    super::Api,
    message::{FRAME_BYTES_MAX, Heard, refused, welcome},
    talk::talk,
};
use crate::{
    auth::Denied,
    caller::User,
    clock,
    page_tools::{ConnectionFacts, Refusal, Said, Seat},
};

/// The subprotocol: what a message is.
const PROTOCOL: &str = "resultant.page.v1";
/// Who does not say who they are for so long is let go.
const HELLO_TIME: Duration = Duration::from_secs(10);
/// Who does not take a message for so long is gone.
const SEND_TIME: Duration = Duration::from_secs(30);
/// So many messages wait for a page.
const WAITING_MAX: usize = 64;

/// Why a connection ends, as the WebSocket protocol has it; those above 4000 are ours.
pub(super) mod code {
    pub(in super::super) const GOING_AWAY: u16 = 1001;
    pub(in super::super) const TOO_LARGE: u16 = 1009;
    pub(in super::super) const COME_AGAIN: u16 = 1012;
    pub(in super::super) const BAD_MESSAGE: u16 = 4400;
    pub(in super::super) const CREDENTIALS: u16 = 4401;
    pub(in super::super) const SILENT: u16 = 4408;
    pub(in super::super) const LIMIT: u16 = 4429;
}

/// Somebody at the door.
pub(super) struct Visit {
    pub(super) api: Api,
    /// Of the request that the connection began with.
    headers: HeaderMap,
    _place: OwnedSemaphorePermit,
}

/// Why somebody is not let in, or not any more.
#[derive(Debug)]
pub(super) struct TurnedAway {
    pub(super) close: u16,
    pub(super) code: &'static str,
    pub(super) refusal: Refusal,
}

impl Visit {
    pub(super) fn new(api: Api, headers: HeaderMap, place: OwnedSemaphorePermit) -> Visit {
        Visit { api, headers, _place: place }
    }

    fn origin(&self) -> Option<String> {
        let origin = self.headers.get(header::ORIGIN)?.to_str().ok()?;
        Some(origin.trim().to_ascii_lowercase())
    }

    /// Whose page it is.
    pub(super) async fn identify(&self, token: Option<&str>) -> Result<Arc<User>, TurnedAway> {
        let auth = self.api.gateway.auth();
        let origin = self.origin();
        let known = auth.identify_page(&self.headers, token, origin.as_deref()).await;
        known.map_err(|denied| match denied {
            Denied::Unknown { .. } => TurnedAway {
                close: code::CREDENTIALS,
                code: "credentials",
                refusal: Refusal::new(
                    "this needs a valid credential",
                    "a token of `POST /api/page-tokens` that is for this origin and not over",
                ),
            },
            Denied::Unavailable => TurnedAway {
                close: code::COME_AGAIN,
                code: "unavailable",
                refusal: Refusal::new("who vouches for users does not answer", "come again"),
            },
        })
    }

    /// A place for it among the pages of its user.
    pub(super) fn join(
        &self,
        user: &Arc<User>,
        client: &(String, String),
        said: &mpsc::Sender<Said>,
    ) -> Result<Seat, TurnedAway> {
        let gateway = &self.api.gateway;
        let about = ConnectionFacts {
            id: String::new(),
            client: client.clone(),
            origin: self.origin(),
            since_ms: clock::now_ms(),
            tabs: Vec::new(),
            tools: Vec::new(),
        };
        let folder = gateway.store.incoming_folder();
        let joined = gateway.page_tools.join(&gateway.config(), folder, user, about, said.clone());
        joined.map_err(|refusal| TurnedAway { close: code::LIMIT, code: "limits", refusal })
    }
}

pub(super) fn serve(upgrade: WebSocketUpgrade, visit: Visit) -> Response {
    upgrade
        .protocols([PROTOCOL])
        .max_message_size(FRAME_BYTES_MAX)
        .max_frame_size(FRAME_BYTES_MAX)
        .on_upgrade(|socket| receive(socket, visit))
}

async fn receive(socket: WebSocket, visit: Visit) {
    let (sink, mut heard) = socket.split();
    let (said, queue) = mpsc::channel(WAITING_MAX);
    let writer = tokio::spawn(write(sink, queue));
    if let Some(away) = visit_to_its_end(&visit, &mut heard, &said).await {
        let TurnedAway { close, code, refusal } = away;
        let text = refused(code, &refusal.reason, &refusal.hint);
        let _ = said.send(Said::Text(text)).await;
        let _ = said.send(Said::Close { code: close, reason: refusal.reason }).await;
    }
    drop(said);
    // The page's answer to our farewell; who does not give one is let go of.
    let parting = async { while let Some(Ok(_)) = heard.next().await {} };
    let _ = tokio::time::timeout(Duration::from_secs(2), parting).await;
    let _ = writer.await;
}

/// The visit, and why it was ended from this side where it was.
async fn visit_to_its_end(
    visit: &Visit,
    heard: &mut SplitStream<WebSocket>,
    said: &mpsc::Sender<Said>,
) -> Option<TurnedAway> {
    let bad = |reason: String| TurnedAway {
        close: code::BAD_MESSAGE,
        code: "message",
        refusal: Refusal::new(reason, "see docs/api.md"),
    };
    let first = match tokio::time::timeout(HELLO_TIME, first_text(heard)).await {
        Ok(first) => first?,
        Err(_) => {
            let seconds = HELLO_TIME.as_secs();
            return Some(bad(format!("there was no `hello` within {seconds} seconds")));
        }
    };
    let (token, client) = match Heard::read(&first) {
        Ok(Heard::Hello { token, client }) => (token, client),
        Ok(_) => return Some(bad("the first message is `hello`".to_owned())),
        Err(reason) => return Some(bad(reason)),
    };
    let user = match visit.identify(token.as_deref()).await {
        Ok(user) => user,
        Err(away) => return Some(away),
    };
    let seat = match visit.join(&user, &client, said) {
        Ok(seat) => seat,
        Err(away) => return Some(away),
    };
    let text = welcome(&seat.id(), &user.name, seat.pages());
    said.send(Said::Text(text)).await.ok()?;
    let (connection, origin) = (seat.id(), visit.origin().unwrap_or_default());
    tracing::info!(user = user.id, origin, connection, "a page is connected");
    let away = talk(visit, heard, said, (token, client), (user, seat)).await;
    let reason = away.as_ref().map_or("it went", |away| away.refusal.reason.as_str());
    tracing::info!(connection, reason, "a page's connection ended");
    away
}

/// The first text; pings may come before it.
async fn first_text(heard: &mut SplitStream<WebSocket>) -> Option<String> {
    loop {
        match heard.next().await? {
            Ok(Message::Text(text)) => return Some(text.to_string()),
            Ok(Message::Ping(_) | Message::Pong(_)) => {}
            _ => return None,
        }
    }
}

async fn write(mut sink: SplitSink<WebSocket, Message>, mut queue: mpsc::Receiver<Said>) {
    while let Some(said) = queue.recv().await {
        let (message, is_end) = match said {
            Said::Text(text) => (Message::Text(text.into()), false),
            Said::Close { code, mut reason } => {
                // A close frame has room for so much.
                reason.truncate(reason.floor_char_boundary(120));
                (Message::Close(Some(CloseFrame { code, reason: reason.into() })), true)
            }
        };
        let sent = tokio::time::timeout(SEND_TIME, sink.send(message)).await;
        if is_end || !matches!(sent, Ok(Ok(()))) {
            return;
        }
    }
}
