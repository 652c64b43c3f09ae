//! One contract for every MCP tool result.

mod base64;
mod json;
mod limits;
mod note;
mod protocol;
mod schema;
mod spill;

pub use self::{
    json::{Json, Kind, Object, SyntaxError},
    limits::Limits,
    note::{Note, Rule, Weight},
    protocol::{Protocol, UnknownProtocol},
    schema::{
        Advertise, Problem, Schema, SchemaError, SchemaLimits, SchemaPolicy, Unchecked,
        UnknownSchemaPolicy, Upgrade, Verdict,
    },
    spill::{MemorySink, Sink, SpillId},
};
