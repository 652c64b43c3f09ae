//! Reading an object: every piece is checked before a byte of it is given out.
//!
//! Only the pieces that a range touches are asked for, in one request. When the answer breaks off,
//! it is asked for again from the piece that is missing, as long as there is progress. One piece is
//! in memory, and a second while the first is still being sent on.

use std::{
    fs::File,
    io::{Read as _, Seek as _, SeekFrom},
    ops::Range,
    sync::Arc,
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt as _, stream::BoxStream};
use object_store::{GetOptions, GetResultPayload, ObjectStore, ObjectStoreExt as _, path::Path};

use super::{ByteStream, blocking, within};
use crate::{StoreError, incoming::PIECE};

/// How often an answer that breaks off is asked for again without having brought a piece.
const TRIES_MAX: u32 = 3;

/// An object, and what is known about its bytes.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(super) objects: Arc<dyn ObjectStore>,
    pub(super) patience: Duration,
    pub(super) name: Path,
    pub(super) size: u64,
    pub(super) sha256: String,
    pub(super) pieces: Arc<[u8]>,
}

/// Where pieces come from.
enum Source {
    /// A file on this machine, at the next piece.
    File(Arc<File>),
    /// An answer of a store, and what came of the next piece already.
    Answer(BoxStream<'static, object_store::Result<Bytes>>, BytesMut),
}

impl Object {
    /// The bytes of a range, as far as there are any. The first piece is there and right when this
    /// returns; when a later one is not, the stream ends with the error.
    pub(crate) async fn read(self, range: Range<u64>) -> Result<ByteStream, StoreError> {
        let range = range.start..range.end.min(self.size);
        if range.is_empty() {
            return Ok(futures_util::stream::empty().boxed());
        }
        let mut reading =
            Reading { next: range.start / PIECE as u64, object: self, range, source: None };
        let first = reading.next().await?;
        let rest = futures_util::stream::unfold(Some(reading), |reading| async {
            let mut reading = reading?;
            match reading.next().await {
                Ok(Some(bytes)) => Some((Ok(bytes), Some(reading))),
                Ok(None) => None,
                Err(error) => Some((Err(error), None)),
            }
        });
        Ok(futures_util::stream::iter(first.map(Ok)).chain(rest).boxed())
    }

    fn piece_size(&self, piece: u64) -> usize {
        // Less than a piece, so it fits.
        (self.size - piece * PIECE as u64).min(PIECE as u64) as usize
    }

    fn check(&self, piece: u64, bytes: &[u8]) -> Result<(), StoreError> {
        let at = usize::try_from(piece).unwrap_or(usize::MAX).saturating_mul(32);
        let expected = self.pieces.get(at..at.saturating_add(32));
        match expected.is_some_and(|expected| blake3::hash(bytes).as_bytes() == expected) {
            true => Ok(()),
            false => Err(self.damaged()),
        }
    }

    fn damaged(&self) -> StoreError {
        tracing::error!(object = %self.name, "the stored bytes are damaged");
        StoreError::Damaged { digest: self.sha256.clone() }
    }

    /// Asks for everything from a piece on, as far as the range goes.
    async fn ask(&self, piece: u64, end: u64) -> Result<Source, StoreError> {
        let start = piece * PIECE as u64;
        let end = end.div_ceil(PIECE as u64).saturating_mul(PIECE as u64).min(self.size);
        let options = GetOptions { range: Some((start..end).into()), ..GetOptions::default() };
        let answer = match self.objects.get_opts(&self.name, options).await {
            Ok(answer) => answer,
            Err(object_store::Error::NotFound { .. }) => {
                return Err(StoreError::Missing { digest: self.sha256.clone() });
            }
            // Some stores say it like this when there are fewer bytes than that.
            Err(error) => match self.objects.head(&self.name).await {
                Ok(meta) if meta.size != self.size => return Err(self.damaged()),
                _ => return Err(error.into()),
            },
        };
        if answer.meta.size != self.size || answer.range != (start..end) {
            return Err(self.damaged());
        }
        Ok(match answer.payload {
            GetResultPayload::File(mut file, _) => {
                blocking(move || {
                    file.seek(SeekFrom::Start(start))?;
                    Ok(Source::File(Arc::new(file)))
                })
                .await?
            }
            GetResultPayload::Stream(stream) => Source::Answer(stream, BytesMut::new()),
        })
    }
}

struct Reading {
    object: Object,
    range: Range<u64>,
    /// The number of the next piece.
    next: u64,
    source: Option<Source>,
}

impl Reading {
    /// The part of the next piece that is in the range.
    async fn next(&mut self) -> Result<Option<Bytes>, StoreError> {
        let start = self.next * PIECE as u64;
        if start >= self.range.end {
            return Ok(None);
        }
        let bytes = within(self.object.patience, self.piece()).await?;
        let from = self.range.start.saturating_sub(start) as usize;
        let to = (self.range.end - start).min(bytes.len() as u64) as usize;
        self.next += 1;
        Ok(Some(bytes.slice(from..to)))
    }

    /// The next piece, whole and checked.
    async fn piece(&mut self) -> Result<Bytes, StoreError> {
        let mut tries = 0;
        loop {
            tries += 1;
            let failed = match self.attempt().await {
                Ok(bytes) => return Ok(bytes),
                Err(error) => error,
            };
            self.source = None;
            // Only what broke off is worth another try; the store has tried everything else again.
            if tries == TRIES_MAX || !matches!(failed, StoreError::Blobs(_)) {
                return Err(failed);
            }
        }
    }

    async fn attempt(&mut self) -> Result<Bytes, StoreError> {
        let size = self.object.piece_size(self.next);
        if self.source.is_none() {
            self.source = Some(self.object.ask(self.next, self.range.end).await?);
        }
        match &mut self.source {
            Some(Source::File(file)) => {
                let (file, object, piece) = (Arc::clone(file), self.object.clone(), self.next);
                // Reading and checking block for about as long as handing them to another thread.
                blocking(move || {
                    let mut bytes = vec![0; size];
                    (&*file).read_exact(&mut bytes).map_err(|error| match error.kind() {
                        std::io::ErrorKind::UnexpectedEof => object.damaged(),
                        _ => error.into(),
                    })?;
                    object.check(piece, &bytes)?;
                    Ok(bytes.into())
                })
                .await
            }
            Some(Source::Answer(answer, gathered)) => {
                gathered.reserve(size.saturating_sub(gathered.len()));
                while gathered.len() < size {
                    match answer.next().await {
                        Some(part) => gathered.extend_from_slice(&part?),
                        None => {
                            return Err(StoreError::Blobs(object_store::Error::Generic {
                                store: "objects",
                                source: "the answer ended too early".into(),
                            }));
                        }
                    }
                }
                let bytes = gathered.split_to(size).freeze();
                self.object.check(self.next, &bytes)?;
                Ok(bytes)
            }
            None => Err(StoreError::Missing { digest: self.object.sha256.clone() }),
        }
    }
}
