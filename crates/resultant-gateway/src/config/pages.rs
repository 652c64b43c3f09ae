//! Tools that live in web pages, as the program uses the settings for them.

use std::time::Duration;

use super::ServerConfig;

/// What web pages may offer tools under.
#[derive(Clone, Debug, PartialEq)]
pub struct PagesConfig {
    /// The server that a user's pages are: its name, and the settings that every server has.
    pub server: ServerConfig,
    /// Origins whose pages may connect beside those that may call us anyway, in lower case.
    pub origins: Vec<String>,
    /// Tools of one user's pages.
    pub tools_max: usize,
    /// Connections of one user's pages.
    pub connections_max: usize,
    /// Calls that run in one user's pages at the same time.
    pub calls_at_once_max: usize,
    /// Between signs of life; who gives none for twice as long is cut off.
    pub heartbeat: Duration,
    /// How long a token for a page is good, unless less is asked for.
    pub token_time: Duration,
}
