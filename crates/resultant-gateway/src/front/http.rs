//! Everything over HTTP: the routes, and the one door in front of them.
//!
//! The door checks which host a request names, which page it comes from and who sends it, and
//! watches how long its body takes. What is behind it can take all of that as given. What is asked
//! of the sandbox's host turns off before it: that is another origin, with none of these routes.

mod connections;
mod cors;
mod denial;
mod late;
mod mcp;
mod pages;
mod sandbox;
mod sign_in;
mod stream;
mod web;

use std::{net::SocketAddr, sync::Arc};

use axum::{
    Router,
    body::Body,
    extract::{MatchedPath, Request, State},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
    routing::get,
};
use tokio::net::TcpListener;

pub(in crate::front) use self::late::Late;
use self::{late::Timed, web::Files};
use super::{
    api,
    guard::{Beside, Guard},
};
use crate::{
    auth::Surface,
    config::{Auth, Listen, SandboxListen},
    gateway::{Gateway, StartError},
    sandbox::Sandbox,
};

#[derive(Clone)]
struct Front {
    gateway: Arc<Gateway>,
    guard: Arc<Guard>,
    sandbox: Sandbox,
    files: Arc<Files>,
    /// Where the page is listened for.
    port: u16,
}

/// Whether the program carries the page of the demo.
pub(crate) fn has_demo_page() -> bool {
    web::has_demo()
}

/// An address that is ours, before there is anything behind it.
#[derive(Debug)]
pub struct Listener {
    socket: TcpListener,
    sandbox: Option<TcpListener>,
    listen: Listen,
}

/// Takes an address, and one for the sandbox. Who cannot have it learns that before a server is
/// started in vain.
pub async fn listen(listen: &Listen, sandbox: &SandboxListen) -> Result<Listener, StartError> {
    let socket = bind(listen).await?;
    let sandbox = match sandbox {
        SandboxListen::At(listen) => Some(bind(listen).await?),
        SandboxListen::Free if listen.is_loopback() && Files::new().has_sandbox() => {
            Some(bind(&Listen { host: LOCAL.to_owned(), port: 0 }).await?)
        }
        SandboxListen::Free | SandboxListen::Off => None,
    };
    Ok(Listener { socket, sandbox, listen: listen.clone() })
}

/// What a sandbox is listened for by itself: the one address that has two names everywhere.
const LOCAL: &str = "127.0.0.1";

async fn bind(listen: &Listen) -> Result<TcpListener, StartError> {
    let socket = TcpListener::bind(listen.to_string()).await;
    socket.map_err(|cause| cannot_listen(listen, cause))
}

fn cannot_listen(listen: &Listen, cause: std::io::Error) -> StartError {
    StartError::Listen { address: listen.to_string(), cause }
}

/// Serves clients until `stop` ends; calls that are under way then are finished. `ready` is told
/// the address before the first client is let in.
pub async fn serve(
    gateway: Arc<Gateway>,
    listener: Listener,
    ready: impl FnOnce(SocketAddr),
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), StartError> {
    let Listener { socket: listener, sandbox: beside, listen } = listener;
    let failed = |cause| cannot_listen(&listen, cause);
    let address = listener.local_addr().map_err(failed)?;
    let config = gateway.config();
    if !config.auth.has_users() && !address.ip().is_loopback() {
        return Err(StartError::Exposed { address });
    }
    let beside_address =
        beside.as_ref().map(TcpListener::local_addr).transpose().map_err(failed)?;
    let sandbox = Sandbox::new(config.sandbox_url.as_ref(), beside_address);
    gateway.listens_on(address, sandbox.clone());
    let mut hosts = config.allowed_hosts.clone();
    hosts.extend(config.public_url.as_ref().and_then(|url| url.host_str()).map(str::to_owned));
    let mut origins = config.allowed_origins.clone();
    // Also where a proxy gives us another host than the browser asked for.
    origins.extend(config.public_url.as_ref().map(|url| url.origin().ascii_serialization()));
    let guard = Guard::new(&listen.host, &hosts, &origins, sandbox.clone());
    let front = Front {
        gateway: gateway.clone(),
        guard: Arc::new(guard),
        sandbox,
        files: Arc::new(Files::new()),
        port: address.port(),
    };
    let router = Router::new()
        .route("/", get(pages::home))
        .route("/page.js", get(sign_in::script))
        .route("/page.css", get(sign_in::style))
        .route("/healthz", get(pages::healthz))
        .route("/readyz", get(pages::readyz))
        .route("/metrics", get(pages::metrics))
        .merge(mcp::routes())
        .merge(sign_in::routes())
        .merge(api::router(&gateway))
        .fallback(pages::elsewhere)
        .layer(axum::middleware::from_fn_with_state(front.clone(), check))
        .with_state(front.clone());
    let beside_router = Router::new().fallback(sandbox::alone).with_state(front);
    ready(address);
    let stopping = gateway.clone();
    let stop = async move {
        stop.await;
        stopping.announce_stop();
    };
    let idle = config.timeouts.request_idle;
    let patience = config.timeouts.shutdown;
    let beside = async {
        if let Some(beside) = beside {
            connections::serve(beside, beside_router, idle, gateway.stopping()).await;
        }
    };
    tokio::select! {
        ((), ()) = async { tokio::join!(connections::serve(listener, router, idle, stop), beside) } => {}
        () = async {
            gateway.stopping().await;
            tokio::time::sleep(patience).await;
        } => tracing::warn!("calls were under way when the time to finish them was over"),
    }
    Ok(())
}

/// What anybody may ask for. Everything else needs a caller, also what is added later.
const OPEN: [&str; 10] = [
    "/",
    "/page.js",
    "/page.css",
    "/healthz",
    "/readyz",
    "/auth/login",
    "/auth/callback",
    // These look at credentials of their own kind.
    "/api/page-session",
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/mcp",
];

/// Which part of us a request is for, by its route and not by how its path is written.
fn surface_of(front: &Front, request: &Request) -> Surface {
    let Some(path) = request.extensions().get::<MatchedPath>() else {
        // No route: a file of the page, or nothing.
        return Surface::Open;
    };
    match path.as_str() {
        path if OPEN.contains(&path) => Surface::Open,
        path if path.starts_with("/.well-known/") => Surface::Open,
        "/mcp" | "/mcp/{server}" if front.guard.is_of_stranger(request.headers()) => {
            Surface::McpOfPage
        }
        "/mcp" | "/mcp/{server}" => Surface::Mcp,
        "/metrics" if !front.gateway.auth().config().has_users() => Surface::Open,
        _ => Surface::Api,
    }
}

/// Lets a request through with its caller.
async fn admit(front: &Front, mut request: Request, next: Next) -> Response {
    let surface = surface_of(front, &request);
    // Some of the API needs no caller, and serves one that is known all the same: a file's owner.
    let route = request.extensions().get::<MatchedPath>();
    let is_optional = route.is_some_and(|route| api::is_open(route.as_str()));
    if surface != Surface::Open {
        match front.gateway.auth().identify(request.headers(), surface).await {
            Ok(user) => {
                request.extensions_mut().insert(user);
            }
            Err(_) if is_optional => {}
            Err(denied) => return front.denied(&denied),
        }
    }
    next.run(request).await
}

async fn check(State(front): State<Front>, mut request: Request, next: Next) -> Response {
    let is_named = name_host(&mut request);
    let host = sandbox::host(&request).filter(|_| is_named);
    if let Some(own) = host.and_then(|host| front.sandbox.named(&host)) {
        return sandbox::answer(&front, &own, &request.into_parts().0).await;
    }
    let refused = match is_named {
        true => front.guard.refuses(request.headers(), &beside(&front, &request)),
        false => Some("the request names more than one host"),
    };
    let idle = front.gateway.config().timeouts.request_idle;
    let request = request.map(|body| Body::new(Timed::new(body, idle)));
    let (origin, mut response) = match refused {
        // A browser shows a page no status: one of a foreign origin is told so in words.
        Some(reason) if is_page(&request) && is_host_fine(&front, &request) => {
            let told = api::turn_away(request).await;
            (None, told.unwrap_or_else(|| api::forbidden(reason)))
        }
        Some(reason) if request.uri().path().starts_with("/api/") => (None, api::forbidden(reason)),
        Some(reason) => (None, (StatusCode::FORBIDDEN, format!("{reason}\n")).into_response()),
        None => {
            let origin = cors::origin(&request);
            let response = match cors::preflight(&request) {
                Some(response) => response,
                None => admit(&front, request, next).await,
            };
            (origin, response)
        }
    };
    let headers = response.headers_mut();
    cors::allow(headers, origin);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

/// Whether it is for the front of pages that offer tools.
fn is_page(request: &Request) -> bool {
    let route = request.extensions().get::<MatchedPath>();
    route.is_some_and(|route| route.as_str() == api::PAGE_PATH)
}

/// Whether a request that is refused is so for its origin alone.
fn is_host_fine(front: &Front, request: &Request) -> bool {
    let mut headers = request.headers().clone();
    headers.remove(header::ORIGIN);
    front.guard.refuses(&headers, &beside(front, request)).is_none()
}

/// Whose pages may use this route beside our own. Where a proxy vouches for whatever the browser
/// sends, any page of this machine would speak for the person who is signed in.
fn beside(front: &Front, request: &Request) -> Beside {
    let origins = match is_page(request) {
        true => {
            let config = front.gateway.config();
            config.pages.as_ref().map(|pages| pages.origins.clone()).unwrap_or_default()
        }
        false => Vec::new(),
    };
    let loopback = !matches!(front.gateway.auth().config(), Auth::Header(_));
    Beside { origins, loopback }
}

/// HTTP/2 names the host beside the headers, and a proxy's request in its address. It is looked for
/// in the header everywhere else, so it is put there; false where the two are not the same.
fn name_host(request: &mut Request) -> bool {
    let Some(authority) = request.uri().authority() else { return true };
    let named = HeaderValue::from_str(authority.as_str());
    let (Ok(named), headers) = (named, request.headers_mut()) else { return false };
    headers.get(header::HOST).is_none_or(|host| *host == named) && {
        headers.insert(header::HOST, named);
        true
    }
}

fn text(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(|value| value.trim().to_owned())
}
