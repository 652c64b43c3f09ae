//! Those who upload files and call tools all the while, and what they were promised.

use std::{
    sync::{
        Condvar, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::json;

use crate::{
    PATIENCE,
    user::{User, digest},
};

/// Larger than what is put into a store at once, so that it goes there in parts.
const LARGE: usize = 9 << 20;

/// A file that was acknowledged.
#[derive(Clone, Debug)]
pub(crate) struct Promise {
    pub(crate) user: &'static str,
    pub(crate) key: String,
    pub(crate) sha256: String,
    /// The call that it came from, where a tool returned it.
    pub(crate) call: Option<String>,
}

/// What was promised in one session or several.
#[derive(Default)]
pub(crate) struct Promises {
    all: Mutex<Vec<Promise>>,
    changed: Condvar,
    is_over: AtomicBool,
}

impl Promises {
    fn add(&self, promise: Promise) {
        self.all.lock().unwrap().push(promise);
        self.changed.notify_all();
    }

    /// Waits until there are so many more.
    #[track_caller]
    pub(crate) fn wait_for_more(&self, count: usize) {
        let end = Instant::now() + PATIENCE;
        let mut all = self.all.lock().unwrap();
        let wanted = all.len() + count;
        while all.len() < wanted {
            assert!(Instant::now() < end, "nothing is acknowledged any more");
            all = self.changed.wait_timeout(all, PATIENCE).unwrap().0;
        }
    }

    /// Everybody may finish what they are doing.
    pub(crate) fn stop(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    pub(crate) fn into_all(self) -> Vec<Promise> {
        self.all.into_inner().unwrap()
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// Uploads files, small ones, until it is over.
    pub(crate) fn write(&self, user: User, session: &str, seed: u64) {
        for number in 0.. {
            let seed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number;
            let size = 1 + (seed >> 7) % (64 << 10);
            if self.is_over() {
                return;
            }
            self.upload(user, session, &format!("{seed:x}.bin"), &content(seed, size as usize));
        }
    }

    /// Uploads large files until it is over.
    pub(crate) fn write_large(&self, user: User, session: &str, seed: u64) {
        for number in 0.. {
            if self.is_over() {
                return;
            }
            let bytes = content(seed ^ number, LARGE);
            self.upload(user, session, &format!("large-{number}.bin"), &bytes);
        }
    }

    fn upload(&self, user: User, session: &str, name: &str, bytes: &[u8]) {
        let reply = match user.put(session, name, bytes) {
            Ok(reply) => reply,
            Err(_) => return breathe(),
        };
        let said = String::from_utf8_lossy(&reply.body);
        assert_eq!(reply.status, 201, "a gateway that lives keeps a file: {said}");
        let file = reply.json();
        assert_eq!(file["sha256"], digest(bytes), "what was acknowledged is what was sent");
        self.add(Promise {
            user: user.key,
            key: file["key"].as_str().unwrap().to_owned(),
            sha256: digest(bytes),
            call: None,
        });
    }

    /// Calls tools that return files until it is over. The files are always the same, so that many
    /// sessions share their bytes.
    pub(crate) fn call(&self, user: User, session: &str) {
        for kind in ["csv", "png", "pdf", "zip"].iter().cycle() {
            if self.is_over() {
                return;
            }
            let reply = match user.call(session, "make_file", &json!({"kind": kind})) {
                Ok(reply) => reply,
                Err(_) => {
                    breathe();
                    continue;
                }
            };
            let said = String::from_utf8_lossy(&reply.body);
            // A gateway that was just started may still be starting the server.
            assert!(matches!(reply.status, 200 | 502), "{said}");
            let result = reply.json();
            for file in result["files"].as_array().into_iter().flatten() {
                self.add(Promise {
                    user: user.key,
                    key: file["key"].as_str().unwrap().to_owned(),
                    sha256: file["sha256"].as_str().unwrap().to_owned(),
                    call: result["id"].as_str().map(str::to_owned),
                });
            }
            let is_whole = reply.status != 200
                || result["files"].as_array().is_some_and(|files| !files.is_empty());
            assert!(is_whole, "a file that a tool returned is kept: {said}");
        }
    }
}

/// Nobody listens just now; asking again at once would only keep the machine busy.
fn breathe() {
    thread::sleep(Duration::from_millis(5));
}

/// Bytes that no other seed has.
fn content(seed: u64, size: usize) -> Vec<u8> {
    let mut state = seed | 1;
    let mut bytes = Vec::with_capacity(size + 8);
    while bytes.len() < size {
        // A linear congruence: quick, and different enough.
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    bytes.truncate(size);
    bytes
}
