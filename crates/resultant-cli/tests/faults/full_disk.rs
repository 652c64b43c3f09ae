//! A data folder without room.

use std::{fs, os::unix::fs::PermissionsExt as _, path::PathBuf, process::Command};

use serde_json::json;
use tempfile::TempDir;

use crate::{
    hostile::{PROGRAM, alive, call, config, succeed, text, wait_until},
    mcp::{Client, Gateway, Identity, LEGACY},
};

/// A program that gives the gateway a data folder of 16 megabytes, where the system lets it.
fn small_disk(folder: &TempDir) -> Option<PathBuf> {
    let mount = "mount -t tmpfs -o size=16m none";
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
    let settings = json!({"store": {"keep_raw": false}});
    let config = config(folder.path(), &[("hostile", &[])], &settings, &[]);
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

    // The file does not fit.
    let result = call(&client, "big_text", &json!({"megabytes": 20}));
    let said = text(&result);
    assert!(said.contains("No space left"), "{said}");
    assert!(said.contains("0123456789"), "what there is of it is shown: {said}");
    wait_until("what was written is gone", || incoming().is_empty());
    alive(&client);
    // It fits.
    assert!(succeed(&client, "big_text", &json!({"megabytes": 3})).contains("2,640,000 bytes"));
    // Nothing promises a file that is not there.
    let list = client.result("resources/list", json!({})).expect("a list");
    let listed = list["resources"].as_array().expect("resources");
    assert!(!listed.is_empty(), "{list}");
    for resource in listed {
        let (uri, size) = (resource["uri"].as_str().expect("a URI"), &resource["size"]);
        let end = size.as_u64().expect("a size") - 10;
        let separator = if uri.contains('?') { '&' } else { '?' };
        let uri = format!("{uri}{separator}offset={end}");
        let read = client.result("resources/read", json!({"uri": uri})).expect("it can be read");
        assert_eq!(read["contents"][0]["text"].as_str().map(str::len), Some(10), "{read}");
    }
    // Fill what is left: small results with files come, without a promise.
    fs::write(format!("{data}/filler"), vec![0; 16 << 20]).expect_err("no room");
    let image = call(&client, "wrong_images", &json!({}));
    assert!(text(&image).contains("\"persisted\":false"), "{image}");
    fs::remove_file(format!("{data}/filler")).expect("removed");
    let image = call(&client, "wrong_images", &json!({}));
    assert!(!text(&image).contains("persisted"), "{image}\n{}", gateway.log());
    alive(&client);
    assert!(!gateway.log().contains("panicked"));
    assert!(gateway.stop().is_ok_and(|status| status.success()));
}
