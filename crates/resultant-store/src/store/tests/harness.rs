//! Places to try a store in, and what every test does with one.

use std::{path::Path, sync::Arc, time::Duration};

use futures_util::TryStreamExt as _;
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto,
};
use s3s::{auth::SimpleAuth, service::S3ServiceBuilder};
use tempfile::TempDir;
use tokio::{net::TcpListener, runtime::Runtime};

use crate::{
    File, Incoming, Lifetimes, NewFile, Origin, Place, Quotas, Retention, SessionKind, Store,
    StoreError, StoreOptions, Whole, records::tests::postgres,
};

pub(super) const NO_QUOTAS: Quotas =
    Quotas { user_bytes_max: u64::MAX, session_bytes_max: u64::MAX };
/// Nothing is too old, and everything that nobody names goes at once.
pub(super) const UNNAMED: Retention =
    Retention { files_s: 0, user_bytes: 0, calls_s: 0, events_s: 0, sessions_s: 0, grace_s: 0 };

/// Where a store of a test is, for as long as this lives.
pub(super) struct Home {
    pub(super) folder: TempDir,
    pub(super) options: StoreOptions,
}

pub(super) fn options(folder: &Path, place: Option<Place>) -> StoreOptions {
    StoreOptions {
        folder: folder.to_owned(),
        place,
        database: None,
        quotas: NO_QUOTAS,
        lifetimes: Lifetimes { tool_s: 300, person_s: 3600, rotate_s: 86_400 },
        patience: Duration::from_secs(30),
        old_owner: "local".to_owned(),
    }
}

impl Home {
    fn new(place: impl FnOnce(&Path) -> Option<Place>) -> Home {
        let folder = tempfile::tempdir().unwrap();
        let place = place(folder.path());
        let options = options(&folder.path().join("data"), place);
        Home { folder, options }
    }

    pub(super) async fn open(&self) -> Arc<Store> {
        Store::open(self.options.clone()).await.unwrap()
    }
}

/// Runs one behaviour in a runtime of its own.
fn run<F: Future<Output = ()>>(
    home: impl AsyncFnOnce() -> Home,
    behaviour: impl FnOnce(Home) -> F,
) {
    let runtime = Runtime::new().unwrap();
    runtime.block_on(async {
        let behaviour = async { behaviour(home().await).await };
        // So that a test that hangs says so.
        tokio::time::timeout(Duration::from_secs(120), behaviour).await.expect("it hangs");
    });
    runtime.shutdown_background();
}

pub(super) fn in_memory<F: Future<Output = ()>>(behaviour: impl FnOnce(Home) -> F) {
    run(async || Home::new(|_| Some(Place::Memory)), behaviour);
}

pub(super) fn in_folder<F: Future<Output = ()>>(behaviour: impl FnOnce(Home) -> F) {
    run(async || Home::new(|_| None), behaviour);
}

pub(super) fn in_s3<F: Future<Output = ()>>(behaviour: impl FnOnce(Home) -> F) {
    run(
        async || {
            let mut home = Home::new(|_| None);
            let port = serve_s3(&home.folder.path().join("s3")).await;
            home.options.place = Some(s3(port));
            home
        },
        behaviour,
    );
}

/// A folder for bytes, a real PostgreSQL for records; nothing where there is none.
pub(super) fn in_postgres<F: Future<Output = ()>>(behaviour: impl FnOnce(Home) -> F) {
    let Some(database) = postgres::database() else { return };
    let place = async || {
        let mut home = Home::new(|_| None);
        home.options.database = Some(database.url.clone());
        home
    };
    run(place, behaviour);
}

/// The bucket of a server on this port.
pub(super) fn s3(port: u16) -> Place {
    let options = [
        ("aws_endpoint", &*format!("http://127.0.0.1:{port}")),
        ("aws_allow_http", "true"),
        ("aws_region", "us-east-1"),
        ("aws_access_key_id", "somebody"),
        ("aws_secret_access_key", "something"),
    ];
    let options = options.map(|(name, value)| (name.to_owned(), value.to_owned()));
    Place::Url { url: "s3://bucket/some/prefix".to_owned(), options: options.into() }
}

/// A server that speaks S3's protocol, checks signatures and keeps objects in a folder.
async fn serve_s3(root: &Path) -> u16 {
    std::fs::create_dir_all(root.join("bucket")).unwrap();
    let service = {
        let mut builder = S3ServiceBuilder::new(s3s_fs::FileSystem::new(root).unwrap());
        builder.set_auth(SimpleAuth::from_single("somebody", "something"));
        builder.build()
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let service = service.clone();
            tokio::spawn(async move {
                let server = auto::Builder::new(TokioExecutor::new());
                let _ = server.serve_connection(TokioIo::new(socket), service).await;
            });
        }
    });
    port
}

/// Bytes that are the same for the same seed, and not the same anywhere else.
pub(super) fn bytes(seed: u64, size: usize) -> Vec<u8> {
    let mut bytes = vec![0; size];
    blake3::Hasher::new().update(&seed.to_le_bytes()).finalize_xof().fill(&mut bytes);
    bytes
}

pub(super) fn whole(store: &Store, bytes: &[u8]) -> Whole {
    let mut incoming: Incoming = store.incoming().unwrap();
    incoming.write(bytes).unwrap();
    incoming.finish().unwrap()
}

pub(super) fn named(name: &str) -> NewFile {
    NewFile {
        name: name.to_owned(),
        mime: "application/octet-stream".to_owned(),
        description: None,
        viewer: None,
        origin: Origin::Upload,
    }
}

pub(super) async fn keep(
    store: &Store,
    owner: &str,
    name: &str,
    bytes: &[u8],
) -> Result<File, StoreError> {
    let whole = whole(store, bytes);
    store.keep(owner, "default", SessionKind::Default, named(name), whole).await
}

pub(super) async fn read(store: &Store, file: &File) -> Result<Vec<u8>, StoreError> {
    let parts: Vec<_> = store.read(file, 0..u64::MAX).await?.try_collect().await?;
    Ok(parts.concat())
}

/// The names of all objects that there are.
pub(super) async fn objects(store: &Store) -> Vec<String> {
    let mut objects: Vec<String> = store
        .blobs()
        .list()
        .map_ok(|object| object.location.to_string())
        .try_collect()
        .await
        .unwrap();
    objects.sort();
    objects
}
