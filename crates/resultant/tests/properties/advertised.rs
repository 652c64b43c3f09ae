//! A result never breaks the schema that was advertised for it.

use proptest::{prelude::*, sample::select};
use resultant::{
    Advertise, Budget, ClientOptions, Json, Outcome, Protocol, ReadOptions, Schema, SchemaLimits,
    SchemaPolicy, Sees,
};

use crate::{
    cases,
    generate::{block, contract, envelope},
    tree::{Tree, tree},
};

/// Schemas as tools declare them: of objects, lists and scalars, with and without files.
const SCHEMAS: &[&str] = &[
    r#"{"type": "object"}"#,
    r#"{"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}}"#,
    r#"{"type": "object", "additionalProperties": {"type": "number"}}"#,
    r#"{"type": "object", "required": ["result"], "properties": {"result": {"type": "array"}},
        "x-fastmcp-wrap-result": true}"#,
    r##"{"type": "object", "required": ["results"], "properties": {"artifacts": {"type": "array",
        "items": {"$ref": "#/$defs/file"}}}, "$defs": {"file": {"type": "object",
        "required": ["name", "b64"], "additionalProperties": false,
        "properties": {"name": {"type": "string"}, "b64": {"type": "string"}}}}}"##,
    r#"{"type": "object", "required": ["success", "data", "meta"]}"#,
    r#"{"type": "array", "items": {"type": "integer"}}"#,
    r#"{"type": "string", "maxLength": 12}"#,
    r#"{"type": ["object", "null"]}"#,
    "{}",
];

fn schema(text: &str) -> Schema {
    Schema::compile(&Json::parse(text.to_owned()).unwrap(), &SchemaLimits::default()).unwrap()
}

/// A value that has a chance to be what a schema asks for.
fn structured() -> impl Strategy<Value = Tree> {
    let numbers = proptest::collection::vec(0_u64..2000, 0..400);
    prop_oneof![
        any::<u32>().prop_map(|n| Tree::object([("n", Tree::Number(n.to_string()))])),
        numbers.prop_map(|numbers| {
            Tree::Array(numbers.into_iter().map(|n| Tree::Number(n.to_string())).collect())
        }),
        tree().prop_map(|value| Tree::object([("result", Tree::Array(vec![value]))])),
        contract(),
        envelope(),
        tree(),
    ]
}

/// What a client checks before it hands a result on.
fn check(outcome: &Outcome, schema: &Schema, options: &ClientOptions) -> Result<(), TestCaseError> {
    let advertise = Advertise { may_digest: true, may_problem: true, may_strip_files: true };
    let shown = schema.advertised(options.protocol, advertise);
    let shown = Schema::compile(&shown, &SchemaLimits::default()).unwrap();
    let result = outcome.to_client(options).json;
    if result.get("isError").is_some_and(|flag| flag.as_bool() == Some(true)) {
        return Ok(());
    }
    let structured = result.get("structuredContent");
    prop_assert!(structured.is_some(), "{} {}\n{result}", options.protocol, schema.json());
    let structured = structured.unwrap();
    prop_assert!(options.budget.fits(structured.as_text()), "{structured}");
    let verdict = shown.check(&structured);
    prop_assert!(
        verdict.is_valid(),
        "{} {verdict:?}\n{}\n{result}",
        options.protocol,
        shown.json()
    );
    Ok(())
}

proptest! {
    #![proptest_config(cases(250))]

    #[test]
    fn r12_a_result_is_valid_by_the_schema_that_is_advertised(
        declared in select(SCHEMAS),
        structured in proptest::option::of(structured()),
        blocks in proptest::collection::vec(block(), 0..3),
        is_mirrored in any::<bool>(),
        bytes in select(&[256_usize, 8192][..]),
        policy in select(&[SchemaPolicy::Note, SchemaPolicy::Error][..]),
        sees in select(&[Sees::Either, Sees::Both][..]),
        drops_images in any::<bool>(),
    ) {
        let mut blocks = blocks;
        if let Some(value) = structured.as_ref().filter(|_| is_mirrored) {
            let text = Tree::Text(value.to_text());
            blocks.insert(0, Tree::object([("type", Tree::string("text")), ("text", text)]));
        }
        let mut members = vec![("content", Tree::Array(blocks))];
        members.extend(structured.map(|value| ("structuredContent", value)));
        let message = Tree::object(members).to_text();
        let schema = schema(declared);
        let options = ReadOptions {
            schema: Some(schema.clone()),
            schema_policy: policy,
            ..Default::default()
        };
        let outcome = options.read(message);
        let budget = Budget { bytes, tokens: bytes, ..Budget::default() };
        for protocol in &Protocol::ALL[2..] {
            let options = ClientOptions {
                protocol: *protocol,
                budget,
                is_advertised: true,
                sees,
                drops_images,
                ..Default::default()
            };
            check(&outcome, &schema, &options)?;
        }
    }
}

#[test]
fn r12_what_only_the_text_has_room_for_is_a_digest_all_the_same() {
    let schema = schema(r#"{"type": "object", "required": ["results", "display"]}"#);
    let message = r#"{"content":[],"structuredContent":{"results":null,"meta_data":{"n":1},
        "display":{"x-one":"some words that take room, and more of them than there is room for",
        "x-two":"some words that take room, and more of them than there is room for",
        "x-three":"some words that take room, and more of them than there is room for"}}}"#;
    let options = ReadOptions { schema: Some(schema.clone()), ..Default::default() };
    let outcome = options.read(message);
    let budget = Budget { bytes: 256, ..Budget::default() };
    let options = ClientOptions { budget, is_advertised: true, ..Default::default() };
    check(&outcome, &schema, &options).unwrap();
}
