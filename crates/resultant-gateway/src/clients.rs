//! What is known of clients, by the names that they give themselves.
//!
//! Clients differ in what of a result their model sees and how much of it, and the protocol has no
//! way to ask. So it is looked up: in `data/clients.json`, and before that in the configuration,
//! whose rows add to those and change them. A client that nobody knows gets what every client can
//! take.

use std::collections::BTreeMap;

use resultant::{BlockTypes, Budget, ClientOptions, Json, Sees};

use crate::config::{BlockType, ClientLimits, ClientRow, Glob, SeenLanes};

const KNOWN: &str = include_str!("../data/clients.json");
/// The row for clients that no other is about.
const UNKNOWN: &str = "unknown";

/// What is known of clients.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Clients {
    rows: Vec<Row>,
    unknown: Profile,
}

#[derive(Clone, Debug, PartialEq)]
struct Row {
    names: Vec<Glob>,
    profile: Profile,
}

/// What is known of one client.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Profile {
    /// What it is called in the file.
    pub(crate) name: String,
    pub(crate) sees: Sees,
    blocks: Option<BlockTypes>,
    drops_images: bool,
    has_links: bool,
    pub(crate) bytes_max: usize,
    pub(crate) tokens_max: usize,
    pub(crate) image_bytes_max: usize,
}

/// A row that is not right: its name and place, and why.
pub(crate) struct RowProblem {
    pub(crate) row: String,
    /// Which of its names.
    pub(crate) at: usize,
    pub(crate) message: &'static str,
}

impl Clients {
    /// The rows of the configuration over those that are known; what is wrong with them is left out.
    pub(crate) fn new(written: &BTreeMap<String, ClientRow>) -> (Clients, Vec<RowProblem>) {
        // That the file is right is checked by a test.
        let known = Json::parse(KNOWN).ok().and_then(|known| known.deserialize().ok());
        let known: BTreeMap<String, ClientRow> = known.unwrap_or_default();
        let mut problems = Vec::new();
        let mut rows = Vec::new();
        let mut unknown = Profile::of(UNKNOWN, &ClientRow::default());
        // What was written comes first, and so wins where two patterns are of one length.
        let own = written.iter().map(|(name, row)| (name, over(row, known.get(name))));
        let rest = known.iter().filter(|(name, _)| !written.contains_key(*name));
        for (name, row) in own.chain(rest.map(|(name, row)| (name, row.clone()))) {
            let profile = Profile::of(name, &row);
            if name == UNKNOWN {
                unknown = profile;
                continue;
            }
            // Without any, a row is about the client of its own name.
            let patterns = row.names.unwrap_or_else(|| vec![name.clone()]);
            let mut names = Vec::new();
            for (at, pattern) in patterns.iter().enumerate() {
                match Glob::new(&pattern.to_lowercase()) {
                    Ok(glob) => names.push(glob),
                    Err(message) => problems.push(RowProblem { row: name.clone(), at, message }),
                }
            }
            rows.push(Row { names, profile });
        }
        (Clients { rows, unknown }, problems)
    }

    /// All that is known, and last what is taken of the unknown.
    pub(crate) fn each(&self) -> impl Iterator<Item = &Profile> {
        self.rows.iter().map(|row| &row.profile).chain([&self.unknown])
    }

    /// The profile of this row.
    pub(crate) fn row(&self, name: &str) -> Option<&Profile> {
        self.each().find(|profile| profile.name == name)
    }

    /// What is known of a client of this name.
    pub(crate) fn profile(&self, name: &str) -> &Profile {
        let name = name.to_lowercase();
        let mut best: (usize, &Profile) = (0, &self.unknown);
        for row in &self.rows {
            for glob in row.names.iter().filter(|glob| glob.matches(&name)) {
                if glob.len() > best.0 {
                    best = (glob.len(), &row.profile);
                }
            }
        }
        best.1
    }
}

/// A row with what it does not say taken from another.
fn over(row: &ClientRow, under: Option<&ClientRow>) -> ClientRow {
    let under = under.cloned().unwrap_or_default();
    ClientRow {
        names: row.names.clone().or(under.names),
        sees: row.sees.or(under.sees),
        blocks: row.blocks.clone().or(under.blocks),
        drops_images: row.drops_images.or(under.drops_images),
        links: row.links.or(under.links),
        limits: ClientLimits {
            bytes: row.limits.bytes.or(under.limits.bytes),
            tokens: row.limits.tokens.or(under.limits.tokens),
            characters: row.limits.characters.or(under.limits.characters),
            image_bytes: row.limits.image_bytes.or(under.limits.image_bytes),
        },
    }
}

impl Profile {
    fn of(name: &str, row: &ClientRow) -> Profile {
        let limits = &row.limits;
        // No text has more characters than bytes.
        let bytes = limits.bytes.into_iter().chain(limits.characters).min();
        Profile {
            name: name.to_owned(),
            sees: match row.sees {
                None | Some(SeenLanes::Either) => Sees::Either,
                Some(SeenLanes::Content) => Sees::Content,
                Some(SeenLanes::Structured) => Sees::Structured,
                Some(SeenLanes::Both) => Sees::Both,
            },
            blocks: row.blocks.as_ref().map(|types| BlockTypes {
                image: types.contains(&BlockType::Image),
                audio: types.contains(&BlockType::Audio),
                resource: types.contains(&BlockType::Resource),
                resource_link: types.contains(&BlockType::ResourceLink),
                unknown: types.contains(&BlockType::Other),
            }),
            drops_images: row
                .drops_images
                .unwrap_or(!matches!(row.sees, Some(SeenLanes::Content | SeenLanes::Both))),
            has_links: row.links.unwrap_or_default(),
            bytes_max: bytes.unwrap_or(usize::MAX),
            tokens_max: limits.tokens.unwrap_or(usize::MAX),
            image_bytes_max: limits.image_bytes.unwrap_or(usize::MAX),
        }
    }

    /// A budget within what the client takes.
    pub(crate) fn cap(&self, budget: Budget) -> Budget {
        Budget {
            bytes: budget.bytes.min(self.bytes_max),
            tokens: budget.tokens.min(self.tokens_max),
            ..budget
        }
    }

    /// The options of a result for this client.
    pub(crate) fn apply(&self, options: ClientOptions) -> ClientOptions {
        ClientOptions {
            budget: self.cap(options.budget),
            sees: self.sees,
            blocks: self.blocks,
            drops_images: self.drops_images,
            takes_links: self.has_links,
            takes_unknown_blocks: self.blocks.is_some_and(|types| types.unknown),
            image_bytes_max: self.image_bytes_max,
            ..options
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(json: &str) -> BTreeMap<String, ClientRow> {
        Json::parse(json).unwrap().deserialize().unwrap()
    }

    /// A mistake in the file would otherwise be seen by nobody: all clients would be unknown.
    #[test]
    fn the_file_is_right() {
        let known = rows(KNOWN);
        let (clients, problems) = Clients::new(&BTreeMap::new());
        assert!(problems.is_empty());
        assert_eq!(clients.rows.len() + 1, known.len());
        for (name, row) in &known {
            assert!(row.sees.is_some() && row.drops_images.is_some(), "{name}");
            assert_eq!(row.names.is_none(), name == UNKNOWN, "{name}");
            for pattern in row.names.iter().flatten() {
                assert_eq!(*pattern, pattern.to_lowercase(), "{name}");
                let plain = pattern.replace(['*', '?'], "");
                assert_eq!(clients.profile(&plain).name, *name, "{pattern}");
            }
        }
    }

    #[test]
    fn clients_are_known_by_their_names() {
        let (clients, _) = Clients::new(&BTreeMap::new());
        for (name, expected) in [
            ("claude-code", "claude-code"),
            ("Claude Code (via mcp-remote 0.1.37)", "claude-code"),
            ("claude-ai", "claude-desktop"),
            ("codex-mcp-client", "codex"),
            ("Visual Studio Code - Insiders", "vscode"),
            ("Visual-Studio-Code", "vscode"),
            ("cursor-vscode", "cursor"),
            ("gemini-cli-mcp-client-files", "gemini-cli"),
            ("Cline", "cline"),
            ("@librechat/api-client", "librechat"),
            ("raw", "unknown"),
            ("", "unknown"),
        ] {
            assert_eq!(clients.profile(name).name, expected, "{name}");
        }
    }

    #[test]
    fn the_configuration_adds_and_changes() {
        let written = rows(
            r#"{
                "codex": {"limits": {"tokens": 500}},
                "mine": {"names": ["my-agent*"], "sees": "both", "blocks": []},
                "plain-name": {"sees": "content"},
                "unknown": {"limits": {"characters": 1000}},
                "broken": {"names": ["[a]", "fine"]}
            }"#,
        );
        let (clients, problems) = Clients::new(&written);
        assert_eq!(problems.len(), 1);
        assert_eq!((problems[0].row.as_str(), problems[0].at), ("broken", 0));
        let budget = |name: &str| {
            let Budget { bytes, tokens, .. } = clients.profile(name).cap(Budget::default());
            (bytes, tokens)
        };
        assert_eq!(budget("codex-mcp-client"), (8192, 500));
        assert_eq!(clients.profile("codex-mcp-client").sees, Sees::Structured, "the rest stays");
        assert_eq!(budget("anybody"), (1000, 2000));
        assert_eq!(clients.profile("My-Agent 2").sees, Sees::Both);
        assert!(!clients.profile("my-agent").blocks.unwrap().image);
        assert_eq!(clients.profile("Plain-Name").sees, Sees::Content);
        assert_eq!(clients.profile("fine").name, "broken");
    }
}
