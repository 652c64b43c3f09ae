//! The HTTP API of the real program, over real sockets, before the demo server.

#[path = "api/calls.rs"]
mod calls;
#[path = "api/client.rs"]
mod client;
#[path = "api/connections.rs"]
mod connections;
#[path = "api/contract.rs"]
mod contract;
#[path = "api/downloads.rs"]
mod downloads;
#[path = "api/events.rs"]
mod events;
#[path = "api/files.rs"]
mod files;
#[path = "api/isolation.rs"]
mod isolation;
#[path = "support/mcp.rs"]
mod mcp;
#[path = "api/names.rs"]
mod names;
#[path = "api/running.rs"]
mod running;
#[path = "api/said.rs"]
mod said;
#[path = "api/sessions.rs"]
mod sessions;
