//! Where the real clients and servers are, and how the servers are started.

use std::{
    env,
    ffi::OsString,
    io::{BufRead as _, BufReader},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use anyhow::{Context, bail};

use super::{PATIENCE, lock};

/// The value of a peer's variable. Without it the test is skipped with a line that says so, and
/// fails where `CI` is set; a rarer peer is only expected in the full run.
pub(crate) fn find_peer(variable: &str, rare: bool) -> anyhow::Result<Option<OsString>> {
    let found = env::var_os(variable).filter(|value| !value.is_empty());
    if found.is_none() {
        let ci = env::var("CI").as_deref() == Ok("true");
        let full = env::var_os("RESULTANT_TEST_FULL").is_some();
        if ci && (full || !rare) {
            bail!("{variable} is not set");
        }
        println!("skipped: {variable} is not set; `cargo xtask test` prepares the peers");
    }
    Ok(found)
}

/// The folder of the reference servers' packages, if they are there.
pub(crate) fn node_folder() -> anyhow::Result<Option<Node>> {
    let found = find_peer("RESULTANT_TEST_NODE_REFERENCE_SERVERS", false)?;
    Ok(found.map(|folder| Node { folder: folder.into() }))
}

/// The reference servers.
pub(crate) struct Node {
    folder: PathBuf,
}

impl Node {
    /// Command and arguments of `server-everything`, `server-filesystem`, `server-memory`.
    pub(crate) fn command(&self, server: &str, arguments: &[&str]) -> Vec<String> {
        let program = self.folder.join("node_modules/@modelcontextprotocol").join(server);
        let program = program.join("dist/index.js").display().to_string();
        let mut words = vec!["node".to_owned(), program];
        words.extend(arguments.iter().map(ToString::to_string));
        words
    }

    /// Starts `server-everything` over streamable HTTP.
    pub(crate) fn everything_over_http(&self) -> anyhow::Result<Server> {
        let port = free_port()?;
        let words = self.command("server-everything", &["streamableHttp"]);
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).env("PORT", port.to_string());
        Server::start(&mut command, "listening on port", format!("http://127.0.0.1:{port}/mcp"))
    }
}

/// A port that was free a moment ago, for servers that cannot say which one they got.
pub(crate) fn free_port() -> anyhow::Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

/// A server that listens, killed when dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) url: String,
}

impl Server {
    /// The same for one that says its address after these words.
    pub(crate) fn start_saying(command: &mut Command, words: &'static str) -> anyhow::Result<Self> {
        Self::start_with(command, words, None)
    }

    /// Waits until its standard error has a line with these words.
    pub(crate) fn start(
        command: &mut Command,
        words: &'static str,
        url: String,
    ) -> anyhow::Result<Self> {
        Self::start_with(command, words, Some(url))
    }

    fn start_with(
        command: &mut Command,
        words: &'static str,
        url: Option<String>,
    ) -> anyhow::Result<Self> {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("{command:?}"))?;
        let stderr = child.stderr.take().context("no stderr")?;
        let mut server = Self { child, url: String::new() };
        let (sender, receiver) = std::sync::mpsc::channel();
        let said = std::sync::Arc::new(std::sync::Mutex::new(String::new()));
        let kept = std::sync::Arc::clone(&said);
        std::thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                if let Some((_, rest)) = line.split_once(words) {
                    let _ = sender.send(rest.trim().to_owned());
                }
                let mut kept = lock(&kept);
                kept.push_str(&line);
                kept.push('\n');
            }
        });
        let Ok(rest) = receiver.recv_timeout(PATIENCE) else {
            bail!("{command:?} does not listen; it said:\n{}", lock(&said));
        };
        server.url = url.unwrap_or(rest);
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The scripts of the SDK clients.
pub(crate) fn client_script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients").join(name)
}

/// The programs of the SDK servers.
pub(crate) fn server_script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers").join(name)
}
