//! The keys that sign, as this process knows them.
//!
//! Keys are in the database, shared by all who use it. A key that another process made is learned
//! when a token names it; such looks are at least a second apart, so that made-up keys do not reach
//! the database one by one. Whoever comes in between waits for the next look.

use std::{
    sync::{Arc, RwLock},
    time::Duration,
};

use tokio::{sync::Mutex, time::Instant};

use super::{
    Key, Lifetimes, Refused, Wanted,
    format::{Signer, Stated, Unchecked},
};
use crate::{Id, StoreError, records::Records};

/// How long to wait between two looks for a key that is not known.
const LOOK_PAUSE: Duration = Duration::from_secs(1);
/// How far apart the clocks of two machines may be, in seconds.
pub(crate) const SKEW_S: u32 = 60;

/// The keys, and how long what they sign is valid.
#[derive(Debug)]
pub(crate) struct KeyRing {
    lifetimes: Lifetimes,
    /// The newest first.
    signers: RwLock<Arc<[Signer]>>,
    /// When the database was last asked, and one at a time.
    asked: Mutex<Option<Instant>>,
    /// Does the work for a key that there is not.
    nobody: Signer,
}

/// A token that is not accepted, with what the log may know about it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unfit {
    /// The id that the token claims.
    pub(crate) id: Option<Id>,
    /// Why.
    pub(crate) reason: &'static str,
}

impl Unfit {
    /// Writes it to the log, and leaves only that it is refused.
    pub(crate) fn log(&self) -> Refused {
        let id = self.id.map_or_else(|| "none".to_owned(), |id| id.to_string());
        tracing::info!(target: "resultant::tokens", token = id, reason = self.reason, "refused");
        Refused
    }
}

impl KeyRing {
    pub(crate) fn new(lifetimes: Lifetimes) -> KeyRing {
        let (half, other) = (Id::new().to_bytes(), Id::new().to_bytes());
        let mut secret = [0; 32];
        secret[..16].copy_from_slice(&half);
        secret[16..].copy_from_slice(&other);
        KeyRing {
            lifetimes,
            signers: RwLock::new(Arc::new([])),
            asked: Mutex::new(None),
            nobody: Signer::new(&Key { kid: 0, secret, created_s: 0 }),
        }
    }

    /// How long tokens are valid.
    pub(crate) fn lifetimes(&self) -> &Lifetimes {
        &self.lifetimes
    }

    /// The key to sign with now.
    pub(crate) async fn signer(&self, records: &Records, now_s: i64) -> Result<Signer, StoreError> {
        let fresh = |signers: &[Signer]| {
            let newest = signers.first()?;
            (newest.created_s + i64::from(self.lifetimes.rotate_s) > now_s).then(|| newest.clone())
        };
        if let Some(signer) = fresh(&self.known()) {
            return Ok(signer);
        }
        let mut asked = self.asked.lock().await;
        if let Some(signer) = fresh(&self.known()) {
            return Ok(signer);
        }
        self.ask(records, now_s).await?;
        *asked = Some(Instant::now());
        match self.known().first() {
            Some(signer) => Ok(signer.clone()),
            // The database makes a key where there is none, so this does not happen.
            None => Err(StoreError::Records(sqlx::Error::RowNotFound)),
        }
    }

    /// Checks a text as far as the text itself goes: the signature before anything else, then the
    /// times, then what it is for.
    pub(crate) async fn check(
        &self,
        records: &Records,
        text: &str,
        wanted: &Wanted,
        now_s: i64,
    ) -> Result<Result<Stated, Unfit>, StoreError> {
        let Some(token) = Unchecked::read(text.as_bytes()) else {
            return Ok(Err(Unfit { id: None, reason: "not a token" }));
        };
        if !self.known().iter().any(|signer| signer.kid == token.kid()) {
            self.look(records, now_s).await?;
        }
        Ok(self.check_with(&self.known(), &token, wanted, now_s))
    }

    fn check_with(
        &self,
        signers: &[Signer],
        token: &Unchecked,
        wanted: &Wanted,
        now_s: i64,
    ) -> Result<Stated, Unfit> {
        let unfit = |reason| Unfit { id: Some(token.claimed_id()), reason };
        let place = signers.iter().position(|signer| signer.kid == token.kid());
        let signer = place.map_or(&self.nobody, |place| &signers[place]);
        let is_signed = token.is_signed_by(signer);
        if place.is_none() {
            return Err(unfit("its key is not known"));
        }
        if !is_signed {
            return Err(unfit("the signature is wrong"));
        }
        if let Some(newer) = place.and_then(|place| signers[..place].last())
            && newer.created_s + self.longest_s() + i64::from(SKEW_S) < now_s
        {
            return Err(unfit("its key is too old"));
        }
        let stated = token.stated().ok_or(unfit("it is of another version"))?;
        if now_s < i64::from(stated.not_before_s) {
            return Err(unfit("it is not valid yet"));
        }
        if now_s >= i64::from(stated.expires_s) {
            return Err(unfit("it is over"));
        }
        if stated.kind != wanted.kind || stated.action != wanted.action {
            return Err(unfit("it is for something else"));
        }
        if wanted.subject.is_some_and(|subject| subject != stated.subject) {
            return Err(unfit("it is for another subject"));
        }
        Ok(stated)
    }

    /// The longest time for which a token is valid.
    fn longest_s(&self) -> i64 {
        i64::from(self.lifetimes.tool_s.max(self.lifetimes.person_s))
    }

    fn known(&self) -> Arc<[Signer]> {
        Arc::clone(&self.signers.read().unwrap_or_else(|poisoned| poisoned.into_inner()))
    }

    /// Asks the database for its keys, unless somebody did since this was called.
    async fn look(&self, records: &Records, now_s: i64) -> Result<(), StoreError> {
        let called = Instant::now();
        let mut asked = self.asked.lock().await;
        if let Some(before) = *asked {
            if before >= called {
                return Ok(());
            }
            tokio::time::sleep_until(before + LOOK_PAUSE).await;
        }
        // Counted before it is answered: a key made after the question may be missing.
        *asked = Some(Instant::now());
        self.ask(records, now_s).await
    }

    async fn ask(&self, records: &Records, now_s: i64) -> Result<(), StoreError> {
        let keys = records.keys(now_s, i64::from(self.lifetimes.rotate_s)).await?;
        self.set(&keys);
        Ok(())
    }

    fn set(&self, keys: &[Key]) {
        let signers = keys.iter().map(Signer::new).collect();
        *self.signers.write().unwrap_or_else(|poisoned| poisoned.into_inner()) = signers;
    }
}

#[cfg(test)]
mod tests;
