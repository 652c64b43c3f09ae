//! What the page has instead of a credential: a token for its time, got with a code that works once.
//!
//! The page keeps the token for its tab and sends it as any other; there are no cookies, so no other
//! page can make a browser use it. The store holds digests only, and it holds them for every gateway
//! that shares it: a person who signed in at one is known at all of them, also after a restart. They
//! count under the settings they were made under; where who may call is configured anew, people sign
//! in again.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use resultant_store::{SlipKind, Store, StoreError};
use serde_json::{Value, json};

use super::credential::Digest;
use crate::{caller::User, client::lock, config, random};

/// How long a code can be used.
pub(crate) const CODE_TIME: Duration = Duration::from_secs(600);
/// How long a token that is not used is good.
const IDLE_TIME: Duration = Duration::from_secs(12 * 60 * 60);
/// What tells such a token from other credentials.
const PREFIX: &str = "rp_";
/// The same of a token with which a page offers tools, and does nothing else.
const TOOLS_PREFIX: &str = "rpt_";

pub(crate) struct Pages {
    store: Arc<Store>,
    /// What stands for the settings of who may call.
    realm: Mutex<String>,
}

/// A token that was just made.
pub(crate) struct NewToken {
    pub(crate) token: String,
    pub(crate) user: Arc<User>,
    pub(crate) idle: Duration,
}

impl Pages {
    pub(super) fn new(store: &Arc<Store>, auth: &config::Auth) -> Pages {
        Pages { store: store.clone(), realm: Mutex::new(realm(auth)) }
    }

    /// Who may call is decided otherwise: what was given out before does not count any more.
    pub(super) fn change(&self, auth: &config::Auth) {
        *lock(&self.realm) = realm(auth);
    }

    /// What a secret is remembered under.
    fn digest(&self, secret: &str) -> String {
        Digest::of(&format!("{} {secret}", lock(&self.realm))).to_hex()
    }

    /// A code for this user. With a binding, only who shows that too can use it.
    pub(crate) async fn new_code(
        &self,
        user: &User,
        binding: Option<&str>,
    ) -> Result<String, StoreError> {
        let code = random::secret();
        let mut data = written(user);
        data["binding"] = binding.map(|binding| Digest::of(binding).to_hex()).into();
        let digest = self.digest(&code);
        self.store.put_slip(SlipKind::Code, &digest, &data.to_string(), CODE_TIME).await?;
        Ok(code)
    }

    /// A token for a code, which is used up by that, also where it was not right.
    pub(crate) async fn exchange(
        &self,
        code: &str,
        binding: Option<&str>,
    ) -> Result<Option<NewToken>, StoreError> {
        let digest = self.digest(code);
        let Some(data) = self.store.take_slip(SlipKind::Code, &digest).await? else {
            return Ok(None);
        };
        let Some((user, data)) = read(&data) else { return Ok(None) };
        let is_bound = match (data["binding"].as_str(), binding) {
            (None, _) => true,
            (Some(known), Some(shown)) => Digest::of(shown).to_hex() == known,
            (Some(_), None) => false,
        };
        match is_bound {
            true => self.new_token(&Arc::new(user)).await.map(Some),
            false => Ok(None),
        }
    }

    /// A token for somebody who has shown another credential.
    pub(crate) async fn new_token(&self, user: &Arc<User>) -> Result<NewToken, StoreError> {
        let token = format!("{PREFIX}{}", random::secret());
        let (digest, data) = (self.digest(&token), written(user).to_string());
        self.store.put_slip(SlipKind::Page, &digest, &data, IDLE_TIME).await?;
        Ok(NewToken { token, user: user.clone(), idle: IDLE_TIME })
    }

    /// Whether this is meant as a page's token.
    pub(crate) fn is_token(&self, credential: &str) -> bool {
        credential.starts_with(PREFIX)
    }

    /// Whose token this is. Its time starts again.
    pub(super) async fn user(&self, token: &str) -> Result<Option<Arc<User>>, StoreError> {
        let digest = self.digest(token);
        let data = self.store.slip(SlipKind::Page, &digest, IDLE_TIME).await?;
        Ok(data.and_then(|data| read(&data)).map(|(user, _)| Arc::new(user)))
    }

    /// A token for offering tools, for this user's pages of this origin or of any. Its time does not
    /// start again.
    pub(crate) async fn new_tool_token(
        &self,
        user: &User,
        origin: Option<&str>,
        time: Duration,
    ) -> Result<String, StoreError> {
        let token = format!("{TOOLS_PREFIX}{}", random::secret());
        let mut data = written(user);
        data["origin"] = origin.into();
        let digest = self.digest(&token);
        self.store.put_slip(SlipKind::PageTools, &digest, &data.to_string(), time).await?;
        Ok(token)
    }

    /// Whether this is meant as such a token.
    pub(super) fn is_tool_token(&self, credential: &str) -> bool {
        credential.starts_with(TOOLS_PREFIX)
    }

    /// Whose such a token is, when a page of this origin shows it.
    pub(super) async fn tool_user(
        &self,
        token: &str,
        origin: Option<&str>,
    ) -> Result<Option<Arc<User>>, StoreError> {
        let digest = self.digest(token);
        let data = self.store.slip(SlipKind::PageTools, &digest, Duration::ZERO).await?;
        let Some((user, data)) = data.and_then(|data| read(&data)) else { return Ok(None) };
        let is_for = data["origin"].as_str().is_none_or(|bound| origin == Some(bound));
        Ok(is_for.then(|| Arc::new(user)))
    }

    /// Ends a token. Nothing says whether there was one.
    pub(crate) async fn revoke(&self, token: &str) -> Result<(), StoreError> {
        let digest = self.digest(token);
        self.store.take_slip(SlipKind::Page, &digest).await.map(drop)
    }
}

fn realm(auth: &config::Auth) -> String {
    Digest::of(&format!("{auth:?}")).to_hex()
}

fn written(user: &User) -> Value {
    json!({
        "id": user.id,
        "name": user.name,
        "email": user.email,
        "authenticated": user.is_authenticated,
    })
}

fn read(data: &str) -> Option<(User, Value)> {
    let data: Value = serde_json::from_str(data).ok()?;
    let text = |key: &str| data[key].as_str().map(str::to_owned);
    let user = User {
        id: text("id")?,
        name: text("name")?,
        email: text("email"),
        is_authenticated: data["authenticated"].as_bool()?,
    };
    Some((user, data))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::Pages;
    use crate::{
        caller::User,
        config::{Auth, Config},
        gateway::open_store,
    };

    async fn pages(folder: &std::path::Path) -> (Pages, Arc<User>) {
        let mut config = Config::parse("{}", folder, &|_| None).unwrap().config;
        folder.clone_into(&mut config.data);
        let store = open_store(&config).await.unwrap();
        (Pages::new(&store, &config.auth), Arc::new(User::local()))
    }

    #[tokio::test]
    async fn a_code_works_once_and_a_token_until_it_is_revoked() {
        let folder = tempfile::tempdir().unwrap();
        let (pages, user) = pages(folder.path()).await;
        let code = pages.new_code(&user, None).await.unwrap();
        let token = pages.exchange(&code, None).await.unwrap().expect("a token").token;
        assert!(pages.exchange(&code, None).await.unwrap().is_none(), "used");
        assert!(pages.is_token(&token));
        assert_eq!(pages.user(&token).await.unwrap(), Some(user.clone()));
        assert_eq!(pages.user(&code).await.unwrap(), None);
        assert_eq!(pages.user(&format!("{token}x")).await.unwrap(), None);
        pages.revoke(&token).await.unwrap();
        assert_eq!(pages.user(&token).await.unwrap(), None);
        let token = pages.new_token(&user).await.unwrap().token;
        pages.change(&Auth::Local { is_secret_for_all: true });
        assert_eq!(pages.user(&token).await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_token_for_tools_is_for_its_time_and_origin_and_for_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let (pages, user) = pages(folder.path()).await;
        let hour = std::time::Duration::from_secs(3600);
        let app = Some("https://app.example");
        let bound = pages.new_tool_token(&user, app, hour).await.unwrap();
        assert!(pages.is_tool_token(&bound) && !pages.is_token(&bound));
        assert_eq!(pages.tool_user(&bound, app).await.unwrap(), Some(user.clone()));
        let other = Some("https://other.example");
        assert_eq!(pages.tool_user(&bound, other).await.unwrap(), None);
        assert_eq!(pages.tool_user(&bound, None).await.unwrap(), None);
        assert_eq!(pages.user(&bound).await.unwrap(), None, "it is no page's session");
        let free = pages.new_tool_token(&user, None, hour).await.unwrap();
        assert_eq!(pages.tool_user(&free, other).await.unwrap(), Some(user.clone()));
        let moment = std::time::Duration::from_millis(1);
        let short = pages.new_tool_token(&user, None, moment).await.unwrap();
        std::thread::sleep(moment * 2);
        assert_eq!(pages.tool_user(&short, None).await.unwrap(), None, "its time is over");
        let session = pages.new_token(&user).await.unwrap().token;
        assert_eq!(pages.tool_user(&session, None).await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_bound_code_is_for_the_page_that_began() {
        let folder = tempfile::tempdir().unwrap();
        let (pages, user) = pages(folder.path()).await;
        for (shown, is_right) in [(Some("mine"), true), (Some("other"), false), (None, false)] {
            let code = pages.new_code(&user, Some("mine")).await.unwrap();
            let exchanged = pages.exchange(&code, shown).await.unwrap();
            assert_eq!(exchanged.is_some(), is_right, "{shown:?}");
            assert!(pages.exchange(&code, Some("mine")).await.unwrap().is_none(), "one try");
        }
    }
}
