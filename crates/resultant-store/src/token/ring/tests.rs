use std::borrow::Cow;

use data_encoding::BASE64URL_NOPAD;
use proptest::prelude::*;

use super::*;
use crate::{
    Action, Audience, Kind,
    token::{TOKEN_LENGTH, caller, find_tokens, redact},
};

const LIFETIMES: Lifetimes = Lifetimes { tool_s: 300, person_s: 3600, rotate_s: 86_400 };
const NOW: i64 = 1_800_000_000;

fn key(kid: u32, created_s: i64) -> Key {
    Key { kid, secret: [kid as u8; 32], created_s }
}

/// A ring that knows keys 2 and 1, the former the newer.
fn ring() -> KeyRing {
    let ring = KeyRing::new(LIFETIMES);
    ring.set(&[key(2, NOW - 100), key(1, NOW - 90_000)]);
    ring
}

fn check(ring: &KeyRing, text: &str, wanted: &Wanted, now_s: i64) -> Result<Stated, &'static str> {
    let token = Unchecked::read(text.as_bytes()).ok_or("not a token")?;
    ring.check_with(&ring.known(), &token, wanted, now_s).map_err(|unfit| unfit.reason)
}

fn stated() -> impl Strategy<Value = Stated> {
    (
        prop_oneof![Just(Kind::File), Just(Kind::Dashboard)],
        prop_oneof![Just(Action::Read), Just(Action::Write)],
        prop_oneof![Just(Audience::Tool), Just(Audience::Person)],
        any::<(bool, [u8; 16], [u8; 16], [u8; 16])>(),
        (0..1000_u32, 1..3600_u32),
    )
        .prop_map(
            |(kind, action, audience, (is_single_use, id, subject, caller), (ago, left))| Stated {
                kind,
                action,
                audience,
                is_single_use,
                id: Id::from_bytes(id),
                subject: Id::from_bytes(subject),
                caller,
                not_before_s: NOW as u32 - ago,
                expires_s: NOW as u32 + left,
            },
        )
}

fn wanted(stated: &Stated) -> Wanted {
    Wanted { kind: stated.kind, subject: Some(stated.subject), action: stated.action }
}

proptest! {
    #[test]
    fn what_was_written_is_read(stated in stated(), old in any::<bool>()) {
        let ring = ring();
        let text = stated.write(&ring.known()[usize::from(old)]);
        prop_assert_eq!(text.len(), TOKEN_LENGTH);
        prop_assert!(text.starts_with("rt"));
        prop_assert_eq!(check(&ring, &text, &wanted(&stated), NOW), Ok(stated.clone()));
        let anywhere = Wanted { subject: None, ..wanted(&stated) };
        prop_assert_eq!(check(&ring, &text, &anywhere, NOW), Ok(stated));
    }

    #[test]
    fn a_token_that_is_changed_anywhere_is_refused(stated in stated()) {
        let ring = ring();
        let text = stated.write(&ring.known()[0]);
        let bytes = BASE64URL_NOPAD.decode(text.as_bytes()).unwrap();
        for bit in 0..bytes.len() * 8 {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            let changed = BASE64URL_NOPAD.encode(&changed);
            let reason = check(&ring, &changed, &wanted(&stated), NOW).unwrap_err();
            // Nothing else is looked at before the signature.
            prop_assert!(
                matches!(reason, "the signature is wrong" | "its key is not known"),
                "{}", reason
            );
        }
    }

    #[test]
    fn a_token_has_one_spelling(stated in stated(), place in 0..TOKEN_LENGTH, other in any::<char>()) {
        let ring = ring();
        let text = stated.write(&ring.known()[0]);
        let wanted = wanted(&stated);
        let mut others = vec![
            format!("{text}="), format!("{text}A"), format!(" {text}"), format!("{text}\n"),
            text[..place].to_owned(), text.repeat(2), text.to_ascii_uppercase(),
            String::new(),
        ];
        let mut replaced: Vec<char> = text.chars().collect();
        if replaced[place] != other {
            replaced[place] = other;
            others.push(replaced.iter().collect());
        }
        let mut inserted: Vec<char> = text.chars().collect();
        inserted.insert(place, other);
        others.push(inserted.iter().collect());
        let standard = text.replace('-', "+").replace('_', "/");
        if standard != text {
            others.push(standard);
        }
        for other in others {
            prop_assert!(check(&ring, &other, &wanted, NOW).is_err(), "{}", other);
        }
    }

    #[test]
    fn a_token_opens_what_it_is_for_while_it_is_valid(stated in stated(), other in any::<[u8; 16]>()) {
        prop_assume!(other != stated.subject.to_bytes());
        let ring = ring();
        let text = stated.write(&ring.known()[0]);
        let wanted = wanted(&stated);
        let (from, to) = (i64::from(stated.not_before_s), i64::from(stated.expires_s));
        prop_assert_eq!(check(&ring, &text, &wanted, from - 1), Err("it is not valid yet"));
        prop_assert!(check(&ring, &text, &wanted, from).is_ok());
        prop_assert!(check(&ring, &text, &wanted, to - 1).is_ok());
        prop_assert_eq!(check(&ring, &text, &wanted, to), Err("it is over"));
        let kind = match wanted.kind { Kind::File => Kind::Dashboard, Kind::Dashboard => Kind::File };
        let action = match wanted.action { Action::Read => Action::Write, Action::Write => Action::Read };
        let subject = Some(Id::from_bytes(other));
        let other = Wanted { kind, ..wanted };
        prop_assert!(check(&ring, &text, &other, NOW).is_err());
        let other = Wanted { action, ..wanted };
        prop_assert!(check(&ring, &text, &other, NOW).is_err());
                let other = Wanted { subject, ..wanted };
        prop_assert!(check(&ring, &text, &other, NOW).is_err());
    }

    #[test]
    fn any_text_is_read_without_harm(text in ".*", bytes in prop::collection::vec(any::<u8>(), 81)) {
        let ring = ring();
        let wanted = Wanted { kind: Kind::File, subject: None, action: Action::Read };
        prop_assert!(check(&ring, &text, &wanted, NOW).is_err());
        prop_assert!(check(&ring, &BASE64URL_NOPAD.encode(&bytes), &wanted, NOW).is_err());
        prop_assert_eq!(redact(&text), Cow::Borrowed(text.as_str()));
    }

    #[test]
    fn tokens_are_found_wherever_they_stand(
        all in prop::collection::vec((stated(), "[^\u{0}]{0,12}(rt|%3D|token=|r)?"), 0..4),
        tail in ".*",
    ) {
        let ring = ring();
        let (mut text, mut expected, mut places) = (String::new(), String::new(), Vec::new());
        for (stated, before) in &all {
            text += before;
            expected += before;
            let token = stated.write(&ring.known()[0]);
            places.push(text.len()..text.len() + token.len());
            text += &token;
            expected += "[redacted]";
        }
        text += &tail;
        expected += &tail;
        prop_assert_eq!(find_tokens(text.as_bytes()).collect::<Vec<_>>(), places);
        prop_assert_eq!(redact(&text), expected);
    }
}

#[test]
fn a_token_of_a_ring_that_was_replaced_is_refused_in_time() {
    let ring = ring();
    let stated = Stated {
        kind: Kind::File,
        action: Action::Read,
        audience: Audience::Person,
        is_single_use: false,
        id: Id::new(),
        subject: Id::new(),
        caller: caller("ada", "default"),
        not_before_s: 0,
        expires_s: u32::MAX,
    };
    let text = stated.write(&ring.known()[1]);
    let wanted = wanted(&stated);
    // Its successor has signed for 100 seconds now.
    let last = NOW - 100 + 3600 + i64::from(SKEW_S);
    assert!(check(&ring, &text, &wanted, last).is_ok());
    assert_eq!(check(&ring, &text, &wanted, last + 1), Err("its key is too old"));
    let text = stated.write(&Signer::new(&key(3, NOW)));
    assert_eq!(check(&ring, &text, &wanted, NOW), Err("its key is not known"));
}

#[test]
fn callers_are_told_apart() {
    assert_ne!(caller("ada", "1"), caller("ada", "2"));
    assert_ne!(caller("a", "bc"), caller("ab", "c"));
    assert_ne!(caller("", "ab"), caller("ab", ""));
}

#[test]
fn a_long_text_is_no_token_and_found_out_at_once() {
    let text = "rtE".repeat(400_000);
    assert!(Unchecked::read(text.as_bytes()).is_none());
    assert_eq!(find_tokens(text.as_bytes()).count(), 0);
}
