//! Our own tools beside those of the servers: who is offered which, and what they are called there.

use std::sync::Arc;

use super::Gateway;
use crate::{
    caller::Caller,
    client::{Client, Scope, lock},
    config::Config,
    retrieval::{self, Asking, Naming},
};

impl Gateway {
    /// What our own tools are called where this client sees them; nothing where there are none.
    pub(crate) async fn own_names(self: &Arc<Gateway>, client: &Client) -> Option<Naming> {
        let tools = self.offered_tools(client)?;
        match &client.scope {
            Scope::All => self.merged(client).await.own_names(tools),
            Scope::One(server) => match self.upstream_of(client.caller.owner(), server) {
                // Also where its server is gone, a file can be read.
                Some(upstream) => {
                    let known = upstream.known_catalog(client);
                    let catalog = match known {
                        Some(catalog) => Some(catalog),
                        None => upstream.catalog_in_time(client).await,
                    };
                    catalog.map_or(Some(Naming::Plain), |catalog| catalog.own_names(tools))
                }
                None => (**server == *retrieval::SERVER).then_some(Naming::Plain),
            },
        }
    }

    /// The same by the lists that are known already, for a client that has called a tool of them.
    pub(crate) fn known_own_names(&self, client: &Client) -> Option<Naming> {
        let tools = self.offered_tools(client)?;
        match &client.scope {
            Scope::All => match lock(&self.merged).get(&self.kind_of(client)) {
                Some(merged) => merged.own_names(tools),
                None => Some(Naming::Plain),
            },
            Scope::One(server) => {
                let upstream = self.upstream_of(client.caller.owner(), server);
                match upstream.and_then(|upstream| upstream.known_catalog(client)) {
                    Some(catalog) => catalog.own_names(tools),
                    None => Some(Naming::Plain),
                }
            }
        }
    }

    /// Our own tools that this client is offered; nothing where there are none.
    pub(crate) fn offered_tools(&self, client: &Client) -> Option<&'static [retrieval::Tool]> {
        let tools: &[retrieval::Tool] = match self.shows_canvas(client) {
            true => &retrieval::Tool::WITH_CANVAS,
            false => &retrieval::Tool::ALL,
        };
        self.has_own_tools().then_some(tools)
    }

    /// Whether this client is offered our canvas, which needs the tools to read by.
    pub(crate) fn shows_canvas(&self, client: &Client) -> bool {
        self.has_own_tools() && client.shows_canvas()
    }

    /// Where people reach the page, as far as that stays: a port that was free is another one at the
    /// next start, and a link in an old chat would lead to nobody knows what.
    pub(crate) fn page_url(&self) -> Option<String> {
        let config = self.config();
        let port = lock(&self.address).map(|address| address.port());
        let stays = config.public_url.is_some() || port == Some(config.listen.port);
        stays.then(|| self.public_url())
    }

    /// Whether our own tools are offered.
    pub(crate) fn has_own_tools(&self) -> bool {
        retrieval::worker().is_some() && self.config().has_retrieval
    }

    /// Who answers this caller's questions about files.
    pub(crate) fn asking<'a>(
        &'a self,
        config: &'a Config,
        caller: &'a Caller,
    ) -> Option<Asking<'a>> {
        let worker = retrieval::worker().filter(|_| config.has_retrieval)?;
        let (places, owner) = (&self.queries, caller.owner());
        Some(Asking { worker, places, owner, limits: &config.limits })
    }
}
