//! A person logs in to a server, once, in a browser.
//!
//! The way back is a listener on loopback that takes one answer: the one with the state that we
//! sent along. It shows a fixed page, and nothing of what came in the address.

use std::{io, net::Ipv4Addr, path::Path, time::Duration};

use axum::{
    Router,
    extract::RawQuery,
    http::{StatusCode, header},
    response::{Html, IntoResponse, Response},
    routing::get,
};
use rmcp::transport::auth::{AuthError, AuthorizationRequest, AuthorizationSession};
use tokio::{
    net::TcpListener,
    sync::{mpsc, oneshot},
};
use url::Url;

use super::{
    manager,
    store::{Keeper, TokenFile},
};
use crate::config::OAuth;

const CLIENT_NAME: &str = "Resultant";
/// How long the page that says that all is well may take to reach the browser.
const GOODBYE_TIME_MAX: Duration = Duration::from_secs(2);

/// How to log in.
#[derive(Clone)]
pub struct LoginOptions {
    /// The id of a client that was registered beforehand; without one we register.
    pub client_id: Option<String>,
    /// Its secret, when it has one.
    pub client_secret: Option<String>,
    /// Where a document about this client is, for servers that read such instead of registering.
    pub client_metadata_url: Option<String>,
    /// What to ask for; without any, what the server says it needs.
    pub scopes: Vec<String>,
    /// The port on loopback that the browser comes back to; without one, a free one.
    pub redirect_port: Option<u16>,
    /// How long to wait for the person.
    pub wait: Duration,
}

impl Default for LoginOptions {
    fn default() -> LoginOptions {
        LoginOptions {
            client_id: None,
            client_secret: None,
            client_metadata_url: None,
            scopes: Vec::new(),
            redirect_port: None,
            wait: Duration::from_secs(300),
        }
    }
}

/// As a server's entry has it.
impl From<&OAuth> for LoginOptions {
    fn from(oauth: &OAuth) -> LoginOptions {
        LoginOptions {
            client_id: oauth.client_id.clone(),
            client_secret: oauth.client_secret.clone(),
            client_metadata_url: oauth.client_metadata_url.clone(),
            scopes: oauth.scopes.clone(),
            redirect_port: oauth.redirect_port,
            ..LoginOptions::default()
        }
    }
}

/// What a login brought. The tokens themselves are in the data folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Login {
    /// Who gave the tokens, where that is known.
    pub issuer: Option<String>,
    /// What they allow.
    pub scopes: Vec<String>,
    /// How long the first one lasts.
    pub expires_in: Option<Duration>,
    /// Whether it can be renewed without the person.
    pub renewable: bool,
}

/// Why there is no token.
#[derive(Debug, thiserror::Error)]
pub enum LoginError {
    /// The server, or whoever gives out its tokens, did not agree.
    #[error("{0}")]
    Auth(String),
    /// The person, or the authorization server, said no.
    #[error("the login was turned down: {0}")]
    TurnedDown(String),
    /// Nobody came back in time.
    #[error("nobody finished the login within {} seconds", .0.as_secs())]
    TimedOut(Duration),
    /// Another one gives out tokens for the server now; what we have is not for it.
    #[error("another authorization server is named now; a new login is needed")]
    IssuerChanged,
    /// A grant to the client itself needs its id and secret.
    #[error("client credentials need a client id and a client secret")]
    NoClient,
    /// The data folder or the listener on loopback.
    #[error("the login needs a file or a port that it cannot have")]
    Io(#[from] io::Error),
}

impl From<AuthError> for LoginError {
    fn from(error: AuthError) -> LoginError {
        LoginError::Auth(error.to_string())
    }
}

/// Shows a person the page where they log in.
pub trait UserAgent: Send + Sync {
    /// Opens the page, and does not wait for what happens there.
    fn open(&self, url: &str);
}

impl<F: Fn(&str) + Send + Sync> UserAgent for F {
    fn open(&self, url: &str) {
        self(url);
    }
}

/// Follows the redirects and looks at nothing, for authorization servers that ask nobody.
#[derive(Clone, Copy, Debug, Default)]
pub struct FollowRedirects;

impl UserAgent for FollowRedirects {
    fn open(&self, url: &str) {
        let url = url.to_owned();
        tokio::spawn(async move {
            let visit = async {
                super::install_crypto();
                reqwest::Client::builder().build()?.get(url).send().await
            };
            if let Err(error) = visit.await {
                tracing::warn!(error = %error.without_url(), "the login page cannot be reached");
            }
        });
    }
}

/// Logs in to the server `server` at `url` and keeps its tokens under `data`.
pub async fn login(
    server: &str,
    url: &Url,
    data: &Path,
    agent: &dyn UserAgent,
    options: &LoginOptions,
) -> Result<Login, LoginError> {
    authorize(&TokenFile::new(data, server, url), url, agent, options, None).await
}

/// Throws the tokens of a server away. True when there were some.
pub fn logout(server: &str, url: &Url, data: &Path) -> io::Result<bool> {
    TokenFile::new(data, server, url).remove()
}

/// The whole way; `challenge` is what the server said when it wanted a token.
pub(super) async fn authorize(
    file: &TokenFile,
    url: &Url,
    agent: &dyn UserAgent,
    options: &LoginOptions,
    challenge: Option<&str>,
) -> Result<Login, LoginError> {
    let port = options.redirect_port.unwrap_or(0);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    let redirect = format!("http://127.0.0.1:{}/callback", listener.local_addr()?.port());
    let session = session(file, url, &redirect, options, challenge).await?;
    let address = session.get_authorization_url();
    let state = state_of(address)
        .ok_or_else(|| LoginError::Auth("the authorization request has no state".to_owned()))?;
    let back = come_back(listener, &redirect, state, options.wait);
    agent.open(address);
    let back = back.await?;
    let _lock = file.lock().await?;
    session.handle_callback_url(&back).await?;
    let kept = file.read().ok_or_else(|| LoginError::from(AuthError::AuthorizationRequired))?;
    Ok(Login {
        issuer: kept.credentials.issuer.clone(),
        scopes: kept.credentials.granted_scopes.clone(),
        expires_in: kept.expires_in(),
        renewable: kept.refreshes(),
    })
}

/// Finds out where to log in, as which client and for what.
async fn session(
    file: &TokenFile,
    url: &Url,
    redirect: &str,
    options: &LoginOptions,
    challenge: Option<&str>,
) -> Result<AuthorizationSession, LoginError> {
    let found = manager(url, challenge).await?;
    let mut manager = found.manager;
    let scopes = match options.scopes.as_slice() {
        [] => manager.select_initial_scopes(&[]).await,
        scopes => scopes.to_vec(),
    };
    let mut request = AuthorizationRequest::new(redirect).with_scopes(scopes.clone());
    let mut secret = None;
    if let Some(id) = &options.client_id {
        request = request.with_preregistered_client(id);
        secret.clone_from(&options.client_secret);
    } else if let Some(document) = &options.client_metadata_url
        && found.reads_client_documents
    {
        request = request.with_client_metadata_url(document);
    } else {
        // Done here, not by the session, because a secret that we are given has to be kept.
        let names: Vec<_> = scopes.iter().map(String::as_str).collect();
        let client = manager.register_client(CLIENT_NAME, redirect, &names).await?;
        request = request.with_preregistered_client(client.client_id);
        secret = client.client_secret;
    }
    if let Some(secret) = &secret {
        request = request.with_client_secret(secret);
    }
    manager.set_credential_store(Keeper::new(file, secret, redirect.to_owned()));
    let session = AuthorizationSession::new(manager, request).await;
    session.map_err(|(_, error)| error.into())
}

fn state_of(address: &str) -> Option<String> {
    let address = Url::parse(address).ok()?;
    let state = address.query_pairs().find(|(name, _)| name == "state");
    state.map(|(_, state)| state.into_owned())
}

/// Waits for the browser: the whole address that it came back to.
fn come_back(
    listener: TcpListener,
    redirect: &str,
    state: String,
    wait: Duration,
) -> impl Future<Output = Result<String, LoginError>> {
    let (sender, mut answers) = mpsc::channel(1);
    let (done, stop) = oneshot::channel::<()>();
    let redirect = redirect.to_owned();
    let page = get(move |RawQuery(query): RawQuery| {
        let answer = answer(&redirect, query.as_deref().unwrap_or_default(), &state);
        let accepted = answer.is_some_and(|answer| sender.try_send(answer).is_ok());
        async move { reply(accepted) }
    });
    let app = Router::new().route("/callback", page);
    // It listens from here on: the browser may be quick.
    let server = tokio::spawn(async move {
        let serve = axum::serve(listener, app);
        serve.with_graceful_shutdown(async { stop.await.unwrap_or_default() }).await
    });
    async move {
        let answer = tokio::time::timeout(wait, answers.recv()).await;
        let _ = done.send(());
        let abort = server.abort_handle();
        if tokio::time::timeout(GOODBYE_TIME_MAX, server).await.is_err() {
            abort.abort();
        }
        match answer {
            Ok(Some(answer)) => answer,
            Ok(None) | Err(_) => Err(LoginError::TimedOut(wait)),
        }
    }
}

/// What an address says, when it is the answer to our request and to no other.
fn answer(redirect: &str, query: &str, state: &str) -> Option<Result<String, LoginError>> {
    let address = Url::parse(&format!("{redirect}?{query}")).ok()?;
    let find = |name: &str| {
        let found = address.query_pairs().find(|(other, _)| other == name);
        found.map(|(_, value)| value.into_owned())
    };
    if find("state").as_deref() != Some(state) {
        return None;
    }
    if let Some(error) = find("error") {
        let reason = find("error_description").unwrap_or(error);
        let reason = reason.chars().filter(|letter| !letter.is_control()).take(300).collect();
        return Some(Err(LoginError::TurnedDown(reason)));
    }
    find("code")?;
    Some(Ok(address.into()))
}

fn reply(accepted: bool) -> Response {
    let headers = [(header::REFERRER_POLICY, "no-referrer"), (header::CACHE_CONTROL, "no-store")];
    let page = |text| Html(format!("<!doctype html><title>Resultant</title><p>{text}</p>"));
    match accepted {
        true => (headers, page("This window can be closed.")).into_response(),
        false => {
            let page = page("This is not the login that was started here.");
            (StatusCode::BAD_REQUEST, headers, page).into_response()
        }
    }
}
