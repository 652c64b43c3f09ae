//! What calls came to: how much servers sent, how much of it models got, and what was saved.

use axum::{Json, extract::State, response::IntoResponse};
use resultant_store::{CallFilter, Totals, TotalsBy};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Api,
    extract::{Asked, Place, Who},
    operation::Operation,
    problem::{BAD_REQUEST, NOT_FOUND, Problem},
};
use crate::caller::User;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/api/stats", all)
            .named("getStats", "See what your calls came to, by server and by session")
            .described(DESCRIPTION)
            .query::<StatsQuery>()
            .gives::<Stats>(200, "The totals.")
            .fails(&[BAD_REQUEST]),
        Operation::get("/api/sessions/{session}/stats", of_session)
            .named("getSessionStats", "See what the calls of a session came to, by server")
            .described(DESCRIPTION)
            .gives::<Stats>(200, "The totals.")
            .fails(&[NOT_FOUND]),
    ]
}

const DESCRIPTION: &str = "Tokens are those that a model sees, in the lanes that its client shows: `tokens_received` of \
     what servers sent, `tokens_given` of what was written instead. Calls of the gateway's own \
     tools are under the server `resultant`; nothing is received there, so what a model looked up \
     later is taken off what was saved. Calls count for as long as their records are kept.";

/// Which calls are meant.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
struct StatsQuery {
    /// Those of this session.
    session: Option<String>,
    /// Those of this server.
    server: Option<String>,
}

/// What some calls came to.
#[derive(Debug, Default, Serialize, JsonSchema)]
struct TotalsInfo {
    /// How many there were.
    calls: u64,
    /// How many of them ended otherwise than with a result.
    errors: u64,
    /// Bytes that servers answered with.
    bytes_received: u64,
    /// Bytes that were written instead.
    bytes_given: u64,
    /// Tokens that models would have seen of what servers sent.
    tokens_received: u64,
    /// Tokens that models got.
    tokens_given: u64,
    /// The difference; below zero where a model got more than came.
    tokens_saved: i64,
}

impl TotalsInfo {
    fn add(&mut self, totals: &Totals) {
        self.calls += totals.calls;
        self.errors += totals.errors;
        self.bytes_received += totals.bytes_in;
        self.bytes_given += totals.bytes_out;
        self.tokens_received += totals.tokens_in;
        self.tokens_given += totals.tokens_out;
        let signed = |tokens: u64| i64::try_from(tokens).unwrap_or(i64::MAX);
        self.tokens_saved = signed(self.tokens_received) - signed(self.tokens_given);
    }
}

/// What the calls of one server or session came to.
#[derive(Debug, Serialize, JsonSchema)]
struct NamedTotals {
    /// The server's name, or the session's id.
    name: String,
    /// The totals.
    #[serde(flatten)]
    totals: TotalsInfo,
}

/// What calls came to.
#[derive(Debug, Serialize, JsonSchema)]
struct Stats {
    /// All of them together.
    total: TotalsInfo,
    /// By server, in the order of their names.
    servers: Vec<NamedTotals>,
    /// By session, the most recent first; at most 1000.
    sessions: Vec<NamedTotals>,
}

fn named(totals: Vec<Totals>) -> Vec<NamedTotals> {
    let named = |totals: Totals| {
        let mut info = TotalsInfo::default();
        info.add(&totals);
        NamedTotals { name: totals.name, totals: info }
    };
    totals.into_iter().map(named).collect()
}

async fn stats(api: &Api, user: &User, filter: &CallFilter) -> Result<Stats, Problem> {
    let store = &api.gateway.store;
    // What was called a moment ago counts.
    store.flush().await?;
    let by_server = store.totals(Some(&user.id), filter, TotalsBy::Server).await?;
    let by_session = store.totals(Some(&user.id), filter, TotalsBy::Session).await?;
    let mut total = TotalsInfo::default();
    by_server.iter().for_each(|totals| total.add(totals));
    Ok(Stats { total, servers: named(by_server), sessions: named(by_session) })
}

async fn all(
    State(api): State<Api>,
    Who(user): Who,
    Asked(query): Asked<StatsQuery>,
) -> Result<impl IntoResponse, Problem> {
    let filter = CallFilter { session: query.session, server: query.server, tool: None };
    Ok(Json(stats(&api, &user, &filter).await?))
}

async fn of_session(
    State(api): State<Api>,
    Who(user): Who,
    Place(session): Place<String>,
) -> Result<impl IntoResponse, Problem> {
    let caller = api.caller(&user, &session).await?;
    let session = Some(caller.session.to_string());
    let filter = CallFilter { session, ..CallFilter::default() };
    Ok(Json(stats(&api, &user, &filter).await?))
}
