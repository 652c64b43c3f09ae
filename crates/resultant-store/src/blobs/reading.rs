//! Reading an object: every piece is checked before a byte of it is given out.
//!
//! Only the pieces that a range touches are asked for, in one request. When the answer breaks off,
//! it is asked for again from the piece that is missing, as long as there is progress. From a file
//! several pieces are read at once. So much is in memory, and as much again while the first is still
//! being sent on.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom},
    ops::Range,
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt as _, stream::BoxStream};
use object_store::{GetOptions, ObjectStore, ObjectStoreExt as _, path::Path};

use super::{ByteStream, blocking, within};
use crate::{StoreError, incoming::piece_bytes};

/// How often an answer that breaks off is asked for again without having brought a piece.
const TRIES_MAX: u32 = 3;
/// So much is read from a file at once, or one piece where that is more.
const READ_BYTES: usize = 1 << 20;

/// An object, and what is known about its bytes.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(super) objects: Arc<dyn ObjectStore>,
    /// Where it is, where that is a file of this machine.
    pub(super) file: Option<PathBuf>,
    pub(super) patience: Duration,
    pub(super) name: Path,
    pub(super) size: u64,
    pub(super) sha256: String,
    pub(super) pieces: Arc<[u8]>,
}

/// Where pieces come from.
enum Source {
    /// A file on this machine.
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
        let piece = piece_bytes(self.size, self.pieces.len()).ok_or_else(|| self.damaged())?;
        let next = range.start / piece as u64;
        let mut reading = Reading { next, piece, object: Arc::new(self), range, source: None };
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

    fn missing(&self) -> StoreError {
        StoreError::Missing { digest: self.sha256.clone() }
    }

    /// Asks a store for these bytes.
    async fn ask(&self, asked: Range<u64>) -> Result<Source, StoreError> {
        let options = GetOptions { range: Some(asked.clone().into()), ..GetOptions::default() };
        let answer = match self.objects.get_opts(&self.name, options).await {
            Ok(answer) => answer,
            Err(object_store::Error::NotFound { .. }) => return Err(self.missing()),
            // Some stores say it like this when there are fewer bytes than that.
            Err(error) => match self.objects.head(&self.name).await {
                Ok(meta) if meta.size != self.size => return Err(self.damaged()),
                _ => return Err(error.into()),
            },
        };
        if answer.meta.size != self.size || answer.range != asked {
            return Err(self.damaged());
        }
        Ok(Source::Answer(answer.into_stream(), BytesMut::new()))
    }

    /// Opens its file.
    fn open(&self, path: &std::path::Path) -> Result<File, StoreError> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(self.missing()),
            Err(error) => return Err(error.into()),
        };
        match file.metadata()?.len() == self.size {
            true => Ok(file),
            false => Err(self.damaged()),
        }
    }

    /// Whole pieces of its file from `first` on, which are in this range of it. Where one of them is
    /// not right, those before it; an error where that is the first.
    fn read_pieces(
        &self,
        mut file: &File,
        first: u64,
        piece: usize,
        range: Range<u64>,
    ) -> Result<Bytes, StoreError> {
        let mut bytes = vec![0; usize::try_from(range.end - range.start).unwrap_or(usize::MAX)];
        file.seek(SeekFrom::Start(range.start))?;
        file.read_exact(&mut bytes).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => self.damaged(),
            _ => error.into(),
        })?;
        let mut right = 0;
        for (number, part) in (first..).zip(bytes.chunks(piece)) {
            match self.check(number, part) {
                Ok(()) => right += part.len(),
                Err(error) if right == 0 => return Err(error),
                Err(_) => break,
            }
        }
        bytes.truncate(right);
        Ok(bytes.into())
    }
}

struct Reading {
    object: Arc<Object>,
    range: Range<u64>,
    /// The size of its pieces.
    piece: usize,
    /// The number of the next piece.
    next: u64,
    source: Option<Source>,
}

impl Reading {
    /// What is in the range of the next pieces.
    async fn next(&mut self) -> Result<Option<Bytes>, StoreError> {
        let start = self.next * self.piece as u64;
        if start >= self.range.end {
            return Ok(None);
        }
        let bytes = within(self.object.patience, self.pieces()).await?;
        let from = self.range.start.saturating_sub(start) as usize;
        let to = (self.range.end - start).min(bytes.len() as u64) as usize;
        self.next += bytes.len().div_ceil(self.piece) as u64;
        Ok(Some(bytes.slice(from..to)))
    }

    /// At most so many bytes from the next piece on, as far as the range goes, in whole pieces.
    fn wanted(&self, bytes_max: u64) -> Range<u64> {
        let piece = self.piece as u64;
        let end = self.range.end.div_ceil(piece).saturating_mul(piece).min(self.object.size);
        let start = self.next * piece;
        start..end.min(start.saturating_add(bytes_max.max(piece)))
    }

    /// The next pieces, whole and checked.
    async fn pieces(&mut self) -> Result<Bytes, StoreError> {
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
        let (wanted, size) = (self.wanted(READ_BYTES as u64), self.wanted(0));
        let size = (size.end - size.start) as usize;
        if self.source.is_none() && self.object.file.is_none() {
            self.source = Some(self.object.ask(self.wanted(u64::MAX)).await?);
        }
        match &mut self.source {
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
            opened => {
                let file = match opened {
                    Some(Source::File(file)) => Some(Arc::clone(file)),
                    _ => None,
                };
                let (object, first, piece) = (Arc::clone(&self.object), self.next, self.piece);
                // Opening, reading and checking block for about as long as handing them to another
                // thread, so that is done once for all three.
                let work = move || {
                    let file = match (file, &object.file) {
                        (Some(file), _) => file,
                        (None, Some(path)) => Arc::new(object.open(path)?),
                        (None, None) => return Err(object.missing()),
                    };
                    let bytes = object.read_pieces(&file, first, piece, wanted)?;
                    Ok((file, bytes))
                };
                let (file, bytes) = blocking(work).await?;
                self.source = Some(Source::File(file));
                Ok(bytes)
            }
        }
    }
}
