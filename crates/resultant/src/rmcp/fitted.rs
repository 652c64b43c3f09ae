//! Results for clients of old protocol versions.

use ::rmcp::{
    ErrorData,
    handler::server::{router::tool::ToolRouter, tool::ToolCallContext},
    model::{CallToolResponse, CallToolResult, Tool},
};

use crate::{Json, Protocol, ToolResult, reply};

/// A router whose results fit the protocol version of each request: for a client that does not know
/// audio (before 2025-03-26) or resource links (before 2025-06-18), a block of that type is a line
/// of text that names it. Such clients often reject the whole result otherwise.
///
/// ```
/// use resultant::{Block, rmcp::fitted};
/// use rmcp::{ServerHandler, tool, tool_handler, tool_router};
///
/// struct Server;
///
/// #[tool_router]
/// impl Server {
///     #[tool]
///     fn rows(&self) -> Block {
///         Block::resource_link("file:///rows.csv", "rows.csv")
///     }
/// }
///
/// #[tool_handler(router = fitted(Self::tool_router()))]
/// impl ServerHandler for Server {}
/// ```
pub fn fitted<S>(router: ToolRouter<S>) -> Fitted<S> {
    Fitted { router }
}

/// What `#[tool_handler]` needs of a router; see [`fitted`].
#[derive(Clone, Debug)]
pub struct Fitted<S> {
    router: ToolRouter<S>,
}

impl<S: Send + Sync + 'static> Fitted<S> {
    /// Calls a tool.
    pub async fn call(
        &self,
        context: ToolCallContext<'_, S>,
    ) -> Result<CallToolResponse, ErrorData> {
        let version = context.request_context.protocol_version();
        let protocol = version.and_then(|version| version.as_str().parse().ok());
        let protocol = protocol.unwrap_or(Protocol::LATEST);
        Ok(match self.router.call(context).await? {
            CallToolResponse::Complete(result) => fit(result, protocol).into(),
            other => other,
        })
    }

    /// The tools.
    pub fn list_all(&self) -> Vec<Tool> {
        self.router.list_all()
    }

    /// The tool with this name.
    pub fn get(&self, name: &str) -> Option<&Tool> {
        self.router.get(name)
    }
}

fn fit(result: CallToolResult, protocol: Protocol) -> CallToolResult {
    if protocol.has_resource_links() && protocol.has_audio() {
        return result;
    }
    match ToolResult::from_json(&Json::from(&result)) {
        Some(whole) => reply(whole).protocol(protocol).into(),
        None => result,
    }
}
