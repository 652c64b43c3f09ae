//! Stores that fail: a server that refuses, hangs, is too slow or breaks off, a folder that cannot
//! be written to, a disk that is full.

use std::{fs, sync::Arc, time::Duration};

use futures_util::TryStreamExt as _;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

use super::harness::*;
use crate::{Page, Place, Store, StoreError, blobs::Blobs};

/// Pieces as they were once, and still are readable.
const PIECE: usize = 1 << 20;

/// Answers every connection like this; says the port.
async fn serve<F: Future<Output = ()> + Send>(
    answer: impl Fn(TcpStream) -> F + Send + Sync + 'static,
) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let answer = Arc::new(answer);
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let answer = Arc::clone(&answer);
            tokio::spawn(async move { answer(socket).await });
        }
    });
    port
}

/// Reads the head of a request.
async fn head(socket: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match socket.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => break,
        }
    }
    String::from_utf8(head).unwrap().to_ascii_lowercase()
}

/// What is kept in this place fails, and nothing is left but the session.
async fn check_nothing_is_kept(mut home: Home, place: Option<Place>) -> StoreError {
    home.options.patience = Duration::from_secs(1);
    if let Some(place) = place {
        home.options.place = Some(place);
    }
    let store = home.open().await;
    let small = keep(&store, "ada", "one", b"small").await.unwrap_err();
    keep(&store, "ada", "one", &bytes(1, 9 * PIECE)).await.unwrap_err();
    assert_eq!(store.files("ada", None, &Page::default()).await.unwrap(), []);
    assert_eq!(store.session("ada", "default").await.unwrap().unwrap().bytes, 0);
    assert_eq!(fs::read_dir(store.incoming_folder()).unwrap().count(), 0);
    assert!(!store.is_under_way(""), "nothing is poisoned");
    small
}

#[test]
fn a_server_that_refuses_is_an_error() {
    in_folder(|home| async move {
        let port = serve(async |mut socket: TcpStream| {
            head(&mut socket).await;
            let answer = "HTTP/1.1 503 Slow Down\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
            let _ = socket.write_all(answer.as_bytes()).await;
        });
        let error = check_nothing_is_kept(home, Some(s3(port.await))).await;
        assert!(matches!(error, StoreError::Blobs(_) | StoreError::Late { .. }), "{error}");
    });
}

#[test]
fn a_server_that_hangs_is_late() {
    in_folder(|home| async move {
        let port = serve(async |mut socket: TcpStream| {
            head(&mut socket).await;
            std::future::pending::<()>().await;
        });
        let error = check_nothing_is_kept(home, Some(s3(port.await))).await;
        assert!(matches!(error, StoreError::Late { seconds: 1 }), "{error}");
    });
}

#[test]
fn a_server_that_is_not_there_is_an_error() {
    in_folder(|home| async move {
        // Bound, never listened to again.
        let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
        let error = check_nothing_is_kept(home, Some(s3(port))).await;
        assert!(matches!(error, StoreError::Blobs(_) | StoreError::Late { .. }), "{error}");
    });
}

#[test]
fn a_folder_that_cannot_be_written_to_is_an_error() {
    in_folder(|home| async move {
        // Not even the system's owner can make folders in a file.
        fs::create_dir_all(home.options.folder.join("blobs")).unwrap();
        let shelf = Blobs::name("ada", "00");
        let owner = shelf.split('/').next().unwrap();
        fs::write(home.options.folder.join("blobs").join(owner), "a file").unwrap();
        let error = check_nothing_is_kept(home, None).await;
        assert!(matches!(error, StoreError::Folder(_)), "{error}");
    });
}

/// The head of an answer with a part of an object.
fn partial(from: usize, to: usize, size: usize) -> String {
    format!(
        "HTTP/1.1 206 Partial Content\r\ncontent-length: {}\r\ncontent-range: bytes {from}-{}/{size}\r\n\
         etag: \"one\"\r\nlast-modified: Sun, 06 Nov 1994 08:49:37 GMT\r\nconnection: close\r\n\r\n",
        to - from,
        to - 1,
    )
}

/// The range that is asked for.
fn asked(head: &str) -> (usize, usize) {
    let range = head.lines().find_map(|line| line.strip_prefix("range: bytes=")).unwrap();
    let (from, to) = range.split_once('-').unwrap();
    (from.parse().unwrap(), to.parse::<usize>().unwrap() + 1)
}

fn pieces(content: &[u8]) -> Vec<u8> {
    content.chunks(PIECE).flat_map(|piece| *blake3::hash(piece).as_bytes()).collect()
}

#[test]
fn a_server_that_is_too_slow_is_late() {
    in_folder(|_| async move {
        let port = serve(async |mut socket: TcpStream| {
            let (from, to) = asked(&head(&mut socket).await);
            let _ = socket.write_all(partial(from, to, 2 * PIECE).as_bytes()).await;
            // Always something, never enough.
            while socket.write_all(b"x").await.is_ok() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        });
        let patience = Duration::from_secs(1);
        let blobs = Blobs::open(&s3(port.await), patience).await.unwrap();
        let content = bytes(1, 2 * PIECE);
        let object = blobs.object("a/b", content.len() as u64, "00", pieces(&content).into());
        let read = object.read(0..10).await.err().unwrap();
        assert!(matches!(read, StoreError::Late { seconds: 1 }), "{read}");
    });
}

#[test]
fn an_answer_that_breaks_off_is_asked_for_again() {
    in_folder(|_| async move {
        let content = bytes(1, 4 * PIECE + 5);
        let served = content.clone();
        let port = serve(move |mut socket: TcpStream| {
            let served = served.clone();
            async move {
                let (from, to) = asked(&head(&mut socket).await);
                let _ = socket.write_all(partial(from, to, served.len()).as_bytes()).await;
                let some = (from + 400_000).min(to);
                let _ = socket.write_all(&served[from..some]).await;
            }
        });
        let blobs = Blobs::open(&s3(port.await), Duration::from_secs(20)).await.unwrap();
        let size = content.len() as u64;
        let object = blobs.object("a/b", size, "00", pieces(&content).into());
        let parts: Vec<_> = object.read(3..size).await.unwrap().try_collect().await.unwrap();
        assert!(parts.concat() == content[3..]);
    });
}

#[test]
fn an_address_that_cannot_be_used_is_refused_without_its_secrets() {
    in_folder(|home| async move {
        let url = |url: &str| Place::Url { url: url.to_owned(), options: Vec::new() };
        let option = |name: &str| Place::Url {
            url: "s3://bucket".to_owned(),
            options: vec![(name.to_owned(), "secret".to_owned())],
        };
        let places = [
            url("ftp://me:secret@host/x"),
            url("https://me:secret@example.com/x?key=secret"),
            url("not an address, secret"),
            url("memory:///"),
            url("file:///tmp"),
            option("aws_no_such_option"),
        ];
        for place in places {
            assert!(!format!("{place:?}").contains("secret"), "{place:?}");
            let mut options = home.options.clone();
            options.place = Some(place.clone());
            let error = Store::open(options).await.err().unwrap();
            assert!(matches!(error, StoreError::Address { .. }), "{place:?}: {error}");
            assert!(!error.to_string().contains("secret"), "{error}");
        }
        // The others are not asked anything, so they can be opened without being there.
        for address in ["gs://bucket/x", "az://container/x"] {
            let options = match address.starts_with("az") {
                true => vec![
                    ("azure_storage_account_name".to_owned(), "me".to_owned()),
                    ("azure_storage_account_key".to_owned(), "c2VjcmV0".to_owned()),
                ],
                false => vec![("google_skip_signature".to_owned(), "true".to_owned())],
            };
            let place = Place::Url { url: address.to_owned(), options };
            Blobs::open(&place, Duration::from_secs(1)).await.unwrap();
        }
    });
}

/// A small file system in memory, where this user may make one.
#[cfg(target_os = "linux")]
struct Disk(tempfile::TempDir);

#[cfg(target_os = "linux")]
impl Disk {
    fn new(size: &str) -> Option<Disk> {
        let folder = tempfile::tempdir().unwrap();
        let mount = std::process::Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
            .arg(folder.path())
            .output();
        mount.is_ok_and(|mount| mount.status.success()).then_some(Disk(folder))
    }
}

#[cfg(target_os = "linux")]
impl Drop for Disk {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg("-l").arg(self.0.path()).output();
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error_and_leaves_what_was_kept() {
    let Some(disk) = Disk::new("4m") else {
        eprintln!("only who may mount a file system can try this");
        return;
    };
    in_folder(|mut home| async move {
        // Bytes come in on another file system, so that this one sees copies.
        home.options.place = Some(Place::Folder(disk.0.path().join("blobs")));
        let store = home.open().await;
        let content = bytes(1, 2 * PIECE);
        let kept = keep(&store, "ada", "one", &content).await.unwrap();
        let error = keep(&store, "ada", "two", &bytes(2, 3 * PIECE)).await.unwrap_err();
        assert!(matches!(error, StoreError::Folder(_)), "{error}");
        assert!(read(&store, &kept).await.unwrap() == content);
        assert_eq!(objects(&store).await, [&*kept.object], "no part is left");
        assert_eq!(store.files("ada", None, &Page::default()).await.unwrap().len(), 1);
        assert!(store.delete_file("ada", kept.key).await.unwrap());
        store.sweep(&UNNAMED).await.unwrap();
        keep(&store, "ada", "two", &bytes(2, 3 * PIECE)).await.unwrap();

        // And where bytes come in.
        let incoming = disk.0.path().join("incoming");
        fs::create_dir(&incoming).unwrap();
        let mut coming = crate::Incoming::new(&incoming, true).unwrap();
        let written = coming.write(&bytes(3, 4 * PIECE)).and_then(|()| coming.finish().map(drop));
        assert!(written.is_err());
        assert_eq!(fs::read_dir(&incoming).unwrap().count(), 0);
        drop(disk);
    });
}
