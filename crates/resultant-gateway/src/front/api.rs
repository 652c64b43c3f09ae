//! The HTTP API under `/api`: sessions, tools, calls, files, events.
//!
//! One list of operations is the router, the OpenAPI document and the page that shows it. What an
//! operation does is in the room of its subject; who is asking was established before, and is
//! handed over in the request.

mod calls;
mod dashboards;
mod docs;
mod document;
mod download;
mod events;
mod extract;
mod files;
mod operation;
mod page;
mod page_tools;
mod problem;
mod sessions;
mod settings;
mod stats;
#[cfg(test)]
mod tests;
mod tools;
mod when;

use std::sync::{Arc, LazyLock};

use axum::{Router, extract::DefaultBodyLimit};
use tokio::sync::Semaphore;

use self::{
    calls::{Running, Seats},
    operation::{Access, Operation},
    problem::{METHOD, Problem},
};
use crate::gateway::Gateway;

/// What the operations work with.
#[derive(Clone)]
pub(super) struct Api {
    gateway: Arc<Gateway>,
    running: Arc<Running>,
    seats: Arc<Seats>,
    listeners: Arc<Semaphore>,
    visitors: Arc<Semaphore>,
    shares: events::Shares,
}

impl Api {
    fn new(gateway: &Arc<Gateway>) -> Api {
        Api {
            gateway: gateway.clone(),
            running: Arc::default(),
            seats: Arc::default(),
            listeners: Arc::new(Semaphore::new(events::LISTENERS_MAX)),
            visitors: Arc::new(Semaphore::new(page_tools::VISITORS_MAX)),
            shares: events::Shares::default(),
        }
    }
}

/// All operations, in the order of the document.
fn operations() -> Vec<Operation> {
    let mut operations = sessions::operations();
    operations.extend(tools::operations());
    operations.extend(calls::operations());
    operations.extend(stats::operations());
    operations.extend(files::operations());
    operations.extend(download::operations());
    operations.extend(dashboards::operations());
    operations.extend(events::operations());
    operations.extend(page_tools::operations());
    operations.extend(settings::operations());
    operations.extend(docs::operations());
    operations
}

/// The routes of the API.
pub(super) fn router<S: Clone + Send + Sync + 'static>(gateway: &Arc<Gateway>) -> Router<S> {
    let mut router = Router::new();
    for operation in operations() {
        router = router.route(operation.path, operation.route);
    }
    router
        .route("/api/{*rest}", axum::routing::any(|| async { Problem::not_found() }))
        .method_not_allowed_fallback(|| async {
            Problem::new(METHOD, "this path does not know the method")
        })
        // Each operation has its own limit, and says which.
        .layer(DefaultBodyLimit::disable())
        .with_state(Api::new(gateway))
}

/// What a request is told that this host or page may not send.
pub(super) fn forbidden(reason: &str) -> axum::response::Response {
    axum::response::IntoResponse::into_response(Problem::new(problem::FORBIDDEN, reason))
}

/// The route by which pages offer tools, for whom more origins may be allowed.
pub(super) use self::page_tools::{PATH as PAGE_PATH, turn_away};

/// Whether a route of the API needs no user: it is open, or has a token of its own to show. A user
/// who is known all the same is of use there.
pub(super) fn is_open(route: &str) -> bool {
    static OPEN: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
        let operations = operations().into_iter();
        let open = operations.filter(|operation| operation.access != Access::User);
        open.map(|operation| operation.path).collect()
    });
    OPEN.contains(&route)
}
