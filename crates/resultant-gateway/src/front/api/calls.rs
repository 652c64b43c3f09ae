//! Calls: made, looked at, and seen again as each audience sees them.

mod renderings;
mod run;
mod running;

use axum::{
    Json,
    body::Body,
    extract::State,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use resultant::Sha256Digest;
use resultant_store::{Call, CallFilter, Id, Raw};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::running::UnderWay;
pub(super) use self::running::{Running, Seats};
use super::{
    Api,
    download::safe,
    extract::{Asked, Place, Who, id},
    operation::Operation,
    page::{Listing, listing, wanted},
    problem::{BAD_REQUEST, CONFLICT, NOT_FOUND, Problem},
    when::rfc3339,
};
use crate::{
    caller::User,
    events::{AnyJson, EndingWord},
};

/// The client's name for calls of this API.
const CLIENT_NAME: &str = "resultant";
/// Longer arguments are not shown.
const SHOWN_BYTES_MAX: usize = 64 << 10;

pub(super) fn operations() -> Vec<Operation> {
    let mut operations = run::operations();
    operations.extend([
        Operation::get("/api/calls", list)
            .named("listCalls", "List calls, the newest first")
            .described("Those of MCP clients too. What is long is left out.")
            .query::<CallQuery>()
            .gives::<Listing<CallInfo>>(200, "A part of the list.")
            .fails(&[BAD_REQUEST, NOT_FOUND]),
        Operation::get("/api/calls/{call}", one)
            .named("getCall", "Look at a call")
            .described(
                "One of this API's is there from its beginning, at the gateway that runs it; one \
                 of an MCP client when it is over.",
            )
            .gives::<CallInfo>(200, "The record of the call.")
            .fails(&[NOT_FOUND]),
        Operation::get("/api/calls/{call}/raw", raw)
            .named("getRawAnswer", "Get what the server answered, to the byte")
            .gives_bytes("application/json", 200, "The bytes, as an attachment.")
            .fails(&[NOT_FOUND, CONFLICT]),
    ]);
    operations.extend(renderings::operations());
    operations
}

/// Which calls are wanted.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
struct CallQuery {
    /// Those of this session.
    session: Option<String>,
    /// Those of this server.
    server: Option<String>,
    /// Those of this tool, as its server names it.
    tool: Option<String>,
    /// How many at most; 100 by default.
    #[schemars(range(min = 1, max = 10_000))]
    count: Option<u32>,
    /// The `next` of the part before.
    cursor: Option<String>,
}

/// Where a call is.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum StateWord {
    /// It has begun, and its end is not known yet.
    Running,
    /// It has ended; `ending` says how.
    Over,
}

/// A call.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Call")]
struct CallInfo {
    /// Its id.
    id: String,
    /// Where it is.
    state: StateWord,
    /// Its session.
    session: String,
    /// The server; empty where the caller named none and the call is under way.
    server: String,
    /// The tool's name on it.
    tool: String,
    /// The client's name for itself.
    client: String,
    /// The SHA-256 digest of the arguments as the caller wrote them.
    arguments_sha256: String,
    /// The arguments; left out in lists, and where they are over 64 KiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<AnyJson>")]
    arguments: Option<resultant::Json>,
    /// How it ended; absent while it is under way.
    #[serde(skip_serializing_if = "Option::is_none")]
    ending: Option<EndingWord>,
    /// What went wrong, if something did.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// When it began.
    #[schemars(extend("format" = "date-time"))]
    started_at: String,
    /// How long it took, in milliseconds.
    duration_ms: f64,
    /// Bytes that the server answered with.
    bytes_in: u64,
    /// Bytes that the audience got.
    bytes_out: u64,
    /// Tokens that the server's answer would have been.
    tokens_in: u64,
    /// Tokens that the model got.
    tokens_out: u64,
    /// What was odd, each with `rule`, `place` and `message`.
    #[schemars(with = "Vec<AnyJson>")]
    notes: resultant::Json,
    /// The keys of the files that it left.
    #[schemars(with = "Vec<String>")]
    files: resultant::Json,
    /// The files that were handed to the tool, each with `name`, `key` and `as`.
    #[schemars(with = "Vec<AnyJson>")]
    handed: resultant::Json,
    /// Whether what the server answered is there; absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    has_raw: Option<bool>,
}

impl CallInfo {
    fn of(call: Call, is_whole: bool) -> CallInfo {
        let json = |text: String| {
            let empty = || resultant::Json::array([]);
            resultant::Json::parse(text).unwrap_or_else(|_| empty())
        };
        CallInfo {
            id: call.id.to_string(),
            state: StateWord::Over,
            session: call.session,
            server: call.server,
            tool: call.tool,
            client: call.client,
            arguments_sha256: call.arguments_sha256,
            arguments: call.arguments.filter(|_| is_whole).map(json),
            ending: Some(call.ending.into()),
            message: call.message,
            started_at: rfc3339(call.started_ms),
            duration_ms: call.duration_us as f64 / 1000.0,
            bytes_in: call.bytes_in,
            bytes_out: call.bytes_out,
            tokens_in: call.tokens_in,
            tokens_out: call.tokens_out,
            notes: json(call.notes),
            files: json(call.files),
            handed: json(call.handed),
            has_raw: is_whole.then_some(call.raw != Raw::None),
        }
    }

    /// One that is not over yet.
    fn of_running(id: Id, session: String, about: UnderWay) -> CallInfo {
        let empty = || resultant::Json::array([]);
        let duration_ms = crate::clock::now_ms().saturating_sub(about.started_ms);
        CallInfo {
            id: id.to_string(),
            state: StateWord::Running,
            session,
            server: about.server.unwrap_or_default(),
            tool: about.tool,
            client: CLIENT_NAME.to_owned(),
            arguments_sha256: Sha256Digest::of(about.arguments.as_text().as_bytes()).to_string(),
            arguments: Some(about.arguments).filter(|json| json.as_text().len() <= SHOWN_BYTES_MAX),
            ending: None,
            message: None,
            started_at: rfc3339(about.started_ms),
            duration_ms: duration_ms as f64,
            bytes_in: 0,
            bytes_out: 0,
            tokens_in: 0,
            tokens_out: 0,
            notes: empty(),
            files: empty(),
            handed: empty(),
            has_raw: Some(false),
        }
    }
}

/// A call, wherever it is.
enum Found {
    Over(Box<Call>),
    Running(Id, String, UnderWay),
}

impl Api {
    /// The record of a call of the user's; one that is under way has none yet.
    async fn call_record(&self, user: &User, call: &str) -> Result<Call, Problem> {
        match self.find_call(user, call).await? {
            Found::Over(call) => Ok(*call),
            Found::Running(..) => {
                let problem = Problem::new(CONFLICT, "the call is not over yet");
                Err(problem.hint("wait for `tool_complete`, or until its `state` is `over`"))
            }
        }
    }

    /// A call of the user's. One that ended just now may still be on its way into the store.
    async fn find_call(&self, user: &User, call: &str) -> Result<Found, Problem> {
        let call = id(call)?;
        let store = &self.gateway.store;
        if let Some(found) = store.call(&user.id, call).await? {
            return Ok(Found::Over(Box::new(found)));
        }
        if let Some((session, about)) = self.running.find(&user.id, call) {
            return Ok(Found::Running(call, session, about));
        }
        store.flush().await?;
        let found = store.call(&user.id, call).await?.ok_or_else(Problem::not_found)?;
        Ok(Found::Over(Box::new(found)))
    }
}

async fn list(
    State(api): State<Api>,
    Who(user): Who,
    Asked(query): Asked<CallQuery>,
) -> Result<impl IntoResponse, Problem> {
    let page = wanted(query.count, query.cursor.as_deref())?;
    let filter =
        CallFilter { session: query.session.clone(), server: query.server, tool: query.tool };
    let store = &api.gateway.store;
    // What was called a moment ago is to be in the list.
    store.flush().await?;
    let found = store.calls(&user.id, &filter, &page).await?;
    if let Some(session) = query.session.filter(|_| found.is_empty()) {
        // The calls of a session that was deleted are still there; of one that never was, nothing.
        api.caller(&user, &session).await?;
    }
    let place = |call: &Call| (call.started_ms, call.id.to_string());
    Ok(Json(listing(&page, found, place, |call| CallInfo::of(call, false))))
}

async fn one(
    State(api): State<Api>,
    Who(user): Who,
    Place(call): Place<String>,
) -> Result<impl IntoResponse, Problem> {
    Ok(Json(match api.find_call(&user, &call).await? {
        Found::Over(call) => CallInfo::of(*call, true),
        Found::Running(id, session, about) => CallInfo::of_running(id, session, about),
    }))
}

async fn raw(
    State(api): State<Api>,
    Who(user): Who,
    Place(call): Place<String>,
) -> Result<Response, Problem> {
    let call = api.call_record(&user, &call).await?;
    let bytes = api.gateway.store.read_raw(&call).await?;
    let bytes = bytes.ok_or_else(|| {
        Problem::new(NOT_FOUND, "what the server answered was not kept").hint("see `keep_raw`")
    })?;
    let mut response = Response::new(Body::from_stream(bytes));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let name = HeaderValue::from_str(&format!("attachment; filename=\"{}.json\"", call.id));
    if let Ok(name) = name {
        headers.insert(header::CONTENT_DISPOSITION, name);
    }
    Ok(safe(response))
}
