//! The configuration: the `mcpServers` JSON that people already have, and settings of our own.
//!
//! As written, then as used. [`Config::parse`] reads a file (JSON with comments), holds it against
//! the schema that is also published, and resolves what is right of it into the types here. Every
//! problem is told at once, with its place. What the program works with cannot be invalid: no
//! option of the file survives as text that is looked at again.

pub(crate) mod auth;
mod budget;
mod check;
mod expand;
mod folders;
mod import;
mod jsonc;
mod listen;
mod name;
mod oauth;
mod pages;
mod problem;
mod resolve;
mod sandbox;
mod server;
mod starter;
mod store;
#[cfg(test)]
mod tests;
mod tools;
mod written;

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

pub use self::{
    auth::{ApiKey, Auth, Oidc, ProxyHeaders},
    budget::{BudgetPart, ServerBudgets},
    expand::Env,
    import::{Client, import},
    listen::{Listen, UnusableListen},
    name::ServerName,
    oauth::{Grant, OAuth},
    pages::PagesConfig,
    problem::{ConfigErrors, Place, Problem},
    sandbox::SandboxListen,
    server::{Era, Fact, Handover, Inject, Isolate, ServerConfig, Start, Transport},
    starter::starter,
    store::StoreConfig,
    tools::ToolFilter,
    written::schema,
};
use self::{
    check::Checker,
    jsonc::{CONFIG_BYTES_MAX, Document},
    resolve::Resolver,
};
pub(crate) use self::{
    tools::Glob,
    written::{BlockType, ClientLimits, ClientRow, Sees as SeenLanes},
};
use crate::{clean::Cleaner, clients::Clients};

/// The name of the file in the current folder.
pub const FILE_NAME: &str = "resultant.json";

/// Everything that the gateway is told.
#[derive(Clone, Debug)]
pub struct Config {
    /// The file it came from.
    pub source: Option<PathBuf>,
    /// Where clients connect.
    pub listen: Listen,
    /// The address that people and servers reach the gateway by, where it is not what it listens
    /// on; without a slash at its end.
    pub public_url: Option<url::Url>,
    /// Where the sandbox, which shows content of strangers, is listened for.
    pub sandbox_listen: SandboxListen,
    /// The origin that browsers reach the sandbox by, where it is not a port of this machine.
    pub sandbox_url: Option<url::Url>,
    /// Origins whose pages may be shown as dashboards; `*` may stand for a port.
    pub dashboard_origins: Vec<String>,
    /// How it is decided who calls.
    pub auth: Auth,
    /// The folder for files and state; absolute unless the folder of the file is not.
    pub data: PathBuf,
    /// What is the most of everything.
    pub limits: GatewayLimits,
    /// How long anything is waited for.
    pub timeouts: Timeouts,
    /// How much of a result the model is given.
    pub budget: resultant::Budget,
    /// What is known of clients.
    pub(crate) clients: Clients,
    /// What is taken out of the texts for the model.
    pub(crate) cleaner: Cleaner,
    /// Whether there are tools for reading, searching and asking files.
    pub has_retrieval: bool,
    /// What is kept, where, and for how long.
    pub store: StoreConfig,
    /// Names by which clients may call us beside the loopback ones, in lower case, as `host` or
    /// `host:port`.
    pub allowed_hosts: Vec<String>,
    /// Origins of web pages that may call us beside the loopback ones, in lower case.
    pub allowed_origins: Vec<String>,
    /// The servers, in the order of the file, disabled ones as well.
    pub servers: Vec<ServerConfig>,
    /// What web pages may offer tools under; nothing where they may not.
    pub pages: Option<Arc<PagesConfig>>,
    /// Whether a page with tools is served for people to try; no file says so.
    pub has_demo_page: bool,
}

/// How a budget counts tokens is not configured, so it is not compared.
impl PartialEq for Config {
    fn eq(&self, other: &Config) -> bool {
        let Config {
            source,
            listen,
            public_url,
            sandbox_listen,
            sandbox_url,
            dashboard_origins,
            auth,
            data,
            limits,
            timeouts,
            budget,
            clients,
            cleaner,
            has_retrieval,
            store,
            allowed_hosts,
            allowed_origins,
            servers,
            pages,
            has_demo_page,
        } = self;
        *source == other.source
            && *listen == other.listen
            && *public_url == other.public_url
            && *sandbox_listen == other.sandbox_listen
            && *sandbox_url == other.sandbox_url
            && *dashboard_origins == other.dashboard_origins
            && *auth == other.auth
            && *data == other.data
            && *limits == other.limits
            && *timeouts == other.timeouts
            && (budget.bytes, budget.tokens, budget.digest_tokens)
                == (other.budget.bytes, other.budget.tokens, other.budget.digest_tokens)
            && *clients == other.clients
            && *cleaner == other.cleaner
            && *has_retrieval == other.has_retrieval
            && *store == other.store
            && *allowed_hosts == other.allowed_hosts
            && *allowed_origins == other.allowed_origins
            && *servers == other.servers
            && *pages == other.pages
            && *has_demo_page == other.has_demo_page
    }
}

/// What is the most of everything. What happens beyond each is in `docs/config.md`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GatewayLimits {
    /// Bytes of one message of a server.
    pub message_bytes_max: u64,
    /// Bytes of a message that are held in memory.
    pub inline_bytes_max: usize,
    /// Bytes of one string in a message.
    pub string_bytes_max: usize,
    /// Lists and objects inside each other.
    pub depth_max: usize,
    /// Content blocks of one result.
    pub blocks_max: usize,
    /// Bytes of one request of a client.
    pub request_bytes_max: usize,
    /// Bytes of the files that one request uploads.
    pub upload_bytes_max: u64,
    /// Calls that run at the same time.
    pub calls_in_flight_max: usize,
    /// Sessions of clients that are open at the same time.
    pub sessions_max: usize,
    /// Tools of one server.
    pub tools_max: usize,
    /// Bytes of files whose content goes into the arguments of one call.
    pub handover_bytes_max: u64,
    /// Seconds that a question about files may take.
    pub query_seconds: u64,
    /// Bytes of memory that it may take.
    pub query_memory_bytes_max: u64,
    /// Rows of a table, or results of a filter, that it may look at.
    pub query_rows_max: u64,
    /// Questions about files that are answered at the same time.
    pub queries_at_once_max: usize,
}

impl Default for GatewayLimits {
    fn default() -> GatewayLimits {
        resolve::limits(&written::Limits::default())
    }
}

/// How long anything is waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// For a server to start and to greet.
    pub connect: Duration,
    /// For a call; without it, for ever.
    pub call: Option<Duration>,
    /// For a client's next request, before its session is closed.
    pub session_idle: Duration,
    /// For running calls to end, before the gateway does.
    pub shutdown: Duration,
    /// Between signs of life to a client that waits.
    pub heartbeat: Duration,
    /// For the rest of a request, and for the next one on an open connection
    /// (`request_idle_seconds`).
    pub request_idle: Duration,
    /// For a client to come back for an answer, or to give one that a server asked for.
    pub park: Duration,
    /// For the store to keep or find something.
    pub store: Duration,
}

impl Default for Timeouts {
    fn default() -> Timeouts {
        resolve::timeouts(&written::Timeouts::default())
    }
}

/// A configuration, and what was odd about its file.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// The configuration.
    pub config: Config,
    /// What is allowed and hardly meant; each with its place in [`Config::source`].
    pub warnings: Vec<Problem>,
}

impl Config {
    /// Reads the file that is named, else `resultant.json` in the current folder, else
    /// `resultant/config.json` in the user's configuration folder. Without any of them there are no
    /// servers and everything is as by default.
    pub fn load(path: Option<&Path>, env: Env<'_>) -> Result<Loaded, ConfigErrors> {
        match path {
            Some(path) => match read(path)? {
                Some(text) => parse(&text, Some(path), &folder_of(path), env),
                None => {
                    let mut errors = unreadable(path, "there is no such file".to_owned());
                    for problem in &mut errors.problems {
                        problem.hint = Some("`resultant init` writes one".to_owned());
                    }
                    Err(errors)
                }
            },
            None => {
                for path in Config::default_paths(env) {
                    if let Some(text) = read(&path)? {
                        return parse(&text, Some(&path), &folder_of(&path), env);
                    }
                }
                Config::parse("{}", &folder_of(Path::new(FILE_NAME)), env)
            }
        }
    }

    /// The files that are looked for when none is named.
    pub fn default_paths(env: Env<'_>) -> Vec<PathBuf> {
        let in_config_folder = folders::config(env).map(|path| path.join("resultant/config.json"));
        [PathBuf::from(FILE_NAME)].into_iter().chain(in_config_folder).collect()
    }

    /// Reads a text as it stands in a file. Relative paths are against `base_dir`.
    pub fn parse(text: &str, base_dir: &Path, env: Env<'_>) -> Result<Loaded, ConfigErrors> {
        parse(text, None, base_dir, env)
    }

    /// One server and defaults, for a proxy that has no file: its tools keep their names.
    pub fn proxy(transport: Transport, env: Env<'_>) -> Result<Config, ConfigErrors> {
        let Loaded { mut config, .. } = Config::parse("{}", &folder_of(Path::new(FILE_NAME)), env)?;
        config.servers.push(ServerConfig::proxied(transport, &config));
        Ok(config)
    }
}

fn parse(
    text: &str,
    source: Option<&Path>,
    base_dir: &Path,
    env: Env<'_>,
) -> Result<Loaded, ConfigErrors> {
    let source = source.map(Path::to_owned);
    let fail = |problems| ConfigErrors { source: source.clone(), problems };
    let document = Document::read(text).map_err(|problem| fail(vec![problem]))?;
    let schema = schema();
    let mut checker = Checker { document: &document, schema: &schema, problems: Vec::new() };
    let checked = checker.check_root();
    let problems = checker.problems;
    let mut resolver = Resolver { document: &document, base_dir, env, problems, warnings: vec![] };
    let mut config = resolver.resolve(checked);
    let Resolver { mut problems, mut warnings, .. } = resolver;
    if problems.is_empty() {
        warnings.sort_by_key(|warning| warning.place);
        config.source = source;
        Ok(Loaded { config, warnings })
    } else {
        problems.sort_by_key(|problem| problem.place);
        Err(fail(problems))
    }
}

/// The text of a file; nothing when there is none.
fn read(path: &Path) -> Result<Option<String>, ConfigErrors> {
    let too_large = || format!("the file has more than {CONFIG_BYTES_MAX} bytes");
    match fs::metadata(path) {
        Ok(metadata) if metadata.len() > CONFIG_BYTES_MAX as u64 => {
            Err(unreadable(path, too_large()))
        }
        Ok(_) => match fs::read_to_string(path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                Err(unreadable(path, "the file is not UTF-8 text".to_owned()))
            }
            Err(error) => Err(unreadable(path, format!("the file cannot be read: {error}"))),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unreadable(path, format!("the file cannot be read: {error}"))),
    }
}

fn unreadable(path: &Path, message: String) -> ConfigErrors {
    let problem = Problem { place: None, pointer: String::new(), message, hint: None };
    ConfigErrors { source: Some(path.to_owned()), problems: vec![problem] }
}

fn folder_of(path: &Path) -> PathBuf {
    let folder = path.parent().unwrap_or(Path::new(""));
    // Fails only where there is no current folder; relative paths are as good as any then.
    std::path::absolute(folder.join(".")).unwrap_or_else(|_| folder.to_owned())
}
