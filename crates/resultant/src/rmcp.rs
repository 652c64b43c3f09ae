//! Tool servers on rmcp, the official Rust SDK: a `#[tool]` function returns any value.
//!
//! [`Return`] takes whatever [`reply`](crate::reply()) takes. [`Typed`] takes a value whose type has
//! a schema; written as [`Json<Typed<T>>`](Json), the schema is advertised, and every result agrees
//! with it. A function that can fail returns a `Result` with a [`Failure`], so that `?` works, and
//! the model gets to read why. [`Block`], [`ToolResult`] and [`Envelope`] need no wrapper at all.
//!
//! ```
//! use resultant::{Block, Failure, rmcp::{Json, Return, Typed}};
//! use rmcp::{handler::server::wrapper::Parameters, tool, tool_router};
//!
//! #[derive(serde::Deserialize, schemars::JsonSchema)]
//! struct Numbers {
//!     text: String,
//! }
//!
//! #[derive(Clone)]
//! struct Server;
//!
//! #[tool_router(server_handler)]
//! impl Server {
//!     /// Adds up the numbers in a text.
//!     #[tool]
//!     fn add(&self, Parameters(Numbers { text }): Parameters<Numbers>) -> Result<Json<Typed<i64>>, Failure> {
//!         let mut sum = 0;
//!         for number in text.split_whitespace() {
//!             sum += number.parse::<i64>()?;
//!         }
//!         Ok(Typed(sum))
//!     }
//!
//!     /// A text and a picture.
//!     #[tool]
//!     fn picture(&self) -> Return<Vec<Block>> {
//!         Return(vec![Block::text("a dot"), Block::image(b"GIF89a", "image/gif")])
//!     }
//! }
//!
//! let schema = Server::add_tool_attr().output_schema.unwrap();
//! assert_eq!(schema["properties"]["result"]["type"], "integer");
//! assert!(Server::picture_tool_attr().output_schema.is_none());
//! ```
//!
//! rmcp asks for a result before anybody can tell which protocol version it is for. So the result is
//! one that every version with structured content takes: it is always an object, and what is not an
//! object is its member `result`. [`fitted`] sees to the versions before that.
//!
//! The other way, [`read`] makes an [`Outcome`](crate::Outcome) of what rmcp's client got. All of
//! this goes through rmcp's own types. They hold large numbers only approximately (in structured
//! content, not in text), and have no room for fields they do not know.

mod convert;
mod fitted;
mod typed;

use ::rmcp::{
    ErrorData,
    handler::server::tool::IntoCallToolResult,
    model::{CallToolResponse, CallToolResult},
};
use serde::Serialize;

pub use self::{
    convert::read,
    fitted::{Fitted, fitted},
    typed::{Typed, output_schema},
};
use crate::{Block, Failure, Profile, Reply, ToolResult, envelope::Envelope, reply};

/// The profile [`Profile::Openmcp`], as the second parameter of [`Return`] and [`Typed`]. It is the
/// default.
pub const OPENMCP: bool = false;

/// The profile [`Profile::Spec`], as the second parameter of [`Return`] and [`Typed`].
pub const SPEC: bool = true;

/// What a `#[tool]` function returns for its schema to be advertised.
///
/// The macro looks at the return type as it is written. Where that is `Json<…>`, or a `Result` of
/// it, the schema of what is in the brackets goes into `tools/list`. This `Json` is nothing but
/// that: `Json<Typed<T>>` is `Typed<T>`. Without it, `Typed<T>` is returned all the same, and
/// nothing is advertised.
///
/// ```
/// use resultant::{envelope::Envelope, rmcp::Json};
/// use rmcp::tool;
///
/// struct Server;
///
/// impl Server {
///     #[tool]
///     fn tasks(&self) -> Json<Envelope> {
///         Envelope::success().field("tasks", ["write", "read"])
///     }
/// }
///
/// let schema = Server::tasks_tool_attr().output_schema.unwrap();
/// assert_eq!(schema["required"], serde_json::json!(["success", "data", "error", "meta"]));
/// ```
pub type Json<R> = R;

/// Any value, as what a `#[tool]` function returns. The table at [`reply`](crate::reply()) says what
/// becomes of it.
///
/// The text is written in the profile [`Profile::Openmcp`], in a `Return<T, SPEC>` in
/// [`Profile::Spec`]. No schema is advertised, because what is returned may be a whole result, or
/// blocks without structured content; where there is a type, [`Typed`] tells it to the client.
///
/// ```
/// use resultant::rmcp::{Return, SPEC};
/// use rmcp::{handler::server::tool::IntoCallToolResult, model::CallToolResponse};
///
/// fn primes() -> Return<[u8; 3]> {
///     Return([2, 3, 5])
/// }
///
/// fn primes_as_specified() -> Return<[u8; 3], SPEC> {
///     Return([2, 3, 5])
/// }
///
/// let CallToolResponse::Complete(result) = primes().into_call_tool_result()? else { panic!() };
/// assert_eq!(result.content.len(), 3);
/// assert_eq!(result.structured_content, Some(serde_json::json!({"result": [2, 3, 5]})));
///
/// let CallToolResponse::Complete(result) = primes_as_specified().into_call_tool_result()? else { panic!() };
/// assert_eq!(result.content[0].as_text().unwrap().text, r#"{"result":[2,3,5]}"#);
/// # Ok::<(), rmcp::ErrorData>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Return<T, const PROFILE: bool = OPENMCP>(pub T);

fn profile(profile: bool) -> Profile {
    match profile {
        OPENMCP => Profile::Openmcp,
        SPEC => Profile::Spec,
    }
}

impl<T: Serialize, const PROFILE: bool> IntoCallToolResult for Return<T, PROFILE> {
    fn into_call_tool_result(self) -> Result<CallToolResponse, ErrorData> {
        reply(self.0).profile(profile(PROFILE)).into_call_tool_result()
    }
}

impl IntoCallToolResult for Reply {
    fn into_call_tool_result(self) -> Result<CallToolResponse, ErrorData> {
        Ok(CallToolResult::from(self).into())
    }
}

impl IntoCallToolResult for Block {
    fn into_call_tool_result(self) -> Result<CallToolResponse, ErrorData> {
        reply(self).into_call_tool_result()
    }
}

impl IntoCallToolResult for ToolResult {
    fn into_call_tool_result(self) -> Result<CallToolResponse, ErrorData> {
        reply(self).into_call_tool_result()
    }
}

/// A result with `isError`, which the model reads; never a JSON-RPC error, which it does not.
impl IntoCallToolResult for Failure {
    fn into_call_tool_result(self) -> Result<CallToolResponse, ErrorData> {
        reply(self).into_call_tool_result()
    }
}

impl IntoCallToolResult for Envelope {
    fn into_call_tool_result(self) -> Result<CallToolResponse, ErrorData> {
        Ok(CallToolResult::from(&self).into())
    }
}

#[cfg(test)]
mod tests;
