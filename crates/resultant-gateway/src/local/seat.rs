//! The place of a user's session at the servers: calls that belong together come from one client.
//!
//! A server that keeps state keeps it for a session of the protocol. So the calls of one session of
//! the API share one, whichever servers they go to.

use std::sync::Arc;

use resultant::{Json, Object, Protocol};
use resultant_store::Id;
use tokio::sync::mpsc;

use super::{CallError, LocalCall, Wanted};
use crate::{
    caller::Caller,
    client::{Client, Exchange, Outlet, Owner, Scope, Session},
    dispatch::dispatch,
    gateway::Gateway,
    pipeline::Audience,
    reply::Reply,
    rpc::RpcError,
    upstream::own_info,
};

/// What a caller can be asked by a server: to fill in a form, and to visit an address. Views are
/// shown by the page.
const CAPABILITIES: &str = r#"{"elicitation":{"form":{},"url":{}},"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}"#;

/// The client that callers inside the process are, without a session.
pub(crate) fn api_client(caller: Caller, scope: Scope) -> Client {
    Client {
        caller,
        owner: Owner::GATEWAY,
        protocol: Protocol::V2025_11_25,
        capabilities: Json::parse(CAPABILITIES).unwrap_or(Json::null()),
        info: own_info(),
        scope,
        session: None,
    }
}

/// A session of the protocol on behalf of a session of the API. It ends with it.
pub(crate) struct Seat {
    gateway: Arc<Gateway>,
    caller: Caller,
    client: Arc<Client>,
    session: Arc<Session>,
}

impl Seat {
    /// Takes a place for a caller.
    pub(crate) fn take(gateway: &Arc<Gateway>, caller: Caller) -> Result<Seat, CallError> {
        let client = api_client(caller.clone(), Scope::All);
        let client = gateway.open_session(client).map_err(|error| CallError::refused(&error))?;
        let gone = || CallError::Failed("the session could not be opened".to_owned());
        let session = client.session.clone().ok_or_else(gone)?;
        Ok(Seat { gateway: gateway.clone(), caller, client, session })
    }

    /// Whether it was not given up meanwhile, because nothing happened.
    pub(crate) fn is_open(&self) -> bool {
        self.gateway.session(&self.session.id).is_some()
    }

    /// Calls a tool: of one server, or by the name it has among those of all.
    pub(crate) fn call(
        &self,
        scope: Scope,
        call: Id,
        wanted: Wanted<'_>,
        audience: Audience,
    ) -> LocalCall {
        self.session.touch();
        // The session of the protocol has an id of its own; what is kept and recorded belongs to
        // the caller's.
        let client = Client { caller: self.caller.clone(), scope, ..(*self.client).clone() };
        let who = (Arc::new(client), self.session.clone());
        LocalCall::new(&self.gateway, who, call, wanted, audience)
    }

    /// Reads a resource of a server.
    pub(crate) async fn read_resource(
        &self,
        server: Arc<str>,
        uri: &str,
    ) -> Result<Reply, RpcError> {
        self.session.touch();
        let mut params = Object::default();
        params.set("uri", Json::string(uri));
        let scope = Scope::One(server);
        let client = Client { caller: self.caller.clone(), scope, ..(*self.client).clone() };
        // Nobody is asked anything meanwhile.
        let (sender, _) = mpsc::channel(1);
        let exchange = Exchange {
            call: Id::new(),
            client: Arc::new(client),
            outlet: Outlet::new(sender, None),
            progress_token: None,
            log_level: None,
        };
        let params = params.to_json();
        dispatch(&self.gateway, &exchange, &Json::number(1), "resources/read", Some(&params)).await
    }

    /// Notes that a call is under way, until [`Seat::finish`]: so long the place is not given up.
    pub(crate) fn begin(&self, call: Id) {
        drop(self.session.begin(&Json::string(&call.to_string())));
    }

    pub(crate) fn finish(&self, call: Id) {
        self.session.finish(&Json::string(&call.to_string()));
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.gateway.close_session(&self.session.id);
    }
}
