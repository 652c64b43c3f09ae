//! The pages of one user: their connections and tabs, the tools that those offer, and the calls that
//! are under way in them.
//!
//! Several connections may offer a tool of the same name (two browsers, two apps). One definition is
//! listed, the one that came first, until it goes. A call goes to the connection that has the tab it
//! names, else to the only one that has the tool, else to the one that was in use last; which tab of
//! it, the page's side decides, which knows its tabs better.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::{Arc, Mutex},
};

use resultant::{Json, Object};
use tokio::sync::mpsc;

use super::{Refusal, definition};
use crate::{
    body::SpoolOptions,
    client::lock,
    config::PagesConfig,
    upstream::{SharedInbox, WireError},
};

/// Tabs of one connection.
const TABS_MAX: usize = 256;
/// Bytes of what identifies or describes a tab.
const TAB_BYTES_MAX: usize = 128;
const TITLE_BYTES_MAX: usize = 512;
const URL_BYTES_MAX: usize = 2048;
/// A tool may be registered by so many tabs, on average.
const TABS_OF_TOOL_MAX: usize = 8;

/// Something for a page.
#[derive(Debug)]
pub(crate) enum Said {
    Text(String),
    /// The end of the connection: a code of the WebSocket protocol, and words.
    Close {
        code: u16,
        reason: String,
    },
}

/// What a page says of a tab.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tab {
    pub(crate) title: String,
    pub(crate) url: String,
    pub(crate) is_active: bool,
    pub(crate) is_visible: bool,
}

/// A tab, for its user.
#[derive(Clone, Debug)]
pub(crate) struct TabFacts {
    pub(crate) id: String,
    pub(crate) tab: Tab,
}

/// A connection, for its user.
#[derive(Clone, Debug)]
pub(crate) struct ConnectionFacts {
    pub(crate) id: String,
    /// The name and version that the client gives itself.
    pub(crate) client: (String, String),
    pub(crate) origin: Option<String>,
    pub(crate) since_ms: i64,
    pub(crate) tabs: Vec<TabFacts>,
    /// The names of the tools that it offers.
    pub(crate) tools: Vec<String>,
}

struct Connection {
    about: ConnectionFacts,
    said: mpsc::Sender<Said>,
    tabs: BTreeMap<String, Tab>,
    /// When it was in use last, counted.
    active: u64,
}

struct Registration {
    connection: u64,
    tab: String,
    name: String,
    definition: Json,
}

struct Waiting {
    connection: u64,
    inbox: SharedInbox,
}

#[derive(Default)]
struct State {
    connections: BTreeMap<u64, Connection>,
    /// In the order in which they came.
    tools: Vec<Registration>,
    calls: HashMap<u64, Waiting>,
    /// Counts how often a connection was put to use.
    activity: u64,
}

/// A call that a page is to be told of.
pub(crate) struct Errand {
    pub(crate) id: u64,
    pub(crate) name: String,
    /// JSON text.
    pub(crate) arguments: String,
    /// The tab that it names.
    pub(crate) tab: Option<String>,
}

/// The pages of one user.
pub(crate) struct Roster {
    pub(crate) pages: Arc<PagesConfig>,
    pub(crate) spool: Arc<SpoolOptions>,
    state: Mutex<State>,
}

impl Roster {
    pub(super) fn new(pages: Arc<PagesConfig>, spool: SpoolOptions) -> Roster {
        Roster { pages, spool: Arc::new(spool), state: Mutex::default() }
    }

    pub(super) fn join(
        &self,
        number: u64,
        about: ConnectionFacts,
        said: mpsc::Sender<Said>,
    ) -> Result<(), Refusal> {
        let mut state = lock(&self.state);
        let connections_max = self.pages.connections_max;
        if state.connections.len() >= connections_max {
            let reason = format!("{connections_max} of your pages are connected already");
            let hint = "close some, or see `pages.connections_max` in the configuration";
            return Err(Refusal::new(reason, hint));
        }
        // Who comes again is not in use for that.
        let active = 0;
        state.connections.insert(number, Connection { about, said, tabs: BTreeMap::new(), active });
        Ok(())
    }

    /// A connection has ended. Returns whether another list is offered now.
    pub(super) fn leave(&self, number: u64, reason: &str) -> bool {
        let mut state = lock(&self.state);
        if state.connections.remove(&number).is_none() {
            return false;
        }
        let ended: Vec<(u64, Waiting)> =
            state.calls.extract_if(|_, call| call.connection == number).collect();
        let is_changed =
            state.changes(|state| state.tools.retain(|tool| tool.connection != number));
        drop(state);
        for (id, call) in ended {
            call.inbox.failed(id, WireError::Broken(reason.to_owned()));
        }
        is_changed
    }

    /// Whether a tool is offered.
    pub(super) fn has_tools(&self) -> bool {
        !lock(&self.state).tools.is_empty()
    }

    /// Whether nobody is here and nothing is under way.
    pub(super) fn is_empty(&self) -> bool {
        let state = lock(&self.state);
        state.connections.is_empty() && state.calls.is_empty()
    }

    pub(super) fn facts(&self) -> Vec<ConnectionFacts> {
        let state = lock(&self.state);
        let facts = |(number, connection): (&u64, &Connection)| {
            let of_it = state.tools.iter().filter(|tool| tool.connection == *number);
            let mut tools: Vec<String> = of_it.map(|tool| tool.name.clone()).collect();
            tools.sort();
            tools.dedup();
            let tabs = connection.tabs.iter();
            let tabs = tabs.map(|(id, tab)| TabFacts { id: id.clone(), tab: tab.clone() });
            ConnectionFacts { tabs: tabs.collect(), tools, ..connection.about.clone() }
        };
        state.connections.iter().map(facts).collect()
    }

    /// The tools as they are listed: of each name the definition that came first.
    pub(crate) fn list(&self) -> String {
        let state = lock(&self.state);
        let tools: Vec<Json> = state.listed().cloned().collect();
        let mut result = Object::default();
        result.set("tools", Json::array(&tools));
        result.to_json().to_string()
    }

    /// A tab is there, or is another than it was.
    pub(super) fn set_tab(&self, number: u64, id: &str, mut tab: Tab) -> Result<(), Refusal> {
        if id.is_empty() || id.len() > TAB_BYTES_MAX {
            let hint = format!("1 to {TAB_BYTES_MAX} bytes");
            return Err(Refusal::new("this is no id for a tab", hint));
        }
        cut(&mut tab.title, TITLE_BYTES_MAX);
        cut(&mut tab.url, URL_BYTES_MAX);
        let mut state = lock(&self.state);
        state.activity += u64::from(tab.is_active);
        let activity = state.activity;
        let Some(connection) = state.connections.get_mut(&number) else { return Ok(()) };
        if connection.tabs.len() >= TABS_MAX && !connection.tabs.contains_key(id) {
            let reason = format!("there are {TABS_MAX} tabs on this connection already");
            return Err(Refusal::new(reason, "close some of them"));
        }
        if tab.is_active {
            connection.active = activity;
        }
        connection.tabs.insert(id.to_owned(), tab);
        Ok(())
    }

    /// A tab is gone, and its tools with it. Returns whether another list is offered now.
    pub(super) fn close_tab(&self, number: u64, id: &str) -> bool {
        let mut state = lock(&self.state);
        if let Some(connection) = state.connections.get_mut(&number) {
            connection.tabs.remove(id);
        }
        let is_of = |tool: &Registration| tool.connection == number && tool.tab == id;
        state.changes(|state| state.tools.retain(|tool| !is_of(tool)))
    }

    /// Offers a tool. Returns whether another list is offered now.
    pub(super) fn register(&self, number: u64, tab: &str, tool: &Json) -> Result<bool, Refusal> {
        let (name, definition) = definition::read(tool, &self.pages.server)?;
        let tools_max = self.pages.tools_max;
        let mut state = lock(&self.state);
        let connection = state.connections.get(&number);
        if !connection.is_some_and(|connection| connection.tabs.contains_key(tab)) {
            let hint = "say `tab` first; one that was refused cannot offer tools";
            return Err(Refusal::new("this tab is not known here", hint));
        }
        let is_same =
            |tool: &Registration| tool.connection == number && tool.tab == tab && tool.name == name;
        if let Some(at) = state.tools.iter().position(is_same) {
            return Ok(state.changes(|state| state.tools[at].definition = definition));
        }
        let mut names: HashSet<&str> = state.tools.iter().map(|tool| tool.name.as_str()).collect();
        names.insert(&name);
        if names.len() > tools_max || state.tools.len() >= tools_max * TABS_OF_TOOL_MAX {
            let reason = format!("your pages offer {tools_max} tools already");
            let hint = "unregister some, or see `pages.tools_max` in the configuration";
            return Err(Refusal::new(reason, hint));
        }
        let tab = tab.to_owned();
        let tool = Registration { connection: number, tab, name, definition };
        Ok(state.changes(|state| state.tools.push(tool)))
    }

    /// Takes a tool back. Returns whether another list is offered now.
    pub(super) fn unregister(&self, number: u64, tab: &str, name: &str) -> bool {
        let is_of =
            |tool: &Registration| tool.connection == number && tool.tab == tab && tool.name == name;
        lock(&self.state).changes(|state| state.tools.retain(|tool| !is_of(tool)))
    }

    // Calls.

    /// Notes a call and says whom to tell of it, or why it cannot be made, for the model to read.
    pub(crate) fn begin(
        &self,
        errand: &Errand,
        inbox: &SharedInbox,
    ) -> Result<mpsc::Sender<Said>, String> {
        let mut state = lock(&self.state);
        let calls_max = self.pages.calls_at_once_max;
        if state.calls.len() >= calls_max {
            return Err(format!(
                "{calls_max} calls are under way in your pages already (pages.calls_at_once_max); \
                 try again when some have ended"
            ));
        }
        let number = state.choose(&errand.name, errand.tab.as_deref())?;
        let Some(connection) = state.connections.get(&number) else {
            return Err("the page is gone".to_owned());
        };
        let said = connection.said.clone();
        state.calls.insert(errand.id, Waiting { connection: number, inbox: inbox.clone() });
        Ok(said)
    }

    /// Nobody waits for this call any more: its page is told so, where it is not what ended it.
    pub(crate) fn give_up(&self, id: u64, reason: &str) {
        let mut state = lock(&self.state);
        let Some(call) = state.calls.remove(&id) else { return };
        let Some(connection) = state.connections.get(&call.connection) else { return };
        let mut cancel = Object::default();
        cancel.set("type", Json::string("cancel"));
        cancel.set("call", Json::string(&id.to_string()));
        cancel.set("reason", Json::string(reason));
        // A page that takes nothing any more is cut off soon, and its calls with it.
        let _ = connection.said.try_send(Said::Text(cancel.to_json().to_string()));
    }

    /// Whether a call of this connection is under way.
    pub(super) fn is_waiting(&self, number: u64, id: u64) -> bool {
        lock(&self.state).calls.get(&id).is_some_and(|call| call.connection == number)
    }

    /// Whether any call of this connection is under way.
    pub(super) fn is_busy(&self, number: u64) -> bool {
        lock(&self.state).calls.values().any(|call| call.connection == number)
    }

    /// Who waits for this call of this connection, while it goes on.
    pub(super) fn inbox(&self, number: u64, id: u64) -> Option<SharedInbox> {
        let state = lock(&self.state);
        state.calls.get(&id).filter(|call| call.connection == number).map(|call| call.inbox.clone())
    }

    /// Who waits for this call of this connection, which has ended.
    pub(super) fn end(&self, number: u64, id: u64) -> Option<SharedInbox> {
        let mut state = lock(&self.state);
        state.calls.get(&id).filter(|call| call.connection == number)?;
        state.calls.remove(&id).map(|call| call.inbox)
    }
}

impl State {
    /// The definitions that are listed.
    fn listed(&self) -> impl Iterator<Item = &Json> {
        let mut names = HashSet::new();
        let tools = self.tools.iter().filter(move |tool| names.insert(tool.name.as_str()));
        tools.map(|tool| &tool.definition)
    }

    /// Makes a change, and says whether another list is offered after it.
    fn changes(&mut self, change: impl FnOnce(&mut State)) -> bool {
        let before: Vec<Json> = self.listed().cloned().collect();
        change(self);
        !self.listed().map(Json::as_text).eq(before.iter().map(Json::as_text))
    }

    /// The connection that a call goes to.
    fn choose(&self, name: &str, tab: Option<&str>) -> Result<u64, String> {
        let mut having: Vec<(u64, &Connection)> = Vec::new();
        for tool in self.tools.iter().filter(|tool| tool.name == name) {
            let is_known = having.iter().any(|(number, _)| *number == tool.connection);
            if let Some(connection) = self.connections.get(&tool.connection).filter(|_| !is_known) {
                having.push((tool.connection, connection));
            }
        }
        if having.is_empty() {
            return Err(format!(
                "no page of yours offers the tool `{name}` any more; it is back when its page is \
                 open and connected again"
            ));
        }
        if let Some(tab) = tab {
            let has_tab = |(_, connection): &&(u64, &Connection)| connection.tabs.contains_key(tab);
            return having.iter().find(has_tab).map(|(number, _)| *number).ok_or_else(|| {
                let tabs: Vec<String> = having
                    .iter()
                    .flat_map(|(_, connection)| &connection.tabs)
                    .take(20)
                    .map(|(id, tab)| format!("`{id}` ({})", tab.title))
                    .collect();
                format!("there is no tab `{tab}` with this tool; there are: {}", tabs.join(", "))
            });
        }
        // The first of those that are equal.
        let latest = having.iter().rev().max_by_key(|(_, connection)| connection.active);
        latest.map(|(number, _)| *number).ok_or_else(|| "the page is gone".to_owned())
    }
}

fn cut(text: &mut String, bytes_max: usize) {
    text.truncate(text.floor_char_boundary(bytes_max));
}

#[cfg(test)]
mod tests {
    use resultant::Json;
    use tokio::sync::mpsc;

    use super::{ConnectionFacts, Roster, TABS_MAX, Tab};
    use crate::{body::SpoolOptions, config::Config};

    fn roster() -> Roster {
        let config = r#"{"resultant":{"pages":{"tools_max":2,"connections_max":3}}}"#;
        let config = Config::parse(config, std::path::Path::new("."), &|_| None).unwrap().config;
        let spool =
            SpoolOptions { folder: ".".into(), inline_bytes_max: 1024, message_bytes_max: 1024 };
        Roster::new(config.pages.expect("on"), spool)
    }

    fn join(roster: &Roster, number: u64) -> bool {
        let about = ConnectionFacts {
            id: number.to_string(),
            client: (String::new(), String::new()),
            origin: None,
            since_ms: 0,
            tabs: Vec::new(),
            tools: Vec::new(),
        };
        let is_in = roster.join(number, about, mpsc::channel(1).0).is_ok();
        if is_in {
            roster.set_tab(number, "t", Tab::default()).expect("a tab");
        }
        is_in
    }

    fn tool(name: &str, description: &str) -> Json {
        let text = format!(r#"{{"name":"{name}","description":"{description}"}}"#);
        Json::parse(text).expect("JSON")
    }

    fn choose(roster: &Roster, name: &str, tab: Option<&str>) -> Result<u64, String> {
        super::lock(&roster.state).choose(name, tab)
    }

    #[test]
    fn the_definition_that_came_first_is_listed_until_it_goes() {
        let roster = roster();
        assert!(join(&roster, 1) && join(&roster, 2) && join(&roster, 3));
        assert!(!join(&roster, 4), "connections_max");
        assert_eq!(roster.register(1, "t", &tool("a", "one")), Ok(true));
        assert_eq!(roster.register(2, "t", &tool("a", "two")), Ok(false), "the first is listed");
        assert!(roster.list().contains("one") && !roster.list().contains("two"));
        assert_eq!(roster.register(2, "t", &tool("a", "2")), Ok(false));
        assert_eq!(roster.register(1, "t", &tool("a", "one")), Ok(false), "nothing is new");
        assert_eq!(roster.register(1, "t", &tool("a", "1")), Ok(true), "followed");
        assert!(!roster.unregister(3, "t", "a"), "not its own");
        assert!(!roster.unregister(1, "other", "a"), "not this tab's");
        assert!(roster.leave(1, "gone"));
        assert!(roster.list().contains("\"2\""), "{}", roster.list());
        assert_eq!(roster.register(2, "t", &tool("b", "")), Ok(true));
        assert!(roster.register(2, "t", &tool("c", "")).is_err(), "tools_max");
        assert!(roster.close_tab(2, "t"));
        assert!(!roster.has_tools());
        let closed = roster.register(2, "t", &tool("a", "")).expect_err("a tab that is closed");
        assert!(closed.reason.contains("not known"), "{closed}");
    }

    #[test]
    fn a_tab_too_many_is_refused_and_the_others_stay() {
        let roster = roster();
        assert!(join(&roster, 1) && join(&roster, 2));
        for number in 1..TABS_MAX {
            roster.set_tab(1, &number.to_string(), Tab::default()).expect("a tab");
        }
        let active = || Tab { is_active: true, ..Tab::default() };
        roster.register(2, "t", &tool("a", "")).expect("a tool");
        roster.register(1, "t", &tool("a", "")).expect("a tool");
        roster.set_tab(2, "t", active()).expect("a tab");
        let over = roster.set_tab(1, "over", active()).expect_err("too many");
        assert!(over.reason.contains("256 tabs"), "{over}");
        assert_eq!(choose(&roster, "a", None), Ok(2), "who is refused is not in use");
        assert!(roster.register(1, "over", &tool("b", "")).is_err(), "nor does it offer anything");
        roster.set_tab(1, "7", active()).expect("one that is there changes");
        assert_eq!(choose(&roster, "a", None), Ok(1));
        roster.close_tab(1, "7");
        roster.set_tab(1, "over", active()).expect("there is room now");
        roster.register(1, "over", &tool("b", "")).expect("a tool");
        for id in ["", &"x".repeat(129)] {
            let refused = roster.set_tab(2, id, Tab::default()).expect_err("no id");
            assert!(refused.reason.contains("no id"), "{refused}");
        }
        roster.set_tab(2, &"x".repeat(128), Tab::default()).expect("just so long");
    }

    #[test]
    fn who_comes_again_is_not_in_use_for_that() {
        let roster = roster();
        assert!(join(&roster, 1) && join(&roster, 2));
        roster.register(1, "t", &tool("a", "")).expect("a tool");
        let active = Tab { is_active: true, ..Tab::default() };
        roster.set_tab(1, "t", active).expect("a tab");
        roster.register(2, "t", &tool("a", "")).expect("a tool");
        assert!(join(&roster, 3));
        roster.register(3, "t", &tool("a", "")).expect("a tool");
        assert_eq!(choose(&roster, "a", None), Ok(1), "the one that a person used");
        roster.leave(1, "gone");
        assert_eq!(choose(&roster, "a", None), Ok(2), "the first of those that nobody did");
    }

    #[test]
    fn a_call_goes_to_the_tab_it_names_else_to_the_connection_in_use() {
        let roster = roster();
        assert!(join(&roster, 1) && join(&roster, 2) && join(&roster, 3));
        for number in [1, 2] {
            roster.register(number, "t", &tool("a", "")).expect("a tool");
        }
        let tab = |is_active| Tab { is_active, ..Tab::default() };
        roster.set_tab(1, "one", tab(true)).expect("a tab");
        roster.set_tab(3, "three", tab(true)).expect("a tab");
        assert_eq!(choose(&roster, "a", None), Ok(1), "3 does not have it");
        roster.set_tab(2, "two", tab(false)).expect("a tab");
        assert_eq!(choose(&roster, "a", None), Ok(1), "a hidden tab changes nothing");
        roster.set_tab(2, "two", tab(true)).expect("a tab");
        assert_eq!(choose(&roster, "a", None), Ok(2));
        assert_eq!(choose(&roster, "a", Some("one")), Ok(1));
        assert!(choose(&roster, "a", Some("three")).is_err_and(|reason| reason.contains("`two`")));
        assert!(choose(&roster, "b", None).is_err_and(|reason| reason.contains("`b`")));
    }
}
