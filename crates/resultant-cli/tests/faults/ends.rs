//! Servers that end, or whose pipes do.

use serde_json::json;

use crate::{
    hostile::{Bench, alive, fail, is_running, succeed, wait_until},
    mcp::{Client, Identity, LEGACY},
};

#[test]
fn a_server_that_ends_is_started_again_and_no_call_is_repeated() {
    let bench = Bench::new(&[], &json!({}));
    let client = bench.client();
    let status_3: &[&str] = &["exit status: 3", "out of luck", "not repeated"];
    let status_0: &[&str] = &["exit status: 0", "not repeated"];
    let cases = [("exit_mid_line", status_3), ("exit_silently", status_0)];
    for (tool, words) in cases {
        let called = bench.calls("never");
        std::thread::scope(|scope| {
            // A call that is under way ends with the process, and says so.
            let other = scope.spawn(|| fail(&client, "never", &json!({}), &["ended"]));
            wait_until("it is called", || bench.calls("never") > called);
            fail(&client, tool, &json!({}), words);
            other.join().expect("it fails");
        });
        alive(&client);
        assert_eq!(bench.calls(tool), 1, "{tool}");
    }
    bench.finish();
}

#[test]
fn an_answer_that_was_whole_counts_though_the_server_is_gone() {
    let bench = Bench::new(&[], &json!({}));
    let client = bench.client();
    for (tool, words) in [
        ("exit_after_answer", "last words"),
        ("exit_without_line_end", "no line end"),
        ("exit_after_long_answer", "long last words"),
        ("exit_after_long_answer", "long last words"),
    ] {
        let started = bench.notes("start").len();
        let text = succeed(&client, tool, &json!({}));
        assert!(text.contains(words), "{tool}: {text}");
        wait_until("the next one is there", || bench.notes("start").len() > started);
        alive(&client);
    }
    bench.finish();
}

#[test]
fn a_process_that_closes_its_output_and_stays_is_replaced() {
    let bench = Bench::new(&[], &json!({}));
    let client = bench.client();
    fail(&client, "close_output", &json!({}), &["not repeated"]);
    alive(&client);
    bench.finish();
}

#[test]
fn what_a_server_started_goes_with_it() {
    let bench = Bench::new(&[], &json!({}));
    let client = bench.client();
    let grandchild = succeed(&client, "grandchild", &json!({}));
    assert!(is_running(&grandchild));
    // The server leaves, but what it started holds its output open.
    fail(&client, "grandchild_keeps_output", &json!({}), &["exit status: 4"]);
    wait_until("the first grandchild has gone", || !is_running(&grandchild));
    let second = bench.notes("grandchild").pop().expect("a grandchild");
    wait_until("the second grandchild has gone", || !is_running(&second));
    alive(&client);
    let third = succeed(&client, "grandchild", &json!({}));
    bench.finish();
    wait_until("the third grandchild has gone", || !is_running(&third));
}

#[test]
fn a_server_that_does_not_read_holds_nobody_up() {
    let settings = json!({
        "timeouts": {"call_seconds": 2.0, "connect_seconds": 5.0},
        "limits": {"calls_in_flight_max": 1000},
    });
    let bench = Bench::of(&[("hostile", &["--deaf"]), ("sound", &[])], &settings, &[]);
    let client = bench.client();
    // More than fit into the pipe and into the queue before it.
    let long = "x".repeat(5000);
    std::thread::scope(|scope| {
        for _ in 0..300 {
            scope.spawn(|| fail(&client, "echo", &json!({"say": long}), &["2 seconds"]));
        }
    });
    let sound = Client::http(&bench.gateway.server("sound"), &Identity::plain(LEGACY));
    alive(&sound.expect("a session"));
    bench.finish();
}

#[test]
fn a_server_that_ignores_every_hint_is_killed() {
    let arguments: &[&str] = &["ignore-term", "--stay"];
    let bench = Bench::new(arguments, &json!({}));
    alive(&bench.client());
    bench.finish();
}

#[test]
fn servers_that_do_not_know_the_question_about_their_era_are_understood() {
    let settings = json!({"timeouts": {"connect_seconds": 20.0}});
    let servers: &[(&str, &[&str])] = &[
        ("hostile", &[]),
        ("crashes", &["--unknown=crash"]),
        ("silent", &["--unknown=silent"]),
        ("slow", &["--slow=10"]),
    ];
    let bench = Bench::of(servers, &settings, &[]);
    alive(&bench.client());
    for (server, _) in servers {
        let client = Client::http(&bench.gateway.server(server), &Identity::plain(LEGACY));
        alive(&client.expect("a session"));
    }
    bench.finish();
}
