//! `resultant tools`: what the servers can do.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use resultant::Json;
use resultant_gateway::{
    Failure, Gateway, ServerReport, ToolReport,
    config::{Config, Transport},
};
use serde_json::{Value, json};

use crate::{
    args::ToolsArguments,
    serve::{block_on, environment, offer_queries, start_log},
    source,
    terminal::{columns, one_line, printable, wrap},
};

/// Descriptions do not start further to the right than this.
const NAME_COLUMNS_MAX: usize = 40;

pub(crate) fn run(arguments: &ToolsArguments) -> anyhow::Result<ExitCode> {
    start_log("error");
    let config = match arguments.command.split_first() {
        Some((command, args)) => {
            let config = Config::proxy(Transport::stdio(command, args), &environment)?;
            source::prepared(config, arguments.source.data.as_deref())
        }
        None => {
            let mut config = source::load(&arguments.source)?;
            match arguments.server.as_deref() {
                Some(server) if source::is_own(&config, server) => config.servers.clear(),
                server => source::choose(&mut config, server)?,
            }
            config
        }
    };
    let reports = block_on(async {
        offer_queries();
        let gateway = Gateway::start(config).await?;
        let mut reports = gateway.survey().await;
        let is_one = arguments.server.as_ref().is_some_and(|server| server != source::OWN_SERVER);
        if !is_one {
            reports.extend(gateway.own_tools());
        }
        gateway.stop().await;
        anyhow::Ok(reports)
    })??;
    let mut out = io::stdout().lock();
    match arguments.json {
        true => writeln!(out, "{}", document(&reports))?,
        false => print(&mut out, &reports, &arguments.source.again(), columns())?,
    }
    let has_failed = reports.iter().any(|report| report.failure.is_some());
    Ok(if has_failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn print(
    out: &mut impl Write,
    reports: &[ServerReport],
    again: &str,
    columns: Option<usize>,
) -> io::Result<()> {
    for (index, report) in reports.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        print_server(out, report, again, columns)?;
    }
    Ok(())
}

fn print_server(
    out: &mut impl Write,
    report: &ServerReport,
    again: &str,
    columns: Option<usize>,
) -> io::Result<()> {
    let ServerReport { server, tools, oddities, failure, .. } = report;
    if let Some(Failure { step, reason, .. }) = failure {
        writeln!(out, "{server}: failed at {step}: {}", one_line(reason))?;
        return writeln!(out, "  `resultant doctor {server}{again}` says what to try");
    }
    writeln!(out, "{server}: {}", about(report))?;
    let names: Vec<String> =
        tools.iter().map(|tool| printable(&format!("{server}.{}", tool.name))).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or_default();
    let width = width.min(NAME_COLUMNS_MAX);
    for (name, tool) in names.iter().zip(tools) {
        let mut lines = wrap(&summary(tool), width + 4, columns).into_iter();
        let first = lines.next().unwrap_or_default();
        match name.chars().count() > width {
            true => writeln!(out, "  {name}\n  {:width$}  {first}", "")?,
            false => writeln!(out, "{}", format!("  {name:width$}  {first}").trim_end())?,
        }
        for line in lines {
            writeln!(out, "  {:width$}  {line}", "")?;
        }
    }
    for oddity in oddities {
        let verdict = if oddity.is_left_out { "left out" } else { "repaired" };
        let tool = printable(&oddity.tool);
        writeln!(out, "  {verdict}: {tool}: {}", one_line(&oddity.reason))?;
    }
    Ok(())
}

/// What a server says of itself, the version, and how many tools it has.
pub(crate) fn about(report: &ServerReport) -> String {
    let count = match report.tools.len() {
        1 => "1 tool".to_owned(),
        count => format!("{count} tools"),
    };
    let said = |key: &str| {
        let value = report.info.as_ref()?.get(key)?;
        value.as_str().map(|text| one_line(&text)).filter(|text| !text.is_empty())
    };
    let name = said("title").or_else(|| said("name"));
    let name = name.map(|name| match said("version") {
        Some(version) => format!("{name} {version}"),
        None => name,
    });
    let protocol = report.protocol.map(|protocol| format!("protocol {protocol}"));
    let parts: Vec<String> = name.into_iter().chain(protocol).chain([count]).collect();
    parts.join(", ")
}

/// The first paragraph of a tool's description, in one line.
fn summary(tool: &ToolReport) -> String {
    let text = |key: &str| {
        let text = tool.definition.get(key);
        text.as_ref().and_then(Json::as_str).map(|text| text.trim().to_owned())
    };
    let text = text("description").filter(|text| !text.is_empty()).or_else(|| text("title"));
    let text = text.unwrap_or_default();
    one_line(text.split("\n\n").next().unwrap_or_default())
}

fn document(reports: &[ServerReport]) -> Value {
    let servers: Vec<Value> = reports.iter().map(server_document).collect();
    json!({"servers": servers})
}

fn server_document(report: &ServerReport) -> Value {
    let tool = |tool: &ToolReport| {
        let mut definition = tool.definition.to_value();
        if let Some(members) = definition.as_object_mut() {
            members.insert("call".to_owned(), json!(format!("{}.{}", report.server, tool.name)));
        }
        definition
    };
    json!({
        "name": report.server,
        "protocol": report.protocol.map(|protocol| protocol.as_str()),
        "info": report.info.as_ref().map(Json::to_value),
        "tools": report.tools.iter().map(tool).collect::<Vec<_>>(),
        "oddities": report.oddities.iter().map(|oddity| json!({
            "tool": oddity.tool,
            "reason": oddity.reason,
            "left_out": oddity.is_left_out,
        })).collect::<Vec<_>>(),
        "failure": report.failure.as_ref().map(|failure| json!({
            "step": failure.step,
            "reason": failure.reason,
        })),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_aligned_and_foreign_text_is_harmless() {
        let tool = |name: &str, definition: Value| ToolReport {
            name: name.to_owned(),
            definition: Json::of(&definition),
        };
        let report = ServerReport {
            server: "s".to_owned(),
            protocol: Some(resultant::Protocol::V2025_11_25),
            info: Some(Json::of(&json!({"name": "shop\u{1b}[2J", "version": "1.2"}))),
            tools: vec![
                tool("add", json!({"description": "Adds two\nnumbers.\n\nAnd more."})),
                tool("subtract", json!({"title": "Takes\u{7} one number away from another"})),
                tool("x", json!({})),
            ],
            oddities: vec![resultant_gateway::ToolOddity {
                tool: "bad".to_owned(),
                reason: "it has no name".to_owned(),
                is_left_out: true,
            }],
            failure: None,
        };
        let mut out = Vec::new();
        print(&mut out, &[report], "", Some(44)).expect("memory does not fail");
        let expected = "\
s: shop\u{fffd}[2J 1.2, protocol 2025-11-25, 3 tools
  s.add       Adds two numbers.
  s.subtract  Takes\u{fffd} one number away from
              another
  s.x
  left out: bad: it has no name
";
        assert_eq!(String::from_utf8(out).expect("UTF-8"), expected);
    }
}
