//! The way of a long message to whoever waits for it, while it still comes.
//!
//! Whoever reads it may be slower than it comes: a few parts wait in between, then the wire does.
//! It is whole only when its end has come through and whoever waits says that they still do; else
//! it has brought nothing.

use std::io;

use bytes::{Bytes, BytesMut};
use tokio::{
    runtime::Handle,
    sync::{mpsc, oneshot},
};

use super::Buffers;

/// So many parts wait between the two ends.
const PARTS_MAX: usize = 4;
/// Small parts are gathered up to so many bytes.
const GATHERED_BYTES: usize = 256 << 10;
/// Smaller parts are gathered.
const SMALL_BYTES: usize = 64 << 10;

enum Part {
    Bytes(Bytes),
    End,
}

/// Where the bytes go in.
#[derive(Debug)]
pub(crate) struct Entrance {
    /// The request that is answered, as far as the beginning of the message tells.
    request: u64,
    gathered: BytesMut,
    buffers: Buffers,
    parts: mpsc::Sender<Part>,
}

/// Where they come out. Only for a thread that may wait.
#[derive(Debug)]
pub(crate) struct Exit {
    parts: mpsc::Receiver<Part>,
    verdict: oneshot::Receiver<()>,
    is_confirmed: bool,
    runtime: Handle,
}

/// Dropped, the message is not wanted any more.
#[derive(Debug)]
pub(crate) struct Interest {
    verdict: oneshot::Sender<()>,
}

impl Interest {
    /// The message is whole, and what was waited for.
    pub(crate) fn confirm(self) {
        let _ = self.verdict.send(());
    }
}

/// A passage for the answer to this request.
pub(crate) fn passage(request: u64) -> (Entrance, Exit, Interest) {
    let (sender, parts) = mpsc::channel(PARTS_MAX);
    let (interest, verdict) = oneshot::channel();
    let (gathered, buffers) = (BytesMut::new(), Buffers::default());
    let entrance = Entrance { request, gathered, buffers, parts: sender };
    let exit = Exit { parts, verdict, is_confirmed: false, runtime: Handle::current() };
    (entrance, exit, Interest { verdict: interest })
}

impl Entrance {
    pub(crate) fn request(&self) -> u64 {
        self.request
    }

    /// The next bytes. Waits while too many are under way.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        if self.gathered.capacity() == 0 {
            self.gathered = self.buffers.take(GATHERED_BYTES + SMALL_BYTES);
        }
        self.gathered.extend_from_slice(bytes);
        if self.gathered.len() >= GATHERED_BYTES {
            self.send_gathered();
        }
    }

    /// The same for bytes that need not be copied.
    pub(super) fn push_shared(&mut self, bytes: &Bytes) {
        if bytes.len() < SMALL_BYTES {
            return self.push(bytes);
        }
        self.send_gathered();
        self.send(Part::Bytes(bytes.clone()));
    }

    /// The message is whole, and the answer that it seemed to be.
    pub(super) fn end(mut self) {
        self.send_gathered();
        self.send(Part::End);
    }

    fn send_gathered(&mut self) {
        if !self.gathered.is_empty() {
            let part = self.buffers.lend(std::mem::take(&mut self.gathered));
            self.send(Part::Bytes(part));
        }
    }

    fn send(&self, part: Part) {
        // Where nobody takes it any more, nobody misses it.
        if let Err(mpsc::error::TrySendError::Full(part)) = self.parts.try_send(part) {
            let _ = tokio::task::block_in_place(|| self.parts.blocking_send(part));
        }
    }
}

impl Exit {
    /// The next bytes, in order; none behind the last. An error where it will never be whole, or is
    /// not wanted.
    pub(crate) fn next(&mut self) -> io::Result<Option<Bytes>> {
        let runtime = self.runtime.clone();
        let part = runtime.block_on(async {
            tokio::select! {
                biased;
                verdict = &mut self.verdict, if !self.is_confirmed => {
                    self.is_confirmed = verdict.is_ok();
                    if self.is_confirmed { self.parts.recv().await } else { None }
                }
                part = self.parts.recv() => part,
            }
        });
        match part {
            Some(Part::Bytes(bytes)) => Ok(Some(bytes)),
            Some(Part::End) if self.is_confirmed => Ok(None),
            Some(Part::End) if runtime.block_on(&mut self.verdict).is_ok() => Ok(None),
            _ => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the message broke off")),
        }
    }
}
