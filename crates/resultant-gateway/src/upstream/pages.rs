//! A user's pages as a server: the wire to them speaks MCP on this side.
//!
//! The third kind of wire. A process and an HTTP server speak the protocol themselves; a page speaks
//! a smaller one over the WebSocket that it opened (`docs/api.md`), and several pages are one
//! server. So this wire answers what a server answers out of what the pages registered, and hands
//! calls on to the page that has the tool. It breaks for one call when that call's page goes, and as
//! a whole never: with the last page there are no tools, and the next page finds it as it was.

use std::{future::Future, pin::Pin, sync::Arc};

use resultant::{Json, Object, Protocol};
use tokio::sync::mpsc;

use super::{
    ListKind, META_PREFIX, Notice, Upstream, Wire, WireError, nobody,
    wire::{Outgoing, SharedInbox},
};
use crate::{
    body::Body,
    config::{Era, Isolate, ServerConfig, Start},
    page_tools::{Errand, Roster, Said},
    rpc::{self, Kind, Message, RpcError},
};

/// The member of a request's `_meta` that names a tab.
pub(crate) const META_TAB: &str = "resultant/tab";

/// Whose pages a server is.
pub(super) struct PagesOf {
    roster: Arc<Roster>,
    user: Arc<str>,
}

impl Upstream {
    /// The server that a user's pages are. It is connected at once: there is nothing to start.
    pub(crate) fn of_pages(
        roster: &Arc<Roster>,
        user: &str,
        tools_max: usize,
        notices: mpsc::UnboundedSender<Notice>,
    ) -> Arc<Upstream> {
        let config = ServerConfig {
            // One connection that takes every request for itself.
            isolate: Isolate::Auto,
            era: Era::Modern,
            start: Start::Lazy,
            ..roster.pages.server.clone()
        };
        let pages = Some(PagesOf { roster: roster.clone(), user: user.into() });
        let spool = (*roster.spool).clone();
        let upstream =
            Arc::new(Upstream { pages, ..Upstream::idle(config, spool, tools_max, notices) });
        let connecting = upstream.clone();
        tokio::spawn(async move { connecting.link(&nobody()).await.map(drop) });
        upstream
    }

    /// The one user that it is there for, where it is not there for all.
    pub(super) fn user(&self) -> Option<Arc<str>> {
        self.pages.as_ref().map(|pages| pages.user.clone())
    }

    /// Whether it is a user's pages.
    pub(crate) fn is_pages(&self) -> bool {
        self.pages.is_some()
    }

    /// Its pages offer other tools now. Who asks from here on gets those.
    pub(crate) fn offers_others(&self) {
        self.catalogs.forget();
        let _ = self.notices.send(self.change(ListKind::Tools));
    }

    pub(super) fn page_wire(&self, inbox: SharedInbox) -> Result<Box<dyn Wire>, WireError> {
        let none = || WireError::Unreachable("these pages are nobody's".to_owned());
        let roster = self.pages.as_ref().ok_or_else(none)?.roster.clone();
        Ok(Box::new(PageWire { roster, inbox }))
    }
}

struct PageWire {
    roster: Arc<Roster>,
    inbox: SharedInbox,
}

impl PageWire {
    async fn take(&self, message: Outgoing) {
        let Ok(Message { kind: Kind::Request { method, params, .. }, .. }) =
            Message::read(message.bytes)
        else {
            return;
        };
        let Some(id) = message.id else { return };
        match method.as_str() {
            "server/discover" => self.answer(id, &about(&self.roster.pages.server)),
            "tools/list" => self.answer(id, &self.roster.list()),
            "tools/call" => self.call(id, params.as_ref()).await,
            // It stays open; changes are told when they happen.
            "subscriptions/listen" => {}
            _ => {
                let error = RpcError::new(rpc::METHOD_NOT_FOUND, "pages offer tools alone");
                let message = rpc::error(&id.to_string(), &error);
                self.inbox.arrived(Body::Whole(message), Some(id));
            }
        }
    }

    fn answer(&self, id: u64, result: &str) {
        self.inbox.arrived(Body::Whole(rpc::result(&id.to_string(), result)), Some(id));
    }

    async fn call(&self, id: u64, params: Option<&Json>) {
        let text = |value: Option<Json>| Some(value?.as_str()?.into_owned());
        let get = |key: &str| params.and_then(|params| params.get(key));
        let errand = Errand {
            id,
            name: text(get("name")).unwrap_or_default(),
            arguments: get("arguments")
                .filter(Json::is_object)
                .map_or_else(|| "{}".to_owned(), |arguments| arguments.to_string()),
            tab: text(get("_meta").and_then(|meta| meta.get(META_TAB))),
        };
        let said = match self.roster.begin(&errand, &self.inbox) {
            Ok(said) => said,
            Err(reason) => return self.answer(id, &failure(&reason)),
        };
        let message = call_message(&errand, &self.roster.pages.server);
        if said.send(Said::Text(message)).await.is_err() {
            // It went between the choice and this; whoever takes its leave may have told already.
            self.inbox.failed(id, WireError::Broken("the page is gone".to_owned()));
        }
    }
}

impl Wire for PageWire {
    fn send(
        &self,
        message: Outgoing,
    ) -> Pin<Box<dyn Future<Output = Result<(), WireError>> + Send + '_>> {
        Box::pin(async move {
            self.take(message).await;
            Ok(())
        })
    }

    fn forget(&self, id: u64) -> bool {
        self.roster.give_up(id, "the caller gave up, or its time was over");
        true
    }

    fn negotiated(&self, _protocol: Protocol) {}

    fn close(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async {})
    }
}

fn about(config: &ServerConfig) -> String {
    let mut info = Object::default();
    info.set("name", Json::string(config.name.as_str()));
    info.set("title", Json::string("Tools of your open pages"));
    info.set("version", Json::string(env!("CARGO_PKG_VERSION")));
    let mut meta = Object::default();
    meta.set(&format!("{META_PREFIX}serverInfo"), info.to_json());
    let mut tools = Object::default();
    tools.set("listChanged", Json::bool(true));
    let mut capabilities = Object::default();
    capabilities.set("tools", tools.to_json());
    let mut result = Object::default();
    let version = Json::string(Protocol::V2026_07_28.as_str());
    result.set("supportedVersions", Json::array([&version]));
    result.set("capabilities", capabilities.to_json());
    result.set("_meta", meta.to_json());
    result.to_json().to_string()
}

fn call_message(errand: &Errand, config: &ServerConfig) -> String {
    let Errand { id, name, arguments, tab } = errand;
    let mut text = format!(
        "{{\"type\":\"call\",\"call\":\"{id}\",\"name\":{},\"arguments\":{arguments}",
        Json::string(name)
    );
    if let Some(tab) = tab {
        text.push_str(&format!(",\"tab\":{}", Json::string(tab)));
    }
    if let Some(timeout) = config.call_timeout {
        text.push_str(&format!(",\"deadline_ms\":{}", timeout.as_millis()));
    }
    text.push_str(",\"progress\":true}");
    text
}

/// A result that says why nothing was called.
fn failure(reason: &str) -> String {
    let mut block = Object::default();
    block.set("type", Json::string("text"));
    block.set("text", Json::string(reason));
    let mut result = Object::default();
    result.set("content", Json::array([&block.to_json()]));
    result.set("isError", Json::bool(true));
    result.to_json().to_string()
}
