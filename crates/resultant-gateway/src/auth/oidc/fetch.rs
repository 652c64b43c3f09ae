//! Requests to the issuer: bounded in size and time, never redirected, never in the clear.

use std::time::Duration;

use reqwest::{Client, RequestBuilder, redirect};
use serde_json::Value;
use url::Url;

use super::IssuerError;
use crate::{
    config::auth::{is_loopback, is_private_way},
    upstream::install_crypto,
};

const BYTES_MAX: usize = 1 << 20;
const CONNECT_TIME: Duration = Duration::from_secs(5);
const TIME_MAX: Duration = Duration::from_secs(10);

/// A client for this address.
pub(in crate::auth) fn client(url: &Url) -> reqwest::Result<Client> {
    install_crypto();
    let builder = Client::builder()
        .redirect(redirect::Policy::none())
        .connect_timeout(CONNECT_TIME)
        .timeout(TIME_MAX)
        .user_agent(concat!("resultant/", env!("CARGO_PKG_VERSION")));
    match is_loopback(url) && url.scheme() == "http" {
        true => {
            // Nothing is trusted here, so it does not matter whether the system has certificates.
            let roots = rustls::RootCertStore::empty();
            let config = rustls::ClientConfig::builder().with_root_certificates(roots);
            let builder = builder.no_proxy();
            builder.tls_backend_preconfigured(config.with_no_client_auth()).build()
        }
        false => builder.build(),
    }
}

/// An address that the issuer names. Only a local issuer may name addresses in the clear.
pub(super) fn endpoint(issuer: &Url, text: Option<&str>) -> Option<Url> {
    let url = Url::parse(text?).ok().filter(is_private_way)?;
    (url.scheme() == "https" || is_loopback(issuer)).then_some(url)
}

/// A document of the issuer.
pub(super) async fn document(url: &Url) -> Result<Value, IssuerError> {
    let client = client(url).map_err(|error| silent(url, error))?;
    let request = client.get(url.clone()).header(http::header::ACCEPT, "application/json");
    json(url, request).await
}

/// The JSON that answers a request, whose status must say that all is well.
pub(super) async fn json(url: &Url, request: RequestBuilder) -> Result<Value, IssuerError> {
    let mut response = request.send().await.map_err(|error| silent(url, error))?;
    if !response.status().is_success() {
        let status = format!("status {}", response.status().as_u16());
        return Err(IssuerError::Silent(url.clone(), status));
    }
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| silent(url, error))? {
        if bytes.len() + chunk.len() > BYTES_MAX {
            return Err(IssuerError::Unusable(url.clone(), "it is longer than 1 MiB"));
        }
        bytes.extend_from_slice(&chunk);
    }
    serde_json::from_slice(&bytes).map_err(|_| IssuerError::Unusable(url.clone(), "it is not JSON"))
}

fn silent(url: &Url, error: reqwest::Error) -> IssuerError {
    IssuerError::Silent(url.clone(), error.without_url().to_string())
}
