//! One MCP endpoint over many servers, every tool result in order.

mod arguments;
mod auth;
mod body;
mod bridge;
mod caller;
mod catalog;
mod clean;
mod client;
mod clients;
mod clock;
pub mod config;
mod dispatch;
mod events;
mod file_uri;
mod files;
mod forward;
mod front;
mod gateway;
mod host_canvas;
mod images;
mod listeners;
mod local;
mod metrics;
mod orphans;
mod page_tools;
mod pipeline;
mod random;
mod reply;
mod retrieval;
mod routes;
mod rpc;
mod sandbox;
mod shared_sessions;
mod survey;
mod tokens;
mod upstream;

pub use self::{
    auth::{LinkError, NewKey, new_key, page_link},
    front::{Listener, listen, serve, serve_stdio},
    gateway::{Gateway, StartError, open_store},
    local::{CallError, Caller, Delivery, LocalCall, Question, Step},
    orphans::{end_orphans, watch_orphans},
    pipeline::{Audience, Text},
    retrieval::query_worker,
    survey::{Failure, ServerReport, ToolOddity, ToolReport},
    upstream::{
        FailureKind, FollowRedirects, Login, LoginError, LoginOptions, UserAgent, login, logout,
    },
};
pub use resultant_store::{CallFilter, File, Store, StoreError, Swept, Totals, TotalsBy};
