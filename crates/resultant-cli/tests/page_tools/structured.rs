//! Structured output, by the examples of the document that the tools of pages come from: with an
//! output schema a handler's JSON text also becomes structured content, without one it stays text.

use serde_json::{Value, json};

use crate::page::{Bench, VERSIONS, call, names, text};

/// A result with one text.
fn one_text(words: &str) -> Value {
    json!({"content": [{"type": "text", "text": words}]})
}

/// What a client of each version gets of a tool with this schema and this result.
fn results(schema: Option<&Value>, result: &str) -> Vec<(&'static str, Value, Value, String)> {
    let bench = Bench::new(&json!({}));
    let mut page = bench.page();
    match schema {
        Some(schema) => page.register("get", &json!({"outputSchema": schema})),
        None => page.register("get", &json!({})),
    }
    let result = result.to_owned();
    let _page = page.serve(move |page, call| page.answer(call, &result));
    let of = |version: &'static str| {
        let client = bench.client(version);
        assert_eq!(names(&client), ["page_get"]);
        let list = client.result("tools/list", json!({})).expect("a list");
        let tools = list["tools"].as_array().expect("tools").iter();
        let tool = tools.clone().find(|tool| tool["name"] == "page_get").expect("the tool");
        let answer = client.call("page_get", &json!({})).expect("an answer");
        let raw = answer.result().expect("a result").to_owned();
        let result = serde_json::from_str(&raw).expect("JSON");
        (version, tool.clone(), result, raw)
    };
    VERSIONS.map(of).into()
}

fn is_modern(version: &str) -> bool {
    version == "2026-07-28"
}

#[test]
fn without_a_schema_there_is_text_alone() {
    let user = r#"{"name":"John","email":"john@example.com"}"#;
    for (version, tool, result, _) in results(None, &one_text(user).to_string()) {
        assert!(tool.get("outputSchema").is_none(), "{version}");
        assert_eq!(result["content"], json!([{"type": "text", "text": user}]), "{version}");
        assert!(result.get("structuredContent").is_none(), "{version}: {result}");
        assert!(result.get("isError").is_none_or(|is| is == false), "{version}: {result}");
    }
}

#[test]
fn with_a_schema_the_text_is_structured_content_too() {
    let string = json!({"type": "string"});
    let number = json!({"type": "number"});
    // As Zod writes them.
    let user = json!({"type": "object", "properties": {"name": string, "email": string}});
    let product = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {"id": string, "name": string, "price": number, "inStock": {"type": "boolean"}},
        "required": ["id", "name", "price", "inStock"],
        "additionalProperties": false,
    });
    let analytics = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "period": string,
            "summary": {
                "type": "object",
                "properties": {"totalVisits": number, "uniqueVisitors": number},
                "required": ["totalVisits", "uniqueVisitors"],
            },
            "topPages": {"type": "array", "items": {
                "type": "object",
                "properties": {"path": string, "views": number},
                "required": ["path", "views"],
            }},
        },
        "required": ["period", "summary", "topPages"],
    });
    let optional = json!({
        "type": "object",
        "properties": {"firstName": string, "lastName": string, "email": string},
        "required": ["email"],
    });
    let value = json!({"type": "object", "properties": {"value": number}, "required": ["value"]});
    let cases = [
        (user.clone(), r#"{"name":"John","email":"john@example.com"}"#),
        (user, r#"{"name":"John","age":30}"#),
        (product, r#"{"id":"123","name":"Laptop Pro","price":1299.99,"inStock":true}"#),
        (
            analytics,
            r#"{"period":"day","summary":{"totalVisits":10,"uniqueVisitors":7},"topPages":[{"path":"/","views":5}]}"#,
        ),
        (optional, r#"{"email":"john@example.com"}"#),
        (value, r#"{"value":42}"#),
    ];
    for (schema, words) in cases {
        for (version, tool, result, _) in results(Some(&schema), &one_text(words).to_string()) {
            assert!(tool["outputSchema"].is_object(), "{version}: {tool}");
            assert_eq!(result["content"], json!([{"type": "text", "text": words}]), "{version}");
            let expected: Value = serde_json::from_str(words).expect("JSON");
            assert_eq!(result["structuredContent"], expected, "{version}: {result}");
        }
    }
}

#[test]
fn arrays_and_scalars_are_structured_for_every_version() {
    let users = json!({"type": "array", "items": {
        "type": "object",
        "properties": {"id": {"type": "string"}, "name": {"type": "string"}},
        "required": ["id", "name"],
    }});
    let cases = [
        (users, r#"[{"id":"1","name":"Ada"},{"id":"2","name":"Grace"}]"#),
        (json!({"type": "array"}), "[]"),
        (json!({"type": "number"}), "42"),
        (json!({"type": "boolean"}), "true"),
        (json!({"type": "string"}), "\"a word\""),
        (json!({"type": "null"}), "null"),
    ];
    for (schema, words) in cases {
        for (version, tool, result, _) in results(Some(&schema), &one_text(words).to_string()) {
            let value: Value = serde_json::from_str(words).expect("JSON");
            // Before 2026-07-28 structured content is an object, and its schema one of objects.
            let expected = match is_modern(version) {
                true => value,
                false => json!({"result": value}),
            };
            assert_eq!(result["structuredContent"], expected, "{version} {words}: {result}");
            assert_eq!(text(&result), words, "{version}");
            if !is_modern(version) {
                assert_eq!(tool["outputSchema"]["type"], "object", "{version}: {tool}");
            }
        }
    }
}

#[test]
fn the_first_json_text_that_fits_is_taken_and_digits_stay() {
    let schema = json!({"type": "object", "required": ["n"]});
    let blocks = r#"{"content":[{"type":"text","text":"here it is:"},{"type":"text","text":"{\"other\":1}"},{"type":"text","text":"{\"n\":12345678901234567890123.10}"},{"type":"text","text":"{\"n\":2}"}]}"#;
    for (version, _, result, raw) in results(Some(&schema), blocks) {
        assert_eq!(result["content"].as_array().map(Vec::len), Some(4), "{version}: {raw}");
        let structured = r#""structuredContent":{"n":12345678901234567890123.10}"#;
        assert!(raw.contains(structured), "{version}: {raw}");
    }
}

#[test]
fn text_that_is_no_json_goes_through_with_a_note() {
    let schema = json!({"type": "object", "properties": {"id": {"type": "string"}}});
    for (version, _, result, raw) in
        results(Some(&schema), &one_text("Some plain text").to_string())
    {
        assert!(text(&result).contains("Some plain text"), "{version}: {raw}");
        assert!(raw.contains("no text of the result is JSON"), "{version}: {raw}");
        assert_ne!(result["isError"], true, "{version}: {raw}");
    }
}

#[test]
fn what_a_handler_says_itself_is_kept() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "number"}}});
    let own = r#"{"content":[{"type":"text","text":"seen"}],"structuredContent":{"a":1.50},"_meta":{"example.org/x":7}}"#;
    for (version, _, result, raw) in results(Some(&schema), own) {
        assert!(raw.contains(r#""structuredContent":{"a":1.50}"#), "{version}: {raw}");
        assert_eq!(text(&result), "seen", "{version}");
        assert_eq!(result["_meta"]["example.org/x"], 7, "{version}: {raw}");
    }
    // A handler that throws: the package makes this of it.
    let thrown =
        r#"{"content":[{"type":"text","text":"Failed to fetch data: 503"}],"isError":true}"#;
    for (version, _, result, raw) in results(Some(&schema), thrown) {
        assert_eq!(result["isError"], true, "{version}: {raw}");
        assert_eq!(text(&result), "Failed to fetch data: 503", "{version}");
    }
    // Whether there are questions first is not a page's to say.
    let asks = r#"{"content":[{"type":"text","text":"x"}],"resultType":"input_required"}"#;
    for (version, _, result, raw) in results(None, asks) {
        assert_eq!(text(&result), "x", "{version}: {raw}");
        assert_ne!(result["resultType"], "input_required", "{version}: {raw}");
    }
}

#[test]
fn a_result_that_came_in_pieces_is_structured_like_any_other() {
    let bench = Bench::new(&json!({}));
    let mut page = bench.page();
    page.register("rows", &json!({"outputSchema": {"type": "array", "items": {"type": "number"}}}));
    let _page = page.serve(|page, call| {
        let result = one_text("[1, 2, 3.50]").to_string().into_bytes();
        let pieces: Vec<Vec<u8>> = result.chunks(7).map(<[u8]>::to_vec).collect();
        page.stream(call, pieces.into_iter());
    });
    let client = bench.client("2026-07-28");
    let answer = client.call("page_rows", &json!({})).expect("an answer");
    let raw = answer.result().expect("a result");
    assert!(raw.contains(r#""structuredContent":[1, 2, 3.50]"#), "{raw}");
    let again = call(&bench.client("2025-06-18"), "page_rows", &json!({}));
    assert_eq!(again["structuredContent"]["result"], json!([1, 2, 3.5]), "{again}");
}
