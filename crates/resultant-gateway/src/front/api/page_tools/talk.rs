//! What is said with a page that was let in, until one side has enough.
//!
//! The gateway owns the limits: how long a frame and a result are, how long nothing is heard, and
//! for how long a credential holds, which is looked at again and again, because a connection can
//! outlive it.

use std::{collections::HashMap, sync::Arc, time::Duration};

use axum::extract::ws::{Message, WebSocket};
use bytes::Bytes;
use futures_util::{StreamExt as _, stream::SplitStream};
use resultant::Json;
use tokio::{
    sync::mpsc,
    time::{Instant, MissedTickBehavior, interval_at},
};

use super::{
    message::{Heard, Named, PING, Piece, ack, cancel, refused_alone, registered, welcome},
    socket::{TurnedAway, Visit, code},
};
use crate::{
    body::SpoolOptions,
    caller::User,
    page_tools::{Incoming, Refusal, Said, Seat},
    upstream::WireError,
};

/// After so many heartbeats it is looked whether the credential still holds.
const CREDENTIAL_BEATS: u32 = 4;
/// Bytes of a tab's id in an answer to it.
const TAB_ECHO_BYTES_MAX: usize = 128;
/// How often a page is told how much of its stream is here.
const ACK_BYTES: u64 = 256 << 10;
/// After we were told to stop, it is looked so often whether the last call has ended.
const LAST_CALLS_TIME: Duration = Duration::from_millis(100);

/// A page that was let in.
struct Guest<'a> {
    visit: &'a Visit,
    said: &'a mpsc::Sender<Said>,
    token: Option<String>,
    user: Arc<User>,
    seat: Seat,
    /// Results that come in pieces, by their numbers.
    streams: HashMap<u32, Incoming<'a>>,
    spool: &'a SpoolOptions,
    heard_at: Instant,
}

/// How a conversation ends: from the other side, or from ours with a reason.
type End = Option<TurnedAway>;

pub(super) async fn talk(
    visit: &Visit,
    heard: &mut SplitStream<WebSocket>,
    said: &mpsc::Sender<Said>,
    token: Option<String>,
    (user, seat): (Arc<User>, Seat),
) -> Option<TurnedAway> {
    let spool = seat.spool().clone();
    let heartbeat = seat.pages().heartbeat;
    let mut guest = Guest {
        visit,
        said,
        token,
        user,
        seat,
        streams: HashMap::new(),
        spool: &spool,
        heard_at: Instant::now(),
    };
    let end = guest.listen(heard, heartbeat).await;
    match &end {
        Err(Some(away)) => guest.seat.ends(&away.refusal.reason),
        _ if said.is_closed() => guest.seat.ends("it takes no messages (pages.heartbeat_seconds)"),
        _ => {}
    }
    end.err().flatten()
}

impl<'a> Guest<'a> {
    async fn listen(
        &mut self,
        heard: &mut SplitStream<WebSocket>,
        heartbeat: Duration,
    ) -> Result<(), End> {
        let gateway = self.visit.api.gateway.clone();
        let mut beat = interval_at(Instant::now() + heartbeat, heartbeat);
        beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut beats = 0_u32;
        let mut last_calls = interval_at(Instant::now(), LAST_CALLS_TIME);
        let mut callers = gateway.auth_changes();
        let mut settings = gateway.page_tools.changes();
        let stopping = gateway.stopping();
        tokio::pin!(stopping);
        let mut is_stopping = false;
        loop {
            tokio::select! {
                frame = heard.next() => self.frame(frame).await?,
                _ = beat.tick() => {
                    beats = beats.wrapping_add(1);
                    self.beat(heartbeat).await?;
                    if beats.is_multiple_of(CREDENTIAL_BEATS) {
                        self.check().await?;
                    }
                }
                _ = callers.changed() => {
                    return Err(come_again("who may call was configured anew"));
                }
                _ = settings.changed() => {
                    return Err(come_again("the settings for pages are others now"));
                }
                // A page that takes nothing any more was cut off.
                () = self.said.closed() => return Err(None),
                () = &mut stopping, if !is_stopping => is_stopping = true,
                // Calls that are under way are finished.
                _ = last_calls.tick(), if is_stopping => {
                    if !self.seat.is_busy() {
                        let refusal = Refusal::new("the gateway ends", "come again");
                        let (close, code) = (code::GOING_AWAY, "going_away");
                        return Err(Some(TurnedAway { close, code, refusal }));
                    }
                }
            }
        }
    }

    async fn tell(&self, text: String) -> Result<(), End> {
        self.said.send(Said::Text(text)).await.map_err(|_| None)
    }

    async fn frame(&mut self, frame: Option<Result<Message, axum::Error>>) -> Result<(), End> {
        self.heard_at = Instant::now();
        match frame {
            Some(Ok(Message::Text(text))) => match Heard::read(&text) {
                Ok(heard) => self.heard(heard).await,
                Err(reason) => Err(bad(reason)),
            },
            Some(Ok(Message::Binary(frame))) => self.piece(&frame).await,
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(()),
            Some(Ok(Message::Close(_))) | None => Err(None),
            Some(Err(error)) => {
                // The library reads no frame that is too long, and tells that in words alone.
                if error.to_string().contains("too long") {
                    let hint = "send results in pieces, see docs/api.md";
                    let refusal = Refusal::new("the frame is too long (frame_bytes_max)", hint);
                    let (close, code) = (code::TOO_LARGE, "frame");
                    return Err(Some(TurnedAway { close, code, refusal }));
                }
                tracing::debug!(%error, "a page's connection broke");
                Err(None)
            }
        }
    }

    async fn heard(&mut self, heard: Heard) -> Result<(), End> {
        match heard {
            Heard::Hello { .. } => return Err(bad("there was a `hello` already".to_owned())),
            Heard::Token { id, token } => return self.token(id, token).await,
            Heard::Tab { mut tab, about } => {
                if let Err(refusal) = self.seat.set_tab(&tab, about) {
                    tab.truncate(tab.floor_char_boundary(TAB_ECHO_BYTES_MAX));
                    let about = ("tab", Json::string(&tab));
                    self.tell(refused_alone(about, "limits", &refusal)).await?;
                }
            }
            Heard::TabClosed { tab } => self.seat.close_tab(&tab),
            Heard::Register { id, tab, tool } => {
                let answer = match self.seat.register(&tab, &tool) {
                    Ok(()) => registered(&id),
                    Err(refusal) => refused_alone(("id", id), "tool", &refusal),
                };
                self.tell(answer).await?;
            }
            Heard::Unregister { tab, name } => self.seat.unregister(&tab, &name),
            Heard::Progress { call, progress } => self.seat.progress(call, &progress),
            Heard::Result { call, result } => self.seat.result(call, &result),
            // A number that is in use would mix two results up.
            Heard::Stream { call, stream } if !self.streams.contains_key(&stream) => {
                if self.streams.values().any(|incoming| incoming.is_of(call)) {
                    return Err(bad("a result of this call is under way".to_owned()));
                }
                if self.seat.is_waiting(call) {
                    self.streams.insert(stream, Incoming::new(call, self.spool));
                }
            }
            Heard::Stream { .. } => {
                return Err(bad("a stream of this number is under way".to_owned()));
            }
            Heard::Failed { call, message } => self.seat.failed(call, WireError::Broken(message)),
            Heard::Other => {}
        }
        Ok(())
    }

    /// A part of a result. Those of streams that nobody waits for any more are passed over.
    async fn piece(&mut self, frame: &Bytes) -> Result<(), End> {
        let piece = Piece::read(frame);
        let Piece { stream, is_last, bytes } =
            piece.ok_or_else(|| bad("a binary frame has five bytes before its own".to_owned()))?;
        let Some(mut incoming) = self.streams.remove(&stream) else { return Ok(()) };
        let call = incoming.call();
        if !self.seat.is_waiting(call) {
            return Ok(());
        }
        if let Err(error) = incoming.push(bytes) {
            let reason = error.to_string();
            self.seat.failed(call, error);
            return self.tell(cancel(call, &reason)).await;
        }
        if is_last {
            self.seat.streamed(incoming);
            return Ok(());
        }
        let told = incoming.due_ack(ACK_BYTES);
        self.streams.insert(stream, incoming);
        match told {
            Some(bytes) => self.tell(ack(stream, bytes)).await,
            None => Ok(()),
        }
    }

    /// A sign of life, and a look at whether there was one from the other side.
    async fn beat(&mut self, heartbeat: Duration) -> Result<(), End> {
        let seat = &self.seat;
        self.streams.retain(|_, incoming| seat.is_waiting(incoming.call()));
        if self.heard_at.elapsed() > heartbeat * 2 {
            let reason = "nothing was heard of the page (pages.heartbeat_seconds)";
            let refusal = Refusal::new(reason, "answer each `ping` with a `pong`");
            return Err(Some(TurnedAway { close: code::SILENT, code: "silent", refusal }));
        }
        self.tell(PING.to_owned()).await
    }

    /// Whether the credential still holds, and for the same user.
    async fn check(&self) -> Result<(), End> {
        match self.visit.identify(self.token.as_deref()).await {
            Ok(user) if user.id == self.user.id => Ok(()),
            // Who vouches may be back by the next time.
            Err(TurnedAway { close: code::COME_AGAIN, .. }) => Ok(()),
            Ok(_) => Err(come_again("the credential is another user's now")),
            Err(away) => Err(Some(TurnedAway { code: "expired", ..away })),
        }
    }

    /// Another credential. What is offered here is offered to one user, so that another's is none
    /// for this connection; it goes on with the credential that it has.
    async fn token(&mut self, id: Json, token: Option<String>) -> Result<(), End> {
        let (code, refusal) = match self.visit.identify(token.as_deref()).await {
            Ok(user) if user.id == self.user.id => {
                (self.user, self.token) = (user, token);
                let named = Named { name: &self.user.name, id: &self.visit.user_id(&self.user) };
                let text = welcome(Some(&id), &self.seat.id(), named, self.seat.pages());
                return self.tell(text).await;
            }
            Ok(_) => {
                let reason = "this is a credential of another user";
                ("another_user", Refusal::new(reason, "show it on a connection of its own"))
            }
            Err(TurnedAway { code, refusal, .. }) => (code, refusal),
        };
        self.tell(refused_alone(("id", id), code, &refusal)).await
    }
}

fn bad(reason: String) -> End {
    let refusal = Refusal::new(reason, "see docs/api.md");
    Some(TurnedAway { close: code::BAD_MESSAGE, code: "message", refusal })
}

fn come_again(reason: &str) -> End {
    let refusal = Refusal::new(reason, "connect again");
    Some(TurnedAway { close: code::COME_AGAIN, code: "come_again", refusal })
}
