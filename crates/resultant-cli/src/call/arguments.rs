//! A tool's arguments as people type them: JSON, a file, standard input, or pairs.
//!
//! Pairs have no types of their own, so the tool's input schema decides: what it calls a string
//! stays one, whatever it looks like.

use std::{
    fs,
    io::{self, Read as _},
};

use anyhow::{Context as _, bail, ensure};
use resultant::{Json, Kind, Object};

/// Arguments before the tool is known.
#[derive(Debug)]
pub(super) enum Given {
    Object(Json),
    Pairs(Vec<(String, String)>),
}

impl Given {
    pub(super) fn read(typed: &[String]) -> anyhow::Result<Given> {
        match typed {
            [] => Ok(Given::Pairs(Vec::new())),
            [one] if one == "-" => {
                let mut text = String::new();
                io::stdin().read_to_string(&mut text).context("cannot read standard input")?;
                object(&text, "standard input")
            }
            [one] if one.starts_with('@') => {
                let path = &one[1..];
                let text =
                    fs::read_to_string(path).with_context(|| format!("cannot read {path}"))?;
                object(&text, path)
            }
            [one] if one.trim_start().starts_with(['{', '[']) => object(one, "the argument"),
            pairs => {
                pairs.iter().map(|pair| pair_of(pair)).collect::<Result<_, _>>().map(Given::Pairs)
            }
        }
    }

    /// The arguments, with the types that the input schema wants.
    pub(super) fn to_json(&self, schema: Option<&Json>) -> anyhow::Result<Json> {
        let pairs = match self {
            Given::Object(json) => return Ok(json.clone()),
            Given::Pairs(pairs) => pairs,
        };
        let properties = schema.and_then(|schema| schema.get("properties"));
        let mut object = Object::default();
        for (key, _) in pairs {
            if object.get(key).is_some() {
                continue;
            }
            let property = properties.as_ref().and_then(|properties| properties.get(key));
            let values: Vec<&str> = pairs
                .iter()
                .filter(|(other, _)| other == key)
                .map(|(_, value)| value.as_str())
                .collect();
            object.set(key, value_of(key, &values, property.as_ref())?);
        }
        Ok(object.to_json())
    }
}

fn object(text: &str, what: &str) -> anyhow::Result<Given> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).trim().to_owned();
    let json = Json::parse(text).with_context(|| format!("{what} is not JSON"))?;
    ensure!(json.is_object(), "{what} is no JSON object; arguments have names: {{\"name\": …}}");
    Ok(Given::Object(json))
}

fn pair_of(typed: &str) -> anyhow::Result<(String, String)> {
    match typed.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => bail!(
            "`{typed}` is no argument: give one JSON object, `@FILE`, `-`, or KEY=VALUE pairs"
        ),
    }
}

fn value_of(key: &str, values: &[&str], property: Option<&Json>) -> anyhow::Result<Json> {
    let kinds = kinds_of(property);
    let is_list = kinds.contains(&Kind::Array);
    match values {
        [one] => match typed(one, &kinds) {
            Some(value) => Ok(value),
            // A list with one item.
            None if is_list => items(key, values, property),
            None => bail!("`{key}` has to be {}, and `{one}` is not", words(&kinds)),
        },
        _ if is_list || kinds.is_empty() => items(key, values, property),
        _ => bail!("`{key}` is given {} times, and is no list", values.len()),
    }
}

fn items(key: &str, values: &[&str], property: Option<&Json>) -> anyhow::Result<Json> {
    let kinds = kinds_of(property.and_then(|property| property.get("items")).as_ref());
    let item = |value: &&str| {
        let item = typed(value, &kinds);
        item.with_context(|| format!("an item of `{key}` has to be {}", words(&kinds)))
    };
    let items: Vec<Json> = values.iter().map(item).collect::<Result<_, _>>()?;
    Ok(Json::array(&items))
}

/// A typed text as a value of one of these kinds; of any kind where there are none.
fn typed(text: &str, kinds: &[Kind]) -> Option<Json> {
    let takes_text = kinds.is_empty() || kinds.contains(&Kind::String);
    let json = Json::parse(text.to_owned()).ok();
    let json = json.filter(|json| match kinds.is_empty() {
        true => true,
        // Quotes are part of a text that is wanted as text.
        false => json.kind() != Kind::String && kinds.contains(&json.kind()),
    });
    json.or_else(|| takes_text.then(|| Json::string(text)))
}

/// The kinds that a schema names; none where it does not say.
fn kinds_of(schema: Option<&Json>) -> Vec<Kind> {
    let Some(schema) = schema else { return Vec::new() };
    let named = schema.get("type");
    let one = named.as_ref().and_then(kind_of);
    let many = named.iter().flat_map(Json::items).filter_map(|named| kind_of(&named));
    let mut kinds: Vec<Kind> = one.into_iter().chain(many).collect();
    for key in ["anyOf", "oneOf"] {
        for branch in schema.get(key).iter().flat_map(Json::items) {
            match kinds_of(Some(&branch)) {
                // One branch that takes anything makes the whole take anything.
                of_branch if of_branch.is_empty() => return Vec::new(),
                of_branch => kinds.extend(of_branch),
            }
        }
    }
    if kinds.is_empty() {
        kinds.extend(schema.get("enum").iter().flat_map(Json::items).map(|value| value.kind()));
    }
    kinds
}

fn kind_of(named: &Json) -> Option<Kind> {
    match &*named.as_str()? {
        "string" => Some(Kind::String),
        "number" | "integer" => Some(Kind::Number),
        "boolean" => Some(Kind::Bool),
        "object" => Some(Kind::Object),
        "array" => Some(Kind::Array),
        "null" => Some(Kind::Null),
        _ => None,
    }
}

fn words(kinds: &[Kind]) -> String {
    let word = |kind: &Kind| match kind {
        Kind::String => "text",
        Kind::Number => "a number",
        Kind::Bool => "true or false",
        Kind::Object => "a JSON object",
        Kind::Array => "a list",
        Kind::Null => "null",
    };
    let words: Vec<&str> = kinds.iter().map(word).collect();
    words.join(" or ")
}

#[cfg(test)]
mod tests {
    use super::Given;
    use resultant::Json;

    fn check(typed: &[&str], schema: &str, expected: Result<&str, &str>) {
        let typed: Vec<String> = typed.iter().map(|text| (*text).to_owned()).collect();
        let schema = Json::parse(schema.to_owned()).expect("a schema");
        let json = Given::read(&typed).and_then(|given| given.to_json(Some(&schema)));
        let json = json.map(|json| json.to_string()).map_err(|error| format!("{error:#}"));
        assert_eq!(json.as_deref().map_err(String::as_str), expected, "{typed:?}");
    }

    #[test]
    fn pairs_have_the_types_of_the_schema() {
        let schema = r#"{"properties": {
            "zip": {"type": "string"}, "n": {"type": "integer"}, "on": {"type": "boolean"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "maybe": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "level": {"enum": ["low", "high"]}}}"#;
        check(&[], schema, Ok("{}"));
        check(&["zip=01234", "n=3", "on=true"], schema, Ok(r#"{"zip":"01234","n":3,"on":true}"#));
        check(&["zip=12", "zip2=12"], schema, Ok(r#"{"zip":"12","zip2":12}"#));
        check(&["zip=\"a\""], schema, Ok(r#"{"zip":"\"a\""}"#));
        check(&["tags=1", "tags=b"], schema, Ok(r#"{"tags":["1","b"]}"#));
        check(&["tags=1"], schema, Ok(r#"{"tags":["1"]}"#));
        check(&["tags=[]"], schema, Ok(r#"{"tags":[]}"#));
        check(&["maybe=null"], schema, Ok(r#"{"maybe":null}"#));
        check(&["maybe=x=y"], schema, Ok(r#"{"maybe":"x=y"}"#));
        check(&["level=low"], schema, Ok(r#"{"level":"low"}"#));
        check(&["n=many"], schema, Err("`n` has to be a number, and `many` is not"));
        check(&["zip=1", "zip=2"], schema, Err("`zip` is given 2 times, and is no list"));
    }

    #[test]
    fn json_stays_as_it_is() {
        check(&[r#"{"n": 1.50}"#], "{}", Ok(r#"{"n":1.50}"#));
        check(
            &["[1]"],
            "{}",
            Err("the argument is no JSON object; arguments have names: {\"name\": …}"),
        );
        check(
            &["n"],
            "{}",
            Err("`n` is no argument: give one JSON object, `@FILE`, `-`, or KEY=VALUE pairs"),
        );
    }
}
