//! What the model of each client sees: a server that says something else in every lane and block,
//! behind the gateway, with clients of many names.
//!
//! The test plays the client: it takes from a result what that client would show to its model, and
//! looks for the marks there.

#[path = "lanes/clean.rs"]
mod clean;
#[path = "support/mcp.rs"]
mod mcp;
#[path = "lanes/pictures.rs"]
mod pictures;
#[path = "lanes/seen.rs"]
mod seen;
