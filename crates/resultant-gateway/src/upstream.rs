//! The servers behind the gateway.

mod http;
mod oauth;
mod wire;

pub use self::oauth::{FollowRedirects, Login, LoginError, LoginOptions, UserAgent, login, logout};
