//! Clearing away: what is too old, what is too much, and bytes that nobody names.
//!
//! Records go first, then the rows of blobs that no record names any more, then their objects, and
//! last the objects that no row names. Every step takes away only what is certain at that moment,
//! and no object is ever written twice, so any number of sweeps and writers can go on at once.

use std::{
    fs,
    path::Path,
    time::{Duration, SystemTime},
};

use futures_util::{StreamExt as _, stream};

use crate::{Store, StoreError, blobs::blocking, clock, token::SKEW_S};

/// What was not written to for so long, among what comes in, belongs to nobody.
const INCOMING_AGE_MAX: Duration = Duration::from_secs(60 * 60);
/// So many blobs or objects are looked at together.
const PAGE: usize = 500;
/// So many objects are deleted at once.
const AT_ONCE: usize = 8;

/// How long things stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Files go after so many seconds; 0 for never.
    pub files_s: u64,
    /// A user's oldest files go while there are more bytes than this; 0 for never.
    pub user_bytes: u64,
    /// Records of calls go after so many seconds; 0 for never.
    pub calls_s: u64,
    /// Events go after so many seconds; 0 for never.
    pub events_s: u64,
    /// Sessions in which nothing happened for so many seconds go with all they have; 0 for never.
    pub sessions_s: u64,
    /// Bytes that nobody names are left alone for so many seconds: somebody may be about to. Where
    /// several processes share a store, this must be longer than the longest upload takes.
    pub grace_s: u64,
}

/// What was cleared away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Files that were too old or too many.
    pub files: u64,
    /// Bytes of blobs that were deleted.
    pub bytes: u64,
    /// Blobs that nobody named.
    pub blobs: u64,
    /// Objects that were uploaded and never recorded.
    pub objects: u64,
    /// Records of calls.
    pub calls: u64,
    /// Events.
    pub events: u64,
    /// Sessions.
    pub sessions: u64,
    /// Tokens that were over.
    pub tokens: u64,
    /// Half-written files of processes that ended.
    pub incoming: u64,
}

impl Store {
    /// Clears away what is too old or too much, and what nobody names.
    pub async fn sweep(&self, retention: &Retention) -> Result<Swept, StoreError> {
        let mut swept = Swept::default();
        self.sweep_records(retention, &mut swept).await?;
        // As old as that, to the millisecond.
        let before_ms = clock::now_ms().saturating_sub(milliseconds(retention.grace_s));
        self.sweep_blobs(before_ms.saturating_add(1), &mut swept).await?;
        self.sweep_objects(before_ms, &mut swept).await?;
        let folder = self.incoming_folder().to_owned();
        swept.incoming = blocking(move || Ok(sweep_incoming(&folder))).await?;
        Ok(swept)
    }

    async fn sweep_records(&self, keep: &Retention, swept: &mut Swept) -> Result<(), StoreError> {
        let records = self.records();
        let (now_ms, now_s) = (clock::now_ms(), clock::now_s());
        let before = |seconds: u64| now_ms.saturating_sub(milliseconds(seconds));
        if keep.sessions_s > 0 {
            let (sessions, files) = records.delete_sessions_before(before(keep.sessions_s)).await?;
            swept.sessions = sessions;
            swept.files += files;
        }
        if keep.files_s > 0 {
            swept.files += records.delete_files_before(before(keep.files_s)).await?;
        }
        if keep.user_bytes > 0 {
            swept.files += records.delete_files_beyond(keep.user_bytes).await?;
        }
        if keep.calls_s > 0 {
            swept.calls = records.delete_calls_before(before(keep.calls_s)).await?;
        }
        if keep.events_s > 0 {
            swept.events = records.delete_events_before(before(keep.events_s)).await?;
        }
        swept.tokens = records.delete_tokens_before(now_s - i64::from(SKEW_S)).await?;
        // A key signs until it is replaced, and what it signed last is valid for a while.
        let lifetimes = self.lifetimes();
        let longest = i64::from(lifetimes.tool_s.max(lifetimes.person_s));
        let unused = i64::from(lifetimes.rotate_s) + longest + 2 * i64::from(SKEW_S);
        records.delete_keys_before(now_s - 2 * unused).await?;
        Ok(())
    }

    /// Blobs that no record names: the row first, then the object.
    async fn sweep_blobs(&self, before_ms: i64, swept: &mut Swept) -> Result<(), StoreError> {
        loop {
            let blobs = self.records().take_unnamed_blobs(before_ms, PAGE as u32).await?;
            let is_last = blobs.len() < PAGE;
            swept.blobs += blobs.len() as u64;
            swept.bytes += blobs.iter().map(|blob| blob.size).sum::<u64>();
            // An object that stays is found again, as one that no row names.
            self.delete_objects(blobs.into_iter().map(|blob| blob.object).collect()).await;
            if is_last {
                return Ok(());
            }
        }
    }

    /// Objects that no row names: uploaded and never recorded, or not deleted with their row.
    async fn sweep_objects(&self, before_ms: i64, swept: &mut Swept) -> Result<(), StoreError> {
        let mut pages = self.blobs().list().ready_chunks(PAGE);
        while let Some(page) = pages.next().await {
            let (mut names, mut sizes) = (Vec::new(), std::collections::HashMap::new());
            for object in page {
                let object = object?;
                let name = object.location.to_string();
                // Asked before the records are: who is done by now has recorded it by then.
                if object.last_modified.timestamp_millis() <= before_ms && !self.is_under_way(&name)
                {
                    sizes.insert(name.clone(), object.size);
                    names.push(name);
                }
            }
            let known = self.records().objects_known(&names).await?;
            names.retain(|name| !known.contains(name));
            for name in self.delete_objects(names).await {
                swept.objects += 1;
                swept.bytes += sizes.get(&name).copied().unwrap_or(0);
            }
        }
        Ok(())
    }

    /// Deletes objects, and says which are gone.
    async fn delete_objects(&self, names: Vec<String>) -> Vec<String> {
        let deleted = stream::iter(names).map(|name| async move {
            match self.blobs().delete(&name).await {
                Ok(()) => Some(name),
                Err(error) => {
                    tracing::warn!(%error, "bytes that nobody names could not be deleted");
                    None
                }
            }
        });
        deleted.buffer_unordered(AT_ONCE).filter_map(std::future::ready).collect().await
    }
}

/// Clears away what a process that was killed left half written.
fn sweep_incoming(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let now = SystemTime::now();
    let is_left = |entry: &fs::DirEntry| {
        let written = entry.metadata().and_then(|metadata| metadata.modified());
        let age = written.ok().and_then(|written| now.duration_since(written).ok());
        age.is_some_and(|age| age > INCOMING_AGE_MAX)
    };
    let left = entries.flatten().filter(is_left);
    left.filter(|entry| fs::remove_file(entry.path()).is_ok()).count() as u64
}

fn milliseconds(seconds: u64) -> i64 {
    i64::try_from(seconds.saturating_mul(1000)).unwrap_or(i64::MAX)
}
