//! Lines in and lines out, and the little that has to be known of a message.

use std::{
    collections::{HashMap, HashSet},
    fs::OpenOptions,
    io::{self, Write},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

/// Longer than any test waits.
const PATIENCE: Duration = Duration::from_secs(60);

/// The way to the other side.
pub(crate) struct Wire {
    output: Mutex<io::Stdout>,
    is_initialized: AtomicBool,
    next_question: AtomicU64,
    heard: Mutex<Heard>,
    news: Condvar,
}

#[derive(Default)]
struct Heard {
    answers: HashMap<String, String>,
    cancelled: HashSet<String>,
}

impl Wire {
    pub(crate) fn stdio() -> Arc<Wire> {
        Arc::new(Wire {
            output: Mutex::new(io::stdout()),
            is_initialized: AtomicBool::new(false),
            next_question: AtomicU64::new(1),
            heard: Mutex::default(),
            news: Condvar::new(),
        })
    }

    /// Writes bytes as they are; nothing comes between them.
    pub(crate) fn raw(&self, parts: &[&[u8]]) {
        self.stream(|output| parts.iter().try_for_each(|part| output.write_all(part)));
    }

    /// Writes a line.
    pub(crate) fn line(&self, line: &str) {
        self.raw(&[line.as_bytes(), b"\n"]);
    }

    /// Writes something long, piece by piece. Whoever does not read any more is left alone.
    pub(crate) fn stream(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
        let mut output = lock(&self.output);
        let mut buffered = io::BufWriter::with_capacity(1 << 16, &mut *output);
        if write(&mut buffered).and_then(|()| buffered.flush()).is_err() {
            std::process::exit(0);
        }
        drop(buffered);
        let _ = output.flush();
    }

    pub(crate) fn result(&self, id: &str, result: &str) {
        self.line(&response(id, result));
    }

    pub(crate) fn text(&self, id: &str, text: &str) {
        self.result(id, &text_result(text));
    }

    pub(crate) fn error(&self, id: &str, code: i64, message: &str) {
        self.line(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":{code},"message":"{message}"}}}}"#
        ));
    }

    /// Asks the other side and waits for what it says.
    pub(crate) fn ask(&self, method: &str, params: &str) -> String {
        let id = format!("\"q{}\"", self.next_question.fetch_add(1, Ordering::Relaxed));
        self.line(&format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#
        ));
        self.wait(|heard| heard.answers.remove(&id)).unwrap_or_else(|| "no answer".to_owned())
    }

    pub(crate) fn wait_for_cancel(&self, id: &str) -> bool {
        self.wait(|heard| heard.cancelled.remove(id).then_some(())).is_some()
    }

    fn wait<T>(&self, mut find: impl FnMut(&mut Heard) -> Option<T>) -> Option<T> {
        let mut found = None;
        let heard = lock(&self.heard);
        let waited = self.news.wait_timeout_while(heard, PATIENCE, |heard| {
            found = find(heard);
            found.is_none()
        });
        drop(waited);
        found
    }

    pub(crate) fn answered(&self, message: &Incoming) {
        if let Some(id) = message.id() {
            lock(&self.heard).answers.insert(id, message.text.clone());
            self.news.notify_all();
        }
    }

    pub(crate) fn cancelled(&self, message: &Incoming) {
        if let Some(id) = message.value_of("requestId") {
            lock(&self.heard).cancelled.insert(id);
            self.news.notify_all();
        }
    }

    pub(crate) fn set_initialized(&self) {
        self.is_initialized.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_initialized(&self) -> bool {
        self.is_initialized.load(Ordering::Relaxed)
    }
}

/// A message, looked at as text: the gateway writes no spaces and puts the id first.
pub(crate) struct Incoming {
    pub(crate) text: String,
}

impl Incoming {
    pub(crate) fn method(&self) -> Option<String> {
        let head = self.text.split(r#""params""#).next().unwrap_or_default();
        let head = head.split(r#""result""#).next().unwrap_or_default();
        Incoming { text: head.to_owned() }.text_of("method")
    }

    pub(crate) fn id(&self) -> Option<String> {
        let head = self.text.split(r#""params""#).next().unwrap_or_default();
        Incoming { text: head.to_owned() }.value_of("id")
    }

    /// The first value under this key: a number, or a string with its quotes.
    pub(crate) fn value_of(&self, key: &str) -> Option<String> {
        let key = format!("\"{key}\":");
        let rest = &self.text[self.text.find(&key)? + key.len()..];
        let end = match rest.strip_prefix('"') {
            Some(string) => string.find('"')? + 2,
            None => rest.find([',', '}', ']'])?,
        };
        Some(rest[..end].to_owned())
    }

    pub(crate) fn text_of(&self, key: &str) -> Option<String> {
        let value = self.value_of(key)?;
        Some(value.strip_prefix('"')?.strip_suffix('"')?.to_owned())
    }

    pub(crate) fn number_of(&self, key: &str) -> Option<u64> {
        self.value_of(key)?.parse().ok()
    }
}

pub(crate) fn response(id: &str, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

pub(crate) fn text_result(text: &str) -> String {
    format!(r#"{{"content":[{{"type":"text","text":"{text}"}}]}}"#)
}

/// Tells the test what happened here.
pub(crate) fn note(what: &str, of: &str) {
    let Ok(path) = std::env::var("HOSTILE_LOG") else { return };
    if let Ok(mut file) = OpenOptions::new().append(true).create(true).open(path) {
        let _ = file.write_all(format!("{what} {of}\n").as_bytes());
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
