//! The messages of one event stream: the parser, the collector and the response put together.

use std::collections::VecDeque;

use bytes::{Buf as _, Bytes};
use reqwest::Response;

use super::{
    messages::{Frame, Messages, Refused},
    sse::{Parser, Position, Token},
};
use crate::body::{Addressees, Body, SpoolOptions};

/// What came over the stream.
#[derive(Debug)]
pub(super) enum Event {
    Message(Frame),
    /// A message that was not kept.
    Refused(Refused),
    /// Where messages are to be posted to (2024-11-05).
    Endpoint(Bytes),
}

/// What to do with a message over the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Oversize {
    /// It is reported at once and the stream is of no further use.
    Stop,
    /// It is passed over, and reported when it ended.
    Skip,
}

/// Reads a stream.
pub(super) struct Events<'a> {
    response: Response,
    chunk: Bytes,
    parser: Parser,
    messages: Messages<'a>,
    ready: VecDeque<Event>,
    oversize: Oversize,
    start: Option<String>,
    ended_events: u64,
}

impl<'a> Events<'a> {
    pub(super) fn new(
        response: Response,
        spool: &'a SpoolOptions,
        addressees: Option<&'a dyn Addressees>,
        position: Position,
        oversize: Oversize,
    ) -> Events<'a> {
        Events {
            response,
            chunk: Bytes::new(),
            start: position.last_id.clone(),
            parser: Parser::new(position),
            messages: Messages::new(spool, addressees),
            ready: VecDeque::new(),
            oversize,
            ended_events: 0,
        }
    }

    /// Where the stream is now.
    pub(super) fn position(&self) -> &Position {
        self.parser.position()
    }

    /// Whether anything came.
    pub(super) fn progressed(&self) -> bool {
        self.ended_events > 0 || self.position().last_id != self.start
    }

    /// The next message; `None` when the stream has ended, well or not.
    pub(super) async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if self.chunk.is_empty() {
                self.chunk = match self.response.chunk().await {
                    Ok(chunk) => chunk?,
                    Err(error) => {
                        tracing::debug!(error = %super::client::chain(&error), "stream broke");
                        return None;
                    }
                };
            }
            if !self.read() {
                return None;
            }
        }
    }

    /// Reads on in the chunk until something is ready. False when the stream has to be given up.
    fn read(&mut self) -> bool {
        let mut rest: &[u8] = &self.chunk;
        while let Some(token) = self.parser.next(&mut rest) {
            let name = self.parser.event();
            match token {
                Token::Data(bytes) => {
                    let ready = &mut self.ready;
                    self.messages.push(bytes, |frame| {
                        if name == b"message" {
                            ready.push_back(of(frame));
                        }
                    });
                    if self.messages.refused().is_some() && self.oversize == Oversize::Stop {
                        self.ready.extend(self.messages.end().map(of));
                        break;
                    }
                    if self.messages.endless() {
                        return false;
                    }
                }
                Token::End => {
                    self.ended_events += 1;
                    match (name, self.messages.end()) {
                        (b"message", Some(frame)) => self.ready.push_back(of(frame)),
                        (b"endpoint", Some(Ok(Frame { body: Body::Whole(bytes), .. }))) => {
                            self.ready.push_back(Event::Endpoint(bytes));
                        }
                        _ => {}
                    }
                }
            }
            if !self.ready.is_empty() {
                break;
            }
        }
        let used = self.chunk.len() - rest.len();
        self.chunk.advance(used);
        true
    }
}

fn of(frame: Result<Frame, Refused>) -> Event {
    match frame {
        Ok(frame) => Event::Message(frame),
        Err(refused) => Event::Refused(refused),
    }
}
