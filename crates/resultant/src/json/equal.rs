//! When two JSON texts are the same value.

use std::collections::HashMap;

use super::{
    Kind, kind_of,
    walk::{items, members, unescape},
};
use crate::spill::handle_digest;

/// Compares values, not spellings. The depth of checked text is bounded, and so is this recursion.
pub(crate) fn same_value(left: &str, right: &str) -> bool {
    if left == right {
        return true;
    }
    let kind = kind_of(left);
    if kind != kind_of(right) {
        return false;
    }
    match kind {
        Kind::Null => true,
        Kind::Bool => false,
        Kind::Number => same_number(left, right),
        Kind::String => same_string(left, right),
        Kind::Array => same_items(left, right),
        Kind::Object => same_members(left, right),
    }
}

fn same_string(left: &str, right: &str) -> bool {
    match (handle_digest(left), handle_digest(right)) {
        // Two strings in the sink are the same when their digests are.
        (Some(left), Some(right)) => left == right,
        _ => unescape(left) == unescape(right),
    }
}

fn same_items(left: &str, right: &str) -> bool {
    let mut right = items(right);
    items(left).all(|item| right.next().is_some_and(|other| same_value(item, other)))
        && right.next().is_none()
}

/// Most mirrors keep the order of keys, so both sides are walked in step; a table is made only for
/// what comes after the first key that differs.
fn same_members(left: &str, right: &str) -> bool {
    let (mut left, mut right) = (members(left), members(right));
    loop {
        match (left.next(), right.next()) {
            (None, None) => return true,
            (Some(one), Some(other)) if same_string(one.0, other.0) => {
                if !same_value(one.1, other.1) {
                    return false;
                }
            }
            (Some(one), Some(other)) => {
                let table: HashMap<_, _> = std::iter::once(other)
                    .chain(right)
                    .map(|(key, value)| (unescape(key), value))
                    .collect();
                let mut count = 0;
                let found = std::iter::once(one).chain(left).all(|(key, value)| {
                    count += 1;
                    table.get(&unescape(key)).is_some_and(|other| same_value(value, other))
                });
                return found && count == table.len();
            }
            _ => return false,
        }
    }
}

/// Compares numbers by their decimal value, whatever their length: `1e2`, `100` and `100.0` are one.
pub(crate) fn same_number(left: &str, right: &str) -> bool {
    Decimal::of(left) == Decimal::of(right)
}

/// Digits without zeros at either end, and the power of ten of the last one.
#[derive(PartialEq)]
struct Decimal {
    negative: bool,
    digits: Vec<u8>,
    exponent: i64,
}

impl Decimal {
    fn of(text: &str) -> Decimal {
        let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        // An exponent too long for 64 bits is as good as infinite in either direction.
        let exponent = exponent.parse::<i64>().unwrap_or(match exponent.starts_with('-') {
            true => i64::MIN / 2,
            false => i64::MAX / 2,
        });
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
        let mut exponent = exponent.saturating_sub(fraction.len() as i64);
        while digits.last() == Some(&b'0') {
            digits.pop();
            exponent = exponent.saturating_add(1);
        }
        let zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
        digits.drain(..zeros);
        if digits.is_empty() {
            return Decimal { negative: false, digits, exponent: 0 };
        }
        Decimal { negative, digits, exponent }
    }
}
