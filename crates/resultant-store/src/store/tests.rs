//! One behaviour over memory, a folder and a server that speaks S3's protocol, each with SQLite, and
//! over a folder with PostgreSQL.

mod behaviour;
mod faults;
mod harness;
mod killed;
mod model;
mod secrets;
mod upgrade;
