//! Tokens for servers that want one.

use std::pin::Pin;

/// Where the tokens for a server come from.
pub(crate) trait TokenSource: Send + Sync {
    /// The token to send, when there is one; it is renewed first when it is about to expire.
    fn access_token(&self) -> Pin<Box<dyn Future<Output = Option<String>> + Send + '_>>;

    /// The server turned the token down, for the reason in its `WWW-Authenticate` header. True
    /// when there is another token now, with which to try again.
    fn unauthorized<'a>(
        &'a self,
        www_authenticate: Option<&'a str>,
    ) -> Pin<Box<dyn Future<Output = bool> + Send + 'a>>;
}
