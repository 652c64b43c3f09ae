//! The whole way, on a real store: what a client sends, and what the tool gets.

use std::{path::Path, sync::Arc, time::Duration};

use proptest::{prelude::*, test_runner::TestRunner};
use resultant_store::{
    Action, Audience, Grant, Kind, Lifetimes, NewFile, Origin, Place, Quotas, SessionKind,
    StoreOptions, Wanted,
};
use tempfile::TempDir;

use super::*;
use crate::{caller::User, config::Config};

pub(crate) async fn open_store() -> (TempDir, Arc<Store>) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(StoreOptions {
        folder: folder.path().to_owned(),
        place: Some(Place::Memory),
        database: None,
        quotas: Quotas { user_bytes_max: u64::MAX, session_bytes_max: u64::MAX },
        lifetimes: Lifetimes { tool_s: 300, person_s: 3600, rotate_s: 86_400 },
        patience: Duration::from_secs(30),
        old_owner: "local".to_owned(),
    });
    (folder, store.await.unwrap())
}

/// A token, its id, and the key of what it opens.
pub(crate) async fn token_of(store: &Store) -> (String, Id, Id) {
    let key = Id::new();
    let grant = Grant {
        kind: Kind::File,
        subject: key,
        action: Action::Read,
        audience: Audience::Tool,
        owner: "u".to_owned(),
        session: "s".to_owned(),
        is_single_use: false,
    };
    let (token, record) = store.mint(grant, None).await.unwrap();
    (token, record.id, key)
}

/// A store with some files, and somebody who calls.
struct World {
    _folder: TempDir,
    store: Arc<Store>,
    handover_bytes_max: u64,
    users_authenticate: bool,
}

impl World {
    async fn new() -> World {
        let (folder, store) = open_store().await;
        let world = World {
            _folder: folder,
            store,
            handover_bytes_max: 16 << 20,
            users_authenticate: true,
        };
        let ada = caller("ada", "one");
        world.keep(&ada, "report.csv", b"a,b\n1,\"2\"\n", Some("files")).await;
        world.keep(&ada, "Gr\u{f6}\u{df}e.txt", "gro\u{df}".as_bytes(), None).await;
        world.keep(&ada, "data.json", b" {\"n\": 1.50}\n", Some("other")).await;
        world.keep(&ada, "logo.png", b"\x89PNG\r\n\x1a\n\xff", None).await;
        world.keep(&caller("ada", "two"), "elsewhere.txt", b"far", None).await;
        world.keep(&caller("bob", "one"), "secret.txt", b"bob's", None).await;
        world
    }

    async fn keep(&self, caller: &Caller, name: &str, bytes: &[u8], server: Option<&str>) -> Id {
        let mut incoming = self.store.incoming().unwrap();
        incoming.write(bytes).unwrap();
        let origin = match server {
            Some(server) => {
                Origin::Tool { server: server.to_owned(), tool: "t".to_owned(), call: None }
            }
            None => Origin::Upload,
        };
        let new = NewFile {
            name: name.to_owned(),
            mime: "text/plain".to_owned(),
            description: None,
            viewer: None,
            origin,
        };
        let whole = incoming.finish().unwrap();
        let kept = self.store.keep(caller.owner(), &caller.session, caller.kind, new, whole);
        kept.await.unwrap().key
    }

    async fn prepare(
        &self,
        caller: &Caller,
        server: &str,
        schema: &str,
        arguments: &str,
    ) -> Result<Prepared, String> {
        let text = format!(r#"{{"mcpServers": {{"files": {server}}}}}"#);
        let config = Config::parse(&text, Path::new("/"), &|_| Some("/".to_owned())).unwrap();
        let server = &config.config.servers[0];
        let preparing = Preparing {
            store: &self.store,
            caller,
            users_authenticate: self.users_authenticate,
            public_url: "http://gate.example/",
            server,
            handover_bytes_max: self.handover_bytes_max,
            asking: None,
        };
        let input = Input::read(&json(schema), &server.inject);
        let arguments = (!arguments.is_empty()).then(|| json(arguments));
        let prepared = prepare(&preparing, Some(&input), arguments.as_ref()).await;
        prepared.map_err(|refused| refused.to_string())
    }
}

fn json(text: &str) -> Json {
    Json::parse(text.to_owned()).unwrap()
}

fn caller(user: &str, session: &str) -> Caller {
    let user = User {
        id: user.to_owned(),
        name: user.to_owned(),
        email: Some(format!("{user}@math.example")),
        is_authenticated: true,
    };
    Caller::of(Arc::new(user)).within(session, SessionKind::Api)
}

const LOCAL: &str = r#"{"command": "x"}"#;
const REMOTE: &str = r#"{"url": "https://mcp.example/mcp"}"#;
const OWN_ONLY: &str = r#"{"command": "x", "resultant": {"handover": "same-server"}}"#;

fn text(prepared: &Prepared) -> &str {
    prepared.arguments.as_ref().expect("they changed").as_text()
}

#[tokio::test]
async fn names_of_files_become_addresses_that_open_them() {
    let world = World::new().await;
    let ada = caller("ada", "one");
    let sent = r#"{ "filename":"report.csv", "file_names": ["Gro\u0308ße.txt", "report.csv", "no"],
        "n": 1.50 }"#;
    let prepared = world.prepare(&ada, LOCAL, "{}", sent).await.unwrap();
    let [report, size] = prepared.minted.as_slice() else { panic!("{prepared:?}") };
    assert_eq!((report.name.as_str(), size.name.as_str()), ("report.csv", "Gr\u{f6}\u{df}e.txt"));
    let expected = sent
        .replace("\"report.csv\"", &format!("\"{}\"", report.url))
        .replace("\"Gro\\u0308ße.txt\"", &format!("\"{}\"", size.url));
    assert_eq!(text(&prepared), expected);
    let start = format!("http://gate.example/api/files/download/{}?token=", report.key);
    assert_eq!(report.url, format!("{start}{}", report.token));
    let wanted = Wanted { kind: Kind::File, subject: Some(report.key), action: Action::Read };
    let record = world.store.check(&report.token, wanted).await.unwrap().unwrap();
    assert_eq!((record.id, record.grant.audience), (report.id, Audience::Tool));
    assert_eq!((record.grant.owner.as_str(), record.grant.session.as_str()), ("ada", "one"));
    let wrong = Wanted { subject: Some(size.key), ..wanted };
    assert!(world.store.check(&report.token, wrong).await.unwrap().is_err());
    let handed: Value = serde_json::from_str(&prepared.handed_json()).unwrap();
    let key = report.key.to_string();
    assert_eq!(
        handed[0],
        serde_json::json!(
            {"name": "report.csv", "key": key, "as": "url", "argument": "/filename"})
    );
    assert_eq!(handed.as_array().unwrap().len(), 3);
    assert!(!format!("{prepared:?}").contains(&report.token) || text(&prepared).contains("token"));
    assert!(!format!("{:?}", prepared.minted).contains(&report.token));
}

#[tokio::test]
async fn a_name_that_no_file_has_is_passed_on() {
    let world = World::new().await;
    let ada = caller("ada", "one");
    for (name, near) in [
        ("reprot.csv", Some("near names: `report.csv`")),
        ("out/Report.CSV", Some("near names: `report.csv`")),
        ("../../etc/passwd", None),
        ("C:\\\\x", None),
        ("con.txt", None),
        ("report.csv.", Some("near names: `report.csv`")),
        ("\\u202Ereport.csv", Some("near names: `report.csv`")),
        ("a\\u0000b", None),
        (".htaccess", None),
        // Of another session, and of another user.
        ("elsewhere.txt", None),
        ("secret.txt", None),
        ("secrets.txt", None),
    ] {
        let sent = format!(r#"{{"filename": "{name}"}}"#);
        let prepared = world.prepare(&ada, LOCAL, "{}", &sent).await.unwrap();
        assert!(prepared.arguments.is_none() && prepared.minted.is_empty(), "{prepared:?}");
        let [note] = prepared.notes.as_slice() else { panic!("{name}: {prepared:?}") };
        assert_eq!(note.place, "/filename");
        match near {
            Some(near) => assert!(note.message.contains(near), "{note}"),
            None => assert!(!note.message.contains("near"), "{note}"),
        }
    }
    let long = format!(r#"{{"filename": "{}"}}"#, "x".repeat(4096));
    let prepared = world.prepare(&ada, LOCAL, "{}", &long).await.unwrap();
    assert!(prepared.arguments.is_none());
    // Who has no files meant none.
    let sent = r#"{"filename": "report.csv"}"#;
    let prepared = world.prepare(&caller("eve", "one"), LOCAL, "{}", sent).await.unwrap();
    assert!(prepared.arguments.is_none() && prepared.notes.is_empty());
}

#[tokio::test]
async fn references_become_what_the_schema_wants() {
    let world = World::new().await;
    let ada = caller("ada", "one");
    let schema = r##"{"properties": {
        "doc": {"type": "string"}, "raw": {"type": "string", "contentEncoding": "base64"},
        "value": {"$ref": "#/$defs/row"}, "at": {"type": "string", "format": "uri"}},
        "$defs": {"row": {"type": "object"}}}"##;
    for (sent, expected) in [
        (
            r#"{"doc": "resultant://files/report.csv", "x": 1}"#,
            r#"{"doc": "a,b\n1,\"2\"\n", "x": 1}"#,
        ),
        (r#"{"raw": "resultant://files/logo.png"}"#, r#"{"raw": "iVBORw0KGgr/"}"#),
        (r#"{"value": "resultant://files/data.json"}"#, r#"{"value": {"n": 1.50}}"#),
        (r#"{"doc": "resultant://files/data.json"}"#, r#"{"doc": " {\"n\": 1.50}\n"}"#),
        (
            r#"{"other": [{"deep": "resultant://files/Gr%C3%B6%C3%9Fe.txt"}]}"#,
            "{\"other\": [{\"deep\": \"groß\"}]}",
        ),
        (r#"{"doc": "resultant://files/elsewhere.txt"}"#, r#"{"doc": "far"}"#),
    ] {
        let prepared = world.prepare(&ada, LOCAL, schema, sent).await.unwrap();
        assert_eq!(text(&prepared), expected);
        assert_eq!((prepared.handed.len(), prepared.minted.len()), (1, 0));
    }
    let sent = r#"{"at": "resultant://files/logo.png"}"#;
    let prepared = world.prepare(&ada, LOCAL, schema, sent).await.unwrap();
    assert_eq!(text(&prepared), format!(r#"{{"at": "{}"}}"#, prepared.minted[0].url));
    let sent = r#"{"at": "logo.png", "doc": "logo.png"}"#;
    let prepared = world.prepare(&ada, LOCAL, schema, sent).await.unwrap();
    let expected = format!(r#"{{"at": "{}", "doc": "logo.png"}}"#, prepared.minted[0].url);
    assert_eq!(text(&prepared), expected);
    for (sent, reason) in [
        (r#"{"doc": "resultant://files/logo.png"}"#, "contentEncoding: base64"),
        (r#"{"value": "resultant://files/report.csv"}"#, "no JSON"),
        (r#"{"doc": "resultant://files/reportt.csv"}"#, "near names: `report.csv`"),
        (r#"{"doc": "resultant://files/..%2F..%2Fetc%2Fpasswd"}"#, "there is no file"),
        (r#"{"doc": "resultant://files/"}"#, "there is no file"),
        (r#"{"doc": "resultant://files/%00"}"#, "there is no file"),
    ] {
        let refused = world.prepare(&ada, LOCAL, schema, sent).await.unwrap_err();
        assert!(refused.contains(reason), "{refused}");
    }
}

#[tokio::test]
async fn a_key_or_a_digest_says_which() {
    let world = World::new().await;
    let ada = caller("ada", "one");
    let old = world.keep(&ada, "v.txt", b"old", None).await;
    world.keep(&ada, "v.txt", b"new", None).await;
    let digest = world.store.file("ada", old).await.unwrap().unwrap().sha256;
    for (reference, expected) in [
        ("v.txt".to_owned(), "new"),
        (format!("v.txt?sha256={digest}"), "old"),
        (old.to_string(), "old"),
    ] {
        let sent = format!(r#"{{"a": "resultant://files/{reference}"}}"#);
        let prepared = world.prepare(&ada, LOCAL, "{}", &sent).await.unwrap();
        assert_eq!(text(&prepared), format!(r#"{{"a": "{expected}"}}"#));
    }
}

#[tokio::test]
async fn what_is_somebody_elses_is_not_there() {
    let world = World::new().await;
    let key = world.keep(&caller("bob", "one"), "more.txt", b"x", None).await;
    let nobody = Id::new();
    let of = |reference: String| format!(r#"{{"a": "resultant://files/{reference}"}}"#);
    for (theirs, nobodys) in
        [("secret.txt".to_owned(), "nothing.txt".to_owned()), (key.to_string(), nobody.to_string())]
    {
        let ada = caller("ada", "one");
        let refused = world.prepare(&ada, LOCAL, "{}", &of(theirs.clone())).await.unwrap_err();
        let other = world.prepare(&ada, LOCAL, "{}", &of(nobodys.clone())).await.unwrap_err();
        assert_eq!(refused.replace(&theirs, "X"), other.replace(&nobodys, "X"));
    }
}

#[tokio::test]
async fn a_long_document_goes_from_tool_to_tool_and_there_is_an_end() {
    let mut world = World::new().await;
    let ada = caller("ada", "one");
    let document = "line \"of\" text\n".repeat(20_000);
    world.keep(&ada, "long.txt", document.as_bytes(), Some("a")).await;
    let sent = r#"{"text": "resultant://files/long.txt"}"#;
    let prepared = world.prepare(&ada, LOCAL, "{}", sent).await.unwrap();
    let arguments = prepared.arguments.unwrap();
    assert_eq!(arguments.get("text").unwrap().as_str().unwrap(), document);
    world.handover_bytes_max = 2 * document.len() as u64 - 1;
    assert!(world.prepare(&ada, LOCAL, "{}", sent).await.is_ok());
    let twice = r#"{"a": "resultant://files/long.txt", "b": "resultant://files/long.txt"}"#;
    let refused = world.prepare(&ada, LOCAL, "{}", twice).await.unwrap_err();
    assert!(refused.contains("handover_bytes_max"), "{refused}");
    // An address has no size.
    let sent = r#"{"filename": "resultant://files/long.txt", "file_names": ["long.txt"]}"#;
    world.handover_bytes_max = 0;
    let prepared = world.prepare(&ada, LOCAL, "{}", sent).await.unwrap();
    assert_eq!((prepared.minted.len(), prepared.handed.len()), (1, 2));
}

#[tokio::test]
async fn a_server_gets_the_files_it_may_have() {
    let world = World::new().await;
    let ada = caller("ada", "one");
    let reference = |name: &str| format!(r#"{{"a": "resultant://files/{name}"}}"#);
    let named = |name: &str| format!(r#"{{"filename": "{name}"}}"#);
    for (server, name, is_allowed) in [
        (LOCAL, "report.csv", true),
        (LOCAL, "data.json", true),
        (REMOTE, "report.csv", false),
        (OWN_ONLY, "report.csv", true),
        (OWN_ONLY, "data.json", false),
        (OWN_ONLY, "Größe.txt", false),
    ] {
        let by_reference = world.prepare(&ada, server, "{}", &reference(name)).await;
        let by_name = world.prepare(&ada, server, "{}", &named(name)).await.unwrap();
        assert_eq!(by_reference.is_ok(), is_allowed, "{server} {name}");
        assert_eq!(by_name.arguments.is_some(), is_allowed, "{server} {name}");
        if !is_allowed {
            let refused = by_reference.unwrap_err();
            assert!(refused.contains("`handover: allow`") && refused.contains(name), "{refused}");
            assert!(by_name.notes[0].message.contains("`handover: allow`"));
            assert!(by_name.minted.is_empty() && by_name.handed.is_empty());
        }
    }
}

#[tokio::test]
async fn who_is_calling_cannot_be_forged() {
    let mut world = World::new().await;
    let ada = caller("ada", "one");
    let schema = r#"{"properties": {"username": {"type": "string"}, "a": {"type": "string"}}}"#;
    for (sent, expected) in [
        ("", r#"{"username":"ada@math.example"}"#),
        ("null", r#"{"username":"ada@math.example"}"#),
        ("{ }", r#"{ "username":"ada@math.example"}"#),
        (r#"{"a": 1.0 }"#, r#"{"a": 1.0 ,"username":"ada@math.example"}"#),
        (r#"{"username" : "bob", "a":"}"}"#, r#"{"username" : "ada@math.example", "a":"}"}"#),
        (r#"{"user\u006eame": ["bob"]}"#, r#"{"user\u006eame": "ada@math.example"}"#),
        (r#"{"username": "a", "username": "b"}"#, r#"{"username": "ada@math.example"}"#),
        (r#"{"username": "resultant://files/report.csv"}"#, r#"{"username": "ada@math.example"}"#),
        (
            r#"{"a": "resultant://files/elsewhere.txt", "x": {"username": "bob"}}"#,
            r#"{"a": "far", "x": {"username": "bob"},"username":"ada@math.example"}"#,
        ),
    ] {
        let prepared = world.prepare(&ada, LOCAL, schema, sent).await.unwrap();
        let arguments = prepared.arguments.unwrap();
        assert!(arguments.same_value(&json(expected)), "{sent}: {arguments}");
        if !sent.contains("\"b\"") {
            assert_eq!(arguments.as_text(), expected, "{sent}");
        }
    }
    assert!(world.prepare(&ada, LOCAL, schema, "[]").await.is_err());
    let off = r#"{"command": "x", "resultant": {"inject": {}}}"#;
    let sent = r#"{"username": "bob"}"#;
    assert!(world.prepare(&ada, off, schema, sent).await.unwrap().arguments.is_none());
    let stranger = User { is_authenticated: false, ..(*ada.user).clone() };
    let stranger = Caller::of(Arc::new(stranger));
    let refused = world.prepare(&stranger, LOCAL, schema, sent).await.unwrap_err();
    assert!(refused.contains("nobody is signed in"), "{refused}");
    let by_name = r#"{"command": "x", "resultant": {"inject": {"a": "session"}}}"#;
    let prepared = world.prepare(&ada, by_name, schema, sent).await.unwrap();
    assert_eq!(text(&prepared), r#"{"username": "bob","a":"one"}"#);
    // Where nobody authenticates, only what the configuration names.
    world.users_authenticate = false;
    assert!(world.prepare(&stranger, LOCAL, schema, sent).await.unwrap().arguments.is_none());
    let named = r#"{"command": "x", "resultant": {"inject": {"username": "username"}}}"#;
    let prepared = world.prepare(&stranger, named, schema, sent).await.unwrap();
    assert_eq!(text(&prepared), r#"{"username": "ada@math.example"}"#);
}

#[test]
fn clients_do_not_see_what_they_cannot_say() {
    let schema = r#"{"type":"object","properties":{"username":{},"a":{}},"required":["username"]}"#;
    let input = |inject: &Inject| Input::read(&json(schema), inject);
    let shown = input(&Inject::ByMode).shown(true).unwrap();
    assert_eq!(shown.as_text(), r#"{"type":"object","properties":{"a":{}}}"#);
    assert!(input(&Inject::ByMode).shown(false).is_none());
    assert!(input(&Inject::Named(Vec::new())).shown(true).is_none());
    let named = Inject::Named(vec![("a".to_owned(), crate::config::Fact::Email)]);
    let shown = input(&named).shown(false).unwrap();
    assert!(shown.get("properties").unwrap().get("a").is_none());
}

#[test]
fn escapes_and_names_in_sentences() {
    for (written, expected) in [
        ("a%20b", Some("a b")),
        ("%", Some("%")),
        ("%2", Some("%2")),
        ("%zz%41", Some("%zzA")),
        ("%+1", Some("%+1")),
        ("%C3%A9", Some("é")),
        ("%C3", None),
        ("é%41", Some("éA")),
    ] {
        assert_eq!(percent_decoded(written).as_deref(), expected, "{written}");
    }
    assert_eq!(shown("a\u{202e}b\n\u{200b}`c"), "abc");
    assert_eq!(shown(&"x".repeat(1000)).chars().count(), 121);
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[ -~é\u{1f600}\\n]{0,12}".prop_map(Value::from),
        Just(Value::from("see resultant://files/report.csv")),
        Just(Value::from("report.csv")),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map("[a-z\"/~é]{0,6}", inner, 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Beside a file there may be anything; it arrives as it was sent.
#[test]
fn unrelated_arguments_pass_to_the_byte() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let world = runtime.block_on(World::new());
    let ada = caller("ada", "one");
    let mut runner = TestRunner::new(ProptestConfig::with_cases(200));
    let property = |(before, after): (Value, Value)| {
        let [before, after] = [before, after].map(|value| format!("{value:#}"));
        let sent = |value: &str| format!("{{\"x\" : {before},\n\"doc\":{value} , \"y\":{after}}}");
        let prepare = |sent: String| {
            runtime.block_on(async { world.prepare(&ada, LOCAL, "{}", &sent).await.unwrap() })
        };
        let plain = prepare(sent("1"));
        prop_assert!(plain.arguments.is_none() && plain.notes.is_empty());
        let prepared = prepare(sent("\"resultant://files/elsewhere.txt\""));
        prop_assert_eq!(text(&prepared), sent("\"far\""));
        Ok(())
    };
    runner.run(&(any_json(), any_json()), property).unwrap();
}
