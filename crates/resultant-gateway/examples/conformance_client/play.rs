//! What the user does in each scenario.

use std::sync::Arc;

use resultant::{Json, Protocol};
use resultant_gateway::{
    Audience, Caller, Gateway, LocalCall, Question, ServerReport, Step, ToolReport,
};
use serde_json::{Map, Value, json};

use crate::{
    Failure,
    context::{Context, SERVER},
};

/// The suite plays with small servers; one with more than this is not what we think it is.
const CALLS_MAX: usize = 100;

/// Plays a scenario to its end.
pub(crate) async fn play(gateway: &Arc<Gateway>, context: &Context) -> Result<(), Failure> {
    let caller = gateway.caller(SERVER)?;
    let report = caller.report().await.ok_or("the server is not configured")?;
    if let Some(failure) = &report.failure {
        return Err(format!("{}: {}", failure.step, failure.reason).into());
    }
    let protocol = report.protocol.map_or("nothing", Protocol::as_str);
    println!("{} speaks {protocol} and has {} tools", report.server, report.tools.len());
    for oddity in &report.oddities {
        println!("{}: {}", oddity.tool, oddity.reason);
    }
    match context.scenario.as_str() {
        "http-custom-headers" => {
            for call in context.given["toolCalls"].as_array().into_iter().flatten() {
                let name = call["name"].as_str().unwrap_or_default();
                call_tool(&caller, name, &call["arguments"]).await?;
            }
            Ok(())
        }
        "sep-2322-client-request-state" => {
            ask_about_something_else(&caller).await?;
            call_tool(&caller, "test_mrtr_no_state", &json!({})).await?;
            call_tool(&caller, "test_mrtr_no_result_type", &json!({})).await
        }
        "json-schema-2020-12-preservation" => {
            let named = |tool: &&ToolReport| tool.name == "json_schema_2020_12_tool";
            let tool = report.tools.iter().find(named).ok_or("the tool is not listed")?;
            let schema = tool.definition.get("inputSchema").map(|schema| schema.to_value());
            call_tool(&caller, "json_schema_echo", &json!({"schema": schema})).await
        }
        "http-standard-headers" => {
            call_all(&caller, &report).await?;
            read_all(&caller).await
        }
        _ => call_all(&caller, &report).await,
    }
}

/// Calls every tool once, with arguments that its schema asks for.
async fn call_all(caller: &Caller, report: &ServerReport) -> Result<(), Failure> {
    for tool in report.tools.iter().take(CALLS_MAX) {
        let schema = tool.definition.get("inputSchema").map(|schema| schema.to_value());
        let arguments = filled_in(&schema.unwrap_or_default());
        call_tool(caller, &tool.name, &arguments).await?;
    }
    Ok(())
}

/// Reads every resource and gets every prompt.
async fn read_all(caller: &Caller) -> Result<(), Failure> {
    for (list, items, key, method) in [
        ("resources/list", "resources", "uri", "resources/read"),
        ("prompts/list", "prompts", "name", "prompts/get"),
    ] {
        let listed = caller.request(list, None).await?.to_value();
        for item in listed[items].as_array().into_iter().flatten().take(CALLS_MAX) {
            let params = json!({key: item[key]});
            caller.request(method, Some(&Json::of(&params))).await?;
        }
    }
    Ok(())
}

/// A call that asks, and in between, before it is answered, another one that must not know of it.
async fn ask_about_something_else(caller: &Caller) -> Result<(), Failure> {
    let mut call = start(caller, "test_mrtr_echo_state", &json!({}));
    while let Some(step) = call.next().await {
        match step {
            Step::Question(question) => {
                call_tool(caller, "test_mrtr_unrelated", &json!({})).await?;
                call.answer(&question, answer_to(&question));
            }
            Step::Done(done) => return done.map(|_| ()).map_err(Failure::from),
            Step::Progress { .. } | Step::Log { .. } => {}
        }
    }
    Ok(())
}

/// Calls a tool to its end and answers what is asked.
async fn call_tool(caller: &Caller, name: &str, arguments: &Value) -> Result<(), Failure> {
    let mut call = start(caller, name, arguments);
    while let Some(step) = call.next().await {
        match step {
            Step::Question(question) => call.answer(&question, answer_to(&question)),
            Step::Done(Ok(delivery)) => println!("{name}: {:?}", delivery.text),
            Step::Done(Err(error)) => return Err(format!("{name}: {error}").into()),
            Step::Progress { .. } | Step::Log { .. } => {}
        }
    }
    Ok(())
}

fn start(caller: &Caller, name: &str, arguments: &Value) -> LocalCall {
    caller.call(name, &Json::of(arguments), Audience::Contract)
}

/// Accepts, with the form filled in.
fn answer_to(question: &Question) -> Json {
    let schema = question.params.get("requestedSchema").map(|schema| schema.to_value());
    let content = filled_in(&schema.unwrap_or_default());
    Json::of(&json!({"action": "accept", "content": content}))
}

/// An object that fits a schema: every default, and something of the right type for whatever else
/// is required.
fn filled_in(schema: &Value) -> Value {
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut object = Map::new();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        if let Some(default) = property.get("default") {
            object.insert(name.clone(), default.clone());
        } else if required.contains(&name.as_str()) {
            object.insert(name.clone(), example_of(property));
        }
    }
    object.into()
}

fn example_of(property: &Value) -> Value {
    if let Some(first) = property["enum"].as_array().and_then(|values| values.first()) {
        return first.clone();
    }
    match property["type"].as_str().unwrap_or_default() {
        "number" | "integer" => json!(5),
        "boolean" => json!(true),
        "array" => json!([]),
        "object" => filled_in(property),
        _ => json!("example"),
    }
}
