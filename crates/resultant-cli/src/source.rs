//! Where servers come from: a configuration, or the bundled demo; and which of them is meant.

use std::path::Path;

use anyhow::{Context as _, bail};
use resultant_gateway::config::{Config, Loaded, ServerConfig, Start};

use crate::{args::SourceArguments, demo, nearest, serve};

/// The configuration for a command that uses servers once: nothing is connected before it is
/// needed.
pub(crate) fn load(arguments: &SourceArguments) -> anyhow::Result<Config> {
    let config = match arguments.demo {
        true => demo()?,
        false => serve::load(arguments.config.as_deref())?,
    };
    Ok(prepared(config, arguments.data.as_deref()))
}

/// Sets what the command line says, and lets servers wait until they are needed.
pub(crate) fn prepared(mut config: Config, data: Option<&Path>) -> Config {
    if let Some(data) = data {
        data.clone_into(&mut config.data);
    }
    for server in &mut config.servers {
        server.start = Start::Lazy;
    }
    config
}

/// The configuration whose only server is the demo.
pub(crate) fn demo() -> anyhow::Result<Config> {
    let text = demo::config()?.to_string();
    let Loaded { config, .. } = Config::parse(&text, Path::new("."), &serve::environment)?;
    Ok(config)
}

/// Leaves this server as the only one, where one is named.
pub(crate) fn choose(config: &mut Config, server: Option<&str>) -> anyhow::Result<()> {
    let Some(server) = server else {
        if config.servers.is_empty() {
            bail!(no_servers(config));
        }
        return Ok(());
    };
    let chosen = find(config, server)?.name.clone();
    config.servers.retain(|server| server.name == chosen);
    Ok(())
}

/// What the gateway's own tools are called with.
pub(crate) const OWN_SERVER: &str = "resultant";

/// Whether the gateway's own tools are meant: a server of that name comes first.
pub(crate) fn is_own(config: &Config, name: &str) -> bool {
    name == OWN_SERVER && !config.servers.iter().any(|server| names(server).contains(&name))
}

/// The server of this name; another name gets a hint.
pub(crate) fn find<'a>(config: &'a Config, name: &str) -> anyhow::Result<&'a ServerConfig> {
    let found = config.servers.iter().find(|server| names(server).contains(&name));
    found.with_context(|| unknown_server(config, name))
}

fn names(server: &ServerConfig) -> [&str; 2] {
    [server.name.as_str(), server.name.written()]
}

/// The server and the tool that `SERVER.TOOL` names. Names of servers may have dots, those of tools
/// as well: the longest server that fits is meant.
pub(crate) fn split_target<'a, 't>(
    config: &'a Config,
    target: &'t str,
    arguments: &SourceArguments,
) -> anyhow::Result<(&'a ServerConfig, &'t str)> {
    let fits = |server: &'a ServerConfig| {
        let rest = |name: &str| Some((name.len(), target.strip_prefix(name)?.strip_prefix('.')?));
        let longest = names(server).into_iter().filter_map(rest).max_by_key(|(len, _)| *len);
        longest.map(|(len, tool)| (len, server, tool))
    };
    let found = config.servers.iter().filter_map(fits).max_by_key(|(len, ..)| *len);
    match found {
        Some((_, server, "")) => bail!(no_tool(server.name.as_str(), arguments)),
        Some((_, server, tool)) => Ok((server, tool)),
        None => {
            let name = target.split_once('.').map_or(target, |(server, _)| server);
            let server = find(config, name)?;
            bail!(no_tool(server.name.as_str(), arguments))
        }
    }
}

fn no_tool(server: &str, arguments: &SourceArguments) -> String {
    let again = arguments.again();
    format!(
        "name a tool as well, as in `{server}.TOOL`; `resultant tools {server}{again}` lists them"
    )
}

/// What to do where there are no servers at all.
pub(crate) fn no_servers(config: &Config) -> String {
    match &config.source {
        Some(path) => format!("{} has no servers; add yours to it", path.display()),
        None => "no servers are configured; `resultant init` writes a starter".to_owned(),
    }
}

fn unknown_server(config: &Config, name: &str) -> String {
    if config.servers.is_empty() {
        return no_servers(config);
    }
    let known: Vec<&str> = config.servers.iter().map(|server| server.name.as_str()).collect();
    format!("there is no server `{name}`; {}", nearest::hint(name, &known))
}
