//! Tools that fail, each in its own way, and two that send what they should not.

use resultant::{Block, Failure, Json, ToolResult};
use serde_json::json;

use super::{
    call::{Answer, Call, RpcError},
    tools::{Effect, Tool},
};

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool {
            name: "fail",
            title: "Fail",
            description: "Fails with `isError` and the message it is given.",
            dialect: "blocks",
            arguments: json!({"message": {"type": "string",
                "default": "the till is jammed: paper 12 mm too wide"}}),
            output: None,
            effect: Effect::Reads,
            run: |call| {
                let message = call.text("message")?;
                Err(Failure::new(message.unwrap_or("the till is jammed: paper 12 mm too wide")))
            },
        },
        Tool {
            name: "fail_with_details",
            title: "Fail with details",
            description: "Fails with `isError`, two texts and structured content that says more.",
            dialect: "structured",
            arguments: json!({}),
            output: None,
            effect: Effect::Reads,
            run: fail_with_details,
        },
        Tool {
            name: "fail_in_protocol",
            title: "Fail in the protocol",
            description: "Answers with a JSON-RPC error instead of a result, with data beside it.",
            dialect: "",
            arguments: json!({}),
            output: None,
            effect: Effect::Reads,
            run: |_| {
                let error = RpcError::new(-32603, "the stock database is not reachable");
                Ok(Answer::Error(error.with_data(json!({"host": "stock.example", "tries": 3}))))
            },
        },
        Tool {
            name: "broken_files",
            title: "Files with something wrong",
            description: "Contract v2 with four files: one is fine, one is no base64, one has a \
                path for a name, one says the wrong size. The good parts survive, and notes say \
                what happened to the others.",
            dialect: "contract-v2",
            arguments: json!({}),
            output: None,
            effect: Effect::Reads,
            run: broken_files,
        },
        Tool {
            name: "broken_promise",
            title: "Not what the schema says",
            description: "Structured content that its own output schema refuses: `total` should \
                be a number and is a text. It is passed on with a note that names the place.",
            dialect: "structured",
            arguments: json!({}),
            output: Some(json!({
                "type": "object",
                "properties": {"total": {"type": "number"}, "currency": {"type": "string"}},
                "required": ["total", "currency"],
            })),
            effect: Effect::Reads,
            run: |call| {
                Ok(call.reply_as_specified(json!({"total": "about twelve", "currency": "EUR"})))
            },
        },
        Tool {
            name: "nothing",
            title: "Nothing at all",
            description: "An empty result. That is no error; the result is null.",
            dialect: "blocks",
            arguments: json!({}),
            output: None,
            effect: Effect::Reads,
            run: |call| Ok(call.reply(())),
        },
    ]
}

fn fail_with_details(call: &Call) -> Result<Answer, Failure> {
    Ok(call.reply(
        ToolResult::default()
            .block(Block::text("the delivery was refused"))
            .block(Block::text("2 of 14 boxes are damp"))
            .structured(Json::of(&json!({"boxes": 14, "damp": [3, 9], "carrier": "Ferry Freight"})))
            .error(),
    ))
}

fn broken_files(call: &Call) -> Result<Answer, Failure> {
    Ok(call.reply(json!({
        "results": {"delivered": 3},
        "artifacts": [
            {"name": "good.txt", "mime": "text/plain", "b64": "VGhpcyBvbmUgaXMgZmluZS4K"},
            {"name": "spoiled.pdf", "mime": "application/pdf", "b64": "%%% no base64 %%%"},
            {"name": "../../etc/motd", "mime": "text/plain", "b64": "QSBwYXRoIGlzIG5vIG5hbWUuCg=="},
            {"name": "short.txt", "mime": "text/plain", "size": 999_999, "b64": "U2hvcnQuCg=="},
        ],
        "display": {"primary_file": "missing.html", "mode": "sideways"},
    })))
}
