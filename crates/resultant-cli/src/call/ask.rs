//! Asks the person at the terminal what a server wants to know, field by field.

use std::io::{self, BufRead, Write};

use resultant::{Json, Object};

use crate::terminal::one_line;

/// The answer of somebody who would rather not say.
pub(super) fn declined() -> Json {
    let mut result = Object::default();
    result.set("action", Json::string("decline"));
    result.to_json()
}

fn accepted(content: Option<&Object>) -> Json {
    let mut result = Object::default();
    result.set("action", Json::string("accept"));
    if let Some(content) = content {
        result.set("content", content.to_json());
    }
    result.to_json()
}

/// Asks everything and returns the result of `elicitation/create`.
pub(super) fn ask(
    server: &str,
    params: &Json,
    input: &mut impl BufRead,
    out: &mut impl Write,
) -> io::Result<Json> {
    writeln!(out, "{server} asks: {}", text(params, "message").unwrap_or_default())?;
    if text(params, "mode").as_deref() == Some("url") {
        writeln!(out, "  {}", text(params, "url").unwrap_or_default())?;
        return match confirms("Have you been there?", input, out)? {
            true => Ok(accepted(None)),
            false => Ok(declined()),
        };
    }
    let schema = params.get("requestedSchema");
    let required = schema.as_ref().and_then(|schema| schema.get("required"));
    let required: Vec<Json> = required.iter().flat_map(Json::items).collect();
    let properties = schema.as_ref().and_then(|schema| schema.get("properties"));
    let properties: Vec<(String, Json)> = properties
        .iter()
        .flat_map(Json::members)
        .map(|(key, property)| (key.into_owned(), property))
        .collect();
    if properties.is_empty() {
        return match confirms("Yes?", input, out)? {
            true => Ok(accepted(Some(&Object::default()))),
            false => Ok(declined()),
        };
    }
    writeln!(out, "(Enter alone takes the default, or leaves it out; Ctrl-D declines)")?;
    let mut content = Object::default();
    for (key, property) in &properties {
        let is_required = required.iter().any(|name| name.as_str().as_deref() == Some(key));
        match field(key, property, is_required, input, out)? {
            Field::Value(value) => content.set(key, value),
            Field::LeftOut => {}
            Field::Declined => return Ok(declined()),
        }
    }
    Ok(accepted(Some(&content)))
}

enum Field {
    Value(Json),
    LeftOut,
    Declined,
}

fn field(
    key: &str,
    property: &Json,
    is_required: bool,
    input: &mut impl BufRead,
    out: &mut impl Write,
) -> io::Result<Field> {
    let title = text(property, "title").unwrap_or_else(|| one_line(key));
    let choices = choices(property);
    if let Some(description) = text(property, "description") {
        writeln!(out, "  {description}")?;
    }
    for (number, (_, choice)) in choices.iter().enumerate() {
        writeln!(out, "  {}. {choice}", number + 1)?;
    }
    let default = property.get("default").filter(|default| !default.is_null());
    let hint = match (&default, is_required) {
        (Some(default), _) => format!(" [{}]", one_line(&shown(default))),
        (None, true) => String::new(),
        (None, false) => " (optional)".to_owned(),
    };
    loop {
        write!(out, "  {title}{hint}: ")?;
        out.flush()?;
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            writeln!(out)?;
            return Ok(Field::Declined);
        }
        let line = line.trim();
        match (line.is_empty(), &default) {
            (true, Some(default)) => return Ok(Field::Value(default.clone())),
            (true, None) if !is_required => return Ok(Field::LeftOut),
            (true, None) => writeln!(out, "  this one is needed")?,
            (false, _) => match read(line, property, &choices) {
                Ok(value) => return Ok(Field::Value(value)),
                Err(wanted) => writeln!(out, "  this has to be {wanted}")?,
            },
        }
    }
}

/// What can be chosen: the value, and how it is shown.
fn choices(property: &Json) -> Vec<(Json, String)> {
    let items = property.get("items");
    let source = items.as_ref().unwrap_or(property);
    let names: Vec<Json> = source.get("enumNames").iter().flat_map(Json::items).collect();
    let plain = source.get("enum");
    let plain = plain.iter().flat_map(Json::items).enumerate().map(|(at, value)| {
        let name = names.get(at).unwrap_or(&value);
        let name = one_line(&shown(name));
        (value, name)
    });
    let titled = ["oneOf", "anyOf"].into_iter().filter_map(|key| source.get(key));
    let titled: Vec<Json> = titled.flat_map(|list| list.items().collect::<Vec<_>>()).collect();
    let titled = titled.iter().filter_map(|choice| {
        let value = choice.get("const")?;
        let name = text(choice, "title").unwrap_or_else(|| one_line(&shown(&value)));
        Some((value, name))
    });
    plain.chain(titled).collect()
}

/// What was typed as the value that the property wants, or what that would be.
fn read(line: &str, property: &Json, choices: &[(Json, String)]) -> Result<Json, String> {
    let kind = text(property, "type").unwrap_or_default();
    if !choices.is_empty() {
        let choose = |typed: &str| {
            let by_name = choices
                .iter()
                .find(|(value, name)| shown(value) == typed || name.eq_ignore_ascii_case(typed));
            let number = typed.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
            let found = by_name.or_else(|| choices.get(number?));
            found.map(|(value, _)| value.clone())
        };
        if kind == "array" {
            let chosen: Option<Vec<Json>> =
                line.split(',').map(|typed| choose(typed.trim())).collect();
            return chosen
                .map(|chosen| Json::array(&chosen))
                .ok_or_else(|| "numbers of the list, with commas between".to_owned());
        }
        return choose(line).ok_or_else(|| "one of the list, by its number or name".to_owned());
    }
    match kind.as_str() {
        "boolean" => match line.to_lowercase().as_str() {
            "y" | "yes" | "true" => Ok(Json::bool(true)),
            "n" | "no" | "false" => Ok(Json::bool(false)),
            _ => Err("yes or no".to_owned()),
        },
        "integer" => match line.parse::<i64>() {
            Ok(number) => Ok(Json::of(&number)),
            Err(_) => Err("a whole number".to_owned()),
        },
        "number" => match line.parse::<f64>() {
            Ok(number) if number.is_finite() => {
                Ok(Json::parse(line.to_owned()).unwrap_or_else(|_| Json::of(&number)))
            }
            _ => Err("a number".to_owned()),
        },
        _ => Ok(Json::string(line)),
    }
}

fn confirms(question: &str, input: &mut impl BufRead, out: &mut impl Write) -> io::Result<bool> {
    write!(out, "{question} [y/N] ")?;
    out.flush()?;
    let mut line = String::new();
    input.read_line(&mut line)?;
    Ok(matches!(line.trim().to_lowercase().as_str(), "y" | "yes"))
}

fn text(json: &Json, key: &str) -> Option<String> {
    let value = json.get(key)?;
    value.as_str().map(|text| one_line(&text))
}

fn shown(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), |text| text.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(params: &str, typed: &str) -> (String, String) {
        let params = Json::parse(params.to_owned()).expect("JSON");
        let mut out = Vec::new();
        let answer = ask("shop", &params, &mut typed.as_bytes(), &mut out).expect("no disk");
        (answer.to_string(), String::from_utf8(out).expect("UTF-8"))
    }

    const FORM: &str = r#"{"message": "Who\u001b is it?", "requestedSchema": {
        "properties": {
            "name": {"type": "string", "title": "Your name"},
            "age": {"type": "integer"},
            "cup": {"type": "string", "enum": ["s", "l"], "enumNames": ["small", "large"]},
            "sugar": {"type": "boolean", "default": false}},
        "required": ["name", "cup"]}}"#;

    #[test]
    fn every_field_is_asked_until_it_fits() {
        let (result, seen) = answer(FORM, "\nAda\nold\n36\n2\n\n");
        let content = r#"{"name":"Ada","age":36,"cup":"l","sugar":false}"#;
        assert_eq!(result, format!(r#"{{"action":"accept","content":{content}}}"#));
        assert!(seen.starts_with("shop asks: Who\u{fffd} is it?\n"), "{seen}");
        assert!(seen.contains("this one is needed"), "{seen}");
        assert!(seen.contains("this has to be a whole number"), "{seen}");
        assert!(seen.contains("  2. large\n"), "{seen}");
    }

    #[test]
    fn what_is_optional_may_be_left_out_and_the_end_declines() {
        let (result, _) = answer(FORM, "Ada\n\nsmall\nyes\n");
        let content = r#"{"name":"Ada","cup":"s","sugar":true}"#;
        assert_eq!(result, format!(r#"{{"action":"accept","content":{content}}}"#));
        assert_eq!(answer(FORM, "Ada\n").0, r#"{"action":"decline"}"#);
    }

    #[test]
    fn an_address_is_shown_and_confirmed() {
        let params = r#"{"mode": "url", "message": "Pay", "url": "https://pay.example/1"}"#;
        let (result, seen) = answer(params, "y\n");
        assert_eq!(result, r#"{"action":"accept"}"#);
        assert!(seen.contains("https://pay.example/1"), "{seen}");
        assert_eq!(answer(params, "\n").0, r#"{"action":"decline"}"#);
    }
}
