//! Hearing of changes on a modern server: one `subscriptions/listen` request that stays open, and
//! is made again when what is wanted changes.

use std::{
    collections::BTreeSet,
    sync::Arc,
    time::{Duration, Instant},
};

use resultant::{Json, Object};
use tokio::sync::watch;

use super::link::{Event, Link, Step};
use crate::{bridge, client::Owner};

/// How long to wait before listening again after the server ended it; twice as long each time that
/// it ended soon, because it may not know the request at all.
const PAUSE_MIN: Duration = Duration::from_secs(2);
const PAUSE_MAX: Duration = Duration::from_secs(60);

/// Listens until the connection ends.
pub(super) async fn listen(link: Arc<Link>, mut uris: watch::Receiver<BTreeSet<String>>) {
    let mut pause = PAUSE_MIN;
    loop {
        let since = Instant::now();
        let params = params(&link, &uris.borrow_and_update());
        let method = "subscriptions/listen";
        let call = link.start(Owner::GATEWAY, method, |_| params, Vec::new(), None).await;
        let Ok(mut call) = call else { return };
        loop {
            tokio::select! {
                changed = uris.changed() => match changed {
                    Ok(()) => break,
                    Err(_) => return,
                },
                step = call.next() => match step {
                    Step::Event(Event::Notification { .. }) => {}
                    Step::Event(Event::Request(request)) => {
                        request.refuse("nobody is there to be asked").await;
                    }
                    Step::Answer(answer) => {
                        tracing::debug!(server = &*link.server, ?answer, "listening ended");
                        if link.closed().is_some() {
                            return;
                        }
                        if since.elapsed() > PAUSE_MAX {
                            pause = PAUSE_MIN;
                        }
                        tokio::time::sleep(pause).await;
                        pause = (pause * 2).min(PAUSE_MAX);
                        break;
                    }
                },
            }
        }
    }
}

fn params(link: &Link, uris: &BTreeSet<String>) -> Option<String> {
    let mut filter = Object::default();
    let has = |path| link.peer().is_some_and(|peer| peer.has(path));
    for (key, path) in [
        ("toolsListChanged", "tools.listChanged"),
        ("promptsListChanged", "prompts.listChanged"),
        ("resourcesListChanged", "resources.listChanged"),
    ] {
        if has(path) {
            filter.set(key, Json::bool(true));
        }
    }
    if !uris.is_empty() {
        let uris: Vec<Json> = uris.iter().map(|uri| Json::string(uri)).collect();
        filter.set("resourceSubscriptions", Json::array(&uris));
    }
    bridge::own_params(link, "notifications", Some(&filter.to_json()))
}
