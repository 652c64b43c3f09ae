//! Tools whose arguments are worth a form: one with everything that a schema can say, and one that
//! takes a file of the session.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    time::Duration,
};

use resultant::{Failure, Sha256Digest};
use serde_json::{Value, json};

use super::{
    call::{Answer, Call},
    tools::{Effect, Tool},
};

/// A larger file is not looked at.
const FILE_BYTES_MAX: u64 = 64 << 20;
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool {
            name: "plan_event",
            title: "Plan an event",
            description: "Plans an evening in the shop. Nothing comes of it; its arguments show \
                what a form can be asked for.",
            dialect: "",
            arguments: event_schema(),
            output: None,
            effect: Effect::Reads,
            run: plan_event,
        },
        Tool {
            name: "look_at_file",
            title: "Look at a file",
            description: "Counts the bytes, lines and words of a file of the session. The gateway \
                gives it an address to fetch the file from.",
            dialect: "",
            arguments: json!({"filename": {"type": "string",
                "description": "The name of a file of the session"}}),
            output: None,
            effect: Effect::Reads,
            run: look_at_file,
        },
    ]
}

fn event_schema() -> Value {
    let guest = json!({
        "type": "object",
        "required": ["name"],
        "properties": {
            "name": {"type": "string", "minLength": 1},
            "email": {"type": "string", "format": "email"},
            "diet": {"type": "array", "uniqueItems": true,
                "items": {"type": "string", "enum": ["vegetarian", "vegan", "no nuts"]}},
        },
    });
    json!({
        "type": "object",
        "required": ["title", "when", "place"],
        "additionalProperties": false,
        "properties": {
            "title": {"type": "string", "minLength": 1, "maxLength": 80,
                "description": "What stands on the poster"},
            "kind": {"type": "string", "enum": ["tasting", "workshop", "concert"],
                "default": "tasting", "description": "What it is"},
            "when": {
                "type": "object",
                "description": "Day and time",
                "required": ["date"],
                "properties": {
                    "date": {"type": "string", "format": "date"},
                    "start": {"type": "string", "format": "time", "default": "18:00:00"},
                    "hours": {"type": "number", "minimum": 0.5, "maximum": 8, "default": 2},
                },
            },
            "place": {
                "description": "Where it is",
                "oneOf": [
                    {"title": "In the shop", "type": "object", "required": ["at"],
                        "properties": {"at": {"const": "shop"},
                            "table": {"type": "integer", "minimum": 1, "maximum": 12}}},
                    {"title": "Elsewhere", "type": "object", "required": ["at", "address"],
                        "properties": {"at": {"const": "elsewhere"},
                            "address": {"type": "string"},
                            "map": {"type": "string", "format": "uri"}}},
                ],
            },
            "guests": {"type": "array", "maxItems": 40, "items": guest,
                "description": "Who is invited"},
            "tags": {"type": "array", "uniqueItems": true,
                "items": {"type": "string", "enum": ["tea", "coffee", "cake", "music"]},
                "default": ["tea"]},
            "budget_cents": {"type": "integer", "minimum": 0, "multipleOf": 100,
                "description": "In whole euros, written as cents"},
            "colour": {"type": "string", "pattern": "^#[0-9a-f]{6}$", "default": "#1f5f5b",
                "description": "Of the poster"},
            "public": {"type": "boolean", "default": true,
                "description": "Whether everybody may come"},
            "labels": {"type": "object", "additionalProperties": {"type": "string"},
                "description": "Anything else, by name"},
            "notes": {"type": ["string", "null"], "maxLength": 2000, "description": "For the team"},
        },
    })
}

fn plan_event(call: &Call) -> Result<Answer, Failure> {
    let plan = &call.params["arguments"];
    let missing: Vec<&str> =
        ["title", "when", "place"].into_iter().filter(|key| plan[key].is_null()).collect();
    if !missing.is_empty() {
        return Err(Failure::new(format_args!("there is no {}", missing.join(", no "))));
    }
    let guests = plan["guests"].as_array().map_or(0, Vec::len);
    Ok(call.reply_as_specified(json!({"planned": plan["title"], "guests": guests, "event": plan})))
}

fn look_at_file(call: &Call) -> Result<Answer, Failure> {
    let Some(filename) = call.text("filename")? else {
        return Err(Failure::new("name a file of the session"));
    };
    let bytes = fetch(filename)?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(call.reply_as_specified(json!({
        "bytes": bytes.len(),
        "lines": text.lines().count(),
        "words": text.split_whitespace().count(),
        "sha256": Sha256Digest::of(&bytes).to_string(),
    })))
}

/// The bytes at an address of this machine.
fn fetch(url: &str) -> Result<Vec<u8>, Failure> {
    let unusable = || Failure::new("this is no file of the session");
    let rest = url.strip_prefix("http://").ok_or_else(unusable)?;
    let (host, path) = rest.split_once('/').ok_or_else(unusable)?;
    let is_local = host.starts_with("127.0.0.1:") || host.starts_with("localhost:");
    if !is_local || path.bytes().any(|byte| !byte.is_ascii_graphic()) {
        return Err(unusable());
    }
    let mut stream = TcpStream::connect(host)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    write!(stream, "GET /{path} HTTP/1.0\r\nHost: {host}\r\nConnection: close\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.take(FILE_BYTES_MAX).read_to_end(&mut answer)?;
    let end = answer.windows(4).position(|part| part == b"\r\n\r\n").ok_or_else(unusable)?;
    let is_there = answer.get(9..12) == Some(b"200");
    if !is_there {
        return Err(Failure::new("the file could not be fetched"));
    }
    Ok(answer.split_off(end + 4))
}
