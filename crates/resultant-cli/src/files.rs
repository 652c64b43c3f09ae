//! Writes artifacts into a folder: under their own names, never outside it, never over a file.

use std::{
    collections::HashMap,
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use resultant::{Artifact, Content, Sink, SpillId};

/// A longer name is refused by most file systems.
const NAME_BYTES_MAX: usize = 255;

/// The folder that artifacts go to.
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    pub(crate) fn create(path: &Path) -> anyhow::Result<Folder> {
        fs::create_dir_all(path)
            .with_context(|| format!("cannot make the folder {}", path.display()))?;
        Ok(Folder { path: path.to_owned() })
    }

    /// Writes artifacts; returns the names that were taken and what was written instead.
    pub(crate) fn write(
        &self,
        artifacts: &[Artifact],
        spilled: &mut FolderSink,
    ) -> anyhow::Result<Vec<(String, String)>> {
        let mut renamed = Vec::new();
        for artifact in artifacts {
            let Some(written) = self.write_one(artifact, spilled)? else { continue };
            if written != artifact.name {
                renamed.push((artifact.name.clone(), written));
            }
        }
        Ok(renamed)
    }

    /// A new file of this name, or another where that is taken: the file, its name and its place.
    pub(crate) fn new_file(&self, name: &str) -> anyhow::Result<(File, String, PathBuf)> {
        let (file, name) = self.create_free(name)?;
        let place = self.path.join(&name);
        Ok((file, name, place))
    }

    /// Writes one artifact and returns the name it has now; nothing where its bytes are not here.
    fn write_one(
        &self,
        artifact: &Artifact,
        spilled: &mut FolderSink,
    ) -> anyhow::Result<Option<String>> {
        match artifact.content {
            Content::Elsewhere => Ok(None),
            Content::Spilled(id) => {
                let Some(path) = spilled.files.remove(&id) else { return Ok(None) };
                let (file, name) = self.create_free(&artifact.name)?;
                drop(file);
                let target = self.path.join(&name);
                fs::rename(&path, &target)
                    .with_context(|| format!("cannot write {}", target.display()))?;
                Ok(Some(name))
            }
            _ => {
                let (mut file, name) = self.create_free(&artifact.name)?;
                let mut written = Ok(());
                artifact.write_to(|part| {
                    if written.is_ok() {
                        written = file.write_all(part);
                    }
                });
                written
                    .and_then(|()| file.flush())
                    .with_context(|| format!("cannot write {}", self.path.join(&name).display()))?;
                Ok(Some(name))
            }
        }
    }

    /// Creates a file that was not there: ` (2)` and so on before the extension of a taken name.
    fn create_free(&self, name: &str) -> anyhow::Result<(File, String)> {
        let (stem, extension) = match name.rfind('.') {
            Some(dot) if dot > 0 => name.split_at(dot),
            _ => (name, ""),
        };
        let numbered = (2..10_000).map(|number| {
            let suffix = format!(" ({number}){extension}");
            let mut end = stem.len().min(NAME_BYTES_MAX.saturating_sub(suffix.len()));
            while !stem.is_char_boundary(end) {
                end -= 1;
            }
            format!("{}{suffix}", &stem[..end])
        });
        for candidate in std::iter::once(name.to_owned()).chain(numbered) {
            let path = self.path.join(&candidate);
            // A link that somebody put there is not followed either.
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => return Ok((file, candidate)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => {
                    return Err(error).with_context(|| format!("cannot write {}", path.display()));
                }
            }
        }
        anyhow::bail!("every name like `{name}` is taken in {}", self.path.display())
    }
}

/// Takes the long strings of a large message: into files of the folder, or nowhere, where only their
/// digests are wanted.
pub(crate) struct FolderSink {
    folder: Option<PathBuf>,
    files: HashMap<SpillId, PathBuf>,
    open: HashMap<SpillId, File>,
}

impl FolderSink {
    pub(crate) fn new(folder: Option<&Folder>) -> FolderSink {
        let folder = folder.map(|folder| folder.path.clone());
        FolderSink { folder, files: HashMap::new(), open: HashMap::new() }
    }
}

impl Sink for FolderSink {
    fn write(&mut self, id: SpillId, bytes: &[u8]) -> io::Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        if !self.open.contains_key(&id) {
            let path = folder.join(format!(".spill-{}-{}", std::process::id(), id.0));
            let file = OpenOptions::new().write(true).create_new(true).open(&path)?;
            self.files.insert(id, path);
            self.open.insert(id, file);
        }
        match self.open.get_mut(&id) {
            Some(file) => file.write_all(bytes),
            None => Ok(()),
        }
    }

    fn end(&mut self, id: SpillId) -> io::Result<()> {
        self.open.remove(&id).map_or(Ok(()), |mut file| file.flush())
    }

    fn discard(&mut self, id: SpillId) {
        self.open.remove(&id);
        if let Some(path) = self.files.remove(&id) {
            // A file that stays behind is untidy, not wrong.
            let _ = fs::remove_file(path);
        }
    }
}

impl Drop for FolderSink {
    fn drop(&mut self) {
        let left: Vec<SpillId> = self.files.keys().copied().collect();
        left.into_iter().for_each(|id| self.discard(id));
    }
}
