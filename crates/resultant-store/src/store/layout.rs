//! The data folder: its version, and how one of an older version becomes one of this.
//!
//! ```text
//! version          the number of this layout
//! lock             held by a process that opens the folder
//! incoming/        bytes on their way in
//! blobs/           objects, unless they are kept somewhere else
//! resultant.db     records, unless they are kept somewhere else
//! old/             what an older version left and is not taken over yet, or cannot be
//! ```
//! Before there were versions, `blobs/ab/DIGEST` held bytes and `files/KEY.json` a record of each
//! file. These are moved to `old` first; then each file is kept like a new one, and its old record
//! goes. Interrupted, it goes on with what is left.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use serde::Deserialize;

use super::{Quotas, Store};
use crate::{
    NewFile, Origin, SessionKind, StoreError, Whole,
    blobs::{blocking, make_folder, sync_folder},
    incoming::Temporary,
};

/// The layout of this program. 1 is the one without a version.
const VERSION: i64 = 2;

/// The session that old files become part of.
const SESSION: &str = "default";

/// A data folder that no other process brings up to date meanwhile.
pub(super) struct Layout {
    folder: PathBuf,
    is_current: bool,
    /// Held until this is dropped.
    _lock: File,
}

/// A file, as it was recorded before.
#[derive(Debug, Deserialize)]
struct OldFile {
    name: String,
    mime: String,
    sha256: String,
    server: String,
    tool: String,
    created_ms: u64,
}

impl Layout {
    /// Makes the folder where there is none, waits until no other process is doing this, and moves
    /// what is old out of the way.
    pub(super) async fn open(folder: &Path) -> Result<Layout, StoreError> {
        let folder = folder.to_owned();
        blocking(move || {
            make_folder(&folder)?;
            make_folder(&folder.join("incoming"))?;
            let lock = private(File::options().append(true)).open(folder.join("lock"))?;
            lock.lock()?;
            let is_current = match fs::read_to_string(folder.join("version")) {
                Ok(text) => {
                    let strange = || io::Error::other("its version is not a number");
                    let found = text.trim().parse().map_err(|_| strange())?;
                    if found > VERSION {
                        let what = "the data folder";
                        return Err(StoreError::Version { what, found, known: VERSION });
                    }
                    found == VERSION
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => false,
                Err(error) => return Err(error.into()),
            };
            let layout = Layout { folder, is_current, _lock: lock };
            if !is_current {
                layout.move_aside()?;
            }
            Ok(layout)
        })
        .await
    }

    pub(super) fn incoming(&self) -> PathBuf {
        self.folder.join("incoming")
    }

    fn old(&self) -> PathBuf {
        self.folder.join("old")
    }

    /// Records last: as long as they are where they were, this is not done.
    fn move_aside(&self) -> io::Result<()> {
        if !self.folder.join("files").exists() {
            return Ok(());
        }
        make_folder(&self.old())?;
        for part in ["blobs", "files"] {
            let (from, to) = (self.folder.join(part), self.old().join(part));
            if from.exists() && !to.exists() {
                fs::rename(from, to)?;
            }
        }
        sync_folder(&self.old())?;
        sync_folder(&self.folder)
    }

    /// Takes over the files of an older version, and writes the version down.
    pub(super) async fn bring_up_to_date(
        self,
        store: &Store,
        owner: &str,
    ) -> Result<(), StoreError> {
        if self.is_current {
            return Ok(());
        }
        let records = self.old().join("files");
        let found = blocking(move || Ok(old_files(&records)?)).await?;
        for (record, old) in found {
            match self.take_over(store, owner, &old).await {
                Ok(()) => blocking(move || Ok(fs::remove_file(record)?)).await?,
                // What is not there any more, or is something else, stays where a person finds it.
                Err(error @ (StoreError::Missing { .. } | StoreError::Damaged { .. })) => {
                    tracing::error!(name = old.name, %error, "an old file cannot be taken over");
                }
                Err(error) => return Err(error),
            }
        }
        blocking(move || {
            let old = self.old();
            if old_files(&old.join("files"))?.is_empty() && old.exists() {
                fs::remove_dir_all(&old)?;
            }
            let new = self.folder.join("version.new");
            let mut file = private(File::options().write(true).truncate(true)).open(&new)?;
            file.write_all(format!("{VERSION}\n").as_bytes())?;
            file.sync_all()?;
            fs::rename(&new, self.folder.join("version"))?;
            Ok(sync_folder(&self.folder)?)
        })
        .await
    }

    async fn take_over(&self, store: &Store, owner: &str, old: &OldFile) -> Result<(), StoreError> {
        let missing = || StoreError::Missing { digest: old.sha256.clone() };
        let is_digest = old.sha256.len() == 64
            && old.sha256.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let shelf = old.sha256.get(..2).filter(|_| is_digest).ok_or_else(missing)?;
        // Interrupted after it was kept, it is there already.
        let named = store.file_named(owner, Some(SESSION), &old.name, Some(&old.sha256));
        if named.await?.is_some() {
            return Ok(());
        }
        let from = self.old().join("blobs").join(shelf).join(&old.sha256);
        let incoming = self.incoming();
        let whole = blocking(move || {
            Ok(match from.exists() {
                true => Some(Whole::measure(Temporary::link(&incoming, &from)?)?),
                false => None,
            })
        });
        let whole = whole.await?.ok_or_else(missing)?;
        if whole.sha256() != old.sha256 {
            return Err(StoreError::Damaged { digest: old.sha256.clone() });
        }
        let new = NewFile {
            name: old.name.clone(),
            mime: old.mime.clone(),
            description: None,
            viewer: None,
            origin: Origin::Tool { server: old.server.clone(), tool: old.tool.clone(), call: None },
        };
        let all = Quotas { user_bytes_max: u64::MAX, session_bytes_max: u64::MAX };
        store.keep_within(owner, SESSION, SessionKind::Default, &new, &whole, &all).await.map(drop)
    }
}

/// Makes what is not there for its owner only, like all else in the folder.
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options.create(true)
}

/// Old records that can be read, the oldest first.
fn old_files(folder: &Path) -> io::Result<Vec<(PathBuf, OldFile)>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            match serde_json::from_slice::<OldFile>(&fs::read(&path)?) {
                Ok(file) => files.push((path, file)),
                Err(error) => tracing::error!(?path, %error, "an old record cannot be read"),
            }
        }
    }
    files.sort_by(|one, other| (one.1.created_ms, &one.0).cmp(&(other.1.created_ms, &other.0)));
    Ok(files)
}
