//! From the address of an object store to the store.
//!
//! Options come from three places, the later outranking the earlier: our own bounds on time and
//! tries, the environment variables that the store's own tools read, and the configuration.

use std::{sync::Arc, time::Duration};

use object_store::{
    BackoffConfig, ClientOptions, ObjectStore, ObjectStoreScheme, RetryConfig,
    aws::AmazonS3Builder, azure::MicrosoftAzureBuilder, gcp::GoogleCloudStorageBuilder,
    prefix::PrefixStore,
};
use url::Url;

use crate::StoreError;

/// How often something is tried again, at most.
const RETRIES_MAX: usize = 4;
/// How long a connection may take.
const CONNECT_MAX: Duration = Duration::from_secs(5);

/// Opens the store of an address. It is not asked anything yet.
pub(super) fn open(
    address: &str,
    options: &[(String, String)],
    patience: Duration,
) -> Result<Arc<dyn ObjectStore>, StoreError> {
    let refused = |reason: String| StoreError::Address { url: shown(address), reason };
    let url = Url::parse(address).map_err(|error| refused(error.to_string()))?;
    let (scheme, prefix) = ObjectStoreScheme::parse(&url)
        .map_err(|error| refused(unshown(&error.to_string(), &url)))?;
    // The HTTP client has no TLS of its own and does not start without one. Somebody else may have
    // chosen one already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let retries = RetryConfig {
        backoff: BackoffConfig {
            init_backoff: Duration::from_millis(50),
            max_backoff: Duration::from_secs(2),
            base: 2.0,
        },
        max_retries: RETRIES_MAX,
        retry_timeout: patience,
    };
    // A whole answer may take as long as it makes progress; that it does is seen to where it is
    // read.
    let client = ClientOptions::new()
        .with_timeout_disabled()
        .with_connect_timeout(CONNECT_MAX.min(patience));
    // The three builders have the same methods and no trait for them.
    macro_rules! build {
        ($builder:ident, $($variables:literal),+) => {{
            let mut builder =
                $builder::new().with_retry(retries).with_client_options(client).with_url(address);
            for (name, value) in std::env::vars() {
                if ($(name.starts_with($variables))||+)
                    && let Ok(key) = name.to_ascii_lowercase().parse()
                {
                    builder = builder.with_config(key, value);
                }
            }
            for (name, value) in options {
                let key = name
                    .to_ascii_lowercase()
                    .parse()
                    .map_err(|_| refused(format!("there is no option `{name}`")))?;
                builder = builder.with_config(key, value);
            }
            let store = builder.build().map_err(|error| refused(unshown(&error.to_string(), &url)))?;
            Ok(Arc::new(PrefixStore::new(store, prefix)))
        }};
    }
    match scheme {
        ObjectStoreScheme::AmazonS3 => build!(AmazonS3Builder, "AWS_"),
        ObjectStoreScheme::GoogleCloudStorage => {
            build!(GoogleCloudStorageBuilder, "GOOGLE_", "SERVICE_ACCOUNT")
        }
        ObjectStoreScheme::MicrosoftAzure => build!(MicrosoftAzureBuilder, "AZURE_"),
        _ => Err(refused("it is none of s3://, gs:// and az://".to_owned())),
    }
}

/// An address without what might be secret in it.
pub(super) fn shown(address: &str) -> String {
    let Ok(mut url) = Url::parse(address) else { return "the address".to_owned() };
    // Where there is no host there is no name and password either.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    url.to_string()
}

/// A sentence of somebody else, without the address and the secrets that it may repeat.
fn unshown(text: &str, url: &Url) -> String {
    text.replace(url.as_str(), "it")
}
