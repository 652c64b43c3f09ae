//! How much of a result the model is given, by server and tool.

use resultant::Budget;

use super::tools::Glob;

/// The parts of a budget that differ from the gateway's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BudgetPart {
    /// Bytes of text.
    pub bytes: Option<usize>,
    /// Tokens of text.
    pub tokens: Option<usize>,
    /// Tokens that a digest aims at.
    pub digest_tokens: Option<usize>,
}

/// The budgets of a server and of its tools.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerBudgets {
    pub(super) own: BudgetPart,
    /// The longest pattern first.
    pub(super) tools: Vec<(Glob, BudgetPart)>,
}

impl ServerBudgets {
    /// The budget of a tool, by its name at the server: the smaller of the tool's and the server's
    /// where there are such, else the gateway's.
    pub(crate) fn of(&self, tool: &str, gateway: Budget) -> Budget {
        let own = self.tools.iter().find(|(glob, _)| glob.matches(tool));
        let own = own.map(|(_, part)| *part).unwrap_or_default();
        let smaller = |of: fn(&BudgetPart) -> Option<usize>, otherwise: usize| {
            of(&own).into_iter().chain(of(&self.own)).min().unwrap_or(otherwise)
        };
        Budget {
            bytes: smaller(|part| part.bytes, gateway.bytes),
            tokens: smaller(|part| part.tokens, gateway.tokens),
            digest_tokens: smaller(|part| part.digest_tokens, gateway.digest_tokens),
            ..gateway
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearer_budget_counts() {
        let part = |bytes, tokens| BudgetPart { bytes, tokens, digest_tokens: None };
        let budgets = ServerBudgets {
            own: part(Some(20_000), None),
            tools: vec![
                (Glob::new("read_log").unwrap(), part(Some(1000), Some(300))),
                (Glob::new("read_*").unwrap(), part(Some(30_000), None)),
            ],
        };
        let of = |tool: &str| {
            let Budget { bytes, tokens, .. } = budgets.of(tool, Budget::default());
            (bytes, tokens)
        };
        assert_eq!(of("read_log"), (1000, 300));
        assert_eq!(of("read_file"), (20_000, 2000), "a tool has no more than its server");
        assert_eq!(of("write"), (20_000, 2000), "a server may have more than the gateway");
        let none = ServerBudgets::default().of("x", Budget::default());
        assert_eq!((none.bytes, none.tokens, none.digest_tokens), (8192, 2000, 350));
    }
}
