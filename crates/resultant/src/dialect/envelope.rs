//! The response-v2 envelope: rule R11.

use super::{
    contract::{add_meta_data, limit_meta_data, take_files, take_links},
    display::{read_canvas, read_display},
};
use crate::{
    json::{Json, Object},
    note::{Note, Rule},
    outcome::{Builder, FAILED_WITHOUT_MESSAGE, error_results},
    wire::short_string,
};

/// The member of `data._meta` that carries what the envelope has no place for.
pub(crate) const EXTENSION_KEY: &str = "resultant";

/// Reads `{success, data, error, meta}`.
pub(crate) fn read_envelope(builder: &mut Builder<'_>, payload: &Json) {
    let mut members = Object::of(payload);
    let success = members.remove("success").as_ref().and_then(Json::as_bool).unwrap_or(true);
    let error = members.remove("error").filter(|error| !error.is_null());
    let error = error.map(|error| builder.resolve_handles(&error, "/error"));
    let data = members.remove("data");
    if let Some(meta) = members.remove("meta") {
        builder.meta_data = Object::of(&meta);
    }
    builder.extra = members;
    let mut extension = Extension::default();
    let results = match data {
        Some(data) if data.is_object() => read_data(builder, &data, &mut extension),
        Some(data) => data,
        None => {
            builder.note(Note::remark(Rule::R11, "/data", "the envelope has no data"));
            Json::null()
        }
    };
    if let Some(version) = extension.version {
        builder.meta_data.set("version", version);
    }
    let meta_data = std::mem::take(&mut builder.meta_data);
    builder.meta_data = builder.resolve_members(&meta_data, "/meta");
    read_warnings(builder);
    limit_meta_data(builder);
    let is_error = error.is_some() || !success;
    if let Some(whole) = extension.results {
        if is_error && whole.get("error").is_some() {
            builder.is_error = true;
            builder.results = whole;
            return;
        }
        let unknown = [("results".to_owned(), whole)].into_iter().collect();
        note_unknown(builder, "/data/_meta/resultant", &unknown);
    }
    if error.is_none() && success {
        builder.results = results;
        return;
    }
    if error.is_some() && success {
        let message = "the envelope has an error and says success; the error counts";
        builder.note(Note::remark(Rule::R11, "/success", message));
    }
    builder.is_error = true;
    let (message, details) = error_of(error.as_ref(), results);
    builder.results = error_results(&message, details.as_ref());
}

/// The message of an error, and what else is known of it.
fn error_of(error: Option<&Json>, data: Json) -> (String, Option<Json>) {
    let is_nothing = data.is_null() || data.is_object() && data.members().next().is_none();
    let data = (!is_nothing).then_some(data);
    let Some(error) = error else { return (FAILED_WITHOUT_MESSAGE.to_owned(), data) };
    if let Some(message) = short_string(error) {
        let is_empty = message.trim().is_empty();
        return (if is_empty { FAILED_WITHOUT_MESSAGE.to_owned() } else { message }, data);
    }
    // An error that is no string: its message if it has one, and all of it among the details.
    let message = error.get("message").as_ref().and_then(short_string);
    let message = message.unwrap_or_else(|| error.to_string());
    let mut details = Object::default();
    match data {
        Some(data) if data.is_object() && data.get("error").is_none() => {
            details = Object::of(&data);
        }
        Some(data) => details.set("data", data),
        None => {}
    }
    details.set("error", error.clone());
    (message, Some(details.to_json()))
}

/// `data` without its reserved members, which are taken apart.
fn read_data(builder: &mut Builder<'_>, data: &Json, extension: &mut Extension) -> Json {
    let mut members = Object::of(data);
    let is_plain = ["_meta", "_warnings", "artifacts", "returned_file_contents"]
        .iter()
        .all(|key| members.get(key).is_none());
    if is_plain {
        return data.clone();
    }
    let warnings = members.remove("_warnings");
    if let Some(meta) = members.remove("_meta") {
        if meta.is_object() {
            let mut meta = Object::of(&meta);
            if let Some(value) = meta.remove(EXTENSION_KEY) {
                *extension = read_extension(builder, &value);
            }
            for (key, value) in meta.iter() {
                add_meta_data(builder, "/data/_meta", key, value);
            }
        } else {
            add_meta_data(builder, "/data/_meta", "_meta", &meta);
        }
    }
    if let Some(warnings) = warnings {
        let mut all = Vec::new();
        for list in builder.meta_data.get("warnings").into_iter().chain([&warnings]) {
            match list.is_array() {
                true => all.extend(list.items()),
                false => all.push(list.clone()),
            }
        }
        builder.meta_data.set("warnings", Json::array(&all));
    }
    if super::detect(data).is_some() {
        take_files(builder, &mut members, "/data");
    }
    if !extension.was_wrapped {
        return members.to_json();
    }
    let result = members.remove("result").unwrap_or(Json::null());
    note_unknown(builder, "/data", &members);
    result
}

/// Members where this crate writes none.
fn note_unknown(builder: &mut Builder<'_>, place: &str, members: &Object) {
    if !members.is_empty() {
        let note = Note::changed(Rule::R11, place, "members without a meaning here are left out");
        builder.note(note.with_left_out(members.to_json()));
    }
}

/// What this crate writes beside the data.
#[derive(Default)]
struct Extension {
    /// The data is under `result`.
    was_wrapped: bool,
    /// The results of an error that the envelope's own members cannot say.
    results: Option<Json>,
    /// The fact of this name, which the envelope uses for itself.
    version: Option<Json>,
}

/// What this crate wrote beside the data: artifacts, display, canvas, links, further members.
fn read_extension(builder: &mut Builder<'_>, extension: &Json) -> Extension {
    const PLACE: &str = "/data/_meta/resultant";
    if !extension.is_object() {
        add_meta_data(builder, PLACE, EXTENSION_KEY, extension);
        return Extension::default();
    }
    let mut members = Object::of(extension);
    take_files(builder, &mut members, PLACE);
    take_links(builder, &mut members);
    if let Some(display) = members.remove("display") {
        read_display(builder, &display);
    }
    if let Some(canvas) = members.remove("canvas") {
        read_canvas(builder, &canvas);
    }
    if let Some(extra) = members.remove("extra") {
        match extra.is_object() {
            true => add_extra(builder, &Object::of(&extra)),
            false => members.set("extra", extra),
        }
    }
    let was_wrapped = members.get("wrapped").and_then(Json::as_bool);
    if was_wrapped.is_some() {
        members.remove("wrapped");
    }
    let results = members.remove("results");
    let version = members.remove("version");
    note_unknown(builder, PLACE, &members);
    Extension { was_wrapped: was_wrapped.unwrap_or(false), results, version }
}

fn add_extra(builder: &mut Builder<'_>, extra: &Object) {
    let mut taken = Object::default();
    for (key, value) in extra.iter() {
        match builder.extra.get(key) {
            Some(_) => taken.set(key, value.clone()),
            None => builder.extra.set(key, value.clone()),
        }
    }
    note_unknown(builder, "/data/_meta/resultant/extra", &taken);
}

/// Warnings are notes, and stay where the model sees them.
fn read_warnings(builder: &mut Builder<'_>) {
    let Some(warnings) = builder.meta_data.get("warnings").cloned() else { return };
    for (at, warning) in warnings.items().enumerate() {
        let message = short_string(&warning).unwrap_or_else(|| warning.to_string());
        let place = format!("/meta/warnings/{at}");
        builder.note(Note::remark(Rule::R11, place, format!("the tool warns: {message}")));
    }
}
