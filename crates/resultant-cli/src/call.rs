//! `resultant call`: one call through the gateway's own pipeline, from the command line.

mod arguments;
mod ask;
mod progress;

use std::{
    io::{self, IsTerminal as _},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use anyhow::{Context as _, bail};
use resultant::{Json, Note, Rule};
use resultant_gateway::{
    Audience, Delivery, Gateway, LocalCall, Question, ServerReport, Step, config::Config,
};

use self::{arguments::Given, progress::Progress};
use crate::{
    args::{self, CallArguments},
    files::Folder,
    nearest,
    normalize::{print_notes, print_text},
    serve::{block_on, offer_queries, signalled, start_log},
    source,
    terminal::{one_line, printable, size},
};

/// What shells say of a command that Ctrl-C ended.
const EXIT_CANCELLED: u8 = 130;

pub(crate) fn run(arguments: &CallArguments) -> anyhow::Result<ExitCode> {
    start_log("error");
    let mut config = source::load(&arguments.source)?;
    let (server, tool) = match own_tool(&config, &arguments.target) {
        Some(tool) => {
            config.servers.clear();
            (source::OWN_SERVER.to_owned(), tool.to_owned())
        }
        None => {
            let target = &arguments.target;
            let (server, tool) = source::split_target(&config, target, &arguments.source)?;
            let (server, tool) = (server.name.as_str().to_owned(), tool.to_owned());
            source::choose(&mut config, Some(&server))?;
            (server, tool)
        }
    };
    for server in &mut config.servers {
        if server.is_disabled {
            bail!("the server `{}` is disabled in the configuration", server.name);
        }
        if let Some(seconds) = arguments.timeout {
            server.call_timeout = match seconds == 0.0 {
                true => None,
                false => Some(Duration::try_from_secs_f64(seconds).context("not a timeout")?),
            };
        }
    }
    let given = Given::read(&arguments.arguments)?;
    let folder = arguments.files.as_deref().map(Folder::create).transpose()?;
    block_on(async {
        offer_queries();
        let gateway = Gateway::start(config).await?;
        let called = tokio::select! {
            called = call(&gateway, arguments, &server, &tool, &given) => called,
            () = signalled() => Ok(None),
        };
        let placed = match &called {
            Ok(Some(delivery)) => place_files(&gateway, delivery, folder.as_ref()).await,
            _ => Ok(Vec::new()),
        };
        // Who presses Ctrl-C twice does not want to wait for servers either.
        tokio::select! {
            () = gateway.stop() => {}
            () = signalled() => {}
        }
        match called? {
            Some(delivery) => report(arguments, &delivery, &placed?),
            None => {
                eprintln!("resultant: cancelled");
                Ok(ExitCode::from(EXIT_CANCELLED))
            }
        }
    })?
}

/// The tool of the gateway's own that is named, as in `resultant.files_read`.
fn own_tool<'t>(config: &Config, target: &'t str) -> Option<&'t str> {
    let (server, tool) = target.split_once('.')?;
    source::is_own(config, server).then_some(tool)
}

/// Calls the tool and sees it through; nothing where it was cancelled.
async fn call(
    gateway: &Arc<Gateway>,
    arguments: &CallArguments,
    server: &str,
    tool: &str,
    given: &Given,
) -> anyhow::Result<Option<Delivery>> {
    let caller = gateway.caller(server)?;
    let report = caller.report().await.with_context(|| format!("there is no server `{server}`"))?;
    let schema = input_schema(&report, tool, &arguments.source.again())?;
    let json = given.to_json(schema.as_ref())?;
    let audience = match arguments.to {
        args::Audience::Contract => Audience::Contract,
        args::Audience::Model => Audience::Model,
        args::Audience::Client => Audience::Client(arguments.protocol),
        args::Audience::Envelope => Audience::Envelope,
        args::Audience::View => Audience::View,
    };
    let mut call = caller.call(tool, &json, audience);
    let mut progress = Progress::new(arguments.quiet);
    while let Some(step) = call.next().await {
        match step {
            Step::Progress { progress: done, total, message } => {
                progress.show(done, total, message.as_deref());
            }
            Step::Log { level, data } => progress.log(&level, &data),
            Step::Question(question) => {
                progress.clear();
                answer(&call, &question, server).await?;
            }
            Step::Done(done) => {
                progress.clear();
                return Ok(Some(done?));
            }
        }
    }
    Ok(None)
}

/// What the tool takes; an error where the server is not there or has no such tool.
fn input_schema(report: &ServerReport, tool: &str, again: &str) -> anyhow::Result<Option<Json>> {
    let server = &report.server;
    if let Some(failure) = &report.failure {
        bail!(
            "the server `{server}` failed at {}: {}; `resultant doctor {server}{again}` says what \
             to try",
            failure.step,
            one_line(&failure.reason)
        );
    }
    if let Some(tool) = report.tools.iter().find(|known| known.name == tool) {
        return Ok(tool.definition.get("inputSchema"));
    }
    if let Some(oddity) = report.oddities.iter().find(|oddity| oddity.tool == tool) {
        bail!("the tool `{tool}` of `{server}` is left out: {}", one_line(&oddity.reason));
    }
    let known: Vec<String> = report.tools.iter().map(|tool| printable(&tool.name)).collect();
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    bail!(
        "the server `{server}` has no tool `{tool}`; {}; `resultant tools {server}{again}` lists \
         them all",
        nearest::hint(tool, &known)
    )
}

/// Asks the person what the server wants to know; without a terminal the answer is no.
async fn answer(call: &LocalCall, question: &Question, server: &str) -> anyhow::Result<()> {
    let answer = match io::stdin().is_terminal() && io::stderr().is_terminal() {
        true => {
            let (server, params) = (server.to_owned(), question.params.clone());
            let asking = tokio::task::spawn_blocking(move || {
                ask::ask(&server, &params, &mut io::stdin().lock(), &mut io::stderr())
            });
            asking.await.context("the question could not be asked")??
        }
        false => {
            let message = question.params.get("message");
            let message = message.as_ref().and_then(Json::as_str).unwrap_or_default();
            eprintln!(
                "resultant: declined, because there is no terminal: {server} asks: {}",
                one_line(&message)
            );
            ask::declined()
        }
    };
    call.answer(question, answer);
    Ok(())
}

/// Where a file of the result is, and the name it has there.
struct Placed {
    name: String,
    place: String,
}

/// Copies the files of a result to the folder that was asked for; else says where they are.
async fn place_files(
    gateway: &Gateway,
    delivery: &Delivery,
    folder: Option<&Folder>,
) -> anyhow::Result<Vec<Placed>> {
    let mut placed = Vec::new();
    for file in &delivery.files {
        placed.push(match folder {
            Some(folder) => {
                let (mut copy, name, path) = folder.new_file(&file.name)?;
                let copied = gateway.copy_file(file, &mut copy).await;
                copied.with_context(|| format!("cannot write {}", path.display()))?;
                Placed { name, place: path.display().to_string() }
            }
            None => {
                let path = gateway.file_path(file).map(|path| path.display().to_string());
                let place = path.unwrap_or_else(|| format!("in the store as {}", file.key));
                Placed { name: file.name.clone(), place }
            }
        });
    }
    Ok(placed)
}

/// Prints the result, its notes, and where its files are.
fn report(
    arguments: &CallArguments,
    delivery: &Delivery,
    placed: &[Placed],
) -> anyhow::Result<ExitCode> {
    let Delivery { text, is_error, notes, files } = delivery;
    let mut notes = notes.clone();
    let mut lines = Vec::new();
    for (file, Placed { name, place }) in files.iter().zip(placed) {
        if *name != file.name {
            let message =
                format!("`{}` is there already; the file is written as `{name}`", file.name);
            notes.push(Note::remark(Rule::R6, "", message));
        }
        let (name, mime) = (printable(&file.name), printable(&file.mime));
        lines.push(format!("file {name} ({mime}, {}): {place}", size(file.size)));
    }
    print_text(text, io::stdout().is_terminal())?;
    if !arguments.quiet {
        print_notes(&notes, arguments.explain)?;
        lines.iter().for_each(|line| eprintln!("{line}"));
    }
    Ok(if *is_error { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
