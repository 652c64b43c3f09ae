//! From the configuration as written to the one that is used.
//!
//! What the schema cannot say is checked here: what belongs together, what is there twice, and what
//! only the environment decides. Nothing stops at the first problem.

mod auth;
mod model;
mod oauth;
mod pages;
mod sandbox;
mod server;
mod store;
mod text;

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::Value;

use crate::tokens;

use super::{
    Config, GatewayLimits, Listen, Problem, Timeouts,
    expand::Env,
    folders,
    jsonc::Document,
    problem::{nearest, step},
    written::{self, File},
};

pub(super) struct Resolver<'a> {
    pub(super) document: &'a Document<'a>,
    pub(super) base_dir: &'a Path,
    pub(super) env: Env<'a>,
    pub(super) problems: Vec<Problem>,
    pub(super) warnings: Vec<Problem>,
}

impl Resolver<'_> {
    /// A configuration; of use only when there are no problems.
    pub(super) fn resolve(&mut self, checked: Value) -> Config {
        let file: File = serde_json::from_value(checked).unwrap_or_else(|error| {
            self.problem("", format!("the file does not fit its schema: {error}"), None);
            File::default()
        });
        let settings = file.resultant;
        let listen = self.listen(&settings.listen);
        let auth = self.auth(&settings.auth, &listen);
        let public_url = self.public_url(settings.public_url.as_deref());
        let sandbox_url = self.sandbox_url(settings.sandbox_url.as_deref(), public_url.as_ref());
        let sandbox_listen = settings.sandbox_listen.as_deref();
        let mut config = Config {
            source: None,
            listen,
            public_url,
            sandbox_listen: self.sandbox_listen(sandbox_listen, settings.sandbox_url.is_some()),
            sandbox_url,
            dashboard_origins: self.dashboard_origins(&settings.dashboards.origins),
            auth,
            data: self.data(settings.data.as_deref()),
            limits: limits(&settings.limits),
            timeouts: timeouts(&settings.timeouts),
            budget: resultant::Budget {
                bytes: settings.budget.bytes,
                tokens: settings.budget.tokens,
                digest_tokens: settings.budget.digest_tokens,
                count_tokens: tokens::count,
                ..resultant::Budget::default()
            },
            clients: self.clients(&settings.clients),
            cleaner: self.cleaner(settings.neutralize, &settings.redact),
            has_retrieval: settings.retrieval,
            store: self.store(&settings),
            allowed_hosts: self.hosts(&settings.allowed_hosts),
            allowed_origins: self.origins("/resultant/allowed_origins", &settings.allowed_origins),
            servers: Vec::new(),
            pages: None,
            has_demo_page: false,
        };
        let (key, entries) = match (file.mcp_servers, file.servers) {
            (Some(entries), Some(_)) => {
                let hint = "`servers` is VS Code's name for the same; put all into `mcpServers`";
                self.problem("/servers", "beside `mcpServers`".to_owned(), Some(hint.to_owned()));
                ("mcpServers", entries)
            }
            (Some(entries), None) => ("mcpServers", entries),
            (None, Some(entries)) => ("servers", entries),
            (None, None) => {
                self.look_for_servers();
                ("mcpServers", Default::default())
            }
        };
        config.pages = self.pages(&settings, &entries, &config).map(Into::into);
        config.servers = self.servers(key, entries, settings, &config);
        config
    }

    fn problem(&mut self, pointer: &str, message: String, hint: Option<String>) {
        let place = Some(self.document.place_of(pointer));
        self.problems.push(Problem { place, pointer: pointer.to_owned(), message, hint });
    }

    fn warn(&mut self, pointer: &str, message: String, hint: Option<String>) {
        let place = Some(self.document.place_of(pointer));
        self.warnings.push(Problem { place, pointer: pointer.to_owned(), message, hint });
    }

    /// Whether something was wrong there or inside, and so is absent from what was checked.
    fn has_problem(&self, pointer: &str) -> bool {
        self.problems.iter().any(|problem| {
            let rest = problem.pointer.strip_prefix(pointer);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    /// A file without servers is fine, but one that calls them otherwise is not meant so.
    fn look_for_servers(&mut self) {
        if self.has_problem("/mcpServers") || self.has_problem("/servers") {
            return;
        }
        let keys = self.document.root.members().iter().map(|member| member.key.clone());
        for key in keys.collect::<Vec<_>>() {
            if let Some(near) = nearest(&key, ["mcpServers", "resultant"])
                && near != key
            {
                let hint = format!("did you mean `{near}`?");
                self.warn(&step("", &key), "a key without a meaning here".to_owned(), Some(hint));
            }
        }
    }

    fn listen(&mut self, text: &str) -> Listen {
        let pointer = "/resultant/listen";
        match text.parse::<Listen>() {
            Ok(listen) => listen,
            Err(error) => {
                self.problem(pointer, error.to_string(), None);
                Listen { host: String::new(), port: 0 }
            }
        }
    }

    fn data(&mut self, written: Option<&str>) -> PathBuf {
        if let Some(written) = written {
            return self.path("/resultant/data", written, true);
        }
        if let Some(folder) = folders::data(self.env) {
            return folder.join("resultant");
        }
        let folder = self.base_dir.join("resultant-data");
        let message = format!("there is no home folder, so the data is in {}", folder.display());
        self.warn("/resultant", message, Some("set `data` there".to_owned()));
        folder
    }

    fn hosts(&mut self, written: &[String]) -> Vec<String> {
        for (at, host) in written.iter().enumerate() {
            let with_port = host.parse::<Listen>().is_ok();
            if !with_port && format!("{host}:1").parse::<Listen>().is_err() {
                let pointer = format!("/resultant/allowed_hosts/{at}");
                let hint = "every name by itself, without `http://` and without `*`";
                let message = "expected `HOST` or `HOST:PORT`".to_owned();
                self.problem(&pointer, message, Some(hint.to_owned()));
            }
        }
        written.iter().map(|host| host.to_ascii_lowercase()).collect()
    }

    fn origins(&mut self, pointer: &str, written: &[String]) -> Vec<String> {
        let mut origins = Vec::new();
        for (at, origin) in written.iter().enumerate() {
            let url = url::Url::parse(origin).ok().filter(|url| {
                let is_bare = matches!(url.path(), "" | "/") && url.username().is_empty();
                is_bare && url.has_host() && url.query().is_none() && url.fragment().is_none()
            });
            if url.is_none() {
                let pointer = format!("{pointer}/{at}");
                let hint = "every origin by itself, without a path and without `*`";
                let message = "expected an origin like `https://app.example`".to_owned();
                self.problem(&pointer, message, Some(hint.to_owned()));
            }
            origins.push(origin.trim_end_matches('/').to_ascii_lowercase());
        }
        origins
    }
}

pub(super) fn limits(written: &written::Limits) -> GatewayLimits {
    GatewayLimits {
        message_bytes_max: written.message_bytes_max,
        inline_bytes_max: written.inline_bytes_max,
        string_bytes_max: written.string_bytes_max,
        depth_max: written.depth_max,
        blocks_max: written.blocks_max,
        request_bytes_max: written.request_bytes_max,
        upload_bytes_max: written.upload_bytes_max,
        calls_in_flight_max: written.calls_in_flight_max,
        sessions_max: written.sessions_max,
        tools_max: written.tools_max,
        handover_bytes_max: written.handover_bytes_max,
        query_seconds: written.query_seconds,
        query_memory_bytes_max: written.query_memory_bytes_max,
        query_rows_max: written.query_rows_max,
        queries_at_once_max: written.queries_at_once_max,
    }
}

pub(super) fn timeouts(written: &written::Timeouts) -> Timeouts {
    Timeouts {
        connect: seconds(written.connect_seconds),
        call: unless_zero(written.call_seconds),
        session_idle: seconds(written.session_idle_seconds),
        shutdown: seconds(written.shutdown_seconds),
        heartbeat: seconds(written.heartbeat_seconds),
        request_idle: seconds(written.request_idle_seconds),
        park: seconds(written.park_seconds),
        store: seconds(written.store_seconds),
    }
}

/// The schema keeps these between nothing and a year.
fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

fn unless_zero(value: f64) -> Option<Duration> {
    (value > 0.0).then(|| seconds(value))
}
