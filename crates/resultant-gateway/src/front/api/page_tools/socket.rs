//! A page's WebSocket from its first frame to its last: who it is, and what goes out.
//!
//! What goes out has a task and a queue of its own, so that a page that is slow to take something
//! does not keep us from hearing it, and one that takes nothing at all is cut off.
//!
//! A page of a foreign origin is let in as far as to hear that it is one: a browser tells a page
//! nothing of a status, and it could not tell that from a gateway that is not there.

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
use sha2::{Digest as _, Sha256};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use super::{
    super::Api,
    message::{FRAME_BYTES_MAX, Heard, Named, refused, welcome},
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
/// Who does not take a message for so many heartbeats is gone.
const SEND_BEATS: u32 = 2;
/// Who was told that the connection ends has so long to take that in.
const PARTING_TIME: Duration = Duration::from_secs(2);
/// So many pages of foreign origins are told that they are at the same time; others get a status.
static STRANGERS: Semaphore = Semaphore::const_new(64);
/// The most bytes that are read of those, to be passed over.
const STRANGER_BYTES_MAX: usize = 16 << 10;
/// So many messages wait for a page.
const WAITING_MAX: usize = 64;

/// Why a connection ends, as the WebSocket protocol has it; those above 4000 are ours.
pub(super) mod code {
    pub(in super::super) const GOING_AWAY: u16 = 1001;
    pub(in super::super) const TOO_LARGE: u16 = 1009;
    pub(in super::super) const COME_AGAIN: u16 = 1012;
    pub(in super::super) const BAD_MESSAGE: u16 = 4400;
    pub(in super::super) const CREDENTIALS: u16 = 4401;
    pub(in super::super) const ORIGIN: u16 = 4403;
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

    /// What tells this user from others in what a page is told: the same as long as the user and
    /// the page's origin are, so that pages of two origins cannot compare theirs.
    pub(super) fn user_id(&self, user: &User) -> String {
        let origin = self.origin().unwrap_or_default();
        let digest = Sha256::digest(format!("resultant page user\n{origin}\n{}", user.id));
        base64_simd::URL_SAFE_NO_PAD.encode_to_string(&digest[..16])
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

/// Tells a page that pages of its origin are not allowed, and does nothing else for it. Nothing
/// where too many are told that already.
pub(super) fn turn_away(upgrade: WebSocketUpgrade, refusal: Refusal) -> Option<Response> {
    let place = STRANGERS.try_acquire().ok()?;
    let told = |mut socket: WebSocket| async move {
        let text = refused("origin", &refusal);
        let farewell = async {
            let _ = socket.send(Message::Text(text.into())).await;
            let _ = socket.send(close_frame(code::ORIGIN, refusal.reason)).await;
            // What it says is passed over, until it hangs up.
            while let Some(Ok(_)) = socket.recv().await {}
        };
        let _ = tokio::time::timeout(PARTING_TIME, farewell).await;
        drop(place);
    };
    let upgrade = upgrade.protocols([PROTOCOL]).max_message_size(STRANGER_BYTES_MAX);
    Some(upgrade.max_frame_size(STRANGER_BYTES_MAX).on_upgrade(told))
}

async fn receive(socket: WebSocket, visit: Visit) {
    let (sink, mut heard) = socket.split();
    let (said, queue) = mpsc::channel(WAITING_MAX);
    let heartbeat = visit.api.gateway.config().pages.as_ref().map(|pages| pages.heartbeat);
    let patience = heartbeat.map_or(PARTING_TIME, |heartbeat| heartbeat * SEND_BEATS);
    let writer = tokio::spawn(write(sink, queue, patience));
    if let Some(away) = visit_to_its_end(&visit, &mut heard, &said).await {
        let TurnedAway { close, code, refusal } = away;
        let _ = said.send(Said::Text(refused(code, &refusal))).await;
        let _ = said.send(Said::Close { code: close, reason: refusal.reason }).await;
    }
    drop(said);
    // The page's answer to our farewell; who does not give one is let go of.
    let parting = async { while let Some(Ok(_)) = heard.next().await {} };
    let _ = tokio::time::timeout(PARTING_TIME, parting).await;
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
    let named = Named { name: &user.name, id: &visit.user_id(&user) };
    let text = welcome(None, &seat.id(), named, seat.pages());
    said.send(Said::Text(text)).await.ok()?;
    let (connection, origin) = (seat.id(), visit.origin().unwrap_or_default());
    tracing::info!(user = user.id, origin, connection, "a page is connected");
    let away = talk(visit, heard, said, token, (user, seat)).await;
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

fn close_frame(code: u16, mut reason: String) -> Message {
    // A close frame has room for so much.
    reason.truncate(reason.floor_char_boundary(120));
    Message::Close(Some(CloseFrame { code, reason: reason.into() }))
}

async fn write(
    mut sink: SplitSink<WebSocket, Message>,
    mut queue: mpsc::Receiver<Said>,
    patience: Duration,
) {
    while let Some(said) = queue.recv().await {
        let (message, is_end) = match said {
            Said::Text(text) => (Message::Text(text.into()), false),
            Said::Close { code, reason } => (close_frame(code, reason), true),
        };
        let sent = tokio::time::timeout(patience, sink.send(message)).await;
        if is_end || !matches!(sent, Ok(Ok(()))) {
            return;
        }
    }
}
