//! The tools: their list, and those that answer without asking anybody.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::sleep;

use crate::{
    asking::Call,
    message::{Failure, Halt, INVALID_PARAMS},
    server::{Change, Server},
    tools_asking,
};

/// A red pixel.
pub(crate) const PIXEL_PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

/// A sound of no samples.
const SILENCE_WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

/// Between the steps of a tool that reports while it works, so that the reports come apart.
const STEP: Duration = Duration::from_millis(20);

/// The one resource that changes.
pub(crate) const WATCHED: &str = "test://watched-resource";

/// Tools without arguments: name, and what they are for.
const PLAIN: [(&str, &str); 15] = [
    ("test_simple_text", "Returns one text"),
    ("test_image_content", "Returns an image"),
    ("test_audio_content", "Returns a sound"),
    ("test_embedded_resource", "Returns an embedded resource"),
    ("test_multiple_content_types", "Returns a text, an image and a resource"),
    ("test_error_handling", "Fails, and says so in its result"),
    ("test_tool_with_logging", "Logs three times while it works"),
    ("test_logging_tool", "Logs once"),
    ("test_tool_with_progress", "Reports progress three times"),
    ("test_reconnection", "Ends the connection before it answers"),
    ("test_trigger_tool_change", "Adds a tool to the list, or takes it away again"),
    ("test_trigger_prompt_change", "Adds a prompt to the list, or takes it away again"),
    ("test_trigger_resource_change", "Says that the watched resource has changed"),
    ("test_structured_content", "Returns structured content beside its text"),
    ("test_slow", "Works for a minute unless it is cancelled"),
];

pub(crate) fn list(server: &Server) -> Value {
    let nothing = json!({ "type": "object", "properties": {} });
    let tool = |name: &str, description: &str, schema: &Value| json!({ "name": name, "description": description, "inputSchema": schema });
    let mut tools: Vec<Value> = PLAIN
        .iter()
        .chain(&tools_asking::WITHOUT_ARGUMENTS)
        .map(|(name, description)| tool(name, description, &nothing))
        .collect();
    tools.push(tool(
        "test_sampling",
        "Asks the client's model",
        &json!({ "type": "object", "properties": { "prompt": { "type": "string" } },
            "required": ["prompt"] }),
    ));
    tools.push(tool(
        "test_elicitation",
        "Asks the user",
        &json!({ "type": "object", "properties": { "message": { "type": "string" } },
            "required": ["message"] }),
    ));
    tools.push(tool(
        "test_header_parameter",
        "Has an argument that is also sent as a header",
        &json!({ "type": "object", "properties": {
            "region": { "type": "string", "x-mcp-header": "Region" },
        }, "required": ["region"] }),
    ));
    tools.push(tool(
        "json_schema_2020_12_tool",
        "Has a schema with the keywords that get lost most easily",
        &schema_2020_12(),
    ));
    if server.has_extra_tool() {
        tools.push(tool("test_extra_tool", "Comes and goes", &nothing));
    }
    json!({ "tools": tools })
}

/// Each keyword that the suite looks for, once.
fn schema_2020_12() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": { "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
        } },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } },
            "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}

pub(crate) async fn call(call: &Call) -> Result<Value, Halt> {
    let image = || json!({ "type": "image", "data": PIXEL_PNG, "mimeType": "image/png" });
    match call.text("name")? {
        "test_simple_text" => Ok(text("This is a simple text response for testing.")),
        "test_image_content" => Ok(content(&json!([image()]))),
        "test_audio_content" => {
            Ok(content(&json!([{ "type": "audio", "data": SILENCE_WAV, "mimeType": "audio/wav" }])))
        }
        "test_embedded_resource" => Ok(content(&json!([{ "type": "resource", "resource": {
            "uri": "test://embedded-resource",
            "mimeType": "text/plain",
            "text": "This is an embedded resource content.",
        } }]))),
        "test_multiple_content_types" => Ok(content(&json!([
            { "type": "text", "text": "Multiple content types test:" },
            image(),
            { "type": "resource", "resource": {
                "uri": "test://mixed-content-resource",
                "mimeType": "application/json",
                "text": r#"{"test":"data","value":123}"#,
            } },
        ]))),
        "test_error_handling" => {
            let mut result = text("This tool intentionally returns an error for testing");
            result["isError"] = true.into();
            Ok(result)
        }
        "test_tool_with_logging" => {
            call.log("info", "Tool execution started");
            sleep(STEP).await;
            call.log("info", "Tool processing data");
            sleep(STEP).await;
            call.log("info", "Tool execution completed");
            Ok(text("Logged three times."))
        }
        "test_logging_tool" => {
            call.log("info", "Tool called");
            Ok(text("Logged once, if that was wanted."))
        }
        "test_tool_with_progress" => {
            call.progress(0, 100);
            sleep(STEP).await;
            call.progress(50, 100);
            sleep(STEP).await;
            call.progress(100, 100);
            Ok(text("Reported progress three times."))
        }
        "test_reconnection" => {
            call.out.disconnect();
            sleep(STEP).await;
            Ok(text("The answer came after the connection had ended."))
        }
        "test_trigger_tool_change" => Ok(changed(call, Change::Tools)),
        "test_trigger_prompt_change" => Ok(changed(call, Change::Prompts)),
        "test_trigger_resource_change" => Ok(changed(call, Change::Resource(WATCHED))),
        "test_structured_content" => {
            let mut result = text(r#"{"answer":42}"#);
            result["structuredContent"] = json!({ "answer": 42 });
            Ok(result)
        }
        "test_slow" => {
            sleep(Duration::from_secs(60)).await;
            Ok(text("Nobody cancelled."))
        }
        "test_header_parameter" => {
            Ok(text(&format!("The region is {}.", call.argument("region")?)))
        }
        "json_schema_2020_12_tool" => Ok(text("The schema is all there is to it.")),
        "test_extra_tool" if call.server.has_extra_tool() => Ok(text("Here for now.")),
        name => match tools_asking::call(call, name).await {
            Some(result) => result,
            None => Err(Failure::new(INVALID_PARAMS, format!("unknown tool '{name}'")).into()),
        },
    }
}

fn changed(call: &Call, change: Change) -> Value {
    call.server.change(change);
    text("Changed.")
}

pub(crate) fn text(text: &str) -> Value {
    content(&json!([{ "type": "text", "text": text }]))
}

fn content(blocks: &Value) -> Value {
    json!({ "content": blocks })
}
