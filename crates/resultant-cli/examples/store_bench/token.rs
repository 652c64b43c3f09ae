//! How long it takes to check a capability token.
//!
//! A token whose signature is wrong is refused before anything is asked of the database, so its
//! refusal is what the signature costs; a good one is looked up as well, because it may have been
//! taken back.

use std::time::{Duration, Instant};

use anyhow::ensure;
use resultant_store::{
    Action, Audience, Grant, Id, Kind, Lifetimes, Quotas, SessionKind, Store, StoreOptions, Wanted,
};

use crate::Setup;

const CHECKS: u32 = 200_000;
const LOOK_UPS: u32 = 2_000;

pub(crate) fn run(setup: &Setup) -> anyhow::Result<()> {
    let folder = tempfile::tempdir_in(&setup.folder)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let store = Store::open(StoreOptions {
            folder: folder.path().to_owned(),
            place: None,
            database: None,
            quotas: Quotas { user_bytes_max: u64::MAX, session_bytes_max: u64::MAX },
            lifetimes: Lifetimes { tool_s: 300, person_s: 3600, rotate_s: 86_400 },
            patience: Duration::from_secs(30),
            old_owner: "ada".to_owned(),
        })
        .await?;
        store.open_session("ada", "s", SessionKind::Api, "").await?;
        let subject = Id::new();
        let grant = Grant {
            kind: Kind::File,
            subject,
            action: Action::Read,
            audience: Audience::Tool,
            owner: "ada".to_owned(),
            session: "s".to_owned(),
            is_single_use: false,
        };
        let (good, _) = store.mint(grant, None).await?;
        let wanted = || Wanted { kind: Kind::File, subject: Some(subject), action: Action::Read };
        // A signature is at the end; another letter in the middle of it keeps the form right.
        let mut bad = good.clone().into_bytes();
        let at = bad.len() - 10;
        bad[at] = if bad[at] == b'A' { b'B' } else { b'A' };
        let bad = String::from_utf8(bad)?;

        let start = Instant::now();
        for _ in 0..CHECKS {
            ensure!(store.check(&bad, wanted()).await?.is_err(), "a forged token is taken");
        }
        let signature = start.elapsed() / CHECKS;
        let start = Instant::now();
        for _ in 0..LOOK_UPS {
            ensure!(store.check(&good, wanted()).await?.is_ok(), "a good token is refused");
        }
        let whole = start.elapsed() / LOOK_UPS;
        println!("\ncapability tokens: signature checked in {signature:.2?}, looked up too in {whole:.1?}");
        store.close().await;
        anyhow::Ok(())
    })
}
