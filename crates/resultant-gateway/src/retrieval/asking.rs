//! Asking the child process: so many at the same time, each within its time.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use resultant_query::{Ask, QueryError, QueryLimits, Source, Worker};
use resultant_store::{File, Store};
use tokio::sync::{AcquireError, Semaphore, SemaphorePermit};

use crate::{client::lock, config::GatewayLimits, file_uri::FilePart};

/// The places for questions that may be under way, and how many of them one user may have, so that
/// nobody takes the places of all.
pub(crate) struct Places {
    all: Semaphore,
    of_user_max: usize,
    /// Those of the users who ask now, each with how many of their questions hold on to it.
    of_users: Mutex<HashMap<String, (Arc<Semaphore>, usize)>>,
}

impl Places {
    pub(crate) fn new(count: usize) -> Places {
        Places {
            all: Semaphore::new(count),
            of_user_max: count.div_ceil(2).max(1),
            of_users: Mutex::default(),
        }
    }

    fn of<'a>(&'a self, owner: &'a str) -> Share<'a> {
        let mut of_users = lock(&self.of_users);
        let (of_user, count) = of_users
            .entry(owner.to_owned())
            .or_insert_with(|| (Arc::new(Semaphore::new(self.of_user_max)), 0));
        *count += 1;
        Share { places: self, owner, of_user: of_user.clone() }
    }
}

/// A question's hold on the places of its user.
struct Share<'a> {
    places: &'a Places,
    owner: &'a str,
    of_user: Arc<Semaphore>,
}

impl Share<'_> {
    /// Waits for a place. A user who has theirs taken waits without keeping others from one.
    async fn place(&self) -> Result<[SemaphorePermit<'_>; 2], AcquireError> {
        let of_user = self.of_user.acquire().await?;
        Ok([of_user, self.places.all.acquire().await?])
    }
}

impl Drop for Share<'_> {
    fn drop(&mut self) {
        let mut of_users = lock(&self.places.of_users);
        if let Some((_, count)) = of_users.get_mut(self.owner) {
            *count -= 1;
            if *count == 0 {
                of_users.remove(self.owner);
            }
        }
    }
}

/// Who is asked, and with which caps.
#[derive(Clone, Copy)]
pub(crate) struct Asking<'a> {
    pub(crate) worker: &'a Worker,
    /// The questions that may be under way.
    pub(crate) places: &'a Places,
    /// The user who asks.
    pub(crate) owner: &'a str,
    pub(crate) limits: &'a GatewayLimits,
}

impl Asking<'_> {
    /// Asks, with the caps of the configuration and what `caps` makes of them. Waiting for a place
    /// is part of the time.
    pub(crate) async fn ask(
        &self,
        ask: &Ask,
        sources: impl Iterator<Item = Source>,
        caps: impl FnOnce(&mut QueryLimits),
    ) -> Result<Bytes, QueryError> {
        let GatewayLimits { query_seconds, queries_at_once_max, .. } = *self.limits;
        let started = Instant::now();
        let share = self.places.of(self.owner);
        let waiting = tokio::time::timeout(Duration::from_secs(query_seconds), share.place());
        let Ok(Ok(_place)) = waiting.await else {
            return Err(QueryError::Limit(format!(
                "{queries_at_once_max} questions about files are under way already, or half as \
                 many of this user (queries_at_once_max); ask again"
            )));
        };
        let mut limits = QueryLimits {
            seconds: query_seconds.saturating_sub(started.elapsed().as_secs()).max(1),
            memory_bytes: self.limits.query_memory_bytes_max,
            rows: self.limits.query_rows_max,
            ..QueryLimits::default()
        };
        caps(&mut limits);
        self.worker.ask(ask, sources.collect(), &limits).await
    }
}

/// The bytes of a file as somebody may want them: nothing is opened before.
pub(crate) fn source(store: &Arc<Store>, file: &File) -> Source {
    let (store, wanted) = (store.clone(), file.clone());
    let opened = async move { store.read(&wanted, 0..wanted.size).await };
    let bytes = stream::once(opened).try_flatten().map_err(std::io::Error::other);
    Source {
        name: file.name.clone(),
        mime: file.mime.clone(),
        size: file.size,
        bytes: bytes.boxed(),
    }
}

/// A part of a file as it is, of at most so many bytes, to be handed on.
pub(crate) async fn take(
    asking: &Asking<'_>,
    store: &Arc<Store>,
    file: &File,
    part: &FilePart,
    bytes_max: u64,
) -> Result<Vec<u8>, QueryError> {
    let ask = Ask::Take(part.take.clone());
    let sources = std::iter::once(source(store, file));
    let taken = asking.ask(&ask, sources, |caps| caps.take_bytes = bytes_max).await?;
    Ok(taken.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_user_has_half_of_the_places() {
        let places = Places::new(3);
        let (first, second, third) = (places.of("ada"), places.of("ada"), places.of("ada"));
        let _first = first.place().await.unwrap();
        let _second = second.place().await.unwrap();
        let waiting = tokio::time::timeout(Duration::from_millis(20), third.place()).await;
        assert!(waiting.is_err(), "a third place of the same user");
        let other = places.of("bob");
        let _other = other.place().await.unwrap();
        assert_eq!(lock(&places.of_users).len(), 2);
    }

    #[tokio::test]
    async fn nothing_is_kept_of_users_who_do_not_ask() {
        let places = Places::new(1);
        for owner in ["ada", "bob"] {
            let share = places.of(owner);
            let _place = share.place().await.unwrap();
        }
        assert!(lock(&places.of_users).is_empty());
    }
}
