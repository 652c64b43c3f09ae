//! Bytes by the name of an object, in a folder, in memory or in an object store.
//!
//! An object is written once, under a name that no other upload has, and never changed. So deleting
//! one that nobody names can never hit another that somebody is just keeping, whatever its content.
//! Nothing here knows about records; see `store.rs` for the order of the two.

mod address;
mod folder;
mod reading;
mod upload;

use std::{path::PathBuf, sync::Arc, time::Duration};

use bytes::Bytes;
use data_encoding::HEXLOWER;
use futures_util::{StreamExt as _, stream::BoxStream};
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt as _, memory::InMemory, path};
use sha2::{Digest as _, Sha256};

pub(crate) use self::{
    folder::{make as make_folder, sync_folder},
    reading::Object,
};
use crate::{Id, StoreError, Whole};

/// Bytes as they are read.
pub type ByteStream = BoxStream<'static, Result<Bytes, StoreError>>;

/// Where bytes are kept.
#[derive(Clone, PartialEq, Eq)]
pub enum Place {
    /// In a folder of this machine.
    Folder(PathBuf),
    /// In memory, for tests.
    Memory,
    /// In an object store: `s3://BUCKET/PREFIX`, `gs://…`, `az://…`, with its options. What the
    /// options do not say is taken from the environment variables that are usual for that store.
    Url {
        /// The address.
        url: String,
        /// Options of the store, such as `aws_endpoint`.
        options: Vec<(String, String)>,
    },
}

impl std::fmt::Debug for Place {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Folder(folder) => formatter.debug_tuple("Folder").field(folder).finish(),
            Place::Memory => formatter.write_str("Memory"),
            // Options hold keys and passwords, and an address may too.
            Place::Url { url, .. } => {
                formatter.debug_tuple("Url").field(&address::shown(url)).finish()
            }
        }
    }
}

/// The objects of a place.
#[derive(Clone, Debug)]
pub(crate) struct Blobs {
    objects: Arc<dyn ObjectStore>,
    /// Where objects are put by renaming.
    folder: Option<PathBuf>,
    patience: Duration,
}

impl Blobs {
    /// Where an object is, where that is a file of this machine.
    pub(crate) fn path(&self, object: &str) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(object))
    }

    /// Opens a place. A folder is made where there is none; another store is not asked anything yet.
    pub(crate) async fn open(place: &Place, patience: Duration) -> Result<Blobs, StoreError> {
        let (objects, folder): (Arc<dyn ObjectStore>, _) = match place {
            Place::Memory => (Arc::new(InMemory::new()), None),
            Place::Url { url, options } => (address::open(url, options, patience)?, None),
            Place::Folder(path) => {
                let path = path.clone();
                let (objects, path) =
                    within(patience, blocking(move || folder::open(&path))).await?;
                (Arc::new(objects), Some(path))
            }
        };
        Ok(Blobs { objects, folder, patience })
    }

    /// A name for an object that no other object has or will have. It says nothing about the owner
    /// to somebody who does not know the owner's name.
    pub(crate) fn name(owner: &str, sha256: &str) -> String {
        let mut hash = Sha256::new();
        hash.update(b"resultant owner\0");
        hash.update(owner);
        // Short, because some stores make file names of the whole. Two owners with the same hash
        // would share a folder, and nothing else.
        let owner = HEXLOWER.encode(&hash.finalize()[..8]);
        let upload = HEXLOWER.encode(&Id::new().to_bytes()[..8]);
        let shelf = sha256.get(..2).unwrap_or("00");
        format!("{owner}/{shelf}/{sha256}.{upload}")
    }

    /// Puts whole bytes into a new object; when this returns, they are safe. Each step has the
    /// patience of the store, however many there are.
    pub(crate) async fn put(&self, object: &str, whole: &Whole) -> Result<(), StoreError> {
        match &self.folder {
            Some(folder) => {
                let to = folder.join(object);
                let (from, root) = (whole.path().to_owned(), folder.clone());
                // Bringing many bytes to a disk is one step that takes its time.
                let patience = self.patience.saturating_mul(1 + (whole.size() >> 26) as u32);
                within(patience, blocking(move || folder::place(&root, &from, &to))).await
            }
            None => upload::put(&*self.objects, self.patience, object, whole).await,
        }
    }

    /// Reads a part of an object, checked; see [`Object::read`].
    pub(crate) fn object(&self, name: &str, size: u64, sha256: &str, pieces: Arc<[u8]>) -> Object {
        Object {
            objects: Arc::clone(&self.objects),
            file: self.path(name),
            patience: self.patience,
            name: path::Path::from(name),
            size,
            sha256: sha256.to_owned(),
            pieces,
        }
    }

    /// Whether an object is there with all its bytes, as far as the store tells without reading them.
    pub(crate) async fn has(&self, object: &str, size: u64) -> Result<bool, StoreError> {
        let path = path::Path::from(object);
        let asked = async { Ok(self.objects.head(&path).await) };
        match within(self.patience, asked).await? {
            Ok(meta) => Ok(meta.size == size),
            Err(object_store::Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// The objects as they are, to do something to them that nobody should.
    #[cfg(test)]
    pub(crate) fn objects(&self) -> &dyn ObjectStore {
        &*self.objects
    }

    /// Deletes an object. One that is not there is deleted already.
    pub(crate) async fn delete(&self, object: &str) -> Result<(), StoreError> {
        let path = path::Path::from(object);
        let deleted = async { Ok(self.objects.delete(&path).await) };
        match within(self.patience, deleted).await? {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// All objects, as they are found.
    pub(crate) fn list(&self) -> BoxStream<'static, Result<ObjectMeta, StoreError>> {
        let patience = self.patience;
        let listed = self.objects.list(None);
        futures_util::stream::unfold(Some(listed), move |listed| async move {
            let mut listed = listed?;
            match within(patience, async { Ok(listed.next().await) }).await {
                Ok(None) => None,
                Ok(Some(Ok(object))) => Some((Ok(object), Some(listed))),
                Ok(Some(Err(error))) => Some((Err(error.into()), None)),
                Err(error) => Some((Err(error), None)),
            }
        })
        .boxed()
    }
}

/// Does something that must not take longer.
pub(crate) async fn within<T>(
    patience: Duration,
    work: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    match tokio::time::timeout(patience, work).await {
        Ok(done) => done,
        Err(_) => Err(StoreError::Late { seconds: patience.as_secs() }),
    }
}

/// Does something that blocks. It is finished even if nobody waits for it any more.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => Err(StoreError::Folder(std::io::Error::other(error))),
    }
}
