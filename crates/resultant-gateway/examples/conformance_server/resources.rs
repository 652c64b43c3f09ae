//! The resources: two that stay, one that is watched, and a template.

use serde_json::{Value, json};

use crate::{
    asking::{Call, Dialect},
    message::{Failure, Halt, INVALID_PARAMS, RESOURCE_NOT_FOUND},
    tools::{PIXEL_PNG, WATCHED},
};

pub(crate) fn list() -> Value {
    json!({ "resources": [
        { "uri": "test://static-text", "name": "static-text", "description": "A text",
            "mimeType": "text/plain" },
        { "uri": "test://static-binary", "name": "static-binary", "description": "An image",
            "mimeType": "image/png" },
        { "uri": WATCHED, "name": "watched-resource", "description": "A text to subscribe to",
            "mimeType": "text/plain" },
    ] })
}

pub(crate) fn templates() -> Value {
    json!({ "resourceTemplates": [
        { "uriTemplate": "test://template/{id}/data", "name": "template",
            "description": "Data by its id", "mimeType": "application/json" },
    ] })
}

pub(crate) fn read(call: &Call) -> Result<Value, Halt> {
    let uri = call.text("uri")?;
    let text = |mime_type: &str, text: &str| json!({ "contents": [{ "uri": uri, "mimeType": mime_type, "text": text }] });
    if let Some(id) = uri.strip_prefix("test://template/").and_then(|rest| {
        rest.strip_suffix("/data").filter(|id| !id.is_empty() && !id.contains('/'))
    }) {
        let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
        return Ok(text("application/json", &data.to_string()));
    }
    match uri {
        "test://static-text" => {
            Ok(text("text/plain", "This is the content of the static text resource."))
        }
        "test://static-binary" => Ok(json!({ "contents": [
            { "uri": uri, "mimeType": "image/png", "blob": PIXEL_PNG },
        ] })),
        WATCHED => Ok(text("text/plain", "Somebody may be watching this.")),
        _ => {
            let code = match call.dialect {
                Dialect::Legacy => RESOURCE_NOT_FOUND,
                Dialect::Modern => INVALID_PARAMS,
            };
            Err(Failure::with(code, "Resource not found", json!({ "uri": uri })).into())
        }
    }
}
