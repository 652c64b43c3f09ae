//! Tokens for servers that want one: kept in the data folder, renewed in time, asked for by a login.
//!
//! The protocol is rmcp's, which knows every way that servers announce who gives out tokens. What
//! is ours is where tokens are kept and who renews them: one file per server for its owner alone,
//! and a lock beside it, so that of several processes that share the folder one renews and the
//! others read what it got. A refresh token that is used twice is a stolen one to many servers.
//!
//! A gateway that runs asks nobody anything: when a token cannot be renewed the call fails and says
//! so. Only a source that was given a [`UserAgent`] goes through a login by itself.

mod login;
mod store;
#[cfg(test)]
mod tests;

use std::{collections::BTreeSet, path::Path, pin::Pin, sync::Arc};

use rmcp::transport::auth::{
    AuthError, AuthorizationManager, ClientCredentialsConfig, OAuthClientConfig,
    WWWAuthenticateParams,
};
use tokio::sync::Mutex;
use url::Url;

pub use self::login::{FollowRedirects, Login, LoginError, LoginOptions, UserAgent, login, logout};
use self::store::{Keeper, Kept, TokenFile};
use super::http::install_crypto;
use crate::config::Grant;

/// Where the tokens for a server come from.
pub(crate) trait TokenSource: Send + Sync {
    /// The token to send, when there is one; it is renewed first when it is about to expire.
    fn access_token(&self) -> Pin<Box<dyn Future<Output = Option<String>> + Send + '_>>;

    /// The server turned the request down, for the reason in its `WWW-Authenticate` header;
    /// `rejected` is the token that was sent. True when there is another one, with which to try
    /// again.
    fn unauthorized<'a>(
        &'a self,
        rejected: Option<&'a str>,
        www_authenticate: Option<&'a str>,
    ) -> Pin<Box<dyn Future<Output = bool> + Send + 'a>>;
}

/// The tokens of one server.
pub(crate) struct OAuthTokens {
    url: Url,
    file: TokenFile,
    grant: Grant,
    options: LoginOptions,
    agent: Option<Arc<dyn UserAgent>>,
    /// One at a time in this process; others then find what it brought.
    renewing: Mutex<()>,
}

impl OAuthTokens {
    /// Tokens for the server of this name, at this address: what was got for another address
    /// under the same name is not used.
    pub(crate) fn new(server: &str, url: &Url, data: &Path, options: LoginOptions) -> OAuthTokens {
        OAuthTokens {
            url: url.clone(),
            file: TokenFile::new(data, server, url),
            grant: Grant::Person,
            options,
            agent: None,
            renewing: Mutex::new(()),
        }
    }

    pub(crate) fn with_grant(mut self, grant: Grant) -> OAuthTokens {
        self.grant = grant;
        self
    }

    /// Goes through a login when the server wants one, with nobody asked beforehand.
    pub(crate) fn with_user_agent(mut self, agent: Arc<dyn UserAgent>) -> OAuthTokens {
        self.agent = Some(agent);
        self
    }

    async fn current(&self) -> Option<String> {
        let kept = self.file.read();
        let renewable = match (&kept, self.grant) {
            (Some(kept), Grant::Person) => kept.is_stale() && kept.refreshes(),
            (Some(kept), Grant::Client) => kept.is_stale(),
            (None, grant) => grant == Grant::Client,
        };
        let token = kept.and_then(|kept| kept.access_token());
        if !renewable {
            return token;
        }
        let _turn = self.renewing.lock().await;
        // A token that could not be renewed may still do for the seconds that it has left.
        self.renew(None).await.or(token)
    }

    /// Another token than the one that was turned down.
    async fn renew(&self, rejected: Option<&str>) -> Option<String> {
        match self.try_renew(rejected).await {
            Ok(token) => token,
            Err(error) => {
                tracing::warn!(url = %self.url, %error, "no new token");
                None
            }
        }
    }

    async fn try_renew(&self, rejected: Option<&str>) -> Result<Option<String>, LoginError> {
        let _lock = self.file.lock().await?;
        let kept = self.file.read();
        let token = kept.as_ref().and_then(Kept::access_token);
        if let (Some(kept), Some(token)) = (&kept, &token)
            && Some(token.as_str()) != rejected
            && !kept.is_stale()
        {
            // Another process was here before us.
            return Ok(Some(token.clone()));
        }
        match (self.grant, &kept) {
            (Grant::Client, _) => self.exchange_secret().await?,
            (Grant::Person, Some(kept)) if kept.refreshes() => self.refresh(kept).await?,
            (Grant::Person, _) => return Ok(None),
        }
        Ok(self.file.read().and_then(|kept| kept.access_token()))
    }

    async fn refresh(&self, kept: &Kept) -> Result<(), LoginError> {
        let Found { mut manager, issuer, .. } = manager(&self.url, None).await?;
        if kept.credentials.issuer.is_some() && kept.credentials.issuer != issuer {
            // The token is for those who gave it, whoever the server names now.
            return Err(LoginError::IssuerChanged);
        }
        let mut client =
            OAuthClientConfig::new(kept.credentials.client_id.as_str(), kept.redirect_uri.as_str());
        client.client_secret.clone_from(&kept.client_secret);
        manager.set_credential_store(Keeper::of(&self.file, kept));
        manager.configure_client(client)?;
        manager.refresh_token().await?;
        Ok(())
    }

    async fn exchange_secret(&self) -> Result<(), LoginError> {
        let (Some(client_id), Some(client_secret)) =
            (self.options.client_id.clone(), self.options.client_secret.clone())
        else {
            return Err(LoginError::NoClient);
        };
        let Found { mut manager, .. } = manager(&self.url, None).await?;
        let scopes = match self.options.scopes.as_slice() {
            [] => manager.select_initial_scopes(&[]).await,
            scopes => scopes.to_vec(),
        };
        let resource = Some(self.url.to_string());
        let config =
            ClientCredentialsConfig::ClientSecret { client_id, client_secret, scopes, resource };
        manager.set_credential_store(Keeper::new(&self.file, None, String::new()));
        manager.validate_client_credentials_metadata(&config)?;
        manager.configure_client_credentials(&config)?;
        manager.exchange_client_credentials(&config).await?;
        Ok(())
    }

    async fn turned_down(&self, rejected: Option<&str>, challenge: Option<&str>) -> bool {
        let _turn = self.renewing.lock().await;
        let params = challenge.map(|challenge| WWWAuthenticateParams::parse(challenge, &self.url));
        let wider = params.as_ref().is_some_and(WWWAuthenticateParams::is_insufficient_scope);
        if !wider && self.renew(rejected).await.is_some() {
            return true;
        }
        let Some(agent) = self.agent.as_deref().filter(|_| self.grant == Grant::Person) else {
            return false;
        };
        let kept = self.file.read();
        if let Some(token) = kept.as_ref().and_then(Kept::access_token)
            && Some(token.as_str()) != rejected
        {
            return true;
        }
        let mut options = self.options.clone();
        if wider {
            let granted = kept.map(|kept| kept.credentials.granted_scopes).unwrap_or_default();
            let wanted = params.and_then(|params| params.scope).unwrap_or_default();
            let mut seen: BTreeSet<_> = granted.iter().cloned().collect();
            let more = wanted.split_whitespace().map(str::to_owned);
            let more: Vec<_> = more.filter(|scope| seen.insert(scope.clone())).collect();
            if more.is_empty() {
                // We have been given all that it asks for, so asking again changes nothing.
                return false;
            }
            options.scopes = [granted, more].concat();
        }
        match login::authorize(&self.file, &self.url, agent, &options, challenge).await {
            Ok(_) => true,
            Err(error) => {
                tracing::warn!(url = %self.url, %error, "the login failed");
                false
            }
        }
    }
}

impl TokenSource for OAuthTokens {
    fn access_token(&self) -> Pin<Box<dyn Future<Output = Option<String>> + Send + '_>> {
        Box::pin(self.current())
    }

    fn unauthorized<'a>(
        &'a self,
        rejected: Option<&'a str>,
        www_authenticate: Option<&'a str>,
    ) -> Pin<Box<dyn Future<Output = bool> + Send + 'a>> {
        Box::pin(self.turned_down(rejected, www_authenticate))
    }
}

/// Who gives out tokens for a server.
struct Found {
    manager: AuthorizationManager,
    issuer: Option<String>,
    /// Whether it takes the address of a document as a client's id.
    reads_client_documents: bool,
}

async fn manager(url: &Url, challenge: Option<&str>) -> Result<Found, AuthError> {
    install_crypto();
    let mut manager = AuthorizationManager::new(url.clone()).await?;
    let found = manager.resolve_metadata_from_challenge(challenge).await?;
    let issuer = found.metadata.issuer.clone();
    let documents = found.metadata.additional_fields.get("client_id_metadata_document_supported");
    let reads_client_documents = documents.and_then(|flag| flag.as_bool()).unwrap_or(false);
    manager.set_metadata(found.metadata);
    Ok(Found { manager, issuer, reads_client_documents })
}
