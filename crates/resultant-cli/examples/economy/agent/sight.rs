//! What the agent makes of a view: is it the whole, and if not, where is the rest.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

use crate::views::View;

/// How much of a result is to be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    Whole,
    /// A piece of it, as it is.
    Part,
    /// Something about it.
    Digest,
}

#[derive(Clone, Debug)]
pub(crate) struct Sight {
    pub(crate) seen: Seen,
    /// The texts, each without the wrapper that an object with a single string is.
    pub(crate) texts: Vec<String>,
    /// The texts that are JSON, as values.
    pub(crate) values: Vec<Value>,
    /// The file that has the whole, by its name.
    pub(crate) file: Option<String>,
    /// The call that the digest proposes: its arguments.
    pub(crate) next: Option<Value>,
    /// The files that are told of: name and size.
    pub(crate) files: Vec<(String, Option<u64>)>,
    /// A client kept the result in a file of its own; so much of it is shown.
    pub(crate) saved_from: Option<usize>,
}

static CUT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"\[\d+ tokens truncated\]|^Error: the result \(\d+ tokens\) exceeds").ok()
});
static SAVED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?s)^Output too large .*?\(first (\d+) bytes\):\n").ok());
/// A file that is named in the place where its bytes were.
static LABEL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\[the file ([^,\]]+), [^,\]]+, (\d+) bytes").ok());

impl Sight {
    pub(crate) fn of(view: &View) -> Self {
        let mut sight = Self {
            seen: Seen::Whole,
            texts: Vec::new(),
            values: Vec::new(),
            file: None,
            next: None,
            files: Vec::new(),
            saved_from: None,
        };
        for lane in &view.lanes {
            sight.look_at(lane);
        }
        sight
    }

    fn look_at(&mut self, lane: &str) {
        if let Some(found) = SAVED.as_ref().and_then(|saved| saved.captures(lane)) {
            self.seen = Seen::Part;
            self.saved_from = found.get(1).and_then(|shown| shown.as_str().parse().ok());
            let end = found.get(0).map_or(0, |whole| whole.end());
            self.texts.push(lane[end..].to_owned());
            return;
        }
        if CUT.as_ref().is_some_and(|cut| cut.is_match(lane)) {
            self.seen = Seen::Part;
        }
        let Ok(value) = serde_json::from_str::<Value>(lane) else {
            self.texts.push(lane.to_owned());
            return;
        };
        if let Some(inner) = only_string(&value) {
            self.look_at(inner);
            return;
        }
        if value["complete"] == false {
            self.seen = Seen::Digest;
            self.file = self.file.take().or_else(|| owned(&value["file"]));
            let next = value["next"]["arguments"].clone();
            self.next = self.next.take().or_else(|| next.is_object().then_some(next));
        }
        for file in value["files"].as_array().into_iter().flatten() {
            if let Some(name) = owned(&file["name"]) {
                self.files.push((name, file["size"].as_u64()));
            }
        }
        for found in LABEL.iter().flat_map(|label| label.captures_iter(lane)) {
            self.files.push((found[1].to_owned(), found[2].parse().ok()));
        }
        self.texts.push(lane.to_owned());
        self.values.push(value);
    }
}

fn owned(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// The text in an object that has nothing else.
fn only_string(value: &Value) -> Option<&str> {
    let members = value.as_object()?;
    if members.len() == 1 { members.values().next()?.as_str() } else { None }
}
