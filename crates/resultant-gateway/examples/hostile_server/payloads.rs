//! Results that are too large, too deep, too odd, or say two things.

use std::io::{self, Write};

use crate::wire::{Incoming, Wire, response, text_result};

pub(crate) const TOOLS: &[&str] = &[
    "is_error_twice",
    "two_results",
    "result_and_error",
    "error_null",
    "long_error_null",
    "result_string",
    "result_null",
    "result_array",
    "content_missing",
    "content_null",
    "content_string",
    "content_of_odd_items",
    "blocks",
    "nesting",
    "long_nesting",
    "keys",
    "colliding_keys",
    "numbers",
    "big_text",
    "big_image",
    "endless_line",
    "unknown_blocks",
    "wrong_images",
    "huge_error",
    "error_not_an_object",
];

/// Misbehaves; says whether it knows how.
pub(crate) fn call(wire: &Wire, tool: &str, id: &str, message: &Incoming) -> bool {
    let megabytes = message.number_of("megabytes").unwrap_or(1);
    let count = message.number_of("count").unwrap_or(100_000);
    match tool {
        "is_error_twice" => {
            let block = r#"{"type":"text","text":"which?"}"#;
            wire.result(id, &format!(r#"{{"isError":false,"content":[{block}],"isError":true}}"#));
        }
        "two_results" => wire.line(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{},"result":{}}}"#,
            text_result("first"),
            text_result("second")
        )),
        "result_and_error" => wire.line(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"result":{},"error":{{"code":-1,"message":"both"}}}}"#,
            text_result("both")
        )),
        "error_null" => wire.line(&error_null(id, "no error")),
        "long_error_null" => wire.line(&error_null(id, &"no error ".repeat(200_000))),
        "result_string" => wire.result(id, "\"just text\""),
        "result_null" => wire.result(id, "null"),
        "result_array" => wire.result(id, "[1,2]"),
        "content_missing" => wire.result(id, r#"{"structuredContent":{"n":1}}"#),
        "content_null" => wire.result(id, r#"{"content":null}"#),
        "content_string" => wire.result(id, r#"{"content":"plain"}"#),
        "content_of_odd_items" => {
            let odd = r#""text",1,null,[],{},{"type":7},{"type":"text"},{"type":"text","text":5}"#;
            let sound = r#"{"type":"text","text":"the sound one"}"#;
            wire.result(id, &format!(r#"{{"content":[{odd},{sound}]}}"#));
        }
        "blocks" => list(wire, id, r#"{"content":["#, "]}", count, |out, number| {
            write!(out, r#"{{"type":"text","text":"b{number:08}"}}"#)
        }),
        "nesting" | "long_nesting" => {
            let padding = if tool == "nesting" { 0 } else { 3 << 20 };
            wire.stream(|out| nested(out, id, usize::try_from(count).unwrap_or(0), padding));
        }
        "keys" => list(wire, id, r#"{"content":[],"structuredContent":{"#, "}}", count, |out, number| {
            write!(out, r#""k{number}":{number}"#)
        }),
        "colliding_keys" => {
            // Equal keys, written differently, and those that mean something in JavaScript.
            list(wire, id, r#"{"content":[],"structuredContent":{"__proto__":{"x":1},"constructor":1,"#, "}}", count, |out, _| {
                write!(out, r#""\u0061a":1"#)
            });
        }
        "numbers" => wire.result(
            id,
            r#"{"content":[],"structuredContent":{"a":12345678901234567890,"b":1e400,"c":-0.0,"d":0.123456789012345678901234567890,"e":1E+2}}"#,
        ),
        "big_text" => wire.stream(|out| big_text(out, id, megabytes)),
        "big_image" => wire.stream(|out| big_image(out, id, megabytes)),
        "endless_line" => wire.stream(|out| {
            let (head, _) = frame(id, r#"{"content":[{"type":"text","text":""#, "");
            out.write_all(head.as_bytes())?;
            loop {
                out.write_all(&[b'x'; 8192])?;
            }
        }),
        "unknown_blocks" => {
            let blocks = r#"{"type":"blob","bytes":"AAEC"},{"text":"no type"},{"type":12,"text":"number"}"#;
            let sound = r#"{"type":"text","text":"the sound one"}"#;
            wire.result(id, &format!(r#"{{"content":[{blocks},{sound}]}}"#));
        }
        "wrong_images" => {
            let image = |data: &str| {
                format!(r#"{{"type":"image","mimeType":"image/png","data":"{data}"}}"#)
            };
            // A JPEG, a page, nothing, an SVG, and something that is no base64.
            let images = ["/9j/4AAQSkZJRgABAQ==", "PGh0bWw+PHNjcmlwdD4=", "", "PHN2ZyB4bWxucz0i", "%%%"];
            let images = images.map(image).join(",");
            wire.result(id, &format!(r#"{{"content":[{images}]}}"#));
        }
        "huge_error" => {
            let length = usize::try_from(megabytes << 20).unwrap_or(0);
            wire.error(id, -32000, &"e".repeat(length));
        }
        "error_not_an_object" => {
            wire.line(&format!(r#"{{"jsonrpc":"2.0","id":{id},"error":"just words"}}"#));
        }
        _ => return false,
    }
    true
}

fn error_null(id: &str, text: &str) -> String {
    let result = text_result(text);
    format!(r#"{{"jsonrpc":"2.0","error":null,"result":{result},"id":{id}}}"#)
}

/// What comes before and after the middle of a result.
fn frame(id: &str, start: &str, end: &str) -> (String, String) {
    let whole = response(id, &format!("{start}\0{end}"));
    let (head, tail) = whole.split_once('\0').unwrap_or((&whole, ""));
    (head.to_owned(), tail.to_owned())
}

fn list(
    wire: &Wire,
    id: &str,
    start: &str,
    end: &str,
    count: u64,
    mut item: impl FnMut(&mut dyn Write, u64) -> io::Result<()>,
) {
    let (head, tail) = frame(id, start, end);
    wire.stream(|out| {
        out.write_all(head.as_bytes())?;
        for number in 0..count {
            if number > 0 {
                out.write_all(b",")?;
            }
            item(out, number)?;
        }
        writeln!(out, "{tail}")
    });
}

fn nested(out: &mut dyn Write, id: &str, depth: usize, padding: usize) -> io::Result<()> {
    let text = format!("deep{}", "p".repeat(padding));
    let start =
        format!(r#"{{"content":[{{"type":"text","text":"{text}"}}],"structuredContent":{{"v":"#);
    let (head, tail) = frame(id, &start, "}}");
    let (open, close) = ("[".repeat(depth), "]".repeat(depth));
    writeln!(out, "{head}{open}{close}{tail}")
}

pub(crate) fn big_text(out: &mut dyn Write, id: &str, megabytes: u64) -> io::Result<()> {
    let (head, tail) = frame(id, r#"{"content":[{"type":"text","text":""#, r#""}]}"#);
    out.write_all(head.as_bytes())?;
    // A million bytes, with a character that needs an escape and one of several bytes.
    let piece = r"0123456789 \n abcdef é".repeat(40_000);
    for _ in 0..megabytes {
        out.write_all(piece.as_bytes())?;
    }
    writeln!(out, "{tail}")
}

fn big_image(out: &mut dyn Write, id: &str, megabytes: u64) -> io::Result<()> {
    let start = r#"{"content":[{"type":"image","mimeType":"image/png","data":""#;
    let (head, tail) = frame(id, start, r#""}]}"#);
    out.write_all(head.as_bytes())?;
    // The nine bytes that a PNG begins with and a zero, then "resultant".
    out.write_all(b"iVBORw0KGgoA")?;
    let piece = "cmVzdWx0YW50".repeat(85_000);
    for _ in 0..megabytes {
        out.write_all(piece.as_bytes())?;
    }
    writeln!(out, "{tail}")
}
