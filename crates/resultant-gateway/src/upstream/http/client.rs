//! One HTTP exchange with the server: headers, token, redirects, and what its failure means.
//!
//! Redirects are followed by hand, because three things must hold that a client library does not
//! promise together: only within the origin that was configured (our headers are for nobody else),
//! only where the method stays (307 and 308), and never so that a message which was done is sent
//! again. Credentials are asked for anew once, when the server says that they do not do.

use std::{
    convert::Infallible,
    error::Error,
    pin::Pin,
    sync::{Arc, Mutex, Once, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use http_body::{Frame, SizeHint};
use reqwest::{Client, Response, redirect};
use tokio::sync::oneshot;
use url::Url;

use super::HttpOptions;
use crate::upstream::wire::WireError;

const REDIRECTS_MAX: u32 = 3;

/// The client for one server.
pub(super) fn build(options: &HttpOptions) -> Result<Client, WireError> {
    install_crypto();
    let client = builder(options).build().or_else(|error| {
        if options.url.scheme() == "https" {
            return Err(error);
        }
        // A machine without root certificates can still speak to servers without any: nothing is
        // trusted here, and nothing needs to be.
        let roots = rustls::RootCertStore::empty();
        let config = rustls::ClientConfig::builder().with_root_certificates(roots);
        builder(options).tls_backend_preconfigured(config.with_no_client_auth()).build()
    });
    client.map_err(|error| WireError::Unreachable(chain(&error)))
}

fn builder(options: &HttpOptions) -> reqwest::ClientBuilder {
    let builder = Client::builder()
        .redirect(redirect::Policy::none())
        .connect_timeout(options.connect_timeout)
        // A peer that is gone without a word is found by the kernel; answers may take their time.
        .tcp_keepalive(Duration::from_secs(30))
        .user_agent(concat!("resultant/", env!("CARGO_PKG_VERSION")));
    match is_loopback(&options.url) {
        true => builder.no_proxy(),
        false => builder,
    }
}

/// Makes ring the process's provider of cryptography, unless there is one already.
pub(crate) fn install_crypto() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // The error says that another one was installed, which does as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// The headers of the configuration, checked.
pub(super) fn headers(pairs: &[(String, String)]) -> Result<HeaderMap, WireError> {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        let invalid = || WireError::Unreachable(format!("the header `{name}` cannot be sent"));
        let key = HeaderName::try_from(name.as_str()).map_err(|_| invalid())?;
        let mut value = HeaderValue::try_from(value.as_str()).map_err(|_| invalid())?;
        // Keys and tokens are put there; none of them is for a log.
        value.set_sensitive(true);
        headers.insert(key, value);
    }
    Ok(headers)
}

/// What goes to the server.
pub(super) struct Exchange<'a> {
    pub(super) method: Method,
    pub(super) url: Url,
    /// All headers but the token.
    pub(super) headers: HeaderMap,
    pub(super) body: Option<Bytes>,
    pub(super) departure: Option<&'a Departure>,
}

impl Exchange<'_> {
    /// Sends it; what comes back has any status. `Unreachable` means that nothing was done.
    pub(super) async fn run(
        mut self,
        client: &Client,
        options: &HttpOptions,
    ) -> Result<Response, WireError> {
        let (mut redirects, mut renewed) = (0, Vec::new());
        loop {
            let token = match &options.tokens {
                Some(tokens) => tokens.access_token().await,
                None => None,
            };
            let response = self.attempt(client, token.as_deref()).await?;
            let status = response.status();
            if matches!(status, StatusCode::TEMPORARY_REDIRECT | StatusCode::PERMANENT_REDIRECT) {
                let target = self.redirect(&response)?;
                redirects += 1;
                if redirects > REDIRECTS_MAX {
                    return Err(refusal(status, "too many redirects"));
                }
                self.url = target;
                continue;
            }
            // Once because there was no good token, once because it allowed too little.
            let challenge = challenge(&response);
            let another_token_may_do = status == StatusCode::UNAUTHORIZED
                || status == StatusCode::FORBIDDEN
                    && challenge.as_deref().is_some_and(|text| text.contains("insufficient_scope"));
            if another_token_may_do
                && !renewed.contains(&status)
                && let Some(tokens) = &options.tokens
                && tokens.unauthorized(token.as_deref(), challenge.as_deref()).await
            {
                renewed.push(status);
                continue;
            }
            return Ok(response);
        }
    }

    async fn attempt(&self, client: &Client, token: Option<&str>) -> Result<Response, WireError> {
        let mut headers = self.headers.clone();
        if let Some(token) = token {
            let value = HeaderValue::try_from(format!("Bearer {token}"));
            let mut value = value.map_err(|_| {
                WireError::Unauthorized("the stored token cannot be sent in a header".to_owned())
            })?;
            value.set_sensitive(true);
            headers.insert(header::AUTHORIZATION, value);
        }
        let mut request = client.request(self.method.clone(), self.url.clone()).headers(headers);
        if let Some(body) = &self.body {
            let departure = self.departure.cloned();
            let parcel = Parcel { bytes: Some(body.clone()), departure };
            request = request.body(reqwest::Body::wrap(parcel));
        }
        request.send().await.map_err(|error| {
            // Before there is a connection nothing can have been done; afterwards nobody knows.
            let before = error.is_connect() || error.is_builder();
            let text = chain(&error.without_url());
            if before { WireError::Unreachable(text) } else { WireError::Broken(text) }
        })
    }

    fn redirect(&self, response: &Response) -> Result<Url, WireError> {
        let location = response.headers().get(header::LOCATION);
        let target = location
            .and_then(|location| location.to_str().ok())
            .and_then(|location| self.url.join(location).ok());
        match target {
            Some(target) if target.origin() == self.url.origin() => Ok(target),
            Some(target) => Err(refusal(
                response.status(),
                &format!(
                    "it redirects to another origin, {}",
                    target.origin().ascii_serialization()
                ),
            )),
            None => Err(refusal(response.status(), "a redirect without a target")),
        }
    }
}

fn refusal(status: StatusCode, text: &str) -> WireError {
    WireError::Status { status: status.as_u16(), text: text.to_owned() }
}

/// What the server says about the credentials it wants.
pub(super) fn challenge(response: &Response) -> Option<String> {
    let values = response.headers().get_all(header::WWW_AUTHENTICATE);
    let values: Vec<_> = values.iter().filter_map(|value| value.to_str().ok()).collect();
    (!values.is_empty()).then(|| values.join(", "))
}

/// An error with its causes, in one line.
pub(super) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text.push_str(": ");
        text.push_str(&error.to_string());
        source = error.source();
    }
    text
}

/// Tells who waits for it that a message is on its way, or that it could not leave.
#[derive(Clone, Debug)]
pub(super) struct Departure(Arc<Mutex<Option<oneshot::Sender<Departed>>>>);

type Departed = Result<(), WireError>;

impl Departure {
    pub(super) fn new() -> (Departure, oneshot::Receiver<Departed>) {
        let (sender, receiver) = oneshot::channel();
        (Departure(Arc::new(Mutex::new(Some(sender)))), receiver)
    }

    /// False when it was told already, or nobody waits.
    pub(super) fn tell(&self, what: Departed) -> bool {
        let sender = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        sender.is_some_and(|sender| sender.send(what).is_ok())
    }
}

/// A body in one piece that notices when it is taken: then there is a connection, and what comes
/// after is no longer certain not to have reached the server.
struct Parcel {
    bytes: Option<Bytes>,
    departure: Option<Departure>,
}

impl http_body::Body for Parcel {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if let Some(departure) = self.departure.take() {
            departure.tell(Ok(()));
        }
        Poll::Ready(self.bytes.take().map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
    }
}
