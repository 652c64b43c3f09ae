//! Long answers are read while they come, and count only when they came whole.

use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::{
    hostile::{Bench, alive, fail, notes, succeed, wait_until},
    sizes::{blobs, kept},
};

/// The digest of what the tools `long_…` say.
fn digest(say: &str) -> String {
    let words = format!("{say} {}", "and so on ".repeat(400_000));
    Sha256::digest(words).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn an_answer_may_say_at_its_end_whose_it_is() {
    let bench = Bench::new(&[], &json!({}));
    let client = bench.client();
    alive(&client);
    // Alone, and beside others of whom each could be meant.
    succeed(&client, "long_id_last", &json!({"say": "alone"}));
    kept(&bench.data(), &digest("alone"));
    std::thread::scope(|scope| {
        let slow = scope.spawn(|| succeed(&client, "slow", &json!({"millis": 1500})));
        for word in ["one", "two", "three"] {
            let client = &client;
            scope.spawn(move || {
                let text = succeed(client, "long_id_last", &json!({"say": word}));
                assert!(text.contains(word), "{text}");
            });
        }
        assert_eq!(slow.join().expect("an answer"), "slow");
    });
    for word in ["one", "two", "three"] {
        kept(&bench.data(), &digest(word));
    }
    bench.finish();
}

#[test]
fn what_is_another_s_is_not_taken_for_one_s_own() {
    let bench = Bench::new(&[], &json!({}));
    let client = bench.client();
    alive(&client);
    assert_eq!(succeed(&client, "long_of_another", &json!({"say": "mine"})), "mine");
    let text = succeed(&client, "long_twice", &json!({"say": "first"}));
    assert!(text.contains("first") && !text.contains("said before"), "{text}");
    alive(&client);
    kept(&bench.data(), &digest("first"));
    for said in ["somebody else's", "said before"] {
        let name = digest(said);
        assert!(!blobs(&bench.data()).iter().any(|path| path.to_string_lossy().contains(&name)));
    }
    bench.finish();
}

#[test]
fn nothing_stays_of_an_answer_that_broke_off() {
    let bench = Bench::new(&[], &json!({}));
    let client = bench.client();
    alive(&client);
    let before = blobs(&bench.data()).len();
    let words = ["exit status: 3", "out of words", "not repeated"];
    fail(&client, "long_then_exit", &json!({"say": "half"}), &words);
    wait_until("what there was of it is gone", || bench.incoming().is_empty());
    alive(&client);
    assert_eq!(blobs(&bench.data()).len(), before);
    assert_eq!(bench.calls("long_then_exit"), 1);
    bench.finish();
}

#[test]
fn an_answer_that_stalls_has_the_time_that_every_call_has() {
    let bench = Bench::new(&[], &json!({"timeouts": {"call_seconds": 2.0}}));
    let client = bench.client();
    alive(&client);
    let before = blobs(&bench.data()).len();
    // More often than there are places for answers that are read while they come.
    for _ in 0..9 {
        fail(&client, "long_then_stall", &json!({"say": "half"}), &["2 seconds"]);
    }
    // The server is told, and gives the line free.
    wait_until("what there was of it is gone", || bench.incoming().is_empty());
    alive(&client);
    assert_eq!(blobs(&bench.data()).len(), before);
    bench.finish();
}

#[test]
fn an_answer_that_nobody_wants_any_more_is_not_read_to_its_end() {
    let bench = Bench::new(&[], &json!({}));
    let client = bench.client();
    alive(&client);
    let before = blobs(&bench.data()).len();
    let id = client.reserve_id();
    std::thread::scope(|scope| {
        let cancelled = scope.spawn(|| {
            let params = json!({"name": "long_then_stall", "arguments": {"say": "half"}});
            client.request_as(id, "tools/call", params)
        });
        wait_until("it stalls", || bench.notes("stalled").len() == 1);
        wait_until("it is being read", || !bench.incoming().is_empty());
        client.notify("notifications/cancelled", &json!({"requestId": id})).expect("sent");
        assert!(cancelled.join().expect("it ends").is_err());
    });
    wait_until("what there was of it is gone", || bench.incoming().is_empty());
    alive(&client);
    assert_eq!(blobs(&bench.data()).len(), before);
    bench.finish();
}

#[test]
fn a_gateway_leaves_though_an_answer_stalls() {
    let mut bench = Bench::new(&[], &json!({"timeouts": {"shutdown_seconds": 1.0}}));
    let client = bench.client();
    alive(&client);
    let folder = bench.folder.path().to_owned();
    std::thread::scope(|scope| {
        let call = scope.spawn(|| client.call("long_then_stall", &json!({"say": "half"})));
        wait_until("it stalls", || notes(&folder, "stalled").len() == 1);
        let status = bench.gateway.stop().expect("it ends");
        assert!(status.success(), "{status}: {}", bench.gateway.log());
        let _ = call.join().expect("it ends, one way or the other");
    });
    assert!(!bench.gateway.log().contains("panicked"), "{}", bench.gateway.log());
    bench.nothing_is_left();
}
