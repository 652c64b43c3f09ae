//! What it costs to keep files: the gateway beside a plain handler that copies the same bytes to and
//! from the same disk, in one run on one machine.
//!
//! ```text
//! store_bench --resultant PROGRAM --echo PROGRAM [--megabytes N] [--folder DIR]
//!             [--only copy|list|memory|token]
//! store_bench plain DIR        the plain handler, as a process of its own
//! ```
//!
//! The plain handler comes in two kinds, because what the gateway acknowledges is on the disk: one
//! that leaves the bytes to the system, and one that waits for the disk as well. Numbers are printed,
//! never judged. `cargo xtask bench` builds and starts this.

#[path = "../../tests/support/mcp.rs"]
mod mcp;

mod copy;
mod list;
mod memory;
mod plain;
mod target;
mod token;

use std::path::PathBuf;

use anyhow::{Context, bail};

/// What to measure and where it is.
pub(crate) struct Setup {
    resultant: String,
    echo: String,
    /// The size of the file that is copied.
    megabytes: u64,
    /// Where everything is kept; a temporary folder is made in it.
    folder: PathBuf,
    only: Option<String>,
}

impl Setup {
    fn parse(mut words: impl Iterator<Item = String>) -> anyhow::Result<Self> {
        let mut setup = Self {
            resultant: String::new(),
            echo: String::new(),
            megabytes: 256,
            folder: std::env::temp_dir(),
            only: None,
        };
        while let Some(word) = words.next() {
            let value = words.next().with_context(|| format!("{word} needs a value"))?;
            match word.as_str() {
                "--resultant" => setup.resultant = value,
                "--echo" => setup.echo = value,
                "--megabytes" => setup.megabytes = value.parse()?,
                "--folder" => setup.folder = value.into(),
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
    let mut words = std::env::args().skip(1).peekable();
    if words.next_if(|word| word == "plain").is_some() {
        return plain::serve(words.next().context("plain needs a folder")?.into());
    }
    let setup = Setup::parse(words)?;
    if setup.wants("copy") {
        copy::run(&setup)?;
    }
    if setup.wants("list") {
        list::run(&setup)?;
    }
    if setup.wants("memory") {
        memory::run(&setup)?;
    }
    if setup.wants("token") {
        token::run(&setup)?;
    }
    Ok(())
}
