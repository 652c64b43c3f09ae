//! The second origin, and the origins of dashboards.
//!
//! What is written here goes into policies that browsers read, so nothing passes that could mean
//! more there than a host.

use url::Url;

use super::Resolver;
use crate::{
    config::{Listen, SandboxListen},
    sandbox::{is_plain_host, origin},
};

impl Resolver<'_> {
    /// Where it is listened for; beside `sandbox_url` that is up to whoever wrote that.
    pub(super) fn sandbox_listen(&mut self, written: Option<&str>, has_url: bool) -> SandboxListen {
        let listen = match written {
            None if has_url => return SandboxListen::Off,
            None => return SandboxListen::Free,
            Some("off") => return SandboxListen::Off,
            Some(listen) => listen.parse::<Listen>(),
        };
        let pointer = "/resultant/sandbox_listen";
        match listen {
            Ok(listen) => {
                if !listen.is_loopback() && !has_url {
                    let hint = "say with `sandbox_url` what browsers reach it by".to_owned();
                    let message = "beyond this machine nobody finds it".to_owned();
                    self.warn(pointer, message, Some(hint));
                }
                SandboxListen::At(listen)
            }
            Err(error) => {
                self.problem(pointer, error.to_string(), Some("or \"off\"".to_owned()));
                SandboxListen::Off
            }
        }
    }

    /// The address that browsers reach the sandbox by: an origin with a name of its own.
    pub(super) fn sandbox_url(
        &mut self,
        written: Option<&str>,
        public_url: Option<&Url>,
    ) -> Option<Url> {
        let pointer = "/resultant/sandbox_url";
        let text = self.text(pointer, written?, true);
        let url = bare(&text);
        match &url {
            None if self.has_problem(pointer) => {}
            None => {
                let hint = "a host of its own, without a path".to_owned();
                let message = "expected an origin like `https://sandbox.example`".to_owned();
                self.problem(pointer, message, Some(hint));
            }
            Some(url) if public_url.is_some_and(|public| public.host() == url.host()) => {
                let hint = "two names may lead to the same machine".to_owned();
                let message = "must have another host than `public_url`".to_owned();
                self.problem(pointer, message, Some(hint));
            }
            Some(_) => {}
        }
        url
    }

    /// Origins whose pages may be shown as dashboards, as a policy names them.
    pub(super) fn dashboard_origins(&mut self, written: &[String]) -> Vec<String> {
        let mut origins = Vec::new();
        for (at, text) in written.iter().enumerate() {
            let fixed = text.strip_suffix(":*");
            let known = bare(fixed.unwrap_or(text)).filter(|url| {
                // `:*` after a port would be two.
                fixed.is_none() || url.port().is_none()
            });
            match (known, fixed.is_some()) {
                (Some(url), false) => origins.push(origin(&url)),
                (Some(url), true) => {
                    let host = url.host_str().unwrap_or_default();
                    origins.push(format!("{}://{host}:*", url.scheme()));
                }
                (None, _) => {
                    let hint = "every origin by itself, without a path; `*` may stand for the port";
                    let message = "expected an origin like `https://board.example`".to_owned();
                    let pointer = format!("/resultant/dashboards/origins/{at}");
                    self.problem(&pointer, message, Some(hint.to_owned()));
                }
            }
        }
        origins
    }
}

/// An origin of the web and nothing beside it.
fn bare(text: &str) -> Option<Url> {
    Url::parse(text).ok().filter(|url| {
        let is_web = matches!(url.scheme(), "http" | "https") && is_plain_host(url);
        let is_bare = matches!(url.path(), "" | "/") && url.username().is_empty();
        is_web
            && is_bare
            && url.password().is_none()
            && url.query().is_none()
            && url.fragment().is_none()
    })
}
