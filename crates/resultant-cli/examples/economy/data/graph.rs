//! A knowledge graph of 1,500 entities, as the memory server keeps it.

use std::{collections::BTreeSet, path::Path};

use serde_json::json;

use super::{Rng, write};

const ENTITIES: usize = 1_500;
const RELATIONS: usize = 900;

pub(crate) struct Graph {
    /// The server's file.
    pub(crate) path: String,
    /// The entity that is asked about, and what is observed of it.
    pub(crate) entity: String,
    pub(crate) observation: String,
}

/// What the observation that is asked for begins with.
pub(crate) const ABOUT: &str = "badge number";

impl Graph {
    pub(super) fn make(rng: &mut Rng, folder: &Path) -> anyhow::Result<Self> {
        let mut names = BTreeSet::new();
        while names.len() < ENTITIES {
            names.insert(format!("{} {} {}", rng.word(), rng.word(), rng.between(10, 99)));
        }
        let mut names: Vec<String> = names.into_iter().collect();
        for at in (1..names.len()).rev() {
            names.swap(at, rng.below(at + 1));
        }
        // Not at the ends, which any preview shows.
        let chosen = rng.between(100, ENTITIES - 100);
        let mut lines = String::new();
        let mut observation = String::new();
        for (at, name) in names.iter().enumerate() {
            let badge = format!("{ABOUT} {}", rng.code(7));
            let mut observations: Vec<String> = (0..rng.between(4, 7))
                .map(|_| {
                    let verb = rng.pick(&["was seen in", "works with", "moved to", "wrote about"]);
                    let year = rng.between(1990, 2026);
                    format!("{verb} {} and {} in {year}", rng.word(), rng.word())
                })
                .collect();
            let place = rng.below(observations.len() + 1);
            observations.insert(place, badge.clone());
            if at == chosen {
                observation = badge;
            }
            let kind = rng.pick(&["person", "station", "project", "vessel"]);
            let entity = json!({
                "type": "entity", "name": name, "entityType": kind, "observations": observations,
            });
            lines.push_str(&format!("{entity}\n"));
        }
        for _ in 0..RELATIONS {
            let (from, to) = (rng.below(ENTITIES), rng.below(ENTITIES));
            let kind = rng.pick(&["knows", "owns", "reports to"]);
            let relation = json!({
                "type": "relation", "from": names[from], "to": names[to], "relationType": kind,
            });
            lines.push_str(&format!("{relation}\n"));
        }
        let path = write(folder, "memory.jsonl", lines)?;
        Ok(Self { path, entity: names[chosen].clone(), observation })
    }
}
