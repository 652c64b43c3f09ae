//! Turns the configuration of another MCP client into ours.
//!
//! Entries are kept whole, also keys that mean nothing here, so that nothing is lost that somebody
//! may want back. What only the other client can do becomes a variable, with a comment that says so.

use std::path::PathBuf;

use serde_json::Value as Plain;

use super::{
    ConfigErrors, Problem,
    expand::{Env, Piece, pieces},
    folders,
    jsonc::{Document, Node},
    starter::SETTINGS,
};

/// An MCP client whose configuration can be imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Client {
    /// Claude Desktop, `claude_desktop_config.json`.
    ClaudeDesktop,
    /// Cursor, `mcp.json`.
    Cursor,
    /// VS Code, `mcp.json` or `settings.json`.
    VsCode,
}

impl Client {
    /// What people call it.
    pub fn title(self) -> &'static str {
        match self {
            Client::ClaudeDesktop => "Claude Desktop",
            Client::Cursor => "Cursor",
            Client::VsCode => "VS Code",
        }
    }

    /// Where its configuration is, in the order in which to look: the current folder's before the
    /// user's.
    pub fn default_paths(self, env: Env<'_>) -> Vec<PathBuf> {
        let config = folders::config(env);
        match self {
            Client::ClaudeDesktop => config
                .map(|path| path.join("Claude/claude_desktop_config.json"))
                .into_iter()
                .collect(),
            Client::Cursor => {
                let user = folders::home(env).map(|path| path.join(".cursor/mcp.json"));
                [PathBuf::from(".cursor/mcp.json")].into_iter().chain(user).collect()
            }
            Client::VsCode => {
                let user = config.map(|path| path.join("Code/User"));
                let user = user
                    .into_iter()
                    .flat_map(|path| [path.join("mcp.json"), path.join("settings.json")]);
                [PathBuf::from(".vscode/mcp.json")].into_iter().chain(user).collect()
            }
        }
    }
}

/// The text of a configuration of ours with another client's servers.
pub fn import(client: Client, text: &str) -> Result<String, ConfigErrors> {
    let fail = |problem| ConfigErrors { source: None, problems: vec![problem] };
    let document = Document::read(text).map_err(fail)?;
    let root = &document.root;
    let servers = root
        .get("mcpServers")
        .or_else(|| root.get("servers"))
        .or_else(|| root.get("mcp").and_then(|mcp| mcp.get("servers")));
    let Some(servers) = servers else {
        return Err(fail(Problem {
            place: Some(document.place(root.start)),
            pointer: String::new(),
            message: format!("no servers of {} were found", client.title()),
            hint: Some("they are under `mcpServers`, or `servers` in VS Code".to_owned()),
        }));
    };
    let inputs = root.get("inputs").or_else(|| root.get("mcp").and_then(|mcp| mcp.get("inputs")));
    let mut out = format!(
        "// The servers of {}, for Resultant, see docs/config.md.\n{{\n  \"mcpServers\": {{\n",
        client.title()
    );
    for member in servers.members() {
        let mut entry = Entry { client, inputs, comments: Vec::new() };
        let value = entry.rewritten(&member.node);
        for key in ["envFile", "sandbox"] {
            if member.node.get(key).is_some() {
                entry.comment(&format!("{} reads `{key}`, Resultant does not.", client.title()));
            }
        }
        for comment in &entry.comments {
            out.push_str(&format!("    // {comment}\n"));
        }
        let body = format!("{value:#}").replace('\n', "\n    ");
        out.push_str(&format!("    {}: {body},\n", Plain::from(member.key.as_str())));
    }
    out.push_str("  },\n");
    out.push_str(SETTINGS);
    out.push_str("}\n");
    Ok(out)
}

/// One server's entry on its way.
struct Entry<'a> {
    client: Client,
    inputs: Option<&'a Node>,
    comments: Vec<String>,
}

impl Entry<'_> {
    /// Comments are a line each, whatever a file says.
    fn comment(&mut self, comment: &str) {
        let comment = comment.replace(char::is_control, " ");
        if !self.comments.contains(&comment) {
            self.comments.push(comment);
        }
    }

    fn rewritten(&mut self, node: &Node) -> Plain {
        let mut value = node.to_value();
        // Claude Desktop expands nothing: what looks like a variable is meant as it is.
        for key in ["command", "args", "env", "cwd", "url", "headers"] {
            if let Some(value) = value.get_mut(key) {
                self.rewrite(value);
            }
        }
        value
    }

    fn rewrite(&mut self, value: &mut Plain) {
        match value {
            Plain::String(text) => *text = self.text(text),
            Plain::Array(items) => items.iter_mut().for_each(|item| self.rewrite(item)),
            Plain::Object(members) => members.values_mut().for_each(|value| self.rewrite(value)),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) -> String {
        if self.client == Client::ClaudeDesktop {
            return text.replace("${", "$${");
        }
        let mut out = String::new();
        for piece in pieces(text) {
            match piece {
                Piece::Text(text) | Piece::Other(text) => out.push_str(&self.plain(text)),
                Piece::Variable { name, default } => out.push_str(&self.variable(name, default)),
                Piece::Input(id) => out.push_str(&self.input(id)),
            }
        }
        out
    }

    fn plain(&mut self, text: &str) -> String {
        match text {
            "${/}" => "/".to_owned(),
            other => other.replace("${", "$${"),
        }
    }

    fn variable(&mut self, name: &str, default: Option<&str>) -> String {
        match name {
            "userHome" => "${HOME}".to_owned(),
            "pathSeparator" => "/".to_owned(),
            "workspaceFolder" => {
                self.comment(&format!(
                    "The folder that {} had open: set WORKSPACE_FOLDER, or write the path.",
                    self.client.title()
                ));
                "${WORKSPACE_FOLDER:-.}".to_owned()
            }
            name => match default {
                Some(default) => format!("${{{name}:-{default}}}"),
                None => format!("${{{name}}}"),
            },
        }
    }

    /// What VS Code asks for, as a variable.
    fn input(&mut self, id: &str) -> String {
        let mut name: String = id
            .chars()
            .map(|char| if char.is_ascii_alphanumeric() { char.to_ascii_uppercase() } else { '_' })
            .collect();
        if !name.starts_with(|char: char| char.is_ascii_alphabetic()) {
            name.insert_str(0, "INPUT_");
        }
        let items = match self.inputs.map(|inputs| &inputs.value) {
            Some(super::jsonc::Value::Array(items)) => items.as_slice(),
            _ => &[],
        };
        let is_it = |item: &&Node| item.get("id").and_then(Node::as_str) == Some(id);
        let input = items.iter().find(is_it);
        let text_of = |key: &str| input.and_then(|input| input.get(key)).and_then(Node::as_str);
        let title = text_of("description").map_or(String::new(), |title| format!(" ({title})"));
        let default = text_of("default").filter(|text| !text.contains('}')).map(str::to_owned);
        self.comment(&format!(
            "{} asks for `{id}`{title}: set the variable {name} instead.",
            self.client.title()
        ));
        match default {
            Some(default) => format!("${{{name}:-{default}}}"),
            None => format!("${{{name}}}"),
        }
    }
}
