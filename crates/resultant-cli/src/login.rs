//! `resultant login`: a person logs in to a remote server, in the browser.

use std::{
    process::{Command, ExitCode, Stdio},
    time::Duration,
};

use anyhow::{Context as _, bail};
use resultant_gateway::{
    Login, LoginError, LoginOptions,
    config::{Config, Transport},
};

use crate::{
    args::{LoginArguments, SourceArguments},
    serve::{block_on, environment, signalled, start_log},
    source,
    terminal::{one_line, printable},
};

/// Where the secret of a registered client comes from: arguments are seen by other users.
const SECRET: &str = "RESULTANT_CLIENT_SECRET";

pub(crate) fn run(arguments: &LoginArguments) -> anyhow::Result<ExitCode> {
    start_log("error");
    let from = SourceArguments {
        config: arguments.config.clone(),
        data: arguments.data.clone(),
        demo: false,
    };
    let config = match &arguments.url {
        Some(url) => {
            let config = Config::proxy(Transport::http(url, &[])?, &environment)?;
            source::prepared(config, arguments.data.as_deref())
        }
        None => source::load(&from)?,
    };
    let server = match &arguments.server {
        Some(name) => source::find(&config, name)?,
        None => config.servers.first().context("name a server, or its address with `--url`")?,
    };
    let name = server.name.as_str();
    let shown = match &arguments.url {
        Some(url) => format!("--url {}", printable(url)),
        None => format!("{name}{}", from.again()),
    };
    let Transport::Http { url, .. } = &server.transport else {
        bail!(
            "`{name}` is a program on this machine, which has no login; see its own documentation"
        );
    };
    if arguments.logout {
        let was_there = resultant_gateway::logout(name, url, &config.data)
            .context("the tokens cannot be thrown away")?;
        eprintln!("{}", if was_there { "The tokens are gone." } else { "There were no tokens." });
        return Ok(ExitCode::SUCCESS);
    }
    let options = options(arguments, LoginOptions::from(&server.oauth));
    let is_opened = !arguments.no_browser;
    let agent = move |link: &str| show(link, is_opened);
    let login = block_on(async {
        tokio::select! {
            login = resultant_gateway::login(name, url, &config.data, &agent, &options) => Some(login),
            () = signalled() => None,
        }
    })?;
    match login {
        Some(Ok(login)) => {
            eprintln!("Logged in to {name}{}.", told(&login));
            Ok(ExitCode::SUCCESS)
        }
        Some(Err(error)) => Err(explained(error, &shown, arguments.url.is_none())),
        None => bail!("the login was cancelled"),
    }
}

/// What the configuration says, and over it what the arguments do. A client of the arguments has
/// nothing of the other one's secret.
fn options(arguments: &LoginArguments, configured: LoginOptions) -> LoginOptions {
    let (client_id, client_secret) = match &arguments.client_id {
        Some(id) => (Some(id.clone()), environment(SECRET)),
        None => (configured.client_id, configured.client_secret),
    };
    LoginOptions {
        client_id,
        client_secret,
        scopes: match arguments.scope.is_empty() {
            true => configured.scopes,
            false => arguments.scope.clone(),
        },
        redirect_port: arguments.port.or(configured.redirect_port),
        wait: Duration::from_secs(arguments.timeout),
        client_metadata_url: configured.client_metadata_url,
    }
}

/// Prints the link and, where that is wanted, opens it.
fn show(link: &str, is_opened: bool) {
    let link = printable(link);
    eprintln!("Log in here:\n\n  {link}\n");
    // A browser that can be reached over a terminal would take the terminal away: only those that
    // have a window are tried.
    if is_opened && !opens(&link) {
        eprintln!("No browser could be opened; open the link yourself.");
    }
    eprintln!("Waiting for you to come back … (Ctrl-C gives up)");
}

/// Opens a link in a browser. False where there is none.
pub(crate) fn opens(link: &str) -> bool {
    openers(link).into_iter().any(starts)
}

/// What may open a link on this system.
fn openers(link: &str) -> Vec<Command> {
    let command = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        command.args(arguments).arg(link);
        command
    };
    if cfg!(windows) {
        // Not `cmd /c start`, for which `&` in a link ends the command.
        vec![command("rundll32", &["url.dll,FileProtocolHandler"])]
    } else if cfg!(target_os = "macos") {
        vec![command("open", &[])]
    } else {
        vec![command("xdg-open", &[]), command("wslview", &[])]
    }
}

/// Whether the program is there; how it ends is seen in the browser.
fn starts(mut command: Command) -> bool {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().is_ok()
}

fn told(login: &Login) -> String {
    let mut told = String::new();
    if !login.scopes.is_empty() {
        told.push_str(&format!(", for {}", printable(&login.scopes.join(" "))));
    }
    match (login.renewable, login.expires_in) {
        (true, _) => told.push_str("; the token is renewed by itself"),
        (false, Some(time)) => {
            let minutes = time.as_secs().div_ceil(60);
            told.push_str(&format!("; the token lasts for {minutes} minutes"));
        }
        (false, None) => {}
    }
    told
}

/// What to try, where that is known.
fn explained(error: LoginError, server: &str, is_configured: bool) -> anyhow::Error {
    let hint = match &error {
        LoginError::Auth(reason) if reason.to_lowercase().contains("regist") => format!(
            "the server does not let programs register: register one there yourself and give its \
             id, as in `resultant login {server} --client-id ID`"
        ),
        LoginError::Auth(_) if is_configured => {
            format!("`resultant doctor {server}` says whether the server answers")
        }
        LoginError::Auth(_) => "is the address right, and does the server have logins?".to_owned(),
        LoginError::TimedOut(_) => {
            "try again, and give yourself longer with `--timeout`".to_owned()
        }
        LoginError::TurnedDown(_)
        | LoginError::IssuerChanged
        | LoginError::NoClient
        | LoginError::Io(_) => return anyhow::Error::new(error).context("the login failed"),
    };
    anyhow::anyhow!("the login failed: {}; {hint}", one_line(&error.to_string()))
}
