//! Data folders of an older version, and of a newer one.

use std::{
    fs,
    path::{Path, PathBuf},
};

use sha2::{Digest as _, Sha256};

use super::harness::*;
use crate::{Origin, Page, Place, SessionKind, Store, StoreError};

/// Leaves a file as the version before did.
fn leave(data: &Path, key: &str, name: &str, content: &[u8], created_ms: u64) -> PathBuf {
    let sha256 = data_encoding::HEXLOWER.encode(&Sha256::digest(content));
    let blob = data.join("blobs").join(&sha256[..2]).join(&sha256);
    fs::create_dir_all(blob.parent().unwrap()).unwrap();
    fs::create_dir_all(data.join("files")).unwrap();
    fs::write(&blob, content).unwrap();
    let record = serde_json::json!({
        "key": key, "name": name, "mime": "text/plain", "size": content.len(), "sha256": sha256,
        "server": "notes", "tool": "write", "created_ms": created_ms,
    });
    fs::write(data.join("files").join(format!("{key}.json")), record.to_string()).unwrap();
    blob
}

async fn names(store: &Store) -> Vec<String> {
    let files = store.files("local", Some("default"), &Page::default()).await.unwrap();
    files.into_iter().map(|file| file.name).collect()
}

async fn old_files_are_taken_over(home: Home) {
    let data = &home.options.folder;
    leave(data, "k1", "b.txt", b"first", 1000);
    leave(data, "k2", "a.txt", b"second", 2000);
    leave(data, "k3", "b.txt", b"third", 3000);
    leave(data, "k4", "same.txt", b"third", 4000);
    // Two processes at once, of which one finds the work done.
    let (store, other) = tokio::join!(home.open(), home.open());
    assert_eq!(names(&store).await, ["same.txt", "b.txt", "a.txt", "b.txt"]);
    if home.options.place != Some(Place::Memory) {
        assert_eq!(names(&other).await.len(), 4);
    }
    let session = store.session("local", "default").await.unwrap().unwrap();
    assert_eq!((session.kind, session.bytes), (SessionKind::Default, 21));
    let newest = store.file_named("local", None, "b.txt", None).await.unwrap().unwrap();
    let Origin::Tool { server, tool, call: None } = &newest.origin else {
        panic!("{:?}", newest.origin)
    };
    assert_eq!((&**server, &**tool, &*newest.mime), ("notes", "write", "text/plain"));
    assert!(!data.join("old").exists());
    assert!(!data.join("files").exists());
    assert_eq!(fs::read_to_string(data.join("version")).unwrap().trim(), "2");
    if home.options.place != Some(Place::Memory) {
        assert_eq!(read(&store, &newest).await.unwrap(), b"third");
        assert_eq!(objects(&store).await.len(), 3);
        assert_eq!(store.sweep(&UNNAMED).await.unwrap(), crate::Swept::default());
    }
    drop(store);
    assert_eq!(names(&*home.open().await).await.len(), 4);
}

#[test]
fn old_files_are_taken_over_into_a_folder() {
    in_folder(old_files_are_taken_over);
}

#[test]
fn old_files_are_taken_over_into_s3() {
    in_s3(old_files_are_taken_over);
}

#[test]
fn taking_over_goes_on_where_it_was_interrupted() {
    in_folder(|home| async move {
        let data = &home.options.folder;
        leave(data, "k1", "a.txt", b"first", 1000);
        leave(data, "k2", "b.txt", b"second", 2000);
        let record = fs::read(data.join("files/k1.json")).unwrap();
        let blob = leave(data, "k1", "a.txt", b"first", 1000);
        let within = blob.strip_prefix(data).unwrap().to_owned();
        home.open().await.close().await;
        // As if it had ended after the first was kept, before its record went.
        fs::remove_file(data.join("version")).unwrap();
        let blob = data.join("old").join(within);
        fs::create_dir_all(data.join("old/files")).unwrap();
        fs::create_dir_all(blob.parent().unwrap()).unwrap();
        fs::write(data.join("old/files/k1.json"), record).unwrap();
        fs::write(blob, b"first").unwrap();
        let store = home.open().await;
        assert_eq!(names(&store).await, ["b.txt", "a.txt"]);
        assert!(!data.join("old").exists());
    });
}

#[test]
fn what_cannot_be_taken_over_stays_where_a_person_finds_it() {
    in_folder(|home| async move {
        let data = &home.options.folder;
        leave(data, "k1", "good.txt", b"good", 1000);
        fs::remove_file(leave(data, "k2", "gone.txt", b"gone", 2000)).unwrap();
        fs::write(leave(data, "k3", "damaged.txt", b"damaged", 3000), b"else").unwrap();
        let evil = r#"{"key":"k4","name":"x","mime":"","size":1,"sha256":"../../../../etc/passwd",
            "server":"","tool":"","created_ms":1}"#;
        fs::write(data.join("files/k4.json"), evil).unwrap();
        fs::write(data.join("files/k5.json"), "{").unwrap();
        let store = home.open().await;
        assert_eq!(names(&store).await, ["good.txt"]);
        let mut left: Vec<_> = fs::read_dir(data.join("old/files"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        assert_eq!(left, ["k2.json", "k3.json", "k4.json", "k5.json"]);
        assert_eq!(names(&*home.open().await).await, ["good.txt"]);
    });
}

#[test]
fn a_newer_folder_is_refused() {
    in_folder(|home| async move {
        home.open().await.close().await;
        let version = home.options.folder.join("version");
        fs::write(&version, "3\n").unwrap();
        let opened = Store::open(home.options.clone()).await;
        let error = opened.err().unwrap();
        assert!(
            matches!(error, StoreError::Version { what: "the data folder", found: 3, known: 2 }),
            "{error}"
        );
        fs::write(&version, "newest").unwrap();
        assert!(Store::open(home.options.clone()).await.is_err());
    });
}
