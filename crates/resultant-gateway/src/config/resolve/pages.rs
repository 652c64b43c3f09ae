//! The server that a user's pages are.

use std::{collections::BTreeMap, time::Duration};

use super::{Resolver, seconds};
use crate::config::{
    Config, PagesConfig, ServerName, Transport,
    name::is_name_char,
    problem::step,
    written::{ServerEntry, ServerSettings, Settings},
};

/// What it is called, and what instead where a server is called that.
const NAMES: [&str; 2] = ["page", "page-tools"];
/// The server that our own tools are.
const OWN: &str = "resultant";

impl Resolver<'_> {
    pub(super) fn pages(
        &mut self,
        settings: &Settings,
        entries: &BTreeMap<String, ServerEntry>,
        config: &Config,
    ) -> Option<PagesConfig> {
        let written = &settings.pages;
        let pointer = "/resultant/pages";
        let origins = self.origins(&step(pointer, "origins"), &written.origins);
        let is_taken = |name: &str| {
            entries.keys().any(|entry| ServerName::new(entry).as_str() == name) || name == OWN
        };
        let name = match &written.name {
            Some(name) => {
                let pointer = step(pointer, "name");
                let is_name = (1..=64).contains(&name.len()) && name.chars().all(is_name_char);
                if !is_name {
                    let message = "a name has 1 to 64 of the characters A-Z, a-z, 0-9, _ and -";
                    self.problem(&pointer, message.to_owned(), None);
                } else if is_taken(name) {
                    let hint = "pages are a server of their own".to_owned();
                    self.problem(&pointer, format!("`{name}` is a server's name"), Some(hint));
                }
                name.as_str()
            }
            None => NAMES.into_iter().find(|name| !is_taken(name)).unwrap_or(NAMES[1]),
        };
        if !written.enabled {
            return None;
        }
        let none = ServerSettings::default();
        let own = settings.servers.get(name).unwrap_or(&none);
        let own_pointer = step("/resultant/servers", name);
        let server =
            self.server(ServerName::new(name), Transport::Pages, own, &own_pointer, config);
        Some(PagesConfig {
            server,
            origins,
            tools_max: written.tools_max,
            connections_max: written.connections_max,
            calls_at_once_max: written.calls_at_once_max,
            heartbeat: seconds(written.heartbeat_seconds),
            token_time: Duration::from_secs(written.token_seconds),
        })
    }
}
