//! One contract for every MCP tool result.

mod base64;
mod json;
mod limits;
mod note;
mod protocol;
mod spill;
mod value;

pub use self::{
    json::{Json, Kind, Object, SyntaxError},
    limits::Limits,
    note::{Note, Rule, Weight},
    protocol::{Protocol, UnknownProtocol},
    spill::{MemorySink, Sink, SpillId},
    value::{
        Any, Block, Bytes, Contents, Data, Failure, Profile, ReadResult, Reply, ResourceReply,
        ToolResult, UnknownProfile, reply, reply_resource,
    },
};
