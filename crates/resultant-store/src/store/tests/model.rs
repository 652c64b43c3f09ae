//! Any order of keeping, deleting, reading, granting and sweeping, against a model of what is there.

use std::collections::HashMap;

use proptest::{
    prelude::*,
    strategy::ValueTree as _,
    test_runner::{Config, TestRunner},
};

use super::harness::*;
use crate::{
    Action, Audience, File, Grant, Id, Kind, Page, Place, Retention, Store, StoreError, TokenScope,
    Wanted,
};

const OWNERS: [&str; 2] = ["ada", "bob"];
const SIZES: [usize; 4] = [0, 10, 1 << 20, (1 << 20) + 1];

#[derive(Clone, Debug)]
enum Step {
    Keep { owner: usize, content: usize },
    Delete { owner: usize, file: usize },
    Read { owner: usize, file: usize, from: u64, to: u64 },
    Mint { owner: usize, file: usize },
    Revoke { owner: usize, token: usize },
    RevokeFile { owner: usize, file: usize },
    Check { token: usize },
    Sweep { grace_s: u64 },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let owner = || 0..OWNERS.len();
    let step = prop_oneof![
        4 => (owner(), 0..SIZES.len()).prop_map(|(owner, content)| Step::Keep { owner, content }),
        2 => (owner(), any::<usize>()).prop_map(|(owner, file)| Step::Delete { owner, file }),
        3 => (owner(), any::<usize>(), 0..3_u64 << 20, 0..3_u64 << 20)
            .prop_map(|(owner, file, from, to)| Step::Read { owner, file, from, to }),
        2 => (owner(), any::<usize>()).prop_map(|(owner, file)| Step::Mint { owner, file }),
        1 => (owner(), any::<usize>()).prop_map(|(owner, token)| Step::Revoke { owner, token }),
        1 => (owner(), any::<usize>()).prop_map(|(owner, file)| Step::RevokeFile { owner, file }),
        2 => any::<usize>().prop_map(|token| Step::Check { token }),
        2 => prop_oneof![Just(0_u64), Just(3600)].prop_map(|grace_s| Step::Sweep { grace_s }),
    ];
    prop::collection::vec(step, 1..25)
}

/// What there was at any time, and whether it is there now.
#[derive(Default)]
struct Model {
    files: Vec<(File, usize, bool)>,
    tokens: Vec<(String, Id, Grant, bool)>,
}

impl Model {
    fn file(&self, number: usize) -> Option<(File, usize, bool)> {
        (!self.files.is_empty()).then(|| self.files[number % self.files.len()].clone())
    }

    fn forget_tokens(&mut self, owner: &str, file: Id) {
        for (_, _, grant, is_valid) in &mut self.tokens {
            *is_valid &= grant.owner != owner || grant.subject != file;
        }
    }
}

async fn follow(store: &Store, steps: Vec<Step>) {
    let contents: Vec<Vec<u8>> =
        SIZES.iter().enumerate().map(|(seed, size)| bytes(seed as u64, *size)).collect();
    let mut model = Model::default();
    for step in steps {
        match step {
            Step::Keep { owner, content } => {
                let file = keep(store, OWNERS[owner], "a", &contents[content]).await.unwrap();
                model.files.push((file, content, true));
            }
            Step::Delete { owner, file: number } => {
                let Some((file, _, is_there)) = model.file(number) else { continue };
                let is_theirs = file.owner == OWNERS[owner];
                let deleted = store.delete_file(OWNERS[owner], file.key).await.unwrap();
                assert_eq!(deleted, is_theirs && is_there);
                if deleted {
                    let count = model.files.len();
                    model.files[number % count].2 = false;
                    model.forget_tokens(OWNERS[owner], file.key);
                }
            }
            Step::Read { owner, file, from, to } => {
                let Some((file, content, is_there)) = model.file(file) else { continue };
                let found = store.file(OWNERS[owner], file.key).await.unwrap();
                assert_eq!(found.is_some(), is_there && file.owner == OWNERS[owner]);
                let Some(found) = found else { continue };
                let content = &contents[content];
                let (from, to) = (from.min(to), to.max(from));
                let part = store.read_part(&found, from..to).await.unwrap();
                let size = content.len() as u64;
                assert!(part == content[from.min(size) as usize..to.min(size) as usize]);
            }
            Step::Mint { owner, file } => {
                let Some((file, _, true)) = model.file(file) else { continue };
                if file.owner != OWNERS[owner] {
                    continue;
                }
                let grant = Grant {
                    kind: Kind::File,
                    subject: file.key,
                    action: Action::Read,
                    audience: Audience::Tool,
                    owner: file.owner,
                    session: file.session,
                    is_single_use: false,
                };
                let (text, record) = store.mint(grant.clone(), None).await.unwrap();
                model.tokens.push((text, record.id, grant, true));
            }
            Step::Revoke { owner, token } => {
                let count = model.tokens.len().max(1);
                let Some((_, id, grant, is_valid)) = model.tokens.get_mut(token % count) else {
                    continue;
                };
                let scope = TokenScope::Token(*id);
                let revoked = store.revoke(OWNERS[owner], &scope).await.unwrap();
                let is_theirs = grant.owner == OWNERS[owner];
                assert_eq!(revoked, u64::from(is_theirs && *is_valid));
                *is_valid &= !is_theirs;
            }
            Step::RevokeFile { owner, file } => {
                let Some((file, ..)) = model.file(file) else { continue };
                store.revoke(OWNERS[owner], &TokenScope::File(file.key)).await.unwrap();
                model.forget_tokens(OWNERS[owner], file.key);
            }
            Step::Check { token } => {
                let count = model.tokens.len().max(1);
                let Some((text, id, grant, is_valid)) = model.tokens.get(token % count) else {
                    continue;
                };
                let subject = Some(grant.subject);
                let wanted = Wanted { kind: grant.kind, subject, action: grant.action };
                let checked = store.check(text, wanted).await.unwrap();
                assert_eq!(checked.is_ok(), *is_valid);
                if let Ok(record) = checked {
                    assert_eq!((record.id, &record.grant), (*id, grant));
                }
            }
            Step::Sweep { grace_s } => {
                let swept = store.sweep(&Retention { grace_s, ..UNNAMED }).await.unwrap();
                assert_eq!((swept.files, swept.objects), (0, 0));
                let named: HashMap<_, _> = model
                    .files
                    .iter()
                    .filter(|(_, _, is_there)| *is_there)
                    .map(|(file, ..)| {
                        ((file.owner.clone(), file.sha256.clone()), file.object.clone())
                    })
                    .collect();
                if grace_s == 0 {
                    let mut named: Vec<String> = named.into_values().collect();
                    named.sort();
                    assert_eq!(objects(store).await, named, "exactly what is named is there");
                }
            }
        }
    }
    for (file, content, is_there) in &model.files {
        match read(store, file).await {
            Ok(read) => assert!(read == contents[*content]),
            Err(error) => assert!(!is_there && matches!(error, StoreError::Missing { .. })),
        }
    }
    for owner in OWNERS {
        let theirs = model.files.iter().filter(|(file, _, is)| *is && file.owner == owner);
        let listed = store.files(owner, None, &Page::default()).await.unwrap();
        assert_eq!(listed.len(), theirs.count());
    }
}

fn check_all(cases: u32, place: impl Fn() -> Option<Place>) {
    let mut runner =
        TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runner
        .run(&steps(), |steps| {
            let folder = tempfile::tempdir().unwrap();
            runtime.block_on(async {
                let store = Store::open(options(folder.path(), place())).await.unwrap();
                follow(&store, steps).await;
                store.close().await;
            });
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_store_in_memory_does_what_the_model_does() {
    check_all(60, || Some(Place::Memory));
}

#[test]
fn a_store_in_a_folder_does_what_the_model_does() {
    check_all(30, || None);
}

#[test]
fn a_store_in_s3_does_what_the_model_does() {
    in_s3(|home| async move {
        let mut runner = TestRunner::deterministic();
        for _ in 0..10 {
            let steps = steps().new_tree(&mut runner).unwrap().current();
            let folder = tempfile::tempdir_in(home.folder.path()).unwrap();
            let mut options = options(folder.path(), home.options.place.clone());
            // The same server, and nothing in common.
            if let Some(Place::Url { url, .. }) = &mut options.place {
                *url = format!("s3://bucket/{}", Id::new().to_string().replace(['-', '_'], "x"));
            }
            let store = Store::open(options).await.unwrap();
            follow(&store, steps).await;
        }
    });
}
