//! Bytes on their way in: a file that nobody knows yet.
//!
//! Digests are computed while the bytes are written, so nothing is read twice: SHA-256 of the whole,
//! which is its name among its owner's, and BLAKE3 of each piece, which lets a part be checked
//! without the rest when it is read. Writing blocks; whoever is in a task of an async runtime uses a
//! blocking thread. What was written is brought to the disk while more is written.

mod digests;

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, Read as _, Write},
    path::{Path, PathBuf},
    thread::{self, JoinHandle},
};

use data_encoding::HEXLOWER;

pub use self::digests::Digests;
#[cfg(test)]
pub(crate) use self::digests::PIECE;
pub(crate) use self::digests::piece_bytes;
use self::digests::{Digested, Digesting};
use crate::Id;

/// So many bytes at most are gathered for one call of the system.
const GATHERED: usize = 64 << 10;

/// So many bytes wait to be brought to the disk, and as many are on their way there, so that
/// bringing the rest there, at the end, does not take long.
const UNSYNCED_MAX: u64 = 32 << 20;

/// A file that is being written. Dropped before its end, it is gone.
#[derive(Debug)]
pub struct Incoming {
    file: BufWriter<File>,
    place: Temporary,
    size: u64,
    digesting: Digesting,
    syncing: Syncing,
}

impl Incoming {
    /// A new one in this folder. Without `hashes` whoever writes it knows its SHA-256 in the end.
    pub(crate) fn new(folder: &Path, hashes: bool) -> io::Result<Incoming> {
        let (file, place) = Temporary::new(folder)?;
        Ok(Incoming {
            file: BufWriter::with_capacity(GATHERED, file),
            place,
            size: 0,
            digesting: Digesting::new(hashes),
            syncing: Syncing::default(),
        })
    }

    /// Adds bytes. It blocks; after an error there is nothing to do but to drop it.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.digesting.add(bytes, self.size)?;
        self.file.write_all(bytes)?;
        self.size += bytes.len() as u64;
        if self.size - self.syncing.upto >= UNSYNCED_MAX {
            self.file.flush()?;
            self.syncing.start(self.file.get_ref(), self.size)?;
        }
        Ok(())
    }

    /// How many there are.
    pub fn len(&self) -> u64 {
        self.size
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// All bytes are there. Their digest was computed while they were written; where it was not, it
    /// is now.
    pub fn finish(mut self) -> io::Result<Whole> {
        self.file.flush()?;
        self.syncing.wait()?;
        let Digested { size, sha256, pieces } = self.digesting.finish()?;
        match sha256 {
            Some(sha256) => Ok(Whole { place: self.place, size, sha256, pieces }),
            None => Whole::measure(self.place),
        }
    }

    /// All bytes are there, and this is their digest, computed by whoever wrote them.
    pub fn finish_known(mut self, sha256: [u8; 32]) -> io::Result<Whole> {
        self.file.flush()?;
        self.syncing.wait()?;
        let Digested { size, pieces, .. } = self.digesting.finish()?;
        Ok(Whole { place: self.place, size, sha256: HEXLOWER.encode(&sha256), pieces })
    }
}

/// Brings what was written to the disk, on a thread of its own.
#[derive(Debug, Default)]
struct Syncing {
    upto: u64,
    under_way: Option<JoinHandle<io::Result<()>>>,
}

impl Syncing {
    /// Starts with what there is now. Waits where the time before is not over: the disk is then
    /// slower than whoever writes.
    fn start(&mut self, file: &File, upto: u64) -> io::Result<()> {
        self.wait()?;
        let same = file.try_clone()?;
        let work = move || same.sync_data();
        self.upto = upto;
        match thread::Builder::new().name("sync".to_owned()).spawn(work) {
            Ok(thread) => self.under_way = Some(thread),
            Err(_) => file.sync_data()?,
        }
        Ok(())
    }

    /// Waits for what is under way. What fails is told here once, and by no later call.
    fn wait(&mut self) -> io::Result<()> {
        let Some(thread) = self.under_way.take() else { return Ok(()) };
        thread.join().map_err(|_| io::Error::other("the bytes could not be brought to the disk"))?
    }
}

impl Write for Incoming {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Incoming::write(self, bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Bytes that are whole and have a digest, and belong to nobody yet. Dropped, they are gone.
#[derive(Debug)]
pub struct Whole {
    place: Temporary,
    size: u64,
    sha256: String,
    pieces: Vec<u8>,
}

impl Whole {
    /// The digest of the bytes, as lower case hexadecimal digits.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// How many there are.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Where they are, as long as they are whole and nobody's.
    pub fn path(&self) -> &Path {
        &self.place.0
    }

    /// The digests of the pieces, 32 bytes each.
    pub(crate) fn pieces(&self) -> &[u8] {
        &self.pieces
    }

    /// Reads a file that is complete and computes what is to be known about it.
    pub(crate) fn measure(place: Temporary) -> io::Result<Whole> {
        let mut file = File::open(&place.0)?;
        let mut buffer = vec![0; GATHERED];
        let mut digests = Digests::default();
        loop {
            match file.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => digests.add(&buffer[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Whole::measured(place, digests)
    }

    /// The same for a file that somebody has read.
    pub(crate) fn measured(place: Temporary, digests: Digests) -> io::Result<Whole> {
        let Digested { size, sha256, pieces } = digests.finish();
        match sha256 {
            Some(sha256) if fs::metadata(&place.0)?.len() == size => {
                Ok(Whole { place, size, sha256, pieces })
            }
            _ => Err(io::Error::other("the file is not what was read")),
        }
    }
}

/// A file that goes when this is dropped, if it is still there.
#[derive(Debug)]
pub(crate) struct Temporary(PathBuf);

impl Temporary {
    /// A new file with a name that nobody can guess, for its owner only.
    fn new(folder: &Path) -> io::Result<(File, Temporary)> {
        let place = Temporary::name(folder);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&place.0)?;
        Ok((file, place))
    }

    /// A file that is already somewhere, under a new name in this folder; it stays where it was too.
    pub(crate) fn link(folder: &Path, from: &Path) -> io::Result<Temporary> {
        let place = Temporary::name(folder);
        if fs::hard_link(from, &place.0).is_err() {
            fs::copy(from, &place.0)?;
        }
        Ok(place)
    }

    fn name(folder: &Path) -> Temporary {
        Temporary(folder.join(format!("in-{}", HEXLOWER.encode(&Id::new().to_bytes()))))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // It is not there any more when it became an object; else a sweep gets it.
        let _ = fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest as _, Sha256};

    use super::*;

    fn bytes(count: usize) -> Vec<u8> {
        (0..count).map(|place| (place * 31 / 7) as u8).collect()
    }

    #[test]
    fn digests_do_not_depend_on_how_it_was_written_or_by_whom_they_were_computed() {
        let folder = tempfile::tempdir().unwrap();
        for size in [0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE + 77, 90 * PIECE + 5] {
            let content = bytes(size);
            let sha256: [u8; 32] = Sha256::digest(&content).into();
            let expected: Vec<u8> =
                content.chunks(PIECE).flat_map(|piece| *blake3::hash(piece).as_bytes()).collect();
            for part in [1000, PIECE, usize::MAX] {
                for (hashes, is_known) in [(true, false), (false, true), (false, false)] {
                    let mut incoming = Incoming::new(folder.path(), hashes).unwrap();
                    for part in content.chunks(part.min(content.len()).max(1)) {
                        incoming.write(part).unwrap();
                    }
                    assert_eq!(incoming.len(), size as u64);
                    let whole = match is_known {
                        true => incoming.finish_known(sha256),
                        false => incoming.finish(),
                    };
                    let whole = whole.unwrap();
                    assert_eq!(whole.sha256(), HEXLOWER.encode(&sha256));
                    assert_eq!(whole.size(), size as u64);
                    assert_eq!(whole.pieces(), expected);
                    assert_eq!(fs::read(whole.path()).unwrap(), content);
                }
            }
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_is_dropped_is_gone_and_only_its_owner_can_read_it() {
        let folder = tempfile::tempdir().unwrap();
        let mut incoming = Incoming::new(folder.path(), true).unwrap();
        incoming.write(b"half").unwrap();
        let path = fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        drop(incoming);
        assert!(!path.exists());
    }
}
