//! The file that `resultant init` writes: everything at its default, with what may be changed.

/// A commented configuration without servers.
pub fn starter() -> String {
    let head = "\
// The configuration of Resultant, see docs/config.md. Comments and trailing commas are allowed.
";
    format!("{head}{{\n  \"mcpServers\": {{\n{EXAMPLES}  }},\n{SETTINGS}}}\n")
}

const EXAMPLES: &str = r#"    // Copy your servers here as other MCP clients have them, or take the slashes away:
    // "filesystem": {
    //   "command": "npx",
    //   "args": ["-y", "@modelcontextprotocol/server-filesystem", "."],
    // },
    // "notes": {
    //   "url": "https://mcp.example/mcp",
    //   // A variable comes from the environment that Resultant is started in.
    //   "headers": {"Authorization": "Bearer ${NOTES_TOKEN}"},
    //   "disabled": true,
    //   "resultant": {
    //     // Only these tools; `*` stands for any characters.
    //     "tools": {"allow": ["read_*", "search"], "deny": ["read_secret"]},
    //     // The form of its results: "mcp", "contract" or "envelope".
    //     "shape": "mcp",
    //     "timeouts": {"call_seconds": 60},
    //   },
    // },
"#;

/// Settings of ours, for a starter and for what is imported.
pub(super) const SETTINGS: &str = r#"  "resultant": {
    // Where clients connect: http://127.0.0.1:8737/mcp for all servers together,
    // http://127.0.0.1:8737/mcp/NAME for one.
    "listen": "127.0.0.1:8737",
    // How much of a result the model is given. The rest is kept as a file.
    "budget": {"bytes": 8192, "tokens": 2000},
    // Where files are kept; your data folder unless you say otherwise.
    // "data": "./data",
    // How long to wait, in seconds; a call without a limit has 0.
    // "timeouts": {"connect_seconds": 30, "call_seconds": 600},
    // The most that is taken.
    // "limits": {"message_bytes_max": 536870912, "calls_in_flight_max": 256},
    // Who may call. "local": you, on this machine; see docs/config.md before listening elsewhere.
    // "auth": {"mode": "local"},
    // Names by which other machines may call, and web pages that may.
    // "allowed_hosts": ["gateway.example"],
    // "allowed_origins": ["https://app.example"],
  },
"#;
