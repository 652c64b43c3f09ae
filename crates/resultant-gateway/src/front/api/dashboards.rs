//! Dashboards: what results asked to be kept open, and the tokens that their frames show.

use axum::{
    Json,
    extract::{Request, State},
    http::{StatusCode, header},
    response::IntoResponse,
};
use resultant_store::{
    Action, Audience, Dashboard, Entry, Grant, Id, Kind, Persistence, TokenRecord, Wanted,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{
    Api,
    extract::{Asked, Place, Said, Who, body_bytes, media_type, read_json},
    operation::{Access, Operation},
    problem::{BAD_REQUEST, MEDIA_TYPE, NOT_FOUND, Problem, TOO_LARGE},
    when::rfc3339,
};
use crate::{
    caller::User,
    events::{self, AnyJson},
};

/// A longer token is none of ours, and is not looked at.
const TOKEN_BYTES_MAX: usize = 1024;
/// A longer action is refused.
const ACTION_BYTES_MAX: usize = 4 * 1024;
/// What the lines of actions are found by in the log.
const LOG: &str = "resultant::dashboards";
/// How long a frame's token is valid, in seconds.
const TOKEN_SECONDS: u32 = 300;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/api/dashboards", list)
            .named("listDashboards", "List the dashboards")
            .query::<ListQuery>()
            .gives::<DashboardList>(200, "Those of the session, and all that are pinned.")
            .fails(&[NOT_FOUND]),
        Operation::delete("/api/sessions/{session}/dashboards/{dashboard}", delete)
            .named("deleteDashboard", "Close a dashboard")
            .query::<WhichQuery>()
            .gives_nothing(204, "It is not listed any more.")
            .fails(&[NOT_FOUND]),
        Operation::post("/api/sessions/{session}/dashboards/{dashboard}/token", token)
            .named("createDashboardToken", "Get a token for the frame of a dashboard")
            .described(
                "Where the result had a token, it is that one. Else it is one of the gateway's own, \
                 valid for five minutes: the dashboard's host learns from it who is looking, by \
                 asking `introspectDashboardToken`, and needs no cookies. Either is for the frame \
                 alone, and is handed over by a message to its origin.",
            )
            .query::<WhichQuery>()
            .gives::<NewToken>(201, "The token.")
            .fails(&[NOT_FOUND]),
        Operation::post("/api/sessions/{session}/dashboards/{dashboard}/actions", act)
            .named("reportDashboardAction", "Report what a person did in a dashboard")
            .described("It becomes a line in the gateway's log, with the user's name.")
            .query::<WhichQuery>()
            .takes::<NewAction>()
            .gives_nothing(204, "It is in the log.")
            .fails(&[NOT_FOUND, TOO_LARGE]),
        Operation::post("/api/dashboards/introspect", introspect)
            .named("introspectDashboardToken", "Ask what a dashboard's token says")
            .described(
                "For the hosts of dashboards, in the form of RFC 7662. The token is all the proof \
                 that is needed; whatever is wrong with one, the answer is the same.",
            )
            .open_to(Access::Everybody)
            .takes::<Shown>()
            .takes_form::<Shown>("application/x-www-form-urlencoded")
            .gives::<Introspection>(200, "What it says, or that it is not active.")
            .fails(&[BAD_REQUEST, MEDIA_TYPE]),
    ]
}

/// Which dashboards are wanted.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
struct ListQuery {
    /// Those of this session, and the pinned ones; all of them when absent.
    session: Option<String>,
}

/// Which of several dashboards of one id is meant.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
struct WhichQuery {
    /// That of this server; when absent, the one that changed last.
    server: Option<String>,
}

/// How long a dashboard stays.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum PersistenceWord {
    /// While the page is open.
    Ephemeral,
    /// As long as its session.
    Session,
    /// Until it is closed.
    Pinned,
}

/// A dashboard.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Dashboard")]
struct DashboardInfo {
    /// Its id, among those of its server in its session.
    id: String,
    /// The session whose result opened it, or changed it last.
    session: String,
    /// The server whose tool opened it.
    server: String,
    /// What a person calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// Where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// How it wants to be placed.
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<String>,
    /// How long it stays.
    persistence: PersistenceWord,
    /// The tool that opened it.
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    /// The call that opened it, or changed it last.
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<String>,
    /// Whether the result had a token for its frame.
    has_token: bool,
    /// Whether it is to be shown.
    is_open: bool,
    /// When it was last opened or changed.
    #[schemars(extend("format" = "date-time"))]
    updated_at: String,
}

impl From<Dashboard> for DashboardInfo {
    fn from(dashboard: Dashboard) -> DashboardInfo {
        DashboardInfo {
            persistence: match dashboard.persistence {
                Persistence::Ephemeral => PersistenceWord::Ephemeral,
                Persistence::Session => PersistenceWord::Session,
                Persistence::Pinned => PersistenceWord::Pinned,
            },
            updated_at: rfc3339(dashboard.updated_ms),
            id: dashboard.id,
            session: dashboard.session,
            server: dashboard.server,
            title: dashboard.title,
            url: dashboard.url,
            mode: dashboard.mode,
            tool: dashboard.tool,
            call: dashboard.call,
            has_token: dashboard.token.is_some(),
            is_open: dashboard.is_open,
        }
    }
}

/// Dashboards.
#[derive(Debug, Serialize, JsonSchema)]
struct DashboardList {
    /// The dashboards.
    items: Vec<DashboardInfo>,
}

/// Whose word a token is.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum IssuedBy {
    /// The server's: it came with the result.
    Server,
    /// The gateway's.
    Gateway,
}

/// A token for a frame.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "DashboardToken")]
struct NewToken {
    /// The token.
    token: String,
    /// Whose word it is.
    issued_by: IssuedBy,
    /// Where the dashboard is: the token is for that origin, and for no frame of another.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// What it is revoked by; absent for a server's.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    /// When it ends; not known of a server's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "date-time"))]
    expires_at: Option<String>,
}

/// What a person did.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewAction {
    /// What the dashboard says of it, in at most 4 KiB.
    #[schemars(with = "AnyJson")]
    action: serde_json::Value,
}

/// A token that somebody was shown.
#[derive(Debug, Deserialize, JsonSchema)]
struct Shown {
    /// The token.
    token: String,
}

/// What a token says.
#[derive(Debug, Default, Serialize, JsonSchema)]
struct Introspection {
    /// Whether it is valid now. With `false` there is nothing else.
    active: bool,
    /// The dashboard.
    #[serde(skip_serializing_if = "Option::is_none")]
    dashboard: Option<String>,
    /// The name of the user who is looking.
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<String>,
    /// What stands for the user, and always for the same one; as RFC 7662 calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    sub: Option<String>,
    /// Their session.
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    /// When it was made, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    iat: Option<i64>,
    /// When it ends, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    exp: Option<i64>,
}

/// The id that stands for a dashboard in tokens.
fn subject(session: &str, dashboard: &Dashboard) -> Id {
    let mut digest = Sha256::new();
    for part in [&dashboard.owner, session, &dashboard.server, &dashboard.id] {
        // Lengths keep the parts apart.
        digest.update((part.len() as u64).to_be_bytes());
        digest.update(part.as_bytes());
    }
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest.finalize()[..16]);
    Id::from_bytes(bytes)
}

async fn list(
    State(api): State<Api>,
    Who(user): Who,
    Asked(query): Asked<ListQuery>,
) -> Result<impl IntoResponse, Problem> {
    if let Some(session) = &query.session {
        api.caller(&user, session).await?;
    }
    let found = api.gateway.store.dashboards(&user.id, query.session.as_deref()).await?;
    Ok(Json(DashboardList { items: found.into_iter().map(DashboardInfo::from).collect() }))
}

async fn delete(
    State(api): State<Api>,
    Who(user): Who,
    Place((session, dashboard)): Place<(String, String)>,
    Asked(which): Asked<WhichQuery>,
) -> Result<impl IntoResponse, Problem> {
    let store = &api.gateway.store;
    let mut found = api.dashboard(&user, &session, &dashboard, &which).await?;
    if !store.delete_dashboard(&found).await? {
        return Err(Problem::not_found());
    }
    // Whoever looks at it hears of it: in its session, which may be gone, and where it was closed.
    let mut sessions = vec![std::mem::take(&mut found.session), session];
    sessions.dedup();
    for session in sessions {
        if store.session(&user.id, &session).await?.is_some() {
            found.session = session;
            store.record(Entry::Event(events::canvas_closed(&found))).await;
        }
    }
    Ok(StatusCode::NO_CONTENT)
}

async fn token(
    State(api): State<Api>,
    Who(user): Who,
    Place((session, dashboard)): Place<(String, String)>,
    Asked(which): Asked<WhichQuery>,
) -> Result<impl IntoResponse, Problem> {
    let store = &api.gateway.store;
    let found = api.dashboard(&user, &session, &dashboard, &which).await?;
    let no_store = [(header::CACHE_CONTROL, "no-store")];
    if let Some(token) = found.token {
        let (token, issued_by) = (token.0, IssuedBy::Server);
        let token = NewToken { token, issued_by, url: found.url, id: None, expires_at: None };
        return Ok((StatusCode::CREATED, no_store, Json(token)));
    }
    let grant = Grant {
        kind: Kind::Dashboard,
        subject: subject(&session, &found),
        action: Action::Read,
        audience: Audience::Person,
        owner: user.id.clone(),
        session,
        is_single_use: false,
    };
    let (token, record) = store.mint(grant, Some(TOKEN_SECONDS)).await?;
    let expires_at = rfc3339(record.expires_s.saturating_mul(1000));
    let token = NewToken {
        token,
        issued_by: IssuedBy::Gateway,
        url: found.url,
        id: Some(record.id.to_string()),
        expires_at: Some(expires_at),
    };
    Ok((StatusCode::CREATED, no_store, Json(token)))
}

impl Api {
    /// A dashboard of this session, else a pinned one.
    async fn dashboard(
        &self,
        user: &User,
        session: &str,
        id: &str,
        which: &WhichQuery,
    ) -> Result<Dashboard, Problem> {
        let mut found = self.gateway.store.dashboards(&user.id, Some(session)).await?;
        let is_server = |name: &str| which.server.as_deref().is_none_or(|server| server == name);
        found.retain(|known| known.id == id && is_server(&known.server));
        let found = found.into_iter().min_by_key(|known| known.session != session);
        found.ok_or_else(Problem::not_found)
    }
}

async fn act(
    State(api): State<Api>,
    Who(user): Who,
    Place((session, dashboard)): Place<(String, String)>,
    Asked(which): Asked<WhichQuery>,
    Said(new): Said<NewAction>,
) -> Result<impl IntoResponse, Problem> {
    let found = api.dashboard(&user, &session, &dashboard, &which).await?;
    // Written anew it is one line, whatever the dashboard sent.
    let action = new.action.to_string();
    if action.len() > ACTION_BYTES_MAX {
        let detail = format!("the action has more than {ACTION_BYTES_MAX} bytes");
        return Err(Problem::new(TOO_LARGE, detail));
    }
    tracing::info!(
        target: LOG,
        user = ?user.name, session = ?found.session, server = ?found.server,
        dashboard = ?found.id, action = ?action,
        "an action in a dashboard"
    );
    Ok(StatusCode::NO_CONTENT)
}

async fn introspect(
    State(api): State<Api>,
    request: Request,
) -> Result<impl IntoResponse, Problem> {
    let kind = media_type(&request);
    let bytes = body_bytes(request, &api).await?;
    let shown = match kind.as_deref() {
        Some("application/json") => read_json::<Shown>(&bytes)?.token,
        Some("application/x-www-form-urlencoded") => {
            let mut pairs = url::form_urlencoded::parse(&bytes);
            let token = pairs.find(|(key, _)| key == "token").map(|(_, token)| token.into_owned());
            token.ok_or_else(|| Problem::bad("`token` is missing"))?
        }
        _ => return Err(Problem::new(MEDIA_TYPE, "the body is to be JSON or a form")),
    };
    let introspection = match look_at(&api, &shown).await? {
        Some((record, dashboard)) => Introspection {
            active: true,
            dashboard: Some(dashboard),
            user: Some(name_of(&record.grant.owner).to_owned()),
            sub: Some(record.grant.owner),
            session: Some(record.grant.session),
            iat: Some(record.minted_s),
            exp: Some(record.expires_s),
        },
        None => Introspection::default(),
    };
    Ok(([(header::CACHE_CONTROL, "no-store")], Json(introspection)))
}

/// A user's name, as far as what their things are filed under says it.
fn name_of(owner: &str) -> &str {
    owner.strip_prefix("user:").unwrap_or(owner)
}

/// The record of a token and the dashboard that it is for, where both are still there.
async fn look_at(api: &Api, token: &str) -> Result<Option<(TokenRecord, String)>, Problem> {
    if token.len() > TOKEN_BYTES_MAX {
        return Ok(None);
    }
    let store = &api.gateway.store;
    let wanted = Wanted { kind: Kind::Dashboard, subject: None, action: Action::Read };
    let Ok(record) = store.check(token, wanted).await? else { return Ok(None) };
    if !api.gateway.auth().has(&record.grant.owner) {
        return Ok(None);
    }
    let Grant { owner, session, subject: meant, .. } = &record.grant;
    let found = store.dashboards(owner, Some(session)).await?;
    let dashboard = found.into_iter().find(|known| subject(session, known) == *meant);
    let Some(dashboard) = dashboard else { return Ok(None) };
    // That it was looked at is recorded.
    match store.use_token(&record, 0, 0).await? {
        Ok(()) => Ok(Some((record, dashboard.id))),
        Err(_) => Ok(None),
    }
}
