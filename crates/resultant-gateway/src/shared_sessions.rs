//! Sessions of clients that may come to another gateway with their next request.
//!
//! Where several gateways share a database, what a client said in its handshake is kept there, and
//! a gateway that does not know a session takes it up from there. Streams, questions of servers and
//! subscriptions stay where they began: a client that needs those behind a load balancer needs one
//! that keeps it at one gateway, or the revision of the protocol without sessions.

use std::sync::Arc;

use resultant::{Json, Object};
use resultant_store::{SessionKind, StoreError};

use crate::{
    caller::{Caller, User},
    client::{Client, Owner, Scope, Session},
    gateway::Gateway,
};

impl Gateway {
    /// Keeps what the client of a new session said, where others may need it.
    pub(crate) async fn remember_session(&self, client: &Client) -> Result<(), StoreError> {
        let Some(session) = client.session.as_ref().filter(|_| self.store.is_shared()) else {
            return Ok(());
        };
        let mut said = Object::default();
        said.set("protocol", Json::string(client.protocol.as_str()));
        said.set("capabilities", client.capabilities.clone());
        said.set("info", client.info.clone());
        if let Scope::One(server) = &client.scope {
            said.set("server", Json::string(server));
        }
        let said = said.to_json();
        self.store.open_client_session(client.caller.owner(), &session.id, said.as_text()).await
    }

    /// Takes up a session of this user's that was opened at another gateway.
    pub(crate) async fn adopt_session(
        &self,
        user: &Arc<User>,
        id: &str,
        scope: &Scope,
    ) -> Option<Arc<Client>> {
        if !self.store.is_shared() {
            return None;
        }
        let said = match self.store.session_client(&user.id, id).await {
            Ok(said) => Json::parse(said?).ok()?,
            Err(error) => {
                tracing::warn!(%error, "a session could not be looked up");
                return None;
            }
        };
        let text = |key: &str| said.get(key)?.as_str().map(|text| text.into_owned());
        let server = match scope {
            Scope::All => None,
            Scope::One(server) => Some(server.to_string()),
        };
        if text("server") != server {
            return None;
        }
        let session = Arc::new(Session::new(id.to_owned()));
        let client = Client {
            caller: Caller::of(user.clone()).within(id, SessionKind::Mcp),
            owner: Owner::session(),
            protocol: text("protocol")?.parse().ok()?,
            capabilities: said.get("capabilities")?,
            info: said.get("info")?,
            scope: scope.clone(),
            session: None,
        };
        self.add_session(client, session).ok()
    }

    /// The client has ended its session, wherever it was opened.
    pub(crate) async fn forget_session(&self, client: &Client) {
        let Some(session) = client.session.as_ref().filter(|_| self.store.is_shared()) else {
            return;
        };
        let owner = client.caller.owner();
        if let Err(error) = self.store.close_client_session(owner, &session.id).await {
            tracing::warn!(%error, "the end of a session could not be recorded");
        }
    }
}
