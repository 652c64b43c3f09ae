//! What a session's listeners hear, as a stream and over a WebSocket.

use std::{
    io::{BufReader, Read as _},
    net::TcpStream,
};

use serde_json::{Value, json};

use crate::client::{Bench, Event, Events, read_head, text};

fn listen(bench: &Bench, session: &str, query: &str, headers: &str) -> Events {
    Events::open(bench.send(&format!("GET /api/sessions/{session}/events{query}"), headers, true))
}

#[test]
fn a_call_with_files_is_told_in_order() {
    let bench = Bench::new();
    let session = bench.session();
    let mut events = listen(&bench, &session, "", "");
    let result = bench.call(&session, "sales_report", &json!({}));
    let heard: Vec<Event> = (0..3).map(|_| events.next().expect("an event")).collect();
    let kinds: Vec<&str> = heard.iter().map(|event| event.kind.as_str()).collect();
    assert_eq!(kinds, ["tool_start", "files_update", "tool_complete"]);
    let ids: Vec<Option<u64>> = heard.iter().map(|event| event.id).collect();
    assert_eq!(ids, [Some(1), Some(2), Some(3)]);
    assert!(heard.iter().all(|event| event.data["call"] == result["id"]));
    let [start, files, complete] = heard.as_slice() else { panic!("{heard:?}") };
    assert_eq!(
        (&start.data["server"], &start.data["tool"]),
        (&json!("shop"), &json!("sales_report"))
    );
    assert_eq!(complete.data["ending"], "ok");
    assert!(complete.data["bytes_in"].as_u64() > complete.data["bytes_out"].as_u64());
    let display = &files.data["display"];
    assert_eq!(
        (&display["open_canvas"], &display["primary_file"]),
        (&json!(true), &json!("report.html"))
    );
    let categories = &files.data["categories"];
    assert_eq!(categories["image"], json!(["takings.png"]));
    assert_eq!(categories["data"], json!(["sales.csv"]));
    let shown: Vec<bool> = files.data["files"]
        .as_array()
        .expect("files")
        .iter()
        .map(|f| f["showable"] == true)
        .collect();
    assert_eq!(shown, [true, true, true]);
    assert!(!files.data.to_string().contains("token"));

    // Somebody who comes back misses nothing and gets nothing twice.
    let mut again = listen(&bench, &session, "", "Last-Event-ID: 1\r\n");
    assert_eq!(again.next().map(|event| event.id), Some(Some(2)));
    let mut again = listen(&bench, &session, "?after=0", "");
    assert_eq!(again.next().map(|event| event.id), Some(Some(1)));
    let mut updates = listen(&bench, &session, "?after=1&format=intermediate_update", "");
    let update = updates.next().expect("an update");
    assert_eq!((update.kind.as_str(), update.id), ("message", Some(2)));
    assert_eq!(update.data["type"], "intermediate_update");
    assert_eq!(update.data["update_type"], "files_update");
    assert_eq!(update.data["data"], files.data);
    for odd in ["?after=-1", "?after=x", "?format=other"] {
        assert_eq!(bench.get(&format!("/api/sessions/{session}/events{odd}")).status, 400, "{odd}");
    }
}

#[test]
fn a_change_of_the_tools_is_told_to_all() {
    let bench = Bench::new();
    let session = bench.session();
    let mut events = listen(&bench, &session, "", "");
    let file = bench.gateway.folder.join("resultant.json");
    let config = std::fs::read_to_string(&file).expect("the configuration");
    std::fs::write(&file, config.replace("\"shop\"", "\"market\"")).expect("written");
    let event = loop {
        let event = events.next_of("tools_changed");
        if event.data["server"] == "market" {
            break event;
        }
    };
    assert_eq!(event.id, None);
}

#[test]
fn sessions_do_not_hear_each_other() {
    let bench = Bench::new();
    let (one, two) = (bench.session(), bench.session());
    bench.upload(&one, "a.txt", b"a");
    bench.upload(&two, "b.txt", b"b");
    let mut events = listen(&bench, &two, "?after=0", "");
    let event = events.next().expect("an event");
    assert_eq!((event.kind.as_str(), event.id), ("files_update", Some(1)));
    assert_eq!(event.data["files"][0]["name"], "b.txt");
    assert_eq!(event.data["display"]["open_canvas"], false);
}

#[test]
fn a_stream_ends_with_its_session_and_numbers_never_go_back() {
    let bench = Bench::new();
    let session = bench.session();
    let mut events = listen(&bench, &session, "", "");
    bench.upload(&session, "a.txt", b"a");
    assert_eq!(events.next().and_then(|event| event.id), Some(1));
    assert_eq!(bench.delete(&format!("/api/sessions/{session}")).status, 204);
    assert!(events.next().is_none(), "the stream goes on without its session");
    // The one that is always there is made again, and its events are numbered on.
    let mut events = listen(&bench, "default", "", "");
    bench.upload("default", "a.txt", b"a");
    let last = events.next().and_then(|event| event.id).expect("a number");
    assert_eq!(bench.delete("/api/sessions/default").status, 204);
    assert!(events.next().is_none(), "the stream goes on without its session");
    bench.upload("default", "b.txt", b"b");
    let mut again = listen(&bench, "default", "", &format!("Last-Event-ID: {last}\r\n"));
    let event = again.next().expect("an event");
    assert_eq!((event.id, &event.data["files"][0]["name"]), (Some(last + 1), &json!("b.txt")));
}

#[test]
fn a_web_socket_says_the_same() {
    let bench = Bench::new();
    let session = bench.session();
    // As a browser does it, which cannot send the header.
    let secret = bench.credential.trim().trim_start_matches("Authorization: Bearer ");
    let headers = format!(
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
         Sec-WebSocket-Protocol: resultant.events.v1, resultant.token.{secret}\r\n"
    );
    let line = format!("GET /api/sessions/{session}/events?after=0");
    let mut stream = bench.send(&line, &headers, false);
    let (status, headers) = read_head(&mut stream);
    assert_eq!(status, 101, "{headers:?}");
    let header =
        |name: &str| headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    assert_eq!(header("sec-websocket-accept"), Some("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));
    assert_eq!(header("sec-websocket-protocol"), Some("resultant.events.v1"));
    bench.upload(&session, "a.txt", b"a");
    let message = read_message(&mut stream);
    assert_eq!((&message["id"], &message["type"]), (&json!(1), &json!("files_update")));
    assert_eq!(message["data"]["files"][0]["name"], "a.txt");
    assert!(text(&message["at"]).ends_with('Z'));
}

/// A text message of a server, which is not masked.
fn read_message(stream: &mut BufReader<TcpStream>) -> Value {
    loop {
        let mut head = [0; 2];
        stream.read_exact(&mut head).expect("a frame");
        let length = match head[1] {
            126 => {
                let mut length = [0; 2];
                stream.read_exact(&mut length).expect("a length");
                usize::from(u16::from_be_bytes(length))
            }
            length => usize::from(length),
        };
        let mut payload = vec![0; length];
        stream.read_exact(&mut payload).expect("a payload");
        if head[0] == 0x81 {
            let message: Value = serde_json::from_slice(&payload).expect("JSON");
            // A change of tools comes when it comes.
            if message["type"] != "tools_changed" {
                return message;
            }
        }
    }
}
