//! Objects as files: put there by renaming, so an object is whole or not there, and synced with
//! everything that leads to it before anybody is told.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io,
    path::{Path, PathBuf},
};

use object_store::local::LocalFileSystem;

use crate::StoreError;

/// Opens a folder of objects, and says where it really is.
pub(super) fn open(folder: &Path) -> Result<(LocalFileSystem, PathBuf), StoreError> {
    make(folder)?;
    let folder = fs::canonicalize(folder)?;
    Ok((LocalFileSystem::new_with_prefix(&folder)?, folder))
}

/// Moves a file into its place under `root`. It is on the disk when this returns.
pub(super) fn place(root: &Path, from: &Path, to: &Path) -> Result<(), StoreError> {
    let parent = to.parent().unwrap_or(root);
    make(parent)?;
    // Synced before it has its name: a name never stands for less than everything.
    OpenOptions::new().write(true).open(from)?.sync_all()?;
    match fs::rename(from, to) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => copy(from, to)?,
        Err(error) => return Err(error.into()),
    }
    // Always all of them: whoever made them may not have got as far as this.
    for folder in parent.ancestors() {
        sync_folder(folder)?;
        if folder == root {
            break;
        }
    }
    Ok(())
}

/// Copies to another file system. Interrupted, it leaves a part, which no record names.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let mut source = File::open(from)?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut target = options.open(to)?;
    let copied = io::copy(&mut source, &mut target).and_then(|_| target.sync_all());
    if copied.is_err() {
        let _ = fs::remove_file(to);
    }
    copied
}

/// Makes a folder and what leads to it, for its owner only.
pub(crate) fn make(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Brings the names in a folder to the disk, where a system can do that.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}
