//! What is to be known about bytes, computed while they pass.
//!
//! Two digests of many bytes take as long as writing them does. So where there are many they are
//! computed on a thread of their own, as long as there are processors for such threads; what waits
//! for it is bounded.

use std::{
    io,
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc::{SyncSender, sync_channel},
    },
    thread::{self, JoinHandle},
};

use bytes::Bytes;
use sha2::{Digest as _, Sha256};

/// How many bytes are checked at once when they are read. Which size a blob has is known from the
/// count of its digests, so this can change and what was kept before stays readable; see
/// [`piece_bytes`].
pub(crate) const PIECE: usize = 64 << 10;
/// The size of pieces before.
const PIECE_BEFORE: usize = 1 << 20;

/// From so many bytes on they are handed to another thread.
const BESIDE_BYTES_MIN: u64 = 4 << 20;
/// So many bytes are handed over at once.
const HANDED_BYTES: usize = 256 << 10;
/// So many times that wait at most.
const WAITING_MAX: usize = 4;

/// The size of the pieces whose digests these are: 32 bytes for each.
pub(crate) fn piece_bytes(size: u64, digests: usize) -> Option<usize> {
    // A blob of less than a piece has one digest in either case, and it is the same.
    let fits = |piece: &usize| size.div_ceil(*piece as u64) * 32 == digests as u64;
    [PIECE, PIECE_BEFORE].into_iter().find(fits)
}

/// The digests of some bytes.
#[derive(Debug)]
pub(super) struct Digests {
    sha256: Option<Sha256>,
    pieces: Pieces,
    size: u64,
}

/// What came out.
#[derive(Debug)]
pub(super) struct Digested {
    pub(super) size: u64,
    /// SHA-256 of the whole, unless somebody else computes it.
    pub(super) sha256: Option<[u8; 32]>,
    /// BLAKE3 of each piece.
    pub(super) pieces: Vec<u8>,
}

impl Default for Digests {
    fn default() -> Digests {
        Digests::new(true)
    }
}

impl Digests {
    /// Without `hashes` somebody else computes the SHA-256.
    pub(super) fn new(hashes: bool) -> Digests {
        Digests { sha256: hashes.then(Sha256::new), pieces: Pieces::default(), size: 0 }
    }

    /// The next bytes.
    pub(super) fn add(&mut self, bytes: &[u8]) {
        if let Some(sha256) = &mut self.sha256 {
            sha256.update(bytes);
        }
        self.pieces.add(bytes);
        self.size += bytes.len() as u64;
    }

    pub(super) fn finish(self) -> Digested {
        Digested {
            size: self.size,
            sha256: self.sha256.map(|sha256| sha256.finalize().into()),
            pieces: self.pieces.finish(),
        }
    }
}

/// Digests that are being computed, here or beside.
#[derive(Debug)]
pub(super) enum Digesting {
    Here(Box<Digests>),
    Beside(Beside),
    /// All bytes came.
    Done(Digested),
    /// They are lost, with the thread that computed them.
    Lost,
}

#[derive(Debug)]
pub(super) struct Beside {
    gathered: Vec<u8>,
    queue: SyncSender<Bytes>,
    thread: JoinHandle<Box<Digests>>,
    _place: Place,
}

impl Digesting {
    pub(super) fn new(hashes: bool) -> Digesting {
        Digesting::Here(Box::new(Digests::new(hashes)))
    }

    /// The next bytes, `before` of which there were already.
    pub(super) fn add(&mut self, bytes: &[u8], before: u64) -> io::Result<()> {
        match self.at_place(before) {
            Digesting::Here(digests) => digests.add(bytes),
            Digesting::Beside(beside) => beside.add(bytes)?,
            Digesting::Done(_) | Digesting::Lost => return Err(lost()),
        }
        Ok(())
    }

    /// The same for bytes that need not be copied.
    pub(super) fn add_shared(&mut self, bytes: &Bytes, before: u64) -> io::Result<()> {
        match self.at_place(before) {
            Digesting::Beside(beside) if bytes.len() >= HANDED_BYTES / 4 => {
                beside.hand_over()?;
                beside.send(bytes.clone())
            }
            _ => self.add(bytes, before),
        }
    }

    /// Where the next bytes are digested.
    fn at_place(&mut self, before: u64) -> &mut Digesting {
        if let Digesting::Here(digests) = self
            && before >= BESIDE_BYTES_MIN
            && let Some(place) = Place::take()
        {
            let digests = std::mem::replace(digests, Box::new(Digests::new(false)));
            *self = Beside::start(digests, place);
        }
        self
    }

    /// All bytes came.
    pub(super) fn end(&mut self) -> io::Result<&Digested> {
        *self = match std::mem::replace(self, Digesting::Lost) {
            Digesting::Here(digests) => Digesting::Done(digests.finish()),
            Digesting::Beside(beside) => Digesting::Done(beside.finish()?),
            ended => ended,
        };
        match self {
            Digesting::Done(digested) => Ok(digested),
            _ => Err(lost()),
        }
    }

    pub(super) fn finish(mut self) -> io::Result<Digested> {
        self.end()?;
        match self {
            Digesting::Done(digested) => Ok(digested),
            _ => Err(lost()),
        }
    }
}

fn lost() -> io::Error {
    io::Error::other("the digests are not computed")
}

impl Beside {
    /// Goes on with them on a thread, or here where there is none to be had.
    fn start(digests: Box<Digests>, place: Place) -> Digesting {
        let (queue, parts) = sync_channel::<Bytes>(WAITING_MAX);
        let (hand, handed) = sync_channel::<Box<Digests>>(1);
        let work = move || {
            let mut digests = handed.recv().unwrap_or_default();
            // It ends with the queue, also where nobody waits for it any more.
            for part in parts {
                digests.add(&part);
            }
            digests
        };
        match thread::Builder::new().name("digests".to_owned()).spawn(work) {
            Ok(thread) => {
                let _ = hand.send(digests);
                let gathered = Vec::with_capacity(HANDED_BYTES);
                Digesting::Beside(Beside { gathered, queue, thread, _place: place })
            }
            Err(_) => Digesting::Here(digests),
        }
    }

    fn add(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(HANDED_BYTES - self.gathered.len()));
            self.gathered.extend_from_slice(now);
            if self.gathered.len() == HANDED_BYTES {
                self.hand_over()?;
            }
            bytes = later;
        }
        Ok(())
    }

    fn hand_over(&mut self) -> io::Result<()> {
        if self.gathered.is_empty() {
            return Ok(());
        }
        let part = std::mem::replace(&mut self.gathered, Vec::with_capacity(HANDED_BYTES));
        self.send(part.into())
    }

    fn send(&self, part: Bytes) -> io::Result<()> {
        self.queue.send(part).map_err(|_| lost())
    }

    fn finish(mut self) -> io::Result<Digested> {
        self.hand_over()?;
        drop(self.queue);
        Ok(self.thread.join().map_err(|_| lost())?.finish())
    }
}

/// A place for one more thread. There is one for each processor.
#[derive(Debug)]
struct Place;

static TAKEN: AtomicUsize = AtomicUsize::new(0);

impl Place {
    fn take() -> Option<Place> {
        let places = thread::available_parallelism().map_or(1, usize::from);
        let taken = TAKEN.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |taken| {
            (taken < places).then_some(taken + 1)
        });
        taken.ok().map(|_| Place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        TAKEN.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Digests of pieces as the bytes pass by.
#[derive(Debug, Default)]
struct Pieces {
    done: Vec<u8>,
    current: blake3::Hasher,
    filled: usize,
}

impl Pieces {
    fn add(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(PIECE - self.filled));
            self.current.update(now);
            self.filled += now.len();
            if self.filled == PIECE {
                self.close();
            }
            bytes = later;
        }
    }

    fn close(&mut self) {
        self.done.extend_from_slice(self.current.finalize().as_bytes());
        self.current.reset();
        self.filled = 0;
    }

    fn finish(mut self) -> Vec<u8> {
        if self.filled > 0 {
            self.close();
        }
        self.done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_pieces_is_known_from_their_count() {
        let (new, before) = (PIECE as u64, PIECE_BEFORE as u64);
        for size in [0, 1, new - 1, new, new + 1, before - 1, before, before + 1, 9 * before + 7] {
            let count = |piece: u64| usize::try_from(size.div_ceil(piece)).unwrap();
            assert_eq!(piece_bytes(size, count(new) * 32), Some(PIECE), "{size}");
            let found = piece_bytes(size, count(before) * 32).unwrap();
            assert!(found == PIECE_BEFORE || size <= new, "{size}: {found}");
        }
        assert_eq!(piece_bytes(9 * before, 32), None);
        assert_eq!(piece_bytes(1, 0), None);
    }
}
