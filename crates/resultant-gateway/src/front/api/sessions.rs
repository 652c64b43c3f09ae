//! Sessions: the workspaces of a user.

use axum::{
    Json,
    extract::State,
    http::{StatusCode, header},
    response::IntoResponse,
};
use resultant_store::{Id, Session, SessionKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Api,
    extract::{Asked, Place, Said, Who},
    operation::Operation,
    page::{Listing, PageQuery, listing, wanted},
    problem::{BAD_REQUEST, NOT_FOUND, Problem},
    when::rfc3339,
};
use crate::caller::{Caller, DEFAULT_SESSION, User};

/// A longer title is refused.
const TITLE_CHARS_MAX: usize = 200;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::post("/api/sessions", create)
            .named("createSession", "Make a session")
            .described("A session has its own files, calls, events and dashboards.")
            .takes::<NewSession>()
            .gives::<SessionInfo>(201, "The session. `Location` says where it is.")
            .fails(&[BAD_REQUEST]),
        Operation::get("/api/sessions", list)
            .named("listSessions", "List the sessions, the most recently used first")
            .query::<PageQuery>()
            .gives::<Listing<SessionInfo>>(200, "A part of the list.")
            .fails(&[BAD_REQUEST]),
        Operation::get("/api/sessions/{session}", one)
            .named("getSession", "Look at a session")
            .gives::<SessionInfo>(200, "The session.")
            .fails(&[NOT_FOUND]),
        Operation::delete("/api/sessions/{session}", delete)
            .named("deleteSession", "Delete a session with all it has")
            .described(
                "Its files, links, dashboards and events go with it, and its running calls are \
                 cancelled. The records of its calls stay for as long as the configuration keeps \
                 them.",
            )
            .gives_nothing(204, "It is gone.")
            .fails(&[NOT_FOUND]),
    ]
}

/// A session to be.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct NewSession {
    /// What a person calls it, in at most 200 characters.
    #[schemars(length(max = 200))]
    title: String,
}

/// How a session came to be.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum KindWord {
    /// Made over this API.
    Api,
    /// An MCP client's.
    Mcp,
    /// The one that a user has without asking: `default`.
    Default,
}

/// A session.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Session")]
struct SessionInfo {
    /// Its id.
    id: String,
    /// What a person calls it; empty where nobody said.
    title: String,
    /// How it came to be.
    kind: KindWord,
    /// When.
    #[schemars(extend("format" = "date-time"))]
    created_at: String,
    /// When something last happened in it.
    #[schemars(extend("format" = "date-time"))]
    used_at: String,
    /// The bytes of its files.
    bytes: u64,
}

impl From<Session> for SessionInfo {
    fn from(session: Session) -> SessionInfo {
        SessionInfo {
            kind: match session.kind {
                SessionKind::Api => KindWord::Api,
                SessionKind::Mcp => KindWord::Mcp,
                SessionKind::Default => KindWord::Default,
            },
            created_at: rfc3339(session.created_ms),
            used_at: rfc3339(session.used_ms),
            id: session.id,
            title: session.title,
            bytes: session.bytes,
        }
    }
}

impl Api {
    /// The user in one of their sessions. The default one is always there.
    pub(super) async fn caller(
        &self,
        user: &std::sync::Arc<User>,
        session: &str,
    ) -> Result<Caller, Problem> {
        let store = &self.gateway.store;
        let caller = Caller::of(user.clone());
        if session == DEFAULT_SESSION {
            store.open_session(&user.id, session, SessionKind::Default, "").await?;
            return Ok(caller);
        }
        match store.session(&user.id, session).await? {
            Some(found) => Ok(caller.within(&found.id, found.kind)),
            None => Err(Problem::not_found()),
        }
    }
}

async fn create(
    State(api): State<Api>,
    Who(user): Who,
    Said(new): Said<NewSession>,
) -> Result<impl IntoResponse, Problem> {
    let title = new.title.trim();
    if title.chars().count() > TITLE_CHARS_MAX {
        return Err(Problem::bad(format!("`title` has more than {TITLE_CHARS_MAX} characters")));
    }
    let id = Id::new().to_string();
    let session = api.gateway.store.open_session(&user.id, &id, SessionKind::Api, title).await?;
    let location = [(header::LOCATION, format!("/api/sessions/{id}"))];
    Ok((StatusCode::CREATED, location, Json(SessionInfo::from(session))))
}

async fn list(
    State(api): State<Api>,
    Who(user): Who,
    Asked(query): Asked<PageQuery>,
) -> Result<impl IntoResponse, Problem> {
    let page = wanted(query.count, query.cursor.as_deref())?;
    let found = api.gateway.store.sessions(&user.id, &page).await?;
    let place = |session: &Session| (session.used_ms, session.id.clone());
    Ok(Json(listing(&page, found, place, SessionInfo::from)))
}

async fn one(
    State(api): State<Api>,
    Who(user): Who,
    Place(session): Place<String>,
) -> Result<impl IntoResponse, Problem> {
    let found = api.gateway.store.session(&user.id, &session).await?;
    found.map(|session| Json(SessionInfo::from(session))).ok_or_else(Problem::not_found)
}

async fn delete(
    State(api): State<Api>,
    Who(user): Who,
    Place(session): Place<String>,
) -> Result<impl IntoResponse, Problem> {
    api.running.cancel_session(&user.id, &session);
    match api.gateway.store.delete_session(&user.id, &session).await? {
        true => {
            api.seats.leave(&user.id, &session);
            Ok(StatusCode::NO_CONTENT)
        }
        false => Err(Problem::not_found()),
    }
}
