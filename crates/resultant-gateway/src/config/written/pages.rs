//! Tools that live in web pages, as they are written.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Tools that live in web pages. They are one more server, for their user alone; what
/// `servers` says under its name counts for it.
#[derive(Debug, Deserialize, JsonSchema, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Pages {
    /// Whether pages may offer tools.
    pub(crate) enabled: bool,
    /// The name of the server that a user's pages are; `page` when absent, or `page-tools` where a
    /// server has that name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    /// Web pages that may connect, beside the loopback ones and `allowed_origins`, as
    /// `https://HOST`.
    pub(crate) origins: Vec<String>,
    /// Tools of one user's pages; further ones are refused.
    #[schemars(range(min = 1, max = 10_000))]
    pub(crate) tools_max: usize,
    /// Connections of one user's pages; further ones are refused.
    #[schemars(range(min = 1, max = 1000))]
    pub(crate) connections_max: usize,
    /// Calls that run in one user's pages at the same time; a further one is an error.
    #[schemars(range(min = 1, max = 10_000))]
    pub(crate) calls_at_once_max: usize,
    /// Seconds between signs of life; a page that gives none for twice as long is cut off.
    #[schemars(range(min = 0.1, max = 3600.0))]
    pub(crate) heartbeat_seconds: f64,
    /// Seconds that a token for a page is good, at most.
    #[schemars(range(min = 1, max = 86_400))]
    pub(crate) token_seconds: u64,
}

impl Default for Pages {
    fn default() -> Pages {
        Pages {
            enabled: true,
            name: None,
            origins: Vec::new(),
            tools_max: 128,
            connections_max: 16,
            calls_at_once_max: 128,
            heartbeat_seconds: 15.0,
            token_seconds: 3600,
        }
    }
}
