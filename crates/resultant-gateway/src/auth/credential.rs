//! What a caller shows: read from headers, and compared without telling how much of it was right.

use http::{HeaderMap, HeaderName, header};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use super::Denied;

/// No credential is longer; issuers' tokens are the longest.
pub(crate) const CREDENTIAL_BYTES_MAX: usize = 16 * 1024;

/// SHA-256 of something secret, which is compared instead of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Digest([u8; 32]);

impl Digest {
    pub(super) fn of(secret: &str) -> Digest {
        Digest(Sha256::digest(secret.as_bytes()).into())
    }

    /// One that somebody else made.
    pub(super) fn known(digest: [u8; 32]) -> Digest {
        Digest(digest)
    }

    /// What it is kept under.
    pub(super) fn to_hex(self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// In a time that does not depend on where they differ.
    pub(super) fn is(&self, other: &Digest) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

/// The one header of this name, as text without spaces around it. Two of them are no answer to
/// which one counts.
pub(super) fn single<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
) -> Result<Option<&'a str>, Denied> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    match (value.to_str(), values.next()) {
        (Ok(value), None) => Ok(Some(value.trim())),
        _ => Err(Denied::WRONG),
    }
}

/// What stands behind `Authorization: Bearer`. Pages cannot send that with a WebSocket, so there it
/// may be among the protocols, as `resultant.token.TOKEN`.
pub(crate) fn bearer(headers: &HeaderMap) -> Result<Option<&str>, Denied> {
    let Some(value) = single(headers, &header::AUTHORIZATION)? else {
        if single(headers, &header::UPGRADE)?.is_none_or(|to| !to.eq_ignore_ascii_case("websocket"))
        {
            return Ok(None);
        }
        let protocols = single(headers, &header::SEC_WEBSOCKET_PROTOCOL)?.unwrap_or_default();
        let mut tokens = protocols
            .split(',')
            .filter_map(|protocol| protocol.trim().strip_prefix("resultant.token."));
        return match (tokens.next(), tokens.next()) {
            (token, None) => Ok(token.filter(|token| token.len() <= CREDENTIAL_BYTES_MAX)),
            (_, Some(_)) => Err(Denied::WRONG),
        };
    };
    let (scheme, token) = value.split_once(' ').ok_or(Denied::WRONG)?;
    let token = token.trim();
    let is_token = !token.is_empty()
        && token.len() <= CREDENTIAL_BYTES_MAX
        && token.bytes().all(|byte| byte.is_ascii_graphic());
    match scheme.eq_ignore_ascii_case("bearer") && is_token {
        true => Ok(Some(token)),
        false => Err(Denied::WRONG),
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, header};

    use super::{Denied, Digest, bearer};

    #[test]
    fn a_bearer_is_one_header_of_one_scheme() {
        let long = format!("Bearer {}", "a".repeat(1 << 20));
        type Case<'a> = (&'a [&'a str], Result<Option<&'a str>, Denied>);
        let cases: [Case<'_>; 9] = [
            (&[], Ok(None)),
            (&["Bearer abc"], Ok(Some("abc"))),
            (&["bearer  abc "], Ok(Some("abc"))),
            (&["Bearer abc", "Bearer abc"], Err(Denied::WRONG)),
            (&["Basic abc"], Err(Denied::WRONG)),
            (&["Bearer"], Err(Denied::WRONG)),
            (&["Bearer "], Err(Denied::WRONG)),
            (&["Bearer a b"], Err(Denied::WRONG)),
            (&[&long], Err(Denied::WRONG)),
        ];
        for (values, expected) in cases {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(header::AUTHORIZATION, value.parse().expect("a header"));
            }
            assert_eq!(bearer(&headers), expected, "{values:.40?}");
        }
    }

    #[test]
    fn a_page_brings_its_token_to_a_websocket_among_the_protocols() {
        let cases = [
            (true, "resultant, resultant.token.abc", Ok(Some("abc"))),
            (true, "resultant", Ok(None)),
            (true, "resultant.token.abc, resultant.token.abd", Err(Denied::WRONG)),
            (false, "resultant.token.abc", Ok(None)),
        ];
        for (is_upgrade, protocols, expected) in cases {
            let mut headers = HeaderMap::new();
            if is_upgrade {
                headers.insert(header::UPGRADE, "WebSocket".parse().expect("a header"));
            }
            let value = protocols.parse().expect("a header");
            headers.insert(header::SEC_WEBSOCKET_PROTOCOL, value);
            assert_eq!(bearer(&headers), expected, "{protocols}");
        }
    }

    #[test]
    fn digests_are_the_same_for_the_same() {
        assert!(Digest::of("a").is(&Digest::of("a")));
        assert!(!Digest::of("a").is(&Digest::of("b")));
    }
}
