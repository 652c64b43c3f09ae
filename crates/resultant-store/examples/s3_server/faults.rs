//! What can be wrong with a store, switched on and off while it runs.
//!
//! The file holds one JSON object; absent or empty, nothing is wrong:
//!
//! ```text
//! {"status": 503, "every": 2}    every second request is answered so, at once
//! {"stall": true}                no request is answered as long as this stands here
//! {"bytes_per_s": 1024}          bodies go and come no faster than that
//! {"methods": ["PUT", "POST"]}   with any of them: only requests of these methods
//! ```

use std::{
    fs,
    path::PathBuf,
    pin::Pin,
    sync::atomic::{AtomicU64, Ordering},
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::Bytes;
use hyper::{
    Request, Response,
    body::{Frame, Incoming, SizeHint},
};
use s3s::{Body, HttpError, service::S3Service};
use serde::Deserialize;
use tokio::time::Sleep;

type BodyError = Box<dyn std::error::Error + Send + Sync>;

/// How often a stalled request looks whether the fault is gone.
const LOOK: Duration = Duration::from_millis(50);
/// Slow bodies come in so many pieces a second.
const PIECES_PER_S: u64 = 10;

/// Where the faults are said.
pub(crate) struct Faults {
    file: Option<PathBuf>,
    requests: AtomicU64,
}

/// What is wrong just now.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Fault {
    status: Option<u16>,
    every: Option<u64>,
    stall: bool,
    bytes_per_s: Option<u64>,
    methods: Vec<String>,
}

impl Faults {
    pub(crate) fn new(file: Option<PathBuf>) -> Faults {
        Faults { file, requests: AtomicU64::new(0) }
    }

    /// What is wrong for requests of this method. A file that is just being written says nothing.
    fn now(&self, method: &str) -> Fault {
        let text = self.file.as_ref().and_then(|file| fs::read(file).ok()).unwrap_or_default();
        let fault: Fault = serde_json::from_slice(&text).unwrap_or_default();
        let is_meant = fault.methods.is_empty() || fault.methods.iter().any(|name| name == method);
        if is_meant { fault } else { Fault::default() }
    }

    /// Answers a request as the store does, or as one with the fault would.
    pub(crate) async fn answer(
        &self,
        request: Request<Incoming>,
        service: &S3Service,
    ) -> Result<Response<Body>, HttpError> {
        let method = request.method().as_str().to_owned();
        while self.now(&method).stall {
            tokio::time::sleep(LOOK).await;
        }
        let fault = self.now(&method);
        if let Some(status) = fault.status {
            let number = self.requests.fetch_add(1, Ordering::Relaxed);
            if number.is_multiple_of(fault.every.unwrap_or(1).max(1)) {
                return Ok(refusal(status));
            }
        }
        let request = request.map(Body::from);
        let Some(bytes_per_s) = fault.bytes_per_s else { return service.call(request).await };
        let request = request.map(|body| Body::http_body_unsync(Slow::new(body, bytes_per_s)));
        let response = service.call(request).await?;
        Ok(response.map(|body| Body::http_body_unsync(Slow::new(body, bytes_per_s))))
    }
}

/// As the real one says that it has too much to do.
fn refusal(status: u16) -> Response<Body> {
    let text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>SlowDown</Code>\
                <Message>Please reduce your request rate.</Message></Error>";
    let mut response = Response::new(Body::from(text.to_owned()));
    if let Ok(status) = status.try_into() {
        *response.status_mut() = status;
    }
    response
}

/// A body that is passed on slowly.
struct Slow {
    body: Pin<Box<Body>>,
    /// What came and was not passed on yet.
    rest: Bytes,
    piece: usize,
    pause: Option<Pin<Box<Sleep>>>,
}

impl Slow {
    fn new(body: Body, bytes_per_s: u64) -> Slow {
        let piece = usize::try_from(bytes_per_s / PIECES_PER_S).unwrap_or(usize::MAX).max(1);
        Slow { body: Box::pin(body), rest: Bytes::new(), piece, pause: None }
    }
}

impl hyper::body::Body for Slow {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        if let Some(pause) = &mut self.pause {
            ready!(pause.as_mut().poll(context));
            self.pause = None;
        }
        while self.rest.is_empty() {
            match ready!(self.body.as_mut().poll_frame(context)) {
                None => return Poll::Ready(None),
                Some(frame) => match frame?.into_data() {
                    Ok(data) => self.rest = data,
                    Err(other) => return Poll::Ready(Some(Ok(other))),
                },
            }
        }
        let count = self.piece.min(self.rest.len());
        let piece = self.rest.split_to(count);
        let pause = tokio::time::sleep(Duration::from_millis(1000 / PIECES_PER_S));
        self.pause = Some(Box::pin(pause));
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn size_hint(&self) -> SizeHint {
        let mut hint = self.body.size_hint();
        let rest = self.rest.len() as u64;
        match hint.exact() {
            Some(exact) => hint.set_exact(exact + rest),
            None => hint.set_lower(hint.lower() + rest),
        }
        hint
    }
}
