//! One server, as the program uses it.

use std::{fmt, path::PathBuf, time::Duration};

use resultant::{SchemaPolicy, Shape};
use url::Url;

use super::{Config, ConfigErrors, OAuth, Problem, ServerBudgets, ServerName, ToolFilter};

/// One server. Two that are equal need not be restarted for each other.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerConfig {
    /// Its name.
    pub name: ServerName,
    /// How it is reached.
    pub transport: Transport,
    /// What stands before its tools' names where several servers are one; empty for nothing.
    pub prefix: String,
    /// The form in which clients get its results.
    pub shape: Shape,
    /// What happens to a result that its tool's output schema rejects.
    pub schema_policy: SchemaPolicy,
    /// Who shares a connection to it.
    pub isolate: Isolate,
    /// The generation of the protocol it is spoken to in.
    pub era: Era,
    /// When it is connected.
    pub start: Start,
    /// How long a call may take; without it, for ever.
    pub call_timeout: Option<Duration>,
    /// How long it may take to start and to greet.
    pub connect_timeout: Duration,
    /// Which of its tools there are.
    pub tools: ToolFilter,
    /// How much of its results the model is given.
    pub budgets: ServerBudgets,
    /// Bytes of one of its messages.
    pub message_bytes_max: u64,
    /// How tokens for it are got, where it wants some.
    pub oauth: OAuth,
    /// Which arguments of its tools say who is calling.
    pub inject: Inject,
    /// Which files it may be handed.
    pub handover: Handover,
    /// Not started, and nothing of it is listed.
    pub is_disabled: bool,
}

/// Who shares a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Isolate {
    /// Decided by what the server does: one that asks its client things is not shared.
    #[default]
    Auto,
    /// Everybody shares one.
    Shared,
    /// Each session of a client has its own.
    Session,
    /// Each user has one.
    User,
}

/// A generation of the protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Era {
    /// The newest that the server knows.
    #[default]
    Auto,
    /// With a handshake: up to 2025-11-25.
    Legacy,
    /// Without: from 2026-07-28.
    Modern,
}

/// Which arguments say who is calling.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Inject {
    /// `username`, where users authenticate.
    #[default]
    ByMode,
    /// Those of these names, in any case.
    Named(Vec<(String, Fact)>),
}

/// What an argument is told of the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fact {
    /// The user's address, or the name where there is none.
    Username,
    /// The user's address.
    Email,
    /// The session.
    Session,
}

/// Which files a server may be handed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handover {
    /// All of the caller's.
    Allow,
    /// Those that the server itself made.
    SameServer,
    /// None.
    Deny,
}

/// When a server is connected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// When the gateway starts.
    #[default]
    Eager,
    /// When it is first needed.
    Lazy,
}

/// How a server is reached. `Debug` hides what may be secret.
#[derive(Clone, PartialEq, Eq)]
pub enum Transport {
    /// A program that is started and spoken to over its standard input and output.
    Stdio {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables that it gets beside the gateway's own, in the order of their names.
        env: Vec<(String, String)>,
        /// The folder it runs in; the gateway's own without it.
        cwd: Option<PathBuf>,
    },
    /// Streamable HTTP.
    Http {
        /// `http` or `https`.
        url: Url,
        /// Headers of every request, in the order of their names.
        headers: Vec<(String, String)>,
    },
    /// The web pages of a user, which connect to us.
    Pages,
}

impl Transport {
    /// A program in the gateway's own folder and with its variables.
    pub fn stdio(command: &str, args: &[String]) -> Transport {
        Transport::Stdio {
            command: command.to_owned(),
            args: args.to_vec(),
            env: Vec::new(),
            cwd: None,
        }
    }

    /// A remote server.
    pub fn http(url: &str, headers: &[(String, String)]) -> Result<Transport, ConfigErrors> {
        let problem =
            |message: String| Problem { place: None, pointer: String::new(), message, hint: None };
        let mut problems: Vec<Problem> =
            headers.iter().filter_map(header_problem).map(problem).collect();
        match parse_url(url) {
            Ok(url) if problems.is_empty() => {
                return Ok(Transport::Http { url, headers: headers.to_vec() });
            }
            Ok(_) => {}
            Err(message) => problems.insert(0, problem(message)),
        }
        Err(ConfigErrors { source: None, problems })
    }

    /// Whether the server runs on this machine.
    pub fn is_local(&self) -> bool {
        match self {
            Transport::Stdio { .. } => true,
            Transport::Http { url, .. } => match url.host() {
                Some(url::Host::Domain(name)) => {
                    let name = name.strip_suffix('.').unwrap_or(name);
                    name == "localhost" || name.ends_with(".localhost")
                }
                Some(url::Host::Ipv4(address)) => address.is_loopback(),
                Some(url::Host::Ipv6(address)) => address.to_canonical().is_loopback(),
                None => false,
            },
            Transport::Pages => false,
        }
    }

    /// The files that it may be handed unless the configuration says otherwise.
    pub(super) fn usual_handover(&self) -> Handover {
        if self.is_local() { Handover::Allow } else { Handover::Deny }
    }

    /// What people would call the server.
    fn suggested_name(&self) -> &str {
        match self {
            Transport::Http { url, .. } => url.host_str().unwrap_or("server"),
            Transport::Pages => "page",
            Transport::Stdio { command, args, .. } => {
                let program = last_segment(command);
                let package = args.iter().find(|arg| !arg.starts_with('-'));
                match package {
                    Some(package) if RUNNERS.contains(&program) => last_segment(package),
                    _ => program,
                }
            }
        }
    }
}

/// Programs that only start others, which have the better name.
const RUNNERS: [&str; 9] =
    ["bunx", "deno", "node", "npx", "pipx", "pnpx", "python", "python3", "uvx"];

fn last_segment(path: &str) -> &str {
    let segment = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let stem = segment.rsplit_once('.').map_or(segment, |(stem, _)| stem);
    if stem.is_empty() { segment } else { stem }
}

pub(super) fn parse_url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| format!("not a URL: {error}"))?;
    match url.scheme() {
        "http" | "https" => Ok(url),
        other => Err(format!("expected an http or https URL, found the scheme `{other}`")),
    }
}

/// What is wrong with a header; its value is not told.
pub(super) fn header_problem((name, value): &(String, String)) -> Option<String> {
    if http::HeaderName::from_bytes(name.as_bytes()).is_err() {
        return Some(format!("`{}` is not a header's name", name.escape_debug()));
    }
    let is_valid = http::HeaderValue::from_str(value).is_ok();
    (!is_valid).then(|| format!("the value of `{name}` has characters that no header may have"))
}

impl ServerConfig {
    pub(super) fn proxied(transport: Transport, config: &Config) -> ServerConfig {
        ServerConfig {
            name: ServerName::new(transport.suggested_name()),
            handover: transport.usual_handover(),
            inject: Inject::default(),
            transport,
            prefix: String::new(),
            shape: Shape::default(),
            schema_policy: SchemaPolicy::default(),
            isolate: Isolate::default(),
            era: Era::default(),
            start: Start::default(),
            call_timeout: config.timeouts.call,
            connect_timeout: config.timeouts.connect,
            tools: ToolFilter::default(),
            budgets: ServerBudgets::default(),
            message_bytes_max: config.limits.message_bytes_max,
            oauth: OAuth::default(),
            is_disabled: false,
        }
    }
}

impl fmt::Debug for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |pairs: &[(String, String)]| {
            pairs.iter().map(|(name, _)| format!("{name}=[hidden]")).collect::<Vec<_>>()
        };
        match self {
            Transport::Stdio { command, args, env, cwd } => f
                .debug_struct("Stdio")
                .field("command", command)
                .field("args", args)
                .field("env", &names(env))
                .field("cwd", cwd)
                .finish(),
            Transport::Http { url, headers } => {
                // Keys also travel in the user's part and in the query.
                let mut shown = url.clone();
                let _ = shown.set_username("");
                let _ = shown.set_password(None);
                shown.set_query(url.query().map(|_| "hidden"));
                f.debug_struct("Http")
                    .field("url", &shown.as_str())
                    .field("headers", &names(headers))
                    .finish()
            }
            Transport::Pages => f.write_str("Pages"),
        }
    }
}
