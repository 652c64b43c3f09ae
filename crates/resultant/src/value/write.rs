//! Data as JSON text.
//!
//! One writer, two styles: as Python's `json` writes it, and compact. What JSON cannot hold is
//! replaced (a number that is not finite by `null`, nesting that is too deep by a string), and a
//! note says where. Places are JSON pointers into the value.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use super::{any::Any, notes::Notes, python};
use crate::{
    Limits, Note, Rule, base64,
    json::{Json, push_string, unescape, value_end},
};

/// How JSON is spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// A space after each comma and colon, and every character that need not be escaped as it is.
    Python,
    /// No white space.
    Compact,
}

/// Structured content stands inside a result, and may stand inside `{"result": …}` there. Its text
/// counts from the same depth, so that both stay the same.
pub(super) const DEPTH_IN_RESULT: usize = 2;

const BECAME_A_STRING: &str = "the nesting is too deep, and what is below became a string";

/// Writes data, and notes what it had to change.
#[derive(Debug)]
pub(super) struct Writer {
    pub(super) notes: Notes,
    /// Where in the value the writing is.
    place: String,
    /// Places are only wanted where there is something to note. Few values need a note, so the
    /// first try goes without, and says when it must be made again.
    has_places: bool,
    /// Something would have been noted.
    pub(super) wants_places: bool,
    style: Style,
    /// Inside a string that holds JSON, the depth is no longer that of the message.
    is_in_string: bool,
}

impl Writer {
    pub(super) fn new() -> Writer {
        Writer {
            notes: Notes::default(),
            place: String::new(),
            has_places: true,
            wants_places: false,
            style: Style::Compact,
            is_in_string: false,
        }
    }

    /// A writer that notes nothing, and says whether there is something to note.
    pub(super) fn without_places() -> Writer {
        Writer { has_places: false, ..Writer::new() }
    }

    /// The text of a value that stands at this depth.
    pub(super) fn text(&mut self, style: Style, value: &Any, depth: usize) -> String {
        let mut out = String::new();
        self.push_text(&mut out, style, value, depth);
        out
    }

    /// Appends the text of a value that stands at this depth.
    pub(super) fn push_text(&mut self, out: &mut String, style: Style, value: &Any, depth: usize) {
        let outer = std::mem::replace(&mut self.style, style);
        self.value(out, value, depth);
        self.style = outer;
    }

    /// The same without notes, for a text that is only looked at or that was written before.
    pub(super) fn quiet_text(&mut self, style: Style, value: &Any, depth: usize) -> String {
        let was_muted = self.notes.mute(true);
        let out = self.text(style, value, depth);
        self.notes.mute(was_muted);
        out
    }

    /// Goes into a part of the value. What is handed out leads back.
    pub(super) fn enter(&mut self, key: &str) -> usize {
        if !self.has_places {
            return 0;
        }
        let outer = self.place.len();
        self.place.push('/');
        match key.contains(['~', '/']) {
            false => self.place.push_str(key),
            true => self.place.push_str(&key.replace('~', "~0").replace('/', "~1")),
        }
        outer
    }

    /// Goes into an item of the value. What is handed out leads back.
    pub(super) fn enter_item(&mut self, index: usize) -> usize {
        if !self.has_places {
            return 0;
        }
        let outer = self.place.len();
        self.place.push('/');
        self.place.push_str(itoa::Buffer::new().format(index));
        outer
    }

    pub(super) fn leave(&mut self, outer: usize) {
        self.place.truncate(outer);
    }

    /// Notes that something in this place was changed.
    pub(super) fn changed(&mut self, rule: Rule, message: impl Into<String>) {
        match self.has_places {
            true => self.notes.add(Note::changed(rule, self.place.as_str(), message)),
            false => self.wants_places = true,
        }
    }

    fn value(&mut self, out: &mut String, value: &Any, depth: usize) {
        match value {
            // Only a tree that was put together by hand can be as deep as this.
            _ if depth > Any::DEPTH_MAX + DEPTH_IN_RESULT => {
                out.push_str("null");
                self.changed(Rule::R14, "the nesting is too deep, and what is here was left out");
            }
            Any::Null => out.push_str("null"),
            Any::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Any::Integer(value) => push_integer(out, *value),
            Any::Unsigned(value) => out.push_str(itoa::Buffer::new().format(*value)),
            Any::Float(value) if value.is_finite() => python::push_float(out, *value, value.abs()),
            Any::Float32(value) if value.is_finite() => {
                python::push_float(out, *value, f64::from(value.abs()));
            }
            Any::Float(value) => self.not_finite(out, *value),
            Any::Float32(value) => self.not_finite(out, f64::from(*value)),
            Any::Str(content) => push_string(out, content),
            Any::Bytes(bytes) => push_base64(out, bytes),
            Any::Data(inner) | Any::Failure(inner) => self.value(out, inner, depth + 1),
            Any::Block(json)
            | Any::Result(json)
            | Any::Contents(json)
            | Any::ReadResult(json)
            | Any::Raw(json) => self.json(out, json.as_text(), depth),
            _ if depth >= Limits::default().depth_max && !self.is_in_string => {
                self.as_string(out, value, depth);
            }
            Any::Seq(items) | Any::Tuple(items) => self.array(out, items, depth),
            Any::Map(entries) => {
                self.object(
                    out,
                    || entries.iter().map(|(key, value)| (key_text(key), value)),
                    depth,
                );
            }
            Any::Struct { fields, .. } => {
                let members = || fields.iter().map(|(key, value)| (Cow::Borrowed(&**key), value));
                self.object(out, members, depth);
            }
        }
    }

    fn not_finite(&mut self, out: &mut String, value: f64) {
        out.push_str("null");
        self.changed(Rule::R14, format!("{value} is not a JSON number and became null"));
    }

    /// Writes a value below the depth limit as a string that holds its JSON.
    fn as_string(&mut self, out: &mut String, value: &Any, depth: usize) {
        self.changed(Rule::R14, BECAME_A_STRING);
        let mut text = String::new();
        self.is_in_string = true;
        self.value(&mut text, value, depth);
        self.is_in_string = false;
        push_string(out, &text);
    }

    fn array(&mut self, out: &mut String, items: &[Any], depth: usize) {
        out.push('[');
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.comma(out);
            }
            let outer = self.enter_item(index);
            self.value(out, item, depth + 1);
            self.leave(outer);
        }
        out.push(']');
    }

    fn object<'a, M: Iterator<Item = (Cow<'a, str>, &'a Any)>>(
        &mut self,
        out: &mut String,
        members: impl Fn() -> M,
        depth: usize,
    ) {
        out.push('{');
        match keys_are_unique(&members) {
            true => self.members(out, members(), depth),
            false => {
                let kept = self.last_of_each_key(members());
                self.members(out, kept.into_iter(), depth);
            }
        }
        out.push('}');
    }

    fn members<'a>(
        &mut self,
        out: &mut String,
        members: impl Iterator<Item = (Cow<'a, str>, &'a Any)>,
        depth: usize,
    ) {
        for (index, (key, value)) in members.enumerate() {
            if index > 0 {
                self.comma(out);
            }
            push_string(out, &key);
            self.colon(out);
            let outer = self.enter(&key);
            self.value(out, value, depth + 1);
            self.leave(outer);
        }
    }

    /// Of members with the same key the last value, in the place of the first.
    fn last_of_each_key<'a>(
        &mut self,
        members: impl Iterator<Item = (Cow<'a, str>, &'a Any)>,
    ) -> Vec<(Cow<'a, str>, &'a Any)> {
        let mut kept: Vec<(Cow<'a, str>, &'a Any)> = Vec::new();
        let mut places: HashMap<Cow<'a, str>, usize> = HashMap::new();
        for (key, value) in members {
            if let Some(&at) = places.get(&key) {
                let old = std::mem::replace(&mut kept[at].1, value);
                self.left_out(&key, old);
            } else {
                places.insert(key.clone(), kept.len());
                kept.push((key, value));
            }
        }
        kept
    }

    fn left_out(&mut self, key: &str, value: &Any) {
        if !self.has_places {
            self.wants_places = true;
            return;
        }
        // At the limit of the scanner whatever is inside is a string, so this JSON is bounded too.
        let text = self.quiet_text(Style::Compact, value, DEPTH_IN_RESULT);
        let message = "another key has the same text, and the last of them was kept";
        let outer = self.enter(key);
        let note = Note::changed(Rule::R14, self.place.as_str(), message);
        self.notes.add(note.with_left_out(Json::trusted(text)));
        self.leave(outer);
    }

    /// Writes checked JSON in our style, with the digits it came with.
    fn json(&mut self, out: &mut String, text: &str, depth: usize) {
        let depth_max = match self.is_in_string {
            true => usize::MAX,
            false => Limits::default().depth_max,
        };
        let bytes = text.as_bytes();
        let (mut at, mut level) = (0, depth);
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'"' => {
                    let end = value_end(bytes, at);
                    self.json_string(out, &text[at..end]);
                    at = end;
                    continue;
                }
                b'{' | b'[' if level >= depth_max => {
                    let end = value_end(bytes, at);
                    push_string(out, &text[at..end]);
                    self.changed(Rule::R14, BECAME_A_STRING);
                    at = end;
                    continue;
                }
                b',' => self.comma(out),
                b':' => self.colon(out),
                b' ' | b'\t' | b'\n' | b'\r' => {}
                other => {
                    match other {
                        b'{' | b'[' => level += 1,
                        b'}' | b']' => level = level.saturating_sub(1),
                        _ => {}
                    }
                    // Outside of strings JSON is ASCII.
                    out.push(char::from(other));
                }
            }
            at += 1;
        }
    }

    fn json_string(&self, out: &mut String, text: &str) {
        match (self.style, unescape(text)) {
            (Style::Python, Cow::Owned(content)) => push_string(out, &content),
            _ => out.push_str(text),
        }
    }

    fn comma(&self, out: &mut String) {
        out.push_str(match self.style {
            Style::Python => ", ",
            Style::Compact => ",",
        });
    }

    fn colon(&self, out: &mut String) {
        out.push_str(match self.style {
            Style::Python => ": ",
            Style::Compact => ":",
        });
    }
}

fn keys_are_unique<'a, M: Iterator<Item = (Cow<'a, str>, &'a Any)>>(
    members: impl Fn() -> M,
) -> bool {
    // Comparing a few keys with each other is faster than hashing them.
    const FEW: usize = 12;
    let count = members().count();
    if count <= FEW {
        let is_new = |(at, (key, _)): (usize, (Cow<'_, str>, &Any))| {
            members().take(at).all(|(other, _)| other.len() != key.len() || other != key)
        };
        return members().enumerate().all(is_new);
    }
    let mut seen = HashSet::with_capacity(count);
    members().all(|(key, _)| seen.insert(key))
}

fn push_integer(out: &mut String, value: i128) {
    // The narrow type is much faster to write, and nearly every number fits.
    match i64::try_from(value) {
        Ok(value) => out.push_str(itoa::Buffer::new().format(value)),
        Err(_) => out.push_str(itoa::Buffer::new().format(value)),
    }
}

/// Bytes as a JSON string. Base64 needs no escapes.
pub(super) fn push_base64(out: &mut String, bytes: &[u8]) {
    out.push('"');
    base64::push_encoded(out, bytes);
    out.push('"');
}

/// A map's key as a string. Numbers that are not finite are spelled as JavaScript does: as part of
/// a string they harm nobody.
fn key_text(key: &Any) -> Cow<'_, str> {
    let text = match key {
        Any::Str(content) => return Cow::Borrowed(content),
        Any::Float(value) if !value.is_finite() => not_finite_key(*value),
        Any::Float32(value) if !value.is_finite() => not_finite_key(f64::from(*value)),
        Any::Bytes(bytes) => base64::encode(bytes),
        Any::Raw(json) if let Some(content) = json.as_str() => content.into_owned(),
        Any::Data(inner) => return key_text(inner),
        other => Writer::new().quiet_text(Style::Compact, other, DEPTH_IN_RESULT),
    };
    Cow::Owned(text)
}

fn not_finite_key(value: f64) -> String {
    match value {
        f64::INFINITY => "Infinity",
        f64::NEG_INFINITY => "-Infinity",
        _ => "NaN",
    }
    .to_owned()
}
