//! Puts an outcome together: files, notes, and the strings that went to a sink.

use std::collections::{BTreeMap, HashSet};

use crate::{
    Limits, Verdict,
    artifact::{
        Artifact, Content, Decided, Measured, Sha256Digest, Viewer, clean_name, decide_media_type,
        extension_for, measure_base64, unique_name,
    },
    dialect::Dialect,
    json::{
        FindingKind, Findings, Json, Object, ScanOptions, Scanned, push_string, rewrite_strings,
        scan, unescape,
    },
    note::{Note, Rule, Weight},
    outcome::{Canvas, Carried, Display, Link, Outcome, Source, error_results},
    spill::{SpillId, Spilled, handle_id},
    wire::{Text, short_string},
};

pub(crate) struct Builder<'a> {
    pub(crate) limits: &'a Limits,
    pub(crate) results: Json,
    pub(crate) is_error: bool,
    pub(crate) meta_data: Object,
    pub(crate) artifacts: Vec<Artifact>,
    pub(crate) links: Vec<Link>,
    pub(crate) display: Option<Display>,
    pub(crate) canvas: Option<Canvas>,
    pub(crate) extra: Object,
    pub(crate) carried: Carried,
    pub(crate) source: Source,
    notes: Vec<Note>,
    notes_over: usize,
    taken: HashSet<String>,
    /// Names as they were sent and as they are, to find the one that `display` means.
    renamed: Vec<(String, String)>,
    spills: BTreeMap<SpillId, Spilled>,
    used: HashSet<SpillId>,
}

/// A file as a result describes it.
pub(crate) struct Proposal {
    pub(crate) name: Option<String>,
    /// The name of a file that has none.
    pub(crate) fallback: Fallback,
    pub(crate) mime: String,
    pub(crate) bytes: FileBytes,
    pub(crate) details: FileDetails,
}

/// What else a result says about a file.
#[derive(Default)]
pub(crate) struct FileDetails {
    pub(crate) size: Option<Json>,
    pub(crate) sha256: Option<Json>,
    pub(crate) description: Option<String>,
    pub(crate) viewer: Option<Viewer>,
    pub(crate) url: Option<String>,
    pub(crate) annotations: Option<Json>,
    pub(crate) extra: Object,
    pub(crate) is_image_block: bool,
}

pub(crate) enum Fallback {
    Exact(String),
    /// The extension comes from the media type.
    Stem(String),
}

pub(crate) enum FileBytes {
    Base64(Json),
    Text(Text),
    Known { size: u64, sha256: Sha256Digest },
}

impl<'a> Builder<'a> {
    pub(crate) fn new(limits: &'a Limits, spills: Vec<Spilled>) -> Builder<'a> {
        Builder {
            limits,
            results: Json::null(),
            is_error: false,
            meta_data: Object::default(),
            artifacts: Vec::new(),
            links: Vec::new(),
            display: None,
            canvas: None,
            extra: Object::default(),
            carried: Carried::default(),
            source: Source::default(),
            notes: Vec::new(),
            notes_over: 0,
            taken: HashSet::new(),
            renamed: Vec::new(),
            spills: spills.into_iter().map(|spilled| (spilled.id, spilled)).collect(),
            used: HashSet::new(),
        }
    }

    /// Whether long strings were cut out of the message.
    pub(crate) fn has_spills(&self) -> bool {
        !self.spills.is_empty()
    }

    /// Takes the canvas token out of everything that is written for somebody else.
    pub(crate) fn hide_token(&mut self) {
        const TOKEN_BYTES_MIN: usize = 4;
        let token = self.canvas.as_ref().and_then(|canvas| canvas.token.clone());
        let Some(token) = token.filter(|token| token.len() >= TOKEN_BYTES_MIN) else { return };
        let mut is_found = false;
        let mut hide = |json: &mut Json| {
            if let Some(hidden) = without_token(json, &token) {
                is_found = true;
                *json = hidden;
            }
        };
        hide(&mut self.results);
        self.meta_data.values_mut().for_each(&mut hide);
        self.extra.values_mut().for_each(&mut hide);
        self.carried.fields.values_mut().for_each(&mut hide);
        self.carried.blocks.iter_mut().for_each(|(_, json)| hide(json));
        self.notes.iter_mut().filter_map(|note| note.left_out.as_mut()).for_each(&mut hide);
        self.links.iter_mut().for_each(|link| hide(&mut link.json));
        if let Some(canvas) = &mut self.canvas {
            canvas.members.values_mut().for_each(&mut hide);
        }
        if let Some(display) = &mut self.display {
            display.extra.values_mut().for_each(&mut hide);
        }
        for artifact in &mut self.artifacts {
            artifact.extra.values_mut().for_each(&mut hide);
            artifact.annotations.iter_mut().for_each(&mut hide);
        }
        let mut hide_text = |text: &mut String| {
            if text.contains(&token) {
                is_found = true;
                *text = text.replace(&token, HIDDEN_TOKEN);
            }
        };
        for link in &mut self.links {
            hide_text(&mut link.uri);
            hide_text(&mut link.name);
        }
        for artifact in &mut self.artifacts {
            artifact.description.iter_mut().for_each(&mut hide_text);
            artifact.url.iter_mut().for_each(&mut hide_text);
        }
        self.notes.iter_mut().for_each(|note| hide_text(&mut note.message));
        if is_found {
            let message = "the canvas token was taken out of the rest of the result";
            self.note(Note::remark(Rule::R13, "/canvas/token", message));
        }
    }

    pub(crate) fn note(&mut self, note: Note) {
        if self.notes.len() < self.limits.notes_max {
            self.notes.push(note);
        } else {
            self.notes_over += 1;
        }
    }

    /// The JSON that a text holds, if it holds one, and what was repaired in it.
    pub(crate) fn json_of_text(&self, text: &Text) -> Option<Scanned> {
        match text {
            Text::Inline(text) => scan(text, &ScanOptions::strict(self.limits)).ok(),
            Text::Spilled(id) => self.spills.get(id)?.inner.clone(),
        }
    }

    /// R12: notes what the schema says about the structured content.
    pub(crate) fn note_verdict(&mut self, verdict: &Verdict, has_long_strings: bool) {
        match verdict {
            Verdict::Valid => {}
            Verdict::Invalid(_) if has_long_strings => {
                let message = "the output schema cannot be checked: long strings were cut out";
                self.note(Note::remark(Rule::R12, "/structuredContent", message));
            }
            Verdict::Invalid(problems) => {
                self.source.has_schema_problem = true;
                for problem in problems {
                    let message = format!("the output schema refuses it: {}", problem.message);
                    let place = format!("/structuredContent{}", problem.pointer);
                    self.note(Note::changed(Rule::R12, place, message));
                }
            }
            Verdict::Unchecked(reason) => {
                let message = format!("the output schema was not checked: {reason}");
                self.note(Note::remark(Rule::R12, "/structuredContent", message));
            }
        }
    }

    /// R12 with the policy `error`: a result that its schema refuses is a failure.
    pub(crate) fn fail_by_schema(&mut self) {
        let problem = self.notes.iter().find(|note| note.rule == Rule::R12);
        let message = problem.map_or_else(String::new, ToString::to_string);
        self.is_error = true;
        self.source.is_rewritten = true;
        self.results = error_results(&message, Some(&self.results));
    }

    /// Notes what the scanner repaired.
    pub(crate) fn note_findings(&mut self, findings: &Findings, place: &str) {
        for finding in &findings.first {
            let (weight, message) = match finding.kind {
                FindingKind::LoneSurrogate => {
                    (Weight::Changed, "a lone surrogate was replaced by U+FFFD")
                }
                FindingKind::ControlCharacter => {
                    (Weight::Remark, "a raw control character in a string was escaped")
                }
                FindingKind::NotANumber => {
                    (Weight::Changed, "a number that JSON does not have is read as null")
                }
                FindingKind::TooDeep => {
                    (Weight::Changed, "nesting below the depth limit is kept as text")
                }
            };
            let at = format!("{place}byte {}", finding.offset);
            self.note(Note { weight, ..Note::remark(Rule::R14, at, message) });
        }
        let more = findings.count - findings.first.len();
        if more > 0 {
            let message = format!("{more} more repairs of this kind were made");
            self.note(Note::changed(Rule::R14, place, message));
        }
        for (at, value) in &findings.duplicates {
            let message = "the key occurs more than once; the last one counts";
            let note = Note::changed(Rule::R14, format!("{place}{at}"), message);
            self.note(note.with_left_out(value.clone()));
        }
        self.source.is_rewritten |= findings.count > 0 || !findings.duplicates.is_empty();
    }

    /// The name that an artifact has now, by the one it was sent with or has.
    pub(crate) fn current_name(&self, name: &str) -> Option<&str> {
        let by_sent =
            self.renamed.iter().find(|(sent, _)| sent == name).map(|(_, now)| now.as_str());
        by_sent.or_else(|| self.taken.get(name).map(String::as_str))
    }

    /// Adds a file and returns its name; a file whose bytes are not what they say is left out.
    pub(crate) fn add_file(&mut self, place: &str, proposal: Proposal) -> Option<String> {
        let Proposal { name, fallback, mime, bytes, details } = proposal;
        let cleaned = name.as_deref().and_then(|name| clean_name(name, self.limits.name_bytes_max));
        let shown_name = cleaned.clone().or_else(|| name.clone()).unwrap_or_default();
        let (measured, content) = self.measure(place, &shown_name, bytes)?;
        let (mime, decided) = match content {
            // Nothing is known of bytes that are elsewhere, so their type is what was declared.
            Content::Elsewhere if !mime.is_empty() => (mime, Decided::Declared),
            _ => decide_media_type(&mime, &measured.head, &shown_name),
        };
        if decided == Decided::DeclaredWrong {
            let message =
                format!("the declared media type is impossible for `{shown_name}`; it is {mime}");
            self.note(Note::remark(Rule::R7, place, message));
        }
        let wanted = cleaned.clone().unwrap_or_else(|| match fallback {
            Fallback::Exact(name) => name,
            Fallback::Stem(stem) => stem + extension_for(&mime),
        });
        let final_name = unique_name(wanted, &mut self.taken, self.limits.name_bytes_max);
        self.note_name(place, name.as_deref(), cleaned.as_deref(), &final_name);
        self.note_size(place, details.size.as_ref(), measured.size, &final_name);
        self.note_digest(place, details.sha256.as_ref(), measured.sha256, &final_name);
        if let Some(sent) = name {
            self.renamed.push((sent, final_name.clone()));
        }
        self.artifacts.push(Artifact {
            name: final_name.clone(),
            mime,
            size: measured.size,
            sha256: measured.sha256,
            description: details.description,
            viewer: details.viewer,
            url: details.url,
            annotations: details.annotations,
            extra: details.extra,
            content,
            is_image_block: details.is_image_block,
        });
        Some(final_name)
    }

    fn note_name(&mut self, place: &str, sent: Option<&str>, cleaned: Option<&str>, now: &str) {
        let message = match (sent, cleaned) {
            (None, _) => return,
            (Some(sent), _) if sent == now => return,
            (Some(_), None) => format!("the name cannot be used; the file is called `{now}`"),
            (Some(sent), Some(cleaned)) if sent != cleaned => {
                format!("the name was cleaned; the file is called `{now}`")
            }
            (Some(_), Some(_)) => format!("the name was taken; the file is called `{now}`"),
        };
        let note = Note::changed(Rule::R6, place, message);
        self.note(match sent {
            Some(sent) => note.with_left_out(Json::string(sent)),
            None => note,
        });
    }

    fn note_size(&mut self, place: &str, declared: Option<&Json>, size: u64, name: &str) {
        let Some(declared) = declared.filter(|declared| !declared.is_null()) else { return };
        if !crate::json::same_value(declared.as_text(), &size.to_string()) {
            let message = format!("the declared size of `{name}` is wrong; it has {size} bytes");
            self.note(Note::changed(Rule::R6, place, message).with_left_out(declared.clone()));
        }
    }

    fn note_digest(
        &mut self,
        place: &str,
        declared: Option<&Json>,
        sha256: Sha256Digest,
        name: &str,
    ) {
        let Some(declared) = declared.filter(|declared| !declared.is_null()) else { return };
        let is_same = declared.as_str().and_then(|text| Sha256Digest::parse(&text)) == Some(sha256);
        if !is_same {
            let message = format!("the declared digest of `{name}` is wrong; it is {sha256}");
            self.note(Note::changed(Rule::R6, place, message).with_left_out(declared.clone()));
        }
    }

    /// Size, digest, first bytes and place of a file's content. `None` where it is not valid.
    fn measure(
        &mut self,
        place: &str,
        name: &str,
        bytes: FileBytes,
    ) -> Option<(Measured, Content)> {
        match bytes {
            FileBytes::Known { size, sha256 } => {
                Some((Measured { size, sha256, head: Vec::new() }, Content::Elsewhere))
            }
            FileBytes::Text(Text::Inline(text)) => {
                let head = text.as_bytes()[..text.len().min(512)].to_vec();
                let sha256 = Sha256Digest::of(text.as_bytes());
                let measured = Measured { size: text.len() as u64, sha256, head };
                Some((measured, Content::Text(text)))
            }
            FileBytes::Text(Text::Spilled(id)) => self.measure_spilled(place, name, id, false),
            FileBytes::Base64(json) => match Text::of(&json)? {
                Text::Spilled(id) => self.measure_spilled(place, name, id, true),
                Text::Inline(text) => match measure_base64(&text) {
                    Ok(measured) => Some((measured, Content::Base64(text))),
                    Err(invalid) => {
                        let message = format!(
                            "`{name}` is left out: its base64 is not valid from character {}",
                            invalid.at
                        );
                        self.note(Note::changed(Rule::R6, place, message).with_left_out(json));
                        None
                    }
                },
            },
        }
    }

    fn measure_spilled(
        &mut self,
        place: &str,
        name: &str,
        id: SpillId,
        is_base64: bool,
    ) -> Option<(Measured, Content)> {
        let spilled = self.spills.get(&id)?.clone();
        if let Some(failure) = &spilled.failure {
            let message = format!("`{name}` could not be kept whole: {failure}");
            self.note(Note::changed(Rule::R14, place, message));
        }
        if let Some(rest) = spilled.undecodable_rest {
            self.keep_undecodable(place, name, id, rest);
            return None;
        }
        if is_base64 && !spilled.is_decoded {
            return None;
        }
        self.used.insert(id);
        let sha256 = Sha256Digest(spilled.sha256);
        let measured = Measured { size: spilled.size, sha256, head: spilled.head };
        Some((measured, Content::Spilled(id)))
    }

    /// A long string that was base64 only at its start: both parts are kept as files.
    fn keep_undecodable(&mut self, place: &str, name: &str, start: SpillId, rest: SpillId) {
        let stem = if name.is_empty() { "file" } else { name };
        for (id, suffix, mime) in
            [(start, "decoded", "application/octet-stream"), (rest, "rest.txt", "text/plain")]
        {
            let Some(spilled) = self.spills.get(&id).filter(|spilled| spilled.size > 0) else {
                continue;
            };
            let artifact = spilled_artifact(spilled, format!("{stem}.{suffix}"), mime);
            self.keep(artifact, id);
        }
        let message =
            format!("`{name}` is left out: its base64 is not valid; its parts are kept as files");
        self.note(Note::changed(Rule::R6, place, message));
    }

    fn keep(&mut self, mut artifact: Artifact, id: SpillId) -> String {
        artifact.name = unique_name(artifact.name, &mut self.taken, self.limits.name_bytes_max);
        self.used.insert(id);
        let name = artifact.name.clone();
        self.artifacts.push(artifact);
        name
    }

    /// Keeps a text of ours as a file under a free name.
    pub(crate) fn keep_text(&mut self, name: &str, mime: &str, text: &Json) -> String {
        let name = unique_name(name.to_owned(), &mut self.taken, self.limits.name_bytes_max);
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
    fn spilled_preview(&mut self, place: &str, id: SpillId, file_name: &str) -> String {
        const SHOWN_BYTES: usize = 200;
        let Some(spilled) = self.spills.get(&id).cloned() else { return String::new() };
        let name = self.keep(spilled_artifact(&spilled, file_name.to_owned(), "text/plain"), id);
        let mut message = format!("a text of {} bytes is in `{name}`", spilled.size);
        if let Some(failure) = &spilled.failure {
            message = format!("{message}, but it could not be kept whole: {failure}");
        }
        self.note(Note::changed(Rule::R14, place, message));
        let (head, tail) = spilled.ends(SHOWN_BYTES);
        format!("{head}… [{} bytes in {name}] …{tail}", spilled.size)
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

    fn resolve_members(&mut self, object: &Object, place: &str) -> Object {
        let members = object.iter().map(|(key, value)| {
            (key.to_owned(), self.resolve_handles(value, &format!("{place}/{key}")))
        });
        members.collect()
    }

    /// The outcome, and the strings in the sink that nothing refers to.
    pub(crate) fn finish(mut self, dialect: Dialect) -> (Outcome, Vec<SpillId>) {
        self.results = self.resolve_handles(&self.results.clone(), "/results");
        let meta_data = std::mem::take(&mut self.meta_data);
        self.meta_data = self.resolve_members(&meta_data, "/meta_data");
        let extra = std::mem::take(&mut self.extra);
        self.extra = self.resolve_members(&extra, "");
        if self.notes_over > 0 {
            let message = format!("{} more notes are not shown", self.notes_over);
            self.notes.push(Note::remark(Rule::R14, "", message));
        }
        let unused = self.spills.keys().filter(|id| !self.used.contains(id)).copied().collect();
        let outcome = Outcome {
            results: self.results,
            is_error: self.is_error,
            meta_data: self.meta_data,
            artifacts: self.artifacts,
            links: self.links,
            display: self.display,
            canvas: self.canvas,
            extra: self.extra,
            carried: self.carried,
            notes: self.notes,
            dialect,
            source: self.source,
        };
        (outcome, unused)
    }

    /// The members that every description of a file may have beside its name, type and bytes.
    pub(crate) fn file_details(&mut self, place: &str, members: &mut Object) -> FileDetails {
        let mut string = |key: &str| {
            let found = members.get(key).and_then(short_string)?;
            members.remove(key);
            Some(found)
        };
        let (description, url) = (string("description"), string("url"));
        let viewer = members.remove("viewer").filter(|viewer| !viewer.is_null());
        let known = viewer.as_ref().and_then(|viewer| Viewer::of(&viewer.as_str()?));
        if let (Some(word), None) = (viewer, known) {
            let message = "the value of `viewer` is not known and was removed";
            let note = Note::remark(Rule::R13, format!("{place}/viewer"), message);
            self.note(note.with_left_out(word));
        }
        let size = members.remove("size");
        let sha256 = members.remove("sha256");
        let annotations = members.remove("annotations");
        // Names that an artifact has of its own cannot be used for something else.
        for key in ["name", "mime"] {
            if let Some(value) = members.remove(key) {
                let note = Note::changed(
                    Rule::R6,
                    format!("{place}/{key}"),
                    format!("`{key}` is given twice"),
                );
                self.note(note.with_left_out(value));
            }
        }
        let extra = self.resolve_members(members, place);
        FileDetails {
            size,
            sha256,
            description,
            viewer: known,
            url,
            annotations,
            extra,
            is_image_block: false,
        }
    }
}

/// What stands in place of a token.
pub(crate) const HIDDEN_TOKEN: &str = "[token]";

/// The value with the token replaced in all its strings; `None` where it does not occur.
pub(crate) fn without_token(json: &Json, token: &str) -> Option<Json> {
    let mut is_found = false;
    let mut out = String::new();
    rewrite_strings(
        json.as_text(),
        |string, out| {
            let content = unescape(string);
            if !content.contains(token) {
                return false;
            }
            is_found = true;
            push_string(out, &content.replace(token, HIDDEN_TOKEN));
            true
        },
        &mut out,
    );
    is_found.then(|| Json::trusted(out))
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
        is_image_block: false,
    }
}

/// Foreign text in a sentence of ours: short, and without characters that are not seen.
pub(crate) fn shown(text: &str) -> String {
    let clean: String = text.chars().filter(|char| !char.is_control()).take(40).collect();
    if clean.len() < text.len() { clean + "…" } else { clean }
}
