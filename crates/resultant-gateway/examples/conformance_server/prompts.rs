//! The prompts, one of which asks before it is given.

use serde_json::{Value, json};

use crate::{
    asking::{Call, Question, State},
    message::{Failure, Halt, INVALID_PARAMS},
    server::Server,
    tools::PIXEL_PNG,
};

pub(crate) fn list(server: &Server) -> Value {
    let argument = |name: &str| json!({ "name": name, "description": name, "required": true });
    let mut prompts = vec![
        json!({ "name": "test_simple_prompt", "description": "A text" }),
        json!({ "name": "test_prompt_with_arguments", "description": "A text with two arguments",
            "arguments": [argument("arg1"), argument("arg2")] }),
        json!({ "name": "test_prompt_with_embedded_resource", "description": "A resource",
            "arguments": [argument("resourceUri")] }),
        json!({ "name": "test_prompt_with_image", "description": "An image" }),
        json!({ "name": "test_input_required_result_prompt", "description": "Asks the user" }),
    ];
    if server.has_extra_prompt() {
        prompts.push(json!({ "name": "test_extra_prompt", "description": "Comes and goes" }));
    }
    json!({ "prompts": prompts })
}

pub(crate) async fn get(call: &Call) -> Result<Value, Halt> {
    let message = |content: &Value| json!({ "role": "user", "content": content });
    let text = |text: &str| message(&json!({ "type": "text", "text": text }));
    let messages = match call.text("name")? {
        "test_simple_prompt" => vec![text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments" => {
            let (first, second) = (call.argument("arg1")?, call.argument("arg2")?);
            vec![text(&format!("Prompt with arguments: arg1='{first}', arg2='{second}'"))]
        }
        "test_prompt_with_embedded_resource" => vec![
            message(&json!({ "type": "resource", "resource": {
                "uri": call.argument("resourceUri")?,
                "mimeType": "text/plain",
                "text": "Embedded resource content for testing.",
            } })),
            text("Please process the embedded resource above."),
        ],
        "test_prompt_with_image" => vec![
            message(&json!({ "type": "image", "data": PIXEL_PNG, "mimeType": "image/png" })),
            text("Please analyze the image above."),
        ],
        "test_input_required_result_prompt" => {
            let properties = json!({ "context": { "type": "string" } });
            let message = "What context should the prompt use?";
            let question = Question::form("user_context", message, &properties);
            let answer = call.ask_one(question, State::None).await?;
            vec![text(&format!("Use this context: {}", answer["content"]["context"]))]
        }
        "test_extra_prompt" if call.server.has_extra_prompt() => vec![text("Here for now.")],
        name => {
            let message = format!("unknown prompt '{name}'");
            return Err(Failure::new(INVALID_PARAMS, message).into());
        }
    };
    Ok(json!({ "messages": messages }))
}
