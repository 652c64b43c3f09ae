//! One behaviour for SQLite in a file, SQLite in memory and a real PostgreSQL.

#[path = "../../tests/harness/postgres.rs"]
pub(crate) mod postgres;

mod files;
mod model;
mod passing;
mod sessions;

use std::{future::Future, sync::Arc};

use super::{
    Entry, Page, Records,
    blobs::Held,
    calls::{Call, CallFilter, Ending, Raw},
    dashboards::{Dashboard, DashboardUpdate, FrameToken, Persistence},
    events::{Event, NewEvent},
    files::{Blob, File, NewFile, Origin},
    sessions::SessionKind,
    tokens::{TokenRecord, TokenScope},
    totals::{Totals, TotalsBy},
};
use crate::{
    Id, Quotas, StoreError,
    token::{Action, Audience, Grant, Kind},
};

const NO_QUOTAS: Quotas = Quotas { user_bytes_max: u64::MAX, session_bytes_max: u64::MAX };

/// An address, and what has to live as long as it is used.
struct Place {
    url: String,
    _held: Box<dyn std::any::Any>,
}

fn in_memory() -> Option<Place> {
    Some(Place { url: "sqlite::memory:".to_owned(), _held: Box::new(()) })
}

fn in_file() -> Option<Place> {
    let folder = tempfile::tempdir().unwrap();
    // A name with everything that an address could trip over.
    let url = format!("sqlite:{}", folder.path().join("a b%20?#ü.db").display());
    Some(Place { url, _held: Box::new(folder) })
}

fn in_postgres() -> Option<Place> {
    let database = postgres::database()?;
    Some(Place { url: database.url.clone(), _held: Box::new(database) })
}

/// Runs one behaviour, given the address of an empty database.
fn check<F: Future<Output = ()>>(place: Option<Place>, behaviour: impl FnOnce(String) -> F) {
    let Some(place) = place else { return };
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.unwrap().block_on(async {
        let behaviour = behaviour(place.url.clone());
        let patience = std::time::Duration::from_secs(120);
        tokio::time::timeout(patience, behaviour).await.expect("it takes forever");
    });
}

/// A test for each behaviour.
macro_rules! tests {
    ($place:ident: $($area:ident::$name:ident),*) => {
        $(#[test]
        fn $name() {
            super::check(super::$place(), super::$area::$name);
        })*
    };
}

/// Everything for one kind of database, and what only makes sense there.
macro_rules! suite {
    ($module:ident, $place:ident $(, $area:ident::$name:ident)*) => {
        mod $module {
            tests!($place: sessions::sessions_come_and_go, sessions::another_owner_finds_nothing,
                sessions::dashboards_are_one_per_server_and_id,
                sessions::what_is_not_said_of_a_dashboard_stays, sessions::keys_turn,
                sessions::tokens_are_counted_and_taken_back, sessions::strange_ids_are_not_there,
                files::files_are_kept_and_found, files::quotas_are_exact,
                files::pages_cover_ten_thousand_files, files::blobs_go_when_nobody_names_them,
                files::old_things_are_cleared, files::a_swept_blob_is_noticed,
                passing::calls_are_kept_whole, passing::calls_add_up, passing::events_have_one_order,
                passing::numbers_never_go_back_and_a_feed_ends_with_its_session,
                passing::what_is_queued_survives_the_end,
                passing::an_entry_that_cannot_be_kept_harms_no_other $(, $area::$name)*);
        }
    };
}

suite!(memory, in_memory);
suite!(
    file,
    in_file,
    sessions::eight_open_at_once,
    sessions::a_newer_version_is_refused,
    sessions::dashboards_of_an_older_version_stay,
    passing::two_gateways_agree_on_the_order,
    passing::the_file_is_its_owners
);
suite!(
    server,
    in_postgres,
    sessions::eight_open_at_once,
    sessions::a_newer_version_is_refused,
    sessions::dashboards_of_an_older_version_stay,
    passing::two_gateways_agree_on_the_order
);

/// Has a server of its own, as it takes it down.
#[test]
fn an_outage_of_the_server_loses_nothing() {
    let Some(database) = postgres::database_alone() else { return };
    let place = Place { url: database.url.clone(), _held: Box::new(()) };
    check(Some(place), |_| passing::an_outage_loses_nothing(database));
}

/// Prints how fast it is: `cargo test -p resultant-store --lib -- --ignored --nocapture how_fast`.
#[test]
#[ignore = "measures, and checks nothing"]
fn how_fast() {
    check(in_file(), files::measure);
    check(in_postgres(), files::measure);
}

async fn open(url: &str) -> Arc<Records> {
    Arc::new(Records::open(url).await.unwrap())
}

fn blob(owner: &str, content: &str, size: u64) -> Blob {
    Blob {
        owner: owner.to_owned(),
        sha256: blake3::hash(content.as_bytes()).to_hex().to_string(),
        size,
        object: Id::new().to_string(),
        pieces: blake3::hash(content.as_bytes()).as_bytes().to_vec(),
    }
}

fn named(name: &str) -> NewFile {
    NewFile {
        name: name.to_owned(),
        mime: "text/plain".to_owned(),
        description: None,
        viewer: None,
        origin: Origin::Upload,
    }
}

async fn add(records: &Records, owner: &str, session: &str, name: &str, size: u64) -> File {
    let blob = blob(owner, name, size);
    records.add_file(session, &named(name), &blob, &NO_QUOTAS, Held::Uploaded).await.unwrap()
}

async fn make(records: &Records, owner: &str, session: &str) {
    records.open_session(owner, session, SessionKind::Api, "").await.unwrap();
}

fn call(owner: &str, session: &str, started_ms: i64) -> Call {
    Call {
        id: Id::new(),
        owner: owner.to_owned(),
        session: session.to_owned(),
        server: "server".to_owned(),
        tool: "tool".to_owned(),
        client: "client".to_owned(),
        arguments_sha256: "00".to_owned(),
        arguments: Some("{}".to_owned()),
        ending: Ending::Ok,
        message: None,
        started_ms,
        duration_us: 5,
        bytes_in: 1,
        bytes_out: 2,
        tokens_in: 3,
        tokens_out: 4,
        notes: "[]".to_owned(),
        files: "[]".to_owned(),
        handed: "[]".to_owned(),
        raw: Raw::None,
    }
}

fn event(owner: &str, session: &str, data: &str) -> Entry {
    Entry::Event(NewEvent {
        owner: owner.to_owned(),
        session: session.to_owned(),
        kind: "tool_start".to_owned(),
        data: data.to_owned(),
    })
}

fn token(owner: &str, session: &str, subject: Id) -> TokenRecord {
    TokenRecord {
        id: Id::new(),
        grant: Grant {
            kind: Kind::File,
            subject,
            action: Action::Read,
            audience: Audience::Tool,
            owner: owner.to_owned(),
            session: session.to_owned(),
            is_single_use: true,
        },
        minted_s: 100,
        expires_s: 200,
        uses: 0,
        used_ms: 0,
        is_revoked: false,
        served_bytes: 0,
    }
}

fn dashboard(owner: &str, session: &str, id: &str, persistence: Persistence) -> DashboardUpdate {
    DashboardUpdate {
        id: id.to_owned(),
        owner: owner.to_owned(),
        session: session.to_owned(),
        server: "server".to_owned(),
        tool: "opens".to_owned(),
        call: "c1".to_owned(),
        title: None,
        url: Some("https://example.org".to_owned()),
        mode: None,
        persistence: Some(persistence),
        token: Some(FrameToken("t0ken".to_owned())),
        is_open: true,
        updated_ms: 1,
    }
}
