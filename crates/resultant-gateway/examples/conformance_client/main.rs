//! The subject of the conformance suite's client scenarios: a whole gateway in front of the
//! suite's server, and somebody in the process who uses it.
//!
//! The suite starts this with the address of its server as the last argument and says in the
//! environment which scenario is played. Everything on the wire is the gateway's own doing; here is
//! only what a user would bring: which tools to call, answers to questions, a registered client,
//! and a browser, which for these authorization servers need do no more than follow redirects.

mod context;
mod play;

use std::{process::ExitCode, sync::Arc};

use resultant_gateway::{FollowRedirects, Gateway, config::Config};

use self::context::Context;

/// What can go wrong before a scenario begins or while it is played.
type Failure = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), Failure> {
    let url = std::env::args().next_back().unwrap_or_default();
    let context = Context::read()?;
    let folder = tempfile::tempdir()?;
    let written = context.config(&url, folder.path()).to_string();
    let loaded = Config::parse(&written, folder.path(), &|_| None)?;
    let gateway = Gateway::start_with(loaded.config, Some(Arc::new(FollowRedirects))).await?;
    let played = play::play(&gateway, &context).await;
    gateway.stop().await;
    played
}
