//! The page: every operation behind a summary that a keyboard opens, every schema after them.

use serde_json::Value;

/// The methods in the order in which they are shown.
const METHODS: [&str; 5] = ["get", "head", "post", "put", "delete"];

/// Text that is only text.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// Text in which backticks stand around code.
fn prose(text: &str) -> String {
    let mut out = String::new();
    for (at, part) in text.split('`').enumerate() {
        match at % 2 {
            0 => out.push_str(&escaped(part)),
            _ => out.push_str(&format!("<code>{}</code>", escaped(part))),
        }
    }
    out
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn entries(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value.and_then(Value::as_object).into_iter().flatten()
}

fn items(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    value.and_then(Value::as_array).into_iter().flatten()
}

/// The page of a document.
pub(super) fn page(document: &Value) -> String {
    let info = &document["info"];
    let (title, version) = (escaped(text(info, "title")), escaped(text(info, "version")));
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title} API</title>\n\
         <link rel=\"stylesheet\" href=\"/api/docs/style.css\">\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#operations\">Skip to the operations</a>\n\
         <header>\n<h1>{title} <span>API {version}</span></h1>\n<p>{}</p>\n\
         <p><a href=\"/api/openapi.json\">The OpenAPI document</a></p>\n</header>\n",
        prose(text(info, "description"))
    );
    out.push_str("<nav aria-label=\"Contents\"><ul>\n");
    for tag in items(document.get("tags")) {
        let name = escaped(text(tag, "name"));
        out.push_str(&format!("<li><a href=\"#{}\">{name}</a></li>\n", anchor(&name)));
    }
    out.push_str(
        "<li><a href=\"#schemas\">schemas</a></li>\n<li><a href=\"#problems\">problems</a></li>\n\
         </ul></nav>\n<main id=\"operations\">\n",
    );
    for tag in items(document.get("tags")) {
        let name = text(tag, "name");
        out.push_str(&format!(
            "<section aria-labelledby=\"{0}\">\n<h2 id=\"{0}\">{1}</h2>\n",
            anchor(name),
            escaped(name)
        ));
        for (path, methods) in entries(document.get("paths")) {
            for method in METHODS {
                let Some(operation) = methods.get(method) else { continue };
                if operation["tags"][0] == name {
                    push_operation(&mut out, method, path, operation);
                }
            }
        }
        out.push_str("</section>\n");
    }
    push_schemas(&mut out, document);
    push_problems(&mut out, document);
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

fn anchor(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' })
        .collect()
}

fn push_operation(out: &mut String, method: &str, path: &str, operation: &Value) {
    let id = escaped(text(operation, "operationId"));
    out.push_str(&format!(
        "<details class=\"operation\" id=\"{id}\">\n<summary><span class=\"method {method}\">{}\
         </span> <code class=\"path\">{}</code> <span class=\"what\">{}</span></summary>\n\
         <div class=\"body\">\n",
        method.to_ascii_uppercase(),
        path_html(path),
        prose(text(operation, "summary"))
    ));
    let description = text(operation, "description");
    if !description.is_empty() {
        out.push_str(&format!("<p>{}</p>\n", prose(description)));
    }
    if let Some([]) = operation.get("security").and_then(Value::as_array).map(Vec::as_slice) {
        out.push_str("<p class=\"open\">Needs no credentials.</p>\n");
    }
    let parameters: Vec<&Value> = items(operation.get("parameters")).collect();
    if !parameters.is_empty() {
        out.push_str("<h3>Parameters</h3>\n<dl>\n");
        for parameter in parameters {
            out.push_str(&format!(
                "<dt><code>{}</code> <span class=\"type\">{} · {}</span></dt><dd>{}</dd>\n",
                escaped(text(parameter, "name")),
                escaped(text(parameter, "in")),
                kind_of(&parameter["schema"]),
                prose(text(parameter, "description"))
            ));
        }
        out.push_str("</dl>\n");
    }
    let bodies: Vec<String> =
        entries(operation["requestBody"].get("content")).map(content).collect();
    if !bodies.is_empty() {
        out.push_str(&format!("<h3>Request</h3>\n<ul>{}</ul>\n", bodies.concat()));
    }
    out.push_str("<h3>Responses</h3>\n<dl>\n");
    for (status, response) in entries(operation.get("responses")) {
        let contents: Vec<String> = entries(response.get("content")).map(content).collect();
        let contents = match contents.is_empty() {
            true => String::new(),
            false => format!("<ul>{}</ul>", contents.concat()),
        };
        out.push_str(&format!(
            "<dt><code class=\"status\">{}</code></dt><dd>{}{contents}</dd>\n",
            escaped(status),
            prose(text(response, "description"))
        ));
    }
    out.push_str("</dl>\n</div>\n</details>\n");
}

/// The variable parts of a path stand out.
fn path_html(path: &str) -> String {
    escaped(path).replace('{', "<var>{").replace('}', "}</var>")
}

fn content((media_type, content): (&String, &Value)) -> String {
    let kind = content.get("schema").map_or_else(|| "bytes".to_owned(), kind_of);
    format!("<li><code>{}</code>: {kind}</li>", escaped(media_type))
}

/// What a schema is, in a word, with a link where it has a name.
fn kind_of(schema: &Value) -> String {
    if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        let name = escaped(name.rsplit('/').next().unwrap_or_default());
        return format!("<a href=\"#schema-{name}\">{name}</a>");
    }
    if let Some(all) = schema.get("allOf").or(schema.get("anyOf")).or(schema.get("oneOf")) {
        let kinds: Vec<String> =
            items(Some(all)).map(kind_of).filter(|kind| kind != "null").collect();
        return kinds.join(" or ");
    }
    if let Some(value) = schema.get("const") {
        return format!("<code>{}</code>", escaped(&value.to_string()));
    }
    if let Some(values) = schema.get("enum") {
        let values: Vec<String> = items(Some(values))
            .map(|value| format!("<code>{}</code>", escaped(value.as_str().unwrap_or("null"))))
            .collect();
        return values.join(" or ");
    }
    let types: Vec<&str> = match schema.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => return "any JSON".to_owned(),
    };
    let types: Vec<String> = types
        .into_iter()
        .filter(|kind| *kind != "null")
        .map(|kind| match (kind, schema.get("items"), schema.get("additionalProperties")) {
            ("array", Some(of), _) => format!("list of {}", kind_of(of)),
            ("object", _, Some(of)) if of.is_object() => format!("map to {}", kind_of(of)),
            ("string", ..) if schema.get("format").is_some() => escaped(text(schema, "format")),
            (kind, ..) => escaped(kind),
        })
        .collect();
    types.join(" or ")
}

fn push_schemas(out: &mut String, document: &Value) {
    out.push_str("<section aria-labelledby=\"schemas\">\n<h2 id=\"schemas\">schemas</h2>\n");
    for (name, schema) in entries(document["components"].get("schemas")) {
        let name = escaped(name);
        out.push_str(&format!(
            "<details class=\"schema\" id=\"schema-{name}\">\n<summary><code>{name}</code> \
             <span class=\"what\">{}</span></summary>\n<div class=\"body\">\n",
            prose(text(schema, "description"))
        ));
        push_members(out, schema);
        out.push_str("</div>\n</details>\n");
    }
    out.push_str("</section>\n");
}

fn push_members(out: &mut String, schema: &Value) {
    let choices: Vec<&Value> =
        items(schema.get("oneOf")).chain(items(schema.get("anyOf"))).collect();
    if !choices.is_empty() {
        out.push_str("<p>One of:</p>\n<ul>\n");
        for choice in choices {
            out.push_str(&format!("<li>{}", prose(text(choice, "description"))));
            match choice.get("properties") {
                Some(_) => push_members(out, choice),
                None => out.push_str(&format!(" <span class=\"type\">{}</span>", kind_of(choice))),
            }
            out.push_str("</li>\n");
        }
        out.push_str("</ul>\n");
    }
    let required: Vec<&str> = items(schema.get("required")).filter_map(Value::as_str).collect();
    let mut members = entries(schema.get("properties")).peekable();
    match members.peek() {
        None if schema.get("oneOf").is_none() && schema.get("anyOf").is_none() => {
            out.push_str(&format!("<p class=\"type\">{}</p>\n", kind_of(schema)));
        }
        None => {}
        Some(_) => {
            out.push_str("<dl>\n");
            for (name, member) in members {
                let optional =
                    if required.contains(&name.as_str()) { "" } else { " · may be absent" };
                out.push_str(&format!(
                    "<dt><code>{}</code> <span class=\"type\">{}{optional}</span></dt>\
                     <dd>{}</dd>\n",
                    escaped(name),
                    kind_of(member),
                    prose(text(member, "description"))
                ));
            }
            out.push_str("</dl>\n");
        }
    }
}

fn push_problems(out: &mut String, document: &Value) {
    out.push_str(
        "<section aria-labelledby=\"problems\">\n<h2 id=\"problems\">problems</h2>\n<dl>\n",
    );
    for problem in items(document.get("x-problems")) {
        let anchor = text(problem, "type").split('#').nth(1).unwrap_or_default();
        out.push_str(&format!(
            "<dt id=\"{0}\"><code class=\"status\">{1}</code> {2}</dt>\
             <dd><code>{3}</code><br>{4}</dd>\n",
            escaped(anchor),
            problem["status"],
            prose(text(problem, "title")),
            escaped(text(problem, "type")),
            prose(text(problem, "hint"))
        ));
    }
    out.push_str("</dl>\n</section>\n");
}
