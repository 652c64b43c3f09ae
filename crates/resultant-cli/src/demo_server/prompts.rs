//! Two prompts, and completion of what they and the resources ask for.

use serde_json::{Value, json};

use super::{
    answers::{skus, station_ids},
    call::{Call, RpcError},
    content::shop::{MONTHS, euros, monthly_takings},
};

/// The answer to `prompts/list`.
pub(super) fn list() -> Value {
    json!({"prompts": [
        {
            "name": "monthly_review",
            "title": "Review a month",
            "description": "Asks for a short review of one month's takings",
            "arguments": [{"name": "month", "required": true,
                "description": "Three letters: Jan to Dec"}],
        },
        {
            "name": "put_out_the_sign",
            "title": "Shall the sign go out?",
            "description": "Asks whether the wind at a station lets the sign stand outside",
            "arguments": [{"name": "station", "required": false,
                "description": "A weather station's id"}],
        },
    ]})
}

/// The answer to `prompts/get`.
pub(super) fn get(call: &Call) -> Result<Value, RpcError> {
    let argument = |name: &str| call.params["arguments"][name].as_str();
    let name = call.params["name"].as_str().unwrap_or_default();
    let (description, text) = match name {
        "monthly_review" => {
            let wanted =
                argument("month").ok_or_else(|| RpcError::invalid("`month` is missing"))?;
            let at = MONTHS.iter().position(|month| month.eq_ignore_ascii_case(wanted));
            let at = at.ok_or_else(|| RpcError::invalid(format!("no month `{wanted}`")))?;
            let takings = monthly_takings();
            let (month, cents) = (MONTHS[at], euros(takings[at]));
            let total = euros(takings.iter().sum());
            let text = format!(
                "In {month} 2025 the shop took EUR {cents}, of EUR {total} in the year. Look at \
                 the sales of that month with the tool `transactions` and write three sentences: \
                 what went well, what did not, what to try next year."
            );
            ("Review of a month", text)
        }
        "put_out_the_sign" => {
            let station = argument("station").unwrap_or("heron-point");
            let text = format!(
                "Ask the tool `weather` about the station `{station}`. The sign stays inside when \
                 the wind is over 10 m/s. Answer yes or no, with the number."
            );
            ("The sign", text)
        }
        _ => return Err(RpcError::invalid(format!("unknown prompt: {name}"))),
    };
    Ok(json!({
        "description": description,
        "messages": [{"role": "user", "content": {"type": "text", "text": text}}],
    }))
}

/// The answer to `completion/complete`.
pub(super) fn complete(call: &Call) -> Result<Value, RpcError> {
    let argument = call.params["argument"]["name"].as_str().unwrap_or_default();
    let typed = call.params["argument"]["value"].as_str().unwrap_or_default().to_lowercase();
    let words = match argument {
        "month" => MONTHS.to_vec(),
        "station" => station_ids(),
        "sku" => skus(),
        _ => return Err(RpcError::invalid(format!("nothing to complete for `{argument}`"))),
    };
    let values: Vec<_> =
        words.into_iter().filter(|word| word.to_lowercase().starts_with(&typed)).collect();
    Ok(json!({"completion": {"total": values.len(), "hasMore": false, "values": values}}))
}
