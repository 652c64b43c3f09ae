//! A token of the issuer: its signature, its time, whom it is by and for, and whom it is about.

use jsonwebtoken::{Algorithm, Validation, decode, decode_header};
use serde_json::{Map, Value};

use super::{IssuerError, discovery::Discovery};
use crate::{caller::User, config::Oidc};

/// So far apart clocks may be, in seconds.
const LEEWAY: u64 = 30;
/// As much as a subject may have by the standard, and some more for names.
const NAME_BYTES_MAX: usize = 256;

/// What a token must say.
pub(super) struct Expected<'a> {
    pub(super) issuer: &'a str,
    pub(super) audiences: &'a [String],
    /// For a token of a sign-in that we began.
    pub(super) nonce: Option<&'a str>,
}

/// Why a token does not count.
#[derive(Debug)]
pub(super) enum Rejected {
    Token(&'static str),
    Issuer(IssuerError),
}

/// What a token says, after it was checked.
#[derive(Debug)]
pub(super) struct Claims(Map<String, Value>);

pub(super) async fn verify(
    discovery: &Discovery,
    token: &str,
    expected: &Expected<'_>,
) -> Result<Claims, Rejected> {
    let header = decode_header(token).map_err(|_| Rejected::Token("it is no signed token"))?;
    if matches!(header.alg, Algorithm::HS256 | Algorithm::HS384 | Algorithm::HS512) {
        return Err(Rejected::Token("it is signed by a shared secret"));
    }
    if header.crit.is_some() {
        return Err(Rejected::Token("it wants something understood that is not known here"));
    }
    let keys = discovery.keys(header.alg, header.kid.as_deref()).await;
    let keys = keys.map_err(Rejected::Issuer)?;
    let mut validation = Validation::new(header.alg);
    validation.leeway = LEEWAY;
    validation.validate_nbf = true;
    validation.set_issuer(&[expected.issuer]);
    validation.set_audience(expected.audiences);
    validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
    let mut reason = "no key of the issuer is the one it names";
    for key in keys {
        match decode::<Map<String, Value>>(token, &key.key, &validation) {
            Ok(data) => return Claims(data.claims).checked(expected),
            Err(error) => reason = reason_of(error.kind()),
        }
    }
    Err(Rejected::Token(reason))
}

fn reason_of(kind: &jsonwebtoken::errors::ErrorKind) -> &'static str {
    use jsonwebtoken::errors::ErrorKind;
    match kind {
        ErrorKind::ExpiredSignature => "it has expired",
        ErrorKind::ImmatureSignature => "it is not valid yet",
        ErrorKind::InvalidAudience => "it is for somebody else",
        ErrorKind::InvalidIssuer => "it is by another issuer",
        ErrorKind::MissingRequiredClaim(_) => "a claim is missing",
        ErrorKind::InvalidSignature => "its signature is wrong",
        _ => "it cannot be read",
    }
}

impl Claims {
    fn text(&self, name: &str) -> Option<&str> {
        let text = self.0.get(name)?.as_str()?.trim();
        let is_name = !text.is_empty() && text.len() <= NAME_BYTES_MAX;
        (is_name && !text.chars().any(char::is_control)).then_some(text)
    }

    fn checked(self, expected: &Expected<'_>) -> Result<Claims, Rejected> {
        if let Some(nonce) = expected.nonce {
            if self.text("nonce") != Some(nonce) {
                return Err(Rejected::Token("it is for another sign-in"));
            }
            // Where a token is for several, it says who may use it.
            let several = self.0.get("aud").and_then(Value::as_array).is_some_and(|a| a.len() > 1);
            let party = self.text("azp");
            let is_ours = party.is_some_and(|id| expected.audiences.iter().any(|a| a == id));
            if (several || party.is_some()) && !is_ours {
                return Err(Rejected::Token("it was given to another client"));
            }
        }
        Ok(self)
    }

    /// The user; nobody when the name is missing.
    pub(super) fn user(&self, config: &Oidc) -> Option<User> {
        let subject = self.text("sub")?;
        let is_verified = self.0.get("email_verified").is_none_or(|flag| {
            // Some issuers write it as text.
            *flag == Value::Bool(true) || *flag == "true"
        });
        let email = self.text("email").filter(|_| is_verified);
        let name = match &config.username_claim {
            // Where a claim is named, nothing else does.
            Some(claim) if claim == "email" => email?,
            Some(claim) => self.text(claim)?,
            None => self.text("preferred_username").or(email).unwrap_or(subject),
        };
        Some(User {
            id: format!("{} {subject}", config.issuer),
            name: name.to_owned(),
            email: email.map(str::to_owned),
            is_authenticated: true,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Claims;
    use crate::config::Oidc;

    #[test]
    fn a_user_is_who_the_claims_name() {
        let user = |claims: serde_json::Value, claim: Option<&str>| {
            let config = Oidc {
                issuer: "https://id.example".to_owned(),
                audiences: vec![],
                client_id: None,
                client_secret: None,
                username_claim: claim.map(str::to_owned),
                scopes: vec![],
            };
            let claims = claims.as_object().cloned().unwrap_or_default();
            Claims(claims).user(&config).map(|user| (user.id, user.name, user.email))
        };
        let full =
            json!({"sub": "7", "preferred_username": "ada", "email": "a@x.org", "upn": "AL"});
        let of = |name: &str, email: Option<&str>| {
            Some(("https://id.example 7".to_owned(), name.to_owned(), email.map(str::to_owned)))
        };
        assert_eq!(user(full.clone(), None), of("ada", Some("a@x.org")));
        assert_eq!(user(full.clone(), Some("upn")), of("AL", Some("a@x.org")));
        assert_eq!(user(full, Some("nick")), None);
        assert_eq!(
            user(json!({"sub": "7", "email": "a@x.org"}), None),
            of("a@x.org", Some("a@x.org"))
        );
        let claimed = json!({"sub": "7", "email": "boss@x.org", "email_verified": false});
        assert_eq!(user(claimed.clone(), None), of("7", None));
        assert_eq!(user(claimed, Some("email")), None);
        assert_eq!(user(json!({"sub": ""}), None), None);
        assert_eq!(user(json!({"sub": 7}), None), None);
    }
}
