//! The exact next call: one that works for this file as it is, and shows how others would.

use super::{
    fitted::quoted,
    lead::{Lead, View},
    value::Value,
};
use crate::{
    json::{Json, ObjectWriter},
    render::budget::More,
    survey::{Detail, LineCounts, Rows, Shape, Survey, Tally, TextKind},
};

/// A longer name is not written into a query.
const NAME_BYTES_MAX: usize = 48;

/// The call as JSON, where there are tools to call.
pub(super) fn next_call(lead: &Lead<'_>, more: More) -> Option<String> {
    let More::Tools { read, search, query } = more else { return None };
    let (tool, key, value) = match &lead.view {
        View::Value(value) => match sql_of_value(value) {
            Some(sql) => (query, "sql", quoted(&sql)),
            None => (query, "jq", quoted(&jq_of_value(value))),
        },
        View::Text(survey) => match &survey.detail {
            Detail::Rows(rows) => (query, "sql", quoted(&sql_of_rows(rows))),
            Detail::Lines(lines) => match pattern_of_lines(survey, lines) {
                Some(pattern) => (search, "pattern", quoted(&pattern)),
                None => (read, "from", "1".to_owned()),
            },
            Detail::Diff(_) => (search, "pattern", quoted(r"^\+.*\b(def|class|fn|func|function) ")),
            Detail::Code(_) => {
                (search, "pattern", quoted(r"\b(def|class|fn|func|function|struct) \w+"))
            }
            Detail::Html(_) => (search, "pattern", quoted("<h[1-6]")),
            Detail::Drawn(drawn) => match drawn.extensions.keys().next() {
                Some(extension) => (search, "pattern", quoted(&format!(r"\.{extension}$"))),
                None => (read, "from", "1".to_owned()),
            },
        },
    };
    Some(call(tool, lead.file_name(), key, &value))
}

/// The call that reads this file from its start.
pub(super) fn read_call(file_name: &str, more: More) -> Option<String> {
    let More::Tools { read, .. } = more else { return None };
    Some(call(read, file_name, "by", "\"lines\""))
}

fn call(tool: &str, file_name: &str, key: &str, value: &str) -> String {
    let mut out = String::new();
    let mut writer = ObjectWriter::new(&mut out);
    writer.text("tool", tool);
    let mut arguments = ObjectWriter::new(writer.key("arguments"));
    arguments.text("file", file_name);
    arguments.key(key).push_str(value);
    arguments.end();
    writer.end();
    out
}

/// What one looks for in a log: the worst there is.
fn pattern_of_lines(survey: &Survey, lines: &LineCounts) -> Option<String> {
    if let Some((status, _)) =
        lines.statuses.iter().next_back().filter(|(status, _)| **status >= 400)
    {
        return Some(match lines.is_access_log {
            true => format!("\" {status}\\b"),
            false => format!("\\b{status}\\b"),
        });
    }
    let levels = lines.levels();
    let is_grave = |level: &str| matches!(level, "FATAL" | "CRITICAL" | "ERROR" | "WARN");
    if let Some((level, _)) = levels.iter().find(|(level, _)| is_grave(level)) {
        return Some(format!("(?i){level}"));
    }
    (survey.kind == TextKind::Log).then(|| "(?i)error|fail|warn".to_owned())
}

fn sql_of_rows(rows: &Rows) -> String {
    let columns = rows.columns.iter().map(String::as_str).zip(rows.tallies());
    sql(&columns.collect::<Vec<_>>())
}

/// SQL for a list of objects, which are rows.
fn sql_of_value(value: &Value) -> Option<String> {
    let items = value.outline.root().items.filter(|_| value.outline.nodes.is_none())?;
    let shape = &value.outline.shapes[items];
    let is_rows = shape.tally.objects > 0 && shape.tally.objects == shape.tally.count;
    let columns: Vec<(&str, &Tally)> = shape
        .fields
        .iter()
        .map(|(name, place)| (name.as_str(), &value.outline.shapes[*place].tally))
        .collect();
    let scalars = columns.iter().filter(|(_, tally)| tally.lists + tally.objects == 0).count();
    (is_rows && scalars * 2 > columns.len()).then(|| sql(&columns))
}

fn sql(columns: &[(&str, &Tally)]) -> String {
    let named = || columns.iter().filter(|(name, _)| name.len() <= NAME_BYTES_MAX);
    let group = named().find(|(_, tally)| tally.is_few_words()).map(|(name, _)| identifier(name));
    let is_id = |name: &str| {
        let name = name.to_ascii_lowercase();
        name == "id" || name.ends_with("_id") || name.ends_with("id") && name.len() <= 6
    };
    let numbers = || named().filter(|(name, tally)| tally.is_number() && !is_id(name));
    let sum = numbers()
        .find(|(_, tally)| tally.has_fractions())
        .or_else(|| numbers().next())
        .map(|(name, _)| identifier(name));
    match (group, sum) {
        (Some(group), Some(sum)) => {
            format!("SELECT {group}, count(*), sum({sum}) FROM t GROUP BY {group}")
        }
        (Some(group), None) => format!("SELECT {group}, count(*) FROM t GROUP BY {group}"),
        (None, Some(sum)) => format!("SELECT count(*), min({sum}), max({sum}), sum({sum}) FROM t"),
        (None, None) => "SELECT * FROM t LIMIT 5".to_owned(),
    }
}

/// A name as SQL takes it.
fn identifier(name: &str) -> String {
    const WORDS: [&str; 26] = [
        "all", "and", "as", "by", "case", "check", "column", "default", "desc", "exists", "from",
        "group", "in", "index", "is", "key", "limit", "not", "null", "on", "or", "order",
        "primary", "select", "table", "to",
    ];
    let is_plain = name.bytes().enumerate().all(|(at, byte)| {
        byte.is_ascii_alphabetic() || byte == b'_' || at > 0 && byte.is_ascii_digit()
    });
    let is_word = WORDS.contains(&name.to_ascii_lowercase().as_str())
        || matches!(name.to_ascii_lowercase().as_str(), "values" | "where" | "when" | "references");
    match is_plain && !is_word && !name.is_empty() {
        true => name.to_owned(),
        false => format!("\"{}\"", name.replace('"', "\"\"")),
    }
}

fn jq_of_value(value: &Value) -> String {
    if let Some(nodes) = &value.outline.nodes {
        let most = nodes.extensions.iter().max_by_key(|(_, count)| **count);
        return match most {
            Some((extension, _)) => format!(
                "[.. | objects | .name? // empty | select(endswith(\".{extension}\"))] | length"
            ),
            None => "[.. | objects | .name? // empty] | length".to_owned(),
        };
    }
    let Some((path, list, count, last)) = value.main_list() else { return "keys".to_owned() };
    if path.iter().any(|key| key.len() > NAME_BYTES_MAX) {
        return "keys".to_owned();
    }
    let path = jq_path(&path);
    let items = list.items.map(|items| &value.outline.shapes[items]);
    let wanted = items.and_then(|items| last.and_then(|last| wanted(value, items, last)));
    match wanted {
        Some((field, text)) => {
            format!("{path}[] | select({} == {text})", jq_path(&[field]))
        }
        None => format!("{path}[{}:{count}]", count.saturating_sub(5)),
    }
}

/// A field to find an item by, and what the last item has there.
fn wanted<'a>(value: &Value, items: &'a Shape, last: &Json) -> Option<(&'a str, String)> {
    let is_short = |text: &str| text.len() <= NAME_BYTES_MAX && !text.contains("[the file");
    items.fields.iter().filter(|(name, _)| is_short(name)).find_map(|(name, place)| {
        let tally = &value.outline.shapes[*place].tally;
        let found = last.get(name).filter(|found| is_short(found.as_text()))?;
        (tally.is_many_texts() && found.as_str().is_some())
            .then(|| (name.as_str(), found.to_string()))
    })
}

/// A path as jq writes it.
fn jq_path(keys: &[&str]) -> String {
    if keys.is_empty() {
        return ".".to_owned();
    }
    let mut out = String::new();
    for (at, key) in keys.iter().enumerate() {
        let is_plain = !key.is_empty()
            && key.bytes().enumerate().all(|(at, byte)| {
                byte.is_ascii_alphabetic() || byte == b'_' || at > 0 && byte.is_ascii_digit()
            });
        match is_plain {
            true => out.push_str(&format!(".{key}")),
            false if at == 0 => out.push_str(&format!(".[{}]", quoted(key))),
            false => out.push_str(&format!("[{}]", quoted(key))),
        }
    }
    out
}
