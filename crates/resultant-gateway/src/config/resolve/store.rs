//! Where files and records go.

use std::time::Duration;

use resultant_store::{Lifetimes, Place, Quotas, Retention};

use super::Resolver;
use crate::config::{StoreConfig, written::Settings};

const DAY_S: u64 = 86_400;

impl Resolver<'_> {
    pub(super) fn store(&mut self, settings: &Settings) -> StoreConfig {
        let written = &settings.store;
        let retention = &settings.retention;
        let tokens = &settings.tokens;
        let pointer = "/resultant/store";
        let database = written.database.as_deref().map(|database| {
            let pointer = format!("{pointer}/database");
            let url = self.text(&pointer, database, true);
            let is_known = ["postgres://", "postgresql://", "sqlite:"];
            if !is_known.iter().any(|scheme| url.starts_with(scheme)) && !self.has_problem(&pointer)
            {
                let hint = "`postgres://USER:PASSWORD@HOST/DATABASE`, or nothing for a file";
                self.problem(&pointer, "not a database known here".to_owned(), Some(hint.into()));
            }
            url
        });
        let options: Vec<(String, String)> = written
            .files_options
            .iter()
            .map(|(key, value)| {
                (key.clone(), self.text(&format!("{pointer}/files_options/{key}"), value, true))
            })
            .collect();
        let place = written.files.as_deref().map(|files| {
            let pointer = format!("{pointer}/files");
            match files.contains("://") {
                true => Place::Url { url: self.text(&pointer, files, true), options },
                false => Place::Folder(self.path(&pointer, files, true)),
            }
        });
        StoreConfig {
            database,
            place,
            quotas: Quotas {
                user_bytes_max: written.user_bytes_max,
                session_bytes_max: written.session_bytes_max,
            },
            retention: Retention {
                files_s: retention.files_days * DAY_S,
                user_bytes: retention.files_bytes,
                calls_s: retention.calls_days * DAY_S,
                events_s: retention.events_days * DAY_S,
                sessions_s: retention.sessions_days * DAY_S,
                grace_s: retention.grace_minutes * 60,
            },
            sweep_every: (retention.sweep_minutes > 0)
                .then(|| Duration::from_secs(retention.sweep_minutes * 60)),
            lifetimes: Lifetimes {
                tool_s: tokens.tool_seconds,
                person_s: tokens.person_seconds,
                rotate_s: tokens.key_days.saturating_mul(86_400),
            },
            keeps_raw: written.keep_raw,
        }
    }
}
