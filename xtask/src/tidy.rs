//! What the repository's files may be called and may say.

mod scripts;

use std::{fs, process::Command};

use anyhow::{Context, ensure};

use crate::{
    step::{self, Steps, Verdict},
    workspace::{Package, Workspace},
};

/// Names that say nothing about what is inside; `mod.rs` because ours stand beside their folder.
const EMPTY_NAMES: [&str; 6] = ["common", "helpers", "manager", "mod", "types", "utils"];

/// What such a name ends with where it is ours to choose.
const SOURCES: [&str; 3] = [".rs", ".ts", ".tsx"];

/// Folders of people's machines. Each is written in two parts here and below, so that this file
/// does not find itself.
const MACHINE_PATHS: [&str; 4] =
    [concat!("/ro", "ot/"), concat!("/ho", "me/"), concat!("/wo", "rk/"), concat!("/Us", "ers/")];

/// Hosts of package registries: which one a machine uses is that machine's setting.
const REGISTRY_HOSTS: [&str; 7] = [
    concat!("/crates", ".io"),
    concat!(".crates", ".io"),
    concat!("deb.debian", ".org"),
    concat!("pypi", ".org"),
    concat!("pythonhosted", ".org"),
    concat!("npmjs", ".org"),
    concat!("npmjs", ".com"),
];

/// Not ours to word: cargo's own files, the licences, and results recorded from other programs.
const NOT_SEARCHED: [&str; 5] =
    ["Cargo.lock", "fuzz/Cargo.lock", "LICENSE-APACHE", "LICENSE-MIT", "corpus/"];

const LICENSE: &str = "Apache-2.0 OR MIT";

/// The licence files, each with words that only its text has.
const LICENSE_FILES: [(&str, &str); 2] = [
    ("LICENSE-APACHE", "Apache License\n                        Version 2.0, January 2004"),
    ("LICENSE-MIT", "Permission is hereby granted, free of charge, to any\nperson"),
];

pub(crate) fn run(workspace: &Workspace, steps: &mut Steps) {
    steps.run("files: names", || {
        let files = files(workspace)?;
        Ok(Verdict::of_complaints(&badly_named(&files)))
    });
    steps.run("files: no machine's paths, no registry's hosts", || {
        let mut complaints = Vec::new();
        for file in files(workspace)? {
            if NOT_SEARCHED.iter().any(|start| file.starts_with(start)) {
                continue;
            }
            // Deleted but not committed yet, or not text: nothing to read.
            if let Ok(text) = fs::read_to_string(workspace.root.join(&file)) {
                complaints.extend(telltales(&text).map(|found| format!("{file}:{found}")));
            }
        }
        Ok(Verdict::of_complaints(&complaints))
    });
    scripts::run(workspace, steps);
    steps.run("files: licences", || {
        let files = files(workspace)?;
        let mut complaints = badly_licensed(&workspace.packages, &files);
        complaints.extend(scripts::badly_licensed(workspace, &files));
        for (file, words) in LICENSE_FILES {
            let text = fs::read_to_string(workspace.root.join(file)).unwrap_or_default();
            if !text.contains(words) {
                complaints.push(format!("{file} is missing or is another licence"));
            }
        }
        Ok(Verdict::of_complaints(&complaints))
    });
}

/// What git has or would take, so that nothing ignored is looked at.
pub(crate) fn files(workspace: &Workspace) -> anyhow::Result<Vec<String>> {
    let mut git = Command::new("git");
    git.current_dir(&workspace.root);
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let listing = step::output(&mut git).context("list of files")?;
    let files: Vec<String> =
        listing.split('\0').filter(|file| !file.is_empty()).map(str::to_owned).collect();
    ensure!(files.iter().any(|file| file == "Cargo.toml"), "control: Cargo.toml is not listed");
    Ok(files)
}

fn badly_named(files: &[String]) -> Vec<String> {
    let bad = files.iter().filter(|file| {
        let name = file.rsplit('/').next().unwrap_or(file);
        let Some(stem) = SOURCES.iter().find_map(|ending| name.strip_suffix(ending)) else {
            return false;
        };
        EMPTY_NAMES.contains(&stem) || stem.ends_with("_manager") || stem.ends_with("_utils")
    });
    bad.map(|file| format!("{file}: name it after what is in it")).collect()
}

/// Each as `line: what is wrong`.
fn telltales(text: &str) -> impl Iterator<Item = String> {
    text.lines().zip(1..).flat_map(|(line, number)| {
        let paths = MACHINE_PATHS.into_iter().filter(|path| has_path(line, path));
        let paths =
            paths.map(move |path| format!("{number}: a path of somebody's machine, {path}"));
        let hosts = REGISTRY_HOSTS.into_iter().filter(|host| line.contains(host));
        let hosts = hosts.map(move |host| format!("{number}: a registry's host, {host}"));
        paths.chain(hosts).collect::<Vec<_>>()
    })
}

/// Whether a path starts so. A folder of that name inside another is no telltale.
fn has_path(line: &str, start: &str) -> bool {
    line.match_indices(start).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "_.-~}*".contains(c))
    })
}

fn badly_licensed(packages: &[Package], files: &[String]) -> Vec<String> {
    let mut complaints = Vec::new();
    for Package { name, license, .. } in packages {
        if license.as_deref() != Some(LICENSE) {
            complaints.push(format!("crate '{name}' is not under '{LICENSE}'"));
        }
    }
    for file in files {
        let name = file.rsplit('/').next().unwrap_or(file).to_ascii_uppercase();
        let is_licence = ["LICENSE", "LICENCE", "COPYING"].iter().any(|s| name.starts_with(s));
        if is_licence && !LICENSE_FILES.iter().any(|(known, _)| known == file) {
            complaints.push(format!("{file}: a licence that is not ours"));
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::{badly_named, telltales};

    #[test]
    fn names() {
        let bad = ["src/json/mod.rs", "a/utils.rs", "b/file_manager.rs", "web/src/types.ts"];
        let good = ["src/base64.rs", "web/src/ui/tabs.tsx", "docs/utils.md"];
        let files: Vec<String> = bad.iter().chain(&good).map(ToString::to_string).collect();
        let found = badly_named(&files);
        assert_eq!(found.len(), bad.len(), "{found:?}");
    }

    #[track_caller]
    fn check(line: &str, expected: usize) {
        let found: Vec<String> = telltales(line).collect();
        assert_eq!(found.len(), expected, "{line}: {found:?}");
    }

    #[test]
    fn content() {
        check("nothing to see", 0);
        check(concat!("open(\"/ro", "ot/.ssh\")"), 1);
        check(concat!("in /wo", "rk/main and /ho", "me/ada"), 2);
        check(concat!("docs/wo", "rk/plan.md and ~/ho", "me/x"), 0);
        check(concat!("https://index.crates", ".io/x"), 1);
        check(concat!("\"resolved\": \"https://registry.npmjs", ".org/x\""), 1);
        check("published on crates, see the registry", 0);
    }
}
