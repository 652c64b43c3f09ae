//! What all sessions share: the era, the lists that can change, and the key of the signatures.

use std::{
    io,
    sync::atomic::{AtomicBool, Ordering},
};

use tokio::sync::broadcast;

/// The version whose requests stand alone.
pub(crate) const MODERN: &str = "2026-07-28";

/// The versions that begin with `initialize`, newest first.
pub(crate) const LEGACY: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// Changes that wait for a slow session. Who misses one would miss a notification only.
const CHANGES_MAX: usize = 64;

/// Which versions the server admits to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    Legacy,
    Modern,
    Both,
}

impl Era {
    pub(crate) fn parse(name: &str) -> Option<Self> {
        match name {
            "legacy" => Some(Self::Legacy),
            "modern" => Some(Self::Modern),
            "both" => Some(Self::Both),
            _ => None,
        }
    }

    /// The versions as `server/discover` and errors name them.
    pub(crate) fn versions(self) -> Vec<&'static str> {
        match self {
            Self::Legacy => LEGACY.to_vec(),
            Self::Modern => vec![MODERN],
            Self::Both => std::iter::once(MODERN).chain(LEGACY).collect(),
        }
    }
}

/// Something that sessions may want to hear of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Change {
    Tools,
    Prompts,
    Resource(&'static str),
}

pub(crate) struct Server {
    pub(crate) era: Era,
    /// Signs what a client has to bring back; as long as a block of SHA-256.
    pub(crate) key: [u8; 64],
    pub(crate) changes: broadcast::Sender<Change>,
    extra_tool: AtomicBool,
    extra_prompt: AtomicBool,
}

impl Server {
    pub(crate) fn new(era: Era) -> io::Result<Self> {
        let mut key = [0; 64];
        getrandom::fill(&mut key).map_err(|error| io::Error::other(error.to_string()))?;
        Ok(Self {
            era,
            key,
            changes: broadcast::Sender::new(CHANGES_MAX),
            extra_tool: AtomicBool::new(false),
            extra_prompt: AtomicBool::new(false),
        })
    }

    pub(crate) fn has_extra_tool(&self) -> bool {
        self.extra_tool.load(Ordering::Relaxed)
    }

    pub(crate) fn has_extra_prompt(&self) -> bool {
        self.extra_prompt.load(Ordering::Relaxed)
    }

    /// Makes a change true and tells it. The lists really differ afterwards.
    pub(crate) fn change(&self, change: Change) {
        match change {
            Change::Tools => self.extra_tool.fetch_xor(true, Ordering::Relaxed),
            Change::Prompts => self.extra_prompt.fetch_xor(true, Ordering::Relaxed),
            Change::Resource(_) => false,
        };
        // Nobody listening is not an error.
        let _ = self.changes.send(change);
    }
}
