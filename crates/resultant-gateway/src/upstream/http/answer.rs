//! From a request to its answer, whatever the server makes of it on the way.

use std::{sync::Arc, time::Duration};

use bytes::{Bytes, BytesMut};
use http::{StatusCode, header};
use reqwest::Response;

use super::{
    SESSION, Shared, client,
    client::Departure,
    events::{Event, Events, Oversize},
    listen::{self, Opened},
    messages::{Answers, Frame, Messages},
    sse::Position,
};
use crate::{
    body::{Addressees, Body, CollectError},
    rpc::{self, Kind, Message},
    upstream::wire::{Expected, Outgoing, WireError},
};

/// How often a stream is taken up again when nothing came over it.
const RESUMES_MAX: u32 = 3;
/// How much of a body is read that says why a request was turned down.
const REFUSAL_BYTES_MAX: usize = 64 * 1024;
/// How long such a body may take.
const REFUSAL_TIME_MAX: Duration = Duration::from_secs(5);
/// How long a stream may go on behind its answer, so that its connection can be used again.
const TAIL_TIME_MAX: Duration = Duration::from_secs(2);

/// Posts a request and reads its answer; the inbox hears how it ended.
pub(super) async fn ask(shared: Arc<Shared>, id: u64, message: Outgoing, departure: Departure) {
    let error = match shared.post(&message, Some(&departure)).await {
        Ok(response) => {
            departure.tell(Ok(()));
            take(&shared, id, &message, response).await.err()
        }
        Err(error @ WireError::Unreachable(_)) if departure.tell(Err(error.clone())) => None,
        Err(error) => {
            departure.tell(Ok(()));
            Some(error)
        }
    };
    shared.finished(id);
    if let Some(error) = error {
        shared.inbox.failed(id, error);
    }
}

/// What a response brings. Ok when the answer was handed on, or comes over another stream.
async fn take(
    shared: &Arc<Shared>,
    id: u64,
    message: &Outgoing,
    response: Response,
) -> Result<(), WireError> {
    let status = response.status();
    let initializes = message.method.as_deref() == Some("initialize");
    if !status.is_success() {
        let error = match refusal(shared, response, Some(id)).await {
            Ok(()) => return Ok(()),
            Err(error) => error,
        };
        let perhaps_old = initializes && matches!(status.as_u16(), 400 | 404 | 405);
        if perhaps_old && shared.state().endpoint.is_none() && listen::endpoint(shared).await {
            let response = shared.post(message, None).await?;
            return Box::pin(take(shared, id, message, response)).await;
        }
        return Err(error);
    }
    if shared.state().endpoint.is_some() {
        return Ok(());
    }
    if initializes && let Some(session) = response.headers().get(SESSION) {
        let mut session = session.clone();
        session.set_sensitive(true);
        shared.state().session = Some(session);
    }
    match content(&response) {
        Content::None => Err(WireError::Status {
            status: status.as_u16(),
            text: "there is no answer in the response".to_owned(),
        }),
        Content::Json => json(shared, id, response).await,
        Content::Events => events(shared, id, response).await,
        Content::Other(name) => Err(WireError::Status {
            status: status.as_u16(),
            text: format!("`{name}` is neither JSON nor a stream of events"),
        }),
    }
}

enum Content {
    None,
    Json,
    Events,
    Other(String),
}

fn content(response: &Response) -> Content {
    if matches!(response.status(), StatusCode::ACCEPTED | StatusCode::NO_CONTENT)
        || response.content_length() == Some(0)
    {
        return Content::None;
    }
    let name = response.headers().get(header::CONTENT_TYPE);
    let name = name.and_then(|name| name.to_str().ok()).unwrap_or_default();
    let name = name.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match name.as_str() {
        "text/event-stream" => Content::Events,
        "" | "application/json" => Content::Json,
        name if name.ends_with("+json") => Content::Json,
        _ => Content::Other(name.chars().take(80).collect()),
    }
}

pub(super) fn is_event_stream(response: &Response) -> bool {
    response.status().is_success() && matches!(content(response), Content::Events)
}

/// Hands on a message that came in a request's answer. True when it was the answer.
fn hand_on(shared: &Shared, id: u64, frame: Frame) -> bool {
    let answers = frame.answers(id);
    let is_short = matches!(frame.body, Body::Whole(_));
    shared.inbox.arrived(frame.body, Some(id));
    if answers == Answers::Perhaps && is_short {
        // When nobody could make an answer of it, nothing else will come; else nobody hears this.
        let text = "the server's answer does not say which request it answers".to_owned();
        shared.inbox.failed(id, WireError::Broken(text));
    }
    answers != Answers::No
}

/// A body of JSON: one message, or a batch.
async fn json(shared: &Shared, id: u64, mut response: Response) -> Result<(), WireError> {
    let expected = Expected { inbox: &*shared.inbox, during: Some(id) };
    let mut messages = Messages::new(&shared.options.spool, Some(&expected));
    let (mut answered, mut refused) = (false, None);
    loop {
        let chunk = response.chunk().await;
        let chunk = chunk.map_err(|error| WireError::Broken(client::chain(&error)))?;
        let Some(chunk) = chunk else { break };
        let mut frames = Vec::new();
        messages.push(&chunk, |frame| frames.push(frame));
        if let Some(error) = messages.refused() {
            return Err(limit(error));
        }
        for frame in frames {
            match frame {
                Ok(frame) => {
                    answered |= hand_on(shared, id, frame);
                }
                Err(error) => refused = Some(error.error),
            }
        }
    }
    match messages.end() {
        Some(Ok(frame)) => {
            answered |= hand_on(shared, id, frame);
        }
        Some(Err(error)) => refused = Some(error.error),
        None => {}
    }
    match refused {
        _ if answered => Ok(()),
        Some(error) => Err(limit(&error)),
        None => Err(WireError::Broken("there is no answer in the response".to_owned())),
    }
}

/// A stream, and those that go on where it broke.
async fn events(shared: &Shared, id: u64, response: Response) -> Result<(), WireError> {
    let broke = || WireError::Broken("the stream ended before the answer came".to_owned());
    let modern = shared.state().protocol.is_some_and(resultant::Protocol::is_modern);
    let expected = Expected { inbox: &*shared.inbox, during: Some(id) };
    let (mut position, mut response) = (Position::default(), Some(response));
    let mut tries = 0;
    loop {
        if let Some(response) = response.take() {
            let spool = &shared.options.spool;
            let expected = Some(&expected as &dyn Addressees);
            let mut events = Events::new(response, spool, expected, position, Oversize::Stop);
            if until_answer(shared, id, &mut events).await? {
                return Ok(());
            }
            position = events.position().clone();
            if events.progressed() {
                tries = 0;
            }
        }
        if modern || position.last_id.is_none() || tries == RESUMES_MAX {
            return Err(broke());
        }
        tries += 1;
        tokio::time::sleep(listen::delay(position.retry, tries)).await;
        match listen::open(shared, &position).await {
            Opened::Stream(stream) => response = Some(stream),
            Opened::Later => {}
            Opened::Gone => return Err(WireError::SessionGone),
            Opened::Never(_) => return Err(broke()),
        }
    }
}

/// Hands on what comes until the answer did. False when the stream ended before.
async fn until_answer(
    shared: &Shared,
    id: u64,
    events: &mut Events<'_>,
) -> Result<bool, WireError> {
    while let Some(event) = events.next().await {
        match event {
            Event::Message(frame) => {
                if hand_on(shared, id, frame) {
                    shared.finished(id);
                    let tail = tail(shared, events);
                    // A server that keeps the stream open loses the connection, nothing else.
                    let _ = tokio::time::timeout(TAIL_TIME_MAX, tail).await;
                    return Ok(true);
                }
            }
            Event::Refused(refused) => return Err(limit(&refused.error)),
            Event::Endpoint(_) => {}
        }
    }
    Ok(false)
}

/// What comes behind an answer belongs to no request.
async fn tail(shared: &Shared, events: &mut Events<'_>) {
    while let Some(event) = events.next().await {
        match event {
            Event::Message(frame) => shared.inbox.arrived(frame.body, None),
            Event::Refused(_) => return,
            Event::Endpoint(_) => {}
        }
    }
}

pub(super) fn limit(error: &CollectError) -> WireError {
    let message = client::chain(error);
    match error {
        CollectError::TooLarge { .. } => WireError::Limit { limit: "message_bytes_max", message },
        CollectError::Disk(_) => WireError::Broken(message),
    }
}

/// Reads why a message was turned down. Ok when that is in the words of the protocol, and was handed
/// on as the answer of the request `id`.
pub(super) async fn refusal(
    shared: &Shared,
    response: Response,
    id: Option<u64>,
) -> Result<(), WireError> {
    let status = response.status();
    let challenge = client::challenge(&response);
    let location = response.headers().get(header::LOCATION).is_some();
    let in_session = shared.session().is_some();
    let body = tokio::time::timeout(REFUSAL_TIME_MAX, beginning(response)).await;
    let body = body.unwrap_or_default();
    let answer = answer_in(body.clone(), id);
    let wants_token = match status {
        StatusCode::UNAUTHORIZED => true,
        StatusCode::FORBIDDEN => {
            challenge.is_some() || shared.options.tokens.is_some() || answer.is_none()
        }
        _ => false,
    };
    if wants_token {
        let hint = challenge.map(|challenge| excerpt(&challenge));
        // 403 can also mean that no token helps; the server's own words may tell.
        let (wants, hint) = match status {
            StatusCode::UNAUTHORIZED => ("wants a token", hint),
            _ => (
                "may want another token",
                hint.or_else(|| Some(excerpt(&String::from_utf8_lossy(&body)))),
            ),
        };
        let hint = hint.filter(|hint| !hint.is_empty());
        let hint = hint.map_or_else(String::new, |hint| format!(": {hint}"));
        return Err(WireError::Unauthorized(format!(
            "the server answered {} and {wants}{hint}",
            status.as_u16()
        )));
    }
    let unknown_method = answer.as_ref().is_some_and(|answer| answer.code == rpc::METHOD_NOT_FOUND);
    if status == StatusCode::NOT_FOUND && in_session && !unknown_method {
        return Err(WireError::SessionGone);
    }
    if let (Some(_), Some(id)) = (&answer, id) {
        shared.inbox.arrived(Body::Whole(body), Some(id));
        return Ok(());
    }
    let text = match (&answer, location) {
        (Some(answer), _) => excerpt(&answer.message),
        (None, true) => "it redirects in a way that loses the message".to_owned(),
        (None, false) => excerpt(&String::from_utf8_lossy(&body)),
    };
    Err(WireError::Status { status: status.as_u16(), text })
}

/// The whole body, when it is short.
async fn beginning(mut response: Response) -> Bytes {
    let mut body = BytesMut::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        body.extend_from_slice(&chunk);
        if body.len() > REFUSAL_BYTES_MAX {
            break;
        }
    }
    body.truncate(REFUSAL_BYTES_MAX);
    body.freeze()
}

/// The error in the body, when it is for this request or for none by name.
fn answer_in(body: Bytes, id: Option<u64>) -> Option<rpc::RpcError> {
    match Message::read(body).ok()?.kind {
        Kind::Error { id: None, error } => Some(error),
        Kind::Error { id: Some(other), error } if other.as_u64() == id => Some(error),
        _ => None,
    }
}

/// The beginning of what a server wrote, in one line, without anything that steers a terminal.
fn excerpt(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().filter(|character| !character.is_control()).take(300).collect()
}
