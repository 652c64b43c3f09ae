//! What a result would like to be shown: display and canvas, rule R13.

use crate::{
    artifact::Viewer,
    json::{Json, Kind, Object},
    note::{Note, Rule},
    outcome::{Builder, Canvas, Display, Mode},
    wire::short_string,
};

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
    let sent = short_string(name);
    if let Some(found) = sent.and_then(|sent| builder.current_name(&sent)) {
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
    let token = members.remove("token").filter(|token| !token.is_null());
    let token = token.and_then(|token| match token.kind() {
        _ if token.as_text().contains('\0') => {
            let note = Note::changed(Rule::R13, "/canvas/token", "a token this long is no token");
            builder.note(note.with_left_out(token));
            None
        }
        Kind::String => short_string(&token),
        // Even a token of the wrong kind is a token: it is not shown in a note.
        _ => Some(token.to_string()),
    });
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
