//! The tools that ask the client for something before they answer.
//!
//! None of them knows how it is asked; see `asking`. The names with `input_required_result` are the
//! suite's for modern servers, the others its names for legacy ones. All exist in both eras.

use serde_json::{Value, json};

use crate::{
    asking::{Call, Dialect, Question, State, missing_capability},
    message::Halt,
    tools::text,
};

/// Name, and what it is for.
pub(crate) const WITHOUT_ARGUMENTS: [(&str, &str); 12] = [
    ("test_elicitation_sep1034_defaults", "Asks the user by a form with defaults"),
    ("test_elicitation_sep1330_enums", "Asks the user by a form with each kind of choice"),
    ("test_missing_capability", "Needs a client with sampling"),
    ("test_streaming_elicitation", "Asks the user in the middle of a stream"),
    ("test_input_required_result_elicitation", "Asks for a name"),
    ("test_input_required_result_sampling", "Asks for a capital"),
    ("test_input_required_result_list_roots", "Asks for the roots"),
    ("test_input_required_result_request_state", "Asks, and wants its state back"),
    ("test_input_required_result_multiple_inputs", "Asks for three things at once"),
    ("test_input_required_result_multi_round", "Asks twice"),
    ("test_input_required_result_tampered_state", "Asks, and looks closely at its state"),
    ("test_input_required_result_capabilities", "Asks for what the client can give"),
];

/// `None` for a tool that is not here.
pub(crate) async fn call(call: &Call, name: &str) -> Option<Result<Value, Halt>> {
    Some(match name {
        "test_sampling" => sampling(call).await,
        "test_elicitation" => elicitation(call).await,
        "test_elicitation_sep1034_defaults" => form(call, "defaults", &defaults()).await,
        "test_elicitation_sep1330_enums" => form(call, "choices", &choices()).await,
        "test_missing_capability" => needs_sampling(call).await,
        "test_streaming_elicitation" => {
            call.progress(1, 2);
            form(call, "streamed", &json!({ "name": { "type": "string" } })).await
        }
        "test_input_required_result_elicitation" => greet(call).await,
        "test_input_required_result_sampling" => {
            let question =
                Question::model("capital_question", "What is the capital of France?", 100);
            call.ask_one(question, State::None).await.map(|answer| text(&model_text(&answer)))
        }
        "test_input_required_result_list_roots" => call
            .ask_one(Question::roots("client_roots"), State::None)
            .await
            .map(|answer| text(&format!("The roots are {}.", answer["roots"]))),
        "test_input_required_result_request_state"
        | "test_input_required_result_tampered_state" => confirm(call).await,
        "test_input_required_result_multiple_inputs" => three(call).await,
        "test_input_required_result_multi_round" => two_rounds(call).await,
        "test_input_required_result_capabilities" => what_it_can(call).await,
        _ => return None,
    })
}

async fn sampling(call: &Call) -> Result<Value, Halt> {
    let question = Question::model("completion", call.argument("prompt")?, 100);
    let answer = call.ask_one(question, State::None).await?;
    Ok(text(&format!("LLM response: {}", model_text(&answer))))
}

async fn elicitation(call: &Call) -> Result<Value, Halt> {
    let properties = json!({
        "username": { "type": "string", "description": "User's response" },
        "email": { "type": "string", "description": "User's email address" },
    });
    let question = Question::form("user", call.argument("message")?, &properties);
    let answer = call.ask_one(question, State::None).await?;
    let (action, content) = (&answer["action"], &answer["content"]);
    Ok(text(&format!("User response: action: {action}, content: {content}")))
}

async fn form(call: &Call, name: &'static str, properties: &Value) -> Result<Value, Halt> {
    let question = Question::form(name, "Please fill in the form", properties);
    let answer = call.ask_one(question, State::None).await?;
    let action = answer["action"].as_str().unwrap_or_default();
    Ok(text(&format!("Elicitation completed: action={action}, content={}", answer["content"])))
}

fn defaults() -> Value {
    json!({
        "name": { "type": "string", "default": "John Doe" },
        "age": { "type": "integer", "default": 30 },
        "score": { "type": "number", "default": 95.5 },
        "status": { "type": "string", "enum": ["active", "inactive", "pending"],
            "default": "active" },
        "verified": { "type": "boolean", "default": true },
    })
}

fn choices() -> Value {
    let titled = |kind: &str| -> Value {
        ["First", "Second", "Third"]
            .iter()
            .zip(1..)
            .map(|(title, number)| {
                json!({ "const": format!("value{number}"), "title": format!("{title} {kind}") })
            })
            .collect()
    };
    json!({
        "untitledSingle": { "type": "string", "enum": ["option1", "option2", "option3"] },
        "titledSingle": { "type": "string", "oneOf": titled("Option") },
        "legacyEnum": { "type": "string", "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"] },
        "untitledMulti": { "type": "array",
            "items": { "type": "string", "enum": ["option1", "option2", "option3"] } },
        "titledMulti": { "type": "array", "items": { "anyOf": titled("Choice") } },
    })
}

/// A modern server must say which capability is missing. A legacy one cannot, it just fails.
async fn needs_sampling(call: &Call) -> Result<Value, Halt> {
    // Legacy servers have no error of their own for this: they ask, and are refused.
    if call.dialect == Dialect::Modern && !call.can("sampling") {
        return Err(missing_capability("sampling").into());
    }
    let question = Question::model("needed", "Say anything.", 10);
    call.ask_one(question, State::None).await.map(|answer| text(&model_text(&answer)))
}

fn name_question(name: &'static str, message: &str) -> Question {
    Question::form(name, message, &json!({ "name": { "type": "string" } }))
}

async fn greet(call: &Call) -> Result<Value, Halt> {
    let question = name_question("user_name", "What is your name?");
    let answer = call.ask_one(question, State::None).await?;
    let name = answer["content"]["name"].as_str().unwrap_or("stranger");
    Ok(text(&format!("Hello, {name}!")))
}

async fn confirm(call: &Call) -> Result<Value, Halt> {
    let properties = json!({ "ok": { "type": "boolean" } });
    let question = Question::form("confirm", "Please confirm", &properties);
    call.ask_one(question, State::Signed).await?;
    Ok(text("state-ok"))
}

async fn three(call: &Call) -> Result<Value, Halt> {
    let questions = [
        name_question("user_name", "What is your name?"),
        Question::model("greeting", "Generate a greeting", 50),
        Question::roots("client_roots"),
    ];
    let answers = call.ask(&questions, State::Signed).await?;
    let named: Vec<String> = questions
        .iter()
        .zip(&answers)
        .map(|(question, answer)| format!("{}: {answer}", question.name))
        .collect();
    Ok(text(&named.join("\n")))
}

async fn two_rounds(call: &Call) -> Result<Value, Halt> {
    let question = name_question("step1", "Step 1: What is your name?");
    let first = call.ask_one(question, State::Signed).await?;
    let properties = json!({ "color": { "type": "string" } });
    let question = Question::form("step2", "Step 2: What is your favorite color?", &properties);
    let second = call.ask_one(question, State::Signed).await?;
    let (name, color) = (&first["content"]["name"], &second["content"]["color"]);
    Ok(text(&format!("{name} likes {color}.")))
}

/// The user if that is possible, the model otherwise. A client in the middle may have declared more
/// than the one behind it can do, so a refusal counts as not possible.
async fn what_it_can(call: &Call) -> Result<Value, Halt> {
    if call.can("elicitation") {
        let question = name_question("preferred", "What is your name?");
        match call.ask_one(question, State::None).await {
            Ok(answer) => return Ok(text(&format!("The user said {}.", answer["content"]))),
            Err(Halt::Error(_)) if call.dialect == Dialect::Legacy => {}
            Err(halt) => return Err(halt),
        }
    }
    let question = Question::model("substitute", "What is the user's name?", 50);
    let answer = call.ask_one(question, State::None).await?;
    Ok(text(&format!("The model said {}.", model_text(&answer))))
}

fn model_text(answer: &Value) -> String {
    answer["content"]["text"].as_str().unwrap_or_default().to_owned()
}
