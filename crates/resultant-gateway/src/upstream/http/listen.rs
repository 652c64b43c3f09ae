//! The stream for messages that belong to no request, and the one stream of 2024-11-05.

use std::{sync::Arc, time::Duration};

use http::StatusCode;
use reqwest::Response;
use tokio::sync::{oneshot, watch};

use super::{
    Shared, answer,
    events::{Event, Events, Oversize},
    sse::Position,
};
use crate::upstream::wire::WireError;

const DELAY_MIN: Duration = Duration::from_millis(500);
const DELAY_MAX: Duration = Duration::from_secs(30);
/// The longest time that a server may send us away for.
const RETRY_MAX: Duration = Duration::from_secs(300);
/// How often a stream that never opened is tried.
const FIRST_TRIES_MAX: u32 = 5;
/// How long a server of 2024-11-05 may take to name its endpoint.
const ENDPOINT_TIME_MAX: Duration = Duration::from_secs(10);

/// What became of opening a stream.
pub(super) enum Opened {
    Stream(Response),
    /// Not now.
    Later,
    /// The session is gone, if there was one.
    Gone,
    Never(u16),
}

pub(super) async fn open(shared: &Shared, position: &Position) -> Opened {
    let response = match shared.get(position).await {
        Ok(response) => response,
        Err(WireError::Status { status, .. }) => return Opened::Never(status),
        Err(WireError::Unauthorized(_)) => return Opened::Never(401),
        Err(error) => {
            tracing::debug!(%error, "the stream cannot be opened now");
            return Opened::Later;
        }
    };
    let status = response.status();
    match status {
        _ if answer::is_event_stream(&response) => Opened::Stream(response),
        StatusCode::NOT_FOUND if shared.session().is_some() => Opened::Gone,
        // Also what a server says that has not seen the end of the handshake yet.
        StatusCode::BAD_REQUEST | StatusCode::REQUEST_TIMEOUT => Opened::Later,
        StatusCode::TOO_MANY_REQUESTS | StatusCode::CONFLICT => Opened::Later,
        _ if status.is_server_error() && status != StatusCode::NOT_IMPLEMENTED => Opened::Later,
        _ => Opened::Never(status.as_u16()),
    }
}

/// How long to wait before a try: what the server asked for, longer each time, never in step with
/// others that lost the same server.
pub(super) fn delay(retry: Option<Duration>, tries: u32) -> Duration {
    let first = retry.unwrap_or(DELAY_MIN).min(RETRY_MAX);
    let delay = first.saturating_mul(1 << tries.saturating_sub(1).min(6)).min(DELAY_MAX.max(first));
    delay + delay.mul_f64(crate::random::fraction() / 4.0)
}

/// Keeps the stream of a legacy session open until the wire is closed; `opening` is dropped after
/// the first try.
pub(super) async fn listen(shared: Arc<Shared>, opening: watch::Sender<()>) {
    let mut opening = Some(opening);
    let mut position = Position::default();
    let (mut opened, mut tries) = (false, 0);
    loop {
        let stream = open(&shared, &position).await;
        opening.take();
        match stream {
            Opened::Stream(response) => {
                opened = true;
                let spool = &shared.options.spool;
                let mut events = Events::new(response, spool, None, position, Oversize::Skip);
                drain(&shared, &mut events, Answers::Elsewhere).await;
                position = events.position().clone();
                if events.progressed() {
                    tries = 0;
                }
            }
            Opened::Later => {}
            // Servers that have no such stream also say so in this way.
            Opened::Gone if !opened => return,
            Opened::Gone => return shared.inbox.closed(WireError::SessionGone),
            Opened::Never(status) => {
                tracing::debug!(status, "the server has no stream of its own");
                return;
            }
        }
        tries += 1;
        if !opened && tries > FIRST_TRIES_MAX {
            return;
        }
        tokio::time::sleep(delay(position.retry, tries)).await;
    }
}

/// Whether a stream brings the answers of requests.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answers {
    Here,
    Elsewhere,
}

async fn drain(shared: &Shared, events: &mut Events<'_>, answers: Answers) {
    while let Some(event) = events.next().await {
        match event {
            Event::Message(frame) => shared.inbox.arrived(frame.body, None),
            Event::Refused(refused) => {
                let error = answer::limit(&refused.error);
                match answers {
                    Answers::Here => shared.inbox.lost(refused.answers, error),
                    Answers::Elsewhere => {
                        tracing::warn!(%error, "a message of the server was left out");
                    }
                }
            }
            Event::Endpoint(_) => {}
        }
    }
}

/// Tries the server as one of 2024-11-05: its stream names an endpoint. True when it is one; its
/// stream is then read until the wire is closed.
pub(super) async fn endpoint(shared: &Arc<Shared>) -> bool {
    let (named, name) = oneshot::channel();
    let task = tokio::spawn(old_stream(Arc::clone(shared), named));
    let found = matches!(tokio::time::timeout(ENDPOINT_TIME_MAX, name).await, Ok(Ok(())));
    let mut state = shared.state();
    if !found || state.closed {
        task.abort();
        return false;
    }
    state.listener = Some(task.abort_handle());
    true
}

async fn old_stream(shared: Arc<Shared>, named: oneshot::Sender<()>) {
    let Opened::Stream(response) = open(&shared, &Position::default()).await else { return };
    let spool = &shared.options.spool;
    let mut events = Events::new(response, spool, None, Position::default(), Oversize::Skip);
    let Some(Event::Endpoint(target)) = events.next().await else { return };
    let base = &shared.options.url;
    let target = std::str::from_utf8(&target).ok().and_then(|target| base.join(target.trim()).ok());
    match target {
        Some(target) if target.origin() == base.origin() => {
            shared.state().endpoint = Some(target);
        }
        _ => {
            tracing::warn!("the server names an endpoint that is not its own");
            return;
        }
    }
    if named.send(()).is_err() {
        return;
    }
    drain(&shared, &mut events, Answers::Here).await;
    shared.inbox.closed(WireError::Broken("the server ended the stream".to_owned()));
}
