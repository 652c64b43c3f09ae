//! Inputs that broke something once. Each holds every property, whole and in chunks.

use resultant::{Budget, ClientOptions, Json, Limits, MemorySink, Outcome, Protocol, ReadOptions};

use crate::leaves::{Haystack, tree_of};

const FOUND: &[&str] = &[
    // A text beside a file panicked where it was not ASCII.
    r#"{"content":[{"type":"image","data":"iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB"},{"type":"text","text":"äöü 𝄞 and 24 characters more"}]}"#,
    // An escaped NUL was taken for the mark of a long string.
    r#"{"content":[{"type":"text","text":"\u00000:00"},{"type":"text","text":"a text that is long enough to be cut out"}]}"#,
    // A long text under a key that may hold base64 was dropped.
    r#"{"content":[],"structuredContent":{"data":"prose that is no base64, and long"}}"#,
    r#"{"content":[],"structuredContent":{"data":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa, then prose"}}"#,
    // One file instead of a list of them.
    r#"{"results":1,"returned_file_contents":"aGVsbG8gd29ybGQsIGhlbGxvIHdvcmxk"}"#,
    // A long string in what was left out left a mark that no JSON has.
    r#"{"results":1,"artifacts":[{"name":"a.txt","about":"a text that is long enough to be cut out"}]}"#,
    r#"{"content":[],"structuredContent":{"a":"a text that is long enough to be cut out"},"_meta":{"b":"another text that is long enough"}}"#,
    // What described a file that had to be left out went with it.
    r#"{"results":1,"artifacts":[{"name":"a.txt","b64":"???","description":"the report","x":[1000001]}]}"#,
    // Names, types and digests that are not what they should be.
    r#"{"results":1,"artifacts":[{"name":1000001,"b64":"QQ==","mime":[1000002],"sha256":"not a digest"}]}"#,
    r#"{"results":1,"artifacts":[{"name":"a.txt","b64":"QQ==","mime":"no media type"}]}"#,
    r#"{"results":1,"returned_file_names":[1000001],"returned_file_contents":["QQ=="]}"#,
    // The same names with other bytes are not the same files.
    r#"{"results":1,"artifacts":[{"name":"a.txt","b64":"QQ=="}],"returned_file_names":["a.txt"],"returned_file_contents":["b3RoZXI="]}"#,
    // Members with a name that the outcome uses itself.
    r#"{"success":true,"data":{},"error":null,"meta":{"version":"response-v2"},"results":"shadowed","display":"too"}"#,
    r#"{"results":1,"meta_data":{"value":1000001},"meta-data":1000002}"#,
    r#"{"success":true,"data":{"_warnings":["one"]},"error":null,"meta":{"version":"response-v2","warnings":"another"}}"#,
    r#"{"success":false,"data":{"_meta":{"resultant":{"results":{"error":{"code":1000001},"more":1}}}},"error":"x","meta":{"version":"response-v2"}}"#,
    // An error that is only a flag and what goes with it.
    r#"{"isError":true,"message":"out of paper"}"#,
    r#"{"jsonrpc":"2.0","id":7,"result":{"content":[]},"error":{"message":{"no":"text"},"code":1000001}}"#,
    // What an older client would refuse.
    r#"{"content":[{"type":"resource_link","uri":"a:b","size":"large","icons":[{}],"annotations":{"priority":7}}],"isError":null}"#,
    r#"{"content":[{"type":"resource","resource":{"text":"no address"}}],"_meta":null}"#,
    // An envelope that succeeded inside a result that failed.
    r#"{"content":[],"isError":true,"structuredContent":{"success":true,"data":{"n":1000001},"error":null,"meta":{"version":"response-v2"}}}"#,
];

fn check(outcome: &Outcome, haystack: &Haystack, message: &str) {
    let missing = haystack.missing(&tree_of(&Json::parse(message.to_owned()).unwrap()));
    assert!(missing.is_none(), "lost {missing:?} of {message}\n{outcome:#?}");
    for protocol in Protocol::ALL {
        let options = ClientOptions { protocol, takes_links: true, ..Default::default() };
        let result = outcome.to_client(&options).json;
        let problem = crate::client::problem(protocol, &result);
        assert!(problem.is_none(), "{protocol}: {problem:?}\n{result}");
    }
    for written in [outcome.to_contract(), outcome.to_view(&Budget::default())] {
        assert!(crate::client::is_json(&written), "{written}");
        assert!(!crate::client::has_duplicates(&written), "{written}");
    }
}

#[test]
fn what_broke_once_holds() {
    for message in FOUND {
        let outcome = resultant::read(*message);
        check(&outcome, &Haystack::of(&outcome), message);
        let contract = outcome.to_contract();
        let again = resultant::read(&contract).to_contract();
        assert!(again.same_value(&contract), "{contract}\n{again}");
    }
}

#[test]
fn what_broke_once_holds_in_chunks() {
    for message in FOUND {
        for chunk in [1, 3, 17, 1000] {
            let limits = Limits { string_bytes_max: 20, ..Default::default() };
            let options = ReadOptions { limits, ..Default::default() };
            let mut sink = MemorySink::default();
            let mut reader = options.reader(&mut sink);
            message.as_bytes().chunks(chunk).for_each(|chunk| reader.feed(chunk));
            let outcome = reader.finish();
            let mut haystack = Haystack::of(&outcome);
            sink.strings.values().for_each(|bytes| haystack.add_file(bytes));
            check(&outcome, &haystack, message);
        }
    }
}

#[test]
fn notes_over_the_limit_lose_nothing() {
    let limits = Limits { notes_max: 3, ..Default::default() };
    let options = ReadOptions { limits, ..Default::default() };
    let files: Vec<String> =
        (0..9).map(|at| format!("{{\"name\":\"lost-{at}\",\"size\":{at}}}")).collect();
    let message = format!("{{\"results\":1,\"artifacts\":[{}]}}", files.join(","));
    let outcome = options.read(message.as_str());
    assert_eq!(outcome.notes.len(), 4);
    assert_eq!(outcome.artifacts[0].name, "notes.jsonl");
    check(&outcome, &Haystack::of(&outcome), &message);
}

#[test]
fn names_are_clean_once_they_are_cleaned() {
    let long = format!("a.{}", "x".repeat(253));
    for name in ["e\u{200b}\u{301}.txt", &long, &format!("{} .", "y".repeat(254))] {
        let name = serde_json::to_string(name).unwrap();
        let file = format!("{{\"name\":{name},\"b64\":\"QQ==\"}}");
        let message = format!("{{\"results\":1,\"artifacts\":[{file},{file}]}}");
        let outcome = resultant::read(message);
        let again = resultant::read(&outcome.to_contract());
        for (file, again) in outcome.artifacts.iter().zip(&again.artifacts) {
            assert_eq!(file.name, again.name);
            assert!(file.name.len() <= 255, "{}", file.name.len());
        }
    }
}
