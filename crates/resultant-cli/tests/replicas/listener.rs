//! Somebody who listens to a session and comes back with the last number they saw.

use std::{
    io::{BufRead as _, BufReader, Read as _},
    net::Shutdown,
    sync::{
        Arc, Condvar, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::{
    PATIENCE,
    mcp::response::{Body, read_head},
    user::User,
};

/// What was heard: number, kind and data.
pub(crate) type Heard = (i64, String, String);

pub(crate) struct Listener {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    heard: Mutex<Vec<Heard>>,
    /// How often the stream was opened.
    opened: Mutex<u32>,
    changed: Condvar,
    is_over: AtomicBool,
}

impl Listener {
    /// Listens to everything from the beginning, and returns when the stream is open.
    pub(crate) fn start(user: User, session: &str) -> Listener {
        let shared = Arc::new(Shared::default());
        let listener = Listener { shared: Arc::clone(&shared) };
        let path = format!("/api/sessions/{session}/events?after=0");
        thread::spawn(move || {
            while !shared.is_over.load(Ordering::Relaxed) {
                // A gateway that is gone: another one is asked.
                if shared.listen(user, &path).is_err() {
                    thread::sleep(Duration::from_millis(10));
                }
            }
        });
        let end = Instant::now() + PATIENCE;
        let mut opened = listener.shared.opened.lock().unwrap();
        while *opened == 0 {
            assert!(Instant::now() < end, "the stream does not open");
            opened = listener.shared.changed.wait_timeout(opened, PATIENCE).unwrap().0;
        }
        drop(opened);
        listener
    }

    /// What was heard until all of these files were told of.
    #[track_caller]
    pub(crate) fn up_to(&self, files: &[String]) -> Vec<Heard> {
        let end = Instant::now() + PATIENCE;
        let mut heard = self.shared.heard.lock().unwrap();
        loop {
            let place = |file: &String| {
                heard.iter().position(|(_, kind, data)| {
                    kind == "files_update" && data.contains(&format!("\"{file}\""))
                })
            };
            let places: Option<Vec<usize>> = files.iter().map(place).collect();
            if let Some(at) = places.and_then(|places| places.into_iter().max()) {
                return heard[..=at].to_vec();
            }
            let last = heard.last().map(|(number, ..)| *number);
            assert!(Instant::now() < end, "not all is heard of; the last event is {last:?}");
            heard = self.shared.changed.wait_timeout(heard, Duration::from_secs(1)).unwrap().0;
        }
    }

    /// How often the stream broke and was opened again.
    pub(crate) fn breaks(&self) -> u32 {
        *self.shared.opened.lock().unwrap() - 1
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Relaxed);
    }
}

impl Shared {
    /// Listens until the stream ends.
    fn listen(&self, user: User, path: &str) -> anyhow::Result<()> {
        let last = self.heard.lock().unwrap().last().map(|(number, ..)| number.to_string());
        let mut headers = vec![("Accept", "text/event-stream")];
        headers.extend(last.as_deref().map(|last| ("Last-Event-ID", last)));
        let stream = user.send("GET", path, &headers, b"")?;
        let socket = stream.try_clone()?;
        let mut stream = BufReader::new(stream);
        let head = read_head(&mut stream)?;
        if head.status != 200 {
            let mut text = String::new();
            Body::of(&head, stream)?.read_to_string(&mut text)?;
            anyhow::bail!("HTTP status {}: {text}", head.status);
        }
        *self.opened.lock().unwrap() += 1;
        self.changed.notify_all();
        let (mut number, mut kind, mut data) = (None, String::new(), String::new());
        for line in BufReader::new(Body::of(&head, stream)?).lines() {
            if self.is_over.load(Ordering::Relaxed) {
                let _ = socket.shutdown(Shutdown::Both);
                return Ok(());
            }
            let line = line?;
            if let Some(value) = line.strip_prefix("id: ") {
                number = Some(value.parse()?);
            } else if let Some(value) = line.strip_prefix("event: ") {
                value.clone_into(&mut kind);
            } else if let Some(value) = line.strip_prefix("data: ") {
                data.push_str(value);
            } else if line.is_empty() {
                let event = (number.take(), std::mem::take(&mut kind), std::mem::take(&mut data));
                // What has no number is not of the session.
                if let (Some(number), kind, data) = event {
                    self.heard.lock().unwrap().push((number, kind, data));
                    self.changed.notify_all();
                }
            }
        }
        Ok(())
    }
}

/// Every event once and in order, without a gap. A session goes on with the numbers of those that its
/// user deleted, so the first need not be 1.
#[track_caller]
pub(crate) fn check_order(heard: &[Heard]) {
    let numbers: Vec<i64> = heard.iter().map(|(number, ..)| *number).collect();
    let first = numbers.first().copied().unwrap_or(1);
    let expected: Vec<i64> = (first..).take(numbers.len()).collect();
    assert_eq!(numbers, expected, "each event once and in order");
}

/// The keys of the files that the events tell of, in order.
pub(crate) fn files_told(heard: &[Heard]) -> Vec<String> {
    let updates = heard.iter().filter(|(_, kind, _)| kind == "files_update");
    let mut keys = Vec::new();
    for (_, _, data) in updates {
        let data: Value = serde_json::from_str(data).unwrap();
        let files = data["files"].as_array().unwrap();
        keys.extend(files.iter().map(|file| file["key"].as_str().unwrap().to_owned()));
    }
    keys
}
