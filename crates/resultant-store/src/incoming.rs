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

use bytes::Bytes;
use data_encoding::HEXLOWER;

#[cfg(test)]
pub(crate) use self::digests::PIECE;
pub(crate) use self::digests::piece_bytes;
use self::digests::{Digested, Digesting, Digests};
use crate::Id;

/// So many bytes at most are gathered for one call of the system.
const GATHERED: usize = 64 << 10;

/// So many bytes wait to be brought to the disk, and as many are on their way there, so that
/// bringing the rest there, at the end, does not take long.
const UNSYNCED_MAX: u64 = 32 << 20;

/// A file that is being written. Dropped before its end, it is gone.
#[derive(Debug)]
pub struct Incoming {
    target: Result<Target, io::Error>,
    size: u64,
    digesting: Digesting,
}

/// Where the bytes go.
#[derive(Debug)]
struct Target {
    file: BufWriter<File>,
    place: Temporary,
    syncing: Syncing,
}

impl Incoming {
    /// A new one in this folder. Without `hashes` whoever writes it knows its SHA-256 in the end.
    pub(crate) fn new(folder: &Path, hashes: bool) -> io::Result<Incoming> {
        let (file, place) = Temporary::new(folder)?;
        let file = BufWriter::with_capacity(GATHERED, file);
        let target = Target { file, place, syncing: Syncing::default() };
        Ok(Incoming { target: Ok(target), size: 0, digesting: Digesting::new(hashes) })
    }

    /// One that there is no place for: only its digest can be known.
    pub fn lost(reason: io::Error) -> Incoming {
        Incoming { target: Err(reason), size: 0, digesting: Digesting::new(true) }
    }

    /// Adds bytes. It blocks. An error is told once: what comes after it only goes into the digest,
    /// and there will be no file.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.digesting.add(bytes, self.size)?;
        self.write_to_target(bytes)
    }

    /// The same for bytes that need not be copied for another thread.
    pub fn write_shared(&mut self, bytes: &Bytes) -> io::Result<()> {
        self.digesting.add_shared(bytes, self.size)?;
        self.write_to_target(bytes)
    }

    fn write_to_target(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.size += bytes.len() as u64;
        let Ok(target) = &mut self.target else { return Ok(()) };
        target.write(bytes, self.size).map_err(|error| {
            let told = copy_of(&error);
            // What there is of it goes at once: it may be the disk that is full.
            self.target = Err(error);
            told
        })
    }

    /// How many there are.
    pub fn len(&self) -> u64 {
        self.size
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// The SHA-256 of all bytes; there must not come more.
    pub fn sha256(&mut self) -> io::Result<[u8; 32]> {
        let digested = self.digesting.end()?;
        digested.sha256.ok_or_else(|| io::Error::other("somebody else computes it"))
    }

    /// All bytes are there. Their digest was computed while they were written; where it was not, it
    /// is now.
    pub fn finish(self) -> io::Result<Whole> {
        let place = self.target?.finish()?;
        let Digested { size, sha256, pieces } = self.digesting.finish()?;
        match sha256 {
            Some(sha256) => Ok(Whole { place, size, sha256: HEXLOWER.encode(&sha256), pieces }),
            None => Whole::measure(place),
        }
    }

    /// All bytes are there, and this is their digest, computed by whoever wrote them.
    pub fn finish_known(self, sha256: [u8; 32]) -> io::Result<Whole> {
        let place = self.target?.finish()?;
        let Digested { size, pieces, .. } = self.digesting.finish()?;
        Ok(Whole { place, size, sha256: HEXLOWER.encode(&sha256), pieces })
    }
}

impl Target {
    /// Adds bytes, so that there are this many.
    fn write(&mut self, bytes: &[u8], size: u64) -> io::Result<()> {
        self.file.write_all(bytes)?;
        if size - self.syncing.upto >= UNSYNCED_MAX {
            self.file.flush()?;
            self.syncing.start(self.file.get_ref(), size)?;
        }
        Ok(())
    }

    /// All bytes are there.
    fn finish(mut self) -> io::Result<Temporary> {
        self.file.flush()?;
        self.syncing.wait()?;
        Ok(self.place)
    }
}

/// The same error once more.
fn copy_of(error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), error.to_string())
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
        self.target.as_mut().map_or(Ok(()), |target| target.file.flush())
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
        let mut digests = Digests::new(true);
        loop {
            match file.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => digests.add(&buffer[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let Digested { size, sha256, pieces } = digests.finish();
        match sha256 {
            Some(sha256) if fs::metadata(&place.0)?.len() == size => {
                Ok(Whole { place, size, sha256: HEXLOWER.encode(&sha256), pieces })
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
                    for (number, part) in content.chunks(part.min(content.len()).max(1)).enumerate()
                    {
                        match number % 3 {
                            0 => incoming.write_shared(&Bytes::copy_from_slice(part)).unwrap(),
                            _ => incoming.write(part).unwrap(),
                        }
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

    #[test]
    fn without_a_place_or_after_an_error_the_digest_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let content = bytes(90 * PIECE + 5);
        let sha256: [u8; 32] = Sha256::digest(&content).into();
        // A file that nothing can be written to.
        let mut broken = Incoming::new(folder.path(), true).unwrap();
        let target = broken.target.as_mut().unwrap();
        target.file = BufWriter::new(File::open(&target.place.0).unwrap());
        for mut incoming in [broken, Incoming::lost(io::Error::other("no place"))] {
            let shared = Bytes::from(content.clone());
            let mut errors = 0;
            for start in (0..content.len()).step_by(PIECE) {
                let part = shared.slice(start..content.len().min(start + PIECE));
                let written = match start % (2 * PIECE) {
                    0 => incoming.write_shared(&part),
                    _ => incoming.write(&part),
                };
                errors += usize::from(written.is_err());
            }
            assert!(errors <= 1, "an error is told once, not {errors} times");
            assert_eq!(incoming.sha256().unwrap(), sha256);
            assert_eq!(incoming.sha256().unwrap(), sha256, "also when it is asked again");
            assert!(incoming.finish().is_err());
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
