//! Several gateways as one: processes that share a PostgreSQL and an S3 server behind a load
//! balancer, and what is left when one of them, or one of those, dies.
//!
//! Everything is real: the program, the database, the store's protocol and `kill -9`. Ten kills in
//! the usual run, a thousand in the full one. Without PostgreSQL these tests skip with a line that
//! says so, and fail in CI.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test")]

#[path = "support/mcp.rs"]
mod mcp;
#[path = "../../resultant-store/tests/harness/postgres.rs"]
#[expect(clippy::allow_attributes, reason = "other tests use other parts")]
#[allow(dead_code, reason = "other tests use other parts")]
mod postgres;
#[path = "../../resultant-store/tests/harness/s3.rs"]
#[expect(clippy::allow_attributes, reason = "other tests use other parts")]
#[allow(dead_code, reason = "other tests use other parts")]
mod s3;

#[path = "replicas/balancer.rs"]
mod balancer;
#[path = "replicas/clients.rs"]
mod clients;
#[path = "replicas/cluster.rs"]
mod cluster;
#[path = "replicas/faults.rs"]
mod faults;
#[path = "replicas/kills.rs"]
mod kills;
#[path = "replicas/listener.rs"]
mod listener;
#[path = "replicas/user.rs"]
mod user;
#[path = "replicas/writers.rs"]
mod writers;

use std::time::Duration;

/// Longer than anything here takes, so that a hang ends as a failure.
const PATIENCE: Duration = Duration::from_secs(120);
