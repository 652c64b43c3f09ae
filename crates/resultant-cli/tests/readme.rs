//! What the README shows is what the command prints.
#![expect(clippy::unwrap_used, reason = "a panic is a test's report")]

use std::{fs, path::Path, process::Command};

/// Each shell block that is followed by the text it prints.
fn tour(readme: &str) -> Vec<(&str, &str)> {
    let mut steps = Vec::new();
    let mut rest = readme;
    while let Some((_, after)) = rest.split_once("```sh\n") {
        let (command, after) = after.split_once("```").unwrap();
        rest = after;
        if let Some(output) = after.trim_start().strip_prefix("```text\n") {
            steps.push((command, output.split_once("```").unwrap().0));
        }
    }
    steps
}

#[test]
fn the_tour_prints_what_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let sample = folder.path().join("corpus/demo/report.json");
    fs::create_dir_all(sample.parent().unwrap()).unwrap();
    fs::write(sample, include_str!("../../../corpus/demo/report.json")).unwrap();
    let programs = Path::new(env!("CARGO_BIN_EXE_resultant")).parent().unwrap();
    let path = std::env::join_paths([programs, Path::new("/usr/bin"), Path::new("/bin")]).unwrap();
    let steps = tour(include_str!("../../../README.md"));
    assert!(steps.len() >= 5, "control: the tour has steps");
    for (command, expected) in steps {
        let output = Command::new("sh")
            .args(["-c", &format!("({command}) 2>&1")])
            .current_dir(folder.path())
            .env("PATH", &path)
            .env("XDG_DATA_HOME", folder.path().join("share"))
            .output()
            .unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected, "{command}");
    }
}
