//! What may depend on what.
//!
//! The library stays pure: it reaches nothing that opens a socket, a database or a runtime. The
//! crates depend in one direction. Each check has a control that must be found, because a check
//! of something absent also passes when it looks in the wrong place.

use anyhow::ensure;

use crate::{
    step::{self, Steps, Verdict},
    workspace::{Package, Workspace},
};

/// What the library must not reach; a trailing `*` stands for any ending.
const IMPURE: [&str; 16] = [
    "async-std",
    "axum",
    "hyper",
    "hyper-util",
    "mio",
    "native-tls",
    "object_store",
    "openssl*",
    "reqwest",
    "rmcp",
    "rusqlite",
    "rustls",
    "smol",
    "socket2",
    "sqlx*",
    "tokio*",
];

/// What the library certainly reaches.
const REACHED: &str = "serde_json";

/// The crates from the bottom up; each may depend on those before it. `xtask` is not among them:
/// it depends on none, and none on it.
const ORDER: [&str; 5] =
    ["resultant", "resultant-query", "resultant-store", "resultant-gateway", "resultant-cli"];

pub(crate) fn run(workspace: &Workspace, steps: &mut Steps) {
    steps.run("layers: the library is pure", || {
        let mut tree = workspace.cargo();
        tree.args(["tree", "--package", "resultant", "--edges", "normal", "--target", "all"]);
        let listing = step::output(tree.args(["--prefix", "none", "--format", "{p}"]))?;
        ensure!(reaches(&listing, REACHED), "control: '{REACHED}' is not in the tree");
        Ok(Verdict::of_complaints(&impure(&listing)))
    });
    steps.run("layers: crates depend downwards", || {
        let inside = workspace.packages.iter().flat_map(|package| &package.dependencies);
        let inside = inside.filter(|dependency| dependency.path.is_some()).count();
        ensure!(inside > 0, "control: no crate of the workspace depends on another");
        Ok(Verdict::of_complaints(&upwards(&workspace.packages)))
    });
}

fn impure(listing: &str) -> Vec<String> {
    let names = IMPURE.iter().filter(|name| reaches(listing, name));
    names.map(|name| format!("the library reaches '{name}'")).collect()
}

/// Whether a listing of `name version` lines has such a name.
fn reaches(listing: &str, wanted: &str) -> bool {
    let mut names = listing.lines().filter_map(|line| line.split_whitespace().next());
    match wanted.strip_suffix('*') {
        Some(start) => names.any(|name| name.starts_with(start)),
        None => names.any(|name| name == wanted),
    }
}

fn upwards(packages: &[Package]) -> Vec<String> {
    let place = |name: &str| ORDER.iter().position(|candidate| *candidate == name);
    let mut complaints = Vec::new();
    for Package { name, dependencies, .. } in packages {
        if name != "xtask" && place(name).is_none() {
            complaints.push(format!("crate '{name}' has no place in the order of layers.rs"));
        }
        for dependency in dependencies.iter().filter(|dependency| dependency.path.is_some()) {
            let down = place(&dependency.name) < place(name) && place(&dependency.name).is_some();
            if !down {
                complaints.push(format!("'{name}' must not depend on '{}'", dependency.name));
            }
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::{impure, upwards};
    use crate::workspace::Package;

    #[test]
    fn a_library_with_a_runtime_is_not_pure() {
        let listing = "resultant v0.1.0 (/x)\nserde_json v1.0.1\ntokio v1.0.0\ntokio v2.0.0 (*)\n\
                       openssl-sys v0.9.0\n";
        let complaints = ["the library reaches 'openssl*'", "the library reaches 'tokio*'"];
        assert_eq!(impure(listing), complaints);
    }

    #[test]
    fn names_are_compared_whole() {
        assert!(impure("hyperloglog v1.0.0\nmy-tokio v1.0.0\nrustls-pki-types v1.0.0").is_empty());
    }

    #[track_caller]
    fn check(from: &str, to: &str, expected: &[&str]) {
        let text = format!(
            r#"[{{"name": "{from}", "license": null, "targets": [],
                  "dependencies": [{{"name": "{to}", "path": "/x"}}, {{"name": "serde"}}]}}]"#
        );
        let packages: Vec<Package> = serde_json::from_str(&text).unwrap();
        assert_eq!(upwards(&packages), expected);
    }

    #[test]
    fn direction() {
        check("resultant-cli", "resultant", &[]);
        check("resultant-gateway", "resultant-store", &[]);
        let up = "'resultant-store' must not depend on 'resultant-gateway'";
        check("resultant-store", "resultant-gateway", &[up]);
        check("resultant", "xtask", &["'resultant' must not depend on 'xtask'"]);
        check("xtask", "resultant", &["'xtask' must not depend on 'resultant'"]);
        let unknown = "crate 'resultant-utils' has no place in the order of layers.rs";
        let upwards = "'resultant-utils' must not depend on 'resultant'";
        check("resultant-utils", "resultant", &[unknown, upwards]);
    }
}
