//! What stands for an outcome that does not fit: that it is not whole, what it is, where it is, how
//! to get more, and a preview. At most the budget, whatever the input.

mod fitted;
mod lead;
mod next;
mod text;
mod value;

use std::collections::HashMap;

pub(crate) use self::lead::file_of_kind;
use self::{
    fitted::Fitted,
    lead::{ADDITIONAL_TEXT, Lead, Place, View, free_name},
    next::{next_call, read_call},
    text::text_preview,
};
use super::{
    budget::Budget,
    hide::Hidden,
    model::{ModelText, Parts, push_file, push_link, with_unseen_escaped},
    preview::{preview, preview_text},
};
use crate::{
    artifact::Artifact,
    json::{
        Json, Object, ObjectWriter, members, push_compact, push_string, rewrite_strings, unescape,
    },
    note::{Note, Rule, Weight},
    outcome::Outcome,
};

/// How often a digest that has too many tokens is made anew, with less room each time.
const ATTEMPTS_MAX: usize = 10;
/// Less room is not enough for a call.
const NEXT_ROOM_MIN: usize = 420;
/// A token has at most about so many bytes in what is written here.
const TOKEN_BYTES: usize = 5;

pub(super) fn digest(outcome: &Outcome, parts: &Parts<'_>, budget: &Budget) -> ModelText {
    let writer = Writer {
        outcome,
        parts,
        hidden: Hidden::of(&outcome.artifacts),
        lead: Lead::of(outcome, &parts.results),
        results: with_short_stand_ins(outcome, &parts.results),
        outcome_name: free_name(outcome, "outcome.json"),
        budget,
    };
    writer.fitted()
}

/// What a digest has in full, and so need not be in a file.
#[derive(Clone, Copy, PartialEq)]
enum Holds {
    /// Everything but the texts that were cut out while it was read.
    All,
    Result,
    AllButTheResult,
    /// Neither the result nor all that is beside it.
    Parts,
}

struct Writer<'a> {
    outcome: &'a Outcome,
    parts: &'a Parts<'a>,
    hidden: Hidden<'a>,
    lead: Lead<'a>,
    /// The result as it can be shown.
    results: Json,
    outcome_name: String,
    budget: &'a Budget,
}

impl Writer<'_> {
    /// The digest of the size that is aimed at; a larger one only where the budget allows it and a
    /// smaller one cannot be made, or would hold neither a call nor a preview.
    fn fitted(self) -> ModelText {
        let hard = self.budget.tokens;
        let mut fallback = None;
        for aim in [self.aim(), self.budget.digest_tokens] {
            match self.fitted_to(aim.min(hard), &mut fallback) {
                Some((text, holds, room)) if room >= NEXT_ROOM_MIN => {
                    return self.finish(text, holds);
                }
                Some((text, holds, _)) => fallback = Some((text, holds)),
                None => {}
            }
        }
        // Of dense text the least that tells something has more tokens than are aimed at.
        let (text, holds) = self.write(NEXT_ROOM_MIN.min(self.budget.bytes_max()));
        let text = with_unseen_escaped(text);
        if self.budget.fits(&text) {
            return self.finish(text, holds);
        }
        if fallback.is_none()
            && let Some((text, holds, _)) = self.fitted_to(hard, &mut fallback)
        {
            return self.finish(text, holds);
        }
        if let Some((text, holds)) = fallback {
            return self.finish(text, holds);
        }
        let mut named = String::new();
        let mut writer = ObjectWriter::new(&mut named);
        writer.bool("complete", false);
        writer.text("parts", &self.outcome_name);
        writer.end();
        let text = match self.budget.fits(&named) {
            true => named,
            false => r#"{"complete":false}"#.to_owned(),
        };
        let offloaded = vec![self.whole_outcome()];
        ModelText { text, is_complete: false, offloaded }
    }

    /// A digest of so many tokens, and the room it took; what is larger but within the budget is the
    /// fallback.
    fn fitted_to(
        &self,
        aim: usize,
        fallback: &mut Option<(String, Holds)>,
    ) -> Option<(String, Holds, usize)> {
        let mut room = self.budget.bytes_max().min(aim.saturating_mul(TOKEN_BYTES).max(256));
        for _ in 0..ATTEMPTS_MAX {
            let (text, holds) = self.write(room);
            let text = with_unseen_escaped(text);
            let tokens = (self.budget.count_tokens)(&text).max(1);
            if tokens <= aim && text.len() <= self.budget.bytes_max() {
                return Some((text, holds, room));
            }
            let by_tokens = (room as u128 * aim as u128 / tokens as u128) as usize;
            // Escapes may have made it longer than the room it was given.
            let by_bytes =
                (room as u128 * self.budget.bytes_max() as u128 / text.len() as u128) as usize;
            room = by_tokens.min(by_bytes).min(room).saturating_sub(room / 20);
            if self.budget.fits(&text) {
                *fallback = Some((text, holds));
            }
        }
        None
    }

    /// The tokens that are aimed at. A few lines of prose say as much about it as many do.
    fn aim(&self) -> usize {
        // The text of an error that can be shown is shown whole.
        if self.error_text().is_some_and(|error| self.budget.fits(error)) {
            return self.budget.tokens;
        }
        match &self.lead.view {
            View::Text(survey) if survey.is_prose() && !self.outcome.is_error => {
                self.budget.digest_tokens * 3 / 8
            }
            _ => self.budget.digest_tokens,
        }
    }

    /// What an error says, as it is written.
    fn error_text(&self) -> Option<&str> {
        let mut members = members(self.results.as_text()).filter(|_| self.outcome.is_error);
        members.find(|(name, _)| unescape(name) == "error").map(|(_, error)| error)
    }

    fn finish(self, text: String, holds: Holds) -> ModelText {
        let mut offloaded = Vec::new();
        if matches!(holds, Holds::Result | Holds::Parts) {
            offloaded.push(self.whole_outcome());
        }
        if matches!(holds, Holds::AllButTheResult | Holds::Parts)
            && let Place::Made(file) = self.lead.file
        {
            offloaded.insert(0, *file);
        }
        ModelText { text, is_complete: false, offloaded }
    }

    fn has_cut_texts(&self) -> bool {
        self.outcome.artifacts.iter().any(|artifact| artifact.cut.is_some())
    }

    /// The whole outcome as a file: where what is beside the result is too large.
    fn whole_outcome(&self) -> Artifact {
        let text = self.outcome.to_contract().shared().clone();
        Artifact::of_text(&self.outcome_name, "application/json", text)
    }

    /// The digest in at most `room` bytes, and what is in it in full.
    fn write(&self, room: usize) -> (String, Holds) {
        let parts = self.parts;
        // What is beside the result gets at most half of the room, each part its share.
        let mut is_cut = false;
        let meta_data = match self.lead.beside {
            Some(at) => without_text(&parts.meta_data, at, self.lead.file_name()),
            None => parts.meta_data.clone(),
        };
        let meta_data = fit_object(&flag_first(&meta_data), room / 8, &mut is_cut);
        let extra = fit_object(&parts.extra, room / 8, &mut is_cut);
        let lead_name = self.lead.file_name();
        let files: Vec<_> = parts.files.iter().filter(|file| file.name != lead_name).collect();
        let files = fit_list(&files, room / 5, &mut is_cut, |out, file| push_file(out, file));
        let links = fit_list(&parts.links, room / 16, &mut is_cut, push_link);
        let is_told = |note: &&String| {
            let cut = self.outcome.artifacts.iter().filter(|file| file.cut.is_some());
            !cut.into_iter().any(|file| is_about(note, &file.name))
        };
        let hints = self.outcome.notes.iter().filter(|note| is_hint(note));
        let hints = hints.map(|note| &note.message);
        let notes: Vec<&String> = parts.notes.iter().filter(is_told).chain(hints).collect();
        // What was lost or changed is told also where there is little room.
        let notes_room = if room < NEXT_ROOM_MIN { room / 12 } else { (room / 12).max(260) };
        let notes = fit_list(&notes, notes_room, &mut false, |out, note| {
            push_string(out, &preview_text(note, 200));
        });
        let beside: usize =
            [&meta_data, &extra, &files, &links, &notes].iter().map(|part| part.len() + 14).sum();
        let whole_len = self.results.as_text().len();
        let is_kept = matches!(self.lead.file, Place::Kept(_));
        let is_beside = self.lead.beside.is_some();
        let is_result_whole = !is_kept && !is_beside && whole_len + beside + 160 <= room;
        let mut text = None;
        let (shown, is_rest_whole) = match is_result_whole {
            true => (self.results.to_string(), true),
            false if is_beside => {
                let left = room.saturating_sub(self.head(Holds::Parts, room).len() + beside + 24);
                let results = preview(self.results.as_text(), left / 3);
                text = Some(self.view(left.saturating_sub(results.len())));
                let is_whole = whole_len <= left / 3;
                (if is_whole { self.results.to_string() } else { results }, is_whole)
            }
            false => {
                let head = self.head(Holds::Parts, room).len();
                self.preview(room.saturating_sub(head + beside + 12))
            }
        };
        let holds = match (is_result_whole, is_cut || !is_rest_whole) {
            (true, false) if self.has_cut_texts() => Holds::All,
            (true, _) => Holds::Result,
            (false, true) => Holds::Parts,
            (false, false) => Holds::AllButTheResult,
        };
        let mut out = self.head(holds, room);
        let shown = self.hidden.hide(&Json::trusted(shown));
        let text = text.map(|text| self.hidden.hide(&Json::trusted(text)).to_string());
        for (key, part) in [
            ("results", shown.to_string()),
            ("text", text.unwrap_or_else(|| "{}".to_owned())),
            ("meta_data", meta_data),
            ("more", extra),
            ("files", files),
            ("links", links),
            ("notes", notes),
        ] {
            if key == "results" || !matches!(part.as_str(), "{}" | "[]") {
                out.push(',');
                push_string(&mut out, key);
                out.push(':');
                out.push_str(&part);
            }
        }
        out.push('}');
        (out, holds)
    }

    /// What comes first: that it is not whole, what it is, where it is, how to get more.
    fn head(&self, holds: Holds, room: usize) -> String {
        let mut out = String::new();
        let mut writer = ObjectWriter::new(&mut out);
        writer.bool("complete", false);
        if holds == Holds::All {
            writer.text("is", "the result as it is, without long texts that are in files");
        } else if holds == Holds::Result {
            writer.text("is", "the result as it is; not all that is beside it");
        } else {
            writer.text("is", &self.lead.describe(self.outcome.is_error));
            let name = self.lead.file_name();
            let is_kept = !self.outcome.unkept.iter().any(|unkept| unkept == name);
            match is_kept {
                true => writer.text("file", name),
                false => writer.bool("persisted", false),
            }
            if is_kept
                && room >= NEXT_ROOM_MIN
                && let Some(next) = next_call(&self.lead, self.budget.more)
            {
                let next = self.hidden.hide(&Json::trusted(next));
                writer.json("next", &next);
            }
        }
        if matches!(holds, Holds::Result | Holds::Parts) {
            writer.text("parts", &self.outcome_name);
        }
        if holds == Holds::Result
            && room >= NEXT_ROOM_MIN
            && let Some(next) = read_call(&self.outcome_name, self.budget.more)
        {
            writer.json("next", &Json::trusted(next));
        }
        out
    }

    /// What it mainly is, in at most `room` bytes.
    fn view(&self, room: usize) -> String {
        match &self.lead.view {
            View::Text(survey) => text_preview(survey, room, self.outcome.is_error),
            View::Value(value) => value.preview(room),
        }
    }

    /// An error with all that it says, and as much of what is beside it as there is room for.
    fn error_preview(&self, room: usize) -> Option<(String, bool)> {
        let error = self.error_text().filter(|error| error.len() + 40 <= room)?;
        let mut out = Fitted::new(room);
        out.json("error", error);
        let mut is_whole = true;
        for (name, value) in members(self.results.as_text()) {
            let name = unescape(name);
            let mut compact = String::new();
            push_compact(&mut compact, value);
            if name != "error" && !out.json(&name, &compact) {
                is_whole = false;
                let left = out.left(&name);
                if left >= 32 {
                    out.json(&name, &preview(value, left - 1));
                }
            }
        }
        Some((out.end(), is_whole))
    }

    /// The result in at most `room` bytes, and whether what is beside its main part is whole.
    fn preview(&self, room: usize) -> (String, bool) {
        if let Some(shown) = self.error_preview(room) {
            return shown;
        }
        let view = |room: usize| self.view(room);
        let Some(key) = self.lead.key else { return (view(room), true) };
        let results = self.results.as_text();
        let others = || members(results).filter(|(name, _)| *name != key);
        let rest: usize = others().map(|(name, value)| name.len() + value.len() + 2).sum();
        let mut out = Fitted::new(room);
        let key = unescape(key);
        let mut is_rest_whole = rest <= room / 3;
        if is_rest_whole {
            let shown = view(out.left(&key).saturating_sub(rest));
            out.json(&key, &shown);
            for (name, value) in others() {
                let mut compact = String::new();
                push_compact(&mut compact, value);
                is_rest_whole &= out.json(&unescape(name), &compact);
            }
        } else {
            let shown = view(out.left(&key).saturating_sub(room / 3));
            out.json(&key, &shown);
            for (name, value) in others() {
                let name = unescape(name);
                let left = out.left(&name).min(room / 8);
                if left < 16 || !out.json(&name, &preview(value, left)) {
                    break;
                }
            }
        }
        (out.end(), is_rest_whole)
    }
}

/// The result with a few words for each text that was cut out of it: what it is, the list of files
/// says.
fn with_short_stand_ins(outcome: &Outcome, results: &Json) -> Json {
    const SHOWN_BYTES: usize = 40;
    let cut: HashMap<&str, &Artifact> = outcome
        .artifacts
        .iter()
        .filter_map(|file| Some((file.cut.as_deref()?.stand_in.as_str(), file)))
        .collect();
    if cut.is_empty() {
        return results.clone();
    }
    let mut out = String::with_capacity(results.as_text().len());
    let shorten = |string: &str, out: &mut String| {
        let text = unescape(string);
        let Some(file) = cut.get(&*text) else { return false };
        let start = &text[..text.floor_char_boundary(SHOWN_BYTES)];
        push_string(out, &format!("{start}… [{} bytes in {}]", file.size, file.name));
        true
    };
    rewrite_strings(results.as_text(), shorten, &mut out);
    Json::trusted(out)
}

/// Whether a note is for the model although nothing was changed: that a text looks like an error.
fn is_hint(note: &Note) -> bool {
    note.rule == Rule::R9 && note.weight != Weight::Changed
}

/// Whether a note only says what the digest says already: that a text is in this file.
fn is_about(note: &str, file_name: &str) -> bool {
    note.starts_with("a text of ") && note.ends_with(&format!(" is in `{file_name}`"))
}

/// The facts, with the name of a file in the place of the text that it holds.
fn without_text(meta_data: &Object, at: usize, file_name: &str) -> Object {
    let mut meta_data = meta_data.clone();
    let Some(texts) = meta_data.get(ADDITIONAL_TEXT) else { return meta_data };
    let named = Json::string(&format!("[in {file_name}]"));
    let texts: Vec<Json> = texts
        .items()
        .enumerate()
        .map(|(place, text)| if place == at { named.clone() } else { text })
        .collect();
    match texts.len() {
        1 => drop(meta_data.remove(ADDITIONAL_TEXT)),
        _ => meta_data.set(ADDITIONAL_TEXT, Json::array(&texts)),
    }
    meta_data
}

/// The facts, that it is an error first: what is cut is not that.
fn flag_first(meta_data: &Object) -> Object {
    let flag = meta_data.get("is_error").cloned();
    let flag = flag.map(|flag| ("is_error".to_owned(), flag));
    let others = meta_data.iter().filter(|(key, _)| *key != "is_error");
    flag.into_iter().chain(others.map(|(key, value)| (key.to_owned(), value.clone()))).collect()
}

/// An object within a share of the room: whole, or a preview.
fn fit_object(object: &Object, room: usize, is_cut: &mut bool) -> String {
    let json: Json = object.to_json();
    let text = json.to_string();
    if text.len() <= room.max(20) {
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
