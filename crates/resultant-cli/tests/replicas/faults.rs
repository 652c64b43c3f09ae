//! The database or the object store is away, slow or full of refusals: what needs them is refused in
//! bounded time and says so, the rest goes on, and everything is well again by itself.

use std::{
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    PATIENCE,
    cluster::{Cluster, STORE_SECONDS_SHORT},
    listener::{Listener, check_order},
    mcp::{Client, Identity, MODERN},
    user::{ADA, Reply, User, digest},
};

/// What is refused because the store does not answer is refused within its patience and as much
/// again, for a machine that has other things to do. A wait without bounds is what is looked for.
const BOUND: Duration = Duration::from_secs(STORE_SECONDS_SHORT * 2 + 10);

#[test]
fn gateways_that_start_together_share_one_database() {
    let Some(cluster) = Cluster::shared(3) else { return };
    let session = cluster.at(0, ADA).session();
    for index in 0..cluster.count() {
        let name = format!("from-{index}.txt");
        cluster.at(index, ADA).put(&session, &name, name.as_bytes()).unwrap().expect(201);
    }
    for index in 0..cluster.count() {
        let files = cluster.at(index, ADA).files(&session);
        assert_eq!(files.len(), cluster.count());
    }
}

#[test]
fn the_database_goes_and_comes_back() {
    let Some(cluster) = Cluster::fragile(2) else { return };
    let server = &cluster.shared.as_ref().unwrap().database.server;
    let user = cluster.user(ADA);
    let session = user.session();
    let listener = Listener::start(cluster.at(1, ADA), &session);
    let before = user.put(&session, "before.txt", b"before").unwrap().expect(201);

    server.kill();
    let bound = Instant::now() + BOUND;
    for path in ["/api/sessions".to_owned(), format!("/api/sessions/{session}/files")] {
        refused(&user.get(&path).unwrap());
    }
    refused(&user.put(&session, "during.txt", b"during").unwrap());
    assert!(Instant::now() < bound + BOUND + BOUND, "each is refused in bounded time");
    assert_eq!(user.get("/healthz").unwrap().status, 200, "the gateways are alive");
    // A tool needs no database to answer, and a result without files nothing else either.
    let url = format!("http://{}/mcp/demo", cluster.balancer.address);
    let client = Client::http_as(&url, &Identity::plain(MODERN), ADA.1).unwrap();
    let answer = client.call("weather", &json!({})).unwrap();
    let result: Value = serde_json::from_str(answer.result().unwrap()).unwrap();
    assert_ne!(result["isError"], true, "{result}");

    server.serve();
    recovers(|| user.get(&format!("/api/sessions/{session}/files")), 200);
    recovers(|| user.put(&session, "after.txt", b"after"), 201);
    user.check(before["key"].as_str().unwrap(), &digest(b"before"));
    check_order(&listener.up_to(&["after.txt".to_owned()]));
}

#[test]
fn the_object_store_refuses() {
    let Some(cluster) = Cluster::fragile(1) else { return };
    degrades(&cluster, r#"{"status": 503}"#);
}

#[test]
fn the_object_store_stalls() {
    let Some(cluster) = Cluster::fragile(1) else { return };
    degrades(&cluster, r#"{"stall": true}"#);
}

#[test]
fn the_object_store_crawls() {
    let Some(cluster) = Cluster::fragile(1) else { return };
    let (user, session) = (cluster.user(ADA), cluster.user(ADA).session());
    let objects = &cluster.shared.as_ref().unwrap().objects;
    let bytes = vec![7; 256 << 10];
    let file = user.put(&session, "a.bin", &bytes).unwrap().expect(201);
    let key = file["key"].as_str().unwrap();
    objects.fault(r#"{"bytes_per_s": 1024}"#);
    let start = Instant::now();
    refused(&user.put(&session, "b.bin", &[8; 256 << 10]).unwrap());
    // Refused, or begun and broken off: never short and taken for whole.
    let read = user.get(&format!("/api/files/download/{key}"));
    if let Ok(reply) = &read {
        refused(reply);
    }
    assert!(start.elapsed() < BOUND * 2, "each is refused in bounded time");
    objects.fault("");
    user.check(key, &digest(&bytes));
    assert_eq!(user.files(&session).len(), 1, "nothing half is there");
}

/// With a store that cannot be written to, an upload is refused, and a tool's result says that its
/// file was not kept; afterwards everything works, and nothing half is there.
fn degrades(cluster: &Cluster, fault: &str) {
    let (user, session) = (cluster.user(ADA), cluster.user(ADA).session());
    let objects = &cluster.shared.as_ref().unwrap().objects;
    let file = user.put(&session, "a.txt", b"a").unwrap().expect(201);
    objects.fault(fault);
    let start = Instant::now();
    refused(&user.put(&session, "b.txt", b"b").unwrap());
    refused(&user.get(&format!("/api/files/download/{}", file["key"].as_str().unwrap())).unwrap());
    let result = user.call(&session, "make_file", &json!({"kind": "csv"})).unwrap().expect(200);
    assert!(start.elapsed() < BOUND * 4, "each is answered in bounded time");
    assert_eq!(result["contract"]["meta_data"]["persisted"], false, "{result}");
    assert_eq!(result["files"], json!([]), "what was not kept has no key: {result}");
    let text = result.to_string();
    assert!(!text.contains(r#""key":"""#) && !text.contains(r#""url":"""#), "{text}");
    assert!(!text.contains("/api/files/"), "nothing leads to a file that is not there: {text}");

    objects.fault("");
    user.check(file["key"].as_str().unwrap(), &digest(b"a"));
    assert_eq!(user.files(&session).len(), 1, "nothing half is there");
    let result = user.call(&session, "make_file", &json!({"kind": "csv"})).unwrap().expect(200);
    assert_eq!(result["files"].as_array().unwrap().len(), 1, "{result}");
    check_listed(user, &session);
}

fn check_listed(user: User, session: &str) {
    for file in user.files(session) {
        user.check(file["key"].as_str().unwrap(), file["sha256"].as_str().unwrap());
    }
}

/// A refusal that a program can read and act on.
#[track_caller]
fn refused(reply: &Reply) {
    let said = String::from_utf8_lossy(&reply.body);
    assert_eq!(reply.status, 503, "{said}");
    assert_eq!(reply.media_type, "application/problem+json", "{said}");
    let problem = reply.json();
    for member in ["type", "title", "detail", "hint"] {
        assert!(problem[member].as_str().is_some_and(|text| !text.is_empty()), "{problem}");
    }
}

/// Asks until the answer is the one that it is when all is well.
#[track_caller]
fn recovers(ask: impl Fn() -> anyhow::Result<Reply>, status: u16) {
    let end = Instant::now() + PATIENCE;
    loop {
        let reply = ask().unwrap();
        if reply.status == status {
            return;
        }
        assert!(Instant::now() < end, "{}", String::from_utf8_lossy(&reply.body));
        thread::sleep(Duration::from_millis(100));
    }
}
