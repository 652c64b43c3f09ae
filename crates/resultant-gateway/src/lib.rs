//! One MCP endpoint over many servers, every tool result in order.

mod body;
pub mod config;
mod rpc;
mod upstream;
