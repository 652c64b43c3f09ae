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
use resultant_store::{Call, CallFilter, Raw};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(super) use self::running::{Running, Seats};
use super::{
    Api,
    download::safe,
    extract::{Asked, Place, Who, id},
    operation::Operation,
    page::{Listing, listing, wanted},
    problem::{BAD_REQUEST, NOT_FOUND, Problem},
    when::rfc3339,
};
use crate::{
    caller::User,
    events::{AnyJson, EndingWord},
};

pub(super) fn operations() -> Vec<Operation> {
    let mut operations = run::operations();
    operations.extend([
        Operation::get("/api/calls", list)
            .named("listCalls", "List calls, the newest first")
            .described("Those of MCP clients too. What is long is left out.")
            .query::<CallQuery>()
            .gives::<Listing<CallInfo>>(200, "A part of the list.")
            .fails(&[BAD_REQUEST]),
        Operation::get("/api/calls/{call}", one)
            .named("getCall", "Look at a call")
            .described("It is there when the call is over.")
            .gives::<CallInfo>(200, "The record of the call.")
            .fails(&[NOT_FOUND]),
        Operation::get("/api/calls/{call}/raw", raw)
            .named("getRawAnswer", "Get what the server answered, to the byte")
            .gives_bytes("application/json", 200, "The bytes, as an attachment.")
            .fails(&[NOT_FOUND]),
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

/// A call that is over.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Call")]
struct CallInfo {
    /// Its id.
    id: String,
    /// Its session.
    session: String,
    /// The server.
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
    /// How it ended.
    ending: EndingWord,
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
            session: call.session,
            server: call.server,
            tool: call.tool,
            client: call.client,
            arguments_sha256: call.arguments_sha256,
            arguments: call.arguments.filter(|_| is_whole).map(json),
            ending: call.ending.into(),
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
}

impl Api {
    /// The record of a call of the user's. One that ended just now may still be on its way.
    async fn call_record(&self, user: &User, call: &str) -> Result<Call, Problem> {
        let call = id(call)?;
        let store = &self.gateway.store;
        if let Some(found) = store.call(&user.id, call).await? {
            return Ok(found);
        }
        store.flush().await?;
        store.call(&user.id, call).await?.ok_or_else(Problem::not_found)
    }
}

async fn list(
    State(api): State<Api>,
    Who(user): Who,
    Asked(query): Asked<CallQuery>,
) -> Result<impl IntoResponse, Problem> {
    let page = wanted(query.count, query.cursor.as_deref())?;
    let filter = CallFilter { session: query.session, server: query.server, tool: query.tool };
    let store = &api.gateway.store;
    // What was called a moment ago is to be in the list.
    store.flush().await?;
    let found = store.calls(&user.id, &filter, &page).await?;
    let place = |call: &Call| (call.started_ms, call.id.to_string());
    Ok(Json(listing(&page, found, place, |call| CallInfo::of(call, false))))
}

async fn one(
    State(api): State<Api>,
    Who(user): Who,
    Place(call): Place<String>,
) -> Result<impl IntoResponse, Problem> {
    let call = api.call_record(&user, &call).await?;
    Ok(Json(CallInfo::of(call, true)))
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
