//! The real program, started for a test and stopped with it.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex, mpsc},
    thread,
};

use anyhow::{Context, bail};
use serde_json::Value;

use super::{PATIENCE, lock};

/// `resultant serve` on a free port, killed when dropped.
pub(crate) struct Gateway {
    child: Child,
    /// Without a slash at the end; `/mcp` and the rest come after it.
    pub(crate) url: String,
    pub(crate) folder: PathBuf,
    log: Arc<Mutex<String>>,
}

impl Gateway {
    /// Writes the config into `folder`, where the data goes too, and waits until it listens.
    pub(crate) fn start(program: &str, config: &Value, folder: &Path) -> anyhow::Result<Self> {
        Self::start_in(program, config, folder, &[])
    }

    /// The same, with these variables.
    pub(crate) fn start_in(
        program: &str,
        config: &Value,
        folder: &Path,
        variables: &[(&str, &Path)],
    ) -> anyhow::Result<Self> {
        let file = folder.join("resultant.json");
        fs::write(&file, config.to_string()).context("config")?;
        let mut command = Command::new(program);
        command.args(["serve", "--listen", "127.0.0.1:0"]);
        command.arg("--config").arg(&file).arg("--data").arg(folder.join("data"));
        command.envs(variables.iter().copied());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().with_context(|| program.to_owned())?;
        let stderr = child.stderr.take().context("no stderr")?;

        let log = Arc::new(Mutex::new(String::new()));
        let (sender, receiver) = mpsc::channel();
        let kept = Arc::clone(&log);
        thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                if let Some(at) = line.find("listening on http://") {
                    let url = &line[at + "listening on ".len()..];
                    let end = url.find(char::is_whitespace).unwrap_or(url.len());
                    let _ = sender.send(url[..end].trim_end_matches('/').to_owned());
                }
                let mut kept = lock(&kept);
                kept.push_str(&line);
                kept.push('\n');
            }
        });
        let mut gateway = Self { child, url: String::new(), folder: folder.to_owned(), log };
        match receiver.recv_timeout(PATIENCE) {
            Ok(url) => gateway.url = url,
            Err(_) => bail!("the gateway does not listen; it said:\n{}", gateway.log()),
        }
        Ok(gateway)
    }

    /// The endpoint of one server, with its names untouched.
    pub(crate) fn server(&self, name: &str) -> String {
        format!("{}/mcp/{name}", self.url)
    }

    /// The endpoint of all servers.
    pub(crate) fn all(&self) -> String {
        format!("{}/mcp", self.url)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What it wrote to standard error so far.
    pub(crate) fn log(&self) -> String {
        lock(&self.log).clone()
    }

    /// Asks it to end, as a service manager does, and waits until it has.
    pub(crate) fn stop(&mut self) -> anyhow::Result<std::process::ExitStatus> {
        let killed = Command::new("kill").arg(self.child.id().to_string()).status();
        killed.context("kill")?;
        self.child.wait().context("waiting for its end")
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if thread::panicking() {
            eprintln!("--- what the gateway said\n{}", self.log());
        }
    }
}
