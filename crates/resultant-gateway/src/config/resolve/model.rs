//! What the model is given: by tool, by client, and without what it should not see.

use std::collections::BTreeMap;

use super::Resolver;
use crate::{
    clean::Cleaner,
    clients::Clients,
    config::{
        BudgetPart, ClientRow, ServerBudgets,
        problem::step,
        tools::Glob,
        written::{self, ServerSettings},
    },
};

impl Resolver<'_> {
    pub(super) fn clients(&mut self, written: &BTreeMap<String, ClientRow>) -> Clients {
        let (clients, problems) = Clients::new(written);
        for problem in problems {
            let pointer = step(&step("/resultant/clients", &problem.row), "names");
            let pointer = step(&pointer, &problem.at.to_string());
            self.problem(&pointer, problem.message.to_owned(), Some(GLOB_HINT.to_owned()));
        }
        clients
    }

    pub(super) fn cleaner(&mut self, neutralizes: bool, redact: &[String]) -> Cleaner {
        let (cleaner, problems) = Cleaner::new(neutralizes, redact);
        for (at, message, hint) in problems {
            self.problem(&step("/resultant/redact", &at.to_string()), message, Some(hint));
        }
        cleaner
    }

    pub(super) fn budgets(&mut self, settings: &ServerSettings, pointer: &str) -> ServerBudgets {
        let mut tools = Vec::new();
        for (pattern, budget) in &settings.tools.budgets {
            match Glob::new(pattern) {
                Ok(glob) => tools.push((glob, part(budget))),
                Err(message) => {
                    let pointer = step(&step(&step(pointer, "tools"), "budgets"), pattern);
                    self.problem(&pointer, message.to_owned(), Some(GLOB_HINT.to_owned()));
                }
            }
        }
        tools.sort_by_key(|(glob, _)| std::cmp::Reverse(glob.len()));
        ServerBudgets { own: part(&settings.budget), tools }
    }
}

const GLOB_HINT: &str = "`*` stands for any characters, `?` for one";

fn part(written: &written::BudgetPart) -> BudgetPart {
    let written::BudgetPart { bytes, tokens, digest_tokens } = *written;
    BudgetPart { bytes, tokens, digest_tokens }
}
