//! The response-v2 envelope: rule R11.

use super::contract::{limit_meta_data, read_canvas, read_display, take_files};
use crate::{
    json::{Json, Object},
    note::{Note, Rule},
    outcome::{Builder, FAILED_WITHOUT_MESSAGE, Link, error_results, shown},
    wire::short_string,
};

/// The member of `data._meta` that carries what the envelope has no place for.
pub(crate) const EXTENSION_KEY: &str = "resultant";

/// Reads `{success, data, error, meta}`.
pub(crate) fn read_envelope(builder: &mut Builder<'_>, payload: &Json) {
    let mut members = Object::of(payload);
    let success = members.remove("success").as_ref().and_then(Json::as_bool).unwrap_or(true);
    let error = members.remove("error").filter(|error| !error.is_null());
    let data = members.remove("data");
    if let Some(meta) = members.remove("meta") {
        builder.meta_data = Object::of(&meta);
    }
    builder.extra = members;
    let extension = data.as_ref().and_then(|data| data.get("_meta")?.get(EXTENSION_KEY));
    let results = match data {
        Some(data) if data.is_object() => read_data(builder, &data),
        Some(data) => data,
        None => {
            builder.note(Note::remark(Rule::R11, "/data", "the envelope has no data"));
            Json::null()
        }
    };
    read_warnings(builder);
    limit_meta_data(builder);
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
    let whole = extension.and_then(|extension| extension.get("results"));
    builder.results = whole.unwrap_or_else(|| error_results(&message, details.as_ref()));
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
    let mut details = data.as_ref().map(Object::of).unwrap_or_default();
    details.set("error", error.clone());
    (message, Some(details.to_json()))
}

/// `data` without its reserved members, which are taken apart.
fn read_data(builder: &mut Builder<'_>, data: &Json) -> Json {
    let mut members = Object::of(data);
    let is_plain = ["_meta", "_warnings", "artifacts", "returned_file_contents"]
        .iter()
        .all(|key| members.get(key).is_none());
    if is_plain {
        return data.clone();
    }
    let warnings = members.remove("_warnings");
    let mut was_wrapped = false;
    if let Some(meta) = members.remove("_meta") {
        if meta.is_object() {
            let mut meta = Object::of(&meta);
            if let Some(extension) = meta.remove(EXTENSION_KEY) {
                was_wrapped = read_extension(builder, &extension);
            }
            merge_meta(builder, &meta);
        } else {
            builder.meta_data.set("_meta", meta);
        }
    }
    if let Some(warnings) = warnings {
        let mut all: Vec<Json> =
            builder.meta_data.get("warnings").iter().flat_map(|list| list.items()).collect();
        match warnings.is_array() {
            true => all.extend(warnings.items()),
            false => all.push(warnings),
        }
        builder.meta_data.set("warnings", json_list(&all));
    }
    if super::detect(data).is_some() {
        take_files(builder, &mut members, "/data");
    }
    if was_wrapped {
        return members.remove("result").unwrap_or(Json::null());
    }
    members.to_json()
}

fn merge_meta(builder: &mut Builder<'_>, meta: &Object) {
    for (key, value) in meta.iter() {
        match builder.meta_data.get(key) {
            Some(present) if !present.same_value(value) => {
                let message = format!("`{}` is in meta already", shown(key));
                let note = Note::changed(Rule::R11, format!("/data/_meta/{key}"), message);
                builder.note(note.with_left_out(value.clone()));
            }
            Some(_) => {}
            None => builder.meta_data.set(key, value.clone()),
        }
    }
}

/// What this crate wrote beside the data: artifacts, display, canvas, links, further members.
fn read_extension(builder: &mut Builder<'_>, extension: &Json) -> bool {
    let mut members = Object::of(extension);
    take_files(builder, &mut members, "/data/_meta/resultant");
    if let Some(display) = members.get("display") {
        read_display(builder, display);
    }
    if let Some(canvas) = members.get("canvas") {
        read_canvas(builder, canvas);
    }
    for item in members.get("links").iter().flat_map(|links| links.items()) {
        let Some(uri) = item.get("uri").as_ref().and_then(short_string) else { continue };
        let name = item.get("name").as_ref().and_then(short_string).unwrap_or_else(|| uri.clone());
        builder.links.push(Link { uri, name, json: item.clone() });
    }
    for (key, value) in members.get("extra").map(Object::of).unwrap_or_default().iter() {
        builder.extra.set(key, value.clone());
    }
    members.get("wrapped").and_then(Json::as_bool).unwrap_or(false)
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

fn json_list(items: &[Json]) -> Json {
    let mut out = String::from("[");
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        out.push_str(item.as_text());
    }
    out.push(']');
    Json::trusted(out)
}
