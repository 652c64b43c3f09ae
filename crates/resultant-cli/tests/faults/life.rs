//! The gateway's own life: its end, its death, and its configuration.

use std::{
    fs,
    process::Command,
    time::{Duration, SystemTime},
};

use serde_json::{Value, json};

use crate::{
    hostile::{Bench, alive, config, hostile_server, is_running, notes, succeed, wait_until},
    mcp::{Client, Gateway, Identity, LEGACY},
};

fn signal(pid: u32, signal: &str) {
    let sent = Command::new("kill").args([signal, &pid.to_string()]).status();
    assert!(sent.expect("kill").success());
}

#[test]
fn an_orderly_end_finishes_what_is_running() {
    let mut bench = Bench::new(&[], &json!({}));
    let client = bench.client();
    std::thread::scope(|scope| {
        let running = scope.spawn(|| succeed(&client, "slow", &json!({"millis": 3000})));
        wait_until("it runs", || bench.calls("slow") == 1);
        signal(bench.gateway.pid(), "-TERM");
        assert_eq!(running.join().expect("an answer"), "slow");
    });
    assert!(bench.gateway.stop().is_ok_and(|status| status.success()));
    bench.nothing_is_left();
}

#[test]
fn a_proxy_leaves_with_its_client() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let script = format!(
        "'{1}' proxy --data '{0}/data' -- '{2}'; date +%s > '{0}/ended'",
        folder.path().display(),
        crate::hostile::PROGRAM,
        hostile_server().display()
    );
    let mut command = Command::new("sh");
    command.arg("-c").arg(script).env("HOSTILE_LOG", folder.path().join("hostile.log"));
    let client = Client::stdio(&mut command, &Identity::plain(LEGACY)).expect("a client");
    alive(&client);
    // Who is dropped closes the pipe, waits a second and kills the shell: the proxy has ended
    // before that, or nothing is written.
    drop(client);
    assert!(folder.path().join("ended").exists(), "the proxy stays when its client has left");
    for pid in notes(folder.path(), "start") {
        wait_until("its server is gone", || !is_running(&pid));
    }
}

#[test]
fn a_proxy_finishes_what_is_running_too() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let script = format!(
        "echo $$ > '{0}/pid'; exec '{1}' proxy --data '{0}/data' -- '{2}'",
        folder.path().display(),
        crate::hostile::PROGRAM,
        hostile_server().display()
    );
    let mut command = Command::new("sh");
    command.arg("-c").arg(script).env("HOSTILE_LOG", folder.path().join("hostile.log"));
    let client = Client::stdio(&mut command, &Identity::plain(LEGACY)).expect("a client");
    let pid = fs::read_to_string(folder.path().join("pid")).expect("a number");
    std::thread::scope(|scope| {
        let running = scope.spawn(|| succeed(&client, "slow", &json!({"millis": 3000})));
        wait_until("it runs", || notes(folder.path(), "call") == ["slow"]);
        signal(pid.trim().parse().expect("a number"), "-TERM");
        assert_eq!(running.join().expect("an answer"), "slow");
    });
    wait_until("the proxy is gone", || !is_running(pid.trim()));
    for pid in notes(folder.path(), "start") {
        wait_until("its server is gone", || !is_running(&pid));
    }
}

#[test]
fn servers_do_not_outlive_a_gateway_that_is_killed() {
    let servers: &[(&str, &[&str])] =
        &[("hostile", &[]), ("stays", &["--stay"]), ("ignores", &["ignore-term", "--stay"])];
    let bench = Bench::of(servers, &json!({}), &[]);
    let grandchild = succeed(&bench.client(), "grandchild", &json!({}));
    for (server, _) in servers {
        let client = Client::http(&bench.gateway.server(server), &Identity::plain(LEGACY));
        alive(&client.expect("a session"));
    }
    assert!(is_running(&grandchild));
    signal(bench.gateway.pid(), "-KILL");
    bench.nothing_is_left();
    wait_until("the grandchild is gone", || !is_running(&grandchild));
}

/// Writes a configuration as an editor does: whole, under its name, at once.
fn write_config(bench: &Bench, text: &str) {
    let folder = bench.folder.path();
    fs::write(folder.join("new.json"), text).expect("written");
    fs::rename(folder.join("new.json"), folder.join("resultant.json")).expect("renamed");
}

#[test]
fn a_new_configuration_drops_no_call_and_a_bad_one_changes_nothing() {
    let bench = Bench::new(&[], &json!({}));
    let client = bench.client();
    let log_has = |words: &str| bench.gateway.log().contains(words);
    let configured = |servers: &[(&str, &[&str])], settings: &Value| {
        config(bench.folder.path(), servers, settings, &[]).to_string()
    };
    std::thread::scope(|scope| {
        let running = scope.spawn(|| succeed(&client, "slow", &json!({"millis": 6000})));
        wait_until("it runs", || bench.calls("slow") == 1);
        // Bad: the old one stays, and why is said.
        write_config(&bench, "{\"mcpServers\": {\"hostile\": 5}, ");
        wait_until("it is said", || log_has("the old one stays"));
        alive(&client);
        // The same server with other arguments, and one more.
        write_config(&bench, &configured(&[("hostile", &["--slow=0"]), ("more", &[])], &json!({})));
        signal(bench.gateway.pid(), "-HUP");
        wait_until("it is read", || log_has("configuration read again"));
        let more = Client::http(&bench.gateway.server("more"), &Identity::plain(LEGACY));
        alive(&more.expect("a session"));
        alive(&client);
        assert_eq!(running.join().expect("an answer"), "slow");
    });
    // A server that is taken out is not there any more, and its process goes.
    write_config(&bench, &configured(&[("more", &[])], &json!({})));
    wait_until("it is gone", || {
        Client::http(&bench.gateway.server("hostile"), &Identity::plain(LEGACY)).is_err()
    });
    wait_until("its processes are gone", || {
        bench.notes("start").iter().filter(|pid| is_running(pid)).count() <= 2
    });
    bench.finish();
}

#[test]
fn what_a_gateway_that_was_killed_left_half_written_is_cleared() {
    let folder = tempfile::TempDir::new().expect("a folder");
    let incoming = folder.path().join("data/incoming");
    fs::create_dir_all(&incoming).expect("a folder");
    let long_ago = SystemTime::now() - Duration::from_secs(2 * 60 * 60);
    for (name, modified) in [("message-1-1", long_ago), ("spill-1-2", SystemTime::now())] {
        let file = fs::File::create(incoming.join(name)).expect("a file");
        file.set_modified(modified).expect("its time");
    }
    let config = config(folder.path(), &[("hostile", &[])], &json!({}), &[]);
    let _gateway =
        Gateway::start(crate::hostile::PROGRAM, &config, folder.path()).expect("started");
    wait_until("it is cleared", || !incoming.join("message-1-1").exists());
    assert!(incoming.join("spill-1-2").exists(), "another process may be writing it");
}
