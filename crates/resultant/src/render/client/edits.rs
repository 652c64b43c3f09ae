//! Small changes to an object that leave the rest of its bytes alone.

use crate::json::{Json, Object, push_string};

/// Changes to the members of an object. Where nothing changes the object stays as it is, byte for
/// byte; else each member that stays does.
pub(in crate::render) struct Edits<'a> {
    object: &'a Json,
    changes: Vec<(&'static str, Option<Json>)>,
}

impl<'a> Edits<'a> {
    pub(in crate::render) fn new(object: &'a Json) -> Edits<'a> {
        Edits { object, changes: Vec::new() }
    }

    /// Sets a member, or takes it away. A member that has this text already stays.
    pub(in crate::render) fn set(&mut self, key: &'static str, value: Option<Json>) {
        let present = self.object.get(key);
        let is_same = match (&present, &value) {
            (Some(present), Some(value)) => present.as_text() == value.as_text(),
            (None, None) => true,
            _ => false,
        };
        if !is_same {
            self.changes.push((key, value));
        }
    }

    /// Takes a member away unless it is valid.
    pub(in crate::render) fn keep(&mut self, key: &'static str, is_valid: impl Fn(&Json) -> bool) {
        if self.object.get(key).is_some_and(|value| !is_valid(&value)) {
            self.changes.push((key, None));
        }
    }

    pub(in crate::render) fn finish(self) -> Json {
        if self.changes.is_empty() {
            return self.object.clone();
        }
        let mut members = Object::of(self.object);
        for (key, value) in self.changes {
            match value {
                Some(value) => members.set(key, value),
                None => drop(members.remove(key)),
            }
        }
        let mut out = String::from("{");
        for (at, (key, value)) in members.iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            push_string(&mut out, key);
            out.push(':');
            out.push_str(value.as_text());
        }
        out.push('}');
        Json::trusted(out)
    }
}
