//! `resultant init`: writes a configuration, and says what to do next.

use std::{
    env,
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, bail};
use resultant_gateway::config::{self, Client, Config, Loaded};

use crate::args::{ImportClient, InitArguments};

pub(crate) fn run(arguments: &InitArguments) -> anyhow::Result<ExitCode> {
    let InitArguments { from, input, output, force } = arguments;
    let (text, source) = match from {
        Some(client) => {
            let (text, path) = imported(client_of(*client), input.as_deref())?;
            (text, Some(path))
        }
        None => (config::starter(), None),
    };
    if output.as_os_str() == "-" {
        io::stdout().write_all(text.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    write(output, &text, *force)?;
    report(output, &text, source.as_deref());
    Ok(ExitCode::SUCCESS)
}

fn client_of(client: ImportClient) -> Client {
    match client {
        ImportClient::ClaudeDesktop => Client::ClaudeDesktop,
        ImportClient::Cursor => Client::Cursor,
        ImportClient::VsCode => Client::VsCode,
    }
}

fn variable(name: &str) -> Option<String> {
    env::var(name).ok()
}

/// Our text for a client's file, and where that is. Of its usual places, the first with servers.
fn imported(client: Client, path: Option<&Path>) -> anyhow::Result<(String, PathBuf)> {
    let paths = match path {
        Some(path) => vec![path.to_owned()],
        None => client.default_paths(&variable).into_iter().filter(|path| path.exists()).collect(),
    };
    let mut failure = None;
    for path in paths {
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        match config::import(client, &text) {
            Ok(text) => return Ok((text, path)),
            Err(mut errors) => {
                errors.source = Some(path);
                failure.get_or_insert(errors);
            }
        }
    }
    match failure {
        Some(errors) => bail!(errors),
        None => {
            let paths = client.default_paths(&variable);
            let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
            bail!(
                "no configuration of {} was found; looked for {}; name the file after `--from`",
                client.title(),
                paths.join(", ")
            );
        }
    }
}

fn write(path: &Path, text: &str, force: bool) -> anyhow::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true);
    match force {
        true => options.create(true).truncate(true),
        false => options.create_new(true),
    };
    let opened = private(&mut options).open(path);
    if let Err(error) = &opened
        && error.kind() == io::ErrorKind::AlreadyExists
    {
        bail!("{} exists already; write over it with `--force`", path.display());
    }
    let mut file: File = opened.with_context(|| path.display().to_string())?;
    restrict(&file).with_context(|| path.display().to_string())?;
    file.write_all(text.as_bytes()).with_context(|| path.display().to_string())
}

/// Servers' entries often hold keys.
#[cfg(unix)]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600)
}

/// A file that was there has the rights it had.
#[cfg(unix)]
fn restrict(file: &File) -> io::Result<()> {
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))
}

#[cfg(not(unix))]
fn restrict(_: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

fn report(output: &Path, text: &str, source: Option<&Path>) {
    let shown = output.display();
    let folder = output.parent().unwrap_or(Path::new(""));
    let mut servers = 0;
    match source {
        None => eprintln!("{shown} is written. It has no servers yet; add yours to it, then:\n"),
        Some(source) => {
            let checked = Config::parse(text, folder, &variable);
            eprintln!("{shown} is written, with the servers of {}.", source.display());
            match checked {
                Ok(Loaded { config, warnings }) => {
                    servers = config.servers.len();
                    warnings.iter().for_each(|warning| eprintln!("{shown}:{warning}"));
                }
                Err(mut errors) => {
                    errors.source = Some(output.to_owned());
                    eprintln!("Before you start, see to these:\n\n{errors}\n");
                }
            }
            if servers > 0 {
                eprintln!("It has {servers} server{}.", if servers == 1 { "" } else { "s" });
            }
            eprintln!("Next:\n");
        }
    }
    let config = match output == Path::new(config::FILE_NAME) {
        true => String::new(),
        false => format!(" --config {shown}"),
    };
    eprintln!("  resultant doctor{config}    whether each server answers");
    eprintln!(
        "  resultant serve{config}     then connect your client to http://127.0.0.1:8737/mcp"
    );
}
