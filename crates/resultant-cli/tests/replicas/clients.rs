//! MCP clients before several gateways: each request may meet another one.

use serde_json::{Value, json};

use crate::{
    cluster::Cluster,
    mcp::{Client, Identity, LEGACY, MODERN},
    user::{ADA, BOB},
};

/// As many requests as make sure that every gateway gets some.
const ROUNDS: usize = 6;

#[test]
fn a_client_with_a_session_is_at_home_on_every_gateway() {
    let Some(cluster) = Cluster::shared(2) else { return };
    use_tools(&cluster, LEGACY);
}

#[test]
fn a_client_without_sessions_is_too() {
    let Some(cluster) = Cluster::shared(2) else { return };
    use_tools(&cluster, MODERN);
}

#[test]
fn a_client_outlives_the_gateway_that_greeted_it() {
    let Some(mut cluster) = Cluster::shared(2) else { return };
    let client = client(&cluster, LEGACY, ADA.1);
    for victim in [0, 1] {
        cluster.kill(victim);
        let answer = client.call("weather", &json!({})).unwrap();
        assert!(answer.result().is_some(), "{}", answer.text());
        cluster.restart(victim);
    }
}

fn client(cluster: &Cluster, version: &str, key: &str) -> Client {
    let url = format!("http://{}/mcp/demo", cluster.balancer.address);
    Client::http_as(&url, &Identity::plain(version), key).unwrap()
}

fn use_tools(cluster: &Cluster, version: &str) {
    let client = client(cluster, version, ADA.1);
    for _ in 0..ROUNDS {
        let tools = client.result("tools/list", json!({})).unwrap();
        assert!(!tools["tools"].as_array().unwrap().is_empty());
    }
    let mut uris = Vec::new();
    for _ in 0..ROUNDS {
        let result = client.call("make_file", &json!({"kind": "csv"})).unwrap();
        let result: Value = serde_json::from_str(result.result().unwrap()).unwrap();
        let links = result["content"].as_array().unwrap().iter();
        uris.extend(links.filter_map(|block| Some(block["uri"].as_str()?.to_owned())));
    }
    // Which clients get links is decided elsewhere; the files are listed for all.
    let listed = client.result("resources/list", json!({})).unwrap();
    let own = listed["resources"].as_array().unwrap().iter();
    uris.extend(own.filter_map(|resource| Some(resource["uri"].as_str()?.to_owned())));
    uris.retain(|uri| uri.starts_with("resultant://"));
    assert!(!uris.is_empty(), "{listed}");
    uris.truncate(ROUNDS);
    for uri in &uris {
        let read = client.result("resources/read", json!({"uri": uri})).unwrap();
        assert!(!read["contents"].as_array().unwrap().is_empty(), "{read}");
    }
    let stranger = self::client(cluster, version, BOB.1);
    for uri in &uris {
        let read = stranger.request("resources/read", json!({"uri": uri})).unwrap();
        assert!(read.error().is_some(), "another's file: {}", read.text());
    }
}
