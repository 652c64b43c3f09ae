//! The demo server as a real process: every tool in every version of the protocol, read by the
//! library, and what else a client may ask of it.
#![expect(clippy::unwrap_used, reason = "a panic is a test's report")]

#[path = "demo_server/client.rs"]
mod client;
#[path = "demo_server/conversation.rs"]
mod conversation;
#[path = "demo_server/large.rs"]
mod large;
#[path = "demo_server/live.rs"]
mod live;

use resultant::{Json, Outcome, Protocol, ReadOptions, Schema, SchemaLimits};
use serde_json::{Value, json};

use self::client::Client;

/// What a tool's description promises.
struct Promise {
    name: &'static str,
    files: &'static [&'static str],
    notes: &'static [&'static str],
    is_error: bool,
    /// How the results start, as JSON.
    results: &'static str,
}

const ALL_FILES: &[&str] = &[
    "takings.png image/png",
    "takings.svg image/svg+xml",
    "invoice.pdf application/pdf",
    "report.html text/html",
    "handbook.md text/markdown",
    "sales.csv text/csv",
    "catalog.json application/json",
    "web.log text/plain",
    "bell.wav audio/wav",
    "prices.diff text/x-diff",
    "sales.zip application/zip",
    "readings.bin application/octet-stream",
];

const GALLERY: &[&str] = &[
    "chart.png image/png",
    "tile.gif image/gif",
    "chart.svg image/svg+xml",
    "guide.pdf application/pdf",
    "counter.html text/html",
    "handbook.md text/markdown",
    "till.rs text/x-rust",
    "catalog.json application/json",
    "sales.csv text/csv",
    "shop.log text/plain",
    "bell.wav audio/wav",
    "buoy.webm video/webm",
    "prices.diff text/x-diff",
    "notice.txt text/plain",
    "box.zip application/zip",
    "readings.bin application/octet-stream",
];

/// Every tool, in the order of the list.
#[rustfmt::skip]
const PROMISES: &[Promise] = &[
    plain("echo", r#""hello""#),
    plain("store_notices", r#"["Open Tuesday"#),
    plain("find_order", r#"{"id":250017,"date":"2025-01-08""#),
    plain("weather", r#"{"station":"heron-point","celsius":"#),
    plain("weather_stations", ""),
    Promise { notes: &["R11 /meta/warnings/0"], ..plain("stock", r#"{"products":[{"sku":"TEA-ASSAM""#) },
    Promise { is_error: true, ..plain("reserve", r#"{"error":"only 0 of TEA-MINT in stock""#) },
    plain("loyalty_card", r#"{"customer":"Marta Lindqvist","stamps":7"#),
    Promise {
        files: &["report.html text/html", "takings.png image/png", "sales.csv text/csv"],
        ..plain("sales_report", r#"{"summary":"The year 2025"#)
    },
    Promise {
        files: &["sales.csv text/csv", "catalog.json application/json"],
        ..plain("sales_export", r#""Exported 5,000"#)
    },
    Promise { files: &["takings.png image/png"], ..plain("make_file", r#"{"made":"takings.png""#) },
    Promise { files: ALL_FILES, ..plain("every_file", r#"{"files":12}"#) },
    Promise { files: &["image-1.png image/png"], ..plain("sales_chart", r#""Takings by month"#) },
    Promise { files: &["audio-1.wav audio/wav"], ..plain("door_bell", "null") },
    Promise { files: &["2025-0417.pdf application/pdf"], ..plain("invoice", r#""Invoice 2025-0417""#) },
    plain("price_list", r##""# Handbook"##),
    plain("reading_list", ""),
    plain("transactions", r#"{"sales":[{"id":250000,"#),
    plain("web_log", r#""2025-12-06T00:00:00Z INFO"#),
    Promise { is_error: true, ..plain("fail", r#"{"error":"the till is jammed"#) },
    Promise {
        is_error: true,
        ..plain("fail_with_details", r#"{"error":"the delivery was refused\n2 of 14 boxes are damp","details":{"boxes":14"#)
    },
    Promise { is_error: true, ..plain("fail_in_protocol", r#"{"error":"the stock database"#) },
    Promise {
        files: &["good.txt text/plain", "motd text/plain", "short.txt text/plain"],
        notes: &["R6 /artifacts/1", "R6 /artifacts/2", "R6 /artifacts/3", "R13 /display/mode",
            "R13 /display/primary_file"],
        ..plain("broken_files", r#"{"delivered":3}"#)
    },
    Promise { notes: &["R12 /structuredContent/total"], ..plain("broken_promise", r#"{"total":"about twelve""#) },
    plain("nothing", "null"),
    plain("roast", r#"{"batch":"Harbour Espresso, 12 kg","steps":10}"#),
    Promise { is_error: true, ..plain("sign_guest_book", r#"{"error":""#) },
    plain("big", r#""000000000 beans"#),
    plain("live_dashboard", r#"{"status":"opened","dashboard":"shop-floor"}"#),
    Promise { files: GALLERY, ..plain("gallery", r#"{"shown":16}"#) },
    Promise { files: &["till.csv text/csv"], ..plain("table", r#"{"rows":1000}"#) },
    Promise { is_error: true, ..plain("plan_event", r#"{"error":"there is no title, no when, no place"#) },
    Promise { is_error: true, ..plain("look_at_file", r#"{"error":"name a file"#) },
    plain("tea_timer", ""),
    plain("tea_is_ready", r#""Your assam is ready.""#),
];

const fn plain(name: &'static str, results: &'static str) -> Promise {
    Promise { name, files: &[], notes: &[], is_error: false, results }
}

/// Arguments that make a tool quick; the others take their defaults.
fn arguments(name: &str) -> Value {
    match name {
        "roast" => json!({"seconds": 0}),
        "big" => json!({"megabytes": 1}),
        "table" => json!({"rows": 1000}),
        _ => json!({}),
    }
}

fn read(client: &mut Client, tool: &Value, arguments: &Value, protocol: Protocol) -> Outcome {
    let id = client.begin("tools/call", json!({"name": tool["name"], "arguments": arguments}));
    let line = client.response_line(id);
    let schema = tool
        .get("outputSchema")
        .map(|schema| Schema::compile(&Json::of(schema), &SchemaLimits::default()).unwrap());
    let options = ReadOptions { server: Some(protocol), schema, ..Default::default() };
    options.try_read(line).unwrap()
}

#[test]
fn every_tool_does_what_it_says_in_every_version() {
    for protocol in Protocol::ALL {
        let mut client = Client::new(protocol, json!({}));
        let list = client.request("tools/list", json!({}));
        let tools = list["result"]["tools"].as_array().unwrap();
        let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        let promised: Vec<_> = PROMISES.iter().map(|promise| promise.name).collect();
        assert_eq!(names, promised);
        for (tool, promise) in tools.iter().zip(PROMISES) {
            let name = promise.name;
            for key in ["title", "description"] {
                assert!(tool[key].as_str().is_some_and(|text| !text.is_empty()), "{name}");
            }
            assert_eq!(tool["inputSchema"]["type"], "object");
            let outcome = read(&mut client, tool, &arguments(name), protocol);
            check(&outcome, tool, promise, protocol);
        }
        assert!(client.hang_up());
    }
}

fn check(outcome: &Outcome, tool: &Value, promise: &Promise, protocol: Protocol) {
    let Promise { name, files, notes, is_error, results } = promise;
    let place = format!("{name} in {protocol}");
    let dialect = tool["_meta"]["resultant.demo/dialect"].as_str().unwrap();
    if !dialect.is_empty() {
        assert_eq!(outcome.dialect.name(), dialect, "{place}");
    }
    assert_eq!(outcome.is_error, *is_error, "{place}");
    let found = outcome.results.to_string();
    assert!(found.starts_with(results) || *name == "door_bell", "{place}: {found:.200}");
    let found: Vec<_> =
        outcome.artifacts.iter().map(|file| format!("{} {}", file.name, file.mime)).collect();
    match *name {
        // The oldest version knows no audio, and gets a line about it.
        "door_bell" if !protocol.has_audio() => {
            assert_eq!(outcome.results.as_str().unwrap(), "[audio: audio/wav, 22094 bytes]");
        }
        _ => assert_eq!(found, *files, "{place}"),
    }
    let found: Vec<_> = outcome.notes.iter().map(ToString::to_string).collect();
    // Without a schema in the list there is nothing that could be broken.
    let has_schema = tool.get("outputSchema").is_some();
    let notes = if *name == "broken_promise" && !has_schema { &[][..] } else { *notes };
    assert_eq!(found.len(), notes.len(), "{place}: {found:?}");
    for (found, start) in found.iter().zip(notes) {
        assert!(found.starts_with(start), "{place}: {found}");
    }
}

#[test]
fn a_list_is_a_list_or_is_wrapped_by_the_version() {
    for protocol in [Protocol::V2025_06_18, Protocol::V2025_11_25, Protocol::V2026_07_28] {
        let mut client = Client::new(protocol, json!({}));
        let list = client.request("tools/list", json!({}));
        let tools = list["result"]["tools"].as_array().unwrap();
        let tool = tools.iter().find(|tool| tool["name"] == "weather_stations").unwrap();
        let result = &client.call("weather_stations", &json!({}))["result"];
        let stations = if protocol.is_modern() {
            assert_eq!(tool["outputSchema"]["type"], "array");
            assert_eq!(result["resultType"], "complete");
            &result["structuredContent"]
        } else {
            assert_eq!(tool["outputSchema"]["type"], "object");
            assert_eq!(result.get("resultType"), None);
            &result["structuredContent"]["result"]
        };
        assert_eq!(stations.as_array().unwrap().len(), 5);
        assert_eq!(stations[0]["id"], "heron-point");
    }
}

#[test]
fn links_are_links_where_the_version_has_them() {
    for (protocol, links) in [(Protocol::V2025_03_26, 0), (Protocol::V2025_06_18, 2)] {
        let mut client = Client::new(protocol, json!({}));
        let outcome = read(&mut client, &json!({"name": "reading_list"}), &json!({}), protocol);
        assert_eq!(outcome.links.len(), links);
        assert!(outcome.to_contract().to_string().contains("shop://handbook.md"));
    }
}

#[test]
fn files_are_what_their_names_say() {
    let protocol = Protocol::V2025_11_25;
    let mut client = Client::new(protocol, json!({}));
    let make = json!({"name": "make_file"});
    let mut file = |kind: &str| {
        let outcome = read(&mut client, &make, &json!({"kind": kind}), protocol);
        assert!(outcome.notes.is_empty(), "{kind}: {:?}", outcome.notes);
        let file = &outcome.artifacts[0];
        assert_eq!(outcome.display.unwrap().primary_file.as_deref(), Some(file.name.as_str()));
        file.to_bytes().unwrap()
    };
    let png = file("png");
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\x40"));
    assert!(png.ends_with(b"IEND\xaeB`\x82"));
    let wav = file("wav");
    assert!(wav.starts_with(b"RIFF") && &wav[8..16] == b"WAVEfmt ");
    assert_eq!(u32::from_le_bytes(wav[4..8].try_into().unwrap()) as usize, wav.len() - 8);
    let zip = file("zip");
    assert!(zip.starts_with(b"PK\x03\x04") && zip[zip.len() - 22..].starts_with(b"PK\x05\x06"));
    let directory = u32::from_le_bytes(zip[zip.len() - 6..zip.len() - 2].try_into().unwrap());
    assert!(zip[directory as usize..].starts_with(b"PK\x01\x02"));
    let pdf = String::from_utf8(file("pdf")).unwrap();
    assert!(pdf.starts_with("%PDF-1.4") && pdf.ends_with("%%EOF\n"));
    let start: usize = pdf.rsplit('\n').nth(2).unwrap().parse().unwrap();
    assert!(pdf[start..].starts_with("xref\n0 6\n"));
    for (number, entry) in pdf[start..].lines().skip(3).take(5).enumerate() {
        let place: usize = entry[..10].parse().unwrap();
        assert!(pdf[place..].starts_with(&format!("{} 0 obj\n", number + 1)));
    }
    let mut text = |kind: &str| String::from_utf8(file(kind)).unwrap();
    assert!(text("svg").starts_with("<svg ") && text("html").starts_with("<!doctype html>"));
    assert_eq!(text("csv").lines().count(), 5_001);
    assert_eq!(text("log").lines().count(), 20_000);
    assert_eq!(text("log").matches(" ERROR ").count(), 20);
    let catalog: Value = serde_json::from_str(&text("json")).unwrap();
    assert_eq!(catalog["products"].as_array().unwrap().len(), 10);
    assert!(text("diff").contains("\n-assam = 8.50\n+assam = 8.90\n"));
    assert!(text("markdown").starts_with("# Handbook\n"));
}
