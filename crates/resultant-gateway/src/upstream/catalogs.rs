//! What a server offers, as long as it holds: fetched once however many ask, and never kept when
//! the server said in the meantime that it has changed.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use tokio::sync::Mutex as AsyncMutex;

use super::{handshake::ConnectError, link::Link};
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
        let _fetching = self.fetching.lock().await;
        let mut tries = 0;
        loop {
            if let Some(catalog) = self.known(fingerprint) {
                return Ok(catalog);
            }
            let generation = lock(&self.known).generation;
            let catalog = Arc::new(fetch(link, config, tools_max).await?);
            tries += 1;
            let mut known = lock(&self.known);
            if known.generation != generation && tries < TRIES_MAX {
                continue;
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
