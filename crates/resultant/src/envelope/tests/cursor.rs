//! A cursor is valid for its query, its key and its time, and for nothing else.

use base64_simd::URL_SAFE_NO_PAD;
use proptest::prelude::*;
use serde_json::json;

use super::*;

const NOW: u64 = 1_767_225_600;

fn key(id: u32, byte: u8) -> CursorKey {
    CursorKey::new(id, &[byte; 32]).unwrap()
}

fn keys() -> CursorKeys {
    CursorKeys::new(key(1, 7))
}

fn query() -> QueryDigest {
    QueryDigest::of(&Json::from(json!({"tool": "list", "arguments": {"status": "open"}})))
}

fn cursor() -> Cursor {
    Cursor::new(Json::from(json!({"after": 42})), query(), NOW, NOW + 3600).unwrap()
}

/// The fault with which a text is refused. Whatever it is, the client is told the same.
#[track_caller]
fn fault(text: &str, keys: &CursorKeys) -> CursorFault {
    let error = Cursor::decode(text, keys, query(), NOW).unwrap_err();
    assert_eq!(error.to_string(), "cursor is not valid for this query");
    assert!(std::error::Error::source(&error).is_none());
    error.fault()
}

#[test]
fn comes_back_as_it_was() {
    let text = cursor().encode(&keys());
    let decoded = Cursor::decode(&text, &keys(), query(), NOW).unwrap();
    assert_eq!(decoded, cursor());
    assert_eq!((decoded.issued_at(), decoded.expires_at()), (NOW, NOW + 3600));
    assert_eq!(decoded.position().get("after").unwrap().as_u64(), Some(42));
    assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)));
    assert!(text.len() < 100, "{}", text.len());
}

#[test]
fn one_altered_bit_is_refused() {
    let text = cursor().encode(&keys());
    let bytes = URL_SAFE_NO_PAD.decode_to_vec(&text).unwrap();
    for bit in 0..bytes.len() * 8 {
        let mut altered = bytes.clone();
        altered[bit / 8] ^= 1 << (bit % 8);
        let expected = match bit / 8 {
            0 => CursorFault::UnknownVersion,
            1..5 => CursorFault::UnknownKey,
            _ => CursorFault::WrongSignature,
        };
        assert_eq!(fault(&URL_SAFE_NO_PAD.encode_to_string(&altered), &keys()), expected);
    }
}

#[test]
fn one_altered_character_is_refused() {
    // Lengths of every remainder, so that the last character has bits to spare.
    for padding in ["", "1", "12"] {
        let position = Json::from(json!({"after": padding}));
        let text = Cursor::new(position, query(), NOW, NOW + 1).unwrap().encode(&keys());
        for at in 0..text.len() {
            for byte in (0..128).filter(|&byte| byte != text.as_bytes()[at]) {
                let mut altered = text.clone().into_bytes();
                altered[at] = byte;
                fault(std::str::from_utf8(&altered).unwrap(), &keys());
            }
        }
    }
}

#[test]
fn a_truncated_or_extended_one_is_refused() {
    let text = cursor().encode(&keys());
    for len in 0..text.len() {
        fault(&text[..len], &keys());
    }
    for more in ["A", "=", "==", "AAAA", "\n", " "] {
        fault(&format!("{text}{more}"), &keys());
    }
    assert_eq!(fault("", &keys()), CursorFault::Malformed);
    assert_eq!(fault(&text[..8], &keys()), CursorFault::Malformed);
}

#[test]
fn a_long_text_is_refused_unread() {
    assert_eq!(fault(&"A".repeat(1 << 20), &keys()), CursorFault::TooLong);
    assert_eq!(fault(&"A".repeat(Cursor::TEXT_BYTES_MAX + 1), &keys()), CursorFault::TooLong);
}

#[test]
fn the_longest_position_fits() {
    let position = |bytes: usize| Json::string(&"x".repeat(bytes - 2));
    let longest = Cursor::new(position(Cursor::POSITION_BYTES_MAX), query(), u64::MAX, u64::MAX);
    let longest = longest.unwrap();
    let text = longest.encode(&keys());
    assert!(text.len() <= Cursor::TEXT_BYTES_MAX);
    assert_eq!(Cursor::decode(&text, &keys(), query(), NOW).unwrap(), longest);
    assert!(Cursor::new(position(Cursor::POSITION_BYTES_MAX + 1), query(), 0, 1).is_err());
}

#[test]
fn another_query_is_refused() {
    let other = QueryDigest::of(&Json::from(json!({"tool": "list", "arguments": {}})));
    let error = Cursor::decode(&cursor().encode(&keys()), &keys(), other, NOW).unwrap_err();
    assert_eq!(error.fault(), CursorFault::OtherQuery);
}

#[test]
fn an_expired_one_is_refused() {
    let text = cursor().encode(&keys());
    assert!(Cursor::decode(&text, &keys(), query(), NOW + 3599).is_ok());
    let error = Cursor::decode(&text, &keys(), query(), NOW + 3600).unwrap_err();
    assert_eq!(error.fault(), CursorFault::Expired);
}

#[test]
fn keys_can_be_rotated() {
    let text = cursor().encode(&keys());
    let during = CursorKeys::new(key(2, 8)).accepting(key(1, 7));
    assert!(Cursor::decode(&text, &during, query(), NOW).is_ok());
    assert!(Cursor::decode(&cursor().encode(&during), &during, query(), NOW).is_ok());
    assert_eq!(fault(&cursor().encode(&during), &keys()), CursorFault::UnknownKey);
    assert_eq!(fault(&text, &CursorKeys::new(key(2, 8))), CursorFault::UnknownKey);
    assert_eq!(fault(&text, &CursorKeys::new(key(1, 8))), CursorFault::WrongSignature);
    // Two secrets under one id are both tried.
    let doubled = CursorKeys::new(key(1, 8)).accepting(key(1, 7));
    assert!(Cursor::decode(&text, &doubled, query(), NOW).is_ok());
}

#[test]
fn the_secret_is_not_shown() {
    let shown = format!("{:?}", keys());
    assert!(shown.contains("id: 1") && !shown.contains('7'), "{shown}");
    assert!(CursorKey::new(1, &[7; CursorKey::SECRET_BYTES_MIN - 1]).is_err());
}

#[test]
fn spelling_is_no_part_of_a_query() {
    let of = |text: &str| QueryDigest::of(&Json::parse(text.to_owned()).unwrap());
    assert_eq!(of(r#"{"a": ["\u0078", null], "b": 1}"#), of(r#"{"b":1,"a":["x",null]}"#));
    assert_ne!(of(r#"["a","b"]"#), of(r#"["a,b"]"#));
    assert_ne!(of(r#"[["a"],"b"]"#), of(r#"["a",["b"]]"#));
    assert_ne!(of(r#"{"a":1}"#), of(r#"[["a",1]]"#));
    assert_ne!(of("1"), of(r#""1""#));
}

proptest! {
    #[test]
    fn no_text_is_accepted_or_panics(text in "\\PC{0,120}") {
        prop_assert!(Cursor::decode(&text, &keys(), query(), NOW).is_err());
    }

    #[test]
    fn no_bytes_are_accepted_or_panic(bytes in proptest::collection::vec(any::<u8>(), 0..120)) {
        let text = URL_SAFE_NO_PAD.encode_to_string(&bytes);
        prop_assert!(Cursor::decode(&text, &keys(), query(), NOW).is_err());
    }
}
