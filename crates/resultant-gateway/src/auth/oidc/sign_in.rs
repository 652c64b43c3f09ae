//! Signing in from the page: to the issuer and back, by code, with proof that it is the same
//! sign-in all the way (state, nonce, PKCE), and the same tab (the page's own binding).
//!
//! There are no cookies to tell browsers apart. Instead the page makes up a secret before it leaves,
//! and only who knows it can use what comes back; else somebody could be led to the end of a
//! stranger's sign-in and work under the stranger's name.

use std::{sync::Arc, time::Duration};

use resultant_store::{SlipKind, StoreError};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use url::{Url, form_urlencoded};

use super::{
    Issuer, IssuerError, fetch,
    token::{self, Expected, Rejected},
};
use crate::{auth::credential::Digest, caller::User, random};

/// How long a person may take at the issuer.
const SIGN_IN_TIME: Duration = Duration::from_secs(600);

/// A sign-in that was begun.
struct Pending {
    nonce: String,
    verifier: String,
    binding: String,
}

impl Pending {
    fn read(data: &str) -> Option<Pending> {
        let data: Value = serde_json::from_str(data).ok()?;
        let text = |key: &str| data[key].as_str().map(str::to_owned);
        let (nonce, verifier) = (text("nonce")?, text("verifier")?);
        Some(Pending { nonce, verifier, binding: text("binding")? })
    }
}

/// Where a sign-in begins.
pub(crate) struct Login<'a> {
    /// Our address that the issuer sends the browser back to.
    pub(crate) redirect_uri: &'a str,
    /// What the page made up.
    pub(crate) binding: &'a str,
}

/// What the browser brings back.
pub(crate) struct Returned<'a> {
    pub(crate) redirect_uri: &'a str,
    pub(crate) state: &'a str,
    pub(crate) code: Option<&'a str>,
    /// Who the issuer says it is.
    pub(crate) issuer: Option<&'a str>,
}

/// Why nobody is signed in. Says nothing secret.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SignInError {
    #[error("no `client_id` is configured")]
    NoClient,
    #[error("this sign-in is unknown, used or too old")]
    Unknown,
    #[error("the issuer did not let them in")]
    Refused,
    #[error("the issuer's token does not count: {0}")]
    Token(&'static str),
    #[error(transparent)]
    Issuer(#[from] IssuerError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Issuer {
    /// The issuer's page to send the browser to.
    pub(crate) async fn begin(&self, login: &Login<'_>) -> Result<Url, SignInError> {
        let client_id = self.config.client_id.as_deref().ok_or(SignInError::NoClient)?;
        let published = self.discovery.published().await?;
        let mut url = published.authorization_endpoint.clone().ok_or(SignInError::NoClient)?;
        let (state, nonce, verifier) = (random::secret(), random::secret(), random::secret());
        let challenge = Sha256::digest(verifier.as_bytes());
        let challenge = base64_simd::URL_SAFE_NO_PAD.encode_to_string(challenge);
        url.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", client_id)
            .append_pair("redirect_uri", login.redirect_uri)
            .append_pair("scope", &self.scope())
            .append_pair("state", &state)
            .append_pair("nonce", &nonce)
            .append_pair("code_challenge", &challenge)
            .append_pair("code_challenge_method", "S256");
        let pending = json!({"nonce": nonce, "verifier": verifier, "binding": login.binding});
        let (digest, pending) = (Digest::of(&state).to_hex(), pending.to_string());
        self.store.put_slip(SlipKind::SignIn, &digest, &pending, SIGN_IN_TIME).await?;
        Ok(url)
    }

    fn scope(&self) -> String {
        let mut scopes = vec!["openid"];
        match self.config.scopes.as_slice() {
            [] => scopes.extend(["profile", "email"]),
            asked => scopes.extend(asked.iter().map(String::as_str).filter(|s| *s != "openid")),
        }
        scopes.join(" ")
    }

    /// Who has signed in, and the binding of the page that began it.
    pub(crate) async fn finish(
        &self,
        returned: &Returned<'_>,
    ) -> Result<(Arc<User>, String), SignInError> {
        let digest = Digest::of(returned.state).to_hex();
        let pending = self.store.take_slip(SlipKind::SignIn, &digest).await?;
        let pending = pending.and_then(|pending| Pending::read(&pending));
        let pending = pending.ok_or(SignInError::Unknown)?;
        let code = returned.code.ok_or(SignInError::Refused)?;
        let client_id = self.config.client_id.as_deref().ok_or(SignInError::NoClient)?;
        let published = self.discovery.published().await?;
        // Another issuer's code must not be given to this one.
        match returned.issuer {
            Some(issuer) if issuer != self.config.issuer => return Err(SignInError::Unknown),
            None if published.names_itself => return Err(SignInError::Unknown),
            _ => {}
        }
        let url = published.token_endpoint.clone().ok_or(SignInError::NoClient)?;
        let secret = self.config.client_secret.as_deref();
        let mut fields = vec![
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", returned.redirect_uri),
            ("client_id", client_id),
            ("code_verifier", &pending.verifier),
        ];
        let in_body = secret.filter(|_| published.takes_secret_in_body);
        fields.extend(in_body.map(|secret| ("client_secret", secret)));
        let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        let silent = |_| IssuerError::Unusable(url.clone(), "it cannot be asked");
        let mut request = fetch::client(&url).map_err(silent)?.post(url.clone());
        if let Some(secret) = secret.filter(|_| !published.takes_secret_in_body) {
            let encode =
                |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
            request = request.basic_auth(encode(client_id), Some(encode(secret)));
        }
        let request = request
            .header(http::header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header(http::header::ACCEPT, "application/json")
            .body(body);
        let answer: Value = fetch::json(&url, request).await?;
        let token = answer["id_token"].as_str();
        let token = token.ok_or(SignInError::Token("there is none about the person"))?;
        let expected = Expected {
            issuer: &self.config.issuer,
            audiences: &[client_id.to_owned()],
            nonce: Some(&pending.nonce),
        };
        let claims = token::verify(&self.discovery, token, &expected).await;
        let claims = claims.map_err(|rejected| match rejected {
            Rejected::Token(reason) => SignInError::Token(reason),
            Rejected::Issuer(error) => SignInError::Issuer(error),
        })?;
        let user = claims.user(&self.config);
        let user = user.ok_or(SignInError::Token("it does not say the user's name"))?;
        Ok((Arc::new(user), pending.binding))
    }
}
