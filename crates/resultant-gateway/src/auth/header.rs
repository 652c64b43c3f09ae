//! Callers that a reverse proxy vouches for.
//!
//! Whoever reaches us without the proxy could write any header, so its headers count only beside a
//! secret that it alone knows.

use std::sync::Arc;

use http::HeaderMap;

use super::{
    Denied,
    credential::{Digest, single},
};
use crate::{caller::User, config::ProxyHeaders};

const USER_BYTES_MAX: usize = 256;

pub(super) struct Proxy {
    headers: ProxyHeaders,
    secret: Digest,
}

impl Proxy {
    pub(super) fn new(headers: &ProxyHeaders) -> Proxy {
        Proxy { headers: headers.clone(), secret: Digest::of(&headers.secret) }
    }

    pub(super) fn identify(&self, headers: &HeaderMap) -> Result<Arc<User>, Denied> {
        let secret = single(headers, &self.headers.secret_header)?.ok_or(Denied::MISSING)?;
        if !self.secret.is(&Digest::of(secret)) {
            return Err(Denied::WRONG);
        }
        let user = single(headers, &self.headers.user_header)?.ok_or(Denied::MISSING)?;
        // Two values that somebody on the way made one are nobody.
        if user.is_empty() || user.len() > USER_BYTES_MAX || user.contains(',') {
            return Err(Denied::WRONG);
        }
        let email = match &self.headers.email_header {
            Some(name) => single(headers, name)?,
            None => None,
        };
        let email = email.filter(|email| !email.is_empty() && email.len() <= USER_BYTES_MAX);
        Ok(Arc::new(User {
            id: format!("user:{user}"),
            name: user.to_owned(),
            email: email.map(str::to_owned),
            is_authenticated: true,
        }))
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderName};

    use super::Proxy;
    use crate::config::ProxyHeaders;

    #[test]
    fn only_the_proxy_says_who_somebody_is() {
        let name = HeaderName::from_static;
        let proxy = Proxy::new(&ProxyHeaders {
            user_header: name("x-user"),
            email_header: Some(name("x-email")),
            secret_header: name("x-secret"),
            secret: "a-secret-of-the-proxy".to_owned(),
        });
        let long = "u".repeat(257);
        let secret = ("x-secret", "a-secret-of-the-proxy");
        type Case<'a> = (&'a [(&'static str, &'a str)], Option<&'a str>);
        let cases: [Case<'_>; 12] = [
            (&[secret, ("x-user", " ada ")], Some("ada")),
            (&[secret, ("x-user", "ada"), ("x-email", "ada@example.org")], Some("ada")),
            (&[("x-user", "ada")], None),
            (&[("x-secret", "a-secret-of-the-proxz"), ("x-user", "ada")], None),
            (&[("x-secret", ""), ("x-user", "ada")], None),
            (&[secret], None),
            (&[secret, ("x-user", " ")], None),
            (&[secret, ("x-user", "ada, bob")], None),
            (&[secret, ("x-user", "ada,")], None),
            (&[secret, ("x-user", &long)], None),
            (&[secret, ("x-user", "ada"), ("x-user", "bob")], None),
            (&[secret, secret, ("x-user", "ada")], None),
        ];
        for (headers, expected) in cases {
            let mut map = HeaderMap::new();
            for (key, value) in headers {
                map.append(*key, value.parse().expect("a header"));
            }
            let user = proxy.identify(&map).ok();
            assert_eq!(user.as_ref().map(|user| user.name.as_str()), expected, "{headers:?}");
            assert!(user.is_none_or(|user| user.is_authenticated && user.id == "user:ada"));
        }
    }
}
