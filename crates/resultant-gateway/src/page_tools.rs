//! Tools that live in web pages: whose pages are connected, and the server that they are to their
//! user.
//!
//! A user's pages are one more server of theirs, and only of theirs. It is an [`Upstream`] like any
//! other, with a wire that leads to pages instead of a process (`upstream/pages.rs`), so that lists,
//! calls, long results and what clients are told go the way that they go for every server. It is
//! there while a page is, and it is listed while one of them offers a tool.
//!
//! What is known of pages is in the memory of the gateway that they are connected to: where several
//! gateways share a store, a page's tools are those of one of them.

mod definition;
mod roster;
mod seat;
mod stream;

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use tokio::sync::{mpsc, watch};

pub(crate) use self::{
    roster::{ConnectionFacts, Errand, Roster, Said, Tab, TabFacts},
    seat::Seat,
    stream::Incoming,
};
use crate::{
    body::SpoolOptions,
    caller::User,
    client::lock,
    config::{Config, PagesConfig},
    upstream::{Notice, Upstream},
};

/// Why a page is not let do something, and what to try.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub(crate) struct Refusal {
    pub(crate) reason: String,
    pub(crate) hint: String,
}

impl Refusal {
    pub(crate) fn new(reason: impl Into<String>, hint: impl Into<String>) -> Refusal {
        Refusal { reason: reason.into(), hint: hint.into() }
    }
}

/// A user's pages, and the server that they are.
struct Home {
    roster: Arc<Roster>,
    upstream: Arc<Upstream>,
}

/// The pages of all users.
pub(crate) struct PageTools {
    homes: Mutex<HashMap<String, Home>>,
    next: AtomicU64,
    notices: mpsc::UnboundedSender<Notice>,
    /// Counts how often the settings for pages became others.
    changes: watch::Sender<u64>,
}

/// What the pages of a user are served with.
struct Terms {
    pages: Arc<PagesConfig>,
    spool: SpoolOptions,
}

impl Terms {
    fn of(config: &Config, folder: &std::path::Path) -> Option<Terms> {
        let pages = config.pages.clone()?;
        let spool = SpoolOptions {
            folder: folder.to_owned(),
            inline_bytes_max: config.limits.inline_bytes_max,
            message_bytes_max: pages.server.message_bytes_max,
        };
        Some(Terms { pages, spool })
    }
}

impl PageTools {
    pub(crate) fn new(notices: mpsc::UnboundedSender<Notice>) -> PageTools {
        let (homes, next) = (Mutex::default(), AtomicU64::new(1));
        PageTools { homes, next, notices, changes: watch::Sender::new(0) }
    }

    /// A place for a page of this user, or why there is none. `folder` is where long results go.
    pub(crate) fn join(
        &self,
        config: &Config,
        folder: &std::path::Path,
        user: &Arc<User>,
        about: ConnectionFacts,
        said: mpsc::Sender<Said>,
    ) -> Result<Seat, Refusal> {
        let mut homes = lock(&self.homes);
        let home = self.home(&mut homes, config, folder, &user.id).ok_or_else(|| {
            Refusal::new("pages offer no tools here", "see `pages` in the configuration")
        })?;
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let about = ConnectionFacts { id: number.to_string(), ..about };
        home.roster.join(number, about, said)?;
        Ok(Seat::new(home.roster.clone(), home.upstream.clone(), number))
    }

    /// The home of this user, made when there is none.
    fn home<'a>(
        &self,
        homes: &'a mut HashMap<String, Home>,
        config: &Config,
        folder: &std::path::Path,
        user: &str,
    ) -> Option<&'a Home> {
        let terms = Terms::of(config, folder)?;
        Some(homes.entry(user.to_owned()).or_insert_with(|| {
            let roster = Arc::new(Roster::new(terms.pages.clone(), terms.spool.clone()));
            let upstream =
                Upstream::of_pages(&roster, user, config.limits.tools_max, self.notices.clone());
            Home { roster, upstream }
        }))
    }

    /// The server of a user's pages, where they offer something.
    pub(crate) fn offered(&self, user: &str) -> Option<Arc<Upstream>> {
        let homes = lock(&self.homes);
        let home = homes.get(user).filter(|home| home.roster.has_tools())?;
        Some(home.upstream.clone())
    }

    /// The same under its name, whether they offer something or not: a client may be connected to it
    /// before there is a page.
    pub(crate) fn named(
        &self,
        config: &Config,
        folder: &std::path::Path,
        user: &str,
        name: &str,
    ) -> Option<Arc<Upstream>> {
        let is_named = |pages: &Arc<PagesConfig>| pages.server.name.as_str() == name;
        config.pages.as_ref().filter(|pages| is_named(pages))?;
        let mut homes = lock(&self.homes);
        self.home(&mut homes, config, folder, user).map(|home| home.upstream.clone())
    }

    /// The pages of a user that are connected.
    pub(crate) fn connected(&self, user: &str) -> Vec<ConnectionFacts> {
        lock(&self.homes).get(user).map(|home| home.roster.facts()).unwrap_or_default()
    }

    /// Tells when pages have to come again, because the settings for them are others.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Takes a new configuration. Where it says something else of pages, they come again.
    pub(crate) fn reload(&self, old: &Config, new: &Config) {
        let is_same = old.pages == new.pages
            && old.limits.inline_bytes_max == new.limits.inline_bytes_max
            && old.limits.tools_max == new.limits.tools_max;
        if is_same {
            return;
        }
        let homes: Vec<Home> = lock(&self.homes).drain().map(|(_, home)| home).collect();
        self.changes.send_modify(|count| *count += 1);
        for home in homes {
            let patience = home.upstream.config.call_timeout;
            tokio::spawn(async move { home.upstream.finish(patience).await });
        }
    }

    /// Lets go of homes that nobody is in.
    pub(crate) fn sweep(&self) {
        let mut homes = lock(&self.homes);
        let empty: Vec<Home> =
            homes.extract_if(|_, home| home.roster.is_empty()).map(|(_, home)| home).collect();
        drop(homes);
        for home in empty {
            tokio::spawn(async move { home.upstream.stop().await });
        }
    }

    /// Ends the servers of all pages.
    pub(crate) async fn stop(&self) {
        let homes: Vec<Home> = lock(&self.homes).drain().map(|(_, home)| home).collect();
        futures_util::future::join_all(homes.iter().map(|home| home.upstream.stop())).await;
    }
}
