//! The tools: what the list says about them, and how a call finds the right one.

use std::sync::LazyLock;

use resultant::{Advertise, Failure, Json, Protocol, Schema, SchemaLimits};
use serde_json::{Value, json};

use super::{
    answers, apps, big,
    call::{Answer, Call, RpcError},
    dashboard, failures, files, forms, gallery, slow,
};

/// Where a tool says which convention its result is written in.
pub(super) const DIALECT_KEY: &str = "resultant.demo/dialect";

/// A tool of the shop.
pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) description: &'static str,
    /// The convention of its result, as `resultant` calls it; empty where there is no result.
    pub(super) dialect: &'static str,
    /// The properties of its arguments, of which none is required; or the whole schema.
    pub(super) arguments: Value,
    pub(super) output: Option<Value>,
    pub(super) effect: Effect,
    pub(super) run: fn(&Call) -> Result<Answer, Failure>,
}

/// What a call leaves behind.
#[derive(Clone, Copy)]
pub(super) enum Effect {
    /// Nothing.
    Reads,
    /// Something, and something else when it is called again.
    Writes,
}

static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    let rooms = [
        answers::tools(),
        files::tools(),
        failures::tools(),
        slow::tools(),
        big::tools(),
        dashboard::tools(),
        gallery::tools(),
        forms::tools(),
        apps::tools(),
    ];
    rooms.into_iter().flatten().collect()
});

/// Every tool as `tools/list` has it for a client of this version.
pub(super) fn list(protocol: Protocol) -> Vec<Value> {
    TOOLS.iter().map(|tool| tool.describe(protocol)).collect()
}

/// The answer to `tools/call`.
pub(super) fn call(call: &Call) -> Answer {
    let name = call.params["name"].as_str().unwrap_or_default();
    let Some(tool) = TOOLS.iter().find(|tool| tool.name == name) else {
        return Answer::Error(RpcError::invalid(format!("unknown tool: {name}")));
    };
    (tool.run)(call).unwrap_or_else(|failure| call.reply(failure))
}

impl Tool {
    fn input(&self) -> Value {
        match self.arguments["type"] == "object" {
            true => self.arguments.clone(),
            false => json!({
                "type": "object",
                "properties": self.arguments,
                "additionalProperties": false,
            }),
        }
    }

    fn describe(&self, protocol: Protocol) -> Value {
        let reads = matches!(self.effect, Effect::Reads);
        let mut tool = json!({
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": self.input(),
            "annotations": {
                "title": self.title,
                "readOnlyHint": reads,
                "destructiveHint": false,
                "idempotentHint": reads,
                "openWorldHint": false,
            },
            "_meta": {DIALECT_KEY: self.dialect},
        });
        if let Some(ui) = apps::ui(self.name) {
            tool["_meta"]["ui"] = ui;
        }
        if let Some(output) = &self.output
            && protocol.has_structured_content()
            && let Ok(schema) = Schema::compile(&Json::of(output), &SchemaLimits::default())
        {
            tool["outputSchema"] = schema.advertised(protocol, Advertise::default()).to_value();
        }
        tool
    }
}
