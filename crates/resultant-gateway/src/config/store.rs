//! What is kept, where, and for how long, as the gateway uses it.

use std::{fmt, time::Duration};

use resultant_store::{Lifetimes, Place, Quotas, Retention};

/// What is kept, where, and for how long. `Debug` hides the database's address, which may hold a
/// password.
#[derive(Clone, PartialEq, Eq)]
pub struct StoreConfig {
    /// The database; a file in the data folder when absent.
    pub database: Option<String>,
    /// Where bytes go; a folder in the data folder when absent.
    pub place: Option<Place>,
    /// How much of them.
    pub quotas: Quotas,
    /// How long everything stays.
    pub retention: Retention,
    /// How often is cleared away; without it, never by itself.
    pub sweep_every: Option<Duration>,
    /// How long tokens are valid.
    pub lifetimes: Lifetimes,
    /// Whether what servers answered is kept as it came.
    pub keeps_raw: bool,
}

impl fmt::Debug for StoreConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreConfig")
            .field("database", &self.database.as_ref().map(|_| "[hidden]"))
            .field("place", &self.place)
            .field("quotas", &self.quotas)
            .field("retention", &self.retention)
            .field("sweep_every", &self.sweep_every)
            .field("lifetimes", &self.lifetimes)
            .field("keeps_raw", &self.keeps_raw)
            .finish()
    }
}
