//! The real gateway in front of a server that misbehaves.
//!
//! Whatever the server does, the call in question ends with a reason that says what happened, the
//! calls beside it go on, nothing is sent twice, nothing waits for ever, and at the end the gateway
//! is alive, has no child processes it forgot and no half-written files.

#[path = "faults/asking.rs"]
mod asking;
#[path = "faults/ends.rs"]
mod ends;
#[path = "faults/full_disk.rs"]
mod full_disk;
#[path = "faults/hostile.rs"]
mod hostile;
#[path = "faults/json.rs"]
mod json;
#[path = "faults/life.rs"]
mod life;
#[path = "faults/lines.rs"]
mod lines;
#[path = "faults/lists.rs"]
mod lists;
#[path = "faults/long.rs"]
mod long;
#[path = "support/mcp.rs"]
mod mcp;
#[path = "faults/over_http.rs"]
mod over_http;
#[path = "faults/sizes.rs"]
mod sizes;
