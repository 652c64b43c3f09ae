//! Tools that take their time: one reports how far it is, one asks the person something.

use std::time::Duration;

use resultant::{Failure, Json};
use serde_json::{Value, json};

use super::{
    answers::text_result,
    call::{Answer, Call, RpcError},
    tools::{Effect, Tool},
};

/// The name under which the question travels in versions without a connection to ask over.
const QUESTION: &str = "visitor";

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool {
            name: "roast",
            title: "Roast a batch",
            description: "Roasts coffee for as long as it is told and reports each step as \
                progress with a message. Can be cancelled at any time.",
            dialect: "structured",
            arguments: json!({
                "seconds": {"type": "number", "minimum": 0, "maximum": 600, "default": 10,
                    "description": "How long it takes"},
                "steps": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 10,
                    "description": "How often it reports"},
            }),
            output: Some(json!({
                "type": "object",
                "properties": {"batch": {"type": "string"}, "steps": {"type": "integer"}},
                "required": ["batch", "steps"],
            })),
            effect: Effect::Writes,
            run: roast,
        },
        Tool {
            name: "sign_guest_book",
            title: "Sign the guest book",
            description: "Asks the person for a name (elicitation: a request of the server's, or \
                `input_required` in 2026-07-28) and writes a greeting.",
            dialect: "blocks",
            arguments: json!({}),
            output: None,
            effect: Effect::Writes,
            run: sign_guest_book,
        },
    ]
}

fn roast(call: &Call) -> Result<Answer, Failure> {
    const STAGES: [&str; 5] = ["drying", "yellowing", "browning", "first crack", "cooling"];
    const SECONDS_MAX: f64 = 600.0;
    let steps = call.number("steps", 10, 1..=1000)?;
    let seconds = match &call.params["arguments"]["seconds"] {
        Value::Null => 10.0,
        value => {
            value.as_f64().filter(|seconds| (0.0..=SECONDS_MAX).contains(seconds)).ok_or_else(
                || Failure::new(format_args!("`seconds` must be a number from 0 to {SECONDS_MAX}")),
            )?
        }
    };
    let step_time = Duration::from_secs_f64(seconds / steps as f64);
    for step in 1..=steps {
        if !call.wait(step_time) {
            return Ok(Answer::Cancelled);
        }
        let stage = STAGES[((step - 1) * STAGES.len() as u64 / steps) as usize];
        call.progress(step, steps, &format!("{stage}, step {step} of {steps}"));
    }
    Ok(call.reply_as_specified(json!({"batch": "Harbour Espresso, 12 kg", "steps": steps})))
}

fn sign_guest_book(call: &Call) -> Result<Answer, Failure> {
    let question = json!({
        "mode": "form",
        "message": "Who is visiting the shop?",
        "requestedSchema": {
            "type": "object",
            "properties": {"name": {"type": "string", "title": "Your name", "minLength": 1}},
            "required": ["name"],
        },
    });
    let can_ask = call.capabilities.get("elicitation").is_some();
    if call.protocol.is_modern() {
        let response = &call.params["inputResponses"][QUESTION];
        if response.is_object() {
            return greet(call, response);
        }
        if !can_ask {
            let error = RpcError::new(-32021, "missing required client capability");
            let needed = json!({"requiredCapabilities": {"elicitation": {}}});
            return Ok(Answer::Error(error.with_data(needed)));
        }
        return Ok(Answer::Result(Json::of(&json!({
            "resultType": "input_required",
            "inputRequests": {QUESTION: {"method": "elicitation/create", "params": question}},
            "requestState": "guest-book-page-1",
        }))));
    }
    if !can_ask {
        return Err(Failure::new(
            "this client cannot ask the person: it announced no `elicitation`",
        ));
    }
    match call.ask("elicitation/create", &question) {
        None => Ok(Answer::Cancelled),
        Some(response) => match response.get("error") {
            Some(error) => Err(Failure::new(format_args!(
                "the client could not ask: {}",
                error["message"].as_str().unwrap_or("no reason given")
            ))),
            None => greet(call, &response["result"]),
        },
    }
}

/// What the book says, by how the person answered.
fn greet(call: &Call, response: &Value) -> Result<Answer, Failure> {
    let text = match response["action"].as_str() {
        Some("accept") => {
            let name = response["content"]["name"].as_str().unwrap_or_default().trim();
            if name.is_empty() {
                return Err(Failure::new("the answer has no `name`"));
            }
            format!("Welcome, {name}! You are visitor number 418.")
        }
        Some("decline") => "The page stays empty: the visitor would rather not say.".to_owned(),
        _ => "The page stays empty: the visitor left.".to_owned(),
    };
    Ok(text_result(call, &[&text]))
}
