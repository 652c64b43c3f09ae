//! Names of files that are made to hurt: over HTTP, in the store and in what comes back.

use std::path::Path;

use serde_json::json;

use crate::client::{Bench, text};

/// The names of all files and folders below this one.
fn below(folder: &Path, names: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        names.push(entry.file_name().to_string_lossy().into_owned());
        if entry.path().is_dir() {
            below(&entry.path(), names);
        }
    }
}

#[test]
fn a_name_is_one_segment_and_says_nothing_about_the_place() {
    let bench = Bench::new();
    let session = bench.session();
    let long = format!("{}.txt", "n".repeat(4096));
    for (written, kept) in [
        ("con.txt", "con.txt"),
        (".htaccess", ".htaccess"),
        ("trailing.", "trailing."),
        ("..%2F..%2Fetc%2Fpasswd", "passwd"),
        ("C:%5Cwindows%5Cx.ini", "x.ini"),
        ("a%00b%0D%0Ac.txt", "abc.txt"),
        ("%E2%80%AEgpj.exe", "gpj.exe"),
        ("q%22%3B.txt", "q\";.txt"),
        (long.as_str(), ""),
    ] {
        let file = bench.upload(&session, written, b"bytes");
        let (name, key) = (text(&file["name"]), text(&file["key"]));
        match kept {
            "" => assert!(name.len() <= 255 && name.ends_with(".txt"), "{name}"),
            kept => assert_eq!(name, kept),
        }
        let download = bench.get(&format!("/api/files/download/{key}"));
        assert_eq!((download.status, download.body.as_slice()), (200, b"bytes".as_slice()));
        let said = download.header("content-disposition").expect("a name");
        assert!(said.starts_with("attachment; filename=\""), "{said}");
        assert_eq!(said.matches('"').count(), 2, "{said}");
        let found = bench.get(&format!("/api/files/{key}/info")).json();
        assert_eq!(found["name"], json!(name));
    }
    for nothing in ["%20", ".", "..", "%2F", "%00", "%E2%80%8B"] {
        let line = format!("PUT /api/sessions/{session}/files/{nothing}");
        let refused = bench.request(&line, "", b"bytes");
        assert!(matches!(refused.status, 400 | 404 | 405), "{nothing}: {refused}");
    }
    let mut names = Vec::new();
    below(&bench.gateway.folder.join("data"), &mut names);
    assert!(names.iter().any(|name| name.len() > 64), "there are objects: {names:?}");
    for part in ["con", "htaccess", "trailing", "passwd", "x.ini", "nnnn", "gpj"] {
        assert!(!names.iter().any(|name| name.contains(part)), "{part}: {names:?}");
    }
}
