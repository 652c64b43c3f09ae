//! The bytes of one message, however long: short ones in memory, long ones in a file.
//!
//! Everything that comes from a server goes through a [`Collector`]. It holds up to
//! `inline_bytes_max` in memory; from there on the message is written to a file in the data folder
//! while it arrives, so memory does not grow with a message. The file is read once more when the
//! message is whole and its addressee known; that second pass costs a read from the page cache and
//! buys that a message is read with the tool's schema and the server's version at hand. The file
//! goes when its [`Spool`] is dropped.

mod envelope;

use std::{
    fs::{File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use bytes::{Bytes, BytesMut};

pub(crate) use self::envelope::{Envelope, LongMessage};

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
}

impl Spool {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn len(&self) -> u64 {
        self.len
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
    file: Option<(File, Spool)>,
    len: u64,
}

impl<'a> Collector<'a> {
    pub(crate) fn new(options: &'a SpoolOptions) -> Collector<'a> {
        Collector { options, buffer: BytesMut::new(), file: None, len: 0 }
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
        if self.file.is_none() {
            if self.buffer.len() + bytes.len() <= self.options.inline_bytes_max {
                self.buffer.extend_from_slice(bytes);
                return Ok(());
            }
            let (mut file, spool) = create(&self.options.folder)?;
            file.write_all(&self.buffer)?;
            // What remains in memory is for error messages and for finding the id.
            self.buffer.truncate(1024);
            self.buffer = BytesMut::from(&self.buffer[..]);
            self.file = Some((file, spool));
        }
        if let Some((file, _)) = &mut self.file {
            file.write_all(bytes)?;
        }
        Ok(())
    }

    /// The whole message; the collector is ready for the next one.
    pub(crate) fn take(&mut self) -> Body {
        let len = std::mem::take(&mut self.len);
        let buffer = self.buffer.split().freeze();
        match self.file.take() {
            Some((_, mut spool)) => {
                spool.len = len;
                Body::Spooled(spool)
            }
            None => Body::Whole(buffer),
        }
    }
}

fn create(folder: &Path) -> io::Result<(File, Spool)> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("message-{}-{number}", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => return Ok((file, Spool { path, len: 0 })),
            // Left behind by a process that had our number before.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}
