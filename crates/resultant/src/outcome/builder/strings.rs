//! Strings that went to the sink, and texts that become files: what stands in their place.

use std::sync::Arc;

use super::Builder;
use crate::{
    artifact::{Artifact, Content, Cut, Origin, Sha256Digest, extension_for, pixels_of, signature},
    json::{Json, Object, push_string, rewrite_strings},
    note::{Note, Rule},
    outcome::Carried,
    render::digest::file_of_kind,
    spill::{SpillId, Spilled, handle_id},
    wire::Text,
};

impl Builder<'_> {
    /// Makes a file of a long string under a free name.
    pub(super) fn keep(&mut self, spilled: &Spilled, name: &str, mime: &str) -> String {
        let name = self.own_name(name);
        let name = self.names.take(&name, self.limits.name_bytes_max);
        self.used.insert(spilled.id);
        self.artifacts.push(spilled_artifact(spilled, name.clone(), mime));
        name
    }

    /// Keeps a text of ours as a file under a free name.
    pub(crate) fn keep_text(&mut self, name: &str, mime: &str, text: &Json) -> String {
        let name = self.own_name(name);
        let name = self.names.take(&name, self.limits.name_bytes_max);
        self.artifacts.push(Artifact::of_text(&name, mime, text.shared().clone()));
        name
    }

    /// A text as a value for the results: itself, or the start of it where it went to the sink.
    pub(crate) fn text_value(&mut self, place: &str, text: &Text, file_name: &str) -> Json {
        match text {
            Text::Inline(text) => Json::string(text),
            Text::Spilled(id) => Json::string(&self.spilled_preview(place, *id, file_name)),
        }
    }

    /// Makes a file of a long string and returns a short text that stands for it.
    pub(super) fn spilled_preview(&mut self, place: &str, id: SpillId, file_name: &str) -> String {
        if let Some(stand_in) = self.stand_ins.get(&id) {
            return stand_in.clone();
        }
        let Some(spilled) = self.spills.get(&id).cloned() else { return String::new() };
        let rest = spilled.undecodable_rest.and_then(|rest| self.spills.get(&rest).cloned());
        let same = self.same_file(&spilled).filter(|_| spilled.is_decoded).map(Artifact::label);
        let stand_in = match rest {
            // It does not even start like base64: it is a text.
            Some(rest) if spilled.size == 0 => self.keep_long_text(place, &rest, file_name),
            Some(rest) => {
                let start = self.keep(&spilled, "string.bin", "application/octet-stream");
                let end = self.keep(&rest, file_name, "text/plain");
                let message = format!(
                    "a text that starts as base64 is in `{start}`, decoded, and goes on in `{end}`"
                );
                self.note(Note::changed(Rule::R14, place, message));
                let Spilled { prefix, size, .. } = &spilled;
                format!("{prefix}[{size} bytes in {start}, decoded from base64, then {end}]")
            }
            None if spilled.is_decoded => {
                if let Some(label) = same {
                    // It came in another lane too, and one file is enough.
                    self.used.insert(id);
                    let stand_in = format!("{}[the file {label}]", spilled.prefix);
                    self.stand_ins.insert(id, stand_in.clone());
                    return stand_in;
                }
                let mime = signature(&spilled.head).unwrap_or("application/octet-stream");
                let file_name = match extension_for(mime) {
                    "" => "string.bin".to_owned(),
                    extension => format!("string{extension}"),
                };
                let name = self.keep(&spilled, &file_name, mime);
                let message = format!("a text that is base64 is in `{name}`, decoded");
                self.note(Note::changed(Rule::R14, place, message));
                let Spilled { prefix, size, .. } = &spilled;
                format!("{prefix}[{size} bytes in {name}, decoded from base64]")
            }
            None => self.keep_long_text(place, &spilled, file_name),
        };
        self.stand_ins.insert(id, stand_in.clone());
        stand_in
    }

    /// A file of this result that has the same bytes.
    fn same_file(&self, spilled: &Spilled) -> Option<&Artifact> {
        let is_same = |file: &&Artifact| {
            file.size == spilled.size
                && file.sha256.0 == spilled.sha256
                && spilled.failure.is_none()
        };
        self.artifacts.iter().find(is_same)
    }

    pub(super) fn keep_long_text(
        &mut self,
        place: &str,
        spilled: &Spilled,
        file_name: &str,
    ) -> String {
        const SHOWN_BYTES: usize = 200;
        // The same text may have come as JSON in another place.
        let is_same = |other: &&Spilled| other.sha256 == spilled.sha256 && other.inner.is_some();
        let json = self.spills.values().find(is_same).and_then(|other| other.inner.clone());
        let json = json.map(|scanned| self.with_stand_ins(&scanned.json));
        let own = spilled.survey.as_ref().and_then(|survey| file_of_kind(survey.kind));
        let (file_name, mime) = match (&json, own) {
            (Some(_), _) => ("results.json", "application/json"),
            (None, Some(own)) => own,
            (None, None) => (file_name, "text/plain"),
        };
        let name = self.keep(spilled, file_name, mime);
        let mut message = format!("a text of {} bytes is in `{name}`", spilled.size);
        if let Some(failure) = &spilled.failure {
            message = format!("{message}, but it could not be kept whole: {failure}");
        }
        self.note(Note::changed(Rule::R14, place, message));
        let (head, tail) = spilled.ends(SHOWN_BYTES);
        let stand_in = format!("{head}… [{} bytes in {name}] …{tail}", spilled.size);
        if let (Some(survey), Some(file)) = (&spilled.survey, self.artifacts.last_mut()) {
            let (stand_in, survey) = (stand_in.clone(), survey.clone());
            file.cut = Some(Arc::new(Cut { stand_in, survey, json }));
        }
        stand_in
    }

    /// Replaces the handles of long strings that belong to no file by files of their own.
    pub(crate) fn resolve_handles(&mut self, json: &Json, place: &str) -> Json {
        if !json.as_text().contains('\0') {
            return json.clone();
        }
        let mut out = String::with_capacity(json.as_text().len());
        let mut found: Vec<(SpillId, usize)> = Vec::new();
        rewrite_strings(
            json.as_text(),
            |string, out| match handle_id(string) {
                Some(id) => {
                    found.push((id, out.len()));
                    true
                }
                None => false,
            },
            &mut out,
        );
        // From the end, so that earlier places stay right.
        let previews: Vec<String> =
            found.iter().map(|(id, _)| self.spilled_preview(place, *id, "string.txt")).collect();
        for ((_, at), preview) in found.iter().zip(previews).rev() {
            let mut string = String::new();
            push_string(&mut string, &preview);
            out.insert_str(*at, &string);
        }
        Json::trusted(out)
    }

    pub(crate) fn resolve_members(&mut self, object: &Object, place: &str) -> Object {
        let members = object.iter().map(|(key, value)| {
            (key.to_owned(), self.resolve_handles(value, &format!("{place}/{key}")))
        });
        members.collect()
    }

    /// Replaces every handle that is left. What was left out is looked at last, because the rest of
    /// the outcome gives long strings better names.
    pub(super) fn resolve_all(&mut self) {
        self.results = self.resolve_handles(&self.results.clone(), "/results");
        let meta_data = std::mem::take(&mut self.meta_data);
        self.meta_data = self.resolve_members(&meta_data, "/meta_data");
        let extra = std::mem::take(&mut self.extra);
        self.extra = self.resolve_members(&extra, "");
        if let Some(mut display) = self.display.take() {
            display.extra = self.resolve_members(&display.extra, "/display");
            self.display = Some(display);
        }
        if let Some(mut canvas) = self.canvas.take() {
            canvas.members = self.resolve_members(&canvas.members, "/canvas");
            self.canvas = Some(canvas);
        }
        let mut links = std::mem::take(&mut self.links);
        for link in &mut links {
            link.json = self.resolve_handles(&link.json, "/links");
        }
        self.links = links;
        for at in 0..self.artifacts.len() {
            if let Some(annotations) = self.artifacts[at].annotations.take() {
                let annotations = self.resolve_handles(&annotations, "/artifacts");
                self.artifacts[at].annotations = Some(annotations);
            }
        }
        let carried = std::mem::take(&mut self.carried);
        self.carried = Carried {
            fields: self.resolve_members(&carried.fields, ""),
            meta: self.resolve_members(&carried.meta, "/_meta"),
            ..carried
        };
        let notes = std::mem::take(&mut self.notes);
        let more_notes = std::mem::take(&mut self.more_notes);
        let notes = self.resolve_notes(notes);
        let more_notes = self.resolve_notes(more_notes);
        let made = std::mem::replace(&mut self.notes, notes);
        let more_made = std::mem::replace(&mut self.more_notes, more_notes);
        made.into_iter().chain(more_made).for_each(|note| self.note(note));
        // For a client, no file is made that is not in the outcome: what is read is in it already.
        if let Some(structured) = self.source.structured.take() {
            self.source.structured = Some(self.with_stand_ins(&structured));
        }
    }

    fn resolve_notes(&mut self, mut notes: Vec<Note>) -> Vec<Note> {
        for note in &mut notes {
            if let Some(value) = note.left_out.take() {
                note.left_out = Some(self.resolve_handles(&value, &note.place));
            }
        }
        notes
    }

    fn with_stand_ins(&self, json: &Json) -> Json {
        if !json.as_text().contains('\0') {
            return json.clone();
        }
        let mut out = String::with_capacity(json.as_text().len());
        rewrite_strings(
            json.as_text(),
            |string, out| {
                let Some(id) = handle_id(string) else { return false };
                let size = self.spills.get(&id).map_or(0, |spilled| spilled.size);
                let known = self.stand_ins.get(&id).cloned();
                push_string(out, &known.unwrap_or_else(|| format!("[{size} bytes]")));
                true
            },
            &mut out,
        );
        Json::trusted(out)
    }
}

fn spilled_artifact(spilled: &Spilled, name: String, mime: &str) -> Artifact {
    Artifact {
        name,
        mime: mime.to_owned(),
        size: spilled.size,
        sha256: Sha256Digest(spilled.sha256),
        description: None,
        viewer: None,
        url: None,
        annotations: None,
        extra: Object::default(),
        content: Content::Spilled(spilled.id),
        origin: Origin::Elsewhere,
        pixels: pixels_of(&spilled.head),
        cut: None,
    }
}
