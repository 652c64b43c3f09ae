//! What it costs to stand in the way: the gateway beside the servers themselves and beside the
//! Python proxies, in one run on one machine.
//!
//! ```text
//! gateway_bench --resultant PROGRAM --echo PROGRAM [--fastmcp PYTHON] [--mcp-proxy PYTHON]
//!               [--seconds N] [--only calls|list|memory]
//! ```
//!
//! The load generator is the tests' raw client, so that the client's own cost is small and the
//! same for all. Numbers are printed, never judged. `cargo xtask bench` builds and starts this.

#[path = "../../tests/support/mcp.rs"]
mod mcp;

mod calls;
mod list;
mod memory;
mod targets;

use std::{path::PathBuf, time::Duration};

use anyhow::{Context, bail};

/// What to measure and where it is.
struct Setup {
    resultant: String,
    echo: String,
    fastmcp: Option<String>,
    mcp_proxy: Option<String>,
    /// How long each way is measured, sequentially and once more concurrently.
    duration: Duration,
    only: Option<String>,
    /// The folder with the proxies' scripts.
    scripts: PathBuf,
}

impl Setup {
    fn parse() -> anyhow::Result<Self> {
        let scripts = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../bench");
        let mut setup = Self {
            resultant: String::new(),
            echo: String::new(),
            fastmcp: None,
            mcp_proxy: None,
            duration: Duration::from_secs(3),
            only: None,
            scripts,
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let value = words.next().with_context(|| format!("{word} needs a value"))?;
            match word.as_str() {
                "--resultant" => setup.resultant = value,
                "--echo" => setup.echo = value,
                "--fastmcp" => setup.fastmcp = Some(value),
                "--mcp-proxy" => setup.mcp_proxy = Some(value),
                "--seconds" => setup.duration = Duration::from_secs_f64(value.parse()?),
                "--only" => setup.only = Some(value),
                _ => bail!("unknown argument {word}"),
            }
        }
        if setup.resultant.is_empty() || setup.echo.is_empty() {
            bail!("--resultant and --echo are needed");
        }
        Ok(setup)
    }

    fn wants(&self, part: &str) -> bool {
        self.only.as_deref().is_none_or(|only| only == part)
    }
}

fn main() -> anyhow::Result<()> {
    let setup = Setup::parse()?;
    if setup.wants("calls") {
        calls::run(&setup)?;
    }
    if setup.wants("list") {
        list::run(&setup)?;
    }
    if setup.wants("memory") {
        memory::run(&setup)?;
    }
    Ok(())
}
