//! An agent that follows a script, the same on every route.
//!
//! It sees the texts that a model would see and the definitions of the tools, and nothing else. It
//! answers from what it sees when that is enough. When it is told where the rest is, and there are
//! tools that get at it, it forms a call from the question and reads the reply. It has three such
//! calls for a task, and it can fail: it never guesses, and it does not count what was cut.

pub(crate) mod question;
pub(crate) mod sight;

use serde_json::{Value, json};

use self::{
    question::{Ask, Question},
    sight::{Seen, Sight},
};
use crate::{hosts, servers::Server, tokens, views::View};

/// Calls beside those that the task begins with.
const FURTHER_CALLS: usize = 3;

/// What the agent can do, and what it then sees.
pub(crate) trait Hands {
    /// The definition of a tool, if it is offered.
    fn definition(&self, tool: &str) -> Option<Value>;
    fn call(&self, server: Option<Server>, tool: &str, arguments: &Value) -> anyhow::Result<View>;
}

/// A task's account: what it cost, and what was done.
pub(crate) struct Agent {
    calls_left: usize,
    pub(crate) tokens: usize,
    pub(crate) images: usize,
    pub(crate) calls: usize,
    /// What was called and seen, for whoever wants to know why.
    pub(crate) story: Vec<String>,
}

impl Agent {
    pub(crate) fn new() -> Self {
        Self { calls_left: FURTHER_CALLS, tokens: 0, images: 0, calls: 0, story: Vec::new() }
    }

    /// Takes note of a call and of what came of it.
    pub(crate) fn saw(&mut self, tool: &str, arguments: &Value, view: &View) {
        let call = json!({"name": tool, "arguments": arguments}).to_string();
        let (asked, seen) = (tokens::count(&call), view.tokens());
        self.tokens += asked + seen;
        self.images += view.images;
        self.story.push(format!("> {} ({asked} tokens)", shortened(&call)));
        for lane in &view.lanes {
            self.story.push(format!("< {} ({seen} tokens in all)", shortened(lane)));
        }
    }

    /// One further call, while there are any left.
    fn call(
        &mut self,
        hands: &dyn Hands,
        server: Option<Server>,
        tool: &str,
        arguments: &Value,
    ) -> Option<View> {
        self.calls_left = self.calls_left.checked_sub(1)?;
        self.calls += 1;
        match hands.call(server, tool, arguments) {
            Ok(view) => {
                self.saw(tool, arguments, &view);
                Some(view)
            }
            Err(error) => {
                self.story.push(format!("! {tool}: {error:#}"));
                None
            }
        }
    }

    /// The answer to a question about a result that is in sight.
    pub(crate) fn answer(
        &mut self,
        hands: &dyn Hands,
        question: &Question,
        view: &View,
    ) -> Option<String> {
        let sight = Sight::of(view);
        if let Some(answer) = question.read(&sight) {
            return Some(answer);
        }
        if sight.file.is_some() {
            return self.ask(hands, question, &sight);
        }
        if let Some(from) = sight.saved_from
            && hands.definition(hosts::READ_FILE).is_some()
        {
            return self.page(hands, question, &sight, from);
        }
        None
    }

    /// Asks for the part that has the answer.
    fn ask(&mut self, hands: &dyn Hands, question: &Question, sight: &Sight) -> Option<String> {
        for Ask { tool, arguments } in question.asks(sight) {
            let Some(definition) = hands.definition(tool) else { continue };
            let arguments = question::known(&arguments, &definition);
            let view = self.call(hands, None, tool, &arguments)?;
            if let Some(answer) = question.read_reply(tool, &Sight::of(&view)) {
                return Some(answer);
            }
        }
        None
    }

    /// Reads on where a preview ended.
    fn page(
        &mut self,
        hands: &dyn Hands,
        question: &Question,
        sight: &Sight,
        from: usize,
    ) -> Option<String> {
        let mut seen = sight.clone();
        let mut from = from;
        loop {
            let arguments = json!({"path": hosts::FILE, "offset": from});
            let view = self.call(hands, None, hosts::READ_FILE, &arguments)?;
            let page = view.lanes.concat();
            if page.is_empty() {
                seen.seen = Seen::Whole;
            }
            from += page.len();
            let text = seen.texts.join("\n") + &page;
            seen.texts = vec![text];
            if let Some(answer) = question.read(&seen) {
                return Some(answer);
            }
            if page.is_empty() {
                return None;
            }
        }
    }

    /// Gives the content of a result that is in sight to another tool. Whether that was tried.
    pub(crate) fn hand_over(
        &mut self,
        hands: &dyn Hands,
        view: &View,
        server: Server,
        tool: &str,
        arguments: &Value,
        member: &str,
    ) -> bool {
        let sight = Sight::of(view);
        let content = match (&sight.file, sight.seen) {
            (Some(file), _) => format!("resultant://files/{file}"),
            (None, Seen::Whole) => sight.texts.first().cloned().unwrap_or_default(),
            // Half a file is not a copy.
            _ => return false,
        };
        let mut arguments = arguments.clone();
        arguments[member] = json!(content);
        self.call(hands, Some(server), tool, &arguments).is_some()
    }
}

fn shortened(text: &str) -> String {
    const SHOWN: usize = 6000;
    let head: String = text.chars().take(SHOWN).collect();
    if head.len() < text.len() { format!("{head}… ({} bytes)", text.len()) } else { head }
}
