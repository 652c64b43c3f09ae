//! What a call of one of the tools wants, from arguments that a model wrote.
//!
//! Numbers may come as text and out of range, and are brought into it. A key that means nothing is
//! told, because who writes `limit` would take a whole page for the ten lines that were asked for.

use resultant::Json;
use resultant_query::{Ask, By, Part, Search};
use serde_json::{Map, Value};

use super::Tool;
use crate::arguments::{near::near_names, shown};

/// So many files can be named at once.
const FILES_MAX: usize = 16;
/// Lines around a match.
const CONTEXT_MAX: u64 = 5;

/// What is wanted.
#[derive(Debug)]
pub(super) enum Wanted {
    List { pattern: Option<String>, from: u64 },
    Show { file: String },
    Ask(Question),
}

/// A question about files.
#[derive(Debug)]
pub(super) struct Question {
    /// As they were named; all of the session's when empty.
    pub(super) files: Vec<String>,
    pub(super) ask: Ask,
}

impl Wanted {
    /// Reads the arguments. The error is for the model.
    pub(super) fn read(tool: Tool, name: &str, arguments: Option<&Json>) -> Result<Wanted, String> {
        let members = match arguments.map(Json::to_value) {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(members)) => members,
            Some(_) => return Err(format!("the arguments of {name} are an object")),
        };
        let given = Given { name, members };
        match tool {
            Tool::List => {
                given.takes(&["match", "from"])?;
                Ok(Wanted::List { pattern: given.text("match")?, from: given.number("from", 1)? })
            }
            Tool::Read => read(&given),
            Tool::Search => search(&given),
            Tool::Query => query(&given),
            Tool::Show => {
                given.takes(&["file"])?;
                let file = given.text("file")?.filter(|file| !file.is_empty());
                let file = file.ok_or_else(|| format!("{name} needs a `file`"))?;
                Ok(Wanted::Show { file })
            }
        }
    }
}

fn read(given: &Given<'_>) -> Result<Wanted, String> {
    given.takes(&["file", "by", "from", "count", "at", "path"])?;
    let by = match given.text("by")?.as_deref() {
        None => None,
        Some("lines") => Some(By::Lines),
        Some("bytes") => Some(By::Bytes),
        Some("items") => Some(By::Items),
        Some("rows") => Some(By::Rows),
        Some(_) => return Err("`by` is lines, bytes, items or rows".to_owned()),
    };
    let count = match given.members.get("count") {
        None | Some(Value::Null) => None,
        Some(_) => Some(given.number("count", 1)?.max(1)),
    };
    let part = Part {
        by,
        // What is counted may be known only when the file is; 0 is the start of it in any case.
        from: given.number("from", 0)?,
        count,
        at: given.number("at", 0)?,
        path: given.text("path")?.filter(|path| !path.trim().is_empty()),
    };
    let file = given.text("file")?.filter(|file| !file.is_empty());
    let file = file.ok_or_else(|| format!("{} needs a `file`", given.name))?;
    Ok(Wanted::Ask(Question { files: vec![file], ask: Ask::Read(part) }))
}

fn search(given: &Given<'_>) -> Result<Wanted, String> {
    given.takes(&["pattern", "file", "words", "context", "from", "count"])?;
    let pattern = given.text("pattern")?.filter(|pattern| !pattern.is_empty());
    let pattern = pattern.ok_or_else(|| format!("{} needs a `pattern`", given.name))?;
    let context = given.number("context", 0)?.min(CONTEXT_MAX);
    let search = Search {
        pattern,
        words: given.flag("words")?,
        context: usize::try_from(context).unwrap_or_default(),
        from: given.number("from", 1)?.max(1),
        count: match given.members.get("count").filter(|count| !count.is_null()) {
            Some(_) => Some(given.number("count", 0)?),
            None => None,
        },
    };
    Ok(Wanted::Ask(Question { files: given.files()?, ask: Ask::Search(search) }))
}

fn query(given: &Given<'_>) -> Result<Wanted, String> {
    given.takes(&["file", "jq", "sql"])?;
    let files = given.files()?;
    let text = |key| given.text(key).map(|text| text.filter(|text| !text.trim().is_empty()));
    let ask = match (text("jq")?, text("sql")?) {
        (Some(filter), None) => Ask::Jq { filter },
        (None, Some(query)) => Ask::Sql { query },
        _ => return Err(format!("{} needs either `jq` or `sql`", given.name)),
    };
    match (files.len(), &ask) {
        (0, _) => Err(format!("{} needs a `file`", given.name)),
        (1, _) | (_, Ask::Sql { .. }) => Ok(Wanted::Ask(Question { files, ask })),
        _ => Err("`jq` takes one file; `sql` takes several, as t1, t2 and so on".to_owned()),
    }
}

/// The arguments as they were given.
struct Given<'a> {
    /// The tool's name where it was called.
    name: &'a str,
    members: Map<String, Value>,
}

impl Given<'_> {
    fn takes(&self, keys: &[&str]) -> Result<(), String> {
        let Some(unknown) = self.members.keys().find(|key| !keys.contains(&key.as_str())) else {
            return Ok(());
        };
        let (name, shown) = (self.name, shown(unknown));
        Err(match near_names(unknown, keys.iter().copied()).first() {
            Some(near) => format!("{name} has no argument `{shown}`; did you mean `{near}`?"),
            None => format!("{name} has no argument `{shown}`; it takes {}", keys.join(", ")),
        })
    }

    fn text(&self, key: &str) -> Result<Option<String>, String> {
        match self.members.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(format!("`{key}` is a text")),
        }
    }

    /// A whole number, brought into the range of those that can be meant.
    fn number(&self, key: &str, default: u64) -> Result<u64, String> {
        let wrong = || format!("`{key}` is a number");
        let number = match self.members.get(key) {
            None | Some(Value::Null) => return Ok(default),
            Some(Value::Number(number)) => number.as_f64(),
            Some(Value::String(text)) => text.trim().parse().ok(),
            Some(_) => None,
        };
        let number = number.filter(|number| !number.is_nan()).ok_or_else(wrong)?;
        // Out of range is the nearest end of it.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
        Ok(number as u64)
    }

    fn flag(&self, key: &str) -> Result<bool, String> {
        match self.members.get(key) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(Value::String(text)) if text == "true" || text == "false" => Ok(text == "true"),
            Some(_) => Err(format!("`{key}` is true or false")),
        }
    }

    fn files(&self) -> Result<Vec<String>, String> {
        let wrong = || "`file` is a name or a list of names".to_owned();
        let files: Vec<String> = match self.members.get("file") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::String(file)) => vec![file.clone()],
            Some(Value::Array(files)) => {
                let names = files.iter().map(|file| file.as_str().map(str::to_owned));
                names.collect::<Option<_>>().ok_or_else(wrong)?
            }
            Some(_) => return Err(wrong()),
        };
        match files.len() <= FILES_MAX {
            true => Ok(files.into_iter().filter(|file| !file.is_empty()).collect()),
            false => Err(format!("`file` names more than {FILES_MAX} files")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(tool: Tool, arguments: &str) -> Result<Wanted, String> {
        let arguments = Json::parse(arguments.to_owned()).unwrap();
        Wanted::read(tool, tool.name(), Some(&arguments))
    }

    #[track_caller]
    fn part(arguments: &str) -> Part {
        match wanted(Tool::Read, arguments) {
            Ok(Wanted::Ask(Question { ask: Ask::Read(part), .. })) => part,
            other => unreachable!("{arguments}: {other:?}"),
        }
    }

    #[test]
    fn numbers_are_brought_into_range() {
        // A file without lines starts with byte 0.
        let plain = Part::default();
        assert_eq!(part(r#"{"file": "a"}"#), plain);
        assert_eq!(part(r#"{"file": "a", "from": -5, "by": null}"#), plain);
        assert_eq!(part(r#"{"file": "a", "from": 1e300}"#).from, u64::MAX);
        assert_eq!(part(r#"{"file": "a", "from": "12", "count": 0}"#).count, Some(1));
        assert_eq!(part(r#"{"file": "a", "from": "12"}"#).from, 12);
        assert_eq!(part(r#"{"file": "a", "count": 1000000000}"#).count, Some(1_000_000_000));
        let bytes = part(r#"{"file": "a", "by": "bytes", "from": -1}"#);
        assert_eq!((bytes.by, bytes.from), (Some(By::Bytes), 0));
    }

    #[test]
    fn what_makes_no_sense_is_told() {
        for (tool, arguments, hint) in [
            (Tool::Read, r#"{}"#, "needs a `file`"),
            (Tool::Read, r#"{"file": ["a"]}"#, "is a text"),
            (Tool::Read, r#"{"file": "a", "by": "pages"}"#, "lines, bytes, items or rows"),
            (Tool::Read, r#"{"file": "a", "limit": 3}"#, "it takes file, by, from"),
            (Tool::Read, r#"{"file": "a", "form": 3}"#, "did you mean `from`?"),
            (Tool::Read, r#"{"file": "a", "from": []}"#, "is a number"),
            (Tool::Read, r#"[]"#, "are an object"),
            (Tool::Search, r#"{"pattern": ""}"#, "needs a `pattern`"),
            (Tool::Search, r#"{"pattern": "a", "words": 1}"#, "true or false"),
            (Tool::Query, r#"{"file": "a"}"#, "either `jq` or `sql`"),
            (Tool::Query, r#"{"file": "a", "jq": ".", "sql": "x"}"#, "either `jq` or `sql`"),
            (Tool::Query, r#"{"jq": "."}"#, "needs a `file`"),
            (Tool::Query, r#"{"file": ["a", "b"], "jq": "."}"#, "takes one file"),
            (Tool::Query, r#"{"file": [1], "jq": "."}"#, "a list of names"),
        ] {
            let error = wanted(tool, arguments).unwrap_err();
            assert!(error.contains(hint), "{arguments}: {error}");
        }
        let Ok(Wanted::Ask(question)) =
            wanted(Tool::Query, r#"{"file": ["a", "b"], "sql": "SELECT 1"}"#)
        else {
            unreachable!("two tables");
        };
        assert_eq!(question.files, ["a", "b"]);
    }
}
