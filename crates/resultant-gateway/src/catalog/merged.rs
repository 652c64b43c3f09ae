//! The tools of all servers in one list.

use std::{collections::HashMap, sync::Arc};

use resultant::Json;

use super::{Edition, Origin, ServerCatalog, Tool, WrittenLists, array_of, exposed_names};
use crate::{
    retrieval::{self, Naming},
    routes::Routes,
    upstream::Upstream,
};

/// A tool under the name it has here.
struct Entry {
    name: String,
    tool: Arc<Tool>,
    /// The URI of its view, where that had to change.
    view: Option<String>,
}

/// One list over several servers.
#[derive(Default)]
pub(crate) struct Merged {
    sources: Vec<(Arc<str>, Arc<ServerCatalog>)>,
    tools: Vec<Entry>,
    by_name: HashMap<String, (Arc<Upstream>, Arc<Tool>)>,
    written: WrittenLists,
}

impl Merged {
    /// The server and its tool behind a name.
    pub(crate) fn tool(&self, exposed: &str) -> Option<(&Arc<Upstream>, &Arc<Tool>)> {
        self.by_name.get(exposed).map(|(upstream, tool)| (upstream, tool))
    }

    /// What our own tools are called beside these.
    pub(crate) fn own_names(&self, tools: &[retrieval::Tool]) -> Option<Naming> {
        Naming::beside(tools, |name| self.by_name.contains_key(name))
    }

    /// The tools as a JSON array for clients of this kind.
    pub(crate) fn write(&self, edition: Edition) -> Arc<str> {
        let write = || {
            let tools = self.tools.iter().filter(|entry| edition.shows(&entry.tool));
            let tools =
                tools.map(|entry| entry.tool.write(edition, &entry.name, entry.view.as_deref()));
            array_of(tools).into()
        };
        edition.place(&self.written).get_or_init(write).clone()
    }

    /// Each tool: its name here, its server, its name there, and its definition for clients of this
    /// kind.
    pub(crate) fn each(
        &self,
        edition: Edition,
    ) -> impl Iterator<Item = (&str, &Arc<Upstream>, &str, Json)> {
        self.tools.iter().filter_map(move |entry| {
            let (upstream, tool) = self.tool(&entry.name)?;
            let definition = tool.write(edition, &entry.name, entry.view.as_deref());
            Some((entry.name.as_str(), upstream, tool.name.as_str(), Json::parse(definition).ok()?))
        })
    }

    /// Whether it was made of just these.
    pub(crate) fn is_of(&self, catalogs: &[(Arc<Upstream>, Arc<ServerCatalog>)]) -> bool {
        self.sources.len() == catalogs.len()
            && self.sources.iter().zip(catalogs).all(|((name, catalog), (upstream, other))| {
                *name == upstream.name && Arc::ptr_eq(catalog, other)
            })
    }
}

/// Merges the tools of servers, in the order of the configuration.
pub(crate) fn merge(catalogs: &[(Arc<Upstream>, Arc<ServerCatalog>)], routes: &Routes) -> Merged {
    let all = || {
        catalogs
            .iter()
            .flat_map(|(upstream, catalog)| catalog.tools.iter().map(move |tool| (upstream, tool)))
    };
    let origins = all().map(|(upstream, tool)| Origin {
        server: &upstream.name,
        prefix: &upstream.config.prefix,
        name: &tool.name,
    });
    let mut merged = Merged {
        sources: catalogs
            .iter()
            .map(|(upstream, catalog)| (upstream.name.clone(), catalog.clone()))
            .collect(),
        ..Merged::default()
    };
    for (name, (upstream, tool)) in exposed_names(origins).into_iter().zip(all()) {
        merged.by_name.insert(name.clone(), (upstream.clone(), tool.clone()));
        let view = tool.view();
        let exposed = view.as_ref().map(|uri| routes.add_uri(&upstream.name, uri));
        merged.tools.push(Entry {
            name,
            tool: tool.clone(),
            view: exposed.filter(|exposed| view.as_ref() != Some(exposed)),
        });
    }
    merged
}
