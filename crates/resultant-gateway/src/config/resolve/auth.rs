//! Who may call: what belongs to which mode, and what of it cannot be right.

use http::HeaderName;
use url::Url;

use super::Resolver;
use crate::config::{
    ApiKey, Auth, Listen, Oidc, ProxyHeaders,
    auth::is_private_way,
    written::{self, AuthMode, LocalSecret},
};

const AUTH: &str = "/resultant/auth";
/// A shorter secret between us and a proxy can be guessed.
const SECRET_CHARS_MIN: usize = 16;
const USER_BYTES_MAX: usize = 256;

impl Resolver<'_> {
    pub(super) fn auth(&mut self, written: &written::Auth, listen: &Listen) -> Auth {
        self.belongs(written);
        match written.mode {
            AuthMode::Local => {
                if !listen.is_loopback() && !self.has_problem("/resultant/listen") {
                    let hint = "see `auth` in docs/config.md; `resultant key new USER` makes a key";
                    let message = "listening beyond loopback needs auth mode token, header or oidc";
                    let hint = Some(hint.to_owned());
                    self.problem("/resultant/listen", message.to_owned(), hint);
                }
                Auth::Local { is_secret_for_all: written.local_secret == Some(LocalSecret::All) }
            }
            AuthMode::Token => Auth::Token { keys: self.keys(&written.keys) },
            AuthMode::Header => Auth::Header(self.proxy_headers(written)),
            AuthMode::Oidc => Auth::Oidc(self.oidc(written)),
        }
    }

    /// A key of another mode would be a setting without effect.
    fn belongs(&mut self, written: &written::Auth) {
        let written::Auth {
            mode,
            local_secret,
            keys,
            user_header,
            email_header,
            secret_header,
            secret,
            issuer,
            audience,
            client_id,
            client_secret,
            username_claim,
            scopes,
        } = written;
        let there = [
            ("local_secret", local_secret.is_some(), AuthMode::Local),
            ("keys", !keys.is_empty(), AuthMode::Token),
            ("user_header", user_header.is_some(), AuthMode::Header),
            ("email_header", email_header.is_some(), AuthMode::Header),
            ("secret_header", secret_header.is_some(), AuthMode::Header),
            ("secret", secret.is_some(), AuthMode::Header),
            ("issuer", issuer.is_some(), AuthMode::Oidc),
            ("audience", !audience.is_empty(), AuthMode::Oidc),
            ("client_id", client_id.is_some(), AuthMode::Oidc),
            ("client_secret", client_secret.is_some(), AuthMode::Oidc),
            ("username_claim", username_claim.is_some(), AuthMode::Oidc),
            ("scopes", !scopes.is_empty(), AuthMode::Oidc),
        ];
        for (key, is_there, of) in there {
            if is_there && of != *mode {
                let message = format!("belongs to mode `{}`, not `{}`", of.word(), mode.word());
                self.problem(&format!("{AUTH}/{key}"), message, None);
            }
        }
    }

    fn keys(&mut self, written: &[written::Key]) -> Vec<ApiKey> {
        if written.is_empty() && !self.has_problem(&format!("{AUTH}/keys")) {
            let hint = "`resultant key new USER` makes one".to_owned();
            self.problem(AUTH, "mode `token` needs `keys`".to_owned(), Some(hint));
        }
        let mut keys: Vec<ApiKey> = Vec::new();
        for (at, key) in written.iter().enumerate() {
            let pointer = format!("{AUTH}/keys/{at}");
            let user = self.text(&format!("{pointer}/user"), &key.user, true);
            if user.trim() != user || user.is_empty() || user.len() > USER_BYTES_MAX {
                let message = format!("expected a name of 1 to {USER_BYTES_MAX} bytes");
                self.problem(&format!("{pointer}/user"), message, None);
            }
            let pointer = format!("{pointer}/sha256");
            let Some(sha256) = digest(&self.text(&pointer, &key.sha256, true)) else {
                let hint = "the digest, not the key; `resultant key new USER` prints both";
                let message = "expected 64 hexadecimal digits".to_owned();
                self.problem(&pointer, message, Some(hint.to_owned()));
                continue;
            };
            if let Some(first) = keys.iter().find(|known| known.sha256 == sha256) {
                let message = format!("the same key as that of `{}`", first.user);
                self.problem(&pointer, message, None);
            }
            keys.push(ApiKey { user, email: key.email.clone(), sha256 });
        }
        keys
    }

    fn proxy_headers(&mut self, written: &written::Auth) -> ProxyHeaders {
        let user_header = self.header("user_header", written.user_header.as_deref());
        let secret_header = self.header("secret_header", written.secret_header.as_deref());
        let email_header = written.email_header.as_deref();
        let email_header = email_header.map(|name| self.header("email_header", Some(name)));
        let mut names = vec![&user_header, &secret_header];
        names.extend(&email_header);
        let distinct: std::collections::HashSet<_> = names.iter().collect();
        if distinct.len() != names.len() && !self.has_problem(AUTH) {
            self.problem(AUTH, "the same header for two things".to_owned(), None);
        }
        let secret = match &written.secret {
            Some(secret) => {
                let pointer = format!("{AUTH}/secret");
                let secret = self.text(&pointer, secret, true);
                let is_sendable = secret.bytes().all(|byte| (0x21..0x7f).contains(&byte));
                if (secret.len() < SECRET_CHARS_MIN || !is_sendable) && !self.has_problem(&pointer)
                {
                    let message = format!(
                        "expected at least {SECRET_CHARS_MIN} characters without spaces, which a \
                         header can have"
                    );
                    self.problem(&pointer, message, None);
                }
                secret
            }
            None => {
                self.needs("header", "secret");
                String::new()
            }
        };
        ProxyHeaders { user_header, email_header, secret_header, secret }
    }

    fn header(&mut self, key: &str, written: Option<&str>) -> HeaderName {
        let parsed = written.map(HeaderName::try_from);
        match parsed {
            Some(Ok(name)) => return name,
            Some(Err(_)) => {
                let message = "this is no header's name".to_owned();
                self.problem(&format!("{AUTH}/{key}"), message, None);
            }
            None => self.needs("header", key),
        }
        HeaderName::from_static("x-unset")
    }

    fn oidc(&mut self, written: &written::Auth) -> Oidc {
        let mut text = |key: &str, written: Option<&String>| {
            written.map(|written| self.text(&format!("{AUTH}/{key}"), written, true))
        };
        let issuer = text("issuer", written.issuer.as_ref());
        let client_id = text("client_id", written.client_id.as_ref());
        let client_secret = text("client_secret", written.client_secret.as_ref());
        let audiences: Vec<String> = (written.audience.iter().enumerate())
            .map(|(at, audience)| self.text(&format!("{AUTH}/audience/{at}"), audience, true))
            .collect();
        match &issuer {
            Some(issuer) => {
                let url = Url::parse(issuer).ok().filter(is_private_way);
                let is_bare =
                    |url: &Url| url.query().is_none() && url.fragment().is_none() && url.has_host();
                if !url.as_ref().is_some_and(is_bare) && !self.has_problem(AUTH) {
                    let hint = "http is for an issuer on this machine only".to_owned();
                    let message = "expected the issuer's https URL".to_owned();
                    self.problem(&format!("{AUTH}/issuer"), message, Some(hint));
                }
            }
            None => self.needs("oidc", "issuer"),
        }
        if audiences.is_empty() {
            self.needs("oidc", "audience");
        }
        if client_secret.is_some() && client_id.is_none() {
            let message = "a secret without a `client_id`".to_owned();
            self.problem(&format!("{AUTH}/client_secret"), message, None);
        }
        Oidc {
            issuer: issuer.unwrap_or_default(),
            audiences,
            client_id,
            client_secret,
            username_claim: written.username_claim.clone(),
            scopes: written.scopes.clone(),
        }
    }

    fn needs(&mut self, mode: &str, key: &str) {
        if !self.has_problem(&format!("{AUTH}/{key}")) {
            self.problem(AUTH, format!("mode `{mode}` needs `{key}`"), None);
        }
    }

    /// The address that others reach us by, without a slash at its end.
    pub(super) fn public_url(&mut self, written: Option<&str>) -> Option<Url> {
        let pointer = "/resultant/public_url";
        let text = self.text(pointer, written?, true);
        let url = Url::parse(text.trim_end_matches('/')).ok().filter(|url| {
            let is_web = matches!(url.scheme(), "http" | "https") && url.has_host();
            let is_plain = url.username().is_empty() && url.password().is_none();
            is_web && is_plain && url.query().is_none() && url.fragment().is_none()
        });
        if url.is_none() && !self.has_problem(pointer) {
            let message = "expected an http or https URL, like `https://gateway.example`";
            self.problem(pointer, message.to_owned(), None);
        }
        url
    }
}

/// 32 bytes as 64 hexadecimal digits.
fn digest(text: &str) -> Option<[u8; 32]> {
    let mut digest = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (at, byte) in digest.iter_mut().enumerate() {
        let pair = text.get(2 * at..2 * at + 2)?;
        // `from_str_radix` would also take a plus sign.
        let is_hex = pair.bytes().all(|byte| byte.is_ascii_hexdigit());
        *byte = u8::from_str_radix(pair, 16).ok().filter(|_| is_hex)?;
    }
    Some(digest)
}
