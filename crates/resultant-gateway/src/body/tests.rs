//! Long messages on their way.

use std::sync::{Mutex, PoisonError};

use tempfile::TempDir;
use tokio::task::JoinHandle;

use super::*;

/// Takes every long message for one request, on a thread of its own.
struct Taking {
    request: u64,
    taken: Mutex<Option<Taken>>,
}

struct Taken {
    beginning: Envelope,
    read: JoinHandle<io::Result<Vec<u8>>>,
    interest: Interest,
}

impl Taking {
    fn new(request: u64) -> Taking {
        Taking { request, taken: Mutex::default() }
    }

    fn taken(self) -> Taken {
        let taken = self.taken.into_inner().unwrap_or_else(PoisonError::into_inner);
        taken.expect("a long message")
    }
}

impl Addressees for Taking {
    fn begins(&self, beginning: &Envelope) -> Option<Entrance> {
        let (entrance, mut exit, interest) = passage(self.request);
        let read = tokio::task::spawn_blocking(move || {
            let mut all = Vec::new();
            while let Some(part) = exit.next()? {
                all.extend_from_slice(&part);
            }
            Ok(all)
        });
        let taken = Taken { beginning: beginning.clone(), read, interest };
        *self.taken.lock().unwrap_or_else(PoisonError::into_inner) = Some(taken);
        Some(entrance)
    }
}

fn options(folder: &TempDir) -> SpoolOptions {
    SpoolOptions {
        folder: folder.path().to_owned(),
        inline_bytes_max: 64,
        message_bytes_max: 8 << 20,
    }
}

fn collect(collector: &mut Collector<'_>, message: &[u8], part: usize, shared: bool) -> Body {
    for part in message.chunks(part) {
        match shared {
            true => collector.push_shared(&Bytes::copy_from_slice(part)),
            false => collector.push(part),
        }
        .expect("room");
    }
    collector.take().expect("a message")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_message_goes_to_whoever_takes_it_and_leaves_no_file() {
    let folder = TempDir::new().expect("a folder");
    let options = options(&folder);
    let text = "long \\\" ".repeat(400_000);
    for (message, is_known) in [
        (format!("{{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{{\"a\":\"{text}\"}}}}"), true),
        (format!("{{\"result\":{{\"a\":\"{text}\"}},\"jsonrpc\":\"2.0\",\"id\":7}}"), false),
    ] {
        for (part, shared) in [(1000, false), (100_000, true), (message.len(), true)] {
            let taking = Taking::new(7);
            let mut collector = Collector::new(&options, Some(&taking));
            let body = collect(&mut collector, message.as_bytes(), part, shared);
            assert!(matches!(body, Body::Passed(7)), "{body:?}");
            let Taken { beginning, read, interest } = taking.taken();
            interest.confirm();
            let read = read.await.expect("a thread").expect("all of it");
            assert!(read == message.as_bytes(), "in parts of {part}");
            assert_eq!(beginning.id.is_some(), is_known);
            assert!(beginning.result.is_some());
            assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_turns_out_to_be_another_s_is_not_whole() {
    let folder = TempDir::new().expect("a folder");
    let options = options(&folder);
    let text = "x".repeat(1 << 20);
    for (end, stray) in [
        ("\"id\":8", LongMessage::Answer(8)),
        ("\"x\":8", LongMessage::AnswerToWhom),
        ("\"method\":\"m\"", LongMessage::Notification),
    ] {
        let taking = Taking::new(7);
        let mut collector = Collector::new(&options, Some(&taking));
        let message = format!("{{\"result\":{{\"a\":\"{text}\"}},{end}}}");
        let body = collect(&mut collector, message.as_bytes(), 5000, false);
        assert!(matches!(&body, Body::Strayed(message) if *message == stray), "{body:?}");
        let Taken { read, interest, .. } = taking.taken();
        interest.confirm();
        assert!(read.await.expect("a thread").is_err());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_breaks_off_is_not_whole() {
    let folder = TempDir::new().expect("a folder");
    let options = options(&folder);
    let taking = Taking::new(7);
    let mut collector = Collector::new(&options, Some(&taking));
    collector.push(&[b' '; 1000]).expect("room");
    assert!(collector.is_long());
    drop(collector);
    let Taken { read, interest, .. } = taking.taken();
    interest.confirm();
    assert!(read.await.expect("a thread").is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_message_counts_only_where_it_is_still_waited_for() {
    let folder = TempDir::new().expect("a folder");
    let options = options(&folder);
    let text = "x".repeat(1 << 20);
    let message = format!("{{\"id\":7,\"result\":{{\"a\":\"{text}\"}}}}");
    let taking = Taking::new(7);
    let mut collector = Collector::new(&options, Some(&taking));
    let body = collect(&mut collector, message.as_bytes(), 5000, false);
    assert!(matches!(body, Body::Passed(7)), "{body:?}");
    let Taken { read, interest, .. } = taking.taken();
    assert!(!read.is_finished(), "it waits to be told");
    drop(interest);
    assert!(read.await.expect("a thread").is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_gives_up_holds_nobody_up() {
    let folder = TempDir::new().expect("a folder");
    let options = options(&folder);
    let taking = Taking::new(7);
    let mut collector = Collector::new(&options, Some(&taking));
    collector.push(&[b' '; 1000]).expect("room");
    let taken = taking.taken.lock().expect("not poisoned").take().expect("a long message");
    // The thread waits for more, and ends without.
    drop(taken.interest);
    assert!(taken.read.await.expect("a thread").is_err());
    // The rest comes nevertheless, more than fits in between.
    for _ in 0..64 {
        collector.push(&[b' '; 100_000]).expect("room");
    }
}
