//! One MCP endpoint over many servers, every tool result in order.

mod arguments;
mod auth;
mod body;
mod bridge;
mod caller;
mod catalog;
mod client;
mod clock;
pub mod config;
mod dispatch;
mod events;
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
mod shared_sessions;
mod survey;
mod upstream;

pub use self::{
    auth::{LinkError, NewKey, new_key, page_link},
    front::{Listener, listen, serve, serve_stdio},
    gateway::{Gateway, StartError, open_store},
    local::{CallError, Caller, Delivery, LocalCall, Question, Step},
    orphans::{end_orphans, watch_orphans},
    pipeline::{Audience, Text},
    survey::{Failure, ServerReport, ToolOddity, ToolReport},
    upstream::{
        FailureKind, FollowRedirects, Login, LoginError, LoginOptions, UserAgent, login, logout,
    },
};
pub use resultant_store::{File, Store, StoreError, Swept};
