use std::{
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    task::Poll,
};

use futures_util::{StreamExt as _, TryStreamExt as _};
use object_store::{ObjectStoreExt as _, path::Path};

use super::harness::*;
use crate::{
    Call, Ending, Entry, Id, Page, Quotas, Raw, Retention, SessionKind, Store, StoreError,
    incoming::PIECE,
};

/// More than is read at once.
const MIB: usize = 1 << 20;

/// A test of each behaviour for each place.
macro_rules! behaviours {
    ($($name:ident),* $(,)?) => {
        mod in_memory { $(#[test] fn $name() { super::in_memory(super::$name); })* }
        mod in_folder { $(#[test] fn $name() { super::in_folder(super::$name); })* }
        mod in_s3 { $(#[test] fn $name() { super::in_s3(super::$name); })* }
        mod in_postgres { $(#[test] fn $name() { super::in_postgres(super::$name); })* }
    };
}
behaviours!(
    what_is_kept_is_read_whole_and_in_parts,
    the_same_bytes_are_kept_once_for_each_owner,
    bytes_go_with_the_last_file_that_names_them,
    what_was_uploaded_and_never_recorded_goes_after_its_grace,
    what_is_refused_leaves_nothing,
    damaged_bytes_are_never_given_out,
    pieces_of_another_size_are_read_too,
    bytes_that_were_lost_are_written_again,
    raw_answers_stay_as_long_as_their_call,
    a_file_that_was_acknowledged_survives_sweeps,
    keeping_that_ends_early_leaves_a_whole_file_or_none,
    two_sweeps_at_once_are_harmless,
);

async fn what_is_kept_is_read_whole_and_in_parts(home: Home) {
    let store = home.open().await;
    let sizes = [0, 1, PIECE - 1, PIECE, PIECE + 1, MIB, MIB + 1, 20 * MIB + 77];
    for (seed, size) in sizes.into_iter().enumerate() {
        let content = bytes(seed as u64, size);
        let file = keep(&store, "ada", "a.bin", &content).await.unwrap();
        assert_eq!(file.size, size as u64);
        assert_eq!(store.file("ada", file.key).await.unwrap(), Some(file.clone()));
        assert_eq!(store.file("bob", file.key).await.unwrap(), None);
        assert!(read(&store, &file).await.unwrap() == content);
        let piece = PIECE as u64;
        for range in
            [0..1, 0..size as u64, 5..5, piece - 1..piece + 1, piece..3 * piece, 7..u64::MAX]
        {
            let (from, to) = (range.start.min(file.size), range.end.min(file.size));
            let expected = &content[from as usize..to as usize];
            let part = store.read_part(&file, range.clone()).await.unwrap();
            assert!(part == expected, "{range:?} of {size}");
        }
    }
    let files = store.files("ada", Some("default"), &Page::default()).await.unwrap();
    assert_eq!(files.len(), sizes.len());
    // The newest of the name, and still there for who opens the store next.
    store.close().await;
    if home.options.place != Some(crate::Place::Memory) {
        let store = home.open().await;
        let file = store.file_named("ada", None, "a.bin", None).await.unwrap().unwrap();
        assert_eq!(file, files[0]);
        assert!(read(&store, &file).await.unwrap() == bytes(7, 20 * MIB + 77));
    }
    let left = std::fs::read_dir(store.incoming_folder()).unwrap().count();
    assert_eq!(left, 0, "nothing is left of what came in");
}

async fn the_same_bytes_are_kept_once_for_each_owner(home: Home) {
    let store = home.open().await;
    let first = keep(&store, "john", "one", b"the same").await.unwrap();
    let second = keep(&store, "john", "two", b"the same").await.unwrap();
    assert_eq!(first.object, second.object);
    let other = keep(&store, "mary", "one", b"the same").await.unwrap();
    assert_ne!(first.object, other.object);
    let names = objects(&store).await;
    assert_eq!(names.len(), 2);
    // Names that cannot be hexadecimal digits by chance.
    assert!(names.iter().all(|name| !name.contains("john") && !name.contains("mary")), "{names:?}");
    // Whoever has a file of another's in hand still reads by its owner's records.
    assert!(store.delete_file("john", first.key).await.unwrap());
    assert!(!store.delete_file("john", other.key).await.unwrap());
    assert_eq!(read(&store, &other).await.unwrap(), b"the same");
}

async fn bytes_go_with_the_last_file_that_names_them(home: Home) {
    let store = home.open().await;
    let content = bytes(1, 9 * MIB);
    let first = keep(&store, "ada", "one", &content).await.unwrap();
    let second = keep(&store, "ada", "two", &content).await.unwrap();
    assert!(store.delete_file("ada", first.key).await.unwrap());
    assert_eq!(store.sweep(&UNNAMED).await.unwrap(), crate::Swept::default());
    assert!(store.delete_file("ada", second.key).await.unwrap());
    let swept = store.sweep(&Retention { grace_s: 3600, ..UNNAMED }).await.unwrap();
    assert_eq!((swept.blobs, swept.objects), (0, 0));
    let swept = store.sweep(&UNNAMED).await.unwrap();
    assert_eq!((swept.blobs, swept.bytes, swept.objects), (1, content.len() as u64, 0));
    assert!(objects(&store).await.is_empty());
    assert!(matches!(read(&store, &second).await, Err(StoreError::Missing { .. })));
    let again = keep(&store, "ada", "one", &content).await.unwrap();
    assert!(read(&store, &again).await.unwrap() == content);
}

async fn what_was_uploaded_and_never_recorded_goes_after_its_grace(home: Home) {
    let store = home.open().await;
    let kept = keep(&store, "ada", "one", b"kept").await.unwrap();
    let whole = whole(&store, b"killed before it was recorded");
    let upload = store.upload("ada", &whole).await.unwrap();
    // Somebody is about to record it.
    assert_eq!(store.sweep(&UNNAMED).await.unwrap().objects, 0);
    drop(upload);
    assert_eq!(store.sweep(&Retention { grace_s: 3600, ..UNNAMED }).await.unwrap().objects, 0);
    // A server may round the time of an object up to the next second.
    let mut gone = 0;
    for _ in 0..40 {
        gone += store.sweep(&UNNAMED).await.unwrap().objects;
        if gone > 0 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert_eq!(gone, 1);
    assert_eq!(objects(&store).await, [kept.object]);
}

async fn what_is_refused_leaves_nothing(mut home: Home) {
    home.options.quotas = Quotas { user_bytes_max: 1000, session_bytes_max: 800 };
    let store = home.open().await;
    let session = keep(&store, "ada", "one", &[1; 801]).await;
    assert!(matches!(session, Err(StoreError::Quota { who: "this session", .. })), "{session:?}");
    keep(&store, "ada", "one", &[1; 700]).await.unwrap();
    let new = named("two");
    let user = store.keep("ada", "other", SessionKind::Api, new, whole(&store, &[2; 400])).await;
    assert!(matches!(user, Err(StoreError::Quota { who: "this user", .. })), "{user:?}");
    assert_eq!(objects(&store).await.len(), 1);
    assert_eq!(std::fs::read_dir(store.incoming_folder()).unwrap().count(), 0);
}

async fn damaged_bytes_are_never_given_out(home: Home) {
    let store = home.open().await;
    let content = bytes(3, 3 * MIB + 10);
    let file = keep(&store, "ada", "one", &content).await.unwrap();
    let path = Path::from(&*file.object);
    let put = async |bytes: Vec<u8>| {
        // Other names of a file on disk must not see it, so it is a new one.
        store.blobs().objects().delete(&path).await.unwrap();
        store.blobs().objects().put(&path, bytes.into()).await.unwrap();
    };
    let mut damaged = content.clone();
    damaged[2 * MIB + 5] ^= 0x10;
    put(damaged).await;
    let mut stream = store.read(&file, 0..u64::MAX).await.unwrap();
    let mut given = Vec::new();
    let error = loop {
        match stream.next().await.expect("the error comes before the end") {
            Ok(bytes) => given.extend_from_slice(&bytes),
            Err(error) => break error,
        }
    };
    assert!(matches!(&error, StoreError::Damaged { digest } if *digest == file.sha256), "{error}");
    assert!(stream.next().await.is_none());
    assert!(given == content[..2 * MIB]);
    let piece = MIB as u64;
    assert!(store.read_part(&file, 0..2 * piece).await.unwrap() == content[..2 * MIB]);
    assert!(store.read_part(&file, 3 * piece..4 * piece).await.unwrap() == content[3 * MIB..]);
    // The byte that is asked for is right, and its neighbour is not.
    let part = store.read_part(&file, 2 * piece..2 * piece + 1).await;
    assert!(matches!(part, Err(StoreError::Damaged { .. })));
    for other in [content[..3 * MIB].to_vec(), [&*content, b"x"].concat(), Vec::new()] {
        put(other).await;
        assert!(matches!(read(&store, &file).await, Err(StoreError::Damaged { .. })));
    }
    store.blobs().delete(&file.object).await.unwrap();
    assert!(matches!(read(&store, &file).await, Err(StoreError::Missing { .. })));
    store.blobs().delete(&file.object).await.unwrap();
}

async fn pieces_of_another_size_are_read_too(home: Home) {
    let store = home.open().await;
    let content = bytes(4, 3 * MIB + 10);
    let file = keep(&store, "ada", "one", &content).await.unwrap();
    // As blobs were recorded once.
    let pieces: Vec<u8> =
        content.chunks(MIB).flat_map(|piece| *blake3::hash(piece).as_bytes()).collect();
    let object =
        |pieces: &[u8]| store.blobs().object(&file.object, file.size, &file.sha256, pieces.into());
    for range in [0..file.size, 5..6, 700_000..2_500_000, 3 << 20..file.size] {
        let read = object(&pieces).read(range.clone()).await.unwrap();
        let parts: Vec<_> = read.try_collect().await.unwrap();
        let (from, to) = (range.start as usize, range.end as usize);
        assert!(parts.concat() == content[from..to], "{range:?}");
    }
    let read = object(&pieces[32..]).read(0..1).await;
    assert!(matches!(read, Err(StoreError::Damaged { .. })));
}

async fn bytes_that_were_lost_are_written_again(home: Home) {
    let store = home.open().await;
    let content = bytes(5, MIB + 10);
    let first = keep(&store, "ada", "one", &content).await.unwrap();
    assert!(read(&store, &first).await.unwrap() == content);
    store.blobs().delete(&first.object).await.unwrap();
    assert!(matches!(read(&store, &first).await, Err(StoreError::Missing { .. })));
    let second = keep(&store, "ada", "two", &content).await.unwrap();
    for file in [&first, &second] {
        assert!(read(&store, file).await.unwrap() == content);
        let found = store.file("ada", file.key).await.unwrap().unwrap();
        assert_eq!(found.object, second.object);
    }
    assert_eq!(objects(&store).await, [&*second.object]);
    // The same for an answer that is kept, and for whoever has only a part.
    store.blobs().delete(&second.object).await.unwrap();
    store.blobs().objects().put(&Path::from(&*second.object), "short".into()).await.unwrap();
    store.keep_raw("ada", whole(&store, &content)).await.unwrap();
    assert!(read(&store, &first).await.unwrap() == content);
    store.sweep(&UNNAMED).await.unwrap();
    assert!(read(&store, &second).await.unwrap() == content);
}

async fn raw_answers_stay_as_long_as_their_call(home: Home) {
    let store = home.open().await;
    let content = bytes(4, 100_000);
    let raw = store.keep_raw("ada", whole(&store, &content)).await.unwrap();
    assert!(matches!(raw, Raw::Blob { size: 100_000, .. }));
    assert_eq!(store.keep_raw("ada", whole(&store, &content)).await.unwrap(), raw);
    assert_eq!(objects(&store).await.len(), 1, "the same answer again is kept once");
    let short = store.keep_raw("ada", whole(&store, b"short")).await.unwrap();
    assert_eq!(short, Raw::Inline(b"short".to_vec()));
    let mut call = Call {
        id: Id::new(),
        owner: "ada".to_owned(),
        session: "default".to_owned(),
        server: "server".to_owned(),
        tool: "tool".to_owned(),
        client: "client".to_owned(),
        arguments_sha256: String::new(),
        arguments: None,
        ending: Ending::Ok,
        message: None,
        started_ms: 1000,
        duration_us: 1,
        bytes_in: 1,
        bytes_out: 1,
        tokens_in: 1,
        tokens_out: 1,
        notes: "[]".to_owned(),
        files: "[]".to_owned(),
        handed: "[]".to_owned(),
        raw,
    };
    store.record(Entry::Call(Box::new(call.clone()))).await;
    store.flush().await.unwrap();
    assert_eq!(store.sweep(&UNNAMED).await.unwrap().blobs, 0);
    let found = store.call("ada", call.id).await.unwrap().unwrap();
    let parts: Vec<_> = store.read_raw(&found).await.unwrap().unwrap().collect().await;
    let parts: Vec<_> = parts.into_iter().map(Result::unwrap).collect();
    assert!(parts.concat() == content);
    let swept = store.sweep(&Retention { calls_s: 1, ..UNNAMED }).await.unwrap();
    assert_eq!((swept.calls, swept.blobs), (1, 1));
    assert!(matches!(store.read_raw(&found).await, Err(StoreError::Missing { .. })));
    call.raw = Raw::None;
    assert!(store.read_raw(&call).await.unwrap().is_none());
}

/// Writers keep the same few contents again and again and delete them, while sweeps take away
/// whatever nobody names.
async fn a_file_that_was_acknowledged_survives_sweeps(home: Home) {
    const WRITERS: u64 = 4;
    const ROUNDS: u64 = 40;
    let store = home.open().await;
    let is_over = Arc::new(AtomicBool::new(false));
    let rounds = Arc::new(AtomicU32::new(0));
    let sweeps: Vec<_> = (0..2)
        .map(|_| {
            let (store, is_over) = (Arc::clone(&store), Arc::clone(&is_over));
            let rounds = Arc::clone(&rounds);
            tokio::spawn(async move {
                let mut gone = 0;
                while !is_over.load(Ordering::Relaxed) {
                    let swept = store.sweep(&UNNAMED).await.unwrap();
                    gone += swept.blobs;
                    // An upload that another one made needless is deleted by whoever made it.
                    rounds.fetch_add(1, Ordering::Relaxed);
                    tokio::task::yield_now().await;
                }
                gone
            })
        })
        .collect();
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let store = Arc::clone(&store);
            tokio::spawn(async move {
                for round in 0..ROUNDS {
                    let content = bytes((writer + round) % 3, 2000);
                    let file = keep(&store, "ada", "one", &content).await.unwrap();
                    assert!(read(&store, &file).await.unwrap() == content, "{writer} {round}");
                    tokio::task::yield_now().await;
                    assert!(read(&store, &file).await.unwrap() == content, "{writer} {round}");
                    assert!(store.delete_file("ada", file.key).await.unwrap());
                }
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
    is_over.store(true, Ordering::Relaxed);
    let mut gone = 0;
    for sweep in sweeps {
        gone += sweep.await.unwrap();
    }
    assert!(gone > 0, "sweeps took nothing in {rounds:?} rounds");
}

/// The future of keeping a file is dropped after every number of steps that it has.
async fn keeping_that_ends_early_leaves_a_whole_file_or_none(home: Home) {
    let store = home.open().await;
    // Large enough for an upload in parts.
    let content = bytes(7, 8 * MIB + 1);
    let mut kept = 0;
    for steps in 0..60 {
        let name = format!("after {steps}");
        let whole = whole(&store, &content);
        let keeping = store.keep("ada", "default", SessionKind::Default, named(&name), whole);
        let ended = at_most(steps, keeping).await;
        let found = store.file_named("ada", Some("default"), &name, None).await.unwrap();
        if let Some(ended) = ended {
            assert_eq!(found, Some(ended.unwrap()), "what was acknowledged is there");
            kept += 1;
        }
        if let Some(file) = found {
            assert!(read(&store, &file).await.unwrap() == content);
            assert!(store.delete_file("ada", file.key).await.unwrap());
        }
        store.sweep(&UNNAMED).await.unwrap();
        if kept == 3 {
            break;
        }
    }
    assert!(kept > 0, "60 steps are not enough");
    // What is still being written by threads that nobody waits for is gone in the end.
    for _ in 0..100 {
        store.sweep(&UNNAMED).await.unwrap();
        if objects(&store).await.is_empty() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("{:?}", objects(&store).await);
}

async fn two_sweeps_at_once_are_harmless(home: Home) {
    let store: Arc<Store> = home.open().await;
    for number in 0..30_u8 {
        let file = keep(&store, "ada", "one", &[number; 10]).await.unwrap();
        if number % 3 > 0 {
            assert!(store.delete_file("ada", file.key).await.unwrap());
        }
    }
    let (one, other) = tokio::join!(store.sweep(&UNNAMED), store.sweep(&UNNAMED));
    assert_eq!(one.unwrap().blobs + other.unwrap().blobs, 20);
    assert_eq!(objects(&store).await.len(), 10);
    for file in store.files("ada", None, &Page::default()).await.unwrap() {
        assert_eq!(read(&store, &file).await.unwrap().len(), 10);
    }
}

/// Polls a future so many times, then drops it.
async fn at_most<T>(mut steps: u32, work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    std::future::poll_fn(|context| {
        if steps == 0 {
            return Poll::Ready(None);
        }
        steps -= 1;
        work.as_mut().poll(context).map(Some)
    })
    .await
}
