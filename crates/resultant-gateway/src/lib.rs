//! One MCP endpoint over many servers, every tool result in order.

mod body;
mod rpc;
mod upstream;

pub use self::upstream::{
    FollowRedirects, Login, LoginError, LoginOptions, UserAgent, login, logout,
};
