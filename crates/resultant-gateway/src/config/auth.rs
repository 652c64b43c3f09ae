//! Who may call, as the program uses it.

use std::fmt;

use http::HeaderName;
use url::Url;

/// How it is decided who calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Auth {
    /// One user, on loopback alone.
    Local {
        /// Whether MCP clients need the secret too, and not only the API and the page.
        is_secret_for_all: bool,
    },
    /// Keys that were given out.
    Token {
        /// The keys.
        keys: Vec<ApiKey>,
    },
    /// A reverse proxy that signs people in and says who they are.
    Header(ProxyHeaders),
    /// An issuer of signed tokens.
    Oidc(Oidc),
}

impl Default for Auth {
    fn default() -> Auth {
        Auth::Local { is_secret_for_all: false }
    }
}

impl Auth {
    /// The mode as the file calls it.
    pub fn mode(&self) -> &'static str {
        match self {
            Auth::Local { .. } => "local",
            Auth::Token { .. } => "token",
            Auth::Header(_) => "header",
            Auth::Oidc(_) => "oidc",
        }
    }

    /// Whether users say who they are, instead of there being one.
    pub fn has_users(&self) -> bool {
        !matches!(self, Auth::Local { .. })
    }
}

/// A key of a user, by its digest; the key itself is with the user alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKey {
    /// The user's name.
    pub user: String,
    /// Their address.
    pub email: Option<String>,
    /// SHA-256 of the key.
    pub sha256: [u8; 32],
}

/// The headers of a reverse proxy. `Debug` hides the secret.
#[derive(Clone, PartialEq, Eq)]
pub struct ProxyHeaders {
    /// Where it says the user's name.
    pub user_header: HeaderName,
    /// Where it says their address.
    pub email_header: Option<HeaderName>,
    /// Where it shows that it is the proxy.
    pub secret_header: HeaderName,
    /// By this.
    pub secret: String,
}

impl fmt::Debug for ProxyHeaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ProxyHeaders { user_header, email_header, secret_header, secret: _ } = self;
        f.debug_struct("ProxyHeaders")
            .field("user_header", user_header)
            .field("email_header", email_header)
            .field("secret_header", secret_header)
            .field("secret", &"[hidden]")
            .finish()
    }
}

/// An issuer of tokens. `Debug` hides the secret.
#[derive(Clone, PartialEq, Eq)]
pub struct Oidc {
    /// The issuer, to the character as its tokens have it.
    pub issuer: String,
    /// Whom its tokens must be for: one of these.
    pub audiences: Vec<String>,
    /// The client that the page signs in as; without one the page has no sign-in.
    pub client_id: Option<String>,
    /// Its secret, when it has one.
    pub client_secret: Option<String>,
    /// The claim that is the user's name.
    pub username_claim: Option<String>,
    /// What clients ask the issuer for.
    pub scopes: Vec<String>,
}

impl fmt::Debug for Oidc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Oidc { issuer, audiences, client_id, client_secret, username_claim, scopes } = self;
        f.debug_struct("Oidc")
            .field("issuer", issuer)
            .field("audiences", audiences)
            .field("client_id", client_id)
            .field("client_secret", &client_secret.as_ref().map(|_| "[hidden]"))
            .field("username_claim", username_claim)
            .field("scopes", scopes)
            .finish()
    }
}

/// Whether an address cannot be read on the way: https, or this machine.
pub(crate) fn is_private_way(url: &Url) -> bool {
    url.scheme() == "https" || url.scheme() == "http" && is_loopback(url)
}

/// Whether an address is of this machine.
pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}
