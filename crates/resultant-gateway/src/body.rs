//! The bytes of one message, however long: short ones in memory, long ones in a file.
//!
//! Everything that comes from a server goes through a [`Collector`]. It holds up to
//! `inline_bytes_max` in memory; from there on the message is written to a file in the data folder
//! while it arrives, so memory does not grow with a message. Its outermost members are looked at on
//! the way. The file is read once more when the message is whole and its addressee known; that
//! second pass costs a read from the page cache and buys that a message is read with the tool's
//! schema and the server's version at hand. The file goes when its [`Spool`] is dropped.

mod envelope;

use std::{
    fs::{File, OpenOptions},
    io::{self, BufWriter, Write as _},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use bytes::{Bytes, BytesMut};

use self::envelope::Walk;
pub(crate) use self::envelope::{Envelope, LongMessage};

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

/// The bytes of one whole message.
#[derive(Debug)]
pub(crate) enum Body {
    Whole(Bytes),
    Spooled(Spool),
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
#[derive(Debug)]
pub(crate) struct Collector<'a> {
    options: &'a SpoolOptions,
    buffer: BytesMut,
    long: Option<Box<Long>>,
    len: u64,
}

/// A message that goes to a file.
#[derive(Debug)]
struct Long {
    file: BufWriter<File>,
    spool: Spool,
    walk: Walk,
}

impl Long {
    fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.walk.feed(bytes);
        self.file.write_all(bytes)
    }
}

impl<'a> Collector<'a> {
    pub(crate) fn new(options: &'a SpoolOptions) -> Collector<'a> {
        Collector { options, buffer: BytesMut::new(), long: None, len: 0 }
    }

    /// How many bytes came.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// The beginning of the message, as far as it is in memory.
    pub(crate) fn head(&self) -> &[u8] {
        &self.buffer
    }

    /// The next bytes. After an error the collector is of no further use.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Result<(), CollectError> {
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
            let (file, spool) = create(&self.options.folder)?;
            let file = BufWriter::with_capacity(GATHERED_BYTES, file);
            let mut long = Box::new(Long { file, spool, walk: Walk::default() });
            long.push(&self.buffer)?;
            // What remains in memory is for error messages and for finding the id.
            self.buffer.truncate(1024);
            self.buffer = BytesMut::from(&self.buffer[..]);
            self.long = Some(long);
        }
        if let Some(long) = &mut self.long {
            long.push(bytes)?;
        }
        Ok(())
    }

    /// Whether so many more bytes may have to wait for the disk.
    pub(crate) fn blocks(&self, len: usize) -> bool {
        match &self.long {
            Some(long) => long.file.buffer().len() + len > GATHERED_BYTES,
            None => self.buffer.len() + len > self.options.inline_bytes_max,
        }
    }

    /// The whole message; the collector is ready for the next one.
    pub(crate) fn take(&mut self) -> Result<Body, CollectError> {
        let len = std::mem::take(&mut self.len);
        let buffer = self.buffer.split().freeze();
        let Some(long) = self.long.take() else { return Ok(Body::Whole(buffer)) };
        let Long { mut file, mut spool, walk } = *long;
        file.flush()?;
        spool.len = len;
        spool.envelope = walk.finish();
        Ok(Body::Spooled(spool))
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
