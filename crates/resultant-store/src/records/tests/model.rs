//! Files, sessions and tokens against a model that anybody can check.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// What somebody does. Numbers choose among few owners, sessions, names, and what was made before.
#[derive(Clone, Debug)]
enum Step {
    Open(u8, u8),
    DeleteSession(u8, u8),
    Add { owner: u8, session: u8, name: u8, size: u64 },
    DeleteFile(u8, usize),
    Mint(u8, usize),
    Revoke(u8, usize),
    Use(usize, u64),
    Sweep,
}

fn step() -> impl Strategy<Value = Step> {
    let (who, place) = (0..2u8, 0..3u8);
    prop_oneof![
        2 => (who.clone(), place.clone()).prop_map(|(owner, id)| Step::Open(owner, id)),
        1 => (who.clone(), place.clone()).prop_map(|(owner, id)| Step::DeleteSession(owner, id)),
        6 => (who.clone(), place, 0..4u8, 0..40u64)
            .prop_map(|(owner, session, name, size)| Step::Add { owner, session, name, size }),
        2 => (who.clone(), any::<usize>()).prop_map(|(owner, n)| Step::DeleteFile(owner, n)),
        3 => (who.clone(), any::<usize>()).prop_map(|(owner, n)| Step::Mint(owner, n)),
        1 => (who, any::<usize>()).prop_map(|(owner, n)| Step::Revoke(owner, n)),
        3 => (any::<usize>(), 0..30u64).prop_map(|(n, bytes)| Step::Use(n, bytes)),
        1 => Just(Step::Sweep),
    ]
}

const QUOTAS: Quotas = Quotas { user_bytes_max: 150, session_bytes_max: 80 };
/// What a single-use token of the model serves.
const SERVED_MAX: u64 = 50;

#[derive(Default)]
struct Model {
    /// Files by owner and session, oldest first.
    sessions: BTreeMap<(String, String), Vec<File>>,
    tokens: BTreeMap<Id, TokenRecord>,
    /// Everything that was ever made, there or not.
    keys: Vec<Id>,
    minted: Vec<Id>,
}

impl Model {
    fn files(&self) -> impl Iterator<Item = &File> {
        self.sessions.values().flatten()
    }

    fn bytes(&self, owner: &str, session: Option<&str>) -> u64 {
        let files = self.files().filter(|file| file.owner == owner);
        files.filter(|f| session.is_none_or(|session| f.session == session)).map(|f| f.size).sum()
    }

    fn forget(&mut self, is_gone: impl Fn(&File) -> bool) {
        let gone: Vec<Id> =
            self.files().filter(|file| is_gone(file)).map(|file| file.key).collect();
        self.sessions.values_mut().for_each(|files| files.retain(|file| !is_gone(file)));
        self.tokens.retain(|_, token| !gone.contains(&token.grant.subject));
    }
}

async fn take(records: &Records, model: &mut Model, step: Step) {
    let named_owner = |owner: u8| format!("owner{owner}");
    let named_session = |session: u8| format!("session{session}");
    match step {
        Step::Open(owner, id) => {
            let key = (named_owner(owner), named_session(id));
            make(records, &key.0, &key.1).await;
            model.sessions.entry(key).or_default();
        }
        Step::DeleteSession(owner, id) => {
            let (owner, id) = (named_owner(owner), named_session(id));
            let deleted = records.delete_session(&owner, &id).await.unwrap();
            model.forget(|file| file.owner == owner && file.session == id);
            model.tokens.retain(|_, t| t.grant.owner != owner || t.grant.session != id);
            assert_eq!(deleted, model.sessions.remove(&(owner, id)).is_some());
        }
        Step::Add { owner, session, name, size } => {
            let (owner, session) = (named_owner(owner), named_session(session));
            // The digest says the size too, as a real one does.
            let bytes = blob(&owner, &size.to_string(), size);
            let name = format!("name{name}");
            let added =
                records.add_file(&session, &named(&name), &bytes, &QUOTAS, Held::Uploaded).await;
            let user_full = model.bytes(&owner, None) + size > QUOTAS.user_bytes_max;
            let full = model.bytes(&owner, Some(&session)) + size > QUOTAS.session_bytes_max;
            match model.sessions.get_mut(&(owner, session)) {
                _ if user_full => {
                    let is_user = |e| matches!(e, StoreError::Quota { who: "this user", .. });
                    assert!(added.is_err_and(is_user));
                }
                None => assert!(matches!(added, Err(StoreError::NoSession))),
                Some(_) if full => {
                    let is_session = |e| matches!(e, StoreError::Quota { who: "this session", .. });
                    assert!(added.is_err_and(is_session));
                }
                Some(files) => {
                    let file = added.unwrap();
                    model.keys.push(file.key);
                    files.push(file);
                }
            }
        }
        Step::DeleteFile(owner, number) => {
            let Some(key) = pick(&model.keys, number) else { return };
            let owner = named_owner(owner);
            let is_there = model.files().any(|file| file.key == key && file.owner == owner);
            assert_eq!(records.delete_file(&owner, key).await.unwrap(), is_there);
            model.forget(|file| file.key == key && file.owner == owner);
        }
        Step::Mint(owner, number) => {
            let Some(key) = pick(&model.keys, number) else { return };
            let owner = named_owner(owner);
            let Some(file) = model.files().find(|f| f.key == key && f.owner == owner) else {
                return;
            };
            let record = token(&owner, &file.session, key);
            records.add_token(&record).await.unwrap();
            model.minted.push(record.id);
            model.tokens.insert(record.id, record);
        }
        Step::Revoke(owner, number) => {
            let Some(key) = pick(&model.keys, number) else { return };
            let owner = named_owner(owner);
            let mut count = 0;
            for token in model.tokens.values_mut() {
                let grant = &token.grant;
                if grant.owner == owner && grant.subject == key && !token.is_revoked {
                    token.is_revoked = true;
                    count += 1;
                }
            }
            let revoked = records.revoke(&owner, &TokenScope::File(key)).await.unwrap();
            assert_eq!(revoked, count);
        }
        Step::Use(number, bytes) => {
            let Some(id) = pick(&model.minted, number) else { return };
            let used = records.use_token(id, bytes, Some(SERVED_MAX), 9).await.unwrap();
            let token = model
                .tokens
                .get_mut(&id)
                .filter(|token| !token.is_revoked && token.served_bytes + bytes <= SERVED_MAX);
            assert_eq!(used, token.is_some());
            if let Some(token) = token {
                token.uses += 1;
                token.used_ms = 9;
                token.served_bytes += bytes;
            }
        }
        Step::Sweep => {
            for blob in records.take_unnamed_blobs(i64::MAX, 1000).await.unwrap() {
                assert!(model.files().all(|file| file.object != blob.object));
            }
        }
    }
}

fn pick(ids: &[Id], number: usize) -> Option<Id> {
    (!ids.is_empty()).then(|| ids[number % ids.len()])
}

/// Everything that can be asked has the model's answer.
async fn compare(records: &Records, model: &Model) {
    let page = Page { count: 1000, after: None };
    for owner in ["owner0", "owner1"] {
        for session in ["session0", "session1", "session2"] {
            let files = model.sessions.get(&(owner.to_owned(), session.to_owned()));
            let found = records.session(owner, session).await.unwrap();
            let bytes = files.map(|_| model.bytes(owner, Some(session)));
            assert_eq!(found.map(|session| session.bytes), bytes);
            let mut expected = files.cloned().unwrap_or_default();
            for name in ["name0", "name1", "name2", "name3"] {
                let named = records.file_named(owner, Some(session), name, None).await.unwrap();
                let newest = expected.iter().rfind(|file| file.name == name);
                assert_eq!(named.as_ref(), newest);
            }
            expected.reverse();
            assert_eq!(records.files(owner, Some(session), &page).await.unwrap(), expected);
        }
    }
    for key in &model.keys {
        let file = model.files().find(|file| file.key == *key);
        assert_eq!(records.file_of_token(*key).await.unwrap().as_ref(), file);
        if let Some(file) = file {
            let blob = records.blob(&file.owner, &file.sha256).await.unwrap().unwrap();
            assert_eq!((blob.object, blob.size), (file.object.clone(), file.size));
        }
    }
    for id in &model.minted {
        assert_eq!(records.token(*id).await.unwrap().as_ref(), model.tokens.get(id));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn records_do_what_the_model_does(steps in prop::collection::vec(step(), 1..60)) {
        check(in_memory(), |url| async move {
            let records = open(&url).await;
            let mut model = Model::default();
            for step in steps {
                take(&records, &mut model, step).await;
            }
            compare(&records, &model).await;
        });
    }
}
