//! `resultant serve`, `resultant proxy` and `resultant demo`: the gateway as a process.

use std::{
    future::Future,
    io::{self, IsTerminal as _},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    time::{Duration, SystemTime},
};

use anyhow::Context as _;
use resultant_gateway::{
    Gateway, Listener, StartError,
    config::{Config, Listen, Loaded, SandboxListen, Start, Transport},
};
use tracing_subscriber::{EnvFilter, fmt::format::FmtSpan};

use crate::{
    args::{DemoArguments, ProxyArguments, ServeArguments},
    demo, source,
    terminal::LogOutput,
};

/// How often the configuration file is looked at.
const WATCH_INTERVAL: Duration = Duration::from_secs(1);

/// A runtime for the gateway.
pub(crate) fn block_on<T>(work: impl Future<Output = T>) -> anyhow::Result<T> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    let done = runtime.block_on(work);
    // A thread that reads standard input cannot be woken; it does not hold us up.
    runtime.shutdown_timeout(Duration::from_millis(200));
    Ok(done)
}

/// Sends the log to standard error: `RUST_LOG` says what, `RESULTANT_LOG=json` how.
pub(crate) fn start_log(default: &str) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(default));
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(LogOutput::new)
        .with_ansi(io::stderr().is_terminal())
        .with_span_events(FmtSpan::NONE);
    let is_json = std::env::var("RESULTANT_LOG").is_ok_and(|format| format == "json");
    // A second start in one process changes nothing.
    let _ = if is_json { log.json().try_init() } else { log.compact().try_init() };
}

pub(crate) fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Reads the configuration and says what is odd about it.
pub(crate) fn load(path: Option<&Path>) -> anyhow::Result<Config> {
    let Loaded { config, warnings } = Config::load(path, &environment)?;
    for warning in warnings {
        match &config.source {
            Some(source) => eprintln!("resultant: {}:{warning}", source.display()),
            None => eprintln!("resultant: {warning}"),
        }
    }
    Ok(config)
}

/// `resultant serve`.
pub(crate) fn serve(arguments: &ServeArguments) -> anyhow::Result<ExitCode> {
    start_log("info");
    let settings = Settings { listen: arguments.listen.clone(), data: arguments.data.clone() };
    let config = settings.apply(load(arguments.config.as_deref())?);
    if config.servers.is_empty() {
        eprintln!("resultant: {}", source::no_servers(&config));
    }
    block_on(run(config, settings, |address, gateway| {
        eprintln!("listening on http://{address}");
        tell_page(gateway);
    }))?
}

/// Says how the page is opened. The link is a secret for some minutes, so it goes to a person and
/// not into a log.
fn tell_page(gateway: &Gateway) {
    // Where users sign in themselves there is no link.
    let link = tokio::task::block_in_place(|| {
        tokio::runtime::Handle::current().block_on(gateway.page_link())
    });
    let Some(link) = link else { return };
    match io::stderr().is_terminal() {
        true => eprintln!("the page: {link}"),
        false => eprintln!("the page: run `resultant open`"),
    }
}

/// Says where a page with tools of its own is.
fn tell_demo_page(gateway: &Gateway, address: SocketAddr) {
    let link = tokio::task::block_in_place(|| {
        tokio::runtime::Handle::current().block_on(gateway.demo_link())
    });
    let Some(link) = link else { return };
    match io::stderr().is_terminal() {
        true => eprintln!("a page with tools: {link}"),
        false => eprintln!("a page with tools: http://{address}/demo/, in a tab that is signed in"),
    }
}

/// What the command line says over the file, also when the file is read again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    pub(crate) listen: Option<Listen>,
    pub(crate) data: Option<PathBuf>,
}

impl Settings {
    pub(crate) fn apply(&self, mut config: Config) -> Config {
        if let Some(listen) = &self.listen {
            config.listen = listen.clone();
        }
        if let Some(data) = &self.data {
            config.data.clone_from(data);
        }
        config
    }
}

async fn run(
    config: Config,
    settings: Settings,
    ready: impl FnOnce(SocketAddr, &Gateway),
) -> anyhow::Result<ExitCode> {
    let source = config.source.clone();
    let listener = listen(&config).await?;
    watch_orphans();
    offer_queries();
    let gateway = Gateway::start(config).await?;
    if let Some(source) = source {
        tokio::spawn(watch(gateway.clone(), source, settings));
    }
    let ready = |address| ready(address, &gateway);
    resultant_gateway::serve(gateway.clone(), listener, ready, stop_signal()).await?;
    gateway.stop().await;
    Ok(ExitCode::SUCCESS)
}

/// Takes the address before any server is started.
async fn listen(config: &Config) -> anyhow::Result<Listener> {
    let address = &config.listen;
    if !address.is_loopback() && !config.auth.has_users() {
        anyhow::bail!(
            "{address}: listening beyond loopback needs auth mode token, header or oidc; see \
             `auth` in docs/config.md"
        );
    }
    resultant_gateway::listen(address, &config.sandbox_listen).await.map_err(|error| match &error {
        StartError::Listen { cause, .. } if cause.kind() == io::ErrorKind::AddrInUse => {
            anyhow::anyhow!("{error}; is a gateway running there already? `--listen` takes another")
        }
        _ => error.into(),
    })
}

/// Servers are not to outlive us, also when we are killed.
fn watch_orphans() {
    match std::env::current_exe() {
        Ok(program) => resultant_gateway::watch_orphans(program, &["end-orphans"]),
        Err(error) => tracing::warn!(%error, "servers may outlive this process if it is killed"),
    }
}

/// Questions about files are answered by a process of this program.
pub(crate) fn offer_queries() {
    match std::env::current_exe() {
        Ok(program) => resultant_gateway::query_worker(program, &["query-worker"]),
        Err(error) => tracing::warn!(%error, "there are no tools for reading files"),
    }
}

/// Ends when the process is told to. A person who then presses Ctrl-C does not wait for calls under
/// way; a service manager that repeats itself does.
async fn stop_signal() {
    signalled().await;
    tokio::spawn(async {
        if tokio::signal::ctrl_c().await.is_ok() {
            // As a shell says it of a program that was interrupted.
            std::process::exit(130);
        }
    });
}

/// Ends at the next SIGINT or SIGTERM.
pub(crate) async fn signalled() {
    let interrupted = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminated) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = interrupted => {}
                _ = terminated.recv() => {}
            }
            return;
        }
    }
    let _ = interrupted.await;
}

/// Reads the configuration again when the file changes and on SIGHUP.
async fn watch(gateway: Arc<Gateway>, source: PathBuf, settings: Settings) {
    let changed = |path: &Path| -> Option<(SystemTime, u64)> {
        let metadata = std::fs::metadata(path).ok()?;
        Some((metadata.modified().ok()?, metadata.len()))
    };
    let mut seen = changed(&source);
    let mut hangup = Hangup::new();
    loop {
        let is_asked = tokio::select! {
            () = hangup.next() => true,
            () = tokio::time::sleep(WATCH_INTERVAL) => false,
        };
        let now = changed(&source);
        // A file that is gone for a moment is being replaced.
        if !is_asked && (now == seen || now.is_none()) {
            continue;
        }
        seen = now;
        match Config::load(Some(&source), &environment) {
            Ok(Loaded { config, warnings }) => {
                for warning in warnings {
                    tracing::warn!("{}:{warning}", source.display());
                }
                gateway.reload(settings.apply(config));
                tracing::info!(file = %source.display(), "configuration read again");
            }
            Err(errors) => {
                tracing::error!("the new configuration is not used, the old one stays: {errors}");
            }
        }
    }
}

/// SIGHUP, where there is such a thing.
struct Hangup {
    #[cfg(unix)]
    signal: Option<tokio::signal::unix::Signal>,
}

impl Hangup {
    fn new() -> Hangup {
        Hangup {
            #[cfg(unix)]
            signal: tokio::signal::unix::signal(tokio::signal::unix::SignalKind::hangup()).ok(),
        }
    }

    async fn next(&mut self) {
        #[cfg(unix)]
        if let Some(signal) = &mut self.signal
            && signal.recv().await.is_some()
        {
            return;
        }
        std::future::pending::<()>().await;
    }
}

/// `resultant proxy`.
pub(crate) fn proxy(arguments: &ProxyArguments) -> anyhow::Result<ExitCode> {
    start_log("warn");
    let transport = match (&arguments.url, arguments.command.split_first()) {
        (Some(url), None) => Transport::http(url, &headers(&arguments.header)?)?,
        (None, Some((command, args))) => Transport::stdio(command, args),
        _ => anyhow::bail!("name a server: `-- COMMAND ARGS…`, or `--url URL`"),
    };
    let mut config = Config::proxy(transport, &environment)?;
    if let Some(data) = &arguments.data {
        config.data.clone_from(data);
    }
    for server in &mut config.servers {
        // What the client can do is known when it says hello.
        server.start = Start::Lazy;
    }
    let server = config.servers.first().map(|server| server.name.as_str().to_owned());
    block_on(async move {
        watch_orphans();
        offer_queries();
        let gateway = Gateway::start(config).await?;
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        // Downloads, on a port that is free.
        let downloads = gateway.clone();
        let listener = tokio::spawn(async move {
            let ready = |address: SocketAddr| tracing::info!("downloads at http://{address}");
            let stop = async move {
                let _ = stopped.await;
            };
            let address = Listen { host: "127.0.0.1".to_owned(), port: 0 };
            let listener = resultant_gateway::listen(&address, &SandboxListen::Off).await?;
            resultant_gateway::serve(downloads, listener, ready, stop).await
        });
        let serving = resultant_gateway::serve_stdio(
            gateway.clone(),
            server.as_deref(),
            tokio::io::stdin(),
            tokio::io::stdout(),
            stop_signal(),
        );
        serving.await;
        let _ = stop.send(());
        gateway.stop().await;
        let _ = tokio::time::timeout(Duration::from_millis(500), listener).await;
        Ok(ExitCode::SUCCESS)
    })?
}

fn headers(written: &[String]) -> anyhow::Result<Vec<(String, String)>> {
    let split = |header: &String| {
        let (name, value) = header
            .split_once(':')
            .with_context(|| format!("`{header}` is no header; write it as `Name: value`"))?;
        Ok((name.trim().to_owned(), value.trim().to_owned()))
    };
    written.iter().map(split).collect()
}

/// `resultant demo`.
pub(crate) fn demo(arguments: &DemoArguments) -> anyhow::Result<ExitCode> {
    // What somebody does in the dashboard is to be seen.
    start_log("warn,resultant::dashboards=info");
    let settings = Settings { listen: arguments.listen.clone(), data: arguments.data.clone() };
    let mut config = settings.apply(source::demo()?);
    config.has_demo_page = true;
    block_on(run(config, settings, |address, gateway| {
        eprintln!("listening on http://{address}");
        tell_page(gateway);
        tell_demo_page(gateway, address);
        eprintln!("\n{}", demo::next_steps(&format!("http://{address}"), "--demo"));
    }))?
}
