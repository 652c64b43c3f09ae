//! JSON as text: a value stays the bytes it came in until somebody needs it.
//!
//! [`Json`] is a shared slice of checked text. Reading a member, an item or a string walks the text
//! and copies nothing that has no escapes, so key order and number digits survive by construction,
//! and a result that is only passed on costs no tree. The price is that looking a key up is a scan;
//! every reader in this crate looks at each level once.

mod duplicates;
mod equal;
mod scan;
mod scanned;
mod token;
mod walk;
mod write;

use std::{borrow::Cow, fmt};

use bytestring::ByteString;

pub use self::scanned::SyntaxError;
pub(crate) use self::{
    equal::same_value,
    scan::{Scanner, scan},
    scanned::{FindingKind, Findings, ScanError, ScanOptions, Scanned},
    walk::{items, members, unescape, value_end},
    write::{ObjectWriter, push_compact, push_pretty, push_string, rewrite_strings},
};

/// What a JSON value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Kind {
    Null,
    Bool,
    Number,
    String,
    Array,
    Object,
}

/// A JSON value as checked text: well formed, bounded in depth, free of duplicate keys and lone
/// surrogates. Cheap to clone; slices share the bytes they came from.
///
/// ```
/// use resultant::Json;
///
/// let json = Json::parse(r#"{"n": 12345678901234567890123, "list": [1, 2]}"#)?;
/// assert_eq!(json.get("n").unwrap().as_text(), "12345678901234567890123");
/// assert_eq!(json.get("list").unwrap().items().count(), 2);
/// assert_eq!(json.to_string(), r#"{"n":12345678901234567890123,"list":[1,2]}"#);
/// # Ok::<(), resultant::SyntaxError>(())
/// ```
#[derive(Clone)]
pub struct Json {
    text: ByteString,
}

impl Json {
    /// The value `null`.
    pub const fn null() -> Json {
        Json { text: ByteString::from_static("null") }
    }

    /// The value `true` or `false`.
    pub const fn bool(value: bool) -> Json {
        Json { text: ByteString::from_static(if value { "true" } else { "false" }) }
    }

    /// A JSON string with this content.
    pub fn string(content: &str) -> Json {
        let mut out = String::with_capacity(content.len() + 2);
        push_string(&mut out, content);
        Json::trusted(out)
    }

    /// A JSON number.
    pub fn number(value: u64) -> Json {
        Json::trusted(value.to_string())
    }

    /// A JSON array of these items.
    pub fn array<'a>(items: impl IntoIterator<Item = &'a Json>) -> Json {
        let mut out = String::from("[");
        for (at, item) in items.into_iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            push_compact(&mut out, item.as_text());
        }
        out.push(']');
        Json::trusted(out)
    }

    /// Checks a text. Lone surrogates are replaced, of duplicate keys the last one is kept, and
    /// nesting below the default depth becomes a string, as for a whole message.
    pub fn parse(text: impl Into<ByteString>) -> Result<Json, SyntaxError> {
        scan(&text.into(), &ScanOptions::strict(&crate::Limits::default()))
            .map(|scanned| scanned.json)
            .map_err(ScanError::into_syntax)
    }

    /// Reads the bytes of a message as they may come from anywhere: a byte order mark, bytes that
    /// are not UTF-8, raw control characters and `NaN` are repaired as [`read`](crate::read) does
    /// it, but without notes.
    ///
    /// ```
    /// use resultant::Json;
    ///
    /// let json = Json::read_lenient(b"\xef\xbb\xbf{\"a\": NaN}".as_slice())?;
    /// assert_eq!(json.to_string(), r#"{"a":null}"#);
    /// # Ok::<(), resultant::SyntaxError>(())
    /// ```
    pub fn read_lenient(bytes: impl Into<bytes::Bytes>) -> Result<Json, SyntaxError> {
        let (text, _) = crate::read::decode(&bytes.into());
        scan(&text, &ScanOptions::lenient(&crate::Limits::default()))
            .map(|scanned| scanned.json)
            .map_err(ScanError::into_syntax)
    }

    /// The bytes of the text, shared.
    pub fn to_bytes(&self) -> bytes::Bytes {
        self.text.as_bytes().clone()
    }

    /// The JSON of anything that can be serialized; `null` where serde fails.
    pub fn of<T: serde::Serialize + ?Sized>(value: &T) -> Json {
        match serde_json::to_string(value) {
            Ok(text) => Json::parse(text).unwrap_or(Json::null()),
            Err(_) => Json::null(),
        }
    }

    /// Wraps text that this crate wrote or checked itself.
    pub(crate) fn trusted(text: impl Into<ByteString>) -> Json {
        Json { text: text.into() }
    }

    /// The text, as it came: with its white space, digits and escapes.
    pub fn as_text(&self) -> &str {
        &self.text
    }

    /// What the value is.
    pub fn kind(&self) -> Kind {
        kind_of(&self.text)
    }

    /// Whether the value is `null`.
    pub fn is_null(&self) -> bool {
        self.kind() == Kind::Null
    }

    /// Whether the value is an object.
    pub fn is_object(&self) -> bool {
        self.kind() == Kind::Object
    }

    /// Whether the value is an array.
    pub fn is_array(&self) -> bool {
        self.kind() == Kind::Array
    }

    /// The content of a string.
    pub fn as_str(&self) -> Option<Cow<'_, str>> {
        (self.kind() == Kind::String).then(|| unescape(&self.text))
    }

    /// The content of a string as shared text: a slice where it has no escapes.
    pub(crate) fn as_shared(&self) -> Option<ByteString> {
        match self.as_str()? {
            Cow::Borrowed(content) => Some(self.text.slice_ref(content)),
            Cow::Owned(content) => Some(content.into()),
        }
    }

    /// The value of a boolean.
    pub fn as_bool(&self) -> Option<bool> {
        match &*self.text {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// The value of a whole number that fits.
    pub fn as_u64(&self) -> Option<u64> {
        self.text.parse().ok()
    }

    /// The members of an object in their order; nothing for other kinds.
    pub fn members(&self) -> impl Iterator<Item = (Cow<'_, str>, Json)> {
        members(&self.text).map(|(key, value)| (unescape(key), self.slice(value)))
    }

    /// The items of an array; nothing for other kinds.
    pub fn items(&self) -> impl Iterator<Item = Json> {
        items(&self.text).map(|item| self.slice(item))
    }

    /// The member with this key.
    pub fn get(&self, key: &str) -> Option<Json> {
        self.members().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Whether both are the same value: white space, escapes, the order of keys and the spelling of
    /// a number do not count.
    pub fn same_value(&self, other: &Json) -> bool {
        same_value(&self.text, &other.text)
    }

    /// A tree of it. Numbers that do not fit lose digits here, and only here.
    pub fn to_value(&self) -> serde_json::Value {
        walk::to_value(&self.text)
    }

    /// Reads it as a Rust type.
    pub fn deserialize<T: serde::de::DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(&self.text)
    }

    /// The text with indentation, for people.
    pub fn to_pretty(&self) -> String {
        let mut out = String::with_capacity(self.text.len() * 2);
        push_pretty(&mut out, &self.text);
        out
    }

    pub(crate) fn shared(&self) -> &ByteString {
        &self.text
    }

    pub(crate) fn slice(&self, part: &str) -> Json {
        Json { text: self.text.slice_ref(part) }
    }
}

/// The compact text.
impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::with_capacity(self.text.len());
        push_compact(&mut out, &self.text);
        f.write_str(&out)
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Json({})", self.text)
    }
}

impl PartialEq for Json {
    fn eq(&self, other: &Json) -> bool {
        self.same_value(other)
    }
}

impl From<serde_json::Value> for Json {
    fn from(value: serde_json::Value) -> Json {
        Json::of(&value)
    }
}

/// The text itself, to the byte, where the format is JSON.
impl serde::Serialize for Json {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &serde_json::value::RawValue =
            serde_json::from_str(&self.text).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

pub(crate) fn kind_of(text: &str) -> Kind {
    match text.as_bytes().first() {
        Some(b'{') => Kind::Object,
        Some(b'[') => Kind::Array,
        Some(b'"') => Kind::String,
        Some(b't' | b'f') => Kind::Bool,
        Some(b'n') | None => Kind::Null,
        Some(_) => Kind::Number,
    }
}

/// The members of an object that is being put together, in their order.
///
/// ```
/// use resultant::{Json, Object};
///
/// let mut object = Object::default();
/// object.set("b", Json::number(1));
/// object.set("a", Json::bool(true));
/// assert_eq!(object.to_json().to_string(), r#"{"b":1,"a":true}"#);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Object {
    members: Vec<(String, Json)>,
}

impl Object {
    /// The members of a JSON object; of another value, none.
    pub fn of(json: &Json) -> Object {
        Object { members: json.members().map(|(key, value)| (key.into_owned(), value)).collect() }
    }

    /// The member with this key.
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.members.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Adds a member, or replaces the one that has this key.
    pub fn set(&mut self, key: &str, value: Json) {
        match self.members.iter_mut().find(|(name, _)| name == key) {
            Some((_, old)) => *old = value,
            None => self.members.push((key.to_owned(), value)),
        }
    }

    /// Takes a member out.
    pub fn remove(&mut self, key: &str) -> Option<Json> {
        let at = self.members.iter().position(|(name, _)| name == key)?;
        Some(self.members.remove(at).1)
    }

    /// The members in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Json)> {
        self.members.iter().map(|(key, value)| (key.as_str(), value))
    }

    pub(crate) fn members_mut(&mut self) -> impl Iterator<Item = (&mut String, &mut Json)> {
        self.members.iter_mut().map(|(key, value)| (key, value))
    }

    /// How many members there are.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The object as JSON.
    pub fn to_json(&self) -> Json {
        let mut out = String::new();
        let mut writer = ObjectWriter::new(&mut out);
        for (key, value) in self.iter() {
            writer.json(key, value);
        }
        writer.end();
        Json::trusted(out)
    }
}

impl FromIterator<(String, Json)> for Object {
    fn from_iter<I: IntoIterator<Item = (String, Json)>>(members: I) -> Object {
        Object { members: members.into_iter().collect() }
    }
}

#[cfg(test)]
mod tests;
