//! Tools that live in web pages: the real program, a real WebSocket where the page would be, and MCP
//! clients of both eras on the other side.

#[expect(dead_code, reason = "nobody signs in here")]
#[path = "callers/issuer.rs"]
mod issuer;
#[path = "page_tools/load.rs"]
mod load;
#[path = "support/mcp.rs"]
mod mcp;
#[path = "page_tools/modes.rs"]
mod modes;
#[path = "page_tools/page.rs"]
mod page;
#[path = "page_tools/refusals.rs"]
mod refusals;
#[path = "page_tools/structured.rs"]
mod structured;
#[path = "page_tools/tabs.rs"]
mod tabs;
#[path = "page_tools/talking.rs"]
mod talking;
#[path = "page_tools/users.rs"]
mod users;
