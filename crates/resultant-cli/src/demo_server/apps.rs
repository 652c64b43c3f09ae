//! A tool with a view of its own (MCP Apps): a timer for tea, which a host that knows such views
//! shows beside the conversation. The view calls a tool that is there for it alone.

use resultant::{Block, Failure, Json, ToolResult};
use serde_json::{Value, json};

use super::{
    call::{Answer, Call},
    tools::{Effect, Tool},
};

/// The view.
pub(super) const TIMER: &str = "ui://shop/tea-timer.html";
pub(super) const TIMER_PAGE: &str = include_str!("apps/tea-timer.html");
/// What a host knows a view by.
pub(super) const MIME: &str = "text/html;profile=mcp-app";
const TEAS: [(&str, u64); 3] = [("assam", 240), ("sencha", 90), ("mint", 420)];

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool {
            name: "tea_timer",
            title: "Tea timer",
            description: "How long a tea draws, with a timer that a host can show.",
            dialect: "",
            arguments: json!({"tea": {"type": "string", "enum": ["assam", "sencha", "mint"],
                "default": "assam", "description": "Which tea"}}),
            output: None,
            effect: Effect::Reads,
            run: tea_timer,
        },
        Tool {
            name: "tea_is_ready",
            title: "The tea is ready",
            description: "What the timer says when it is over. It is for the timer, not for the \
                model.",
            dialect: "blocks",
            arguments: json!({"tea": {"type": "string", "default": "assam"}}),
            output: None,
            effect: Effect::Reads,
            run: |call| {
                let tea = call.text("tea")?.unwrap_or("assam");
                Ok(call.reply([Block::text(&format!("Your {tea} is ready."))]))
            },
        },
    ]
}

/// What a tool says of its view.
pub(super) fn ui(tool: &str) -> Option<Value> {
    match tool {
        "tea_timer" => Some(json!({"resourceUri": TIMER, "visibility": ["model", "app"]})),
        "tea_is_ready" => Some(json!({"resourceUri": TIMER, "visibility": ["app"]})),
        _ => None,
    }
}

fn tea_timer(call: &Call) -> Result<Answer, Failure> {
    let tea = call.word("tea", &TEAS.map(|(tea, _)| tea))?;
    let seconds = TEAS.iter().find(|(known, _)| *known == tea).map_or(180, |(_, seconds)| *seconds);
    let text = Block::text(&format!("The {tea} draws for {seconds} seconds."));
    let timer = json!({"tea": tea, "seconds": seconds});
    Ok(call.reply(ToolResult::default().block(text).structured(Json::of(&timer))))
}
