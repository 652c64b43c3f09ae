//! One contract for every MCP tool result.

mod base64;
pub mod envelope;
mod json;
mod limits;
mod note;
mod protocol;
mod spill;

pub use self::{
    json::{Json, Kind, Object, SyntaxError},
    limits::Limits,
    note::{Note, Rule, Weight},
    protocol::{Protocol, UnknownProtocol},
    spill::{MemorySink, Sink, SpillId},
};
