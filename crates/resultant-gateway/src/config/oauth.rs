//! How tokens for a remote server are got, as the program uses it.

use std::fmt;

/// Settings for a server that wants a token. Without any of them we register where we can, and
/// ask for what the server says it needs. `Debug` hides the secret.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct OAuth {
    /// The id of a client that was registered beforehand.
    pub client_id: Option<String>,
    /// Its secret, when it has one.
    pub client_secret: Option<String>,
    /// Where a document about the client is, for those who read such instead of registering.
    pub client_metadata_url: Option<String>,
    /// What to ask for; without any, what the server says it needs.
    pub scopes: Vec<String>,
    /// The port on loopback that the browser comes back to; without one, a free one.
    pub redirect_port: Option<u16>,
    /// Who the tokens are for.
    pub grant: Grant,
}

/// Who a token is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grant {
    /// A person, who logged in.
    #[default]
    Person,
    /// The client itself, by its id and secret.
    Client,
}

impl fmt::Debug for OAuth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OAuth { client_id, client_secret, client_metadata_url, scopes, redirect_port, grant } =
            self;
        f.debug_struct("OAuth")
            .field("client_id", client_id)
            .field("client_secret", &client_secret.as_ref().map(|_| "[hidden]"))
            .field("client_metadata_url", client_metadata_url)
            .field("scopes", scopes)
            .field("redirect_port", redirect_port)
            .field("grant", grant)
            .finish()
    }
}
