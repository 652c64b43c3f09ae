//! Whole gateways before a server that wants a token: what they are told decides how they get one.

use serde_json::{Value, json};

use super::*;
use crate::{Failure, FailureKind, Gateway, ServerReport, config::Config};

/// Connects a gateway of its own with these settings for the server.
async fn connected(
    world: &World,
    oauth: &Value,
    agent: Option<Arc<dyn UserAgent>>,
) -> ServerReport {
    let data = world.data.path();
    let server = json!({"url": world.server.url, "resultant": {"start": "lazy", "oauth": oauth}});
    let text = json!({"mcpServers": {"Files": server}, "resultant": {"data": data}}).to_string();
    let config = Config::parse(&text, data, &|_| None).unwrap().config;
    let gateway = Gateway::start_with(config, agent).await.unwrap();
    let report = gateway.survey().await.remove(0);
    gateway.stop().await;
    report
}

#[track_caller]
fn check_tools(report: &ServerReport) {
    let names: Vec<&str> = report.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["list_files"], "{:?}", report.failure);
}

#[tokio::test]
async fn a_gateway_with_nobody_to_ask_says_that_a_login_is_needed() {
    let world = World::start().await;
    let report = connected(&world, &json!({}), None).await;
    let failure = report.failure.unwrap();
    assert!(matches!(failure, Failure { kind: FailureKind::Unauthorized, .. }), "{failure:?}");
    assert_eq!(world.book().issued, 0);
}

#[tokio::test]
async fn a_login_while_connecting_does_for_every_gateway_of_the_folder() {
    let world = World::start().await;
    let agent: Arc<dyn UserAgent> = Arc::new(FollowRedirects);
    check_tools(&connected(&world, &json!({}), Some(agent)).await);
    check_tools(&connected(&world, &json!({}), None).await);
    assert_eq!(world.book().issued, 1);
}

#[tokio::test]
async fn the_scopes_of_the_configuration_are_asked_for() {
    let world = World::start().await;
    let agent: Arc<dyn UserAgent> = Arc::new(FollowRedirects);
    let oauth = json!({"scopes": ["files", "folders"]});
    check_tools(&connected(&world, &oauth, Some(agent)).await);
    let scopes: Vec<String> = world.book().tokens.values().cloned().collect();
    assert_eq!(scopes, ["files folders"]);
}

#[tokio::test]
async fn a_client_with_a_secret_in_the_configuration_needs_nobody() {
    let world = World::start().await;
    let oauth = json!({"client_id": "robot", "client_secret": "pass", "grant": "client"});
    check_tools(&connected(&world, &oauth, None).await);
    assert_eq!(world.book().issued, 1);
}
