//! Gateways killed while they write, again and again: nothing that was acknowledged is lost, nothing
//! half-written is served, and who listens elsewhere misses nothing.

use std::{collections::VecDeque, thread, time::Duration};

use crate::{
    cluster::Cluster,
    listener::{Heard, Listener, check_order, files_told},
    user::{ADA, BOB},
    writers::{Promise, Promises},
};

/// So many cycles in the usual run, and in the full one.
const CYCLES: u32 = 10;
const CYCLES_FULL: u32 = 1000;

/// So many sessions stay, and are looked at again, before the oldest is deleted.
const SESSIONS_MAX: usize = 6;

/// The last file of a session on each gateway: each tells its own events in their order, so whoever
/// has heard of all of these has heard everything.
fn last(cluster: &Cluster) -> Vec<String> {
    (0..cluster.count()).map(|index| format!("last-{index}.txt")).collect()
}

/// A session that was written to, and what is in it.
struct Written {
    owner: (&'static str, &'static str),
    session: String,
    promises: Vec<Promise>,
}

#[test]
fn a_gateway_killed_among_others_takes_nothing_along() {
    let Some(mut cluster) = Cluster::shared(2) else { return };
    run(&mut cluster);
}

#[test]
fn a_gateway_killed_alone_comes_back_with_everything() {
    run(&mut Cluster::embedded());
}

fn run(cluster: &mut Cluster) {
    let is_full = std::env::var_os("RESULTANT_TEST_FULL").is_some();
    let cycles = if is_full { CYCLES_FULL } else { CYCLES };
    let mut written: VecDeque<Written> = VecDeque::new();
    let mut files = 0;
    for number in 0..cycles {
        let sessions = cycle(cluster, number);
        files += sessions.iter().map(|written| written.promises.len()).sum::<usize>();
        written.extend(sessions);
        while written.len() > SESSIONS_MAX {
            let oldest = written.pop_front().unwrap();
            let user = cluster.user(oldest.owner);
            for promise in &oldest.promises {
                user.check(&promise.key, &promise.sha256);
            }
            let path = format!("/api/sessions/{}", oldest.session);
            user.ask("DELETE", &path, "", b"").unwrap().expect(204);
        }
    }
    cluster.sweep();
    for Written { owner, session, promises } in &written {
        check_files(cluster, *owner, session, promises);
    }
    println!("{cycles} kills, {files} files acknowledged, found, told of and recorded");
}

/// One gateway is killed while files come in, and is started again.
fn cycle(cluster: &mut Cluster, number: u32) -> Vec<Written> {
    let victim = number as usize % cluster.count();
    let other = (victim + 1) % cluster.count();
    let (ada, bob) = (cluster.user(ADA), cluster.user(BOB));
    let sessions = [ada.session(), bob.session()];
    // One that listens where nobody dies, if there is such a place, and one that has to come back.
    let steady = (other != victim).then(|| Listener::start(cluster.at(other, ADA), &sessions[0]));
    let moving = Listener::start(ada, &sessions[0]);

    let promises = Promises::default();
    thread::scope(|scope| {
        let seed = u64::from(number) << 32;
        let (promises, [of_ada, of_bob]) = (&promises, &sessions);
        scope.spawn(move || promises.write(ada, of_ada, seed + 1));
        scope.spawn(move || promises.write(bob, of_bob, seed + 2));
        scope.spawn(move || promises.write_large(ada, of_ada, seed + 3));
        scope.spawn(move || promises.call(ada, of_ada));
        // Whatever happens here, those above come to an end.
        let _stop = Stop(promises);
        promises.wait_for_more(4);
        // Another moment of the writing each time.
        thread::sleep(Duration::from_millis(u64::from(number) * 7919 % 61));
        cluster.kill(victim);
        if other != victim {
            promises.wait_for_more(4);
        }
        cluster.restart(victim);
        promises.wait_for_more(4);
    });
    let promises = promises.into_all();
    let last = last(cluster);
    for (index, name) in last.iter().enumerate() {
        cluster.at(index, ADA).put(&sessions[0], name, name.as_bytes()).unwrap().expect(201);
    }

    cluster.sweep();
    let of = |who: (&str, &str)| -> Vec<Promise> {
        promises.iter().filter(|promise| promise.user == who.1).cloned().collect()
    };
    check_files(cluster, ADA, &sessions[0], &of(ADA));
    check_files(cluster, BOB, &sessions[1], &of(BOB));
    let foreign = bob.get(&format!("/api/files/{}/info", of(ADA)[0].key)).unwrap();
    assert_eq!(foreign.status, 404, "another's file is not there");

    let again = Listener::start(cluster.at(victim, ADA), &sessions[0]).up_to(&last);
    check_order(&again);
    assert_same(&again, &moving.up_to(&last), "who had to come back");
    if let Some(steady) = steady {
        assert_eq!(steady.breaks(), 0, "a gateway that lives keeps its listeners");
        assert_same(&again, &steady.up_to(&last), "who listened elsewhere");
    }

    let told = files_told(&again);
    for promise in of(ADA) {
        // Also by the gateway that was killed the moment after.
        let times = told.iter().filter(|key| **key == promise.key).count();
        assert_eq!(times, 1, "{} was acknowledged, and told of {times} times", promise.key);
        if let Some(call) = &promise.call {
            let status = ada.get(&format!("/api/calls/{call}")).unwrap().status;
            assert_eq!(status, 200, "the record of call {call}");
        }
    }
    let [of_ada, of_bob] = sessions;
    vec![
        Written { owner: ADA, session: of_ada, promises: of(ADA) },
        Written { owner: BOB, session: of_bob, promises: of(BOB) },
    ]
}

struct Stop<'a>(&'a Promises);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Every gateway lists all that was acknowledged, and whatever is listed is whole.
fn check_files(cluster: &Cluster, who: (&str, &'static str), session: &str, promises: &[Promise]) {
    let listed = cluster.at(0, who).files(session);
    for index in 1..cluster.count() {
        assert_eq!(cluster.at(index, who).files(session), listed, "gateways agree");
    }
    for promise in promises {
        let found = listed.iter().any(|file| {
            file["key"] == promise.key.as_str() && file["sha256"] == promise.sha256.as_str()
        });
        assert!(found, "{promise:?} was acknowledged and is not there");
    }
    for (at, file) in listed.iter().enumerate() {
        let (key, sha256) = (file["key"].as_str().unwrap(), file["sha256"].as_str().unwrap());
        cluster.at(at % cluster.count(), who).check(key, sha256);
    }
}

#[track_caller]
fn assert_same(expected: &[Heard], heard: &[Heard], who: &str) {
    check_order(heard);
    assert!(
        expected == heard,
        "{who} heard something else:\n{heard:#?}\ninstead of\n{expected:#?}"
    );
}
