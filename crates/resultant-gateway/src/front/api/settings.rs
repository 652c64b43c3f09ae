//! What the page has to know of the gateway before it shows anything.

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, header},
    response::IntoResponse,
};
use resultant::Sees;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Api, extract::Who, operation::Operation, problem::Problem};
use crate::{
    auth::bearer, caller::Caller, clients::Profile, front::api::problem::BAD_REQUEST,
    front::request::with_session,
};

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/api/settings", settings)
            .named("getSettings", "Look at who is here and how this gateway is set up")
            .described(
                "Where content is shown depends on the name that the gateway was asked by: from \
                 `localhost` it is shown by `127.0.0.1`, and the other way round.",
            )
            .header("Resultant-Session", "The session to be in; `default` when absent.")
            .gives::<Settings>(200, "The settings.")
            .fails(&[BAD_REQUEST]),
    ]
}

/// What a page has to know.
#[derive(Debug, Serialize, JsonSchema)]
struct Settings {
    /// The gateway's version.
    version: String,
    /// The user's name.
    user: String,
    /// Their address, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    email: Option<String>,
    /// How callers are told apart: `local`, `token`, `header` or `oidc`.
    mode: String,
    /// The session that is meant where none is named.
    session: String,
    /// The origin whose frames show content; null where there is none, and then nothing is shown
    /// that could run. See `sandbox_url` in the configuration.
    sandbox_url: Option<String>,
    /// Which dashboards may be shown.
    dashboards: DashboardSettings,
    /// The clients of which is known what their models see; the last one is `unknown`.
    clients: Vec<ClientInfo>,
    /// What is the most of some things.
    limits: LimitSettings,
    /// Whether there is a session of the page that can be ended.
    can_sign_out: bool,
}

/// Which dashboards may be shown.
#[derive(Debug, Serialize, JsonSchema)]
struct DashboardSettings {
    /// Their origins; `*` may stand for a port.
    origins: Vec<String>,
}

/// A client of which something is known.
#[derive(Debug, Serialize, JsonSchema)]
struct ClientInfo {
    /// Its name: what `profile` of the renderings takes.
    name: String,
    /// Which lanes of a result its model sees.
    sees: SeesWord,
    /// How much of a result it takes.
    limits: ClientLimitsInfo,
}

/// Which lanes of a result a model sees.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum SeesWord {
    /// Not known: each lane stands alone.
    Either,
    /// The content.
    Content,
    /// The structured content where there is some, else the content.
    Structured,
    /// Both.
    Both,
}

/// How much of a result a client takes, as far as that is known.
#[derive(Debug, Serialize, JsonSchema)]
struct ClientLimitsInfo {
    /// Bytes of text.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<usize>,
    /// Tokens of text.
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<usize>,
    /// Bytes of all images together, in base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    image_bytes: Option<usize>,
}

/// What is the most of some things.
#[derive(Debug, Serialize, JsonSchema)]
struct LimitSettings {
    /// Bytes of the files that one request uploads.
    upload_bytes_max: u64,
}

impl From<&Profile> for ClientInfo {
    fn from(profile: &Profile) -> ClientInfo {
        let known = |limit: usize| (limit != usize::MAX).then_some(limit);
        ClientInfo {
            name: profile.name.clone(),
            sees: match profile.sees {
                Sees::Content => SeesWord::Content,
                Sees::Structured => SeesWord::Structured,
                Sees::Both => SeesWord::Both,
                _ => SeesWord::Either,
            },
            limits: ClientLimitsInfo {
                bytes: known(profile.bytes_max),
                tokens: known(profile.tokens_max),
                image_bytes: known(profile.image_bytes_max),
            },
        }
    }
}

async fn settings(
    State(api): State<Api>,
    Who(user): Who,
    headers: HeaderMap,
) -> Result<impl IntoResponse, Problem> {
    let caller = with_session(Caller::of(user), &headers, None);
    let caller = caller.map_err(|error| Problem::bad(error.message))?;
    let config = api.gateway.config();
    let auth = api.gateway.auth();
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let token = bearer(&headers).ok().flatten();
    let settings = Settings {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        user: caller.user.name.clone(),
        email: caller.user.email.clone(),
        mode: auth.config().mode().to_owned(),
        session: caller.session.to_string(),
        sandbox_url: api.gateway.sandbox_for(&host.trim().to_ascii_lowercase()),
        dashboards: DashboardSettings { origins: config.dashboard_origins.clone() },
        clients: config.clients.each().map(ClientInfo::from).collect(),
        limits: LimitSettings { upload_bytes_max: config.limits.upload_bytes_max },
        can_sign_out: token.is_some_and(|token| auth.pages.is_token(token)),
    };
    Ok(([(header::CACHE_CONTROL, "no-store")], Json(settings)))
}
