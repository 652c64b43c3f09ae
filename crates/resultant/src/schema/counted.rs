//! A value that counts how often it is looked at.
//!
//! The validator can neither be told how much to do nor be stopped, and some pairs of schema and
//! value take time that grows with a power of their depth. But it can only work by looking at the
//! value, and it lets us bring our own representation of one. Ours counts, and once the steps are
//! spent, every value in it is `null`: there is nothing left to go into, and the check ends. What
//! it says then is thrown away.

use std::{borrow::Cow, cell::Cell};

use jsonschema::{
    JsonType,
    json::{Array, Json, Node, NodeIdentity, Object, cmp, unique},
};
use serde_json::{Map, Number, Value, map};

/// How many bytes of text are as much work as one value.
const TEXT_BYTES_PER_STEP: u64 = 64;

/// What a problem costs at least, in steps: it is kept until the check ends.
const PROBLEM_STEPS: u64 = 256;

static NULL: Value = Value::Null;

/// What looking costs under one schema, beside one step for each look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Prices {
    /// For each byte of a string that a pattern may be run over.
    pub(super) text: u64,
    /// For each byte of a key that patterns may be run over.
    pub(super) keys: u64,
    /// For each problem: how much of the schema it may hold a copy of.
    pub(super) problem: u64,
}

thread_local! {
    /// The steps left to the check that runs on this thread; negative when it wanted more.
    static LEFT: Cell<i64> = const { Cell::new(0) };
    static PRICES: Cell<Prices> = const { Cell::new(Prices { text: 0, keys: 0, problem: 0 }) };
}

/// Runs a check that may take so many steps; nothing when they did not suffice.
pub(super) fn within<T>(steps: u64, prices: Prices, check: impl FnOnce() -> T) -> Option<T> {
    LEFT.set(i64::try_from(steps).unwrap_or(i64::MAX));
    PRICES.set(prices);
    let result = check();
    (LEFT.get() >= 0).then_some(result)
}

/// Whether there were steps left for it.
fn spend(steps: u64) -> bool {
    let left = LEFT.get();
    if left < 0 {
        return false;
    }
    let left = left.saturating_sub(i64::try_from(steps).unwrap_or(i64::MAX)).max(-1);
    LEFT.set(left);
    left >= 0
}

/// How many values there are in a value. The depth of both schemas and instances is bounded, and so
/// is this recursion.
pub(super) fn count(value: &Value) -> u64 {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(members) => members.values().map(count).sum(),
        Value::String(text) => text.len() as u64 / TEXT_BYTES_PER_STEP,
        _ => 0,
    }
}

/// The representation.
pub(super) struct Counted;

/// A value in it.
#[derive(Clone, Copy)]
pub(super) struct CountedValue<'a>(pub(super) &'a Value);

impl<'a> CountedValue<'a> {
    fn look(&self) -> &'a Value {
        if spend(1) { self.0 } else { &NULL }
    }
}

impl Json for Counted {
    type Node<'a> = CountedValue<'a>;
    type PreparedKey = String;
    type StringBuffer = Value;

    fn prepare_key(key: &str) -> String {
        key.to_owned()
    }

    fn with_string_node<T>(
        buffer: &mut Value,
        string: &str,
        check: impl FnOnce(CountedValue<'_>) -> T,
    ) -> T {
        *buffer = Value::String(string.to_owned());
        check(CountedValue(buffer))
    }
}

impl<'a> Node<'a, Counted> for CountedValue<'a> {
    type Object = CountedObject<'a>;
    type Array = CountedArray<'a>;
    type Number = &'a Number;

    fn as_object(&self) -> Option<CountedObject<'a>> {
        self.look().as_object().map(CountedObject)
    }

    fn as_array(&self) -> Option<CountedArray<'a>> {
        self.look().as_array().map(|items| CountedArray(items))
    }

    fn as_string(&self) -> Option<Cow<'a, str>> {
        let text = self.look().as_str()?;
        let bytes = text.len() as u64;
        let price = bytes.saturating_mul(PRICES.get().text) + bytes / TEXT_BYTES_PER_STEP;
        spend(price).then_some(Cow::Borrowed(text))
    }

    fn as_number(&self) -> Option<&'a Number> {
        self.look().as_number()
    }

    fn as_boolean(&self) -> Option<bool> {
        self.look().as_bool()
    }

    fn is_null(&self) -> bool {
        self.look().is_null()
    }

    fn json_type(&self) -> JsonType {
        match self.look() {
            Value::Null => JsonType::Null,
            Value::Bool(_) => JsonType::Boolean,
            Value::Number(_) => JsonType::Number,
            Value::String(_) => JsonType::String,
            Value::Array(_) => JsonType::Array,
            Value::Object(_) => JsonType::Object,
        }
    }

    fn string_length(&self) -> Option<u64> {
        let text = self.look().as_str()?;
        spend(text.len() as u64 / TEXT_BYTES_PER_STEP).then(|| text.chars().count() as u64)
    }

    fn equals_value(&self, expected: &Value) -> bool {
        let own = self.look();
        let price = match (own, expected) {
            (Value::Array(_), Value::Array(_)) | (Value::Object(_), Value::Object(_)) => {
                count(expected)
            }
            (Value::String(_), Value::String(text)) => text.len() as u64 / TEXT_BYTES_PER_STEP,
            _ => 0,
        };
        spend(price) && cmp::equal(own, expected)
    }

    /// Asked for when a problem is made. No message of ours shows the value, and a problem within a
    /// choice would keep a copy of it.
    fn to_value(&self) -> Cow<'a, Value> {
        spend(PROBLEM_STEPS + PRICES.get().problem);
        Cow::Borrowed(&NULL)
    }

    fn identity(&self) -> Option<NodeIdentity> {
        Some(NodeIdentity::new(std::ptr::from_ref(self.0) as usize))
    }
}

/// The members of an object.
pub(super) struct CountedObject<'a>(&'a Map<String, Value>);

impl<'a> Object<'a, Counted> for CountedObject<'a> {
    type Node = CountedValue<'a>;
    type MemberName = &'a str;
    type MembersIter = CountedMembers<'a>;

    fn len(&self) -> usize {
        self.0.len()
    }

    fn get(&self, key: &String) -> Option<CountedValue<'a>> {
        let value = if spend(1) { self.0.get(key.as_str()) } else { None };
        value.map(CountedValue)
    }

    fn members(&self) -> CountedMembers<'a> {
        CountedMembers(self.0.iter())
    }
}

pub(super) struct CountedMembers<'a>(map::Iter<'a>);

impl<'a> Iterator for CountedMembers<'a> {
    type Item = (&'a str, CountedValue<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let (key, value) = self.0.next()?;
        let price = (key.len() as u64).saturating_mul(PRICES.get().keys).saturating_add(1);
        spend(price).then_some((key.as_str(), CountedValue(value)))
    }
}

/// The items of an array.
pub(super) struct CountedArray<'a>(&'a [Value]);

impl<'a> Array<'a, Counted> for CountedArray<'a> {
    type Node = CountedValue<'a>;
    type ElementsIter = CountedItems<'a>;

    fn len(&self) -> usize {
        self.0.len()
    }

    fn elements(&self) -> CountedItems<'a> {
        CountedItems(self.0.iter())
    }

    fn is_unique(&self) -> bool {
        let price: u64 = self.0.iter().map(count).sum();
        spend(price) && unique::is_unique(self.0)
    }
}

pub(super) struct CountedItems<'a>(std::slice::Iter<'a, Value>);

impl<'a> Iterator for CountedItems<'a> {
    type Item = CountedValue<'a>;

    fn next(&mut self) -> Option<CountedValue<'a>> {
        let item = self.0.next()?;
        spend(1).then_some(CountedValue(item))
    }
}
