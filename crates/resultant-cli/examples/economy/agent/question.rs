//! The questions, each as three things: how it is read off a text that is in sight, what is asked
//! for when it is not, and how the reply is read.
//!
//! All of it follows from the question: a word to look for, the names of columns, the name of an
//! entity. None of it knows the data.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;
use serde_json::{Value, json};

use super::sight::{Seen, Sight};

/// The names that a limit of a reply may have in a tool's definition.
const LIMITS: [&str; 4] = ["show", "limit", "max", "count"];

#[derive(Clone, Debug)]
pub(crate) enum Question {
    /// What stands after `label` on the line that has this mark?
    Marked { marker: String, label: String },
    /// How many requests of an access log ended with this status?
    Status { status: u16 },
    /// What is the sum of one column for each value of another, where a third has this value?
    SumBy { sum: String, by: String, column: String, value: String },
    /// Which file defines this name?
    Defines { name: String },
    /// Which commits name this ticket?
    Commits { ticket: String },
    /// What does the observation of this entity say that begins so?
    Observation { entity: String, about: String },
    /// How many files have names that end so?
    FilesEnding { suffix: String },
    /// How wide and how high is the picture?
    Dimensions,
    /// How many bytes has the file with this ending?
    SizeOf { suffix: String },
}

/// A call that could bring the answer.
pub(crate) struct Ask {
    pub(crate) tool: &'static str,
    pub(crate) arguments: Value,
}

impl Question {
    /// The answer, if it can be read off what is in sight.
    pub(crate) fn read(&self, sight: &Sight) -> Option<String> {
        match self {
            Self::Dimensions => sight.texts.iter().find_map(|text| dimensions(text)),
            Self::SizeOf { suffix } => {
                let file = sight.files.iter().find(|(name, _)| name.ends_with(suffix));
                file.and_then(|(_, size)| *size).map(|size| size.to_string())
            }
            Self::Marked { .. } | Self::Observation { .. } => {
                sight.texts.iter().find_map(|text| self.find(text))
            }
            Self::Defines { name } if sight.seen != Seen::Digest => {
                sight.texts.iter().find_map(|text| defining_file(text, name))
            }
            _ if sight.seen == Seen::Whole => {
                sight.texts.iter().find_map(|text| self.read_whole(text))
            }
            _ => None,
        }
    }

    /// What can be found in any piece of a text.
    fn find(&self, text: &str) -> Option<String> {
        match self {
            Self::Marked { marker, label } => {
                let line = format!(
                    r"{}[^\n]*?{}([A-Za-z0-9]+)",
                    regex::escape(marker),
                    regex::escape(label)
                );
                captured(&line, text)
            }
            Self::Observation { entity, about } => {
                // As far as the next entity's name.
                let quoted = json!(entity).to_string();
                let rest = &text[text.find(&quoted)? + quoted.len()..];
                let own = rest.find("\"name\"").map_or(rest, |end| &rest[..end]);
                captured(&format!("\"({}[^\"]*)\"", regex::escape(about)), own)
            }
            _ => None,
        }
    }

    fn read_whole(&self, text: &str) -> Option<String> {
        match self {
            Self::Status { status } => {
                let requests = Regex::new(&request_pattern(*status)).ok()?;
                Some(text.lines().filter(|line| requests.is_match(line)).count().to_string())
            }
            Self::SumBy { sum, by, column, value } => {
                let rows = Regex::new(r"\{[^{}]*\}").ok()?;
                let mut sums: BTreeMap<String, i64> = BTreeMap::new();
                for row in rows.find_iter(text).map(|row| row.as_str()) {
                    if field(row, column).as_ref() == Some(value) {
                        *sums.entry(field(row, by)?).or_default() +=
                            field(row, sum)?.parse::<i64>().ok()?;
                    }
                }
                Some(written(&sums))
            }
            Self::Commits { ticket } => Some(commits(text, ticket)),
            Self::FilesEnding { suffix } => {
                let tree: Value = serde_json::from_str(text).ok()?;
                Some(files_ending(&tree, suffix).to_string())
            }
            _ => None,
        }
    }

    /// The calls to make, the likeliest first.
    pub(crate) fn asks(&self, sight: &Sight) -> Vec<Ask> {
        let Some(file) = &sight.file else { return Vec::new() };
        let proposed =
            |form: &str| sight.next.as_ref().is_some_and(|next| next.get(form).is_some());
        let search = |pattern: String| Ask {
            tool: "files_search",
            arguments: json!({"file": file, "pattern": pattern}),
        };
        let query = |form: &str, text: String| Ask {
            tool: "files_query",
            arguments: json!({"file": file, form: text}),
        };
        match self {
            Self::Marked { marker, .. } => vec![search(regex::escape(marker))],
            Self::Status { status } => {
                // Only the number of lines matters.
                let mut ask = search(request_pattern(*status));
                for limit in LIMITS {
                    ask.arguments[limit] = json!(0);
                }
                vec![ask]
            }
            Self::SumBy { sum, by, column, value } => vec![query(
                "sql",
                format!("SELECT {by}, SUM({sum}) FROM t WHERE {column} = '{value}' GROUP BY {by}"),
            )],
            Self::Defines { name } => vec![search(format!(r"\b(def|class|fn|function) {name}\b"))],
            Self::Commits { ticket } => {
                let mut ask = search(format!(r"\b{}\b", regex::escape(ticket)));
                ask.arguments["context"] = json!(3);
                vec![ask]
            }
            Self::Observation { entity, .. } => {
                let name = json!(entity);
                let jq =
                    query("jq", format!(".. | objects | select(.name? == {name}) | .observations"));
                let text = search(regex::escape(entity));
                if proposed("pattern") { vec![text, jq] } else { vec![jq, text] }
            }
            Self::FilesEnding { suffix } => {
                let ending = json!(suffix);
                let jq = format!(
                    "[.. | objects | select(.type? == \"file\" and (.name | endswith({ending})))] \
                     | length"
                );
                let mut ask = search(format!("{}\"", regex::escape(suffix)));
                for limit in LIMITS {
                    ask.arguments[limit] = json!(0);
                }
                let jq = query("jq", jq);
                if proposed("pattern") { vec![ask, jq] } else { vec![jq, ask] }
            }
            Self::Dimensions | Self::SizeOf { .. } => Vec::new(),
        }
    }

    /// The answer, if a reply of one of those calls has it.
    pub(crate) fn read_reply(&self, tool: &str, sight: &Sight) -> Option<String> {
        let reply = sight.values.first()?;
        match (self, tool) {
            (Self::Status { .. } | Self::FilesEnding { .. }, "files_search") => {
                reply["count"].as_u64().map(|count| count.to_string())
            }
            (Self::FilesEnding { .. }, _) => {
                reply["results"][0].as_u64().map(|count| count.to_string())
            }
            (Self::SumBy { .. }, _) => {
                let mut sums = BTreeMap::new();
                for row in reply["rows"].as_array()? {
                    sums.insert(row[0].as_str()?.to_owned(), row[1].as_i64()?);
                }
                (reply["complete"] != false).then(|| written(&sums))
            }
            (Self::Defines { .. }, _) => {
                let matches = reply["matches"].as_array()?;
                let place = matches.first()?["in"].as_str()?;
                Some(place.strip_prefix("b/").unwrap_or(place).to_owned())
            }
            (Self::Commits { ticket }, _) => {
                let matches = reply["matches"].as_array()?;
                let text: Vec<String> = matches.iter().map(surroundings).collect();
                let is_all = reply["count"].as_u64() == Some(matches.len() as u64);
                is_all.then(|| commits(&text.join("\n"), ticket))
            }
            (Self::Observation { about, .. }, "files_query") => {
                let results = &reply["results"];
                strings(results).into_iter().find(|text| text.starts_with(about.as_str()))
            }
            _ => {
                let matches = reply["matches"].as_array()?;
                matches.iter().find_map(|found| self.find(&surroundings(found)))
            }
        }
    }
}

/// The arguments that a tool knows, by its definition.
pub(crate) fn known(arguments: &Value, definition: &Value) -> Value {
    let mut arguments = arguments.clone();
    let properties = &definition["inputSchema"]["properties"];
    if let Some(members) = arguments.as_object_mut() {
        members.retain(|name, _| properties.get(name).is_some());
    }
    arguments
}

/// A match with the lines around it.
fn surroundings(found: &Value) -> String {
    let mut lines = Vec::new();
    for part in ["before", "text", "after"] {
        lines.extend(strings(&found[part]));
    }
    lines.join("\n")
}

/// All strings in a value.
fn strings(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items.iter().flat_map(strings).collect(),
        Value::Object(members) => members.values().flat_map(strings).collect(),
        _ => Vec::new(),
    }
}

/// A request in the common form of access logs: the status comes after the quoted request.
fn request_pattern(status: u16) -> String {
    format!("\" {status} ")
}

fn captured(pattern: &str, text: &str) -> Option<String> {
    let found = Regex::new(pattern).ok()?.captures(text)?;
    found.get(1).map(|part| part.as_str().to_owned())
}

/// A field of a row, as Python or JSON writes it.
fn field(row: &str, name: &str) -> Option<String> {
    let name = regex::escape(name);
    captured(&format!(r#"['"]{name}['"]: ?['"]?([^'",}}]*)"#), row)
}

fn written(sums: &BTreeMap<String, i64>) -> String {
    let parts: Vec<String> = sums.iter().map(|(name, sum)| format!("{name}={sum}")).collect();
    parts.join(" ")
}

/// The commits of a log whose messages name the ticket.
fn commits(log: &str, ticket: &str) -> String {
    let Ok(named) = Regex::new(&format!(r"\b{}\b", regex::escape(ticket))) else {
        return String::new();
    };
    let mut hash = "";
    let mut found = BTreeSet::new();
    for line in log.lines() {
        match line.strip_prefix("Commit: ") {
            Some(text) => hash = text.trim_matches('\''),
            None if named.is_match(line) => {
                found.insert(hash);
            }
            None => {}
        }
    }
    found.into_iter().collect::<Vec<_>>().join(" ")
}

/// The file of a diff in which a name is defined.
fn defining_file(diff: &str, name: &str) -> Option<String> {
    let definition = Regex::new(&format!(r"\b(def|class|fn|function) {name}\b")).ok()?;
    let mut file = None;
    for line in diff.lines() {
        if let Some(path) = line.strip_prefix("+++ ") {
            file = Some(path.strip_prefix("b/").unwrap_or(path));
        } else if definition.is_match(line) {
            return file.map(str::to_owned);
        }
    }
    None
}

fn dimensions(text: &str) -> Option<String> {
    let found = Regex::new(r"(\d+) ?[x×] ?(\d+)").ok()?.captures(text)?;
    Some(format!("{}x{}", &found[1], &found[2]))
}

fn files_ending(tree: &Value, suffix: &str) -> usize {
    match tree {
        Value::Array(items) => items.iter().map(|item| files_ending(item, suffix)).sum(),
        Value::Object(_) => {
            let name = tree["name"].as_str().unwrap_or_default();
            let own = tree["type"] == "file" && name.ends_with(suffix);
            usize::from(own) + files_ending(&tree["children"], suffix)
        }
        _ => 0,
    }
}
