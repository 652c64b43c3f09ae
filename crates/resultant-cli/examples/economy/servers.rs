//! The public servers, and the two ways to them: straight, and through Resultant.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Context as _;
use serde_json::{Value, json};

use crate::{
    data::Data,
    mcp::{Client, Gateway, Identity, LEGACY, MODERN, Message},
    views::Kind,
};

/// A server, by what it is called in a configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Server {
    Filesystem,
    Everything,
    Memory,
    Sqlite,
    Git,
    /// A second file server, which may write to a folder of its own only.
    Target,
}

impl Server {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Filesystem => "filesystem",
            Self::Everything => "everything",
            Self::Memory => "memory",
            Self::Sqlite => "sqlite",
            Self::Git => "git",
            Self::Target => "target",
        }
    }

    /// The newest version of the protocol that it speaks.
    pub(crate) fn newest(self) -> &'static str {
        if self == Self::Git { MODERN } else { LEGACY }
    }
}

/// Where the programs are.
pub(crate) struct Programs {
    pub(crate) resultant: String,
    /// The folder with the reference servers' packages.
    pub(crate) reference: PathBuf,
    /// The Pythons that have the servers for git and SQLite.
    pub(crate) git: Option<String>,
    pub(crate) sqlite: Option<String>,
}

impl Programs {
    pub(crate) fn has(&self, server: Server) -> bool {
        match server {
            Server::Git => self.git.is_some(),
            Server::Sqlite => self.sqlite.is_some(),
            _ => true,
        }
    }

    /// Program and arguments.
    fn command(&self, server: Server, data: &Data) -> anyhow::Result<Vec<String>> {
        let node = |package: &str, arguments: &[&str]| {
            let program = self.reference.join("node_modules/@modelcontextprotocol").join(package);
            let program = program.join("dist/index.js").display().to_string();
            let mut words = vec!["node".to_owned(), program];
            words.extend(arguments.iter().map(ToString::to_string));
            words
        };
        let python = |python: &Option<String>, module: &str, arguments: &[&str]| {
            let program = python.clone().with_context(|| format!("there is no {module}"))?;
            // Not every one can be started as a module.
            let start = format!("from {module} import main; main()");
            let mut words = vec![program, "-c".to_owned(), start];
            words.extend(arguments.iter().map(ToString::to_string));
            anyhow::Ok(words)
        };
        Ok(match server {
            Server::Filesystem => node("server-filesystem", &[&data.folder.display().to_string()]),
            Server::Target => node("server-filesystem", &[&data.text.target]),
            Server::Everything => node("server-everything", &["stdio"]),
            Server::Memory => {
                let mut words =
                    vec!["env".to_owned(), format!("MEMORY_FILE_PATH={}", data.graph.path)];
                words.extend(node("server-memory", &[]));
                words
            }
            Server::Sqlite => {
                python(&self.sqlite, "mcp_server_sqlite", &["--db-path", &data.rows.database])?
            }
            Server::Git => {
                python(&self.git, "mcp_server_git", &["--repository", &data.repository.path])?
            }
        })
    }

    /// Straight to the servers.
    pub(crate) fn direct(&self, servers: &[Server], data: &Data) -> anyhow::Result<Connection> {
        self.direct_as(servers, LEGACY, data)
    }

    /// The same in a version of the protocol.
    pub(crate) fn direct_as(
        &self,
        servers: &[Server],
        version: &str,
        data: &Data,
    ) -> anyhow::Result<Connection> {
        let identity = Identity::named("economy", version);
        let mut clients = Vec::new();
        for server in servers {
            let words = self.command(*server, data)?;
            let mut command = Command::new(&words[0]);
            let client = Client::stdio(command.args(&words[1..]), &identity)?;
            clients.push((*server, client));
        }
        Ok(Connection { way: Way::Direct(clients), tools: Vec::new() })
    }

    /// Through Resultant: as a wrapper of the one server, or as the gateway before several. The
    /// folder is for what it keeps.
    pub(crate) fn through(
        &self,
        servers: &[Server],
        kind: Kind,
        data: &Data,
        folder: &Path,
    ) -> anyhow::Result<Connection> {
        self.through_as(servers, kind, LEGACY, data, folder)
    }

    /// The same in a version of the protocol.
    pub(crate) fn through_as(
        &self,
        servers: &[Server],
        kind: Kind,
        version: &str,
        data: &Data,
        folder: &Path,
    ) -> anyhow::Result<Connection> {
        let identity = Identity::named(kind.client(), version);
        let way = if let [server] = servers {
            let mut command = Command::new(&self.resultant);
            command.arg("proxy").arg("--data").arg(folder).arg("--");
            Way::Proxy(Client::stdio(command.args(self.command(*server, data)?), &identity)?)
        } else {
            let mut entries = serde_json::Map::new();
            for server in servers {
                let words = self.command(*server, data)?;
                let entry = json!({"command": words[0], "args": words[1..]});
                entries.insert(server.name().to_owned(), entry);
            }
            let config = json!({"mcpServers": entries});
            let gateway = Gateway::start(&self.resultant, &config, folder)?;
            let client = Client::http(&gateway.all(), &identity)?;
            Way::Gateway { client, _gateway: gateway }
        };
        let mut connection = Connection { way, tools: Vec::new() };
        let listed = connection.client(None).result("tools/list", json!({}))?;
        connection.tools = listed["tools"].as_array().cloned().unwrap_or_default();
        Ok(connection)
    }
}

enum Way {
    Direct(Vec<(Server, Client)>),
    Proxy(Client),
    Gateway { client: Client, _gateway: Gateway },
}

/// A way that is open. What it needs ends with it.
pub(crate) struct Connection {
    way: Way,
    /// The definitions of the tools, where they were asked for.
    pub(crate) tools: Vec<Value>,
}

impl Connection {
    /// The answer to a call, with its bytes. Tools without a server are Resultant's own.
    pub(crate) fn call(
        &self,
        server: Option<Server>,
        tool: &str,
        arguments: &Value,
    ) -> anyhow::Result<Message> {
        let client = self.client(server);
        match (&self.way, server) {
            (Way::Gateway { .. }, Some(server)) => {
                client.call(&format!("{}_{tool}", server.name()), arguments)
            }
            _ => client.call(tool, arguments),
        }
    }

    pub(crate) fn definition(&self, tool: &str) -> Option<&Value> {
        self.tools.iter().find(|definition| definition["name"] == tool)
    }

    /// All bytes of a kept file.
    pub(crate) fn read_file(&self, name: &str) -> anyhow::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        loop {
            let uri = format!("resultant://files/{name}?offset={}", bytes.len());
            let result = self.client(None).result("resources/read", json!({"uri": uri}))?;
            let part = &result["contents"][0];
            let size = part["_meta"]["resultant/size"].as_u64().context("no size")?;
            let before = bytes.len();
            match (part["blob"].as_str(), part["text"].as_str()) {
                (Some(blob), _) => bytes.extend(decoded(blob)?),
                (_, Some(text)) => bytes.extend_from_slice(text.as_bytes()),
                _ => anyhow::bail!("neither text nor blob: {part}"),
            }
            if bytes.len() as u64 >= size || bytes.len() == before {
                return Ok(bytes);
            }
        }
    }

    fn client(&self, server: Option<Server>) -> &Client {
        match &self.way {
            Way::Direct(clients) => {
                let found = clients.iter().find(|(name, _)| Some(*name) == server);
                &found.unwrap_or(&clients[0]).1
            }
            Way::Proxy(client) | Way::Gateway { client, .. } => client,
        }
    }
}

pub(crate) fn decoded(base64: &str) -> anyhow::Result<Vec<u8>> {
    base64_simd::STANDARD.decode_to_vec(base64).ok().context("no base64")
}

/// The result of a call that must have one, as a value.
pub(crate) fn result(answer: &Message) -> anyhow::Result<Value> {
    let text = answer.result().with_context(|| {
        let head: String = answer.text().chars().take(400).collect();
        format!("an error instead of a result: {head}")
    })?;
    Ok(serde_json::from_str(text)?)
}
