//! The arguments, as typed.

mod servers;

use std::{num::NonZeroUsize, path::PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};
use resultant::{Profile, Protocol};
use resultant_gateway::config::Listen;

pub(crate) use self::servers::{
    CallArguments, DoctorArguments, LoginArguments, SourceArguments, StatsArguments, StatsBy,
    SweepArguments, ToolsArguments,
};

/// One contract on every MCP tool result: a small result for the model, files out of band,
/// something to look at for the person, nothing lost.
#[derive(Debug, Parser)]
#[command(name = "resultant", version, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  A configuration for the gateway, with the servers you have:
    resultant init --from claude-desktop

  Whether the servers answer, and what they can do:
    resultant doctor
    resultant tools

  A call of a tool, as the gateway makes it (here of the bundled demo):
    resultant call --demo demo.weather station=gull-rock

  What a tool result comes to, as contract JSON:
    echo '{\"content\": [{\"type\": \"text\", \"text\": \"{\\\"n\\\": 2}\"}]}' | resultant normalize

  What the model is given, and the files beside it:
    resultant normalize --to model --files out result.json

  What is odd about it, for people:
    resultant normalize --explain --to contract result.json

  Whether a server keeps the contract:
    resultant check --tool report --arguments '{\"month\": 5}' -- python server.py";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Runs the gateway: one MCP endpoint over all configured servers.
    #[command(after_help = SERVE_EXAMPLES)]
    Serve(ServeArguments),
    /// Wraps one server for a client that starts it: MCP on standard input and output.
    #[command(after_help = PROXY_EXAMPLES)]
    Proxy(ProxyArguments),
    /// Lists the tools of the configured servers.
    #[command(after_help = servers::TOOLS_EXAMPLES)]
    Tools(ToolsArguments),
    /// Calls a tool and writes its result for an audience.
    #[command(after_help = servers::CALL_EXAMPLES)]
    Call(CallArguments),
    /// Connects to each server and says which step fails, and what to try.
    #[command(after_help = servers::DOCTOR_EXAMPLES)]
    Doctor(DoctorArguments),
    /// Logs in to a remote server in the browser and keeps its tokens.
    #[command(after_help = servers::LOGIN_EXAMPLES)]
    Login(LoginArguments),
    /// Clears away files, records and events that are too old or too much, and bytes of nobody.
    #[command(after_help = servers::SWEEP_EXAMPLES)]
    Sweep(SweepArguments),
    /// Shows what calls came to: tokens that servers sent, that models got, and that were saved.
    #[command(after_help = servers::STATS_EXAMPLES)]
    Stats(StatsArguments),
    /// Runs the gateway in front of a bundled server that shows every kind of result.
    Demo(DemoArguments),
    /// Opens the page of the gateway that runs on this machine.
    #[command(after_help = OPEN_EXAMPLES)]
    Open(OpenArguments),
    /// Makes keys for users, for a gateway whose `auth` has the mode `token`.
    Key(KeyArguments),
    /// Reads a tool result, or a return value, and writes it for an audience.
    #[command(after_help = NORMALIZE_EXAMPLES)]
    Normalize(NormalizeArguments),
    /// Writes a configuration for the gateway: a commented starter, or another client's servers.
    #[command(after_help = INIT_EXAMPLES)]
    Init(InitArguments),
    /// Says what is odd about a result, or about what a server's tools return.
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckArguments),
    /// The server that `resultant demo` shows, on standard input and output.
    #[command(hide = true)]
    DemoServer,
    /// Ends the servers of a gateway that was killed; the gateway starts it.
    #[command(hide = true)]
    EndOrphans,
    /// Answers one question about a file, within limits; the gateway starts it.
    #[command(hide = true)]
    QueryWorker,
}

const OPEN_EXAMPLES: &str = "\
Prints a link that opens the page once, within ten minutes, and opens it in the browser when standard
output is a terminal. It asks the running gateway, by the secret in the data folder.

Exit code: 0; 2 when no gateway answers, or it has another data folder.

Examples:
  resultant open
  resultant open --listen 127.0.0.1:9000 --no-browser";

#[derive(Debug, Args)]
pub(crate) struct OpenArguments {
    /// The configuration [default: ./resultant.json, else the one in the user's config folder]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Where the gateway listens [default: as configured, else 127.0.0.1:8737]
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) listen: Option<Listen>,

    /// The gateway's folder for files and tokens
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,

    /// Print the link and open nothing
    #[arg(long)]
    pub(crate) no_browser: bool,
}

#[derive(Debug, Args)]
pub(crate) struct KeyArguments {
    #[command(subcommand)]
    pub(crate) command: KeyCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeyCommand {
    /// Makes a key: it goes to standard output, and what the configuration needs to standard error.
    New {
        /// Whose it is
        #[arg(value_name = "USER")]
        user: String,

        /// Their address
        #[arg(long, value_name = "ADDRESS")]
        email: Option<String>,

        /// Print the key and the configuration's entry as JSON
        #[arg(long)]
        json: bool,
    },
}

const NORMALIZE_EXAMPLES: &str = "\
The result goes to standard output: indented on a terminal, compact in a pipe. Notes about what was
odd go to standard error, one JSON object a line.

Exit code: 0; 2 when the input is not JSON or a file cannot be read.

Examples:
  resultant normalize result.json                        contract JSON
  resultant normalize --to model --budget-bytes 2000 result.json
  resultant normalize --to client --protocol 2026-07-28 --output-schema schema.json result.json
  resultant normalize --jsonl < results.jsonl            one result a line
  echo '{\"$tuple\": [\"done\", {\"ms\": 12}]}' | resultant normalize --input value
  echo '{\"$bytes\": \"aGk=\"}' | resultant normalize --input resource --uri demo://hi";

#[derive(Debug, Args)]
pub(crate) struct NormalizeArguments {
    /// What comes in: a tool result (or a JSON-RPC response, contract JSON, an envelope), or a
    /// handler's return value or resource payload as tagged JSON
    #[arg(long, value_enum, default_value_t = InputKind::Result)]
    pub(crate) input: InputKind,

    /// Whom it is written for [default: contract; for a value: client]
    #[arg(long, value_enum)]
    pub(crate) to: Option<Audience>,

    /// How return values become results
    #[arg(long, default_value_t = Profile::Openmcp)]
    pub(crate) profile: Profile,

    /// The protocol version of the client
    #[arg(long, value_name = "VERSION", default_value_t = Protocol::V2025_11_25)]
    pub(crate) protocol: Protocol,

    /// The tool's output schema: text that fits becomes structured content
    #[arg(long, value_name = "FILE")]
    pub(crate) output_schema: Option<PathBuf>,

    /// The resource that a payload belongs to
    #[arg(long, value_name = "URI")]
    pub(crate) uri: Option<String>,

    /// The media type that the resource declares
    #[arg(long, value_name = "TYPE")]
    pub(crate) mime_type: Option<String>,

    /// Write the artifacts into this folder, never over an existing file
    #[arg(long, value_name = "DIR")]
    pub(crate) files: Option<PathBuf>,

    /// What the model may be given, in bytes
    #[arg(long, value_name = "N")]
    pub(crate) budget_bytes: Option<NonZeroUsize>,

    /// One document a line in, one out; a broken line gives an error object on its line
    #[arg(long)]
    pub(crate) jsonl: bool,

    /// Print no notes
    #[arg(long, conflicts_with = "explain")]
    pub(crate) quiet: bool,

    /// Print notes for people instead of JSON lines
    #[arg(long)]
    pub(crate) explain: bool,

    /// Files to read; standard input without any, or for `-`
    #[arg(value_name = "FILE")]
    pub(crate) inputs: Vec<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum InputKind {
    Result,
    Value,
    Resource,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Audience {
    Contract,
    Model,
    Client,
    Envelope,
    View,
}

const CHECK_EXAMPLES: &str = "\
Exit code: 0 when nothing is odd, 1 when there are notes, 2 when the input cannot be read or the
server does not answer.

Examples:
  resultant check result.json
  resultant check --output-schema schema.json result.json
  resultant check -- python server.py                    every tool that needs no arguments
  resultant check --tool add --arguments '{\"a\": 1, \"b\": 2}' -- npx some-server";

#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// The tool's output schema, for files
    #[arg(long, value_name = "FILE")]
    pub(crate) output_schema: Option<PathBuf>,

    /// A tool of the server to call; once for each tool
    #[arg(long, value_name = "NAME", requires = "command")]
    pub(crate) tool: Vec<String>,

    /// The arguments of the tool, in the order of `--tool`
    #[arg(long, value_name = "JSON", requires = "tool")]
    pub(crate) arguments: Vec<String>,

    /// How long to wait for each answer of the server, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    pub(crate) timeout: u64,

    /// Print JSON lines
    #[arg(long)]
    pub(crate) json: bool,

    /// Files to read; standard input without any, or for `-`
    #[arg(value_name = "FILE", conflicts_with = "command")]
    pub(crate) inputs: Vec<PathBuf>,

    /// A server to start, and its arguments
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

const INIT_EXAMPLES: &str = "\
Without FILE, the client's own configuration is looked for where it keeps it: first in this folder,
then in yours. What only the other client can do (like `inputs` of VS Code) becomes an environment
variable, with a comment. The file may hold secrets, so only you can read it.

Exit code: 0; 2 when the client's configuration is missing or broken, or the output exists.

Examples:
  resultant init                                         a commented resultant.json
  resultant init --from claude-desktop                   the servers of Claude Desktop
  resultant init --from vscode .vscode/mcp.json
  resultant init --from cursor --output -                to standard output";

#[derive(Debug, Args)]
pub(crate) struct InitArguments {
    /// Take the servers over from another MCP client
    #[arg(long, value_name = "CLIENT", value_enum)]
    pub(crate) from: Option<ImportClient>,

    /// The client's configuration; where it usually is, unless given
    #[arg(value_name = "FILE", requires = "from")]
    pub(crate) input: Option<PathBuf>,

    /// Where to write; `-` for standard output
    #[arg(long, value_name = "FILE", default_value = "resultant.json")]
    pub(crate) output: PathBuf,

    /// Write over a file that exists
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ImportClient {
    ClaudeDesktop,
    Cursor,
    #[value(name = "vscode")]
    VsCode,
}

const SERVE_EXAMPLES: &str = "\
The configuration is the `mcpServers` JSON that other clients have; `resultant init` writes one. It
is read again when the file changes and on SIGHUP; a broken one changes nothing and is reported.

  POST /mcp           all servers, tools named server_tool
  POST /mcp/SERVER    one server, names as they are
  GET /healthz, /readyz, /metrics

RUST_LOG says what is logged (info by default), RESULTANT_LOG=json how.

Examples:
  resultant serve
  resultant serve --config servers.json --listen 127.0.0.1:9000
  claude mcp add --transport http all http://127.0.0.1:8737/mcp";

#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    /// The configuration [default: ./resultant.json, else the one in the user's config folder]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Where to listen; port 0 takes a free one [default: as configured, else 127.0.0.1:8737]
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) listen: Option<Listen>,

    /// The folder for files and tokens
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
}

const PROXY_EXAMPLES: &str = "\
Examples:
  resultant proxy -- npx -y @modelcontextprotocol/server-everything
  resultant proxy --url https://example.com/mcp --header 'Authorization: Bearer TOKEN'
  claude mcp add files -- resultant proxy -- npx -y @modelcontextprotocol/server-filesystem .";

#[derive(Debug, Args)]
pub(crate) struct ProxyArguments {
    /// A remote server, instead of a command
    #[arg(long, value_name = "URL", conflicts_with = "command")]
    pub(crate) url: Option<String>,

    /// A header for the remote server; may be given several times
    #[arg(long, value_name = "NAME: VALUE", requires = "url")]
    pub(crate) header: Vec<String>,

    /// The folder for files and tokens
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,

    /// The server to start, and its arguments
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArguments {
    /// Where to listen; port 0 takes a free one [default: 127.0.0.1:8737]
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) listen: Option<Listen>,

    /// The folder for files and tokens
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
}
