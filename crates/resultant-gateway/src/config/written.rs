//! The configuration as it is written: the file's types and its JSON Schema.
//!
//! Everything that a file may say is here, with its default. What the program works with is in the
//! module above; between the two stands `resolve`.

mod clients;
mod pages;
mod store;

use std::collections::BTreeMap;

use schemars::{JsonSchema, generate::SchemaSettings};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) use self::clients::{BlockType, ClientLimits, ClientRow, Sees};
pub(super) use self::{
    pages::Pages,
    store::{Retention, Store, Tokens},
};

/// A year; longer waits are the same as none.
const SECONDS_MAX: f64 = 31_536_000.0;

pub(super) const LISTEN: &str = "127.0.0.1:8737";

/// The configuration of Resultant: the servers as other MCP clients know them, and settings of our
/// own under `resultant`. Comments and trailing commas are allowed, and null is the same as absent.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct File {
    /// The MCP servers, by name.
    #[serde(rename = "mcpServers")]
    pub(super) mcp_servers: Option<BTreeMap<String, ServerEntry>>,
    /// The same as `mcpServers`, as VS Code calls it.
    pub(super) servers: Option<BTreeMap<String, ServerEntry>>,
    /// Settings of the gateway.
    pub(super) resultant: Settings,
}

/// A server: `command` for a program that is started, or `url` for one that runs elsewhere. Keys of
/// other clients may stand here too and mean nothing. Variables are expanded: `${NAME}`,
/// `${NAME:-default}`, `${env:NAME}`; `$${` is a plain `${`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct ServerEntry {
    /// The program to start.
    pub(super) command: Option<String>,
    /// Its arguments.
    pub(super) args: Vec<String>,
    /// Variables that it gets beside the gateway's own.
    pub(super) env: BTreeMap<String, String>,
    /// The folder that it runs in, against the folder of this file.
    pub(super) cwd: Option<String>,
    /// Where a remote server is.
    pub(super) url: Option<String>,
    /// Headers of every request to it.
    pub(super) headers: BTreeMap<String, String>,
    /// Not started, and none of its tools are listed.
    pub(super) disabled: bool,
    /// How the server is reached, for other clients; we see that from `command` and `url`.
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    /// Settings of ours for this server.
    pub(super) resultant: Option<ServerSettings>,
}

/// Settings of the gateway.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Settings {
    /// Where clients connect, as `HOST:PORT`; port 0 takes a free one.
    pub(super) listen: String,
    /// The address that people and servers reach the gateway by, where it is another than `listen`.
    pub(super) public_url: Option<String>,
    /// Where the sandbox is listened for, which shows what tools return, as `HOST:PORT`; `off` for
    /// nowhere. A free port of this machine when absent; nowhere beside `sandbox_url` and where
    /// `listen` is not loopback.
    pub(super) sandbox_listen: Option<String>,
    /// The origin that browsers reach the sandbox by, with a host of its own, as `https://HOST`.
    /// Requests for that host are also answered where the gateway listens.
    pub(super) sandbox_url: Option<String>,
    /// Which dashboards may be shown.
    pub(super) dashboards: Dashboards,
    /// How it is decided who calls.
    pub(super) auth: Auth,
    /// The folder for files and state, against the folder of this file; the user's data folder
    /// when absent.
    pub(super) data: Option<String>,
    /// What is the most of everything.
    pub(super) limits: Limits,
    /// How long anything is waited for.
    pub(super) timeouts: Timeouts,
    /// How much of a result the model is given.
    pub(super) budget: Budget,
    /// What is known of clients, by a name of your choice: rows that add to those that are known
    /// already, or change them. `unknown` is about all others.
    pub(super) clients: BTreeMap<String, ClientRow>,
    /// Whether control tokens of models, characters that are not seen and escapes of terminals are
    /// made harmless in what the model is given.
    pub(super) neutralize: bool,
    /// Secrets that the model is not given: names of patterns that are known here, `all` of those,
    /// or regular expressions between slashes.
    pub(super) redact: Vec<String>,
    /// Whether there are tools for listing, reading, searching and querying files beside those of
    /// the servers.
    pub(super) retrieval: bool,
    /// Where files and records are kept, and how much of them.
    pub(super) store: Store,
    /// How long things stay.
    pub(super) retention: Retention,
    /// How long the tokens in download addresses are valid.
    pub(super) tokens: Tokens,
    /// Names by which clients may call us, beside the loopback ones, as `HOST` or `HOST:PORT`.
    pub(super) allowed_hosts: Vec<String>,
    /// Web pages that may call us, beside the loopback ones, as `https://HOST`.
    pub(super) allowed_origins: Vec<String>,
    /// Tools that live in web pages.
    pub(super) pages: Pages,
    /// Settings for single servers, by the server's name; the same as `resultant` in its entry.
    pub(super) servers: BTreeMap<String, ServerSettings>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            listen: LISTEN.to_owned(),
            public_url: None,
            sandbox_listen: None,
            sandbox_url: None,
            dashboards: Dashboards::default(),
            auth: Auth::default(),
            data: None,
            limits: Limits::default(),
            timeouts: Timeouts::default(),
            budget: Budget::default(),
            clients: BTreeMap::new(),
            neutralize: false,
            redact: Vec::new(),
            retrieval: true,
            store: Store::default(),
            retention: Retention::default(),
            tokens: Tokens::default(),
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            pages: Pages::default(),
            servers: BTreeMap::new(),
        }
    }
}

/// Which dashboards may be shown.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Dashboards {
    /// The origins of their pages, as `https://HOST` or `https://HOST:PORT`; `*` may stand for the
    /// port.
    pub(super) origins: Vec<String>,
}

/// What is the most of everything.
#[derive(Debug, Deserialize, JsonSchema, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Limits {
    /// Bytes of one message of a server; its call is an error when there are more.
    #[schemars(range(min = 1024))]
    pub(super) message_bytes_max: u64,
    /// Bytes of a message that are held in memory; a longer one goes to a file as it arrives.
    #[schemars(range(min = 1024, max = 1_073_741_824))]
    pub(super) inline_bytes_max: usize,
    /// Bytes of one string in a message that went to a file; a longer one is a file of its own.
    #[schemars(range(min = 1024, max = 1_073_741_824))]
    pub(super) string_bytes_max: usize,
    /// Lists and objects inside each other; what is deeper is kept as text.
    #[schemars(range(min = 8, max = 512))]
    pub(super) depth_max: usize,
    /// Content blocks of one result; a call with more is an error.
    #[schemars(range(min = 1))]
    pub(super) blocks_max: usize,
    /// Bytes of one request of a client.
    #[schemars(range(min = 1024, max = 1_073_741_824))]
    pub(super) request_bytes_max: usize,
    /// Bytes of the files that one request uploads.
    #[schemars(range(min = 1024))]
    pub(super) upload_bytes_max: u64,
    /// Tool calls that run at the same time; a further one is an error.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub(super) calls_in_flight_max: usize,
    /// Sessions of clients that are open at the same time; a further one is refused.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub(super) sessions_max: usize,
    /// Tools of one server; further ones are left out.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub(super) tools_max: usize,
    /// Bytes of files whose content goes into the arguments of one call; a call with more is
    /// refused.
    #[schemars(range(min = 0, max = 1_073_741_824))]
    pub(super) handover_bytes_max: u64,
    /// Seconds that a question about files may take, with waiting; it is an error then.
    #[schemars(range(min = 1, max = 3600))]
    pub(super) query_seconds: u64,
    /// Bytes of memory that a question about files may take; it is an error when it needs more.
    #[schemars(range(min = 67_108_864, max = 1_099_511_627_776_u64))]
    pub(super) query_memory_bytes_max: u64,
    /// Rows of a table, or results of a filter, that a question about files looks at; its answer
    /// says when there are more.
    #[schemars(range(min = 1))]
    pub(super) query_rows_max: u64,
    /// Questions about files that are answered at the same time; further ones wait.
    #[schemars(range(min = 1, max = 1024))]
    pub(super) queries_at_once_max: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            message_bytes_max: 512 << 20,
            inline_bytes_max: 256 << 10,
            string_bytes_max: 1 << 20,
            depth_max: 128,
            blocks_max: 200_000,
            request_bytes_max: 16 << 20,
            upload_bytes_max: 1 << 30,
            calls_in_flight_max: 256,
            sessions_max: 1000,
            tools_max: 10_000,
            handover_bytes_max: 16 << 20,
            query_seconds: 10,
            query_memory_bytes_max: 512 << 20,
            query_rows_max: 5_000_000,
            queries_at_once_max: 4,
        }
    }
}

/// How long anything is waited for, in seconds.
#[derive(Debug, Deserialize, JsonSchema, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Timeouts {
    /// For a server to start and to greet, and for its list of tools.
    #[schemars(range(min = 0.1, max = SECONDS_MAX))]
    pub(super) connect_seconds: f64,
    /// For the answer to a request, counted anew from each report of progress; 0 waits for ever.
    #[schemars(range(min = 0.0, max = SECONDS_MAX))]
    pub(super) call_seconds: f64,
    /// For a client's next request, before its session is closed; one that listens is not idle.
    #[schemars(range(min = 1.0, max = SECONDS_MAX))]
    pub(super) session_idle_seconds: f64,
    /// For running calls to end, before the gateway does.
    #[schemars(range(min = 0.0, max = SECONDS_MAX))]
    pub(super) shutdown_seconds: f64,
    /// Between signs of life to a client that waits.
    #[schemars(range(min = 0.1, max = 3600.0))]
    pub(super) heartbeat_seconds: f64,
    /// For the rest of a client's request, counted anew from each byte of its body, and for the next
    /// request on an open connection.
    #[schemars(range(min = 0.1, max = SECONDS_MAX))]
    pub(super) request_idle_seconds: f64,
    /// For a client without a session to come back with the answer that a server asked for.
    #[schemars(range(min = 1.0, max = SECONDS_MAX))]
    pub(super) park_seconds: f64,
    /// For the store to keep or find something.
    #[schemars(range(min = 0.1, max = 3600.0))]
    pub(super) store_seconds: f64,
}

impl Default for Timeouts {
    fn default() -> Timeouts {
        Timeouts {
            connect_seconds: 30.0,
            call_seconds: 600.0,
            session_idle_seconds: 1800.0,
            shutdown_seconds: 10.0,
            heartbeat_seconds: 15.0,
            request_idle_seconds: 60.0,
            park_seconds: 300.0,
            store_seconds: 30.0,
        }
    }
}

/// How much of a result the model is given; whichever is met first counts.
#[derive(Debug, Deserialize, JsonSchema, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Budget {
    /// Bytes of text.
    #[schemars(range(min = 256))]
    pub(super) bytes: usize,
    /// Tokens of text.
    #[schemars(range(min = 64))]
    pub(super) tokens: usize,
    /// Tokens that a digest aims at, where it stands for more than fits.
    #[schemars(range(min = 64))]
    pub(super) digest_tokens: usize,
}

impl Default for Budget {
    fn default() -> Budget {
        let resultant::Budget { bytes, tokens, digest_tokens, .. } = resultant::Budget::default();
        Budget { bytes, tokens, digest_tokens }
    }
}

/// A budget that differs from the gateway's in what it says.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct BudgetPart {
    /// Bytes of text.
    #[schemars(range(min = 256))]
    pub(super) bytes: Option<usize>,
    /// Tokens of text.
    #[schemars(range(min = 64))]
    pub(super) tokens: Option<usize>,
    /// Tokens that a digest aims at.
    #[schemars(range(min = 64))]
    pub(super) digest_tokens: Option<usize>,
}

/// Settings of ours for one server.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ServerSettings {
    /// The form in which clients get its results.
    pub(super) shape: Shape,
    /// What stands before its tools' names where several servers are one; the server's name when
    /// absent, nothing when empty.
    pub(super) prefix: Option<String>,
    /// What happens to a result that its tool's output schema rejects.
    pub(super) schema_policy: SchemaPolicy,
    /// Waits that differ from the gateway's.
    pub(super) timeouts: ServerTimeouts,
    /// Who shares a connection to it. When absent, that is decided by what the server does: one
    /// that asks its client things is not shared.
    pub(super) isolate: Option<Isolate>,
    /// The generation of the protocol it is spoken to in.
    pub(super) protocol: Era,
    /// When it is connected.
    pub(super) start: Start,
    /// Which of its tools there are.
    pub(super) tools: Tools,
    /// How much of its results the model is given, where that differs from the gateway's.
    pub(super) budget: BudgetPart,
    /// Limits that differ from the gateway's.
    pub(super) limits: ServerLimits,
    /// How tokens for it are got, where it wants some.
    pub(super) oauth: Option<OAuth>,
    /// Arguments of its tools that say who is calling, whatever the model wrote, by their names.
    /// When absent, `username` is one where users authenticate; `{}` for none.
    pub(super) inject: Option<BTreeMap<String, Fact>>,
    /// Which files it may be handed. When absent, all where it runs on this machine, else none.
    pub(super) handover: Option<Handover>,
}

/// Waits for one server that differ from the gateway's.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ServerTimeouts {
    /// For the answer to a request; 0 waits for ever.
    #[schemars(range(min = 0.0, max = SECONDS_MAX))]
    pub(super) call_seconds: Option<f64>,
    /// For the server to start and to greet, and for its list of tools.
    #[schemars(range(min = 0.1, max = SECONDS_MAX))]
    pub(super) connect_seconds: Option<f64>,
}

/// Limits for one server that differ from the gateway's.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ServerLimits {
    /// Bytes of one of its messages.
    #[schemars(range(min = 1024))]
    pub(super) message_bytes_max: Option<u64>,
}

/// Which tools of a server there are, by their names at the server. `*` stands for any characters,
/// `?` for one.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Tools {
    /// Only these; all of them when absent.
    pub(super) allow: Option<Vec<String>>,
    /// Not these, whatever `allow` says.
    pub(super) deny: Vec<String>,
    /// Budgets of single tools; where several patterns fit, the longest counts, and the smaller of
    /// this and the server's.
    pub(super) budgets: BTreeMap<String, BudgetPart>,
    /// Results of these are drawn by the canvas in clients that show MCP Apps, where the tool has no
    /// view of its own.
    pub(super) canvas: Vec<String>,
}

/// How tokens for a remote server are got. Without any of this we register where we can, and ask
/// for what the server says it needs.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct OAuth {
    /// The id of a client that was registered beforehand.
    pub(super) client_id: Option<String>,
    /// Its secret, when it has one.
    pub(super) client_secret: Option<String>,
    /// The https address of a document about the client, for those who read such instead of
    /// registering.
    pub(super) client_metadata_url: Option<String>,
    /// What to ask for; what the server says it needs when empty.
    pub(super) scopes: Vec<String>,
    /// The port on loopback that the browser comes back to; a free one when absent.
    #[schemars(range(min = 1, max = 65535))]
    pub(super) redirect_port: Option<u16>,
    /// Who the tokens are for.
    pub(super) grant: Grant,
}

/// How it is decided who calls. Each key but `mode` belongs to one mode.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Auth {
    /// Who vouches for callers.
    pub(super) mode: AuthMode,
    /// Mode `local`: who needs the secret in the data folder.
    pub(super) local_secret: Option<LocalSecret>,
    /// Mode `token`: the keys, by their digests.
    pub(super) keys: Vec<Key>,
    /// Mode `header`: where the proxy says the user's name.
    pub(super) user_header: Option<String>,
    /// Mode `header`: where the proxy says the user's address.
    pub(super) email_header: Option<String>,
    /// Mode `header`: where the proxy shows that it is the proxy.
    pub(super) secret_header: Option<String>,
    /// Mode `header`: by this.
    pub(super) secret: Option<String>,
    /// Mode `oidc`: the issuer, to the character as its tokens have it.
    pub(super) issuer: Option<String>,
    /// Mode `oidc`: whom its tokens must be for; one of these does.
    pub(super) audience: Vec<String>,
    /// Mode `oidc`: the client that the page signs in as.
    pub(super) client_id: Option<String>,
    /// Mode `oidc`: its secret, when it has one.
    pub(super) client_secret: Option<String>,
    /// Mode `oidc`: the claim that is the user's name; when absent `preferred_username`, else a
    /// verified `email`, else `sub`.
    pub(super) username_claim: Option<String>,
    /// Mode `oidc`: what clients ask the issuer for.
    pub(super) scopes: Vec<String>,
}

/// A key that was given to a user.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Key {
    /// The user's name.
    pub(super) user: String,
    /// Their address.
    pub(super) email: Option<String>,
    /// SHA-256 of the key, in hexadecimal digits.
    pub(super) sha256: String,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum AuthMode {
    /// Nobody needs to: the gateway is for one user, on loopback alone.
    #[default]
    Local,
    /// Keys that were given out.
    Token,
    /// A reverse proxy that signs people in.
    Header,
    /// An issuer of signed tokens.
    Oidc,
}

impl AuthMode {
    pub(super) fn word(self) -> &'static str {
        match self {
            AuthMode::Local => "local",
            AuthMode::Token => "token",
            AuthMode::Header => "header",
            AuthMode::Oidc => "oidc",
        }
    }
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum LocalSecret {
    /// The API and the page.
    Api,
    /// MCP clients as well.
    All,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Grant {
    /// A person, who logs in.
    #[default]
    Person,
    /// The client itself, by its id and secret.
    Client,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Shape {
    /// As MCP has it.
    #[default]
    Mcp,
    /// Contract JSON.
    Contract,
    /// The response-v2 envelope.
    Envelope,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum SchemaPolicy {
    /// It is passed on with a note.
    #[default]
    Note,
    /// It becomes an error.
    Error,
    /// Nothing is checked.
    Off,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Isolate {
    /// Everybody shares one connection, and the server can ask nobody anything.
    Shared,
    /// Each session of a client has its own.
    Session,
    /// Each user has one; without authentication all clients are one user.
    User,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Era {
    /// The newest that the server knows.
    #[default]
    Auto,
    /// With a handshake: up to 2025-11-25.
    Legacy,
    /// Without: from 2026-07-28.
    Modern,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Start {
    /// When the gateway starts.
    #[default]
    Eager,
    /// When it is first needed.
    Lazy,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Fact {
    /// The user's address, or the name where there is none.
    Username,
    /// The user's address; a call of somebody without one is refused.
    Email,
    /// The session.
    Session,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Handover {
    /// All of the caller's.
    Allow,
    /// Those that the server itself made.
    SameServer,
    /// None.
    Deny,
}

/// The JSON Schema of the file.
pub fn schema() -> Value {
    let settings = SchemaSettings::draft2020_12();
    let mut schema = settings.into_generator().into_root_schema_for::<File>().to_value();
    simplify(&mut schema);
    schema["title"] = "Resultant configuration".into();
    // Editors look for the schema under this key.
    schema["properties"]["$schema"] =
        serde_json::json!({"description": "Where this schema is.", "type": "string"});
    schema
}

/// An absent key is how a file says "none"; that `Option` could also be null is noise to editors.
fn simplify(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(simplify),
        Value::Object(members) => {
            members.retain(|key, value| !(key == "default" && value.is_null()));
            if let Some(Value::String(description)) = members.get_mut("description") {
                *description = description.replace('\n', " ");
            }
            if let Some(Value::Array(kinds)) = members.get_mut("type") {
                kinds.retain(|kind| kind != "null");
                if let [kind] = kinds.as_slice() {
                    let kind = kind.clone();
                    members.insert("type".to_owned(), kind);
                }
            }
            if let Some(Value::Array(choices)) = members.get("anyOf")
                && let [Value::Object(choice), Value::Object(null)] = choices.as_slice()
                && null.get("type").is_some_and(|kind| kind == "null")
            {
                let choice = choice.clone();
                members.remove("anyOf");
                members.extend(choice);
            }
            members.values_mut().for_each(simplify);
        }
        _ => {}
    }
}
