//! Requests that the server makes of the client.

use std::sync::Arc;

use crate::wire::Wire;

pub(crate) const TOOLS: &[&str] = &[
    "elicit",
    "elicit_slowly",
    "sample",
    "roots",
    "unknown_request",
    "ping_back",
    "many_questions",
    "ask_later",
];

const ELICITATION: &str = r#"{"message":"who are you?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}"#;
const SAMPLING: &str = r#"{"messages":[],"maxTokens":5}"#;

/// Asks; the result says what came back.
pub(crate) fn call(wire: &Arc<Wire>, tool: &str, id: &str) -> bool {
    let answer = match tool {
        "elicit" => wire.ask("elicitation/create", ELICITATION),
        "elicit_slowly" => {
            // Long enough for others to call too.
            std::thread::sleep(std::time::Duration::from_millis(1500));
            wire.ask("elicitation/create", ELICITATION)
        }
        "sample" => wire.ask("sampling/createMessage", SAMPLING),
        "roots" => wire.ask("roots/list", "{}"),
        "unknown_request" => wire.ask("no/such/method", "{}"),
        "ping_back" => wire.ask("ping", "{}"),
        "many_questions" => {
            for number in 0..5000 {
                wire.line(&format!(
                    r#"{{"jsonrpc":"2.0","id":"m{number}","method":"elicitation/create","params":{ELICITATION}}}"#
                ));
            }
            "asked".to_owned()
        }
        "ask_later" => {
            wire.text(id, "asked later");
            // The answer goes to the log, because no call waits for it.
            let answer = wire.ask("elicitation/create", ELICITATION);
            crate::wire::note("later", &answer);
            return true;
        }
        _ => return false,
    };
    wire.text(id, &answer.replace('\\', "\\\\").replace('"', "\\\""));
    true
}
