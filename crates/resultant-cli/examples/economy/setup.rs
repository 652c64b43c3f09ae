//! What to run and where it is, as told on the command line.

use std::{
    fs,
    path::PathBuf,
    process::Command,
    time::{SystemTime, UNIX_EPOCH},
};

use anyhow::{Context as _, bail};
use serde_json::{Value, json};

use crate::{
    data::Data,
    servers::{Programs, Server},
    tokens,
    views::Kind,
};

const SEED: u64 = 20_261_115;

pub(crate) struct Setup {
    pub(crate) programs: Programs,
    pub(crate) seed: u64,
    /// Two servers, and the tasks that they are enough for.
    pub(crate) small: bool,
    /// The tasks to run; all when there are none.
    only: Vec<String>,
    pub(crate) json: bool,
    /// Whether to print what the agent did through Resultant.
    pub(crate) story: bool,
}

impl Setup {
    pub(crate) fn parse() -> anyhow::Result<Self> {
        let mut resultant = None;
        let mut reference = None;
        let (mut git, mut sqlite, mut seed) = (None, None, SEED);
        let (mut small, mut json, mut story, mut only) = (false, false, false, Vec::new());
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            match word.as_str() {
                "--small" => small = true,
                "--json" => json = true,
                "--story" => story = true,
                _ => {
                    let value = words.next().with_context(|| format!("{word} needs a value"))?;
                    match word.as_str() {
                        "--resultant" => resultant = Some(value),
                        "--reference-servers" => reference = Some(PathBuf::from(value)),
                        "--git" => git = Some(value),
                        "--sqlite" => sqlite = Some(value),
                        "--seed" => seed = value.parse().context("--seed")?,
                        "--only" => only.extend(value.split(',').map(str::to_owned)),
                        _ => bail!("unknown argument {word}"),
                    }
                }
            }
        }
        let programs = Programs {
            resultant: resultant.context("--resultant is needed")?,
            reference: reference.context("--reference-servers is needed")?,
            git,
            sqlite: if small { None } else { sqlite },
        };
        Ok(Self { programs, seed, small, only, json, story })
    }

    pub(crate) fn wants(&self, task: &str) -> bool {
        let is_small = matches!(task, "B1" | "B3" | "B6" | "B7");
        (is_small || !self.small)
            && (self.only.is_empty() || self.only.iter().any(|only| only == task))
    }

    /// The servers of the small calls.
    pub(crate) fn servers(&self) -> Vec<Server> {
        let all =
            [Server::Filesystem, Server::Git, Server::Everything, Server::Memory, Server::Sqlite];
        let count = if self.small { 2 } else { all.len() };
        all.into_iter().take(count).filter(|server| self.programs.has(*server)).collect()
    }

    /// When this was, with which data and versions, and what the definitions of the tools cost
    /// that Resultant adds.
    pub(crate) fn about(&self, data: &Data) -> anyhow::Result<Value> {
        let folder = tempfile::tempdir()?;
        let through =
            self.programs.through(&[Server::Filesystem], Kind::Content, data, folder.path())?;
        let is_own =
            |tool: &&Value| tool["name"].as_str().is_some_and(|name| name.starts_with("files_"));
        let own: Vec<String> = through.tools.iter().filter(is_own).map(Value::to_string).collect();
        let mut versions = serde_json::Map::new();
        for server in ["server-filesystem", "server-everything", "server-memory"] {
            let package = self.programs.reference.join("node_modules/@modelcontextprotocol");
            let text = fs::read_to_string(package.join(server).join("package.json"))?;
            let package: Value = serde_json::from_str(&text)?;
            versions.insert(server.to_owned(), package["version"].clone());
        }
        for (python, package) in
            [(&self.programs.git, "mcp-server-git"), (&self.programs.sqlite, "mcp-server-sqlite")]
        {
            let Some(python) = python else { continue };
            let script = format!("import importlib.metadata as m; print(m.version('{package}'))");
            let output = Command::new(python).args(["-c", &script]).output()?;
            let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            versions.insert(package.to_owned(), json!(version));
        }
        let version = Command::new(&self.programs.resultant).arg("--version").output()?;
        let version = String::from_utf8_lossy(&version.stdout).trim().to_owned();
        versions.insert("resultant".to_owned(), json!(version.trim_start_matches("resultant ")));
        Ok(json!({
            "date": today()?,
            "seed": self.seed,
            "tokenizer": "o200k",
            "definitions_tokens": own.iter().map(|text| tokens::count(text)).sum::<usize>(),
            "versions": versions,
        }))
    }
}

/// The date in UTC.
fn today() -> anyhow::Result<String> {
    let days = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs() / 86_400;
    // Counted from the first of March of the year 0, so that the leap day comes last.
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    Ok(format!("{year}-{month:02}-{day:02}"))
}
