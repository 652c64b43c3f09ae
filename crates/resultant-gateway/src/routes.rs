//! Which server a prompt or a resource belongs to, where several stand in one list.
//!
//! A URI stays what it is unless two servers have the same: then the later server's gets the
//! server's name as its authority, and is changed back on the way to it.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use resultant::{Json, Object};

use crate::client::{Scope, lock};

/// More routes than this are not remembered; older ones go first.
const ROUTES_MAX: usize = 100_000;

/// A server and the name that the thing has there.
pub(crate) type Home = (Arc<str>, String);

/// What is known about names and URIs from the lists and results that passed.
#[derive(Debug, Default)]
pub(crate) struct Routes {
    uris: Mutex<HashMap<String, Home>>,
    templates: Mutex<HashMap<String, Home>>,
    prompts: Mutex<HashMap<String, Home>>,
    tasks: Mutex<HashMap<String, Arc<str>>>,
}

impl Routes {
    /// Notes that a server has this URI, and returns the one that clients get.
    pub(crate) fn add_uri(&self, server: &Arc<str>, uri: &str) -> String {
        add(&mut lock(&self.uris), server, uri)
    }

    /// The same for a template.
    pub(crate) fn add_template(&self, server: &Arc<str>, template: &str) -> String {
        add(&mut lock(&self.templates), server, template)
    }

    /// The server of a URI that a client names, and the URI there.
    pub(crate) fn uri(&self, exposed: &str) -> Option<Home> {
        if let Some(home) = lock(&self.uris).get(exposed) {
            return Some(home.clone());
        }
        let templates = lock(&self.templates);
        let fits = |template: &&String| fits_template(template, exposed);
        // The template that says most decides.
        let best = templates.keys().filter(fits).max_by_key(|template| template.len())?;
        let (server, original) = &templates[best];
        let uri = match original == best {
            true => exposed.to_owned(),
            false => without_server(server, exposed),
        };
        Some((server.clone(), uri))
    }

    /// The server of a template that a client names.
    pub(crate) fn template(&self, exposed: &str) -> Option<Home> {
        lock(&self.templates).get(exposed).cloned()
    }

    /// The URI that clients get for one of this server.
    pub(crate) fn exposed(&self, scope: &Scope, server: &Arc<str>, uri: &str) -> String {
        if *scope != Scope::All {
            return uri.to_owned();
        }
        match lock(&self.uris).get(uri) {
            Some((owner, _)) if owner != server => with_server(server, uri),
            _ => uri.to_owned(),
        }
    }

    pub(crate) fn set_prompts(&self, prompts: HashMap<String, Home>) {
        *lock(&self.prompts) = prompts;
    }

    pub(crate) fn prompt(&self, exposed: &str) -> Option<Home> {
        lock(&self.prompts).get(exposed).cloned()
    }

    /// Notes the task that a call has become.
    pub(crate) fn note_task(&self, server: &Arc<str>, result: &Json) {
        let nested = result.get("task").and_then(|task| task.get("taskId"));
        let Some(task) = nested.or_else(|| result.get("taskId")) else { return };
        let Some(task) = task.as_str() else { return };
        let mut tasks = lock(&self.tasks);
        if tasks.len() >= ROUTES_MAX {
            tasks.clear();
        }
        tasks.insert(task.into_owned(), server.clone());
    }

    /// A result whose resource links lead back to its server.
    pub(crate) fn in_result(&self, server: &Arc<str>, result: Json) -> Json {
        if !result.as_text().contains("\"resource_link\"") {
            return result;
        }
        let Some(content) = result.get("content") else { return result };
        let mut is_changed = false;
        let blocks: Vec<Json> = content
            .items()
            .map(|block| {
                let mut members = Object::of(&block);
                let is_link =
                    members.get("type").and_then(Json::as_str).as_deref() == Some("resource_link");
                let uri = members.get("uri").and_then(Json::as_str).filter(|_| is_link);
                let Some(uri) = uri.map(|uri| uri.into_owned()) else { return block };
                let exposed = self.add_uri(server, &uri);
                if exposed == uri {
                    return block;
                }
                is_changed = true;
                members.set("uri", Json::string(&exposed));
                members.to_json()
            })
            .collect();
        if !is_changed {
            return result;
        }
        let mut members = Object::of(&result);
        members.set("content", Json::array(&blocks));
        members.to_json()
    }

    pub(crate) fn task(&self, task: &str) -> Option<Arc<str>> {
        lock(&self.tasks).get(task).cloned()
    }
}

fn add(routes: &mut HashMap<String, Home>, server: &Arc<str>, uri: &str) -> String {
    if routes.len() >= ROUTES_MAX {
        routes.clear();
    }
    let exposed = match routes.get(uri) {
        Some((owner, _)) if owner != server => with_server(server, uri),
        _ => uri.to_owned(),
    };
    routes.insert(exposed.clone(), (server.clone(), uri.to_owned()));
    exposed
}

/// `scheme://rest` becomes `scheme://SERVER/rest`.
fn with_server(server: &str, uri: &str) -> String {
    match uri.split_once("://") {
        Some((scheme, rest)) => format!("{scheme}://{server}/{rest}"),
        None => format!("{server}:{uri}"),
    }
}

fn without_server(server: &str, uri: &str) -> String {
    let Some((scheme, rest)) = uri.split_once("://") else {
        let own = format!("{server}:");
        return uri.strip_prefix(&own).unwrap_or(uri).to_owned();
    };
    let own = format!("{server}/");
    format!("{scheme}://{}", rest.strip_prefix(&own).unwrap_or(rest))
}

/// Whether a URI can come of a template: the literal parts are there, in order.
fn fits_template(template: &str, uri: &str) -> bool {
    let mut rest = uri;
    let mut parts = template.split('{');
    let first = parts.next().unwrap_or_default();
    let Some(after) = rest.strip_prefix(first) else { return false };
    rest = after;
    for part in parts {
        let Some((_, literal)) = part.split_once('}') else { return false };
        if literal.is_empty() {
            continue;
        }
        let Some(at) = rest.find(literal) else { return false };
        rest = &rest[at + literal.len()..];
    }
    template.ends_with('}') || rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::{Routes, fits_template};
    use crate::client::Scope;

    #[test]
    fn a_uri_changes_only_where_two_servers_share_it() {
        let routes = Routes::default();
        let (a, b) = ("a".into(), "b".into());
        assert_eq!(routes.add_uri(&a, "ui://app/x"), "ui://app/x");
        assert_eq!(routes.add_uri(&b, "ui://app/x"), "ui://b/app/x");
        assert_eq!(routes.add_uri(&b, "ui://own"), "ui://own");
        assert_eq!(routes.uri("ui://b/app/x"), Some((b.clone(), "ui://app/x".to_owned())));
        assert_eq!(routes.uri("ui://app/x").map(|home| home.0), Some(a));
        assert_eq!(routes.exposed(&Scope::All, &b, "ui://app/x"), "ui://b/app/x");
        assert_eq!(routes.uri("ui://none"), None);
    }

    #[test]
    fn a_template_leads_to_its_server() {
        let routes = Routes::default();
        let (a, b) = ("a".into(), "b".into());
        routes.add_template(&a, "test://{id}/data");
        routes.add_template(&b, "file:///{path}");
        assert_eq!(routes.uri("test://7/data"), Some((a, "test://7/data".to_owned())));
        assert_eq!(routes.uri("file:///x/y"), Some((b, "file:///x/y".to_owned())));
        assert_eq!(routes.uri("test://7/other"), None);
        assert!(!fits_template("x://a", "x://ab"));
    }
}
