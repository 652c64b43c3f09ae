//! A schema that points at the network or the disk is rejected, and nobody is asked.

use std::{io::ErrorKind, net::TcpListener};

use resultant::{Json, Schema, SchemaError, SchemaLimits};

#[test]
fn no_reference_leaves_the_document() {
    let canary = TcpListener::bind("127.0.0.1:0").unwrap();
    canary.set_nonblocking(true).unwrap();
    let url = format!("http://{}/schema.json", canary.local_addr().unwrap());
    let file = "file:///etc/passwd";

    let places = [
        r#"{"$ref": "URL"}"#,
        r#"{"type": "object", "properties": {"a": {"$ref": "URL#/$defs/a"}}}"#,
        r#"{"$dynamicRef": "URL#node"}"#,
        r#"{"$schema": "https://json-schema.org/draft/2019-09/schema", "$recursiveRef": "URL"}"#,
        r#"{"$schema": "http://json-schema.org/draft-07/schema#", "$ref": "URL"}"#,
        r#"{"$schema": "URL"}"#,
        r#"{"$defs": {"a": {"$schema": "URL", "$id": "URL"}}}"#,
        r#"{"$id": "URL", "$ref": "other.json"}"#,
        r#"{"$defs": {"a": {"$id": "URL", "items": {"$ref": "other.json"}}}}"#,
        r##"{"$ref": "#/x-own", "x-own": {"items": {"$ref": "URL"}}}"##,
    ];
    for target in [url.as_str(), file] {
        for place in places {
            let text = place.replace("URL", target);
            let json = Json::parse(text.clone()).unwrap();
            let error = Schema::compile(&json, &SchemaLimits::default()).unwrap_err();
            let rejected =
                matches!(error, SchemaError::Outside { .. } | SchemaError::Dialect { .. });
            assert!(rejected, "{text}: {error}");
            assert!(!error.to_string().contains("root:"), "{text}: {error}");
        }
        // A name is not an address.
        let named = format!(
            r##"{{"$id": "{target}", "items": {{"$ref": "#/$defs/a"}}, "$defs": {{"a": true}}}}"##
        );
        let named =
            Schema::compile(&Json::parse(named).unwrap(), &SchemaLimits::default()).unwrap();
        assert!(named.check(&Json::parse("[1]").unwrap()).is_valid());
    }
    let nobody = canary.accept().unwrap_err();
    assert_eq!(nobody.kind(), ErrorKind::WouldBlock);
}
