//! Who is calling: decided once, where a request comes in.
//!
//! | mode | who vouches | MCP | API and page |
//! |---|---|---|---|
//! | `local` | being on this machine | open, unless `local_secret: all` | the secret of the data folder |
//! | `token` | a key that was given out | key | key |
//! | `header` | a reverse proxy that knows our secret | its headers | its headers |
//! | `oidc` | an issuer's signature | its token | its token |
//!
//! The page cannot keep any of these well, so it has tokens of its own (`pages`). A wrong
//! credential and a missing one are answered alike, and none is compared in a time that depends on
//! it: what is compared are digests.

mod credential;
mod header;
mod keys;
mod local;
mod oidc;
mod pages;

use std::{
    io,
    sync::{Arc, PoisonError, RwLock},
};

use http::HeaderMap;
use resultant_store::Store;

pub(crate) use self::{
    credential::{CREDENTIAL_BYTES_MAX, bearer},
    oidc::{Login, Returned, SignInError},
    pages::{CODE_TIME, Pages},
};
use self::{header::Proxy, keys::Keys, local::Secret, oidc::Issuer};
pub use self::{
    keys::{NewKey, new_key},
    local::{LinkError, page_link},
};
use crate::{
    caller::User,
    config::{self, Config},
};

/// Which part of us a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Surface {
    /// MCP clients.
    Mcp,
    /// MCP clients in web pages that are neither ours nor named in the configuration.
    McpOfPage,
    /// Programs and the page.
    Api,
    /// Anybody: what says nothing about anyone, and what brings a capability of its own.
    Open,
}

/// A caller that is not let in. Why is for the log, not for the caller.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Denied {
    /// Nothing that vouches for them, or nothing right.
    #[error("no valid credential")]
    Unknown {
        /// Whether there was something.
        is_wrong: bool,
    },
    /// Whoever vouches for them does not answer.
    #[error("who vouches for callers does not answer")]
    Unavailable,
}

impl Denied {
    pub(crate) const MISSING: Denied = Denied::Unknown { is_wrong: false };
    pub(crate) const WRONG: Denied = Denied::Unknown { is_wrong: true };
}

/// The mode, ready to decide.
enum Mode {
    Local { secret: Secret, is_secret_for_all: bool, user: Arc<User> },
    Token(Keys),
    Header(Proxy),
    Oidc(Arc<Issuer>),
}

/// Decides who is calling.
pub(crate) struct Auth {
    mode: RwLock<Arc<(config::Auth, Mode)>>,
    pub(crate) pages: Pages,
    store: Arc<Store>,
}

impl Auth {
    /// The mode of the configuration; a local one has its secret in the data folder.
    pub(crate) fn open(config: &Config, local: &Arc<User>, store: &Arc<Store>) -> io::Result<Auth> {
        let mode = Mode::open(config, local, store)?;
        let mode = RwLock::new(Arc::new((config.auth.clone(), mode)));
        Ok(Auth { mode, pages: Pages::new(store, &config.auth), store: store.clone() })
    }

    /// Takes a new configuration. True when it is another: then everybody signs in again.
    pub(crate) fn reload(&self, config: &Config, local: &Arc<User>) -> io::Result<bool> {
        if self.current().0 == config.auth {
            return Ok(false);
        }
        let mode = Mode::open(config, local, &self.store)?;
        let new = Arc::new((config.auth.clone(), mode));
        *self.mode.write().unwrap_or_else(PoisonError::into_inner) = new;
        self.pages.change(&config.auth);
        Ok(true)
    }

    fn current(&self) -> Arc<(config::Auth, Mode)> {
        self.mode.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The mode as the configuration has it.
    pub(crate) fn config(&self) -> config::Auth {
        self.current().0.clone()
    }

    /// Who sends these headers to this part of us.
    pub(crate) async fn identify(
        &self,
        headers: &HeaderMap,
        surface: Surface,
    ) -> Result<Arc<User>, Denied> {
        let current = self.current();
        let found = match &current.1 {
            Mode::Local { user, is_secret_for_all: false, .. } if surface == Surface::Mcp => {
                return Ok(user.clone());
            }
            Mode::Header(proxy) => return proxy.identify(headers),
            _ => bearer(headers)?.ok_or(Denied::MISSING)?,
        };
        if surface == Surface::Api && self.pages.is_token(found) {
            let user = self.pages.user(found).await.map_err(|error| {
                tracing::warn!(%error, "a page's token could not be looked up");
                Denied::Unavailable
            })?;
            return user.ok_or(Denied::WRONG);
        }
        match &current.1 {
            Mode::Local { secret, user, .. } => match secret.is(found) {
                true => Ok(user.clone()),
                false => Err(Denied::WRONG),
            },
            Mode::Token(keys) => keys.user(found).ok_or(Denied::WRONG),
            Mode::Oidc(issuer) => issuer.user(found).await,
            Mode::Header(_) => Err(Denied::WRONG),
        }
    }

    /// Who offers the tools of a page: whose token it brought in its first message, else who sent
    /// the request that it began with. A token for pages may be for those of one origin.
    pub(crate) async fn identify_page(
        &self,
        headers: &HeaderMap,
        token: Option<&str>,
        origin: Option<&str>,
    ) -> Result<Arc<User>, Denied> {
        let Some(token) = token else { return self.identify(headers, Surface::Api).await };
        if token.len() > CREDENTIAL_BYTES_MAX {
            return Err(Denied::WRONG);
        }
        if self.pages.is_tool_token(token) {
            let user = self.pages.tool_user(token, origin).await.map_err(|error| {
                tracing::warn!(%error, "a page's token could not be looked up");
                Denied::Unavailable
            })?;
            return user.filter(|user| self.has(&user.id)).ok_or(Denied::WRONG);
        }
        let mut shown = HeaderMap::new();
        let value = format!("Bearer {token}").parse().map_err(|_| Denied::WRONG)?;
        shown.insert(http::header::AUTHORIZATION, value);
        match &self.current().1 {
            // There, nothing but the proxy's own headers says who somebody is.
            Mode::Header(_) => self.identify(headers, Surface::Api).await,
            _ => self.identify(&shown, Surface::Api).await,
        }
    }

    /// Whether somebody can still be this user. Only a list of keys says who cannot.
    pub(crate) fn has(&self, user: &str) -> bool {
        match &self.current().1 {
            Mode::Token(keys) => keys.has(user),
            Mode::Local { .. } | Mode::Header(_) | Mode::Oidc(_) => true,
        }
    }

    /// The issuer, in the mode that has one.
    pub(crate) fn issuer(&self) -> Option<Arc<Issuer>> {
        match &self.current().1 {
            Mode::Oidc(issuer) => Some(issuer.clone()),
            _ => None,
        }
    }

    /// A code that opens the page once, for the one user there is.
    pub(crate) async fn local_code(&self) -> Option<String> {
        let current = self.current();
        let Mode::Local { user, .. } = &current.1 else { return None };
        self.pages.new_code(user, None).await.ok()
    }
}

impl Mode {
    fn open(config: &Config, local: &Arc<User>, store: &Arc<Store>) -> io::Result<Mode> {
        Ok(match &config.auth {
            config::Auth::Local { is_secret_for_all } => Mode::Local {
                secret: Secret::open(&config.data)?,
                is_secret_for_all: *is_secret_for_all,
                user: local.clone(),
            },
            config::Auth::Token { keys } => Mode::Token(Keys::new(keys)),
            config::Auth::Header(headers) => Mode::Header(Proxy::new(headers)),
            config::Auth::Oidc(oidc) => Mode::Oidc(Arc::new(Issuer::new(oidc, store))),
        })
    }
}
