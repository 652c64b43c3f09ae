//! Signing in: codes and tokens of the page, the way to the issuer and back, and what MCP clients
//! read to find the issuer.

use std::{collections::HashMap, sync::Arc};

use axum::{
    Extension, Json as JsonBody, Router,
    body::Body,
    extract::{Path, Query, Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
    routing::{get, post},
};
use http_body_util::{BodyExt as _, Limited};
use resultant::Json;
use resultant_store::StoreError;
use serde_json::json;

use super::{Front, denial::problem, text};
use crate::{
    auth::{CODE_TIME, Denied, Login, Returned, SignInError, Surface, bearer},
    caller::{Caller, User},
    config::Auth,
    front::request::with_session,
};

const BODY_BYTES_MAX: usize = 16 * 1024;

pub(super) fn routes() -> Router<Front> {
    let metadata = "/.well-known/oauth-protected-resource";
    Router::new()
        .route("/api/me", get(me))
        .route("/api/page-session", post(open_page).delete(close_page))
        .route("/api/page-links", post(page_link))
        .route("/auth/login", get(login))
        .route("/auth/callback", get(callback))
        .route(metadata, get(all_metadata))
        .route(&format!("{metadata}/mcp"), get(all_metadata))
        .route(&format!("{metadata}/mcp/{{server}}"), get(one_metadata))
}

fn uncached(mut response: Response) -> Response {
    let no_store = HeaderValue::from_static("no-store");
    response.headers_mut().insert(header::CACHE_CONTROL, no_store);
    response
}

/// Who the caller is.
async fn me(
    State(front): State<Front>,
    Extension(user): Extension<Arc<User>>,
    headers: HeaderMap,
) -> Response {
    let caller = match with_session(Caller::of(user), &headers, None) {
        Ok(caller) => caller,
        Err(error) => return problem(StatusCode::BAD_REQUEST, &error.message, "leave it out"),
    };
    let user = &caller.user;
    uncached(
        JsonBody(json!({
            "user": user.name,
            "email": user.email,
            "authenticated": user.is_authenticated,
            "mode": front.gateway.auth().config().mode(),
            "session": &*caller.session,
        }))
        .into_response(),
    )
}

/// A token for the page: for a code, or for another credential.
async fn open_page(State(front): State<Front>, request: Request) -> Response {
    let auth = front.gateway.auth();
    if let Auth::Header(_) = auth.config() {
        let detail = "there are no page sessions here";
        return problem(StatusCode::NOT_FOUND, detail, "the reverse proxy signs people in");
    }
    let (parts, body) = request.into_parts();
    let Ok(body) = Limited::new(body, BODY_BYTES_MAX).collect().await else {
        let detail = "the request is too long";
        return problem(StatusCode::PAYLOAD_TOO_LARGE, detail, "send {\"code\": \"…\"}");
    };
    let body = String::from_utf8(body.to_bytes().to_vec()).ok();
    let body = body.and_then(|body| Json::parse(body).ok());
    let member = |key: &str| {
        let value = body.as_ref()?.get(key)?;
        value.as_str().map(|value| value.into_owned())
    };
    let token = match member("code") {
        Some(code) => auth.pages.exchange(&code, member("binding").as_deref()).await,
        None => match auth.identify(&parts.headers, Surface::Api).await {
            Ok(user) => auth.pages.new_token(&user).await.map(Some),
            Err(denied) => return front.denied(&denied),
        },
    };
    let token = match token {
        Ok(Some(token)) => token,
        Ok(None) => return front.denied(&Denied::WRONG),
        Err(error) => return unavailable(&error),
    };
    uncached(
        JsonBody(json!({
            "token": token.token,
            "idle_seconds": token.idle.as_secs(),
            "user": token.user.name,
        }))
        .into_response(),
    )
}

/// Ends the page's token.
async fn close_page(State(front): State<Front>, headers: HeaderMap) -> Response {
    if let Ok(Some(token)) = bearer(&headers) {
        let revoked = front.gateway.auth().pages.revoke(token).await;
        if let Err(error) = revoked {
            return unavailable(&error);
        }
    }
    StatusCode::NO_CONTENT.into_response()
}

/// A link that opens the page once, for whoever asks.
async fn page_link(State(front): State<Front>, Extension(user): Extension<Arc<User>>) -> Response {
    let code = match front.gateway.auth().pages.new_code(&user, None).await {
        Ok(code) => code,
        Err(error) => return unavailable(&error),
    };
    let url = format!("{}/#code={code}", front.gateway.public_url());
    uncached(JsonBody(json!({"url": url, "seconds": CODE_TIME.as_secs()})).into_response())
}

/// The way to the issuer.
async fn login(
    State(front): State<Front>,
    Query(query): Query<HashMap<String, String>>,
) -> Response {
    let Some(issuer) = front.gateway.auth().issuer() else { return nowhere() };
    let is_plain = |text: &&String| {
        (16..=128).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
    };
    let Some(binding) = query.get("binding").filter(is_plain) else {
        let hint = "start from the page, at /";
        return problem(StatusCode::BAD_REQUEST, "no page began this sign-in", hint);
    };
    let redirect_uri = front.redirect_uri();
    match issuer.begin(&Login { redirect_uri: &redirect_uri, binding }).await {
        Ok(url) => redirect(url.as_str()),
        Err(error) => front.not_signed_in(&error),
    }
}

/// The way back.
async fn callback(
    State(front): State<Front>,
    Query(query): Query<HashMap<String, String>>,
) -> Response {
    let auth = front.gateway.auth();
    let Some(issuer) = auth.issuer() else { return nowhere() };
    let part = |key: &str| query.get(key).map(String::as_str);
    let redirect_uri = front.redirect_uri();
    let returned = Returned {
        redirect_uri: &redirect_uri,
        state: part("state").unwrap_or_default(),
        code: part("code"),
        issuer: part("iss"),
    };
    match issuer.finish(&returned).await {
        Ok((user, binding)) => match auth.pages.new_code(&user, Some(&binding)).await {
            Ok(code) => redirect(&format!("{}/#code={code}", front.gateway.public_url())),
            Err(error) => front.not_signed_in(&error.into()),
        },
        Err(error) => front.not_signed_in(&error),
    }
}

/// Nobody can sign in while the database is gone; why is in the log.
fn unavailable(error: &StoreError) -> Response {
    tracing::error!(%error, "signing in failed");
    let detail = "signing in is not possible right now";
    problem(StatusCode::SERVICE_UNAVAILABLE, detail, "try again in a moment")
}

fn redirect(location: &str) -> Response {
    let mut response = StatusCode::SEE_OTHER.into_response();
    let headers = response.headers_mut();
    match HeaderValue::from_str(location) {
        Ok(location) => headers.insert(header::LOCATION, location),
        Err(_) => return StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    };
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    uncached(response)
}

fn nowhere() -> Response {
    let hint = "see `auth` in the configuration";
    problem(StatusCode::NOT_FOUND, "nobody signs in with an issuer here", hint)
}

impl Front {
    fn redirect_uri(&self) -> String {
        format!("{}/auth/callback", self.gateway.public_url())
    }

    /// Back to the page, which says so; why is in the log.
    fn not_signed_in(&self, error: &SignInError) -> Response {
        tracing::warn!(%error, "a sign-in failed");
        redirect(&format!("{}/#failed", self.gateway.public_url()))
    }
}

async fn all_metadata(State(front): State<Front>) -> Response {
    metadata(&front, "/mcp")
}

async fn one_metadata(State(front): State<Front>, Path(server): Path<String>) -> Response {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    match server.bytes().all(is_plain) {
        true => metadata(&front, &format!("/mcp/{server}")),
        false => nowhere(),
    }
}

/// Who gives out tokens for us (RFC 9728). Whether there is such a server is not told here.
fn metadata(front: &Front, path: &str) -> Response {
    let Auth::Oidc(oidc) = front.gateway.auth().config() else { return nowhere() };
    let mut body = json!({
        "resource": format!("{}{path}", front.gateway.public_url()),
        "authorization_servers": [oidc.issuer],
        "bearer_methods_supported": ["header"],
        "resource_name": "Resultant",
    });
    if !oidc.scopes.is_empty() {
        body["scopes_supported"] = json!(oidc.scopes);
    }
    let mut response = JsonBody(body).into_response();
    let hour = HeaderValue::from_static("max-age=3600");
    response.headers_mut().insert(header::CACHE_CONTROL, hour);
    response
}

// The page itself.

const PAGE: &str = include_str!("page/page.html");
const SCRIPT: &str = include_str!("page/page.js");
const STYLE: &str = include_str!("page/page.css");
/// Nothing but our own two files, and nobody may put a frame around it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Whether whoever asks shows HTML.
pub(super) fn is_browser(headers: &HeaderMap) -> bool {
    text(headers, "accept").is_some_and(|kinds| kinds.contains("text/html"))
}

pub(super) fn page() -> Response {
    file(PAGE, "text/html; charset=utf-8")
}

pub(super) async fn script() -> Response {
    file(SCRIPT, "text/javascript; charset=utf-8")
}

pub(super) async fn style() -> Response {
    file(STYLE, "text/css; charset=utf-8")
}

fn file(content: &'static str, kind: &'static str) -> Response {
    let mut response = Response::new(Body::from(content));
    for (name, value) in [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-cache"),
        (header::VARY, "Accept"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}
