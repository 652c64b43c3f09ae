//! Arguments that a tool wants in HTTP headers too (`x-mcp-header`), and how values are written
//! there.

use std::collections::HashSet;

use resultant::{Json, Kind};

const ENCODED_START: &str = "=?base64?";
const ENCODED_END: &str = "?=";

/// An argument, by its path in the arguments, and its header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HeaderParam {
    path: Vec<String>,
    pub(crate) header: String,
}

impl HeaderParam {
    /// The argument's value as text, where it has one.
    pub(crate) fn value(&self, arguments: &Json) -> Option<String> {
        let mut value = arguments.clone();
        for key in &self.path {
            value = value.get(key)?;
        }
        match value.kind() {
            Kind::String => value.as_str().map(|text| text.into_owned()),
            Kind::Bool | Kind::Number => Some(value.as_text().to_owned()),
            Kind::Null | Kind::Array | Kind::Object => None,
        }
    }
}

/// The header arguments of an input schema; why the tool cannot be used where they are wrong.
pub(super) fn of_schema(schema: Option<&Json>) -> Result<Vec<HeaderParam>, String> {
    let Some(schema) = schema.filter(|schema| schema.as_text().contains("x-mcp-header")) else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    collect(schema, &mut Vec::new(), &mut found)?;
    let mut seen = HashSet::new();
    for param in &found {
        if !seen.insert(param.header.to_ascii_lowercase()) {
            return Err(format!("two arguments have the header `{}`", param.header));
        }
    }
    Ok(found)
}

fn collect(
    schema: &Json,
    path: &mut Vec<String>,
    found: &mut Vec<HeaderParam>,
) -> Result<(), String> {
    let properties = schema.get("properties");
    for (name, property) in properties.iter().flat_map(Json::members) {
        path.push(name.into_owned());
        if let Some(header) = property.get("x-mcp-header") {
            let header = header.as_str().map(|header| header.into_owned());
            let header = header.filter(|header| is_token(header)).ok_or_else(|| {
                format!("the header of the argument `{}` is no token", path.join("."))
            })?;
            let kind = property.get("type");
            let kind = kind.as_ref().and_then(Json::as_str);
            if !matches!(kind.as_deref(), Some("string" | "integer" | "boolean")) {
                let path = path.join(".");
                return Err(format!("the argument `{path}` has a header but no plain type"));
            }
            found.push(HeaderParam { path: path.clone(), header });
        }
        collect(&property, path, found)?;
        path.pop();
    }
    Ok(())
}

fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// A value as it goes into a header: plain, or in base64 where that would not survive.
pub(crate) fn header_value(value: &str) -> String {
    let is_plain = value.bytes().all(|byte| (0x20..=0x7e).contains(&byte))
        && value.trim() == value
        && !(value.starts_with(ENCODED_START) && value.ends_with(ENCODED_END));
    match is_plain {
        true => value.to_owned(),
        false => {
            let encoded = base64_simd::STANDARD.encode_to_string(value);
            format!("{ENCODED_START}{encoded}{ENCODED_END}")
        }
    }
}

/// What a header says; nothing where its base64 is wrong.
pub(crate) fn read_header_value(value: &str) -> Option<String> {
    let value = value.trim();
    let encoded =
        value.strip_prefix(ENCODED_START).and_then(|value| value.strip_suffix(ENCODED_END));
    match encoded {
        Some(encoded) => {
            let bytes = base64_simd::STANDARD.decode_to_vec(encoded).ok()?;
            String::from_utf8(bytes).ok()
        }
        None => Some(value.to_owned()),
    }
}
