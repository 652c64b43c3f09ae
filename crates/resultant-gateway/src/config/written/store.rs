//! What is kept, where, and for how long.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const DAYS_MAX: u64 = 36_500;

/// Where files and records are kept, and how much of them.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(in crate::config) struct Store {
    /// The database: `postgres://…`, for more than one machine; a file in the data folder when
    /// absent.
    pub(in crate::config) database: Option<String>,
    /// Where the bytes of files go: a folder, or an object store such as `s3://BUCKET/PREFIX`; a
    /// folder in the data folder when absent.
    pub(in crate::config) files: Option<String>,
    /// Options of the object store, such as `aws_endpoint`; else they come from its usual variables.
    pub(in crate::config) files_options: BTreeMap<String, String>,
    /// Bytes of one user's files; a further one is not kept.
    #[schemars(range(min = 1))]
    pub(in crate::config) user_bytes_max: u64,
    /// Bytes of the files of one session; a further one is not kept.
    #[schemars(range(min = 1))]
    pub(in crate::config) session_bytes_max: u64,
    /// Whether what servers answered is kept as it came, beside its files.
    pub(in crate::config) keep_raw: bool,
}

impl Default for Store {
    fn default() -> Store {
        Store {
            database: None,
            files: None,
            files_options: BTreeMap::new(),
            user_bytes_max: 50 << 30,
            session_bytes_max: 20 << 30,
            keep_raw: true,
        }
    }
}

/// How long things stay; 0 keeps them for ever.
#[derive(Debug, Deserialize, JsonSchema, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(in crate::config) struct Retention {
    /// Files, in days.
    #[schemars(range(max = DAYS_MAX))]
    pub(in crate::config) files_days: u64,
    /// Bytes of a user's files: beyond them the oldest go.
    pub(in crate::config) files_bytes: u64,
    /// Records of calls, in days.
    #[schemars(range(max = DAYS_MAX))]
    pub(in crate::config) calls_days: u64,
    /// Events, in days.
    #[schemars(range(max = DAYS_MAX))]
    pub(in crate::config) events_days: u64,
    /// Sessions in which nothing happens, in days.
    #[schemars(range(max = DAYS_MAX))]
    pub(in crate::config) sessions_days: u64,
    /// How often the gateway clears away, in minutes; 0 leaves it to `resultant sweep`.
    #[schemars(range(max = 525_600))]
    pub(in crate::config) sweep_minutes: u64,
    /// How long bytes that nobody names are left alone, in minutes: somebody may be about to.
    #[schemars(range(max = 525_600))]
    pub(in crate::config) grace_minutes: u64,
}

impl Default for Retention {
    fn default() -> Retention {
        Retention {
            files_days: 30,
            files_bytes: 20 << 30,
            calls_days: 30,
            events_days: 2,
            sessions_days: 90,
            sweep_minutes: 60,
            grace_minutes: 60,
        }
    }
}

/// How long the tokens in download addresses are valid.
#[derive(Debug, Deserialize, JsonSchema, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(in crate::config) struct Tokens {
    /// For tools, in seconds.
    #[schemars(range(min = 1, max = 86_400))]
    pub(in crate::config) tool_seconds: u32,
    /// For people, in seconds.
    #[schemars(range(min = 1, max = 2_592_000))]
    pub(in crate::config) person_seconds: u32,
    /// After how many days another key signs.
    #[schemars(range(min = 1, max = 3650))]
    pub(in crate::config) key_days: u32,
}

impl Default for Tokens {
    fn default() -> Tokens {
        Tokens { tool_seconds: 300, person_seconds: 3600, key_days: 30 }
    }
}
