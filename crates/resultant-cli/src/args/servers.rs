//! The arguments of the commands that use servers once, or what was kept of them: `tools`, `call`,
//! `doctor`, `login`, `sweep` and `stats`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use resultant::Protocol;

use super::Audience;

/// Where servers and data are.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct SourceArguments {
    /// The configuration [default: ./resultant.json, else the one in the user's config folder]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Use the bundled demo server instead of a configuration
    #[arg(long, conflicts_with = "config")]
    pub(crate) demo: bool,

    /// The folder for files and tokens
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
}

impl SourceArguments {
    /// The options that let another command find the same servers, with a space before them.
    pub(crate) fn again(&self) -> String {
        match (&self.config, self.demo) {
            (Some(path), _) => format!(" --config {}", path.display()),
            (None, true) => " --demo".to_owned(),
            (None, false) => String::new(),
        }
    }
}

pub(super) const TOOLS_EXAMPLES: &str = "\
Each tool is listed by the name that `resultant call` takes. Tools with a broken definition are
named with what was wrong: they are repaired where that is possible, and left out where it is not.

Exit code: 0; 1 when a server failed; 2 when the configuration is broken.

Examples:
  resultant tools                                        all servers
  resultant tools github                                 one of them
  resultant tools --json | jq -r '.servers[].tools[].call'
  resultant tools -- npx -y @modelcontextprotocol/server-everything
  resultant tools --demo";

#[derive(Debug, Args)]
pub(crate) struct ToolsArguments {
    /// Only this server
    #[arg(value_name = "SERVER")]
    pub(crate) server: Option<String>,

    #[command(flatten)]
    pub(crate) source: SourceArguments,

    /// Print JSON, with the schemas
    #[arg(long)]
    pub(crate) json: bool,

    /// A server to start, and its arguments, instead of a configuration
    #[arg(last = true, value_name = "COMMAND", conflicts_with_all = ["config", "demo", "server"])]
    pub(crate) command: Vec<String>,
}

pub(super) const CALL_EXAMPLES: &str = "\
The call goes the way that the gateway's calls go. The result is printed as `resultant normalize`
prints it; progress, log messages, notes and files are told on standard error. When the server asks
something, you are asked on the terminal; without a terminal it is declined. Ctrl-C cancels.

Arguments are one JSON object, `@FILE`, `-` for standard input, or KEY=VALUE pairs. A value is what
the tool's input schema says it is: `count=3` is a number for a tool that takes a number. Where the
schema says nothing, it is JSON if it can be, else text. A key that is given several times is a list.

Exit code: 0; 1 when the tool's result is an error; 2 when there is no result: a wrong name or
argument, a server that is not there, an error of the protocol; 130 when it was cancelled.

Examples:
  resultant call github.search_issues '{\"query\": \"is:open\"}'
  resultant call github.search_issues query=is:open limit=5
  resultant call notes.add @note.json
  echo '{\"seconds\": 3}' | resultant call --demo demo.roast -
  resultant call --demo demo.web_log --to model           what the model is given
  resultant call --demo demo.sales_report --files out     the files as well";

#[derive(Debug, Args)]
pub(crate) struct CallArguments {
    /// The server and its tool
    #[arg(value_name = "SERVER.TOOL")]
    pub(crate) target: String,

    /// The arguments: JSON, `@FILE`, `-`, or KEY=VALUE pairs
    #[arg(value_name = "ARGUMENTS")]
    pub(crate) arguments: Vec<String>,

    #[command(flatten)]
    pub(crate) source: SourceArguments,

    /// Whom the result is written for
    #[arg(long, value_enum, default_value_t = Audience::Contract)]
    pub(crate) to: Audience,

    /// The protocol version of the client, for `--to client`
    #[arg(long, value_name = "VERSION", default_value_t = Protocol::V2025_11_25)]
    pub(crate) protocol: Protocol,

    /// Copy the files into this folder, never over an existing file
    #[arg(long, value_name = "DIR")]
    pub(crate) files: Option<PathBuf>,

    /// How long to wait for the result, in seconds; 0 waits for ever [default: as configured]
    #[arg(long, value_name = "SECONDS")]
    pub(crate) timeout: Option<f64>,

    /// Print nothing but the result, and what keeps it from coming
    #[arg(long, conflicts_with = "explain")]
    pub(crate) quiet: bool,

    /// Print notes for people instead of JSON lines
    #[arg(long)]
    pub(crate) explain: bool,
}

pub(super) const DOCTOR_EXAMPLES: &str = "\
Every server is tried at the same time, as the gateway would: its program or address is looked for,
it is started, greeted and asked for its tools. Where a step fails, the next line says what to try.

Exit code: 0 when everything works; 1 when something failed; 2 when there is no server to try.

Examples:
  resultant doctor
  resultant doctor github
  resultant doctor --config servers.json --json";

#[derive(Debug, Args)]
pub(crate) struct DoctorArguments {
    /// Only this server
    #[arg(value_name = "SERVER")]
    pub(crate) server: Option<String>,

    #[command(flatten)]
    pub(crate) source: SourceArguments,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

pub(super) const LOGIN_EXAMPLES: &str = "\
The login happens in the browser, at the page that the server names; its link is printed as well.
The tokens are kept in the data folder, for you alone, and renewed by the gateway.

A server that does not let programs register needs the id of a client that you registered there
(`--client-id`). Its secret, when it has one, is taken from RESULTANT_CLIENT_SECRET.
Both can be in the configuration as well, under `oauth`.

Exit code: 0; 2 when the login failed.

Examples:
  resultant login github
  resultant login github --no-browser                    print the link only
  resultant login github --client-id ID --scope repo --scope read:user
  resultant login github --logout                        throw the tokens away
  resultant login --url https://example.com/mcp          for `resultant proxy --url` of the same";

#[derive(Debug, Args)]
pub(crate) struct LoginArguments {
    /// The server, as the configuration calls it
    #[arg(value_name = "SERVER", required_unless_present = "url", conflicts_with = "url")]
    pub(crate) server: Option<String>,

    /// A server that is in no configuration, for `resultant proxy --url URL`
    #[arg(long, value_name = "URL", conflicts_with = "config")]
    pub(crate) url: Option<String>,

    /// The configuration [default: ./resultant.json, else the one in the user's config folder]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// The folder for files and tokens
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,

    /// Print the link and open nothing
    #[arg(long)]
    pub(crate) no_browser: bool,

    /// The id of a client that is registered already
    #[arg(long, value_name = "ID")]
    pub(crate) client_id: Option<String>,

    /// What to ask for; may be given several times [default: what the server says it needs]
    #[arg(long, value_name = "SCOPE")]
    pub(crate) scope: Vec<String>,

    /// The port on this machine that the browser comes back to [default: a free one]
    #[arg(long, value_name = "PORT")]
    pub(crate) port: Option<u16>,

    /// How long to wait for you, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    pub(crate) timeout: u64,

    /// Throw the tokens away instead
    #[arg(long, conflicts_with_all = ["no_browser", "client_id", "scope", "port"])]
    pub(crate) logout: bool,
}

pub(super) const SWEEP_EXAMPLES: &str = "\
How long things stay is in the configuration (`retention`). A running gateway clears away by itself,
and it does no harm when both do so at once.

Exit code: 0; 2 when the store cannot be used.

Examples:
  resultant sweep                                        as the configuration says
  resultant sweep --files-days 7 --json
  resultant sweep --demo";

#[derive(Debug, Args)]
pub(crate) struct SweepArguments {
    #[command(flatten)]
    pub(crate) source: SourceArguments,

    /// Files stay so many days, whatever the configuration says; 0 for ever
    #[arg(long, value_name = "DAYS")]
    pub(crate) files_days: Option<u64>,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

pub(super) const STATS_EXAMPLES: &str = "\
Tokens are those that a model sees: of what servers sent, and of what it got instead. Calls of the
tools for files are under `resultant`; what a model looked up there is taken off what was saved.
The numbers come from the records in the data folder, those of all users; a gateway need not run.

Exit code: 0; 2 when the store cannot be used.

Examples:
  resultant stats                                        by server
  resultant stats --by session
  resultant stats --server files --json";

#[derive(Debug, Args)]
pub(crate) struct StatsArguments {
    #[command(flatten)]
    pub(crate) source: SourceArguments,

    /// Only the calls of this session
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,

    /// Only the calls of this server
    #[arg(long, value_name = "NAME")]
    pub(crate) server: Option<String>,

    /// What the rows are
    #[arg(long, value_enum, default_value_t = StatsBy::Server)]
    pub(crate) by: StatsBy,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StatsBy {
    Server,
    Session,
}
