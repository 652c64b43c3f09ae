//! Tool lists: the ordinary one, and those that are broken in every way.

use crate::{
    lines, long, payloads, processes, questions,
    wire::{Incoming, Wire},
};

const TOOLS: &[&str] = &["error_not_matching", "result_not_matching", "list_changed_storm"];

/// Answers `tools/list`.
pub(crate) fn list(wire: &Wire, id: &str, kind: &str, message: &Incoming) {
    let cursor = message.text_of("cursor");
    let tools = match kind {
        "broken" => return wire.result(id, &format!(r#"{{"tools":[{}]}}"#, broken().join(","))),
        "pages" => {
            // Every page names the next one, for ever.
            let page: u64 = cursor.and_then(|cursor| cursor.parse().ok()).unwrap_or(0);
            let (tool, next) = (plain(&format!("page_{page}")), page + 1);
            let tools = if page == 0 { format!("{},{tool}", plain("echo")) } else { tool };
            return wire.result(id, &format!(r#"{{"tools":[{tools}],"nextCursor":"{next}"}}"#));
        }
        "empty_pages" => {
            let page = match cursor.as_deref() {
                None => r#"{"tools":[],"nextCursor":"a"}"#.to_owned(),
                _ => format!(r#"{{"tools":[{}]}}"#, plain("echo")),
            };
            return wire.result(id, &page);
        }
        "stuck" if cursor.is_some() => return,
        "stuck" => {
            let tool = plain("echo");
            return wire.result(id, &format!(r#"{{"tools":[{tool}],"nextCursor":"a"}}"#));
        }
        "none" => return wire.result(id, r#"{"tools":null}"#),
        "refused" => return wire.error(id, -32603, "no list today"),
        _ => ordinary(),
    };
    wire.result(id, &format!(r#"{{"tools":[{tools}]}}"#));
}

/// Calls of the tools that concern lists and schemas.
pub(crate) fn call(wire: &Wire, tool: &str, id: &str) -> bool {
    match tool {
        "error_not_matching" => wire.result(
            id,
            r#"{"content":[{"type":"text","text":"the disk is full"}],"structuredContent":{"odd":[1]},"isError":true}"#,
        ),
        "result_not_matching" => wire.result(
            id,
            r#"{"content":[{"type":"text","text":"not as promised"}],"structuredContent":{"odd":[1]}}"#,
        ),
        "list_changed_storm" => {
            for _ in 0..10_000 {
                wire.line(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#);
            }
            wire.text(id, "after the storm");
        }
        _ => return false,
    }
    true
}

fn ordinary() -> String {
    let names =
        [lines::TOOLS, payloads::TOOLS, long::TOOLS, questions::TOOLS, processes::TOOLS].concat();
    let mut tools: Vec<String> = names.iter().map(|name| plain(name)).collect();
    let schema = r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#;
    tools.extend(TOOLS.iter().map(|name| match *name {
        "list_changed_storm" => plain(name),
        name => with_output(name, schema),
    }));
    tools.join(",")
}

fn plain(name: &str) -> String {
    format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}}}"#)
}

fn with_output(name: &str, schema: &str) -> String {
    format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}},"outputSchema":{schema}}}"#)
}

/// One sound tool between definitions that are not.
fn broken() -> Vec<String> {
    let canary = std::env::var("HOSTILE_CANARY").unwrap_or_default();
    let object = r#""inputSchema":{"type":"object"}"#;
    let mut list: Vec<String> = [
        "null",
        "1",
        "\"text\"",
        "[]",
        "{}",
        r#"{"inputSchema":{"type":"object"}}"#,
        r#"{"name":7,"inputSchema":{"type":"object"}}"#,
        r#"{"name":"","inputSchema":{"type":"object"}}"#,
        r#"{"name":null}"#,
        r#"{"name":"no_input"}"#,
        r#"{"name":"input_null","inputSchema":null}"#,
        r#"{"name":"input_array","inputSchema":[]}"#,
        r#"{"name":"input_text","inputSchema":"object"}"#,
        r#"{"name":"input_untyped","inputSchema":{"properties":{"a":{}}}}"#,
        r#"{"name":"input_type_array","inputSchema":{"type":["object","null"]}}"#,
        r#"{"name":"echo","description":"the other one","inputSchema":{"type":"object"}}"#,
    ]
    .map(str::to_owned)
    .to_vec();
    list.insert(3, plain("echo"));
    list.push(plain(&"n".repeat(300)));
    list.push(plain("odd name/with \\u00e9"));
    for (name, member) in [
        ("annotations_text", r#""annotations":"read-only""#),
        ("annotations_odd", r#""annotations":{"readOnlyHint":"yes"}"#),
        ("description_number", r#""description":5"#),
        ("title_object", r#""title":{}"#),
        ("icons_text", r#""icons":"a""#),
        ("meta_array", r#""_meta":[]"#),
        ("execution_text", r#""execution":"task""#),
        ("output_array", r#""outputSchema":{"type":"array","items":{"type":"string"}}"#),
        ("output_null", r#""outputSchema":null"#),
        ("output_text", r#""outputSchema":"object""#),
        ("output_true", r#""outputSchema":true"#),
        ("output_untyped", r#""outputSchema":{"properties":{"a":{"type":"integer"}}}"#),
        ("output_invalid", r#""outputSchema":{"type":"objekt"}"#),
        ("output_pattern", r#""outputSchema":{"type":"object","patternProperties":{"(":{}}}"#),
        (
            "output_loop",
            r##""outputSchema":{"type":"object","properties":{"a":{"$ref":"#/properties/a"}}}"##,
        ),
        (
            "output_nowhere",
            r##""outputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/none"}}}"##,
        ),
        (
            "output_file",
            r#""outputSchema":{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}"#,
        ),
    ] {
        list.push(format!(r#"{{"name":"{name}",{object},{member}}}"#));
    }
    let to_canary = format!(r#"{{"type":"object","properties":{{"a":{{"$ref":"{canary}"}}}}}}"#);
    list.push(with_output("output_canary", &to_canary));
    list.push(format!(r#"{{"name":"input_canary","inputSchema":{to_canary}}}"#));
    let deep = format!("{}true{}", r#"{"not":"#.repeat(5000), "}".repeat(5000));
    list.push(with_output("output_deep", &deep));
    let long = "d".repeat(10 << 20);
    list.push(format!(r#"{{"name":"long_description",{object},"description":"{long}"}}"#));
    list.push(plain("sound_at_the_end"));
    list
}
