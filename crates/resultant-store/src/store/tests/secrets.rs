//! Tokens as a store hands them out, counts them and takes them back.

use super::harness::*;
use crate::{
    Action, Audience, Grant, Id, Kind, Retention, Store, TokenRecord, TokenScope, Wanted, clock,
};

fn grant(subject: Id, is_single_use: bool) -> Grant {
    Grant {
        kind: Kind::File,
        subject,
        action: Action::Read,
        audience: Audience::Tool,
        owner: "ada".to_owned(),
        session: "default".to_owned(),
        is_single_use,
    }
}

fn wanted(subject: Id) -> Wanted {
    Wanted { kind: Kind::File, subject: Some(subject), action: Action::Read }
}

async fn check(store: &Store, text: &str, subject: Id) -> Option<TokenRecord> {
    store.check(text, wanted(subject)).await.unwrap().ok()
}

#[test]
fn a_token_is_valid_until_it_is_taken_back() {
    in_memory(|home| async move {
        let store = home.open().await;
        let (one, other) = (Id::new(), Id::new());
        let (text, record) = store.mint(grant(one, false), None).await.unwrap();
        assert_eq!(check(&store, &text, one).await, Some(record.clone()));
        assert_eq!(check(&store, &text, other).await, None);
        assert_eq!(record.expires_s - record.minted_s, 300);
        let (_, short) = store.mint(grant(one, false), Some(5)).await.unwrap();
        assert_eq!(short.expires_s - short.minted_s, 5);
        let (_, long) = store.mint(grant(one, false), Some(1_000_000)).await.unwrap();
        assert_eq!(long.expires_s - long.minted_s, 300);
        assert_eq!(store.tokens_of_file("ada", one).await.unwrap().len(), 3);
        assert_eq!(store.tokens_of_file("bob", one).await.unwrap().len(), 0);

        assert_eq!(store.revoke("bob", &TokenScope::Token(record.id)).await.unwrap(), 0);
        assert!(check(&store, &text, one).await.is_some());
        assert_eq!(store.revoke("ada", &TokenScope::Token(record.id)).await.unwrap(), 1);
        assert!(check(&store, &text, one).await.is_none());
        assert!(store.use_token(&record, 1, 10).await.unwrap().is_err());

        for scope in [TokenScope::File(one), TokenScope::Session("default".to_owned())] {
            let (text, _) = store.mint(grant(one, false), None).await.unwrap();
            let mut elsewhere = grant(other, false);
            elsewhere.session = "other".to_owned();
            let (spared, _) = store.mint(elsewhere, None).await.unwrap();
            assert!(store.revoke("ada", &scope).await.unwrap() > 0);
            assert!(check(&store, &text, one).await.is_none());
            assert!(check(&store, &spared, other).await.is_some());
        }
    });
}

#[test]
fn a_token_for_nothing_on_record_is_refused() {
    in_memory(|home| async move {
        let store = home.open().await;
        let subject = Id::new();
        let (text, _) = store.mint(grant(subject, false), Some(0)).await.unwrap();
        assert!(check(&store, &text, subject).await.is_none(), "it is over at once");
        let (text, record) = store.mint(grant(subject, false), None).await.unwrap();
        // Its record goes; the signature stays right.
        let over = record.expires_s + 1;
        assert!(store.records.delete_tokens_before(over).await.unwrap() > 0);
        assert!(check(&store, &text, subject).await.is_none());
        // Signed by the right key, and not what is on record.
        let (_, record) = store.mint(grant(subject, false), None).await.unwrap();
        let signer = store.ring.signer(&store.records, clock::now_s()).await.unwrap();
        let mut stated = crate::token::Stated {
            kind: Kind::File,
            action: Action::Read,
            audience: Audience::Tool,
            is_single_use: false,
            id: record.id,
            subject,
            caller: crate::token::caller("ada", "default"),
            not_before_s: 0,
            expires_s: record.expires_s as u32,
        };
        assert!(check(&store, &stated.write(&signer), subject).await.is_some());
        stated.caller = crate::token::caller("bob", "default");
        assert!(check(&store, &stated.write(&signer), subject).await.is_none());
        stated.caller = crate::token::caller("ada", "default");
        stated.audience = Audience::Person;
        assert!(check(&store, &stated.write(&signer), subject).await.is_none());
        stated.audience = Audience::Tool;
        stated.expires_s += 1;
        assert!(check(&store, &stated.write(&signer), subject).await.is_none());
    });
}

#[test]
fn a_single_use_is_one_whole_response_in_any_ranges() {
    in_memory(|home| async move {
        let store = home.open().await;
        let (_, record) = store.mint(grant(Id::new(), true), None).await.unwrap();
        let use_it = async |bytes| store.use_token(&record, bytes, 100).await.unwrap().is_ok();
        assert!(use_it(60).await);
        assert!(!use_it(60).await);
        assert!(use_it(40).await);
        assert!(!use_it(1).await);
        store.give_back(record.id, 30).await.unwrap();
        assert!(use_it(30).await);
        assert!(!use_it(1).await);
        let (_, empty) = store.mint(grant(Id::new(), true), None).await.unwrap();
        assert!(store.use_token(&empty, 0, 0).await.unwrap().is_ok());
        assert!(store.use_token(&empty, 0, 0).await.unwrap().is_err());
        let (_, often) = store.mint(grant(Id::new(), false), None).await.unwrap();
        for _ in 0..3 {
            assert!(store.use_token(&often, 100, 100).await.unwrap().is_ok());
        }
    });
}

#[test]
fn two_uses_at_once_are_counted_together() {
    in_folder(|home| async move {
        let store = home.open().await;
        let (_, record) = store.mint(grant(Id::new(), true), None).await.unwrap();
        let uses = (0..20).map(|_| store.use_token(&record, 30, 100));
        let done = futures_util::future::join_all(uses).await;
        assert_eq!(done.into_iter().filter(|used| used.as_ref().unwrap().is_ok()).count(), 3);
    });
}

#[test]
fn another_process_learns_a_new_key_and_old_ones_stay_valid() {
    in_folder(|mut home| async move {
        let (one, other) = (home.open().await, home.open().await);
        let subject = Id::new();
        let (text, _) = one.mint(grant(subject, false), None).await.unwrap();
        assert!(check(&other, &text, subject).await.is_some());
        // Every token has a key of its own now.
        home.options.lifetimes.rotate_s = 0;
        let rotating = home.open().await;
        let (newer, _) = rotating.mint(grant(subject, false), None).await.unwrap();
        assert_ne!(text[7..12], newer[7..12], "there is another key");
        for store in [&one, &other, &rotating] {
            assert!(check(store, &text, subject).await.is_some());
            assert!(check(store, &newer, subject).await.is_some());
        }
        // A sweep leaves keys alone that may still be in use.
        one.sweep(&Retention { grace_s: 0, ..UNNAMED }).await.unwrap();
        let third = home.open().await;
        assert!(check(&third, &text, subject).await.is_some());
    });
}
