//! Bodies of responses: a plain answer, an event stream, a file.

use std::{convert::Infallible, io::Read, sync::Arc};

use axum::{
    body::Body,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use futures_util::stream;
use tokio::sync::mpsc;

use super::{
    super::flow::{Answer, Flow, Item, flatten, one_line},
    mcp::{json_response, status_of},
};
use crate::{
    client::{Client, Session},
    gateway::Gateway,
};

const CHUNK_BYTES: usize = 64 * 1024;
/// How many messages wait in the stream for what belongs to no request.
const GENERAL_MAX: usize = 256;

/// The response to a request: JSON when the answer comes first, else an event stream.
pub(super) async fn respond(gateway: &Arc<Gateway>, client: &Client, mut flow: Flow) -> Response {
    let first = flow.next().await;
    match first {
        Some(Item::Answer(answer)) => plain(client, answer),
        Some(first) => {
            let heartbeat = gateway.config().timeouts.heartbeat;
            let state = (flow, Some(first), None::<Box<dyn Read + Send>>);
            let events = stream::unfold(state, move |(mut flow, first, mut file)| async move {
                if let Some(reader) = &mut file {
                    return match next_chunk(reader) {
                        Some(mut chunk) => {
                            flatten(&mut chunk);
                            Some((ok(chunk.into()), (flow, None, file)))
                        }
                        None => Some((ok(Bytes::from_static(b"\n\n")), (flow, None, None))),
                    };
                }
                let item = match first {
                    Some(item) => Some(item),
                    // Even where nothing is said the client sees that we are there.
                    None => match tokio::time::timeout(heartbeat, flow.next()).await {
                        Ok(item) => item,
                        Err(_) => Some(Item::Tick),
                    },
                };
                match item? {
                    Item::Message(bytes) | Item::Answer(Answer::Bytes { bytes, .. }) => {
                        Some((ok(event(bytes)), (flow, None, None)))
                    }
                    Item::Tick => {
                        Some((ok(Bytes::from_static(b": still here\n\n")), (flow, None, None)))
                    }
                    Item::Answer(Answer::File { file, id }) => {
                        let reader = file.read(&id).ok()?;
                        let reader = Box::new(KeepFile { reader, _file: file });
                        let start = Bytes::from_static(b"event: message\ndata: ");
                        Some((ok(start), (flow, None, Some(reader as Box<dyn Read + Send>))))
                    }
                    Item::Answer(Answer::None) => None,
                }
            });
            events_response(Body::from_stream(events))
        }
        None => StatusCode::ACCEPTED.into_response(),
    }
}

fn ok(bytes: Bytes) -> Result<Bytes, Infallible> {
    Ok(bytes)
}

/// A reader whose file stays until it is read.
struct KeepFile {
    reader: Box<dyn Read + Send>,
    _file: crate::reply::PassedFile,
}

impl Read for KeepFile {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.reader.read(buffer)
    }
}

fn plain(client: &Client, answer: Answer) -> Response {
    match answer {
        Answer::Bytes { bytes, error_code } => json_response(status_of(client, error_code), bytes),
        Answer::File { file, id } => match file.read(&id) {
            Ok(reader) => {
                let reader: Box<dyn Read + Send> = Box::new(KeepFile { reader, _file: file });
                let mut response = Response::new(file_body(reader));
                let json = HeaderValue::from_static("application/json");
                response.headers_mut().insert(header::CONTENT_TYPE, json);
                response
            }
            Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        },
        // Cancelled: there is nothing to say.
        Answer::None => StatusCode::ACCEPTED.into_response(),
    }
}

fn next_chunk(reader: &mut Box<dyn Read + Send>) -> Option<Vec<u8>> {
    let mut chunk = vec![0; CHUNK_BYTES];
    let len = tokio::task::block_in_place(|| reader.read(&mut chunk)).ok()?;
    chunk.truncate(len);
    (len > 0).then_some(chunk)
}

/// A body that is read as it is sent.
fn file_body(reader: Box<dyn Read + Send>) -> Body {
    Body::from_stream(stream::unfold(reader, |mut reader| async move {
        let chunk = next_chunk(&mut reader)?;
        Some((ok(chunk.into()), reader))
    }))
}

fn event(bytes: Bytes) -> Bytes {
    let bytes = one_line(bytes);
    let mut out = Vec::with_capacity(bytes.len() + 24);
    out.extend_from_slice(b"event: message\ndata: ");
    out.extend_from_slice(&bytes);
    out.extend_from_slice(b"\n\n");
    out.into()
}

fn events_response(body: Body) -> Response {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// The stream of a session for what belongs to no request.
pub(super) fn event_stream(gateway: &Arc<Gateway>, session: &Session) -> Response {
    let (sender, messages) = mpsc::channel(GENERAL_MAX);
    session.listen(sender);
    let gateway = gateway.clone();
    let heartbeat = gateway.config().timeouts.heartbeat;
    let events = stream::unfold((messages, gateway, true), move |state| async move {
        let (mut messages, gateway, is_first) = state;
        if is_first {
            // The headers go out with it.
            return Some((ok(Bytes::from_static(b": listening\n\n")), (messages, gateway, false)));
        }
        let bytes = tokio::select! {
            message = messages.recv() => event(message?),
            () = tokio::time::sleep(heartbeat) => Bytes::from_static(b": still here\n\n"),
            () = gateway.stopping() => return None,
        };
        Some((ok(bytes), (messages, gateway, false)))
    });
    events_response(Body::from_stream(events))
}
