//! What the issuer publishes: its endpoints and its keys, held for a while.
//!
//! Keys change, so a token that names an unknown one makes us look again; but anybody can name
//! unknown keys, so only so often. While the issuer does not answer, what it said last still holds
//! for a day.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use serde_json::Value;
use tokio::sync::Mutex as AsyncMutex;
use url::Url;

use super::{
    IssuerError, fetch,
    keyset::{Key, KeySet},
};
use crate::client::lock;

/// So long what was published is taken for current.
const FRESH: Duration = Duration::from_secs(600);
/// So long it is still used when the issuer does not answer.
const USABLE: Duration = Duration::from_secs(24 * 60 * 60);
/// Looks beside the regular ones: so many at once, and one more in each of these times.
const LOOKS_MAX: u32 = 5;
const LOOK_INTERVAL: Duration = Duration::from_secs(20);

/// Where the issuer is asked for what.
#[derive(Clone, Debug)]
pub(super) struct Published {
    pub(super) keys: KeySet,
    pub(super) authorization_endpoint: Option<Url>,
    pub(super) token_endpoint: Option<Url>,
    /// Whether a client's secret goes into the body instead of a header.
    pub(super) takes_secret_in_body: bool,
    /// Whether it says in its redirects who it is.
    pub(super) names_itself: bool,
    at: Instant,
}

pub(super) struct Discovery {
    issuer: String,
    url: Result<Url, IssuerError>,
    known: Mutex<Option<Arc<Published>>>,
    /// Held while the issuer is asked, so that it is asked once.
    asking: AsyncMutex<Looks>,
}

struct Looks {
    left: u32,
    since: Instant,
}

impl Looks {
    /// Whether there is a look left.
    fn take(&mut self) -> bool {
        let more = self.since.elapsed().as_secs() / LOOK_INTERVAL.as_secs();
        if more > 0 {
            self.left = u32::try_from(more).unwrap_or(LOOKS_MAX).saturating_add(self.left);
            self.left = self.left.min(LOOKS_MAX);
            self.since = Instant::now();
        }
        let is_left = self.left > 0;
        self.left = self.left.saturating_sub(1);
        is_left
    }
}

impl Discovery {
    pub(super) fn new(issuer: &str) -> Discovery {
        let url = format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/'));
        Discovery {
            issuer: issuer.to_owned(),
            url: Url::parse(&url).map_err(|_| IssuerError::NoUrl),
            known: Mutex::default(),
            asking: AsyncMutex::new(Looks { left: LOOKS_MAX, since: Instant::now() }),
        }
    }

    fn known(&self, age_max: Duration) -> Option<Arc<Published>> {
        lock(&self.known).clone().filter(|known| known.at.elapsed() < age_max)
    }

    /// What the issuer publishes.
    pub(super) async fn published(&self) -> Result<Arc<Published>, IssuerError> {
        if let Some(known) = self.known(FRESH) {
            return Ok(known);
        }
        let mut looks = self.asking.lock().await;
        if let Some(known) = self.known(FRESH) {
            return Ok(known);
        }
        let old = self.known(USABLE);
        if !looks.take() {
            return old.ok_or(IssuerError::TooOften);
        }
        match (self.look().await, old) {
            (Err(error), Some(old)) => {
                tracing::warn!(%error, "what the issuer said before still holds");
                Ok(old)
            }
            (found, _) => found,
        }
    }

    /// The keys that may have signed a token; looked for again when there is none.
    pub(super) async fn keys(
        &self,
        algorithm: jsonwebtoken::Algorithm,
        id: Option<&str>,
    ) -> Result<Vec<Key>, IssuerError> {
        let published = self.published().await?;
        let found = published.keys.matching(algorithm, id);
        if !found.is_empty() {
            return Ok(found);
        }
        let mut looks = self.asking.lock().await;
        let current = self.known(FRESH).filter(|current| !Arc::ptr_eq(current, &published));
        let current = match current {
            // Somebody else looked while we waited.
            Some(current) => current,
            None if looks.take() => self.look().await?,
            None => published,
        };
        Ok(current.keys.matching(algorithm, id))
    }

    async fn look(&self) -> Result<Arc<Published>, IssuerError> {
        let url = self.url.clone()?;
        let document = fetch::document(&url).await?;
        if document["issuer"].as_str() != Some(&self.issuer) {
            return Err(IssuerError::Unusable(url, "it names another issuer"));
        }
        let endpoint = |key: &str| fetch::endpoint(&url, document[key].as_str());
        let keys_url = endpoint("jwks_uri");
        let keys_url =
            keys_url.ok_or_else(|| IssuerError::Unusable(url.clone(), "it has no `jwks_uri`"))?;
        let keys = KeySet::read(&fetch::document(&keys_url).await?);
        if keys.is_empty() {
            return Err(IssuerError::Unusable(keys_url, "it has no key that can be used"));
        }
        let methods = &document["token_endpoint_auth_methods_supported"];
        let has_method =
            |name: &str| methods.as_array().is_some_and(|all| all.contains(&name.into()));
        let names_itself = &document["authorization_response_iss_parameter_supported"];
        let published = Arc::new(Published {
            keys,
            authorization_endpoint: endpoint("authorization_endpoint"),
            token_endpoint: endpoint("token_endpoint"),
            takes_secret_in_body: has_method("client_secret_post")
                && !has_method("client_secret_basic"),
            names_itself: *names_itself == Value::Bool(true),
            at: Instant::now(),
        });
        *lock(&self.known) = Some(published.clone());
        Ok(published)
    }
}
