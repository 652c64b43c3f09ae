//! The same over streamable HTTP: what a response can have wrong with it.

use std::{
    io::{BufRead as _, BufReader},
    net::TcpListener,
    path::Path,
    process::{Child, Command, Stdio},
};

use serde_json::json;
use tempfile::TempDir;

use crate::{
    hostile::{PROGRAM, alive, fail, hostile_server, memory_kb, notes, succeed},
    mcp::{Client, Gateway, Identity, LEGACY},
};

/// A server, ended with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(elsewhere: &str, folder: &Path) -> (Running, String) {
    let mut command = Command::new(hostile_server());
    command.arg("--http").stdin(Stdio::null()).stderr(Stdio::piped());
    command.env("HOSTILE_CANARY", elsewhere).env("HOSTILE_LOG", folder.join("hostile.log"));
    let mut server = Running(command.spawn().expect("a server"));
    let mut said = BufReader::new(server.0.stderr.take().expect("its standard error"));
    let mut line = String::new();
    said.read_line(&mut line).expect("a line");
    let url = line.trim().strip_prefix("listening on ").expect("its address").to_owned();
    (server, url)
}

#[test]
fn responses_of_every_kind() {
    let folder = TempDir::new().expect("a folder");
    let canary = TcpListener::bind("127.0.0.1:0").expect("a port");
    let elsewhere = format!("http://{}/mcp", canary.local_addr().expect("an address"));
    let (_server, url) = start(&elsewhere, folder.path());
    let settings = json!({
        "limits": {"message_bytes_max": 4_000_000},
        "timeouts": {"call_seconds": 5.0, "connect_seconds": 10.0},
    });
    let config = json!({"mcpServers": {"hostile": {"url": url}}, "resultant": settings});
    let mut gateway = Gateway::start(PROGRAM, &config, folder.path()).expect("a gateway");
    let client = Client::http(&gateway.server("hostile"), &Identity::plain(LEGACY));
    let client = client.expect("a session");

    let through = [
        "event",
        "primed",
        "crlf_events",
        "cr_events",
        "lines_of_data",
        "split_everywhere",
        "no_content_type",
        "batch",
        "batch_events",
        "answer_twice",
    ];
    for tool in through {
        let text = succeed(&client, tool, &json!({}));
        assert!(text.contains(&format!("from {tool}")), "{tool}: {text}");
        alive(&client);
    }
    let refused: [(&str, &[&str]); 12] = [
        ("cut_in_event", &["not repeated"]),
        ("cut_in_json", &["not repeated"]),
        ("no_response", &["not repeated"]),
        ("status_500", &["500", "a stack trace"]),
        ("status_502", &["502"]),
        ("status_401", &["login"]),
        ("status_404", &["hostile"]),
        ("html", &["hostile"]),
        ("not_json", &["hostile"]),
        ("answer_other_id", &["hostile"]),
        ("elsewhere", &["hostile"]),
        ("endless_json", &["4000000", "message_bytes_max"]),
    ];
    for (tool, words) in refused {
        fail(&client, tool, &json!({}), words);
        alive(&client);
    }
    fail(&client, "endless_event", &json!({}), &["4000000", "message_bytes_max"]);
    alive(&client);
    for tool in ["big_json", "big_event"] {
        let text = succeed(&client, tool, &json!({"megabytes": 3}));
        assert!(text.len() < 1 << 20, "{tool}");
        assert!(
            std::fs::read_dir(folder.path().join("data/blobs")).is_ok_and(|dir| dir.count() > 0)
        );
    }
    let called = notes(folder.path(), "call");
    for (tool, _) in refused {
        let count = called.iter().filter(|called| **called == tool).count();
        assert_eq!(count, 1, "{tool} was sent {count} times");
    }
    canary.set_nonblocking(true).expect("set");
    assert!(canary.accept().is_err(), "the call went elsewhere");
    assert!(memory_kb(gateway.pid(), "VmRSS:") > 0, "it is alive");
    assert!(!gateway.log().contains("panicked"));
    assert!(gateway.stop().is_ok_and(|status| status.success()));
}

#[test]
fn two_hundred_megabytes_become_a_file_and_memory_stays() {
    let folder = TempDir::new().expect("a folder");
    let (_server, url) = start("", folder.path());
    let config = json!({"mcpServers": {"hostile": {"url": url}}});
    let mut gateway = Gateway::start(PROGRAM, &config, folder.path()).expect("a gateway");
    let client = Client::http(&gateway.server("hostile"), &Identity::plain(LEGACY));
    let client = client.expect("a session");
    alive(&client);
    let idle = memory_kb(gateway.pid(), "VmRSS:");
    let sha256 = crate::sizes::big_text_digest(200);
    for (tool, megabytes, bytes) in
        [("big_json", 40, "35,200,000 bytes"), ("big_event", 200, "176,000,000 bytes")]
    {
        let text = succeed(&client, tool, &json!({"megabytes": megabytes}));
        assert!(text.contains(bytes), "{tool}: {text}");
        let peak = memory_kb(gateway.pid(), "VmHWM:");
        eprintln!("{tool}: idle {idle} kB, peak {peak} kB");
        assert!(peak < idle + crate::sizes::GROWTH_KB_MAX, "{tool}: {idle} kB grew to {peak} kB");
    }
    crate::sizes::kept(&folder.path().join("data"), &sha256);
    assert!(gateway.stop().is_ok_and(|status| status.success()));
}
