//! Getting more: tools of our own by which a model reaches every byte of what it was not shown.
//!
//! Four small tools stand beside those of the servers, in every list, and a fifth for clients that
//! show our canvas, by which a person sees a file. What they are asked is answered
//! by a child process with limits ([`resultant_query`]); here is what they are called, whose file is
//! meant, and what an answer looks like. Where no program was named for the child, or the
//! configuration says `retrieval: false`, there are none of them.

mod asking;
mod definitions;
mod finding;
mod listing;
mod wanted;

use std::{path::PathBuf, sync::OnceLock};

use resultant::{Budget, Json, More, Object};
use resultant_query::{Ask, QueryError, Worker};
use resultant_store::File;

pub(crate) use self::{
    asking::{Asking, Places, take},
    definitions::definitions,
    finding::by_uri,
};
use self::{
    finding::{Missing, find, of_session},
    wanted::{Question, Wanted},
};
use crate::{client::Exchange, gateway::Gateway};

/// The server that calls of these tools are recorded under.
pub(crate) const SERVER: &str = "resultant";

/// So many files are looked through by one search.
const SEARCHED_FILES_MAX: usize = 200;

/// How the process is started that answers.
static WORKER: OnceLock<Worker> = OnceLock::new();

/// Says how to start the process that answers questions about files: `program` with these arguments
/// has to call [`resultant_query::work`]. Without it the tools that ask are not offered.
pub fn query_worker(program: PathBuf, arguments: &[&str]) {
    let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    let _ = WORKER.set(Worker { program, arguments });
}

pub(crate) fn worker() -> Option<&'static Worker> {
    WORKER.get()
}

/// One of the tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tool {
    List,
    Read,
    Search,
    Query,
    Show,
}

impl Tool {
    /// Those that every client has.
    pub(crate) const ALL: [Tool; 4] = [Tool::List, Tool::Read, Tool::Search, Tool::Query];
    /// Those of a client that shows our canvas.
    pub(crate) const WITH_CANVAS: [Tool; 5] =
        [Tool::List, Tool::Read, Tool::Search, Tool::Query, Tool::Show];

    /// What it is called where nobody else is called so.
    pub(crate) fn name(self) -> &'static str {
        Naming::Plain.name(self)
    }
}

/// What the tools are called in one list: a server's tool of the same name keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Naming {
    Plain,
    Prefixed,
}

impl Naming {
    /// The names that are free beside those that servers have; nothing where none are.
    pub(crate) fn beside(tools: &[Tool], is_taken: impl Fn(&str) -> bool) -> Option<Naming> {
        let is_free = |naming: &Naming| !tools.iter().any(|tool| is_taken(naming.name(*tool)));
        [Naming::Plain, Naming::Prefixed].into_iter().find(is_free)
    }

    pub(crate) fn name(self, tool: Tool) -> &'static str {
        match (self, tool) {
            (Naming::Plain, Tool::List) => "files_list",
            (Naming::Plain, Tool::Read) => "files_read",
            (Naming::Plain, Tool::Search) => "files_search",
            (Naming::Plain, Tool::Query) => "files_query",
            (Naming::Plain, Tool::Show) => "files_show",
            (Naming::Prefixed, Tool::List) => "resultant_files_list",
            (Naming::Prefixed, Tool::Read) => "resultant_files_read",
            (Naming::Prefixed, Tool::Search) => "resultant_files_search",
            (Naming::Prefixed, Tool::Query) => "resultant_files_query",
            (Naming::Prefixed, Tool::Show) => "resultant_files_show",
        }
    }

    /// The tool of this name.
    pub(crate) fn tool(self, name: &str) -> Option<Tool> {
        Tool::WITH_CANVAS.into_iter().find(|tool| self.name(*tool) == name)
    }

    /// How a digest says where the rest is.
    pub(crate) fn more(self) -> More {
        More::Tools {
            read: self.name(Tool::Read),
            search: self.name(Tool::Search),
            query: self.name(Tool::Query),
        }
    }

    /// A list of tools with ours at its end.
    pub(crate) fn append(self, tools: &[Tool], list: &str) -> String {
        let ours: Vec<String> = definitions(self, tools)
            .into_iter()
            .map(|(_, definition)| definition.to_string())
            .collect();
        let ours = ours.join(",");
        match list.trim_end().strip_suffix(']') {
            Some(list) if list.trim_end().ends_with('[') => format!("{list}{ours}]"),
            Some(list) => format!("{list},{ours}]"),
            None => format!("[{ours}]"),
        }
    }
}

/// Whether a tool may be one of ours; what it is called for, the scope decides.
pub(crate) fn may_be_ours(name: &str) -> bool {
    [Naming::Plain, Naming::Prefixed].iter().any(|naming| naming.tool(name).is_some())
}

/// What a tool of ours answers: a text that is a JSON object.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) text: String,
    /// Why there is none, in a sentence.
    pub(crate) error: Option<String>,
    /// The file that is shown to the person.
    pub(crate) shown: Option<File>,
}

impl Answer {
    fn refusal(message: &str, near: &[String], hint: Option<String>) -> Answer {
        let mut said = message.to_owned();
        if !near.is_empty() {
            said.push_str(&format!("; near names: {}", near.join(", ")));
        }
        let mut answer = Object::default();
        answer.set("error", Json::string(message));
        if !near.is_empty() {
            let near: Vec<Json> = near.iter().map(|name| Json::string(name)).collect();
            answer.set("near", Json::array(&near));
        }
        if let Some(hint) = hint {
            answer.set("hint", Json::string(&hint));
        }
        Answer { text: answer.to_json().to_string(), error: Some(said), shown: None }
    }

    fn missing(missing: Missing, naming: Naming) -> Answer {
        match missing {
            Missing::NoFile { name, near } => {
                let hint = format!("{} shows which files there are", naming.name(Tool::List));
                Answer::refusal(&format!("there is no file `{name}`"), &near, Some(hint))
            }
            Missing::Wrong(message) => Answer::refusal(&message, &[], None),
        }
    }
}

/// Answers a call of one of the tools.
pub(crate) async fn answer(
    gateway: &Gateway,
    exchange: &Exchange,
    naming: Naming,
    tool: Tool,
    arguments: Option<&Json>,
) -> Answer {
    let wanted = match Wanted::read(tool, naming.name(tool), arguments) {
        Ok(wanted) => wanted,
        Err(message) => return Answer::refusal(&message, &[], None),
    };
    let config = gateway.config();
    let budget = config.clients.profile(&exchange.client.name()).cap(config.budget);
    let answered = match wanted {
        Wanted::List { pattern, from } => {
            listing::list(gateway, &exchange.client.caller, &budget, pattern.as_deref(), from).await
        }
        Wanted::Show { file } => return show(gateway, exchange, naming, &file).await,
        Wanted::Ask(question) => ask(gateway, exchange, naming, question, &budget).await,
    };
    match answered {
        // What opens something is for nobody to read, whoever wrote it into a file.
        Ok(text) => {
            Answer { text: resultant_store::redact(&text).into_owned(), error: None, shown: None }
        }
        Err(answer) => answer,
    }
}

/// A sentence for the model; the person is shown the file.
async fn show(gateway: &Gateway, exchange: &Exchange, naming: Naming, file: &str) -> Answer {
    let file = match find(gateway, &exchange.client.caller, file).await {
        Ok(file) => file,
        Err(missing) => return Answer::missing(missing, naming),
    };
    let mut said = Object::default();
    said.set("shown", Json::string(&file.name));
    said.set("type", Json::string(&file.mime));
    said.set("size", Json::number(file.size));
    said.set("note", Json::string("the person sees it now; you were not given its content"));
    Answer { text: said.to_json().to_string(), error: None, shown: Some(file) }
}

async fn ask(
    gateway: &Gateway,
    exchange: &Exchange,
    naming: Naming,
    question: Question,
    budget: &Budget,
) -> Result<String, Answer> {
    let caller = &exchange.client.caller;
    let missing = |missing| Answer::missing(missing, naming);
    let mut files = Vec::new();
    for name in &question.files {
        files.push(find(gateway, caller, name).await.map_err(missing)?);
    }
    if files.is_empty() {
        files = of_session(gateway, caller, SEARCHED_FILES_MAX).await.map_err(missing)?;
    }
    let config = gateway.config();
    let Some(asking) = gateway.asking(&config, caller) else {
        return Err(Answer::refusal("files cannot be read in parts here", &[], None));
    };
    // The name stands before a page, and belongs to it.
    let named = match (&question.ask, files.first()) {
        (Ask::Read(_), Some(file)) => format!("\"file\":{},", Json::string(&file.name)),
        _ => String::new(),
    };
    let answered = asking
        .ask(&question.ask, files.iter().map(|file| asking::source(&gateway.store, file)), |caps| {
            caps.page_bytes = budget.bytes.saturating_sub(named.len());
            caps.page_tokens = budget.tokens.saturating_sub(named.len().div_ceil(2));
        })
        .await;
    let bytes = answered.map_err(|error| {
        if let QueryError::Source(_) | QueryError::Failed(_) = error {
            tracing::error!(%error, "a question about a file got no answer");
        }
        Answer::refusal(&error.to_string(), &[], None)
    })?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(match text.strip_prefix('{') {
        Some(rest) if !named.is_empty() => format!("{{{named}{rest}"),
        _ => text.into_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_servers_come_first() {
        let beside = |taken: &[&str]| Naming::beside(&Tool::ALL, |name| taken.contains(&name));
        assert_eq!(beside(&["files_reader", "list"]), Some(Naming::Plain));
        assert_eq!(beside(&["files_read"]), Some(Naming::Prefixed));
        assert_eq!(beside(&["files_read", "resultant_files_list"]), None);
        assert_eq!(beside(&["files_show"]), Some(Naming::Plain));
        let with_canvas = Naming::beside(&Tool::WITH_CANVAS, |name| name == "files_show");
        assert_eq!(with_canvas, Some(Naming::Prefixed));
        assert_eq!(Naming::Plain.tool("files_query"), Some(Tool::Query));
        assert_eq!(Naming::Prefixed.tool("files_query"), None);
        assert!(may_be_ours("resultant_files_read") && !may_be_ours("read"));
    }

    #[test]
    fn lists_stay_lists() {
        for list in ["[]", "[{\"name\":\"a\"}]"] {
            let list = Json::parse(Naming::Plain.append(&Tool::ALL, list)).unwrap();
            assert!(list.items().count() >= 4, "{list}");
        }
    }
}
