//! The bytes of one message, however long: short ones in memory, long ones passed on or in a file.
//!
//! Everything that comes from a server goes through a [`Collector`]. It holds up to
//! `inline_bytes_max` in memory; from there on a message goes on while it arrives, so memory does
//! not grow with it. Its outermost members are looked at on the way. Where its beginning tells who
//! waits for it, and they take it as it comes, it goes to them through a [`passage`]. Else it is
//! written to a file in the data folder, and read from there when it is whole and its addressee
//! known. The file goes when its [`Spool`] is dropped.

mod buffers;
mod envelope;
mod passage;

use std::{
    fs::{File, OpenOptions},
    io::{self, BufWriter, Write as _},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use bytes::{Bytes, BytesMut};

use self::envelope::Walk;
pub(crate) use self::{
    buffers::Buffers,
    envelope::{Envelope, LongMessage},
    passage::{Entrance, Exit, Interest, passage},
};

/// Who a message is for is looked for in so many bytes beyond what was in memory.
const BEGINNING_BYTES: usize = 4 << 10;

/// So much of a long message is gathered for one write.
const GATHERED_BYTES: usize = 1 << 20;

/// Where messages that do not fit into memory go, and how long they may be.
#[derive(Clone, Debug)]
pub(crate) struct SpoolOptions {
    /// The folder for files that are being written.
    pub(crate) folder: PathBuf,
    /// Longer messages go to a file.
    pub(crate) inline_bytes_max: usize,
    /// Longer messages are refused (`message_bytes_max`).
    pub(crate) message_bytes_max: u64,
}

/// Knows who waits for messages.
pub(crate) trait Addressees: Sync {
    /// A long message begins, and this is known of it. Whoever waits for it may want it as it comes.
    fn begins(&self, beginning: &Envelope) -> Option<Entrance>;
}

/// The bytes of one whole message.
#[derive(Debug)]
pub(crate) enum Body {
    Whole(Bytes),
    Spooled(Spool),
    /// They went to the one who waits for the answer to this request.
    Passed(u64),
    /// They went to somebody whose answer this is not after all, and are gone.
    Strayed(LongMessage),
}

/// A long message in a file, which goes with it.
#[derive(Debug)]
pub(crate) struct Spool {
    path: PathBuf,
    len: u64,
    envelope: Envelope,
}

impl Spool {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Its outermost members, which were looked at while it came.
    pub(crate) fn envelope(&self) -> &Envelope {
        &self.envelope
    }

    pub(crate) fn open(&self) -> io::Result<File> {
        File::open(&self.path)
    }
}

impl Drop for Spool {
    fn drop(&mut self) {
        // A file that stays behind is untidy, not wrong; the sweep finds it.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Why a message was not kept.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CollectError {
    #[error("the message has more than {limit} bytes (message_bytes_max)")]
    TooLarge { limit: u64 },
    #[error("the message cannot be kept in the data folder")]
    Disk(#[from] io::Error),
}

/// Takes the bytes of one message as they come.
pub(crate) struct Collector<'a> {
    options: &'a SpoolOptions,
    addressees: Option<&'a dyn Addressees>,
    buffer: BytesMut,
    long: Option<Box<Long>>,
    len: u64,
}

/// A message that does not stay in memory.
struct Long {
    walk: Walk,
    way: Way,
}

/// Where it goes.
enum Way {
    File(BufWriter<File>, Spool),
    Passage(Entrance),
}

/// The next bytes of a message.
enum Part<'a> {
    Slice(&'a [u8]),
    Shared(&'a Bytes),
}

impl Part<'_> {
    fn bytes(&self) -> &[u8] {
        match self {
            Part::Slice(bytes) => bytes,
            Part::Shared(bytes) => bytes,
        }
    }
}

impl Long {
    fn push(&mut self, part: &Part<'_>) -> io::Result<()> {
        self.walk.feed(part.bytes());
        match (&mut self.way, part) {
            (Way::File(file, _), _) => file.write_all(part.bytes())?,
            (Way::Passage(entrance), Part::Slice(bytes)) => entrance.push(bytes),
            (Way::Passage(entrance), Part::Shared(bytes)) => entrance.push_shared(bytes),
        }
        Ok(())
    }
}

impl<'a> Collector<'a> {
    /// One whose long messages go to files, or to those of the `addressees` who want them.
    pub(crate) fn new(
        options: &'a SpoolOptions,
        addressees: Option<&'a dyn Addressees>,
    ) -> Collector<'a> {
        Collector { options, addressees, buffer: BytesMut::new(), long: None, len: 0 }
    }

    /// How many bytes came.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Whether the message is not in memory.
    pub(crate) fn is_long(&self) -> bool {
        self.long.is_some()
    }

    /// The beginning of the message, as far as it is in memory.
    pub(crate) fn head(&self) -> &[u8] {
        &self.buffer
    }

    /// The next bytes. After an error the collector is of no further use.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), CollectError> {
        self.add(&Part::Slice(bytes))
    }

    /// The same for bytes that need not be copied.
    pub(crate) fn push_shared(&mut self, bytes: &Bytes) -> Result<(), CollectError> {
        self.add(&Part::Shared(bytes))
    }

    fn add(&mut self, part: &Part<'_>) -> Result<(), CollectError> {
        let bytes = part.bytes();
        let limit = self.options.message_bytes_max;
        self.len += bytes.len() as u64;
        if self.len > limit {
            return Err(CollectError::TooLarge { limit });
        }
        if self.long.is_none() {
            if self.buffer.len() + bytes.len() <= self.options.inline_bytes_max {
                self.buffer.extend_from_slice(bytes);
                return Ok(());
            }
            self.long = Some(Box::new(self.begin(bytes)?));
            // What remains in memory is for error messages and for finding the id.
            self.buffer.truncate(1024);
            self.buffer = BytesMut::from(&self.buffer[..]);
        }
        if let Some(long) = &mut self.long {
            long.push(part)?;
        }
        Ok(())
    }

    /// The message is long: it goes on with what there is of it, before these bytes.
    fn begin(&self, next: &[u8]) -> Result<Long, CollectError> {
        let mut walk = Walk::default();
        walk.feed(&self.buffer);
        let passage = self.addressees.and_then(|addressees| {
            // All of it may have come at once.
            let mut ahead = walk.clone();
            ahead.feed(&next[..next.len().min(BEGINNING_BYTES)]);
            addressees.begins(&ahead.beginning())
        });
        let way = match passage {
            Some(mut entrance) => {
                entrance.push(&self.buffer);
                Way::Passage(entrance)
            }
            None => {
                let (file, spool) = create(&self.options.folder)?;
                let mut file = BufWriter::with_capacity(GATHERED_BYTES, file);
                file.write_all(&self.buffer)?;
                Way::File(file, spool)
            }
        };
        Ok(Long { walk, way })
    }

    /// Whether so many more bytes may have to wait for the disk.
    pub(crate) fn blocks(&self, len: usize) -> bool {
        match self.long.as_ref().map(|long| &long.way) {
            Some(Way::File(file, _)) => file.buffer().len() + len > GATHERED_BYTES,
            // It sees to that itself.
            Some(Way::Passage(_)) => false,
            None => self.buffer.len() + len > self.options.inline_bytes_max,
        }
    }

    /// The whole message; the collector is ready for the next one.
    pub(crate) fn take(&mut self) -> Result<Body, CollectError> {
        let len = std::mem::take(&mut self.len);
        let buffer = self.buffer.split().freeze();
        let Some(long) = self.long.take() else { return Ok(Body::Whole(buffer)) };
        let Long { walk, way } = *long;
        let envelope = walk.finish();
        match way {
            Way::File(mut file, mut spool) => {
                file.flush()?;
                (spool.len, spool.envelope) = (len, envelope);
                Ok(Body::Spooled(spool))
            }
            Way::Passage(entrance) => {
                let request = entrance.request();
                match LongMessage::of(&envelope) {
                    LongMessage::Answer(id) if id == request => {
                        entrance.end();
                        Ok(Body::Passed(request))
                    }
                    other => Ok(Body::Strayed(other)),
                }
            }
        }
    }
}

fn create(folder: &Path) -> io::Result<(File, Spool)> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("message-{}-{number}", std::process::id()));
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        match options.open(&path) {
            Ok(file) => return Ok((file, Spool { path, len: 0, envelope: Envelope::default() })),
            // Left behind by a process that had our number before.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests;
