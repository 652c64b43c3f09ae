//! One MCP endpoint over many servers, every tool result in order.

mod body;
mod bridge;
mod catalog;
mod client;
pub mod config;
mod dispatch;
mod files;
mod forward;
mod front;
mod gateway;
mod listeners;
mod local;
mod metrics;
mod orphans;
mod pipeline;
mod random;
mod reply;
mod routes;
mod rpc;
mod survey;
mod upstream;

pub use self::{
    front::{Listener, listen, serve, serve_stdio},
    gateway::{Gateway, StartError},
    local::{CallError, Caller, Delivery, KeptFile, LocalCall, Question, Step},
    orphans::{end_orphans, watch_orphans},
    pipeline::{Audience, Text},
    survey::{Failure, ServerReport, ToolOddity, ToolReport},
    upstream::{
        FailureKind, FollowRedirects, Login, LoginError, LoginOptions, UserAgent, login, logout,
    },
};
