//! The servers: an entry of the file and our settings for it become one server.

use std::collections::BTreeMap;

use super::{Resolver, seconds, unless_zero};
use crate::config::{
    Config, Era, Fact, Handover, Inject, Isolate, OAuth, ServerConfig, ServerName, Start,
    ToolFilter, Transport,
    check::hint_of_names,
    name::is_name_char,
    problem::{nearest, step},
    server::{header_problem, parse_url},
    tools::Glob,
    written::{self, ServerEntry, ServerSettings, Settings},
};

/// Characters of a prefix; with the rest of the name it has to fit where names are short.
const PREFIX_CHARS_MAX: usize = 64;

impl Resolver<'_> {
    pub(super) fn servers(
        &mut self,
        key: &str,
        entries: BTreeMap<String, ServerEntry>,
        settings: Settings,
        config: &Config,
    ) -> Vec<ServerConfig> {
        let written_in_order = self.document.root.get(key).map_or(&[][..], |node| node.members());
        let mut entries: Vec<(String, ServerEntry)> = entries.into_iter().collect();
        entries.sort_by_key(|(name, _)| {
            written_in_order.iter().position(|member| member.key == *name)
        });
        let mut elsewhere = settings.servers;
        let written: Vec<&str> = entries.iter().map(|(name, _)| name.as_str()).collect();
        let names = ServerName::all(&written);
        for name in elsewhere.keys() {
            let pointer = step("/resultant/servers", name);
            // A server whose entry is broken was left out of what was checked.
            let is_pages =
                config.pages.as_ref().is_some_and(|pages| pages.server.name.written() == name);
            let is_there = is_pages || written_in_order.iter().any(|member| member.key == *name);
            if !is_there {
                let hint = match written.is_empty() {
                    true => "there are no servers".to_owned(),
                    false => hint_of_names(name, &written),
                };
                self.problem(&pointer, format!("there is no server `{name}`"), Some(hint));
            }
        }
        let mut servers = Vec::new();
        for (name, (written, mut entry)) in names.into_iter().zip(entries) {
            let pointer = step(&step("", key), &written);
            let own = entry.resultant.take();
            let other = elsewhere.remove(&written);
            let other_pointer = step("/resultant/servers", &written);
            if own.is_some() && other.is_some() {
                let message = format!("`{written}` has `resultant` in its entry already");
                self.problem(&other_pointer, message, Some("keep one of them".to_owned()));
            }
            let settings_pointer =
                if own.is_some() { step(&pointer, "resultant") } else { other_pointer };
            let settings = own.or(other).unwrap_or_default();
            if written.is_empty() {
                self.problem(&pointer, "a server needs a name".to_owned(), None);
            }
            let is_disabled = entry.disabled;
            let transport = self.transport(&pointer, entry);
            let is_reachable = transport.is_some();
            // The settings are looked at in any case, so that their problems are told too.
            let transport = transport.unwrap_or_else(|| Transport::stdio("", &[]));
            let oauth_pointer = step(&settings_pointer, "oauth");
            let oauth =
                self.oauth(&oauth_pointer, settings.oauth.as_ref(), &transport, !is_disabled);
            let server = self.server(name, transport, &settings, &settings_pointer, config);
            if is_reachable {
                servers.push(ServerConfig { is_disabled, oauth, ..server });
            }
        }
        servers
    }

    pub(super) fn server(
        &mut self,
        name: ServerName,
        transport: Transport,
        settings: &ServerSettings,
        pointer: &str,
        config: &Config,
    ) -> ServerConfig {
        let timeouts = &settings.timeouts;
        ServerConfig {
            prefix: self.prefix(settings.prefix.as_deref(), &name, pointer),
            name,
            handover: match settings.handover {
                None => transport.usual_handover(),
                Some(written::Handover::Allow) => Handover::Allow,
                Some(written::Handover::SameServer) => Handover::SameServer,
                Some(written::Handover::Deny) => Handover::Deny,
            },
            inject: inject(settings.inject.as_ref()),
            transport,
            shape: match settings.shape {
                written::Shape::Mcp => resultant::Shape::Mcp,
                written::Shape::Contract => resultant::Shape::Contract,
                written::Shape::Envelope => resultant::Shape::Envelope,
            },
            schema_policy: match settings.schema_policy {
                written::SchemaPolicy::Note => resultant::SchemaPolicy::Note,
                written::SchemaPolicy::Error => resultant::SchemaPolicy::Error,
                written::SchemaPolicy::Off => resultant::SchemaPolicy::Off,
            },
            isolate: match settings.isolate {
                None => Isolate::Auto,
                Some(written::Isolate::Shared) => Isolate::Shared,
                Some(written::Isolate::Session) => Isolate::Session,
                Some(written::Isolate::User) => Isolate::User,
            },
            era: match settings.protocol {
                written::Era::Auto => Era::Auto,
                written::Era::Legacy => Era::Legacy,
                written::Era::Modern => Era::Modern,
            },
            start: match settings.start {
                written::Start::Eager => Start::Eager,
                written::Start::Lazy => Start::Lazy,
            },
            call_timeout: timeouts.call_seconds.map_or(config.timeouts.call, unless_zero),
            connect_timeout: timeouts.connect_seconds.map_or(config.timeouts.connect, seconds),
            tools: self.tools(&settings.tools, &step(pointer, "tools")),
            budgets: self.budgets(settings, pointer),
            message_bytes_max: settings
                .limits
                .message_bytes_max
                .unwrap_or(config.limits.message_bytes_max),
            oauth: OAuth::default(),
            is_disabled: false,
        }
    }

    fn prefix(&mut self, written: Option<&str>, name: &ServerName, pointer: &str) -> String {
        let Some(prefix) = written else { return name.as_str().to_owned() };
        if prefix.len() > PREFIX_CHARS_MAX || !prefix.chars().all(is_name_char) {
            let message = format!(
                "a prefix has at most {PREFIX_CHARS_MAX} of the characters A-Z, a-z, 0-9, _ and -"
            );
            self.problem(&step(pointer, "prefix"), message, None);
        }
        prefix.to_owned()
    }

    fn tools(&mut self, written: &written::Tools, pointer: &str) -> ToolFilter {
        if written.allow.as_deref() == Some(&[]) {
            let hint = "leave `allow` out to have all of them".to_owned();
            self.warn(&step(pointer, "allow"), "allows no tool at all".to_owned(), Some(hint));
        }
        let mut globs = |key: &str, patterns: &[String]| {
            let mut globs = Vec::new();
            for (at, pattern) in patterns.iter().enumerate() {
                match Glob::new(pattern) {
                    Ok(glob) => globs.push(glob),
                    Err(message) => {
                        let pointer = step(&step(pointer, key), &at.to_string());
                        let hint = "`*` stands for any characters, `?` for one".to_owned();
                        self.problem(&pointer, message.to_owned(), Some(hint));
                    }
                }
            }
            globs
        };
        ToolFilter {
            allow: written.allow.as_deref().map(|allow| globs("allow", allow)),
            deny: globs("deny", &written.deny),
            canvas: globs("canvas", &written.canvas),
        }
    }

    fn transport(&mut self, pointer: &str, entry: ServerEntry) -> Option<Transport> {
        let ServerEntry { command, args, env, cwd, url, headers, disabled, kind, .. } = entry;
        let is_used = !disabled;
        match (command, url) {
            (Some(_), Some(_)) => {
                let hint = "a server is started or is elsewhere; keep one of them".to_owned();
                let message = "the server has both `command` and `url`".to_owned();
                self.problem(&step(pointer, "url"), message, Some(hint));
                None
            }
            (None, None) => {
                self.neither(pointer);
                None
            }
            (Some(command), None) => {
                let command = self.command(&step(pointer, "command"), &command, is_used);
                let args_pointer = step(pointer, "args");
                let args = args.iter().enumerate().map(|(at, arg)| {
                    self.text(&step(&args_pointer, &at.to_string()), arg, is_used)
                });
                let args = args.collect();
                let env = self.pairs(&step(pointer, "env"), env, is_used, |(name, _)| {
                    let is_odd = name.is_empty() || name.contains(['=', '\0']);
                    is_odd.then(|| format!("`{}` is not a variable's name", name.escape_debug()))
                });
                let cwd = cwd.map(|cwd| self.path(&step(pointer, "cwd"), &cwd, is_used));
                Some(Transport::Stdio { command, args, env, cwd })
            }
            (None, Some(url)) => {
                if kind.as_deref() == Some("sse") {
                    let message = "streamable HTTP is spoken to this server, not the older sse";
                    let hint = "its address often ends in `/mcp` instead of `/sse`".to_owned();
                    self.warn(&step(pointer, "type"), message.to_owned(), Some(hint));
                }
                let headers =
                    self.pairs(&step(pointer, "headers"), headers, is_used, header_problem);
                let url_pointer = step(pointer, "url");
                let problems_before = self.problems.len();
                let url = self.text(&url_pointer, &url, is_used);
                match parse_url(&url) {
                    Ok(url) => Some(Transport::Http { url, headers }),
                    // An address with a variable missing is nothing to complain about twice.
                    Err(_) if self.problems.len() > problems_before => None,
                    Err(message) if disabled => {
                        let hint = "the server is left out, it is disabled anyway".to_owned();
                        self.warn(&url_pointer, message, Some(hint));
                        None
                    }
                    Err(message) => {
                        self.problem(&url_pointer, message, None);
                        None
                    }
                }
            }
        }
    }

    fn neither(&mut self, pointer: &str) {
        if self.has_problem(&step(pointer, "command")) || self.has_problem(&step(pointer, "url")) {
            return;
        }
        let mut keys = Vec::new();
        if let Some((_, name)) = pointer.rsplit_once('/') {
            let name = name.replace("~1", "/").replace("~0", "~");
            let root = &self.document.root;
            let servers = ["mcpServers", "servers"].into_iter().filter_map(|key| root.get(key));
            let entry = servers.filter_map(|servers| servers.get(&name)).next();
            let members = entry.map_or(&[][..], |entry| entry.members());
            keys.extend(members.iter().map(|member| member.key.as_str()));
        }
        let near = keys.iter().find_map(|key| {
            let is_url = key.to_lowercase().ends_with("url");
            let near = nearest(key, ["command", "url"]).or(is_url.then_some("url"))?;
            Some(format!("did you mean `{near}` by `{key}`?"))
        });
        let hint = near.unwrap_or_else(|| {
            "`command` starts a program, `url` is where a remote server is".to_owned()
        });
        let message = "the server has neither `command` nor `url`".to_owned();
        self.problem(pointer, message, Some(hint));
    }

    fn pairs(
        &mut self,
        pointer: &str,
        written: BTreeMap<String, String>,
        is_used: bool,
        problem_of: fn(&(String, String)) -> Option<String>,
    ) -> Vec<(String, String)> {
        let mut pairs = Vec::new();
        for (name, value) in written {
            let pointer = step(pointer, &name);
            let value = self.text(&pointer, &value, is_used);
            let pair = (name, value);
            if let Some(message) = problem_of(&pair).filter(|_| is_used) {
                self.problem(&pointer, message, None);
            }
            pairs.push(pair);
        }
        pairs
    }
}

fn inject(written: Option<&BTreeMap<String, written::Fact>>) -> Inject {
    let Some(written) = written else { return Inject::ByMode };
    let fact = |fact| match fact {
        written::Fact::Username => Fact::Username,
        written::Fact::Email => Fact::Email,
        written::Fact::Session => Fact::Session,
    };
    Inject::Named(written.iter().map(|(name, of)| (name.clone(), fact(*of))).collect())
}
