//! Callers that an issuer vouches for, by its signature (OpenID Connect).
//!
//! The issuer's keys are found by its discovery document. Only signatures that need the issuer's
//! private key count: a token cannot choose to be checked by a shared secret or not at all, because
//! what an algorithm is allowed for is decided by the key.

mod discovery;
mod fetch;
mod keyset;
mod sign_in;
mod token;

use std::sync::Arc;

use resultant_store::Store;
use url::Url;

pub(super) use self::fetch::client;
pub(crate) use self::sign_in::{Login, Returned, SignInError};
use self::{
    discovery::Discovery,
    token::{Expected, Rejected},
};
use super::Denied;
use crate::{caller::User, config::Oidc};

pub(crate) struct Issuer {
    config: Oidc,
    discovery: Discovery,
    /// Where sign-ins that were begun are remembered.
    store: Arc<Store>,
}

/// An issuer that cannot be asked, or whose answer is of no use. Says nothing secret.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum IssuerError {
    #[error("{0} does not answer: {1}")]
    Silent(Url, String),
    #[error("{0} is of no use: {1}")]
    Unusable(Url, &'static str),
    #[error("the issuer failed a moment ago and is not asked again yet")]
    TooOften,
    #[error("the issuer is no URL")]
    NoUrl,
}

impl Issuer {
    pub(super) fn new(config: &Oidc, store: &Arc<Store>) -> Issuer {
        Issuer {
            config: config.clone(),
            discovery: Discovery::new(&config.issuer),
            store: store.clone(),
        }
    }

    /// The user that an access token is about.
    pub(super) async fn user(&self, token: &str) -> Result<Arc<User>, Denied> {
        let expected = Expected {
            issuer: &self.config.issuer,
            audiences: &self.config.audiences,
            nonce: None,
        };
        match token::verify(&self.discovery, token, &expected).await {
            Ok(claims) => match claims.user(&self.config) {
                Some(user) => Ok(Arc::new(user)),
                None => {
                    tracing::debug!("a token without the claim that is the user's name");
                    Err(Denied::WRONG)
                }
            },
            Err(Rejected::Token(reason)) => {
                tracing::debug!(reason, "a token was turned down");
                Err(Denied::WRONG)
            }
            Err(Rejected::Issuer(error)) => {
                tracing::warn!(%error, "tokens cannot be checked");
                Err(Denied::Unavailable)
            }
        }
    }
}
