//! Texts with variables, and paths.

use std::path::PathBuf;

use super::Resolver;
use crate::config::{expand::expand, folders};

impl Resolver<'_> {
    /// A text with its variables. Those of a disabled server may be missing: that is often why it is
    /// disabled.
    pub(super) fn text(&mut self, pointer: &str, written: &str, is_used: bool) -> String {
        let expanded = expand(written, self.env);
        if !is_used {
            return if expanded.missing.is_empty() { expanded.text } else { written.to_owned() };
        }
        for name in &expanded.missing {
            let hint = match name.as_str() {
                "workspaceFolder" | "workspaceFolderBasename" => {
                    "an editor's folder is not known here; write the path".to_owned()
                }
                "userHome" => "write ${HOME}".to_owned(),
                _ => format!("set it, or write a default: ${{{name}:-…}}"),
            };
            self.problem(pointer, format!("the variable `{name}` is not set"), Some(hint));
        }
        for name in &expanded.inputs {
            let message = format!("`${{input:{name}}}` is asked for by VS Code only");
            let hint = "write a variable, like ${TOKEN}, and set it; `resultant init --from vscode` does that";
            self.problem(pointer, message, Some(hint.to_owned()));
        }
        for kept in &expanded.kept {
            let message = format!("`{kept}` is no variable and stays as it is");
            self.warn(pointer, message, Some("`$${` is a plain `${`".to_owned()));
        }
        if expanded.text.contains('\0') {
            self.problem(pointer, "the text has a NUL character".to_owned(), None);
        }
        expanded.text
    }

    /// A program by its name is looked for by the system; one with a path is against the file.
    pub(super) fn command(&mut self, pointer: &str, written: &str, is_used: bool) -> String {
        let command = self.text(pointer, written, is_used);
        if command.trim().is_empty() && is_used && !self.has_problem(pointer) {
            self.problem(pointer, "the command is empty".to_owned(), None);
        }
        let is_relative = command.starts_with("./") || command.starts_with("../");
        match is_relative || command.starts_with("~/") {
            true => self.located(&command).to_string_lossy().into_owned(),
            false => command,
        }
    }

    pub(super) fn path(&mut self, pointer: &str, written: &str, is_used: bool) -> PathBuf {
        let path = self.text(pointer, written, is_used);
        if path.is_empty() && is_used && !self.has_problem(pointer) {
            self.problem(pointer, "the path is empty".to_owned(), None);
        }
        self.located(&path)
    }

    fn located(&self, path: &str) -> PathBuf {
        match (path.strip_prefix('~'), folders::home(self.env)) {
            (Some(""), Some(home)) => home,
            (Some(rest), Some(home)) if rest.starts_with('/') => home.join(&rest[1..]),
            _ => self.base_dir.join(path.strip_prefix("./").unwrap_or(path)),
        }
    }
}
