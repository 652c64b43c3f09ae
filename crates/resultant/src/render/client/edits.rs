//! Small changes to an object that leave the rest of its bytes alone.

use crate::json::{Json, Object, push_string};

/// Changes to the members of an object. Where nothing changes the object stays as it is, byte for
/// byte; where members are only added they come at the end; else each member that stays does.
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
        if let Some(text) = self.appended() {
            return Json::trusted(text);
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

    /// The object's own text with the new members at its end, if nothing else changes.
    fn appended(&self) -> Option<String> {
        let mut out = self.object.as_text().trim_end().strip_suffix('}')?.to_owned();
        let mut is_first = self.object.members().next().is_none();
        for (key, value) in &self.changes {
            let value = value.as_ref().filter(|_| self.object.get(key).is_none())?;
            if !is_first {
                out.push(',');
            }
            is_first = false;
            push_string(&mut out, key);
            out.push(':');
            out.push_str(value.as_text());
        }
        out.push('}');
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::Edits;
    use crate::json::Json;

    #[test]
    fn what_is_added_leaves_the_rest_as_it_was_written() {
        for (object, expected) in [
            (r#"{ "a" : [ 1 ] , "b": 2 }"#, r#"{ "a" : [ 1 ] , "b": 2 ,"c":true}"#),
            ("{ }", r#"{ "c":true}"#),
            (r#"{"c": 1, "a" : 2}"#, r#"{"c":true,"a":2}"#),
        ] {
            let object = Json::parse(object).expect("JSON");
            let mut edits = Edits::new(&object);
            edits.set("c", Some(Json::bool(true)));
            assert_eq!(edits.finish().as_text(), expected);
        }
    }
}
