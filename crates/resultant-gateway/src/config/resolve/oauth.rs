//! How tokens for a server are got: what of it belongs together.

use super::Resolver;
use crate::config::{Grant, OAuth, Transport, problem::step, server::parse_url, written};

impl Resolver<'_> {
    pub(super) fn oauth(
        &mut self,
        pointer: &str,
        written: Option<&written::OAuth>,
        transport: &Transport,
        is_used: bool,
    ) -> OAuth {
        let Some(written) = written else { return OAuth::default() };
        if let Transport::Stdio { .. } = transport {
            let message = "a program on this machine has no login".to_owned();
            self.warn(pointer, message, Some("see its own documentation".to_owned()));
        }
        let mut text = |key: &str, written: Option<&String>| {
            written.map(|written| self.text(&step(pointer, key), written, is_used))
        };
        let oauth = OAuth {
            client_id: text("client_id", written.client_id.as_ref()),
            client_secret: text("client_secret", written.client_secret.as_ref()),
            client_metadata_url: text("client_metadata_url", written.client_metadata_url.as_ref()),
            scopes: written.scopes.clone(),
            redirect_port: written.redirect_port,
            grant: match written.grant {
                written::Grant::Person => Grant::Person,
                written::Grant::Client => Grant::Client,
            },
        };
        if oauth.client_secret.is_some() && oauth.client_id.is_none() {
            let message = "a secret without a `client_id`".to_owned();
            self.problem(&step(pointer, "client_secret"), message, None);
        }
        if oauth.grant == Grant::Client && oauth.client_secret.is_none() {
            let message = "tokens for the client itself need its `client_id` and `client_secret`";
            self.problem(&step(pointer, "grant"), message.to_owned(), None);
        }
        if is_used && let Some(url) = &oauth.client_metadata_url {
            // The address is an identity, which only https can vouch for.
            let is_https = parse_url(url).is_ok_and(|url| url.scheme() == "https");
            if !is_https {
                let message = "expected an https URL".to_owned();
                self.problem(&step(pointer, "client_metadata_url"), message, None);
            }
        }
        oauth
    }
}
