//! What a server offers, as long as it holds: fetched once however many ask, and never kept when
//! the server said in the meantime that it has changed.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, Weak},
};

use tokio::sync::Mutex as AsyncMutex;

use super::{CONNECTIONS_MAX, handshake::ConnectError, link::Link};
use crate::{
    catalog::{Oddity, ServerCatalog, fetch},
    client::lock,
    config::ServerConfig,
};

/// A server that changes its list faster than it can be read is taken at its word after so many
/// tries.
const TRIES_MAX: usize = 3;

#[derive(Default)]
struct Known {
    /// Counts how often everything was forgotten.
    generation: u64,
    /// By what the client can do.
    by_fingerprint: HashMap<String, Arc<ServerCatalog>>,
    /// Counts fetches that failed.
    failures: u64,
    /// The last of them, and over which connection.
    failure: Option<(Weak<Link>, ConnectError)>,
}

impl Known {
    /// The failure that who began to wait at `failures` has waited for.
    fn failed_since(&self, failures: u64, link: &Arc<Link>) -> Option<ConnectError> {
        let (failed, error) = self.failure.as_ref().filter(|_| self.failures != failures)?;
        (failed.as_ptr() == Arc::as_ptr(link)).then(|| error.clone())
    }
}

/// The lists of one server.
#[derive(Default)]
pub(super) struct Catalogs {
    known: Mutex<Known>,
    fetching: AsyncMutex<()>,
}

impl Catalogs {
    /// What is known without asking.
    pub(super) fn known(&self, fingerprint: &str) -> Option<Arc<ServerCatalog>> {
        lock(&self.known).by_fingerprint.get(fingerprint).cloned()
    }

    pub(super) fn is_empty(&self) -> bool {
        lock(&self.known).by_fingerprint.is_empty()
    }

    /// What is known does not hold any more.
    pub(super) fn forget(&self) {
        let mut known = lock(&self.known);
        known.generation += 1;
        known.by_fingerprint.clear();
    }

    /// The list over this connection, from memory where it is there.
    pub(super) async fn get(
        &self,
        link: &Arc<Link>,
        config: &ServerConfig,
        tools_max: usize,
        fingerprint: &str,
    ) -> Result<Arc<ServerCatalog>, ConnectError> {
        let failures = lock(&self.known).failures;
        let _fetching = self.fetching.lock().await;
        // Whoever waited for a fetch that failed does not wait for another.
        if let Some(error) = lock(&self.known).failed_since(failures, link) {
            return Err(error);
        }
        let mut tries = 0;
        loop {
            if let Some(catalog) = self.known(fingerprint) {
                return Ok(catalog);
            }
            let generation = lock(&self.known).generation;
            let catalog = match fetch(link, config, tools_max).await {
                Ok(catalog) => Arc::new(catalog),
                Err(error) => {
                    let mut known = lock(&self.known);
                    known.failures += 1;
                    known.failure = Some((Arc::downgrade(link), error.clone()));
                    return Err(error);
                }
            };
            tries += 1;
            let mut known = lock(&self.known);
            if known.generation != generation && tries < TRIES_MAX {
                continue;
            }
            if known.by_fingerprint.len() >= CONNECTIONS_MAX {
                known.by_fingerprint.clear();
            }
            known.by_fingerprint.insert(fingerprint.to_owned(), catalog.clone());
            drop(known);
            for Oddity { tool, reason, is_left_out } in &catalog.oddities {
                let what = if *is_left_out { "tool left out" } else { "tool repaired" };
                tracing::warn!(server = &*link.server, tool, reason, "{what}");
            }
            return Ok(catalog);
        }
    }
}
