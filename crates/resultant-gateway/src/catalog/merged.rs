//! The tools of all servers in one list.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

use resultant::Protocol;

use super::{ServerCatalog, Tool, array_of, exposed_names, place};
use crate::upstream::Upstream;

/// One list over several servers.
#[derive(Default)]
pub(crate) struct Merged {
    sources: Vec<(Arc<str>, Arc<ServerCatalog>)>,
    tools: Vec<(String, Arc<Tool>)>,
    by_name: HashMap<String, (Arc<Upstream>, Arc<Tool>)>,
    written: [OnceLock<Arc<str>>; Protocol::ALL.len()],
}

impl Merged {
    /// The server and its tool behind a name.
    pub(crate) fn tool(&self, exposed: &str) -> Option<(&Arc<Upstream>, &Arc<Tool>)> {
        self.by_name.get(exposed).map(|(upstream, tool)| (upstream, tool))
    }

    /// The tools as a JSON array for clients of this version.
    pub(crate) fn write(&self, protocol: Protocol) -> Arc<str> {
        let write =
            || array_of(self.tools.iter().map(|(name, tool)| tool.write(protocol, name))).into();
        self.written[place(protocol)].get_or_init(write).clone()
    }

    /// Whether it was made of just these.
    pub(crate) fn is_of(&self, catalogs: &[(Arc<Upstream>, Arc<ServerCatalog>)]) -> bool {
        self.sources.len() == catalogs.len()
            && self.sources.iter().zip(catalogs).all(|((name, catalog), (upstream, other))| {
                *name == upstream.name && Arc::ptr_eq(catalog, other)
            })
    }

    /// Every exposed name with its server and tool, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Arc<Upstream>, &Arc<Tool>)> {
        self.tools.iter().filter_map(|(name, _)| {
            let (upstream, tool) = self.by_name.get(name)?;
            Some((name.as_str(), upstream, tool))
        })
    }
}

/// Merges the tools of servers, in the order of the configuration.
pub(crate) fn merge(catalogs: &[(Arc<Upstream>, Arc<ServerCatalog>)]) -> Merged {
    let all = || {
        catalogs
            .iter()
            .flat_map(|(upstream, catalog)| catalog.tools.iter().map(move |tool| (upstream, tool)))
    };
    let pairs = all().map(|(upstream, tool)| (&*upstream.config.prefix, &*tool.name));
    let mut merged = Merged {
        sources: catalogs
            .iter()
            .map(|(upstream, catalog)| (upstream.name.clone(), catalog.clone()))
            .collect(),
        ..Merged::default()
    };
    for (name, (upstream, tool)) in exposed_names(pairs).into_iter().zip(all()) {
        merged.by_name.insert(name.clone(), (upstream.clone(), tool.clone()));
        merged.tools.push((name, tool.clone()));
    }
    merged
}
