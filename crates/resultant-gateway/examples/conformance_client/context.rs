//! What the suite says in the environment, and the configuration that follows from it.

use std::path::Path;

use serde_json::{Value, json};

use crate::Failure;

/// The server's name in the configuration.
pub(crate) const SERVER: &str = "suite";

/// The client id that the suite expects of clients who have a document about themselves. It is
/// compared and never fetched.
const CLIENT_DOCUMENT: &str = "https://conformance-test.local/client-metadata.json";

/// One run of a scenario.
pub(crate) struct Context {
    pub(crate) scenario: String,
    /// What the scenario tells beside its name.
    pub(crate) given: Value,
}

impl Context {
    pub(crate) fn read() -> Result<Context, Failure> {
        let scenario = std::env::var("MCP_CONFORMANCE_SCENARIO")?;
        let given = match std::env::var("MCP_CONFORMANCE_CONTEXT") {
            Ok(given) => serde_json::from_str(&given)?,
            Err(_) => Value::Null,
        };
        Ok(Context { scenario, given })
    }

    /// The configuration of a gateway with this one server. It is connected when it is used, as the
    /// one who uses it; the version is for the gateway to find out.
    pub(crate) fn config(&self, url: &str, data: &Path) -> Value {
        let grant = match self.scenario.contains("client-credentials-basic") {
            true => "client",
            false => "person",
        };
        let oauth = json!({
            "client_id": self.given["client_id"],
            "client_secret": self.given["client_secret"],
            "client_metadata_url": CLIENT_DOCUMENT,
            "grant": grant,
        });
        json!({
            "mcpServers": {SERVER: {"url": url, "resultant": {"start": "lazy", "oauth": oauth}}},
            "resultant": {"data": data},
        })
    }
}
