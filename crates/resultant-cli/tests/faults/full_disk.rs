//! A data folder without room.

use std::{fs, os::unix::fs::PermissionsExt as _, path::PathBuf, process::Command};

use serde_json::json;
use tempfile::TempDir;

use crate::{
    hostile::{PROGRAM, alive, call, config, fail, succeed, text, wait_until},
    mcp::{Client, Gateway, Identity, LEGACY},
};

/// A program that gives the gateway a data folder of eight megabytes, where the system lets it.
fn small_disk(folder: &TempDir) -> Option<PathBuf> {
    let mount = "mount -t tmpfs -o size=8m none";
    let tried = folder.path().join("tried");
    fs::create_dir(&tried).expect("a folder");
    let script = format!("{mount} \"$0\"");
    let allowed = Command::new("unshare").args(["-rm", "sh", "-c", &script]).arg(&tried).status();
    let data = folder.path().join("data");
    fs::create_dir(&data).expect("a folder");
    let program = folder.path().join("gateway");
    let script = format!(
        "#!/bin/sh\nexec unshare -rm sh -c '{mount} \"$0\" && exec \"$@\"' '{}' '{PROGRAM}' \"$@\"\n",
        data.display()
    );
    fs::write(&program, script).expect("written");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("made a program");
    allowed.is_ok_and(|status| status.success()).then_some(program)
}

#[test]
fn a_full_disk_is_said_and_passes() {
    let folder = TempDir::new().expect("a folder");
    let Some(program) = small_disk(&folder) else {
        eprintln!("not tested: this system gives no disk of our own");
        return;
    };
    let config = config(folder.path(), &[("hostile", &[])], &json!({}), &[]);
    let program = program.to_str().expect("a name");
    let mut gateway = Gateway::start(program, &config, folder.path()).expect("a gateway");
    let client = Client::http(&gateway.server("hostile"), &Identity::plain(LEGACY));
    let client = client.expect("a session");
    // The folder as the gateway sees it.
    let data = format!("/proc/{}/root{}", gateway.pid(), folder.path().join("data").display());
    let incoming = || {
        let entries = fs::read_dir(format!("{data}/incoming")).expect("the data folder");
        entries.flatten().map(|entry| entry.file_name()).collect::<Vec<_>>()
    };

    // The message does not fit.
    fail(&client, "big_text", &json!({"megabytes": 20}), &["data folder", "No space left"]);
    wait_until("what was written is gone", || incoming().is_empty());
    alive(&client);
    // Message and file fit.
    assert!(succeed(&client, "big_text", &json!({"megabytes": 3})).contains("2640000 bytes"));
    // The message fits, its file does not.
    let result = call(&client, "big_text", &json!({"megabytes": 4}));
    let said = text(&result);
    assert!(said.contains("No space left"), "{said}");
    assert!(said.contains("0123456789"), "what there is of it is shown: {said}");
    wait_until("what was written is gone", || incoming().is_empty());
    // Nothing promises a file that is not there.
    for record in fs::read_dir(format!("{data}/files")).expect("records").flatten() {
        let record: serde_json::Value =
            serde_json::from_slice(&fs::read(record.path()).expect("a record")).expect("JSON");
        let sha256 = record["sha256"].as_str().expect("a digest");
        assert!(fs::exists(format!("{data}/blobs/{}/{sha256}", &sha256[..2])).expect("known"));
    }
    // Fill what is left: small results with files come, without a promise.
    fs::write(format!("{data}/filler"), vec![0; 8 << 20]).expect_err("no room");
    let image = call(&client, "wrong_images", &json!({}));
    assert!(text(&image).contains("\"persisted\":false"), "{image}");
    fs::remove_file(format!("{data}/filler")).expect("removed");
    assert!(!text(&call(&client, "wrong_images", &json!({}))).contains("persisted"));
    alive(&client);
    assert!(!gateway.log().contains("panicked"));
    assert!(gateway.stop().is_ok_and(|status| status.success()));
}
