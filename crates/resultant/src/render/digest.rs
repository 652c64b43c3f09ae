//! What stands for an outcome that does not fit: that it is not whole, what it is, where it is, and
//! a preview. At most the budget, whatever the input.

use super::{
    budget::Budget,
    model::{ModelText, Parts, push_file, push_link, with_unseen_escaped},
    preview::{preview, preview_text},
};
use crate::{
    artifact::Artifact,
    json::{Json, Kind, Object, ObjectWriter, items, members, push_string},
    outcome::Outcome,
};

/// How often a digest that has too many tokens is made anew, with less room each time.
const ATTEMPTS_MAX: usize = 8;

pub(super) fn digest(outcome: &Outcome, parts: &Parts<'_>, budget: &Budget) -> ModelText {
    let whole = offload(outcome);
    let outcome_name = free_name(outcome, "outcome.json");
    let mut room = budget.bytes_max();
    for _ in 0..ATTEMPTS_MAX {
        let (text, holds) = write_digest(outcome, parts, &whole, &outcome_name, room);
        let text = with_unseen_escaped(text);
        if budget.fits(&text) {
            let all = || whole_outcome(outcome, &outcome_name);
            let offloaded = match holds {
                Holds::Result => vec![all()],
                Holds::AllButTheResult => vec![whole],
                Holds::Parts => vec![whole, all()],
            };
            return ModelText { text, is_complete: false, offloaded };
        }
        let tokens = (budget.count_tokens)(&text).max(1);
        let by_tokens = (room as u128 * budget.tokens as u128 / tokens as u128) as usize;
        // Escapes may have made it longer than the room it was given.
        let by_bytes = (room as u128 * budget.bytes_max() as u128 / text.len() as u128) as usize;
        room = by_tokens.min(by_bytes).min(room).saturating_sub(room / 10);
    }
    let text = r#"{"complete":false}"#.to_owned();
    let offloaded = vec![whole_outcome(outcome, &outcome_name)];
    ModelText { text, is_complete: false, offloaded }
}

/// What a digest has in full, and so need not be in a file.
#[derive(Clone, Copy, PartialEq)]
enum Holds {
    Result,
    AllButTheResult,
    /// Neither the result nor all that is beside it.
    Parts,
}

/// The result as a file, in the form that suits it.
fn offload(outcome: &Outcome) -> Artifact {
    let free = |name: &str| free_name(outcome, name);
    match outcome.results.as_shared() {
        Some(text) if looks_like_csv(&text) => {
            Artifact::of_text(&free("table.csv"), "text/csv", text)
        }
        Some(text) => Artifact::of_text(&free("output.txt"), "text/plain", text),
        None => {
            let text = outcome.results.shared().clone();
            Artifact::of_text(&free("results.json"), "application/json", text)
        }
    }
}

/// A name that no artifact has.
fn free_name(outcome: &Outcome, name: &str) -> String {
    let is_taken = |name: &str| outcome.artifacts.iter().any(|artifact| artifact.name == name);
    let (stem, extension) = name.split_once('.').unwrap_or((name, ""));
    let numbered = (2..).map(|number| format!("{stem} ({number}).{extension}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names.find(|name| !is_taken(name)).unwrap_or_default()
}

/// The whole outcome as a file: where what is beside the result is too large.
fn whole_outcome(outcome: &Outcome, name: &str) -> Artifact {
    let text = outcome.to_contract().shared().clone();
    Artifact::of_text(name, "application/json", text)
}

/// Lines with the same number of commas, at least one, in the first ten.
fn looks_like_csv(text: &str) -> bool {
    let mut counts = text.lines().take(10).map(|line| line.matches(',').count());
    let Some(first) = counts.next().filter(|count| *count > 0) else { return false };
    text.lines().nth(1).is_some() && counts.all(|count| count == first)
}

/// The digest in at most `room` bytes, and what is in it in full.
fn write_digest(
    outcome: &Outcome,
    parts: &Parts<'_>,
    whole: &Artifact,
    outcome_name: &str,
    room: usize,
) -> (String, Holds) {
    let results = parts.results.to_string();
    // What is beside the result gets at most half of the room, each part its share.
    let mut is_cut = false;
    let meta_data = fit_object(&parts.meta_data, room / 8, &mut is_cut);
    let extra = fit_object(&parts.extra, room / 8, &mut is_cut);
    let files = fit_list(&parts.files, room / 8, &mut is_cut, push_file);
    let links = fit_list(&parts.links, room / 16, &mut is_cut, push_link);
    let notes = fit_list(&parts.notes, room / 16, &mut false, |out, note| {
        push_string(out, &preview_text(note, 200));
    });
    let beside: usize =
        [&meta_data, &extra, &files, &links, &notes].iter().map(|part| part.len()).sum();
    let mut out = String::new();
    let mut writer = ObjectWriter::new(&mut out);
    writer.bool("complete", false);
    const KEYS_BYTES: usize = 96;
    let is_result_whole = results.len() + beside + KEYS_BYTES + 200 <= room;
    let holds = match (is_result_whole, is_cut) {
        (true, _) => Holds::Result,
        (false, true) => Holds::Parts,
        (false, false) => Holds::AllButTheResult,
    };
    writer.text("whole", &describe(outcome, whole, outcome_name, holds));
    let head = writer.key("results").len();
    let left = room.saturating_sub(head + beside + KEYS_BYTES);
    let shown = if is_result_whole { results } else { preview(parts.results.as_text(), left) };
    // The writer has the key already.
    out.push_str(&shown);
    for (key, part) in [
        ("meta_data", meta_data),
        ("more", extra),
        ("files", files),
        ("links", links),
        ("notes", notes),
    ] {
        if !matches!(part.as_str(), "{}" | "[]") {
            out.push(',');
            push_string(&mut out, key);
            out.push(':');
            out.push_str(&part);
        }
    }
    out.push('}');
    (out, holds)
}

/// What the whole is, and where: kind, counts, bytes.
fn describe(outcome: &Outcome, whole: &Artifact, outcome_name: &str, holds: Holds) -> String {
    let text = outcome.results.as_text();
    let bytes = whole.size;
    if holds == Holds::Result {
        return format!("the result with all its parts is in {outcome_name}");
    }
    let what = match outcome.results.kind() {
        Kind::Array => format!("an array of {} items, {bytes} bytes,", items(text).count()),
        Kind::Object => format!("an object of {} keys, {bytes} bytes,", members(text).count()),
        Kind::String => {
            let lines = outcome.results.as_str().map_or(0, |text| text.lines().count());
            format!("a text of {lines} lines, {bytes} bytes,")
        }
        _ => format!("a value of {bytes} bytes"),
    };
    match holds {
        Holds::Parts => format!("{what} in {}, all parts in {outcome_name}", whole.name),
        _ => format!("{what} in {}", whole.name),
    }
}

/// An object within a share of the room: whole, or a preview.
fn fit_object(object: &Object, room: usize, is_cut: &mut bool) -> String {
    let json: Json = object.to_json();
    let text = json.to_string();
    if text.len() <= room {
        return text;
    }
    *is_cut = true;
    preview(&text, room)
}

/// As many items as fit, and the count of the rest.
fn fit_list<T>(
    list: &[T],
    room: usize,
    is_cut: &mut bool,
    push: impl Fn(&mut String, &T),
) -> String {
    const REST_BYTES: usize = 40;
    let mut out = String::from("[");
    for (at, item) in list.iter().enumerate() {
        let before = out.len();
        if at > 0 {
            out.push(',');
        }
        push(&mut out, item);
        let is_last = at + 1 == list.len();
        if out.len() + if is_last { 1 } else { REST_BYTES } > room {
            *is_cut = true;
            out.truncate(before);
            let comma = if at > 0 { "," } else { "" };
            out.push_str(&format!("{comma}\"… {} more of {}\"", list.len() - at, list.len()));
            break;
        }
    }
    out.push(']');
    out
}
