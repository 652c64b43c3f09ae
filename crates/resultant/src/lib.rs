//! One contract for every MCP tool result.

mod artifact;
mod base64;
mod dialect;
pub mod envelope;
mod json;
mod limits;
mod note;
mod outcome;
mod protocol;
mod read;
mod render;
#[cfg(feature = "rmcp")]
pub mod rmcp;
mod schema;
mod spill;
mod survey;
mod table;
mod value;
mod wire;

pub use self::{
    artifact::{
        Artifact, Content, Sha256Digest, Viewer,
        foreign::{clean_file_name, file_is_showable, file_media_type, file_viewer},
    },
    dialect::Dialect,
    json::{Json, Kind, Object, SyntaxError},
    limits::Limits,
    note::{Note, Rule, Weight},
    outcome::{Canvas, Display, Link, Mode, Outcome},
    protocol::{Protocol, UnknownProtocol},
    read::{Input, ReadOptions, Reader, read},
    render::{
        BlockTypes, Budget, ClientOptions, ClientResult, IMAGE_BLOCKS_MAX, ModelText, More, Sees,
        Shape, ShownImage, estimate_tokens,
    },
    schema::{
        Advertise, Problem, Schema, SchemaError, SchemaLimits, SchemaPolicy, Unchecked,
        UnknownSchemaPolicy, Upgrade, Verdict,
    },
    spill::{MemorySink, Sink, SpillId},
    table::{Cell, Row, RowReader, TableKind, TableLosses, table_kind},
    value::{
        Any, Block, Bytes, Contents, Data, Failure, Profile, ReadResult, Reply, ResourceReply,
        ToolResult, UnknownProfile, reply, reply_resource,
    },
};

/// The Rust examples of the documents are tests.
#[cfg(doctest)]
mod documents {
    #[doc = include_str!("../../../README.md")]
    struct Readme;

    #[doc = include_str!("../../../docs/contract.md")]
    struct Contract;
}
