//! The bytes of the sources, one after the other, as they come.

use std::{
    collections::VecDeque,
    io::{self, Read},
    ops::ControlFlow,
};

use bytes::Bytes;

use super::form::{self, Form};
use crate::frame::{self, Head};

/// So much is looked at to tell what a file is.
const HEAD_BYTES: usize = 16 << 10;

/// The sources in their order.
pub(super) struct Incoming<'a> {
    input: &'a mut dyn Read,
    heads: VecDeque<Head>,
}

/// The source that is read now.
pub(super) struct Source<'a> {
    input: &'a mut dyn Read,
    pub(super) name: String,
    pub(super) size: u64,
    pub(super) form: Form,
    /// The bytes that were read to tell the form.
    first: Vec<u8>,
    is_at_end: bool,
}

impl<'a> Incoming<'a> {
    pub(super) fn new(input: &'a mut dyn Read, heads: Vec<Head>) -> Incoming<'a> {
        Incoming { input, heads: heads.into() }
    }

    /// How many sources are left.
    pub(super) fn count(&self) -> usize {
        self.heads.len()
    }

    /// The next source. The one before must have been read to its end.
    pub(super) fn next(&mut self) -> io::Result<Option<Source<'_>>> {
        let Some(head) = self.heads.pop_front() else { return Ok(None) };
        let mut first = Vec::new();
        let mut chunk = Vec::new();
        let mut is_at_end = false;
        while first.len() < HEAD_BYTES && !is_at_end {
            frame::read_chunk(&mut self.input, &mut chunk)?;
            is_at_end = chunk.is_empty();
            first.extend_from_slice(&chunk);
        }
        let form = form::of(&head.name, &head.mime, &first[..first.len().min(HEAD_BYTES)]);
        Ok(Some(Source {
            input: &mut *self.input,
            name: head.name,
            size: head.size,
            form,
            first,
            is_at_end,
        }))
    }

    /// The only source.
    pub(super) fn only(&mut self) -> Result<Source<'_>, super::Stop> {
        self.next()?.ok_or_else(|| super::Stop::refused("no file was given"))
    }
}

/// The chunks of a source, for somebody who has to wait in between.
pub(super) struct Chunks<'a> {
    source: Source<'a>,
    is_started: bool,
}

impl Chunks<'_> {
    pub(super) fn next(&mut self) -> io::Result<Option<&[u8]>> {
        let source = &mut self.source;
        if std::mem::replace(&mut self.is_started, true) {
            if source.is_at_end {
                return Ok(None);
            }
            frame::read_chunk(&mut source.input, &mut source.first)?;
            source.is_at_end = source.first.is_empty();
        }
        Ok(Some(&source.first))
    }
}

impl<'a> Source<'a> {
    pub(super) fn chunks(self) -> Chunks<'a> {
        Chunks { source: self, is_started: false }
    }

    /// Hands out the bytes until they end, or somebody has enough of this source.
    pub(super) fn each(self, mut take: impl FnMut(&[u8]) -> ControlFlow<()>) -> io::Result<()> {
        let mut chunks = self.chunks();
        while let Some(bytes) = chunks.next()? {
            if take(bytes).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Hands out all bytes.
    pub(super) fn every(self, mut take: impl FnMut(&[u8])) -> io::Result<()> {
        self.each(|bytes| {
            take(bytes);
            ControlFlow::Continue(())
        })
    }

    /// All bytes at once.
    pub(super) fn all(self) -> io::Result<Bytes> {
        // The size is what we were told; it is only where the buffer starts.
        const FIRST_BYTES_MAX: u64 = 256 << 20;
        let mut bytes = Vec::with_capacity(self.size.min(FIRST_BYTES_MAX) as usize);
        self.every(|chunk| bytes.extend_from_slice(chunk))?;
        Ok(bytes.into())
    }
}
