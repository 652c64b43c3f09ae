//! The tool output contract, v1 and v2: rules R3 to R6 and R13.

use crate::{
    artifact::{Sha256Digest, Viewer},
    json::{Json, Kind, Object},
    note::{Note, Rule},
    outcome::{Builder, Canvas, Display, Fallback, FileBytes, Link, Mode, Proposal, shown},
    wire::short_string,
};

/// Reads an object that has `results`, or files.
pub(crate) fn read_contract(builder: &mut Builder<'_>, payload: &Json) {
    let mut members = Object::of(payload);
    let results = members.remove("results");
    read_meta_data(builder, &mut members);
    take_files(builder, &mut members, "");
    take_links(builder, &mut members);
    if let Some(display) = members.remove("display") {
        read_display(builder, &display);
    }
    if let Some(canvas) = members.remove("canvas") {
        read_canvas(builder, &canvas);
    }
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
    let says_error = builder.meta_data.get("is_error").and_then(Json::as_bool) == Some(true);
    if says_error && builder.results.get("error").is_some() {
        builder.is_error = true;
        builder.meta_data.remove("is_error");
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
            Kind::Object => {
                for (name, member) in Object::of(&value).iter() {
                    if builder.meta_data.get(name).is_some() {
                        let message = format!("`{}` is in meta_data already", shown(name));
                        let note = Note::changed(Rule::R4, place.clone(), message);
                        builder.note(note.with_left_out(member.clone()));
                    } else {
                        builder.meta_data.set(name, member.clone());
                    }
                }
            }
            Kind::Null => {}
            _ => {
                let message = "meta_data is no object; it is kept as its member `value`";
                builder.note(Note::remark(Rule::R4, place, message));
                builder.meta_data.set("value", value);
            }
        }
    }
    limit_meta_data(builder);
}

/// R4: meta data over the limit becomes a file, and its keys are listed.
pub(super) fn limit_meta_data(builder: &mut Builder<'_>) {
    let meta_data = builder.meta_data.to_json();
    let limit = builder.limits.meta_bytes_max;
    let size = meta_data.as_text().len();
    if size <= limit {
        return;
    }
    let name = builder.keep_text("meta_data.json", "application/json", &meta_data);
    // The list itself must stay small, whatever the keys are.
    let mut listed = Vec::new();
    let mut room = limit / 2;
    for (key, _) in builder.meta_data.iter() {
        let Some(left) = room.checked_sub(key.len() + 3) else { break };
        room = left;
        listed.push(key);
    }
    let mut short = Object::default();
    short.set("keys", Json::of(&listed));
    short.set("keys_count", Json::number(builder.meta_data.len() as u64));
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
    members.remove("b64");
    let name = take_string(builder, &mut members, "name", place);
    let mime = take_string(builder, &mut members, "mime", place)
        .or_else(|| take_string(builder, &mut members, "mimeType", place));
    if name.is_none() {
        let message = format!("a file without a name is called `file-{}`", index + 1);
        builder.note(Note::changed(Rule::R6, place, message));
    }
    let details = builder.file_details(place, &mut members);
    let fallback = Fallback::Exact(format!("file-{}", index + 1));
    let mime = mime.unwrap_or_default();
    builder.add_file(place, Proposal { name, fallback, mime, bytes, details });
}

/// Takes a member that should be a string; another value is noted.
fn take_string(
    builder: &mut Builder<'_>,
    members: &mut Object,
    key: &str,
    place: &str,
) -> Option<String> {
    let value = members.remove(key)?;
    let string = short_string(&value);
    if string.is_none() && !value.is_null() {
        let note =
            Note::changed(Rule::R6, format!("{place}/{key}"), format!("`{key}` is no string"));
        builder.note(note.with_left_out(value));
    }
    string
}

/// An artifact without bytes: a link where it has an address, else a note.
fn read_file_elsewhere(builder: &mut Builder<'_>, place: &str, item: &Json, members: &Object) {
    match members.get("url").or_else(|| members.get("uri")).and_then(short_string) {
        Some(uri) => {
            let name = members.get("name").and_then(short_string).unwrap_or_else(|| uri.clone());
            builder.note(Note::remark(Rule::R6, place, "a file without bytes is kept as a link"));
            let mut members = members.clone();
            members.set("uri", Json::string(&uri));
            let json = builder.resolve_handles(&members.to_json(), place);
            builder.links.push(Link { uri, name, json });
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
    let own_name = take_string(builder, &mut members, "name", place);
    let bytes =
        if content.kind() == Kind::String { Some(content.clone()) } else { members.remove("b64") };
    let Some(bytes) = bytes.filter(|bytes| bytes.kind() == Kind::String) else {
        let message = "a file content is neither base64 nor `{name, b64}` and is left out";
        return builder
            .note(Note::changed(Rule::R5, place, message).with_left_out(content.clone()));
    };
    if let (Some(own), Some(listed)) = (&own_name, &listed)
        && own != listed
    {
        let message =
            format!("the file is listed as `{}` and names itself otherwise", shown(listed));
        builder.note(Note::remark(Rule::R5, place, message).with_left_out(Json::string(own)));
    }
    let name = listed.or(own_name);
    if name.is_none() {
        let message = format!("a file without a name is called `file-{}`", index + 1);
        builder.note(Note::changed(Rule::R5, place, message));
    }
    let mime = take_string(builder, &mut members, "mime", place).unwrap_or_default();
    let details = builder.file_details(place, &mut members);
    builder.add_file(
        place,
        Proposal {
            name,
            fallback: Fallback::Exact(format!("file-{}", index + 1)),
            mime,
            bytes: FileBytes::Base64(bytes),
            details,
        },
    );
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
    let is_repeated = name_items.len() == kept.len()
        && name_items.iter().zip(&kept).all(|(name, kept)| name.as_str().as_deref() == Some(kept));
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
fn take_links(builder: &mut Builder<'_>, members: &mut Object) {
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

/// R13.
pub(super) fn read_display(builder: &mut Builder<'_>, value: &Json) {
    if !value.is_object() {
        if !value.is_null() {
            let note = Note::remark(Rule::R13, "/display", "display is no object and was removed");
            builder.note(note.with_left_out(value.clone()));
        }
        return;
    }
    let mut members = Object::of(value);
    let mut display = Display::default();
    if let Some(flag) = members.remove("open_canvas") {
        display.open_canvas = flag.as_bool();
        if display.open_canvas.is_none() {
            remove_noted(builder, "open_canvas", &flag);
        }
    }
    if let Some(word) = members.remove("mode") {
        display.mode = word.as_str().and_then(|word| Mode::of(&word));
        if display.mode.is_none() {
            remove_noted(builder, "mode", &word);
        }
    }
    if let Some(word) = members.remove("viewer_hint") {
        display.viewer_hint = word.as_str().and_then(|word| Viewer::of(&word));
        if display.viewer_hint.is_none() {
            remove_noted(builder, "viewer_hint", &word);
        }
    }
    if let Some(name) = members.remove("primary_file") {
        display.primary_file = primary_file(builder, &name);
    }
    display.extra = members;
    builder.display = Some(display);
}

fn remove_noted(builder: &mut Builder<'_>, key: &str, value: &Json) {
    let message = format!("the value of `{key}` is not known and was removed");
    let note = Note::remark(Rule::R13, format!("/display/{key}"), message);
    builder.note(note.with_left_out(value.clone()));
}

/// The artifact that is meant; else the first one that can be shown.
fn primary_file(builder: &mut Builder<'_>, name: &Json) -> Option<String> {
    let sent = name.as_str().unwrap_or_default();
    if let Some(found) = builder.current_name(&sent) {
        return Some(found.to_owned());
    }
    let first = builder.artifacts.iter().find(|artifact| artifact.is_showable());
    let first = first.map(|artifact| artifact.name.clone());
    let message = match &first {
        Some(first) => format!("primary_file names no artifact; `{first}` is shown first"),
        None => "primary_file names no artifact and was removed".to_owned(),
    };
    builder.note(
        Note::remark(Rule::R13, "/display/primary_file", message).with_left_out(name.clone()),
    );
    first
}

/// A dashboard. Its token is kept apart from everything that is written for others.
pub(super) fn read_canvas(builder: &mut Builder<'_>, value: &Json) {
    if !value.is_object() {
        if !value.is_null() {
            let note = Note::remark(Rule::R13, "/canvas", "canvas is no object and was removed");
            builder.note(note.with_left_out(value.clone()));
        }
        return;
    }
    let mut members = Object::of(value);
    // Even a token of the wrong kind is a token: it is not shown in a note.
    let token = members.remove("token").filter(|token| !token.is_null());
    let token = token.map(|token| short_string(&token).unwrap_or_else(|| token.to_string()));
    let word = |known: &'static [&str]| {
        move |value: &Json| value.as_str().is_some_and(|word| known.contains(&&*word))
    };
    let string = |value: &Json| short_string(value).is_some();
    type IsKnown<'a> = &'a dyn Fn(&Json) -> bool;
    let checks: [(&str, IsKnown<'_>); 7] = [
        ("open", &|value| value.as_bool().is_some()),
        ("id", &string),
        ("url", &string),
        ("title", &string),
        ("type", &string),
        ("mode", &word(&["replace", "append", "split"])),
        ("persistence", &word(&["session", "ephemeral", "pinned"])),
    ];
    for (key, is_known) in checks {
        if members.get(key).is_some_and(|value| !is_known(value)) {
            let message = format!("the value of `{key}` is not known and was removed");
            let note = Note::remark(Rule::R13, format!("/canvas/{key}"), message);
            let value = members.remove(key).unwrap_or(Json::null());
            builder.note(note.with_left_out(value));
        }
    }
    builder.canvas = Some(Canvas { members, token });
}
