//! `resultant check`: what is odd about results, in a file or from a server.

use std::{io::Write as _, process::ExitCode, time::Duration};

use anyhow::Context as _;
use resultant::{Json, Note, Outcome, Protocol, ReadOptions, Schema, SchemaLimits};

use crate::{
    args::CheckArguments,
    input::{read_json, sources},
    server::{Server, Tool},
    terminal::printable,
};

pub(crate) fn run(arguments: &CheckArguments) -> anyhow::Result<ExitCode> {
    let report = Report { is_json: arguments.json };
    let is_clean = match arguments.command.is_empty() {
        true => check_files(arguments, &report)?,
        false => check_server(arguments, &report)?,
    };
    Ok(if is_clean { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn check_files(arguments: &CheckArguments, report: &Report) -> anyhow::Result<bool> {
    let schema = match &arguments.output_schema {
        Some(path) => {
            let schema = Schema::compile(&read_json(path)?, &SchemaLimits::default());
            Some(schema.with_context(|| format!("{} is no usable schema", path.display()))?)
        }
        None => None,
    };
    let options = ReadOptions { schema, ..Default::default() };
    let mut is_clean = true;
    for source in sources(&arguments.inputs) {
        let source = source?;
        let name = source.name.clone();
        let outcome = options.try_read(source.read_all()?);
        let outcome = outcome.with_context(|| format!("{name} is not JSON"))?;
        is_clean &= report.print(&name, &outcome, &[])?;
    }
    Ok(is_clean)
}

fn check_server(arguments: &CheckArguments, report: &Report) -> anyhow::Result<bool> {
    let mut server = Server::start(&arguments.command, Duration::from_secs(arguments.timeout))?;
    let tools = server.tools()?;
    let calls = chosen_calls(arguments, &tools)?;
    let mut is_clean = true;
    for (tool, call_arguments) in calls {
        let mut notes = Vec::new();
        let schema = tool.output_schema.as_ref().and_then(|schema| {
            Schema::compile(schema, &SchemaLimits::default())
                .map_err(|error| {
                    let message = format!("the output schema cannot be used: {error}");
                    notes.push(Note::remark(resultant::Rule::R12, "/outputSchema", message));
                })
                .ok()
        });
        let response = server.call(&tool.name, &call_arguments)?;
        let server_version = server.protocol.parse::<Protocol>().ok();
        let options = ReadOptions { schema, server: server_version, ..Default::default() };
        is_clean &= report.print(&tool.name, &options.read(&response), &notes)?;
    }
    Ok(is_clean)
}

/// The tools that are named with their arguments; without any, those that need none.
fn chosen_calls<'a>(
    arguments: &CheckArguments,
    tools: &'a [Tool],
) -> anyhow::Result<Vec<(&'a Tool, Json)>> {
    let no_arguments = || Json::parse("{}").unwrap_or(Json::null());
    if arguments.tool.is_empty() {
        let free: Vec<_> = tools.iter().filter(|tool| !tool.needs_arguments).collect();
        anyhow::ensure!(
            !free.is_empty(),
            "no tool can be called without arguments: name one with --tool"
        );
        return Ok(free.into_iter().map(|tool| (tool, no_arguments())).collect());
    }
    let mut calls = Vec::new();
    for (index, name) in arguments.tool.iter().enumerate() {
        let tool = tools.iter().find(|tool| tool.name == *name).with_context(|| {
            let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
            format!("the server has no tool `{name}`; it has {}", names.join(", "))
        })?;
        let call_arguments = match arguments.arguments.get(index) {
            Some(text) => Json::parse(text.clone())
                .with_context(|| format!("the arguments of `{name}` are not JSON"))?,
            None => no_arguments(),
        };
        calls.push((tool, call_arguments));
    }
    Ok(calls)
}

struct Report {
    is_json: bool,
}

impl Report {
    /// Prints what is known of a result; `true` where nothing is odd.
    fn print(&self, name: &str, outcome: &Outcome, more: &[Note]) -> anyhow::Result<bool> {
        let mut out = std::io::stdout().lock();
        let notes = || more.iter().chain(&outcome.notes);
        let is_clean = notes().next().is_none();
        if self.is_json {
            let notes: Vec<String> = notes().map(|note| note.to_json().to_string()).collect();
            writeln!(
                out,
                "{{\"name\":{},\"dialect\":\"{}\",\"is_error\":{},\"artifacts\":{},\"notes\":[{}]}}",
                Json::string(name),
                outcome.dialect.name(),
                outcome.is_error,
                outcome.artifacts.len(),
                notes.join(",")
            )?;
            return Ok(is_clean);
        }
        let verdict = if is_clean { "ok" } else { "odd" };
        let error = if outcome.is_error { ", an error" } else { "" };
        let files = match outcome.artifacts.len() {
            0 => String::new(),
            1 => ", 1 file".to_owned(),
            count => format!(", {count} files"),
        };
        writeln!(out, "{verdict} {}: {}{files}{error}", printable(name), outcome.dialect.name())?;
        for note in notes() {
            writeln!(out, "  {}", printable(&note.to_string()))?;
        }
        Ok(is_clean)
    }
}
