//! The servers behind the gateway.

mod http;
mod oauth;
mod wire;
