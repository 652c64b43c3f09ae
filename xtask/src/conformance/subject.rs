//! What the suite talks to: the gateway with a server behind it, or that server alone.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use anyhow::{Context, ensure};
use serde::Deserialize;
use serde_json::json;

use super::{Era, Route};
use crate::{step, workspace::Workspace};

pub(super) const PACKAGE: &str = "resultant-gateway";
pub(super) const CLIENT: &str = "conformance_client";
const SERVER: &str = "conformance_server";
const GATEWAY: &str = "resultant";

/// What the server is called in the gateway's configuration, and so in its address.
const NAME: &str = "fixture";

/// What a program says before its address.
const ANNOUNCEMENT: &str = "listening on ";

/// A program that has not said where it listens by then never will.
const START_MAX: Duration = Duration::from_secs(60);

/// The programs, built.
pub(super) struct Programs {
    server: PathBuf,
    /// Not there when the suite talks to the server itself.
    gateway: Option<PathBuf>,
}

impl Programs {
    pub(super) fn build(workspace: &Workspace, route: Route) -> anyhow::Result<Self> {
        let gateway = (route == Route::Gateway).then_some(("--bin", GATEWAY));
        let targets: Vec<_> = [("--example", SERVER)].into_iter().chain(gateway).collect();
        let mut programs = build(workspace, &targets)?.into_iter();
        let server = programs.next().context("no server")?;
        Ok(Self { server, gateway: programs.next() })
    }
}

/// Builds programs, each a kind and a name, and asks cargo where they are. They are built as the
/// tests are, all at once: with other features, everything below them would be built once more.
pub(super) fn build(
    workspace: &Workspace,
    targets: &[(&str, &str)],
) -> anyhow::Result<Vec<PathBuf>> {
    #[derive(Deserialize)]
    struct Message {
        executable: Option<PathBuf>,
        target: Option<Target>,
    }
    #[derive(Deserialize)]
    struct Target {
        name: String,
    }
    let mut cargo = workspace.cargo();
    cargo.args(["build", "--workspace", "--all-features"]);
    cargo.args(targets.iter().flat_map(|(kind, name)| [kind, name]));
    cargo.arg("--message-format=json-render-diagnostics");
    let output = cargo.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let output = output.context("cargo cannot be started")?;
    ensure!(output.status.success(), "cargo {}", step::exit_text(output.status.code()));
    let messages = String::from_utf8_lossy(&output.stdout);
    let messages: Vec<Message> =
        messages.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let find = |name: &str| {
        let named = |message: &&Message| message.target.as_ref().is_some_and(|t| t.name == name);
        messages.iter().filter(named).find_map(|message| message.executable.clone())
    };
    targets
        .iter()
        .map(|(_, name)| find(name).with_context(|| format!("cargo does not say where {name} is")))
        .collect()
}

/// A running program that ends with this value.
pub(super) struct Subject {
    pub(super) url: String,
    child: Child,
}

impl Drop for Subject {
    fn drop(&mut self) {
        // Its server behind it ends by itself: nobody writes to it any more.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Subject {
    /// Starts it and waits until it listens. It logs into the folder.
    pub(super) fn start(programs: &Programs, era: Era, folder: &Path) -> anyhow::Result<Self> {
        let mut command = match &programs.gateway {
            None => {
                let mut command = Command::new(&programs.server);
                command.args(["--era", era.name(), "--http", "0"]);
                command
            }
            Some(gateway) => {
                let server = json!({
                    "command": programs.server,
                    "args": ["--era", era.name(), "--stdio"],
                });
                let config = folder.join("config.json");
                fs::write(&config, json!({ "mcpServers": { NAME: server } }).to_string())
                    .with_context(|| config.display().to_string())?;
                let mut command = Command::new(gateway);
                command.arg("serve").arg("--config").arg(config);
                command.args(["--listen", "127.0.0.1:0"]);
                command.arg("--data").arg(folder.join("data"));
                command
            }
        };
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().with_context(|| step::line(&command))?;
        let stderr = child.stderr.take().context("no standard error")?;
        // From here on the program ends with us, whatever goes wrong.
        let mut subject = Self { url: String::new(), child };
        let log = folder.join("log.txt");
        let mut file = fs::File::create(&log).with_context(|| log.display().to_string())?;
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                if let Some(address) = address_in(&line) {
                    drop(sender.send(address.to_owned()));
                }
                drop(writeln!(file, "{line}"));
            }
        });
        let address = receiver.recv_timeout(START_MAX).ok().with_context(|| {
            format!(
                "'{}' does not say that it listens, see {}",
                step::line(&command),
                log.display()
            )
        })?;
        subject.url = match programs.gateway {
            Some(_) => format!("{}/mcp/{NAME}", address.trim_end_matches('/')),
            None => address,
        };
        Ok(subject)
    }
}

/// The address a line announces, whatever a logger put around it.
fn address_in(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once(ANNOUNCEMENT)?;
    let end = rest.find(|c: char| c.is_whitespace() || c.is_control()).unwrap_or(rest.len());
    Some(&rest[..end]).filter(|address| address.starts_with("http://"))
}

#[cfg(test)]
mod tests {
    use super::address_in;

    #[test]
    fn announcements() {
        let expected = Some("http://127.0.0.1:80");
        assert_eq!(address_in("listening on http://127.0.0.1:80"), expected);
        assert_eq!(address_in("12:00 INFO listening on http://127.0.0.1:80\u{1b}[0m"), expected);
        assert_eq!(address_in("listening on a socket"), None);
        assert_eq!(address_in("starting"), None);
    }
}
