//! The S3 server that other tests rely on does what they rely on, seen through the client that the
//! store uses. What it gets wrong would look like a mistake of the store.
#![expect(clippy::unwrap_used, reason = "a test")]

#[path = "harness/s3.rs"]
mod s3;

use std::time::Duration;

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use object_store::{
    BackoffConfig, ClientOptions, ObjectStore as _, ObjectStoreExt as _, PutMode, RetryConfig,
    WriteMultipart,
    aws::{AmazonS3, AmazonS3Builder},
    path::Path,
};

use self::s3::S3;

const PART: usize = 5 << 20;

fn client(server: &S3, retries: usize, patience: Duration) -> AmazonS3 {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let retry = RetryConfig {
        backoff: BackoffConfig { init_backoff: Duration::from_millis(1), ..Default::default() },
        max_retries: retries,
        ..Default::default()
    };
    let options = ClientOptions::new().with_timeout(patience);
    let mut builder = AmazonS3Builder::new()
        .with_url(server.url())
        .with_retry(retry)
        .with_client_options(options);
    for (key, value) in server.options() {
        builder = builder.with_config(key.parse().unwrap(), value);
    }
    builder.build().unwrap()
}

fn patient(server: &S3) -> AmazonS3 {
    client(server, 3, Duration::from_secs(60))
}

#[tokio::test]
async fn objects_come_and_go() {
    let server = S3::start();
    let store = patient(&server);
    let path = Path::from("a/b/small");
    store.put(&path, Bytes::from_static(b"small").into()).await.unwrap();
    assert_eq!(store.get(&path).await.unwrap().bytes().await.unwrap(), "small");

    let create = store.put_opts(&path, Bytes::new().into(), PutMode::Create.into()).await;
    assert!(matches!(create, Err(object_store::Error::AlreadyExists { .. })), "{create:?}");

    let listed: Vec<_> = store.list(Some(&Path::from("a"))).try_collect().await.unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!((&listed[0].location, listed[0].size), (&path, 5));

    store.delete(&path).await.unwrap();
    let gone = store.get(&path).await;
    assert!(matches!(gone, Err(object_store::Error::NotFound { .. })), "{gone:?}");
}

#[tokio::test]
async fn parts_make_one_object() {
    let server = S3::start();
    let store = patient(&server);
    let path = Path::from("large");
    let bytes: Vec<u8> = (0..2 * PART + 1234).map(|at| (at % 251) as u8).collect();
    let mut upload =
        WriteMultipart::new_with_chunk_size(store.put_multipart(&path).await.unwrap(), PART);
    upload.write(&bytes);
    let before = store.head(&path).await;
    assert!(matches!(before, Err(object_store::Error::NotFound { .. })), "not whole yet");
    upload.finish().await.unwrap();
    assert_eq!(store.head(&path).await.unwrap().size, bytes.len() as u64);

    let part = store.get_range(&path, PART as u64 - 10..PART as u64 + 10).await.unwrap();
    assert_eq!(part, bytes[PART - 10..PART + 10]);
    let whole = store.get(&path).await.unwrap().bytes().await.unwrap();
    assert!(whole == bytes, "the whole object");
}

#[tokio::test]
async fn an_upload_taken_back_leaves_nothing() {
    let server = S3::start();
    let store = patient(&server);
    let path = Path::from("taken-back");
    let mut upload = store.put_multipart(&path).await.unwrap();
    upload.put_part(vec![7; PART].into()).await.unwrap();
    upload.abort().await.unwrap();
    assert!(store.head(&path).await.is_err());
}

#[tokio::test]
async fn a_refusal_is_repeated_until_it_is_over() {
    let server = S3::start();
    let path = Path::from("x");
    server.fault(r#"{"status": 503}"#);
    assert!(client(&server, 1, Duration::from_secs(60)).put(&path, "x".into()).await.is_err());
    // Every second one, so that another try helps.
    server.fault(r#"{"status": 503, "every": 2}"#);
    patient(&server).put(&path, "x".into()).await.unwrap();
    server.fault(r#"{"status": 503, "methods": ["PUT"]}"#);
    assert_eq!(patient(&server).get(&path).await.unwrap().bytes().await.unwrap(), "x");
    server.fault("");
    client(&server, 0, Duration::from_secs(60)).put(&path, "y".into()).await.unwrap();
}

#[tokio::test]
async fn a_store_that_stalls_goes_on_when_it_is_well_again() {
    let server = S3::start();
    let path = Path::from("x");
    server.fault(r#"{"stall": true}"#);
    let impatient = client(&server, 0, Duration::from_millis(300));
    assert!(impatient.put(&path, "x".into()).await.is_err());
    let store = patient(&server);
    let waiting = tokio::spawn(async move {
        store.put(&Path::from("y"), "y".into()).await.unwrap();
        store
    });
    server.fault("");
    let store = waiting.await.unwrap();
    assert_eq!(store.get(&Path::from("y")).await.unwrap().bytes().await.unwrap(), "y");
}

#[tokio::test]
async fn a_slow_store_is_slow_in_both_directions() {
    let server = S3::start();
    let (store, path) = (patient(&server), Path::from("x"));
    store.put(&path, vec![1; 4096].into()).await.unwrap();
    server.fault(r#"{"bytes_per_s": 1024}"#);
    // Four seconds' worth for somebody who waits for a quarter of one: it cannot come in time.
    let impatient = client(&server, 0, Duration::from_millis(250));
    assert!(impatient.put(&path, vec![2; 4096].into()).await.is_err());
    let body = async { impatient.get(&path).await?.bytes().await };
    assert!(body.await.is_err());
    server.fault("");
    let bytes = store.get(&path).await.unwrap().bytes().await.unwrap();
    assert!(bytes == vec![1; 4096], "nothing of the slow upload is there");
}
