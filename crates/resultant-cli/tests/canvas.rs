//! The page and its sandbox, as the real program serves them: two origins, what browsers are told
//! about each, and what the page asks the gateway for.
#![expect(clippy::unwrap_used, reason = "a panic is a test's report")]

#[path = "canvas/apps.rs"]
mod apps;
#[path = "canvas/bench.rs"]
mod bench;
#[path = "canvas/dashboards.rs"]
mod dashboards;
#[path = "canvas/host.rs"]
mod host;
#[path = "support/mcp.rs"]
mod mcp;
#[path = "canvas/origins.rs"]
mod origins;
#[path = "canvas/renderings.rs"]
mod renderings;
