//! Whether a server is where its configuration says: its program in `PATH`, its host on the network.

use std::{
    env,
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

use resultant_gateway::config::{ServerConfig, Transport};
use tokio::net::{TcpStream, lookup_host};

/// A host that does not answer in this time is not there, for a doctor.
const CONNECT_TIME_MAX: Duration = Duration::from_secs(10);

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reached {
    Program(PathBuf),
    /// It is nowhere; where it was looked for.
    NoProgram {
        looked_in: OsString,
    },
    /// The folder that it is to run in is not there.
    NoFolder(PathBuf),
    /// It is there and cannot be run.
    NotExecutable(PathBuf),
    Host(String),
    /// The host's name has no address.
    Unresolved(String),
    /// There is an address, and nobody takes a connection.
    Unconnected(String),
    /// Requests go through a proxy, which alone knows.
    Proxied,
}

pub(super) async fn reach(server: &ServerConfig) -> Reached {
    match &server.transport {
        Transport::Stdio { cwd: Some(cwd), .. } if !cwd.is_dir() => Reached::NoFolder(cwd.clone()),
        Transport::Stdio { command, env, cwd, .. } => {
            let own = env.iter().find(|(name, _)| name == "PATH");
            let path = own.map(|(_, path)| OsString::from(path)).or_else(|| env::var_os("PATH"));
            find_program(command, path.unwrap_or_default(), cwd.as_deref())
        }
        Transport::Http { url, .. } => {
            let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
            let port = url.port_or_known_default().unwrap_or(80);
            let time = server.connect_timeout.min(CONNECT_TIME_MAX);
            find_host(&host, port, time).await
        }
        // Pages come to us; they are no servers of a configuration.
        Transport::Pages => Reached::Host("a web page".to_owned()),
    }
}

fn find_program(command: &str, path: OsString, cwd: Option<&Path>) -> Reached {
    let is_path = command.contains(['/', '\\']);
    let mut candidates: Vec<PathBuf> = match is_path {
        true => [Some(PathBuf::from(command)), cwd.map(|cwd| cwd.join(command))]
            .into_iter()
            .flatten()
            .collect(),
        false => env::split_paths(&path).map(|folder| folder.join(command)).collect(),
    };
    if cfg!(windows) {
        let more: Vec<PathBuf> =
            candidates.iter().map(|path| path.with_added_extension("exe")).collect();
        candidates.extend(more);
    }
    let mut blocked = None;
    for candidate in candidates {
        match fs::metadata(&candidate) {
            Ok(metadata) if metadata.is_file() && is_executable(&metadata) => {
                return Reached::Program(candidate);
            }
            Ok(metadata) if metadata.is_file() => blocked = Some(candidate),
            _ => {}
        }
    }
    match blocked {
        Some(path) => Reached::NotExecutable(path),
        None => Reached::NoProgram { looked_in: if is_path { OsString::new() } else { path } },
    }
}

#[cfg(unix)]
fn is_executable(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &fs::Metadata) -> bool {
    true
}

async fn find_host(host: &str, port: u16, time: Duration) -> Reached {
    let is_loopback = host == "localhost"
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    let is_set = |name: &&str| env::var_os(name).is_some_and(|value| !value.is_empty());
    let proxies =
        ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];
    if !is_loopback && proxies.iter().any(is_set) {
        return Reached::Proxied;
    }
    let addresses = match tokio::time::timeout(time, lookup_host((host, port))).await {
        Ok(Ok(addresses)) => addresses.collect::<Vec<_>>(),
        Ok(Err(error)) => return Reached::Unresolved(error.to_string()),
        Err(_) => return Reached::Unresolved("the name service does not answer".to_owned()),
    };
    let mut last = io::Error::other("the name has no address");
    for address in addresses {
        match tokio::time::timeout(time, TcpStream::connect(address)).await {
            Ok(Ok(_)) => return Reached::Host(address.to_string()),
            Ok(Err(error)) => last = error,
            Err(_) => last = io::ErrorKind::TimedOut.into(),
        }
    }
    Reached::Unconnected(last.to_string())
}
