//! A tool as a page registers it: what is taken of it, and why it may be refused.
//!
//! Definitions of other servers are repaired, because their authors are far away. A page's author
//! sits in front of it, so what is wrong is told, and nothing is offered that is not as written.

use resultant::{Json, Object};

use super::Refusal;
use crate::{catalog::Tool, config::ServerConfig};

/// What a definition may say; the rest is none of a page's.
const KEYS: [&str; 6] =
    ["name", "title", "description", "inputSchema", "outputSchema", "annotations"];
/// Bytes of a definition.
const DEFINITION_BYTES_MAX: usize = 64 << 10;
/// Characters of a name, of those that every client takes.
const NAME_CHARS_MAX: usize = 128;

/// The name and the definition of a tool, or why it cannot be offered.
pub(super) fn read(tool: &Json, config: &ServerConfig) -> Result<(String, Json), Refusal> {
    let mut definition = Object::default();
    for key in KEYS {
        if let Some(value) = tool.get(key).filter(|value| !value.is_null()) {
            definition.set(key, value);
        }
    }
    let name = definition.get("name").and_then(Json::as_str).unwrap_or_default().into_owned();
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if !(1..=NAME_CHARS_MAX).contains(&name.len()) || !name.chars().all(is_allowed) {
        let hint = format!("1 to {NAME_CHARS_MAX} of the characters A-Z, a-z, 0-9, `_`, `-`, `.`");
        return Err(Refusal::new("this is no name for a tool", hint));
    }
    if !config.tools.allows(&name) {
        let reason = format!("the tool `{name}` is not allowed here");
        let hint = format!("see `tools` of `servers.{}` in the configuration", config.name);
        return Err(Refusal::new(reason, hint));
    }
    let json = definition.to_json();
    let len = json.as_text().len();
    if len > DEFINITION_BYTES_MAX {
        let reason = format!("the definition of `{name}` has {len} bytes");
        return Err(Refusal::new(reason, format!("at most {DEFINITION_BYTES_MAX} are taken")));
    }
    let (tool, repairs) = Tool::read(&json, config).map_err(|reason| {
        Refusal::new(format!("the tool `{name}` cannot be used: {reason}"), "change its definition")
    })?;
    if tool.schema.is_none() && definition.get("outputSchema").is_some() {
        let reason = repairs.last().map_or("its output schema cannot be used", String::as_str);
        let hint = "a JSON Schema without references to other documents";
        return Err(Refusal::new(format!("`{name}`: {reason}"), hint));
    }
    Ok((name, json))
}

#[cfg(test)]
mod tests {
    use resultant::Json;

    use super::read;
    use crate::config::Config;

    #[test]
    fn what_a_page_may_offer_and_what_not() {
        let config = Config::parse("{}", std::path::Path::new("."), &|_| None).unwrap().config;
        let config = &config.pages.as_ref().expect("pages are on").server;
        let refused = |text: &str| {
            read(&Json::parse(text.to_owned()).expect("JSON"), config).err().map(|r| r.reason)
        };
        let fine = r#"{"name":"get_user","description":"d","inputSchema":{"type":"object"},
            "outputSchema":{"type":"array","items":{"type":"string"}}}"#;
        assert_eq!(refused(fine), None);
        for (text, reason) in [
            (r#"{"description":"d"}"#, "no name"),
            (r#"{"name":"a b"}"#, "no name"),
            (r#"{"name":"a","outputSchema":{"$ref":"https://example.org/x"}}"#, "output schema"),
            (r#"{"name":"a","outputSchema":7}"#, "output schema"),
        ] {
            let refused = refused(text);
            assert!(refused.as_ref().is_some_and(|is| is.contains(reason)), "{text}: {refused:?}");
        }
        let long = format!(r#"{{"name":"a","description":"{}"}}"#, "x".repeat(65 << 10));
        assert!(refused(&long).is_some_and(|reason| reason.contains("bytes")));
        let json = Json::parse(r#"{"name":"a","_meta":{"ui":{"resourceUri":"ui://x"}},"x":1}"#);
        let (_, kept) = read(&json.expect("JSON"), config).expect("a tool");
        assert_eq!(kept.to_string(), r#"{"name":"a"}"#, "what is not known is left out");
    }
}
