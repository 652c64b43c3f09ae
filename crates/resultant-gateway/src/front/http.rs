//! Everything over HTTP: the routes, and the one door in front of them.
//!
//! The door checks which host a request names, which page it comes from and who sends it, and
//! watches how long its body takes. What is behind it can take all of that as given.

mod connections;
mod cors;
mod denial;
mod late;
mod mcp;
mod pages;
mod sign_in;
mod stream;

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
use self::late::Timed;
use super::{api, guard::Guard};
use crate::{
    auth::Surface,
    config::Listen,
    gateway::{Gateway, StartError},
};

#[derive(Clone)]
struct Front {
    gateway: Arc<Gateway>,
    guard: Arc<Guard>,
}

/// An address that is ours, before there is anything behind it.
#[derive(Debug)]
pub struct Listener {
    socket: TcpListener,
    listen: Listen,
}

/// Takes an address. Who cannot have it learns that before a server is started in vain.
pub async fn listen(listen: &Listen) -> Result<Listener, StartError> {
    let socket = TcpListener::bind(listen.to_string()).await;
    let socket = socket.map_err(|cause| cannot_listen(listen, cause))?;
    Ok(Listener { socket, listen: listen.clone() })
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
    let Listener { socket: listener, listen } = listener;
    let failed = |cause| cannot_listen(&listen, cause);
    let address = listener.local_addr().map_err(failed)?;
    let config = gateway.config();
    if !config.auth.has_users() && !address.ip().is_loopback() {
        return Err(StartError::Exposed { address });
    }
    gateway.listens_on(address);
    let mut hosts = config.allowed_hosts.clone();
    hosts.extend(config.public_url.as_ref().and_then(|url| url.host_str()).map(str::to_owned));
    let guard = Guard::new(&listen.host, &hosts, &config.allowed_origins);
    let front = Front { gateway: gateway.clone(), guard: Arc::new(guard) };
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
        .fallback(pages::nowhere)
        .layer(axum::middleware::from_fn_with_state(front.clone(), check))
        .with_state(front);
    ready(address);
    let stopping = gateway.clone();
    let stop = async move {
        stop.await;
        stopping.announce_stop();
    };
    let idle = config.timeouts.request_idle;
    let patience = config.timeouts.shutdown;
    tokio::select! {
        () = connections::serve(listener, router, idle, stop) => {}
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
        // No route: there is nothing to see.
        return Surface::Open;
    };
    match path.as_str() {
        path if OPEN.contains(&path) => Surface::Open,
        path if path.starts_with("/.well-known/") => Surface::Open,
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
    let refused = match name_host(&mut request) {
        true => front.guard.refuses(request.headers()),
        false => Some("the request names more than one host"),
    };
    let idle = front.gateway.config().timeouts.request_idle;
    let request = request.map(|body| Body::new(Timed::new(body, idle)));
    let (origin, mut response) = match refused {
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
