//! The servers behind the gateway.

mod wire;
