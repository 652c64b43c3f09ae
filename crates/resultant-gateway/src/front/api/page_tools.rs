//! Tools that live in web pages: the WebSocket that pages connect to, tokens for them, and what is
//! connected.

mod message;
mod socket;
mod talk;

use std::time::Duration;

use axum::{
    Json,
    extract::{FromRequestParts as _, Request, State, WebSocketUpgrade},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::socket::Visit;
use super::{
    Api,
    extract::{Said, Who},
    operation::{Access, Operation},
    problem::{BAD_REQUEST, BUSY, FORBIDDEN, NOT_FOUND, Problem},
    when::rfc3339,
};
use crate::{
    clock,
    page_tools::{ConnectionFacts, Refusal, Tab, TabFacts},
};

/// Where pages connect.
pub(in crate::front) const PATH: &str = "/api/page";
/// So many pages are connected at the same time, in one process, known or not.
pub(super) const VISITORS_MAX: usize = 4096;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get(PATH, connect)
            .named("connectPage", "Connect a web page that offers tools")
            .described(
                "A WebSocket with the subprotocol `resultant.page.v1`. Whose page it is says its \
                 first message, `hello`, with a token: one of `createPageToken`, or any credential \
                 that the API takes. The messages are described in `docs/api.md`. Pages of foreign \
                 origins are told so and closed with 4403, see `pages.origins` and \
                 `allowed_origins` in the configuration.",
            )
            .open_to(Access::Everybody)
            .gives_nothing(101, "The page can say `hello`.")
            .fails(&[BAD_REQUEST, FORBIDDEN, NOT_FOUND, BUSY]),
        Operation::get("/api/pages", list)
            .named("listPages", "List the web pages that offer tools")
            .gives::<PageList>(200, "Those that are connected to this gateway."),
        Operation::post("/api/page-tokens", create_token)
            .named("createPageToken", "Make a token for a web page")
            .described(
                "With it a page can offer tools to the user who asks here, and do nothing else. It \
                 is for the pages of one origin where one is named.",
            )
            .takes::<NewPageToken>()
            .gives::<PageToken>(201, "The token. It is not shown again.")
            .fails(&[BAD_REQUEST, NOT_FOUND]),
    ]
}

/// A token to make.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct NewPageToken {
    /// The origin whose pages it is for, such as `https://app.example`; any when absent.
    origin: Option<String>,
    /// How long it is good, in seconds; at most `pages.token_seconds` of the configuration.
    #[schemars(range(min = 1))]
    seconds: Option<u64>,
}

/// A token that was made.
#[derive(Debug, Serialize, JsonSchema)]
struct PageToken {
    /// The token, for the first message of a page.
    token: String,
    /// How long it is good, in seconds.
    seconds: u64,
    /// When it ends.
    expires_at: String,
    /// The origin whose pages it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<String>,
}

async fn create_token(
    State(api): State<Api>,
    Who(user): Who,
    Said(new): Said<NewPageToken>,
) -> Result<impl IntoResponse, Problem> {
    let config = api.gateway.config();
    let pages = config.pages.as_ref().ok_or_else(no_pages)?;
    let time = match new.seconds {
        Some(0) => return Err(Problem::bad("a token is good for at least one second")),
        Some(seconds) => pages.token_time.min(Duration::from_secs(seconds)),
        None => pages.token_time,
    };
    let origin = new.origin.as_deref().map(origin_of).transpose()?;
    let tokens = &api.gateway.auth().pages;
    let token = tokens.new_tool_token(&user, origin.as_deref(), time).await?;
    let ends_ms = clock::now_ms() + i64::try_from(time.as_millis()).unwrap_or_default();
    let expires_at = rfc3339(ends_ms);
    let made = PageToken { token, seconds: time.as_secs(), expires_at, origin };
    let headers = [(header::CACHE_CONTROL, "no-store")];
    Ok((StatusCode::CREATED, headers, Json(made)))
}

/// An origin as browsers write it.
fn origin_of(text: &str) -> Result<String, Problem> {
    let bad = || {
        Problem::bad("this is no origin").hint("`https://HOST`, as a browser sends it in `Origin`")
    };
    let url = url::Url::parse(text).map_err(|_| bad())?;
    let is_bare = matches!(url.path(), "" | "/") && url.query().is_none();
    match matches!(url.scheme(), "http" | "https") && is_bare && url.fragment().is_none() {
        true => Ok(url.origin().ascii_serialization()),
        false => Err(bad()),
    }
}

fn no_pages() -> Problem {
    Problem::new(NOT_FOUND, "pages offer no tools here")
        .hint("see `pages` in the configuration of the gateway")
}

/// The pages of a user.
#[derive(Debug, Serialize, JsonSchema)]
struct PageList {
    /// The pages.
    items: Vec<PageInfo>,
}

/// A connection of a page, or of several that share one.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Page")]
struct PageInfo {
    /// Its id.
    connection: String,
    /// The name of the program that connected.
    client: String,
    /// Its version.
    client_version: String,
    /// Where it comes from, as its browser says.
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<String>,
    /// Since when it is connected.
    since: String,
    /// Its tabs.
    tabs: Vec<TabInfo>,
    /// The names of its tools.
    tools: Vec<String>,
}

/// A tab.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PageTab")]
struct TabInfo {
    /// Its id: what `_meta["resultant/tab"]` of a call takes.
    tab: String,
    /// Its title.
    title: String,
    /// Its address.
    url: String,
    /// Whether it is the one in use.
    active: bool,
    /// Whether it can be seen.
    visible: bool,
}

impl From<ConnectionFacts> for PageInfo {
    fn from(facts: ConnectionFacts) -> PageInfo {
        let ConnectionFacts { id, client, origin, since_ms, tabs, tools } = facts;
        let tab = |TabFacts { id, tab }| {
            let Tab { title, url, is_active, is_visible } = tab;
            TabInfo { tab: id, title, url, active: is_active, visible: is_visible }
        };
        let (client, client_version) = client;
        let tabs = tabs.into_iter().map(tab).collect();
        let since = rfc3339(since_ms);
        PageInfo { connection: id, client, client_version, origin, since, tabs, tools }
    }
}

async fn list(State(api): State<Api>, Who(user): Who) -> Result<impl IntoResponse, Problem> {
    let connected = api.gateway.page_tools.connected(&user.id);
    Ok(Json(PageList { items: connected.into_iter().map(PageInfo::from).collect() }))
}

/// Tells a page that pages of its origin may not connect; nothing where it is no page that asks for
/// a WebSocket, or where there are too many of those.
pub(in crate::front) async fn turn_away(request: Request) -> Option<Response> {
    let (mut parts, _) = request.into_parts();
    let upgrade = WebSocketUpgrade::from_request_parts(&mut parts, &()).await.ok()?;
    let origin = parts.headers.get(header::ORIGIN).and_then(|origin| origin.to_str().ok());
    let origin: String = origin.unwrap_or("this origin").chars().take(80).collect();
    let reason = format!("pages of {origin} may not connect (pages.origins)");
    let hint = "add the origin to `pages.origins` in the configuration of the gateway";
    socket::turn_away(upgrade, Refusal::new(reason, hint))
}

async fn connect(State(api): State<Api>, request: Request) -> Result<Response, Problem> {
    api.gateway.config().pages.as_ref().ok_or_else(no_pages)?;
    let (mut parts, _) = request.into_parts();
    let upgrade = WebSocketUpgrade::from_request_parts(&mut parts, &api).await;
    let upgrade = upgrade.map_err(|_| {
        Problem::bad("this is no request for a WebSocket").hint("version 13, by HTTP/1.1")
    })?;
    let busy = || Problem::new(BUSY, format!("{VISITORS_MAX} pages are connected already"));
    let place = api.visitors.clone().try_acquire_owned().map_err(|_| busy())?;
    Ok(socket::serve(upgrade, Visit::new(api, parts.headers, place)))
}

#[cfg(test)]
mod tests {
    use super::origin_of;

    #[test]
    fn an_origin_is_as_browsers_write_it() {
        for (text, expected) in [
            ("https://App.example/", Some("https://app.example")),
            ("http://localhost:5173", Some("http://localhost:5173")),
            ("https://app.example:443", Some("https://app.example")),
            ("https://app.example/path", None),
            ("app.example", None),
            ("file:///tmp", None),
            ("null", None),
        ] {
            assert_eq!(origin_of(text).ok().as_deref(), expected, "{text}");
        }
    }
}
