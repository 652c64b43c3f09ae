//! Tokens against a real authorization server on loopback, which is also the server they are for.

mod gateway;

use std::{
    collections::HashMap,
    sync::{Mutex as StdMutex, MutexGuard},
    time::Duration,
};

use axum::response::Response;
use http::{StatusCode, header};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use super::*;
use crate::upstream::{
    http::tests::{Client, Seen, Server, answer, result, status},
    wire::WireError,
};

/// What the authorization server knows and has seen.
#[derive(Default)]
struct Book {
    /// The challenge and scope of each code.
    codes: HashMap<String, (String, String)>,
    /// The scope of each token that is good.
    tokens: HashMap<String, String>,
    refresh_token: Option<String>,
    issued: u32,
    refreshes: u32,
    /// Seconds until a token of a login expires; renewed ones last.
    login_lasts: u32,
    turn_down: bool,
    /// The scope that a call needs.
    needs: Option<&'static str>,
    issuer: Option<String>,
}

impl Book {
    fn issue(&mut self, scope: &str, expires_in: u32) -> Value {
        self.issued += 1;
        let (token, refresh) = (format!("t{}", self.issued), format!("r{}", self.issued));
        self.tokens = HashMap::from([(token.clone(), scope.to_owned())]);
        self.refresh_token = Some(refresh.clone());
        json!({"access_token": token, "token_type": "Bearer", "expires_in": expires_in,
               "refresh_token": refresh, "scope": scope})
    }
}

struct World {
    server: Server,
    book: Arc<StdMutex<Book>>,
    data: TempDir,
}

impl World {
    async fn start() -> World {
        let book = Arc::new(StdMutex::new(Book { login_lasts: 3600, ..Book::default() }));
        let shared = Arc::clone(&book);
        let server = Server::start(move |seen| {
            let response = respond(&mut shared.lock().unwrap(), &seen);
            async move { response }
        });
        World { server: server.await, book, data: tempfile::tempdir().unwrap() }
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap()
    }

    async fn login(&self) -> Result<Login, LoginError> {
        let options = LoginOptions::default();
        login("Files", &self.server.url, self.data.path(), &FollowRedirects, &options).await
    }

    fn tokens(&self) -> OAuthTokens {
        let data = self.data.path();
        OAuthTokens::new("Files", &self.server.url, data, LoginOptions::default())
    }

    fn client(&self, tokens: OAuthTokens) -> Client {
        Client::with(&self.server.url, |options| options.tokens = Some(Arc::new(tokens)))
    }

    fn path(&self) -> std::path::PathBuf {
        self.data.path().join("tokens").join("%46iles.json")
    }
}

fn document(value: &Value) -> Response {
    answer(200, "application/json", value.to_string())
}

fn refuse(status: u16, error: &str) -> Response {
    answer(status, "application/json", json!({"error": error}).to_string())
}

fn redirect(target: &Url) -> Response {
    let mut response = status(StatusCode::FOUND);
    response.headers_mut().insert(header::LOCATION, target.as_str().parse().unwrap());
    response
}

/// The pairs of a form or a query.
fn pairs(text: &str) -> HashMap<String, String> {
    url::form_urlencoded::parse(text.as_bytes()).into_owned().collect()
}

fn respond(book: &mut Book, seen: &Seen) -> Response {
    let base = format!("http://{}", seen.header("host").unwrap());
    let (path, query) = seen.path.split_once('?').unwrap_or((&seen.path, ""));
    match path {
        "/.well-known/oauth-protected-resource/mcp" => document(&json!({
            "resource": format!("{base}/mcp"), "authorization_servers": [base],
            "scopes_supported": ["files"],
        })),
        "/.well-known/oauth-authorization-server" => document(&json!({
            "issuer": book.issuer.clone().unwrap_or_else(|| base.clone()),
            "authorization_endpoint": format!("{base}/authorize"),
            "token_endpoint": format!("{base}/token"),
            "registration_endpoint": format!("{base}/register"),
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
        })),
        "/register" => {
            let request: Value = serde_json::from_str(&seen.body).unwrap();
            document(&json!({"client_id": "c1", "client_secret": "s3cret",
                             "redirect_uris": request["redirect_uris"]}))
        }
        "/authorize" => authorize(book, &base, &pairs(query)),
        "/token" => token(book, &base, seen),
        "/mcp" => resource(book, &base, seen),
        _ => status(StatusCode::NOT_FOUND),
    }
}

fn authorize(book: &mut Book, base: &str, query: &HashMap<String, String>) -> Response {
    let mut target: Url = query["redirect_uri"].parse().unwrap();
    target.query_pairs_mut().append_pair("state", &query["state"]);
    if book.turn_down {
        target.query_pairs_mut().append_pair("error", "access_denied");
        return redirect(&target);
    }
    assert_eq!(query["client_id"], "c1");
    assert_eq!(query["code_challenge_method"], "S256");
    assert_eq!(query["resource"], format!("{base}/mcp"));
    let code = format!("code{}", book.codes.len());
    let asked = (query["code_challenge"].clone(), query["scope"].clone());
    book.codes.insert(code.clone(), asked);
    target.query_pairs_mut().append_pair("code", &code);
    redirect(&target)
}

fn token(book: &mut Book, base: &str, seen: &Seen) -> Response {
    let form = pairs(&seen.body);
    if form["grant_type"] == "client_credentials" {
        assert_eq!((&*form["client_id"], &*form["client_secret"]), ("robot", "pass"));
        let token = book.issue("files", 3600);
        return document(&token);
    }
    let secret = format!("Basic {}", base64_simd::STANDARD.encode_to_string("c1:s3cret"));
    if seen.header("authorization") != Some(&secret) {
        return refuse(401, "invalid_client");
    }
    assert_eq!(form["resource"], format!("{base}/mcp"));
    if form["grant_type"] == "refresh_token" {
        book.refreshes += 1;
        // Each refresh token is good for one time.
        if book.refresh_token.take().as_ref() != Some(&form["refresh_token"]) {
            return refuse(400, "invalid_grant");
        }
        let token = book.issue("files", 3600);
        return document(&token);
    }
    let Some((challenge, scope)) = book.codes.remove(&form["code"]) else {
        return refuse(400, "invalid_grant");
    };
    let digest = Sha256::digest(form["code_verifier"].as_bytes());
    if base64_simd::URL_SAFE_NO_PAD.encode_to_string(digest) != challenge {
        return refuse(400, "invalid_grant");
    }
    let lasts = book.login_lasts;
    let token = book.issue(&scope, lasts);
    document(&token)
}

fn resource(book: &mut Book, base: &str, seen: &Seen) -> Response {
    let challenged = |status: u16, text: String| {
        let mut response = answer(status, "text/plain", "");
        response.headers_mut().insert(header::WWW_AUTHENTICATE, text.parse().unwrap());
        response
    };
    let token = seen.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
    let Some(scope) = token.and_then(|token| book.tokens.get(token)) else {
        let metadata = format!("{base}/.well-known/oauth-protected-resource/mcp");
        return challenged(401, format!("Bearer resource_metadata=\"{metadata}\""));
    };
    match book.needs {
        Some(needed) if !scope.split(' ').any(|scope| scope == needed) => {
            challenged(403, format!("Bearer error=\"insufficient_scope\", scope=\"{needed}\""))
        }
        _ => greeting(seen).unwrap_or_else(|| answer(200, "application/json", result(7))),
    }
}

/// What a server of one tool says to somebody who connects.
fn greeting(seen: &Seen) -> Option<Response> {
    let request: Value = serde_json::from_str(&seen.body).ok()?;
    let result = match request["method"].as_str()? {
        "server/discover" => json!({"resultType": "complete", "supportedVersions": ["2026-07-28"],
                                    "capabilities": {"tools": {}}, "ttlMs": 0}),
        "tools/list" => json!({"resultType": "complete", "ttlMs": 0, "tools": [
            {"name": "list_files", "inputSchema": {"type": "object"}}
        ]}),
        _ => return None,
    };
    Some(document(&json!({"jsonrpc": "2.0", "id": request["id"], "result": result})))
}

#[tokio::test]
async fn a_login_brings_tokens_that_only_their_owner_reads() {
    let world = World::start().await;
    let login = world.login().await.unwrap();
    assert_eq!(login.scopes, ["files"]);
    assert_eq!(login.issuer, Some(world.server.url.origin().ascii_serialization()));
    assert!(login.renewable);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&world.path()), 0o600);
        assert_eq!(mode(world.path().parent().unwrap()), 0o700);
    }
    let mut client = world.client(world.tokens());
    client.request(7, "tools/call").await.unwrap();
    assert_eq!(client.arrived().await, (result(7), Some(7)));

    assert!(logout("Files", &world.server.url, world.data.path()).unwrap());
    client.request(7, "tools/call").await.unwrap();
    assert!(matches!(client.failed().await, (7, WireError::Unauthorized(_))));
}

#[tokio::test]
async fn an_answer_with_another_state_is_not_taken() {
    let world = World::start().await;
    let (sender, mut forged) = tokio::sync::mpsc::unbounded_channel();
    let agent = move |url: &str| {
        let (url, sender) = (url.to_owned(), sender.clone());
        tokio::spawn(async move {
            let query = pairs(url.split_once('?').unwrap().1);
            let address = format!("{}?code=code0&state=forged", query["redirect_uri"]);
            let response = reqwest::get(address).await.unwrap();
            sender.send(response.status()).unwrap();
            FollowRedirects.open(&url);
        });
    };
    let (url, data) = (&world.server.url, world.data.path());
    login("Files", url, data, &agent, &LoginOptions::default()).await.unwrap();
    assert_eq!(forged.recv().await, Some(StatusCode::BAD_REQUEST));
}

#[tokio::test]
async fn a_login_that_is_turned_down_or_never_finished_says_so() {
    let world = World::start().await;
    world.book().turn_down = true;
    let error = world.login().await.unwrap_err();
    assert!(matches!(&error, LoginError::TurnedDown(why) if why == "access_denied"), "{error:?}");

    let options = LoginOptions { wait: Duration::from_millis(1), ..LoginOptions::default() };
    let (url, data) = (&world.server.url, world.data.path());
    let error = login("Files", url, data, &|_: &str| {}, &options).await.unwrap_err();
    assert!(matches!(error, LoginError::TimedOut(_)), "{error:?}");
    assert!(!world.path().exists());
}

#[tokio::test]
async fn a_token_that_expires_is_renewed_once_for_all() {
    let world = World::start().await;
    world.book().login_lasts = 5;
    world.login().await.unwrap();
    // Two sources over one data are what two processes are.
    let (one, two) = (world.tokens(), world.tokens());
    let tokens = tokio::join!(
        one.access_token(),
        two.access_token(),
        one.access_token(),
        two.access_token(),
    );
    let renewed = || Some("t2".to_owned());
    assert_eq!(tokens, (renewed(), renewed(), renewed(), renewed()));
    assert_eq!(world.book().refreshes, 1);
}

#[tokio::test]
async fn a_token_that_was_revoked_is_renewed_and_the_call_goes_through() {
    let world = World::start().await;
    world.login().await.unwrap();
    world.book().tokens.clear();
    let mut client = world.client(world.tokens());
    client.request(7, "tools/call").await.unwrap();
    assert_eq!(client.arrived().await, (result(7), Some(7)));
    assert_eq!(world.book().refreshes, 1);

    // Another process still has the old token in hand: it finds the new one, and renews nothing.
    assert!(world.tokens().unauthorized(Some("t1"), None).await);
    assert_eq!(world.book().refreshes, 1);
}

#[tokio::test]
async fn a_refresh_token_that_is_no_good_is_tried_once() {
    let world = World::start().await;
    world.login().await.unwrap();
    {
        let mut book = world.book();
        book.tokens.clear();
        book.refresh_token = None;
    }
    let mut client = world.client(world.tokens());
    for _ in 0..2 {
        client.request(7, "tools/call").await.unwrap();
        assert!(matches!(client.failed().await, (7, WireError::Unauthorized(_))));
    }
    assert_eq!(world.book().refreshes, 1);
    assert!(!world.path().exists());
}

#[tokio::test]
async fn tokens_go_to_the_server_they_are_for_and_to_its_issuer_alone() {
    let world = World::start().await;
    world.login().await.unwrap();
    let elsewhere = world.server.url.join("/other").unwrap();
    let (data, options) = (world.data.path(), LoginOptions::default());
    assert_eq!(OAuthTokens::new("Files", &elsewhere, data, options).access_token().await, None);

    world.book().issuer = Some("http://127.0.0.1:1".to_owned());
    assert!(!world.tokens().unauthorized(Some("t1"), None).await);
    assert_eq!(world.book().refreshes, 0);
}

#[tokio::test]
async fn a_wider_scope_is_asked_for_where_nobody_has_to_be_asked() {
    let world = World::start().await;
    world.login().await.unwrap();
    world.book().needs = Some("admin");
    let mut alone = world.client(world.tokens());
    alone.request(7, "tools/call").await.unwrap();
    assert!(matches!(alone.failed().await, (7, WireError::Unauthorized(_))));

    let mut client = world.client(world.tokens().with_user_agent(Arc::new(FollowRedirects)));
    client.request(7, "tools/call").await.unwrap();
    assert_eq!(client.arrived().await, (result(7), Some(7)));
    assert_eq!(world.book().tokens["t2"], "files admin");
}

#[tokio::test]
async fn a_source_with_a_user_agent_logs_in_by_itself() {
    let world = World::start().await;
    let mut client = world.client(world.tokens().with_user_agent(Arc::new(FollowRedirects)));
    client.request(7, "tools/call").await.unwrap();
    assert_eq!(client.arrived().await, (result(7), Some(7)));
}

#[tokio::test]
async fn a_client_gets_tokens_by_its_own_secret() {
    let world = World::start().await;
    let options = LoginOptions {
        client_id: Some("robot".to_owned()),
        client_secret: Some("pass".to_owned()),
        ..LoginOptions::default()
    };
    let data = world.data.path();
    let tokens =
        OAuthTokens::new("Files", &world.server.url, data, options).with_grant(Grant::Client);
    let mut client = world.client(tokens);
    for revoked in [false, true] {
        if revoked {
            world.book().tokens.clear();
        }
        client.request(7, "tools/call").await.unwrap();
        assert_eq!(client.arrived().await, (result(7), Some(7)));
    }
    assert_eq!(world.book().issued, 2);
}
