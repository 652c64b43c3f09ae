//! The files that results leave behind, in the data folder.
//!
//! ```text
//! incoming/            what is being written, and goes when it is done
//! blobs/ab/abcd…       the bytes, by their digest
//! files/KEY.json       what they are called, what they are, where they came from
//! ```
//! Bytes are written and synced before their record, and a record appears whole or not at all, so
//! several gateways can share the folder and a crash leaves at most a blob that nobody names. The
//! newest file of a name is the one the name means.

use std::{
    collections::HashMap,
    fs::{self, File, OpenOptions},
    io::{self, Read as _, Seek as _, Write as _},
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use resultant::{Artifact, Content, Sha256Digest, Sink, SpillId};
use serde::{Deserialize, Serialize};

use crate::{client::lock, random};

/// What was not written to for so long, in `incoming`, belongs to nobody.
const INCOMING_AGE_MAX: Duration = Duration::from_secs(60 * 60);

/// A kept file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Record {
    /// What a download asks for; nobody can guess it.
    pub(crate) key: String,
    pub(crate) name: String,
    pub(crate) mime: String,
    pub(crate) size: u64,
    pub(crate) sha256: String,
    pub(crate) server: String,
    pub(crate) tool: String,
    pub(crate) created_ms: u64,
}

/// The files of a data folder.
#[derive(Debug)]
pub(crate) struct Files {
    folder: PathBuf,
    records: Mutex<HashMap<String, Record>>,
}

impl Files {
    /// Opens a data folder; it is made where it is not there, for its owner only.
    pub(crate) fn open(folder: &Path) -> io::Result<Files> {
        create_private(folder)?;
        for part in ["incoming", "blobs", "files"] {
            create_private(&folder.join(part))?;
        }
        let files = Files { folder: folder.to_owned(), records: Mutex::default() };
        files.clean_incoming();
        Ok(files)
    }

    /// Where things are while they are being written.
    pub(crate) fn incoming(&self) -> PathBuf {
        self.folder.join("incoming")
    }

    /// Clears away what a process that was killed left half written.
    pub(crate) fn clean_incoming(&self) {
        let Ok(entries) = fs::read_dir(self.incoming()) else { return };
        for entry in entries.flatten() {
            let modified = entry.metadata().and_then(|metadata| metadata.modified());
            let age = modified.ok().and_then(|modified| modified.elapsed().ok());
            if age.is_some_and(|age| age > INCOMING_AGE_MAX) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// A place for the long strings of one message.
    pub(crate) fn sink(&self) -> FileSink {
        FileSink { folder: self.incoming(), files: HashMap::new(), open: HashMap::new() }
    }

    /// Keeps an artifact; it is on disk when this returns. Nothing for one whose bytes are not
    /// here.
    pub(crate) fn keep(
        &self,
        artifact: &Artifact,
        sink: &mut FileSink,
        server: &str,
        tool: &str,
    ) -> io::Result<Option<Record>> {
        let blob = self.blob(&artifact.sha256.to_string());
        match &artifact.content {
            Content::Elsewhere => return Ok(None),
            _ if blob.exists() => {}
            Content::Spilled(id) => {
                let path = sink.take(*id)?;
                File::open(&path)?.sync_all()?;
                self.place(&path, &blob)?;
            }
            Content::Base64(_) | Content::Text(_) => {
                let path = self.incoming().join(format!("blob-{}", random::token()));
                let mut file = OpenOptions::new().write(true).create_new(true).open(&path)?;
                let mut written = Ok(());
                artifact.write_to(|part| {
                    if written.is_ok() {
                        written = file.write_all(part);
                    }
                });
                if let Err(error) = written.and_then(|()| file.sync_all()) {
                    let _ = fs::remove_file(&path);
                    return Err(error);
                }
                self.place(&path, &blob)?;
            }
        }
        let record = Record {
            key: random::token(),
            name: artifact.name.clone(),
            mime: artifact.mime.clone(),
            size: artifact.size,
            sha256: artifact.sha256.to_string(),
            server: server.to_owned(),
            tool: tool.to_owned(),
            created_ms: now_ms(),
        };
        self.write_record(&record)?;
        lock(&self.records).insert(record.key.clone(), record.clone());
        Ok(Some(record))
    }

    /// Where the bytes of a file are.
    pub(crate) fn path(&self, record: &Record) -> PathBuf {
        self.blob(&record.sha256)
    }

    fn blob(&self, sha256: &str) -> PathBuf {
        self.folder.join("blobs").join(&sha256[..2]).join(sha256)
    }

    fn place(&self, from: &Path, blob: &Path) -> io::Result<()> {
        if let Some(parent) = blob.parent() {
            create_private(parent)?;
        }
        fs::rename(from, blob)
    }

    fn write_record(&self, record: &Record) -> io::Result<()> {
        let temporary = self.incoming().join(format!("record-{}", record.key));
        let mut file = OpenOptions::new().write(true).create_new(true).open(&temporary)?;
        file.write_all(serde_json::to_string(record)?.as_bytes())?;
        file.sync_all()?;
        fs::rename(&temporary, self.folder.join("files").join(format!("{}.json", record.key)))
    }

    /// The newest file of this name.
    pub(crate) fn named(&self, name: &str, sha256: Option<&str>) -> Option<Record> {
        let find = || {
            let records = lock(&self.records);
            let fits = |record: &&Record| {
                record.name == name && sha256.is_none_or(|sha256| record.sha256 == sha256)
            };
            records.values().filter(fits).max_by_key(|record| record.created_ms).cloned()
        };
        find().or_else(|| {
            self.look_again();
            find()
        })
    }

    /// The file with this key.
    pub(crate) fn by_key(&self, key: &str) -> Option<Record> {
        let find = || lock(&self.records).get(key).cloned();
        find().or_else(|| {
            self.look_again();
            find()
        })
    }

    fn look_again(&self) {
        let Ok(entries) = fs::read_dir(self.folder.join("files")) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let Some(key) = name.strip_suffix(".json") else { continue };
            if lock(&self.records).contains_key(key) {
                continue;
            }
            let record = fs::read(entry.path()).ok();
            let record = record.and_then(|text| serde_json::from_slice::<Record>(&text).ok());
            let is_sound = |record: &Record| {
                record.key == key && Sha256Digest::parse(&record.sha256).is_some()
            };
            if let Some(record) = record.filter(is_sound) {
                lock(&self.records).insert(record.key.clone(), record);
            }
        }
    }

    /// The bytes of a file.
    pub(crate) fn open_blob(&self, record: &Record) -> io::Result<File> {
        File::open(self.blob(&record.sha256))
    }

    /// A part of a file.
    pub(crate) fn read(&self, record: &Record, start: u64, len: u64) -> io::Result<Vec<u8>> {
        let mut file = self.open_blob(record)?;
        file.seek(io::SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        file.take(len).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

fn create_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Takes the long strings of one message, each into a file. What nobody takes goes with it.
#[derive(Debug)]
pub(crate) struct FileSink {
    folder: PathBuf,
    files: HashMap<SpillId, PathBuf>,
    open: HashMap<SpillId, File>,
}

impl FileSink {
    fn take(&mut self, id: SpillId) -> io::Result<PathBuf> {
        self.open.remove(&id);
        let missing = || io::Error::new(io::ErrorKind::NotFound, "the spilled string is not there");
        self.files.remove(&id).ok_or_else(missing)
    }
}

impl Sink for FileSink {
    fn write(&mut self, id: SpillId, bytes: &[u8]) -> io::Result<()> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        if !self.open.contains_key(&id) {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!("spill-{}-{number}-{}", std::process::id(), random::token());
            let path = self.folder.join(name);
            let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
            self.files.insert(id, path);
            self.open.insert(id, file);
        }
        self.open.get_mut(&id).map_or(Ok(()), |file| file.write_all(bytes))
    }

    fn end(&mut self, id: SpillId) -> io::Result<()> {
        self.open.remove(&id).map_or(Ok(()), |mut file| file.flush())
    }

    fn discard(&mut self, id: SpillId) {
        self.open.remove(&id);
        if let Some(path) = self.files.remove(&id) {
            let _ = fs::remove_file(path);
        }
    }
}

impl Drop for FileSink {
    fn drop(&mut self) {
        for path in self.files.values() {
            let _ = fs::remove_file(path);
        }
    }
}
