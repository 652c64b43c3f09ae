//! The ways to the echo server: straight, through the gateway, through the Python proxies.

use std::{
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, bail};
use serde_json::json;

use crate::{
    Setup,
    mcp::{Client, Gateway, Identity, LEGACY, MODERN, PATIENCE, Server, free_port},
};

/// How the echo server speaks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Upstream {
    Stdio,
    Http,
}

/// Who stands between.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Direct,
    Resultant,
    ResultantModern,
    FastMcp,
    McpProxy,
}

impl Way {
    pub(crate) const ALL: [Self; 5] =
        [Self::Direct, Self::Resultant, Self::ResultantModern, Self::FastMcp, Self::McpProxy];

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Resultant => "resultant",
            Self::ResultantModern => "resultant, 2026-07-28",
            Self::FastMcp => "FastMCP proxy",
            Self::McpProxy => "mcp-proxy",
        }
    }
}

/// A connected client and the processes it needs, which end with it.
pub(crate) struct Target {
    pub(crate) client: Client,
    _processes: Processes,
}

#[derive(Default)]
struct Processes {
    gateway: Option<Gateway>,
    proxy: Option<Proxy>,
}

struct Proxy(Child);

impl Drop for Proxy {
    fn drop(&mut self) {
        // Asked first: a proxy that is killed leaves its own children behind.
        let _ = Command::new("kill").arg(self.0.id().to_string()).status();
        for _ in 0..100 {
            if matches!(self.0.try_wait(), Ok(Some(_))) {
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The echo server over HTTP, on a port of its own.
pub(crate) fn start_http(setup: &Setup) -> anyhow::Result<Server> {
    let port = free_port()?;
    let mut command = Command::new(&setup.echo);
    command.args(["http", &port.to_string()]);
    Server::start(&mut command, "listening on", format!("http://127.0.0.1:{port}/mcp"))
}

/// Connects that way. `None` when the proxy's environment is not there.
pub(crate) fn connect(
    setup: &Setup,
    way: Way,
    upstream: Upstream,
    http: &Server,
    folder: &Path,
) -> anyhow::Result<Option<Target>> {
    let legacy = Identity::plain(LEGACY);
    let mut processes = Processes::default();
    let client = match (way, upstream) {
        (Way::Direct, Upstream::Stdio) => {
            Client::stdio(Command::new(&setup.echo).arg("stdio"), &legacy)?
        }
        (Way::Direct, Upstream::Http) => Client::http(&http.url, &legacy)?,
        (Way::Resultant | Way::ResultantModern, _) => {
            let server = match upstream {
                Upstream::Stdio => json!({"command": setup.echo, "args": ["stdio"]}),
                Upstream::Http => json!({"url": http.url}),
            };
            let config = json!({"mcpServers": {"echo": server}});
            let gateway = Gateway::start(&setup.resultant, &config, folder)?;
            let version = if way == Way::Resultant { LEGACY } else { MODERN };
            let client = Client::http(&gateway.server("echo"), &Identity::plain(version))?;
            processes.gateway = Some(gateway);
            client
        }
        (Way::FastMcp, _) => {
            let Some(python) = &setup.fastmcp else { return Ok(None) };
            let mut command = Command::new(python);
            command.arg(setup.scripts.join("fastmcp_proxy.py"));
            let port = free_port()?;
            command.arg(port.to_string());
            match upstream {
                Upstream::Stdio => command.args([&setup.echo, "stdio"]),
                Upstream::Http => command.arg(&http.url),
            };
            processes.proxy = Some(start_proxy(&mut command, port)?);
            Client::http(&format!("http://127.0.0.1:{port}/mcp"), &legacy)?
        }
        (Way::McpProxy, Upstream::Stdio) => {
            let Some(python) = &setup.mcp_proxy else { return Ok(None) };
            let port = free_port()?;
            let mut command = Command::new(python);
            command.args(["-m", "mcp_proxy", "--log-level", "WARNING"]);
            command.args(["--port", &port.to_string(), "--", &setup.echo, "stdio"]);
            processes.proxy = Some(start_proxy(&mut command, port)?);
            Client::http(&format!("http://127.0.0.1:{port}/mcp"), &legacy)?
        }
        (Way::McpProxy, Upstream::Http) => {
            // In front of a remote server it speaks stdio.
            let Some(python) = &setup.mcp_proxy else { return Ok(None) };
            let mut command = Command::new(python);
            command.args(["-m", "mcp_proxy", "--log-level", "WARNING"]);
            command.args(["--transport", "streamablehttp", &http.url]);
            Client::stdio(&mut command, &legacy)?
        }
    };
    Ok(Some(Target { client, _processes: processes }))
}

fn start_proxy(command: &mut Command, port: u16) -> anyhow::Result<Proxy> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut proxy = Proxy(command.spawn().with_context(|| format!("{command:?}"))?);
    let end = Instant::now() + PATIENCE;
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        if let Some(status) = proxy.0.try_wait()? {
            bail!("{command:?} ended: {status}");
        }
        if Instant::now() > end {
            bail!("{command:?} does not listen");
        }
        thread::sleep(Duration::from_millis(50));
    }
    Ok(proxy)
}
