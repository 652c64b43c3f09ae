//! Keeping files and reading them.

use std::{ops::Range, path::PathBuf};

use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt as _, TryStreamExt as _};

use super::{Quotas, Store, known::Location};
use crate::{
    ByteStream, Call, File, Id, NewFile, Page, Raw, Session, SessionKind, StoreError, Whole,
    blobs::{Blobs, blocking},
    records::{blobs::Held, files::Blob},
};

/// Raw answers up to this size are kept in the record of their call.
const INLINE_MAX: u64 = 16 << 10;
/// How often bytes that were there are found to be swept away, until they are uploaded whatever is
/// there.
const SWEPT_MAX: u32 = 2;

impl Store {
    /// Keeps whole bytes as a file of a session, which is made where there is none. When this
    /// returns, both are safe.
    pub async fn keep(
        &self,
        owner: &str,
        session: &str,
        kind: SessionKind,
        new: NewFile,
        whole: Whole,
    ) -> Result<File, StoreError> {
        self.keep_within(owner, session, kind, &new, &whole, &self.quotas).await
    }

    /// The same for a session that must be there, also at the end ([`StoreError::NoSession`]).
    pub async fn keep_in(
        &self,
        owner: &str,
        session: &str,
        new: NewFile,
        whole: Whole,
    ) -> Result<File, StoreError> {
        let opened = self.session(owner, session).await?.ok_or(StoreError::NoSession)?;
        self.keep_opened(&opened, &new, &whole, &self.quotas).await
    }

    pub(super) async fn keep_within(
        &self,
        owner: &str,
        session: &str,
        kind: SessionKind,
        new: &NewFile,
        whole: &Whole,
        quotas: &Quotas,
    ) -> Result<File, StoreError> {
        let opened = self.open_session(owner, session, kind, "").await?;
        self.keep_opened(&opened, new, whole, quotas).await
    }

    async fn keep_opened(
        &self,
        opened: &Session,
        new: &NewFile,
        whole: &Whole,
        quotas: &Quotas,
    ) -> Result<File, StoreError> {
        let (owner, session) = (opened.owner.as_str(), opened.id.as_str());
        // Looked at again when it is recorded; here it only saves the upload.
        let limit = quotas.session_bytes_max;
        if opened.bytes.saturating_add(whole.size()) > limit {
            return Err(StoreError::Quota {
                who: "this session",
                name: "session_bytes_max",
                limit,
            });
        }
        let mut lost = None;
        for _ in 0..SWEPT_MAX {
            let found = self.soon(self.records.blob(owner, whole.sha256())).await?;
            let Some(known) = found else { break };
            if !self.blobs.has(&known.object, known.size).await? {
                lost = Some(self.forget_lost(known));
                break;
            }
            let held = Held::Already;
            match self.soon(self.records.add_file(session, new, &known, quotas, held)).await {
                Err(StoreError::BlobGone) => {}
                added => return added,
            }
        }
        let upload = self.upload(owner, whole).await?;
        let held = lost.as_deref().map_or(Held::Uploaded, Held::Instead);
        let added =
            self.soon(self.records.add_file(session, new, &upload.blob, quotas, held)).await;
        upload.settle(added.as_ref().map(|file| &*file.object)).await;
        added
    }

    /// Keeps bytes that are no file of a session: the raw answer of a call. They go with the last
    /// call that names them, and before, where no call does within the grace of a sweep.
    pub async fn keep_raw(&self, owner: &str, whole: Whole) -> Result<Raw, StoreError> {
        if whole.size() <= INLINE_MAX {
            return blocking(move || Ok(Raw::Inline(std::fs::read(whole.path())?))).await;
        }
        let raw = Raw::Blob { sha256: whole.sha256().to_owned(), size: whole.size() };
        let mut lost = None;
        for _ in 0..SWEPT_MAX {
            let known = self.soon(self.records.blob(owner, whole.sha256())).await?;
            let Some(known) = known else { break };
            if !self.blobs.has(&known.object, known.size).await? {
                lost = Some(self.forget_lost(known));
                break;
            }
            match self.soon(self.records.add_raw_blob(&known, Held::Already)).await {
                Err(StoreError::BlobGone) => {}
                added => return added.map(|_| raw),
            }
        }
        let upload = self.upload(owner, &whole).await?;
        let held = lost.as_deref().map_or(Held::Uploaded, Held::Instead);
        let added = self.soon(self.records.add_raw_blob(&upload.blob, held)).await;
        upload.settle(added.as_deref()).await;
        added.map(|_| raw)
    }

    /// The name of an object that a record has and the place for files has not.
    fn forget_lost(&self, blob: Blob) -> String {
        tracing::error!(object = blob.object, "stored bytes are gone; they are written again");
        self.known.forget(&blob.owner, &blob.sha256);
        blob.object
    }

    /// One file of the owner's.
    pub async fn file(&self, owner: &str, key: Id) -> Result<Option<File>, StoreError> {
        self.soon(self.records.file(owner, key)).await
    }

    /// The newest file of this exact name (and digest) in the session; with `session` absent, in
    /// all of the owner's.
    pub async fn file_named(
        &self,
        owner: &str,
        session: Option<&str>,
        name: &str,
        sha256: Option<&str>,
    ) -> Result<Option<File>, StoreError> {
        self.soon(self.records.file_named(owner, session, name, sha256)).await
    }

    /// Files, newest first; of one session or of all.
    pub async fn files(
        &self,
        owner: &str,
        session: Option<&str>,
        page: &Page,
    ) -> Result<Vec<File>, StoreError> {
        self.soon(self.records.files(owner, session, page)).await
    }

    /// Deletes a file and its tokens. Its bytes go with a later sweep, unless another file has the
    /// same.
    pub async fn delete_file(&self, owner: &str, key: Id) -> Result<bool, StoreError> {
        self.soon(self.records.delete_file(owner, key)).await
    }

    /// The bytes of a file, or a part of them, checked against their digests before they are given
    /// out. What is beyond the end is left out. The first bytes are there when this returns; an
    /// error later on ends the stream.
    pub async fn read(&self, file: &File, range: Range<u64>) -> Result<ByteStream, StoreError> {
        self.read_blob(&file.owner, &file.sha256, file.size, range).await
    }

    async fn read_blob(
        &self,
        owner: &str,
        sha256: &str,
        size: u64,
        range: Range<u64>,
    ) -> Result<ByteStream, StoreError> {
        let open = |at: Location| self.blobs.object(&at.object, size, sha256, at.pieces);
        if let Some(known) = self.known.get(owner, sha256) {
            match open(known).read(range.clone()).await {
                Err(StoreError::Missing { .. }) => self.known.forget(owner, sha256),
                read => return read,
            }
        }
        let blob = self.soon(self.records.blob(owner, sha256)).await?;
        let blob = blob.ok_or_else(|| StoreError::Missing { digest: sha256.to_owned() })?;
        let location = Location { object: blob.object.into(), pieces: blob.pieces.into() };
        self.known.put(owner, sha256, &location);
        open(location).read(range).await
    }

    /// Where the bytes of a file are, where that is a file of this machine.
    pub fn path(&self, file: &File) -> Option<PathBuf> {
        self.blobs.path(&file.object)
    }

    /// A part of a file that is short enough for memory.
    pub async fn read_part(&self, file: &File, range: Range<u64>) -> Result<Bytes, StoreError> {
        let mut stream = self.read(file, range).await?;
        let Some(first) = stream.try_next().await? else { return Ok(Bytes::new()) };
        let Some(second) = stream.try_next().await? else { return Ok(first) };
        let mut bytes = BytesMut::from(first);
        bytes.extend_from_slice(&second);
        while let Some(next) = stream.try_next().await? {
            bytes.extend_from_slice(&next);
        }
        Ok(bytes.freeze())
    }

    /// The raw answer of a call; `None` where it was not kept.
    pub async fn read_raw(&self, call: &Call) -> Result<Option<ByteStream>, StoreError> {
        let (sha256, size) = match &call.raw {
            Raw::None => return Ok(None),
            Raw::Inline(bytes) => {
                let bytes = Bytes::copy_from_slice(bytes);
                return Ok(Some(futures_util::stream::iter([Ok(bytes)]).boxed()));
            }
            Raw::Blob { sha256, size } => (sha256, *size),
        };
        self.read_blob(&call.owner, sha256, size, 0..size).await.map(Some)
    }

    /// Puts bytes into a new object, which no record names yet and no sweep of this process takes.
    pub(super) async fn upload(
        &self,
        owner: &str,
        whole: &Whole,
    ) -> Result<Upload<'_>, StoreError> {
        let object = Blobs::name(owner, whole.sha256());
        self.lock_under_way().insert(object.clone());
        let upload = Upload {
            store: self,
            blob: Blob {
                owner: owner.to_owned(),
                sha256: whole.sha256().to_owned(),
                size: whole.size(),
                object,
                pieces: whole.pieces().to_vec(),
            },
        };
        self.blobs.put(&upload.blob.object, whole).await?;
        Ok(upload)
    }
}

/// An object that is not recorded yet. Dropped, it is left to a sweep.
#[derive(Debug)]
pub(super) struct Upload<'a> {
    store: &'a Store,
    pub(super) blob: Blob,
}

impl Upload<'_> {
    /// Deletes the object if it is certain that no record names it: another one holds the bytes, or
    /// they were refused. After any other error nobody knows what the database did in the end, so
    /// it is left to a sweep, which asks when all is over.
    async fn settle(self, recorded: Result<&str, &StoreError>) {
        let is_needless = match recorded {
            Ok(object) => object != self.blob.object,
            Err(error) => matches!(error, StoreError::Quota { .. } | StoreError::NoSession),
        };
        if is_needless && let Err(error) = self.store.blobs.delete(&self.blob.object).await {
            tracing::warn!(%error, "bytes that nobody names are left to the sweep");
        }
    }
}

impl Drop for Upload<'_> {
    fn drop(&mut self) {
        self.store.lock_under_way().remove(&self.blob.object);
    }
}
