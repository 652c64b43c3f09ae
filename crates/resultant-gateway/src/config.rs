//! placeholder
#![allow(missing_docs)]
use std::{path::PathBuf, time::Duration};
use resultant::{Budget, SchemaPolicy, Shape};

#[derive(Clone, Debug, PartialEq)]
pub struct GatewayLimits { pub message_bytes_max: u64, pub inline_bytes_max: usize, pub string_bytes_max: usize, pub depth_max: usize, pub blocks_max: usize, pub request_bytes_max: usize, pub calls_in_flight_max: usize, pub sessions_max: usize, pub tools_max: usize }
#[derive(Clone, Debug, PartialEq)]
pub struct Timeouts { pub connect: Duration, pub call: Option<Duration>, pub shutdown: Duration, pub heartbeat: Duration, pub park: Duration, pub session_idle: Duration }
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolate { Auto, Shared, Session, User }
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era { Auto, Legacy, Modern }
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start { Eager, Lazy }
#[derive(Clone, Debug, PartialEq)]
pub enum Transport { Stdio { command: String, args: Vec<String>, env: Vec<(String, String)>, cwd: Option<PathBuf> }, Http { url: url::Url, headers: Vec<(String, String)> } }
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ToolFilter;
impl ToolFilter { pub fn allows(&self, _name: &str) -> bool { true } }
#[derive(Clone, Debug, PartialEq)]
pub struct ServerName(pub String);
impl ServerName { pub fn as_str(&self) -> &str { &self.0 } }
#[derive(Clone, Debug, PartialEq)]
pub struct ServerConfig { pub name: ServerName, pub transport: Transport, pub prefix: String, pub shape: Shape, pub schema_policy: SchemaPolicy, pub isolate: Isolate, pub era: Era, pub start: Start, pub call_timeout: Option<Duration>, pub connect_timeout: Duration, pub tools: ToolFilter, pub message_bytes_max: u64, pub is_disabled: bool }
#[derive(Clone, Debug)]
pub struct Config { pub source: Option<PathBuf>, pub listen: String, pub data: PathBuf, pub limits: GatewayLimits, pub timeouts: Timeouts, pub budget: Budget, pub allowed_hosts: Vec<String>, pub allowed_origins: Vec<String>, pub servers: Vec<ServerConfig> }
