//! What the tools say of themselves. A model reads this with every prompt, so every word costs; all
//! four together stay below 900 tokens, and the fifth, which few clients get, below 150.

use resultant::Json;
use serde_json::{Value, json};

use super::{Naming, Tool};
use crate::host_canvas;

/// Pages are within the budget, and a host that would put one aside again helps nobody.
const RESULT_CHARS_MAX: u64 = 200_000;

/// The definitions under these names.
pub(crate) fn definitions(naming: Naming, tools: &[Tool]) -> Vec<(Tool, Json)> {
    let define = |tool: Tool| {
        let definition = definition(tool, naming.name(tool)).to_string();
        (tool, Json::parse(definition).unwrap_or(Json::null()))
    };
    tools.iter().copied().map(define).collect()
}

fn definition(tool: Tool, name: &str) -> Value {
    let text = |description: &str| json!({"type": "string", "description": description});
    let number = |description: &str| json!({"type": "integer", "description": description});
    let one = "Its name, or its resultant:// address";
    let several = json!(["string", "array"]);
    let (description, required, properties) = match tool {
        Tool::List => (
            "Lists the files of this session, newest first: results that were too large to show, \
             and what tools made or were given.",
            json!([]),
            json!({
                "match": text("Part of the name; * stands for anything"),
                "from": number("The first to list, from 1"),
            }),
        ),
        Tool::Read => (
            "Reads a page of a file. Text is read by lines, a JSON list by items, a table by rows, \
             anything by bytes; by lines, JSON is one `path = value` a line. `next` in the answer \
             holds what to change for the next page, and is absent at the end.",
            json!(["file"]),
            json!({
                "file": text(one),
                "by": {"enum": ["lines", "bytes", "items", "rows"]},
                "from": number("The first line, item or row, from 1; the first byte, from 0"),
                "count": number("How many at most; as many as fit when absent"),
                "at": number("Where to go on inside a very long line, in bytes"),
                "path": text("jq path to the list whose items are meant, as .data.items"),
            }),
        ),
        Tool::Search => (
            "Finds the lines of files that match, with their numbers, and counts them all. JSON is \
             searched as `path = value` lines; matches in a diff name the file.",
            json!(["pattern"]),
            json!({
                "pattern": text("Regular expression; (?i) in front ignores case"),
                "file": {"type": several, "items": {"type": "string"},
                    "description": "One name or several; all files of the session when absent"},
                "words": {"type": "boolean",
                    "description": "The pattern is words, all of which a line must have"},
                "context": number("Lines to show around each match, up to 5"),
                "from": number("The first match to show, from 1"),
                "count": number("How many to show at most; 0 only counts"),
            }),
        ),
        Tool::Query => (
            "Computes an answer from a whole file: counts, sums, filters, sorts, joins. Give `jq` \
             for JSON, or `sql` (one SQLite SELECT) for tables: CSV, TSV, JSON rows, and text that \
             is a table. The table is t; of several files t1, t2, …",
            json!(["file"]),
            json!({
                "file": {"type": several, "items": {"type": "string"}, "description": one},
                "jq": text("jq filter"),
                "sql": text("As SELECT status, sum(total) FROM t GROUP BY status"),
            }),
        ),
        Tool::Show => (
            "Shows a file to the person, in the chat: a picture, table, document, log, JSON. You get \
             none of its content. Use it when the person wants to see something.",
            json!(["file"]),
            json!({"file": text(one)}),
        ),
    };
    let mut schema = json!({"type": "object", "properties": properties});
    if required.as_array().is_some_and(|required| !required.is_empty()) {
        schema["required"] = required;
    }
    let mut definition = json!({
        "name": name,
        "description": description,
        "inputSchema": schema,
        "annotations": {"readOnlyHint": true, "openWorldHint": false},
    });
    if tool == Tool::Read {
        definition["_meta"] = json!({"anthropic/maxResultSizeChars": RESULT_CHARS_MAX});
    }
    if tool == Tool::Show {
        let view = host_canvas::URI;
        definition["_meta"] = json!({"ui": {"resourceUri": view}, "ui/resourceUri": view});
    }
    definition
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_them_cost_less_than_900_tokens() {
        let tokenizer = bpe_openai::o200k_base();
        for naming in [Naming::Plain, Naming::Prefixed] {
            let tokens = |tools: &[Tool]| -> usize {
                let written = definitions(naming, tools);
                written.iter().map(|(_, json)| tokenizer.count(json.as_text())).sum()
            };
            let (all, shown) = (tokens(&Tool::ALL), tokens(&[Tool::Show]));
            println!("{naming:?}: {all} tokens, and {shown} for clients that show the canvas");
            assert!(all < 900 && shown < 150, "{naming:?}: {all}, {shown}");
        }
    }

    #[test]
    fn schemas_are_schemas_and_one_tool_may_be_long() {
        for (tool, json) in definitions(Naming::Plain, &Tool::WITH_CANVAS) {
            let value = json.to_value();
            assert!(jsonschema::meta::is_valid(&value["inputSchema"]), "{value}");
            assert_eq!(value["annotations"]["readOnlyHint"], true);
            let has_more = matches!(tool, Tool::Read | Tool::Show);
            assert_eq!(value.get("_meta").is_some(), has_more, "{value}");
            assert!(value.get("outputSchema").is_none(), "{value}");
        }
    }
}
