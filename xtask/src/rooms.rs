//! Which of the gateway's rooms may name which crate.
//!
//! An HTTP stack, an SDK or a JSON tree that is at hand everywhere ends up everywhere. Each has one
//! place, and the rest of the gateway sees bytes and text. A control must be found in each place,
//! because a search for something absent also succeeds in the wrong folder.

use std::fs;

use crate::{
    step::{Steps, Verdict},
    tidy,
    workspace::Workspace,
};

const GATEWAY: &str = "crates/resultant-gateway/src/";

/// A crate, where below the gateway's sources it may be named, and why nowhere else.
struct Room {
    name: &'static str,
    places: &'static [&'static str],
    reason: &'static str,
}

const ROOMS: [Room; 5] = [
    Room {
        name: "rmcp",
        places: &["upstream/oauth"],
        reason: "its types drop fields, sort keys and round numbers; it is here for OAuth",
    },
    Room {
        name: "reqwest",
        places: &["upstream/http", "upstream/oauth", "auth/oidc"],
        reason: "only the wires to servers, and to an issuer, speak HTTP as a client",
    },
    Room {
        name: "axum",
        places: &["front/api", "front/http", "upstream/oauth", "upstream/http/tests"],
        reason: "only the HTTP fronts answer requests, and the login its one",
    },
    Room {
        name: "rustix",
        places: &["orphans.rs", "upstream/stdio"],
        reason: "only child processes need the system",
    },
    Room {
        name: "serde_json",
        places: &[
            "arguments",
            "auth",
            "config",
            "front/api",
            "front/http/",
            "retrieval/definitions.rs",
            "retrieval/wanted.rs",
            "upstream/oauth",
        ],
        reason: "messages stay text; a tree costs memory and loses digits, which schemas do not mind",
    },
];

pub(crate) fn run(workspace: &Workspace, steps: &mut Steps) {
    steps.run("layers: each crate in its room", || {
        let mut sources = Vec::new();
        for file in tidy::files(workspace)? {
            let Some(place) = file.strip_prefix(GATEWAY).filter(|file| file.ends_with(".rs"))
            else {
                continue;
            };
            // Deleted but not committed yet: nothing to read.
            if let Ok(text) = fs::read_to_string(workspace.root.join(&file)) {
                sources.push((place.to_owned(), text));
            }
        }
        Ok(Verdict::of_complaints(&strays(&sources)))
    });
}

/// What is wrong with these sources, each a path below the gateway's and a text.
fn strays(sources: &[(String, String)]) -> Vec<String> {
    let mut complaints = Vec::new();
    for Room { name, places, reason } in ROOMS {
        let mut is_found = false;
        for (place, _) in sources.iter().filter(|(_, text)| names(text, name)) {
            match places.iter().any(|start| place.starts_with(start)) {
                true => is_found = true,
                false => complaints.push(format!("{GATEWAY}{place} names '{name}': {reason}")),
            }
        }
        if !is_found {
            complaints.push(format!("control: '{name}' is not found where it should be"));
        }
    }
    complaints
}

/// Whether code names a crate. Comments may.
fn names(text: &str, name: &str) -> bool {
    let path = format!("{name}::");
    let mut code = text.lines().map(str::trim_start).filter(|line| !line.starts_with("//"));
    code.any(|line| {
        line.match_indices(&path).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':')
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{ROOMS, names, strays};

    #[test]
    fn a_crate_is_named_by_code() {
        assert!(names("use rmcp::transport;", "rmcp"));
        assert!(names("    let x = rmcp::model();", "rmcp"));
        assert!(!names("//! The protocol is rmcp::transport's.", "rmcp"));
        assert!(!names("use crate::rmcp::x; my_rmcp::y()", "rmcp"));
    }

    #[test]
    fn a_stray_and_a_missing_control_are_told() {
        let place = |room: &super::Room| (room.places[0].to_owned(), format!("{}::x", room.name));
        let mut sources: Vec<(String, String)> = ROOMS.iter().map(place).collect();
        assert_eq!(strays(&sources), [] as [&str; 0]);
        sources.push(("pipeline.rs".to_owned(), "use rmcp::model::X;".to_owned()));
        let complaints = strays(&sources);
        assert_eq!(complaints.len(), 1);
        assert!(complaints[0].contains("pipeline.rs names 'rmcp'"), "{complaints:?}");
        let lost = strays(&sources[1..]);
        assert!(lost.iter().any(|text| text.starts_with("control: 'rmcp'")), "{lost:?}");
    }
}
