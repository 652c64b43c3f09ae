//! The tool output contract, v1 and v2: rules R3 to R6.

use super::display::{read_canvas, read_display};
use crate::{
    artifact::Sha256Digest,
    json::{Json, Kind, Object},
    note::{Note, Rule},
    outcome::{Builder, Fallback, FileBytes, Link, Proposal, shown},
    wire::short_string,
};

/// Reads an object that has `results`, or files.
pub(crate) fn read_contract(builder: &mut Builder<'_>, payload: &Json) {
    let mut members = Object::of(payload);
    let results = members.remove("results");
    read_meta_data(builder, &mut members);
    let says_error = builder.meta_data.get("is_error").and_then(Json::as_bool) == Some(true);
    limit_meta_data(builder);
    take_files(builder, &mut members, "");
    take_links(builder, &mut members);
    if let Some(display) = members.remove("display") {
        read_display(builder, &display);
    }
    take_canvas(builder, &mut members);
    match results {
        Some(results) => {
            builder.results = results;
            builder.extra = members;
        }
        None => {
            let message = "files without `results`: what remains is the result";
            builder.note(Note::remark(Rule::R3, "", message));
            builder.results = if members.is_empty() { Json::null() } else { members.to_json() };
        }
    }
    builder.is_error |= says_error && builder.results.get("error").is_some();
}

/// The dashboard, with its token, out of an object.
pub(crate) fn take_canvas(builder: &mut Builder<'_>, members: &mut Object) {
    if let Some(canvas) = members.remove("canvas") {
        read_canvas(builder, &canvas);
    }
}

/// Whether an item of `artifacts` is a file: it has bytes, or the digest of bytes that are kept.
pub(super) fn is_file(item: &Json) -> bool {
    let (mut has_name, mut has_bytes, mut has_digest) = (false, false, false);
    for (key, value) in item.members() {
        match &*key {
            "name" => has_name = true,
            "b64" => has_bytes = value.kind() == Kind::String,
            "sha256" => has_digest = digest_of(&value).is_some(),
            _ => {}
        }
    }
    has_bytes || has_name && has_digest
}

/// R4: an object under either spelling.
fn read_meta_data(builder: &mut Builder<'_>, members: &mut Object) {
    for key in ["meta_data", "meta-data"] {
        let Some(value) = members.remove(key) else { continue };
        let place = format!("/{key}");
        match value.kind() {
            Kind::Object if builder.meta_data.is_empty() => {
                builder.meta_data = Object::of(&value);
            }
            Kind::Object => {
                for (name, member) in Object::of(&value).iter() {
                    add_meta_data(builder, &place, name, member);
                }
            }
            Kind::Null => {}
            _ => {
                let message = "meta_data is no object; it is kept as its member `value`";
                builder.note(Note::remark(Rule::R4, place.clone(), message));
                add_meta_data(builder, &place, "value", &value);
            }
        }
    }
}

/// Adds a fact; one that is there already stays.
pub(super) fn add_meta_data(builder: &mut Builder<'_>, place: &str, name: &str, value: &Json) {
    match builder.meta_data.get(name) {
        None => builder.meta_data.set(name, value.clone()),
        Some(present) if present.same_value(value) => {}
        Some(_) => {
            let message = format!("`{}` is in meta_data already", shown(name));
            let note = Note::changed(Rule::R4, place, message);
            builder.note(note.with_left_out(value.clone()));
        }
    }
}

/// Facts that are not counted: texts beside the result have the model's budget as their limit, and
/// an envelope always says its version, an error that it is one.
const UNCOUNTED: [&str; 3] = ["additional_text", "version", "is_error"];

/// R4: meta data over the limit becomes a file, and its keys are listed.
pub(super) fn limit_meta_data(builder: &mut Builder<'_>) {
    let limit = builder.limits.meta_bytes_max;
    let mut short = Object::default();
    let mut counted = builder.meta_data.clone();
    for key in UNCOUNTED {
        if let Some(value) = counted.remove(key) {
            short.set(key, value);
        }
    }
    let size = counted.to_json().as_text().len();
    if size <= limit {
        return;
    }
    let meta_data = builder.resolve_handles(&counted.to_json(), "/meta_data");
    let name = builder.keep_text("meta_data.json", "application/json", &meta_data);
    // The list itself must stay small, whatever the keys are.
    let mut listed = Vec::new();
    let mut room = limit / 2;
    for (key, _) in counted.iter() {
        let Some(left) = room.checked_sub(Json::string(key).as_text().len() + 1) else { break };
        room = left;
        listed.push(key);
    }
    short.set("keys", Json::of(&listed));
    short.set("keys_count", Json::number(counted.len() as u64));
    short.set("file", Json::string(&name));
    let message = format!("meta_data has {size} bytes, more than {limit}; it is in `{name}`");
    builder.note(Note::changed(Rule::R4, "/meta_data", message));
    builder.meta_data = short;
}

/// R5, R6: takes the files out of an object, so that no bytes are left in it.
pub(crate) fn take_files(builder: &mut Builder<'_>, members: &mut Object, at: &str) {
    let before = builder.artifacts.len();
    let artifacts = take_artifacts(builder, members, at);
    for (index, item) in artifacts.iter().enumerate() {
        read_artifact(builder, &format!("{at}/artifacts/{index}"), index, item);
    }
    let names = members.remove("returned_file_names");
    let contents = members.remove("returned_file_contents");
    match artifacts.is_empty() {
        true => read_legacy_arrays(builder, names, contents, at),
        false => note_losing_arrays(builder, names, contents, at, before),
    }
}

/// The items of `artifacts`. One file instead of a list is a list of one; what is no file at all
/// stays where it is.
fn take_artifacts(builder: &mut Builder<'_>, members: &mut Object, at: &str) -> Vec<Json> {
    let place = format!("{at}/artifacts");
    let Some(artifacts) = members.get("artifacts").cloned() else { return Vec::new() };
    let items = match artifacts.kind() {
        Kind::Array => artifacts.items().collect(),
        Kind::Null => Vec::new(),
        Kind::Object if is_file(&artifacts) => {
            builder.note(Note::remark(
                Rule::R6,
                place,
                "one artifact instead of a list is a list of one",
            ));
            vec![artifacts]
        }
        _ => {
            builder.note(Note::remark(
                Rule::R6,
                place,
                "artifacts is no list of files and stays as it is",
            ));
            return Vec::new();
        }
    };
    members.remove("artifacts");
    items
}

fn read_artifact(builder: &mut Builder<'_>, place: &str, index: usize, item: &Json) {
    let mut members = Object::of(item);
    let bytes = match (members.get("b64"), members.get("sha256").and_then(digest_of)) {
        (Some(b64), _) if b64.kind() == Kind::String => FileBytes::Base64(b64.clone()),
        (_, Some(sha256)) => {
            let size = members.get("size").and_then(Json::as_u64);
            if size.is_none() {
                builder.note(Note::changed(
                    Rule::R6,
                    place,
                    "a file that is kept elsewhere has no size",
                ));
            }
            FileBytes::Known { size: size.unwrap_or_default(), sha256 }
        }
        _ => return read_file_elsewhere(builder, place, item, &members),
    };
    match bytes {
        FileBytes::Base64(_) => drop(members.remove("b64")),
        _ => drop(take_string(builder, place, &mut members, "b64")),
    }
    let name = take_string(builder, place, &mut members, "name");
    add_described_file(builder, place, index, item, members, name, bytes);
}

/// A file with the members that describe it.
fn add_described_file(
    builder: &mut Builder<'_>,
    place: &str,
    index: usize,
    item: &Json,
    mut members: Object,
    name: Option<String>,
    bytes: FileBytes,
) {
    if name.is_none() {
        let message = format!("a file without a name is called `file-{}`", index + 1);
        builder.note(Note::changed(Rule::R6, place, message));
    }
    let mime = take_string(builder, place, &mut members, "mime")
        .or_else(|| take_string(builder, place, &mut members, "mimeType"));
    let details = builder.file_details(place, &mut members);
    let proposal = Proposal {
        name,
        fallback: Fallback::Exact(format!("file-{}", index + 1)),
        mime: mime.unwrap_or_default(),
        bytes,
        details,
        source: item.clone(),
    };
    builder.add_file(place, proposal);
}

/// Takes a member that should be a short text; another value is noted.
fn take_string(
    builder: &mut Builder<'_>,
    place: &str,
    members: &mut Object,
    key: &str,
) -> Option<String> {
    let value = members.remove(key)?;
    let text = short_string(&value);
    if text.is_none() && !value.is_null() {
        let note = Note::remark(Rule::R6, format!("{place}/{key}"), "no short text: left out");
        builder.note(note.with_left_out(value));
    }
    text
}

/// An artifact without bytes: a link where it has an address, else a note.
fn read_file_elsewhere(builder: &mut Builder<'_>, place: &str, item: &Json, members: &Object) {
    match members.get("url").or_else(|| members.get("uri")).and_then(short_string) {
        Some(uri) => {
            let name = members.get("name").and_then(short_string).unwrap_or_else(|| uri.clone());
            builder.note(Note::remark(Rule::R6, place, "a file without bytes is kept as a link"));
            let mut json = members.clone();
            let other = json.get("uri").filter(|other| short_string(other).as_ref() != Some(&uri));
            match other.cloned() {
                Some(other) => json.set("url", other),
                None => drop(json.remove("url")),
            }
            json.set("uri", Json::string(&uri));
            builder.links.push(Link { uri, name, json: json.to_json() });
        }
        None => {
            let message = "an artifact without bytes is left out";
            builder.note(Note::changed(Rule::R6, place, message).with_left_out(item.clone()));
        }
    }
}

fn digest_of(value: &Json) -> Option<Sha256Digest> {
    Sha256Digest::parse(&value.as_str()?)
}

/// R5: `returned_file_names[i]` belongs to `returned_file_contents[i]`.
fn read_legacy_arrays(
    builder: &mut Builder<'_>,
    names: Option<Json>,
    contents: Option<Json>,
    at: &str,
) {
    let contents = legacy_list(builder, contents, &format!("{at}/returned_file_contents"));
    let names = legacy_list(builder, names, &format!("{at}/returned_file_names"));
    for (index, content) in contents.iter().enumerate() {
        let place = format!("{at}/returned_file_contents/{index}");
        let listed = names.get(index).and_then(short_string);
        if let (Some(name), None) = (names.get(index).filter(|name| !name.is_null()), &listed) {
            let place = format!("{at}/returned_file_names/{index}");
            let note = Note::changed(Rule::R5, place, "a name that is no short text is left out");
            builder.note(note.with_left_out(name.clone()));
        }
        read_legacy_content(builder, &place, index, content, listed);
    }
    for (index, name) in names.iter().enumerate().skip(contents.len()) {
        let place = format!("{at}/returned_file_names/{index}");
        let message = format!("`{}` has no content", shown(&name.as_str().unwrap_or_default()));
        builder.note(Note::changed(Rule::R5, place, message).with_left_out(name.clone()));
    }
}

/// The items of one of the arrays. A single string instead of a list is a list of one.
fn legacy_list(builder: &mut Builder<'_>, value: Option<Json>, place: &str) -> Vec<Json> {
    match value {
        None => Vec::new(),
        Some(value) => match value.kind() {
            Kind::Array => value.items().collect(),
            Kind::Null => Vec::new(),
            _ => {
                builder.note(Note::remark(
                    Rule::R5,
                    place,
                    "one value instead of a list is a list of one",
                ));
                vec![value]
            }
        },
    }
}

fn read_legacy_content(
    builder: &mut Builder<'_>,
    place: &str,
    index: usize,
    content: &Json,
    listed: Option<String>,
) {
    let mut members = Object::of(content);
    let bytes =
        if content.kind() == Kind::String { Some(content.clone()) } else { members.remove("b64") };
    let Some(bytes) = bytes.filter(|bytes| bytes.kind() == Kind::String) else {
        let message = match &listed {
            Some(name) => format!("`{}` is neither base64 nor `{{name, b64}}`", shown(name)),
            None => "a file content is neither base64 nor `{name, b64}`".to_owned(),
        };
        let mut left_out = Object::default();
        listed.iter().for_each(|name| left_out.set("name", Json::string(name)));
        left_out.set("content", content.clone());
        let note = Note::changed(Rule::R5, place, message + " and is left out");
        return builder.note(note.with_left_out(left_out.to_json()));
    };
    let own_name = take_string(builder, place, &mut members, "name");
    if let (Some(own), Some(listed)) = (&own_name, &listed)
        && own != listed
    {
        let message =
            format!("the file is listed as `{}` and names itself otherwise", shown(listed));
        builder.note(Note::remark(Rule::R5, place, message).with_left_out(Json::string(own)));
    }
    let name = listed.or(own_name);
    add_described_file(builder, place, index, content, members, name, FileBytes::Base64(bytes));
}

/// R5: `artifacts` wins. What the arrays have beside is named, unless it is the same files again.
fn note_losing_arrays(
    builder: &mut Builder<'_>,
    names: Option<Json>,
    contents: Option<Json>,
    at: &str,
    before: usize,
) {
    let kept: Vec<String> =
        builder.artifacts[before..].iter().map(|artifact| artifact.name.clone()).collect();
    let name_items: Vec<Json> = names.iter().flat_map(Json::items).collect();
    let content_items: Vec<Json> = contents.iter().flat_map(Json::items).collect();
    let has_same_bytes = contents.is_none()
        || contents.as_ref().is_some_and(Json::is_array)
            && content_items.len() == kept.len()
            && content_items.iter().zip(&builder.artifacts[before..]).all(|(content, artifact)| {
                builder.digest_of_base64(content) == Some(artifact.sha256)
            });
    let has_same_names = names.is_none()
        || names.as_ref().is_some_and(Json::is_array)
            && name_items.len() == kept.len()
            && name_items
                .iter()
                .zip(&kept)
                .all(|(name, kept)| name.as_str().as_deref() == Some(kept));
    let is_repeated = has_same_names && has_same_bytes;
    if contents.is_none() && (names.is_none() || is_repeated) {
        return;
    }
    let message = "`artifacts` wins over returned_file_names and returned_file_contents";
    let mut note = Note::remark(Rule::R5, at, message);
    if !is_repeated {
        let mut left_out = Object::default();
        for (key, value) in [("returned_file_names", names), ("returned_file_contents", contents)] {
            if let Some(value) = value {
                left_out.set(key, value);
            }
        }
        note = Note::changed(Rule::R5, at, message).with_left_out(left_out.to_json());
    }
    builder.note(note);
}

/// Links as this crate writes them.
pub(super) fn take_links(builder: &mut Builder<'_>, members: &mut Object) {
    let uri_of = |item: &Json| item.get("uri").as_ref().and_then(short_string);
    let is_ours = members.get("links").is_some_and(|links| {
        links.items().next().is_some() && links.items().all(|item| uri_of(&item).is_some())
    });
    if !is_ours {
        return;
    }
    for item in members.remove("links").iter().flat_map(Json::items) {
        let uri = uri_of(&item).unwrap_or_default();
        let name = item.get("name").as_ref().and_then(short_string).unwrap_or_else(|| uri.clone());
        builder.links.push(Link { uri, name, json: item.clone() });
    }
}
