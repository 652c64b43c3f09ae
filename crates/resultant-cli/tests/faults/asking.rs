//! Servers that make requests of their own.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::json;

use crate::{
    hostile::{Bench, alive, call, succeed, text, wait_until},
    mcp::{Identity, LEGACY},
};

/// A client that says its name when it is asked, and counts how often.
fn person(name: &'static str) -> (Identity, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let capabilities = json!({"elicitation": {}, "sampling": {}, "roots": {}});
    let identity = Identity::answering(LEGACY, capabilities, move |request| {
        count.fetch_add(1, Ordering::Relaxed);
        (request.method() == Some("elicitation/create"))
            .then(|| json!({"action": "accept", "content": {"name": name}}))
    });
    (identity, asked)
}

#[test]
fn a_question_reaches_the_one_who_called_or_nobody() {
    let bench = Bench::new(&[], &json!({}));
    let (ann, ann_asked) = person("Ann");
    let (bob, bob_asked) = person("Bob");
    let (ann, bob) = (bench.client_as(&ann), bench.client_as(&bob));
    // Both call on the connection they share; nobody can tell who is meant.
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| succeed(&bob, "slow", &json!({"millis": 3000})));
        wait_until("Bob's call runs", || bench.calls("slow") == 1);
        let answer = succeed(&ann, "elicit_slowly", &json!({}));
        assert!(answer.contains("refused") && answer.contains("several"), "{answer}");
        waiting.join().expect("an answer");
    });
    assert_eq!(ann_asked.load(Ordering::Relaxed) + bob_asked.load(Ordering::Relaxed), 0);
    // From now on each has a connection of its own.
    for _ in 0..3 {
        std::thread::scope(|scope| {
            let for_ann = scope.spawn(|| succeed(&ann, "elicit_slowly", &json!({})));
            let for_bob = scope.spawn(|| succeed(&bob, "elicit_slowly", &json!({})));
            let (for_ann, for_bob) = (for_ann.join().expect("Ann"), for_bob.join().expect("Bob"));
            assert!(for_ann.contains("Ann"), "{for_ann}");
            assert!(for_bob.contains("Bob"), "{for_bob}");
        });
    }
    bench.finish();
}

#[test]
fn questions_of_every_kind_have_an_answer() {
    let bench = Bench::new(&[], &json!({}));
    let (ann, _) = person("Ann");
    let ann = bench.client_as(&ann);
    assert!(succeed(&ann, "elicit", &json!({})).contains("Ann"));
    for tool in ["sample", "roots", "unknown_request"] {
        assert!(succeed(&ann, tool, &json!({})).contains("error"), "{tool}");
    }
    assert!(succeed(&ann, "ping_back", &json!({})).contains("result"));
    // A client that can do nothing is not asked.
    let plain = bench.client();
    for tool in ["elicit", "sample", "roots"] {
        assert!(succeed(&plain, tool, &json!({})).contains("-32601"), "{tool}");
    }
    alive(&plain);
    bench.finish();
}

#[test]
fn a_flood_of_questions_is_refused_and_the_call_ends() {
    let bench = Bench::new(&[], &json!({}));
    let (ann, asked) = person("Ann");
    let ann = bench.client_as(&ann);
    let result = call(&ann, "many_questions", &json!({}));
    assert_eq!(text(&result), "asked");
    assert!(asked.load(Ordering::Relaxed) < 5000);
    alive(&ann);
    bench.finish();
}

#[test]
fn a_question_without_a_call_goes_to_the_only_session_or_nowhere() {
    let bench = Bench::new(&[], &json!({}));
    let (ann, asked) = person("Ann");
    let ann = bench.client_as(&ann);
    ann.listen().expect("a stream");
    succeed(&ann, "ask_later", &json!({}));
    wait_until("it was answered", || !bench.notes("later").is_empty());
    assert!(bench.notes("later")[0].contains("Ann"), "{:?}", bench.notes("later"));
    assert_eq!(asked.load(Ordering::Relaxed), 1);
    bench.finish();

    let bench = Bench::new(&[], &json!({}));
    let ((ann, ann_asked), (bob, bob_asked)) = (person("Ann"), person("Bob"));
    let (ann, bob) = (bench.client_as(&ann), bench.client_as(&bob));
    alive(&bob);
    ann.listen().expect("a stream");
    bob.listen().expect("a stream");
    succeed(&ann, "ask_later", &json!({}));
    wait_until("it was answered", || !bench.notes("later").is_empty());
    assert!(bench.notes("later")[0].contains("error"), "{:?}", bench.notes("later"));
    assert_eq!(ann_asked.load(Ordering::Relaxed) + bob_asked.load(Ordering::Relaxed), 0);
    bench.finish();
}
