//! What was found about a server as steps, in the order in which they are taken.
//!
//! Everything here is pure: what is looked at and asked is done before.

use resultant_gateway::{
    Failure, FailureKind, ServerReport,
    config::{ServerConfig, Transport},
};

use super::{Check, Examined, Verdict, advice, reach::Reached};
use crate::{
    terminal::{one_line, printable},
    tools::about,
};

pub(super) fn examine(
    config: &ServerConfig,
    reached: &Reached,
    report: Option<&ServerReport>,
    again: &str,
) -> Examined {
    let server = config.name.as_str().to_owned();
    let Some(report) = report else {
        let text = "it is disabled in the configuration";
        return Examined { server, checks: vec![Check::new("server", Verdict::Skipped, text)] };
    };
    let mut checks = Vec::new();
    let found = find(config, reached, report.failure.as_ref());
    let is_found = found.verdict != Verdict::Failed;
    checks.push(found);
    if is_found {
        checks.extend(connect(config, report, again));
    }
    Examined { server, checks }
}

/// Where the server is. What was looked for in vain and works all the same is none of our concern.
fn find(config: &ServerConfig, reached: &Reached, failure: Option<&Failure>) -> Check {
    let has_failed = |kind: FailureKind| failure.is_some_and(|failure| failure.kind == kind);
    let command = match &config.transport {
        Transport::Stdio { command, .. } => command.as_str(),
        Transport::Http { .. } | Transport::Pages => "",
    };
    match reached {
        Reached::Program(path) => Check::new("command", Verdict::Ok, path.display().to_string()),
        Reached::NoFolder(path) => {
            let text = format!("there is no folder `{}`", printable(&path.to_string_lossy()));
            let try_this = "correct it; a relative one starts in the folder of the configuration";
            Check::failed("cwd", text, vec![try_this.to_owned()])
        }
        Reached::NotExecutable(path) if has_failed(FailureKind::Start) => {
            let text = format!("{} is there and cannot be run", path.display());
            let try_this = format!("make it executable: chmod +x {}", path.display());
            Check::failed("command", text, vec![try_this])
        }
        Reached::NoProgram { looked_in } if has_failed(FailureKind::Start) => {
            let text = match looked_in.is_empty() {
                true => format!("there is no file `{}`", printable(command)),
                false => format!("`{}` is not in PATH", printable(command)),
            };
            Check::failed("command", text, advice::missing_command(command, looked_in))
        }
        Reached::NotExecutable(_) | Reached::NoProgram { .. } => {
            Check::new("command", Verdict::Ok, printable(command))
        }
        Reached::Host(address) => Check::new("address", Verdict::Ok, address.as_str()),
        Reached::Proxied => Check::new("address", Verdict::Skipped, "requests go through a proxy"),
        Reached::Unresolved(reason) if failure.is_some() => {
            let text = format!("the host's name cannot be resolved: {}", one_line(reason));
            Check::failed("address", text, advice::unresolved())
        }
        Reached::Unconnected(reason) if failure.is_some() => {
            let text = format!("nobody takes a connection: {}", one_line(reason));
            Check::failed("address", text, advice::unconnected())
        }
        Reached::Unresolved(_) | Reached::Unconnected(_) => {
            Check::new("address", Verdict::Ok, "reached in another way")
        }
    }
}

/// Everything from the start of the program to the list of tools.
fn connect(config: &ServerConfig, report: &ServerReport, again: &str) -> Vec<Check> {
    let is_program = matches!(config.transport, Transport::Stdio { .. });
    let failed_at = report.failure.as_ref().map(|failure| failure.step);
    let fail = |step: &'static str, failure: &Failure| {
        let text = match failure.kind {
            FailureKind::Start | FailureKind::TimedOut => one_line(&failure.reason),
            _ => format!("{}: {}", failure.step, one_line(&failure.reason)),
        };
        Check::failed(step, text, advice::of_failure(config, failure, again))
    };
    let mut checks = Vec::new();
    if is_program {
        match &report.failure {
            Some(failure) if failure.kind == FailureKind::Start => {
                return vec![fail("start", failure)];
            }
            _ => checks.push(Check::new("start", Verdict::Ok, "it runs")),
        }
    }
    match &report.failure {
        Some(failure) if failed_at != Some("tools/list") => {
            checks.push(fail("handshake", failure));
            return checks;
        }
        _ => checks.push(Check::new("handshake", Verdict::Ok, greeting(report))),
    }
    match &report.failure {
        Some(failure) => checks.push(fail("tools", failure)),
        None => checks.push(tools(report)),
    }
    checks
}

fn greeting(report: &ServerReport) -> String {
    // The tools have a step of their own.
    let about = about(report);
    about.rsplit_once(", ").map_or(about.clone(), |(greeting, _)| greeting.to_owned())
}

fn tools(report: &ServerReport) -> Check {
    let left_out = report.oddities.iter().filter(|oddity| oddity.is_left_out).count();
    let mut text = format!("{} listed", report.tools.len());
    if left_out > 0 {
        text.push_str(&format!(", {left_out} left out"));
    }
    let verdict = if report.oddities.is_empty() { Verdict::Ok } else { Verdict::Odd };
    let say = |oddity: &resultant_gateway::ToolOddity| {
        let what = if oddity.is_left_out { "left out" } else { "repaired" };
        format!("{what}: {}: {}", printable(&oddity.tool), one_line(&oddity.reason))
    };
    let advice = report.oddities.iter().map(say).collect();
    Check { advice, ..Check::new("tools", verdict, text) }
}
