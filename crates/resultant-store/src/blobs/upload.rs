//! Putting bytes into an object store: at once where they are few, in parts where they are many.
//!
//! A few parts are under way at once, so memory is bounded whatever the size. An upload that ends
//! early, by an error or because nobody waits for it, is taken back, so that the store does not
//! keep its parts.

use std::{fs::File, io::Read as _, sync::Arc, time::Duration};

use bytes::Bytes;
use futures_util::{StreamExt as _, stream::FuturesUnordered};
use object_store::{MultipartUpload, ObjectStore, ObjectStoreExt as _, path::Path};

use super::{blocking, within};
use crate::{StoreError, Whole};

/// The size of a part. Stores want at least 5 MiB and at most 10,000 of them.
const PART: u64 = 8 << 20;
/// The most parts of one upload.
const PARTS_MAX: u64 = 10_000;
/// How many parts are under way at once.
const AT_ONCE: usize = 3;

/// Puts whole bytes into a new object. Each part must be there within `patience`.
pub(super) async fn put(
    objects: &dyn ObjectStore,
    patience: Duration,
    object: &str,
    whole: &Whole,
) -> Result<(), StoreError> {
    let path = Path::from(object);
    let from = whole.path().to_owned();
    // Held open, it stays readable even if it is taken for a leftover meanwhile.
    let file = Arc::new(blocking(move || Ok(File::open(from)?)).await?);
    if whole.size() <= PART {
        let bytes = next_part(&file, whole.size()).await?;
        return within(patience, async { Ok(objects.put(&path, bytes.into()).await?) })
            .await
            .map(|_| ());
    }
    let upload = within(patience, async { Ok(objects.put_multipart(&path).await?) }).await?;
    let mut upload = Upload { parts: Some(upload), patience };
    upload.fill(&file, whole.size()).await?;
    upload.complete().await
}

/// The next bytes of a file that is known to have them.
async fn next_part(file: &Arc<File>, count: u64) -> Result<Bytes, StoreError> {
    let file = Arc::clone(file);
    blocking(move || {
        let mut bytes = vec![0; usize::try_from(count).unwrap_or(usize::MAX)];
        (&*file).read_exact(&mut bytes)?;
        Ok(bytes.into())
    })
    .await
}

/// An upload in parts that is taken back unless it is completed.
struct Upload {
    parts: Option<Box<dyn MultipartUpload>>,
    patience: Duration,
}

impl Upload {
    async fn fill(&mut self, file: &Arc<File>, size: u64) -> Result<(), StoreError> {
        let patience = self.patience;
        let Some(parts) = &mut self.parts else { return Ok(()) };
        // Larger parts only where there would be too many of them.
        let part = PART.max(size.div_ceil(PARTS_MAX));
        let mut under_way = FuturesUnordered::new();
        let mut left = size;
        while left > 0 {
            let bytes = next_part(file, left.min(part)).await?;
            left -= bytes.len() as u64;
            let put = parts.put_part(bytes.into());
            under_way.push(within(patience, async { Ok(put.await?) }));
            if under_way.len() == AT_ONCE
                && let Some(done) = under_way.next().await
            {
                done?;
            }
        }
        while let Some(done) = under_way.next().await {
            done?;
        }
        Ok(())
    }

    async fn complete(&mut self) -> Result<(), StoreError> {
        let Some(parts) = &mut self.parts else { return Ok(()) };
        within(self.patience, async { Ok(parts.complete().await?) }).await?;
        self.parts = None;
        Ok(())
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        if let Some(mut parts) = self.parts.take()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let patience = self.patience;
            runtime.spawn(async move {
                let taken_back = within(patience, async { Ok(parts.abort().await?) }).await;
                if let Err(error) = taken_back {
                    tracing::warn!(%error, "the parts of an upload that failed could not be deleted");
                }
            });
        }
    }
}
