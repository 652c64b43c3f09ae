//! Bodies of requests that do not go on: given up after `request_idle_seconds` without a byte.

use std::{
    error::Error,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use axum::body::Body;
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use tokio::time::Sleep;

/// Nothing came for too long.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("nothing more of the request came for {} seconds (request_idle_seconds)", .0.as_secs_f64())]
pub(in crate::front) struct Late(Duration);

impl Late {
    /// Whether this is why a body could not be read.
    pub(in crate::front) fn of(error: &(dyn Error + 'static)) -> Option<Late> {
        let mut error = Some(error);
        while let Some(cause) = error {
            if let Some(late) = cause.downcast_ref::<Late>() {
                return Some(*late);
            }
            error = cause.source();
        }
        None
    }
}

/// A body that is read within the time.
pub(super) struct Timed {
    body: Body,
    idle: Duration,
    /// Runs while somebody waits for bytes.
    sleep: Option<Pin<Box<Sleep>>>,
}

impl Timed {
    pub(super) fn new(body: Body, idle: Duration) -> Timed {
        Timed { body, idle, sleep: None }
    }
}

impl http_body::Body for Timed {
    type Data = Bytes;
    type Error = Box<dyn Error + Send + Sync>;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let timed = self.get_mut();
        if let Poll::Ready(frame) = Pin::new(&mut timed.body).poll_frame(context) {
            timed.sleep = None;
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        let idle = timed.idle;
        let sleep = timed.sleep.get_or_insert_with(|| Box::pin(tokio::time::sleep(idle)));
        ready!(sleep.as_mut().poll(context));
        Poll::Ready(Some(Err(Late(idle).into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
