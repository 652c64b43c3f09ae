//! Refusals: what a caller who is not let in is told, and errors of the API as problem details.
//!
//! A wrong credential and a missing one get the same body. The challenge tells them apart, because
//! clients renew their tokens by it; it says nothing that the client did not know.

use axum::{
    body::Body,
    http::{HeaderValue, StatusCode, header},
    response::Response,
};
use serde_json::json;

use super::Front;
use crate::{auth::Denied, config::Auth};

/// An error as problem details (RFC 9457), with what to do about it.
pub(in crate::front) fn problem(status: StatusCode, detail: &str, hint: &str) -> Response {
    respond(
        status,
        &json!({
            "type": "about:blank",
            "title": status.canonical_reason().unwrap_or_default(),
            "status": status.as_u16(),
            "detail": detail,
            "hint": hint,
        }),
    )
}

fn respond(status: StatusCode, body: &serde_json::Value) -> Response {
    let mut response = Response::new(Body::from(format!("{body}\n")));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    let kind = HeaderValue::from_static("application/problem+json");
    headers.insert(header::CONTENT_TYPE, kind);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

impl Front {
    /// What a caller who is not let in is told.
    pub(super) fn denied(&self, denied: &Denied) -> Response {
        let config = self.gateway.auth().config();
        let is_wrong = match denied {
            Denied::Unknown { is_wrong } => *is_wrong,
            Denied::Unavailable => {
                let detail = "the issuer that vouches for callers does not answer";
                let hint = "try again in a moment; the gateway's log says more";
                let mut response = problem(StatusCode::SERVICE_UNAVAILABLE, detail, hint);
                let wait = HeaderValue::from_static("10");
                response.headers_mut().insert(header::RETRY_AFTER, wait);
                return response;
            }
        };
        let (sign_in, hint) = match &config {
            Auth::Local { .. } => (
                "code",
                "`resultant open` opens the page; a program sends `Authorization: Bearer SECRET` \
                 with the text of the file `secret` in the data folder; a web page can call \
                 `/mcp` without it where its origin is in `allowed_origins`"
                    .to_owned(),
            ),
            Auth::Token { .. } => (
                "key",
                "send `Authorization: Bearer KEY`; who runs the gateway makes one with \
                 `resultant key new USER`"
                    .to_owned(),
            ),
            Auth::Header(_) => {
                ("proxy", "come through the reverse proxy that signs people in".to_owned())
            }
            Auth::Oidc(oidc) => (
                if oidc.client_id.is_some() { "issuer" } else { "token" },
                format!(
                    "sign in at {} and send its access token as `Authorization: Bearer TOKEN`",
                    oidc.issuer
                ),
            ),
        };
        let mut response = respond(
            StatusCode::UNAUTHORIZED,
            &json!({
                "type": "about:blank",
                "title": "Unauthorized",
                "status": 401,
                "detail": "this needs a valid credential",
                "hint": hint,
                "sign_in": sign_in,
            }),
        );
        let mut challenge = "Bearer realm=\"resultant\"".to_owned();
        if is_wrong {
            challenge.push_str(", error=\"invalid_token\"");
        }
        if let Auth::Oidc(oidc) = &config {
            let base = self.gateway.public_url();
            let metadata = format!("{base}/.well-known/oauth-protected-resource/mcp");
            challenge.push_str(&format!(", resource_metadata=\"{metadata}\""));
            if !oidc.scopes.is_empty() {
                challenge.push_str(&format!(", scope=\"{}\"", oidc.scopes.join(" ")));
            }
        }
        if let Ok(challenge) = HeaderValue::from_str(&challenge) {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
        }
        response
    }
}
