//! The profile `spec`, and clients of other versions.

use serde_json::json;

use super::*;

fn spec<T: serde::Serialize>(value: T, protocol: Protocol) -> String {
    reply(value).profile(Profile::Spec).protocol(protocol).to_json().to_string()
}

#[test]
fn spec_writes_one_text_that_equals_the_structured_content() {
    for (value, wrapped, unwrapped) in [
        (json!({"a": [1, "é"]}), r#"{"a":[1,"é"]}"#, r#"{"a":[1,"é"]}"#),
        (json!([1, [2]]), r#"{"result":[1,[2]]}"#, "[1,[2]]"),
        (json!("x"), r#"{"result":"x"}"#, "\"x\""),
        (json!(1.5), r#"{"result":1.5}"#, "1.5"),
    ] {
        for (protocol, expected) in
            [(Protocol::V2025_06_18, wrapped), (Protocol::V2026_07_28, unwrapped)]
        {
            let result = Json::parse(spec(&value, protocol)).unwrap();
            assert_eq!(result.get("structuredContent").unwrap().as_text(), expected);
            let blocks: Vec<Json> = result.get("content").unwrap().items().collect();
            assert_eq!(blocks, [Block::text(expected).as_json().clone()]);
            assert_eq!(result.get("resultType").is_some(), protocol.is_modern());
        }
    }
}

#[test]
fn spec_keeps_blocks_bytes_pairs_and_nothing() {
    let protocol = Protocol::V2025_11_25;
    assert_eq!(spec((), protocol), r#"{"content":[]}"#);
    assert_eq!(spec(Bytes([0]), protocol), r#"{"content":[{"type":"text","text":"AA=="}]}"#);
    assert_eq!(
        spec((Block::text("a"), json!({"k": [1, 2]}), 5), protocol),
        r#"{"content":[{"type":"text","text":"a"},{"type":"text","text":"{\"k\":[1,2]}"},{"type":"text","text":"5"}]}"#,
    );
    assert_eq!(
        spec(("a", json!({"k": 1})), protocol),
        r#"{"content":[{"type":"text","text":"a"}],"structuredContent":{"k":1}}"#,
    );
    assert_eq!(
        spec(Err::<(), _>(json!({"k": [1, 2]})), protocol),
        r#"{"content":[{"type":"text","text":"{\"k\":[1,2]}"}],"isError":true}"#,
    );
}

#[test]
fn blocks_that_a_version_lacks_are_named_in_a_line() {
    let blocks = || {
        let link = Block::resource_link("file:///a.csv", "a.csv");
        vec![Block::audio([0; 4], "audio/wav"), link.with("mimeType", Json::string("text/csv"))]
    };
    let texts = |protocol| -> Vec<String> {
        let result = reply(blocks()).protocol(protocol).to_json();
        let kinds = result.get("content").unwrap();
        let text = |block: Json| block.get("text").or(block.get("type")).unwrap();
        kinds.items().map(|block| text(block).as_str().unwrap().into_owned()).collect()
    };
    let link = "[link: a.csv file:///a.csv text/csv]";
    assert_eq!(texts(Protocol::V2024_11_05), ["[audio: audio/wav, 4 bytes]", link]);
    assert_eq!(texts(Protocol::V2025_03_26), ["audio", link]);
    assert_eq!(texts(Protocol::V2025_06_18), ["audio", "resource_link"]);
    assert_eq!(reply(blocks()).protocol(Protocol::V2024_11_05).notes().len(), 2);

    // Those of a whole result too.
    let whole = blocks().into_iter().fold(ToolResult::default(), ToolResult::block);
    let result = reply(whole).protocol(Protocol::V2024_11_05).to_json();
    assert!(result.as_text().contains(link));
}

#[test]
fn a_whole_result_is_fitted_to_the_version() {
    let whole = || {
        let list = Json::parse("[1, 2.50]").unwrap();
        ToolResult::default().structured(list).with("resultType", Json::string("complete"))
    };
    assert_eq!(
        reply(whole()).to_json().to_string(),
        r#"{"content":[],"structuredContent":{"result":[1,2.50]}}"#,
    );
    assert_eq!(
        reply(whole()).protocol(Protocol::LATEST).to_json().to_string(),
        r#"{"content":[],"structuredContent":[1,2.50],"resultType":"complete"}"#,
    );
    let null = || ToolResult::default().structured(Json::null());
    assert_eq!(reply(null()).to_json().to_string(), r#"{"content":[]}"#);
    let modern = reply(null()).protocol(Protocol::LATEST).to_json();
    assert!(modern.get("structuredContent").unwrap().is_null());
}

#[test]
fn optional_fields_of_a_block_are_absent_and_not_null() {
    let embedded = Json::parse(
        r#"{"type": "resource", "annotations": null, "resource": {"uri": "a:b", "mimeType": null, "text": "x"}}"#,
    );
    let block = Block::from_json(embedded.unwrap()).unwrap();
    assert_eq!(
        result(block),
        r#"{"content":[{"type":"resource","resource":{"uri":"a:b","text":"x"}}]}"#,
    );
    let text = Block::text("x").with("annotations", Json::null()).with("mine", Json::null());
    assert_eq!(result(text), r#"{"content":[{"type":"text","text":"x","mine":null}]}"#);
}

#[test]
fn resources_by_profile() {
    let contents = |value: serde_json::Value, mime_type: Option<&str>, profile| {
        let result = reply_resource("a://b", mime_type, value).profile(profile).to_json();
        let contents = result.get("contents").unwrap().items().next().unwrap();
        let field = |key| contents.get(key).map(|value| value.as_str().unwrap().into_owned());
        (field("mimeType"), field("text").unwrap())
    };
    for (value, declared, openmcp, spec) in [
        (
            json!({"a": [1, 2]}),
            None,
            ("text/plain", r#"{"a": [1, 2]}"#),
            ("application/json", r#"{"a":[1,2]}"#),
        ),
        (json!([1, 2]), Some("x/y"), ("x/y", "[1, 2]"), ("x/y", "[1,2]")),
        (json!("[1, 2]"), None, ("text/plain", "[1, 2]"), ("text/plain", "[1, 2]")),
    ] {
        for (profile, (mime_type, text)) in [(Profile::Openmcp, openmcp), (Profile::Spec, spec)] {
            let found = contents(value.clone(), declared, profile);
            assert_eq!(found, (Some(mime_type.to_owned()), text.to_owned()));
        }
    }
    let bare = json!({"text": "x"});
    assert_eq!(contents(bare.clone(), Some("x/y"), Profile::Openmcp).0, None);
    assert_eq!(contents(bare.clone(), Some("x/y"), Profile::Spec).0.as_deref(), Some("x/y"));
    assert_eq!(contents(bare, None, Profile::Spec).0.as_deref(), Some("text/plain"));
}

#[test]
fn resources_of_our_own_types() {
    let first = |value: ResourceReply| {
        value.to_json().get("contents").unwrap().items().next().unwrap().to_string()
    };
    assert_eq!(
        first(reply_resource("a:b", None, Block::image([0, 1], "image/png"))),
        r#"{"uri":"a:b","mimeType":"image/png","blob":"AAE="}"#,
    );
    assert_eq!(
        first(reply_resource("a:b", None, (Contents::blob("c:d", [0]), Contents::text("e:f", "")))),
        r#"{"uri":"c:d","blob":"AA=="}"#,
    );
    assert_eq!(
        first(reply_resource("a:b", None, Data(json!({"text": "x"})))),
        r#"{"uri":"a:b","mimeType":"text/plain","text":"{\"text\": \"x\"}"}"#,
    );
    let blob = std::collections::BTreeMap::from([("blob", Bytes([0]))]);
    assert_eq!(first(reply_resource("a:b", None, blob)), r#"{"uri":"a:b","blob":"AA=="}"#);
    // An empty list of contents is no answer to a modern client.
    let empty = || reply_resource("a:b", None, Vec::<u8>::new());
    assert_eq!(empty().to_json().to_string(), r#"{"contents":[]}"#);
    assert!(first(empty().protocol(Protocol::LATEST)).ends_with(r#""text":"[]"}"#));
}
