//! JSON with comments and trailing commas, read into a tree that knows where everything stands.
//!
//! serde's readers forget places, and know no comments; a file that people write by hand needs both.
//! The tree is small (a configuration has `CONFIG_BYTES_MAX` at most), so it may cost an allocation
//! for each value.

use serde_json::Number;

use super::problem::{Place, Problem};

/// More than this is no configuration.
pub(super) const CONFIG_BYTES_MAX: usize = 4 << 20;

/// Lists and objects inside each other.
const DEPTH_MAX: usize = 64;

/// A file that could be read.
#[derive(Debug)]
pub(super) struct Document<'a> {
    text: &'a str,
    pub(super) root: Node,
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) start: usize,
    pub(super) value: Value,
}

#[derive(Debug)]
pub(super) enum Value {
    Null,
    Bool(bool),
    Number(Number),
    String(String),
    Array(Vec<Node>),
    Object(Vec<Member>),
}

#[derive(Debug)]
pub(super) struct Member {
    pub(super) key: String,
    pub(super) key_start: usize,
    pub(super) node: Node,
}

impl Node {
    /// The member of this name; the last one where there are several.
    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        self.members().iter().rev().find(|member| member.key == key).map(|member| &member.node)
    }

    /// The members of an object, none for everything else.
    pub(super) fn members(&self) -> &[Member] {
        match &self.value {
            Value::Object(members) => members,
            _ => &[],
        }
    }

    pub(super) fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn to_value(&self) -> serde_json::Value {
        match &self.value {
            Value::Null => serde_json::Value::Null,
            Value::Bool(flag) => (*flag).into(),
            Value::Number(number) => serde_json::Value::Number(number.clone()),
            Value::String(text) => text.as_str().into(),
            Value::Array(items) => items.iter().map(Node::to_value).collect(),
            Value::Object(members) => members
                .iter()
                .map(|member| (member.key.clone(), member.node.to_value()))
                .collect::<serde_json::Map<_, _>>()
                .into(),
        }
    }
}

impl<'a> Document<'a> {
    /// Reads a text; a syntax error is the only problem then, because nothing after it is certain.
    pub(super) fn read(text: &'a str) -> Result<Document<'a>, Problem> {
        let mut parser = Parser { text, at: 0, depth: 0 };
        if text.len() > CONFIG_BYTES_MAX {
            let message = format!("the file has more than {CONFIG_BYTES_MAX} bytes");
            return Err(parser.problem_at(0, &message));
        }
        // Editors on Windows begin a file so.
        parser.at += if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        parser.skip()?;
        let root = parser.node()?;
        parser.skip()?;
        if parser.at < text.len() {
            return Err(parser.problem("expected the end of the file"));
        }
        Ok(Document { text, root })
    }

    pub(super) fn place(&self, offset: usize) -> Place {
        place(self.text, offset)
    }

    /// Where the value of a pointer stands, or of the nearest thing around it.
    pub(super) fn place_of(&self, pointer: &str) -> Place {
        let mut node = &self.root;
        for step in pointer.split('/').skip(1) {
            let key = step.replace("~1", "/").replace("~0", "~");
            let next = match &node.value {
                Value::Array(items) => key.parse::<usize>().ok().and_then(|at| items.get(at)),
                _ => node.get(&key),
            };
            match next {
                Some(next) => node = next,
                None => break,
            }
        }
        self.place(node.start)
    }
}

fn place(text: &str, offset: usize) -> Place {
    let before = &text[..offset];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let column = before[line_start..].trim_start_matches('\u{feff}').chars().count() + 1;
    Place { line: before.matches('\n').count() + 1, column }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn problem(&self, message: &str) -> Problem {
        let found = match self.rest().chars().next() {
            Some(found) => format!("{message}, found `{found}`"),
            None => format!("{message}, but the file ends"),
        };
        self.problem_at(self.at, &found)
    }

    fn problem_at(&self, offset: usize, message: &str) -> Problem {
        Problem {
            place: Some(place(self.text, offset)),
            pointer: String::new(),
            message: message.to_owned(),
            hint: None,
        }
    }

    /// Skips space and comments.
    fn skip(&mut self) -> Result<(), Problem> {
        loop {
            let rest = self.rest().trim_start_matches([' ', '\t', '\r', '\n']);
            self.at = self.text.len() - rest.len();
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if let Some(comment) = rest.strip_prefix("/*") {
                let Some(end) = comment.find("*/") else {
                    return Err(self.problem_at(self.at, "the comment is not closed"));
                };
                self.at += 2 + end + 2;
            } else {
                return Ok(());
            }
        }
    }

    fn take(&mut self, char: char) -> bool {
        let is_next = self.rest().starts_with(char);
        self.at += if is_next { char.len_utf8() } else { 0 };
        is_next
    }

    fn node(&mut self) -> Result<Node, Problem> {
        let start = self.at;
        let value = match self.rest().chars().next() {
            Some('{') => self.nested(Parser::object)?,
            Some('[') => self.nested(Parser::array)?,
            Some('"') => Value::String(self.string()?),
            _ => self.word()?,
        };
        Ok(Node { start, value })
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<Value, Problem>) -> Result<Value, Problem> {
        if self.depth == DEPTH_MAX {
            let message = format!("lists and objects are more than {DEPTH_MAX} deep");
            return Err(self.problem_at(self.at, &message));
        }
        self.depth += 1;
        self.at += 1;
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn object(&mut self) -> Result<Value, Problem> {
        let mut members = Vec::new();
        loop {
            self.skip()?;
            if self.take('}') {
                return Ok(Value::Object(members));
            }
            let key_start = self.at;
            if !self.rest().starts_with('"') {
                return Err(self.problem("expected a key in double quotes or `}`"));
            }
            let key = self.string()?;
            self.skip()?;
            if !self.take(':') {
                return Err(self.problem("expected `:` after the key"));
            }
            self.skip()?;
            members.push(Member { key, key_start, node: self.node()? });
            self.skip()?;
            if !self.take(',') && !self.rest().starts_with('}') {
                return Err(self.problem("expected `,` or `}`"));
            }
        }
    }

    fn array(&mut self) -> Result<Value, Problem> {
        let mut items = Vec::new();
        loop {
            self.skip()?;
            if self.take(']') {
                return Ok(Value::Array(items));
            }
            items.push(self.node()?);
            self.skip()?;
            if !self.take(',') && !self.rest().starts_with(']') {
                return Err(self.problem("expected `,` or `]`"));
            }
        }
    }

    fn string(&mut self) -> Result<String, Problem> {
        let start = self.at;
        let mut is_escaped = false;
        let end = self.rest().char_indices().skip(1).find(|&(_, char)| {
            let is_end = char == '\n' || (char == '"' && !is_escaped);
            is_escaped = char == '\\' && !is_escaped;
            is_end
        });
        let Some((length, '"')) = end else {
            return Err(self.problem_at(start, "the string is not closed in its line"));
        };
        self.at += length + 1;
        let string = &self.text[start..self.at];
        serde_json::from_str(string).map_err(|_| {
            let hint = match string.contains(char::is_control) {
                true => "write a tab as `\\t`",
                false => "write a backslash as `\\\\`",
            };
            let mut problem = self.problem_at(start, "the string is not as JSON has it");
            problem.hint = Some(hint.to_owned());
            problem
        })
    }

    fn word(&mut self) -> Result<Value, Problem> {
        let is_part = |char: char| char.is_alphanumeric() || "+-._".contains(char);
        let length = self.rest().find(|char| !is_part(char)).unwrap_or(self.rest().len());
        let word = &self.rest()[..length];
        let value = match word {
            "null" => Value::Null,
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "" => return Err(self.problem("expected a value")),
            number => match serde_json::from_str(number) {
                Ok(number) => Value::Number(number),
                Err(_) => {
                    let mut problem =
                        self.problem_at(self.at, &format!("`{word}` is not a JSON value"));
                    problem.hint = Some("write text in double quotes".to_owned());
                    return Err(problem);
                }
            },
        };
        self.at += length;
        Ok(value)
    }
}
