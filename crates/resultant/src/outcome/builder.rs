//! Puts an outcome together: files, notes, and the strings that went to a sink.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::{
    Limits, Verdict,
    artifact::{
        Artifact, Content, Decided, Measured, Names, Sha256Digest, Viewer, clean_name,
        decide_media_type, extension_for, measure_base64,
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
    /// The notes over the limit.
    more_notes: Vec<Note>,
    names: Names,
    /// Names as they were sent and as they are, to find the one that `display` means.
    renamed: Vec<(String, String)>,
    spills: BTreeMap<SpillId, Spilled>,
    used: HashSet<SpillId>,
    /// What stands for each long string that is in a file.
    stand_ins: HashMap<SpillId, String>,
}

/// A file as a result describes it.
pub(crate) struct Proposal {
    pub(crate) name: Option<String>,
    /// The name of a file that has none.
    pub(crate) fallback: Fallback,
    pub(crate) mime: String,
    pub(crate) bytes: FileBytes,
    pub(crate) details: FileDetails,
    /// All of it as it was sent, for the note where it has to be left out.
    pub(crate) source: Json,
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
            more_notes: Vec::new(),
            names: Names::default(),
            renamed: Vec::new(),
            spills: spills.into_iter().map(|spilled| (spilled.id, spilled)).collect(),
            used: HashSet::new(),
            stand_ins: HashMap::new(),
        }
    }

    /// Whether long strings were cut out of the message.
    pub(crate) fn has_spills(&self) -> bool {
        !self.spills.is_empty()
    }

    /// Takes the canvas token out of everything that is written for somebody else.
    fn hide_token(&mut self) {
        const TOKEN_BYTES_MIN: usize = 4;
        let token = self.canvas.as_ref().and_then(|canvas| canvas.token.clone());
        let Some(token) = token.filter(|token| token.len() >= TOKEN_BYTES_MIN) else { return };
        let mut hiding = Hiding { token: &token, is_found: false };
        hiding.json(&mut self.results);
        hiding.object(&mut self.meta_data);
        hiding.object(&mut self.extra);
        hiding.object(&mut self.carried.meta);
        hiding.object(&mut self.carried.fields);
        self.carried.blocks.iter_mut().for_each(|(_, block)| hiding.json(block));
        self.source.structured.iter_mut().for_each(|value| hiding.json(value));
        self.canvas.iter_mut().for_each(|canvas| hiding.object(&mut canvas.members));
        self.display.iter_mut().for_each(|display| hiding.object(&mut display.extra));
        for artifact in &mut self.artifacts {
            if artifact.name.contains(&token) {
                let name = artifact.name.replace(&token, "token");
                let name = self.names.take(&name, self.limits.name_bytes_max);
                let old = std::mem::replace(&mut artifact.name, name);
                let primary = self.display.as_mut().and_then(|it| it.primary_file.as_mut());
                primary.filter(|primary| **primary == old).into_iter().for_each(|primary| {
                    primary.clone_from(&artifact.name);
                });
                hiding.is_found = true;
            }
            hiding.text(&mut artifact.mime);
            artifact.description.iter_mut().for_each(|text| hiding.text(text));
            artifact.url.iter_mut().for_each(|text| hiding.text(text));
            artifact.annotations.iter_mut().for_each(|value| hiding.json(value));
            hiding.object(&mut artifact.extra);
        }
        for link in &mut self.links {
            hiding.text(&mut link.uri);
            hiding.text(&mut link.name);
            hiding.json(&mut link.json);
        }
        for note in &mut self.notes {
            hiding.text(&mut note.message);
            note.left_out.iter_mut().for_each(|value| hiding.json(value));
        }
        if hiding.is_found {
            let message = "the canvas token was taken out of the rest of the result";
            self.note(Note::remark(Rule::R13, "/canvas/token", message));
        }
    }

    pub(crate) fn note(&mut self, note: Note) {
        if self.notes.len() < self.limits.notes_max {
            self.notes.push(note);
        } else {
            self.more_notes.push(note);
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
            let key = at.rsplit('/').next().unwrap_or_default();
            let message = format!("`{}` occurs more than once; the last one counts", shown(key));
            let note = Note::changed(Rule::R14, format!("{place}{at}"), message);
            self.note(note.with_left_out(value.clone()));
        }
        self.source.is_rewritten |= findings.count > 0 || !findings.duplicates.is_empty();
    }

    /// The name that an artifact has now, by the one it was sent with or has.
    pub(crate) fn current_name(&self, name: &str) -> Option<&str> {
        let by_sent =
            self.renamed.iter().find(|(sent, _)| sent == name).map(|(_, now)| now.as_str());
        by_sent.or_else(|| self.names.get(name))
    }

    /// Adds a file and returns its name; a file whose bytes are not what they say is left out.
    pub(crate) fn add_file(&mut self, place: &str, proposal: Proposal) -> Option<String> {
        let Proposal { name, fallback, mime: declared, bytes, details, source } = proposal;
        let spill = match &bytes {
            FileBytes::Base64(json) => Text::of(json),
            FileBytes::Text(text) => Some(text.clone()),
            FileBytes::Known { .. } => None,
        };
        let cleaned = name.as_deref().and_then(|name| clean_name(name, self.limits.name_bytes_max));
        let shown_name = cleaned.clone().unwrap_or_else(|| match &fallback {
            Fallback::Exact(name) | Fallback::Stem(name) => name.clone(),
        });
        let (measured, content) = match self.measure(&shown_name, bytes) {
            Ok(measured) => measured,
            Err(message) => {
                self.note(Note::changed(Rule::R6, place, message).with_left_out(source));
                // A client gets no file that is none.
                self.source.is_rewritten = true;
                return None;
            }
        };
        let (mime, decided) = match content {
            // Nothing is known of bytes that are elsewhere, so their type is what was declared.
            Content::Elsewhere if !declared.is_empty() => (declared.clone(), Decided::Declared),
            _ => decide_media_type(&declared, &measured.head, &shown_name),
        };
        let wanted = cleaned.clone().unwrap_or_else(|| match fallback {
            Fallback::Exact(name) => name,
            Fallback::Stem(stem) => stem + extension_for(&mime),
        });
        let final_name = self.names.take(&wanted, self.limits.name_bytes_max);
        self.note_media_type(place, &declared, &mime, decided, &final_name);
        self.note_name(place, name.as_deref(), cleaned.as_deref(), &final_name);
        self.note_size(place, details.size.as_ref(), measured.size, &final_name);
        self.note_digest(place, details.sha256.as_ref(), measured.sha256, &final_name);
        if let Some(Text::Spilled(id)) = spill {
            self.stand_ins.insert(id, format!("[the file {final_name}]"));
        }
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

    fn note_media_type(
        &mut self,
        place: &str,
        declared: &str,
        mime: &str,
        decided: Decided,
        name: &str,
    ) {
        if declared == mime || declared.is_empty() {
            return;
        }
        let message = match decided {
            Decided::DeclaredWrong => {
                format!("the declared media type is impossible for `{name}`; it is {mime}")
            }
            Decided::Declared => format!("the media type of `{name}` is written {mime}"),
            Decided::Found => format!("the declared type of `{name}` is none; it is {mime}"),
        };
        let note = Note::remark(Rule::R7, place, message);
        self.note(note.with_left_out(Json::string(declared)));
    }

    fn note_digest(
        &mut self,
        place: &str,
        declared: Option<&Json>,
        sha256: Sha256Digest,
        name: &str,
    ) {
        let Some(declared) = declared.filter(|declared| !declared.is_null()) else { return };
        if declared.as_str().and_then(|text| Sha256Digest::parse(&text)) != Some(sha256) {
            let message = format!("the declared digest of `{name}` is wrong");
            self.note(Note::changed(Rule::R6, place, message).with_left_out(declared.clone()));
        }
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

    /// Size, digest, first bytes and place of a file's content. A sentence where it is not valid.
    fn measure(&mut self, name: &str, bytes: FileBytes) -> Result<(Measured, Content), String> {
        match bytes {
            FileBytes::Known { size, sha256 } => {
                Ok((Measured { size, sha256, head: Vec::new() }, Content::Elsewhere))
            }
            FileBytes::Text(Text::Inline(text)) => {
                let head = text.as_bytes()[..text.len().min(512)].to_vec();
                let sha256 = Sha256Digest::of(text.as_bytes());
                let measured = Measured { size: text.len() as u64, sha256, head };
                Ok((measured, Content::Text(text)))
            }
            FileBytes::Text(Text::Spilled(id)) => self.measure_spilled(name, id, false),
            FileBytes::Base64(json) => match Text::of(&json) {
                Some(Text::Spilled(id)) => self.measure_spilled(name, id, true),
                Some(Text::Inline(text)) => match measure_base64(&text) {
                    Ok(measured) => Ok((measured, Content::Base64(text))),
                    Err(invalid) => Err(format!(
                        "`{name}` is left out: its base64 is not valid from character {}",
                        invalid.at
                    )),
                },
                None => Err(format!("`{name}` is left out: it has no base64")),
            },
        }
    }

    fn measure_spilled(
        &mut self,
        name: &str,
        id: SpillId,
        is_base64: bool,
    ) -> Result<(Measured, Content), String> {
        let spilled = self.spills.get(&id).cloned();
        let spilled = spilled.ok_or_else(|| format!("`{name}` is left out: it was not kept"))?;
        if spilled.undecodable_rest.is_some() || is_base64 && !spilled.is_decoded {
            return Err(format!(
                "`{name}` is left out: its base64 is not valid; what it is instead is kept"
            ));
        }
        if let Some(failure) = &spilled.failure {
            let message = format!("`{name}` could not be kept whole: {failure}");
            self.note(Note::changed(Rule::R14, "", message));
        }
        self.used.insert(id);
        let sha256 = Sha256Digest(spilled.sha256);
        let measured = Measured { size: spilled.size, sha256, head: spilled.head };
        Ok((measured, Content::Spilled(id)))
    }

    /// The digest of what a base64 string, or the `b64` of an object, decodes to.
    pub(crate) fn digest_of_base64(&self, content: &Json) -> Option<Sha256Digest> {
        let inner = content.get("b64");
        match Text::of(inner.as_ref().unwrap_or(content))? {
            Text::Inline(text) => measure_base64(&text).ok().map(|measured| measured.sha256),
            Text::Spilled(id) => {
                let spilled = self.spills.get(&id).filter(|spilled| spilled.is_decoded)?;
                spilled.undecodable_rest.is_none().then_some(Sha256Digest(spilled.sha256))
            }
        }
    }

    /// Makes a file of a long string under a free name.
    fn keep(&mut self, spilled: &Spilled, name: &str, mime: &str) -> String {
        let name = self.names.take(name, self.limits.name_bytes_max);
        self.used.insert(spilled.id);
        self.artifacts.push(spilled_artifact(spilled, name.clone(), mime));
        name
    }

    /// Keeps a text of ours as a file under a free name.
    pub(crate) fn keep_text(&mut self, name: &str, mime: &str, text: &Json) -> String {
        let name = self.names.take(name, self.limits.name_bytes_max);
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
        if let Some(stand_in) = self.stand_ins.get(&id) {
            return stand_in.clone();
        }
        let Some(spilled) = self.spills.get(&id).cloned() else { return String::new() };
        let rest = spilled.undecodable_rest.and_then(|rest| self.spills.get(&rest).cloned());
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
                format!("[{} bytes in {start}, decoded from base64, then {end}]", spilled.size)
            }
            None if spilled.is_decoded => {
                let name = self.keep(&spilled, "string.bin", "application/octet-stream");
                let message = format!("a text that is base64 is in `{name}`, decoded");
                self.note(Note::changed(Rule::R14, place, message));
                format!("[{} bytes in {name}, decoded from base64]", spilled.size)
            }
            None => self.keep_long_text(place, &spilled, file_name),
        };
        self.stand_ins.insert(id, stand_in.clone());
        stand_in
    }

    fn keep_long_text(&mut self, place: &str, spilled: &Spilled, file_name: &str) -> String {
        const SHOWN_BYTES: usize = 200;
        let name = self.keep(spilled, file_name, "text/plain");
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

    pub(crate) fn resolve_members(&mut self, object: &Object, place: &str) -> Object {
        let members = object.iter().map(|(key, value)| {
            (key.to_owned(), self.resolve_handles(value, &format!("{place}/{key}")))
        });
        members.collect()
    }

    /// Replaces every handle that is left. What was left out is looked at last, because the rest of
    /// the outcome gives long strings better names.
    fn resolve_all(&mut self) {
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

    /// Members that nobody knows must not have the names of those that everybody knows.
    fn clear_extra(&mut self) {
        const RESERVED: [&str; 8] = [
            "results",
            "meta_data",
            "meta-data",
            "artifacts",
            "returned_file_names",
            "returned_file_contents",
            "display",
            "canvas",
        ];
        let takes_links = !self.links.is_empty();
        for key in RESERVED.into_iter().chain(takes_links.then_some("links")) {
            if let Some(value) = self.extra.remove(key) {
                let message = format!("`{key}` has no meaning here and is left out");
                let note = Note::changed(Rule::R14, format!("/{key}"), message);
                self.note(note.with_left_out(value));
            }
        }
        if let Some(flag) = self.is_error.then(|| self.meta_data.remove("is_error")).flatten()
            && flag.as_bool() != Some(true)
        {
            let message = "is_error is not true, but the call failed";
            let note = Note::remark(Rule::R9, "/meta_data/is_error", message);
            self.note(note.with_left_out(flag));
        }
    }

    /// The notes over the limit: in a file, where they say what was left out.
    fn finish_notes(&mut self) {
        let count = self.more_notes.len();
        if count == 0 {
            return;
        }
        let has_left_out = self.more_notes.iter().any(|note| note.left_out.is_some());
        let message = match has_left_out {
            true => {
                let lines = self.more_notes.iter().map(|note| note.to_whole_json().to_string());
                let lines = lines.collect::<Vec<_>>().join("\n");
                let name = "notes.jsonl";
                let name = self.names.take(name, self.limits.name_bytes_max);
                let file = Artifact::of_text(&name, "application/x-ndjson", lines.into());
                self.artifacts.push(file);
                format!("{count} more notes are in `{name}`")
            }
            false => format!("{count} more notes are not shown"),
        };
        let weight = if has_left_out { Weight::Changed } else { Weight::Remark };
        self.notes.push(Note { weight, ..Note::remark(Rule::R14, "", message) });
    }

    /// The outcome, and the strings in the sink that nothing refers to.
    pub(crate) fn finish(mut self, dialect: Dialect) -> (Outcome, Vec<SpillId>) {
        self.clear_extra();
        self.resolve_all();
        self.hide_token();
        self.finish_notes();
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

/// Replaces a token wherever it occurs.
struct Hiding<'a> {
    token: &'a str,
    is_found: bool,
}

impl Hiding<'_> {
    fn text(&mut self, text: &mut String) {
        if text.contains(self.token) {
            self.is_found = true;
            *text = text.replace(self.token, "[token]");
        }
    }

    fn json(&mut self, json: &mut Json) {
        let mut is_found = false;
        let mut out = String::new();
        rewrite_strings(
            json.as_text(),
            |string, out| {
                let content = unescape(string);
                if !content.contains(self.token) {
                    return false;
                }
                is_found = true;
                push_string(out, &content.replace(self.token, "[token]"));
                true
            },
            &mut out,
        );
        if is_found {
            self.is_found = true;
            *json = Json::trusted(out);
        }
    }

    fn object(&mut self, object: &mut Object) {
        for (key, value) in object.members_mut() {
            self.text(key);
            self.json(value);
        }
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
        is_image_block: false,
    }
}

/// Foreign text in a sentence of ours: short, and without characters that are not seen.
pub(crate) fn shown(text: &str) -> String {
    let clean: String = text.chars().filter(|char| !char.is_control()).take(40).collect();
    if clean.len() < text.len() { clean + "…" } else { clean }
}
