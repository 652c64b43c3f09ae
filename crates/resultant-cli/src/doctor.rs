//! `resultant doctor`: which step fails, for each server, and what to try.

mod advice;
mod examine;
mod reach;

use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    path::Path,
    process::ExitCode,
};

use futures_util::future::join_all;
use resultant_gateway::{
    Gateway,
    config::{Config, ConfigErrors, Loaded},
};
use serde_json::{Value, json};

use self::examine::examine;
use crate::{
    args::DoctorArguments,
    serve::{block_on, environment, start_log},
    source,
    terminal::{columns, one_line, wrap},
};

/// How a step went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Ok,
    /// It works, but something about it is odd.
    Odd,
    Failed,
    Skipped,
}

impl Verdict {
    fn word(self) -> &'static str {
        match self {
            Verdict::Ok => "ok",
            Verdict::Odd => "odd",
            Verdict::Failed => "failed",
            Verdict::Skipped => "skipped",
        }
    }
}

/// One step.
#[derive(Clone, Debug)]
struct Check {
    step: &'static str,
    verdict: Verdict,
    /// What was found.
    text: String,
    /// What to try.
    advice: Vec<String>,
}

impl Check {
    fn new(step: &'static str, verdict: Verdict, text: impl Into<String>) -> Check {
        Check { step, verdict, text: text.into(), advice: Vec::new() }
    }

    fn failed(step: &'static str, text: impl Into<String>, advice: Vec<String>) -> Check {
        Check { advice, ..Check::new(step, Verdict::Failed, text) }
    }
}

/// The steps of one server.
#[derive(Clone, Debug)]
struct Examined {
    server: String,
    checks: Vec<Check>,
}

pub(crate) fn run(arguments: &DoctorArguments) -> anyhow::Result<ExitCode> {
    start_log("off");
    let mut general = Vec::new();
    let mut servers = Vec::new();
    match load(arguments) {
        Ok(Loaded { mut config, warnings }) => {
            general.push(configuration(&config, &warnings));
            source::choose(&mut config, arguments.server.as_deref())?;
            let data = data_folder(&config.data);
            let is_usable = data.verdict == Verdict::Ok;
            general.push(data);
            if is_usable {
                servers = block_on(examine_all(config, arguments))??;
            }
        }
        Err(errors) => {
            let problems: Vec<String> = errors.to_string().lines().map(one_line).collect();
            general.push(Check::failed("configuration", "it cannot be used", problems));
        }
    }
    let mut out = io::stdout().lock();
    match arguments.json {
        true => writeln!(out, "{}", document(&general, &servers))?,
        false => print(&mut out, &general, &servers, columns())?,
    }
    let all = general.iter().chain(servers.iter().flat_map(|server| &server.checks));
    let has_failed = all.into_iter().any(|check| check.verdict == Verdict::Failed);
    Ok(if has_failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn load(arguments: &DoctorArguments) -> Result<Loaded, ConfigErrors> {
    let source = &arguments.source;
    let loaded = match source.demo {
        true => match source::demo() {
            Ok(config) => Loaded { config, warnings: Vec::new() },
            Err(error) => {
                let problem = resultant_gateway::config::Problem {
                    place: None,
                    pointer: String::new(),
                    message: format!("{error:#}"),
                    hint: None,
                };
                return Err(ConfigErrors { source: None, problems: vec![problem] });
            }
        },
        false => Config::load(source.config.as_deref(), &environment)?,
    };
    let config = source::prepared(loaded.config, source.data.as_deref());
    Ok(Loaded { config, ..loaded })
}

fn configuration(config: &Config, warnings: &[resultant_gateway::config::Problem]) -> Check {
    let place = match &config.source {
        Some(source) => source.display().to_string(),
        None => "no file".to_owned(),
    };
    let servers = match config.servers.len() {
        1 => "1 server".to_owned(),
        count => format!("{count} servers"),
    };
    let verdict = if warnings.is_empty() { Verdict::Ok } else { Verdict::Odd };
    let advice = warnings.iter().map(|warning| one_line(&warning.to_string())).collect();
    Check { advice, ..Check::new("configuration", verdict, format!("{place}, {servers}")) }
}

/// Whether files can be written where the gateway keeps them.
fn data_folder(folder: &Path) -> Check {
    const STEP: &str = "data folder";
    let shown = folder.display();
    let probe = folder.join(format!("doctor-{}", std::process::id()));
    let is_there = folder.exists();
    let tried = match is_there {
        true => {
            let written = OpenOptions::new().write(true).create_new(true).open(&probe);
            written.and_then(|_| fs::remove_file(&probe))
        }
        false => fs::create_dir_all(folder),
    };
    match tried {
        Ok(()) => Check::new(STEP, Verdict::Ok, shown.to_string()),
        Err(error) => Check::failed(
            STEP,
            format!("{shown}: {error}"),
            vec!["name another folder with `--data DIR`, or as `data` in the configuration".into()],
        ),
    }
}

/// Tries every server at the same time.
async fn examine_all(config: Config, arguments: &DoctorArguments) -> anyhow::Result<Vec<Examined>> {
    let configs = config.servers.clone();
    let gateway = Gateway::start(config).await?;
    let reaching = join_all(configs.iter().map(reach::reach));
    let (reports, reached) = tokio::join!(gateway.survey(), reaching);
    gateway.stop().await;
    let again = arguments.source.again();
    let examined = configs.iter().zip(reached).map(|(config, reached)| {
        let report = reports.iter().find(|report| report.server == config.name.as_str());
        examine(config, &reached, report, &again)
    });
    Ok(examined.collect())
}

fn print(
    out: &mut impl Write,
    general: &[Check],
    servers: &[Examined],
    columns: Option<usize>,
) -> io::Result<()> {
    general.iter().try_for_each(|check| print_check(out, check, columns))?;
    for server in servers {
        writeln!(out, "\n{}", server.server)?;
        server.checks.iter().try_for_each(|check| print_check(out, check, columns))?;
    }
    let failed: Vec<&str> = servers
        .iter()
        .filter(|server| server.checks.iter().any(|check| check.verdict == Verdict::Failed))
        .map(|server| server.server.as_str())
        .collect();
    match failed.as_slice() {
        [] if servers.is_empty() => Ok(()),
        [] => writeln!(out, "\nAll is well."),
        failed => writeln!(out, "\nNot working: {}", failed.join(", ")),
    }
}

fn print_check(out: &mut impl Write, check: &Check, columns: Option<usize>) -> io::Result<()> {
    const INDENT: usize = 26;
    let mut lines = wrap(&check.text, INDENT, columns).into_iter();
    let first = lines.next().unwrap_or_default();
    writeln!(out, "  {:7}  {:13}  {first}", check.verdict.word(), check.step)?;
    for line in lines {
        writeln!(out, "{:INDENT$}{line}", "")?;
    }
    for advice in &check.advice {
        for (at, line) in wrap(advice, INDENT + 2, columns).iter().enumerate() {
            let mark = if at == 0 { "-" } else { " " };
            writeln!(out, "{:INDENT$}{mark} {line}", "")?;
        }
    }
    Ok(())
}

fn document(general: &[Check], servers: &[Examined]) -> Value {
    let check = |check: &Check| {
        json!({
            "step": check.step,
            "verdict": check.verdict.word(),
            "text": check.text,
            "advice": check.advice,
        })
    };
    let checks = |checks: &[Check]| checks.iter().map(check).collect::<Vec<_>>();
    let is_ok = |checks: &[Check]| !checks.iter().any(|check| check.verdict == Verdict::Failed);
    let of_server = |server: &Examined| {
        let is_ok = is_ok(&server.checks);
        json!({"name": server.server, "ok": is_ok, "checks": checks(&server.checks)})
    };
    let all_ok = is_ok(general) && servers.iter().all(|server| is_ok(&server.checks));
    let servers: Vec<Value> = servers.iter().map(of_server).collect();
    json!({"ok": all_ok, "checks": checks(general), "servers": servers})
}
