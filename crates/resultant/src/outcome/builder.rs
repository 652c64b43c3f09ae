//! Puts an outcome together: files, notes, and the strings that went to a sink.

mod files;
mod found;
mod strings;
mod token;

use std::collections::{BTreeMap, HashMap, HashSet};

pub(crate) use self::files::{Fallback, FileBytes, FileDetails, Proposal};
use crate::{
    Limits, Verdict,
    artifact::{Artifact, Names, own_name},
    dialect::Dialect,
    json::{FindingKind, Findings, Json, Object, ScanOptions, Scanned, scan},
    note::{Note, Rule, Weight},
    outcome::{Canvas, Carried, Display, Link, Outcome, Source, error_results},
    spill::{SpillId, Spilled},
    wire::Text,
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
    /// Files that were found in strings.
    found_files: usize,
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
            found_files: 0,
        }
    }

    /// Whether long strings were cut out of the message.
    pub(crate) fn has_spills(&self) -> bool {
        !self.spills.is_empty()
    }

    /// Whether two strings in the sink are the same text.
    pub(crate) fn is_same_text(&self, one: SpillId, other: SpillId) -> bool {
        let digest = |id| self.spills.get(&id).map(|spilled| (spilled.is_decoded, spilled.sha256));
        digest(one).is_some() && digest(one) == digest(other)
    }

    pub(crate) fn note(&mut self, note: Note) {
        if self.notes.len() < self.limits.notes_max {
            self.notes.push(note);
        } else {
            self.more_notes.push(note);
        }
    }

    /// A name of ours.
    pub(super) fn own_name(&self, name: &str) -> String {
        own_name(name, self.source.suffix.as_deref())
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
                let name = self.own_name("notes.jsonl");
                let name = self.names.take(&name, self.limits.name_bytes_max);
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
        self.take_base64();
        self.resolve_all();
        self.note_error_text();
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
            unkept: Vec::new(),
        };
        (outcome, unused)
    }
}

/// Foreign text in a sentence of ours: short, and without characters that are not seen.
pub(crate) fn shown(text: &str) -> String {
    let clean: String = text.chars().filter(|char| !char.is_control()).take(40).collect();
    if clean.len() < text.len() { clean + "…" } else { clean }
}
